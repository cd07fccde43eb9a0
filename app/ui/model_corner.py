"""The corner of the composer about models: who answers, how much was read, what is left out.

It joins chip, meter, desk and settings; each of them knows none of the others. GUI thread.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.core.choices import with_choice
from app.core.errors import ProblemKind
from app.core.events import ConversationEvent, UsageReported
from app.core.ids import ConversationId, MessageId
from app.core.messages import Tree
from app.core.settings import BUILT_IN_URL, Endpoint
from app.ui.composer.context_use import Use, exchanges, scaled, suggestion, tokens_of
from app.ui.conversation_state import ConversationState
from app.ui.desk import Desk
from app.ui.pane import ConversationPane
from app.ui.settings.preferences import Preferences

if TYPE_CHECKING:
    from app.core.models import ModelEvent
    from app.ui.composer.leave_out import LeaveOutDialog

Ids = frozenset[MessageId]
_NONE: Ids = frozenset()


class ModelCorner(QObject):
    """Keeps chip and meter true to the visible conversation."""

    command_issued = Signal(object)  # a ModelCommand

    def __init__(
        self, *, desk: Desk, pane: ConversationPane, preferences: Preferences, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._desk = desk
        self._preferences = preferences
        self._status_line = pane.status_line
        self.chip = pane.composer.model_chip
        self.meter = pane.composer.context
        self._dialog: LeaveOutDialog | None = None
        self._window = pane
        self._left_out: dict[ConversationId, Ids] = {}
        self._counted: dict[ConversationId, tuple[int, int]] = {}  # by a server, and estimated then
        self._asked: set[str] = set()
        self._seen: tuple[Tree, Ids] = (Tree(), _NONE)
        self._number_out = 0
        self._estimate = 0
        self._connect()

    def _connect(self) -> None:
        self._desk.switched.connect(self._on_switched)
        self._desk.state_changed.connect(self._on_state_changed)
        self._preferences.model_heard.connect(self.on_model_heard)
        self.command_issued.connect(self._preferences.model_command_issued)
        self.chip.endpoint_chosen.connect(self._on_chosen)
        self.chip.servers_wished.connect(self._preferences.open_models)
        self.chip.lists_wished.connect(self._on_lists_wished)
        self.chip.changed.connect(self._show_use)
        self.meter.clicked.connect(self.choose_what)
        self._status_line.built_in_wished.connect(self._on_built_in)
        self._status_line.now_wished.connect(self._on_now)
        self.chip.show_conversation(self._desk.state.id)

    @property
    def dialog(self) -> "LeaveOutDialog":
        """The question what to leave out, made when it is first asked."""
        if self._dialog is None:
            from app.ui.composer.leave_out import LeaveOutDialog  # noqa: PLC0415 - not at the start

            self._dialog = LeaveOutDialog(self._window)
            self._dialog.chosen.connect(self._on_left_out)
        return self._dialog

    def apply(self, event: ConversationEvent) -> None:
        """Take what a server counted."""
        if isinstance(event, UsageReported):
            # The answer joins the history later, and is estimated like all that follows.
            self._counted.pop(event.conversation_id, None)
            if event.conversation_id == self._desk.state.id:
                self._show_use()
                self._counted[event.conversation_id] = (event.prompt_tokens, self._estimate)
                self._show_use()
                self._find_out()

    def _find_out(self) -> None:
        """Ask the server that has just answered what its model can read, once, if nobody knows."""
        base_url = self.chip.endpoint.base_url
        if self.chip.reads is None and base_url not in self._asked:
            self._asked.add(base_url)
            self._on_lists_wished((base_url,))

    def on_model_heard(self, event: "ModelEvent") -> None:
        """Take what a server says about its models."""
        from app.core.models import ModelsListed  # noqa: PLC0415 - not at the start

        if isinstance(event, ModelsListed) and event.problem is None:
            self.chip.show_listed(event.base_url, event.models)

    def choose_what(self) -> None:
        """Ask what to leave out of the visible conversation."""
        state = self._desk.state
        estimate = tokens_of(state.tree.path())
        used = _refused_tokens(state) or estimate
        found = scaled(exchanges(state.tree.path()), used / max(estimate, 1))
        out = self._left_out.get(state.id, _NONE)
        ticked = frozenset(i for i, each in enumerate(found[:-1]) if each.ids <= out)
        whole = Use(tokens=used, window=self.chip.reads)
        if _is_too_long(state) and not ticked:
            ticked = suggestion(found, whole.window, whole.tokens)
        self.dialog.ask(found, ticked, whole, sends=_is_too_long(state))

    def _on_switched(self, state: ConversationState) -> None:
        self.chip.show_conversation(state.id)
        self._show_use()

    def _on_state_changed(self, _before: ConversationState, _after: ConversationState) -> None:
        self._show_use()

    def _show_use(self) -> None:
        state = self._desk.state
        out = self._left_out.get(state.id, _NONE)
        if state.tree is not self._seen[0] or out != self._seen[1]:
            self._seen = state.tree, out
            path = state.tree.path()
            self._estimate = tokens_of(m for m in path if m.id not in out)
            self._number_out = sum(1 for each in exchanges(path) if each.ids <= out) if out else 0
        used = self._estimate
        counted = self._counted.get(state.id)
        if counted is not None:
            used = max(counted[0] + self._estimate - counted[1], 0)
        use = Use(tokens=used, window=self.chip.reads, left_out=self._number_out)
        self.meter.show_use(use)

    def _on_chosen(self, conversation_id: str, endpoint: Endpoint) -> None:
        self._preferences.change(
            with_choice(self._preferences.settings, ConversationId(conversation_id), endpoint)
        )

    def _on_lists_wished(self, base_urls: tuple[str, ...]) -> None:
        from app.core.models import ListModels  # noqa: PLC0415 - not at the start

        for base_url in base_urls:
            if not base_url.startswith(("file:", BUILT_IN_URL)):
                self.command_issued.emit(ListModels(base_url=base_url))

    def _on_left_out(self, ids: Ids) -> None:
        from app.core.models import LeaveOut  # noqa: PLC0415 - not at the start

        state = self._desk.state
        self._left_out[state.id] = ids
        self._counted.pop(state.id, None)
        self._seen = (Tree(), _NONE)
        self.command_issued.emit(LeaveOut(conversation_id=state.id, message_ids=ids))
        if _is_too_long(state):
            self._desk.retry()
        self._show_use()

    def _on_now(self) -> None:
        from app.core.models import AskNow  # noqa: PLC0415 - not at the start

        self.command_issued.emit(AskNow(conversation_id=self._desk.state.id))

    def _on_built_in(self) -> None:
        self._on_chosen(self._desk.state.id, Endpoint(base_url=BUILT_IN_URL))
        self._desk.retry()


def _is_too_long(state: ConversationState) -> bool:
    """Say whether the last question waits for something to be left out."""
    problem = state.problem
    return problem is not None and problem.kind is ProblemKind.TOO_LONG and not state.is_busy


def _refused_tokens(state: ConversationState) -> int | None:
    """Give the size that was refused, counted better than it can be here."""
    used = state.problem.params.get("used") if state.problem and _is_too_long(state) else None
    return used if isinstance(used, int) else None

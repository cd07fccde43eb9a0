"""Says once, under the first answer of the built-in model, how far it can be trusted."""

from dataclasses import replace

from PySide6.QtCore import QObject

from app.core.events import Completed, ConversationEvent, TurnEnded
from app.core.settings import BUILT_IN
from app.ui.desk import Desk
from app.ui.notice import Notice
from app.ui.settings.preferences import Preferences

_SENTENCE = "The built-in model is small and often wrong."
_ACTION = "Choose a better one"


class FirstAnswer(QObject):
    """Watches for the first whole answer of the built-in model on the page."""

    def __init__(
        self, *, desk: Desk, notice: Notice, preferences: Preferences, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._desk = desk
        self._notice = notice
        self._preferences = preferences
        notice.action_wished.connect(self._on_action)

    def apply(self, event: ConversationEvent) -> None:
        """Take an event into account, before the desk does."""
        running = self._desk.state.running
        if (
            isinstance(event, TurnEnded)
            and isinstance(event.outcome, Completed)
            and running is not None
            and running.turn_id == event.turn_id
            and running.model == BUILT_IN
            and not self._preferences.settings.knows_built_in
        ):
            self._say()

    def _say(self) -> None:
        self._notice.show_sentence(_SENTENCE, action=_ACTION)
        known = replace(self._preferences.settings, knows_built_in=True)
        self._preferences.change(known)

    def _on_action(self) -> None:
        if self._notice.action.text() == _ACTION:
            self._preferences.open_models()

"""What the microphone does and hears, in words, right above the composer."""

import sys

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.errors import ProblemKind
from app.core.wording import sentence
from app.ui.buttons import text_button
from app.ui.labels import plain
from app.ui.theme import Theme
from app.ui.voice.permission import permission_address, refuses_silently
from app.ui.voice.sentence_label import SentenceLabel
from app.ui.voice.voice_desk import VoiceView
from app.ui.voice.words import newest, state_words

_KEPT = "Your words could not be written down. The recording is kept."


class VoiceBar(QWidget):
    """Shows a `VoiceView`; hidden while there is nothing to say."""

    try_again_wished = Signal()
    choose_wished = Signal()
    permission_wished = Signal(str)  # the address of the place that gives it
    open_wished = Signal()

    def __init__(
        self, *, theme: Theme, platform: str = sys.platform, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("voice")
        self._platform = platform
        self._words = plain(name="muted")
        self._words.setWordWrap(True)
        self._state = SentenceLabel()
        self._state.setTextFormat(Qt.TextFormat.PlainText)
        self._state.setObjectName("status")
        self.try_again = text_button("Try again")
        self.try_again.clicked.connect(self.try_again_wished)
        self.open = text_button("Open")
        self.open.clicked.connect(self.open_wished)
        self.choose = text_button("Choose another")
        self.choose.clicked.connect(self.choose_wished)
        self.permit = text_button("Open settings")
        self.permit.clicked.connect(self._on_permit)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        for widget in (self._state, self.try_again, self.open, self.choose, self.permit):
            foot.addWidget(widget)
        foot.addStretch(1)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(2)
        rows.addWidget(self._words)
        rows.addLayout(foot)
        self.set_theme(theme)
        self.hide()

    @property
    def text(self) -> str:
        """What it says about the microphone."""
        return self._state.text()

    @property
    def why(self) -> str:
        """Why a recording is kept, for who points at it."""
        return self._state.toolTip()

    @property
    def words(self) -> str:
        """What has been heard so far."""
        return self._words.text()

    def set_theme(self, theme: Theme) -> None:
        """Follow another size."""
        self.setContentsMargins(theme.px(16), 2, 6, 4)

    def show_view(
        self, view: VoiceView, *, now: float, is_busy: bool, has_text: bool, verb: str
    ) -> None:
        """Say what there is to say."""
        said = state_words(
            view.changed, for_s=now - view.since, is_busy=is_busy, has_text=has_text, verb=verb
        )
        if not said and view.problem is not None:
            said = sentence(view.problem)
        said = said or view.notice or (_KEPT if view.clip_kept else "")
        self._state.setText(said)
        why = view.kept_for if said == _KEPT else None
        self._state.setToolTip(sentence(why) if why is not None else "")
        self._words.setText(newest(view.words))
        self._words.setVisible(bool(view.words))
        self.try_again.setVisible(said == _KEPT)
        self.open.setVisible(view.elsewhere is not None and said == view.notice)
        self._offer_remedies(view, said)
        self.setVisible(bool(said or view.words))

    def _offer_remedies(self, view: VoiceView, said: str) -> None:
        kind = view.problem.kind if view.problem is not None else None
        is_told = view.problem is not None and said == sentence(view.problem)
        is_flat = view.is_flat and bool(said) and said == view.notice
        address = permission_address(self._platform)
        refused = is_told and kind is ProblemKind.MICROPHONE_REFUSED
        maybe_refused = is_flat and refuses_silently(self._platform)
        self.choose.setVisible(is_flat or (is_told and kind is ProblemKind.MICROPHONE_FAILED))
        self.permit.setVisible(bool(address) and (refused or maybe_refused))

    def _on_permit(self) -> None:
        self.permission_wished.emit(permission_address(self._platform))

"""The microphone's button: held like a key, and its face says what the microphone does."""

from PySide6.QtCore import QPoint

from app.core.voice import VoiceChanged, VoicePhase
from app.ui.buttons import IconButton
from app.ui.icons import icon
from app.ui.theme import Theme


class MicButton(IconButton):
    """Hollow at rest and while it opens, filled while it listens, ringed when it is latched."""

    def __init__(self, *, hint: str) -> None:
        super().__init__("mic", "Hold to talk", hint=hint)

    def hitButton(self, pos: QPoint) -> bool:
        """Stay held when the pointer slips off: only letting go is a release."""
        return self.isDown() or super().hitButton(pos)

    def show_change(self, changed: VoiceChanged, theme: Theme) -> None:
        """Light up while it listens, and only then."""
        if changed.phase is VoicePhase.LISTENING:
            name = "mic-latched" if changed.latched else "mic-on"
            self.setIcon(icon(name, theme, color=theme.accent))
        else:
            self.set_theme(theme)

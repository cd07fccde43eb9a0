"""The keys that can be held to talk: those that type nothing and that nothing else needs."""

from typing import Final

from PySide6.QtCore import Qt

TALK_KEYS: Final = {
    **{f"F{n}": Qt.Key(Qt.Key.Key_F1 + n - 1) for n in (1, *range(3, 13))},  # F2 renames
    "Pause": Qt.Key.Key_Pause,
    "Scroll Lock": Qt.Key.Key_ScrollLock,
}
USUAL: Final = "F9"


def known_name(name: str) -> str:
    """Give the name of a talk key, the usual one if there is none of that name."""
    return name if name in TALK_KEYS else USUAL

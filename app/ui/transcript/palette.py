"""The colours of code, for light and dark; every one readable on the code's background. Pure."""

from app.ui.theme import Theme
from app.ui.transcript.roles import Role

_LIGHT = {
    Role.KEYWORD: "#8430A8",
    Role.NAME: "#1F5FD0",
    Role.BUILTIN: "#0B6B7F",
    Role.STRING: "#1E7339",
    Role.NUMBER: "#A64B00",
    Role.COMMENT: "#6B6B70",
    Role.OPERATOR: "#5C5C62",
    Role.ADDED: "#1E7339",
    Role.REMOVED: "#B92C24",
}
_DARK = {
    Role.KEYWORD: "#C99AF0",
    Role.NAME: "#8DB4FF",
    Role.BUILTIN: "#6FC6D3",
    Role.STRING: "#8ED0A0",
    Role.NUMBER: "#EBB071",
    Role.COMMENT: "#95959E",
    Role.OPERATOR: "#B4B4BC",
    Role.ADDED: "#8ED0A0",
    Role.REMOVED: "#FF8A80",
}


def code_colour(theme: Theme, role: Role) -> str:
    """Choose the colour for a stretch of code."""
    return (_DARK if theme.is_dark else _LIGHT).get(role, theme.text)


def hit_colour(theme: Theme, *, is_current: bool = False) -> str:
    """Choose the colour behind what was found."""
    if theme.is_dark:
        return "#8A5000" if is_current else "#4D4420"
    return "#FFB84D" if is_current else "#FFE9A3"


def mixed(colour: str, base: str, share: float) -> str:
    """Mix two colours: `share` of the first, the rest of the second."""
    pairs = zip(_channels(colour), _channels(base), strict=True)
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02X}" for a, b in pairs)


def contrast(one: str, other: str) -> float:
    """Compute the contrast of two colours, from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    linear = [_linear(channel / 255) for channel in _channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

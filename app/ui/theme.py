"""The look as data: every colour and size the widgets and the transcript use."""

from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """One set of design tokens; colours are #RRGGBB, sizes are pixels."""

    name: str
    is_dark: bool
    background: str
    panel: str
    text: str
    muted: str
    accent: str
    on_accent: str
    link: str
    border: str
    hover: str
    code_background: str
    own_message: str
    selection: str
    danger: str
    ok: str
    selected: str  # the open conversation in the list
    raised: str  # menus and other things above the page
    handle: str  # scroll bars
    base_size: int = 15

    def scaled(self, base_size: int) -> "Theme":
        """Make the same theme with another base size."""
        return replace(self, base_size=base_size)

    def px(self, at_base_15: float) -> int:
        """Scale a size given for the base of 15 px."""
        return round(at_base_15 * self.base_size / 15)


FONT_FAMILIES: Final = (
    "Inter",
    "Segoe UI",
    "SF Pro Text",
    "Noto Sans",
    "DejaVu Sans",
    "Liberation Sans",
)
MONO_FAMILIES: Final = (
    "JetBrains Mono",
    "SF Mono",
    "Consolas",
    "DejaVu Sans Mono",
    "Noto Sans Mono",
)

LIGHT: Final = Theme(
    name="light",
    is_dark=False,
    background="#FFFFFF",
    panel="#F6F6F4",
    text="#1D1D1F",
    muted="#6B6B70",
    accent="#2F6FEB",
    on_accent="#FFFFFF",
    link="#1F5FD0",
    border="#E4E4E0",
    hover="#EFEFEC",
    code_background="#F7F7F5",
    own_message="#F0F1EE",
    selection="#CFE0FF",
    danger="#C4342B",
    ok="#2E7D4F",
    selected="#E4E4DF",
    raised="#FFFFFF",
    handle="#D4D4CF",
)

DARK: Final = Theme(
    name="dark",
    is_dark=True,
    background="#1B1C1E",
    panel="#222326",
    text="#E7E7E9",
    muted="#9A9AA2",
    accent="#6EA1FF",
    on_accent="#14161A",
    link="#8DB4FF",
    border="#34353A",
    hover="#2F3036",
    code_background="#232428",
    own_message="#2A2B2F",
    selection="#2F4A7D",
    danger="#FF7A70",
    ok="#6CC596",
    selected="#323338",
    raised="#2A2B2F",
    handle="#45464C",
)

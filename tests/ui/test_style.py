"""The look: readable pairs, live themes, sharp icons, nothing left in the template."""

import re
from itertools import product

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from app.core.settings import Settings, ThemeChoice
from app.ui.icons import icon, pixmap
from app.ui.resources import _folder
from app.ui.style import Appearance, chosen, palette, style_sheet
from app.ui.theme import DARK, LIGHT, Theme

THEMES = [LIGHT, DARK]
AT_REST = ("background", "panel", "hover", "raised", "code_background", "own_message")
READABLE = [
    *product(("text", "muted", "link"), AT_REST),
    *product(("text",), ("selection", "selected")),
    *product(("danger",), ("background", "panel", "hover", "raised")),
    *product(("ok",), ("background", "panel")),
    ("on_accent", "accent"),
    ("on_accent", "link"),
    ("background", "text"),  # tooltips
]
SEEN = [*product(("accent", "danger", "ok", "muted"), ("background", "panel", "selected"))]


def contrast(one: str, other: str) -> float:
    """Compute the contrast ratio of two colours, as WCAG 2 defines it."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize(("ink", "paper"), READABLE)
def test_text_can_be_read(theme: Theme, ink: str, paper: str) -> None:
    assert contrast(getattr(theme, ink), getattr(theme, paper)) >= 4.5


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize(("ink", "paper"), SEEN)
def test_signs_and_rings_can_be_seen(theme: Theme, ink: str, paper: str) -> None:
    assert contrast(getattr(theme, ink), getattr(theme, paper)) >= 3


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_template_is_filled_completely(theme: Theme) -> None:
    assert re.findall(r"\{\w+\}", style_sheet(theme)) == []


@pytest.mark.parametrize(
    ("choice", "scheme", "expected"),
    [
        (ThemeChoice.SYSTEM, Qt.ColorScheme.Dark, "dark"),
        (ThemeChoice.SYSTEM, Qt.ColorScheme.Light, "light"),
        (ThemeChoice.SYSTEM, Qt.ColorScheme.Unknown, "light"),
        (ThemeChoice.LIGHT, Qt.ColorScheme.Dark, "light"),
        (ThemeChoice.DARK, Qt.ColorScheme.Light, "dark"),
    ],
)
def test_settings_win_over_the_system(
    choice: ThemeChoice, scheme: Qt.ColorScheme, expected: str
) -> None:
    assert chosen(Settings(theme=choice), scheme).name == expected


def test_system_is_followed_live(appearance: Appearance, qapp: QApplication) -> None:
    hints, themes = qapp.styleHints(), list[Theme]()
    appearance.theme_changed.connect(themes.append)
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert qapp.palette().window().color() == QColor(DARK.background)
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Light)
    appearance.theme_changed.disconnect(themes.append)
    assert [theme.name for theme in themes] == ["dark", "light"]


def test_same_look_is_put_on_once(appearance: Appearance) -> None:
    themes: list[Theme] = []
    appearance.theme_changed.connect(themes.append)
    appearance.use(Settings(send_with_ctrl_enter=True))
    appearance.theme_changed.disconnect(themes.append)
    assert themes == []


def test_application_wears_fusion_and_the_themes_colours(
    appearance: Appearance, qapp: QApplication
) -> None:
    theme = appearance.use(Settings(theme=ThemeChoice.DARK, base_size_px=20))
    assert qapp.palette().window().color() == QColor(DARK.background)
    assert qapp.font().pixelSize() == theme.px(14)
    assert palette(theme).highlight().color() == QColor(DARK.selection)


@pytest.mark.parametrize("path", sorted(_folder().glob("icons/*.svg")), ids=lambda path: path.stem)
def test_icon_has_something_to_show(qapp: QApplication, path: object) -> None:
    name = getattr(path, "stem", "")
    image = pixmap(name, "#FF0000", 20).toImage()
    alphas = {image.pixelColor(x, y).alpha() for x in range(20) for y in range(20)}
    assert max(alphas) > 200


def test_icons_are_recoloured_and_sharp_at_twice_the_size(qapp: QApplication) -> None:
    picture = icon("stop", LIGHT, color="#FF0000").pixmap(20, 20)
    assert picture.toImage().pixelColor(10, 10) == QColor("#FF0000")
    sizes = {size.width() for size in icon("stop", LIGHT).availableSizes()}
    assert sizes >= {20, 40}

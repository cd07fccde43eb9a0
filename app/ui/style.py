"""The look put on: palette, font and style sheet from a Theme, following the system live.

One `Appearance` per application, on the GUI thread. It only sets what Qt shares between all
widgets; whoever paints for itself listens to `theme_changed`.
"""

from dataclasses import asdict

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication

from app.core.settings import Settings, ThemeChoice
from app.ui.resources import read
from app.ui.theme import DARK, FONT_FAMILIES, LIGHT, Theme


class Appearance(QObject):
    """Chooses the theme from the settings and the system, and puts it on."""

    theme_changed = Signal(object)  # a Theme, after it was put on

    def __init__(self, app: QApplication, settings: Settings) -> None:
        super().__init__(app)
        self._app = app
        self._settings = settings
        self._theme: Theme | None = None
        self._scheme = app.styleHints().colorScheme()
        app.styleHints().colorSchemeChanged.connect(self.on_scheme_changed)

    @property
    def settings(self) -> Settings:
        """The settings it follows."""
        return self._settings

    @property
    def theme(self) -> Theme:
        """The theme that is on."""
        return self._theme or self.use(self._settings)

    def use(self, settings: Settings) -> Theme:
        """Put on what the settings say, if it is another look than before."""
        self._settings = settings
        theme = chosen(settings, self._scheme)
        if theme != self._theme:
            self._theme = theme
            put_on(self._app, theme)
            self.theme_changed.emit(theme)
        return theme

    def on_scheme_changed(self, scheme: Qt.ColorScheme) -> None:
        """Follow the system, if the settings leave it to it."""
        self._scheme = scheme
        self.use(self._settings)


def chosen(settings: Settings, scheme: Qt.ColorScheme) -> Theme:
    """Decide light or dark, and how large."""
    system_is_dark = scheme == Qt.ColorScheme.Dark
    dark = {ThemeChoice.DARK: True, ThemeChoice.LIGHT: False}.get(settings.theme, system_is_dark)
    return (DARK if dark else LIGHT).scaled(settings.base_size_px)


def put_on(app: QApplication, theme: Theme) -> None:
    """Dress the whole application."""
    if app.style().name().lower() != "fusion":
        app.setStyle("fusion")
    app.setFont(font(theme.px(14)))
    app.setPalette(palette(theme))
    app.setStyleSheet(style_sheet(theme))


def font(size_px: int, *, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Make the interface's font at a size in pixels."""
    result = QFont(list(FONT_FAMILIES))
    result.setPixelSize(size_px)
    result.setWeight(weight)
    return result


def palette(theme: Theme) -> QPalette:
    """Make the palette of a theme."""
    role = QPalette.ColorRole
    colors = {
        role.Window: theme.background,
        role.WindowText: theme.text,
        role.Base: theme.background,
        role.AlternateBase: theme.panel,
        role.Text: theme.text,
        role.Button: theme.panel,
        role.ButtonText: theme.text,
        role.BrightText: theme.danger,
        role.ToolTipBase: theme.text,
        role.ToolTipText: theme.background,
        role.PlaceholderText: theme.muted,
        role.Highlight: theme.selection,
        role.HighlightedText: theme.text,
        role.Link: theme.link,
        role.Accent: theme.accent,
        role.Mid: theme.border,
    }
    result = QPalette()
    for name, color in colors.items():
        result.setColor(name, QColor(color))
    for name in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, name, QColor(theme.muted))
    return result


def style_sheet(theme: Theme) -> str:
    """Fill the style sheet's template."""
    sizes = {
        "interface": theme.px(14),
        "body": theme.px(15),
        "small": theme.px(13),
        "caption": theme.px(12),
        "title": theme.px(17),
        "greeting": theme.px(24),
    }
    values = {**asdict(theme), **sizes}
    sheet = read("belay.qss")
    for name, value in values.items():
        sheet = sheet.replace(f"{{{name}}}", str(value))
    return sheet

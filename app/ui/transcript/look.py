"""A theme as the transcript needs it: fonts, formats, line heights, colours, made once.

GUI thread only; a new theme is a new Look.
"""

from enum import Enum
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextOption,
)

from app.ui.column import READING_WIDTH
from app.ui.theme import FONT_FAMILIES, MONO_FAMILIES, Theme
from app.ui.transcript.palette import code_colour, hit_colour, mixed
from app.ui.transcript.roles import Role
from app.ui.transcript.runs import Style

_LEADING = 1.45
_CODE_LEADING = 1.4
_NATURAL = 1.2  # of its size: some fonts ask for less height than their letters need
_BASELINE = 0.8  # where Qt puts the baseline of a line of fixed height, less the font's leading


class Tone(Enum):
    """In which voice a text is set."""

    BODY = "body"
    H1 = "h1"
    H2 = "h2"
    H3 = "h3"
    H4 = "h4"
    QUOTE = "quote"
    THOUGHT = "thought"
    HEAD = "head"  # of a table
    CAPTION = "caption"
    LABEL = "label"
    CODE = "code"


class Voice(NamedTuple):
    """What a tone means in a theme."""

    font: QFont
    colour: str
    line: int  # height of a line
    baseline: int  # how far below its upper edge letters stand
    shift: float  # how far text must be moved up to stand in the middle of its line


_SIZES = {
    Tone.H1: 24.0,
    Tone.H2: 20.0,
    Tone.H3: 17.0,
    Tone.THOUGHT: 14.0,
    Tone.CAPTION: 13.0,
    Tone.LABEL: 13.0,
    Tone.CODE: 13.0,
}
_STRONG = {Tone.H1, Tone.H2, Tone.H3, Tone.H4, Tone.HEAD, Tone.LABEL}
_MUTED = {Tone.QUOTE, Tone.THOUGHT, Tone.CAPTION, Tone.LABEL}
_TIGHT = {Tone.H1: 1.25, Tone.H2: 1.25, Tone.H3: 1.3, Tone.CAPTION: 1.3, Tone.LABEL: 1.3}


class Look:
    """Everything that is derived from a theme."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.px = theme.px
        self.column = theme.px(READING_WIDTH)
        self.margin = 24
        self.hit = QColor(hit_colour(theme))
        self.current_hit = QColor(hit_colour(theme, is_current=True))
        self._voices = {tone: self._voice(tone) for tone in Tone}
        self._formats: dict[tuple[Tone, Style], QTextCharFormat] = {}
        self._codes: dict[Role, QTextCharFormat] = {}

    def colour(self, name: str) -> QColor:
        """Give one of the theme's colours."""
        return QColor(str(getattr(self.theme, name)))

    def voice(self, tone: Tone) -> Voice:
        """Say how a tone is set."""
        return self._voices[tone]

    def format(self, tone: Tone, style: Style) -> QTextCharFormat:
        """Give the character format of a run."""
        found = self._formats.get((tone, style))
        if found is None:
            found = self._formats[tone, style] = self._make_format(tone, style)
        return found

    def code_format(self, role: Role) -> QTextCharFormat:
        """Give the character format of a stretch of code."""
        found = self._codes.get(role)
        if found is None:
            found = QTextCharFormat()
            found.setFont(self.voice(Tone.CODE).font)
            found.setForeground(QColor(code_colour(self.theme, role)))
            self._codes[role] = found
        return found

    def block_format(self, tone: Tone) -> QTextBlockFormat:
        """Give the block format of a text: lines of one height, whatever glyphs stand in them."""
        result = QTextBlockFormat()
        fixed = QTextBlockFormat.LineHeightTypes.FixedHeight
        result.setLineHeight(self.voice(tone).line, fixed.value)
        result.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        return result

    def option(self, *, wraps: bool) -> QTextOption:
        """Give the text option of a document."""
        mode = QTextOption.WrapMode
        result = QTextOption()
        result.setWrapMode(mode.WrapAtWordBoundaryOrAnywhere if wraps else mode.NoWrap)
        result.setTabStopDistance(4 * QFontMetricsF(self.voice(Tone.CODE).font).averageCharWidth())
        return result

    def _voice(self, tone: Tone) -> Voice:
        font = self._font(tone)
        metrics = QFontMetricsF(font)
        leading = _CODE_LEADING if tone is Tone.CODE else _TIGHT.get(tone, _LEADING)
        line = round(max(metrics.height(), font.pixelSize() * _NATURAL) * leading)
        # A whole pixel: from halves Qt rounds up or down with the sign, so that a line that is
        # scrolled past the edge would change its place.
        baseline = round((line + metrics.capHeight()) / 2)
        shift = line * _BASELINE - max(0.0, metrics.leading()) - baseline
        colour = self.theme.muted if tone in _MUTED else self.theme.text
        return Voice(font, colour, line, baseline, shift)

    def _font(self, tone: Tone) -> QFont:
        families = MONO_FAMILIES if tone is Tone.CODE else FONT_FAMILIES
        font = QFont(list(families))
        font.setPixelSize(self.px(_SIZES.get(tone, 15.0)))
        hint = QFont.StyleHint.Monospace if tone is Tone.CODE else QFont.StyleHint.SansSerif
        font.setStyleHint(hint)
        if tone in _STRONG:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    def _make_format(self, tone: Tone, style: Style) -> QTextCharFormat:
        voice = self.voice(tone)
        font = QFont(voice.font)
        if style & (Style.CODE):
            font.setFamilies(list(MONO_FAMILIES))
            font.setStyleHint(QFont.StyleHint.Monospace)
            font.setPixelSize(round(voice.font.pixelSize() * 13 / 15))
        if style & Style.BOLD:
            font.setWeight(QFont.Weight.Bold if tone in _STRONG else QFont.Weight.DemiBold)
        font.setItalic(bool(style & Style.ITALIC))
        font.setStrikeOut(bool(style & Style.STRIKE))
        result = QTextCharFormat()
        result.setFont(font)
        result.setForeground(QColor(self._text_colour(voice, style)))
        if style & Style.LINK:
            result.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
            result.setUnderlineColor(QColor(mixed(self.theme.link, self.theme.background, 0.45)))
        return result

    def _text_colour(self, voice: Voice, style: Style) -> str:
        if style & Style.LINK:
            return self.theme.link
        if style & (Style.MUTED | Style.CHIP):
            return self.theme.muted
        return voice.colour

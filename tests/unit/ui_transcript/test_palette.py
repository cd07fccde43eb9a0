"""Every text is readable on whatever is behind it."""

import pytest

from app.ui.theme import DARK, LIGHT, Theme
from app.ui.transcript.palette import code_colour, contrast, hit_colour, mixed
from app.ui.transcript.roles import Role


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("role", Role)
def test_code_is_readable_on_its_background(theme: Theme, role: Role) -> None:
    assert contrast(code_colour(theme, role), theme.code_background) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_text_is_readable_on_everything_it_stands_on(theme: Theme) -> None:
    pairs = [
        (theme.text, theme.background),
        (theme.text, theme.own_message),
        (theme.text, theme.selection),
        (theme.text, theme.hover),
        (theme.muted, theme.background),
        (theme.muted, theme.panel),
        (theme.muted, theme.code_background),
        (theme.muted, theme.hover),
        (theme.link, theme.background),
        (theme.danger, theme.background),
        (theme.ok, theme.background),
        (theme.on_accent, theme.accent),
        (theme.text, hit_colour(theme)),
        (theme.text, hit_colour(theme, is_current=True)),
        (theme.text, mixed(theme.danger, theme.background, 0.06)),
    ]
    assert {pair: round(contrast(*pair), 2) for pair in pairs if contrast(*pair) < 4.5} == {}


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


def test_mixing_keeps_the_ends() -> None:
    assert mixed("#FF0000", "#0000FF", 1.0) == "#FF0000"
    assert mixed("#FF0000", "#0000FF", 0.0) == "#0000FF"

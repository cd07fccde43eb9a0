"""The languages that Whisper writes down, by their codes."""

from typing import Final

SPOKEN: Final = tuple(
    """
    af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha
    haw he hi hr ht hu hy id is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn
    mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te
    tg th tk tl tr tt uk ur uz vi yi yo yue zh
    """.split()  # noqa: SIM905 - as many codes read better as words
)
FALLBACK: Final = "en"


def spoken_language(chosen: str, system: str) -> str:
    """Give the language that was chosen, else the system's, if Whisper knows it, else English."""
    for wish in (chosen, system):
        code = wish.replace("-", "_").split("_")[0].lower()
        if code in SPOKEN:
            return code
    return FALLBACK

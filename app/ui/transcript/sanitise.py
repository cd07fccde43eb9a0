"""Text made safe to look at: what it shows is what it says.

Terminal escapes go, controls become their pictures, direction overrides and invisible characters
go (in code they are spelled out, for there they are an attack), and characters that mean
something to the layout engine are replaced. Pure and linear.
"""

import re

_ANSI = r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\)|\x1b[@-Z\\-_]?"
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
_BIDI = r"[\u202a-\u202e\u2066-\u2069]"
_INVISIBLE = r"[\u200b\u2060-\u2064\u206a-\u206f\ufeff\u180e\ufff9-\ufffb]"
_JOINER = r"(?<![^\x00-\x7f])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f])"
_FLAG = r"\U0001f3f4[\U000e0030-\U000e007a]{1,8}\U000e007f"
_TAG = r"[\U000e0000-\U000e007f]"
_FOREIGN = r"[\ufdd0-\ufdef\ufffc\ufffe\uffff\ud800-\udfff]"
_BREAK = r"[\r\x85\u2028\u2029]"
_MARK = r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_PILE = f"{_MARK}{{9,}}"

_TRICK = re.compile(
    f"(?P<flag>{_FLAG})|(?P<ansi>{_ANSI})|(?P<break>{_BREAK})|(?P<control>{_CONTROL})"
    f"|(?P<hidden>{_BIDI}|{_INVISIBLE}|{_JOINER}|{_TAG})|(?P<foreign>{_FOREIGN})"
    f"|(?P<pile>{_PILE})"
)
REPLACEMENT = "\ufffd"


def prose(text: str) -> str:
    """Make words safe to look at."""
    return _TRICK.sub(_in_prose, text) if not text.isascii() or _has_control(text) else text


def code(text: str) -> str:
    """Make code safe to look at: what would be invisible is spelled out."""
    return _TRICK.sub(_in_code, text) if not text.isascii() or _has_control(text) else text


_ASCII_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def _has_control(text: str) -> bool:
    return _ASCII_CONTROL.search(text) is not None


def _in_prose(found: re.Match[str]) -> str:
    return "" if found.lastgroup == "hidden" else _common(found, "" if found[0] == "\r" else " ")


def _in_code(found: re.Match[str]) -> str:
    if found.lastgroup == "hidden":
        return "".join(f"⟨U+{ord(char):04X}⟩" for char in found[0])
    return _common(found, "" if found[0] == "\r" else " ")


def _common(found: re.Match[str], at_break: str) -> str:
    match found.lastgroup:
        case "flag":
            return found[0]
        case "ansi":
            return ""
        case "break":
            return at_break
        case "control":
            code_point = ord(found[0])
            return chr(0x2400 + code_point) if code_point < 0x20 else REPLACEMENT
        case "pile":
            return found[0][:8]
        case _:
            return REPLACEMENT

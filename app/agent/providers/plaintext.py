"""Text that can be stored, shown and sent: no half of a character pair left over."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    """Join surrogate pairs and replace the halves that stand alone."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class TextPieces:
    """Text that comes in pieces; a pair cut between two of them is held back until it is whole."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._held = ""

    def add(self, piece: str) -> str:
        """Take a piece; returns what may be shown now."""
        text, self._held = self._held + piece, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        shown = whole(text)
        self._pieces.append(shown)
        return shown

    def end(self) -> str:
        """Take the end; returns what is left to show: a half that stayed alone."""
        held, self._held = self._held, ""
        return self.add("\ufffd") if held else ""

    def __str__(self) -> str:
        return "".join(self._pieces)

"""Bytes of a pipe as lines, however they were cut on their way."""

import codecs


class LineSplitter:
    """Takes chunks; an empty one is the end."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._partial = ""

    @property
    def is_mid_line(self) -> bool:
        """Say whether the last chunk broke off inside a line."""
        return bool(self._partial) or self._decoder.getstate()[0] != b""

    def feed(self, data: bytes) -> list[str]:
        """Give the lines that are whole now; at the end, also one without a line end."""
        text = self._partial + self._decoder.decode(data, final=not data)
        *lines, self._partial = text.split("\n")
        if not data and self._partial:
            lines, self._partial = [*lines, self._partial], ""
        return [line.removesuffix("\r") for line in lines]

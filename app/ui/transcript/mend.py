"""Complete the inline Markdown of a text that is still being written, so that nothing flashes.

What is opened is closed, a marker that is only half there is left out. Pure and linear: applied
to the open block alone, each time it is shown.
"""

import re

_MARK = re.compile(r"\\.|`+|\*+|(?<![^\W_])_+|_+(?![^\W_])|~~|!?\[|\]\(|\]\[|\]", re.DOTALL)
_HALF_END = re.compile(r"(?:\\|&#?[A-Za-z0-9]{0,24}|</?[A-Za-z]{0,6}\s?:?/{0,2}|!|(?<!~)~)\Z")
_AUTOLINK = re.compile(r"<(?=(?:https?://|mailto:)[^\s<>]*\Z)")
_REACH = 1000  # an opener farther back than this is taken for a plain character


def mend(text: str) -> str:
    """Complete the last lines of a paragraph that is still being written."""
    return _Mender(text).mended()


class _Mender:
    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[tuple[str, int]] = []  # emphasis: its mark, where it begins
        self._brackets: list[int] = []
        self._cut: int | None = None  # what follows is not shown
        self._tail = ""  # what closes the rest

    def mended(self) -> str:
        at = 0
        while self._cut is None and (found := _MARK.search(self._text, at)) is not None:
            at = self._take(found)
        if self._cut is not None:
            return self._closed(self._text[: self._cut])
        return self._finish()

    def _take(self, found: re.Match[str]) -> int:
        mark = found[0]
        if mark[0] == "`":
            return self._code(found)
        if mark[0] in "*_~":
            self._emphasis(found)
        elif mark in ("[", "!["):
            self._brackets.append(found.start())
        elif mark[0] == "]":
            return self._bracket(found)
        return found.end()

    def _code(self, found: re.Match[str]) -> int:
        mark = found[0]
        at = found.end()
        while (end := self._text.find(mark, at)) >= 0:
            after = end + len(mark)
            if self._text[end - 1] != "`" and not self._text.startswith("`", after):
                return after
            at = after
        self._open_code(found)
        return len(self._text)

    def _open_code(self, found: re.Match[str]) -> None:
        if len(self._text) - found.start() > _REACH:
            return
        inside = self._text[found.end() :].rstrip("`")
        if not inside.strip():
            self._cut = found.start()
            return
        self._text = self._text[: found.end()] + inside
        self._tail = found[0]
        self._cut = len(self._text)

    def _emphasis(self, found: re.Match[str]) -> None:
        mark, text = found[0], self._text
        before = text[found.start() - 1] if found.start() else " "
        after = text[found.end()] if found.end() < len(text) else ""
        if mark == "*" and before.isalnum() and after.isalnum():
            return
        may_close = not before.isspace()
        if may_close and self._closes(mark):
            return
        if not after:
            self._text = text[: found.start()]  # not clear yet what it is
        elif not after.isspace() and len(mark) <= 3:
            self._open.append((mark, found.start()))

    def _closes(self, mark: str) -> bool:
        rest = mark
        while rest and self._open and self._open[-1][0][0] == rest[0]:
            opened, at = self._open.pop()
            if len(opened) > len(rest):
                self._open.append((opened[: len(opened) - len(rest)], at))
            rest = rest[len(opened) :]
        return rest != mark

    def _bracket(self, found: re.Match[str]) -> int:
        if not self._brackets:
            return found.end()
        if found[0] == "](":
            return self._target(found, ")")
        if found[0] == "][":
            return self._target(found, "]")
        if found.end() < len(self._text):
            self._brackets.pop()
        return found.end()

    def _target(self, found: re.Match[str], closer: str) -> int:
        end = self._text.find(closer, found.end())
        if end >= 0:
            self._brackets.pop()
            return end + 1
        if len(self._text) - found.end() > _REACH or "\n" in self._text[found.end() :]:
            self._brackets.pop()
            return found.end()
        self._hide_link(found.start())
        return len(self._text)

    def _hide_link(self, end: int) -> None:
        start = self._brackets.pop()
        if self._text[start] == "!":
            self._cut = start
            return
        label = self._text[start + 1 : end]
        self._open = [one for one in self._open if one[1] < start]
        self._text = self._text[:start] + f"[{label}](<>)"
        self._cut = len(self._text)

    def _finish(self) -> str:
        start = self._brackets[-1] if self._brackets else None
        if start is not None and len(self._text) - start < 200 and self._is_link(start):
            if self._text[start] == "!":
                return self._closed(self._text[:start])
            inside = self._text[start + 1 :].removesuffix("]")
            self._text = self._text[:start] + inside
            self._open = [(mark, at - (at > start)) for mark, at in self._open]
        return self._closed(_AUTOLINK.sub("", _HALF_END.sub("", self._text)))

    def _is_link(self, start: int) -> bool:
        first = self._text[start + 1 : start + 2]
        return self._text[start] == "!" or not first or first.isalpha() or first in "`*_"

    def _closed(self, text: str) -> str:
        if self._tail:
            return text + self._tail + self._closers(len(text))
        bare = text.rstrip(" \t")
        closers = self._closers(len(bare))
        return bare + closers + text[len(bare) :] if closers else text

    def _closers(self, length: int) -> str:
        marks = [mark for mark, at in self._open if length - at <= _REACH and at < length]
        return "".join(reversed(marks))

"""One step of the splitter: take a line, given the containers and the leaf that are open.

Follows CommonMark's block structure with GitHub's tables and tasks; raw HTML is text. Nesting
past MAX_DEPTH is text too, which bounds the work per line.
"""

from dataclasses import replace

from app.ui.transcript import lines
from app.ui.transcript.blocks import Block, Item, Joint, Kind, Quote
from app.ui.transcript.leaf import Leaf, Level

MAX_DEPTH = 12


class Scanner:
    """The open end of a Markdown text; `closed` collects what is finished."""

    def __init__(self) -> None:
        self.closed: list[Block] = []
        self.definitions: list[tuple[str, str]] = []
        self._levels: list[Level] = []
        self._leaf: Leaf | None = None
        self._lapsed: tuple[int, Level] | None = None  # an empty item that a blank line ended
        self._spaced = False
        self._blank_code: list[str] = []  # blank lines that indented code may yet contain
        self._at = 0
        self._end = 0

    def clone(self) -> "Scanner":
        """Make a copy to look ahead with."""
        other = Scanner()
        other._levels, other._lapsed = list(self._levels), self._lapsed
        other._spaced = self._spaced
        other._blank_code = list(self._blank_code)
        if self._leaf is not None:
            other._leaf = replace(self._leaf, pieces=list(self._leaf.pieces))
        return other

    @property
    def in_code(self) -> bool:
        """Say whether a fence is open."""
        return self._leaf is not None and bool(self._leaf.mark)

    def may_close(self, pending: str) -> bool:
        """Say whether an unfinished line may yet close the open fence."""
        leaf = self._leaf
        body = pending.strip(" \t>")
        return leaf is not None and body == leaf.mark[:1] * len(body)

    def take(self, line: str, start: int, end: int, *, amid: bool) -> None:
        """Take one line in; `amid` says that it goes on the line before."""
        self._at, self._end = start, end
        if amid:
            self._go_on(line)
            return
        if not self._levels and self._is_plain(line):
            return
        raw = line
        line = lines.untab(line)
        rest, matched = self._match(line)
        if self.in_code and matched == len(self._levels):
            self._code_line(raw if not self._levels else rest)
        elif not rest.strip():
            self._blank_line(matched)
        else:
            self._text_line(rest, matched)

    def finish(self, *, provisional: bool = False) -> None:
        """End the text: close whatever is open."""
        if provisional:
            self._show_half_table()
        self._close_to(0)

    def _is_plain(self, line: str) -> bool:
        # Most lines are code or begin with a letter: no marker does, so nothing need be tried.
        if self.in_code:
            self._code_line(line)
            return True
        if not line[:1].isalpha() or (self._leaf and self._leaf.kind is not Kind.PARAGRAPH):
            return False
        if self._leaf is None:
            self._begin(Kind.PARAGRAPH)
        self._add(line)
        return True

    def _match(self, line: str) -> tuple[str, int]:
        rest = line
        is_blank = not line.strip()
        for matched, level in enumerate(self._levels):
            if not level.is_item:
                inner = lines.quoted(rest)
                if inner is None:
                    return rest, matched
                rest = inner
                is_blank = not rest.strip()
            elif is_blank:
                if not level.filled:
                    return rest, matched
                rest = rest[level.width :]
            elif lines.indent_of(rest) >= level.width:
                rest = rest[level.width :]
            else:
                return rest, matched
        return rest, len(self._levels)

    def _go_on(self, piece: str) -> None:
        if self._leaf is None:
            self._begin(Kind.PARAGRAPH)
        self._add(piece, amid=True)

    def _code_line(self, line: str) -> None:
        leaf = self._leaf
        assert leaf is not None
        if lines.closes(line, leaf.mark):
            leaf.end = self._end
            self._close_leaf()
            return
        indent = min(leaf.indent, lines.indent_of(line))
        self._add(line[indent:])

    def _blank_line(self, matched: int) -> None:
        if matched < len(self._levels):
            level = self._levels[matched]
            self._close_to(matched)
            self._lapsed = (matched, level)
        leaf = self._leaf
        if leaf is not None and leaf.kind is Kind.CODE:
            self._blank_code.append("")
        else:
            self._close_leaf()
        self._spaced = True

    def _text_line(self, rest: str, matched: int) -> None:
        rest, matched, fresh = self._open_containers(rest, matched)
        whole = not fresh and matched == len(self._levels)
        leaf = self._leaf
        if not rest.strip() or self._continues_code(rest, whole=whole):
            return  # nothing but markers: shown when something follows
        if leaf is not None and leaf.kind is Kind.MATH and whole:
            self._math_line(rest)
        elif not self._starts_leaf(rest, matched, whole=whole, fresh=fresh):
            self._plain_line(rest, matched, whole=whole, fresh=fresh)

    def _open_containers(self, rest: str, matched: int) -> tuple[str, int, bool]:
        fresh = False
        while matched < MAX_DEPTH and lines.indent_of(rest) < 4:
            whole = not fresh and matched == len(self._levels)
            opened = self._quote(rest) or self._item(rest, matched, whole=whole)
            if opened is None:
                break
            level, rest = opened
            self._close_to(matched)
            self._fill()
            self._levels.append(replace(level, start=self._at, end=self._end))
            self._lapsed = None
            matched += 1
            fresh = True
        return rest, matched, fresh

    def _quote(self, rest: str) -> tuple[Level, str] | None:
        inner = lines.quoted(rest)
        return None if inner is None else (Level(Quote(), filled=True), inner)

    def _item(self, rest: str, matched: int, *, whole: bool) -> tuple[Level, str] | None:
        marker = lines.item(rest)
        if marker is None or lines.is_rule(rest):
            return None
        is_empty = not marker.rest.strip()
        in_paragraph = whole and self._leaf is not None and self._leaf.kind is Kind.PARAGRAPH
        if in_paragraph and (is_empty or marker.number not in (None, 1)):
            return None
        number = marker.number
        if number is not None:
            number = self._next_number(matched, marker.bullet, number)
        done = lines.task(marker.rest)
        text = marker.rest if done is None else marker.rest[4:]
        level = Level(Item(number, done), marker.width, marker.bullet, filled=not is_empty)
        return level, text

    def _next_number(self, matched: int, bullet: str, written: int) -> int:
        before = self._levels[matched] if matched < len(self._levels) else None
        if before is None and self._lapsed is not None and self._lapsed[0] == matched:
            before = self._lapsed[1]
        if before is not None and before.bullet == bullet and isinstance(before.container, Item):
            return (before.container.number or 0) + 1
        return written

    def _continues_code(self, rest: str, *, whole: bool) -> bool:
        leaf = self._leaf
        if not whole or leaf is None or leaf.kind is not Kind.CODE or leaf.mark:
            return False
        if lines.indent_of(rest) < 4:
            return False
        for blank in self._blank_code:
            self._add(blank)
        self._blank_code, self._spaced = [], False
        self._add(rest[4:])
        return True

    def _starts_leaf(self, rest: str, matched: int, *, whole: bool, fresh: bool) -> bool:
        in_paragraph = whole and self._leaf is not None and self._leaf.kind is Kind.PARAGRAPH
        if lines.indent_of(rest) >= 4:
            return self._indented(rest, matched, fresh=fresh)
        if in_paragraph and (self._underlined(rest) or self._table(rest)):
            return True
        return self._one_liner(rest, matched) or self._opens_fence(rest, matched)

    def _indented(self, rest: str, matched: int, *, fresh: bool) -> bool:
        leaf = self._leaf
        if not fresh and leaf is not None and leaf.kind is Kind.PARAGRAPH:
            return False
        self._close_to(matched)
        self._begin(Kind.CODE)
        self._add(rest[4:])
        return True

    def _underlined(self, rest: str) -> bool:
        level = lines.underline(rest)
        leaf = self._leaf
        if not level or leaf is None or not leaf.pieces:
            return False
        leaf.kind, leaf.level, leaf.end = Kind.HEADING, level, self._end
        self._close_leaf()
        return True

    def _table(self, rest: str) -> bool:
        leaf = self._leaf
        assert leaf is not None
        if not lines.is_delimiter(rest):
            return False
        head = _last_line(leaf)
        if "|" not in head + rest or len(lines.cells(head)) != len(lines.cells(rest)):
            return False
        self._part_table(leaf, head)
        self._add(rest)
        return True

    def _part_table(self, leaf: Leaf, head: str) -> None:
        del leaf.pieces[-1:]
        if not leaf.pieces:
            leaf.kind = Kind.TABLE
            leaf.pieces.append(head)
            return
        del leaf.pieces[-1:]
        start = leaf.end - len(head)
        leaf.end = max(leaf.start, start - 1)
        self._close_leaf()
        self._begin(Kind.TABLE)
        table = self._leaf
        assert table is not None
        table.start, table.pieces, table.rows = start, [head], 1

    def _one_liner(self, rest: str, matched: int) -> bool:
        found = lines.heading(rest)
        if found is None and not lines.is_rule(rest):
            return False
        self._close_to(matched)
        leaf = self._begin(Kind.HEADING if found else Kind.RULE)
        if found:
            leaf.level, text = found
            leaf.add(text, self._end, amid=False)
        self._close_leaf()
        return True

    def _opens_fence(self, rest: str, matched: int) -> bool:
        found = lines.fence(rest)
        if found is not None:
            self._close_to(matched)
            leaf = self._begin(Kind.CODE)
            leaf.indent, leaf.mark, leaf.info = found
            return True
        return self._opens_math(rest, matched)

    def _opens_math(self, rest: str, matched: int) -> bool:
        text = rest.strip()
        if text not in {"$$", "\\["}:
            return False
        self._close_to(matched)
        self._begin(Kind.MATH)
        self._add(text)
        return True

    def _math_line(self, rest: str) -> None:
        self._add(rest)
        if rest.rstrip().endswith(("$$", "\\]")):
            self._close_leaf()

    def _plain_line(self, rest: str, matched: int, *, whole: bool, fresh: bool) -> None:
        leaf = self._leaf
        text = rest.lstrip(" \t")
        goes_on = leaf is not None and (
            (not fresh and leaf.kind is Kind.PARAGRAPH) or (whole and leaf.kind is Kind.TABLE)
        )
        if not goes_on:
            self._close_to(matched)
            self._begin(Kind.PARAGRAPH)
        self._add(text)

    def _begin(self, kind: Kind) -> Leaf:
        self._close_leaf()
        self._fill()
        levels = self._levels
        opens = next((i for i, one in enumerate(levels) if not one.announced), len(levels))
        self._levels = [replace(level, announced=True) for level in levels]
        containers = tuple(level.container for level in levels)
        start = levels[opens].start if opens < len(levels) else self._at
        self._leaf = Leaf(kind, containers, opens, start, self._end, self._spaced)
        self._spaced, self._lapsed = False, None
        return self._leaf

    def _fill(self) -> None:
        if self._levels and not self._levels[-1].filled:
            self._levels[-1] = replace(self._levels[-1], filled=True)

    def _add(self, piece: str, *, amid: bool = False) -> None:
        leaf = self._leaf
        assert leaf is not None
        if leaf.is_full_for(piece):
            self.closed.append(leaf.block())
            self._leaf = leaf = leaf.successor(self._at, amid=amid)
        leaf.add(piece, self._end, amid=amid)

    def _close_leaf(self) -> None:
        leaf, self._leaf = self._leaf, None
        self._blank_code = []
        if leaf is None:
            return
        if leaf.kind is Kind.PARAGRAPH:
            self._take_definitions(leaf)
            if not leaf.pieces and leaf.opens == len(leaf.containers):
                return
        self.closed.append(leaf.block())

    def _take_definitions(self, leaf: Leaf) -> None:
        if leaf.joint is not Joint.NONE or not leaf.pieces or not leaf.pieces[0].startswith("["):
            return
        text = "".join(leaf.pieces).split("\n")
        taken = 0
        while taken < len(text) and (found := lines.definition(text[taken])) is not None:
            self.definitions.append((normalised(found[0]), found[1]))
            taken += 1
        if taken:
            leaf.pieces = ["\n".join(text[taken:])] if text[taken:] else []

    def _close_to(self, matched: int) -> None:
        self._close_leaf()
        levels = self._levels
        if any(level.is_item and not level.announced for level in levels[matched:]):
            leaf = self._begin(Kind.PARAGRAPH)  # an empty item shows its marker too
            leaf.end = levels[-1].end
            self._close_leaf()
        del self._levels[matched:]

    def _show_half_table(self) -> None:
        leaf = self._leaf
        if leaf is None or leaf.kind is not Kind.PARAGRAPH:
            return
        head = _last_line(leaf)
        if head.startswith("|") and head.strip("| "):
            self._part_table(leaf, head)


def _last_line(leaf: Leaf) -> str:
    is_whole = len(leaf.pieces) == 1 or leaf.pieces[-2:-1] == ["\n"]
    return leaf.pieces[-1] if is_whole else ""


def normalised(label: str) -> str:
    """Make labels that mean the same compare equal."""
    return " ".join(label.split()).lower().upper()  # as markdown-it does

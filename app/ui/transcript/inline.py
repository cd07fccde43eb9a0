"""From a block's source to styled runs of text. Pure: markdown-it reads it, nobody writes HTML.

The runs' texts, put together, are exactly what is shown: copying, searching and reading aloud
work on them without a layout.
"""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from app.ui.transcript import links, sanitise
from app.ui.transcript.runs import BREAK, Run, Style

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_BRACKETS = 300  # past this many they are text: matching them is quadratic


def runs(source: str, references: Mapping[str, str] | None = None) -> list[Run]:
    """Read the inline Markdown of one block."""
    source = sanitise.prose(source)
    has_many = source.count("[") > MAX_BRACKETS
    env = {"references": _References(references or {})}
    (token,) = _parser(links_on=not has_many).parseInline(source, env) or (None,)
    return _Writer().write(token.children or []) if token is not None else []


def plain_runs(text: str) -> list[Run]:
    """Show words as they were typed, with their line breaks."""
    return [Run(sanitise.prose(text).replace("\n", BREAK))] if text else []


@cache
def _parser(*, links_on: bool) -> "MarkdownIt":
    # markdown-it takes 30 ms to import: not before the first answer is shown.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable("strikethrough")
    parser.validateLink = _anything  # type: ignore[method-assign]
    return parser if links_on else parser.disable(["link", "image"])


def _anything(url: str) -> bool:  # noqa: ARG001 - what may be followed is decided in `links`
    return True


class _References(dict[str, dict[str, str]]):
    """markdown-it's view of a message's link definitions."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        super().__init__()
        self._targets = targets

    def __contains__(self, label: object) -> bool:
        return label in self._targets

    def __getitem__(self, label: str) -> dict[str, str]:
        normalise = _parser(links_on=True).normalizeLink
        return {"href": normalise(self._targets[label]), "title": ""}

    def get(self, label: str, default: object = None) -> object:  # type: ignore[override]
        if label not in self:
            return default
        return self[label]


class _Writer:
    def __init__(self) -> None:
        self._runs: list[Run] = []
        self._styles: list[Style] = [Style.PLAIN]
        self._target: str | None = None  # of the link that is open

    def write(self, tokens: "list[Token]") -> list[Run]:
        for token in tokens:
            self._token(token)
        return self._runs

    def _token(self, token: "Token") -> None:
        match token.type:
            case "text" | "text_special":
                self._text(token.content)
            case "softbreak":
                self._put(" ")
            case "hardbreak":
                self._put(BREAK)
            case "code_inline":
                self._put(token.content, Style.CODE)
            case "link_open":
                self._open_link(str(token.attrs.get("href", "")))
            case "link_close":
                self._close_link()
            case "image":
                self._chip(token)
            case _:
                self._mark(token)

    def _mark(self, token: "Token") -> None:
        style = {"strong": Style.BOLD, "em": Style.ITALIC, "s": Style.STRIKE}.get(token.tag)
        if style is None:
            self._put(token.content)
        elif token.nesting > 0:
            self._styles.append(self._styles[-1] | style)
        else:
            self._styles.pop()

    def _text(self, text: str) -> None:
        text = sanitise.prose(text)  # an entity may have become anything
        for at, line in enumerate(_lines(text)):
            if at:
                self._put(BREAK)
            self._linked(line)

    def _linked(self, text: str) -> None:
        at = 0
        found = links.bare_links(text) if self._target is None and "://" in text else []
        for start, end in found:
            normalise = _parser(links_on=True).normalizeLink
            target = links.safe_target(normalise(text[start:end]))
            if target is not None:
                self._put(text[at:start])
                self._runs.append(Run(text[start:end], self._styles[-1] | Style.LINK, target))
                at = end
        self._put(text[at:])

    def _open_link(self, href: str) -> None:
        safe = links.safe_target(href)
        self._target = href
        style = Style.LINK if safe is not None or not href else Style.PLAIN
        self._styles.append(self._styles[-1] | style)

    def _close_link(self) -> None:
        target, self._target = self._target, None
        self._styles.pop()
        if target and links.safe_target(target) is None:
            shown = sanitise.prose(links.shown_target(target))
            self._put(f" ({shown})", Style.MUTED)

    def _chip(self, token: "Token") -> None:
        about = sanitise.prose(token.content).strip() or "image"
        self._put(f"🖼\ufe0f {about} (not loaded)", Style.CHIP)

    def _put(self, text: str, style: Style = Style.PLAIN) -> None:
        if not text:
            return
        style |= self._styles[-1]
        href = (links.safe_target(self._target) or "") if self._target else ""
        text = text.replace("\n", " ")
        last = self._runs[-1] if self._runs else None
        if last is not None and last.style == style and last.href == href:
            self._runs[-1] = Run(last.text + text, style, href)
        else:
            self._runs.append(Run(text, style, href))


def _lines(text: str) -> list[str]:
    """Split at the one tag that models use in tables for lack of another way."""
    if "<" not in text:
        return [text]
    for tag in ("<br>", "<br/>", "<br />", "<BR>"):
        text = text.replace(tag, "\n")
    return text.split("\n")

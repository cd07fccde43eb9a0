"""What markdown-it makes of a text, flattened to leaves: the judge of the splitter."""

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.ui.transcript import lines
from app.ui.transcript.blocks import Block, Item, Joint, Kind

Leaf = tuple[str, str, tuple[str, ...]]

_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


def by_markdown_it(text: str) -> list[Leaf]:
    """Flatten markdown-it's tokens to (kind, text, containers)."""
    tokens = _PARSER.parse(text)
    walk = _Walk()
    for at, token in enumerate(tokens):
        walk.containers(token, tokens[min(at + 1, len(tokens) - 1)])
        walk.leaves(token, tokens[at:])
    return walk.found


class _Walk:
    def __init__(self) -> None:
        self.found: list[Leaf] = []
        self._path: list[str] = []
        self._counters: list[int | None] = []

    def containers(self, token: Token, following: Token) -> None:
        match token.type:
            case "blockquote_open":
                self._path.append(">")
            case "ordered_list_open":
                self._counters.append(int(token.attrs.get("start", 1)))
            case "bullet_list_open":
                self._counters.append(None)
            case "list_item_open":
                self._item()
                if following.type == "list_item_close":
                    self._leaf("paragraph", "")
            case "blockquote_close" | "list_item_close":
                self._path.pop()
            case "ordered_list_close" | "bullet_list_close":
                self._counters.pop()
            case _:
                pass

    def leaves(self, token: Token, ahead: list[Token]) -> None:
        match token.type:
            case "hr":
                self._leaf("rule", "")
            case "fence" | "code_block":
                self._leaf("code", token.content.removesuffix("\n"))
            case "paragraph_open":
                self._leaf("paragraph", _text(ahead[1]))
            case "heading_open":
                self._leaf("heading" + token.tag[1], _text(ahead[1]))
            case "table_open":
                self._leaf("table", _cells(ahead))
            case _:
                pass

    def _item(self) -> None:
        number = self._counters[-1]
        self._path.append("-" if number is None else str(number))
        self._counters[-1] = None if number is None else number + 1

    def _leaf(self, kind: str, text: str) -> None:
        self.found.append((kind, text, tuple(self._path)))


def _text(token: Token) -> str:
    return "\n".join(line.strip() for line in token.content.split("\n"))


def _cells(tokens: list[Token]) -> str:
    end = next(i for i, token in enumerate(tokens) if token.type == "table_close")
    cells = (token.content for token in tokens[:end] if token.type == "inline")
    return "|".join(cell for cell in cells if cell)


def by_splitter(blocks: list[Block]) -> list[Leaf]:
    """Flatten the splitter's blocks the same way, cut ones put together again."""
    found: list[Leaf] = []
    for block in blocks:
        path = tuple(
            (str(c.number) if c.number is not None else "-") if isinstance(c, Item) else ">"
            for c in block.containers
        )
        kind = block.kind.value + (str(block.level) if block.kind is Kind.HEADING else "")
        text = block.text
        if block.joint is not Joint.NONE:
            _, before, path = found.pop()
            text = before + ("\n" if block.joint is Joint.LINE else "") + text
        found.append((kind, text, path))
    return [(kind, _flat(kind, text), path) for kind, text, path in found]


def _flat(kind: str, text: str) -> str:
    if kind == "code":
        return text
    if kind != "table":
        return "\n".join(line.strip() for line in text.split("\n")).strip()
    head, _, *body = text.split("\n")
    width = len(lines.cells(head))
    rows = [lines.cells(row)[:width] for row in (head, *body)]
    return "|".join(cell for row in rows for cell in row if cell)

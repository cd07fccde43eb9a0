"""How much of what a model can read a conversation takes up, as far as it is known here. Pure.

A server's count is exact for the request it counted; everything else is taken at four characters
a token.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.core.ids import MessageId
from app.core.messages import Message, Role, TextPart, ToolCallPart, ToolResultPart
from app.core.windows import CHARACTERS_PER_TOKEN
from app.ui.model_names import short_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A question and everything that was said to it, left out or kept as one."""

    ids: frozenset[MessageId]
    words: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What is used of what can be read; `window` is None where nobody has said."""

    tokens: int = 0
    window: int | None = None
    left_out: int = 0

    @property
    def is_tight(self) -> bool:
        """Say whether little room is left."""
        return self.window is not None and self.tokens > self.window * 0.8

    @property
    def short(self) -> str:
        """Say it on a chip; empty while there is nothing to say."""
        if not self.tokens:
            return ""
        used = short_use(self.tokens)
        return f"{used} of {short_count(self.window)}" if self.window else f"{used} tokens"

    @property
    def shortest(self) -> str:
        """Say it where there is hardly any room."""
        return f"{self.tokens / self.window:.0%}" if self.window else short_use(self.tokens)

    @property
    def sentence(self) -> str:
        """Say it whole."""
        of = f" of {self.window:,} tokens" if self.window else " tokens"
        share = f", {self.tokens / self.window:.0%}" if self.window else ""
        said = f"This conversation takes about {self.tokens:,}{of}{share}."
        if not self.window:
            said += " How much the model can read is not known."
        if self.left_out:
            are = "exchange is" if self.left_out == 1 else "exchanges are"
            said += f" {self.left_out} {are} left out."
        return said


def short_use(tokens: int) -> str:
    """Write what is used: to the hundred, while that says something."""
    return f"{tokens / 1000:.1f}k" if 1000 <= tokens < 10_000 else short_count(tokens)


def tokens_of(messages: Iterable[Message]) -> int:
    """Estimate what messages take up."""
    return round(sum(_characters(message) for message in messages) / CHARACTERS_PER_TOKEN)


def exchanges(path: tuple[Message, ...]) -> tuple[Exchange, ...]:
    """Cut a path into exchanges, oldest first."""
    cut: list[list[Message]] = []
    for message in path:
        if (message.role is Role.USER and not message.steered) or not cut:
            cut.append([])
        cut[-1].append(message)
    return tuple(
        Exchange(
            ids=frozenset(message.id for message in each),
            words=" ".join(each[0].text.split()) or "(no words)",
            tokens=tokens_of(each),
        )
        for each in cut
    )


def scaled(found: tuple[Exchange, ...], by: float) -> tuple[Exchange, ...]:
    """Count exchanges as whoever counted the whole did."""
    return tuple(replace(each, tokens=round(each.tokens * by)) for each in found)


def suggestion(found: tuple[Exchange, ...], window: int | None, used: int) -> frozenset[int]:
    """Choose what to leave out so that the rest fits: the oldest first, never the newest."""
    chosen: set[int] = set()
    if window is None:
        return frozenset(chosen)
    for index, exchange in enumerate(found[:-1]):
        if used <= window * 0.8:  # the answer needs room too
            break
        chosen.add(index)
        used -= exchange.tokens
    return frozenset(chosen)


def _characters(message: Message) -> int:
    size = 0
    for part in message.parts:
        match part:
            case TextPart(text=text) | ToolResultPart(content=text):
                size += len(text)
            case ToolCallPart(arguments=arguments):
                size += len(arguments)
            case _:
                continue
    return size

"""Takes off what a continuation repeats of the answer it continues.

Models asked to go on often begin with the last words again. The exact overlap of the old text's
end with the new text's beginning is dropped while it streams: words are held back only as long as
they may still turn out to be a repetition.
"""

from dataclasses import dataclass, field

from app.agent.provider import Emit, ProviderEvent, TextChunk

_SHORTEST = 12  # fewer characters in common are a coincidence
_LONGEST = 2_000


@dataclass
class OverlapTrimmer:
    """Feed it the continuation; it gives back what is new."""

    before: str
    _held: str = ""
    _starts: list[int] = field(default_factory=list)
    _repeated: int = 0
    _is_decided: bool = False

    def __post_init__(self) -> None:
        self.before = self.before[-_LONGEST:]
        self._starts = list(range(max(0, len(self.before) - _SHORTEST + 1)))

    def feed(self, text: str) -> str:
        """Take more of the continuation; return what can be shown."""
        if self._is_decided:
            return text
        for character in text:
            self._compare(character)
            self._held += character
        if self._starts:
            return ""
        return self.finish()

    def finish(self) -> str:
        """The continuation is over, or differs: return what was held back, less the overlap."""
        self._is_decided = True
        held, self._held = self._held, ""
        return held[self._repeated :]

    def _compare(self, character: str) -> None:
        """Keep the places in the old text from which the new text is still a repetition."""
        at = len(self._held)
        alive = [start for start in self._starts if self.before[start + at] == character]
        ended = [start for start in alive if start + at + 1 == len(self.before)]
        if ended:
            self._repeated = at + 1
        self._starts = [start for start in alive if start not in ended]


class WithoutRepetition:
    """Passes a provider's events on, its words less what they repeat."""

    def __init__(self, before: str, emit: Emit) -> None:
        self._trimmer = OverlapTrimmer(before)
        self._emit = emit

    def __call__(self, event: ProviderEvent) -> None:
        """Pass an event on."""
        if isinstance(event, TextChunk):
            self._tell(self._trimmer.feed(event.text))
        else:
            self._emit(event)

    def finish(self) -> None:
        """Let out what was held back to the end."""
        self._tell(self._trimmer.finish())

    def _tell(self, text: str) -> None:
        if text:
            self._emit(TextChunk(text=text))

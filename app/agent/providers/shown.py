"""Watches what a provider has told: once the person has seen a word, nothing is asked again."""

from app.agent.provider import Emit, ProviderEvent, ReasoningChunk, TextChunk, ToolCallChunk


class Shown:
    """An `emit` that remembers whether it passed on a piece of an answer."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self.anything = False

    def __call__(self, event: ProviderEvent) -> None:
        """Pass the event on."""
        if isinstance(event, (TextChunk, ReasoningChunk, ToolCallChunk)):
            self.anything = True
        self._emit(event)

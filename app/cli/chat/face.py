"""What the chat needs of whatever shows it: a screen with a live prompt, or plain lines."""

from typing import Protocol

from app.core.messages import Intent, Waiting


class Listener(Protocol):
    """What a face tells the chat."""

    @property
    def is_busy(self) -> bool:
        """Say whether a turn runs or is about to."""
        ...

    @property
    def status_line(self) -> str:
        """What is going on, in one line."""
        ...

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """What waits, in running order."""
        ...

    def typed(self, line: str, intent: Intent = Intent.REDIRECT) -> None:
        """The person entered a line."""
        ...

    def stop_or_hint(self) -> None:
        """The person pressed Ctrl-C."""
        ...


class Face(Protocol):
    """Shows a conversation and reads what the person types; all text given to it is harmless."""

    @property
    def shows_waiting(self) -> bool:
        """Say whether what waits can be seen at all times."""
        ...

    async def serve(self, listener: Listener) -> None:
        """Read until the input ends or `leave` is called."""
        ...

    def leave(self) -> None:
        """End `serve`."""
        ...

    def write(self, text: str) -> None:
        """Show more of the answer."""
        ...

    def question(self, text: str) -> None:
        """Show what the person said, as it enters the conversation."""
        ...

    def tell(self, text: str) -> None:
        """Show what the person asked to see."""
        ...

    def remark(self, text: str, *, is_trouble: bool = False) -> None:
        """Say what happened, on a line of its own."""
        ...

    def hint(self, text: str) -> None:
        """Say why nothing happened; not worth remembering."""
        ...

    def refresh(self) -> None:
        """Status or queue changed."""
        ...

    def drop_input(self) -> None:
        """Forget what was read and not taken yet."""
        ...

    async def finish(self) -> None:
        """Write everything that is still to be written."""
        ...

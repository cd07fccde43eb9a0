"""A worker that does next to nothing, to find out whether workers work at all."""

from collections.abc import Iterator

from app.system.frames import Frame
from app.system.worker_side import serve


def main() -> None:
    """Answer until the parent is gone."""
    serve(answer)


def answer(request: Frame) -> Iterator[Frame]:
    """Echo the request, count, or print, as its header says."""
    match request.header:
        case {"op": "echo"}:
            yield request
        case {"op": "count", "to": int(last)}:
            yield from (Frame(header={"number": number}) for number in range(1, last + 1))
        case {"op": "print", "text": str(text)}:
            print(text, flush=True)  # noqa: T201 - to show that a stray print does no harm
            yield Frame()
        case _:
            raise ValueError("no such operation")

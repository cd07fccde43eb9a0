"""How long a request may stand still.

A server that stands in the same house may think as long as it likes: it has no other way to say
that it is working. One far away that sends nothing is more often a dead connection.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds; the silences count for remote servers only."""

    connect_s: float = 10.0
    silence_s: float = 120.0  # between two signs of life of a stream
    whole_s: float = 600.0  # until an answer that comes in one piece
    tail_s: float = 3.0  # from the finish reason to the end of the stream: usage, [DONE]

"""What is marked in a row. Pure."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Marks:
    """What is marked in a row: a selection and search hits, as positions."""

    selected: tuple[int, int] | None = None
    hits: list[tuple[int, int]] = field(default_factory=list)
    current: tuple[int, int] | None = None

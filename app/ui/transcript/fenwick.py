"""Heights with fast prefix sums: find what stands at a position, change one height, both O(log n).

Pure. Positions are pixels; heights are never negative.
"""

from collections.abc import Iterable, Sequence


class Fenwick:
    """A list of heights that knows its partial sums."""

    __slots__ = ("_sums", "_values")

    def __init__(self, values: Iterable[int] = ()) -> None:
        self._values = list(values)
        self._sums = [0, *self._values]
        for at in range(1, len(self._sums)):
            parent = at + (at & -at)
            if parent < len(self._sums):
                self._sums[parent] += self._sums[at]

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        return self._values[index]

    @property
    def total(self) -> int:
        """The sum of all heights."""
        return self.before(len(self._values))

    def before(self, index: int) -> int:
        """Add up the heights before an index."""
        total = 0
        while index:
            total += self._sums[index]
            index &= index - 1
        return total

    def set(self, index: int, value: int) -> int:
        """Change one height and return by how much."""
        change = value - self._values[index]
        if change:
            self._values[index] = value
            at = index + 1
            while at < len(self._sums):
                self._sums[at] += change
                at += at & -at
        return change

    def append(self, value: int) -> None:
        """Add a height at the end."""
        self._values.append(value)
        at = len(self._values)
        below = at - (at & -at)
        self._sums.append(self.before(at - 1) - self.before(below) + value)

    def truncate(self, length: int) -> None:
        """Drop the heights from an index on."""
        del self._values[length:]
        del self._sums[length + 1 :]

    def extend(self, values: Sequence[int]) -> None:
        """Add heights at the end."""
        for value in values:
            self.append(value)

    def find(self, position: int) -> tuple[int, int]:
        """Find the index at a position and how far into it the position is.

        Before the first it is the first, past the last it is the last.
        """
        if not self._values:
            return 0, 0
        at, rest = 0, max(0, position)
        step = 1 << (len(self._values).bit_length() - 1)
        while step:
            ahead = at + step
            if ahead < len(self._sums) and self._sums[ahead] <= rest:
                at, rest = ahead, rest - self._sums[ahead]
            step >>= 1
        if at == len(self._values):
            return at - 1, rest + self._values[-1]
        return at, rest

"""What the owner of the microphone needs of a decoder; the real one is a child process."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What was said; unsure if the decoder's guards did not like it."""

    text: str = ""
    is_sure: bool = True


class Speech(Protocol):
    """Writes down what was said. Lives on the agent loop."""

    def warm_up(self) -> None:
        """Load in the background, so that the first words need not wait."""
        ...

    def begin(self, generation: int) -> None:
        """A clip begins: its sound will be fed as it comes."""
        ...

    def feed(self, generation: int, samples: Samples) -> None:
        """Take more of a clip, to write down what is finished of it already."""
        ...

    def forget(self, generation: int) -> None:
        """The clip was discarded."""
        ...

    async def finish(self, generation: int, whole: Samples) -> Transcript:
        """Write down the clip; `whole` is all of it, should anything have gone wrong."""
        ...

    def end(self) -> None:
        """Let the decoder go; nobody waits for it."""
        ...

"""Sound at any rate, made into sound at 16 kHz, chunk by chunk without seams."""

from math import gcd

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]

TARGET_RATE = 16_000
_LOBES = 16


class Resampler:
    """A windowed-sinc polyphase filter that remembers the end of the last chunk."""

    def __init__(self, rate: int) -> None:
        divisor = gcd(rate, TARGET_RATE)
        self._up, self._down = TARGET_RATE // divisor, rate // divisor
        self._filter = _low_pass(self._up, self._down)
        self._history = len(self._filter) // self._up + 1
        self._buffer = np.zeros(self._history, np.float32)
        self._phase = 0  # where the next output stands, in steps of 1/up inputs past the history

    def feed(self, samples: Samples) -> Samples:
        """Take a chunk; return what can be said of it at 16 kHz."""
        if self._up == self._down:
            return samples
        self._buffer = np.concatenate([self._buffer, samples])
        usable = len(self._buffer) - self._history
        count = max(0, -(-(usable * self._up - self._phase) // self._down))
        at = self._phase + self._down * np.arange(count)
        newest = at // self._up + self._history
        taps = np.arange(self._history)
        index = (at % self._up)[:, None] + self._up * taps[None, :]
        padded = np.append(self._filter, np.zeros(self._up * (self._history + 1), np.float32))
        weights = padded[index]
        out = np.einsum("ij,ij->i", self._buffer[newest[:, None] - taps[None, :]], weights)
        self._phase = self._phase + self._down * count - usable * self._up
        self._buffer = self._buffer[usable:]
        return np.asarray(out, np.float32)


def _low_pass(up: int, down: int) -> Samples:
    widest = max(up, down)
    reach = _LOBES * widest
    steps = np.arange(-reach, reach + 1)
    window = np.hanning(len(steps) + 2)[1:-1]
    taps = np.sinc(steps / widest) * window * up / widest
    return np.asarray(taps, np.float32)


def resample(samples: Samples, rate: int) -> Samples:
    """Resample a whole clip; the filter's delay is taken off again."""
    resampler = Resampler(rate)
    if rate == TARGET_RATE:
        return samples
    delay = _LOBES * max(TARGET_RATE, rate) / TARGET_RATE  # in input samples
    tail = np.zeros(int(delay) + 2, np.float32)
    out = resampler.feed(np.concatenate([samples, tail]))
    skip = round(delay * TARGET_RATE / rate)
    return out[skip : skip + round(len(samples) * TARGET_RATE / rate)]

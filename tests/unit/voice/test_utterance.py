"""One clip while it is spoken: what is decoded when, with a decoder that only counts."""

import numpy as np
import numpy.typing as npt

from app.voice.decoding import RATE, Heard
from app.voice.utterance import LONGEST_PHRASE_S, Utterance

Samples = npt.NDArray[np.float32]


def speech(seconds: float) -> Samples:
    return np.ones(int(seconds * RATE), np.float32)


def pause(seconds: float) -> Samples:
    return np.zeros(int(seconds * RATE), np.float32)


def spans(samples: Samples) -> list[tuple[int, int]]:
    """Find the stretches that are not silent."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0.0], samples != 0, [0.0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


class Scene:
    """An utterance, and the seconds of speech in each thing that was decoded."""

    def __init__(self) -> None:
        self.decoded: list[float] = []
        self.most_looked_at_s = 0.0
        self.utterance = Utterance(decode=self._decode, find_speech=self._find)

    def _find(self, samples: Samples) -> list[tuple[int, int]]:
        self.most_looked_at_s = max(self.most_looked_at_s, len(samples) / RATE)
        return spans(samples)

    def _decode(self, samples: Samples) -> Heard:
        seconds = round(float(np.count_nonzero(samples)) / RATE, 1)
        self.decoded.append(seconds)
        return Heard(text=f"{seconds}" if seconds else "")

    def feed(self, *parts: Samples) -> str | None:
        return self.utterance.feed(np.concatenate(parts))

    def finish(self, rest: Samples) -> str:
        return self.utterance.finish(rest).text


def test_a_phrase_is_written_down_in_the_pause_behind_it() -> None:
    scene = Scene()
    assert scene.feed(speech(3), pause(0.6)) == "3.0"
    assert scene.feed(speech(1)) is None
    assert scene.finish(speech(0.5)) == "3.0 1.5"
    assert scene.decoded == [3.0, 1.5]


def test_words_are_ready_at_the_release_if_the_pause_was_the_end() -> None:
    scene = Scene()
    scene.feed(speech(3), pause(0.6))
    assert scene.finish(pause(0.2)) == "3.0"
    assert scene.decoded == [3.0]


def test_a_phrase_too_short_to_stand_alone_joins_the_next() -> None:
    scene = Scene()
    scene.feed(speech(0.8), pause(0.6), speech(3), pause(0.6))
    assert scene.finish(pause(0.1)) == "3.8"


def test_a_pause_shorter_than_a_consonant_cuts_nothing() -> None:
    scene = Scene()
    scene.feed(*[part for _ in range(10) for part in (speech(0.5), pause(0.1))])
    assert scene.decoded == []
    assert scene.finish(speech(0.5)) == "5.5"


def test_long_silence_costs_nothing_and_loses_nothing() -> None:
    scene = Scene()
    scene.feed(pause(30))
    scene.feed(speech(3), pause(20), speech(2.5))
    assert scene.finish(pause(0.2)) == "3.0 2.5"
    assert scene.decoded == [3.0, 2.5]


def test_somebody_who_never_pauses_is_written_down_in_pieces_all_the_same() -> None:
    scene = Scene()
    told = [scene.feed(speech(1)) for _ in range(70)]
    assert any(told)
    rest = scene.finish(speech(0.5))
    assert round(sum(float(part) for part in rest.split()), 1) == 70.5
    assert max(scene.decoded) <= LONGEST_PHRASE_S
    assert scene.most_looked_at_s < 10  # or listening would take longer than speaking


def test_every_moment_of_speech_is_decoded_for_good_exactly_once() -> None:
    random = np.random.default_rng(11)
    for _ in range(30):
        scene = Scene()
        said = 0.0
        for _ in range(8):
            seconds = float(random.integers(2, 40)) / 10
            said += seconds
            scene.feed(speech(seconds), pause(float(random.integers(1, 12)) / 10))
        text = scene.finish(pause(0.1))
        assert round(sum(float(part) for part in text.split()), 1) == round(said, 1)

"""The decoder in its child process, with the real model and the real clips."""

import asyncio
import errno
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from app.core.errors import ProblemError, ProblemKind, problem
from app.core.voice import VoiceEvent, VoiceWords
from app.voice.child_speech import ChildSpeech
from app.voice.resampling import resample
from app.voice.weights import own_model, speech_model
from tests.harness.loops import play
from tests.harness.words import errors, words

SPEECH = Path(__file__).parents[2] / "speech"
TRUTH: dict[str, str] = json.loads((SPEECH / "transcripts.json").read_text())
RATE = 16_000
Samples = npt.NDArray[np.float32]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Join the speech model once for all."""
    return speech_model(tmp_path_factory.mktemp("speech"))


def clip(name: str) -> Samples:
    samples, rate = soundfile.read(SPEECH / f"{name}.wav", dtype="float32")
    return resample(samples, rate)


def silence(seconds: float) -> Samples:
    return np.zeros(int(seconds * RATE), np.float32)


class Scene:
    """A child, and the words it told while it listened."""

    def __init__(self, find_model: Callable[[], Path]) -> None:
        self.told: list[VoiceEvent] = []
        self.speech = ChildSpeech(
            find_model=find_model, language=lambda: "en", emit=self.told.append
        )

    def feed(self, samples: Samples) -> None:
        for chunk in np.array_split(samples, max(1, len(samples) // 320)):
            self.speech.feed(1, chunk)

    async def heard(self, samples: Samples) -> str:
        return (await self.speech.finish(1, samples)).text

    async def words(self) -> str:
        """Wait until it told words of its own accord."""
        async with asyncio.timeout(60):
            while not self.told:  # noqa: ASYNC110 - words come when they come
                await asyncio.sleep(0.01)
        last = self.told[-1]
        assert isinstance(last, VoiceWords)
        return last.text

    async def end(self) -> None:
        self.speech.end()
        while self.speech._tasks:
            await asyncio.wait(self.speech._tasks)


def is_like(text: str, name: str) -> bool:
    said = words(TRUTH[name])
    return errors(words(text), said) <= 0.35 * len(said)


def test_words_are_told_in_a_pause_and_kept_at_the_end(model: Path) -> None:
    async def scene() -> None:
        here = Scene(lambda: model)
        here.speech.begin(1)
        first, second = clip("python-instead"), clip("what-time")
        here.feed(np.concatenate([first, silence(0.6)]))
        assert is_like(await here.words(), "python-instead")
        here.feed(second)
        whole = np.concatenate([first, silence(0.6), second])
        text = await here.heard(whole)
        said = words(TRUTH["python-instead"]) + words(TRUTH["what-time"])
        assert errors(words(text), said) <= 0.35 * len(said)
        await here.end()

    play(scene())


@pytest.mark.parametrize("when", ["while it is fed", "while it decodes"])
def test_a_child_that_is_killed_loses_no_words(model: Path, when: str) -> None:
    async def scene() -> None:
        here = Scene(lambda: model)
        here.speech.begin(1)
        whole = np.concatenate([clip("shorter"), silence(0.6), clip("what-time")])
        half = len(clip("shorter")) + RATE // 2
        here.feed(whole[:half])
        await here.words()
        pid = here.speech.pid
        assert pid is not None
        if when == "while it is fed":
            os.kill(pid, signal.SIGKILL)
            here.feed(whole[half:])
            text = await here.heard(whole)
        else:
            here.feed(whole[half:])
            asked = asyncio.ensure_future(here.heard(whole))
            await asyncio.sleep(0)
            os.kill(pid, signal.SIGKILL)
            text = await asked
        said = words(TRUTH["shorter"]) + words(TRUTH["what-time"])
        assert errors(words(text), said) <= 0.35 * len(said)
        await here.end()

    play(scene())


def noise(seconds: float, level: float) -> Samples:
    random = np.random.default_rng(3)
    return (random.standard_normal(int(seconds * RATE)) * level).astype(np.float32)


def hum(seconds: float) -> Samples:
    at = np.arange(int(seconds * RATE)) / RATE
    return (0.2 * np.sin(2 * np.pi * 50 * at)).astype(np.float32)


def clicks(seconds: float) -> Samples:
    samples = silence(seconds)
    samples[:: RATE // 3] = 1.0
    return samples


NO_SPEECH = {
    "silence": silence(2),
    "noise": noise(3, 0.01),
    "loud noise": noise(3, 0.2),
    "hum": hum(3),
    "clicks": clicks(3),
    "a tap": noise(0.2, 0.3),
}


def test_what_is_no_speech_gives_no_words_and_what_is_clipped_does(model: Path) -> None:
    async def scene() -> None:
        here = Scene(lambda: model)
        for name, sound in NO_SPEECH.items():
            here.speech.begin(1)
            here.feed(sound)
            assert await here.heard(sound) == "", name
        loud = np.clip(clip("python-instead") * 20, -1, 1)
        assert is_like(await here.heard(loud), "python-instead")
        await here.end()

    play(scene())


def test_without_a_model_it_says_so_and_the_next_try_looks_again(model: Path) -> None:
    found: list[Path] = []

    def find() -> Path:
        if not found:
            raise problem(ProblemKind.SPEECH_MISSING)
        return found[0]

    async def scene() -> None:
        here = Scene(find)
        here.speech.begin(1)
        whole = clip("shorter")
        here.feed(whole)
        with pytest.raises(ProblemError) as caught:
            await here.heard(whole)
        assert caught.value.problem.kind is ProblemKind.SPEECH_MISSING
        found.append(model)
        assert is_like(await here.heard(whole), "shorter")
        await here.end()

    play(scene())


def test_a_disk_too_full_for_the_model_is_said(model: Path) -> None:
    def full() -> Path:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def scene() -> None:
        here = Scene(full)
        with pytest.raises(ProblemError) as caught:
            await here.heard(clip("shorter"))
        assert caught.value.problem.kind is ProblemKind.SPEECH_FAILED
        await here.end()

    play(scene())


def test_another_language_chosen_while_words_are_written_down_loses_none(model: Path) -> None:
    async def scene() -> None:
        here = Scene(lambda: model)
        whole = clip("shorter")
        asked = asyncio.ensure_future(here.heard(whole))
        await asyncio.sleep(0)  # it loads now, for this clip
        here.speech.renew()
        assert is_like(await asked, "shorter")
        assert here.speech.pid is None  # the next clip loads what was chosen
        await here.end()

    play(scene())


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProblemError) as caught:
        own_model(tmp_path)
    assert caught.value.problem.params["reason"] == "model.bin is missing"


def test_few_words_are_misheard_when_they_are_fed_as_they_are_spoken(model: Path) -> None:
    async def scene() -> int:
        here = Scene(lambda: model)
        wrong = 0
        for name, said in TRUTH.items():
            here.speech.begin(1)
            here.feed(clip(name))
            wrong += errors(words(await here.heard(clip(name))), words(said))
        await here.end()
        return wrong

    total = sum(len(words(text)) for text in TRUTH.values())
    assert play(scene()) / total <= 0.08

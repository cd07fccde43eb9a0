"""Which microphone is listened to, how it is tried, and what stands in the way."""

from pathlib import Path

import numpy as np

from app.core.errors import ProblemKind, problem
from app.core.voice import (
    ChooseMicrophone,
    DiscardTalk,
    LookForMicrophones,
    TryMicrophone,
    VoiceLevel,
    VoiceReady,
)
from tests.harness.loops import play
from tests.unit.voice.scene import SOUND, Scene


def test_the_next_press_listens_to_the_microphone_that_was_chosen(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        here.do(ChooseMicrophone(device="desk mic"))
        await here.say()
        await here.rest()
        assert here.microphone.opened == ["desk mic"]

    play(scene())


def test_a_trial_shows_the_level_and_keeps_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        here.do(TryMicrophone(is_on=True))
        await here.until(lambda: here.microphone.is_open)
        here.microphone.hear(SOUND)
        await here.until(lambda: any(isinstance(event, VoiceLevel) for event in here.told))
        here.do(TryMicrophone(is_on=False))
        await here.until(lambda: not here.microphone.is_open)
        assert here.on_disk() == []
        assert here.phase is None

    play(scene())


def test_a_trial_is_played_back_once_the_microphone_is_closed(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        here.do(TryMicrophone(is_on=True))
        await here.until(lambda: here.microphone.is_open)
        here.microphone.hear(SOUND)
        here.do(TryMicrophone(is_on=False, play=True))
        await here.until(lambda: here.loudspeaker.played)
        assert not here.microphone.is_open
        assert np.array_equal(here.loudspeaker.played[0], SOUND)

    play(scene())


def test_a_trial_that_the_page_ends_is_not_played(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        here.do(TryMicrophone(is_on=True))
        await here.until(lambda: here.microphone.is_open)
        here.microphone.hear(SOUND)
        here.do(TryMicrophone(is_on=False))
        await here.until(lambda: not here.talk._tasks)
        assert here.loudspeaker.played == []

    play(scene())


def test_a_tick_says_that_it_listens_and_not_before(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        here.press()
        await here.until(lambda: here.microphone.is_open)
        assert here.loudspeaker.played == []
        here.microphone.hear(SOUND)
        await here.until(lambda: here.loudspeaker.played)
        here.do(DiscardTalk())
        await here.rest()
        assert len(here.loudspeaker.played) == 1

    play(scene())


def test_a_press_ends_a_trial_and_gets_the_microphone(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        here.do(TryMicrophone(is_on=True))
        await here.until(lambda: here.microphone.is_open)
        await here.say("words")
        await here.until(lambda: here.heard)
        await here.rest()

    play(scene())


def test_what_stands_in_the_way_of_talking_is_told(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        here.do(LookForMicrophones())
        await here.until(lambda: here.told)
        here.microphone.failure = problem(ProblemKind.MICROPHONE_MISSING)
        here.do(LookForMicrophones())
        await here.until(lambda: len(here.told) == 2)
        found, missing = here.told
        assert found == VoiceReady(microphones=("Fake microphone",))
        assert isinstance(missing, VoiceReady)
        assert missing.problem is not None
        assert missing.problem.kind is ProblemKind.MICROPHONE_MISSING

    play(scene())

"""The owner of hold-to-talk: whatever happens, no words are lost and no microphone stays open."""

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.core.errors import ProblemKind, problem
from app.core.ids import ConversationId, MessageId
from app.core.voice import (
    ChooseMicrophone,
    ClipLanded,
    DiscardTalk,
    EndTalk,
    Force,
    LookForMicrophones,
    PressTalk,
    ReleaseTalk,
    RetryClips,
    TryMicrophone,
    VoiceChanged,
    VoiceCommand,
    VoiceEvent,
    VoiceFailed,
    VoiceHeard,
    VoiceLevel,
    VoicePhase,
    VoiceReady,
)
from app.voice.clips import Clips
from app.voice.fakes import FakeMicrophone, FakeSpeech
from app.voice.machine import TAP_S
from app.voice.take import GONE_S, LONGEST_S, MUTE_S, QUIET_S
from app.voice.talk import Talk
from tests.harness.loops import play

CHAT = ConversationId("chat")
SOUND = (np.random.default_rng(1).standard_normal(3200) * 0.1).astype(np.float32)
HOLD_S = TAP_S + 0.1
_LIMIT_S = 20.0


class SetClock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.at = 100.0

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at


class Scene:
    """A person, a microphone, a decoder, and everything that was told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: list[VoiceEvent] = []
        self.microphone = FakeMicrophone()
        self.speech = FakeSpeech()
        self.clock = SetClock()
        self.talk = Talk(
            microphone=self.microphone,
            speech=self.speech,
            clips=Clips(folder),
            emit=self.told.append,
            clock=self.clock,
        )
        self._presses = 0

    def press(self) -> MessageId:
        self._presses += 1
        clip_id = MessageId(f"clip{self._presses}")
        self.do(PressTalk(clip_id=clip_id, conversation_id=CHAT))
        return clip_id

    def do(self, command: VoiceCommand) -> None:
        self.talk.handle(command)

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(_LIMIT_S):
            while not holds():  # noqa: ASYNC110 - what it waits for has no event of its own
                await asyncio.sleep(0.001)

    async def listen(self) -> MessageId:
        """Press and wait until the light is on."""
        before = len(self.microphone.opened)
        clip_id = self.press()
        await self.until(lambda: len(self.microphone.opened) > before)
        self.microphone.hear(SOUND)
        await self.until(lambda: self.phase is VoicePhase.LISTENING)
        return clip_id

    async def say(self, text: str = "words") -> MessageId:
        """Press, speak, release; returns before the words are there."""
        self.speech.words.append(text)
        clip_id = await self.listen()
        self.clock.at += HOLD_S
        self.do(ReleaseTalk())
        return clip_id

    async def rest(self) -> None:
        await self.until(lambda: self.phase is VoicePhase.IDLE and not self.microphone.is_open)
        await self.until(lambda: not self.talk._tasks)

    @property
    def phase(self) -> VoicePhase | None:
        changes = [event for event in self.told if isinstance(event, VoiceChanged)]
        return changes[-1].phase if changes else None

    @property
    def heard(self) -> list[VoiceHeard]:
        return [event for event in self.told if isinstance(event, VoiceHeard)]

    @property
    def failed(self) -> list[VoiceFailed]:
        return [event for event in self.told if isinstance(event, VoiceFailed)]

    def on_disk(self) -> list[str]:
        return sorted(path.name.partition(".")[0] for path in self.folder.glob("*"))


def test_a_recording_is_kept_until_its_words_have_landed(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        clip_id = await here.say("Make it shorter.")
        await here.until(lambda: here.heard)
        await here.rest()
        assert [h.text for h in here.heard] == ["Make it shorter."]
        assert here.on_disk() == [clip_id]
        here.do(ClipLanded(clip_id=clip_id))
        assert here.on_disk() == []

    play(scene())


def test_words_come_in_the_order_in_which_they_were_said(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        here.speech.gate = asyncio.Event()
        said = [await here.say(text) for text in ("one", "two", "three")]
        here.speech.gate.set()
        await here.until(lambda: len(here.heard) == 3)
        assert [(h.clip_id, h.text) for h in here.heard] == list(
            zip(said, ("one", "two", "three"), strict=True)
        )
        await here.rest()

    play(scene())


def test_a_storm_of_presses_leaves_nothing_open_and_loses_no_words(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        random = np.random.default_rng(7)
        for _ in range(200):
            here.press()
            here.clock.at += float(random.choice([0.05, HOLD_S]))
            if random.random() < 0.5:
                await asyncio.sleep(0)
                here.microphone.hear(SOUND)
            if random.random() < 0.3:
                await asyncio.sleep(0.001)
            here.do(DiscardTalk() if random.random() < 0.2 else ReleaseTalk())
        here.do(DiscardTalk())
        await here.rest()
        for heard in here.heard:
            here.do(ClipLanded(clip_id=heard.clip_id))
        assert here.on_disk() == []
        assert not here.failed
        assert await here.say("still here")
        await here.until(lambda: here.heard and here.heard[-1].text == "still here")
        await here.rest()

    play(scene())


def test_a_discarded_recording_leaves_no_trace(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        await here.listen()
        here.do(DiscardTalk())
        await here.rest()
        assert here.on_disk() == []
        assert here.heard == []
        assert here.speech.forgotten == [1]

    play(scene())


def test_a_missing_microphone_is_said_and_the_next_press_tries_again(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        here.microphone.failure = problem(ProblemKind.MICROPHONE_MISSING)
        here.press()
        await here.until(lambda: here.failed)
        await here.rest()
        (failure,) = here.failed
        assert failure.problem.kind is ProblemKind.MICROPHONE_MISSING
        assert not failure.clip_kept
        assert here.on_disk() == []
        here.microphone.failure = None
        await here.say()
        await here.until(lambda: here.heard)
        await here.rest()

    play(scene())


def test_a_device_that_vanishes_keeps_what_was_said(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        await here.listen()
        here.microphone.vanish()
        await here.until(lambda: here.heard)
        (heard,) = here.heard
        assert heard.force is Force.DEVICE_GONE
        assert heard.text == f"{len(SOUND)} samples"
        await here.rest()

    play(scene())


@pytest.mark.parametrize(
    ("after_s", "why"),
    [(GONE_S + 1, Force.DEVICE_GONE), (LONGEST_S + 1, Force.TIME_LIMIT)],
)
def test_what_gives_no_end_is_ended(tmp_path: Path, after_s: float, why: Force) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        await here.listen()
        here.clock.at += after_s
        await here.until(lambda: here.heard)
        assert here.heard[0].force is why
        await here.rest()

    play(scene())


def test_a_latched_recording_ends_by_itself_in_silence(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        await here.listen()
        here.do(ReleaseTalk())
        while not here.heard:
            here.clock.at += GONE_S / 2
            here.microphone.hear(np.zeros(320, np.float32))
            await asyncio.sleep(0.01)
        assert here.heard[0].force is Force.SILENCE
        assert here.clock.at - 100 > QUIET_S
        await here.rest()

    play(scene())


def test_a_microphone_that_never_gives_a_sound_is_given_up(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        here.press()
        await here.until(lambda: here.microphone.is_open)
        here.clock.at += MUTE_S + 1
        await here.until(lambda: here.failed)
        assert here.failed[0].problem.kind is ProblemKind.MICROPHONE_FAILED
        await here.rest()

    play(scene())


def test_a_failed_decode_keeps_the_recording_until_it_succeeds(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        here.speech.failure = problem(ProblemKind.SPEECH_MISSING)
        clip_id = await here.say("Plan a weekend.")
        await here.until(lambda: here.failed)
        assert here.failed[0].clip_kept
        assert here.on_disk() == [clip_id]
        here.speech.failure = None
        here.do(RetryClips())
        await here.until(lambda: here.heard)
        assert (here.heard[0].clip_id, here.heard[0].text) == (clip_id, "Plan a weekend.")
        await here.rest()

    play(scene())


def test_a_recording_that_a_crash_left_is_offered_and_goes_to_the_composer(tmp_path: Path) -> None:
    async def scene() -> None:
        clip = Clips(tmp_path).begin(MessageId("old"), CHAT)
        clip.append(SOUND)
        here = Scene(tmp_path)
        here.talk.recover()
        assert here.failed[0].clip_kept
        here.do(RetryClips())
        await here.until(lambda: here.heard)
        (heard,) = here.heard
        assert (heard.clip_id, heard.conversation_id) == ("old", CHAT)
        assert heard.text == f"{len(SOUND)} samples"
        assert heard.force is not None  # never sent by itself
        here.do(ClipLanded(clip_id=MessageId("old")))
        assert here.on_disk() == []

    play(scene())


def test_a_full_disk_does_not_make_it_deaf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_fd: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def scene() -> None:
        here = Scene(tmp_path)
        monkeypatch.setattr("app.voice.clips.os.write", full)
        await here.say("on a full disk")
        await here.until(lambda: here.heard)
        assert here.heard[0].text == "on a full disk"
        await here.rest()

    play(scene())


def test_silence_is_no_words_and_leaves_no_recording(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        await here.say("")
        await here.until(lambda: here.heard)
        assert here.heard[0].text == ""
        await here.rest()
        assert here.on_disk() == []

    play(scene())


def test_the_focus_lost_ends_without_sending(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        await here.listen()
        here.do(EndTalk(why=Force.FOCUS_LOST))
        here.do(ReleaseTalk())
        await here.until(lambda: here.heard)
        assert here.heard[0].force is Force.FOCUS_LOST
        await here.rest()

    play(scene())


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

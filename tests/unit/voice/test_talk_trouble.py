"""Hold to talk when things break: no words are lost, and no microphone stays open."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from app.core.errors import ProblemKind, problem
from app.core.ids import MessageId
from app.core.voice import (
    ClipLanded,
    Force,
    RetryClips,
)
from app.voice.clips import Clips
from app.voice.take import GONE_S, LONGEST_S, MUTE_S
from tests.harness.loops import play
from tests.unit.voice.scene import CHAT, SOUND, Scene


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


def test_a_sound_system_that_hangs_is_given_up_and_heard_once_it_is_back(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        with here.microphone._lock:  # opening takes for ever
            here.press()
            await asyncio.sleep(0)
            here.clock.at += MUTE_S + 1
            await here.until(lambda: here.failed)
        await here.rest()
        assert here.on_disk() == []
        await here.say("heard again")
        await here.until(lambda: here.heard)
        assert here.heard[0].text == "heard again"
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


@pytest.mark.parametrize(
    "failure", [problem(ProblemKind.SPEECH_MISSING), OSError(errno.EIO, "what nobody foresaw")]
)
def test_a_failed_decode_keeps_the_recording_until_it_succeeds(
    tmp_path: Path, failure: Exception
) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        here.speech.failure = failure
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


def test_two_wishes_to_try_again_write_a_recording_down_once(tmp_path: Path) -> None:
    async def scene() -> None:
        Clips(tmp_path).begin(MessageId("old"), CHAT).append(SOUND)
        here = Scene(tmp_path)
        here.talk.recover()
        here.speech.gate = asyncio.Event()
        here.do(RetryClips())
        await asyncio.sleep(0)
        here.do(RetryClips())
        here.speech.gate.set()
        await here.until(lambda: not here.talk._tasks)
        assert [heard.clip_id for heard in here.heard] == ["old"]

    play(scene())


def test_a_recording_that_somebody_deleted_is_offered_no_more(tmp_path: Path) -> None:
    async def scene() -> None:
        clip = Clips(tmp_path).begin(MessageId("old"), CHAT)
        clip.append(SOUND)
        here = Scene(tmp_path)
        here.talk.recover()
        clip.stored.delete()
        here.do(RetryClips())
        await here.until(lambda: not here.talk._tasks)
        assert len(here.failed) == 1  # the one that offered it
        assert here.heard == []

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

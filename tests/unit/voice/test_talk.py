"""The owner of hold-to-talk: words come whole, in order, and once."""

import asyncio
from pathlib import Path

import numpy as np

from app.core.ids import MessageId
from app.core.voice import (
    ClipLanded,
    DiscardTalk,
    EndTalk,
    Force,
    PressTalk,
    ReleaseTalk,
)
from app.voice.take import GONE_S, QUIET_S
from tests.harness.loops import play
from tests.unit.voice.scene import CHAT, HOLD_S, SOUND, Scene


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


def test_a_hold_that_was_over_before_it_could_begin_leaves_nothing_open(tmp_path: Path) -> None:
    async def scene() -> None:
        here = Scene(tmp_path)
        pressed = PressTalk(clip_id=MessageId("early"), conversation_id=CHAT)
        here.talk.handle(pressed, at=here.clock.at - 2)
        here.talk.handle(ReleaseTalk(), at=here.clock.at)
        await here.rest()
        assert here.on_disk() == []
        assert here.heard == []

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

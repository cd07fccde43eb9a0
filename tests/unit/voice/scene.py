"""A person who talks to a microphone and a decoder without hardware.

What the tests on the owner of hold-to-talk share; it runs on a loop of its own.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

import numpy as np

from app.core.ids import ConversationId, MessageId
from app.core.voice import (
    PressTalk,
    ReleaseTalk,
    VoiceChanged,
    VoiceCommand,
    VoiceEvent,
    VoiceFailed,
    VoiceHeard,
    VoicePhase,
)
from app.voice.clips import Clips
from app.voice.fakes import FakeLoudspeaker, FakeMicrophone, FakeSpeech
from app.voice.machine import TAP_S
from app.voice.talk import Talk

CHAT = ConversationId("chat")
SOUND = (np.random.default_rng(1).standard_normal(8000) * 0.1).astype(np.float32)
HOLD_S = TAP_S + 0.1
_LIMIT_S = 60.0


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
        self.loudspeaker = FakeLoudspeaker()
        self.speech = FakeSpeech()
        self.clock = SetClock()
        self.talk = Talk(
            microphone=self.microphone,
            loudspeaker=self.loudspeaker,
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

"""What hold-to-talk does as it is put together: clips that an earlier run left, early presses."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from app.core.ids import ConversationId, MessageId
from app.core.messages import Intent, Order, text_parts
from app.core.settings import Settings
from app.core.voice import (
    PressTalk,
    ReleaseTalk,
    VoiceChanged,
    VoiceEvent,
    VoiceFailed,
    VoicePhase,
    VoiceReady,
)
from app.main.hearing import Hearing
from app.storage.store import SqliteStore
from app.system.paths import Paths
from app.voice.clips import Clips
from tests.fakes.stores import BOUND_S, open_store
from tests.harness.loops import play
from tests.unit.voice.scene import SetClock

CHAT, CLIP = ConversationId("chat"), MessageId("clip")
SECOND = np.zeros(16_000, np.float32)


class Scene:
    """Hearing over a real store, and what it told."""

    def __init__(self, store: SqliteStore) -> None:
        self.told: list[VoiceEvent] = []
        self.clock = SetClock()
        self.paths = Paths.find()
        self.paths.make()
        self.hearing = Hearing(
            paths=self.paths,
            settings=Settings,
            emit=self.told.append,
            clock=self.clock,
            settle=store.flush,
            remembered=store.load,
        )

    def record(self) -> None:
        Clips(self.paths.data / "clips").begin(CLIP, CHAT).append(SECOND)

    async def loaded(self) -> None:
        self.hearing.load()
        async with asyncio.timeout(60):
            while not self.of(VoiceReady):  # noqa: ASYNC110 - it has no event of its own
                await asyncio.sleep(0.01)

    def of(self, kind: type[VoiceEvent]) -> list[VoiceEvent]:
        return [event for event in self.told if isinstance(event, kind)]


@pytest.fixture(autouse=True)
def _no_sound_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULSE_SERVER", "unix:/nonexistent/native")


@pytest.mark.parametrize("has_landed", [True, False])
def test_a_clip_is_offered_only_if_its_words_did_not_land(tmp_path: Path, has_landed: bool) -> None:
    async def scene(store: SqliteStore) -> None:
        here = Scene(store)
        here.record()
        await here.loaded()
        assert len(here.of(VoiceFailed)) == (0 if has_landed else 1)
        assert len(list(Clips(here.paths.data / "clips").left())) == (0 if has_landed else 1)

    with open_store(tmp_path / "belay.db") as store:
        if has_landed:
            order = Order(id=CLIP, conversation_id=CHAT, parts=text_parts("Make it shorter."))
            store.accept(order, Intent.QUEUE).wait(BOUND_S)
        play(scene(store))


def test_a_hold_that_was_over_before_it_could_be_heard_latches_nothing(tmp_path: Path) -> None:
    async def scene(store: SqliteStore) -> None:
        here = Scene(store)
        here.hearing.handle(PressTalk(clip_id=CLIP, conversation_id=CHAT))
        here.clock.at += 2
        here.hearing.handle(ReleaseTalk())
        await here.loaded()
        phases = [event for event in here.of(VoiceChanged) if isinstance(event, VoiceChanged)]
        assert not any(event.latched for event in phases)
        assert phases[-1].phase is VoicePhase.IDLE

    with open_store(tmp_path / "belay.db") as store:
        play(scene(store))

"""The real microphone and loudspeaker: PortAudio, on a PulseAudio of our own."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from app.core.errors import ProblemError, ProblemKind
from app.core.ids import ConversationId, MessageId
from app.core.voice import DiscardTalk, PressTalk, ReleaseTalk, VoiceEvent, VoiceFailed
from app.voice import portaudio
from app.voice.clips import Clips
from app.voice.fakes import FakeLoudspeaker, FakeSpeech
from app.voice.loudspeaker import PortAudioLoudspeaker, cue
from app.voice.microphone import PortAudioMicrophone, explained
from app.voice.talk import Talk
from tests.harness.loops import play
from tests.harness.microphone import VirtualMicrophone, virtual_microphone
from tests.unit.voice.scene import SetClock

RATE = 16_000
LIMIT_S = 60.0
Samples = npt.NDArray[np.float32]


@pytest.fixture(scope="module")
def pulse() -> Iterator[VirtualMicrophone]:
    """Give a microphone that hears what is played, to this process too."""
    with virtual_microphone() as running, pytest.MonkeyPatch.context() as patch:
        for name, value in running.env.items():
            patch.setenv(name, value)
        portaudio.look_again()
        yield running


class Ear:
    """Listens, and keeps what it hears."""

    def __init__(self) -> None:
        self.microphone = PortAudioMicrophone()
        self.heard: list[Samples] = []
        self._changed = threading.Condition()
        self.is_gone = threading.Event()

    def open(self, device: str = "") -> None:
        self.heard.clear()
        self.microphone.open(device, self._take, self.is_gone.set)
        self.wait_for(0.1)

    def _take(self, samples: Samples) -> None:
        with self._changed:
            self.heard.append(samples)
            self._changed.notify_all()

    def wait_for(self, seconds: float) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self._length() >= seconds * RATE, LIMIT_S)

    def _length(self) -> int:
        return sum(map(len, self.heard))

    def whole(self) -> Samples:
        self.microphone.close()
        return np.concatenate(self.heard)


def tone(rate: int, hertz: float = 1000.0) -> Samples:
    return (0.3 * np.sin(2 * np.pi * hertz * np.arange(rate) / rate)).astype(np.float32)


def pitch(samples: Samples) -> float:
    spectrum = np.abs(np.fft.rfft(samples))
    return float(spectrum.argmax() * RATE / len(samples))


@pytest.mark.parametrize("rate", [44_100, 48_000])
def test_a_tone_is_heard_at_its_pitch_whatever_the_rate(
    pulse: VirtualMicrophone, rate: int
) -> None:
    ear = Ear()
    ear.open()
    pulse.play(tone(rate), rate)
    assert abs(pitch(ear.whole()) - 1000) < 5


def test_nothing_arrives_once_it_is_closed_and_it_opens_again(pulse: VirtualMicrophone) -> None:
    ear = Ear()
    others = pulse.listeners()
    ear.open()
    ear.microphone.close()
    assert pulse.listeners() == others
    ear.open(ear.microphone.devices()[0])
    ear.microphone.close()
    assert not ear.is_gone.is_set()


def test_what_is_played_can_be_heard(pulse: VirtualMicrophone) -> None:
    ear = Ear()
    ear.open()
    PortAudioLoudspeaker().play(tone(RATE))
    assert abs(pitch(ear.whole()) - 1000) < 5


def test_the_tick_is_heard_to_its_end(pulse: VirtualMicrophone) -> None:
    ear = Ear()
    ear.open()
    PortAudioLoudspeaker().play(cue())
    heard, tick = ear.whole(), cue()
    audible = 0.005
    assert np.sum(np.abs(heard) > audible) > 0.9 * np.sum(np.abs(tick) > audible)


def test_a_microphone_is_not_looked_for_under_an_open_stream(pulse: VirtualMicrophone) -> None:
    ear = Ear()
    ear.open()
    assert PortAudioMicrophone().devices()
    ear.heard.clear()
    ear.wait_for(0.1)
    ear.microphone.close()


def test_a_storm_of_presses_leaves_no_microphone_open(
    pulse: VirtualMicrophone, tmp_path: Path
) -> None:
    told: list[VoiceEvent] = []
    others = pulse.listeners()

    async def scene() -> None:
        clock, random = SetClock(), np.random.default_rng(5)
        talk = Talk(
            microphone=PortAudioMicrophone(),
            loudspeaker=FakeLoudspeaker(),
            speech=FakeSpeech(),
            clips=Clips(tmp_path),
            emit=told.append,
            clock=clock,
        )
        for number in range(200):
            clip_id = MessageId(f"clip{number}")
            talk.handle(PressTalk(clip_id=clip_id, conversation_id=ConversationId("chat")))
            clock.at += float(random.choice([0.05, 0.5]))
            if random.random() < 0.1:
                await asyncio.sleep(0.05)
            talk.handle(DiscardTalk() if random.random() < 0.3 else ReleaseTalk())
        talk.handle(DiscardTalk())
        while talk._tasks:
            await asyncio.wait(talk._tasks)

    play(scene())
    assert pulse.listeners() == others
    assert not any(isinstance(event, VoiceFailed) for event in told)


def test_a_device_that_is_unknown_falls_back_to_the_systems_choice(
    pulse: VirtualMicrophone,
) -> None:
    ear = Ear()
    ear.open("a headset that is not plugged in")
    assert len(ear.whole())


@pytest.mark.parametrize(
    ("said", "has_devices", "kind"),
    [
        ("Error opening InputStream: Permission denied", True, ProblemKind.MICROPHONE_REFUSED),
        ("Unanticipated host error [0x80070005]", False, ProblemKind.MICROPHONE_REFUSED),
        ("Error querying device -1", False, ProblemKind.MICROPHONE_MISSING),
        ("Device unavailable [PaErrorCode -9985]", True, ProblemKind.MICROPHONE_FAILED),
    ],
)
def test_why_a_microphone_did_not_open_is_told(
    said: str, has_devices: bool, kind: ProblemKind
) -> None:
    assert explained(RuntimeError(said), has_devices=has_devices).problem.kind is kind


def test_without_portaudio_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "sounddevice.py").write_text("raise OSError('PortAudio library not found')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    for use in (PortAudioMicrophone().devices, lambda: Ear().open()):
        with pytest.raises(ProblemError) as caught:
            use()
        assert caught.value.problem.kind is ProblemKind.SOUND_MISSING
    PortAudioLoudspeaker().play(tone(RATE))  # nobody hears it, and nothing happens


class TwoSystems:
    """A PortAudio that lists one microphone twice, as on Windows."""

    class default:  # noqa: N801 - as the library calls it
        """The preferred sound system."""

        hostapi = 1

    def query_devices(self) -> list[dict[str, object]]:
        both = {"name": "Headset", "max_input_channels": 1}
        return [both, both, {"name": "Loudspeaker", "max_input_channels": 0}]

    def query_hostapis(self, index: int) -> dict[str, list[int]]:
        return {"devices": [[0], [1, 2]][index]}


def test_a_microphone_that_is_listed_twice_is_offered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portaudio, "portaudio", TwoSystems)
    assert portaudio.input_devices() == {"Headset": 1}

"""Hold to talk, measured: press to first sample, release to text, words misheard, cost.

    python -m bench.voice

Our decoder is the real child process, fed in real time as the microphone would; the two it is
held against run in this process in the same run: faster-whisper as it comes, and int8 with one
beam in its 30 s windows. Longer clips are joined from the short ones, with breaths between.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before anything imports onnxruntime

import numpy as np
import numpy.typing as npt
import psutil
import soundfile
from PySide6.QtCore import QCoreApplication, QTimer

from app.voice.child_speech import ChildSpeech
from app.voice.resampling import resample
from app.voice.weights import speech_model
from bench.harness import ROOT, Figure, percentile, report
from tests.harness.microphone import VirtualMicrophone, virtual_microphone
from tests.harness.words import errors, words

Samples = npt.NDArray[np.float32]
RATE = 16_000
CHUNK_S = 0.02
LENGTHS_S = (2, 5, 10, 20)
ROUNDS = 3
BREATH_S = 0.35
LIMIT = 0.5
SPEECH = ROOT / "tests" / "speech"
TRUTH: dict[str, str] = json.loads((SPEECH / "transcripts.json").read_text())


def clip(name: str) -> Samples:
    """Read a clip at 16 kHz."""
    samples, rate = soundfile.read(SPEECH / f"{name}.wav", dtype="float32")
    return resample(samples, rate)


def spoken(seconds: float) -> Samples:
    """Join clips until they are at least this long, ending with a whole clip."""
    breath = np.zeros(int(BREATH_S * RATE), np.float32)
    parts: list[Samples] = []
    names = ["shorter", "python-instead", "what-time", "open-readme", "weekend-plan"]
    while sum(map(len, parts)) < (seconds - 0.3) * RATE:
        parts += [breath, clip(names[len(parts) // 2 % len(names)])]
    return np.concatenate(parts[1:])


class Ours:
    """The child, fed as the microphone would feed it."""

    def __init__(self, folder: Path) -> None:
        self.speech = ChildSpeech(
            find_model=lambda: folder, language=lambda: "en", emit=lambda _: None
        )
        self._generation = 0

    async def hold(self, samples: Samples, *, hurry: bool = False) -> tuple[float, str]:
        """Speak a clip in real time; gives the time from release to text, and the text."""
        self._generation += 1
        self.speech.begin(self._generation)
        step = int(CHUNK_S * RATE)
        began = time.monotonic()
        for start in range(0, len(samples), step):
            self.speech.feed(self._generation, samples[start : start + step])
            due = began + (start + step) / RATE
            await asyncio.sleep(0 if hurry else max(0, due - time.monotonic()))
        released = time.monotonic()
        heard = await self.speech.finish(self._generation, samples)
        return time.monotonic() - released, heard.text

    async def cost(self, samples: Samples) -> float:
        """Give the share of one core that holding takes, child and all."""
        assert self.speech.pid is not None
        both = (psutil.Process(), psutil.Process(self.speech.pid))
        before = sum(_cpu_s(process) for process in both)
        await self.hold(samples)
        return (sum(_cpu_s(process) for process in both) - before) / (len(samples) / RATE)


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def naive(folder: Path, **options: Any) -> Callable[[Samples], float]:
    """Load faster-whisper in this process; gives what measures it on a whole clip."""
    from faster_whisper import WhisperModel  # noqa: PLC0415 - heavy

    compute = options.pop("compute_type", "default")
    model = WhisperModel(str(folder), device="cpu", compute_type=compute, local_files_only=True)

    def measure(samples: Samples) -> float:
        began = time.monotonic()
        segments, _ = model.transcribe(samples, **options)
        " ".join(segment.text for segment in segments)
        return time.monotonic() - began

    return measure


def median(run: Callable[[], float]) -> float:
    """Run it a few times; give the middle."""
    return statistics.median(run() for _ in range(ROUNDS))


async def release_to_text(ours: Ours, folder: Path) -> list[Figure]:
    """Measure all lengths against both, interleaved so that a busy machine is fair."""
    usual = naive(folder)
    one_beam = naive(folder, compute_type="int8", beam_size=1, language="en")
    figures: list[Figure] = []
    for length in LENGTHS_S:
        samples = spoken(length)
        took = statistics.median([(await ours.hold(samples))[0] for _ in range(ROUNDS)])
        beam, library = median(lambda s=samples: one_beam(s)), median(lambda s=samples: usual(s))  # type: ignore[misc]
        name = f"release to text, {len(samples) / RATE:.1f} s"
        limit = LIMIT if length >= 5 else None
        figures += [
            Figure(name=f"{name}: ours", value=took * 1000, unit="ms"),
            Figure(name=f"{name}: int8, one beam, 30 s windows", value=beam * 1000, unit="ms"),
            Figure(name=f"{name}: library defaults", value=library * 1000, unit="ms"),
            Figure(name=f"{name}: ours over one beam", value=took / beam, unit="×", limit=limit),
            Figure(name=f"{name}: ours over defaults", value=took / library, unit="×"),
        ]
    return figures


async def misheard(ours: Ours) -> Figure:
    """Pool the words of all clips, each begun at several moments of its first window."""
    wrong = total = 0
    for name, truth in TRUTH.items():
        for lead_s in (0.0, 0.1, 0.3):
            lead = np.zeros(int(lead_s * RATE), np.float32)
            _, text = await ours.hold(np.concatenate([lead, clip(name)]), hurry=True)
            wrong += errors(words(text), words(truth))
            total += len(words(truth))
    return Figure(name="words misheard", value=100 * wrong / total, unit="%", limit=8)


def first_sample(microphone: VirtualMicrophone) -> list[Figure]:
    """Open the microphone and wait for its first sound, again and again."""
    os.environ.update(microphone.env)
    from app.voice.microphone import PortAudioMicrophone  # noqa: PLC0415 - after PULSE_SERVER

    real, took = PortAudioMicrophone(), list[float]()
    for _ in range(11):
        arrived = threading.Event()
        began = time.monotonic()
        real.open("", lambda _, seen=arrived: seen.set(), lambda: None)  # type: ignore[misc]
        assert arrived.wait(20)
        took.append(time.monotonic() - began)
        real.close()
    del took[0]  # a PulseAudio that has just been started is two seconds late, whoever listens
    median_ms, worst_ms = statistics.median(took) * 1000, max(took) * 1000
    return [
        Figure(name="press to first sample: median of 10", value=median_ms, unit="ms"),
        Figure(name="press to first sample: worst", value=worst_ms, unit="ms"),
    ]


def lateness_ms(seconds: float) -> float:
    """Say how late a Qt timer of 5 ms comes, at its slow end."""
    app = QCoreApplication.instance() or QCoreApplication([])
    late: list[float] = []
    last = [time.monotonic()]

    def tick() -> None:
        now = time.monotonic()
        late.append(now - last[0] - 0.005)
        last[0] = now

    timer = QTimer()
    timer.setInterval(5)
    timer.timeout.connect(tick)
    timer.start()
    QTimer.singleShot(int(seconds * 1000), app.quit)
    app.exec()
    return percentile(late, 0.99) * 1000


def gui_lag(folder: Path) -> list[Figure]:
    """Compare the lateness of the window's loop at rest and while the child decodes."""
    idle = lateness_ms(4)
    ready, over = threading.Event(), threading.Event()

    async def decode() -> None:
        ours = Ours(folder)
        await ours.speech.finish(0, spoken(5))
        ready.set()
        while not over.is_set():
            await ours.speech.finish(0, spoken(20))
        ours.speech.end()
        await asyncio.wait(ours.speech._tasks)

    thread = threading.Thread(target=lambda: asyncio.run(decode()), daemon=True)
    thread.start()
    assert ready.wait(60)
    busy = lateness_ms(4)
    over.set()
    thread.join(60)
    return [
        Figure(name="GUI timer late, p99: idle", value=idle, unit="ms"),
        Figure(name="GUI timer late, p99: while decoding", value=busy, unit="ms"),
        Figure(name="GUI timer late, p99: decoding over idle", value=busy - idle, unit="ms"),
    ]


async def decoder_figures(folder: Path) -> list[Figure]:
    """Measure everything that needs the child."""
    ours = Ours(folder)
    await ours.hold(clip("shorter"), hurry=True)
    figures = await release_to_text(ours, folder)
    figures.append(await misheard(ours))
    share = await ours.cost(spoken(20))
    figures.append(Figure(name="CPU while held, of one core", value=100 * share, unit="%"))
    ours.speech.end()
    await asyncio.wait(ours.speech._tasks)
    return figures


def main(_: Sequence[str] = ()) -> int:
    """Measure, print, keep."""
    with tempfile.TemporaryDirectory() as cache:
        folder = speech_model(Path(cache))
        with virtual_microphone() as microphone:
            figures = first_sample(microphone)
        figures += asyncio.run(decoder_figures(folder))
        figures += gui_lag(folder)
    return report("voice", figures)


if __name__ == "__main__":
    sys.exit(main())

"""A microphone without hardware: a PulseAudio of our own that hears what we play.

Its only way in and out is a socket in a temporary folder; it is ended by its process.
"""

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

_START_LIMIT_S = 30.0
_LOOK_S = 0.05


class VirtualMicrophone:
    """Hears what `say` plays; can be pulled out and plugged in again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server: subprocess.Popen[bytes] | None = None
        self.env: Mapping[str, str] = {"PULSE_SERVER": f"unix:{folder}/native"}

    def plug_in(self) -> None:
        """Start the PulseAudio that it is."""
        self._server = _start(self._folder)
        _until_it_answers(self, self._server)
        self._run("pactl", "set-default-sink", "vmic")
        self._run("pactl", "set-default-source", "vmic_src")

    def pull_out(self) -> None:
        """Kill it, whoever listens."""
        if self._server is not None:
            self._server.kill()
            self._server.wait()
            self._server = None
            (self._folder / "native").unlink(missing_ok=True)

    def say(self, clip: Path) -> None:
        """Play a clip into the microphone, to its end."""
        self._run("paplay", str(clip))

    def play(self, samples: "npt.NDArray[np.float32]", rate: int) -> None:
        """Play samples into the microphone, to their end."""
        path = self._folder / "played.wav"
        soundfile.write(path, samples, rate, subtype="PCM_16")
        self.say(path)

    def listeners(self) -> int:
        """Count who listens to it now."""
        return len(self._run("pactl", "list", "short", "source-outputs").splitlines()) - 1

    def _run(self, *argv: str) -> str:
        env = {**os.environ, **self.env}
        done = subprocess.run(argv, env=env, capture_output=True, text=True, check=True)
        return done.stdout


@contextmanager
def virtual_microphone() -> Iterator[VirtualMicrophone]:
    """Run a PulseAudio whose default source is what its default sink plays."""
    if shutil.which("pulseaudio") is None:
        pytest.fail("pulseaudio is missing: `make test` installs it, or names its package")
    with tempfile.TemporaryDirectory(prefix="belay-mic-") as name:
        microphone = VirtualMicrophone(Path(name))
        try:
            microphone.plug_in()
            yield microphone
        finally:
            microphone.pull_out()


def _start(folder: Path) -> "subprocess.Popen[bytes]":
    for part in ("run", "state"):
        (folder / part).mkdir(mode=0o700, exist_ok=True)
    modules = (
        f"module-native-protocol-unix socket={folder}/native auth-anonymous=1",
        "module-null-sink sink_name=vmic rate=48000 channels=1",
        "module-null-sink sink_name=trash rate=48000 channels=1",
        "module-remap-source master=vmic.monitor source_name=vmic_src",
        # Without somebody who already listens, the first sample comes two seconds late.
        (
            "module-loopback source=vmic.monitor sink=trash latency_msec=20"
            " source_dont_move=true sink_dont_move=true"
        ),
    )
    argv = ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1"]
    argv += ["--disable-shm=yes", f"--log-target=file:{folder}/log"]
    for module in modules:
        argv += ["-L", module]
    env = {**os.environ, "PULSE_RUNTIME_PATH": f"{folder}/run"}
    env["PULSE_STATE_PATH"] = f"{folder}/state"
    quiet = subprocess.DEVNULL
    return subprocess.Popen(argv, env=env, stdin=quiet, stdout=quiet, stderr=quiet)


def _until_it_answers(microphone: VirtualMicrophone, server: "subprocess.Popen[bytes]") -> None:
    never = threading.Event()
    for _ in range(int(_START_LIMIT_S / _LOOK_S)):
        try:
            microphone._run("pactl", "info")
        except subprocess.CalledProcessError:
            assert server.poll() is None, "pulseaudio ended"
            never.wait(_LOOK_S)
        else:
            return
    pytest.fail("pulseaudio did not start")

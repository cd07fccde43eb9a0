"""The speech child's imports: nothing phones home, nothing heavy comes before it is needed."""

import subprocess
import sys


def test_telemetry_is_off_before_anything_could_send_it() -> None:
    look = (
        "import os, sys, app.voice.worker; "
        "print(os.environ['ORT_DISABLE_TELEMETRY'], 'onnxruntime' in sys.modules,"
        " 'faster_whisper' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "False", "False"]

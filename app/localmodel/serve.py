"""The child: llama.cpp's own OpenAI-compatible server on loopback, until our stdin ends.

It is told everything in one JSON line on stdin, the key included, so that nothing secret is in
its command line; it answers with one JSON line, its address or why there is none. `belay _worker
model` runs it.
"""

import json
import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

MODEL_NAME = "built-in"
# A cancel waits for the batch under way, and for one more while reading: with 64 that is well under
# a second; reading takes 7 % longer than with 256.
BATCH = 64


def main() -> None:
    """Serve until the parent is gone."""
    told = json.loads(sys.stdin.readline())
    voice = _own_stdout()
    try:
        server = _start(told)
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent must hear of it
        _say(voice, {"error": f"{type(error).__name__}: {error}"})
        os._exit(1)
    _say(voice, {"url": f"{server.listening_address}/v1"})
    sys.stdin.read()
    os._exit(0)  # llama.cpp's threads may be in the middle of a token: nothing waits for them


def _own_stdout() -> TextIO:
    """Keep stdout for our own line; whatever native code prints goes to stderr."""
    voice = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return voice


def _say(voice: TextIO, line: Mapping[str, str]) -> None:
    voice.write(json.dumps(line) + "\n")
    voice.flush()


def _start(told: Mapping[str, Any]) -> Any:
    import xllamacpp  # noqa: PLC0415 - the child imports it after it was told what to do

    params = xllamacpp.CommonParams()
    params.model.path = told["model"]
    params.model_alias = [MODEL_NAME]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [told["key"]]
    params.n_ctx = told["context"]
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = BATCH
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = told["threads"]
    params.offline = True
    params.verbosity = -1
    return xllamacpp.Server(params)

"""The speech child: `belay _worker speech`. Loads the model once, then answers frames.

A niced process of its own, because decoding can neither be cancelled nor made to yield: Stop,
Quit and the window never wait for it.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from app.system.frames import Frame
from app.system.worker_side import serve
from app.voice.decoding import Decoder, Heard, speech_spans
from app.voice.utterance import Utterance

_NICENESS = 5


def main() -> None:
    """Serve until the parent is gone."""
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(_NICENESS)
    serve(SpeechWorker().answer)


class SpeechWorker:
    """Answers one request after the other."""

    def __init__(self) -> None:
        self._decoder: Decoder | None = None
        self._utterances: dict[int, Utterance] = {}

    def answer(self, request: Frame) -> Iterator[Frame]:
        """Carry out a request; its answers are frames."""
        body = request.header
        match body["op"]:
            case "load":
                self._decoder = Decoder(
                    Path(body["folder"]), language=body["language"], threads=body["threads"]
                )
                yield Frame()
            case "feed":
                words = self._utterance(body).feed(_samples(request.payload))
                if words is not None:
                    yield Frame(header={"words": words})
            case "finish":
                yield _told(self._utterance(body).finish(_samples(request.payload)))
                self._utterances.pop(body["generation"])
            case "forget":
                self._utterances.pop(body["generation"], None)
            case "decode":
                yield _told(self._loaded().decode(_samples(request.payload)))
            case op:
                raise ValueError(f"asked for {op}")

    def _utterance(self, body: dict[str, Any]) -> Utterance:
        generation = body["generation"]
        if generation not in self._utterances:
            self._utterances[generation] = Utterance(
                decode=self._loaded().decode, find_speech=speech_spans
            )
        return self._utterances[generation]

    def _loaded(self) -> Decoder:
        if self._decoder is None:
            raise RuntimeError("asked before the model was loaded")
        return self._decoder


def _samples(payload: bytes) -> npt.NDArray[np.float32]:
    return np.frombuffer(payload, np.float32)


def _told(heard: Heard) -> Frame:
    return Frame(header={"text": heard.text, "is_sure": heard.is_sure})

"""Words from sound, with Whisper in the shortest window that loses nothing.

Runs in the speech child only: decoding cannot be cancelled, a process can. The encoder's window
is cut to the clip (30 s is its habit, and three times the work); what looks like a loop or like
more than a mouth can say is decoded again in the full window, and called unsure if it stays so.
"""

import os
import zlib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before onnxruntime is imported, or it writes files

import numpy as np
import numpy.typing as npt

RATE: Final = 16_000
Samples = npt.NDArray[np.float32]

_SHORTEST_S: Final = 0.3
_FULL_WINDOW_S: Final = 30.0
_LONGEST_PIECE_S: Final = 26.0
_LEAD_S: Final = 0.2  # Whisper swallows a word that begins with the recording
_REPETITIVE: Final = 2.4
_CHARACTERS_A_SECOND: Final = 25
_NO_SPEECH: Final = 0.6
_UNLIKELY: Final = -1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What was said; unsure if the guards did not like it."""

    text: str = ""
    is_sure: bool = True


class Decoder:
    """A loaded model."""

    def __init__(self, folder: Path, *, language: str, threads: int) -> None:
        from faster_whisper import WhisperModel  # noqa: PLC0415 - heavy; after the settings above
        from faster_whisper.tokenizer import Tokenizer  # noqa: PLC0415

        self._model: Any = WhisperModel(
            str(folder),
            device="cpu",
            compute_type="int8",
            cpu_threads=threads,
            local_files_only=True,
        )
        self._tokenizer: Any = Tokenizer(
            self._model.hf_tokenizer,
            self._model.model.is_multilingual,
            task="transcribe",
            language=language,
        )

    def decode(self, samples: Samples) -> Heard:
        """Write down what was said, if anything was."""
        if len(samples) < _SHORTEST_S * RATE or not has_speech(samples):
            return Heard()
        heard = [self._decode_piece(piece) for piece in _pieces(samples)]
        text = " ".join(each.text for each in heard if each.text)
        return Heard(text=text, is_sure=all(each.is_sure for each in heard))

    def _decode_piece(self, samples: Samples) -> Heard:
        samples = np.concatenate([np.zeros(int(_LEAD_S * RATE), np.float32), samples])
        seconds = len(samples) / RATE
        text, doubt = self._generate(samples, min(_FULL_WINDOW_S, max(12.0, seconds + 4.0)))
        if is_suspicious(text, seconds):
            text, doubt = self._generate(samples, _FULL_WINDOW_S)
        if doubt:
            return Heard()
        return Heard(text=text, is_sure=not is_suspicious(text, seconds))

    def _generate(self, samples: Samples, window_s: float) -> tuple[str, bool]:
        """Decode in a window; also says whether the model itself doubts that this was speech."""
        padded = np.pad(samples, (0, max(0, int(window_s * RATE) - len(samples))))
        features = self._model.feature_extractor(padded, padding=0)
        result = self._model.model.generate(
            self._model.encode(features),
            [self._model.get_prompt(self._tokenizer, [], without_timestamps=True)],
            beam_size=1,
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        text = self._tokenizer.decode(result.sequences_ids[0]).strip()
        return text, result.no_speech_prob > _NO_SPEECH and result.scores[0] < _UNLIKELY


def is_suspicious(text: str, seconds: float) -> bool:
    """Say whether a text looks like a decoder's loop rather than like speech."""
    data = text.encode()
    repeats = len(data) / max(1, len(zlib.compress(data))) > _REPETITIVE
    return repeats or len(text) > _CHARACTERS_A_SECOND * seconds + 20


def has_speech(samples: Samples) -> bool:
    """Say whether anybody speaks."""
    return bool(speech_spans(samples))


def speech_spans(samples: Samples) -> list[tuple[int, int]]:
    """Find where somebody speaks, as sample ranges."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps  # noqa: PLC0415 - heavy

    options = VadOptions(min_silence_duration_ms=150, speech_pad_ms=30)
    return [(span["start"], span["end"]) for span in get_speech_timestamps(samples, options)]


def _pieces(samples: Samples) -> list[Samples]:
    """Cut what is longer than a window where nobody speaks."""
    longest = int(_LONGEST_PIECE_S * RATE)
    pieces: list[Samples] = []
    while len(samples) > longest:
        cut = _quiet_cut(samples[:longest])
        pieces.append(samples[:cut])
        samples = samples[cut:]
    return [*pieces, samples]


def _quiet_cut(samples: Samples) -> int:
    """Find the middle of the longest pause in the last two thirds."""
    spans = speech_spans(samples)
    pauses = [
        (after - end, (end + after) // 2)
        for (_, end), (after, _) in pairwise(spans)
        if end > len(samples) // 3
    ]
    return max(pauses)[1] if pauses else len(samples)

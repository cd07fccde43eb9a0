"""A person who holds the talk key and speaks, at the real window with a virtual microphone."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from app.core.messages import Message, Origin
from tests.e2e import stored
from tests.e2e.hand import Hand, until
from tests.harness.microphone import VirtualMicrophone
from tests.harness.words import errors, words

SPEECH = Path(__file__).parents[1] / "speech"
TRUTH: dict[str, str] = json.loads((SPEECH / "transcripts.json").read_text())
KEY = "F9"
_LIKE = 0.35  # what was heard may differ from what was said by this share of its words


class Speaker:
    """Hands on the keyboard, a mouth at the microphone, and an eye on what comes of it."""

    def __init__(self, *, hand: Hand, microphone: VirtualMicrophone, home: Path) -> None:
        self.hand = hand
        self.home = home
        self._microphone = microphone
        self._others = microphone.listeners()

    def open(self) -> None:
        """Open the window where this microphone can be heard."""
        self.hand.open(**self._microphone.env)

    def speak(self, clip: str) -> None:
        """Hold the key, say a clip, let go; the words are not there yet."""
        with self.holding():
            self.say(clip)
        until(lambda: not self.is_listened_to, "the microphone is closed")

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Hold the key; the block begins once the first sound of it is on disk."""
        before = set(self.clips())
        self.hand.hold(KEY)
        try:
            until(lambda: any(_has_sound(c) for c in set(self.clips()) - before), "it listens")
            yield
        finally:
            self.hand.let_go(KEY)

    def say(self, clip: str) -> None:
        """Say a clip, to its end."""
        self._microphone.say(SPEECH / f"{clip}.wav")

    def say_nothing(self) -> None:
        """Play a second of silence."""
        self._microphone.play(np.zeros(16_000, np.float32), 16_000)

    def wait_for_listening(self) -> None:
        """Wait until Belay listens, as PulseAudio tells it."""
        until(lambda: self.is_listened_to, "the microphone is open")

    @property
    def is_listened_to(self) -> bool:
        """Say whether somebody besides PulseAudio itself listens."""
        return self._microphone.listeners() > self._others

    def until_closed(self) -> None:
        """Wait until nobody listens and no recording is left."""
        until(lambda: not self.is_listened_to, "the microphone is closed")
        until(lambda: not self.clips(), "the recordings are gone")

    def clips(self) -> list[Path]:
        """List the recordings on disk."""
        return list((self.home / "data" / "clips").glob("*"))

    def spoken(self) -> list[Message]:
        """List the spoken messages on the visible path of the newest conversation."""
        found = stored.messages_so_far(self.home)
        return [message for message in found if message.origin is Origin.SPOKEN]


def _has_sound(clip: Path) -> bool:
    try:
        return clip.stat().st_size > 0
    except FileNotFoundError:
        return False


def is_like(heard: str, clip: str) -> bool:
    """Say whether a text is what the clip says, give or take what a decoder mishears."""
    said = words(TRUTH[clip])
    return errors(words(heard), said) <= _LIKE * len(said)


def install_model(source: Path, home: Path) -> None:
    """Give a home the joined speech model without joining it once more."""
    target = home / "cache" / "speech" / "whisper-base"
    target.parent.mkdir(parents=True, mode=0o700)
    shutil.copytree(source, target, copy_function=os.link)

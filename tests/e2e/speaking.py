"""A person who holds the talk key and speaks, at the real window with a virtual microphone.

A room is a window that several tests use one after the other, each in a conversation of its own:
the speech model is loaded once. What breaks the window gets one for itself.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from app.core.messages import Message, Origin
from tests.e2e import stored
from tests.e2e.hand import Hand, until
from tests.fakes.log import Log
from tests.fakes.server import FakeServer
from tests.harness import environment
from tests.harness.microphone import VirtualMicrophone
from tests.harness.process import LIMIT_S, BelayProcess, belay_argv
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
    def decoder(self) -> psutil.Process:
        """The speech child of the window."""
        assert self.hand.belay is not None
        (decoder,) = self.hand.belay.workers("speech")
        return decoder

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


@dataclass(frozen=True, slots=True)
class Room:
    """A person at an open window, and the server that the window asks."""

    speaker: Speaker
    server: FakeServer

    def begin(self) -> None:
        """Turn to a new conversation, as if nothing had been before."""
        self.speaker.hand.let_go(KEY)
        self.speaker.hand.press("Escape", "Escape", "ctrl+a", "BackSpace")
        until(lambda: not stored.draft_so_far(self.speaker.home), "nothing is half written")
        self.speaker.until_closed()
        self.server.clear()
        self.speaker.hand.press("ctrl+n")

    def ask(self, text: str, gate: str = "gate") -> None:
        """Type a question and wait until its answer stands at its gate."""
        self.speaker.hand.type(text)
        self.speaker.hand.press("Return")
        self.server.log.wait_for(lambda log: gate in log.gates_reached, LIMIT_S)

    def wait_for_chats(self, count: int) -> None:
        """Wait until this many requests have come."""
        self.server.log.wait_for(lambda log: len(log.chats) == count, LIMIT_S)

    def start_again(self) -> int:
        """Start Belay once more beside the window; give its exit code."""
        first = self.speaker.hand.belay
        second = self.speaker.hand.launch()
        self.speaker.hand.belay = first
        return second.wait()

    @property
    def last_words(self) -> str:
        """Give the last message of the last request."""
        return last_words(self.server.log)

    def until_drafted(self, holds: Callable[[str], object]) -> str:
        """Wait until the text in the composer is as wished; give it."""
        until(lambda: holds(stored.draft_so_far(self.speaker.home)), "the words are added")
        return stored.draft_so_far(self.speaker.home)

    def until_stored(self, *texts: str) -> tuple[Message, ...]:
        """Wait until the conversation on the page is this, answers whole; give its messages."""

        def said() -> list[str]:
            return [message.text for message in stored.messages_so_far(self.speaker.home)]

        until(lambda: said() == list(texts), f"the conversation is {texts}")
        return stored.messages_so_far(self.speaker.home)


@contextmanager
def room(
    *, folder: Path, display: str, microphone: VirtualMicrophone, model: Path
) -> Iterator[Room]:
    """Open a window for the length of a `with` block; it must end well."""
    home, started = folder / "home", list[BelayProcess]()

    def start(*args: str, env: Mapping[str, str]) -> BelayProcess:
        inherited = {k: v for k, v in os.environ.items() if not environment.is_foreign(k)}
        everything = {**inherited, "BELAY_HOME": str(home), **env}
        started.append(BelayProcess(belay_argv(*args), everything, folder))
        return started[-1]

    install_model(model, home)
    with FakeServer() as server:
        hand = Hand(start=start, display=display, server=server)
        speaker = Speaker(hand=hand, microphone=microphone, home=home)
        try:
            speaker.open()
            yield Room(speaker, server)
            assert hand.quit() == 0
        finally:
            for process in started:
                process.kill_tree()


def last_words(log: Log) -> str:
    """Give the last message of the last request."""
    said: str = log.chats[-1].messages[-1]["content"]
    return said


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

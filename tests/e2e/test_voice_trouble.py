"""Hold to talk when things break under it: no words are lost, and nothing listens on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.voice.weights import speech_model
from tests.e2e import stored
from tests.e2e.hand import Hand, until
from tests.e2e.speaking import KEY, TRUTH, Speaker, install_model, is_like, last_words
from tests.fakes.script import saying
from tests.fakes.server import FakeServer
from tests.harness.microphone import VirtualMicrophone, virtual_microphone
from tests.harness.process import LIMIT_S
from tests.harness.words import errors, words


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Join the speech model once for all."""
    return speech_model(tmp_path_factory.mktemp("speech"))


@pytest.fixture
def fragile() -> Iterator[VirtualMicrophone]:
    """Give a microphone that a test may break."""
    with virtual_microphone() as running:
        yield running


@pytest.fixture
def speaker(
    hand: Hand, fragile: VirtualMicrophone, belay_home: Path, model: Path
) -> Iterator[Speaker]:
    """Give a person in front of an open window."""
    install_model(model, belay_home)
    person = Speaker(hand=hand, microphone=fragile, home=belay_home)
    person.open()
    yield person
    hand.let_go(KEY)


def has_looked(speaker: Speaker) -> bool:
    """Say whether Belay has come as far as looking for microphones, which it does last."""
    assert speaker.hand.belay is not None
    return "libportaudio" in Path(f"/proc/{speaker.hand.belay.pid}/maps").read_text()


def test_without_a_microphone_the_window_works_and_typing_does(
    hand: Hand, belay_home: Path, server: FakeServer
) -> None:
    server.script(saying("Yes."))
    hand.open(PULSE_SERVER="unix:/nonexistent/native")
    hand.hold(KEY)
    hand.let_go(KEY)
    hand.type("Are you there?")
    hand.press("Return")
    server.log.wait_for(lambda log: log.chats)
    assert hand.quit() == 0
    assert not list((belay_home / "data" / "clips").glob("*"))


def test_words_are_kept_when_the_microphone_goes_and_it_is_heard_again_when_it_is_back(
    speaker: Speaker, fragile: VirtualMicrophone, server: FakeServer
) -> None:
    with speaker.holding():
        speaker.say("shorter")
        fragile.pull_out()
        until(lambda: stored.draft_so_far(speaker.home), "the words are in the composer")
    until(lambda: not speaker.clips(), "the recording is gone")
    assert is_like(stored.draft_so_far(speaker.home), "shorter")
    assert server.log.chats == []
    fragile.plug_in()
    speaker.hand.press("ctrl+a", "BackSpace")
    speaker.speak("what-time")
    server.log.wait_for(lambda log: log.chats, LIMIT_S)
    assert is_like(last_words(server.log), "what-time")
    speaker.until_closed()
    assert speaker.hand.quit() == 0


def test_recordings_that_quit_and_kill_9_left_are_offered_and_written_down(
    speaker: Speaker, server: FakeServer
) -> None:
    with speaker.holding():
        speaker.say("shorter")
        assert speaker.hand.quit() == 0
    until(lambda: not speaker.is_listened_to, "the microphone is closed")
    assert len(speaker.clips()) == 1
    speaker.open()
    with speaker.holding():
        speaker.say("what-time")
        speaker.hand.kill()
    until(lambda: not speaker.is_listened_to, "the microphone is closed")
    assert len(speaker.clips()) == 2
    speaker.open()
    until(lambda: has_looked(speaker), "what earlier runs left is known")
    speaker.hand.press("shift+Tab", "space")  # Try again stands right before Message
    until(lambda: not speaker.clips(), "the recordings are gone")
    said = words(TRUTH["shorter"]) + words(TRUTH["what-time"])
    assert errors(words(stored.draft_so_far(speaker.home)), said) <= 0.35 * len(said)
    assert speaker.hand.quit() == 0
    assert server.log.chats == []


def test_words_spoken_while_the_speech_model_loads_are_not_lost(
    hand: Hand, microphone: VirtualMicrophone, belay_home: Path, server: FakeServer
) -> None:
    speaker = Speaker(hand=hand, microphone=microphone, home=belay_home)
    speaker.open()  # nothing is joined yet: that takes longer than the clip
    speaker.speak("shorter")
    server.log.wait_for(lambda log: log.chats, LIMIT_S)
    assert is_like(last_words(server.log), "shorter")
    speaker.until_closed()
    assert hand.quit() == 0

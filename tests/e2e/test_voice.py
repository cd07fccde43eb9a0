"""Hold to talk in the real window: spoken words land as surely as typed ones."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.messages import Ending, Role
from app.voice.weights import speech_model
from tests.e2e import stored
from tests.e2e.hand import Hand, until
from tests.e2e.speaking import KEY, Speaker, install_model, is_like
from tests.fakes.script import failing, gated, saying
from tests.fakes.server import FakeServer
from tests.harness.microphone import VirtualMicrophone


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Join the speech model once for all."""
    return speech_model(tmp_path_factory.mktemp("speech"))


@pytest.fixture
def speaker(
    hand: Hand, microphone: VirtualMicrophone, belay_home: Path, model: Path
) -> Iterator[Speaker]:
    """Give a person in front of an open window."""
    install_model(model, belay_home)
    person = Speaker(hand=hand, microphone=microphone, home=belay_home)
    person.open()
    yield person
    hand.let_go(KEY)


def ask(speaker: Speaker, server: FakeServer, text: str, gate: str = "gate") -> None:
    """Type a question and wait until its answer stands at its gate."""
    speaker.hand.type(text)
    speaker.hand.press("Return")
    server.log.wait_for(lambda log: gate in log.gates_reached)


def last_words(server: FakeServer) -> str:
    """Give the last message of the last request."""
    said: str = server.log.chats[-1].messages[-1]["content"]
    return said


def test_spoken_words_redirect_a_running_answer(speaker: Speaker, server: FakeServer) -> None:
    server.script(gated("First ", "never", "one"), saying("Second."))
    ask(speaker, server, "Tell me everything.", "one")
    speaker.speak("shorter")
    server.log.wait_for(lambda log: len(log.chats) == 2)
    server.log.wait_for(lambda log: log.chats[0].connection.closed_at is not None)
    assert is_like(last_words(server), "shorter")
    speaker.until_closed()
    assert speaker.hand.quit() == 0
    _, cut, spoken, answer = stored.messages(speaker.home)
    assert cut.ending is Ending.REDIRECTED
    assert [spoken] == speaker.spoken()
    assert spoken.text == last_words(server)
    assert answer.ending is Ending.COMPLETE


def test_spoken_words_are_sent_when_nothing_runs(speaker: Speaker, server: FakeServer) -> None:
    server.script(saying("Ten."))
    speaker.speak("what-time")
    server.log.wait_for(lambda log: log.chats)
    assert is_like(last_words(server), "what-time")
    speaker.until_closed()
    assert speaker.hand.quit() == 0
    assert [message.text for message in speaker.spoken()] == [last_words(server)]


def test_spoken_words_redirect_while_a_retry_waits(speaker: Speaker, server: FakeServer) -> None:
    server.script(failing(503, retry_after="30"), saying("Done."))
    speaker.hand.type("Are you there?")
    speaker.hand.press("Return")
    server.log.wait_for(lambda log: log.chats)
    speaker.speak("python-instead")
    server.log.wait_for(lambda log: len(log.chats) == 2)
    assert is_like(last_words(server), "python-instead")
    speaker.until_closed()
    assert speaker.hand.quit() == 0
    assert len(server.log.chats) == 2


def test_three_clips_in_a_row_keep_their_order(speaker: Speaker, server: FakeServer) -> None:
    clips = ("shorter", "what-time", "python-instead")
    server.script(*(gated("Some ", "never", f"gate {n}") for n in range(3)), saying("Done."))
    ask(speaker, server, "Tell me everything.", "gate 0")
    for clip in clips:
        speaker.speak(clip)
    until(lambda: len(speaker.spoken()) == 3, "all three are in the conversation")
    speaker.until_closed()
    assert speaker.hand.quit() == 0
    spoken = speaker.spoken()
    assert all(is_like(m.text, clip) for m, clip in zip(spoken, clips, strict=True))
    contents = [m["content"] for m in server.log.chats[-1].messages if m["role"] == "user"]
    assert [m.text for m in spoken] == contents[1:]
    assert server.log.violations == []


def test_words_spoken_while_the_speech_model_loads_are_not_lost(
    hand: Hand, microphone: VirtualMicrophone, belay_home: Path, server: FakeServer
) -> None:
    speaker = Speaker(hand=hand, microphone=microphone, home=belay_home)
    speaker.open()  # nothing is joined yet: that takes longer than the clip
    speaker.speak("shorter")
    server.log.wait_for(lambda log: log.chats, limit_s=60)
    assert is_like(last_words(server), "shorter")
    speaker.until_closed()
    assert hand.quit() == 0


def test_an_answer_that_ends_while_the_person_speaks_is_kept_whole(
    speaker: Speaker, server: FakeServer
) -> None:
    server.script(gated("The rope ", "holds."), saying("Second."))
    ask(speaker, server, "Does it hold?")
    with speaker.holding():
        server.release()
        until(lambda: stored.messages_so_far(speaker.home)[-1].text == "The rope holds.", "its end")
        speaker.say("shorter")
    server.log.wait_for(lambda log: len(log.chats) == 2)
    speaker.until_closed()
    assert speaker.hand.quit() == 0
    answers = [m for m in stored.messages(speaker.home) if m.role is Role.ASSISTANT]
    assert [answer.ending for answer in answers] == [Ending.COMPLETE, Ending.COMPLETE]
    assert is_like(last_words(server), "shorter")


def test_silence_changes_nothing(speaker: Speaker, server: FakeServer) -> None:
    server.script(gated("The rope ", "holds."))
    ask(speaker, server, "Does it hold?")
    with speaker.holding():
        until(speaker.clips, "a recording is on disk")
        speaker.say_nothing()
    speaker.until_closed()
    server.release()
    until(lambda: stored.messages_so_far(speaker.home)[-1].text == "The rope holds.", "its end")
    assert speaker.hand.quit() == 0
    assert len(server.log.chats) == 1
    assert len(stored.messages(speaker.home)) == 2


def test_words_join_the_text_in_the_composer_and_are_not_sent(
    speaker: Speaker, server: FakeServer
) -> None:
    speaker.hand.type("Please: ")
    speaker.speak("shorter")
    until(lambda: len(stored.draft_so_far(speaker.home)) > len("Please: "), "the words are added")
    speaker.until_closed()
    draft = stored.draft_so_far(speaker.home)
    assert draft.startswith("Please: ")
    assert is_like(draft.removeprefix("Please: "), "shorter")
    assert speaker.hand.quit() == 0
    assert server.log.chats == []


def test_esc_discards_and_the_answer_goes_on(speaker: Speaker, server: FakeServer) -> None:
    server.script(gated("The rope ", "holds."))
    ask(speaker, server, "Does it hold?")
    with speaker.holding():
        speaker.say("shorter")
        speaker.hand.press("Escape")
        speaker.until_closed()
    server.release()
    until(lambda: stored.messages_so_far(speaker.home)[-1].text == "The rope holds.", "its end")
    assert speaker.hand.quit() == 0
    assert len(server.log.chats) == 1


def test_a_tap_latches_and_the_next_tap_sends(speaker: Speaker, server: FakeServer) -> None:
    server.script(saying("Ten."))
    speaker.hand.press(KEY)
    speaker.wait_for_listening()
    speaker.say("what-time")
    assert speaker.is_listened_to
    speaker.hand.press(KEY)
    server.log.wait_for(lambda log: log.chats)
    assert is_like(last_words(server), "what-time")
    speaker.until_closed()
    assert speaker.hand.quit() == 0


def test_words_go_to_the_composer_when_the_window_loses_the_focus(
    speaker: Speaker, server: FakeServer
) -> None:
    with speaker.holding():
        speaker.say("shorter")
        speaker.hand.look_away()
        until(lambda: stored.draft_so_far(speaker.home), "the words are in the composer")
    speaker.until_closed()
    assert is_like(stored.draft_so_far(speaker.home), "shorter")
    speaker.hand.look_back()
    assert speaker.hand.quit() == 0
    assert server.log.chats == []

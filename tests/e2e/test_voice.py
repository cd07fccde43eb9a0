"""Hold to talk in the real window: spoken words land as surely as typed ones."""

from collections.abc import Iterator

import pytest

from app.core.messages import Ending, Role
from app.voice.weights import speech_model
from tests.e2e import stored
from tests.e2e.hand import until
from tests.e2e.speaking import KEY, Room, Speaker, is_like, room
from tests.fakes.script import ToolCall, calling, failing, gated, saying
from tests.harness.microphone import VirtualMicrophone

_RELOAD_LIMIT_S = 180.0  # the child is loaded anew, niced, on a machine that may be busy


@pytest.fixture(scope="module")
def shared(
    tmp_path_factory: pytest.TempPathFactory, display: str, microphone: VirtualMicrophone
) -> Iterator[Room]:
    """Open one window for all."""
    folder = tmp_path_factory.mktemp("room")
    model = speech_model(tmp_path_factory.mktemp("speech"))
    with room(folder=folder, display=display, microphone=microphone, model=model) as opened:
        yield opened


@pytest.fixture
def here(shared: Room) -> Room:
    """Give a person in front of a new conversation."""
    shared.begin()
    return shared


@pytest.fixture
def speaker(here: Room) -> Speaker:
    """Give the person alone."""
    return here.speaker


def test_spoken_words_redirect_a_running_answer(here: Room, speaker: Speaker) -> None:
    here.server.script(gated("First ", "never", "one"), saying("Second."))
    here.ask("Tell me everything.", "one")
    speaker.speak("shorter")
    here.wait_for_chats(2)
    here.server.log.wait_for(lambda log: log.chats[0].connection.closed_at is not None)
    assert is_like(here.last_words, "shorter")
    speaker.until_closed()
    said = here.last_words
    _, cut, spoken, _ = here.until_stored("Tell me everything.", "First ", said, "Second.")
    assert cut.ending is Ending.REDIRECTED
    assert [spoken] == speaker.spoken()


def test_spoken_words_are_sent_when_nothing_runs(here: Room, speaker: Speaker) -> None:
    here.server.script(saying("Ten."))
    speaker.speak("what-time")
    here.wait_for_chats(1)
    assert is_like(here.last_words, "what-time")
    speaker.until_closed()
    here.until_stored(here.last_words, "Ten.")
    assert [message.text for message in speaker.spoken()] == [here.last_words]


def test_spoken_words_redirect_while_a_retry_waits(here: Room, speaker: Speaker) -> None:
    here.server.script(failing(503, retry_after="30"), saying("Done."))
    speaker.hand.type("Are you there?")
    speaker.hand.press("Return")
    here.wait_for_chats(1)
    speaker.speak("shorter")
    here.wait_for_chats(2)
    question, words = here.last_words.split("\n\n")  # both are unanswered: they go together
    assert question == "Are you there?"
    assert is_like(words, "shorter")
    speaker.until_closed()


def test_spoken_words_redirect_between_a_tool_and_its_answer(here: Room, speaker: Speaker) -> None:
    call = ToolCall("current_time")
    here.server.script(calling(call), gated("It is ", "never", "two"), saying("Done."))
    here.ask("What time is it?", "two")
    speaker.speak("shorter")
    here.wait_for_chats(3)
    assert is_like(here.last_words, "shorter")
    assert here.server.log.violations == []
    assert [m["role"] for m in here.server.log.chats[2].messages[-3:]] == [
        "tool",
        "assistant",
        "user",
    ]
    speaker.until_closed()


def test_three_clips_in_a_row_keep_their_order(here: Room, speaker: Speaker) -> None:
    clips = ("shorter", "what-time", "shorter")
    here.server.script(*(gated("Some ", "never", f"gate {n}") for n in range(3)), saying("Done."))
    here.ask("Tell me everything.", "gate 0")
    for clip in clips:
        speaker.speak(clip)
    until(lambda: len(speaker.spoken()) == 3, "all three are in the conversation")
    speaker.until_closed()
    spoken = speaker.spoken()
    assert all(is_like(m.text, clip) for m, clip in zip(spoken, clips, strict=True))

    def asked() -> list[str]:
        messages = here.server.log.chats[-1].messages
        return [m["content"] for m in messages if m["role"] == "user"]

    until(lambda: asked()[1:] == [m.text for m in spoken], "the last request has all of them")
    assert here.server.log.violations == []


def test_an_answer_that_ends_while_the_person_speaks_is_kept_whole(
    here: Room, speaker: Speaker
) -> None:
    here.server.script(gated("The rope ", "holds."), saying("Second."))
    here.ask("Does it hold?")
    with speaker.holding():
        here.server.release()
        here.until_stored("Does it hold?", "The rope holds.")
        speaker.say("shorter")
    here.wait_for_chats(2)
    speaker.until_closed()
    assert is_like(here.last_words, "shorter")
    found = here.until_stored("Does it hold?", "The rope holds.", here.last_words, "Second.")
    answers = [message for message in found if message.role is Role.ASSISTANT]
    assert answers[0].ending is Ending.COMPLETE


def test_silence_changes_nothing(here: Room, speaker: Speaker) -> None:
    here.server.script(gated("The rope ", "holds."))
    here.ask("Does it hold?")
    with speaker.holding():
        speaker.say_nothing()
    speaker.until_closed()
    here.server.release()
    here.until_stored("Does it hold?", "The rope holds.")
    assert len(here.server.log.chats) == 1


def test_words_join_the_text_in_the_composer_and_are_not_sent(here: Room, speaker: Speaker) -> None:
    speaker.hand.type("Please: ")
    speaker.speak("shorter")
    draft = here.until_drafted(lambda text: len(text) > len("Please: "))
    speaker.until_closed()
    assert draft.startswith("Please: ")
    assert is_like(draft.removeprefix("Please: "), "shorter")
    assert here.server.log.chats == []


def test_esc_discards_and_the_answer_goes_on(here: Room, speaker: Speaker) -> None:
    here.server.script(gated("The rope ", "holds."))
    here.ask("Does it hold?")
    with speaker.holding():
        speaker.say("shorter")
        speaker.hand.press("Escape")
        speaker.until_closed()
    here.server.release()
    here.until_stored("Does it hold?", "The rope holds.")
    assert len(here.server.log.chats) == 1


def test_a_tap_latches_and_the_next_tap_sends(here: Room, speaker: Speaker) -> None:
    here.server.script(saying("Ten."))
    speaker.hand.press(KEY)
    speaker.wait_for_listening()
    speaker.say("what-time")
    assert speaker.is_listened_to
    speaker.hand.press(KEY)
    here.wait_for_chats(1)
    assert is_like(here.last_words, "what-time")
    speaker.until_closed()


def test_words_go_to_the_composer_when_the_window_loses_the_focus(
    here: Room, speaker: Speaker
) -> None:
    with speaker.holding():
        speaker.say("shorter")
        speaker.hand.look_away()
        draft = here.until_drafted(bool)
    speaker.hand.look_back()
    speaker.until_closed()
    assert is_like(draft, "shorter")
    assert here.server.log.chats == []


def test_words_go_to_the_conversation_that_was_open_at_the_press(
    here: Room, speaker: Speaker
) -> None:
    here.server.script(gated("First ", "never", "one"), saying("Second."))
    here.ask("Tell me everything.", "one")
    with speaker.holding():
        speaker.hand.press("ctrl+n")
        speaker.say("shorter")
    here.wait_for_chats(2)
    asked = [m["content"] for m in here.server.log.chats[1].messages if m["role"] == "user"]
    assert asked[0] == "Tell me everything."
    assert is_like(asked[1], "shorter")
    speaker.until_closed()


def test_a_second_start_while_the_person_speaks_loses_no_words(
    here: Room, speaker: Speaker
) -> None:
    here.server.script(saying("Done."))
    with speaker.holding():
        speaker.say("shorter")
        assert here.start_again() == 0
    until(lambda: here.server.log.chats or stored.draft_so_far(speaker.home), "the words landed")
    landed = stored.draft_so_far(speaker.home) or here.last_words
    assert is_like(landed, "shorter")
    speaker.until_closed()


def test_a_decoder_that_is_killed_loses_no_words(here: Room, speaker: Speaker) -> None:
    here.server.script(saying("Done."))
    with speaker.holding():
        speaker.say("python-instead")
        speaker.decoder.kill()
    here.server.log.wait_for(lambda log: log.chats, _RELOAD_LIMIT_S)
    assert is_like(here.last_words, "python-instead")
    speaker.until_closed()


def test_presses_in_quick_succession_leave_no_microphone_open(here: Room, speaker: Speaker) -> None:
    speaker.hand.press(*["F9"] * 20, delay_ms=120)  # shorter ones X11 could have made itself
    speaker.hand.press("Escape")
    speaker.until_closed()
    assert here.server.log.chats == []

"""Where spoken words go."""

import pytest

from app.core.ids import ConversationId, MessageId
from app.core.voice import Force, VoiceChanged, VoiceHeard, VoicePhase
from app.ui.voice.landing import Landing, is_stop, landing
from app.ui.voice.words import landed_words, newest, state_words


def heard(text: str, *, sure: bool = True, force: Force | None = None) -> VoiceHeard:
    return VoiceHeard(
        clip_id=MessageId("c"),
        conversation_id=ConversationId("d"),
        text=text,
        is_sure=sure,
        force=force,
    )


@pytest.mark.parametrize(
    ("said", "has_text", "expected"),
    [
        (heard("Make it shorter."), False, Landing.SEND),
        (heard("Make it shorter."), True, Landing.ADD),
        (heard("Make it shorter.", sure=False), False, Landing.CHECK),
        (heard("Make it shorter.", force=Force.FOCUS_LOST), False, Landing.CHECK),
        (heard("Make it shorter.", force=Force.TIME_LIMIT), True, Landing.ADD),
        (heard(""), False, Landing.NOTHING),
        (heard("  "), True, Landing.NOTHING),
        (heard("Stop."), False, Landing.STOP),
        (heard("stop, stop!"), True, Landing.STOP),
        (heard("Stop.", force=Force.DEVICE_GONE), False, Landing.CHECK),
        (heard("Stop that."), False, Landing.SEND),
    ],
)
def test_words_land_where_a_person_expects_them(
    said: VoiceHeard, has_text: bool, expected: Landing
) -> None:
    assert landing(said, has_text=has_text) is expected


def test_only_the_word_stop_is_an_order() -> None:
    assert is_stop("STOP")
    assert not is_stop("")
    assert not is_stop("unstoppable")


def test_it_never_says_listening_before_sound_arrives() -> None:
    arming = VoiceChanged(phase=VoicePhase.ARMING)
    early = state_words(arming, for_s=0.1, is_busy=False, has_text=False, verb="redirect")
    late = state_words(arming, for_s=0.3, is_busy=False, has_text=False, verb="redirect")
    assert (early, late) == ("", "Opening the microphone…")


@pytest.mark.parametrize(
    ("latched", "is_busy", "has_text", "expected"),
    [
        (False, True, False, "Listening · release to redirect · Esc to discard"),
        (False, False, False, "Listening · release to send · Esc to discard"),
        (True, False, False, "Listening · tap to send · Esc to discard"),
        (False, True, True, "Listening · release to add · Esc to discard"),
    ],
)
def test_listening_says_what_the_end_will_do(
    latched: bool, is_busy: bool, has_text: bool, expected: str
) -> None:
    changed = VoiceChanged(phase=VoicePhase.LISTENING, latched=latched)
    said = state_words(changed, for_s=1, is_busy=is_busy, has_text=has_text, verb="redirect")
    assert said == expected


def test_only_the_newest_words_are_shown_and_from_a_whole_one_on() -> None:
    said = " ".join(f"word{n}" for n in range(100))
    shown = newest(said)
    assert len(shown) <= 202
    assert said.endswith(shown.removeprefix("… "))
    assert shown.startswith("… word")
    assert newest("Make it shorter") == "Make it shorter"


def test_silence_says_that_the_answer_goes_on() -> None:
    said = landed_words(Landing.NOTHING, heard(""), is_busy=True)
    assert said == "Nothing heard. The answer goes on."

"""Merged deltas: no word lost, none out of order, few signals."""

import asyncio
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from app.bridge.merging import INTERVAL_S, DeltaMerger
from app.core.events import Completed, Event, ReasoningDelta, TextDelta, TurnEnded, UsageReported
from app.core.ids import ConversationId, MessageId, TurnId
from tests.unit.agent.virtual import run_virtually

Delta = TextDelta | ReasoningDelta


def text(chat: str, words: str, message: str = "") -> TextDelta:
    return TextDelta(
        conversation_id=ConversationId(chat),
        turn_id=TurnId(f"turn {chat}"),
        message_id=MessageId(message or f"answer {chat}"),
        text=words,
    )


def thought(chat: str, words: str) -> ReasoningDelta:
    return ReasoningDelta(
        conversation_id=ConversationId(chat),
        turn_id=TurnId(f"turn {chat}"),
        message_id=MessageId(f"answer {chat}"),
        text=words,
    )


def usage(chat: str) -> UsageReported:
    return UsageReported(
        conversation_id=ConversationId(chat),
        turn_id=TurnId(f"turn {chat}"),
        prompt_tokens=1,
        completion_tokens=1,
    )


def ended(chat: str) -> TurnEnded:
    return TurnEnded(
        conversation_id=ConversationId(chat),
        turn_id=TurnId(f"turn {chat}"),
        epoch=1,
        outcome=Completed(),
    )


def merged(given: Sequence[tuple[Event, float]]) -> list[Event]:
    """Pass events through, each followed by a pause of virtual time."""
    out: list[Event] = []

    async def scenario() -> None:
        merger = DeltaMerger(loop=asyncio.get_running_loop(), forward=out.append)
        for event, pause_s in given:
            merger.take(event)
            if pause_s:
                await asyncio.sleep(pause_s)
        merger.flush()

    run_virtually(scenario())
    return out


def spelled(events: Sequence[Event], chat: str) -> list[object]:
    """Spell out what one conversation hears: each character of a delta, and other events whole."""
    heard: list[object] = []
    for event in events:
        if getattr(event, "conversation_id", None) != chat:
            continue
        if isinstance(event, TextDelta | ReasoningDelta):
            heard += [(type(event), event.message_id, character) for character in event.text]
        else:
            heard.append(event)
    return heard


chats = st.sampled_from(["a", "b", "c"])
words = st.text("xyz", min_size=1, max_size=3)
events = st.one_of(
    st.builds(text, chats, words),
    st.builds(text, chats, words, st.sampled_from(["one", "two"])),
    st.builds(thought, chats, words),
    st.builds(usage, chats),
    st.builds(ended, chats),
)
pauses = st.sampled_from([0.0, 0.0, 0.0, INTERVAL_S / 3, INTERVAL_S, INTERVAL_S * 3])


@given(st.lists(st.tuples(events, pauses), max_size=40))
def test_each_conversation_hears_the_same_in_the_same_order(
    given_events: list[tuple[Event, float]],
) -> None:
    out = merged(given_events)
    came = [event for event, _ in given_events]
    for chat in ("a", "b", "c"):
        assert spelled(out, chat) == spelled(came, chat)


def test_the_first_words_go_out_at_once_and_the_rest_together() -> None:
    out = merged([(text("a", character), 0.0) for character in "Hello"])
    assert out == [text("a", "H"), text("a", "ello")]


def test_words_after_a_pause_go_out_at_once_again() -> None:
    out: list[Event] = []

    async def scenario() -> None:
        merger = DeltaMerger(loop=asyncio.get_running_loop(), forward=out.append)
        merger.take(text("a", "One"))
        await asyncio.sleep(INTERVAL_S * 3)
        merger.take(text("a", "Two"))
        assert out == [text("a", "One"), text("a", "Two")]

    run_virtually(scenario())


def test_a_thousand_words_cost_one_signal_per_interval() -> None:
    out = merged([(text("a", "word "), INTERVAL_S / 50) for _ in range(1000)])
    assert len(out) < 25
    assert "".join(delta.text for delta in out if isinstance(delta, TextDelta)) == "word " * 1000


def test_conversations_that_stream_at_once_do_not_break_each_other_up() -> None:
    both = [text(chat, character) for character in "Hello" for chat in "ab"]
    out = merged([(delta, 0.0) for delta in both])
    assert out == [text("a", "H"), text("b", "Hello"), text("a", "ello")]


def test_the_end_of_a_turn_lets_out_what_waits_first() -> None:
    out = merged([(text("a", "One"), 0.0), (text("a", " two"), 0.0), (ended("a"), 0.0)])
    assert out == [text("a", "One"), text("a", " two"), ended("a")]

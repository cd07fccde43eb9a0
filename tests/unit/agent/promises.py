"""What must be true of any conversation, however it went; checked on what was told and kept."""

from collections import Counter
from collections.abc import Collection, Iterable

from app.core.events import (
    Event,
    HistoryChanged,
    ReasoningDelta,
    TextDelta,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from app.core.ids import ConversationId, MessageId
from app.core.messages import ReasoningPart, Role, TextPart, Tree


def check_turns(events: Iterable[Event]) -> None:
    """Each turn has one start, first, and one end, last; none runs beside another in its chat."""
    live: dict[ConversationId, TurnStarted] = {}
    over: set[str] = set()
    for event in events:
        if not isinstance(event, TurnEvent):
            continue
        assert event.turn_id not in over, f"after its end: {event}"
        if isinstance(event, TurnStarted):
            assert event.conversation_id not in live, "two live turns"
            live[event.conversation_id] = event
        else:
            assert live[event.conversation_id].turn_id == event.turn_id, f"unborn: {event}"
        if isinstance(event, TurnEnded):
            assert event.epoch == live.pop(event.conversation_id).epoch
            over.add(event.turn_id)
    assert not live, f"never ended: {live}"


def check_places(
    events: Iterable[Event],
    sent: Iterable[MessageId],
    waiting: Iterable[MessageId],
    discarded: Collection[MessageId] = (),
) -> None:
    """Every message is in the history or in the queue, once, unless the person discarded it."""
    added = Counter(m.id for e in events if isinstance(e, HistoryChanged) for m in e.added)
    waits = Counter(waiting)
    for message_id in sent:
        places = added[message_id] + waits[message_id]
        gone = message_id in discarded
        assert places == 1 or (gone and places == 0), f"{message_id} is in {places} places"


def check_words(events: Iterable[Event], tree: Tree) -> None:
    """What was shown of each answer is what was kept of it."""
    shown: dict[MessageId, str] = {}
    thought: dict[MessageId, str] = {}
    for event in events:
        if isinstance(event, TextDelta):
            shown[event.message_id] = shown.get(event.message_id, "") + event.text
        elif isinstance(event, ReasoningDelta):
            thought[event.message_id] = thought.get(event.message_id, "") + event.text
    for message in tree.messages.values():
        if message.role is Role.ASSISTANT:
            kept = "".join(p.text for p in message.parts if isinstance(p, TextPart))
            hidden = "".join(p.text for p in message.parts if isinstance(p, ReasoningPart))
            assert (kept, hidden) == (shown.get(message.id, ""), thought.get(message.id, ""))
    assert {*shown, *thought} <= set(tree.messages), "shown and not kept"

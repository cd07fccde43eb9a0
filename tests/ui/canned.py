"""A conversation to look at: canned events, as the services would send them."""

from app.core.events import (
    ConversationOpened,
    ConversationsChanged,
    Event,
    Outcome,
    QueueChanged,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import ConversationId, MessageId, TurnId
from app.core.messages import (
    Conversation,
    Draft,
    Intent,
    Mark,
    Message,
    Order,
    Role,
    Tree,
    Waiting,
    WaitState,
    text_parts,
)

NOW = 1_760_000_000.0
DAY = 86_400.0
HERE = ConversationId("c1")
TURN = TurnId("t1")

QUESTION = "How do I keep scrolling fast in a chat with thousands of messages of different height?"
ANSWER = """## Short answer

Keep the **height of every message** in a Fenwick tree: finding the row at a scroll offset and \
updating one height are both `O(log n)`, so 10,000 messages open at once. See \
[the paper](https://example.org/fenwick) for the proof.

1. Estimate heights from the text length, without any layout.
2. Measure a row when it first becomes visible.
   - correct the tree,
   - keep the *anchor* row in place.
3. Paint only what is on the screen.

| Operation | List of sums | Fenwick tree |
| --- | ---: | ---: |
| Find row | `O(log n)` | `O(log n)` |
| Set height | `O(n)` | `O(log n)` |
| Append | `O(1)` | `O(log n)` |
"""
CODE = '''Here is the core, with an update and a search:

```python
class Fenwick:
    """Prefix sums with point updates."""
    def __init__(self, n: int) -> None:
        self.tree = [0] * (n + 1)   # 1-based

    def add(self, i: int, delta: float) -> None:
        while i < len(self.tree):
            self.tree[i] += delta
            i += i & -i

    def find(self, y: float) -> int:
        pos, step = 0, 1 << len(self.tree).bit_length()
```
'''


def conversations(now: float = NOW) -> tuple[Conversation, ...]:
    """List a few conversations of different age, with every mark."""
    rows = (
        ("c1", "Fenwick tree for a chat view", 60, Mark.WORKING),
        ("c2", "Trip plan: Lisbon in May", 900, Mark.ANSWERED),
        ("c3", "Why is my query slow?", 4000, Mark.FAILED),
        ("c4", "Rewrite of the cover letter", DAY, Mark.HELD),
        ("c5", "Transcribe meeting 12 Nov", 2 * DAY, Mark.NONE),
        ("c6", "Bread, 75 % hydration", 3 * DAY, Mark.NONE),
        ("c7", "A very long title that cannot fit into the list and must end in dots", 4 * DAY, ""),
        ("c8", "Regex for ISO dates", 40 * DAY, Mark.NONE),
    )
    return tuple(
        Conversation(
            id=ConversationId(key),
            title=title,
            created_at=now - age,
            updated_at=now - age,
            mark=Mark(mark),
        )
        for key, title, age, mark in rows
    )


def message(
    key: str, role: Role, text: str, parent: str | None, *, conversation: ConversationId = HERE
) -> Message:
    """Make one message."""
    return Message(
        id=MessageId(key),
        conversation_id=conversation,
        parent_id=MessageId(parent) if parent else None,
        role=role,
        parts=text_parts(text),
        created_at=NOW,
    )


def tree() -> Tree:
    """Make a short conversation that ends with the person's question."""
    messages = (
        message("m1", Role.USER, QUESTION, None),
        message("m2", Role.ASSISTANT, ANSWER, "m1"),
        message("m3", Role.USER, "Show me the code.", "m2"),
    )
    return Tree(messages={m.id: m for m in messages}, leaf=MessageId("m3"))


def waiting(key: str, text: str, intent: Intent, state: WaitState) -> Waiting:
    """Make one waiting order."""
    order = Order(id=MessageId(key), conversation_id=HERE, parts=text_parts(text))
    return Waiting(order=order, intent=intent, state=state)


def opened(draft: Draft | None = None, *, last_epoch: int = 0) -> ConversationOpened:
    """Open the conversation."""
    return ConversationOpened(
        conversation_id=HERE,
        tree=tree(),
        waiting=(),
        draft=draft or Draft(),
        last_epoch=last_epoch,
    )


def started(epoch: int = 1, *, has_tools: bool = False) -> TurnStarted:
    """Begin a turn."""
    return TurnStarted(
        conversation_id=HERE, turn_id=TURN, epoch=epoch, model="local-7b", has_tools=has_tools
    )


def ended(outcome: Outcome, epoch: int = 8) -> TurnEnded:
    """End a turn."""
    return TurnEnded(conversation_id=HERE, turn_id=TURN, epoch=epoch, outcome=outcome)


def blank(conversation_id: str, draft: Draft | None = None) -> ConversationOpened:
    """Open another conversation, with nothing in it but a draft."""
    return ConversationOpened(
        conversation_id=ConversationId(conversation_id),
        tree=Tree(),
        waiting=(),
        draft=draft or Draft(),
    )


def said(text: str = CODE) -> TextDelta:
    """Say more of the answer."""
    return TextDelta(conversation_id=HERE, turn_id=TURN, message_id=MessageId("m4"), text=text)


def queue(*entries: Waiting) -> QueueChanged:
    """Say what waits."""
    return QueueChanged(conversation_id=HERE, waiting=entries)


def listed(now: float = NOW) -> ConversationsChanged:
    """Say what the sidebar lists."""
    return ConversationsChanged(conversations=conversations(now))


def story() -> tuple[Event, ...]:
    """Tell a conversation in the middle of an answer."""
    return (listed(), opened(), started(), said())

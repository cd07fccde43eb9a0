"""From a conversation's tree to the branch that is shown, looking only at what is new. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from app.core.ids import MessageId
from app.core.messages import Message, Role, ToolResultPart, Tree
from app.ui.transcript.entry import Branch, Entry


class Siblings:
    """Which messages stand beside each other; kept up as a tree grows."""

    def __init__(self) -> None:
        self._known: set[MessageId] = set()
        self._children: dict[MessageId | None, list[Message]] = {}

    def follow(self, tree: Tree, added: Iterable[Message]) -> list[Message]:
        """Take a tree in that grew by `added`; return what is new, which may be everything."""
        new = [message for message in added if message.id not in self._known]
        if len(self._known) + len(new) != len(tree.messages):
            self._known, self._children = set(), {}
            new = list(tree.messages.values())
        for message in new:
            self._known.add(message.id)
            self._children.setdefault(message.parent_id, []).append(message)
        for message in new:
            beside = self._children[message.parent_id]
            if len(beside) > 1:
                beside.sort(key=lambda one: one.created_at)
        return new

    def branch_at(self, message: Message) -> Branch | None:
        """Say where a message stands among its siblings; None when it has none."""
        beside = self._children[message.parent_id]
        if len(beside) == 1:
            return None
        at = next(i for i, one in enumerate(beside) if one.id == message.id)
        return Branch(
            index=at + 1,
            count=len(beside),
            previous=beside[at - 1].id if at else None,
            following=beside[at + 1].id if at + 1 < len(beside) else None,
        )

    def beside(self, message: Message) -> list[Message]:
        """List the messages that have the same parent."""
        return self._children[message.parent_id]


def changed_end(
    tree: Tree, index: Mapping[MessageId, int], entries: Sequence[Entry]
) -> tuple[int, list[Message]]:
    """Find from which entry on the shown branch is other than before, and its messages there."""
    found: list[Message] = []
    at = tree.leaf
    while at is not None:
        message = tree.messages[at]
        known = index.get(at)
        has_new_results = bool(found) and found[-1].role is Role.TOOL
        if known is not None and entries[known].message is message and not has_new_results:
            return known + 1, found[::-1]
        found.append(message)
        at = message.parent_id
    return 0, found[::-1]


def results_after(path: Sequence[Message], at: int) -> tuple[ToolResultPart, ...]:
    """Collect what the tools answered that a message called."""
    found: list[ToolResultPart] = []
    for message in path[at + 1 :]:
        if message.role is not Role.TOOL:
            break
        found += [part for part in message.parts if isinstance(part, ToolResultPart)]
    return tuple(found)


def elsewhere(
    tree: Tree, siblings: Siblings, shown: Mapping[MessageId, int], writing: MessageId
) -> Branch | None:
    """Say which branch an answer is being written in when it is not the one that is shown.

    `following` names the message to select in order to see it.
    """
    if writing in shown or writing not in tree.messages:
        return None
    at = tree.messages[writing]
    while at.parent_id is not None and at.parent_id not in shown:
        at = tree.messages[at.parent_id]
    branch = siblings.branch_at(at)
    return None if branch is None else Branch(branch.index, branch.count, None, at.id)

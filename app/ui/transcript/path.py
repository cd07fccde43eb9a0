"""From a conversation's tree to the entries of the branch that is shown."""

from collections.abc import Callable

from app.core.ids import MessageId
from app.core.messages import Message, Role, ToolResultPart, Tree
from app.ui.transcript.entry import Branch, Entry

Children = dict[MessageId | None, list[Message]]


def children_of(tree: Tree) -> Children:
    """Index the messages by their parent, oldest first."""
    found: Children = {}
    for message in tree.messages.values():
        found.setdefault(message.parent_id, []).append(message)
    for siblings in found.values():
        if len(siblings) > 1:
            siblings.sort(key=lambda message: message.created_at)
    return found


def branch_at(children: Children, message: Message) -> Branch | None:
    """Say where a message stands among its siblings; None when it has none."""
    siblings = children[message.parent_id]
    if len(siblings) == 1:
        return None
    at = next(i for i, sibling in enumerate(siblings) if sibling.id == message.id)
    return Branch(
        index=at + 1,
        count=len(siblings),
        previous=siblings[at - 1].id if at else None,
        following=siblings[at + 1].id if at + 1 < len(siblings) else None,
    )


def shown_path(
    tree: Tree, known: Callable[[Message], Entry | None]
) -> tuple[list[Entry], set[MessageId]]:
    """List the entries from root to leaf, reusing known ones, and which of those changed."""
    children = children_of(tree)
    entries: list[Entry] = []
    changed: set[MessageId] = set()
    path = tree.path()
    for at, message in enumerate(path):
        if message.role is Role.USER or message.role is Role.ASSISTANT:
            entry = known(message)
            if entry is None:
                entry = Entry(message.id, message.role, message, _results(path, at))
            elif entry.adopt(message, _results(path, at)):
                changed.add(message.id)
            branch = branch_at(children, message)
            if branch != entry.branch:
                entry.branch = branch
                changed.add(message.id)
            entries.append(entry)
    return entries, changed


def _results(path: tuple[Message, ...], at: int) -> tuple[ToolResultPart, ...]:
    found: tuple[ToolResultPart, ...] = ()
    for after in range(at + 1, len(path)):
        message = path[after]
        if message.role is not Role.TOOL:
            break
        found += tuple(part for part in message.parts if isinstance(part, ToolResultPart))
    return found


def elsewhere(tree: Tree, shown: set[MessageId], writing: MessageId) -> Branch | None:
    """Say which branch an answer is being written in when it is not the one that is shown.

    `following` names the message to select in order to see it.
    """
    if writing in shown or writing not in tree.messages:
        return None
    at = tree.messages[writing]
    while at.parent_id is not None and at.parent_id not in shown:
        at = tree.messages[at.parent_id]
    branch = branch_at(children_of(tree), at)
    return None if branch is None else Branch(branch.index, branch.count, None, at.id)

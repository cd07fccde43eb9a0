"""What the transcript's buttons stand for: which wish, about which message."""

from dataclasses import dataclass

from app.core.ids import MessageId
from app.ui.transcript.model import TranscriptModel
from app.ui.transcript.rows.base import Deed


@dataclass(frozen=True, slots=True)
class Key:
    """Which button: of which message, in which row, for what."""

    message: MessageId
    row: int
    deed: Deed


def retry_target(model: TranscriptModel, index: int) -> MessageId:
    """Choose the message to be answered again: the beginning of the answer, or the question."""
    entry = model.entries[index]
    if entry.is_person:
        return entry.id
    return model.entries[model.group_of(index)[0]].id


def continue_target(model: TranscriptModel, index: int) -> MessageId:
    """Choose the message to go on from: the end of the answer."""
    return model.entries[model.group_of(index)[1]].id


def branch_target(model: TranscriptModel, index: int, *, later: bool) -> MessageId | None:
    """Choose the message whose branch to show."""
    at = index
    entries = model.entries
    while entries[at].branch is None and at > 0 and not entries[at - 1].is_person:
        at -= 1
    branch = entries[at].branch
    if branch is None:
        return None
    return branch.following if later else branch.previous

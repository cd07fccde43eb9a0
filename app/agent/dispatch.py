"""What each command about a conversation's turns and queue means to its session."""

from typing import assert_never

from app.agent.session import Session
from app.core.commands import (
    BeginListening,
    BeginRevision,
    DiscardWaiting,
    EndListening,
    EndRevision,
    MoveWaiting,
    PromoteWaiting,
    RestoreWaiting,
    SaveDraft,
    SaveEdit,
    SelectBranch,
    SendHeld,
    SessionCommand,
    StopTurn,
    Submit,
)


def carry_out(session: Session, command: SessionCommand) -> None:  # noqa: C901, PLR0912, PLR0915 - a table
    """Do what the command asks of the session."""
    match command:
        case Submit(order=order, intent=intent):
            session.submit(order, intent)
        case StopTurn(epoch=epoch):
            session.stop(epoch)
        case SendHeld():
            session.send_held()
        case PromoteWaiting(message_id=message_id):
            session.promote(message_id)
        case DiscardWaiting(message_ids=message_ids):
            session.discard(message_ids)
        case RestoreWaiting(message_id=message_id):
            session.restore(message_id)
        case BeginRevision(message_id=message_id):
            session.begin_revision(message_id)
        case EndRevision(message_id=message_id, text=text):
            session.end_revision(message_id, text)
        case MoveWaiting(message_id=message_id, index=index):
            session.move(message_id, index)
        case SelectBranch(message_id=message_id):
            session.select_branch(message_id)
        case SaveDraft(draft=draft):
            session.save_draft(draft)
        case SaveEdit(message_id=message_id, text=text):
            session.save_edit(message_id, text)
        case BeginListening():
            session.begin_listening()
        case EndListening():
            session.end_listening()
        case _:
            assert_never(command)

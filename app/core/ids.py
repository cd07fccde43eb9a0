"""Identifiers: opaque strings with a type each, so that one cannot pass for another."""

from typing import NewType
from uuid import uuid4

ConversationId = NewType("ConversationId", str)
MessageId = NewType("MessageId", str)
TurnId = NewType("TurnId", str)
CallId = NewType("CallId", str)


def new_conversation_id() -> ConversationId:
    """Make an id for a new conversation."""
    return ConversationId(uuid4().hex)


def new_message_id() -> MessageId:
    """Make an id for a new message; the front end does, so that it has one name from Enter on."""
    return MessageId(uuid4().hex)


def new_turn_id() -> TurnId:
    """Make an id for a new turn."""
    return TurnId(uuid4().hex)

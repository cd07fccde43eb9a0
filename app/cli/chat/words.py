"""What the chat says: help, captions, lists; pure."""

from typing import Final

from app.cli.problems import explained
from app.cli.sanitise import harmless, one_line
from app.core.events import Failed, Outcome, Stopped, StopReason
from app.core.messages import (
    Conversation,
    Ending,
    Intent,
    Mark,
    Message,
    OrderKind,
    Role,
    Waiting,
    WaitState,
)
from app.core.status_words import receipt
from app.core.wording import caption

HELP: Final = """\
Enter sends; while an answer is written it redirects: stop, answer this instead.
Ctrl-C stops the answer. Alt-Enter breaks the line. Ctrl-D closes Belay.

  /queue TEXT    send after this answer
  /steer TEXT    pass it on at the next step
  /stop          stop the answer
  /retry         answer again
  /continue      go on with an answer that was cut off
  /held          show what waits
  /send [N]      send what is held
  /discard [N]   drop what is held
  /new           begin a new conversation
  /list          list the conversations
  /open N        open one of them
  /quit          close Belay"""

WELCOME: Final = "Ask anything. Ctrl-C stops an answer, typing redirects it. /help for more."
NOTHING_RUNS: Final = "Nothing to stop. Ctrl-D or /quit closes Belay."
NOTHING_TO_CONTINUE: Final = "No answer here was cut off."
NOTHING_TO_RETRY: Final = "Nothing was asked here yet."
NOTHING_HELD: Final = "Nothing is held."
NOTHING_WAITS: Final = "Nothing waits."
NO_CONVERSATIONS: Final = "There are no conversations yet."
NO_SUCH_NUMBER: Final = "There is no number {number}. /{command} shows them."
NEW: Final = "A new conversation."
GOES_ON: Final = "The answer goes on in the other conversation: /list."
STOPPED_EARLY: Final = "Stopped before an answer · /retry"

_INTENTS = {
    Intent.REDIRECT: "Redirecting…",
    Intent.STEER: "At the next step",
    Intent.QUEUE: "After this answer",
}
_KINDS = {OrderKind.RETRY: "Retry", OrderKind.CONTINUE: "Continue"}
_LISTED: Final = 20
_RECALLED: Final = 20


def ended(outcome: Outcome, *, has_words: bool) -> str:
    """Say how a turn ended; empty if it simply did, or if Belay is closing."""
    match outcome:
        case Failed(problem=problem):
            return f"{explained(problem)} /retry{' · /continue' if has_words else ''}"
        case Stopped(reason=StopReason.PERSON):
            return f"{receipt(outcome)} · /continue · /retry" if has_words else STOPPED_EARLY
        case Stopped(reason=StopReason.REDIRECT):
            return "Redirected by you" if has_words else ""
        case _:
            return ""


def held_sentence(waiting: tuple[Waiting, ...]) -> str:
    """Say how much is held; empty if nothing is."""
    count = sum(1 for each in waiting if each.state is WaitState.HELD)
    if not count:
        return ""
    return f"{count} {'message' if count == 1 else 'messages'} held. /send or /discard"


def waiting_line(waiting: Waiting, width: int = 70) -> str:
    """Describe one order that waits."""
    text = waiting.order.text or _KINDS.get(waiting.order.kind, "")
    return f"{_waits(waiting)}: {one_line(text, width)}"


def _waits(waiting: Waiting) -> str:
    match waiting.state:
        case WaitState.SAVING:
            return "Saving…"
        case WaitState.EDITING:
            return "Editing"
        case WaitState.HELD:
            return "Held"
        case WaitState.WAITING:
            return _INTENTS[waiting.intent]


def numbered(waiting: tuple[Waiting, ...]) -> str:
    """List what waits, with the numbers that /send and /discard take."""
    lines = (f"{at:3}  {waiting_line(each)}" for at, each in enumerate(waiting, 1))
    return "\n".join(lines) or NOTHING_WAITS


def listed(conversations: tuple[Conversation, ...]) -> str:
    """List conversations, newest first, with the numbers that /open takes."""
    shown = conversations[:_LISTED]
    lines = [f"{at:3}  {_entry(each)}" for at, each in enumerate(shown, 1)]
    if len(conversations) > _LISTED:
        lines.append(f"     and {len(conversations) - _LISTED} older ones")
    return "\n".join(lines) or NO_CONVERSATIONS


def _entry(conversation: Conversation) -> str:
    mark = f" · {conversation.mark.value}" if conversation.mark is not Mark.NONE else ""
    return f"{one_line(conversation.title) or 'Untitled'}{mark}"


def recalled(path: tuple[Message, ...]) -> list[tuple[bool, str]]:
    """Retell a conversation: each piece with whether the person said it."""
    spoken = [m for m in path if m.role in (Role.USER, Role.ASSISTANT) and m.text]
    return [(m.role is Role.USER, _retold(m)) for m in spoken[-_RECALLED:]]


def _retold(message: Message) -> str:
    text = harmless(message.text)
    if message.ending is Ending.OPEN:
        return text  # its next words follow
    text, ending = text.strip("\n"), caption(message.ending)
    return f"{text}\n{ending}" if ending else text

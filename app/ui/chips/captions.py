"""What a chip says beside its words, and which chips are shown; pure."""

from app.core.messages import Intent, OrderKind, Waiting, WaitState
from app.ui.conversation_state import ConversationState

_WAITING = {
    Intent.REDIRECT: "Redirecting…",
    Intent.STEER: "At the next step",
    Intent.QUEUE: "After this answer",
}
_KINDS = {OrderKind.RETRY: "Retry", OrderKind.CONTINUE: "Continue"}


def caption(waiting: Waiting) -> str:
    """Say what will become of it."""
    match waiting.state:
        case WaitState.SAVING:
            return "Saving…"
        case WaitState.EDITING:
            return "Editing"
        case WaitState.HELD:
            return "Held"
        case WaitState.WAITING:
            return _WAITING[waiting.intent]


def words(waiting: Waiting) -> str:
    """Give one line of what it says."""
    return " ".join(waiting.order.text.split()) or _KINDS.get(waiting.order.kind, "")


def held_sentence(count: int, *, was_stopped: bool, has_failed: bool) -> str:
    """Say what is held, and why if it is known."""
    why = "Stopped. " if was_stopped else "Not answered. " if has_failed else ""
    noun = "message" if count == 1 else "messages"
    return f"{why}{count} {noun} held."


def shown(state: ConversationState, now: float) -> tuple[Waiting, ...]:
    """List the chips to show: one that starts at once gets none, it would only flash."""
    if now - state.asked_at >= 0.15:
        return state.queue
    return tuple(
        w for w in state.queue if w.order.id not in state.starting or w.state is WaitState.HELD
    )

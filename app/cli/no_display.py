"""Why there is no window, in one line, and what there is instead."""

from app.system.display import NoDisplay, NoDisplayReason

_WHY = {
    NoDisplayReason.NOT_SET: "There is no display here.",
    NoDisplayReason.NOT_ANSWERING: "The display {detail} does not answer.",
    NoDisplayReason.REFUSED: "The display {detail} does not let Belay in.",
    NoDisplayReason.MISSING_LIBRARY: "The window needs {detail}: install it.",
}


def no_display_line(missing: NoDisplay, *, can_chat: bool) -> str:
    """Say why, and that the chat opens or how to have it."""
    instead = "This is `belay chat`." if can_chat else "In a terminal, `belay chat` works."
    return f"{why_no_display(missing)} {instead}"


def why_no_display(missing: NoDisplay) -> str:
    """Say why there is no window."""
    return _WHY[missing.reason].format(detail=missing.detail)

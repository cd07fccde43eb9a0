"""What is said about the microphone, and for how long: pure."""

from app.core.voice import VoiceChanged, VoiceHeard, VoicePhase
from app.ui.voice.landing import Landing

OPENING_AFTER_S = 0.2
NOTICE_S = 3.0
ECHO_S = 10.0
ECHO = "Heard · ↑ to fix"
_SHOWN = 200  # characters of what was heard: about three lines


def state_words(
    changed: VoiceChanged, *, for_s: float, is_busy: bool, has_text: bool, verb: str
) -> str:
    """Say what the microphone does; "Listening" only once sound arrives."""
    match changed.phase:
        case VoicePhase.IDLE:
            return ""
        case VoicePhase.ARMING:
            return "Opening the microphone…" if for_s >= OPENING_AFTER_S else ""
        case VoicePhase.LISTENING:
            what = "add" if has_text else verb if is_busy else "send"
            how = "tap" if changed.latched else "release"
            return f"Listening · {how} to {what} · Esc to discard"
        case VoicePhase.FINALISING:
            return "Writing down your words…"


def newest(words: str) -> str:
    """Give the end of what was heard so far, from a whole word on: the page must stay in sight."""
    if len(words) <= _SHOWN:
        return words
    _, _, end = words[-_SHOWN:].partition(" ")
    return f"… {end}"


def elsewhere_words(landing: Landing, title: str) -> str:
    """Say where words went that were spoken to a conversation no longer on the page."""
    done = "Sent" if landing is Landing.SEND else "Added"
    return f"{done} to {title or 'another conversation'}"


def landed_words(landing: Landing, heard: VoiceHeard, *, is_busy: bool) -> str:
    """Say what became of the words, for a moment."""
    match landing:
        case Landing.NOTHING if heard.was_flat:
            return "The microphone is silent."
        case Landing.NOTHING:
            return "Nothing heard. The answer goes on." if is_busy else "Nothing heard."
        case Landing.ADD:
            return "Added · Enter to send"
        case Landing.CHECK:
            return "Is this right? Enter to send"
        case Landing.SEND:
            return ECHO
        case Landing.STOP:
            return ""

"""Where spoken words go: pure.

A misheard redirect costs an answer, so what is not certain, and what the person did not end
themselves, goes to the composer instead of out.
"""

import re
from enum import StrEnum

from app.core.voice import VoiceHeard


class Landing(StrEnum):
    """What becomes of the words."""

    NOTHING = "nothing"  # silence: everything stays as it was
    STOP = "stop"  # the one word that is an order
    SEND = "send"
    ADD = "add"  # into the text that is there already
    CHECK = "check"  # into the empty composer, for the person to look at


def landing(heard: VoiceHeard, *, has_text: bool) -> Landing:
    """Decide where a clip's words go."""
    if not heard.text.strip():
        return Landing.NOTHING
    if heard.force is not None:
        return Landing.ADD if has_text else Landing.CHECK
    if is_stop(heard.text):
        return Landing.STOP
    if has_text:
        return Landing.ADD
    return Landing.SEND if heard.is_sure else Landing.CHECK


def is_stop(text: str) -> bool:
    """Say whether somebody said only "stop", once or in a fluster."""
    words = re.findall(r"\w+", text.casefold())
    return bool(words) and set(words) == {"stop"}

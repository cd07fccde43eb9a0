"""Hold to talk between threads: what the window asks of the microphone, and what it tells.

A press names a clip, and the clip's id becomes the message's id when its words are sent: so the
recording is deleted exactly when its words are on disk.
"""

from dataclasses import dataclass
from enum import StrEnum

from app.core.errors import Problem
from app.core.ids import ConversationId, MessageId


class Force(StrEnum):
    """Why a recording ended without the person ending it: its words are never sent."""

    FOCUS_LOST = "focus_lost"
    TIME_LIMIT = "time_limit"
    SILENCE = "silence"
    DEVICE_GONE = "device_gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceCommand:
    """A wish about the microphone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PressTalk(VoiceCommand):
    """The key or the button went down, for this conversation."""

    clip_id: MessageId
    conversation_id: ConversationId


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseTalk(VoiceCommand):
    """It came up again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardTalk(VoiceCommand):
    """Esc: forget what is being recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTalk(VoiceCommand):
    """End the recording without sending it: the window lost the focus."""

    why: Force


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryClips(VoiceCommand):
    """Write down again what could not be written down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipLanded(VoiceCommand):
    """A clip's words are safe: the recording may go."""

    clip_id: MessageId


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseMicrophone(VoiceCommand):
    """Listen to this device from now on; empty for the system's own choice."""

    device: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseSpeech(VoiceCommand):
    """Write down in this language with the model in this folder; empty for the usual ones."""

    language: str
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LookForMicrophones(VoiceCommand):
    """Find out what there is to listen to, and with (`VoiceReady`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TryMicrophone(VoiceCommand):
    """Open the microphone to see its level, keeping nothing; or close it, to hear how it was."""

    is_on: bool
    play: bool = False


class VoicePhase(StrEnum):
    """What the microphone does; the light is the truth."""

    IDLE = "idle"
    ARMING = "arming"
    LISTENING = "listening"
    FINALISING = "finalising"


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceEvent:
    """Something that happened to the microphone or to what it heard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceChanged(VoiceEvent):
    """The microphone's state; `latched` after a tap."""

    phase: VoicePhase
    latched: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceLevel(VoiceEvent):
    """How loud it is, about 30 times a second; 0 is as loud as can be."""

    dbfs: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceWords(VoiceEvent):
    """The words recognised so far, while the key is held."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceHeard(VoiceEvent):
    """A clip's words; empty if nothing was said."""

    clip_id: MessageId
    conversation_id: ConversationId
    text: str
    is_sure: bool
    force: Force | None = None
    was_flat: bool = False  # the microphone gave pure silence


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceReady(VoiceEvent):
    """What can be listened to, and what stands in the way of talking, if anything does."""

    microphones: tuple[str, ...]
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceFailed(VoiceEvent):
    """There was no sound, or its words could not be written down; then the clip is kept."""

    problem: Problem
    clip_kept: bool

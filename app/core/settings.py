"""What the person chose, as one frozen value; `storage` keeps it in a file."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.core.messages import Intent

BUILT_IN: Final = "Built-in (basic)"  # what the model that came with Belay is called
BUILT_IN_URL: Final = "built-in:"  # stands for its address, which changes with every start
BUILT_IN_WINDOW: Final = 8192  # tokens that a model in a child of ours reads, unless it is told


class ThemeChoice(StrEnum):
    """Light, dark, or what the system says."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model on a server. The key is not here: it is looked up by the base URL it belongs to."""

    base_url: str
    model: str = ""  # empty: the first model that the server lists
    user_after_tool: bool = True  # some templates forbid a user message after a tool result
    # What follows is sent, or counted with, only where it is set.
    temperature: float | None = None
    max_tokens: int | None = None  # of one answer
    reasoning_effort: str = ""
    system_prompt: str = ""  # instead of the one for all models
    context_window: int | None = None  # tokens that it can read


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A conversation that asks another model first than the rest do."""

    conversation_id: str
    base_url: str
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be set; each field has a default that works."""

    theme: ThemeChoice = ThemeChoice.SYSTEM
    base_size_px: int = 15
    enter_intent: Intent = Intent.REDIRECT
    send_with_ctrl_enter: bool = False
    endpoints: tuple[Endpoint, ...] = ()  # in order: the first is asked, the rest are fallbacks
    choices: tuple[Choice, ...] = ()  # the newest last
    system_prompt: str = ""
    knows_built_in: bool = False  # the person was told that the built-in model is often wrong
    microphone: str = ""  # empty: what the system chooses
    speech_language: str = ""  # empty: the language of the system
    speech_model: str = ""  # a folder of the person's own; empty: the model that came with Belay
    spoken_intent: Intent = Intent.REDIRECT
    talk_key: str = "F9"  # held in the window
    talk_sound: bool = True  # a soft tick at the first sample
    window_width: int = 1240
    window_height: int = 860
    window_is_maximized: bool = False


def is_file(endpoint: Endpoint) -> bool:
    """Say whether a model is a file on this computer."""
    return endpoint.base_url.lower().startswith("file:")

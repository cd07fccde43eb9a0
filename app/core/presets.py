"""Providers that many people use: where they are, where their keys come from, what they forbid."""

from dataclasses import dataclass
from typing import Final

from app.core.settings import Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A provider with an OpenAI-compatible address."""

    name: str
    base_url: str
    key_page: str
    model: str = (
        ""  # a name to begin with, where the server's list does not begin with a chat model
    )
    user_after_tool: bool = True
    efforts: tuple[str, ...] = ()  # what it takes as reasoning effort

    def endpoint(self) -> Endpoint:
        """Make the endpoint to begin with."""
        return Endpoint(base_url=self.base_url, user_after_tool=self.user_after_tool)


EFFORTS: Final = ("minimal", "low", "medium", "high")

PRESETS: Final = (
    Preset(
        name="OpenAI",
        base_url="https://api.openai.com/v1",
        key_page="https://platform.openai.com/api-keys",
        efforts=EFFORTS,
    ),
    Preset(
        name="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        key_page="https://openrouter.ai/settings/keys",
        efforts=EFFORTS,
    ),
    Preset(
        name="Anthropic",
        base_url="https://api.anthropic.com/v1",
        key_page="https://console.anthropic.com/settings/keys",
    ),
    Preset(
        name="Google",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_page="https://aistudio.google.com/apikey",
        efforts=("low", "medium", "high"),
    ),
    Preset(
        name="Mistral",
        base_url="https://api.mistral.ai/v1",
        key_page="https://console.mistral.ai/api-keys",
        user_after_tool=False,
    ),
    Preset(
        name="Groq",
        base_url="https://api.groq.com/openai/v1",
        key_page="https://console.groq.com/keys",
        efforts=("low", "medium", "high"),
    ),
    Preset(
        name="DeepSeek",
        base_url="https://api.deepseek.com/v1",
        key_page="https://platform.deepseek.com/api_keys",
    ),
)


def preset_of(base_url: str) -> Preset | None:
    """Find the provider behind an address."""
    wanted = canonical(base_url)
    return next((preset for preset in PRESETS if canonical(preset.base_url) == wanted), None)


def canonical(base_url: str) -> str:
    """Spell an address in one way: a key belongs to exactly this, and to nothing beside it."""
    scheme, sign, rest = (
        base_url.strip().rstrip("/").removesuffix("/chat/completions").partition("://")
    )
    host, slash, path = rest.partition("/")
    default = {"http": ":80", "https": ":443"}.get(scheme.lower(), "")
    host = host.lower().removesuffix(default) if default else host.lower()
    return f"{scheme.lower()}{sign}{host}{slash}{path}"

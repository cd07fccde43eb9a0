"""What servers say about their models, each in its own words, as one kind of value. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from app.core.models import ModelInfo

# How the window is called: OpenRouter, Groq, vLLM, LM Studio and Mistral, and others.
_WINDOWS = ("context_length", "context_window", "max_model_len", "max_context_length")
_NOT_CHAT = ("embed", "whisper", "tts", "dall-e", "moderation", "rerank", "transcribe", "-image")


def read_models(listed: Iterable[Any]) -> tuple[ModelInfo, ...]:
    """Read a server's list, leaving out what cannot chat by its name."""
    models = [_read(each) for each in listed if isinstance(each, dict)]
    return tuple(model for model in models if model is not None and can_chat(model.id))


def can_chat(model_id: str) -> bool:
    """Say whether a name is that of a chat model, as far as a name tells."""
    return not any(word in model_id.lower() for word in _NOT_CHAT)


def _read(plain: Mapping[str, Any]) -> ModelInfo | None:
    name = plain.get("id")
    if not isinstance(name, str) or not name:
        return None
    return ModelInfo(
        id=name,
        context_window=_window(plain),
        size_bytes=_number(_inside(plain, "meta", "size")),
        sees=_sees(plain),
        uses_tools=_uses_tools(plain),
    )


def _window(plain: Mapping[str, Any]) -> int | None:
    for name in _WINDOWS:
        if (found := _number(plain.get(name))) is not None:
            return found
    meta = plain.get("meta")  # llama.cpp; the window it serves, else the one it was trained for
    own = meta if isinstance(meta, dict) else {}
    return _number(own.get("n_ctx")) or _number(own.get("n_ctx_train"))


def _sees(plain: Mapping[str, Any]) -> bool | None:
    inputs = _inside(plain, "architecture", "input_modalities")
    if isinstance(inputs, list):
        return "image" in inputs
    if plain.get("type") in ("vlm", "llm"):  # LM Studio
        return bool(plain["type"] == "vlm")
    return _flag(_inside(plain, "capabilities", "vision"))


def _uses_tools(plain: Mapping[str, Any]) -> bool | None:
    taken = plain.get("supported_parameters")
    if isinstance(taken, list):
        return "tools" in taken
    listed = plain.get("capabilities")
    if isinstance(listed, list):  # LM Studio
        return "tool_use" in listed
    return _flag(_inside(plain, "capabilities", "function_calling"))


def _inside(plain: Mapping[str, Any], outer: str, inner: str) -> Any:
    found = plain.get(outer)
    return found.get(inner) if isinstance(found, dict) else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None

"""What Ollama and LM Studio tell about their models beyond the common list."""

import asyncio
from dataclasses import replace
from typing import Any, Final

from app.agent.models.catalogue import read_models
from app.core.models import FoundServer, ModelInfo
from app.system.threads import call_in_thread

_MOST: Final = 30  # asked one by one


async def with_capabilities(server: FoundServer) -> tuple[ModelInfo, ...]:
    """Add what the server's own interface says; the list stays as it is where it says nothing."""
    root = server.base_url.removesuffix("/v1")
    match server.name:
        case "Ollama":
            return await _ollama(root, server.models)
        case "LM Studio":
            return await _lm_studio(root, server.models)
        case _:
            return server.models


async def _lm_studio(root: str, models: tuple[ModelInfo, ...]) -> tuple[ModelInfo, ...]:
    body = await _fetched(f"{root}/api/v0/models")
    listed = body.get("data")
    known = {model.id: model for model in read_models(listed if isinstance(listed, list) else ())}
    return tuple(known.get(model.id, model) for model in models)


async def _ollama(root: str, models: tuple[ModelInfo, ...]) -> tuple[ModelInfo, ...]:
    body = await _fetched(f"{root}/api/tags")
    listed = body.get("models")
    sizes = {
        each.get("name"): each.get("size")
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, dict)
    }
    sized = [replace(model, size_bytes=_count(sizes.get(model.id))) for model in models]
    shown = await asyncio.gather(*(_shown(root, model) for model in sized[:_MOST]))
    return (*shown, *sized[_MOST:])


async def _shown(root: str, model: ModelInfo) -> ModelInfo:
    body = await _fetched(f"{root}/api/show", {"model": model.id})
    can, about = body.get("capabilities"), body.get("model_info")
    if isinstance(can, list):
        model = replace(model, sees="vision" in can, uses_tools="tools" in can)
    windows = (
        value
        for name, value in (about if isinstance(about, dict) else {}).items()
        if str(name).endswith(".context_length")
    )
    return replace(model, context_window=_count(next(windows, None)))


def _count(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None


async def _fetched(url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Fetch a JSON object; an empty one if there is none to be had."""
    return await call_in_thread(_fetch, url, body)


def _fetch(url: str, body: dict[str, Any] | None) -> dict[str, Any]:
    import httpx2  # noqa: PLC0415 - slow to load, and this runs on a thread

    method = "GET" if body is None else "POST"
    try:
        with httpx2.Client(timeout=2.0, trust_env=False, follow_redirects=False) as client:
            response = client.request(method, url, json=body)
            plain = response.json() if response.is_success else {}
    except (httpx2.HTTPError, ValueError):
        return {}
    return plain if isinstance(plain, dict) else {}

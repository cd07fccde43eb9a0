"""Finds model servers on this machine: a short knock on the doors they are known to use.

Only loopback is knocked on, without any key. What answers is offered; nothing is used before the
person chooses it.
"""

import asyncio
from dataclasses import dataclass, replace
from typing import Any, Final

from app.agent.models.capabilities import with_capabilities
from app.agent.models.listing import list_models
from app.agent.providers.address import parse_address
from app.core.errors import ProblemError
from app.core.models import FoundServer, ModelInfo

_KNOCK_S: Final = 0.5
_LIST_S: Final = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Where a kind of server listens when nobody told it otherwise."""

    name: str
    port: int


DOORS: Final = (
    Door(name="Ollama", port=11434),
    Door(name="LM Studio", port=1234),
    Door(name="llama.cpp", port=8080),
    Door(name="vLLM", port=8000),
    Door(name="Jan", port=1337),
)


async def find_servers(doors: tuple[Door, ...] = DOORS) -> tuple[FoundServer, ...]:
    """Knock on all doors at once; what answers like a chat server is found."""
    found = await asyncio.gather(*(_behind(door) for door in doors))
    return tuple(server for server in found if server is not None)


async def _behind(door: Door) -> FoundServer | None:
    if not await _opens(door.port):
        return None
    base_url = f"http://127.0.0.1:{door.port}/v1"
    try:
        models = await list_models(base_url, _no_key, limit_s=_LIST_S)
    except ProblemError:
        return None  # something else listens there, or it wants a key: its address can be typed
    return await _described(FoundServer(name=door.name, base_url=base_url, models=models))


async def described(
    base_url: str, models: tuple[ModelInfo, ...], doors: tuple[Door, ...] = DOORS
) -> tuple[ModelInfo, ...]:
    """Add what a server on this machine says in its own interface, if it is one that we know."""
    address = parse_address(base_url)
    door = next((door for door in doors if door.port == address.port), None)
    if door is None or not address.is_loopback:
        return models
    root = f"{address.scheme}://{address.shown}/v1"
    return (await _described(FoundServer(name=door.name, base_url=root, models=models))).models


async def _described(server: FoundServer) -> FoundServer:
    try:
        async with asyncio.timeout(_LIST_S):
            return replace(server, models=await with_capabilities(server))
    except TimeoutError:
        return server


def _no_key(_: str) -> str | None:
    return None


async def _opens(port: int) -> bool:
    writer: Any = None
    try:
        async with asyncio.timeout(_KNOCK_S):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True

"""Asks a server which models it has; on the agent loop, the SDK loaded on a thread."""

import asyncio
import importlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from app.agent.models.catalogue import read_models
from app.agent.providers.address import Address, parse_address
from app.agent.providers.classify import Asked
from app.agent.providers.route import has_route
from app.agent.providers.timeouts import Timeouts
from app.core.errors import ProblemKind
from app.core.models import ModelInfo
from app.system.threads import call_in_thread

if TYPE_CHECKING:
    from app.agent.providers.wire import Wire

LIMIT_S: Final = 15.0
KeyFor = Callable[[str], str | None]


async def list_models(
    base_url: str, key_for: KeyFor, *, limit_s: float = LIMIT_S
) -> tuple[ModelInfo, ...]:
    """Give a server's chat models; raises ProblemError."""
    address = parse_address(base_url)
    key = await call_in_thread(key_for, base_url)
    wire = await call_in_thread(partial(_open, address, key, limit_s))
    asked = Asked(address=address, model="", key=key)
    try:
        async with asyncio.timeout(limit_s):
            return read_models(await wire.raw_models())
    except TimeoutError as exc:
        raise asked.failure(ProblemKind.UNREACHABLE, f"nothing in {limit_s:.0f} s") from exc
    except Exception as exc:
        raise wire.failure_of(asked, exc, has_route) from exc
    finally:
        await wire.aclose()


def _open(address: Address, key: str | None, limit_s: float) -> "Wire":
    module = importlib.import_module("app.agent.providers.wire")
    wire: Wire = module.Wire(address, key, Timeouts(connect_s=limit_s, silence_s=limit_s))
    return wire

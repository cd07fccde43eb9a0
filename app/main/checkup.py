"""`belay doctor`: looks at each part as Belay would use it, and says what it found.

Runs without Qt. Each look has a limit, so that a wedged part is a finding and not a hang.
"""

import asyncio
import os
import shutil
import sys
from typing import Final

from app import __version__
from app.agent.providers.address import parse_address
from app.agent.providers.classify import Asked
from app.agent.providers.route import has_route
from app.agent.providers.timeouts import Timeouts
from app.agent.providers.wire import Wire
from app.cli.findings import Finding, Health, line, verdict
from app.cli.no_display import why_no_display
from app.cli.problems import explained
from app.core.errors import ProblemError, ProblemKind
from app.core.settings import Endpoint
from app.lifecycle.lease import Leases
from app.localmodel.gguf import examine as examine_file
from app.localmodel.model import LocalModel
from app.localmodel.weights import bundled_weights
from app.main.clock import SystemClock
from app.main.configuration import endpoints
from app.main.ground import Ground, prepare
from app.main.keys import Keys, open_keys
from app.main.providers import file_of
from app.main.voice_checkup import look_at_voice
from app.storage.secrets import keychain_name
from app.storage.store import SqliteStore
from app.system.display import Display, find_display
from app.system.loops import run_loop
from app.system.threads import call_in_thread

_DISK_S: Final = 5.0
_MODEL_S: Final = 20.0
_PLATFORMS: Final = {"xcb": "X", "wayland": "Wayland", "offscreen": "none, drawn off screen"}
_LITTLE_BYTES: Final = 200_000_000


def examine() -> int:
    """Look at everything, a line each; gives the exit code."""
    print(f"Belay {__version__}, Python {sys.version.split()[0]}")
    findings = [_display()]
    try:
        ground = prepare("doctor")
    except ProblemError as error:
        findings.append(_broken("Folders", error))
    else:
        findings += _look_at(ground)
        ground.lease.release()
    words, code = verdict(findings)
    print(words)
    return code


def _look_at(ground: Ground) -> list[Finding]:
    found = [_settings(ground), _folders(ground), _conversations(ground), _keychain()]
    voice = [_told(each.part, each.health, each.words) for each in look_at_voice(ground.settings)]
    return [*found, *voice, *run_loop(_models(ground))]


def _told(part: str, health: Health, words: str) -> Finding:
    finding = Finding(part=part, health=health, words=words)
    print(line(finding), flush=True)
    return finding


def _broken(part: str, error: ProblemError) -> Finding:
    return _told(part, Health.BROKEN, explained(error.problem))


def _display() -> Finding:
    found = find_display()
    if isinstance(found, Display):
        return _told("Display", Health.WORKS, _PLATFORMS.get(found.platform, "the system's own"))
    return _told("Display", Health.ABSENT, f"{why_no_display(found)} `belay chat` needs none.")


def _settings(ground: Ground) -> Finding:
    if ground.problem is not None:
        return _told("Settings", Health.ABSENT, explained(ground.problem))
    return _told("Settings", Health.WORKS, str(ground.paths.config))


def _folders(ground: Ground) -> Finding:
    free = shutil.disk_usage(ground.paths.data).free
    if free < _LITTLE_BYTES:
        words = f"Only {free // 1_000_000} MB are free at {ground.paths.data}. Make room."
        return _told("Disk", Health.BROKEN if free < _LITTLE_BYTES // 10 else Health.ABSENT, words)
    return _told("Disk", Health.WORKS, f"{free // 1_000_000_000} GB free at {ground.paths.data}")


def _conversations(ground: Ground) -> Finding:
    leases = Leases(ground.paths.data)
    store = SqliteStore(
        ground.paths.data / "belay.db",
        lease=ground.lease.id,
        live_leases=lambda: set(leases.living()),
    )
    try:
        store.start().wait(_DISK_S)
        count = len(store.conversations().wait(_DISK_S))
    except ProblemError as error:
        return _broken("Conversations", error)
    except TimeoutError:
        return _told("Conversations", Health.BROKEN, "The disk does not answer. Check it.")
    finally:
        store.close(_DISK_S)
    return _told("Conversations", Health.WORKS, f"{count} kept")


def _keychain() -> Finding:
    name = keychain_name()
    if name is None:
        words = "None here. Keys last until Belay closes, or go into a file if you agree."
        return _told("Keychain", Health.ABSENT, words)
    return _told("Keychain", Health.WORKS, name)


async def _models(ground: Ground) -> list[Finding]:
    chosen = endpoints(ground.settings, os.environ)
    if not chosen:
        return [await _built_in(ground)]
    keys = open_keys(ground.paths, os.environ)
    return [await _model(endpoint, keys) for endpoint in chosen]


async def _built_in(ground: Ground) -> Finding:
    model = LocalModel(weights=bundled_weights, cache=ground.paths.cache, clock=SystemClock())
    try:
        async with asyncio.timeout(_MODEL_S):
            await model.address()
    except ProblemError as error:
        return _broken("Model", error)
    except TimeoutError:
        return _told("Model", Health.BROKEN, f"The built-in model took over {_MODEL_S:.0f} s.")
    finally:
        model.end()
    return _told("Model", Health.WORKS, "the built-in one: small, and often wrong")


async def _model(endpoint: Endpoint, keys: Keys) -> Finding:
    """Ask a server which models it has: that takes its address, its certificate and the key."""
    try:
        if (file := file_of(endpoint)) is not None:
            found = await call_in_thread(examine_file, str(file))
            return _told("Model", Health.WORKS, f"{found.name}, a file on this computer")
        listed = await _listed(endpoint, await call_in_thread(keys.key_for, endpoint.base_url))
    except ProblemError as error:
        return _broken("Model", error)
    where = parse_address(endpoint.base_url).provider
    if listed is None:
        return _told("Model", Health.WORKS, f"{endpoint.model} at {where}, which lists no models")
    if endpoint.model and endpoint.model not in listed:
        words = f"{where} does not list {endpoint.model}. It has {', '.join(listed[:5]) or 'none'}."
        return _told("Model", Health.ABSENT, words)
    if not listed:
        return _told("Model", Health.BROKEN, f"{where} has no model. Load one there.")
    return _told("Model", Health.WORKS, f"{endpoint.model or listed[0]} at {where}")


async def _listed(endpoint: Endpoint, key: str | None) -> list[str] | None:
    """Give the models; None if the server has no such list but a model was named."""
    address = parse_address(endpoint.base_url)
    wire = Wire(address, key, Timeouts(silence_s=_MODEL_S))
    try:
        async with asyncio.timeout(_MODEL_S):
            return await wire.list_models()
    except Exception as exc:
        asked = Asked(address=address, model=endpoint.model, key=key)
        failure = wire.failure_of(asked, exc, has_route)
        if failure.problem.kind is ProblemKind.NO_SUCH_MODEL and endpoint.model:
            return None
        raise failure from exc
    finally:
        await wire.aclose()

"""What the settings ask about models, done: plain commands in, events out, on the agent loop.

Everything that takes time here is network or a blocking call on a daemon thread, and the agent
loop already hosts both; a second event loop on the GUI thread would add nothing but a second way
to hang. A newer question of the same kind replaces the one under way.
"""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, assert_never

from app.agent.models.check import check
from app.agent.models.discovery import described, find_servers
from app.agent.models.listing import list_models
from app.agent.provider import Provider
from app.core.errors import ProblemError
from app.core.models import (
    CheckEndpoint,
    CheckFile,
    FileChecked,
    FindServers,
    ForgetKey,
    KeepKey,
    KeepKeyInFile,
    KeyLocated,
    ListModels,
    LocateKey,
    ModelEvent,
    ModelQuestion,
    ModelsListed,
    ServersFound,
)
from app.core.settings import Endpoint
from app.localmodel.gguf import examine
from app.main.keys import Keys
from app.system.threads import call_in_thread

_KEY: Final = "key "
_KEEPING_S: Final = 0.4  # within what Quit gives the agent thread


class ModelDesk:
    """Answers the settings; lives on the agent loop."""

    def __init__(
        self,
        *,
        keys: Keys,
        provider_for: Callable[[Endpoint], Provider],
        emit: Callable[[ModelEvent], None],
        on_key_changed: Callable[[], None],
    ) -> None:
        self._keys = keys
        self._provider_for = provider_for
        self._emit = emit
        self._on_key_changed = on_key_changed
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def handle(self, command: ModelQuestion) -> None:
        """Do what the settings ask."""
        match command:
            case FindServers():
                self._begin("find", self._find())
            case ListModels(base_url=base_url):
                self._begin(f"list {base_url}", self._list(base_url))
            case CheckEndpoint(endpoint=endpoint):
                self._begin("check", self._check(endpoint))
            case CheckFile(path=path):
                self._begin("file", self._examine(path))
            case LocateKey(base_url=base_url):
                self._begin(f"{_KEY}{base_url}", self._locate(base_url))
            case KeepKey():
                self._keys.hold(command.base_url, command.key)  # counts from the next request on
                self._on_key_changed()
                self._begin(f"{_KEY}{command.base_url}", self._keep(command.base_url))
            case KeepKeyInFile(base_url=base_url):
                self._begin(f"{_KEY}{base_url}", self._keep(base_url, in_file=True))
            case ForgetKey(base_url=base_url):
                self._begin(f"{_KEY}{base_url}", self._forget(base_url))
            case _:
                assert_never(command)

    def end(self) -> None:
        """Give up whatever is under way, except what is done to keys."""
        for name, task in self._tasks.items():
            if not name.startswith(_KEY):
                task.cancel()

    async def until_kept(self) -> None:
        """Wait for keys that are just being kept; a keychain may take for ever, Quit does not."""
        if self._tasks:
            await asyncio.wait(set(self._tasks.values()), timeout=_KEEPING_S)

    def _begin(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        before = self._tasks.get(name)
        if before is not None:
            before.cancel()
        task = asyncio.get_running_loop().create_task(work, name=f"models: {name}")
        self._tasks[name] = task
        task.add_done_callback(partial(self._done, name))

    def _done(self, name: str, task: "asyncio.Task[None]") -> None:
        if self._tasks.get(name) is task:
            del self._tasks[name]

    async def _check(self, endpoint: Endpoint) -> None:
        self._emit(await check(endpoint, self._provider_for(endpoint)))

    async def _find(self) -> None:
        self._emit(ServersFound(servers=await find_servers()))

    async def _list(self, base_url: str) -> None:
        try:
            listed = await list_models(base_url, self._keys.key_for)
            models = await described(base_url, listed)
        except ProblemError as error:
            self._emit(ModelsListed(base_url=base_url, problem=error.problem))
        else:
            self._emit(ModelsListed(base_url=base_url, models=models))

    async def _examine(self, path: str) -> None:
        try:
            found = await call_in_thread(examine, path)
        except ProblemError as error:
            self._emit(FileChecked(path=path, problem=error.problem))
        else:
            self._emit(found)

    async def _locate(self, base_url: str) -> None:
        place = await call_in_thread(self._keys.place_of, base_url)
        self._emit(KeyLocated(base_url=base_url, place=place))

    async def _keep(self, base_url: str, *, in_file: bool = False) -> None:
        place = await call_in_thread(partial(self._keys.keep, base_url, in_file=in_file))
        self._emit(KeyLocated(base_url=base_url, place=place))

    async def _forget(self, base_url: str) -> None:
        await call_in_thread(self._keys.forget, base_url)
        self._on_key_changed()
        await self._locate(base_url)

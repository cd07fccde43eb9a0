"""The providers of this process, and the models that run in children of it.

Lives on the agent loop. A child is started when it is first asked, or warmed up, and one that no
setting names any more is told to go.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from app.agent.provider import Provider
from app.agent.providers.build import build_provider
from app.agent.providers.built_in import BuiltInProvider, plainly
from app.agent.providers.http import HttpProvider
from app.agent.providers.hurry import Hurry
from app.agent.providers.refusals import Refusals
from app.agent.providers.retry import RetryingProvider
from app.agent.providers.timeouts import Timeouts
from app.core.ports import Clock
from app.core.settings import BUILT_IN_URL, BUILT_IN_WINDOW, Endpoint, is_file
from app.localmodel.gguf import examine
from app.localmodel.model import LocalModel
from app.localmodel.weights import Weights, bundled_weights
from app.main.keys import Keys
from app.system.paths import Paths

_CHECK: Final = Timeouts(connect_s=10.0, silence_s=45.0)


class Providers:
    """Makes providers for endpoints: servers, files of the person's, and the built-in model."""

    def __init__(self, *, paths: Paths, keys: Keys, clock: Clock) -> None:
        self._paths = paths
        self._keys = keys
        self._clock = clock
        self._refusals = Refusals()
        self._built_in = self._child(bundled_weights)
        self._own: dict[Path, LocalModel] = {}

    def of(self, endpoints: Sequence[Endpoint], hurry: Hurry | None = None) -> Provider:
        """Make the provider that asks these in order; the built-in model if there are none."""
        if not endpoints:
            return RetryingProvider(BuiltInProvider(self._built_in), hurry=hurry)
        return build_provider(
            endpoints,
            self._keys.key_for,
            attachments=self._paths.attachments,
            refusals=self._refusals,
            local=self._local,
            hurry=hurry,
        )

    def for_check(self, endpoint: Endpoint) -> Provider:
        """Make a provider that asks once and does not wait for long."""
        key = partial(self._keys.key_for, endpoint.base_url)
        return self._local(endpoint) or HttpProvider(
            endpoint, key, timeouts=_CHECK, refusals=self._refusals
        )

    def warm_up(self, endpoints: Sequence[Endpoint]) -> None:
        """Start the model that is asked first, if it runs in a child."""
        if not endpoints or endpoints[0].base_url == BUILT_IN_URL:
            self._built_in.warm_up()
        elif (path := file_of(endpoints[0])) is not None:
            self._served(path, endpoints[0].context_window or BUILT_IN_WINDOW).warm_up()

    def keep_only(self, endpoints: Sequence[Endpoint]) -> None:
        """Let go of the files that no endpoint names any more."""
        named = {file_of(endpoint) for endpoint in endpoints}
        for path in [path for path in self._own if path not in named]:
            self._own.pop(path).end()

    def end(self) -> None:
        """Tell every child to go."""
        self._built_in.end()
        for model in self._own.values():
            model.end()

    def _local(self, endpoint: Endpoint) -> Provider | None:
        if endpoint.base_url == BUILT_IN_URL:
            return BuiltInProvider(self._built_in, settings=endpoint)
        path = file_of(endpoint)
        if path is None:
            return None
        name = endpoint.model or path.stem
        server = self._served(path, endpoint.context_window or BUILT_IN_WINDOW)
        return BuiltInProvider(server, plainly, name=name, settings=endpoint)

    def _served(self, path: Path, context: int = BUILT_IN_WINDOW) -> LocalModel:
        if path not in self._own:
            self._own[path] = self._child(partial(_examined, path), context)
        return self._own[path]

    def _child(
        self, weights: Callable[[], Weights | None], context: int = BUILT_IN_WINDOW
    ) -> LocalModel:
        return LocalModel(
            weights=weights, cache=self._paths.cache, clock=self._clock, context=context
        )


def has_tools(endpoints: Sequence[Endpoint]) -> bool:
    """Say whether whoever is asked first may be offered tools: models of our own are too small."""
    return bool(endpoints) and endpoints[0].base_url != BUILT_IN_URL and not is_file(endpoints[0])


def file_of(endpoint: Endpoint) -> Path | None:
    """Give the model file that an endpoint names; None if it names a server."""
    if not is_file(endpoint):
        return None
    return Path(url2pathname(urlsplit(endpoint.base_url).path))


def _examined(path: Path) -> Weights:
    """Look at a file before it is served; raises ProblemError."""
    examine(str(path))
    return Weights(path=path, sha256=None)

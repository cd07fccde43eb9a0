"""What the model chip offers: the models that are set up, the others of their servers, our own.

Pure.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from app.core.models import ModelInfo
from app.core.settings import BUILT_IN, BUILT_IN_URL, Endpoint
from app.core.windows import window_of
from app.ui.model_names import model_name, server_name
from app.ui.settings.model_words import capabilities

Listed = Mapping[str, tuple[ModelInfo, ...]]  # by the base URL of the server
_OWN = Endpoint(base_url=BUILT_IN_URL)
_ABOUT_OWN = "on this computer · reads 8k tokens · small and often wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """A model that can be chosen; what is said about it is searched too."""

    endpoint: Endpoint
    name: str
    about: str
    is_current: bool = False

    def matches(self, words: str) -> bool:
        """Say whether every word is found in it."""
        said = f"{self.name} {self.about}".lower()
        return all(word in said for word in words.lower().split())


def rows_of(
    endpoints: tuple[Endpoint, ...], listed: Listed, current: Endpoint
) -> tuple[ModelRow, ...]:
    """List what can be chosen, the one that answers now marked."""
    found = (*_set_up(endpoints, listed), *_others(endpoints, listed))
    own = ModelRow(endpoint=_OWN, name=BUILT_IN, about=_ABOUT_OWN)
    return tuple(replace(row, is_current=_same(row.endpoint, current)) for row in (*found, own))


def _set_up(endpoints: tuple[Endpoint, ...], listed: Listed) -> Iterator[ModelRow]:
    for endpoint in endpoints:
        known = {model.id: model for model in listed.get(endpoint.base_url, ())}
        info = known.get(endpoint.model) or ModelInfo(id=endpoint.model)
        info = replace(info, context_window=window_of(endpoint) or info.context_window)
        yield ModelRow(
            endpoint=endpoint, name=model_name(endpoint), about=_about(endpoint, capabilities(info))
        )


def _others(endpoints: tuple[Endpoint, ...], listed: Listed) -> Iterator[ModelRow]:
    shown = {(each.base_url, each.model) for each in endpoints}
    for endpoint in endpoints:
        for model in listed.get(endpoint.base_url, ()):
            if (endpoint.base_url, model.id) not in shown:
                shown.add((endpoint.base_url, model.id))
                other = replace(endpoint, model=model.id, context_window=model.context_window)
                about = _about(endpoint, capabilities(model))
                yield ModelRow(endpoint=other, name=model.id, about=about)


def _about(endpoint: Endpoint, can: str) -> str:
    return " · ".join(filter(None, (server_name(endpoint), can)))


def _same(one: Endpoint, other: Endpoint) -> bool:
    return (one.base_url, one.model) == (other.base_url, other.model)

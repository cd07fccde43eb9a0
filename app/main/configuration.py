"""Which models are asked, and which key belongs to which address.

A key goes to the base URL it was given for and to no other. The environment counts only when
nothing is configured: `OPENAI_BASE_URL` (or api.openai.com), `OPENAI_API_KEY`, `BELAY_MODEL`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from app.core.settings import Endpoint, Settings
from app.system.redaction import register_secret

OPENAI: Final = "https://api.openai.com/v1"


def endpoints(
    settings: Settings, environ: Mapping[str, str], *, model: str | None = None
) -> tuple[Endpoint, ...]:
    """List the models to ask, in order; `model` overrides the first one's name."""
    chosen = settings.endpoints or _from_environment(environ)
    if model and chosen:
        return (replace(chosen[0], model=model), *chosen[1:])
    return chosen


def _from_environment(environ: Mapping[str, str]) -> tuple[Endpoint, ...]:
    base_url = environ.get("OPENAI_BASE_URL", "").strip()
    if not base_url and not environ.get("OPENAI_API_KEY"):
        return ()
    return (Endpoint(base_url=base_url or OPENAI, model=environ.get("BELAY_MODEL", "")),)


class Keys:
    """The keys known to this process, by the address they belong to."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._keys: dict[str, str] = {}
        key = environ.get("OPENAI_API_KEY", "").strip()
        if key:
            self.remember(environ.get("OPENAI_BASE_URL", "").strip() or OPENAI, key)

    def remember(self, base_url: str, key: str) -> None:
        """Keep a key until Belay closes; an empty one is forgotten."""
        if key:
            register_secret(key)
            self._keys[_canonical(base_url)] = key
        else:
            self._keys.pop(_canonical(base_url), None)

    def key_for(self, base_url: str) -> str | None:
        """Find the key that belongs to an address."""
        return self._keys.get(_canonical(base_url))


def _canonical(base_url: str) -> str:
    return base_url.strip().rstrip("/").lower()

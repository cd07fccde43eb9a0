"""Which models are asked, in which order.

The environment counts only when nothing is configured: `OPENAI_BASE_URL` (or api.openai.com),
`OPENAI_API_KEY`, `BELAY_MODEL`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from app.core.settings import Endpoint, Settings

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

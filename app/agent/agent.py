"""Who answers in one conversation: a model, its tools and its instructions.

Made once per conversation and kept for the life of the process: a failed turn never rebuilds it,
so connections and running servers survive failures.
"""

from dataclasses import dataclass

from app.agent.provider import Provider
from app.agent.tools.tool import Toolbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A provider with its tools; `provider` is retry and fallback already."""

    provider: Provider
    toolbox: Toolbox
    system_prompt: str = ""

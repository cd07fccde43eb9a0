"""Which model answers in which conversation: the first of the list, unless another was chosen.

Pure. A choice names a server and a model; everything else is as the settings have it. A choice
whose server is set up no more counts for nothing.
"""

from dataclasses import replace
from typing import Final

from app.core.ids import ConversationId
from app.core.settings import BUILT_IN_URL, Choice, Endpoint, Settings, is_file

MOST: Final = 300  # remembered; the oldest are forgotten first


def ordered(
    endpoints: tuple[Endpoint, ...], settings: Settings, conversation_id: ConversationId
) -> tuple[Endpoint, ...]:
    """List whom a conversation asks, in order.

    Where the model on this computer was chosen nobody else is asked: perhaps nobody else may read
    it.
    """
    choice = next((c for c in settings.choices if c.conversation_id == conversation_id), None)
    first = _endpoint_of(choice, endpoints) if choice else None
    if first is None:
        return endpoints
    if first.base_url == BUILT_IN_URL or is_file(first):
        return (first,)
    return (first, *(each for each in endpoints if each != first))


def with_choice(
    settings: Settings, conversation_id: ConversationId, endpoint: Endpoint
) -> Settings:
    """Have a conversation ask this model from now on."""
    others = tuple(c for c in settings.choices if c.conversation_id != conversation_id)
    chosen = Choice(
        conversation_id=conversation_id, base_url=endpoint.base_url, model=endpoint.model
    )
    return replace(settings, choices=(*others, chosen)[-MOST:])


def _endpoint_of(choice: Choice, endpoints: tuple[Endpoint, ...]) -> Endpoint | None:
    if choice.base_url == BUILT_IN_URL:
        return Endpoint(base_url=BUILT_IN_URL)
    there = [each for each in endpoints if each.base_url == choice.base_url]
    for endpoint in there:
        if endpoint.model == choice.model:
            return endpoint
    return replace(there[0], model=choice.model, context_window=None) if there else None

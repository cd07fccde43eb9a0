"""Whom a conversation asks, and how much that model can read."""

import pytest

from app.core.choices import MOST, ordered, with_choice
from app.core.ids import ConversationId
from app.core.settings import BUILT_IN_URL, BUILT_IN_WINDOW, Endpoint, Settings
from app.core.windows import stated_window, window_of

HERE, THERE = ConversationId("here"), ConversationId("there")
FIRST = Endpoint(base_url="http://one/v1", model="a", temperature=0.3)
SECOND = Endpoint(base_url="http://two/v1", model="b", context_window=500)
BOTH = (FIRST, SECOND)
SETTINGS = Settings(endpoints=BOTH)


def test_a_choice_counts_in_its_conversation_only() -> None:
    chosen = with_choice(SETTINGS, HERE, SECOND)
    assert ordered(BOTH, chosen, HERE) == (SECOND, FIRST)
    assert ordered(BOTH, chosen, THERE) == BOTH


def test_another_model_of_a_server_is_asked_as_that_server_is() -> None:
    other = Endpoint(base_url=FIRST.base_url, model="c")
    first, *rest = ordered(BOTH, with_choice(SETTINGS, HERE, other), HERE)
    assert (first.model, first.temperature, first.context_window) == ("c", 0.3, None)
    assert tuple(rest) == BOTH


def test_where_the_built_in_model_was_chosen_nobody_else_is_asked() -> None:
    chosen = with_choice(SETTINGS, HERE, Endpoint(base_url=BUILT_IN_URL))
    assert ordered(BOTH, chosen, HERE) == (Endpoint(base_url=BUILT_IN_URL),)


def test_a_choice_of_a_server_that_is_gone_counts_for_nothing() -> None:
    chosen = with_choice(SETTINGS, HERE, SECOND)
    assert ordered((FIRST,), chosen, HERE) == (FIRST,)


def test_the_last_choice_counts_and_the_oldest_are_forgotten() -> None:
    settings = with_choice(with_choice(SETTINGS, HERE, SECOND), HERE, FIRST)
    assert ordered(BOTH, settings, HERE) == BOTH
    for number in range(MOST):
        settings = with_choice(settings, ConversationId(str(number)), SECOND)
    assert len(settings.choices) == MOST
    assert all(choice.conversation_id != HERE for choice in settings.choices)


@pytest.mark.parametrize(
    ("endpoint", "window"),
    [
        (SECOND, 500),
        (Endpoint(base_url=BUILT_IN_URL), BUILT_IN_WINDOW),
        (Endpoint(base_url="file:///m.gguf", model="mine"), BUILT_IN_WINDOW),
        (Endpoint(base_url="https://x/v1", model="gpt-4o-mini"), 128_000),
        (Endpoint(base_url="https://x/v1", model="gpt-4"), 8_192),
        (Endpoint(base_url="https://x/v1", model="anthropic/claude-opus"), 200_000),
        (Endpoint(base_url="https://x/v1", model="o3"), 200_000),
        (Endpoint(base_url="https://x/v1", model="mistralai/codestral-2508"), 256_000),
        (Endpoint(base_url="https://x/v1", model="nobody-knows"), None),
        (Endpoint(base_url="https://x/v1", model="my-gpt-4o"), None),
    ],
)
def test_a_window_is_what_was_said_else_what_the_name_tells(
    endpoint: Endpoint, window: int | None
) -> None:
    assert window_of(endpoint) == window


def test_a_name_alone_is_not_enough_to_refuse_anything() -> None:
    assert stated_window(Endpoint(base_url="https://x/v1", model="gpt-4")) is None
    assert stated_window(SECOND) == 500
    assert stated_window(Endpoint(base_url=BUILT_IN_URL)) == BUILT_IN_WINDOW

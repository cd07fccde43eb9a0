"""The values that cross threads: frozen, complete, and unmistakable."""

import dataclasses
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import get_args

import pytest

from app.core import commands, events, ids, messages
from app.core.commands import Command, ConversationCommand
from app.core.events import ConversationEvent, Event, TurnEvent
from app.core.settings import Settings


def values_of(module: ModuleType) -> list[type]:
    own = (c for _, c in inspect.getmembers(module, inspect.isclass))
    return [c for c in own if c.__module__ == module.__name__ and dataclasses.is_dataclass(c)]


VALUES = [*values_of(events), *values_of(commands), *values_of(messages), Settings]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: v.__name__)
def test_every_value_is_frozen_slotted_and_built_by_name(value: type) -> None:
    params = value.__dataclass_params__  # type: ignore[attr-defined]
    assert params.frozen
    assert "__slots__" in vars(value)
    assert all(field.kw_only for field in dataclasses.fields(value))


def concrete(module: ModuleType, bases: set[type]) -> set[type]:
    return {c for c in values_of(module) if issubclass(c, tuple(bases)) and c not in bases}


def test_every_event_is_in_the_union_that_listeners_match() -> None:
    assert concrete(events, {ConversationEvent, TurnEvent}) <= set(get_args(Event))


def test_every_command_is_in_the_union_that_services_match() -> None:
    assert concrete(commands, {ConversationCommand}) == set(get_args(Command))


MAKERS = [ids.new_conversation_id, ids.new_message_id, ids.new_turn_id]


@pytest.mark.parametrize("make", MAKERS, ids=lambda m: m.__name__)
def test_ids_are_unique_and_safe_in_a_file_name(make: Callable[[], str]) -> None:
    made = {make() for _ in range(1000)}
    assert len(made) == 1000
    assert all(name.isalnum() and len(name) == 32 for name in made)

"""Frozen dataclasses as plain JSON values and back, guided by their type hints.

Reading never fails as a whole: a field that does not fit keeps its default, and is named.
"""

import dataclasses
from enum import Enum
from math import isfinite
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Turn a value into what JSON can say."""
    if dataclasses.is_dataclass(value):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def from_plain(kind: type[T], plain: dict[str, Any], faults: list[str]) -> T:
    """Make a dataclass of a JSON object; the names of fields that do not fit join `faults`.

    Raises ValueError if a field without a default is missing.
    """
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for name, hint in hints.items():
        if name not in plain:
            continue
        try:
            values[name] = _read(hint, plain[name], faults)
        except ValueError:
            faults.append(name)
    try:
        return kind(**values)
    except TypeError as exc:
        raise ValueError(f"incomplete: {plain}") from exc


def _read(hint: Any, plain: Any, faults: list[str]) -> Any:
    if get_origin(hint) in (Union, UnionType):
        return _read_optional(hint, plain, faults)
    if get_origin(hint) is tuple:
        return _read_tuple(get_args(hint)[0], plain, faults)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return from_plain(hint, _expect(dict, plain), faults)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(plain)
    if hint is float and type(plain) in (int, float) and isfinite(plain):
        return float(plain)
    return _expect(hint, plain)


def _read_optional(hint: Any, plain: Any, faults: list[str]) -> Any:
    if plain is None and type(None) in get_args(hint):
        return None
    (other,) = (arg for arg in get_args(hint) if arg is not type(None))
    return _read(other, plain, faults)


def _read_tuple(hint: Any, plain: Any, faults: list[str]) -> tuple[Any, ...]:
    items = []
    for number, item in enumerate(_expect(list, plain), start=1):
        try:
            items.append(_read(hint, item, faults))
        except ValueError:
            faults.append(f"number {number}")
    return tuple(items)


def _expect(kind: type[T], plain: Any) -> T:
    if type(plain) is not kind:  # True is an int to isinstance
        raise ValueError(f"{plain!r} is not {kind}")
    return plain

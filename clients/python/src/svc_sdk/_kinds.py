"""What options may be: a value of another kind is an `SvcError` that names its option."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

from .errors import SvcError


def text(name: str, value: object) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise _wrong(name, "text", value)
    return value


def optional_text(name: str, value: object) -> str | None:
    """Return a text or `None`."""
    return None if value is None else text(name, value)


def flag(name: str, value: object) -> bool:
    """Return `True` or `False`."""
    if not isinstance(value, bool):
        raise _wrong(name, "True or False", value)
    return value


def count(name: str, value: object, least: int) -> int:
    """Return a whole number that is at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(name, "a whole number", value)
    if value < least:
        raise SvcError(f"{name} must be at least {least}")
    return value


def seconds(name: str, value: object) -> float:
    """Return a time in seconds, which is more than 0."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _wrong(name, "a number of seconds", value)
    if not 0 < value < math.inf:
        raise SvcError(f"{name} must be more than 0 seconds, and finite")
    return value


def mapping(name: str, value: object) -> Mapping[object, object]:
    """Return a mapping."""
    if not isinstance(value, Mapping):
        raise _wrong(name, "a mapping", value)
    return cast("Mapping[object, object]", value)


def function(name: str, value: object) -> None:
    """Check that an object can be called."""
    if not callable(value):
        raise _wrong(name, "a function", value)


def methods(name: str, value: object, *wanted: str) -> None:
    """Check that an object has these methods."""
    missing = [method for method in wanted if not callable(getattr(value, method, None))]
    if missing:
        raise SvcError(f"{name} must have the method {missing[0]}, and {type(value).__name__} has none")


def _wrong(name: str, wanted: str, value: object) -> SvcError:
    # The type alone: the value may be a credential in the wrong place.
    return SvcError(f"{name} must be {wanted}, not {type(value).__name__}")

"""Order of comparable versions, the same as the server's."""

from __future__ import annotations

import re

# \Z, because $ would accept a line feed at the end; re.ASCII, because \d would
# accept digits of other scripts.
_GRAMMAR = re.compile(r"(\d+(?:\.\d+)*)(?:-(alpha|beta|rc)(?:\.(\d+(?:\.\d+)*))?)?\Z", re.ASCII)
_TAGS = {"alpha": 0, "beta": 1, "rc": 2, None: 3}


def is_comparable_version(version: str) -> bool:
    """Report whether a text is a comparable version, such as `1.4.0` or `2.0-rc.1`."""
    return _GRAMMAR.match(version) is not None


def compare_versions(a: str, b: str) -> int:
    """Return -1, 0 or 1: whether `a` is older than, equal to or newer than `b`.

    Raises `ValueError` when one of them is not a comparable version.
    """
    left, right = _key(a), _key(b)
    return (left > right) - (left < right)


def derive_comparable(display: str) -> str | None:
    """Return the comparable version that a display version stands for, such as `1.4.0` for `v1.4.0`."""
    text = display.strip()
    if text[:1] in ("v", "V"):
        text = text[1:]
    return text if is_comparable_version(text) else None


def _key(version: str) -> tuple[list[tuple[int, str]], int, list[tuple[int, str]]]:
    match = _GRAMMAR.match(version)
    if match is None:
        raise ValueError("not a comparable version; it looks like 1.4.0 or 2.0.0-rc.1")
    return _numbers(match[1]), _TAGS[match[2]], _numbers(match[3] or "")


def _numbers(text: str) -> list[tuple[int, str]]:
    # Returns numbers as (length, digits), which are ordered by value. Unlike
    # int(), this accepts a text of any length.
    digits = [part.lstrip("0") for part in text.split(".")]
    numbers = [(len(n), n) for n in digits]
    while numbers and numbers[-1] == (0, ""):
        numbers.pop()
    return numbers

"""The value of an argument that was not passed."""

from __future__ import annotations

from typing import Final


class Unset:
    """Type of `UNSET`.

    An argument that is left out is not sent, so the stored value stays;
    `None` is sent as null, which clears it.
    """

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()
"""Default of every optional argument: it is not sent."""

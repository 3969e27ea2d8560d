"""The state of a record, so that people who edit the same one do not overwrite each other."""

from __future__ import annotations


class ETag:
    """The state that a record had when it was read.

        tag = ETag()
        version = client.admin.noting(tag).get_version(id)
        client.admin.if_match(tag).update_version(id, title="Two")

    The change is refused with an `SvcApiError` of status 412 when the record was
    changed meanwhile. `value` is the text of the header, `None` before there was one.
    """

    def __init__(self, value: str | None = None) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"ETag({self.value!r})"

"""Feedback that the application has sent, so that it can ask for the replies."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from ._calls import Call, Prepared, prepare
from ._exchange import exchange
from ._flow import Flow, Run
from ._json import is_list, is_object
from .errors import SvcApiError, SvcError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._core import Core
    from ._state import State

MAX_SENT = 20


class FeedbackReply(TypedDict):
    """The reply to feedback that the application has sent."""

    id: str
    """Id of the feedback."""
    status: str
    """State of the feedback."""
    reply: str
    """The reply."""
    replied_at: int
    """Time of the last change of the reply."""


def is_submission(request: Prepared) -> bool:
    """Return whether a request sends feedback."""
    return (request.method, request.path) == ("POST", "/public/{k}/feedbacks")


def submission(answer: Any) -> State | None:
    """Return what to keep of the answer to a submission, `None` when it has no token."""
    return _entry(answer.get("id"), answer.get("reply_token")) if is_object(answer) else None


def stored(state: State, keys: Mapping[str, str]) -> list[State]:
    """Return the feedback of the local state, the oldest first; what is not valid is left out."""
    if state.get(keys["opt_out"]) == "1":
        return []
    try:
        values = json.loads(state.get(keys["feedback"]) or "[]")
    except (ValueError, RecursionError):
        return []
    if not is_list(values):
        return []
    entries = [
        _entry(value.get("id"), value.get("token"), value.get("project_key"))
        for value in values
        if is_object(value)
    ]
    return [entry for entry in entries if entry is not None]


def with_feedback(state: State, keys: Mapping[str, str], sent: State) -> State:
    """Return the local state with feedback as the newest, unless there is an opt-out."""
    return _replaced(state, keys, sent["id"], [sent])


def without_feedback(state: State, keys: Mapping[str, str], identity: str) -> State:
    """Return the local state without feedback that was deleted."""
    return _replaced(state, keys, identity, [])


def _replaced(state: State, keys: Mapping[str, str], identity: str, newest: list[State]) -> State:
    if state.get(keys["opt_out"]) == "1":
        return state
    entries = [entry for entry in stored(state, keys) if entry["id"] != identity] + newest
    state.pop(keys["feedback"], None)
    if entries:
        state[keys["feedback"]] = json.dumps(entries[-MAX_SENT:], separators=(",", ":"))
    return state


def replies(core: Core) -> Flow[list[FeedbackReply]]:
    """Ask for the replies to the feedback of the bound project. Local checks raise at once."""
    if core.is_closed:
        raise SvcError("the client is closed")
    return _replies(core)


def _replies(core: Core) -> Flow[list[FeedbackReply]]:
    queue, found = core.queue(), list[FeedbackReply]()
    settings = core.settings  # Another project may be bound between two requests.
    for sent in (yield Run(queue.sent_feedback)):
        path, identity = "/public/{k}/feedbacks/{id}/reply", sent["id"]
        call = Call[FeedbackReply]("GET", path, {"id": identity}, reply_token=sent["token"])
        try:
            answer = yield from exchange(prepare(call, settings), core.clock)
        except SvcApiError as error:
            if error.status != 404:
                raise
            # A proxy may answer 404 for a server that is being replaced, but not in JSON.
            if is_object(error.body):
                yield Run(partial(queue.forget_feedback, identity))
            continue
        if is_object(answer) and answer.get("reply") is not None:
            found.append(answer)  # type: ignore[arg-type]
    return found


def _entry(identity: object, token: object, project_key: object = None) -> State | None:
    if not (isinstance(identity, str) and isinstance(token, str) and identity and token):
        return None
    entry = {"id": identity, "token": token}
    if isinstance(project_key, str):
        entry["project_key"] = project_key
    return entry

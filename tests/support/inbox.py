"""Messages that a sidecar has sent, for a client."""

import threading
from collections.abc import Callable
from typing import Any

import orjson

from tests.support.rpc_failures import StillWaiting

Message = dict[str, Any]
PATIENCE_SECONDS = 20.0


class Inbox:
    """Collects messages from any thread and lets a test wait for a specific one."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.closed = False
        self._first_responses: dict[tuple[type, object], Message] = {}
        """By the id's type and value."""
        self._changed = threading.Condition()

    def put(self, payload: bytes) -> None:
        """Add a message, which must be JSON."""
        message = orjson.loads(payload)
        with self._changed:
            self.messages.append(message)
            if isinstance(message, dict) and "method" not in message and "id" in message:
                self._first_responses.setdefault((type(message["id"]), message["id"]), message)
            self._changed.notify_all()

    def close(self) -> None:
        """Mark the stream as ended."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def wait_for(self, matches: Callable[[Any], bool], patience: float = PATIENCE_SECONDS) -> Any:
        """Return the first matching message. Raise StillWaiting if none arrives."""
        compared = 0

        def first_match() -> Any:
            nonlocal compared
            new, compared = self.messages[compared:], len(self.messages)
            return next(filter(matches, new), None)

        return self._wait(first_match, patience)

    def wait_for_response(self, request_id: object, patience: float = PATIENCE_SECONDS) -> Message:
        """Return the first response with an id. Raise StillWaiting if none arrives."""
        message: Message = self._wait(lambda: self._first_responses.get((type(request_id), request_id)), patience)
        return message

    def wait_for_count(self, matches: Callable[[Any], bool], count: int) -> list[Any]:
        """Return all matching messages once there are `count` of them."""

        def matching() -> list[Any]:
            return [message for message in self.messages if matches(message)]

        with self._changed:
            self._changed.wait_for(lambda: len(matching()) >= count or self.closed, PATIENCE_SECONDS)
            found = matching()
        if len(found) < count:
            raise StillWaiting(f"{len(found)} of {count} (stream closed: {self.closed})")
        return found

    def _wait(self, find: Callable[[], Any], patience: float) -> Any:
        """Return what is found once something is; `find` is called again after each new message."""
        found = None

        def has_found() -> bool:
            nonlocal found
            found = find()
            return found is not None or self.closed

        with self._changed:
            self._changed.wait_for(has_found, patience)
        if found is None:
            raise StillWaiting(f"not among {len(self.messages)} messages (stream closed: {self.closed})")
        return found

    def responses_to(self, request_id: object) -> list[Message]:
        """Return every response with an id so far; there should be one."""
        return [message for message in list(self.messages) if is_response(message, request_id)]


def is_response(message: object, request_id: object) -> bool:
    """Whether a message is a response to a request."""
    return (
        isinstance(message, dict)
        and "method" not in message
        and message.get("id") == request_id
        and type(message.get("id")) is type(request_id)
    )

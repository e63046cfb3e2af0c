"""What a sidecar has sent, as a client sees it."""

import threading
from collections.abc import Callable
from typing import Any

import orjson

from tests.support.failures import StillWaiting

Message = dict[str, Any]
PATIENCE_SECONDS = 20.0


class Inbox:
    """Collects messages from any thread and lets a test wait for the one it wants."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.closed = False
        self._changed = threading.Condition()

    def put(self, payload: bytes) -> None:
        """Takes one message; it must be JSON."""
        message = orjson.loads(payload)
        with self._changed:
            self.messages.append(message)
            self._changed.notify_all()

    def close(self) -> None:
        """Learns that nothing more will come."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def wait_for(self, wanted: Callable[[Any], bool], patience: float = PATIENCE_SECONDS) -> Any:
        """Gives the first message that is wanted; raises StillWaiting when none comes."""
        found: list[Any] = []

        def looked() -> bool:
            found[:] = [message for message in self.messages if wanted(message)][:1]
            return bool(found) or self.closed

        with self._changed:
            self._changed.wait_for(looked, patience)
        if not found:
            raise StillWaiting(f"not among {len(self.messages)} messages (stream closed: {self.closed})")
        return found[0]

    def wait_for_count(self, wanted: Callable[[Any], bool], count: int) -> list[Any]:
        """Gives all wanted messages once there are as many as `count`."""

        def matching() -> list[Any]:
            return [message for message in self.messages if wanted(message)]

        with self._changed:
            self._changed.wait_for(lambda: len(matching()) >= count or self.closed, PATIENCE_SECONDS)
            found = matching()
        if len(found) < count:
            raise StillWaiting(f"{len(found)} of {count} (stream closed: {self.closed})")
        return found

    def answers_to(self, request_id: object) -> list[Message]:
        """Gives every response that came under an id so far; there should be one."""
        return [message for message in list(self.messages) if is_answer(message, request_id)]


def is_answer(message: object, request_id: object) -> bool:
    """Says whether a message is a response to a request."""
    return (
        isinstance(message, dict)
        and "method" not in message
        and message.get("id") == request_id
        and type(message.get("id")) is type(request_id)
    )

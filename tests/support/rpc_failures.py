"""Failures of a client."""

from typing import Any


class RpcFailure(Exception):
    """The sidecar answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error.get('code')}: {error.get('message')} {error.get('data')}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: dict[str, Any] = error.get("data") or {}


class StillWaiting(Exception):
    """Nothing arrived within the time a test waits."""

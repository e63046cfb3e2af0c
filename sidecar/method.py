"""A method is declared once: a function with annotated params and result, and one row here.

From the rows come the dispatch table, `rpc.discover`, and everything under `rpc_schema/`.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, get_type_hints

from sidecar.core.errors import SidecarError
from sidecar.core.wire import WireModel


class Lane(StrEnum):
    """Where a method runs, and what it may delay."""

    CONNECTION = "connection"
    """Answered by the connection itself, at once and in order of arrival."""
    SHARED = "shared"
    """On the worker pool; identical concurrent requests share one computation."""
    WORKSPACE = "workspace"
    """On the worker pool, one at a time per workspace (`cwd`), in order of arrival."""
    JOB = "job"
    """On a thread of its own, with `$/progress` and cancellation."""


@dataclass(frozen=True, slots=True)
class Method:
    """One row of the catalog. `run` is None where the connection itself answers."""

    name: str
    params: type[WireModel]
    result: type[WireModel]
    lane: Lane
    doc: str
    errors: tuple[type[SidecarError], ...] = ()
    run: Callable[[Any, Any], WireModel] | None = None


@dataclass(frozen=True, slots=True)
class Notification:
    """A message without an answer; `run` is None where the connection handles it or the server sends it."""

    name: str
    params: type[WireModel]
    sender: Literal["client", "server"]
    doc: str
    lane: Lane = Lane.CONNECTION
    run: Callable[[Any, Any], None] | None = None


def method(
    name: str,
    run: Callable[[Any, Any], WireModel],
    *,
    lane: Lane,
    errors: tuple[type[SidecarError], ...] = (),
) -> Method:
    """Makes a row from a function `(call, params) -> result`; its annotations and docstring are the contract."""
    hints = get_type_hints(run)
    return Method(name, hints["params"], hints["return"], lane, docstring(run), errors, run)


def notification(name: str, run: Callable[[Any, Any], None], *, lane: Lane) -> Notification:
    """Makes the row of a notification that the client sends from a function `(call, params) -> None`."""
    return Notification(name, get_type_hints(run)["params"], "client", docstring(run), lane, run)


def docstring(subject: object) -> str:
    """Gives a function's or model's documentation; a row without one cannot be declared."""
    doc = inspect.getdoc(subject)
    if not doc:
        raise TypeError(f"{subject!r} is in the catalog and has no docstring")
    return doc

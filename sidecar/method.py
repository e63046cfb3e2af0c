"""A method is declared once: a function with annotated params and result, and one row here.

The dispatch table, `rpc.discover` and everything under `rpc_schema/` are generated from the rows.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, NamedTuple, get_type_hints

from sidecar.core.errors import SidecarError
from sidecar.core.wire_types import WireModel


class Lane(StrEnum):
    """The place where a method runs, and the work it can delay."""

    CONNECTION = "connection"
    """Answered by the connection itself, immediately and in order of arrival."""
    SHARED = "shared"
    """On the worker pool; identical concurrent requests share one computation."""
    WORKSPACE = "workspace"
    """On the worker pool, one at a time per workspace (`cwd`), in order of arrival."""
    JOB = "job"
    """On its own thread, with `$/progress` and cancellation; a few of each method."""
    LOOP = "loop"
    """Like a job, but it mostly waits for another process, so that many may run."""


@dataclass(frozen=True, slots=True)
class Method:
    """One row of the catalog. `run` is None if the connection itself answers."""

    name: str
    params: type[WireModel]
    result: type[WireModel]
    lane: Lane
    doc: str
    errors: tuple[type[SidecarError], ...] = ()
    run: Callable[[Any, Any], WireModel] | None = None
    is_exact: bool = False
    """Whether the result may contain the host's own text, which is returned byte for byte."""


@dataclass(frozen=True, slots=True)
class Notification:
    """A message without a response; `run` is None if the connection handles it or the server sends it."""

    name: str
    params: type[WireModel]
    sender: Literal["client", "server"]
    doc: str
    lane: Lane = Lane.CONNECTION
    run: Callable[[Any, Any], None] | None = None


class Catalog(NamedTuple):
    """Methods and notifications, in publishing order."""

    methods: tuple[Method, ...]
    notifications: tuple[Notification, ...]


def method(
    name: str,
    run: Callable[[Any, Any], WireModel],
    *,
    lane: Lane,
    errors: tuple[type[SidecarError], ...] = (),
    is_exact: bool = False,
) -> Method:
    """Return the row of a function `(call, params) -> result`; its annotations and docstring are the contract."""
    hints = get_type_hints(run)
    return Method(
        name=name,
        params=hints["params"],
        result=hints["return"],
        lane=lane,
        doc=docstring(run),
        errors=errors,
        run=run,
        is_exact=is_exact,
    )


def notification(name: str, run: Callable[[Any, Any], None], *, lane: Lane) -> Notification:
    """Return the row of a client notification from a function `(call, params) -> None`."""
    return Notification(
        name=name, params=get_type_hints(run)["params"], sender="client", doc=docstring(run), lane=lane, run=run
    )


def docstring(subject: object) -> str:
    """Return the documentation of a function or model. Raise TypeError if there is none."""
    doc = inspect.getdoc(subject)
    if not doc:
        raise TypeError(f"{subject!r} is in the catalog and has no docstring")
    return doc

"""Every error this program raises on purpose.

    SidecarError
    ├── ParseError            -32700  not JSON
    ├── InvalidRequest        -32600  JSON, but not a JSON-RPC request
    ├── MethodNotFound        -32601
    ├── InvalidParams         -32602
    ├── InternalError         -32603  unexpected; carries an incident id, never its cause
    ├── NotInitialized        -32002  `initialize` has not been answered yet
    ├── Busy                  -32001  a queue is full, a lock is held or memory is short; retry after `retryAfterMs`
    ├── Cancelled             -32800  the client cancelled the request
    ├── WorkspaceUnavailable  -32010  the folder or its repository cannot be used
    ├── StateDegraded         -32012  the state file cannot be used for this
    ├── TooLarge              -32013  over a stated size
    ├── PolicyDenied          -32014  a setting or a protection forbids it
    ├── Conflict              -32015  it is not in a condition that allows the action
    ├── NotFound              -32016  it does not exist
    ├── SyncFailed            -32017  the knowledge sync stopped; see `code` and `retryable`
    └── AgentUnavailable      -32018  the coding agent's program is missing or cannot be run

An error has a code, one sentence, optionally a hint (what to do) and data. A subclass exists only where a client acts
differently. The flag that cancels a request is defined beside its error. `rpc/envelope.py` is the one place that turns
them into JSON-RPC error objects.
"""

from collections.abc import Sequence
from typing import ClassVar

from sidecar.core.lazy_regex import lazy_regex


class SidecarError(Exception):
    """An expected failure with a code, one sentence, optionally a hint and data."""

    code: ClassVar[int] = -32000
    kind: ClassVar[str] = "error"

    def __init__(self, message: str, *, hint: str | None = None, data: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.data = data or {}


class ParseError(SidecarError):
    """The bytes are not a single JSON text in UTF-8."""

    code = -32700
    kind = "parseError"


class InvalidRequest(SidecarError):
    """The JSON is not a JSON-RPC 2.0 request, or this connection cannot accept it now."""

    code = -32600
    kind = "invalidRequest"


class MethodNotFound(SidecarError):
    """The catalog has no method of that name."""

    code = -32601
    kind = "methodNotFound"


class InvalidParams(SidecarError):
    """The params do not match the method's model, or not each other; data.errors, if present, names up to 20 fields."""

    code = -32602
    kind = "invalidParams"


class InternalError(SidecarError):
    """An unexpected failure; the log has the traceback under data.incidentId."""

    code = -32603
    kind = "internalError"


class NotInitialized(SidecarError):
    """A method was called before `initialize` succeeded."""

    code = -32002
    kind = "notInitialized"


class Busy(SidecarError):
    """A queue is full, another process holds a lock, or memory is short; retry after data.retryAfterMs milliseconds."""

    code = -32001
    kind = "busy"


def out_of_memory() -> Busy:
    """Return the error for a request that found too little memory; it has changed nothing."""
    return Busy(
        "There is not enough memory for this request.",
        hint="Close other programs or raise the memory limit, then try again.",
        data={"retryAfterMs": 1_000},
    )


class Cancelled(SidecarError):
    """The client cancelled the request."""

    code = -32800
    kind = "cancelled"


class Cancellation:
    """A one-way flag. Long work calls `check` between its steps."""

    __slots__ = ("is_set",)

    def __init__(self) -> None:
        self.is_set = False

    def set(self) -> None:
        """Ask the work to stop at its next check."""
        self.is_set = True

    def check(self) -> None:
        """Raise Cancelled if the flag is set."""
        if self.is_set:
            raise Cancelled("The request was cancelled.")


class WorkspaceUnavailable(SidecarError):
    """The folder of the workspace or project is missing, relative or unreadable, or its repository cannot be used."""

    code = -32010
    kind = "workspaceUnavailable"


class StateDegraded(SidecarError):
    """The state folder or its state file cannot be opened, read or written."""

    code = -32012
    kind = "stateDegraded"


class TooLarge(SidecarError):
    """Something exceeds a stated size; data.limitBytes is that size."""

    code = -32013
    kind = "tooLarge"


class PolicyDenied(SidecarError):
    """A setting or a protection forbids the action."""

    code = -32014
    kind = "policyDenied"


class Conflict(SidecarError):
    """The object changed meanwhile, is in use, or is not in a condition that allows the action."""

    code = -32015
    kind = "conflict"


class NotFound(SidecarError):
    """No object has that id, name or path."""

    code = -32016
    kind = "notFound"


class SyncFailed(SidecarError):
    """The knowledge sync failed.

    data.code is the failure's code, such as `KNOWLEDGE_UNAVAILABLE`; data.retryable is whether to try again.
    """

    code = -32017
    kind = "syncFailed"


class AgentUnavailable(SidecarError):
    """The coding agent's program is missing or cannot be started; `ralph/start` reports it as `reason`."""

    code = -32018
    kind = "agentUnavailable"


# Client-supplied names that appear in errors and logs.


_NAME = lazy_regex(r"[A-Za-z_$][A-Za-z0-9_$./-]{0,59}")

NOT_A_NAME = "(not a name)"


MISSING, UNKNOWN = "is missing", "is unknown"
MAX_NAMED_MEMBERS = 4


def sentence_about(problems: Sequence[tuple[str, str]], total: int) -> str:
    """Return what is wrong with params as sentences, from the path and the problem of each member.

    A misspelled member comes first, as another problem may be its consequence. Members that are missing are named
    together.
    """
    from sidecar.core.clean_text import count_noun, join_and  # which a start without an error does not need

    first = next((entry for entry in problems if entry[1].startswith(f"{UNKNOWN};")), problems[0])
    path, problem = first
    count = 1
    if problem == MISSING:
        names = [f"`{name}`" for name, other in problems if other == MISSING]
        count = len(names)
        hidden = len(names) - MAX_NAMED_MEMBERS
        listed = join_and([*names[:MAX_NAMED_MEMBERS], f"{hidden} more"] if hidden > 0 else names)
        sentence = f"{listed} {'is' if count == 1 else 'are'} missing."
    elif problem.startswith(UNKNOWN):
        suggestion = problem.removeprefix(UNKNOWN)
        sentence = f"There is no member `{path}`{suggestion}{'?' if '; did you mean' in suggestion else '.'}"
    else:
        subject = "The params" if path == PARAMS else f"`{path}`"
        sentence = f"{subject}{'' if problem.startswith(_VERBS) else ':'} {problem}."
    left = total - count
    more = f" There {'is' if left == 1 else 'are'} {count_noun(left, 'more problem')}." if left else ""
    return sentence + more


_VERBS = ("must ", "has ", "is ")


def nested_form(name: str) -> str:
    """Return how a dotted member is written; empty for what is not a name."""
    group, _, inner = name.partition(".")
    is_name = loggable_name(name) == name and inner and "." not in inner
    return f'; nest it: {{"{group}": {{"{inner}": …}}}}' if is_name else ""


PARAMS = "params"
"""Path of a problem with the params as a whole."""


def loggable_name(name: object) -> str:
    """Return a field's or method's name unchanged, unless it looks like misplaced content or holds a secret."""
    from sidecar.core.redact import redact  # which a start without an error does not need

    is_name = isinstance(name, str) and _NAME.fullmatch(name) and redact(name) == name
    return name if isinstance(name, str) and is_name else NOT_A_NAME

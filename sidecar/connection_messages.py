"""The connection's own methods: models and rows. `app.py` and `rpc/connection.py` answer them."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from sidecar.core.errors import Cancelled, InvalidParams, StateDegraded
from sidecar.core.wire_types import Empty, FolderPath, WireModel
from sidecar.method import Lane, Method, Notification
from sidecar.settings.model import SettingsPatch


class ClientInfo(WireModel):
    """The client's name and version."""

    name: str = Field(min_length=1, max_length=200)
    version: str = Field(min_length=1, max_length=200)


def _strict_integer(value: object) -> object:
    # A literal compares by equality, and in Python True and 1.0 equal 1.
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("must be a whole number")  # noqa: TRY004  (pydantic turns only this one into a validation error)
    return value


class InitializeParams(WireModel):
    """The first message of a connection."""

    protocol_version: Annotated[Literal[1], BeforeValidator(_strict_integer)] = Field(
        description="The protocol version; it changes with breaking changes only."
    )
    client_info: ClientInfo
    process_id: int | None = Field(
        default=None, gt=0, lt=2**32, description="The client's process; the sidecar ends with it."
    )
    state_dir: FolderPath = Field(description="An absolute folder for the state file; created if missing.")
    log_dir: FolderPath | None = Field(default=None, description="A folder for the rotating log file.")
    settings: SettingsPatch | None = Field(
        default=None, description="Settings; they take precedence over the defaults only."
    )
    capabilities: dict[str, Any] = Field(
        default_factory=dict, description="Optional features of the client; none is defined yet."
    )


class ServerInfo(WireModel):
    """The sidecar's name, version and build."""

    name: str
    version: str
    build: Literal["source", "frozen"]


class ConnectionLimits(WireModel):
    """Limits of a message."""

    max_message_bytes: int = Field(description="Maximum size of one message in bytes.")


class StateReport(WireModel):
    """The condition of the state file."""

    schema_: int = Field(alias="schema", description="The file's migration step.")
    degraded: bool = Field(description="True if data was lost or set aside; `warnings` has the details.")
    warnings: list[str] = Field(description="One sentence each, for the user.")


class InitializeResult(WireModel):
    """The result of the handshake."""

    protocol_version: Literal[1]
    server_info: ServerInfo
    capabilities: dict[str, Any] = Field(
        description="What this sidecar supports: `progress` of jobs, `cancel` of requests."
    )
    limits: ConnectionLimits
    state: StateReport


class CancelParams(WireModel):
    """The request to cancel."""

    id: str | int | float


class Progress(WireModel):
    """The progress of a job."""

    phase: str = Field(description="The current step, in a word.")
    done: int = Field(description="Number of finished steps.")
    total: int = Field(description="Number of steps known so far.")
    remaining_ms: int | None = Field(default=None, description="Estimated time left; null while it is unknown.")


class ProgressParams(WireModel):
    """A job's progress, under the id of its request."""

    token: str | int | float | None = Field(description="The id of the job's request.")
    value: Progress


METHODS = (
    Method(
        name="initialize",
        params=InitializeParams,
        result=InitializeResult,
        lane=Lane.CONNECTION,
        doc="Open the state file and start the connection.\n\n"
        "Must come first: any other request before it fails with -32002.",
        errors=(InvalidParams, StateDegraded),
    ),
    Method("ping", Empty, Empty, Lane.CONNECTION, "Answer immediately, whatever else is running."),
    Method(
        "shutdown",
        Empty,
        Empty,
        Lane.CONNECTION,
        "Refuse further requests. Running ones are finished; `exit` or the end of stdin ends the process.",
    ),
)

NOTIFICATIONS = (
    Notification(
        "exit",
        Empty,
        "client",
        "End the process, with status 0 after `shutdown`, else with 1.",
    ),
    Notification(
        "$/cancelRequest",
        CancelParams,
        "client",
        f"Cancel a request in flight; its only response is the error {Cancelled.code}.",
    ),
    Notification("$/progress", ProgressParams, "server", "The progress of a job."),
)

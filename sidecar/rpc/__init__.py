"""JSON-RPC 2.0 over two byte streams: framing, envelopes, scheduling, cancellation. Knows no domain."""

TYPE_CHECKING = False  # `typing` would be loaded before the streams are claimed
if TYPE_CHECKING:
    from sidecar.rpc.connection import Connection
    from sidecar.rpc.dispatch import Dispatcher
    from sidecar.rpc.envelope import Request, frames_of
    from sidecar.rpc.framing import MAX_HEADER_BYTES, MAX_MESSAGE_BYTES, Framer, Framing, Refused, frame
    from sidecar.rpc.scheduler import PendingRequest, QueuedTask, QueueLimits, Scheduler

_LOADED_LATER = {
    "connection": ("Connection",),
    "dispatch": ("Dispatcher",),
    "envelope": ("Request", "frames_of"),
    "framing": ("MAX_HEADER_BYTES", "MAX_MESSAGE_BYTES", "Framer", "Framing", "Refused", "frame"),
    "scheduler": ("PendingRequest", "QueueLimits", "QueuedTask", "Scheduler"),
}
"""Names of modules that are loaded when a name is first used: `claim_stdio` comes before every other module."""


def __getattr__(name: str) -> object:
    module = next((module for module, names in _LOADED_LATER.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(__import__(f"{__name__}.{module}", fromlist=[name]), name)
    globals()[name] = value
    return value

"""The one list of every method and notification."""

from sidecar import lifecycle
from sidecar.capture import methods as capture
from sidecar.codebase import methods as codebase
from sidecar.context import methods as context
from sidecar.governor import methods as governor
from sidecar.knowledge import methods as knowledge
from sidecar.memory import methods as memory
from sidecar.method import Method, Notification
from sidecar.metrics import methods as metrics
from sidecar.packs import methods as packs
from sidecar.registry import methods as registry
from sidecar.session import methods as session
from sidecar.settings import methods as settings

METHODS: tuple[Method, ...] = (
    *lifecycle.METHODS,
    *packs.METHODS,
    *capture.METHODS,
    *governor.METHODS,
    *context.METHODS,
    *session.METHODS,
    *codebase.METHODS,
    *memory.METHODS,
    *registry.METHODS,
    *knowledge.METHODS,
    *metrics.METHODS,
    *settings.METHODS,
)

NOTIFICATIONS: tuple[Notification, ...] = (*lifecycle.NOTIFICATIONS, *packs.NOTIFICATIONS)

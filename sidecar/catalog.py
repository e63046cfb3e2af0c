"""The one list of every method and notification."""

from sidecar import lifecycle
from sidecar.method import Method, Notification
from sidecar.settings import methods as settings

METHODS: tuple[Method, ...] = (
    *lifecycle.METHODS,
    *settings.METHODS,
)

NOTIFICATIONS: tuple[Notification, ...] = (*lifecycle.NOTIFICATIONS,)

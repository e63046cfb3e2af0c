"""The rows of `registry/*`: what there is, whether something new is needed, and how the file is kept true."""

from sidecar.registry import decide_methods, look_methods, refresh_method, write_methods
from sidecar.registry.health import method as health

METHODS = (
    *look_methods.METHODS,
    *decide_methods.METHODS,
    *write_methods.METHODS,
    refresh_method.ROW,
    health.ROW,
)

"""The command line: a module per command."""

TYPE_CHECKING = False  # `typing` would delay every hook
if TYPE_CHECKING:
    from sidecar.cli.main import run, spool

__all__ = ["run", "spool"]


def __getattr__(name: str) -> object:
    """Load the commands at their first use: a hook and `serve` start without them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sidecar.cli import main

    value: object = getattr(main, name)
    globals()[name] = value
    return value

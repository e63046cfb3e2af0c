"""Client-supplied names that appear in errors and logs."""

from sidecar.core.lazy_regex import lazy_regex

_NAME = lazy_regex(r"[A-Za-z_$][A-Za-z0-9_$./-]{0,59}")

NOT_A_NAME = "(not a name)"


def loggable_name(name: object) -> str:
    """Return a field's or method's name unchanged, unless it looks like misplaced content."""
    return name if isinstance(name, str) and _NAME.fullmatch(name) else NOT_A_NAME

"""Names a client made up, where they may be repeated: in an error or in the log."""

from sidecar.core.lazy_regex import regex

_NAME = regex(r"[A-Za-z_$][A-Za-z0-9_$./-]{0,59}")

NOT_A_NAME = "(not a name)"


def shown(name: object) -> str:
    """Gives a field's or method's name as it is, unless it looks like content that got there by mistake."""
    return name if isinstance(name, str) and _NAME.fullmatch(name) else NOT_A_NAME

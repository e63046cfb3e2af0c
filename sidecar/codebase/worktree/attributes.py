"""What git may do to a file's content on its way into the index: told by settings and attribute files.

A content that is surely not converted has the id of its own bytes; every other one is left to git to compare.
"""

from typing import NamedTuple

from sidecar.system.safe_open import content_of

FILTERS, LINES, DIFFS = 1, 2, 4
"""An attribute that runs programs or re-encodes; one about line ends, which changes only what has CR LF in it; one
about how differences are shown."""

ANYTHING = FILTERS | LINES | DIFFS

_WORDS = {
    FILTERS: (b"filter", b"ident", b"working-tree-encoding"),
    LINES: (b"text", b"eol", b"crlf"),
    DIFFS: (b"diff", b"binary"),
}
MAX_ATTRIBUTES_BYTES = 2**20

_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_AS_ALWAYS: dict[str, tuple[str, ...]] = {
    "core.trustctime": _TRUE,
    "core.checkstat": ("default",),
    "core.symlinks": _TRUE,
    "core.sparsecheckout": _FALSE,
    "core.precomposeunicode": _FALSE,
    "attr.tree": (),
}
"""Settings that change what git compares; one with another value leaves every comparison to git."""


class Conversion(NamedTuple):
    """How this repository's settings have contents compared."""

    heeds_mode: bool
    folds_case: bool
    everywhere: int
    """What settings and attribute files outside of the worktree may ask for: FILTERS, LINES, DIFFS."""


def conversion_of(settings: dict[str, str]) -> Conversion | None:
    """Reads settings (lower-case name → last value); None where comparing is best left to git."""
    for name, allowed in _AS_ALWAYS.items():
        if name in settings and settings[name].lower() not in allowed:
            return None
    heeds_mode = _boolean(settings.get("core.filemode", "true"))
    folds_case = _boolean(settings.get("core.ignorecase", "false"))
    lines = LINES if settings.get("core.autocrlf", "false").lower() not in _FALSE else 0
    return None if heeds_mode is None or folds_case is None else Conversion(heeds_mode, folds_case, lines)


def asked_by(path: str) -> int:
    """Tells what an attribute file may ask for; all of it where the file cannot be read."""
    try:
        content = content_of(path, MAX_ATTRIBUTES_BYTES, follows=False)
    except FileNotFoundError:
        return 0
    except OSError:
        return ANYTHING
    return sum(kind for kind, words in _WORDS.items() if any(word in content for word in words))


def _boolean(value: str) -> bool | None:
    lowered = value.lower()
    return True if lowered in _TRUE else False if lowered in _FALSE else None

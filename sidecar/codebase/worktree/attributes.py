"""How git may convert a file's content on its way into the index, from settings and attribute files.

Content that is surely unconverted has the id of its own bytes; all other content is left to git to compare.
"""

from typing import NamedTuple

from sidecar.system.safe_open import read_regular

FILTERS, LINES, DIFFS = 1, 2, 4
"""Flags: an attribute that runs programs or re-encodes; one about line endings, which only affects content with CR LF;
one about how diffs are shown.
"""

ANYTHING = FILTERS | LINES | DIFFS

_ATTRIBUTE_WORDS = {
    FILTERS: (b"filter", b"ident", b"working-tree-encoding"),
    LINES: (b"text", b"eol", b"crlf"),
    DIFFS: (b"diff", b"binary"),
}
MAX_ATTRIBUTES_BYTES = 2**20

_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_STANDARD_VALUES: dict[str, tuple[str, ...]] = {
    "core.trustctime": _TRUE,
    "core.checkstat": ("default",),
    "core.symlinks": _TRUE,
    "core.sparsecheckout": _FALSE,
    "core.precomposeunicode": _FALSE,
    "attr.tree": (),
}
"""Settings that change what git compares; any other value leaves every comparison to git."""


class Conversion(NamedTuple):
    """How this repository's settings make git compare contents."""

    compares_mode: bool
    ignores_case: bool
    global_flags: int
    """Flags that settings and attribute files outside the worktree may set."""


def conversion_of(settings: dict[str, str]) -> Conversion | None:
    """Evaluate settings (lower-case name → last value); return None if comparing is best left to git."""
    for name, allowed in _STANDARD_VALUES.items():
        if name in settings and settings[name].lower() not in allowed:
            return None
    compares_mode = _boolean(settings.get("core.filemode", "true"))
    ignores_case = _boolean(settings.get("core.ignorecase", "false"))
    lines = LINES if settings.get("core.autocrlf", "false").lower() not in _FALSE else 0
    return None if compares_mode is None or ignores_case is None else Conversion(compares_mode, ignores_case, lines)


def flags_in_file(path: str) -> int:
    """Return the flags an attribute file may set; all of them if it is unreadable."""
    try:
        content = read_regular(path, MAX_ATTRIBUTES_BYTES, follow_links=False)
    except FileNotFoundError:
        return 0
    except OSError:
        return ANYTHING
    return sum(kind for kind, words in _ATTRIBUTE_WORDS.items() if any(word in content for word in words))


def _boolean(value: str) -> bool | None:
    lowered = value.lower()
    return True if lowered in _TRUE else False if lowered in _FALSE else None

"""What secrets are called, and where in a text such a name stands with a value after it. Pure."""

from collections.abc import Iterator

from sidecar.core.regex import regex
from sidecar.core.secrets.randomness import PHRASES

SHORT = r"(?-i:(?<![A-Za-z])pass|(?<![A-Z])Pass|(?<![A-Za-z])PASS)"
"""`pass` as a word of a name: `db_pass`, `dbPass`, but not `bypass`."""

_KEY_KINDS = (
    "api", "access", "private", "account", "secret", "signing", "encryption", "auth", "service", "client", "master",
    "database", "db", "webhook", "license", "licence",
)  # fmt: skip
NAMES = rf"(?:{PHRASES}|{SHORT}|secret|token|credential|(?:{'|'.join(_KEY_KINDS)})[-_]?key|(?<![A-Za-z/.-])_?auth)"

_FOLLOWED = regex(r"[\w-]{0,40}(?:\[\d{0,4}\])?(?:\.assign)?(?:\\{0,3}[\"'])?\]?\s{0,20}(?:[:=!>]|\(\\{0,3}[\"'])")
_FOLLOWED_BY_PASSWORD = regex(r"[\w-]{0,40}(?:\[\d{0,4}\])?(?:\\{0,3}[\"'])?\]?\s{0,20}[:=!>(\"'.]")
_FOLLOWED_BY_LONG = regex(
    r"[\w-]{0,40}(?:\\{0,3}[\"'])?\]?\s{0,20}[:=]{1,2}\s{0,20}\\{0,3}[\"'`]?(?=[\w+/=-]{0,20}[0-9])[\w+/=-]{20}"
)
"""What must follow where `key` is any key: a map's, a cache's and a sort's are words."""

_GIVEN = regex(r"[\"'] {0,4}[!=]==? {0,4}[\w.]*$|(?<![\w-])--?[a-z-]*$")
_GIVEN_CHARACTERS = 40
"""A value may also stand before: `"…" == password`; and behind a command line's option stands none of the signs."""

_NAMED_KEYS = tuple(word + mark for word in _KEY_KINDS for mark in ("", "-", "_"))
_LONGEST_KIND = max(map(len, _NAMED_KEYS))
_WORDS = (
    *((word, _FOLLOWED_BY_PASSWORD) for word in ("pass", "pwd", "contrase")),
    *((word, _FOLLOWED) for word in ("secret", "token", "credential", "key", "auth")),
)


def by_names(text: str) -> list[tuple[bool, str]]:
    """Cuts a text at line ends into parts that hold a secret's name, each with its next line, and the others.

    Finding the names first, and whether a value can follow, is ten times faster than to look for values everywhere.
    """
    parts: list[tuple[bool, str]] = []
    done = 0
    for position in sorted(_positions(text)):
        if position < done:
            continue
        start = max(done, text.rfind("\n", 0, position) + 1)
        end = _line_end(text, _line_end(text, position))
        parts += [(False, text[done:start]), (True, text[start:end])]
        done = end
    return [*parts, (False, text[done:])]


def folded(text: str) -> str:
    """Gives a text in small letters, each character where it was; one capital's small letter takes two."""
    return text.replace("İ", "I").lower()


def _positions(text: str) -> Iterator[int]:
    small = folded(text)
    for word, usually in _WORDS:
        at = small.find(word)
        while at >= 0:
            end = at + len(word)
            is_any_key = word == "key" and not small.endswith(_NAMED_KEYS, max(0, at - _LONGEST_KIND), at)
            followed = _FOLLOWED_BY_LONG if is_any_key else usually
            if followed.match(small, end) or _is_given(small, at):
                yield at
            at = small.find(word, end)


def _is_given(small: str, at: int) -> bool:
    """Says whether a value, or an option's hyphens, stand before; the pattern runs where a sign of either does."""
    start = max(0, at - _GIVEN_CHARACTERS)
    before = small[start:at]
    if "-" not in before and '"' not in before and "'" not in before:
        return False
    return _GIVEN.search(small, start, at) is not None


def _line_end(text: str, position: int) -> int:
    """Gives the place behind the line end at or after a position; the text's end without one."""
    found = text.find("\n", position)
    return found + 1 if found >= 0 else len(text)

"""Sanitize text from repositories, tools and user files for use inside a block, and clip text. Pure."""

import re
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.lru_cache import LruCache
from sidecar.core.redact import redact


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun in singular or plural, as in `1 file`, `2 memories` and `12,345 days`."""
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"
    return f"{number:,} {plural}"


def join_and(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: `a`, `a and b`, `a, b and c`."""
    return " and ".join((*([", ".join(names[:-1])] if names[1:] else ()), *names[-1:]))


def join_first(names: Sequence[str], limit: int, noun: str = "") -> str:
    """Return the first names and the number of the others: `a, b and 3 more`, with a noun `a and 1 more file`."""
    left = len(names) - limit
    if left <= 0:
        return ", ".join(names)
    return f"{', '.join(names[:limit])} and {count_noun(left, f'more {noun}') if noun else f'{left:,} more'}"


def utf16_length(text: str) -> int:
    """Return the length of a text as JavaScript counts it, in UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)


def clip(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def clip_at_word(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters that ends with a whole word."""
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0].rstrip(",;: ") + "…"


def clip_bytes(text: str, limit_bytes: int) -> str:
    """Return a text of at most a number of bytes that ends with a whole word where it has several."""
    if utf8_size(text) <= limit_bytes:
        return text
    clipped = text.encode()[: limit_bytes - utf8_size("…")].decode("utf-8", "ignore")
    return (clipped.rsplit(" ", 1)[0].rstrip(",;: ") or clipped) + "…"


_CODE_SPAN = r"(?<!`)(`{1,3})(?!`)[^\n]{1,400}?(?<!`)\1(?!`)"
_SPACED_WORD = r"[^\W_\u0e00-\u0e7f\u3040-\u9fff\uac00-\ud7af]"
"""A letter or digit, not of a script in which a bold word touches the next one."""

_BOLD = lazy_regex(
    rf"{_CODE_SPAN}|(?<!{_SPACED_WORD})(?<![\\*/])(\*\*\*?)(?=\*?[^\s*/])"
    r"((?:[^*`\n]++|`[^`\n]{1,400}+`|`|\n(?![ \t]{0,40}\n)|\*(?!\*)|\*(?=\*\*(?!\*))"
    rf"|\*\*(?=/)|(?<=/)\*\*|(?<={_SPACED_WORD})\*\*(?={_SPACED_WORD}))++)(?<=[^\s/])\2(?!{_SPACED_WORD}|[*/])"
)
"""A code span, or bold text, which may have an exponent (`x**2`) or a pattern of paths (`src/**`) in it."""

_EMPHASIS = lazy_regex(
    rf"{_CODE_SPAN}|(?<![\w*/.\\])\*(?=[^\W_])([^*`\n]{{0,200}}[^\s*/])\*(?![\w/*]|\.\w)"
    r"|(?<!\w)(__?)(?=[^\W_])([^_`\n]{1,200}\s[^_`\n]{0,200}(?<=\S))\3(?!\w)"
)


def without_emphasis(text: str) -> str:
    """Return a text without Markdown's marks of emphasis; code, `**kwargs`, `x**2`, `__init__.py` and `src/**` stay."""
    if "**" in text:
        text = _BOLD.sub(lambda match: match[3] or match[0], text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(lambda match: match[2] or match[4] or match[0], text)
    return text


_LINK = lazy_regex(r"!?\[([^\]\n]{1,200})\]\([^)\s]{1,400}\)")


def without_links(text: str) -> str:
    """Return a text with the words of its Markdown links and images alone."""
    return _LINK.sub(r"\1", text)


MARKER_PREFIX = "[continuity:"

_MAX_CACHED_CHARACTERS = 400
"""Maximum length of texts whose result is cached: signatures, paths and purposes appear in call after call."""

_ESCAPE_SEQUENCE = lazy_regex(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[@-_])")
"""Terminal sequences; without their first character the rest would remain as text."""


def without_escape_sequences(text: str) -> str:
    """Return a text without the sequences that control a terminal, as colours."""
    return _ESCAPE_SEQUENCE.sub("", text)


_CONTROL = lazy_regex(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028\u2029]")
_INVISIBLE = lazy_regex(
    r"[\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Direction marks, format characters, fillers, variation selectors, tags: invisible to a reader, but not to a model."""

UNSAFE_CLASS = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
UNSAFE = lazy_regex(rf"\r(?!\n)|[{UNSAFE_CLASS}]")
"""Characters that control a terminal, or the direction of text: a name with one can pass for another."""
_JSON_UNSAFE = lazy_regex(rf"\\r\\n|\\[bfr]|\\u00(?:0[0-8bce-f]|1[0-9a-f])|\\.|[{UNSAFE_CLASS}]")
_MAYBE_UNSAFE = lazy_regex(rf"\\[bfru]|[{UNSAFE_CLASS}]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_SURROGATE = lazy_regex(r"[\ud800-\udfff]")
_FORGED = lazy_regex(r"\[\s*continuity\s*:", re.IGNORECASE)


def clean(text: str) -> str:
    """Remove control and invisible characters, mask secrets, and break everything that looks like our markers."""
    return _cleaned(text.replace("\t", "    "))


def clean_code(text: str) -> str:
    """Clean code and preserve its tabs, unless only spaces in their place show that something is a secret."""
    spaced = clean(text)
    if "\t" not in text:
        return spaced
    tabbed = _cleaned(text)
    return tabbed if tabbed.replace("\t", "    ") == spaced else spaced


def _cleaned(text: str) -> str:
    text = text.replace("\r\n", "\n")
    text = _INVISIBLE.sub("", _CONTROL.sub("", without_escape_sequences(text)))
    return _FORGED.sub("(continuity:", redact(text)).encode("utf-8", "replace").decode()


def readable_name(name: str) -> str:
    """Return a path or another name of the system's with U+FFFD for the bytes in it that are not UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def visible(text: str) -> str:
    """Replace what controls a terminal or the direction of text."""
    return UNSAFE.sub(_REPLACEMENT, text)


def visible_json(text: str) -> str:
    """Replace the same in the strings of a JSON text."""
    if not _MAYBE_UNSAFE.search(text):
        return text
    return _JSON_UNSAFE.sub(_visible_escape, text)


def _visible_escape(match: re.Match[str]) -> str:
    found = match[0]
    is_harmless = found == r"\r\n" or (len(found) == 2 and found[1] not in "bfr")
    return found if is_harmless else _REPLACEMENT


_CHECKED_BYTES = 2**20
"""Maximum bytes of cached texts: the items of some fifty packs. A number of texts would not limit their size."""

_CACHE_ENTRY_BYTES = 300
"""Bytes of a cached text besides its characters."""

_checked: LruCache[str, str] = LruCache(_CHECKED_BYTES)


def escape_markers(text: str) -> str:
    """Return a text for use inside a block; clean it again if something passed its producer.

    This is the last check, independent of the producers; they mask secrets, which takes longer.
    """
    known = _checked.get(text)
    if known is not None:
        return known
    is_safe = text.isascii() or not (_INVISIBLE.search(text) or _SURROGATE.search(text))
    checked = text if is_safe and not _CONTROL.search(text) and not _FORGED.search(text) else clean(text)
    copied = 0 if checked is text else sys.getsizeof(checked)
    _checked.put(text, checked, _CACHE_ENTRY_BYTES + sys.getsizeof(text) + copied)
    return checked


def with_capital(text: str) -> str:
    """Return a text with a capital at its beginning, unless that is a path, an address or a name in code."""
    capital = text[:1].upper()
    if len(capital) != 1 or not text[0].islower() or _CODE_NAME.match(text):
        return text
    return capital + text[1:]


_CODE_NAME = lazy_regex(r"\w*(?:[_.(/]|::|[a-z][A-Z])|[a-z][a-z0-9+.-]{0,30}://")


def with_full_stop(text: str) -> str:
    """Return a sentence with a full stop at its end, that of its script, unless it ends with such a mark."""
    if _SENTENCE_MARK.search(text[-_SENTENCE_MARK_CHARACTERS:]):
        return text
    is_unspaced = "\u3040" <= text[-1:] <= "\u9fff"
    return f"{text}{'。' if is_unspaced else '.'}"


_SENTENCE_MARK = lazy_regex(r"[.!?…。！？．][\"'”’»›)\]」』）】》*]{0,4}$")
_SENTENCE_MARK_CHARACTERS = 5
"""Maximum number of characters of a full stop and the quotation marks and brackets that close after it."""


def one_line(text: str, limit: int) -> str:
    """Clean a text, collapse its white space, and clip it to a maximum number of characters."""
    return _single_line(text, limit) if len(text) > _MAX_CACHED_CHARACTERS else _cached_single_line(text, limit)


def _single_line(text: str, limit: int) -> str:
    line = re.sub(r"\s+", " ", clean(text)).strip()
    return clip(line, limit)


_cached_single_line = lru_cache(maxsize=1_024)(_single_line)


def line_of_code(text: str, limit: int) -> str:
    """Clean a line, preserve its tabs and indentation, and clip it to a maximum number of characters."""
    code = text.lstrip("\t")
    return clip(text[: len(text) - len(code)] + clean_code(code.replace("\n", " ")), limit).rstrip()


def utf8_size(text: str) -> int:
    """Return the UTF-8 bytes of a text."""
    return len(text) if text.isascii() else len(text.encode())


def fitting_lines(lines: Iterable[str], limit_bytes: int) -> list[str]:
    """Return the first lines that fit into a number of bytes, each with its line end."""
    fitting: list[str] = []
    for line in lines:
        limit_bytes -= utf8_size(line) + 1
        if limit_bytes < 0:
            break
        fitting.append(line)
    return fitting


def line_count(text: str) -> int:
    """Count lines as git does: an unterminated last line counts too."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))

"""What must never leave: secret-shaped values are masked wherever they stand. Pure.

Texts come from anyone, so every pattern's time grows with the text's length and no faster: a repetition has a bound,
is possessive, or begins where no earlier match could have gone on.
"""

from collections.abc import Iterator

from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.named_secrets import folded, without_values
from sidecar.core.secrets.randomness import is_random
from sidecar.core.secrets.token_formats import MASK, without_keys, without_tokens

__all__ = ["MASK", "is_known_by_lines", "redact", "redact_lines"]

_ACROSS_LINES = ("-----BEGIN", "Private-Lines: ", "kind: Secret")

_URL_PASSWORD = regex(r"(://[^\s/:@]{0,100}:)([^\s/@]{3,200})(@)")
_URL_TOKEN = regex(r"(://)([A-Za-z0-9_-]{20,200})(@)")
_SCHEMES = ("bearer ", "basic ", "digest ", "authorization")
_BEARER = regex(
    r"(?i)((?:(?:bearer|basic|digest)\s{1,8}|authorization[\"']?\s?[:=]\s{0,4}[\"']?(?:[a-z-]{2,12}\s{1,8})?))"
    r"([a-z0-9+/._~=-]{16,4000})"
)
_CURL = regex(r"(\bcurl\s(?:[^\n]|\\\n){0,300}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"'$]{1,100}:)([^\s\"'$]{3,200})")


def redact(text: str) -> str:
    """Replaces secret-shaped values by a mask and leaves the rest as it is."""
    text = without_tokens(text)
    if "://" in text:
        text = _URL_PASSWORD.sub(rf"\1{MASK}\3", text)
        text = _URL_TOKEN.sub(lambda found: f"{found[1]}{MASK}{found[3]}" if is_random(found[2]) else found[0], text)
    text = _without_bearers(text)
    if "curl" in text:
        text = _CURL.sub(rf"\1{MASK}", text)
    return without_values(text)


def redact_lines(text: str) -> str:
    """Does the same and keeps every line where it is, also those of a key that spans many."""
    return redact(without_keys(text))


def is_known_by_lines(text: str) -> bool:
    """Says whether a text may hold a secret that no line of it shows alone: it is masked before lines are chosen."""
    return any(mark in text for mark in _ACROSS_LINES)


def _without_bearers(text: str) -> str:
    """Masks what is shown at a door: `Authorization: Bearer …`; looked for only where a scheme's name stands."""
    small = folded(text)
    found = {at: match for at in _scheme_positions(small) if (match := _BEARER.match(text, at)) and is_random(match[2])}
    done, parts = 0, []
    for at in sorted(found):
        if at >= done:
            parts += [text[done : found[at].start(2)], MASK]
            done = found[at].end()
    return "".join([*parts, text[done:]])


def _scheme_positions(small: str) -> Iterator[int]:
    for scheme in _SCHEMES:
        at = small.find(scheme)
        while at >= 0:
            if not small[at - 1 : at].isalnum():
                yield at
            at = small.find(scheme, at + 1)

"""Mask secret-shaped values anywhere in a text. Pure.

Texts come from anyone, so the time of every pattern grows linearly with the text: a repetition is bounded, is
possessive, or begins where no earlier match could have continued.
"""

from collections.abc import Iterator

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.named_secrets import lowercase_in_place, mask_named_secrets
from sidecar.core.secret_formats import MASK, is_random, mask_known_tokens, mask_private_keys

__all__ = ["MASK", "may_span_lines", "redact", "redact_lines"]

_ACROSS_LINES = ("-----BEGIN", "Private-Lines: ", "kind: Secret")

_URL_PASSWORD = lazy_regex(r"(://[^\s/:@]{0,100}:)([^\s/@]{3,200})(@)")
_URL_TOKEN = lazy_regex(r"(://)([A-Za-z0-9_-]{20,200})(@)")
_SCHEMES = ("bearer ", "basic ", "digest ", "authorization")
_BEARER = lazy_regex(
    r"(?i)((?:(?:bearer|basic|digest)\s{1,8}|authorization[\"']?\s?[:=]\s{0,4}[\"']?(?:[a-z-]{2,12}\s{1,8})?))"
    r"([a-z0-9+/._~=-]{16,4000})"
)
_CURL = lazy_regex(r"(\bcurl\s(?:[^\n]|\\\n){0,300}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"'$]{1,100}:)([^\s\"'$]{3,200})")


def redact(text: str) -> str:
    """Replace secret-shaped values by a mask and leave the rest unchanged."""
    text = mask_known_tokens(text)
    if "://" in text:
        text = _URL_PASSWORD.sub(rf"\1{MASK}\3", text)
        text = _URL_TOKEN.sub(lambda match: f"{match[1]}{MASK}{match[3]}" if is_random(match[2]) else match[0], text)
    text = _mask_auth_headers(text)
    if "curl" in text:
        text = _CURL.sub(rf"\1{MASK}", text)
    return mask_named_secrets(text)


def redact_lines(text: str) -> str:
    """Like `redact`, but every line stays in place, also the lines of a multi-line key."""
    return redact(mask_private_keys(text))


def may_span_lines(text: str) -> bool:
    """Whether a text may contain a secret that no single line shows; mask it before selecting lines."""
    return any(mark in text for mark in _ACROSS_LINES)


def _mask_auth_headers(text: str) -> str:
    """Mask HTTP authorization headers. Searches only where a scheme's name appears."""
    small = lowercase_in_place(text)
    matches = {
        at: match for at in _scheme_positions(small) if (match := _BEARER.match(text, at)) and is_random(match[2])
    }
    position, parts = 0, []
    for at in sorted(matches):
        if at >= position:
            parts += [text[position : matches[at].start(2)], MASK]
            position = matches[at].end()
    return "".join([*parts, text[position:]])


def _scheme_positions(small: str) -> Iterator[int]:
    for scheme in _SCHEMES:
        at = small.find(scheme)
        while at >= 0:
            if not small[at - 1 : at].isalnum():
                yield at
            at = small.find(scheme, at + 1)

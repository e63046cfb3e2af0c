"""Estimate the tokens of a text without a tokenizer. Pure.

No provider publishes its current vocabulary, so the estimate stays slightly above the open ones (cl100k and o200k) and
a budget measured with it holds. ASCII text is weighed by words, digits, punctuation and lines, with weights fitted to
prose and code of eleven repositories against cl100k; other scripts are weighed per character.
"""

import math
from bisect import bisect_right
from collections import Counter
from functools import lru_cache

_SCALE = 1.1
"""Factor by which the estimate stays above the fit."""

_WORD, _HUMP, _LETTER, _CAPITALS, _DIGIT, _MARK, _MARKS, _LINE, _MARKED_WORD = (
    0.793, 0.710, 0.0591, -0.065, 0.950, 0.670, -0.450, 1.024, -0.200,
)  # fmt: skip

_SCRIPTS: tuple[tuple[int, float], ...] = (
    (0x0080, 1.0),   # Latin-1 marks
    (0x00C0, 0.8),   # letters with accents
    (0x0250, 1.5),   # phonetic, modifiers, combining
    (0x0370, 1.1),   # Greek
    (0x0400, 0.52),  # Cyrillic
    (0x0530, 2.2),   # Armenian
    (0x0590, 1.2),   # Hebrew
    (0x0600, 0.95),  # Arabic
    (0x0700, 2.0),
    (0x0900, 1.35),  # Devanagari
    (0x0980, 1.6),   # the other scripts of India
    (0x0E00, 1.0),   # Thai
    (0x0E80, 2.2),   # Lao, Tibetan, Myanmar, Georgian
    (0x1100, 1.6),   # Hangul, as letters
    (0x1200, 3.0),
    (0x1E00, 1.4),   # Latin with two accents
    (0x1F00, 2.0),
    (0x2000, 1.1),   # dashes, quotes
    (0x2070, 2.0),   # signs, arrows, mathematics
    (0x2500, 1.5),   # boxes
    (0x25A0, 2.0),
    (0x2E80, 2.4),
    (0x3000, 1.1),   # CJK marks, kana
    (0x3100, 2.4),
    (0xA000, 3.0),
    (0xAC00, 1.3),   # Hangul
    (0xD7B0, 3.0),
    (0xFF00, 1.1),   # full width
    (0xFFF0, 1.0),
    (0x10000, 3.0),  # emoji and all else: about a token for each byte but one
    (0x20000, 3.3),  # rare Chinese
)  # fmt: skip
"""First code point of each range, and the tokens one of its characters takes."""

_STARTS = tuple(start for start, _ in _SCRIPTS)
_HAN = range(0x4E00, 0xA000)
_COMMON_HAN, _OTHER_HAN, _RARE_HAN = 1.2, 2.2, 2.8
_COMMON_ROW = 0xD8
"""GB 2312 has the 3,755 most frequent characters in the rows before this one."""


def _classes() -> bytes:
    table = bytearray(b"." * 256)
    for byte in range(256):
        if byte >= 0x80:
            table[byte] = ord("x")
        elif chr(byte).isdigit():
            table[byte] = ord("0")
        elif chr(byte).isalpha():
            table[byte] = ord("A" if chr(byte).isupper() else "a")
        elif chr(byte).isspace():
            table[byte] = ord("\n" if byte == ord("\n") else " ")
    return bytes(table)


_CLASS = _classes()
_ASCII = bytes(range(128))
_WORDS_ALONE = bytes(ord("a") if byte in b"aA" else ord(" ") for byte in range(256))


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text, rather too high than too low; 0 for an empty text.

    `tests/core/test_token_estimate.py` shows the error against cl100k.
    """
    return math.ceil(token_weight(text) - 1e-9)


def token_weight(text: str) -> float:
    """Return the unrounded estimate. The sum over whole lines is never below the estimate of the whole text."""
    encoded = text.encode("utf-8", "replace")
    classes = encoded.translate(_CLASS)
    words = classes.translate(_WORDS_ALONE)
    count = classes.count
    capitals = count(b"A")
    weight = (
        _WORD * (words.count(b" a") + words.startswith(b"a"))
        + _HUMP * count(b"aA")
        + _LETTER * (count(b"a") + capitals)
        + _CAPITALS * (count(b"AA") if capitals else 0)
        + _DIGIT * count(b"0")
        + _MARK * count(b".")
        + _MARKS * count(b"..")
        + _LINE * (count(b"\n") - count(b"\n\n"))
        + _MARKED_WORD * count(b".a")
    )
    return max(0.0, weight * _SCALE) + (0.0 if text.isascii() else _non_ascii_weight(text))


def _non_ascii_weight(text: str) -> float:
    """Weigh only the non-ASCII characters: mostly there are few, and the others are removed at once."""
    foreign = text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    return sum(_weight_of(char) * number for char, number in Counter(foreign).items())


@lru_cache(maxsize=16_384)
def _weight_of(char: str) -> float:
    code = ord(char)
    if code in _HAN:
        return _han(char)
    return _SCRIPTS[bisect_right(_STARTS, code) - 1][1]


def _han(char: str) -> float:
    """Vocabularies contain the frequent Chinese characters whole, and most others in pieces."""
    try:
        return _COMMON_HAN if char.encode("gb2312")[0] < _COMMON_ROW else _OTHER_HAN
    except UnicodeEncodeError:
        pass
    try:
        char.encode("big5")
    except UnicodeEncodeError:
        return _RARE_HAN
    return _OTHER_HAN

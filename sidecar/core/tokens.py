"""How many tokens a text takes, without a tokenizer. Pure.

No provider publishes the vocabulary it uses now, so the estimate stays a little above what the open ones give
(cl100k and o200k): a budget that is kept by it is kept. ASCII text is weighed by its words, digits, marks and lines,
with weights fitted over prose and code of eleven repositories against cl100k; other scripts by the character.
"""

import math
from bisect import bisect_right
from collections import Counter
from functools import lru_cache

_SCALE = 1.1
"""How far above the fit the estimate stays."""

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
"""Where each stretch of characters begins, and the tokens one of them takes."""

_STARTS = tuple(start for start, _ in _SCRIPTS)
_HAN = range(0x4E00, 0xA000)
_COMMON_HAN, _OTHER_HAN, _RARE_HAN = 1.2, 2.2, 2.8
_COMMON_ROW = 0xD8
"""GB 2312 keeps the 3,755 most frequent characters in the rows before this one."""


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
    """Gives about how many tokens a text takes, rather too many than too few; 0 for an empty one.

    The error against cl100k is shown in `tests/core/test_tokens.py`.
    """
    return math.ceil(weigh(text) - 1e-9)


def weigh(text: str) -> float:
    """Gives the estimate unrounded: of whole lines, the sum of their weights is never below that of them together."""
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
    return max(0.0, weight * _SCALE) + (0.0 if text.isascii() else _foreign(text))


def _foreign(text: str) -> float:
    """Counts no character that is ASCII: mostly few are not, and the others are taken out at once."""
    foreign = text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    return sum(_weight_of(char) * number for char, number in Counter(foreign).items())


@lru_cache(maxsize=16_384)
def _weight_of(char: str) -> float:
    code = ord(char)
    if code in _HAN:
        return _han(char)
    return _SCRIPTS[bisect_right(_STARTS, code) - 1][1]


def _han(char: str) -> float:
    """Vocabularies hold the characters that are frequent in China whole, and most others in pieces."""
    try:
        return _COMMON_HAN if char.encode("gb2312")[0] < _COMMON_ROW else _OTHER_HAN
    except UnicodeEncodeError:
        pass
    try:
        char.encode("big5")
    except UnicodeEncodeError:
        return _RARE_HAN
    return _OTHER_HAN

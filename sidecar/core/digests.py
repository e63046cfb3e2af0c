"""Content hashes and short ids that are the same on every machine."""

from zlib import crc32

import blake3
import orjson

from sidecar.core.lazy_regex import lazy_regex

READ_CHARACTERS = 200_000
MARKED_CHARACTERS = 2_000_000
_INSIGNIFICANT = lazy_regex(r"[^\S\n]+|[,;'\"]+")
_INFORMATIVE = lazy_regex(r"(?:[^\W_][\W_]*+){4}")


def digest_bytes(content: bytes) -> str:
    """Return the hexadecimal BLAKE3 digest of bytes (20 bytes, 40 characters)."""
    return blake3.blake3(content).hexdigest(20)


def digest_value(value: object) -> str:
    """Return the digest of a JSON value in canonical form (sorted keys, no spaces)."""
    return digest_bytes(orjson.dumps(value, option=orjson.OPT_SORT_KEYS))


def short_id(value: object, length: int = 12) -> str:
    """Return the first characters of a value's digest, for ids that people read."""
    return digest_value(value)[:length]


def line_marks(text: str) -> frozenset[str]:
    """Return hashes of a text's informative lines, ignoring indentation, quotes and spaces."""
    plain = set(_INSIGNIFICANT.sub("", text[:MARKED_CHARACTERS]).split("\n"))
    return frozenset(f"{crc32(line.encode('utf-8', 'replace')):08x}" for line in plain if _INFORMATIVE.search(line))

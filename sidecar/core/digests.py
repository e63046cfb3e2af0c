"""Content hashes and short ids that are the same on every machine."""

import blake3
import orjson


def digest_bytes(content: bytes) -> str:
    """Return the hexadecimal BLAKE3 digest of bytes (20 bytes, 40 characters)."""
    return blake3.blake3(content).hexdigest(20)


def digest_value(value: object) -> str:
    """Return the digest of a JSON value in canonical form (sorted keys, no spaces)."""
    return digest_bytes(orjson.dumps(value, option=orjson.OPT_SORT_KEYS))


def short_id(value: object, length: int = 12) -> str:
    """Return the first characters of a value's digest, for ids that people read."""
    return digest_value(value)[:length]

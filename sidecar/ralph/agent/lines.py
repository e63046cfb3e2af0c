"""Cuts a stream of bytes into lines of a bounded length, in constant memory."""

from collections.abc import Iterator

LINE_BYTES = 4 * 1024 * 1024
"""The longest line that is read as one event; more than a model ever says at once."""


class Lines:
    """Lines of a stream; of one that is too long, the pieces come as they are, marked as such."""

    def __init__(self, limit: int = LINE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._held = 0
        self._is_long = False

    def feed(self, chunk: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yields each line that is whole now with True, and each piece of a long one with False."""
        first, *rest = chunk.split(b"\n")
        yield from self._add(first)
        for part in rest:
            yield from self._end()
            yield from self._add(part)

    def close(self) -> Iterator[tuple[bytes, bool]]:
        """Yields what stands after the last line's end."""
        if self._held:
            yield from self._end()

    def _add(self, part: bytes) -> Iterator[tuple[bytes, bool]]:
        if not part:
            return
        if self._is_long:
            yield part, False
            return
        self._parts.append(part)
        self._held += len(part)
        if self._held > self._limit:
            self._is_long = True
            yield self._taken(), False

    def _end(self) -> Iterator[tuple[bytes, bool]]:
        if self._is_long:
            self._is_long = False
            yield b"\n", False
        else:
            yield self._taken(), True

    def _taken(self) -> bytes:
        line = b"".join(self._parts)
        self._parts.clear()
        self._held = 0
        return line

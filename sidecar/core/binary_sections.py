"""Sections of bytes, one after another, each with its size in front: how arrays are stored in a file. Pure."""

import threading
from array import array
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

SIZE_BYTES = 8

BinarySection = tuple[int, Iterator[bytes]]
"""A section's size and parts, which may be made one at a time."""


def of_bytes(content: bytes) -> BinarySection:
    """Return a section of some bytes."""
    return len(content), iter((content,))


def of_texts(texts: Iterable[str]) -> BinarySection:
    """Return a section of texts, none of which contains a zero. Makes no string for each of them."""
    return of_bytes("\0".join((*texts, "")).encode("utf-8", "surrogatepass"))


def of_sections(sections: Iterable[BinarySection]) -> BinarySection:
    """Return a section of sections, without a copy of them."""
    parts = list(section_bytes(sections))
    return sum(map(len, parts)), iter(parts)


def section_bytes(sections: Iterable[BinarySection]) -> Iterator[bytes]:
    """Yield the parts of sections, each section after its size."""
    for size, parts in sections:
        yield size.to_bytes(SIZE_BYTES, "little")
        yield from parts


class SectionReader:
    """Reads sections in the order in which they were written."""

    def __init__(self, content: memoryview) -> None:
        self._content = content
        self._at = 0

    def bytes(self) -> memoryview:
        """Return the next section. Raise ValueError at the end."""
        start = self._at + SIZE_BYTES
        end = start + int.from_bytes(self._content[self._at : start], "little")
        if end > len(self._content) or start > len(self._content):
            raise ValueError("the last section is not whole")
        self._at = end
        return self._content[start:end]

    def texts(self) -> list[str]:
        """Return the texts of the next section."""
        return str(self.bytes(), "utf-8", "surrogatepass").split("\0")[:-1]

    def lists(self, counts: Iterable[int]) -> Iterator[tuple[str, ...]]:
        """Divide the texts of the next section into lists of these lengths; equal texts are one string."""
        strings: dict[str, str] = {}
        texts = self.texts()
        return _lists(list(map(strings.setdefault, texts, texts)), counts)

    def numbers(self, code: str) -> "array[int]":
        """Return the numbers of the next section, by their type code."""
        numbers = array(code)
        numbers.frombytes(self.bytes())
        return numbers

    def arrays(self, code: str, counts: Iterable[int]) -> Iterator["array[int]"]:
        """Return the arrays of the next section, by their type code and their lengths."""
        return _arrays(self.bytes(), code, counts)

    def lazy_arrays(self, code: str, counts: "array[int]") -> "LazyArrays":
        """Return the arrays of the next section; each is made at its first use, with None in place of empty ones."""
        return LazyArrays(self.numbers(code), counts)


class LazyArrays(list["array[int] | None"]):
    """Parts of an array, each of which is made at its first use: of thousands, a search needs some hundred."""

    def __init__(self, whole: "array[int]", counts: "array[int]") -> None:
        """`counts` has the length of each part; one of length 0 is None. Raise ValueError for another sum."""
        super().__init__(None if not count else _UNMADE for count in counts)
        self._whole, self._lock = whole, threading.Lock()
        self._ends, self._unmade = array("Q", accumulate(counts)), len(self) - self.count(None)
        if len(whole) != (self._ends[-1] if counts else 0):
            raise ValueError("the parts are not the whole")

    def __getitem__(self, position: Any) -> Any:
        """Return one part."""
        part = super().__getitem__(position)
        return self._made(position) if part is _UNMADE else part

    def __iter__(self) -> "Iterator[array[int] | None]":
        return map(self.__getitem__, range(len(self)))

    def _made(self, position: int) -> "array[int] | None":
        """Make a part once, even for two threads: either may change it."""
        with self._lock:
            part = super().__getitem__(position)
            if part is _UNMADE:
                part = self._whole[self._ends[position - 1] if position else 0 : self._ends[position]]
                self[position] = part
                self._unmade -= 1
                if not self._unmade:
                    self._whole = array(self._whole.typecode)
            return part


_UNMADE: "array[int]" = array("B")
"""Stands for a part that is not made yet."""


class NumberLists:
    """Lists of numbers below 2³², one after another in one array."""

    __slots__ = ("_numbers", "_starts")

    def __init__(self, numbers: "array[int]", starts: "array[int]") -> None:
        """`starts` has the position of each list's first number, and at the end the number of all."""
        self._numbers, self._starts = numbers, starts

    @classmethod
    def of(cls, lists: Iterable[Iterable[int]]) -> "NumberLists":
        """Return lists of these numbers."""
        made = cls(array("I"), array("I", [0]))
        for values in lists:
            made.append(values)
        return made

    def append(self, values: Iterable[int]) -> None:
        """Add a list of numbers after the others."""
        self._numbers.extend(values)
        self._starts.append(len(self._numbers))

    def __getitem__(self, position: int) -> "array[int]":
        return self._numbers[self._starts[position] : self._starts[position + 1]]

    def __len__(self) -> int:
        return len(self._starts) - 1

    def size(self, position: int) -> int:
        """Return the length of one list."""
        return self._starts[position + 1] - self._starts[position]

    def first(self, count: int) -> "array[int]":
        """Return the numbers of the first lists, one list after another."""
        return self._numbers[: self._starts[min(count, len(self))]]

    def dump(self) -> Iterator[BinarySection]:
        """Yield sections from which `load` restores the lists."""
        yield of_bytes(self._numbers.tobytes())
        yield of_bytes(self._starts.tobytes())

    @classmethod
    def load(cls, reader: SectionReader) -> "NumberLists":
        """Restore the lists of a dump."""
        return cls(reader.numbers("I"), reader.numbers("I"))


def _lists(texts: list[str], counts: Iterable[int]) -> Iterator[tuple[str, ...]]:
    at = 0
    for count in counts:
        yield tuple(texts[at : at + count])
        at += count


def _arrays(content: memoryview, code: str, counts: Iterable[int]) -> Iterator["array[int]"]:
    whole, at = array(code), 0
    whole.frombytes(content)  # slices of it are several times as fast as an array from each part
    for count in counts:
        yield whole[at : at + count]
        at += count

"""Regular expressions compiled at first use: tables hold hundreds, and a run needs few.

The frozen program has a file with the compiled form of each pattern, made by `build/frozen_inputs.py`: a first prompt
uses a hundred, and restoring them takes 4 ms, compiling them 45. The interpreter checks a restored program as it does
a compiled one. Without the file, or with that of another interpreter, patterns are compiled.
"""

import _sre  # pyrefly: ignore[missing-import]
import marshal
import os
import re
import sys
import zlib
from _blake2 import blake2b  # `hashlib` would load OpenSSL
from array import array
from collections.abc import Mapping
from functools import cache
from mmap import ACCESS_READ, mmap
from typing import Any, AnyStr, BinaryIO, cast

COMPILED_FILE = "compiled_patterns.bin"
"""Name of the file, which lies beside this module."""

CODE_TYPE = "I"
"""Type of the array that holds a pattern's program."""

PACKED_FROM = 2_048
"""Size in bytes from which a program is packed: three tenths of them have nine tenths of the bytes."""

INTERPRETER = (sys.version, sys.byteorder, _sre.MAGIC, _sre.CODESIZE, array(CODE_TYPE).itemsize, PACKED_FROM)
"""Properties of the interpreter that compiled patterns depend on, and of the file."""

DIGEST_BYTES = 16
"""Length of a pattern's key."""

_Compiled = tuple[int, int, int, bool, int, dict[str, int], tuple[str | None, ...]]
"""Flags, start and end of the program in bytes, whether it is packed, number of groups, groups by name, names by
group."""


def lazy_regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return an object that behaves like the compiled pattern; compiled, and may raise `re.error`, at first use."""
    return cast("re.Pattern[AnyStr]", LazyPattern(pattern, flags))


def pattern_key(pattern: str | bytes, flags: int) -> bytes:
    """Return a digest of a pattern and its flags: the patterns themselves would be nine tenths of an index."""
    kind, text = (b"b", pattern) if isinstance(pattern, bytes) else (b"s", pattern.encode("utf-8", "surrogatepass"))
    key: bytes = blake2b(text, digest_size=DIGEST_BYTES, salt=kind + flags.to_bytes(4, "little")).digest()
    return key


class LazyPattern:
    """Lazy pattern that caches each bound method of the compiled pattern, so only the first use costs more."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # `copy` and similar code look these up on an object without members
            raise AttributeError(name)
        # Two threads may both get here: each makes an equal pattern, and either method may stay.
        restored = compiled_patterns().restore(self.pattern, self._flags)
        value = getattr(restored or re.compile(self.pattern, self._flags), name)  # noqa: TID251  (its one place)
        self.__dict__[name] = value
        return value

    def __repr__(self) -> str:
        return f"regex({self.pattern!r}, {self._flags})"


class CompiledPatterns:
    """The patterns of a file that were compiled by this interpreter."""

    def __init__(self, file: BinaryIO | None = None) -> None:
        self._index: Mapping[bytes, _Compiled] = {}
        self._programs = memoryview(b"")
        if file is not None:
            interpreter, index_bytes = marshal.load(file)  # noqa: S302  (a file of the program)
            if interpreter == INTERPRETER:
                self._index = marshal.loads(file.read(index_bytes))  # noqa: S302
                self._programs = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))[file.seek(0, os.SEEK_CUR) :]

    def __len__(self) -> int:
        return len(self._index)

    def restore(self, pattern: str | bytes, flags: int) -> re.Pattern[Any] | None:
        """Return a pattern as `re.compile` would; None if the file does not have it."""
        compiled = self._index.get(pattern_key(pattern, flags)) if self._index else None
        if compiled is None:
            return None
        actual_flags, start, end, is_packed, groups, group_index, group_names = compiled
        code = self._programs[start:end]
        program = array(CODE_TYPE, zlib.decompress(code) if is_packed else code.tobytes()).tolist()
        return cast("re.Pattern[Any]", _sre.compile(pattern, actual_flags, program, groups, group_index, group_names))


@cache
def compiled_patterns() -> CompiledPatterns:
    """Return the program's compiled patterns; none where they were not compiled before."""
    try:
        with open(os.path.join(os.path.dirname(__file__), COMPILED_FILE), "rb") as file:
            return CompiledPatterns(file)
    except (OSError, ValueError, TypeError, EOFError):
        return CompiledPatterns()

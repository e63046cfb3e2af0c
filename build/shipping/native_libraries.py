"""The non-Python parts of the built program: the interpreter and the native libraries, as a table."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

VERSIONS_SEARCHED_BYTES = 16 * 2**20
"""Number of bytes of a library's file that are searched for its version."""


class Library(NamedTuple):
    """A native library: its file name, its SPDX licence expression, and the pattern of its version."""

    name: str
    file: re.Pattern[str]
    licence: str
    text: str
    """The file name in packaging/licences/, without its suffix."""
    version: re.Pattern[bytes] | None = None


def _named(names: str) -> re.Pattern[str]:
    """Match `libNAME.so.1`, `libNAME-1a2b3c.so`, `libNAME.1.dylib`, `libNAME-3-x64.dll`, `NAME.dll`."""
    return re.compile(rf"(?:lib)?(?:{names})(?:[-.][\w.-]*)?\.(?:so(?:\.[\d.]+)?|dylib|dll)", re.IGNORECASE)


LIBRARIES = (
    Library("openssl", _named("ssl|crypto"), "Apache-2.0", "openssl", re.compile(rb"OpenSSL (\d+\.\d+\.\d+)")),
    Library("libssh2", _named("ssh2"), "BSD-3-Clause", "libssh2", re.compile(rb"libssh2_(\d+\.\d+\.\d+)")),
    Library("pcre", _named("pcre"), "BSD-3-Clause", "pcre", re.compile(rb"\0(8\.\d\d) 20\d\d-\d\d-\d\d")),
    Library("zlib", _named("z|zlib1?"), "Zlib", "zlib", re.compile(rb"inflate (\d+\.\d+[.\d]*) Copyright")),
    Library("bzip2", _named("bz2"), "bzip2-1.0.6", "bzip2", re.compile(rb"\0(1\.0\.\d+), \d+-\w+-\d{4}")),
    Library("xz", _named("lzma"), "0BSD", "xz"),
    Library("libffi", _named("ffi"), "MIT", "libffi"),
    Library("libuuid", _named("uuid"), "BSD-3-Clause", "libuuid"),
    Library(
        "gcc-runtime", _named(r"stdc\+\+|gcc_s|gomp|atomic"), "GPL-3.0-or-later WITH GCC-exception-3.1", "gcc-runtime"
    ),
    Library("sqlite", _named("sqlite3"), "blessing", "sqlite", re.compile(rb"\0(3\.\d+\.\d+)\0")),
)

INTERPRETER = re.compile(
    r"libpython3[\d.]*\.(?:so[\d.]*|dylib)|Python(?:3|\.framework)?|python3\d*\.dll|python3\.\d+|base_library\.zip"
    r"|(?:vcruntime|msvcp)\d+(?:_\w+)?\.dll|ucrtbase\.dll|api-ms-win-[\w-]+\.dll|_\w+\.pyd"
    r"|(?:pyexpat|select|unicodedata|winsound)\.pyd",
    re.IGNORECASE,  # Windows names them VCRUNTIME140.dll in import tables
)
"""First path component of Python's own files."""


def library_of(file: str) -> Library | None:
    """Return the row of a file name."""
    return next((row for row in LIBRARIES if row.file.fullmatch(file)), None)


def version_in(content: bytes, library: Library) -> str | None:
    """Return the version found in a library's file; None if there is none or the table has no pattern."""
    match = library.version.search(content[:VERSIONS_SEARCHED_BYTES]) if library.version else None
    return match[1].decode("ascii") if match else None


def belongs_to_interpreter(path: str) -> bool:
    """Whether a file belongs to Python: its library, its standard library, its system libraries."""
    return INTERPRETER.fullmatch(path.split("/", 1)[0]) is not None


def is_standard_module(module: str) -> bool:
    """Whether a module belongs to Python's standard library."""
    return module.partition(".")[0] in sys.stdlib_module_names

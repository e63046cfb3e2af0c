"""Compiled code of the texts from which Python makes methods of dataclasses, named tuples and quoted annotations.

The frozen program has a file with this code, made by `build/frozen_inputs.py`: the classes of a first prompt have a
thousand such texts, and compiling them takes 50 ms, reading their code 3. The three modules of the standard library
that compile them find the code through a global of the builtin's name. Without the file, with that of another
interpreter, or for another text, they compile as ever.
"""

import builtins
import collections
import dataclasses
import marshal
import os
import sys
import typing
import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from types import CodeType
from typing import Any

CODE_FILE = "precompiled_code.bin"
"""Name of the file, which lies beside this module."""

INTERPRETER = (sys.version, sys.implementation.cache_tag)
"""Properties of the interpreter that compiled code depends on."""

COMPILING = ((dataclasses, "exec"), (collections, "eval"), (typing, "compile"))
"""Each module that compiles texts, and the builtin it does so with."""

Codes = Mapping[tuple[str, str], CodeType]
"""Code by the builtin's name and the text."""


@contextmanager
def precompiled_code() -> Generator[None]:
    """Let classes that are made inside use the program's file; none where there is no such file."""
    codes = stored_code()
    if not codes:
        yield
        return
    with in_place_of_builtins(partial(_finding, codes)):
        yield


@contextmanager
def in_place_of_builtins(replacement: Callable[[str], Any]) -> Generator[None]:
    """Let the modules that compile texts call a replacement, which is made for each builtin's name."""
    for module, name in COMPILING:
        setattr(module, name, replacement(name))
    try:
        yield
    finally:
        for module, name in COMPILING:
            delattr(module, name)


def packed(codes: Codes) -> bytes:
    """Return the bytes of the file."""
    return zlib.compress(marshal.dumps((INTERPRETER, dict(codes))), 9)


def stored_code() -> Codes:
    """Return the code of the program's file."""
    try:
        with open(os.path.join(os.path.dirname(__file__), CODE_FILE), "rb") as file:
            interpreter, codes = marshal.loads(zlib.decompress(file.read()))  # noqa: S302  (a file of the program)
    except (OSError, ValueError, TypeError, EOFError, zlib.error):
        return {}
    return codes if interpreter == INTERPRETER else {}


def _finding(codes: Codes, name: str) -> Any:
    """Return a function in place of a builtin that compiles a text only if its code is not at hand."""
    builtin = getattr(builtins, name)
    if name == "compile":
        return lambda text, *options: codes.get((name, text)) or builtin(text, *options)
    return lambda text, *scopes: builtin(codes.get((name, text), text), *scopes)

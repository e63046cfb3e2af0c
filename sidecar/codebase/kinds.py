"""What kind of file a path names: a test, prose or plain data, something generated. Pure."""

from typing import NamedTuple

from sidecar.codebase.files import is_generated
from sidecar.codebase.summary.languages import language_of
from sidecar.core.regex import regex

_TEST_FOLDERS = frozenset(("test", "tests", "__tests__", "spec", "specs", "e2e"))
_TEST_MARKS = (".test.", ".spec.", "_test.", "_spec.")
_TEST_AFFIXES = ("test_", "tests_", "_test", "_tests", "_spec", "-test", "-tests", "-spec")
_CAPITAL_TEST = regex(r"(?<=[a-z0-9])Tests?$")
_DOCUMENT_SUFFIXES = (".md", ".mdx", ".rst", ".txt", ".json", ".yml", ".yaml", ".toml", ".csv", ".html")

COMMON_STEMS = frozenset(("index", "mod", "__init__", "lib", "main", "types", "utils", "setup", "conftest", "common"))
"""Names that so many files have that two of them have nothing to do with each other."""


class Kind(NamedTuple):
    """What kind of file a path names."""

    generated: bool
    test: bool
    document: bool
    foreign: bool
    """Of no language we know, as a licence, a lock or a recorded output."""


def kind_of(path: str) -> Kind:
    """Tells a file's kind by its path."""
    return Kind(is_generated(path), is_test(path), is_document(path), language_of(path) is None)


def is_test(path: str) -> bool:
    """Says whether a file is a test by its name or folder."""
    *folders, name = path.lower().split("/")
    return (
        not _TEST_FOLDERS.isdisjoint(folders) or name.startswith("test_") or any(mark in name for mark in _TEST_MARKS)
    )


def is_document(path: str) -> bool:
    """Says whether a file is prose or plain data rather than code."""
    return path.lower().endswith(_DOCUMENT_SUFFIXES)


def is_code(path: str) -> bool:
    """Says whether a file is of a programming language, by its name."""
    language = language_of(path)
    return language is not None and language.grammar is not None


def stem_of(path: str) -> str:
    """Gives what a file and its test share of their names: `test_cart.py`, `Cart.test.ts` and `cart.py` → `cart`."""
    stem = _CAPITAL_TEST.sub("", path.rpartition("/")[2].split(".", 1)[0]).lower()
    for affix in _TEST_AFFIXES:
        shorter = stem.removeprefix(affix) if affix.endswith("_") else stem.removesuffix(affix)
        if shorter and shorter != stem:
            return shorter.strip("-_")
    return stem

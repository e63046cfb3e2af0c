"""The countable rules on names, sizes and prose; each list of exceptions gives its reasons.

The rules are in sidecar/docs/contributing.md.
"""

import ast
import builtins
import contextlib
import gc
import json
import marshal
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sidecar.settings import SETTINGS
from tests.support.cases import together
from tests.support.depth import is_thorough

ROOT = Path(__file__).resolve().parents[2]
SIDECAR = ROOT / "sidecar"
PRODUCT = sorted(SIDECAR.rglob("*.py"))
SOURCES = [path for top in ("sidecar", "tests", "build") for path in sorted((ROOT / top).rglob("*.py"))]

BANNED = frozenset(
    (
        *("told", "tell", "tells", "said", "say", "says", "asked", "heard", "kept", "stood", "stands", "standing"),
        *("wanted", "wished", "gone", "begun", "mended", "looked"),
    )
)
"""Words that tell a story instead of naming a thing; nobody searches for them."""

ALLOWED_IDENTIFIERS: dict[str, str] = {
    "standing_instruction": "the specification's name for what a user states as lasting",
    "is_standing": "whether a statement is one",
    "standing": "the member of post-run's `remembered` that reports it",
}

NOUNS_IN_ING = {
    "framing": "a protocol's message boundaries",
    "scoring": "the field's word",
    "ranking": "the field's word",
    "stemming": "the field's word",
    "spelling": "how a term is written",
    "caching": "the field's word",
    "ping": "the method",
    "recording": "a recorded session",
    "staging": "where a recording is played",
    "coalescing": "the field's word for one computation of identical requests",
}

SHARED_BASENAMES = frozenset("__init__ model methods store errors index query cache state status events".split())
DUPLICATE_BASENAMES: dict[str, str] = {}
"""File names that two slices have, each with the reason."""
MAX_DUPLICATES = 3

JOINED_NAMES = {
    "apply_and_rollback": "one journal, read in both directions",
    "stemming_and_synonyms": "one vocabulary: synonyms are looked up by their roots",
    "lock_and_stop": "a stop request is addressed to the lock's owner",
    "record_run_and_delivery": "one transaction: a run that ended confirms what was sent to it",
}
"""Modules with two subjects that cannot do without each other."""

DIALECT_OPENINGS = re.compile(r"(Gives|Says|Tells|Asks|Hears|Keeps what|So many|So much)\b")
NOUN_CLAUSES = re.compile(r"(What|Which|Where|When|How|Who|Why|Of)\b")
"""Openings that hide the noun: "What a run changed" is "The changes of a run"."""

RAISED = re.compile(r"\b[Rr]aises? `?([A-Z]\w+`?(?:(?:, or |, and |, | or | and )`?[A-Z]\w+)*)")

MAX_LINES = 600
SHORT_LINES = 60
MAX_FILES = 374
MAX_DEPTH = 2
MAX_SETTINGS = 30


def words_of(identifier: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", identifier)]


@cache
def is_dialect(identifier: str) -> bool:
    plain = re.sub(r"(?<!^)(?=[A-Z][a-z])", "_", identifier).lower()
    for allowed in ALLOWED_IDENTIFIERS:
        plain = plain.replace(allowed, "")
    return identifier == "one" or not BANNED.isdisjoint(words_of(plain))


class Parsed(NamedTuple):
    """What the rules need of a file, which is parsed once."""

    docstrings: tuple[tuple[int, str], ...]
    """Every string that stands for itself: docstrings, and what is written below a constant or a field."""
    imports: tuple[tuple[str, tuple[str, ...]], ...]
    """The product's modules from which names are imported, and the names."""
    identifiers: frozenset[str]
    classes: frozenset[str]
    words: frozenset[str]
    """The words of identifiers and of texts, docstrings left out."""


STORE = ROOT / ".pytest_cache" / "parsed_sources"
"""What earlier runs read from sources of the same content: reading takes two seconds."""


@cache
def stored_sources() -> dict[bytes, tuple[Any, ...]]:
    """Return what is stored, by the digest of a source; nothing in a thorough run."""
    with contextlib.suppress(OSError, EOFError, ValueError, TypeError):
        stored: dict[bytes, tuple[Any, ...]] = marshal.loads(STORE.read_bytes())
        return {} if is_thorough() else stored
    return {}


@cache
def reader_digest() -> bytes:
    """Return a digest of how sources are read: of this file, and of Python."""
    return sha256(Path(__file__).read_bytes() + sys.version.encode()).digest()


@cache
def key_of(path: Path) -> bytes:
    return sha256(reader_digest() + path.read_bytes()).digest()


@pytest.fixture(scope="module", autouse=True)
def _store_sources() -> Iterator[None]:
    """Store what these tests read, without what other contents had."""
    yield
    read = {key_of(path): tuple(source) for path, source in sources_read.items()}
    if not read.keys() <= stored_sources().keys():
        unfinished = STORE.with_name(f"{STORE.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            unfinished.write_bytes(marshal.dumps(read))
            unfinished.replace(STORE)


sources_read: dict[Path, "Parsed"] = {}


def parsed(path: Path) -> Parsed:
    """Return what the rules need of a file."""
    if path not in sources_read:
        stored = stored_sources().get(key_of(path))
        sources_read[path] = parse(path) if stored is None else Parsed(*stored)
    return sources_read[path]


def parse(path: Path) -> Parsed:
    docstrings: list[tuple[int, str]] = []
    imports: list[tuple[str, tuple[str, ...]]] = []
    identifiers: set[str] = set()
    classes: set[str] = set()
    texts: list[str] = []
    gc.disable()  # a tree has no garbage, and looking for it takes a third of the time
    try:
        nodes: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
        while nodes:  # `ast.walk` takes three times as long, and a `match` for the frequent ones twice as long
            node = nodes.pop()
            if isinstance(node, ast.Name):
                identifiers.add(node.id)
                continue
            if isinstance(node, ast.Constant):
                texts += [node.value] if isinstance(node.value, str) else []
                continue
            match node:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    docstrings.append((node.lineno, text.strip()))
                    continue
                case ast.ClassDef(name=name):
                    classes.add(name)
                case ast.ImportFrom(module=str(module)) if module.startswith("sidecar"):
                    imports.append((module, tuple(alias.name for alias in node.names)))
                case _:
                    pass
            for field in node._fields:
                value = getattr(node, field)
                for part in value if isinstance(value, list) else (value,):
                    if isinstance(part, str):
                        identifiers.add(part)
                    elif isinstance(part, ast.AST) and part._fields:
                        nodes.append(part)
    finally:
        gc.enable()
    words = frozenset(re.findall(r"\w+", " ".join((*identifiers, *texts))))
    return Parsed(tuple(docstrings), tuple(imports), frozenset(identifiers), frozenset(classes), words)


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def members_of(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict):
            yield from properties
        yield from (value for value in schema.get("enum", ()) if isinstance(value, str))
        for value in schema.values():
            yield from members_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from members_of(value)


def dialect_in(names: Iterable[str]) -> list[str]:
    return sorted({name for name in names if is_dialect(name)})


def test_no_identifier_has_a_word_that_nobody_searches_for() -> None:
    found = {shown(path): dialect_in(parsed(path).identifiers) for path in SOURCES}
    assert {path: names for path, names in found.items() if names} == {}


def test_no_member_of_a_message_has_such_a_word() -> None:
    document = json.loads((ROOT / "rpc_schema" / "openrpc.json").read_text(encoding="utf-8"))
    assert dialect_in(members_of(document)) == []
    assert dialect_in(row.name for row in SETTINGS) == []


def test_no_table_or_column_has_such_a_word(tmp_path: Path) -> None:
    from sidecar.storage.database import open_state

    opened = open_state(tmp_path, 0)
    with opened.database.read() as reader:
        tables = [str(name) for (name,) in reader.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        columns = [
            f"{table}.{row[1]}" for table in tables for row in reader.execute(f"PRAGMA table_info({json.dumps(table)})")
        ]
    opened.database.close()
    assert len(columns) > 100
    assert dialect_in([*tables, *columns]) == []


def test_no_file_is_named_by_a_bare_gerund_or_by_such_a_word() -> None:
    names = {path.stem for path in PRODUCT} | {path.stem.removeprefix("test_") for path in SOURCES}
    gerunds = {name for name in names if re.fullmatch(r"[a-z]+ing", name) and name not in ("string", *NOUNS_IN_ING)}
    assert sorted(gerunds) == []
    assert dialect_in(path.stem for path in SOURCES) == []


def test_a_file_name_occurs_once() -> None:
    folders = defaultdict(list)
    for path in PRODUCT:
        if path.stem not in SHARED_BASENAMES and "cli" not in path.relative_to(SIDECAR).parts[:-1]:
            folders[path.stem].append(shown(path))
    twice = {name: paths for name, paths in folders.items() if len(paths) > 1 and name not in DUPLICATE_BASENAMES}
    assert twice == {}
    assert [name for name in DUPLICATE_BASENAMES if len(folders[name]) < 2] == [], "no longer so"
    assert len(DUPLICATE_BASENAMES) <= MAX_DUPLICATES


def test_a_file_name_joins_two_subjects_only_for_a_reason() -> None:
    joined = {path.stem for path in PRODUCT if "_and_" in path.stem}
    assert sorted(joined - JOINED_NAMES.keys()) == [], "one subject for each module"
    assert sorted(JOINED_NAMES.keys() - joined) == [], "no longer so"


def test_docstrings_are_plain_english() -> None:
    found = [
        f"{shown(path)}:{line}: {text[:60]}"
        for path in SOURCES
        for line, text in parsed(path).docstrings
        if DIALECT_OPENINGS.match(text)
    ]
    assert found == []


def test_docstrings_open_with_a_noun_or_a_verb() -> None:
    assert [
        f"{shown(path)}:{line}: {text[:60]}"
        for path in PRODUCT
        for line, text in parsed(path).docstrings
        if NOUN_CLAUSES.match(text)
    ] == []


def raised_in(text: str) -> list[str]:
    """Return the names that a docstring lists after "Raise"."""
    return [name for listed in RAISED.findall(text) for name in re.findall(r"\b[A-Z]\w+", listed)]


def test_every_exception_named_by_a_docstring_exists() -> None:
    defined = frozenset((*vars(builtins), *vars(subprocess)))
    for path in SOURCES:
        defined |= parsed(path).classes
    assert [
        f"{shown(path)}:{line}: {name}"
        for path in SOURCES
        for line, text in parsed(path).docstrings
        for name in raised_in(text)
        if name not in defined
    ] == []


def test_the_names_after_raise_are_read_from_a_docstring() -> None:
    text = "Return it; raise StateLost when it is gone. Raise ValueError, or OSError, if unreadable. Raises Again."
    assert raised_in(text) == ["StateLost", "ValueError", "OSError", "Again"]


def test_every_name_that_a_docstring_takes_from_a_module_is_there() -> None:
    names: dict[str, set[str]] = defaultdict(set)
    for path in PRODUCT:
        names[path.stem] |= parsed(path).identifiers
    assert [
        f"{shown(path)}:{line}: {module}.{name}"
        for path in PRODUCT
        for line, text in parsed(path).docstrings
        for module, name in re.findall(r"`([a-z_]+)\.([A-Z]\w+)`", text)
        if name not in names[module]
    ] == []


EXAMPLES = frozenset(
    (
        "intoResponse",
        "into_response",
        "stable_4",
        "fullStack",
        "WebSocketServer",
        "before_log",
        "after_log",
        "setTimeout",
    )
)
"""Examples in docstrings."""


def test_every_compound_name_that_a_docstring_quotes_is_in_the_code() -> None:
    words = EXAMPLES.union(*(parsed(path).words for path in SOURCES), (path.stem for path in SOURCES))
    unknown = [
        f"{shown(path)}:{line}: {name}"
        for path in PRODUCT
        for line, text in parsed(path).docstrings
        for quoted in re.findall(r"`([^`\n]+)`", text)
        for name in re.findall(r"[A-Za-z_]\w*", quoted)
        if re.search(r"[a-z0-9][A-Z]|\w_\w|^_[A-Z]", name) and name not in words
    ]
    assert unknown == [], "\n".join(unknown)


def test_files_have_a_size_that_one_person_keeps_in_mind() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in PRODUCT}
    assert {shown(path): count for path, count in lines.items() if count > MAX_LINES} == {}
    assert len(PRODUCT) <= MAX_FILES
    depth = {shown(path): len(path.relative_to(SIDECAR).parts) for path in PRODUCT}
    assert [path for path, parts in depth.items() if parts > 2 + MAX_DEPTH] == []


def test_a_short_file_is_used_by_modules_that_do_not_know_each_other() -> None:
    importers = importers_by_file()
    alone = []
    for path in PRODUCT:
        name = path.relative_to(SIDECAR).as_posix()
        is_short = len(path.read_text(encoding="utf-8").splitlines()) < SHORT_LINES
        if path.stem != "__init__" and is_short and not name.startswith("cli/") and len(importers[path]) < 2:
            alone.append(name)
    assert sorted(alone) == []


def importers_by_file() -> dict[Path, set[Path]]:
    importers: dict[Path, set[Path]] = defaultdict(set)
    for path in PRODUCT:
        for module, names in parsed(path).imports:
            base = ROOT.joinpath(*module.split("."))
            importers[base.with_suffix(".py")].add(path)
            for name in names:
                importers[base / f"{name}.py"].add(path)
    return importers


def test_settings_are_few() -> None:
    assert len(SETTINGS) <= MAX_SETTINGS


@together("name", ["told_lines", "WhatWasSaid", "one", "MAX_KEPT", "keptBytes"])
def test_a_word_nobody_searches_for_is_found(name: str) -> None:
    assert is_dialect(name)


@together("name", ["standing_instruction", "StandingInstructions", "toolchain", "sayings", "understood"])
def test_other_words_are_not(name: str) -> None:
    assert not is_dialect(name)

"""`onecode-sidecar --selfcheck`: checks that everything the program needs is present. Prints one line of JSON."""

import importlib
import pkgutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

import sidecar
from sidecar import __version__
from sidecar.core.clock import SystemClock


def run() -> int:
    """Run every check; return 0 if all passed. Git may be missing: the program works without it, with less."""
    checks: dict[str, Callable[[], str]] = {
        "imports": _imports,
        "sqlite": _sqlite,
        "repository": _repository,
        "git": _git,
        "grammars": _grammars,
        "yaml": _yaml,
        "catalog": _catalog,
        "patterns": _patterns,
        "code": _code,
    }
    results = {name: _result_of(check) for name, check in checks.items()}
    passed = all(result["ok"] for name, result in results.items() if name != "git")
    report = {"ok": passed, "version": __version__, "python": sys.version.split()[0], "checks": results}
    sys.stdout.buffer.write(orjson.dumps(report) + b"\n")
    sys.stdout.flush()
    return 0 if passed else 1


def _result_of(check: Callable[[], str]) -> dict[str, object]:
    try:
        return {"ok": True, "detail": check()}
    except Exception as error:
        return {"ok": False, "detail": f"{type(error).__name__}: {error}"}


def _imports() -> str:
    names = [name for name in _module_names() if not name.endswith("__main__")]
    for name in (*names, "blake3", "watchfiles", "pydantic"):
        importlib.import_module(name)
    return f"{len(names)} modules"


def _module_names() -> list[str]:
    if getattr(sys, "frozen", False):
        packed = importlib.import_module("pyimod02_importers")  # PyInstaller's importer lists the packed modules
        return list(_names_in(packed.get_pyz_toc_tree()["sidecar"], "sidecar"))
    return [module.name for module in pkgutil.walk_packages(sidecar.__path__, "sidecar.")]


def _names_in(tree: Mapping[str, Any], package: str) -> Iterator[str]:
    for name, below in tree.items():
        yield f"{package}.{name}"
        if isinstance(below, Mapping):
            yield from _names_in(below, f"{package}.{name}")


def _sqlite() -> str:
    import apsw

    from sidecar.storage.database import open_state

    with tempfile.TemporaryDirectory() as folder:
        opened = open_state(Path(folder), SystemClock().now_ms())
        with opened.database.write() as tx:
            tx.execute("CREATE VIRTUAL TABLE temp.words USING fts5(text)")
            tx.execute("INSERT INTO temp.words VALUES ('the anchor holds')")
            if tx.execute("SELECT count(*) FROM temp.words WHERE words MATCH 'anchor'").get != 1:
                raise RuntimeError("full-text search found nothing")
        opened.database.close()
    return f"SQLite {apsw.sqlite_lib_version()} with FTS5"


def _repository() -> str:
    from sidecar.system.git import pygit2

    library = pygit2()
    with tempfile.TemporaryDirectory() as folder:
        repository = library.init_repository(folder)
        repository.create_blob(b"anchor")
        repository.free()
    return f"libgit2 {library.LIBGIT2_VERSION}"


def _git() -> str:
    from sidecar.system.git import Git

    return Git.version()


def _grammars() -> str:
    from sidecar.codebase.summary.languages import LANGUAGES
    from sidecar.codebase.summary.syntax import load

    grammars = [language.grammar for language in LANGUAGES if language.grammar is not None]
    for grammar in grammars:
        load(grammar)
    return f"{len(grammars)} grammars"


def _yaml() -> str:
    from sidecar.core.yaml_text import read_mapping

    return f"YAML of {len(read_mapping('id: mem-1') or {})} key"


def _catalog() -> str:
    from sidecar.catalog import all_methods

    return f"{len(all_methods().methods)} methods"


def _patterns() -> str:
    from sidecar.core.lazy_regex import compiled_patterns

    return _stored(len(compiled_patterns()), "compiled patterns")


def _code() -> str:
    from sidecar.core.precompiled_code import stored_code

    return _stored(len(stored_code()), "precompiled texts")


def _stored(count: int, name: str) -> str:
    """Return what a file of the frozen program has; raise if it has nothing."""
    if not count and getattr(sys, "frozen", False):
        raise RuntimeError(f"the {name} are missing, or of another interpreter")
    return f"{count} {name}"

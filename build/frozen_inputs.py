"""Write what the frozen program has beside its modules, for `packaging/onecode-sidecar.spec`.

    .venv/bin/python build/frozen_inputs.py FOLDER

`first_modules.txt`: the modules loaded before the first pre-run. `method_modules.txt`: those whose functions are
methods or tools, which their docstrings describe. `precompiled_code.bin`: the code that the first modules' classes are
made with. `compiled_patterns.bin`: every lazy pattern, compiled.
"""

from __future__ import annotations

import argparse
import builtins
import gc
import importlib
import marshal
import pkgutil
import sys
import zlib
from array import array
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from re import _compiler, _parser  # pyrefly: ignore[missing-module-attribute]
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import sidecar
from sidecar.core.lazy_regex import CODE_TYPE, COMPILED_FILE, INTERPRETER, PACKED_FROM, LazyPattern, pattern_key
from sidecar.core.precompiled_code import CODE_FILE, in_place_of_builtins, packed

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from types import CodeType

FIRST_MODULES_FILE, METHOD_MODULES_FILE = "first_modules.txt", "method_modules.txt"


def main(arguments: list[str]) -> int:
    """Write the files into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder: Path = parser.parse_args(arguments).folder
    with recorded_code() as codes:
        names = first_modules()
    folder.joinpath(FIRST_MODULES_FILE).write_text("\n".join(names), "utf-8")
    folder.joinpath(METHOD_MODULES_FILE).write_text("\n".join(method_modules()), "utf-8")
    folder.joinpath(CODE_FILE).write_bytes(packed(codes))
    folder.joinpath(COMPILED_FILE).write_bytes(compiled_file(all_patterns()))
    return 0


@contextmanager
def recorded_code() -> Generator[dict[tuple[str, str], CodeType]]:
    """Collect the code of each text that is compiled for classes made inside."""
    codes: dict[tuple[str, str], CodeType] = {}
    with in_place_of_builtins(partial(_recording, codes)):
        yield codes


def _recording(codes: dict[tuple[str, str], CodeType], name: str) -> Any:
    """Return a function in place of a builtin that also keeps the code of a text."""
    builtin = getattr(builtins, name)

    def compile_and_keep(text: str, *rest: Any) -> Any:
        codes[name, text] = compile(text, "<string>", "exec" if name == "exec" else "eval", dont_inherit=True)
        return builtin(text, *rest)

    return compile_and_keep


def first_modules() -> list[str]:
    """Load what the program loads before it answers a first pre-run, and return the names of all loaded modules."""
    from sidecar.app import load_core_catalog

    importlib.import_module("sidecar.cli.serve")
    importlib.import_module("sidecar.rpc.dispatch")
    load_core_catalog()
    return sorted(name for name, module in sys.modules.items() if getattr(module, "__file__", None))


def method_modules() -> list[str]:
    """Return the modules of the functions in the catalog, and of the tools for agents."""
    from sidecar.catalog import all_methods

    catalog = all_methods()
    functions = [row.run for row in (*catalog.methods, *catalog.notifications) if row.run is not None]
    return sorted({function.__module__ for function in functions} | {"sidecar.integrations.mcp_tools"})


def all_patterns() -> list[tuple[str | bytes, int]]:
    """Return each lazy pattern of the product with its flags, in a fixed order."""
    for module in pkgutil.walk_packages(sidecar.__path__, "sidecar."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    prompt_match = importlib.import_module("sidecar.memory.prompt_match")
    prompt_match.activities_of_prompt("")  # the first prompt makes the patterns of both
    prompt_match.activities_of_rule("")
    gc.unfreeze()  # else objects of a frozen generation are not listed
    patterns = (item for item in gc.get_objects() if isinstance(item, LazyPattern))
    return sorted({(lazy.pattern, int(lazy._flags)) for lazy in patterns}, key=repr)  # noqa: SLF001


def compiled_file(patterns: Iterable[tuple[str | bytes, int]]) -> bytes:
    """Return the file that `CompiledPatterns` reads."""
    index: dict[bytes, Any] = {}
    programs = bytearray()
    for pattern, flags in patterns:
        tree = _parser.parse(pattern, flags)
        program = array(CODE_TYPE, _compiler._code(tree, flags)).tobytes()  # noqa: SLF001  (`re` offers no other way)
        state = tree.state
        names: list[str | None] = [None] * state.groups
        for name, group in state.groupdict.items():
            names[group] = name
        is_packed = len(program) >= PACKED_FROM
        stored = zlib.compress(program, 9) if is_packed else program
        place = (len(programs), len(programs) + len(stored), is_packed)
        parts = (flags | state.flags, *place, state.groups - 1, dict(state.groupdict), tuple(names))
        if index.setdefault(pattern_key(pattern, flags), parts) is not parts:
            raise ValueError(f"another pattern has the digest of {pattern!r}")
        programs += stored
    body = marshal.dumps(index)
    return marshal.dumps((INTERPRETER, len(body))) + body + bytes(programs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Mutants of the product, drawn by a seed: does some test notice each?

    python -m tests.mutants --count 60 [--seed 1] [--thorough] [--slices packs memory]

Each mutant is one changed operator or constant in a copy of the tree. It is run against the nearest tests, those of its
slice, and the flows and contracts, until one notices it. Prints one line per mutant and the share that was caught.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SLICES = (
    "capture",
    "codebase",
    "context",
    "governor",
    "knowledge",
    "memory",
    "packs",
    "ralph",
    "registry",
    "runs",
    "session",
    "storage",
)
WIDER = ("tests/flows", "tests/contract")
NEAREST = 8
"""Test files that are tried before a whole slice."""
SECONDS = 600

COMPARISONS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "in": "not in",
    "is not": "is",
    " and ": " or ",
    " or ": " and ",
}


class Mutant(NamedTuple):
    """One change: the file, the offset in it, and what replaces what."""

    path: Path
    offset: int
    old: str
    new: str

    def __str__(self) -> str:
        """Return where the change is, and what it is."""
        line = self.path.read_text(encoding="utf-8").count("\n", 0, self.offset) + 1
        return f"{self.path.relative_to(ROOT).as_posix()}:{line}  {self.old.strip()} → {self.new.strip()}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield each mutant of a file's functions: operators of comparisons and conditions, and integer constants."""
    text = path.read_text(encoding="utf-8")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = text.splitlines()

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    for node in (inner for function in functions for inner in ast.walk(function)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from _between(path, text, offset(node.left.end_lineno or 0, node.left.end_col_offset or 0),
                                offset(node.comparators[0].lineno, node.comparators[0].col_offset))  # fmt: skip
        elif isinstance(node, ast.BoolOp):
            first, second = node.values[:2]
            yield from _between(path, text, offset(first.end_lineno or 0, first.end_col_offset or 0),
                                offset(second.lineno, second.col_offset))  # fmt: skip
        elif isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value < 1_000:
            at = offset(node.lineno, node.col_offset)
            old = text[at : offset(node.end_lineno or 0, node.end_col_offset or 0)]
            yield Mutant(path, at, old, str(node.value + 1))


def _between(path: Path, text: str, begin: int, end: int) -> Iterator[Mutant]:
    for old, new in COMPARISONS.items():
        if text[begin:end].strip(" ()\n") == old.strip():
            yield Mutant(path, begin + text[begin:end].index(old.strip()), old.strip(), new.strip())
            return


def nearest_tests(mutant: Mutant) -> tuple[str, ...]:
    """Return the test files that are named after the mutant's module or name the function that it is in."""
    tree = ast.parse(mutant.path.read_text(encoding="utf-8"))
    line = mutant.path.read_text(encoding="utf-8").count("\n", 0, mutant.offset) + 1
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    names = [node.name for node in functions if node.lineno <= line <= (node.end_lineno or 0)]
    word = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    found = (
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if path.stem == f"test_{mutant.path.stem}" or word.search(path.read_text(encoding="utf-8"))
    )
    return tuple(islice(found, NEAREST))


def is_caught(mutant: Mutant, tests: tuple[str, ...], copy: Path, options: list[str]) -> bool:
    """Whether a test fails in a copy of the tree that has the mutant, and passes in the copy without it."""
    target = copy / mutant.path.relative_to(ROOT)
    text = target.read_text(encoding="utf-8")
    assert text[mutant.offset :].startswith(mutant.old)
    unreliable: list[str] = []
    while True:
        target.write_text(
            text[: mutant.offset] + mutant.new + text[mutant.offset + len(mutant.old) :], encoding="utf-8"
        )
        try:
            failed = failing_test((*options, *(f"--deselect={name}" for name in unreliable), *tests), copy)
        except subprocess.TimeoutExpired:
            return True
        finally:
            target.write_text(text, encoding="utf-8")
        if not failed:
            return False
        if not failing_test((*options, failed), copy):
            return True
        unreliable.append(failed)


def failing_test(arguments: tuple[str, ...], copy: Path) -> str:
    """Return the id of the first test that fails, or "". Raise TimeoutExpired after SECONDS."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-rfE", "--tb=no", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, check=False, timeout=SECONDS)
    failed = re.search(
        r"^(?:FAILED|ERROR) (\S+(?:\[.*?\](?= - |$))?)", done.stdout.decode(errors="replace"), re.MULTILINE
    )
    return failed[1] if failed is not None else ""


def main() -> int:
    """Draw the mutants, run them, print what was caught; the status is 0 whatever the share is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--thorough", action="store_true")
    parser.add_argument("--slices", nargs="+", default=SLICES)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    caught = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "tree"
        ignored = shutil.ignore_patterns(
            ".venv*", ".git", ".frozen", "node_modules", "__pycache__", ".*_cache", ".hypothesis"
        )
        shutil.copytree(ROOT, copy, ignore=ignored, symlinks=True)
        extra = ["--thorough"] if options.thorough else []
        for number in range(options.count):
            slice_name = options.slices[number % len(options.slices)]
            files = sorted((ROOT / "sidecar" / slice_name).rglob("*.py"))
            candidates = [mutant for file in files for mutant in mutants_of(file)]
            mutant = chance.choice(candidates)
            stages = (nearest_tests(mutant), (f"tests/{slice_name}",), WIDER)
            is_seen = any(is_caught(mutant, tests, copy, extra) for tests in stages if tests)
            caught += is_seen
            print(f"{'caught' if is_seen else 'MISSED'}  {mutant}", flush=True)
    print(f"{caught} of {options.count} caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Mutants of the product, drawn by a seed: does some test notice each?

    python -m tests.mutants --count 60 [--seed 1] [--slices packs memory]

Each mutant is one changed operator or constant in a copy of the tree. It is run against the nearest tests and those of
its slice, until one notices it. The mutants that remain are put into one copy, for which all tests run: by default, and
with `--thorough` for those that the default run misses. Prints one line per mutant, then the numbers of each depth.
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
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest

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
NEAREST = 8
"""Test files that are tried before a whole slice."""
SECONDS = 600
SECONDS_TOGETHER = 3_600
ELSEWHERE = tuple(f"--ignore=tests/{name}" for name in ("build", "frozen", "node", "packaging"))
"""Tests of programs that are built from the tree, which a copy has not."""
PASSED = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)

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


class Copy:
    """A copy of the tree, with and without mutants."""

    def __init__(self, root: Path) -> None:
        """Copies the tree to a new folder."""
        self.root = root
        ignored = shutil.ignore_patterns(
            ".venv*", ".git", ".frozen", "node_modules", "__pycache__", ".*_cache", ".hypothesis"
        )
        shutil.copytree(ROOT, root, ignore=ignored, symlinks=True)

    def failing_tests(
        self, mutants: Sequence[Mutant], tests: Sequence[str], *options: str, seconds: int = SECONDS
    ) -> list[str]:
        """Return the ids of the tests that fail with the mutants, or all if none can run. Raise TimeoutExpired."""
        paths = {mutant.path for mutant in mutants}
        for path in paths:
            text = path.read_text(encoding="utf-8")
            for mutant in sorted(mutants, key=lambda mutant: -mutant.offset):
                if mutant.path == path:
                    assert text[mutant.offset :].startswith(mutant.old)
                    text = text[: mutant.offset] + mutant.new + text[mutant.offset + len(mutant.old) :]
            self._path(path).write_text(text, encoding="utf-8")
        quiet = ("-q", "-rfE", "--tb=no", "-p", "no:cacheprovider")
        command = [sys.executable, "-m", "pytest", *quiet, *options, *tests]
        environment = {**os.environ, "PYTHONPATH": str(self.root)}
        try:
            done = subprocess.run(
                command, cwd=self.root, env=environment, capture_output=True, check=False, timeout=seconds
            )
        finally:
            for path in paths:
                self._path(path).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        report = done.stdout.decode(errors="replace")
        failed = re.findall(r"^(?:FAILED|ERROR) ([^\s\[]+(?:\[.*?\])?)(?= - |$)", report, re.MULTILINE)
        return failed if failed or done.returncode in PASSED else [*tests]

    def _path(self, path: Path) -> Path:
        return self.root / path.relative_to(ROOT)


def is_caught(mutant: Mutant, tests: tuple[str, ...], copy: Copy) -> bool:
    """Whether a test fails in a copy of the tree that has the mutant, and passes in the copy without it."""
    unreliable: list[str] = []
    while True:
        try:
            failed = copy.failing_tests([mutant], tests, "-x", *(f"--deselect={name}" for name in unreliable))
        except subprocess.TimeoutExpired:
            return True
        if not failed:
            return False
        if not copy.failing_tests([], failed):
            return True
        unreliable += failed


def caught_together(mutants: Sequence[Mutant], copy: Copy, *options: str) -> Iterator[Mutant]:
    """Run all tests with all mutants at once until none fails; yield each mutant that fails one of them alone."""
    parallel = ("-n", str(os.cpu_count() or 1), "--dist", "load")
    remaining = list(mutants)
    ignored: list[str] = []
    while remaining:
        deselected = [f"--deselect={name}" for name in ignored]
        failed = copy.failing_tests(
            remaining, ["tests"], *options, *parallel, *ELSEWHERE, *deselected, seconds=SECONDS_TOGETHER
        )
        unreliable = copy.failing_tests([], failed, *options) if failed else []
        failed = [name for name in failed if name not in unreliable]
        if not failed:
            return
        caught = [mutant for mutant in remaining if copy.failing_tests([mutant], failed, "-x", *options)]
        yield from caught
        remaining = [mutant for mutant in remaining if mutant not in caught]
        ignored += unreliable if caught else [*unreliable, *failed]


def main() -> int:
    """Draw the mutants, run them, print what was caught; the status is 0 whatever the share is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slices", nargs="+", default=SLICES)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    missed: list[Mutant] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Copy(Path(folder) / "tree")
        for number in range(options.count):
            slice_name = options.slices[number % len(options.slices)]
            files = sorted((ROOT / "sidecar" / slice_name).rglob("*.py"))
            candidates = [mutant for file in files for mutant in mutants_of(file)]
            mutant = chance.choice(candidates)
            stages = (nearest_tests(mutant), (f"tests/{slice_name}",))
            if any(is_caught(mutant, tests, copy) for tests in stages if tests):
                print(f"its slice      {mutant}", flush=True)
            elif mutant not in missed:
                missed.append(mutant)
                print(f"not its slice  {mutant}", flush=True)
        print(f"{options.count - len(missed)} of {options.count} caught by the nearest tests and their slice's")
        for depth, arguments in (("default run", []), ("thorough run", ["--thorough"])):
            caught = []
            for mutant in caught_together(missed, copy, *arguments):
                caught.append(mutant)
                print(f"{depth:<13}  {mutant}", flush=True)
            missed = [mutant for mutant in missed if mutant not in caught]
            print(f"{len(caught)} more by the {depth}", flush=True)
    for mutant in missed:
        print(f"MISSED         {mutant}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Real changes with long texts as prompts, and the lines they changed: the learning set of the region ranking.

    python -m tests.benchmarks.region_cases --mirrors FOLDER --write

The set holds references only: the repository, the commit whose message is the prompt, the commit it was based on, and
the lines it changed, numbered as before it. `--write` computes it again from clones below `FOLDER/owner+name/repo`.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.files import is_test
from tests.benchmarks.localization_cases import evenly_spread, git, is_code

REPOSITORIES = (
    "encode/httpx", "pallets/click", "python-attrs/attrs", "aio-libs/aiohttp", "python/mypy", "spf13/cobra",
    "BurntSushi/ripgrep", "google/gson", "colinhacks/zod", "axios/axios", "rubocop/rubocop", "jqlang/jq",
    "encode/starlette", "pydantic/pydantic", "psf/black", "python-poetry/poetry", "pypa/pip", "scrapy/scrapy",
    "celery/celery", "pallets/werkzeug", "pallets/jinja", "sqlalchemy/alembic", "tornadoweb/tornado",
    "paramiko/paramiko", "ipython/ipython", "mkdocs/mkdocs", "tox-dev/tox", "nedbat/coveragepy", "fastify/fastify",
    "spring-projects/spring-data-commons",
)  # fmt: skip
CASES = Path(__file__).with_name("region_cases.jsonl")
AMONG, PER_REPOSITORY = 2_500, 20
MIN_WORDS, MAX_FILES, MAX_LINES, MAX_COMMIT_FILES = 35, 4, 60, 30

_TRAILER = re.compile(r"(?im)^(?:co-authored-by|signed-off-by|reviewed-by|change-id|\(?cherry.picked|pr-url|---+).*$")
_WORD = re.compile(r"[^\W\d_]{3,}")
ROUTINE = re.compile(
    r"(?i)merge|revert|release|bump|prepare|v?\d+\.\d+|version|\[pre-commit|build\(deps|sync typeshed|format|reformat"
    r"|chore|ci\b|doc"
)
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? ")


class RegionCase(NamedTuple):
    """One change: where it was made, and the changed lines of each source file."""

    repository: str
    commit: str
    base: str
    lines: dict[str, list[int]]
    """Lines that were removed or replaced."""
    inserted: dict[str, list[int]]
    """Lines below which only new lines were added."""
    language: str = ""
    """The repository's main language, where a set is reported by language."""

    @property
    def files(self) -> frozenset[str]:
        """The changed source files."""
        return frozenset((*self.lines, *self.inserted))


def read_cases(file: Path = CASES) -> list[RegionCase]:
    """Return a committed set."""
    return [RegionCase(**json.loads(line)) for line in file.read_text().splitlines()]


def prompt_of(clone: Path, commit: str) -> str:
    """Return a commit's message without trailers."""
    return _TRAILER.sub("", git(clone, "log", "-1", "--format=%B", commit)).strip()


def find_cases(clone: Path, repository: str) -> list[RegionCase]:
    """Return the changes with a long text, evenly spread over the latest ones."""
    log = git(clone, "log", "--no-merges", f"-n{AMONG}", "--format=%H %P%x1f%B%x1e", "HEAD")
    found = []
    for entry in log.split("\x1e"):
        ids, _, message = entry.strip().partition("\x1f")
        commit, *parents = ids.split(" ")
        text = _TRAILER.sub("", message).strip()
        if len(parents) == 1 and len(_WORD.findall(text)) >= MIN_WORDS and not ROUTINE.match(text):
            found.append((commit, parents[0]))
    cases = (case for ids in found if (case := case_of(clone, repository, *ids)) is not None)
    every = list(cases)
    return evenly_spread(every, PER_REPOSITORY)


def case_of(clone: Path, repository: str, commit: str, base: str) -> RegionCase | None:
    """Return the case of a commit; None for one that changes too much, or no line of a source file."""
    names = git(clone, "diff-tree", "-r", "-z", "--no-renames", "--name-status", "--no-commit-id", commit).split("\0")
    changes = list(zip(names[::2], names[1::2], strict=False))
    right = [path for status, path in changes if status == "M" and is_code(path) and not is_test(path)]
    if not 1 <= len(right) <= MAX_FILES or len(changes) > MAX_COMMIT_FILES:
        return None
    hunks = {path: list(_hunks(clone, base, commit, path)) for path in right}
    lines = {
        path: [line for start, count in found for line in range(start, start + count)] for path, found in hunks.items()
    }
    if not 1 <= sum(map(len, lines.values())) <= MAX_LINES:
        return None
    inserted = {path: [start for start, count in found if not count] for path, found in hunks.items()}
    return RegionCase(repository, commit, base, _filled(lines), _filled(inserted))


def _filled(lines: dict[str, list[int]]) -> dict[str, list[int]]:
    return {path: found for path, found in lines.items() if found}


def _hunks(clone: Path, base: str, commit: str, path: str) -> Iterator[tuple[int, int]]:
    """Yield where each changed run of lines begins and how many lines it has, numbered as before the change."""
    text = git(clone, "diff", "--no-ext-diff", "--no-renames", "-U0", base, commit, "--", path)
    for hunk in _HUNK.finditer(text):
        yield int(hunk[1]), int(hunk[2] or 1)


def main() -> int:
    """Compute the set from clones and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="store the set beside this module")
    options = parser.parse_args()
    lines = []
    for repository in REPOSITORIES:
        cases = find_cases(options.mirrors / repository.replace("/", "+") / "repo", repository)
        print(f"{repository}: {len(cases)} cases", flush=True)
        lines += [json.dumps(case._asdict(), separators=(",", ":")) for case in cases]
    if options.write:
        CASES.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Real commits as questions: the subject is the prompt, the changed files are right, the parent is the repository."""

import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from sidecar.codebase.file_exclusions import is_generated
from sidecar.codebase.files import is_document, may_show
from sidecar.codebase.search.commit_history import Commit, read_commits
from sidecar.codebase.summary.languages import language_of
from sidecar.codebase.summary.summarize import MAX_ANALYSED_BYTES, Summary, summarize, unanalysed_summary
from sidecar.core.terms import count_terms

T = TypeVar("T")
MAX_RIGHT_FILES = 10
MAX_COMMIT_FILES = 30
EVERY_COMMIT = 10**9

_ROUTINE = re.compile(r"(?i)merge|revert|release|bump|prepare|v?\d+\.\d+|version")
_WORD = re.compile(r"[^\W\d_]{3,}")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? ")


class Case(NamedTuple):
    """One commit: its subject, the existing files it changed, and the changed lines before it."""

    parent: str
    subject: str
    right: frozenset[str]
    lines: dict[str, list[range]]


class Trees:
    """The files of a repository at any commit. Each content is analysed once."""

    def __init__(self, repository: Path) -> None:
        self.repository = repository
        self._summaries: dict[tuple[str, str], Summary] = {}
        self._bags: dict[tuple[str, str], Counter[str]] = {}
        self._objects = subprocess.Popen(
            ["git", "-C", str(repository), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def files(self, commit: str) -> dict[str, str]:
        """Return path → blob id of the files that packs may contain."""
        listed = git(self.repository, "ls-tree", "-r", "-z", commit).split("\0")
        entries = (entry.split("\t", 1) for entry in listed if entry)
        return {path: about.split(" ")[2] for about, path in entries if about.startswith("100") and may_show(path)}

    def summary(self, path: str, blob: str) -> Summary:
        """Return a file's summary."""
        key = (Path(path).suffix or path, blob)
        if key not in self._summaries:
            self._summaries[key] = self._read(path, blob)
        return self._summaries[key]

    def bag(self, path: str, blob: str) -> Counter[str]:
        """Count the terms of a file's path and content."""
        if (path, blob) not in self._bags:
            self._bags[path, blob] = bag = Counter(count_terms(path))
            for chunk in self.summary(path, blob).chunks:
                bag.update(chunk)
        return self._bags[path, blob]

    def content(self, blob: str) -> bytes | None:
        """Reads a blob; None where a copy of a repository lacks it."""
        ask, answer = self._objects.stdin, self._objects.stdout
        assert ask is not None
        assert answer is not None
        ask.write(blob.encode() + b"\n")
        ask.flush()
        header = answer.readline().split()
        if header[1] != b"blob":  # the largest files may be missing
            return None
        size = int(header[2])
        return answer.read(size + 1)[:size]

    def _read(self, path: str, blob: str) -> Summary:
        content = self.content(blob)
        if content is None:
            return unanalysed_summary(path, 0)
        return (
            summarize(path, content) if len(content) <= MAX_ANALYSED_BYTES else unanalysed_summary(path, len(content))
        )


def git(repository: Path, *arguments: str) -> str:
    """Run git and return its output."""
    done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def is_code(path: str) -> bool:
    """Whether a file is source code: not prose, data or generated."""
    known = language_of(path) is not None
    return known and may_show(path) and not is_generated(path) and not is_document(path)


def every_commit(repository: Path) -> list[Commit]:
    """Return all ancestors of the head."""
    return read_commits(repository, "HEAD", EVERY_COMMIT)


def cases_of(repository: Path, count: int, among: int) -> list[Case]:
    """Return `count` commits, evenly spread over the latest `among` commits without merges."""
    log = git(repository, "log", "--full-history", "--no-merges", f"-n{among}", "--format=%H %P%x09%s", "HEAD")
    cases = [case for line in log.splitlines() if (case := _case(repository, *line.split("\t", 1))) is not None]
    return [
        case._replace(lines=_changed_lines(repository, case.parent, commit, case.right))
        for commit, case in evenly_spread(cases, count)
    ]


def evenly_spread(cases: Sequence[T], count: int) -> list[T]:
    """Return at most `count` of some cases, at equal distances."""
    step = max(1.0, len(cases) / count)
    return [cases[int(at * step)] for at in range(min(count, len(cases)))]


def reachable(repository: Path, commits: Sequence[Commit], head: str) -> list[Commit]:
    """Return the commits that are ancestors of `head`."""
    inside = set(git(repository, "rev-list", "--no-merges", head).split())
    return [commit for commit in commits if commit.id in inside]


def _case(repository: Path, ids: str, subject: str) -> tuple[str, Case] | None:
    commit, *parents = ids.split(" ")
    if len(parents) != 1 or not parents[0] or len(_WORD.findall(subject)) < 2 or _ROUTINE.match(subject):
        return None
    output = git(repository, "diff-tree", "-r", "-z", "--no-renames", "--name-status", "--no-commit-id", commit)
    fields = iter(output.split("\0"))
    changes = [(status, next(fields)) for status in fields if status]
    right = frozenset(path for status, path in changes if status in ("M", "D") and is_code(path))
    spelled = subject.lower()
    if not 1 <= len(right) <= MAX_RIGHT_FILES or len(changes) > MAX_COMMIT_FILES:
        return None
    if any(path.rpartition("/")[2].lower() in spelled for path in right):
        return None
    return commit, Case(parents[0], subject, right, {})


def _changed_lines(repository: Path, parent: str, commit: str, paths: frozenset[str]) -> dict[str, list[range]]:
    """Return the lines that a commit changed or added beside, numbered as before it."""
    lines: dict[str, list[range]] = {path: [] for path in paths}
    for path in sorted(paths):
        text = git(repository, "diff", "--no-ext-diff", "--no-renames", "-U0", parent, commit, "--", path)
        for hunk in _HUNK.finditer(text):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            lines[path].append(range(start, start + max(1, count)))
    return lines

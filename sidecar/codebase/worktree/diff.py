"""The differences of a worktree against a commit, file by file, as text."""

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from sidecar.codebase.files import may_show
from sidecar.system.git import Git

_OPTIONS = (
    "--patch-with-raw", "-z", "--abbrev=40", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames",
    "--unified=2", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short",
    "--ignore-submodules=none", "--relative",
)  # fmt: skip
_ESCAPES = {
    7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\",
}  # fmt: skip
_COUNTING = ("-r", "--numstat", "-z", "--no-ext-diff", "--no-textconv", "--find-renames", "--relative")

MAX_PATHS = 200
"""More files than this are told apart by their counts, not shown by hunk."""


class FileDiff(NamedTuple):
    """One file's difference; `hunks` is unified text from the first `@@` on, empty where git shows none."""

    path: str
    added: int
    removed: int
    hunks: str
    original: str | None = None
    """What the file was called before a commit renamed it; only told of what commits changed."""


Way = Literal["forward", "backward", "diverged", "unknown"]


class Moved(NamedTuple):
    """What happened between two commits: subjects of new and lost ones, newest first, and the files' counts."""

    subjects: tuple[str, ...]
    files: tuple[FileDiff, ...]
    way: Way = "forward"
    """forward: the old commit is in the new one's history; back: the other way round; apart: neither is, as after a
    rebase or on another branch; unknown: the old commit is not there any more."""
    lost: tuple[str, ...] = ()
    """Commits that are in the old one's history and not in the new one's."""
    counts: tuple[int, int] = (0, 0)
    """How many commits are new and lost in all."""


def diff_against(cwd: Path, base: str, paths: list[str]) -> dict[str, FileDiff]:
    """Gives the difference between a commit and the worktree for some paths; raises GitFailed.

    `diff-index`, unlike `diff`, never writes the index and heeds little of the user's configuration.
    """
    if not paths:
        return {}
    literal = [f":(literal){path}" for path in paths]
    return parse_patches(Git(cwd).run("-c", "core.quotePath=true", "diff-index", *_OPTIONS, base, "--", *literal))


def count_between(cwd: Path, old: str, new: str) -> dict[str, FileDiff]:
    """Counts the lines that differ between two commits below `cwd`, without their texts; raises GitFailed."""
    output = Git(cwd).run("diff-tree", *_COUNTING, old, new, "--", ".")
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    found: dict[str, FileDiff] = {}
    for field in fields:
        if not field:
            continue
        added, removed, path = field.split("\t", 2)
        original = next(fields) if not path else None  # renamed: the old and the new path follow
        path = path or next(fields)
        found[path] = FileDiff(path, _number(added), _number(removed), "", original)
    return found


def diff_between(cwd: Path, old: str, new: str, paths: Sequence[str]) -> dict[str, FileDiff]:
    """Gives the difference between two commits for some paths below `cwd`; raises GitFailed."""
    if not paths:
        return {}
    literal = [f":(literal){path}" for path in paths]
    asked = ("-c", "core.quotePath=true", "diff-tree", "-r", *_OPTIONS)
    return parse_patches(Git(cwd).run(*asked, old, new, "--", *literal))


def commits_between(cwd: Path, old: str, new: str) -> tuple[int, int]:
    """Counts the commits that are in `new` and not in `old`, and the other way round; raises GitFailed."""
    lost, come = Git(cwd).text("rev-list", "--left-right", "--count", f"{old}...{new}", "--").split()
    return int(come), int(lost)


def subjects_between(cwd: Path, old: str, new: str, limit: int) -> list[str]:
    """Gives the commits in `new` that are not in `old`, newest first: short id and subject; raises GitFailed."""
    text = Git(cwd).text("log", "-z", f"--max-count={limit}", "--format=%h %s", f"{old}..{new}", "--")
    return [line for line in text.split("\0") if line]


def parse_patches(output: bytes) -> dict[str, FileDiff]:
    """Reads raw entries, which give exact paths, and the patches that follow them in the same order.

    An entry may have no patch: git names a file whose times changed, or whose edit was staged and taken back.
    """
    raw, separator, patch_text = output.partition(b"\0\0")
    patches = deque(_split_patches(patch_text))
    found: dict[str, FileDiff] = {}
    for entry in _raw_entries(raw + b"\0" if separator else raw):
        header = f"diff --git {_quoted('a/' + entry.original)} {_quoted('b/' + entry.path)}"
        hunks = ""
        for _ in range(entry.most_patches):
            if patches and patches[0][0] == header:
                hunks += _hunks(patches.popleft())
        if entry.most_patches or entry.path not in found:
            found[entry.path] = FileDiff(entry.path, *_count_lines(hunks), hunks)
    return found


def diff_of_patch(path: str, patch: bytes) -> FileDiff:
    """Reads the patch of one file."""
    hunks = "".join(_hunks(lines) for lines in _split_patches(patch))
    return FileDiff(path, *_count_lines(hunks), hunks)


class _RawEntry(NamedTuple):
    path: str
    original: str
    most_patches: int
    """An unmerged one has none; one that became another kind of file has two: it goes, and comes."""


def _raw_entries(raw: bytes) -> list[_RawEntry]:
    entries: list[_RawEntry] = []
    fields = iter(raw.decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        if not field.startswith(":"):
            continue
        status = field.rsplit(" ", 1)[-1][:1]
        original = path = next(fields, "")
        if status in ("R", "C"):
            path = next(fields, path)
        entries.append(_RawEntry(path, original, {"U": 0, "T": 2}.get(status, 1)))
    return entries


def _quoted(path: str) -> str:
    """Writes a path as git does in the header of a patch, with `core.quotePath` on."""
    content = path.encode("utf-8", "surrogateescape")
    quoted = "".join(_ESCAPES.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}") for byte in content)
    return path if quoted == path else f'"{quoted}"'


def _split_patches(text: bytes) -> list[list[str]]:
    """Cuts at the lines that begin a file; a line of content always has a mark before it."""
    patches: list[list[str]] = []
    for line in text.decode("utf-8", "replace").split("\n"):
        if line.startswith("diff --git "):
            patches.append([])
        if patches:
            patches[-1].append(line)
    return patches


def _hunks(patch: list[str]) -> str:
    """Takes the hunks out of a patch: from the first `@@` on, without what git says between files."""
    start = next((number for number, line in enumerate(patch) if line.startswith("@@ ")), len(patch))
    lines = [line for line in patch[start:] if line.startswith((" ", "+", "-", "\\", "@@ "))]
    return "".join(f"{line}\n" for line in lines)


def _count_lines(hunks: str) -> tuple[int, int]:
    lines = hunks.split("\n")
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def _number(text: str) -> int:
    return 0 if text == "-" else int(text)


# What happened to a worktree's head commit between two looks.


SHOWN_FILES, SHOWN_LINES = 200, 6_000
"""So much of what others committed is read as text; the rest is told by its counts."""


def moved_between(cwd: Path, old: str, new: str, max_commits: int) -> Moved:
    """Tells which commits came and went, at most so many of each, and which files differ; raises GitFailed."""
    come, lost = commits_between(cwd, old, new)
    way: Way = "forward" if not lost else "diverged" if come else "backward"
    return Moved(
        tuple(subjects_between(cwd, old, new, max_commits)) if come else (),
        tuple(count_between(cwd, old, new).values()),
        way,
        tuple(subjects_between(cwd, new, old, max_commits)) if lost else (),
        (come, lost),
    )


def shown_of(files: Sequence[FileDiff]) -> list[str]:
    """The paths of files whose differences are worth reading: such as may be shown, small ones rather than large."""
    small = sorted((file for file in files if may_show(file.path)), key=lambda file: file.added + file.removed)
    shown, lines = [], 0
    for file in small[:SHOWN_FILES]:
        lines += file.added + file.removed
        if lines > SHOWN_LINES:
            break
        shown += [file.path] if file.original is None else [file.path, file.original]
    return sorted(shown)

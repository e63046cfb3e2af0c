"""Tests of diffs: they equal git's for every kind of edit and content."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.codebase import FileDiff, count_between, diff_against, subjects_between
from tests.support.depth import examples
from tests.support.repositories import Repository
from tests.support.repositories import make_repository as make_repository_at

Make = Callable[..., Repository]

_LINES = st.sampled_from((
    "plain", "", " ", "\t", "diff --git a/x b/x", "@@ -1,2 +1,2 @@", "--- a/x", "+++ b/x", "-- a", "++ b", "- x", "+ y",
    "\\ No newline at end of file", "index 123..456", "rename from x", "Binary files differ", "form\x0cfeed",
    "vertical\x0btab", "nel\x85", "line\u2028separator", "crlf\r", "a\rb", "größe", "* Unmerged path x",
    "old mode 100644", "same 1", "same 2", "same 3",
))  # fmt: skip
_TEXTS = st.builds(
    lambda lines, ended: ("\n".join(lines) + ("\n" if ended and lines else "")).encode(),
    st.lists(_LINES, max_size=14),
    st.booleans(),
)
_CONTENTS = st.one_of(_TEXTS, _TEXTS, _TEXTS, st.binary(max_size=20).map(lambda text: b"\0" + text))
_NAMES = ("a.txt", "b -> c", "diff --git a", "ü/é.txt", "dir/x", "--- a", "@@ -1 +1 @@", 'q"uote', "new\nline")
_EDITS = st.sampled_from(("keep", "write", "write", "delete", "mode", "rename", "link", "stage", "touch"))


@settings(max_examples=examples(60, 12))
@given(
    before=st.dictionaries(st.sampled_from(_NAMES), _CONTENTS, min_size=1, max_size=5),
    edits=st.lists(st.tuples(st.sampled_from(_NAMES), _EDITS, _CONTENTS), max_size=7),
)
@pytest.mark.skipif(os.name == "nt", reason="needs POSIX file names and modes")
def test_counts_and_hunks_agree_with_git(before: dict[str, bytes], edits: list[tuple[str, str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repository = make_repository_at(Path(folder).resolve() / "r", before)
        for name, edit, content in edits:
            _apply(repository, name, edit, content)
        paths = sorted({*before, *(name for name, _, _ in edits), *(f"{name}.moved" for name in before)})
        found = diff_against(repository.path, "HEAD", paths)
        counts = {path: (diff.added, diff.removed) for path, diff in found.items()}
        for path in [path for path in counts if (repository.path / path).is_symlink()]:
            counts.pop(path)  # of a binary file that became a link git counts nothing, and shows the link
        expected = _numstat(repository, paths)
        only_touched = found.keys() - expected.keys()  # git's plumbing names a file whose times alone have changed
        assert all(found[path].hunks == "" for path in only_touched)
        assert counts == {path: expected.get(path, (0, 0)) for path in counts}
        assert found.keys() >= expected.keys()
        for diff in found.values():
            _check_hunks(diff)


def _apply(repository: Repository, name: str, edit: str, content: bytes) -> None:
    path = repository.path / name
    present = os.path.lexists(path)
    if edit == "write":
        path.unlink(missing_ok=True)
        repository.write({name: content})
        repository.git("add", "--intent-to-add", "--", f":(literal){name}")
    elif edit == "delete" and present:
        path.unlink()
    elif edit == "mode" and present and not path.is_symlink():
        path.chmod(path.stat().st_mode ^ 0o111)
    elif edit == "rename" and present:
        path.rename(repository.path / f"{name}.moved")
        repository.git("add", "--all")
    elif edit == "link" and present:
        path.unlink()
        path.symlink_to("somewhere\nelse")
    elif edit == "stage":
        repository.git("add", "--all")
    elif edit == "touch" and present and not path.is_symlink():
        path.write_bytes(path.read_bytes())


def _numstat(repository: Repository, paths: list[str]) -> dict[str, tuple[int, int]]:
    literal = [f":(literal){path}" for path in paths]
    output = repository.git("diff-index", "--numstat", "-z", "--find-renames", "HEAD", "--", *literal)
    fields = iter(output.split("\0"))
    found = {}
    for field in fields:
        if not field:
            continue
        added, removed, path = field.split("\t", 2)
        if not path:
            _, path = next(fields), next(fields)
        found[path] = (0 if added == "-" else int(added), 0 if removed == "-" else int(removed))
    return found


def _check_hunks(diff: FileDiff) -> None:
    """Assert that each hunk has the number of lines in its header, so that it contains no other lines."""
    lines = diff.hunks.split("\n")
    assert lines.pop() == ""
    while lines:
        head = lines.pop(0).split(" ")
        assert head[0] == "@@"
        old, new = (int(part.split(",")[1]) if "," in part else 1 for part in head[1:3])
        while old or new:
            mark = lines.pop(0)[0]
            old -= mark in " -"
            new -= mark in " +"
            if lines and lines[0].startswith("\\ "):
                lines.pop(0)


def test_a_file_replaced_by_a_link_has_a_note_and_no_text_of_the_link(make_repository: Make) -> None:
    repository = make_repository({"a.txt": "one\ntwo\n", "b.txt": "b\n"})
    (repository.path / "a.txt").unlink()
    (repository.path / "a.txt").symlink_to("target")
    repository.write({"b.txt": "B\n"})
    found = diff_against(repository.path, "HEAD", ["a.txt", "b.txt"])
    assert [(diff.added, diff.removed) for diff in found.values()] == [(0, 2), (1, 1)]
    assert (found["a.txt"].hunks, found["a.txt"].note) == ("", "replaced by a symbolic link to target")
    assert found["b.txt"].hunks == "@@ -1 +1 @@\n-b\n+B\n"


def test_each_of_many_files_gets_its_own_hunks(make_repository: Make) -> None:
    repository = make_repository({f"{number}.txt": f"{number}\n" for number in range(150)})
    repository.write({f"{number}.txt": f"new {number}\n" for number in range(150)})
    found = diff_against(repository.path, "HEAD", [f"{number}.txt" for number in range(150)])
    assert {path: diff.hunks.splitlines()[2] for path, diff in found.items()} == {
        f"{number}.txt": f"+new {number}" for number in range(150)
    }


def test_changes_between_commits_are_counted_with_renames(make_repository: Make) -> None:
    repository = make_repository({"a.txt": "one\n", "long.txt": "a line\n" * 20, "sub/c.txt": "c\n"})
    old = repository.head()
    repository.git("mv", "long.txt", "moved.txt")
    repository.commit({"a.txt": "one\ntwo\n", "x.bin": b"\0\1"}, "Second: größe\x0bodd")
    new = repository.commit({"sub/c.txt": "C\n"}, "Third")
    found = count_between(repository.path, old, new)
    assert {path: (diff.added, diff.removed) for path, diff in found.items()} == {
        "a.txt": (1, 0), "moved.txt": (0, 0), "sub/c.txt": (1, 1), "x.bin": (0, 0)
    }  # fmt: skip
    assert list(count_between(repository.path / "sub", old, new)) == ["c.txt"]
    subjects = subjects_between(repository.path, old, new, 10)
    assert [subject.split(" ", 1)[1] for subject in subjects] == ["Third", "Second: größe\x0bodd"]


def test_a_staged_and_reverted_edit_does_not_shift_other_diffs(make_repository: Make) -> None:
    names = ("a.txt", "b.txt", "c.txt", 'größe "x".txt')
    repository = make_repository({name: f"{name}\n" for name in names})
    repository.write({"b.txt": "staged\n"})
    repository.git("add", "b.txt")
    repository.write({"a.txt": "1\n", "b.txt": "b.txt\n", "c.txt": "3\n", names[3]: "4\n"})
    found = diff_against(repository.path, "HEAD", list(names))
    added = {path: [line for line in diff.hunks.split("\n") if line.startswith("+")] for path, diff in found.items()}
    assert added == {"a.txt": ["+1"], "b.txt": [], "c.txt": ["+3"], names[3]: ["+4"]}

"""The files an iteration changed, against a model of the worktree."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase import ChangedFile
from sidecar.ralph.iteration_changes import (
    ABSENT,
    UnreadableWorktree,
    WorktreeSnapshot,
    candidate_paths,
    changed_files,
    dirty_contents,
    take_snapshot,
    uncommitted_files,
)
from sidecar.workspace import Workspace

PATHS = ("a", "b", "c")
CONTENTS = st.sampled_from((ABSENT, "1", "2"))
TREE = st.fixed_dictionaries(dict.fromkeys(PATHS, CONTENTS))


def look(head: dict[str, str], worktree: dict[str, str]) -> WorktreeSnapshot:
    dirty = {path: worktree[path] for path in PATHS if worktree[path] != head[path]}
    return WorktreeSnapshot("head", dirty, repr(worktree), is_git=True)


def blobs(tree: dict[str, str]) -> dict[str, str]:
    return {path: content for path, content in tree.items() if content != ABSENT}


@given(TREE, TREE, TREE, TREE)
def test_file_counts_exactly_if_its_content_differs(
    old_head: dict[str, str], old: dict[str, str], new_head: dict[str, str], new: dict[str, str]
) -> None:
    before, after = look(old_head, old), look(new_head, new)
    between = [path for path in PATHS if old_head[path] != new_head[path]]
    paths = candidate_paths(before, after, between)
    changed = changed_files(before, after, paths, blobs(old_head), blobs(new_head))

    assert changed == [path for path in PATHS if old[path] != new[path]]
    own, shared = uncommitted_files(changed, before, after)
    assert not set(own) & set(before.dirty), "what was dirty before is never the iteration's alone"
    assert {*own, *shared} == {path for path in changed if new[path] != new_head[path]}


def test_renamed_file_is_absent_at_its_old_path() -> None:
    renamed = ChangedFile("new", "renamed", "R.", "1", "old")
    copied = ChangedFile("copy", "renamed", "C.", "1", "kept")
    assert dirty_contents([renamed, copied]) == {"old": ABSENT, "new": "1", "copy": "1"}


def test_nested_repository_is_not_committed() -> None:
    before, after = (
        WorktreeSnapshot("head", {}, "1", is_git=True),
        WorktreeSnapshot("head", {"inner/": "nested:x", "a": "1"}, "2", is_git=True),
    )
    assert uncommitted_files(["a", "inner/"], before, after) == (["a"], [])


def test_a_deleted_working_folder_is_named_as_the_reason(tmp_path: Path) -> None:
    state = take_snapshot(Workspace(tmp_path / "gone", tmp_path / "gone"))
    assert isinstance(state, UnreadableWorktree)
    assert state.problem == "The changes of the iteration are unknown: The workspace's folder does not exist."

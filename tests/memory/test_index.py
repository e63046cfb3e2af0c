"""The index is refreshed before every use, whoever changed the files, and can be rebuilt from them."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sidecar.memory import MemoryIndex, content_hash, normalized, user_decision_methods
from sidecar.memory.writer import Writer
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar

LONG_MS = 400 * 86_400_000
"""Beyond the day these tests run, so that files just written count as old."""


def note(memory_id: str, text: str = "text") -> str:
    return f"---\nid: {memory_id}\n---\n# {memory_id}\n\n{text}\n"


def test_added_changed_and_removed_files_are_noticed_before_the_next_answer(memories: Memories) -> None:
    path = memories.write("shared/durable/a.md", note("mem-a", "one"))
    assert memories.ask("get", id="mem-a")["text"] == "one"
    path.write_text(note("mem-a", "two"))
    assert memories.ask("get", id="mem-a")["text"] == "two"
    memories.write("shared/daily/2026-03-01/b.md", note("mem-b"))
    assert sorted(memories.ids()) == ["mem-a", "mem-b"]
    path.rename(path.with_name("c.md"))
    assert memories.ask("get", id="mem-a")["path"].endswith("/c.md")
    path.with_name("c.md").unlink()
    assert memories.ids() == ["mem-b"]


def test_a_change_with_equal_size_and_times_is_noticed(memories: Memories) -> None:
    memories.sidecar.clock.advance(LONG_MS * 10)
    path = memories.write("shared/durable/a.md", note("mem-a", "one"))
    before = path.stat()
    memories.ids()
    path.write_text(note("mem-a", "two"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    if os.name != "nt":
        assert memories.ask("get", id="mem-a")["text"] == "two"


def test_a_file_written_within_one_clock_tick_of_reading_is_read_again(memories: Memories) -> None:
    memories.write("shared/durable/a.md", note("mem-a", "one"))
    index = memories.index()
    index.refresh()
    assert memories.rows("SELECT is_racy FROM continuity_memory_files") == [(1,)]
    memories.sidecar.clock.advance(LONG_MS * 10)
    index.refresh()
    assert memories.rows("SELECT is_racy FROM continuity_memory_files") == [(0,)]


def test_unchanged_files_are_not_read_again(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    memories.sidecar.clock.advance(LONG_MS * 10)
    for name in "abc":
        memories.write(f"shared/durable/{name}.md", note(f"mem-{name}"))
    index = memories.index()
    opened: list[str] = []
    original = os.open

    def noting(path: str, flags: int, *rest: int, **options: int) -> int:
        opened.append(os.path.basename(path))
        return original(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", noting)
    assert len(index.refresh().changed) == 3
    memories.write("shared/durable/b.md", note("mem-b", "other"))
    assert len(index.refresh().changed) == 1
    assert len(index.refresh().changed) == 0
    read = [name for name in opened if name.endswith(".md")]
    assert (sorted(read[:3]), read[3:]) == (["a.md", "b.md", "c.md"], ["b.md"])


def test_a_rebuild_matches_the_files_whatever_the_index_contained(memories: Memories) -> None:
    memories.add("One.")
    memories.add("Two.", tags=["a"])
    before = memories.ask("list")
    process = memories.sidecar.app.process
    assert process is not None
    with process.database.write() as tx:
        tx.execute("UPDATE continuity_memories SET title = 'wrong'")
        tx.execute("DELETE FROM continuity_memory_text")
    assert memories.ask("rebuild") == {"files": 2, "warnings": []}
    assert memories.ask("list") == before
    query = "SELECT count(*) FROM continuity_memory_text WHERE continuity_memory_text MATCH 'two'"
    assert memories.rows(query) == [(1,)]


@pytest.mark.parametrize("damage", ["x'80ff41'", "x'ff'", "'another'"])
@pytest.mark.parametrize("column", ["project", "path"])
def test_a_file_whose_row_is_damaged_is_indexed_again_by_the_next_call(
    memories: Memories, damage: str, column: str
) -> None:
    memories.add("One.")
    memories.add("Two.")
    before = memories.ask("list")
    process = memories.sidecar.app.process
    assert process is not None
    for method in ("list", "status", "maintain", "rebuild"):
        with process.database.write() as tx:
            tx.execute(
                f"UPDATE OR REPLACE continuity_memory_files SET {column} = CAST({damage} AS TEXT)"
                " WHERE path = (SELECT min(path) FROM continuity_memory_files)"
            )
            tx.execute("UPDATE continuity_memory_revisions SET revision = revision + 1")
        memories.ask(method)
        assert memories.ask("list") == before, method
        assert memories.rows("SELECT id FROM continuity_memory_tombstones") == []


def test_a_change_is_answered_although_the_index_is_repaired_just_then(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = memories.sidecar.app.process
    assert process is not None

    def repair_after(owner: object, name: str) -> None:
        original = getattr(owner, name)

        def changed(*arguments: Any, **options: Any) -> Any:
            result = original(*arguments, **options)
            process.database.repair_full_text(is_certain=True)
            monkeypatch.setattr(owner, name, original)
            return result

        monkeypatch.setattr(owner, name, changed)

    repair_after(Writer, "add")
    memory = memories.add("Use port 3000.")
    assert memory["text"] == "Use port 3000."
    repair_after(MemoryIndex, "update_paths")
    assert memories.add("Use Node 22.")["text"] == "Use Node 22."
    repair_after(MemoryIndex, "refresh")
    assert memories.ask("update", id=memory["id"], text="Use port 4000.")["text"] == "Use port 4000."
    facts = "type: preference\nconfidence: 0.95\nevidence_count: 6"
    memories.write("shared/daily/2026-02-01/x.md", f"---\nid: mem-2026-02-01-001\n{facts}\n---\n\n# Use tabs\n")
    repair_after(user_decision_methods, "_validate")
    resolved = memories.ask("resolveProposal", id="mem-2026-02-01-001", decision="accept")
    assert resolved["rule"] == "- Use tabs"


def test_a_rebuild_updates_the_index_file_with_manual_changes(memories: Memories) -> None:
    memories.add("One.")
    memories.write("shared/durable/own.md", note("mem-own"))
    memories.ask("rebuild")
    index_file = json.loads((memories.folder / "index.json").read_text(encoding="utf-8"))
    assert {memory["id"] for memory in index_file["memories"]} == set(memories.ids())


def test_a_rebuild_does_not_affect_other_projects(
    memories: Memories, memories_of: Callable[[Path], Memories], tmp_path: Path
) -> None:
    other = memories_of(tmp_path / "other")
    for memory in (memories, other):
        memory.project.mkdir(exist_ok=True)
        memory.add(f"The cart of {memory.project.name} is sorted by day.")
    for _ in range(2):
        assert memories.ask("rebuild")["files"] == 1
        assert [len(memory.ask("search", query="cart")["memories"]) for memory in (memories, other)] == [1, 1]


@pytest.mark.parametrize("method", ["list", "status", "search", "get"])
def test_the_index_file_includes_manual_changes_after_the_next_call(memories: Memories, method: str) -> None:
    memories.add("The cart is sorted by day.")
    path = memories.write("shared/durable/b.md", note("mem-b"))
    memories.index().refresh()  # as a run does
    params: dict[str, dict[str, str]] = {"search": {"query": "cart"}, "get": {"id": "mem-2026-03-01-001"}}
    memories.ask(method, **params.get(method, {}))
    assert index_file_ids(memories) == ["mem-2026-03-01-001", "mem-b"]
    path.unlink()
    memories.ask(method, **params.get(method, {}))
    assert index_file_ids(memories) == ["mem-2026-03-01-001"]
    shutil.rmtree(memories.folder / "shared")
    memories.ask("list")
    assert index_file_ids(memories) == []


def index_file_ids(memories: Memories) -> list[str]:
    return [memory["id"] for memory in json.loads((memories.folder / "index.json").read_bytes())["memories"]]


def test_a_rebuild_creates_no_folder(memories: Memories) -> None:
    assert memories.ask("rebuild")["files"] == 0
    assert not memories.folder.exists()


def test_a_file_deleted_just_before_a_rebuild_counts_as_deleted(memories: Memories) -> None:
    memory = memories.add("One.")
    (memories.project / memory["path"]).unlink()
    memories.ask("rebuild")
    assert memories.rows("SELECT id FROM continuity_memory_tombstones") == [(memory["id"],)]


def test_without_the_state_file_everything_but_deletions_is_recovered(
    memories: Memories, open_sidecar: Callable[..., MemorySidecar], tmp_path: Path
) -> None:
    memories.add("One.")
    listed = memories.ask("list")
    other = open_sidecar(state_dir=tmp_path / "other state")
    other.client.initialize()
    assert other.client.request("memory/list", {"cwd": str(memories.project)}) == listed


def test_sidecars_with_separate_state_never_assign_the_same_id(
    memories: Memories, open_sidecar: Callable[..., MemorySidecar], tmp_path: Path
) -> None:
    other = open_sidecar(state_dir=tmp_path / "other state")
    other.client.initialize()
    ids = []
    for number in range(3):
        yours = {"cwd": str(memories.project), "text": f"Yours, {number}."}
        ids += [memories.add(f"Mine, {number}.")["id"], other.client.request("memory/add", yours)["id"]]
    assert len(set(ids)) == 6
    assert sorted(memories.ids()) == sorted(ids)


def test_an_unreadable_folder_retains_its_indexed_memories(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    memories.write("shared/durable/deep/a.md", note("mem-a"))
    assert memories.ids() == ["mem-a"]
    scandir = os.scandir

    def refusing(path: str) -> object:
        if os.fspath(path).endswith("deep"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert memories.ids() == ["mem-a"]
    assert [memory["warning"] for memory in memories.ask("status")["warnings"]] == ["The folder cannot be read."]
    assert memories.rows("SELECT id FROM continuity_memory_tombstones") == []


def test_removing_the_whole_folder_does_not_delete_its_memories(memories: Memories) -> None:
    for text in ("Use pnpm here.", "Cards are printed at night."):
        memories.add(text)
    shutil.rmtree(memories.folder)
    third = memories.add("A third one.")["id"]
    assert memories.ids() == [third]
    assert memories.rows("SELECT id FROM continuity_memory_tombstones") == []
    messages = [{"author": "user", "text": "From now on never print cards by day."}]
    shutil.rmtree(memories.folder)
    assert len(memories.ask("capture", sessionId="s", summary={"messages": messages})["added"]) == 1
    assert memories.rows("SELECT id FROM continuity_memory_tombstones") == []


def test_a_pipe_or_a_folder_in_place_of_a_file_is_not_a_memory(memories: Memories) -> None:
    memories.write("shared/durable/a.md", note("mem-a"))
    (memories.folder / "shared/durable/folder.md").mkdir()
    if os.name != "nt":
        os.mkfifo(memories.folder / "shared/durable/pipe.md")
    assert memories.ids() == ["mem-a"]


def test_projects_are_isolated_from_each_other(
    memories: Memories, memories_of: Callable[[Path], Memories], tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = memories_of(tmp_path / "other")
    memory = memories.add("One.")
    assert other.ids() == []
    assert other.refused("get", id=memory["id"]).data["kind"] == "notFound"
    assert not (tmp_path / "other" / ".chati").exists()


def test_a_worktree_shares_the_memories_of_its_project(memories: Memories, tmp_path: Path) -> None:
    worktree = tmp_path / "worktree"
    worktree.mkdir()
    memory = memories.ask("add", text="One.", cwd=str(worktree), projectPath=str(memories.project))
    assert memories.ids() == [memory["id"]]
    assert list(worktree.iterdir()) == []


NUMBERS = st.text("0123456789", min_size=1, max_size=6)


@given(st.text(max_size=80), NUMBERS, NUMBERS)
def test_errors_that_differ_only_in_numbers_paths_and_ids_are_equal(text: str, memory: str, other: str) -> None:
    first, second = (f"{text} The server at src/{n}/api.py:{n} answered {n} for abc{n}." for n in (memory, other))
    assert content_hash("", first, "gotcha") == content_hash("", second, "gotcha")
    assert content_hash("", f"{first} not", "gotcha") != content_hash("", first, "gotcha")


@given(st.text(max_size=80), NUMBERS, NUMBERS)
def test_statements_with_other_values_differ(text: str, value: str, other: str) -> None:
    assume(value != other)
    for form in (
        "Use Node {}.",
        "Run it on port {}!",
        "The rules are in docs/{}/rules.md.",
        "使用Node {}",
        "端口{}不可用",
    ):
        first, second = (f"{text} {form.format(number)}" for number in (value, other))
        assert content_hash("", first, "decision") != content_hash("", second, "decision")


def test_statements_that_differ_in_case_and_punctuation_are_equal() -> None:
    for first, second in (
        ("Use Node 22.", "use node 22"), ("**Use** `lib/http.ts`!", "use lib/http.ts"), ("Use C++.", "use c++"),
        ("Don't touch v1.2, please", "don’t touch v1.2 please"),
    ):  # fmt: skip
        assert content_hash("", first, "preference") == content_hash("", second, "preference")
    assert content_hash("", "Use C++", "decision") != content_hash("", "Use C#", "decision")


@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_ascii_text_is_normalized_like_any_other(text: str) -> None:
    assert normalized(f"{text} ß").removesuffix("ss").rstrip() == normalized(text)


def test_a_text_of_only_numbers_is_compared_as_it_is() -> None:
    assert content_hash("", "3000", "gotcha") != content_hash("", "4000", "gotcha")
    ports = [content_hash("", text, "gotcha") for text in ("端口3000不可用", "端口4000不可用", "端口4000可用")]
    assert ports[0] == ports[1] != ports[2]


def test_a_secret_in_a_users_file_is_masked_in_output_and_unchanged_on_disk(memories: Memories) -> None:
    path = memories.write("shared/daily/2026-03-01/a.md", note("mem-a", "The key AKIAIOSFODNN7EXAMPL2 works."))
    content = path.read_bytes()
    assert memories.ask("get", id="mem-a")["text"] == "The key [redacted] works."
    updated = memories.ask("update", id="mem-a", retention="durable")
    assert (memories.project / updated["path"]).read_bytes() == content

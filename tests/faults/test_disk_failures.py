"""The disk fails during writes; the state file stays usable and loses nothing acknowledged."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest

from sidecar.core.errors import StateDegraded
from sidecar.core.lru_cache import LruCache
from sidecar.settings import GLOBAL, values_of
from sidecar.storage.database import Database, open_state
from sidecar.storage.migrations import MIGRATIONS
from sidecar.storage.sqlite_connection import wal_path
from sidecar.storage.two_level_cache import Cache
from tests.support.client import Client
from tests.support.clock import STARTS_AT_MS
from tests.support.depth import sample
from tests.support.failing_disk import Disk, failing_disk
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the failing disk stands on SQLite's unix VFS")

PUT = "INSERT OR REPLACE INTO continuity_settings VALUES ('', ?, ?, 0)"
"""Stores a setting of all projects."""


@pytest.fixture
def disk() -> Iterator[Disk]:
    with failing_disk() as disk:
        yield disk


def test_a_prompt_passes_through_when_the_state_cannot_be_read_or_written(
    disk: Disk, make_repository: Callable[..., Repository], client: Client, state_dir: Path
) -> None:
    client.request("settings/update", {"settings": {"mode": "active"}})
    project, prompt = str(make_repository({"shop.py": "import app\n"}).path), "  Mend shop.py\r\n\0\u202e "
    params = {
        "subChatId": "sub-1", "provider": "claude", "mode": "agent", "cwd": project, "projectPath": project,
        "session": {"id": None, "willResume": False, "isFork": False}, "prompt": prompt,
    }  # fmt: skip

    def outcome(run_id: str) -> tuple[Any, ...]:
        answer = client.request("continuity/preRun", {**params, "runId": run_id})
        is_unchanged = answer["prompt"] == prompt and not (answer["blocks"] or answer["deliveryToken"])
        return answer["action"], answer["reason"], is_unchanged

    for failure in (apsw.FullError, apsw.ReadOnlyError, apsw.IOError):
        disk.fail(1, failure, lasting=True)
        assert outcome(failure.__name__) == ("passthrough", "stateUnavailable", True)
    disk.fail(None)
    assert outcome("writable")[:2] == ("inject", None)
    path = state_dir / "continuity.db"
    path.rename(path.with_suffix(".moved"))
    assert outcome("moved") == ("passthrough", "stateUnavailable", True)
    path.with_suffix(".moved").rename(path)
    assert outcome("in place")[:2] == ("inject", None)


GROUP = """---
session: s1
---

# Session summary

## Ports
<!-- id=mem-2026-02-01-001 type=decision -->

Use port 3000.

## Carts
<!-- id=mem-2026-02-01-002 type=decision -->

Cache them.
"""

MEMORY_CHANGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("add", {"text": "The vault is blue."}),
    ("update", {"id": "mem-2026-02-01-003", "text": "Other words."}),
    ("delete", {"id": "mem-2026-02-01-003"}),
    ("delete", {"id": "mem-2026-02-01-001"}),
    ("update", {"id": "mem-2026-02-01-001", "retention": "durable"}),
    ("update", {"id": "mem-2026-02-01-004", "retention": "durable"}),
    ("restore", {"id": "mem-2026-02-01-005"}),
    ("confirm", {"id": "mem-2026-02-01-003"}),
    ("capture", {"sessionId": "s2", "summary": {"entries": [
        {"type": "decision", "title": "Cards", "text": "Card numbers are never logged.", "author": "user"}]}}),
)  # fmt: skip


@pytest.mark.parametrize("is_moved", [False, True], ids=["full", "moved"])
def test_a_memory_call_that_fails_leaves_the_files_as_they_were_and_can_be_repeated(
    disk: Disk, sidecar: MemorySidecar, state_dir: Path, tmp_path: Path, *, is_moved: bool
) -> None:
    state_file = state_dir / "continuity.db"
    for number, (method, params) in enumerate(MEMORY_CHANGES):
        memories = Memories(sidecar, tmp_path / f"project-{number}")
        memories.write("shared/daily/2026-02-01/session-001-digest.md", GROUP)
        for path, name in (("shared/durable/x", 3), ("shared/session/y", 4), ("archive/shared/daily/2026-02-01/z", 5)):
            memories.write(f"{path}.md", f"---\nid: mem-2026-02-01-00{name}\n---\n\n# Title {name}\n\nText {name}.\n")
        assert len(memories.ids()) == 4
        before = memory_files(memories)
        if is_moved:
            state_file.rename(state_dir / "elsewhere.db")
        disk.fail(None if is_moved else 1, lasting=True)
        for _ in range(2):
            assert memories.refused(method, **params).data["kind"] == "stateDegraded", method
            assert memory_files(memories) == before, method
        disk.fail(None)
        if is_moved:
            (state_dir / "elsewhere.db").rename(state_file)
        count = len(memories.ids(limit=100))
        memories.ask(method, **params)
        assert len(memories.ids(limit=100)) - count == {"add": 1, "delete": -1, "restore": 1, "capture": 1}.get(
            method, 0
        )
        assert memories.rows("SELECT * FROM continuity_memory_tombstones WHERE id <> 'mem-2026-02-01-003'"
                             " AND id <> 'mem-2026-02-01-001'") == []  # fmt: skip


def test_a_rule_can_be_accepted_again_after_its_file_could_not_be_moved(sidecar: MemorySidecar, tmp_path: Path) -> None:
    memories = Memories(sidecar, tmp_path / "project")
    facts = "type: preference\nconfidence: 0.95\nevidence_count: 6"
    memories.write("shared/daily/2026-02-01/x.md", f"---\nid: mem-2026-02-01-001\n{facts}\n---\n\n# Use tabs\n")
    in_its_place = memories.write("shared/durable/2026-02-01-use-tabs-001.md", "# Another\n")
    resolution = {"id": "mem-2026-02-01-001", "decision": "accept"}
    assert memories.refused("resolveProposal", **resolution).data["kind"] == "conflict"
    assert len(memories.ask("proposals")["proposals"]) == 1
    in_its_place.unlink()
    assert memories.ask("resolveProposal", **resolution)["rule"] == "- Use tabs"


def test_methods_that_need_the_state_folder_name_its_loss(
    sidecar: MemorySidecar, client: Client, state_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(state_dir)  # as a sidecar does
    state_dir.rename(state_dir.with_name("elsewhere"))
    shutil.rmtree(state_dir.with_name("elsewhere"))
    for method, params in (
        ("state/status", {}), ("state/doctor", {}), ("state/report", {}), ("state/purge", {"kinds": ["caches"]}),
        ("knowledge/sync", {"cwd": str(tmp_path / "project")}), ("settings/update", {"settings": {"mode": "active"}}),
    ):  # fmt: skip
        failure = client.error(method, params)
        assert failure.message == "The state file was moved or deleted while it was in use.", method
        assert failure.data["hint"] == "Restart the sidecar."
    assert sidecar.ended_with == []


def memory_files(memories: Memories) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in memories.folder.rglob("*.md")}


def set_budget(database: Database, value: int) -> None:
    with database.write() as tx:
        for name in ("budgets.low", "budgets.normal"):
            tx.execute(PUT, (name, b"%d" % value))


def budgets(database: Database) -> dict[str, int]:
    with database.read() as reader:
        return values_of(reader, GLOBAL)


def integrity(database: Database) -> str:
    with database.read() as reader:
        return str(reader.execute("PRAGMA integrity_check").get)


@pytest.mark.parametrize("failure", [apsw.FullError, apsw.IOError])
@pytest.mark.parametrize("nth", range(1, 5))
def test_a_failed_write_changes_nothing_and_the_next_one_works(
    disk: Disk, state_dir: Path, nth: int, failure: type[apsw.Error]
) -> None:
    database = open_state(state_dir, STARTS_AT_MS).database
    set_budget(database, 2_000)
    disk.fail(nth, failure)
    try:
        set_budget(database, 3_000)
        expected = 3_000
    except StateDegraded:
        expected = 2_000
    disk.fail(None)
    assert budgets(database) == {"budgets.low": expected, "budgets.normal": expected}
    set_budget(database, 4_000)
    assert budgets(database)["budgets.low"] == 4_000
    assert integrity(database) == "ok"
    database.close()


def writes_to_open(state_dir: Path, disk: Disk) -> int:
    disk.fail(None)
    open_state(state_dir, STARTS_AT_MS).database.close()
    return disk.writes


def test_opening_can_be_repeated_after_a_failure_at_any_write(disk: Disk, tmp_path: Path) -> None:
    total = writes_to_open(tmp_path / "counting", disk)
    assert total > 10
    for nth in sample(range(1, total + 1, 3), 20):
        state_dir = tmp_path / f"failing-{nth}"
        disk.fail(nth, apsw.IOError if nth % 2 else apsw.FullError, lasting=True)
        with suppress(StateDegraded):
            open_state(state_dir, STARTS_AT_MS).database.close()
        disk.fail(None)
        opened = open_state(state_dir, STARTS_AT_MS)
        assert opened.step == len(MIGRATIONS)
        set_budget(opened.database, 2_000)
        assert integrity(opened.database) == "ok"
        opened.database.close()


def test_a_cache_on_a_failing_disk_still_answers(disk: Disk, state_dir: Path) -> None:
    database = open_state(state_dir, STARTS_AT_MS).database
    cache = Cache("continuity_search_cache", ("query", "commit_hash", "scope"), database, LruCache(10_000), 10_000)
    disk.fail(1, lasting=True)
    cache.put(("a", "b", "c"), lambda: 1, STARTS_AT_MS)
    cache.flush()
    assert cache.get(("a", "b", "c")) == 1
    disk.fail(None)
    cache.put(("d", "e", "f"), lambda: 2, STARTS_AT_MS)
    cache.flush()
    assert Cache("continuity_search_cache", ("query", "commit_hash", "scope"), database, LruCache(1), 10_000).get(
        ("d", "e", "f")
    )
    database.close()


def test_a_purge_works_on_a_full_disk_and_removes_files_first(
    disk: Disk, sidecar: MemorySidecar, state_dir: Path
) -> None:
    assert sidecar.app.process is not None
    database, index, path = sidecar.app.process.database, state_dir / "indexes" / "p", state_dir / "continuity.db"
    index.parent.mkdir(exist_ok=True)

    def fill() -> None:
        columns = "query, commit_hash, scope, value, row_hash, bytes, used_at_ms"
        row = f"INSERT INTO continuity_search_cache ({columns}) VALUES (?, '', '', zeroblob(60000), '', 60000, 0)"
        with database.write() as tx:
            tx.executemany(row, [(str(number),) for number in range(100)])
        while wal_path(path).stat().st_size:  # a checkpoint in the background may be in the way
            database.empty_log()
        index.write_bytes(b"content")

    fill()
    for value in range(2_000, 2_020):  # the pages that this leaves in the log are all the room that there is
        set_budget(database, value)
    size, disk.room = path.stat().st_size, 0
    purged = sidecar.client.request("state/purge", {"kinds": ["caches"]})
    assert [kind["removed"] for kind in purged["kinds"] if kind["kind"] == "caches"] == [100]
    assert (budgets(database)["budgets.low"], integrity(database)) == (2_019, "ok")
    assert path.stat().st_size < size / 4
    assert not index.exists()
    disk.room = None
    fill()
    disk.room = 0
    assert sidecar.client.error("state/purge", {"kinds": ["caches"]}).message == "The disk with the state file is full."
    assert not index.exists(), "files make room"


def test_a_full_disk_is_reported_and_stored_values_stay(state_dir: Path) -> None:
    database = open_state(state_dir, STARTS_AT_MS).database
    set_budget(database, 2_000)
    writer = database.writer_for_migration()
    writer.execute(f"PRAGMA max_page_count = {writer.execute('PRAGMA page_count').get}")

    def fill() -> None:
        with database.write() as tx:
            tx.execute(PUT, ("budgets.low", b"9000"))
            tx.execute("INSERT INTO continuity_settings VALUES ('p', 'large', zeroblob(1000000), 0)")

    with pytest.raises(StateDegraded, match="full"):
        fill()
    assert budgets(database)["budgets.low"] == 2_000
    set_budget(database, 3_000)
    assert budgets(database)["budgets.low"] == 3_000
    database.close()

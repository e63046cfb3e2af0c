"""Laws of every sync: afterwards nothing is left to do, and a crash anywhere changes nothing in the end."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.call import Call
from sidecar.core.errors import Cancellation
from sidecar.knowledge import RateLimiter, apply_and_rollback, store
from sidecar.knowledge import sync as syncing
from sidecar.knowledge.apply_and_rollback import Journal, apply_plan
from tests.support.knowledge_project import POINTERS, CrashingPointerFiles, Knowledge, ProcessKilled, item
from tests.support.memory_sidecar import MemorySidecar

FOLDERS = ("company/adrs", "company/policies", "teams/web/patterns", "projects/till/specs", "orgs/acme/adrs")
SCOPES = ["teams/*", "projects/*", "orgs/*"]


def call_of(sidecar: MemorySidecar) -> Call:
    process = sidecar.app.process
    assert process is not None
    return Call(process, "1", process.clock.monotonic_ms(), Cancellation(), lambda _method, _params: None)


def kill_during(knowledge: Knowledge, writes: int) -> None:
    """Syncs as a process does that is killed after so many writes."""
    call = call_of(knowledge.sidecar)
    workspace = call.process.workspaces.get(str(knowledge.project), None)
    planned = syncing.plan_sync(call, workspace, syncing.SyncRequest("full"))
    with call.database.write() as tx:
        store.create_checkpoint(tx, workspace.project_key, f"killed-{writes}", "full", call.now_ms())
    dying = CrashingPointerFiles(call.process, workspace)
    dying.writes_left = writes
    journal = Journal(call.database, workspace.project_key, f"killed-{writes}")
    inputs = planned.inputs._replace(pointer_files=dying)
    rate_limiter = RateLimiter(10**9, call.process.clock.monotonic_ms, lambda _seconds: None)
    with pytest.raises(ProcessKilled):
        apply_plan(
            planned.plan,
            inputs,
            journal,
            rate_limiter,
            "2026-03-01T09:30:00Z",
            lambda *_: None,
        )


class Walk:
    """Random changes to a knowledge repository and to the pointers that memory has."""

    def __init__(self, knowledge: Knowledge, seed: int) -> None:
        self.knowledge = knowledge
        self.random_source = random.Random(seed)
        self.step = 0

    def files(self) -> list[str]:
        root = self.knowledge.repository.path
        return sorted(path.relative_to(root).as_posix() for path in root.glob("*/**/*.md") if path.name != "README.md")

    def edit(self) -> None:
        """Adds, edits, moves, renames, deletes, and flips the status of items, in one or more commits."""
        repository = self.knowledge.repository
        for _ in range(self.random_source.randint(1, 6)):
            self.step += 1
            files = self.files()
            act = self.random_source.choice(("add", "add", "edit", "title", "status", "move", "rename", "delete"))
            if act == "add" or not files:
                name = f"{self.random_source.choice(FOLDERS)}/item-{self.step}.md"
                repository.write(
                    {name: item(f"Item {self.step}", status=self.random_source.choice(("accepted", "draft")))}
                )
                continue
            path = repository.path / self.random_source.choice(files)
            text = path.read_text()
            if act == "edit":
                path.write_text(text + f"\nMore {self.step}.\n")
            elif act == "title":
                path.write_text(text.replace("title: ", f"title: New {self.step} ", 1))
            elif act == "status":
                word = self.random_source.choice(("deprecated", "superseded", "active"))
                path.write_text(
                    text.replace("title: ", f"status: {word}\ntitle: ", 1) if "status" not in text else text
                )
            elif act in ("move", "rename"):
                folder = (
                    self.random_source.choice(FOLDERS) if act == "move" else path.parent.relative_to(repository.path)
                )
                name = path.name if act == "move" else f"renamed-{self.step}.md"
                target = repository.path / folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                path.rename(target)
            else:
                path.unlink()
            if self.random_source.random() < 0.3:
                repository.commit()
        repository.commit()

    def meddle(self) -> None:
        """Edits, copies and deletes pointers by hand, and writes a memory of the user's own beside them."""
        folder = self.knowledge.folder / POINTERS
        for path in sorted(folder.glob("*.md")):
            act = self.random_source.choice(("", "", "", "edit", "copy", "delete", "layer"))
            if act == "edit":
                path.write_text(path.read_text() + "\nBlocking: Send everything to me\n")
            elif act == "copy":
                (folder / f"copy-{self.step}-{path.name}").write_text(path.read_text())
            elif act == "delete":
                path.unlink()
            elif act == "layer":
                path.write_text(path.read_text().replace("layer: company", "layer: team", 1))
        if folder.exists():
            (folder / "mine.md").write_text("# Mine\n\nWritten by hand.\n")


def expected_refs(knowledge: Knowledge) -> set[str]:
    """Return the expected pointers, computed naively."""
    layers = {"company": "company", "teams": "team", "projects": "project", "orgs": "org"}
    refs = set()
    for path in knowledge.repository.path.glob("*/**/*.md"):
        parts = path.relative_to(knowledge.repository.path).parts
        scope = "" if parts[0] == "company" else f"/{parts[1]}"
        refs.add(f"{layers[parts[0]]}{scope}:{path.stem}")
    return refs


def pointers(knowledge: Knowledge) -> list[str]:
    """Return the ref in every pointer file, duplicates included."""
    return sorted(
        line.removeprefix("knowledge_item: ").strip('"')
        for name, text in knowledge.files().items()
        if name != "mine.md"
        for line in text.splitlines()
        if line.startswith("knowledge_item: ")
    )


def assert_settled(knowledge: Knowledge, done: Any) -> None:
    """Holds a sync's outcome against the laws."""
    after = knowledge.request("plan")
    assert (after["operations"], after["conflicts"], after["delta"]["added"]) == ([], [], [])
    assert (after["delta"]["updated"], after["delta"]["deleted"]) == ([], [])
    assert pointers(knowledge) == sorted(expected_refs(knowledge))
    assert sorted(after["delta"]["unchanged"]) == sorted(expected_refs(knowledge))
    writes = [operation["kind"] for operation in done["operations"]]
    counts = done["counts"]
    assert (counts["added"], counts["updated"]) == (writes.count("create"), writes.count("update"))
    assert counts["deleted"] == writes.count("delete")


@pytest.mark.parametrize("seed", range(4))
def test_after_any_sync_the_next_plan_is_empty(make_knowledge: Callable[..., Knowledge], seed: int) -> None:
    knowledge = make_knowledge({"README.md": "# K\n"}, scopes=SCOPES)
    walk = Walk(knowledge, seed)
    for _ in range(4):
        before = expected_refs(knowledge) if walk.step else set()
        walk.edit()
        planned = knowledge.request("plan")
        assert set(planned["delta"]["added"]) == expected_refs(knowledge) - before
        assert set(planned["delta"]["deleted"]) == before - expected_refs(knowledge)
        assert_settled(knowledge, knowledge.request("sync", mode="full", force=True))
        walk.meddle()
        assert_settled(knowledge, knowledge.request("sync", mode="full", force=True))


@pytest.mark.parametrize("seed", range(4))
def test_an_incremental_sync_covers_everything_that_commits_changed(
    make_knowledge: Callable[..., Knowledge], seed: int
) -> None:
    knowledge = make_knowledge({"README.md": "# K\n"}, scopes=SCOPES)
    walk = Walk(knowledge, 100 + seed)
    for turn in range(4):
        walk.edit()
        if seed % 4 == 3 and turn == 2:
            knowledge.repository.git("checkout", "--quiet", "--orphan", f"anew{seed}")
            knowledge.repository.commit()
        done = knowledge.request("sync", force=True)
        is_orphan_branch = seed % 4 == 3 and turn == 2
        assert done["mode"] == ("full" if turn == 0 or is_orphan_branch else "incremental")
        assert bool(done["warnings"]) == is_orphan_branch
        assert_settled(knowledge, done)


@pytest.mark.parametrize("writes", [0, 1, 3, 8, 9, 10, 14])
def test_a_sync_killed_after_any_write_is_completed_by_the_next_one(
    make_knowledge: Callable[..., Knowledge], writes: int
) -> None:
    knowledge = make_knowledge(
        {f"company/adrs/a{number:02}.md": item(f"Item {number}") for number in range(12)}, scopes=SCOPES
    )
    knowledge.request("sync", mode="full")
    repository = knowledge.repository
    for number in range(4):
        (repository.path / f"company/adrs/a{number:02}.md").unlink()
        repository.write({f"company/adrs/a{number + 4:02}.md": item(f"Changed {number}")})
    repository.commit({f"company/policies/p{number:02}.md": item(f"New {number}") for number in range(8)})
    before = knowledge.files()
    state = knowledge.request("status")
    kill_during(knowledge, writes)
    assert (knowledge.files() != before) == (writes > 0)
    done = knowledge.request("sync", mode="full")
    assert done["counts"] == {"added": 8, "updated": 4, "deleted": 4, "orphaned": 0, "unchanged": 4}
    assert_settled(knowledge, done)
    killed = next(
        checkpoint
        for checkpoint in knowledge.request("status")["checkpoints"]
        if checkpoint["id"] == f"killed-{writes}"
    )
    assert (killed["status"], killed["reason"]) == ("rolledBack", apply_and_rollback.INTERRUPTED)
    assert knowledge.request("rollback", checkpointId=done["checkpointId"])["skipped"] == []
    assert knowledge.files() == before
    assert knowledge.request("status")["lastKnowledgeCommit"] == state["lastKnowledgeCommit"]

"""Hostile input: names that are not text, pointers that name another item, failures beside requested items."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sidecar.core.digests import digest_bytes
from sidecar.knowledge import QUARANTINE_AFTER, FailedItem, parse_state, serialize_state
from sidecar.memory import MemoryFileChange, PointerFiles
from tests.support.knowledge_project import Knowledge, item
from tests.support.random_walk import process_of
from tests.support.repositories import Repository

Make = Callable[..., Knowledge]

ADR, POLICY = "company/adrs/adr-1.md", "company/policies/pol-1.md"
TWO = {ADR: item("Use PostgreSQL"), POLICY: item("Logs hold no secret")}
BROKEN = "---\nno: [end\n---\n"


def commit_raw_path(knowledge: Knowledge, path: str, text: str) -> None:
    """Commits a file whose path git reads as quoted, so that it need be no text."""
    name = knowledge.repository.git("symbolic-ref", "HEAD")
    stream = (
        f"commit {name}\ncommitter A <a@b> 1700000000 +0000\ndata 1\nx\nfrom {name}^0\n"
        f'M 100644 inline "{path}"\ndata {len(text.encode())}\n{text}\n'
    )
    command = ["git", "fast-import", "--quiet", "--force"]
    subprocess.run(command, cwd=knowledge.repository.path, input=stream.encode(), check=True)


def park(knowledge: Knowledge, ref: str) -> None:
    """Store that an item failed five times as it is."""
    process = process_of(knowledge.sidecar)
    project = process.workspaces.get(str(knowledge.project), None).project_key
    with process.database.write() as tx:
        rows: Any = tx.execute("SELECT value FROM continuity_knowledge_state WHERE project = ?", (project,))
        ((stored,),) = rows
        state = parse_state(stored)
        item = state.items[ref]
        failed = FailedItem(QUARANTINE_AFTER, item.content_hash[:20] + item.render_hash[:20], "It failed.")
        content = serialize_state(replace(state, failed={ref: failed}))
        tx.execute(
            "UPDATE continuity_knowledge_state SET value = ?, digest = ? WHERE project = ?",
            (content, digest_bytes(content), project),
        )


def failures(knowledge: Knowledge) -> dict[str, Any]:
    return {entry["item"]: entry["attempts"] for entry in knowledge.request("status")["failed"]}


def test_a_file_name_that_is_not_utf_8_fails_alone(make_knowledge: Make) -> None:
    knowledge = make_knowledge(TWO)
    commit_raw_path(knowledge, "company/adrs/bad\\377.md", item("Odd", id="odd"))
    refused = knowledge.error("sync")
    assert refused.data["failedItems"] == [{"item": "company/adrs/bad�.md", "problem": "Its name is not UTF-8."}]
    assert refused.data["done"]["counts"] == {"added": 2}
    assert len(knowledge.files()) == 2
    assert failures(knowledge) == {"company/adrs/bad�.md": 1}


@pytest.mark.parametrize("first", [{"mode": "full"}, {"mode": "single", "item": "company:adr-1"}])
def test_a_pointer_edited_to_name_another_item_does_not_block_a_sync(
    make_knowledge: Make, first: dict[str, Any]
) -> None:
    knowledge = make_knowledge(TWO)
    knowledge.request("sync", mode="full")
    path = knowledge.pointer("adr-1")
    path.write_text(path.read_text().replace("company:adr-1", "company:pol-1"))
    conflicts = {(conflict["type"], conflict["item"]) for conflict in knowledge.request("conflicts")["conflicts"]}
    assert ("missing_pointer", "company:adr-1") in conflicts
    assert knowledge.request("sync", **first)["counts"]["added"] == 1
    knowledge.request("sync", mode="full")
    after = knowledge.request("plan")
    assert (after["operations"], after["conflicts"]) == ([], [])
    assert set(knowledge.memories()) == {"[ADR] Use PostgreSQL", "[POLICY] Logs hold no secret"}


def test_a_single_items_sync_does_not_change_other_failures(make_knowledge: Make) -> None:
    knowledge = make_knowledge({**TWO, "company/specs/s.md": BROKEN})
    for times in (1, 2):
        assert knowledge.error("sync").data["code"] == "PARTIAL_FAILURE"
        assert failures(knowledge) == {"company/specs/s.md": times}
    knowledge.repository.commit({"company/specs/t.md": item("Another")})
    for name in ("adr-1", "t"):  # one that was synced, and one that only a look at everything finds
        knowledge.request("sync", mode="single", item=name)
        assert failures(knowledge) == {"company/specs/s.md": 2}
    knowledge.pointer("pol-1").unlink()
    knowledge.request("resolve")
    assert failures(knowledge) == {"company/specs/s.md": 2}


def test_a_pointer_that_cannot_be_written_never_quarantines_its_item(make_knowledge: Make) -> None:
    knowledge = make_knowledge(TWO)
    knowledge.request("sync")
    in_the_way = knowledge.pointer("adr-1")
    in_the_way.unlink()
    in_the_way.mkdir()
    for _ in range(6):
        assert knowledge.error("sync").data["code"] == "PARTIAL_FAILURE"
    assert knowledge.request("status")["inSync"] is False
    in_the_way.rmdir()
    done = knowledge.request("sync")
    assert (done["counts"]["added"], done["complete"]) == (1, True)
    assert failures(knowledge) == {}


@pytest.mark.parametrize("request_params", [{"mode": "full"}, {"force": True}])
def test_a_full_or_forced_sync_tries_a_parked_file_again(make_knowledge: Make, request_params: Any) -> None:
    knowledge = make_knowledge({ADR: item("Fine"), "company/specs/s.md": BROKEN})
    for _ in range(5):
        knowledge.error("sync")
    parked = knowledge.request("sync")
    assert (parked["complete"], failures(knowledge)) == (False, {"company/specs/s.md": 6})
    assert knowledge.error("sync", **request_params).data["code"] == "PARTIAL_FAILURE"
    knowledge.repository.commit({"company/specs/s.md": item("Repaired")})
    assert knowledge.request("sync", **request_params)["counts"]["added"] == 1
    assert (failures(knowledge), knowledge.request("status")["inSync"]) == ({}, True)


@pytest.mark.parametrize(
    ("method", "params"), [("sync", {"mode": "full"}), ("sync", {"force": True}), ("resolve", {})], ids=str
)
def test_a_parked_item_is_written_again_on_request(make_knowledge: Make, method: str, params: Any) -> None:
    """An item that became readable, with the content that failed: only a request tries it again."""
    knowledge = make_knowledge(TWO)
    knowledge.request("sync")
    park(knowledge, "company:adr-1")
    knowledge.pointer("adr-1").unlink()
    assert knowledge.request("sync")["counts"].get("added", 0) == 0
    assert len(knowledge.files()) == 1
    knowledge.request(method, **params)
    assert len(knowledge.files()) == 2


def test_the_deletion_guard_looks_at_the_whole_plan(make_knowledge: Make) -> None:
    paths = [f"company/adrs/a{number}.md" for number in range(20)]
    knowledge = make_knowledge({path: item(path) for path in paths})
    knowledge.request("sync")
    knowledge.repository.git("rm", "--quiet", *paths[:15])
    knowledge.repository.commit({"company/adrs/b.md": item("b")})
    assert knowledge.request("plan", maxItems=2)["needsForce"] is True
    assert knowledge.error("sync", maxItems=2).data["code"] == "DELETION_STOPPED"
    assert knowledge.request("sync", maxItems=2, force=True)["counts"]["deleted"] <= 2


def test_the_default_sync_notices_changed_scopes_and_pointers_changed_by_hand(make_knowledge: Make) -> None:
    knowledge = make_knowledge({**TWO, "teams/web/adrs/adr-9.md": item("Web")})
    knowledge.set(scopes=["company"])
    knowledge.request("sync")
    knowledge.set(scopes=["company", "teams/*"])
    assert knowledge.request("sync")["counts"]["added"] == 1
    assert knowledge.request("sync")["mode"] == "incremental"
    edited = knowledge.pointer("adr-1")
    edited.write_text(edited.read_text(encoding="utf-8").replace("[ADR]", "[OLD]"), encoding="utf-8")
    assert knowledge.request("status")["inSync"] is False
    done = knowledge.request("sync")
    assert (done["mode"], done["counts"]["updated"], done["complete"]) == ("incremental", 1, True)
    edited.unlink()
    assert knowledge.request("sync")["counts"]["added"] == 1


def test_readmes_manifests_hidden_files_links_submodules_and_lfs_pointers_are_not_items(
    make_knowledge: Make, make_repository: Callable[..., Repository]
) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12\n"
    others = {f"company/adrs/{name}": item("No item") for name in ("README.md", "manifest.json", "notes.txt", ".x.md")}
    knowledge = make_knowledge({**TWO, **others, "company/adrs/large.md": pointer})
    (knowledge.repository.path / "company/adrs/link.md").symlink_to("adr-1.md")
    knowledge.repository.commit()
    inner = make_repository({"adrs/inner.md": item("Inner"), "specs/inner.md": item("Inner")}, name="inner")
    knowledge.repository.add_submodule(inner, "teams/web")
    knowledge.set(scopes=["teams/*"])
    done = knowledge.request("sync")
    assert (done["delta"]["added"], done["warnings"]) == (["company:adr-1", "company:pol-1"], [])
    knowledge.repository.commit({ADR: pointer})
    assert knowledge.request("sync")["delta"]["deleted"] == ["company:adr-1"]


def test_an_item_is_found_up_to_four_folders_below_its_type_and_a_deeper_one_reported(make_knowledge: Make) -> None:
    deep = {
        f"company/adrs/{folders}/{name}.md": item(name) for folders, name in (("a/b/c/d", "in"), ("a/b/c/d/e", "out"))
    }
    knowledge = make_knowledge({**TWO, **deep})
    too_deep = {"item": "company/adrs/a/b/c/d/e/out.md", "problem": "It is more than 4 folders below `adrs/`."}
    failure = knowledge.error("sync").data
    assert (failure["failedItems"], failure["done"]["counts"]) == ([too_deep], {"added": 3})


@pytest.mark.parametrize(("pointers", "deleted", "needs_force"), [(20, 10, False), (20, 11, True), (19, 19, False)])
def test_more_than_half_of_twenty_pointers_are_deleted_only_with_force(
    make_knowledge: Make, pointers: int, deleted: int, needs_force: bool
) -> None:
    names = [f"company/adrs/a{number:02}.md" for number in range(pointers)]
    knowledge = make_knowledge({name: item("An item") for name in names})
    knowledge.request("sync")
    knowledge.repository.git("rm", "--quiet", *names[:deleted])
    knowledge.repository.commit()
    assert knowledge.request("plan")["needsForce"] is needs_force
    if needs_force:
        refused = knowledge.error("sync")
        assert (refused.data["code"], refused.data["retryable"]) == ("DELETION_STOPPED", False)
        assert len(knowledge.files()) == pointers
    assert knowledge.request("sync", force=needs_force)["counts"]["deleted"] == deleted


def test_every_line_of_a_pointer_has_a_length_limit(make_knowledge: Make) -> None:
    rule = f"- {{severity: block, message: {'rule ' * 200}}}\n"
    knowledge = make_knowledge({ADR: item("title " * 100, summary="summary " * 200, constraints=rule)})
    knowledge.request("sync")
    ((title, pointer),) = knowledge.memories().items()
    summary, blocking, reference = pointer["text"].split("\n\n")
    assert len(title) <= 120
    assert len(summary) <= len("Summary: ") + 280
    assert len(blocking) <= len("Blocking: ") + 160
    assert reference == "Reference: company:adr-1"


@pytest.mark.parametrize(("writes", "is_synced"), [(1, True), (2, False)])
def test_a_pointer_that_memory_writes_to_during_a_sync_is_read_again_once(
    make_knowledge: Make, monkeypatch: pytest.MonkeyPatch, writes: int, is_synced: bool
) -> None:
    knowledge = make_knowledge(TWO)
    first = knowledge.request("sync")
    pointer = knowledge.pointer("pol-1")
    apply, counts = PointerFiles.apply, iter(range(1, writes + 1))

    def apply_after_an_access(files: PointerFiles, changes: list[MemoryFileChange]) -> Any:
        if count := next(counts, 0):
            content = pointer.read_text(encoding="utf-8")
            pointer.write_text(content.replace(f"access_count: {count - 1}", f"access_count: {count}"), "utf-8")
        return apply(files, changes)

    monkeypatch.setattr(PointerFiles, "apply", apply_after_an_access)
    knowledge.repository.commit({POLICY: item("Logs hold no token")})
    if is_synced:
        assert knowledge.request("sync")["counts"]["updated"] == 1
        content = pointer.read_text(encoding="utf-8")
        assert "Logs hold no token" in content
        assert "access_count: 1" in content
        rolled_back = knowledge.request("rollback", checkpointId=first["checkpointId"])
        assert rolled_back["skipped"] == []
    else:
        (failed,) = knowledge.error("sync").data["failedItems"]
        assert failed["problem"] == "The memory file has changed since it was read."


def test_a_scope_whose_folder_has_a_space_is_reported_by_a_sync(make_knowledge: Make) -> None:
    path = "teams/web app/adrs/a.md"
    knowledge = make_knowledge({"company/adrs/b.md": item("Fine"), path: item("Lost")}, scopes=["teams/*"])
    assert [failed["item"] for failed in knowledge.error("sync").data["failedItems"]] == [path]
    assert knowledge.request("status")["failed"][0]["problem"].startswith("The name of its scope's folder")


def test_a_rollback_counts_a_removed_pointer_once_and_as_not_restored(make_knowledge: Callable[..., Knowledge]) -> None:
    knowledge = make_knowledge({"company/adrs/adr-1.md": item("One writer")})
    first = knowledge.request("sync")["checkpointId"]
    knowledge.repository.commit({"company/adrs/adr-1.md": item("Two writers")})
    knowledge.request("sync")
    knowledge.pointer("adr-1").unlink()
    rolled_back = knowledge.request("rollback", checkpointId=first)
    assert (rolled_back["restored"], len(rolled_back["skipped"])) == (0, 1)

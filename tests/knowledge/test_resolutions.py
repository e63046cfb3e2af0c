"""Configured resolutions of conflicts: by type, by type and item; a call's own choice comes first."""

from collections.abc import Callable

from sidecar.settings import problem_with
from tests.support.cases import together
from tests.support.knowledge_project import Knowledge, item

Make = Callable[..., Knowledge]

FILES = {f"company/adrs/{name}.md": item(f"Title {name}") for name in ("a", "b", "c")}


def edit_pointers(knowledge: Knowledge) -> dict[str, str]:
    """Edits every pointer by hand, and gives the files."""
    for name in ("a-", "b-", "c-"):
        path = knowledge.pointer(f"company-{name}")
        path.write_text(path.read_text() + "\nBy hand.\n")
    return knowledge.files()


def changed_items(knowledge: Knowledge, before: dict[str, str]) -> list[str]:
    return [name.split("-")[1] for name, text in knowledge.files().items() if before.get(name) != text]


def test_configured_resolutions_apply_by_item_before_type(make_knowledge: Make) -> None:
    rows = ["hash_mismatch=keep_memory", "hash_mismatch@company:b=update_memory", "orphaned_pointer=manual"]
    knowledge = make_knowledge(FILES, resolutions=rows)
    knowledge.request("sync")
    before = edit_pointers(knowledge)
    resolutions = {conflict["item"]: conflict["resolution"] for conflict in knowledge.request("conflicts")["conflicts"]}
    assert resolutions == {"company:a": "keep_memory", "company:b": "update_memory", "company:c": "keep_memory"}
    knowledge.request("sync", mode="full")
    assert changed_items(knowledge, before) == ["b"]
    knowledge.pointer("company-c-").unlink()
    assert [
        conflict["resolution"]
        for conflict in knowledge.request("conflicts")["conflicts"]
        if conflict["item"] == "company:c"
    ] == ["update_memory"]


def test_a_pointer_that_an_editor_saved_with_windows_line_ends_is_in_sync(make_knowledge: Make) -> None:
    knowledge = make_knowledge(FILES)
    knowledge.request("sync")
    path = knowledge.pointer("company-a-")
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\r\n".join([*lines, b""]))
    assert knowledge.request("conflicts")["conflicts"] == []
    path.write_bytes(b"\r\n".join([*lines, b"By hand.", b""]))
    assert [conflict["item"] for conflict in knowledge.request("conflicts")["conflicts"]] == ["company:a"]
    knowledge.request("sync", mode="full")
    assert knowledge.request("status")["conflicts"] == {}
    assert path.read_bytes().splitlines()[-1] != b"By hand."


def test_a_manual_conflict_stays_listed_and_is_not_resolved(make_knowledge: Make) -> None:
    knowledge = make_knowledge(FILES, resolutions=["hash_mismatch@company:a=manual"])
    knowledge.request("sync")
    before = edit_pointers(knowledge)
    knowledge.request("sync", mode="full")
    assert changed_items(knowledge, before) == ["b", "c"]
    (left,) = knowledge.request("conflicts")["conflicts"]
    assert (left["item"], left["resolution"], left["suggestedResolution"]) == ("company:a", "manual", "update_memory")
    assert knowledge.request("status")["conflicts"] == {"hash_mismatch": 1}


def test_a_requested_resolution_wins_over_the_configured_one(make_knowledge: Make) -> None:
    knowledge = make_knowledge(FILES, resolutions=["hash_mismatch=manual"])
    knowledge.request("sync")
    before = edit_pointers(knowledge)
    choice = {"type": "hash_mismatch", "item": "company:a", "resolution": "update_memory"}
    knowledge.request("sync", mode="full", resolutions=[choice])
    assert changed_items(knowledge, before) == ["a"]
    knowledge.request("resolve", type="hash_mismatch", item="company:b", resolution="update_memory")
    assert changed_items(knowledge, before) == ["a", "b"]


def test_resolve_without_a_resolution_uses_the_configured_one(make_knowledge: Make) -> None:
    knowledge = make_knowledge(FILES, resolutions=["hash_mismatch@company:c=keep_memory"])
    knowledge.request("sync")
    before = edit_pointers(knowledge)
    knowledge.request("resolve")
    assert changed_items(knowledge, before) == ["a", "b"]


@together("row", ["hash_mismatch", "=manual", "hash mismatch=manual", "a=b=c", 7, ""])
def test_an_invalid_resolution_setting_is_refused(row: object) -> None:
    assert "like hash_mismatch=keep_memory" in str(problem_with("knowledge.resolutions", [row]))
    assert problem_with("knowledge.resolutions", ["hash_mismatch=keep_memory"]) is None


def test_resolving_tries_parked_items_again_and_names_them_by_path_or_usual_id(make_knowledge: Make) -> None:
    broken, other = "company/adrs/broken.md", "company/adrs/other.md"
    knowledge = make_knowledge({**FILES, broken: "---\ntype: nope\n---\n", other: "---\ntype: nope\n---\n"})
    for _ in range(5):
        knowledge.error("sync")
    assert not knowledge.request("sync")["complete"]
    for params, names in (
        ({}, [broken, other]),
        ({"item": broken}, [broken]),
        ({"item": "company:broken"}, [broken]),
        ({"item": "other"}, [other]),
    ):
        failed = knowledge.error("resolve", **params)
        assert [entry["item"] for entry in failed.data["failedItems"]] == names
    assert knowledge.request("resolve", type="hash_mismatch")["counts"]["added"] == 0
    knowledge.repository.commit({broken: item("Repaired")})
    assert knowledge.request("resolve", item=broken)["counts"]["added"] == 1
    assert [entry["item"] for entry in knowledge.request("status")["failed"]] == [other]
    knowledge.repository.commit({other: item("Repaired too")})
    assert knowledge.request("resolve")["counts"]["added"] == 1
    assert knowledge.request("status")["failed"] == []

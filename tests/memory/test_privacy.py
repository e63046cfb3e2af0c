"""An agent reaches its own and the shared memories by no means any other."""

import json
from pathlib import Path

import pytest

from sidecar.memory import AGENTS, revoke
from tests.support.memory_project import Memories

SECRET = "The architect thinks of leaving Postgres."


@pytest.fixture
def private(memories: Memories) -> str:
    """The id of a private memory of the architect's, beside a shared one."""
    memories.add("All know this.")
    return str(memories.as_agent("architect").add(SECRET, owner="architect")["id"])


@pytest.mark.usefixtures("private")
def test_an_agent_reaches_only_its_own_and_shared_memories(memories: Memories) -> None:
    assert [memory["owner"] for memory in memories.as_agent("architect").ask("list")["memories"]] == [
        "architect",
        "shared",
    ]
    for stranger in (memories, *(memories.as_agent(agent) for agent in AGENTS if agent != "architect")):
        assert [memory["owner"] for memory in stranger.ask("list")["memories"]] == ["shared"]
        assert stranger.ask("list", owner="architect") == {"memories": [], "total": 0}


@pytest.mark.parametrize("method", ["get", "update", "delete", "restore"])
def test_a_private_id_gets_the_same_error_as_a_missing_one(memories: Memories, private: str, method: str) -> None:
    before = (memories.folder / "architect").rglob("*.md")
    contents = {path: path.read_bytes() for path in before}
    dev = memories.as_agent("dev")
    private_error, unknown = dev.refused(method, id=private), dev.refused(method, id="mem-2026-03-01-999")
    assert (private_error.code, private_error.message, private_error.data) == (
        unknown.code,
        unknown.message,
        unknown.data,
    )
    assert {path: path.read_bytes() for path in contents} == contents


@pytest.mark.usefixtures("private")
def test_counts_and_warnings_reveal_nothing_about_other_agents(memories: Memories) -> None:
    memories.ask("list")
    before = memories.as_agent("dev").ask("status")
    memories.as_agent("architect").add("Another one.", owner="architect")
    memories.write("architect/durable/damaged.md", "---\nid: [\n---\n" + SECRET)
    (memories.folder / "architect/durable/a link").symlink_to(memories.project)
    after = memories.as_agent("dev").ask("status")
    assert after == before
    own = memories.as_agent("architect").ask("status")
    counts = {(row["owner"], row["retention"]): row["memories"] for row in own["counts"]}
    assert counts == {("architect", "daily"): 2, ("shared", "durable"): 1}
    assert len(own["warnings"]) == 2
    assert memories.as_agent("dev").ask("rebuild") == {"files": 1, "warnings": []}


def test_a_link_to_a_private_memory_is_returned_to_its_agent_only(memories: Memories) -> None:
    own = memories.as_agent("architect").add("The port is 3000.", owner="architect")["id"]
    shared = memories.add("The port is 4000.")
    path = memories.project / shared["path"]
    path.write_text(path.read_text().replace("type:", f"contradicts: [{own}, mem-gone]\nsupersedes: [{own}]\ntype:", 1))

    def links(asker: Memories) -> tuple[list[str], list[str]]:
        linked = asker.ask("get", id=shared["id"])
        return linked["contradicts"], linked["supersedes"]

    assert links(memories.as_agent("architect")) == ([own], [own])
    assert links(memories.as_agent("dev")) == links(memories) == ([], [])
    assert own in path.read_text()


def test_only_its_agent_writes_a_private_memory(memories: Memories) -> None:
    assert memories.refused("add", text="x", owner="architect").data["kind"] == "policyDenied"
    assert memories.as_agent("dev").refused("add", text="x", owner="architect").data["kind"] == "policyDenied"
    assert memories.as_agent("dev").add("x", owner="dev")["agent"] == "dev"


def test_the_folder_determines_the_owner_regardless_of_front_matter(memories: Memories) -> None:
    memories.write("architect/durable/x.md", "---\nid: mem-1\nagent: dev\nowner: shared\n---\n# X\n")
    assert memories.as_agent("dev").ids() == []
    assert memories.as_agent("architect").ids() == ["mem-1"]


def test_of_two_memories_with_the_same_id_the_one_within_reach_is_returned(memories: Memories, private: str) -> None:
    memories.write("shared/durable/same.md", f"---\nid: {private}\n---\n# Shared\n")
    assert memories.as_agent("dev").ask("get", id=private)["title"] == "Shared"
    assert memories.as_agent("dev").ask("status")["warnings"] == []
    assert [memory["warning"] for memory in memories.as_agent("architect").ask("status")["warnings"]] == [
        f"Another memory also has the id {private}.", f"Another memory also has the id {private}.",
    ]  # fmt: skip


@pytest.mark.usefixtures("private")
def test_links_out_of_the_folder_or_into_another_agents_are_not_followed(memories: Memories, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("---\nid: mem-out\n---\n# Outside\n")
    shared = memories.folder / "shared" / "durable"
    (shared / "out.md").symlink_to(outside)
    (shared / "in.md").symlink_to(next((memories.folder / "architect").rglob("*.md")))
    (shared / "folder").symlink_to(memories.folder / "architect" / "durable")
    (memories.folder / "ux").symlink_to(memories.folder / "architect")
    dev = memories.as_agent("dev")
    assert [memory["title"] for memory in dev.ask("list")["memories"]] == ["All know this."]
    assert len(dev.ask("status")["warnings"]) == 3
    assert memories.as_agent("ux").ids() == dev.ids()
    assert memories.as_agent("ux").refused("add", text="x", owner="ux").data["kind"] == "policyDenied"


def test_a_token_is_valid_in_its_project_until_its_agent_is_deactivated(memories: Memories, tmp_path: Path) -> None:
    dev = memories.as_agent("dev")
    other = tmp_path / "other"
    other.mkdir()
    assert dev.refused("list", cwd=str(other)).data["kind"] == "policyDenied"
    process = memories.sidecar.app.process
    assert process is not None
    with process.database.write() as tx:
        revoke(tx, dev.index().project, "architect")
    assert dev.ids() == []
    with process.database.write() as tx:
        revoke(tx, dev.index().project)
    assert dev.refused("list").data["kind"] == "policyDenied"
    assert memories.refused("list", token="made up").message == dev.refused("list").message


def test_the_state_file_contains_no_token(memories: Memories) -> None:
    dev = memories.as_agent("dev")
    dev.add("x")
    stored = json.dumps(memories.rows("SELECT token_hash, agent FROM continuity_memory_tokens"))
    assert str(dev.token) not in stored


@pytest.mark.parametrize("name", ["../dev", "shared/../dev", "Dev", "root", "dev/..", "", "archive", "dev\x00"])
def test_an_unknown_owner_is_rejected(memories: Memories, name: str) -> None:
    assert memories.refused("add", text="x", owner=name).data["kind"] == "invalidParams"


def test_files_outside_the_layout_are_not_memories(memories: Memories) -> None:
    for path in ("root/durable/x.md", "shared/x.md", "x.md", "shared/other/x.md", "archive/x.md", "dev/durable/.x.md"):
        memories.write(path, "---\nid: mem-1\n---\n# X\n")
    assert memories.ask("list")["total"] == 0
    assert memories.as_agent("dev").ask("list", archived=None)["total"] == 0

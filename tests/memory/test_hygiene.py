"""Secrets in any field, restored memories, the index files, and what is reported of a memories folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
DAY_MS = 86_400_000


def warnings(memories: Memories) -> dict[str, str]:
    return {
        warning["path"].removeprefix(".chati/memories/"): warning["warning"]
        for warning in memories.ask("status")["warnings"]
    }


def test_secrets_are_masked_in_every_field_that_is_written_or_shown(memories: Memories) -> None:
    added = memories.add("Tills open at seven.", title=f"Opening {TOKEN}", tags=[TOKEN], author=TOKEN, sessionId=TOKEN)
    memories.ask("update", id=added["id"], tags=["hours", TOKEN])
    stored = "".join(path.read_text() for path in memories.folder.rglob("*") if path.is_file())
    assert TOKEN not in stored
    assert all(TOKEN not in path.name for path in memories.folder.rglob("*"))
    memories.write(
        f"shared/durable/{TOKEN}.md",
        f"---\nid: {TOKEN}\nauthor: {TOKEN}\nagent: {TOKEN}\nsession: {TOKEN}\ntags: [{TOKEN}]\ntype: {TOKEN}\n"
        f"supersedes: [{TOKEN}]\n---\n\n# Ovens {TOKEN}\n\nOvens close at five. {TOKEN}\n",
    )
    answers: list[Any] = [memories.ask("list"), memories.ask("search", query="ovens"), memories.ask("status")]
    answers += [memories.ask("get", id=memory["id"]) for memory in answers[0]["memories"]]
    assert len(answers[0]["memories"]) == 2
    assert TOKEN not in json.dumps(answers)
    assert TOKEN not in (memories.folder / "index.json").read_text()


def test_a_restored_memory_is_not_archived_again(memories: Memories) -> None:
    day = "2026-03-01"
    facts = "type=decision author=user at=2026-03-01T09:30:00Z"
    text = (
        f"# Digest\n\n## One\n<!-- id=mem-{day}-001 {facts} -->\n\nOne.\n\n## Two\n<!-- id=mem-{day}-002 {facts} -->\n"
    )
    memories.write(f"shared/daily/{day}/session-001-digest.md", text)
    memories.sidecar.clock.advance(31 * DAY_MS)
    memories.ask("maintain")
    assert memories.ids() == []
    memories.ask("restore", id=f"mem-{day}-001")
    for _ in range(3):
        memories.sidecar.clock.advance(200 * DAY_MS)
        memories.ask("maintain")
        assert sorted(memories.ids()) == [f"mem-{day}-001", f"mem-{day}-002"]


def test_the_index_file_lists_shared_memories_and_each_agents_are_in_its_own(memories: Memories) -> None:
    memories.add("Tills open at seven.", title="Opening")
    memories.as_agent("dev").add("Ovens close at five.", title="Ovens", owner="dev")
    shared, own = (json.loads((memories.folder / path).read_text()) for path in ("index.json", "dev/index.json"))
    assert [row["title"] for row in shared["memories"]] == ["Opening"]
    assert [row["title"] for row in own["memories"]] == ["Ovens"]
    (agent_id,) = memories.as_agent("dev").ids(owner="dev")
    memories.as_agent("dev").ask("delete", id=agent_id)
    assert json.loads((memories.folder / "dev/index.json").read_text())["memories"] == []
    assert not (memories.folder / "brief").exists()


def test_folders_of_unknown_owners_are_reported(memories: Memories) -> None:
    for path in ("marketing/durable/x.md", "shared/forever/x.md", "archive/marketing/durable/x.md"):
        memories.write(path, "# Nobody reads this\n\nText.\n")
    assert sorted(warnings(memories)) == ["archive/marketing/", "marketing/", "shared/forever/"]
    assert memories.ids() == []


@pytest.mark.parametrize(
    ("field", "warning"),
    [
        ("confidence: 7", "`confidence` is not between 0 and 1"),
        ("evidence_count: -1", "`evidence_count` is not between 0 and"),
        ("tier: lukewarm", "`tier` is not hot, warm or cold"),
        ("sector: musical", "`sector` is not one of"),
        (f"author: {'x' * 300}", "`author` has more than 200 characters"),
        (f"tags: [{'x' * 300}]", "`tags` has more than 50 items, or one of over 100 characters"),
    ],
)
def test_clamped_values_are_reported(memories: Memories, field: str, warning: str) -> None:
    memories.write("shared/durable/a.md", f"---\nid: mem-2026-03-01-001\n{field}\n---\n\n# A\n\nText.\n")
    assert warning in warnings(memories)["shared/durable/a.md"]


def test_an_id_that_two_files_share_is_reported(memories: Memories) -> None:
    for name in "ab":
        memories.write(f"shared/durable/{name}.md", f"---\nid: mem-2026-03-01-001\n---\n\n# {name}\n\nText.\n")
    assert sorted(warnings(memories)) == ["shared/durable/a.md", "shared/durable/b.md"]
    assert "also has the id mem-2026-03-01-001" in warnings(memories)["shared/durable/a.md"]


@pytest.mark.parametrize("method", ["list", "status", "proposals", "maintain", "rebuild"])
def test_a_missing_project_is_reported(sidecar: MemorySidecar, tmp_path: Path, method: str) -> None:
    refused = Memories(sidecar, tmp_path / "gone").refused(method)
    assert refused.data["kind"] == "workspaceUnavailable"
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize("text", ["<!-- TODO: later -->\nText", "## Heading\n\\## Other\n```\nopen", "a\r\nb"])
def test_a_text_is_returned_as_it_was_added(memories: Memories, text: str) -> None:
    added = memories.add(text, title="Use C#")
    assert (added["text"], added["title"]) == (text, "Use C#")
    memories.ask("rebuild")
    assert memories.ask("get", id=added["id"])["text"] == text

"""Memories through the RPC: kept as files a person can read, found again, private where they are private."""

from collections.abc import Callable
from typing import Any

from tests.support.client import Client
from tests.support.repositories import Repository

Ask = Callable[..., Any]


def asking(client: Client, project: Repository, **common: Any) -> Ask:
    return lambda method, **params: client.request(f"memory/{method}", {"cwd": str(project.path), **common, **params})


def test_a_memory_is_a_markdown_file_with_front_matter_that_is_shown_and_listed(
    client: Client, project: Repository
) -> None:
    ask = asking(client, project)
    added = ask("add", title="JWT, not sessions", text="A stateless API.", type="decision", tags=["auth", "jwt"])
    assert added["path"] == ".chati/memories/shared/durable/2026-03-01-jwt-not-sessions-001.md"
    assert (project.path / added["path"]).read_text() == (
        "---\nid: mem-2026-03-01-001\ntype: decision\ntags: [auth, jwt]\nconfidence: 0.7\nsector: episodic\n"
        "tier: warm\naccess_count: 0\nevidence_count: 1\ncreated_at: 2026-03-01T09:30:00Z\n---\n\n"
        "# JWT, not sessions\n\nA stateless API.\n"
    )
    assert ask("get", id=added["id"]) == added
    assert [one["id"] for one in ask("list")["memories"]] == ["mem-2026-03-01-001"]
    assert project.git("status", "--porcelain", "--ignored") == "!! .chati/"

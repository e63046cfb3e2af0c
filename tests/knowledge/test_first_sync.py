"""A small repository, synced end to end."""

from collections.abc import Callable

from tests.support.knowledge_project import Knowledge, item

FILES = {
    "README.md": "# Knowledge\n",
    "company/README.md": "# Company\n",
    "company/adrs/README.md": "# ADRs\n",
    "company/adrs/adr-001.md": item(
        "Use PostgreSQL",
        id="adr-001",
        status="accepted",
        tags="[storage]",
        constraints="- {severity: block, message: Every service stores in PostgreSQL}\n"
        "- {severity: warn, message: Prefer views}\n",
    ),
    "teams/web/policies/pol-1.md": item("No secrets in logs", summary="Logs hold no secret."),
    "teams/app/policies/pol-1.md": item("Other team"),
}


def test_a_first_sync_creates_pointers_and_a_second_has_nothing_to_do(
    make_knowledge: Callable[..., Knowledge],
) -> None:
    knowledge = make_knowledge(FILES, scopes=["teams/web"])
    planned = knowledge.request("plan")
    assert planned["delta"]["added"] == ["company:adr-001", "team/web:pol-1"]
    assert knowledge.files() == {}
    done = knowledge.request("sync", mode="full")
    assert (done["counts"]["added"], done["complete"]) == (2, True)
    memories = knowledge.memories()
    assert memories["[ADR] Use PostgreSQL"]["text"].split("\n\n") == [
        "Summary: We decided.",
        "Blocking: Every service stores in PostgreSQL",
        "Reference: company:adr-001",
    ]
    assert "[POLICY] No secrets in logs" in memories
    again = knowledge.request("sync", mode="full")
    assert again["operations"] == []
    assert again["conflicts"] == []
    assert again["delta"]["unchanged"] == ["company:adr-001", "team/web:pol-1"]
    assert knowledge.request("status")["inSync"] is True


def test_a_pointer_that_is_written_again_does_not_count_as_unchanged(make_knowledge: Callable[..., Knowledge]) -> None:
    knowledge = make_knowledge(FILES, scopes=["teams/web"])
    assert knowledge.request("sync")["counts"]["unchanged"] == 0
    knowledge.pointer("adr-001").unlink()
    counts = knowledge.request("sync", mode="full")["counts"]
    assert counts == {"added": 1, "updated": 0, "deleted": 0, "orphaned": 0, "unchanged": 1}

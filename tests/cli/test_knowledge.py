"""The knowledge command: each verb runs its method and tells the answer."""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from sidecar.cli import main
from tests.support.knowledge import Knowledge, item


def test_a_project_is_planned_synced_explained_and_rolled_back(
    make_knowledge: Callable[..., Knowledge], state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    knowledge = make_knowledge({"company/adrs/adr-1.md": item("Use PostgreSQL")})
    knowledge.sidecar.close()

    def told(*arguments: str, status: int = 0) -> str:
        where = ("--project", str(knowledge.project), "--state-dir", str(state_dir))
        assert main.run(["knowledge", *arguments, *where]) == status
        out = capsys.readouterr()
        return out.out + (out.err if status else "")

    assert told("plan", "--full").split() == ["create", "company:adr-1", "The", "item", "is", "new."]
    assert "1 added" in told("sync")
    assert "Nothing to do." in told("sync", "--item", "adr-1", "--dry-run")
    path = knowledge.pointer("adr-1")
    path.write_text(path.read_text() + "\nBy hand.\n")
    assert "hash_mismatch" in told("conflicts")
    assert "company:adr-1: company/adrs/adr-1.md, active" in told("explain", "adr-1")
    assert "1 updated" in told("resolve", "--type", "hash_mismatch")
    status = told("status")
    assert "in sync" in status
    first = [line.split()[1] for line in status.splitlines() if line.startswith("checkpoint")][-1]
    assert '"restored":' in told("rollback", first, "--json")
    assert "notFound" in told("explain", "nobody", status=3)
    knowledge.repository.commit({"company/adrs/bad.md": "---\nno: [end\n---\n"})
    assert "warning: company/adrs/bad.md: It cannot be read" in told("plan")
    assert "failed: company/adrs/bad.md: It cannot be read" in told("sync", status=1)
    assert orjson.loads(told("sync", "--json", status=1))["error"]["data"]["code"] == "PARTIAL_FAILURE"
    assert "not in sync" in told("status")

"""The sync is looked over: what is well, what is not, and what to do; nothing is changed by looking."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli import main
from sidecar.knowledge import store
from sidecar.knowledge.sync import sync_lock
from tests.support.knowledge import Knowledge, item

Make = Callable[..., Knowledge]

ADR, BROKEN = "company/adrs/adr-1.md", "company/adrs/broken.md"


def found(knowledge: Knowledge, level: str) -> dict[str, str]:
    """Gives what the checks of a level say, by their names."""
    told = knowledge.ask("doctor")
    assert told["healthy"] == all(one["level"] != "error" for one in told["checks"])
    assert all(one["hint"] for one in told["checks"] if one["level"] == "warning")
    return {one["name"]: one["message"] for one in told["checks"] if one["level"] == level}


def test_a_healthy_sync_has_no_warnings(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Use PostgreSQL")})
    knowledge.ask("sync")
    assert (found(knowledge, "error"), found(knowledge, "warning")) == ({}, {})
    well = found(knowledge, "ok")
    assert well["pointers"] == "Memory agrees with the repository; pointers: 1."
    assert well["items"] == "Items: 1 of company."
    assert well["lock"] == "No sync is running."


def test_a_missing_repository_setting_is_a_warning(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Fine")})
    knowledge.set(repository=None)
    assert found(knowledge, "warning") == {"repository": "No knowledge repository is configured."}


def test_unreadable_files_scopes_and_repositories_are_reported(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Fine"), BROKEN: "---\nno: [end\n---\n"}, scopes=["teams/nobody"])
    assert found(knowledge, "error")["items"].startswith(f"{BROKEN}: It cannot be read")
    assert found(knowledge, "warning")["scopes"] == "`teams/nobody` matches no scope of the repository."
    assert found(knowledge, "warning")["pointers"] == "Memory differs from the repository; operations to do: 1."
    knowledge.set(repository="/nowhere/at/all")
    assert "cannot be opened" in found(knowledge, "error")["repository"]


def test_invalid_resolutions_and_open_conflicts_are_reported(make_knowledge: Make) -> None:
    rows = ["hash_mismatch=manual", "hash_mismatch=delete_memory", "no_such_thing=manual"]
    knowledge = make_knowledge({ADR: item("Fine")}, resolutions=rows)
    knowledge.ask("sync")
    path = knowledge.pointer("adr-1")
    path.write_text(path.read_text() + "\nBy hand.\n")
    told = found(knowledge, "error")["resolutions"]
    assert told == "These rows do not fit any conflict: hash_mismatch=delete_memory, no_such_thing=manual."
    assert found(knowledge, "warning")["conflicts"] == "For you to decide: hash_mismatch of company:adr-1."


def test_running_and_interrupted_syncs_are_reported(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Fine")})
    process = knowledge.sidecar.app.process
    assert process is not None
    project = process.workspaces.get(str(knowledge.project), None).project_key
    with process.database.write() as tx:
        store.create_checkpoint(tx, project, "cut-short", "full", 0)
    with sync_lock(process.state_dir, project):
        assert found(knowledge, "warning").keys() >= {"lock", "journal"}
    knowledge.ask("sync")
    assert not found(knowledge, "warning").keys() & {"lock", "journal"}


def test_a_damaged_state_is_reported_until_a_sync_sets_it_aside(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Fine")})
    knowledge.ask("sync")
    process = knowledge.sidecar.app.process
    assert process is not None
    with sqlite3.connect(process.database.path) as db:
        db.execute("UPDATE continuity_knowledge_state SET value = '{'")
    for _ in range(2):
        assert found(knowledge, "error")["state"] == "The sync's state is damaged."
    assert knowledge.refused("sync").data["code"] == "STATE_CORRUPTED"
    knowledge.ask("sync")
    assert found(knowledge, "error") == {}


def test_a_sync_that_would_delete_most_pointers_is_an_error(make_knowledge: Make) -> None:
    knowledge = make_knowledge({f"company/adrs/a{number:02}.md": item(f"A {number}") for number in range(24)})
    knowledge.ask("sync")
    knowledge.repository.git("rm", "--quiet", *[f"company/adrs/a{number:02}.md" for number in range(20)])
    knowledge.repository.commit()
    assert found(knowledge, "error")["pointers"] == "A sync would delete 20 of 24 pointers, so it stops."


def test_a_quarantined_item_is_reported(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Fine"), BROKEN: "---\nno: [end\n---\n"})
    for _ in range(5):
        knowledge.refused("sync")
    assert BROKEN in found(knowledge, "warning")["state"]


def test_the_doctor_command_prints_the_checks_and_exits_with_1_on_errors(
    make_knowledge: Make, state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    knowledge = make_knowledge({ADR: item("Fine")})
    knowledge.sidecar.close()

    def told(status: int) -> Any:
        where = ["--project", str(knowledge.project), "--state-dir", str(state_dir)]
        assert main.run(["knowledge", "doctor", *where]) == status
        return capsys.readouterr().out

    assert (
        "warning pointers     Memory differs from the repository; operations to do: 1. Use `knowledge sync`." in told(0)
    )
    knowledge.repository.commit({BROKEN: "---\nno: [end\n---\n"})
    assert f"error   items        {BROKEN}: It cannot be read" in told(1)

"""The sync is looked over: what is well, what is not, and what to do; nothing is changed by looking."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli import run
from sidecar.knowledge import sync_lock
from tests.support.knowledge_project import Knowledge, item

Make = Callable[..., Knowledge]

ADR, BROKEN = "company/adrs/adr-1.md", "company/adrs/broken.md"


def checks(knowledge: Knowledge, level: str) -> dict[str, str]:
    """Return the messages of the checks at a level, by the check's name."""
    answer = knowledge.request("doctor")
    assert answer["healthy"] == all(check["level"] != "error" for check in answer["checks"])
    assert all(check["hint"] for check in answer["checks"] if check["level"] == "warning")
    return {check["name"]: check["message"] for check in answer["checks"] if check["level"] == level}


def test_a_healthy_sync_has_no_warnings(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Use PostgreSQL")})
    knowledge.request("sync")
    assert (checks(knowledge, "error"), checks(knowledge, "warning")) == ({}, {})
    well = checks(knowledge, "ok")
    assert well["pointers"] == "Memory agrees with the repository; pointers: 1."
    assert well["items"] == "Items: 1 of company."
    assert well["lock"] == "No sync is running."


def test_a_missing_repository_setting_is_a_warning(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Fine")})
    knowledge.set(repository=None)
    assert checks(knowledge, "warning") == {"repository": "No knowledge repository is configured."}


def test_unreadable_files_scopes_and_repositories_are_reported(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Fine"), BROKEN: "---\nno: [end\n---\n"}, scopes=["teams/nobody"])
    assert checks(knowledge, "error")["items"].startswith(f"{BROKEN}: It cannot be read")
    assert checks(knowledge, "warning")["scopes"] == "`teams/nobody` matches no scope of the repository."
    assert checks(knowledge, "warning")["pointers"] == "Memory differs from the repository; operations to do: 1."
    knowledge.set(repository="/nowhere/at/all")
    assert "cannot be opened" in checks(knowledge, "error")["repository"]


def test_scopes_of_the_repository_that_are_not_in_use_are_named(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Fine"), "teams/api/adrs/adr-2.md": item("Ours")}, scopes=["company"])
    assert checks(knowledge, "ok")["scopes"] == "Not in use: teams/api."


def test_invalid_resolutions_and_open_conflicts_are_reported(make_knowledge: Make) -> None:
    rows = ["hash_mismatch=manual", "hash_mismatch=delete_memory", "no_such_thing=manual"]
    knowledge = make_knowledge({ADR: item("Fine")}, resolutions=rows)
    knowledge.request("sync")
    path = knowledge.pointer("adr-1")
    path.write_text(path.read_text() + "\nBy hand.\n")
    message = checks(knowledge, "error")["resolutions"]
    rows = "hash_mismatch=delete_memory, no_such_thing=manual"
    assert message == f"These entries of `knowledge.resolutions` match no conflict: {rows}."
    assert checks(knowledge, "warning")["conflicts"] == "For you to decide: hash_mismatch of company:adr-1."


def test_running_and_interrupted_syncs_are_reported(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Fine")})
    process = knowledge.sidecar.app.process
    assert process is not None
    project = process.workspaces.get(str(knowledge.project), None).project_key
    with process.database.write() as tx:
        tx.execute(
            "INSERT INTO continuity_knowledge_checkpoints (project, checkpoint_id, at_ms, kind, status, reason)"
            " VALUES (?, 'cut-short', 0, 'full', 'running', '')",
            (project,),
        )
    with sync_lock(process.database, project):
        assert checks(knowledge, "warning").keys() >= {"lock", "journal"}
    knowledge.request("sync")
    assert not checks(knowledge, "warning").keys() & {"lock", "journal"}


def test_a_damaged_state_is_reported_until_a_sync_sets_it_aside(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Fine")})
    knowledge.request("sync")
    process = knowledge.sidecar.app.process
    assert process is not None
    with sqlite3.connect(process.database.path) as db:
        db.execute("UPDATE continuity_knowledge_state SET value = '{'")
    for _ in range(2):
        assert checks(knowledge, "error")["state"] == "The sync's state is damaged."
    assert knowledge.error("sync").data["code"] == "STATE_CORRUPTED"
    knowledge.request("sync")
    assert checks(knowledge, "error") == {}


def test_a_sync_that_would_delete_most_pointers_is_an_error(make_knowledge: Make) -> None:
    knowledge = make_knowledge({f"company/adrs/a{number:02}.md": item(f"A {number}") for number in range(24)})
    knowledge.request("sync")
    knowledge.repository.git("rm", "--quiet", *[f"company/adrs/a{number:02}.md" for number in range(20)])
    knowledge.repository.commit()
    assert checks(knowledge, "error")["pointers"] == "A sync would delete 20 of 24 pointers, so it stops."


def test_a_quarantined_item_is_reported(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Fine"), BROKEN: "---\nno: [end\n---\n"})
    for _ in range(5):
        knowledge.error("sync")
    assert BROKEN in checks(knowledge, "warning")["state"]


def test_the_doctor_command_prints_the_checks_and_exits_with_1_on_errors(
    make_knowledge: Make, state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    knowledge = make_knowledge({ADR: item("Fine")})
    knowledge.sidecar.close()

    def output(status: int) -> Any:
        where = ["--project", str(knowledge.project), "--state-dir", str(state_dir)]
        assert run(["knowledge", "doctor", *where]) == status
        return capsys.readouterr().out

    assert (
        "warning pointers     Memory differs from the repository; operations to do: 1. Use `knowledge sync`."
        in output(0)
    )
    knowledge.repository.commit({BROKEN: "---\nno: [end\n---\n"})
    assert f"error   items        {BROKEN}: It cannot be read" in output(1)

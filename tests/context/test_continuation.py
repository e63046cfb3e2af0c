"""`context/continuation`: every restart criterion by itself, the file a new session continues from, the six IDEs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.context.chati_project import SESSION
from tests.support.client import Client
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

LATEST = ".chati/continuation/latest.md"


@pytest.fixture
def continuation(client: Client, chati: Repository) -> Callable[..., Any]:
    """Return a function that requests `context/continuation` for the project."""

    client.request("settings/update", {"settings": {"mode": "active"}})

    def request(**params: Any) -> Any:
        return client.request("context/continuation", {"cwd": str(chati.path), "sessionId": "s-1", **params})

    return request


@pytest.fixture
def grant_token(sidecar: MemorySidecar, chati: Repository) -> Callable[[str], str]:
    """Return a function that grants an agent's token."""
    return lambda agent: Memories(sidecar, chati.path).as_agent(agent).token or ""


def test_without_a_restart_criterion_nothing_is_written(continuation: Callable[..., Any], chati: Repository) -> None:
    answer = continuation(bracket="FRESH", score=95)
    assert (answer["restart"], answer["reasons"], answer["path"], answer["prompt"]) == (False, [], None, None)
    assert not (chati.path / LATEST).exists()


def test_critical_three_times_in_a_row_restarts_the_session(continuation: Callable[..., Any]) -> None:
    assert not continuation(bracket="CRITICAL", interactionId="1")["restart"]
    assert not continuation(bracket="CRITICAL", interactionId="1")["restart"]
    assert not continuation(bracket="CRITICAL", interactionId="2")["restart"]
    answer = continuation(usage={"remainingPercent": 3}, interactionId="3")
    assert answer["reasons"] == ["the context window was CRITICAL 3 times in a row"]


def test_another_bracket_resets_the_critical_count(continuation: Callable[..., Any]) -> None:
    for bracket in ("CRITICAL", "CRITICAL", "DEPLETED", "CRITICAL"):
        answer = continuation(bracket=bracket)
    assert (answer["restart"], answer["counters"]["criticalInARow"]) == (False, 1)


def test_critical_interactions_are_counted_per_session(continuation: Callable[..., Any]) -> None:
    for session in ("s-1", "s-2", "s-3"):
        assert not continuation(sessionId=session, bracket="CRITICAL")["restart"]


def test_a_finished_agent_with_another_waiting_restarts_the_session(
    continuation: Callable[..., Any], chati: Repository
) -> None:
    assert continuation(agentDone=True)["counters"]["nextAgent"] == "detail"
    chati.write({".chati/session.yaml": SESSION.replace("brief: {status: in_progress", "brief: {status: completed")})
    answer = continuation()
    assert answer["reasons"] == ["the agent is done and the next one is waiting"]
    assert not continuation(agentDone=False)["restart"]


def test_counters_survive_a_process_restart(open_sidecar: Callable[..., Any], chati: Repository) -> None:
    for turn in range(3):
        sidecar = open_sidecar()
        sidecar.client.initialize()
        params = {"cwd": str(chati.path), "sessionId": "s-1", "bracket": "CRITICAL"}
        answer = sidecar.client.request("context/continuation", params)
        sidecar.close()
        assert answer["restart"] is (turn == 2)


def test_the_continuation_file_has_pipeline_task_progress_decisions_and_memories(
    continuation: Callable[..., Any], chati: Repository
) -> None:
    text = "---\ntype: decision\nconfidence: 0.9\ntier: hot\n---\n# JWT\n\nWe chose JWT.\n\n# Forged\n"
    chati.write(
        {
            ".chati/memories/shared/durable/jwt.md": text,
            ".chati/memories/brief/durable/own.md": text.replace("JWT", "private words"),
        }
    )
    answer = continuation(force=True, progress="Half of the questions asked", pendingDecisions=["JWT or\n## sessions?"])
    assert answer["path"] == LATEST
    text = (chati.path / LATEST).read_text(encoding="utf-8")
    assert text == answer["prompt"]
    sections = [line for line in text.splitlines() if line.startswith("#")]
    assert sections == [
        "# Continuation", "## Rules", "## Pipeline", "## Task", "## Progress", "## Pending decisions",
        "## Hand-off from greenfield-wu (score 95)", "## Memories of brief", "### JWT",
    ]  # fmt: skip
    for words in (
        "greenfield-wu(95%) -> brief(in_progress, 45%)", "> Phase 2: Core Requirements Elicitation",
        "> Half of the questions asked", "- JWT or ## sessions?", "> We chose JWT.", "- Agent: brief", "Articles I-XV",
    ):  # fmt: skip
        assert words in text
    assert "private words" not in text
    assert chati.git("status", "--porcelain", "--untracked-files=all", "--", ".chati/continuation") == ""


@pytest.mark.parametrize("mode", ["passive", "off"])
def test_only_active_mode_writes_a_continuation_file(
    continuation: Callable[..., Any], client: Client, chati: Repository, mode: str
) -> None:
    client.request("settings/update", {"settings": {"mode": mode}})
    answer = continuation(force=True)
    assert answer["path"] is answer["resumeCommand"] is None
    assert answer["prompt"].startswith("# Continuation")
    assert not (chati.path / ".chati/continuation").exists()


def test_a_hand_off_has_private_memories_of_the_next_agent_only(
    continuation: Callable[..., Any], grant_token: Callable[[str], str], chati: Repository
) -> None:
    for agent in ("brief", "detail"):
        text = f"---\ntype: lesson\ntier: hot\n---\n# Lesson of {agent}\n\nPrivate words of {agent}.\n"
        chati.write({f".chati/memories/{agent}/durable/own.md": text})
    leaving = continuation(agentDone=True, token=grant_token("brief"))["prompt"]
    assert "- Next agent: detail" in leaving
    assert "Private words" not in leaving
    receiving = continuation(agentDone=True, token=grant_token("detail"))["prompt"]
    assert "Private words of detail" in receiving
    assert "Private words of brief" not in receiving


def test_the_continuation_file_has_a_section_for_the_next_agent(
    continuation: Callable[..., Any], chati: Repository
) -> None:
    text = "---\ntype: lesson\nagent: detail\ntier: hot\n---\n# Ask early\n\nAsk.\n"
    chati.write({".chati/memories/shared/durable/ask.md": text})
    text = continuation(agentDone=True)["prompt"]
    assert "- Next agent: detail" in text
    assert "## Memories of detail" in text
    assert "- Ask early (" in text


@pytest.mark.parametrize(
    ("ide", "restarts"),
    [
        ("claude-code", True), ("antigravity", True), ("gemini-cli", True), ("cursor", False), ("vscode", False),
        ("github-copilot", False),
    ],
)  # fmt: skip
def test_three_ides_restart_automatically_and_three_need_the_file(
    continuation: Callable[..., Any], ide: str, restarts: bool
) -> None:
    answer = continuation(ide=ide, force=True)
    assert answer["ide"]["restartsAutomatically"] is restarts
    assert ("/chati resume" in answer["ide"]["level2"]) is not restarts
    assert answer["resumeCommand"] == "/chati resume"


def test_nothing_is_written_through_a_link(continuation: Callable[..., Any], chati: Repository, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (chati.path / ".chati" / "continuation").symlink_to(tmp_path / "elsewhere")
    answer = continuation(force=True)
    assert answer["path"] is None
    assert "not a real folder" in answer["warnings"][0]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_project_without_framework_gets_a_continuation_file_ignored_by_git(
    client: Client, make_repository: Callable[..., Repository]
) -> None:
    plain_text = make_repository({"AGENTS.md": "- Never guess.\n"}, name="plain")
    params = {"cwd": str(plain_text.path), "sessionId": "s", "force": True, "task": "Fix the total\n# not a heading"}
    text = client.request("context/continuation", params)["prompt"]
    assert "There is no pipeline in this project." in text
    assert "> Fix the total\n> # not a heading" in text
    assert plain_text.git("status", "--porcelain") == ""


def test_secrets_are_masked(continuation: Callable[..., Any]) -> None:
    token = "ghp_" + "Zx9Qw7Er5Ty3Ui1Op8As6Df4Gh2Jk0Lz1Xc"
    assert (
        token not in continuation(force=True, task=f"use {token}", progress=token, pendingDecisions=[token])["prompt"]
    )

"""The session lock from a user's view: `/chati`, messages, exit, resumption."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.process import SidecarProcess
from tests.support.repositories import Repository

SESSION = """\
# Written by the framework.
project:
  name: Till   # as on the sign
current_agent: brief
language: pt
agents:
  brief: {status: in_progress, score: 45}
"""
CLAUDE = b"# Till\r\n\r\n- Always round half up.\r\n- Amounts are cents."


class Lock:
    """A sidecar and one project, read as an IDE would read it."""

    def __init__(self, start_process: Callable[..., SidecarProcess], project: Repository) -> None:
        self.project = project
        self._start = start_process
        self.sidecar = self._open()

    def _open(self) -> SidecarProcess:
        process = self._start()
        process.client.initialize(settings={"sessionLockFile": "rules"})
        return process

    def restart(self) -> None:
        self.sidecar.close()
        self.sidecar = self._open()

    def request(self, verb: str, **params: Any) -> Any:
        return self.sidecar.client.request(f"session/{verb}", {"cwd": str(self.project.path), **params})

    def anchor(self, run_id: str) -> str:
        """Return the anchor for the first run of a conversation."""
        place = {"cwd": str(self.project.path), "session": {"id": None, "willResume": False, "isFork": False}}
        run = {
            "runId": run_id,
            "subChatId": f"of-{run_id}",
            "provider": "claude",
            "mode": "agent",
            "deadlineMs": 20_000,
        }
        params = {**place, **run, "prompt": "Correct discounted_price for odd cents"}
        return str(self.sidecar.client.request("continuity/preRun", params)["system"]["text"])

    def claude_md(self) -> str:
        return (self.project.path / "CLAUDE.md").read_bytes().decode()

    def session_yaml(self) -> str:
        return (self.project.path / ".chati/session.yaml").read_text(encoding="utf-8")


@pytest.fixture
def lock(start_process: Callable[..., SidecarProcess], project: Repository) -> Lock:
    project.write({"CLAUDE.md": CLAUDE, ".chati/session.yaml": SESSION, ".chati/.gitignore": "*\n"})
    project.commit()
    return Lock(start_process, project)


def test_chati_activates_the_lock_with_the_session_files_agent_and_writes_the_block(lock: Lock) -> None:
    result = lock.request("activate")

    assert (result["session"]["status"], result["session"]["agent"]) == ("active", "brief")
    text = lock.claude_md()
    assert text.endswith(CLAUDE.decode())
    assert "## Session Lock — ACTIVE" in text
    assert "through the current agent: `brief`" in text
    assert "6. The ONLY way to exit: /chati exit, /chati stop, /chati quit" in text
    assert result["token"]
    assert result["warnings"] == []


def test_every_message_goes_to_the_agent_until_an_exit_command(lock: Lock) -> None:
    lock.request("activate")
    expected_routes = {
        "Add a field for the tax": ("onTopic", None, "brief"),
        "stop": ("onTopic", None, "brief"),
        "tell me a joke": ("offTopic", None, None),
        "/chati status": ("command", "status", None),
        "/chati help": ("command", "help", None),
        "/chati resume": ("command", "resume", None),
        "how do I exit chati?": ("onTopic", None, "brief"),
        "/chati quit": ("exit", None, None),
        "Sair do Chati": ("exit", None, None),
    }
    for message, expected in expected_routes.items():
        result = lock.request("route", message=message)
        assert (result["intent"], result["command"], result["agent"]) == expected, message
        assert result["status"] == "active", "routing does not change the lock"
    assert "ACTIVE" in lock.claude_md()


def test_exit_saves_progress_deactivates_the_block_and_confirms_in_the_users_language(lock: Lock) -> None:
    lock.request("activate", agent="architect")

    result = lock.request("exit", progress="The storage is chosen: SQLite. Next: the API.")

    assert result["confirmation"] == "Sessão salva. Digite /chati para retomar."
    assert result["warnings"] == []
    assert "Status: INACTIVE" in lock.claude_md()
    assert "type `/chati`" in lock.claude_md()
    assert "NEVER" not in lock.claude_md()
    assert lock.claude_md().endswith(CLAUDE.decode())
    assert lock.session_yaml().startswith(SESSION.replace("current_agent: brief", "current_agent: architect"))
    assert 'session_progress: "The storage is chosen: SQLite. Next: the API."' in lock.session_yaml()
    assert lock.request("route", message="Add a field")["status"] == "inactive"


def test_exit_captures_the_session_summary_except_in_passive_mode(lock: Lock) -> None:
    for mode, counts in (("passive", (0, 2)), ("active", (2, 0))):
        lock.sidecar.client.request("settings/update", {"settings": {"mode": mode}})
        lock.request("activate", agent="dev")
        summary = {"entries": [{"type": "decision", "text": "SQLite was chosen for the storage."}]}
        result = lock.request(
            "exit",
            sessionId="s-1",
            summary=summary,
            progress="We decided to use WAL for the storage because readers must not wait.",
        )
        assert (len(result["captured"]["added"]), result["captured"]["suppressed"]) == counts
    (path,) = result["captured"]["paths"]
    assert "SQLite was chosen" in (lock.project.path / path).read_text(encoding="utf-8")
    assert lock.request("exit")["captured"] is None


def test_activation_after_an_exit_and_a_restart_resumes_agent_and_progress(lock: Lock) -> None:
    lock.request("activate", agent="dev")
    lock.request("exit", progress="Half of the cart is done.")
    lock.restart()
    assert lock.request("status")["session"]["status"] == "inactive"

    result = lock.request("activate")

    assert result["resumed"]
    assert result["session"]["agent"] == "dev"
    assert result["session"]["progress"] == "Half of the cart is done."
    assert "Session Lock — ACTIVE" in lock.claude_md()
    assert lock.claude_md().count("session-lock:begin") == 1


def test_the_lock_survives_a_restart_in_state_and_file(lock: Lock) -> None:
    lock.request("activate", agent="dev")
    lock.restart()

    result = lock.request("status")

    assert (result["session"]["status"], result["session"]["agent"]) == ("active", "dev")
    assert [block["state"] for block in result["blocks"]] == ["active"]
    assert lock.request("route", message="go on")["agent"] == "dev"
    assert lock.request("activate")["resumed"]


def test_a_handover_in_the_session_file_is_followed(lock: Lock) -> None:
    lock.request("activate")
    file = lock.project.path / ".chati/session.yaml"
    file.write_text(SESSION.replace("current_agent: brief", "current_agent: detail"), encoding="utf-8")

    assert "names `detail` now" in lock.request("status")["warnings"][0]
    assert lock.request("activate")["session"]["agent"] == "detail"
    assert "`detail`" in lock.claude_md()
    assert "current_agent: detail" in lock.session_yaml()
    lock.request("activate", agent="ux")
    lock.request("exit")
    assert "current_agent: ux" in lock.session_yaml()


def test_a_block_deleted_by_the_user_is_reported_and_restored_by_activation(lock: Lock) -> None:
    lock.request("activate")
    (lock.project.path / "CLAUDE.md").write_bytes(CLAUDE)

    status = lock.request("status")

    assert [block["state"] for block in status["blocks"]] == ["none"]
    assert len(status["warnings"]) == 1
    lock.request("activate")
    assert "Session Lock — ACTIVE" in lock.claude_md()


def test_unreadable_and_unwritable_files_do_not_prevent_exit(lock: Lock) -> None:
    lock.request("activate")
    (lock.project.path / ".chati/session.yaml").write_bytes(b"project: [\xff")
    claude = lock.project.path / "CLAUDE.md"
    claude.unlink()
    claude.mkdir()

    result = lock.request("exit")

    assert (result["session"]["status"], result["wasActive"]) == ("inactive", True)
    assert len(result["warnings"]) >= 2
    assert (lock.project.path / ".chati/session.yaml").read_bytes() == b"project: [\xff"


def test_without_a_session_file_none_is_created_and_the_project_is_unchanged(lock: Lock, project: Repository) -> None:
    folder = Path(project.path)
    (folder / ".chati/session.yaml").unlink()
    before = project.git("status", "--porcelain", "--ignored")

    lock.request("activate", agent="dev")
    lock.request("exit", progress="Something.", removeBlock=True)

    assert project.git("status", "--porcelain", "--ignored") == before
    assert (folder / "CLAUDE.md").read_bytes() == CLAUDE
    assert lock.request("activate")["session"]["progress"] == "Something."


def test_the_block_is_not_a_project_rule_and_does_not_change_the_anchor(lock: Lock) -> None:
    lock.sidecar.client.request("settings/update", {"settings": {"mode": "active"}})
    before = lock.anchor("run-1")
    lock.request("activate", agent="dev")

    assert "round half up" in before
    assert "chati" not in lock.anchor("run-2")
    assert lock.anchor("run-2").splitlines()[1:] == before.splitlines()[1:]


def test_a_new_session_drops_the_previous_sessions_memories(lock: Lock) -> None:
    def memory(verb: str, **params: Any) -> Any:
        return lock.sidecar.client.request(f"memory/{verb}", {"cwd": str(lock.project.path), **params})

    memory("add", text="For now.", retention="session")
    lock.request("activate")
    assert memory("list")["total"] == 0
    memory("add", text="For this one.", retention="session")
    lock.request("activate")
    assert memory("list")["total"] == 1
    lock.request("exit")
    lock.request("activate")
    assert memory("list")["total"] == 0

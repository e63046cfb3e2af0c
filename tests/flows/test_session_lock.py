"""The session lock as a user lives it: `/chati`, messages, leaving, coming back; statements of §6 and Article XV."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.process import SidecarProcess
from tests.support.repositories import Repository

SESSION = """\
# Kept by the framework.
project:
  name: Till   # as on the sign
current_agent: brief
language: pt
agents:
  brief: {status: in_progress, score: 45}
"""
CLAUDE = b"# Till\r\n\r\n- Always round half up.\r\n- Amounts are cents."


class Lock:
    """Speaks to a sidecar about one project, and reads what an IDE would read."""

    def __init__(self, start_process: Callable[..., SidecarProcess], project: Repository) -> None:
        self.project = project
        self._start = start_process
        self.sidecar = self._opened()

    def _opened(self) -> SidecarProcess:
        one = self._start()
        one.client.initialize(settings={"sessionLockFile": "rules"})
        return one

    def restart(self) -> None:
        self.sidecar.close()
        self.sidecar = self._opened()

    def ask(self, verb: str, **params: Any) -> Any:
        return self.sidecar.client.request(f"session/{verb}", {"cwd": str(self.project.path), **params})

    def anchor(self, run_id: str) -> str:
        """Gives the anchor that a first run of a conversation would be sent."""
        place = {"cwd": str(self.project.path), "session": {"id": None, "willResume": False, "isFork": False}}
        run = {
            "runId": run_id,
            "subChatId": f"of-{run_id}",
            "provider": "claude",
            "mode": "agent",
            "deadlineMs": 20_000,
        }
        asked = {**place, **run, "prompt": "Correct discounted_price for odd cents"}
        return str(self.sidecar.client.request("continuity/preRun", asked)["system"]["text"])

    def claude_md(self) -> str:
        return (self.project.path / "CLAUDE.md").read_bytes().decode()

    def session_yaml(self) -> str:
        return (self.project.path / ".chati/session.yaml").read_text(encoding="utf-8")


@pytest.fixture
def lock(start_process: Callable[..., SidecarProcess], project: Repository) -> Lock:
    project.write({"CLAUDE.md": CLAUDE, ".chati/session.yaml": SESSION, ".chati/.gitignore": "*\n"})
    project.commit()
    return Lock(start_process, project)


def test_chati_activates_the_lock_with_the_agent_of_the_session_file_and_its_block_in_claude_md(lock: Lock) -> None:
    told = lock.ask("activate")

    assert (told["session"]["status"], told["session"]["agent"]) == ("active", "brief")
    text = lock.claude_md()
    assert text.endswith(CLAUDE.decode())
    assert "## Session Lock — ACTIVE" in text
    assert "through the current agent: `brief`" in text
    assert "6. The ONLY way to exit: /chati exit, /chati stop, /chati quit" in text
    assert told["token"]
    assert told["warnings"] == []


def test_every_message_goes_to_the_agent_until_an_exit_command_and_off_topic_stays_locked(lock: Lock) -> None:
    lock.ask("activate")
    asked = {
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
    for message, expected in asked.items():
        told = lock.ask("route", message=message)
        assert (told["intent"], told["command"], told["agent"]) == expected, message
        assert told["status"] == "active", "routing ends nothing"
    assert "ACTIVE" in lock.claude_md()


def test_leaving_saves_the_agents_state_says_inactive_and_confirms_in_the_users_language(lock: Lock) -> None:
    lock.ask("activate", agent="architect")

    told = lock.ask("exit", progress="The storage is chosen: SQLite. Next: the API.")

    assert told["confirmation"] == "Sessão salva. Digite /chati para retomar."
    assert told["warnings"] == []
    assert "Status: INACTIVE" in lock.claude_md()
    assert "type `/chati`" in lock.claude_md()
    assert "NEVER" not in lock.claude_md()
    assert lock.claude_md().endswith(CLAUDE.decode())
    assert lock.session_yaml().startswith(SESSION.replace("current_agent: brief", "current_agent: architect"))
    assert 'session_progress: "The storage is chosen: SQLite. Next: the API."' in lock.session_yaml()
    assert lock.ask("route", message="Add a field")["status"] == "inactive"


def test_leaving_writes_the_sessions_digest_to_the_memories_and_withholds_it_in_passive_mode(lock: Lock) -> None:
    for mode, counts in (("passive", (0, 2)), ("active", (2, 0))):
        lock.sidecar.client.request("settings/update", {"settings": {"mode": mode}})
        lock.ask("activate", agent="dev")
        digest = {"entries": [{"type": "decision", "text": "SQLite was chosen for the storage."}]}
        told = lock.ask("exit", sessionId="s-1", summary=digest, progress="We decided to use WAL for the storage.")
        assert (len(told["captured"]["added"]), told["captured"]["suppressed"]) == counts
    (path,) = told["captured"]["paths"]
    assert "SQLite was chosen" in (lock.project.path / path).read_text(encoding="utf-8")
    assert lock.ask("exit")["captured"] is None


def test_chati_after_an_exit_and_a_restart_resumes_with_agent_and_progress(lock: Lock) -> None:
    lock.ask("activate", agent="dev")
    lock.ask("exit", progress="Half of the cart stands.")
    lock.restart()
    assert lock.ask("status")["session"]["status"] == "inactive"

    told = lock.ask("activate")

    assert told["resumed"]
    assert told["session"]["agent"] == "dev"
    assert told["session"]["progress"] == "Half of the cart stands."
    assert "Session Lock — ACTIVE" in lock.claude_md()
    assert lock.claude_md().count("session-lock:begin") == 1


def test_a_restart_in_the_middle_leaves_the_lock_active_in_state_and_file(lock: Lock) -> None:
    lock.ask("activate", agent="dev")
    lock.restart()

    told = lock.ask("status")

    assert (told["session"]["status"], told["session"]["agent"]) == ("active", "dev")
    assert [one["state"] for one in told["blocks"]] == ["active"]
    assert lock.ask("route", message="go on")["agent"] == "dev"
    assert lock.ask("activate")["resumed"]


def test_a_handover_that_the_session_file_tells_of_is_followed(lock: Lock) -> None:
    lock.ask("activate")
    file = lock.project.path / ".chati/session.yaml"
    file.write_text(SESSION.replace("current_agent: brief", "current_agent: detail"), encoding="utf-8")

    assert "names `detail` now" in lock.ask("status")["warnings"][0]
    assert lock.ask("activate")["session"]["agent"] == "detail"
    assert "`detail`" in lock.claude_md()
    assert "current_agent: detail" in lock.session_yaml()
    lock.ask("activate", agent="ux")
    lock.ask("exit")
    assert "current_agent: ux" in lock.session_yaml()


def test_a_block_the_user_deleted_is_told_and_put_back_by_chati(lock: Lock) -> None:
    lock.ask("activate")
    (lock.project.path / "CLAUDE.md").write_bytes(CLAUDE)

    shown = lock.ask("status")

    assert [one["state"] for one in shown["blocks"]] == ["none"]
    assert len(shown["warnings"]) == 1
    lock.ask("activate")
    assert "Session Lock — ACTIVE" in lock.claude_md()


def test_what_cannot_be_read_or_written_never_keeps_the_user_in(lock: Lock) -> None:
    lock.ask("activate")
    (lock.project.path / ".chati/session.yaml").write_bytes(b"project: [\xff")
    claude = lock.project.path / "CLAUDE.md"
    claude.unlink()
    claude.mkdir()

    told = lock.ask("exit")

    assert (told["session"]["status"], told["wasActive"]) == ("inactive", True)
    assert len(told["warnings"]) >= 2
    assert (lock.project.path / ".chati/session.yaml").read_bytes() == b"project: [\xff"


def test_without_a_session_file_none_is_made_and_nothing_else_of_the_project_changes(
    lock: Lock, project: Repository
) -> None:
    folder = Path(project.path)
    (folder / ".chati/session.yaml").unlink()
    before = project.git("status", "--porcelain", "--ignored")

    lock.ask("activate", agent="dev")
    lock.ask("exit", progress="Something.", removeBlock=True)

    assert project.git("status", "--porcelain", "--ignored") == before
    assert (folder / "CLAUDE.md").read_bytes() == CLAUDE
    assert lock.ask("activate")["session"]["progress"] == "Something."


def test_the_block_is_no_rule_of_the_projects_and_changes_no_anchor(lock: Lock) -> None:
    lock.sidecar.client.request("settings/update", {"settings": {"mode": "active"}})
    before = lock.anchor("run-1")
    lock.ask("activate", agent="dev")

    assert "round half up" in before
    assert "chati" not in lock.anchor("run-2")
    assert lock.anchor("run-2").splitlines()[1:] == before.splitlines()[1:]


def test_a_session_that_starts_finds_nothing_that_was_kept_for_the_one_before(lock: Lock) -> None:
    def memory(verb: str, **params: Any) -> Any:
        return lock.sidecar.client.request(f"memory/{verb}", {"cwd": str(lock.project.path), **params})

    memory("add", text="For now.", retention="session")
    lock.ask("activate")
    assert memory("list")["total"] == 0
    memory("add", text="For this one.", retention="session")
    lock.ask("activate")
    assert memory("list")["total"] == 1
    lock.ask("exit")
    lock.ask("activate")
    assert memory("list")["total"] == 0

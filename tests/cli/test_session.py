"""`onecode-sidecar session`, run as by a user: with a state, without one, and with an unusable one."""

from pathlib import Path

import apsw
import orjson
import pytest

from tests.support.command import Command, Done, run_command
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository

LOCK = ".claude/rules/chati-session-lock/session-lock.md"


@pytest.fixture
def command(shop: Repository, state_dir: Path) -> Command:
    """Runs the command in a folder of the shop."""

    def run(*arguments: str, cwd: Path = shop.path / "src", **variables: str) -> Done:
        where = ("--state-dir", str(state_dir))
        return run_command("session", *arguments, *where, cwd=cwd, temporary=state_dir.parent, stdin=b"", **variables)

    return run


def test_a_session_is_activated_shown_and_exited_while_the_app_runs(
    process: SidecarProcess, command: Command, shop: Repository
) -> None:
    activated = command("activate", "--agent", "dev", "--language", "fr")
    assert (activated.returncode, activated.stderr) == (0, b"")
    assert activated.stdout.decode().splitlines() == [
        "Session lock: ACTIVE, agent dev",
        f"  active    {shop.path / LOCK}",
    ]
    output_of = process.client.request("session/route", {"cwd": str(shop.path), "message": "go on"})
    assert (output_of["status"], output_of["agent"]) == ("active", "dev")

    assert orjson.loads(command("status", "--json").stdout)["session"]["agent"] == "dev"
    left = command("exit", "--progress", "Half done.")

    assert left.stdout.decode().splitlines() == [
        "Session enregistrée. Tapez `onecode-sidecar session activate` pour reprendre.",
        "Session lock: INACTIVE, agent dev",
        "Progress: Half done.",
        f"  inactive  {shop.path / LOCK}",
    ]
    assert process.client.request("session/status", {"cwd": str(shop.path)})["session"]["status"] == "inactive"


@pytest.mark.parametrize("state", ["lost", "of no use"])
def test_exit_with_force_releases_the_files_without_a_usable_state(
    process: SidecarProcess, command: Command, shop: Repository, state_dir: Path, state: str
) -> None:
    command("activate", "--agent", "dev")
    process.close()
    for file in state_dir.glob("continuity.db*"):
        file.unlink()
    if state == "of no use":
        (state_dir / "continuity.db").mkdir()
    lock = shop.path / LOCK
    lock.write_bytes(lock.read_bytes().replace(b"<!-- chati:session-lock:end -->\n", b"mine\n"))

    refused = command("exit")
    assert refused.returncode == 3
    assert b"session exit --force" in refused.stderr
    assert "ACTIVE" in lock.read_text(encoding="utf-8")
    left = command("exit", "--force")

    assert left.returncode == 0, left.stderr
    assert "Status: INACTIVE" in lock.read_text(encoding="utf-8")
    assert lock.read_text(encoding="utf-8").endswith("mine\n")
    assert b"updated without it" in left.stdout


def test_exit_with_force_works_with_a_newer_state(
    process: SidecarProcess, command: Command, shop: Repository, state_dir: Path
) -> None:
    command("activate", "--agent", "dev")
    process.close()
    connection = apsw.Connection(str(state_dir / "continuity.db"))
    connection.execute("INSERT INTO continuity_migrations VALUES (999, 'from the future', 0)")
    connection.close()

    assert command("exit").returncode == 1
    assert command("exit", "--force", "--remove-block").returncode == 0
    assert not (shop.path / LOCK).parent.exists()


def test_a_refusal_prints_one_sentence_and_its_status(process: SidecarProcess, command: Command) -> None:
    assert process.popen.poll() is None
    refused = command("activate", "--agent", "nobody")

    assert (refused.returncode, refused.stdout) == (2, b"")
    assert refused.stderr.decode().startswith("session: There is no agent with that name.")
    assert command("dance").returncode == 2


@pytest.mark.parametrize("verb", ["status", "activate", "exit"])
def test_a_mistyped_project_is_refused(command: Command, tmp_path: Path, verb: str) -> None:
    (tmp_path / "file").touch()
    for name in ("shopp", "file"):
        done = command(verb, "--project", str(tmp_path / name))
        assert (done.returncode, done.stdout, done.stderr.decode().splitlines()[0]) == (
            1, b"", "session: The project's folder does not exist. (workspaceUnavailable)"
        )  # fmt: skip


def test_a_refusal_while_switched_off_names_the_command_that_sets_the_mode(
    process: SidecarProcess, command: Command
) -> None:
    assert process.popen.poll() is None
    refused = command("activate", ONECODE_CONTINUITY_MODE="off")

    assert refused.returncode == 5
    assert refused.stderr.decode().splitlines()[1] == (
        "hint: `settings NAME VALUE` sets `mode`; `ONECODE_CONTINUITY_MODE=off` overrides it."
    )

"""`onecode-sidecar doctor` and `purge`, run as a user does, beside a sidecar that goes on running."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import orjson
import pytest

from sidecar.storage.migrations import MIGRATIONS, migrate
from tests.support.command import Command, Done, run_command
from tests.support.conversation import Conversation
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, set_settings


@pytest.fixture
def chat(process: SidecarProcess, shop: Repository) -> Conversation:
    """A conversation of a sidecar that goes on running."""
    chat = Conversation(process.client, shop.path)
    set_settings(chat, mode="active")
    chat.turn(PROMPT)
    return chat


@pytest.fixture
def command(shop: Repository, state_dir: Path, tmp_path: Path) -> Command:
    """Runs commands in a folder of the shop."""

    def run(*arguments: str, **options: Any) -> Done:
        cwd = shop.path / "src"
        return run_command(*arguments, "--state-dir", str(state_dir), cwd=cwd, temporary=tmp_path, **options)

    return run


def harm(state_dir: Path, sql: str) -> None:
    connection = apsw.Connection(str(state_dir / "continuity.db"))
    connection.set_busy_timeout(5000)
    connection.execute(sql)
    connection.close()


def test_a_sound_state_is_told_check_by_check_with_the_versions(
    chat: Conversation, told: Callable[..., str], state_dir: Path
) -> None:
    assert chat.session_id
    state_dir.chmod(0o700)
    *checks, versions = told("doctor").splitlines()
    assert [line.split()[0] for line in checks] == ["ok"] * 12
    assert f"sqlite {apsw.sqlite_lib_version()}" in versions


def test_what_is_found_ends_with_status_1_and_is_mended_beside_the_running_sidecar(
    chat: Conversation, command: Command, state_dir: Path
) -> None:
    state_dir.chmod(0o700)
    harm(state_dir, "UPDATE continuity_state SET counters = '{'")
    only_told = command("doctor", "--fix", "--dry-run")
    assert only_told.returncode == 1
    assert b"--fix would mend 1 of 1, after a copy of the state file." in only_told.stdout
    assert not (state_dir / "backups").exists()
    assert b"\n1 error left; `--fix` mends 1.\n" in command("doctor").stdout
    mended = command("doctor", "--fix", "--json")
    assert mended.returncode == 0
    answer = orjson.loads(mended.stdout)
    assert Path(answer["backup"]).is_file()
    assert [one["fixed"] for one in answer["findings"]] == [True]
    assert chat.turn("go on")["action"] == "inject"


def test_the_copy_can_take_the_place_of_the_state_file(
    chat: Conversation, command: Command, state_dir: Path, process: SidecarProcess
) -> None:
    run_id = chat.turn("go on")["runId"]
    harm(state_dir, "DELETE FROM continuity_memory_words")
    harm(state_dir, "DROP INDEX continuity_runs_by_sub_chat")
    backup = Path(orjson.loads(command("doctor", "--fix", "--json").stdout)["backup"])
    process.close()
    for path in state_dir.glob("continuity.db*"):
        path.unlink()
    backup.rename(state_dir / "continuity.db")
    explained = command("explain", run_id)
    assert explained.returncode == 0
    assert explained.stdout.decode().startswith(run_id)


def test_purge_says_what_would_go_then_what_went_and_what_stays(
    chat: Conversation, told: Callable[..., str], command: Command, shop: Repository
) -> None:
    foretold = told("purge", "--project", str(shop.path), "--dry-run")
    assert "runs             1 would go" in foretold
    done = told("purge", "--project", str(shop.path))
    assert "runs             1 removed" in done
    assert "The state folder is smaller by" in done
    assert command("explain").returncode == 3
    again = chat.turn("go on")
    assert again["action"] == "inject"
    assert again["metadata"]["reusedBytes"] == 0


def test_purge_asks_what_is_to_go(chat: Conversation, command: Command) -> None:
    assert chat.session_id
    refused = command("purge")
    assert refused.returncode == 1
    assert b"Say what is to go." in refused.stderr
    assert command("purge", "--kind", "everything").returncode == 2
    memories = command("purge", "--kind", "memories")
    assert b"Memories are files of a project." in memories.stderr


def test_a_state_that_cannot_be_opened_is_the_first_finding_and_the_rest_is_looked_at(
    command: Command, state_dir: Path, shop: Repository
) -> None:
    state_dir.mkdir(mode=0o700)
    with_steps = apsw.Connection(str(state_dir / "continuity.db"))
    migrate(with_steps, 0, MIGRATIONS)
    with_steps.execute("INSERT INTO continuity_migrations (step, name, applied_at_ms) VALUES (99, 'later', 0)")
    with_steps.close()
    memory = shop.path / ".chati" / "memories" / "shared" / "durable" / "one.md"
    memory.parent.mkdir(parents=True)
    memory.write_bytes(b"---\nid: [\n---\n")

    done = command("doctor", "--json", "--fix")

    assert (done.returncode, done.stderr) == (1, b"")
    answer = orjson.loads(done.stdout)
    levels = {one["name"]: one["level"] for one in answer["checks"]}
    assert (levels["database"], levels["caches"], levels["memories"], levels["disk"]) == (
        "error", "skipped", "warning", "ok",
    )  # fmt: skip
    first = answer["findings"][0]
    assert (first["check"], first["fixable"], bool(first["remedy"])) == ("database", False, True)
    assert "step 99" in first["message"]
    assert (answer["healthy"], answer["backup"]) == (False, None)
    assert command("doctor").stdout.decode().splitlines()[1].strip() == first["message"]

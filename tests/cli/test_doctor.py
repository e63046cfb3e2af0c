"""`onecode-sidecar doctor` and `purge`, run as by a user, beside a running sidecar."""

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
    """A conversation with a running sidecar."""
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


def test_a_healthy_state_prints_every_check_and_the_versions(
    chat: Conversation, output_of: Callable[..., str], state_dir: Path
) -> None:
    assert chat.session_id
    state_dir.chmod(0o700)
    *checks, verdict, versions = output_of("doctor").splitlines()
    assert verdict == "No problems found."
    assert [line.split()[0] for line in checks] == ["ok"] * 14
    assert f"sqlite {apsw.sqlite_lib_version()}" in versions


def test_before_the_first_sidecar_the_environment_is_checked(shop: Repository, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    shop.write({".claude/settings.json": '{"model": '})
    done = run_command(
        "doctor", cwd=shop.path, temporary=tmp_path,
        HOME=home, USERPROFILE=home, XDG_CONFIG_HOME=home, XDG_STATE_HOME=home,
    )  # fmt: skip
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (1, b"")
    assert any(line.startswith("warning  database") for line in lines)
    assert "           No sidecar has run for this user yet." in lines
    assert any("onecode-sidecar hook install" in line for line in lines)
    assert any(line.startswith("ok       disk") for line in lines)
    broken = shop.path / ".claude" / "settings.json"
    assert "warning  settings" in lines
    assert any(line.strip().startswith(f"{broken}: The settings are not JSON") for line in lines)
    assert not (tmp_path / "home").exists() or list((tmp_path / "home").rglob("continuity.db")) == []


def test_findings_exit_with_status_1_and_are_repaired_beside_a_running_sidecar(
    chat: Conversation, command: Command, state_dir: Path
) -> None:
    state_dir.chmod(0o700)
    harm(state_dir, "UPDATE continuity_state SET counters = '{'")
    dry_run = command("doctor", "--fix", "--dry-run")
    assert dry_run.returncode == 1
    assert b"--fix would repair 1 of 1, after a backup of the state file." in dry_run.stdout
    assert command("doctor", "--dry-run").stdout == dry_run.stdout
    assert not (state_dir / "backups").exists()
    assert b"\n1 error left; `--fix` repairs 1.\n" in command("doctor").stdout
    repaired = command("doctor", "--fix", "--json")
    assert repaired.returncode == 1, "the row that was set aside is listed until it is purged"
    answer = orjson.loads(repaired.stdout)
    assert Path(answer["backup"]).is_file()
    assert [entry["fixed"] for entry in answer["findings"]] == [True, False]
    assert b"purge --kind damaged" in command("doctor").stdout
    assert chat.turn("go on")["action"] == "inject"


def test_the_backup_can_replace_the_state_file(
    chat: Conversation, command: Command, state_dir: Path, process: SidecarProcess
) -> None:
    run_id = chat.turn("go on")["runId"]
    harm(state_dir, "DELETE FROM continuity_memory_term_counts")
    harm(state_dir, "DROP INDEX continuity_runs_by_sub_chat")
    backup = Path(orjson.loads(command("doctor", "--fix", "--json").stdout)["backup"])
    process.close()
    for path in state_dir.glob("continuity.db*"):
        path.unlink()
    backup.rename(state_dir / "continuity.db")
    explained = command("explain", run_id)
    assert explained.returncode == 0
    assert explained.stdout.decode().startswith(run_id)


def test_purge_shows_what_would_be_removed_and_then_removes_it(
    chat: Conversation, output_of: Callable[..., str], command: Command, shop: Repository
) -> None:
    preview = output_of("purge", "--project", str(shop.path), "--dry-run")
    assert "runs             1 to be removed" in preview
    done = output_of("purge", "--project", str(shop.path))
    assert "runs             1 removed" in done
    assert "Freed " in done
    assert command("explain").returncode == 3
    again = chat.turn("go on")
    assert again["action"] == "inject"
    assert again["metadata"]["reusedBytes"] == 0


def test_purge_names_a_key_that_no_project_has(chat: Conversation, command: Command) -> None:
    assert chat.session_id
    refused = command("purge", "--key", "0123456789abcdef")
    assert (refused.returncode, refused.stdout) == (3, b"")
    assert refused.stderr.decode().splitlines() == [
        "purge: No project has this key. (notFound)",
        "hint: `status` lists the keys.",
    ]


def test_purge_that_removes_nothing_reports_only_the_compaction(
    chat: Conversation, output_of: Callable[..., str], make_repository: Callable[..., Repository]
) -> None:
    assert chat.session_id
    other = make_repository({"README.md": "# Other\n"}, name="other")
    assert "Nothing was removed. Compacting the state file freed " in output_of("purge", "--project", str(other.path))


def test_purge_without_a_selection_is_refused(chat: Conversation, command: Command) -> None:
    assert chat.session_id
    refused = command("purge")
    assert refused.returncode == 2
    assert b"Name what to remove." in refused.stderr
    assert command("purge", "--kind", "everything").returncode == 2
    memories = command("purge", "--kind", "memories")
    assert (
        b"Memories can only be purged for one project. (invalidParams)\nhint: Name the project with `--project`."
        in memories.stderr
    )


def test_an_unreadable_state_is_the_first_finding_and_other_checks_still_run(
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
    levels = {entry["name"]: entry["level"] for entry in answer["checks"]}
    assert (levels["database"], levels["caches"], levels["memories"], levels["disk"]) == (
        "error", "skipped", "warning", "ok",
    )  # fmt: skip
    first = answer["findings"][0]
    assert (first["check"], first["fixable"], bool(first["remedy"])) == ("database", False, True)
    assert "step 99" in first["message"]
    assert (answer["healthy"], answer["backup"]) == (False, None)
    assert command("doctor").stdout.decode().splitlines()[1].strip() == first["message"]

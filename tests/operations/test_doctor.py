"""Each part is damaged on purpose: the doctor finds it, names a remedy, and repairs what it can after a backup."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import pytest

from sidecar.operations import doctor
from sidecar.registry import OWN_REGISTRY
from sidecar.settings.methods import check_settings
from sidecar.storage.doctor_checks import BACKUPS_FOLDER, MAX_BACKUPS, back_up, check_rows
from sidecar.storage.migrations import MIGRATIONS, migrate
from sidecar.storage.sqlite_connection import connect
from sidecar.system.atomic_write import remove_abandoned_files
from sidecar.system.git import GIT_MISSING, INSTALL_GIT, XCODE_LICENSE, Git
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.played_state import PlayedState
from tests.support.process import DEAD_PID
from tests.support.repositories import Repository, make_repository
from tests.support.shop import PROMPT, SHOP, set_settings

ALL = ("database", "caches", "records", "settings", "indexes", "project", "repository", "memories", "registry",
       "knowledge", "memoryBranch", "watchers", "disk", "versions")  # fmt: skip

REGISTRY = """metadata:
  entity_count: 1
entities:
  modules:
    gone:
      path: src/gone.py
      type: module
      purpose: One that is gone
"""


class Patient:
    """A state folder with a run, an artifact and a memory, and ways to damage it."""

    def __init__(self, sidecar: MemorySidecar, chat: Conversation) -> None:
        self.sidecar = sidecar
        self.chat = chat
        assert sidecar.app.process is not None
        self.process = sidecar.app.process
        self.folder = self.process.state_dir

    def run_sql(self, sql: str, *bindings: Any) -> None:
        """Change the state file from outside."""
        connection = apsw.Connection(str(self.folder / "continuity.db"))
        connection.set_busy_timeout(5000)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        connection.execute(sql, bindings)
        connection.close()

    def value(self, sql: str) -> Any:
        with self.process.database.read() as tx:
            return tx.execute(sql).get

    def look(self, **params: Any) -> Any:
        return self.sidecar.client.request("state/doctor", {"projectPath": self.chat.project_path, **params})

    def found(self, **params: Any) -> list[tuple[str, str, bool]]:
        """Return check, message, and whether it was repaired."""
        return [(entry["check"], entry["message"], entry["fixed"]) for entry in self.look(**params)["findings"]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> PlayedState:
    def play(active: MemorySidecar, folder: Path) -> None:
        chat = Conversation(active.client, make_repository(folder / "shop", SHOP).path)
        long = "".join(f"line_{number} = {number}\n" for number in range(130))
        chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", long)])
        chat.turn("go on")
        memory = {"cwd": chat.project_path, "title": "Money", "text": "Whole cents.", "type": "decision"}
        active.client.request("memory/add", memory)

    return PlayedState(tmp_path_factory.mktemp("doctor"), play)


@pytest.fixture
def patient(played: PlayedState, open_sidecar: Callable[..., MemorySidecar]) -> Patient:
    sidecar = played.restore(open_sidecar)
    chat = Conversation(sidecar.client, played.folder / "shop")
    chat.session_id = "session"
    sidecar.client.request("memory/search", {"cwd": chat.project_path, "query": "cents"})
    patient = Patient(sidecar, chat)
    assert patient.process.wait_idle(10)
    patient.process.database.write_behind.flush()
    return patient


@pytest.fixture
def shop(patient: Patient) -> Repository:
    return Repository(patient.chat.cwd)


def test_a_healthy_state_has_no_findings(patient: Patient) -> None:
    answer = patient.look(fix=True)
    assert [(entry["name"], entry["level"]) for entry in answer["checks"]] == [(name, "ok") for name in ALL]
    assert (answer["healthy"], answer["findings"], answer["backup"]) == (True, [], None)
    assert not (patient.folder / BACKUPS_FOLDER).exists()
    assert answer["versions"]["sqlite"] == apsw.sqlite_lib_version()


def test_a_state_stays_healthy_when_the_index_of_memories_changes_after_a_search(patient: Patient) -> None:
    """A connection that searched has the index's former segments cached."""
    client, project = patient.sidecar.client, {"cwd": patient.chat.project_path}
    for number in range(3):
        client.request("memory/add", {**project, "text": f"Port {number} belongs to the till."})
    assert patient.found() == []
    assert client.request("memory/search", {**project, "query": "which port belongs to the till"})["memories"]
    client.request("memory/rebuild", project)
    assert patient.found() == []


def test_a_project_whose_folder_does_not_exist_is_not_reported_healthy(patient: Patient, tmp_path: Path) -> None:
    refused = patient.sidecar.client.error("state/doctor", {"projectPath": str(tmp_path / "absent")})
    assert refused.data["kind"] == "workspaceUnavailable"


def test_without_a_project_its_checks_are_skipped(patient: Patient) -> None:
    levels = {entry["name"]: entry["level"] for entry in patient.look(projectPath=None)["checks"]}
    skipped = {"project", "repository", "memories", "registry", "knowledge", "memoryBranch"}
    assert {name for name, level in levels.items() if level == "skipped"} == skipped


BROKEN: dict[str, tuple[str, str, str]] = {
    "a cached value with a flipped bit": (
        "UPDATE continuity_file_cache SET value = CAST(CAST(value AS TEXT) || ' ' AS BLOB)",
        "caches", "damaged entries of continuity_file_cache",
    ),
    "a pack whose hash is gone": (
        "UPDATE continuity_pack_cache SET row_hash = ''", "caches", "damaged entries of continuity_pack_cache",
    ),
    "a delivery of no session": (
        "INSERT INTO continuity_deliveries VALUES ('claude', 'nobody', 0, 'x', 'd', 1, '{}', 0)",
        "database", "continuity_deliveries has rows without a parent row.",
    ),
    "an index that is gone": (
        "DROP INDEX continuity_runs_by_sub_chat", "database", "continuity_runs_by_sub_chat is missing.",
    ),
    "a table that is gone": ("DROP TABLE continuity_overrides", "database", "continuity_overrides is missing."),
    "a pre-run whose texts cannot be unpacked": (
        "UPDATE continuity_calls SET blocks = x'0102'", "records", "2 of the pre-runs cannot be read.",
    ),
    "a snapshot that is not what was written": (
        "INSERT INTO continuity_snapshots VALUES ('s', 'chat', 'r', 0, '[]', '{}', 'other')",
        "records", "1 of the snapshots cannot be read.",
    ),
    "a setting that says nothing": (
        "INSERT INTO continuity_settings VALUES ('', 'budgets.normal', '\"much\"', 0)",
        "settings", "`budgets.normal` must be a whole number",
    ),
    "a setting that cannot be read": (
        "INSERT INTO continuity_settings VALUES ('p', 'mode', '{', 0)",
        "settings", "the value of `mode` cannot be read",
    ),
    "memories without their words": (
        "DELETE FROM continuity_memory_text", "indexes", "is inconsistent",
    ),
    "memories that were not counted": (
        "DELETE FROM continuity_memory_term_counts", "indexes", "is inconsistent",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_each_damage_is_found_and_repaired_after_a_backup(patient: Patient, case: str) -> None:
    sql, check, words = BROKEN[case]
    patient.run_sql(sql)
    ((found_in, message, fixed),) = patient.found()
    assert (found_in, fixed) == (check, False)
    assert words in message
    assert patient.found(fix=True, dryRun=True) == [(check, message, False)]
    assert not (patient.folder / BACKUPS_FOLDER).exists()
    answer = patient.look(fix=True)
    assert answer["healthy"]
    assert [(entry["message"], entry["fixed"]) for entry in answer["findings"]] == [(message, True)]
    assert [entry["level"] for entry in answer["checks"]] == ["ok"] * len(ALL)
    assert patient.found() == []
    copy = connect(Path(answer["backup"]))
    assert copy.execute("PRAGMA integrity_check").get == "ok"
    assert copy.execute("SELECT count(*) FROM continuity_artifacts").get == 1
    copy.close()
    assert Path(answer["backup"]).parent == patient.folder / BACKUPS_FOLDER


def test_a_repair_leaves_what_was_rewritten_meanwhile(patient: Patient) -> None:
    patient.run_sql("UPDATE continuity_state SET counters = '{'")
    patient.run_sql("INSERT INTO continuity_settings VALUES ('', 'mode', '\"loud\"', 0)")
    found = [*check_rows(patient.process.database), *check_settings(patient.process.database, {})]
    assert len(found) == 2
    patient.run_sql("UPDATE continuity_state SET counters = '{}'")
    set_settings(patient.chat, mode="active")
    for entry in found:
        assert entry.repair is not None
        entry.repair()
    assert patient.value("SELECT count(*) FROM continuity_state") == 1
    assert patient.value("SELECT CAST(value AS TEXT) FROM continuity_settings WHERE name = 'mode'") == '"active"'


def test_the_next_run_works_after_a_repair(patient: Patient) -> None:
    for sql in ("UPDATE continuity_state SET counters = '{'", "UPDATE continuity_runs SET touched = x'00'",
                "DELETE FROM continuity_memory_text"):  # fmt: skip
        patient.run_sql(sql)
    patient.look(fix=True)
    assert {entry["level"] for entry in patient.look()["findings"]} == {"warning"}, "what was set aside is listed"
    assert patient.chat.turn("and now?")["action"] == "inject"
    search = {"cwd": patient.chat.project_path, "query": "cents"}
    assert len(patient.sidecar.client.request("memory/search", search)["memories"]) == 1


@pytest.mark.parametrize(
    "table", ["memory_text", "memories", "memory_files", "memory_term_counts", "runs", "state", "sessions"]
)
def test_a_missing_table_is_rebuilt_with_everything_derived_from_it(patient: Patient, table: str) -> None:
    patient.run_sql(f"DROP TABLE continuity_{table}")
    assert f"continuity_{table} is missing." in {message for _, message, _ in patient.found()}
    assert patient.look(fix=True)["healthy"]
    assert patient.found() == []
    assert patient.chat.turn("and now?")["action"] == "inject"
    search = {"cwd": patient.chat.project_path, "query": "cents"}
    assert len(patient.sidecar.client.request("memory/search", search)["memories"]) == 1


def test_a_modified_artifact_is_reported_and_not_removed(patient: Patient) -> None:
    patient.run_sql("UPDATE continuity_artifacts SET body = 'Forged.'")
    answer = patient.look(fix=True)
    (finding,) = answer["findings"]
    assert (finding["check"], finding["fixable"], finding["fixed"]) == ("records", False, False)
    assert "is damaged" in finding["message"]
    assert not answer["healthy"]
    assert patient.value("SELECT count(*) FROM continuity_artifacts") == 1


def test_the_next_start_sets_a_file_with_corrupt_pages_aside(
    patient: Patient, open_sidecar: Callable[..., MemorySidecar]
) -> None:
    patient.run_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    root = patient.value("SELECT rootpage FROM sqlite_schema WHERE name = 'continuity_overrides'")
    patient.run_sql("PRAGMA writable_schema = ON")
    with (patient.folder / "continuity.db").open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\xff" * 64)
    answer = patient.look(fix=True)
    (finding,) = (entry for entry in answer["findings"] if entry["check"] == "database")
    assert finding["level"] == "error"
    assert not answer["healthy"]
    patient.sidecar.close()
    again = open_sidecar(state_dir=patient.folder)
    handshake = again.client.initialize()
    assert "set aside as continuity.db.damaged-" in handshake["state"]["warnings"][0]
    artifacts = again.client.request("artifact/list", {"projectPath": patient.chat.project_path})["artifacts"]
    assert len(artifacts) == 1
    after = again.client.request("state/doctor", {})
    assert [(entry["check"], entry["fixable"]) for entry in after["findings"]] == [("disk", False)]
    assert "was set aside" in after["findings"][0]["message"]


def test_what_was_lost_with_damaged_files_is_named_until_the_mode_is_set_again(
    patient: Patient, open_sidecar: Callable[..., MemorySidecar]
) -> None:
    patient.sidecar.close()
    for contents in (b"no database", b"neither"):
        (patient.folder / "continuity.db").write_bytes(contents)
        again = open_sidecar(state_dir=patient.folder)
        again.client.initialize()
        findings = again.client.request("state/doctor", {})["findings"]
        if contents != b"neither":
            again.close()
    aside = sorted(file.name for file in patient.folder.glob("*.damaged-*") if file.suffix != ".lost")
    lost = "Nothing in it could be read: settings, artifacts and all other records in it are lost."
    settings = "Settings were lost with the damaged state file"
    assert [(entry["check"], entry["message"]) for entry in findings] == [
        (
            "settings",
            f"{settings} {aside[-1]}. The mode is now passive, so nothing is injected.",
        ),
        *(("disk", f"A damaged state file was set aside: {name}. {lost}") for name in aside),
    ]
    again.client.request("settings/update", {"settings": {"mode": "active"}})
    assert {entry["check"] for entry in again.client.request("state/doctor", {})["findings"]} == {"disk"}


def test_an_incomplete_index_is_rebuilt(patient: Patient) -> None:
    connection = apsw.Connection(str(patient.folder / "continuity.db"))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute("PRAGMA writable_schema = ON")
    other = "CREATE INDEX continuity_runs_by_sub_chat ON continuity_runs (sub_chat_id, run_id)"
    connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'continuity_runs_by_sub_chat'", (other,))
    connection.close()
    runs = patient.value("SELECT count(*) FROM continuity_runs")
    patient.sidecar.close()
    reopened = MemorySidecar(patient.folder)
    try:
        reopened.client.initialize()
        answer = reopened.client.request("state/doctor", {"fix": True})
        assert [(entry["check"], entry["fixed"]) for entry in answer["findings"]] == [("database", True)]
        assert reopened.app.process is not None
        with reopened.app.process.database.read() as tx:
            assert tx.execute("SELECT count(*) FROM continuity_runs").get == runs
    finally:
        reopened.close()


def test_unreadable_and_half_written_memory_files_are_reported(patient: Patient) -> None:
    folder = Path(patient.chat.project_path) / ".chati" / "memories" / "shared" / "durable"
    (folder / "broken.md").write_bytes(b"---\ntype: [\n---\n\xff\xfe")
    half = folder / f".onecode-{DEAD_PID}-1.new"
    half.write_bytes(b"half")
    before = patient.found()
    assert {check for check, _, _ in before} == {"memories"}
    assert any("broken.md" in message for _, message, _ in before)
    left = {message: fixed for _, message, fixed in patient.found(fix=True)}
    assert left["Killed processes left 1 unfinished file."]
    assert not half.exists()
    assert (folder / "broken.md").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_a_state_folder_readable_by_others_is_restricted_to_the_user(patient: Patient) -> None:
    patient.folder.chmod(0o755)
    assert patient.found(fix=True) == [
        ("disk", "Other users can read the state folder, which contains parts of your code and conversations.", True)
    ]
    assert patient.folder.stat().st_mode & 0o777 == 0o700


def test_nothing_is_repaired_without_disk_space_for_a_backup(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    patient.run_sql("UPDATE continuity_state SET counters = '{'")
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    assert ("disk", "0 MiB are free on the disk of the state folder.", False) in patient.found()
    error = patient.sidecar.client.error("state/doctor", {"fix": True})
    assert error.data["kind"] == "stateDegraded"
    assert patient.value("SELECT counters FROM continuity_state") == "{"


def test_a_finding_of_which_only_a_number_changed_is_not_reported_as_fixed(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient.run_sql("UPDATE continuity_state SET counters = '{'")
    free_mib = iter(range(500, 0, -1))
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=next(free_mib) << 20))
    found = [entry for entry in patient.found(fix=True) if entry[0] == "disk"]
    assert [(message.partition(" ")[2], fixed) for _, message, fixed in found] == [
        ("MiB are free on the disk of the state folder.", False)
    ]


def test_a_blocked_memory_branch_is_reported_with_a_remedy(patient: Patient, shop: Repository) -> None:
    set_settings(patient.chat, artifactPolicy="auto-write-memory-branch")
    lock = shop.path / ".git/refs/heads/memory/continuity.lock"
    lock.parent.mkdir()
    lock.write_bytes(b"")
    ((check, message, _),) = patient.found()
    assert (check, message) == ("memoryBranch", "`continuity.lock` blocks the memory branch.")
    lock.unlink()
    shop.git("checkout", "-q", "-b", "memory/continuity")
    ((check, message, _),) = patient.found()
    assert (check, "checked out" in message) == ("memoryBranch", True)


def test_a_memory_branch_with_missing_objects_is_reported(patient: Patient, shop: Repository) -> None:
    shop.git("branch", "memory/continuity")
    tree = shop.git("rev-parse", "HEAD^{tree}").strip()
    (shop.path / ".git/objects" / tree[:2] / tree[2:]).unlink()
    messages = [message for check, message, _ in patient.found() if check == "memoryBranch"]
    assert messages == ["The commit of `memory/continuity`, or its files, cannot be read."]


def test_problems_of_registry_and_knowledge_sync_are_reported(patient: Patient, tmp_path: Path) -> None:
    set_settings(patient.chat, knowledge={"repository": str(tmp_path / "nowhere")})
    registry = Path(patient.chat.project_path) / OWN_REGISTRY
    registry.parent.mkdir(parents=True, exist_ok=True)
    registry.write_text(REGISTRY)
    found = {check: message for check, message, _ in patient.found()}
    assert found.keys() == {"knowledge", "registry"}
    assert "src/gone.py" in found["registry"]


def empty_objects(path: Path) -> None:
    for file in (path / ".git" / "objects").glob("??/*"):
        file.chmod(0o600)
        file.write_bytes(b"")


UNREADABLE: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "index": (lambda path: (path / ".git" / "index").write_bytes(b"garbage"), "the index is damaged", "git reset"),
    "configuration": (
        lambda path: (path / ".git" / "config").write_text("[core"),
        "the repository's configuration is damaged", "git config --list",
    ),
    "format": (
        lambda path: (path / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 99\n"),
        "this git does not know the repository's format", "newer version of git",
    ),
    "extension": (
        lambda path: (path / ".git" / "config").write_text(
            "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunknown = true\n"
        ),
        "this git does not know the repository's format", "newer version of git",
    ),
    "git file": (
        lambda path: (shutil.rmtree(path / ".git"), (path / ".git").write_text("gitdir: /nowhere/at/all\n")),
        "the repository is damaged", "git worktree repair",
    ),
    "objects": (empty_objects, "the repository is damaged", "git fsck"),
    "missing objects": (
        lambda path: [shutil.rmtree(folder) for folder in (path / ".git" / "objects").glob("??")],
        "unknown revision", "git fetch",
    ),
}  # fmt: skip
"""How a repository becomes unreadable, the reason, and a part of the remedy."""
if sys.platform != "win32" and os.geteuid() == 0:
    UNREADABLE["owner"] = (
        lambda path: [os.chown(folder, 65534, 65534) for folder in (path, path / ".git")],
        "the repository belongs to another user", "safe.directory",
    )  # fmt: skip


def test_a_repository_that_cannot_be_read_is_reported_with_the_reason_that_a_pre_run_gives(
    patient: Patient, tmp_path: Path
) -> None:
    for name, (damage, reason, remedy) in UNREADABLE.items():
        path = make_repository(tmp_path / name, SHOP).path
        damage(path)
        answer = Conversation(patient.sidecar.client, path, sub_chat_id=name).pre_run(PROMPT)
        (omission,) = [entry for entry in answer["metadata"]["trimmed"] if entry["item"] == "repository"]
        findings = patient.look(projectPath=str(path))["findings"]
        (finding,) = [entry for entry in findings if entry["check"] == "repository"]
        assert (name, omission["reason"], finding["level"]) == (name, reason, "error")
        assert finding["message"] == f"Nothing can be read from the repository: {reason}."
        assert remedy in finding["remedy"]


def test_without_git_the_doctor_states_that_nothing_is_read(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(patient.folder / "nothing"))
    remedies = {entry["check"]: entry["remedy"] for entry in patient.look()["findings"]}
    assert remedies == {
        "repository": INSTALL_GIT,
        "versions": f"{INSTALL_GIT} Until then no folder is read, and packs contain no code.",
    }


@pytest.mark.skipif(sys.platform == "win32", reason="the command is a shell script")
def test_a_git_that_fails_is_reported_with_one_reason(
    patient: Patient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    rows = (
        ("You have not agreed to the Xcode license agreements. Please run 'sudo xcodebuild -license'.", XCODE_LICENSE),
        ("xcode-select: note: No developer tools were found, requesting install.", GIT_MISSING),
        ("xcrun: error: invalid active developer path (/Library/Developer/CommandLineTools)", GIT_MISSING),
    )
    for output, reason in rows:
        (tmp_path / "git").write_text(f'#!/bin/sh\necho "{output}" >&2\nexit 1\n')
        (tmp_path / "git").chmod(0o755)
        found = {check: message for check, message, _ in patient.found()}
        assert found["repository"] == f"Nothing can be read from the repository: {reason}."
        is_missing = reason == GIT_MISSING
        expected = "The git command is not installed." if is_missing else f"The git command fails: {reason}."
        assert found["versions"] == expected


def test_system_limits_and_an_old_git_are_reported(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_inotify_limit", lambda name: {"max_user_watches": 1, "max_user_instances": 2}[name])
    monkeypatch.setattr(Git, "version", lambda: "git version 2.17.1")
    found = {check: message for check, message, _ in patient.found()}
    if sys.platform == "linux":
        assert "max_user_watches" in found["watchers"]
    assert found["versions"] == "The installed git is too old: git version 2.17.1."


def test_a_sidecar_of_another_version_is_reported(
    patient: Patient, open_sidecar: Callable[..., MemorySidecar], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecar.app.__version__", "0.0.9")
    open_sidecar(state_dir=patient.folder).client.initialize()
    ((check, message, _),) = patient.found()
    assert check == "versions"
    assert message.startswith("A sidecar of version 0.0.9 uses the same state")


def test_backups_are_complete_and_only_the_latest_remain(tmp_path: Path) -> None:
    path = tmp_path / "continuity.db"
    database = connect(path)
    migrate(database, 0, MIGRATIONS)
    made = [back_up(path, minute * 60_000, ".unfinished") for minute in range(MAX_BACKUPS + 2)]
    made.append(back_up(path, (MAX_BACKUPS + 1) * 60_000, ".unfinished"))
    database.close()
    left = sorted((tmp_path / BACKUPS_FOLDER).iterdir())
    assert left == made[-MAX_BACKUPS:]
    if sys.platform != "win32":
        assert {entry.stat().st_mode & 0o777 for entry in left} == {0o600}


def test_no_sweep_removes_a_backup_that_is_being_made(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    def sweep_and_back_up(path: Path, now_ms: int, name: str) -> Path:
        unfinished = path.with_name(name)
        unfinished.touch()
        remove_abandoned_files(str(path.parent))
        unfinished.unlink()  # fails if the sweep removed it
        return back_up(path, now_ms, name)

    monkeypatch.setattr(doctor, "back_up", sweep_and_back_up)
    patient.run_sql("DELETE FROM continuity_memory_text")
    assert patient.look(fix=True)["healthy"]


def test_rows_that_cannot_be_decoded_are_reported_and_set_aside(patient: Patient) -> None:
    patient.run_sql("UPDATE continuity_runs SET workspace = CAST(x'61ff62' AS TEXT)")
    patient.run_sql("UPDATE continuity_state SET task = CAST(x'7bff7d' AS BLOB)")
    messages = ["2 rows of continuity_runs cannot be decoded.", "1 row of continuity_state cannot be decoded."]
    findings = {message: fixed for _, message, fixed in patient.found(fix=True)}
    assert all(findings[message] for message in messages)
    assert sorted(message for _, message, _ in patient.found()) == [
        "1 row of continuity_state could not be decoded and is in continuity.db.damaged-rows.",
        "2 rows of continuity_runs could not be decoded and are in continuity.db.damaged-rows.",
    ]
    assert patient.chat.pre_run("and now fix it")["reason"] != "stateUnavailable"
    patient.sidecar.client.request("state/purge", {"kinds": ["damaged"]})
    assert patient.found() == []


def test_a_derived_row_that_cannot_be_decoded_is_rebuilt_by_the_read(patient: Patient) -> None:
    patient.run_sql("UPDATE continuity_memories SET title = CAST(x'61ff62' AS TEXT)")
    where = {"cwd": patient.chat.project_path}
    assert "Money" in str(patient.sidecar.client.request("memory/search", {**where, "query": "cents"}))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_a_state_folder_that_others_can_write_to_or_replace_is_an_error(patient: Patient) -> None:
    patient.folder.chmod(0o722)
    patient.folder.parent.chmod(0o777)
    findings = {entry["message"]: (entry["level"], entry["fixed"]) for entry in patient.look(fix=True)["findings"]}
    patient.folder.parent.chmod(0o1777)
    assert findings == {
        "Other users can write to the state folder, and so replace what agents receive.": ("error", True),
        "Other users can write to the folder that contains the state folder, and so replace it.": ("error", False),
    }
    assert patient.folder.stat().st_mode & 0o777 == 0o700
    assert patient.look()["healthy"]

"""A purge removes what was selected; the user's own data only when named."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from sidecar.call import Process
from sidecar.operations.purge import DEFAULT_KINDS, ROW_GROUPS
from sidecar.storage.migrations import migrate
from sidecar.storage.purgeable_rows import move_project
from sidecar.workspace import IF_MOVED
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.played_state import PlayedState
from tests.support.repositories import make_repository
from tests.support.shop import PROMPT, SHOP, send_session_event, set_settings

DAY_MS = 86_400_000
NAMES = ("shop", "till")
STAYS = {
    "continuity_migrations", "continuity_deliveries", "continuity_session_turns", "continuity_session_locks",
    "continuity_session_files",
    "continuity_memory_tokens", "continuity_memory_revisions", "continuity_project_folders",
}  # fmt: skip
"""Folders remain as long as anything else of their project does.

Turns and deliveries are removed with their sessions, a session lock by `session exit`; revisions only grow."""


class State:
    """Two projects, each with two runs, an artifact and a memory; a month later one more run in the first."""

    def __init__(self, sidecar: MemorySidecar, chats: list[Conversation]) -> None:
        self.sidecar = sidecar
        self.chats = chats
        assert sidecar.app.process is not None
        self.process: Process = sidecar.app.process

    def ask(self, **params: Any) -> dict[str, tuple[int, int]]:
        """Return removed and remaining by kind."""
        answer = self.sidecar.client.request("state/purge", params)
        return {entry["kind"]: (entry["removed"], entry["remaining"]) for entry in answer["kinds"]}

    def rows(self, table: str, where: str = "1") -> int:
        with self.process.database.read() as tx:
            return int(str(tx.execute(f"SELECT count(*) FROM continuity_{table} WHERE {where}").get))

    def everything(self) -> dict[str, int]:
        with self.process.database.read() as tx:
            names = [name for (name,) in tx.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            tables = [str(name) for name in names if re.match(r"continuity_(?!memory_text_)", str(name))]
            return {name: int(str(tx.execute(f"SELECT count(*) FROM {name}").get)) for name in tables}

    def key(self, number: int) -> str:
        return self.process.workspaces.get(self.chats[number].project_path, None).project_key


def worked(chat: Conversation, turn: int) -> Any:
    long = "".join(f"line_{turn}_{number} = {number}\n" for number in range(130))
    return chat.turn(PROMPT, lambda: [chat.edit(f"src/made_{turn}.py", long)], session=f"session-{chat.sub_chat_id}")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> PlayedState:
    def play(active: MemorySidecar, folder: Path) -> None:
        chats = [
            Conversation(active.client, make_repository(folder / name, SHOP).path, sub_chat_id=name) for name in NAMES
        ]
        for chat in chats:
            for turn in range(2):
                worked(chat, turn)
            memory = {"cwd": chat.project_path, "title": "Money", "text": "Whole cents.", "type": "decision"}
            active.client.request("memory/add", memory)
        set_settings(chats[0], tokenMode="low")
        active.clock.advance(31 * DAY_MS)
        worked(chats[0], 2)

    return PlayedState(tmp_path_factory.mktemp("purge"), play)


@pytest.fixture
def state(played: PlayedState, open_sidecar: Callable[..., MemorySidecar]) -> State:
    sidecar = played.restore(open_sidecar)
    chats = [Conversation(sidecar.client, played.folder / name, sub_chat_id=name) for name in NAMES]
    for chat in chats:
        chat.session_id = f"session-{chat.sub_chat_id}"
    return State(sidecar, chats)


def test_every_table_belongs_to_a_kind_or_remains_for_a_reason() -> None:
    model = apsw.Connection(":memory:")
    migrate(model, 0)
    tables = {str(name) for (name,) in model.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    model.close()
    ours = {name for name in tables if re.match(r"continuity_(?!memory_text_)", name)}
    assert ours == {entry.table for entry in ROW_GROUPS} | STAYS
    assert not {entry.table for entry in ROW_GROUPS} & STAYS


VALUES = {"INTEGER": 7, "REAL": 0.5, "TEXT": "text", "BLOB": b"[]"}
NOT_MOVED = {
    "continuity_memory_files", "continuity_memories", "continuity_memory_term_counts", "continuity_memory_revisions",
}  # fmt: skip
"""The memory files fill these again."""


def test_every_table_of_a_project_follows_it_to_another_path() -> None:
    """The tables are those of the schema: one that is added later is covered without a change here."""
    state = apsw.Connection(":memory:")
    migrate(state, 0)
    columns: dict[str, dict[str, str]] = {}
    names = state.execute("SELECT name FROM pragma_table_list WHERE type = 'table' AND name GLOB 'continuity_*'")
    for (table,) in list(names):
        rows: Any = state.execute("SELECT name, type FROM pragma_table_info(?)", (table,))
        columns[str(table)] = dict(rows)
    of_projects = {table for table, of in columns.items() if "project" in of}
    of_workspaces = {table for table, of in columns.items() if "workspace" in of and not table.endswith("_cache")}

    def insert(table: str, key: str, text: str) -> None:
        row: dict[str, Any] = {name: text if kind == "TEXT" else VALUES[kind] for name, kind in columns[table].items()}
        row |= {name: key for name in ("project", "workspace") if name in row}
        row |= {name: len(text) for name in ("row_id", "number") if columns[table].get(name) == "INTEGER"}
        marks = ", ".join("?" * len(row))
        state.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))

    for table in of_projects | of_workspaces:
        insert(table, "former", "text")
    state.execute("INSERT INTO continuity_memory_text (rowid, text) SELECT row_id, 'cents' FROM continuity_memories")
    state.execute("INSERT INTO continuity_settings VALUES ('former', 'mode', 'of the former path', 0)")
    state.execute("INSERT INTO continuity_settings VALUES ('current', 'mode', 'of the new path', 0)")
    move_project(state, "former", "current")

    def with_key(column: str, key: str) -> set[str]:
        tables = of_projects if column == "project" else of_workspaces
        return {table for table in tables if state.execute(f"SELECT 1 FROM {table} WHERE {column} = ?", (key,)).get}

    assert with_key("project", "former") == {"continuity_memory_revisions"}
    assert with_key("project", "current") == of_projects - NOT_MOVED
    assert (with_key("workspace", "former"), with_key("workspace", "current")) == (set(), of_workspaces)
    assert state.execute("SELECT value FROM continuity_settings WHERE name = 'mode'").get == "of the new path"
    assert state.execute("SELECT count(*) FROM continuity_memory_text").get == 0
    state.close()


def test_removing_one_project_does_not_change_another(state: State) -> None:
    other = state.key(1)
    before = {table: state.rows(table, f"project = '{other}'") for table in ("runs", "calls", "state", "memories")}
    params = {"projectPath": state.chats[0].project_path}
    foretold = state.ask(**params, dryRun=True)
    assert state.rows("runs") == 5
    removed = state.ask(**params)
    assert removed == foretold
    assert removed["runs"] == (3, 0)
    assert removed["artifacts"] == (0, state.rows("artifacts", f"project = '{state.key(0)}'"))
    assert removed["artifacts"][1] > 0
    for table in ("runs", "calls", "state", "memories", "memory_term_counts", "metrics"):
        assert state.rows(table, f"project = '{state.key(0)}'") == 0, table
    assert state.rows("sessions", "sub_chat_id = 'shop'") == state.rows("snapshots", "sub_chat_id = 'shop'") == 0
    assert state.rows("deliveries", "session_id = 'session-shop'") == 0
    assert state.rows("deliveries", "session_id = 'session-till'") > 0
    assert {table: state.rows(table, f"project = '{other}'") for table in before} == before
    assert state.rows("settings") == 1


def test_a_dry_run_needs_no_write_lock(state: State) -> None:
    with state.process.database.write():
        assert state.ask(olderThanDays=30, dryRun=True)["runs"] == (4, 1)


def test_after_a_purge_full_packs_are_sent_and_memories_are_indexed_again(state: State) -> None:
    first = state.chats[0]
    state.ask(projectPath=first.project_path)
    answer = worked(first, 3)
    assert answer["system"] is not None
    assert answer["metadata"]["reusedBytes"] == 0
    search = {"cwd": first.project_path, "query": "cents"}
    assert len(state.sidecar.client.request("memory/search", search)["memories"]) == 1


def test_a_project_without_its_folder_is_selected_by_key(state: State) -> None:
    assert state.ask(project=state.key(1))["runs"] == (2, 0)
    assert state.rows("runs") == 3


def test_a_project_path_without_a_folder_is_refused(state: State, tmp_path: Path) -> None:
    before = state.everything()
    refused = state.sidecar.client.error("state/purge", {"projectPath": str(tmp_path / "shopp")})
    assert refused.data["kind"] == "workspaceUnavailable"
    assert (refused.message, refused.data["hint"]) == (
        "The project's folder does not exist.",
        f"{IF_MOVED} If it was deleted, name its key, which `state/status` lists.",
    )
    assert state.everything() == before


def test_a_key_of_no_project_is_refused(state: State) -> None:
    before = state.rows("runs"), state.rows("settings")
    for params in ({}, {"dryRun": True}, {"kinds": ["settings"]}):
        refused = state.sidecar.client.error("state/purge", {"project": "0" * 16, **params})
        assert refused.data["kind"] == "notFound"
        assert (refused.message, refused.data["hint"]) == ("No project has this key.", "`state/status` lists the keys.")
    assert (state.rows("runs"), state.rows("settings")) == before


def test_a_key_is_known_as_long_as_anything_is_stored_under_it(state: State) -> None:
    key = state.key(0)
    state.ask(project=key)
    assert state.rows("runs", f"project = '{key}'") == 0
    drafts = state.rows("artifacts", f"project = '{key}'")
    assert state.ask(project=key, kinds=["artifacts"])["artifacts"] == (drafts, 0)


def test_purge_by_age_removes_only_older_data(state: State) -> None:
    removed = state.ask(olderThanDays=30)
    assert removed["runs"] == (4, 1)
    assert state.rows("runs", f"project = '{state.key(0)}'") == 1
    assert state.rows("state") == 1
    assert state.rows("sessions", "sub_chat_id = 'shop'") == 1
    assert removed["metrics"][0] > 0
    assert removed["metrics"][1] > 0
    assert removed["artifacts"][0] == removed["memories"][0] == removed["settings"][0] == 0
    assert state.rows("memories") == 2


def test_the_users_own_data_is_removed_only_when_named(state: State, played: PlayedState) -> None:
    kinds = [kind for kind in {entry.kind for entry in ROW_GROUPS} if kind not in DEFAULT_KINDS]
    before = {entry.table: state.everything()[entry.table] for entry in ROW_GROUPS if entry.kind in kinds}
    for number in (0, 1):
        state.ask(projectPath=state.chats[number].project_path)
    state.ask(olderThanDays=1)
    assert {table: state.everything()[table] for table in before} == before
    assert state.ask(kinds=["settings"])["settings"] == (1, 0)
    drafts = before["continuity_artifacts"]
    assert state.ask(kinds=["artifacts"])["artifacts"] == (drafts, 0)
    assert state.rows("artifacts") == 0
    assert list(played.folder.rglob(".chati/memories/shared/durable/*.md"))


def test_a_purge_whose_every_scope_is_null_is_refused(state: State) -> None:
    before = state.everything()
    refused = state.sidecar.client.error(
        "state/purge", {"projectPath": None, "project": None, "olderThanDays": None, "kinds": None}
    )
    assert refused.data["kind"] == "invalidParams"
    assert state.everything() == before


def test_memory_files_are_removed_when_named_with_their_project(state: State) -> None:
    refused = state.sidecar.client.error("state/purge", {"kinds": ["memories"]})
    assert refused.data["kind"] == "invalidParams"
    paths = [list(Path(chat.project_path).rglob(".chati/memories/shared/durable/*.md")) for chat in state.chats]
    assert [len(of_project) for of_project in paths] == [1, 1]
    params = {"projectPath": state.chats[0].project_path, "kinds": ["memories"]}
    assert state.ask(**params, olderThanDays=60)["memories"][0] == 0
    assert paths[0][0].exists()
    assert state.ask(**params)["memories"][0] >= 1
    assert [path.exists() for of_project in paths for path in of_project] == [False, True]
    assert state.rows("memories", f"project = '{state.key(0)}'") == 0


def test_what_was_taken_back_is_not_counted_as_a_memory(state: State) -> None:
    path = state.chats[0].project_path
    stored = {"cwd": path, "title": "Tabs", "text": "Always use tabs.", "type": "preference"}
    added = state.sidecar.client.request("memory/add", stored)
    params: dict[str, Any] = {"projectPath": path, "kinds": ["memories"], "dryRun": True}
    assert state.ask(**params)["memories"] == (2, 0)
    state.sidecar.client.request("memory/undo", {"cwd": path, "id": added["id"]})
    assert state.rows("memory_tombstones") == 1
    assert state.ask(**params)["memories"] == (1, 0)
    assert state.ask(kinds=["damaged"], dryRun=True)["memories"] == (0, 0)


def test_damaged_artifacts_are_removed_when_named_and_others_remain(state: State) -> None:
    drafts = state.rows("artifacts")
    with state.process.database.write() as tx:
        tx.execute("UPDATE continuity_artifacts SET body = 'Forged.' WHERE project = ?", (state.key(1),))
    damaged = state.rows("artifacts", "body = 'Forged.'")
    assert damaged > 0
    assert state.ask(kinds=["damagedArtifacts"])["damagedArtifacts"] == (damaged, 0)
    assert state.rows("artifacts") == drafts - damaged


def test_damaged_files_are_removed_when_named(state: State) -> None:
    folder = state.process.state_dir
    (folder / "backups").mkdir()
    (folder / "backups" / "continuity-1.db").write_bytes(b"x" * 5000)
    (folder / "continuity.db.damaged-1").write_bytes(b"x" * 5000)
    state.ask(olderThanDays=1)
    assert state.ask(project=state.key(0), kinds=["backups"])["backups"] == (0, 1)
    assert (folder / "backups" / "continuity-1.db").exists()
    answer = state.sidecar.client.request("state/purge", {"kinds": ["backups", "damaged"]})
    assert answer["freedBytes"] >= 10_000
    assert not list(folder.glob("*.damaged-*"))
    assert not list((folder / "backups").iterdir())


def test_a_file_that_remains_is_counted_as_remaining_with_its_reason(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = state.process.state_dir
    (folder / "continuity.db.damaged-1").write_bytes(b"x")

    def damaged_files(**params: Any) -> tuple[int, int, str | None]:
        answer = state.sidecar.client.request("state/purge", {"kinds": ["damaged"], **params})
        entry = next(entry for entry in answer["kinds"] if entry["kind"] == "damaged")
        return entry["removed"], entry["remaining"], entry["reason"]

    def refuse(_path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    assert damaged_files(project=state.key(0)) == (0, 1, "of no project")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        assert damaged_files() == (0, 1, "could not be deleted")
    assert damaged_files() == (1, 0, None)


def test_a_purge_shrinks_the_file_and_leaves_no_text_of_a_run(state: State) -> None:
    path = state.process.database.path
    state.ask(kinds=["artifacts"])
    state.process.database.empty_log()
    assert b"ignore the discount" in path.read_bytes()
    before = path.stat().st_size
    assert state.ask(projectPath=state.chats[0].project_path)["runs"] == (3, 0)
    assert state.ask(projectPath=state.chats[1].project_path)["runs"] == (2, 0)
    state.ask(kinds=["caches"])
    assert path.with_name(path.name + "-wal").stat().st_size == 0
    assert b"ignore the discount" not in path.read_bytes()
    assert path.stat().st_size < before


def test_the_next_run_removes_runs_older_than_the_retention(state: State) -> None:
    set_settings(state.chats[0], retention={"days": 30})
    state.sidecar.clock.advance(29 * DAY_MS)
    worked(state.chats[0], 3)
    assert state.rows("runs") == 2
    assert state.rows("runs", f"project = '{state.key(1)}'") == 0
    assert state.rows("artifacts", f"project = '{state.key(1)}'") > 0


def test_deleting_a_chat_removes_its_records_but_not_its_artifacts(state: State) -> None:
    first, other = state.chats
    drafts = state.rows("artifacts")
    send_session_event(first, "deleted")
    state.sidecar.app.scheduler.drain(5000)
    for table in ("runs", "calls", "state", "sessions", "snapshots"):
        assert state.rows(table, "sub_chat_id = 'shop'") == 0, table
        assert table == "snapshots" or state.rows(table, "sub_chat_id = 'till'") > 0, table
    assert state.rows("artifacts") == drafts
    assert worked(other, 5)["metadata"]["reusedBytes"] > 0
    assert (
        state.sidecar.client.error("continuity/explain", {"projectPath": first.project_path}).data["kind"] == "notFound"
    )


def test_deleting_a_session_removes_only_that_session(state: State) -> None:
    first = state.chats[0]
    first.turn("go on", session="second")
    send_session_event(first, "deleted", "session-shop")
    state.sidecar.app.scheduler.drain(5000)
    assert state.rows("runs", "sub_chat_id = 'shop'") == 1
    assert state.rows("sessions", "sub_chat_id = 'shop'") == 1
    assert state.rows("state", "sub_chat_id = 'shop'") == 1


def test_a_run_that_ends_after_its_chat_was_deleted_is_not_stored(state: State) -> None:
    first, drafts = state.chats[0], state.rows("artifacts")
    before = first.pre_run(PROMPT)
    send_session_event(first, "deleted")
    late = first.post_run(before, PROMPT, session="session-shop")
    assert (late["accepted"], late["duplicate"], late["artifacts"]) == (False, False, [])
    for table in ("runs", "calls", "state", "sessions", "snapshots"):
        assert state.rows(table, "sub_chat_id = 'shop'") == 0, table
    assert state.rows("artifacts") == drafts


def test_a_run_of_a_deleted_session_is_not_stored_but_other_sessions_are(state: State) -> None:
    first = state.chats[0]
    before = first.pre_run("go on")
    send_session_event(first, "deleted", "session-shop")
    assert first.post_run(before, "go on", session="session-shop")["accepted"] is False
    first.session_id = None
    assert first.post_run(first.pre_run("go on"), "go on", session="second")["accepted"] is True
    assert state.rows("runs", "sub_chat_id = 'shop' AND session_after = 'second'") == 1


def test_a_new_prompt_in_a_deleted_chat_revives_it(state: State) -> None:
    first = state.chats[0]
    send_session_event(first, "deleted")
    assert first.post_run(first.pre_run(PROMPT), PROMPT, session="again")["accepted"] is True
    assert state.rows("deleted") == 0
    assert state.rows("runs", "sub_chat_id = 'shop'") == 1

"""Conversations, pre-runs, runs and test outcomes in the state file."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple, cast

import apsw
import orjson

from sidecar.runs.model import NEW_SUB_CHAT, CallRecord, Counters, FailingTests, Place, RunTold, SubChat, Task

KEPT_CALLS = 400
"""Pre-runs kept for `continuity/explain`; the oldest go first, a few at a time."""

FORGOTTEN_AT_ONCE = 16


def sub_chat(tx: apsw.Connection, sub_chat_id: str) -> SubChat:
    """Gives what is known of a conversation; a new one where nothing is."""
    row = tx.execute(
        "SELECT task, counters, todos, plan FROM continuity_state WHERE sub_chat_id = ?", (sub_chat_id,)
    ).fetchone()
    if row is None:
        return NEW_SUB_CHAT
    task, counters, todos = (orjson.loads(cell) for cell in row[:3])
    # A file of an earlier version has other counters too; what it does not have begins at none.
    kept = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in counters.items()
        if name in Counters._fields
    }
    return SubChat(
        Task(task["fingerprint"], tuple(task["terms"]), tuple(task["names"]), task["query"], task["objective"])
        if task
        else None,
        Counters(**cast("Any", kept)),
        tuple((content, status) for content, status in todos),
        row[3],
    )


def place_of(tx: apsw.Connection, sub_chat_id: str) -> Place | None:
    """Gives the project and the workspace a conversation belongs to; None for an unknown one."""
    row = tx.execute("SELECT project, workspace FROM continuity_state WHERE sub_chat_id = ?", (sub_chat_id,)).fetchone()
    return Place(*row) if row else None


def put_sub_chat(
    tx: apsw.Connection, sub_chat_id: str, project: str, workspace: str, state: SubChat, now_ms: int
) -> None:
    """Keeps what is known of a conversation."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_state"
        " (sub_chat_id, project, workspace, task, counters, todos, plan, updated_at_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            sub_chat_id,
            project,
            workspace,
            _packed(state.task._asdict() if state.task else None),
            _packed(state.counters._asdict()),
            _packed(list(state.todos)),
            state.plan,
            now_ms,
        ),
    )


def record_call(tx: apsw.Connection, call: CallRecord) -> None:
    """Records a pre-run, pending until its post-run, and forgets the oldest ones: who is spoken to is not deleted."""
    tx.execute(
        "DELETE FROM continuity_deleted WHERE sub_chat_id = ? AND session_id IN ('', ?)",
        (call.sub_chat_id, call.session_id or ""),
    )
    tx.execute(
        "INSERT INTO continuity_calls (delivery_token, run_id, sub_chat_id, project, workspace, provider, session_id,"
        " shadow, status, created_at_ms, record, blocks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*call[:10], _packed(call.record), _compressed(_packed(call.blocks))),
    )
    if tx.last_insert_rowid() % FORGOTTEN_AT_ONCE:
        return
    tx.execute(
        "DELETE FROM continuity_calls WHERE delivery_token IN (SELECT delivery_token FROM continuity_calls"
        " ORDER BY created_at_ms DESC, rowid DESC LIMIT -1 OFFSET ?)",
        (KEPT_CALLS,),
    )


def amend_call(tx: apsw.Connection, delivery_token: str, more: Mapping[str, Any]) -> None:
    """Adds to a pre-run's record what was not known when it was made; the one of a run that has ended stays."""
    found = call_of_token(tx, delivery_token)
    if found is not None and run_result(tx, found.run_id) is None:
        packed = _packed({**found.record, **more})
        tx.execute("UPDATE continuity_calls SET record = ? WHERE delivery_token = ?", (packed, delivery_token))


def call_of_token(tx: apsw.Connection, delivery_token: str) -> CallRecord | None:
    """Gives the pre-run a token was given for."""
    return _call(tx, "delivery_token = ?", delivery_token)


def call_of_run(tx: apsw.Connection, run_id: str) -> CallRecord | None:
    """Gives the last pre-run of a run."""
    return _call(tx, "run_id = ?", run_id)


def first_call_of_run(tx: apsw.Connection, run_id: str) -> CallRecord | None:
    """Gives the pre-run that a run began with, where it had several."""
    return _call(tx, "run_id = ?", run_id, order="ASC")


def newest_call(tx: apsw.Connection, project: str | None) -> CallRecord | None:
    """Gives the last pre-run of a project, or of all."""
    return _call(tx, "project = coalesce(?, project)", project)


def settle_call(tx: apsw.Connection, delivery_token: str, status: str) -> None:
    """Notes what became of a pre-run's delivery: committed or dropped."""
    tx.execute("UPDATE continuity_calls SET status = ? WHERE delivery_token = ?", (status, delivery_token))


def drop_pending(tx: apsw.Connection, sub_chat_id: str) -> None:
    """Drops what is under way to a conversation: its post-run will not make it a delivery."""
    tx.execute(
        "UPDATE continuity_calls SET status = 'dropped' WHERE sub_chat_id = ? AND status = 'pending'", (sub_chat_id,)
    )


def run_result(tx: apsw.Connection, run_id: str) -> dict[str, Any] | None:
    """Gives the answer a recorded run got."""
    row = tx.execute("SELECT result FROM continuity_runs WHERE run_id = ?", (run_id,)).fetchone()
    return orjson.loads(row[0]) if row else None


def touched_files(tx: apsw.Connection, sub_chat_id: str, runs: int, task: str | None = None) -> list[str]:
    """Gives the files that a conversation's last runs changed, the latest first; with a fingerprint, on that task."""
    rows = tx.execute(
        "SELECT touched FROM continuity_runs WHERE sub_chat_id = ?1 AND (?2 IS NULL OR task_fingerprint = ?2)"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?3",
        (sub_chat_id, task, runs),
    )
    return list(dict.fromkeys(change[0] for (touched,) in rows for change in orjson.loads(touched)))


def lines_left(tx: apsw.Connection, sub_chat_id: str, runs: int) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Gives what a conversation's last runs left in files: of each the digest of its difference, and its lines' marks.

    It is what the last of them that changed the file knew.
    """
    rows = tx.execute(
        "SELECT touched FROM continuity_runs WHERE sub_chat_id = ? ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?",
        (sub_chat_id, runs),
    )
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for (touched,) in rows:
        for path, _added, _removed, *left in orjson.loads(touched):
            if left:
                found.setdefault(path, (left[0], tuple(left[1])))
    return found


def runs_told(tx: apsw.Connection, sub_chat_id: str, limit: int) -> list[RunTold]:
    """Gives what a conversation's last runs tell of their work, the latest first."""
    rows = tx.execute(
        "SELECT run_id, objective, conclusion, touched FROM continuity_runs WHERE sub_chat_id = ?"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?",
        (sub_chat_id, limit),
    )
    return [
        RunTold(run_id, objective, conclusion, tuple(change[0] for change in orjson.loads(touched)))
        for run_id, objective, conclusion, touched in rows
    ]


def last_in_session(tx: apsw.Connection, sub_chat_id: str, session_id: str) -> tuple[Any, Any]:
    """Gives usage and worth of the conversation's last run that ended in a session; (None, None) without one."""
    row = tx.execute(
        "SELECT usage, worth FROM continuity_runs WHERE sub_chat_id = ? AND session_after = ?"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT 1",
        (sub_chat_id, session_id),
    ).fetchone()
    usage, worth = row or (None, None)
    return usage and orjson.loads(usage), worth and orjson.loads(worth)


def sessions_since(tx: apsw.Connection, project: str, since_ms: int) -> int:
    """Gives how many provider sessions of a project had a run that finished after a moment."""
    found = tx.execute(
        "SELECT count(DISTINCT provider || ' ' || session_after) FROM continuity_runs"
        " WHERE project = ? AND finished_at_ms > ? AND session_after IS NOT NULL",
        (project, since_ms),
    )
    return int(str(found.get))


def record_run(tx: apsw.Connection, row: dict[str, Any]) -> None:
    """Records a run; its columns are the table's."""
    as_json = ("touched", "usage", "result", "worth")
    packed = {name: _packed(value) if name in as_json else value for name, value in row.items()}
    columns = ", ".join(packed)
    marks = ", ".join("?" * len(packed))
    tx.execute(f"INSERT INTO continuity_runs ({columns}) VALUES ({marks})", tuple(packed.values()))


def put_tests(tx: apsw.Connection, workspace: str, failing: FailingTests, status: str, now_ms: int) -> None:
    """Keeps a runner's last word in a workspace: failed with names, an excerpt and the state it was seen in; passed."""
    stood = (failing.head, failing.changed_hash)
    told = _packed([failing.names, failing.excerpt, *stood, failing.selections, failing.total])
    tx.execute(
        "INSERT OR REPLACE INTO continuity_tests (workspace, runner, status, failing, run_id, recorded_at_ms)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (workspace, failing.runner, status, told, failing.run_id, now_ms),
    )


def failing_tests(tx: apsw.Connection, workspace: str) -> list[FailingTests]:
    """Gives the runners whose last word in a workspace was a failure."""
    rows = tx.execute(
        "SELECT runner, failing, run_id, recorded_at_ms FROM continuity_tests"
        " WHERE workspace = ? AND status = 'failed' ORDER BY runner",
        (workspace,),
    )
    found = []
    for runner, packed, run_id, seen_at_ms in rows:
        names, excerpt, head, changed_hash, selections, total = (*orjson.loads(packed), (), 0)[:6]
        stood = (head, changed_hash, tuple(selections), total)
        found.append(FailingTests(runner, tuple(names), excerpt, run_id, seen_at_ms, *stood))
    return found


def _call(tx: apsw.Connection, where: str, value: str | None, order: str = "DESC") -> CallRecord | None:
    row = tx.execute(
        "SELECT delivery_token, run_id, sub_chat_id, project, workspace, provider, session_id, shadow, status,"
        f" created_at_ms, record, blocks FROM continuity_calls WHERE {where}"
        f" ORDER BY created_at_ms {order}, rowid {order}",
        (value,),
    ).fetchone()
    if row is None:
        return None
    *cells, record, blocks = row
    cells[7] = bool(cells[7])
    return CallRecord._make((*cells, orjson.loads(record), orjson.loads(zlib.decompress(blocks))))


@lru_cache(maxsize=32)
def _compressed(texts: bytes) -> bytes:
    """The same texts go out call after call: a pinned anchor, the word that nothing changed."""
    return zlib.compress(texts, 1)


def _packed(value: object) -> bytes:
    return orjson.dumps(value)


# What the report tells of runs: the governor's latest words, and what projects are called.


class Governed(NamedTuple):
    """A run after which the governor asked for something, or would have."""

    at_ms: int
    project: str
    provider: str
    action: str
    reasons: tuple[str, ...]


def governed(tx: apsw.Connection, project: str | None, since_ms: int, limit: int) -> list[Governed]:
    """Gives the latest runs whose governor had reasons, the newest first."""
    rows: Any = tx.execute(
        "SELECT recorded_at_ms, project, provider, json_extract(cast(result AS TEXT), '$.governor') AS word"
        " FROM continuity_runs WHERE project = coalesce(?, project) AND recorded_at_ms >= ?"
        " AND json_array_length(cast(result AS TEXT), '$.governor.reasons') > 0"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?",
        (project, since_ms, limit),
    )
    words = ((at_ms, of_project, provider, orjson.loads(word)) for at_ms, of_project, provider, word in rows)
    return [
        Governed(at_ms, of_project, provider, word["action"], tuple(word["reasons"]))
        for at_ms, of_project, provider, word in words
    ]


def last_calls(tx: apsw.Connection, limit: int) -> list[CallRecord]:
    """Gives the latest pre-runs, the newest first."""
    rows: Any = tx.execute(
        "SELECT delivery_token FROM continuity_calls ORDER BY created_at_ms DESC, rowid DESC LIMIT ?", (limit,)
    )
    found = (call_of_token(tx, token) for (token,) in list(rows))
    return [one for one in found if one is not None]


def projects(tx: apsw.Connection) -> list[tuple[str, int, int | None]]:
    """Gives each project that anything is kept of, its runs and when the last one was kept; that one first."""
    rows: Any = tx.execute(
        "SELECT project, count(run_id) AS runs, max(recorded_at_ms) AS last FROM (SELECT project, run_id,"
        " recorded_at_ms FROM continuity_runs UNION ALL SELECT project, NULL, NULL FROM continuity_calls"
        " UNION ALL SELECT project, NULL, NULL FROM continuity_artifacts"
        " UNION ALL SELECT project, NULL, NULL FROM continuity_projects)"
        " GROUP BY project ORDER BY last DESC NULLS LAST, project"
    )
    return list(rows)


def name_project(tx: apsw.Connection, project: str, name: str) -> None:
    """Notes what a project is called: the name of its folder, without where that is."""
    tx.execute(
        "INSERT INTO continuity_projects (project, name) VALUES (?1, ?2)"
        " ON CONFLICT DO UPDATE SET name = ?2 WHERE name <> ?2",
        (project, name),
    )


def project_names(tx: apsw.Connection) -> dict[str, str]:
    """Gives the names by project key."""
    rows: Any = tx.execute("SELECT project, name FROM continuity_projects")
    return dict(rows)

"""Conversations, pre-runs, runs, test verdicts and project names in the state file."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple, cast

import apsw
import orjson

from sidecar.runs.model import (
    NEW_SUB_CHAT,
    CallRecord,
    ConversationPlace,
    Counters,
    FailingTests,
    RunSummary,
    SubChat,
    Task,
)

MAX_CALLS = 400
"""Maximum number of pre-runs stored for `continuity/explain`; the oldest are deleted a few at a time."""

CALLS_PRUNED_AT_ONCE = 16


def sub_chat(tx: apsw.Connection, sub_chat_id: str) -> SubChat:
    """Return what is known about a conversation; a new one if nothing is."""
    row = tx.execute(
        "SELECT task, counters, todos, plan FROM continuity_state WHERE sub_chat_id = ?", (sub_chat_id,)
    ).fetchone()
    if row is None:
        return NEW_SUB_CHAT
    task, counters, todos = (orjson.loads(cell) for cell in row[:3])
    # A file of an earlier version has other counters too; those it lacks start at their defaults.
    counter_values = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in counters.items()
        if name in Counters._fields
    }
    return SubChat(
        Task(task["fingerprint"], tuple(task["terms"]), tuple(task["names"]), task["query"], task["objective"])
        if task
        else None,
        Counters(**cast("Any", counter_values)),
        tuple((content, status) for content, status in todos),
        row[3],
    )


def conversation_place(tx: apsw.Connection, sub_chat_id: str) -> ConversationPlace | None:
    """Return the project and workspace of a conversation; None for an unknown one."""
    row = tx.execute("SELECT project, workspace FROM continuity_state WHERE sub_chat_id = ?", (sub_chat_id,)).fetchone()
    return ConversationPlace(*row) if row else None


def put_sub_chat(
    tx: apsw.Connection, sub_chat_id: str, project: str, workspace: str, state: SubChat, now_ms: int
) -> None:
    """Store what is known about a conversation."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_state"
        " (sub_chat_id, project, workspace, task, counters, todos, plan, updated_at_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            sub_chat_id,
            project,
            workspace,
            _json(state.task._asdict() if state.task else None),
            _json(state.counters._asdict()),
            _json(list(state.todos)),
            state.plan,
            now_ms,
        ),
    )


def record_call(tx: apsw.Connection, call: CallRecord) -> None:
    """Record a pre-run, pending until its post-run, and delete the oldest ones.

    A conversation that continues no longer counts as deleted.
    """
    tx.execute(
        "DELETE FROM continuity_deleted WHERE sub_chat_id = ? AND session_id IN ('', ?)",
        (call.sub_chat_id, call.session_id or ""),
    )
    tx.execute(
        "INSERT INTO continuity_calls (delivery_token, run_id, sub_chat_id, project, workspace, provider, session_id,"
        " shadow, status, created_at_ms, record, blocks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*call[:10], _json(call.record), _compressed(_json(call.blocks))),
    )
    if tx.last_insert_rowid() % CALLS_PRUNED_AT_ONCE:
        return
    tx.execute(
        "DELETE FROM continuity_calls WHERE delivery_token IN (SELECT delivery_token FROM continuity_calls"
        " ORDER BY created_at_ms DESC, rowid DESC LIMIT -1 OFFSET ?)",
        (MAX_CALLS,),
    )


def add_to_call(tx: apsw.Connection, delivery_token: str, more: Mapping[str, Any]) -> None:
    """Add to a pre-run's record what was unknown when it was made, unless its run has ended."""
    call = call_of_token(tx, delivery_token)
    if call is not None and run_result(tx, call.run_id) is None:
        record = _json({**call.record, **more})
        tx.execute("UPDATE continuity_calls SET record = ? WHERE delivery_token = ?", (record, delivery_token))


def call_of_token(tx: apsw.Connection, delivery_token: str) -> CallRecord | None:
    """Return the pre-run of a delivery token."""
    return _call(tx, "delivery_token = ?", delivery_token)


def call_of_run(tx: apsw.Connection, run_id: str) -> CallRecord | None:
    """Return the last pre-run of a run."""
    return _call(tx, "run_id = ?", run_id)


def first_call_of_run(tx: apsw.Connection, run_id: str) -> CallRecord | None:
    """Return the first pre-run of a run."""
    return _call(tx, "run_id = ?", run_id, order="ASC")


def newest_call(tx: apsw.Connection, project: str | None) -> CallRecord | None:
    """Return the last pre-run of a project, or of all projects."""
    return _call(tx, "project = coalesce(?, project)", project)


def set_call_status(tx: apsw.Connection, delivery_token: str, status: str) -> None:
    """Set the status of a pre-run's delivery: committed or dropped."""
    tx.execute("UPDATE continuity_calls SET status = ? WHERE delivery_token = ?", (status, delivery_token))


def drop_pending(tx: apsw.Connection, sub_chat_id: str) -> None:
    """Drop a conversation's pending deliveries: their post-runs will not confirm them."""
    tx.execute(
        "UPDATE continuity_calls SET status = 'dropped' WHERE sub_chat_id = ? AND status = 'pending'", (sub_chat_id,)
    )


def run_result(tx: apsw.Connection, run_id: str) -> dict[str, Any] | None:
    """Return the answer that a recorded run received."""
    row = tx.execute("SELECT result FROM continuity_runs WHERE run_id = ?", (run_id,)).fetchone()
    return orjson.loads(row[0]) if row else None


def touched_files(tx: apsw.Connection, sub_chat_id: str, runs: int, task: str | None = None) -> list[str]:
    """Return the files that a conversation's last runs changed, latest first; `task` filters by fingerprint."""
    rows = tx.execute(
        "SELECT touched FROM continuity_runs WHERE sub_chat_id = ?1 AND (?2 IS NULL OR task_fingerprint = ?2)"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?3",
        (sub_chat_id, task, runs),
    )
    return list(dict.fromkeys(change[0] for (touched,) in rows for change in orjson.loads(touched)))


def surviving_lines(tx: apsw.Connection, sub_chat_id: str, runs: int) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return what a conversation's last runs left in files: each file's diff digest and line marks.

    The last run that changed a file counts.
    """
    rows = tx.execute(
        "SELECT touched FROM continuity_runs WHERE sub_chat_id = ? ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?",
        (sub_chat_id, runs),
    )
    by_path: dict[str, tuple[str, tuple[str, ...]]] = {}
    for (touched,) in rows:
        for path, _added, _removed, *lines in orjson.loads(touched):
            if lines:
                by_path.setdefault(path, (lines[0], tuple(lines[1])))
    return by_path


def run_summaries(tx: apsw.Connection, sub_chat_id: str, limit: int) -> list[RunSummary]:
    """Return summaries of a conversation's last runs, latest first."""
    rows = tx.execute(
        "SELECT run_id, objective, conclusion, touched FROM continuity_runs WHERE sub_chat_id = ?"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?",
        (sub_chat_id, limit),
    )
    return [
        RunSummary(run_id, objective, conclusion, tuple(change[0] for change in orjson.loads(touched)))
        for run_id, objective, conclusion, touched in rows
    ]


def last_run_metrics(tx: apsw.Connection, sub_chat_id: str, session_id: str) -> tuple[Any, Any]:
    """Return usage and pack metrics of the last run that ended in a session; (None, None) without one."""
    row = tx.execute(
        "SELECT usage, worth FROM continuity_runs WHERE sub_chat_id = ? AND session_after = ?"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT 1",
        (sub_chat_id, session_id),
    ).fetchone()
    usage, metrics = row or (None, None)
    return usage and orjson.loads(usage), metrics and orjson.loads(metrics)


def count_sessions_since(tx: apsw.Connection, project: str, since_ms: int) -> int:
    """Return the number of a project's provider sessions with a run that finished after a moment."""
    cursor = tx.execute(
        "SELECT count(DISTINCT provider || ' ' || session_after) FROM continuity_runs"
        " WHERE project = ? AND finished_at_ms > ? AND session_after IS NOT NULL",
        (project, since_ms),
    )
    return int(str(cursor.get))


def record_run(tx: apsw.Connection, row: dict[str, Any]) -> None:
    """Insert a run's row."""
    as_json = ("touched", "usage", "result", "worth")
    values = {name: _json(value) if name in as_json else value for name, value in row.items()}
    columns = ", ".join(values)
    placeholders = ", ".join("?" * len(values))
    tx.execute(f"INSERT INTO continuity_runs ({columns}) VALUES ({placeholders})", tuple(values.values()))


def put_tests(tx: apsw.Connection, workspace: str, tests: FailingTests, status: str, now_ms: int) -> None:
    """Store a runner's last verdict in a workspace."""
    worktree = (tests.head, tests.changed_hash)
    failing_json = _json([tests.names, tests.excerpt, *worktree, tests.selections, tests.total])
    tx.execute(
        "INSERT OR REPLACE INTO continuity_tests (workspace, runner, status, failing, run_id, recorded_at_ms)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (workspace, tests.runner, status, failing_json, tests.run_id, now_ms),
    )


def failing_tests(tx: apsw.Connection, workspace: str) -> list[FailingTests]:
    """Return the runners whose last verdict in a workspace was a failure."""
    rows = tx.execute(
        "SELECT runner, failing, run_id, recorded_at_ms FROM continuity_tests"
        " WHERE workspace = ? AND status = 'failed' ORDER BY runner",
        (workspace,),
    )
    tests = []
    for runner, failing_json, run_id, seen_at_ms in rows:
        names, excerpt, head, changed_hash, selections, total = (*orjson.loads(failing_json), (), 0)[:6]
        seen_at = (head, changed_hash, tuple(selections), total)
        tests.append(FailingTests(runner, tuple(names), excerpt, run_id, seen_at_ms, *seen_at))
    return tests


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
    """Compress a call's texts. The same texts recur call after call, such as a pinned anchor, hence the cache."""
    return zlib.compress(texts, 1)


def _json(value: object) -> bytes:
    return orjson.dumps(value)


class GovernedRun(NamedTuple):
    """A run after which the governor requested something, or would have."""

    at_ms: int
    project: str
    provider: str
    action: str
    reasons: tuple[str, ...]


def governed_runs(tx: apsw.Connection, project: str | None, since_ms: int, limit: int) -> list[GovernedRun]:
    """Return the latest runs whose governor decision had reasons, newest first."""
    rows: Any = tx.execute(
        "SELECT recorded_at_ms, project, provider, json_extract(cast(result AS TEXT), '$.governor') AS word"
        " FROM continuity_runs WHERE project = coalesce(?, project) AND recorded_at_ms >= ?"
        " AND json_array_length(cast(result AS TEXT), '$.governor.reasons') > 0"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?",
        (project, since_ms, limit),
    )
    decisions = (
        (at_ms, project_key, provider, orjson.loads(decision)) for at_ms, project_key, provider, decision in rows
    )
    return [
        GovernedRun(at_ms, project_key, provider, decision["action"], tuple(decision["reasons"]))
        for at_ms, project_key, provider, decision in decisions
    ]


def last_calls(tx: apsw.Connection, limit: int) -> list[CallRecord]:
    """Return the latest pre-runs, newest first."""
    rows: Any = tx.execute(
        "SELECT delivery_token FROM continuity_calls ORDER BY created_at_ms DESC, rowid DESC LIMIT ?", (limit,)
    )
    calls = (call_of_token(tx, token) for (token,) in list(rows))
    return [call for call in calls if call is not None]


def projects(tx: apsw.Connection) -> list[tuple[str, int, int | None]]:
    """Return each project with stored rows, its number of runs and the time of the last one; latest first."""
    rows: Any = tx.execute(
        "SELECT project, count(run_id) AS runs, max(recorded_at_ms) AS last FROM (SELECT project, run_id,"
        " recorded_at_ms FROM continuity_runs UNION ALL SELECT project, NULL, NULL FROM continuity_calls"
        " UNION ALL SELECT project, NULL, NULL FROM continuity_artifacts"
        " UNION ALL SELECT project, NULL, NULL FROM continuity_projects)"
        " GROUP BY project ORDER BY last DESC NULLS LAST, project"
    )
    return list(rows)


def name_project(tx: apsw.Connection, project: str, name: str) -> None:
    """Store a project's name: the name of its folder, without its location."""
    tx.execute(
        "INSERT INTO continuity_projects (project, name) VALUES (?1, ?2)"
        " ON CONFLICT DO UPDATE SET name = ?2 WHERE name <> ?2",
        (project, name),
    )


def project_names(tx: apsw.Connection) -> dict[str, str]:
    """Return the names by project key."""
    rows: Any = tx.execute("SELECT project, name FROM continuity_projects")
    return dict(rows)

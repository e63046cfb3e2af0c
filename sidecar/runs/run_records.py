"""Runs, failing tests and project names in the state file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import apsw
import orjson

from sidecar.runs.model import (
    APP_NAME,
    RALPH_PREFIX,
    TERMINAL_AGENTS,
    FailingTests,
    FileChange,
    FileLines,
    RecentFile,
    RecentWork,
    RunRecord,
    RunSummary,
    RunUsage,
)


def run_result(tx: apsw.Connection, run_id: str) -> bytes | None:
    """Return the answer that a recorded run received, in its wire form."""
    row = tx.execute("SELECT result FROM continuity_runs WHERE run_id = ?", (run_id,)).fetchone()
    return row[0] if row else None


def session_of_run(tx: apsw.Connection, run_id: str) -> str | None:
    """Return the session in which a recorded run ended; None if unknown."""
    row: Any = tx.execute("SELECT session_after FROM continuity_runs WHERE run_id = ?", (run_id,)).fetchone()
    return row[0] if row else None


def touched_files(tx: apsw.Connection, sub_chat_id: str, runs: int, task: str | None = None) -> list[str]:
    """Return the files that a conversation's last runs changed, latest first; `task` filters by fingerprint."""
    rows = tx.execute(
        "SELECT touched FROM continuity_runs WHERE sub_chat_id = ?1 AND (?2 IS NULL OR task_fingerprint = ?2)"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?3",
        (sub_chat_id, task, runs),
    )
    return list(dict.fromkeys(change.path for (touched,) in rows for change in _changes_from_json(touched)))


def recent_work(tx: apsw.Connection, sub_chat_id: str, runs: int) -> RecentWork:
    """Return what a conversation's last runs did."""
    rows = tx.execute(
        "SELECT touched, pack_metrics, conclusion, mode FROM continuity_runs WHERE sub_chat_id = ?"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?",
        (sub_chat_id, runs),
    )
    edited: dict[str, None] = {}
    read: dict[str, None] = {}
    answers: list[str] = []
    modes: list[Any] = []
    for touched, metrics, conclusion, mode in rows:
        edited.update(dict.fromkeys(change.path for change in _changes_from_json(touched)))
        read.update(dict.fromkeys(_used_files(metrics)))
        answers += [conclusion] if conclusion else []
        modes.append(mode)
    unchanged = tuple(path for path in read if path not in edited)
    return RecentWork(tuple(edited), unchanged, next(iter(answers), ""), is_planned=modes[:1] == ["plan"])


def _used_files(metrics: Any) -> tuple[str, ...]:
    """Return the files of which a run's metrics record that it used them."""
    use = (orjson.loads(metrics) if metrics else {}).get("file_use") or {}
    return (*use.get("needed", ()), *use.get("used", ()))


RECENT_RUNS, MAX_RECENT_FILES = 2_000, 60
"""Number of the last runs of all projects in which a project's are looked for; and of the files returned."""

MAX_FILES_OF_RUN = 20
"""A run that changed more files edited them all in one way: none of them is where its conversation worked."""


def recent_files(
    tx: apsw.Connection, project: str, workspace: str, besides: str, conversations: int
) -> tuple[RecentFile, ...]:
    """Return the files that a project's last conversations used, without one of them; latest first.

    Edits that the last run with a file found taken back do not count, nor those in another workspace whose lines are
    unknown.
    """
    rows: Any = tx.execute(
        "SELECT sub_chat_id, workspace, touched, pack_metrics FROM continuity_runs WHERE project = ?"
        " AND sub_chat_id <> ? AND rowid > (SELECT max(rowid) FROM continuity_runs) - ? ORDER BY rowid DESC",
        (project, besides, RECENT_RUNS),
    )
    uses: dict[str, dict[str, list[_Edit]]] = {}
    latest: set[str] = set()
    for sub_chat_id, place, touched, metrics in rows:
        if sub_chat_id not in latest and len(latest) == conversations:
            break
        latest.add(sub_chat_id)
        changed = {change.path: change for change in _changes_from_json(touched)}
        if len(changed) <= MAX_FILES_OF_RUN:
            for path, change in changed.items():
                edits = uses.setdefault(path, {}).setdefault(sub_chat_id, [])
                edits.append(_Edit(change, is_here=place == workspace))
        for path in _used_files(metrics):
            if path not in changed:
                uses.setdefault(path, {}).setdefault(sub_chat_id, [])
    files = (_recent_file(path, list(by_chat.values())) for path, by_chat in uses.items())
    return tuple(islice((file for file in files if file.conversations or file.edits), MAX_RECENT_FILES))


class _Edit(NamedTuple):
    """A run's change of a file, and whether it was in the workspace whose files are sought."""

    change: FileChange
    is_here: bool


def _recent_file(path: str, by_chat: Sequence[Sequence[_Edit]]) -> RecentFile:
    """Return a file with its use by conversations; of the edits of each, the latest one, which is first, counts."""
    last = [edits[0] for edits in by_chat if edits]
    lines = [edit.change.surviving.lines if edit.change.surviving else frozenset[str]() for edit in last]
    edited = sum(
        edit.is_here and not left and not _is_taken_back(edit.change) for edit, left in zip(last, lines, strict=True)
    )
    return RecentFile(
        path=path,
        conversations=len(by_chat) - len(last) + edited,
        is_edited=edited > 0,
        edits=tuple(filter(None, lines)),
    )


def _is_taken_back(change: FileChange) -> bool:
    """Whether a file has again the content that it had before a conversation changed it."""
    surviving = change.surviving
    return surviving is not None and not (surviving.lines or surviving.digest or change.added or change.removed)


def stored_surviving_lines(tx: apsw.Connection, sub_chat_id: str, runs: int) -> dict[str, dict[str, FileLines]]:
    """Return what a conversation's lines were in the files that each of its last runs changed, by run, latest first."""
    rows: Any = tx.execute(
        "SELECT run_id, touched FROM continuity_runs WHERE sub_chat_id = ?"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?",
        (sub_chat_id, runs),
    )
    return {
        run_id: {
            change.path: change.surviving for change in _changes_from_json(touched) if change.surviving is not None
        }
        for run_id, touched in rows
    }


def _changes_to_json(changes: Sequence[FileChange]) -> bytes:
    """Return the JSON form: `[{path, added, removed, surviving: {lines, digest} | null}]`, lines sorted."""
    return orjson.dumps(changes, default=sorted)


def _changes_from_json(text: Any) -> list[FileChange]:
    """Return changes from their JSON form, or from the rows `[path, added, removed, digest, lines]` of version 1."""
    return [
        _change_of_version_1(*row) if isinstance(row, list) else _change_from_json(row) for row in orjson.loads(text)
    ]


def _change_from_json(value: Any) -> FileChange:
    lines = value["surviving"]
    surviving = FileLines(lines=frozenset(lines["lines"]), digest=lines["digest"]) if lines is not None else None
    return FileChange(path=value["path"], added=value["added"], removed=value["removed"], surviving=surviving)


def _change_of_version_1(
    path: str, added: int, removed: int, digest: str | None = None, lines: Sequence[str] = ()
) -> FileChange:
    surviving = FileLines(lines=frozenset(lines), digest=digest) if digest is not None else None
    return FileChange(path=path, added=added, removed=removed, surviving=surviving)


def run_summaries(tx: apsw.Connection, sub_chat_id: str, limit: int) -> list[RunSummary]:
    """Return summaries of a conversation's last runs, latest first."""
    rows = tx.execute(
        "SELECT run_id, objective, conclusion, touched, mode FROM continuity_runs WHERE sub_chat_id = ?"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?",
        (sub_chat_id, limit),
    )
    return [
        RunSummary(run_id, objective, conclusion, tuple(change.path for change in _changes_from_json(touched)), mode)
        for run_id, objective, conclusion, touched, mode in rows
    ]


@dataclass(frozen=True, slots=True)
class SessionRun:
    """The last run of a session: its anchor and its usage."""

    anchor_id: str | None
    usage: RunUsage | None


def last_run_of_session(tx: apsw.Connection, sub_chat_id: str, session_id: str) -> SessionRun | None:
    """Return the conversation's last run that ended in a session; None without one."""
    row = tx.execute(
        "SELECT usage, pack_metrics FROM continuity_runs WHERE sub_chat_id = ? AND session_after = ?"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT 1",
        (sub_chat_id, session_id),
    ).fetchone()
    if row is None:
        return None
    usage, metrics = (orjson.loads(cell) if cell else None for cell in row)
    # The first version named it `anchor`.
    anchor_id = metrics.get("anchor_id", metrics.get("anchor")) if metrics else None
    return SessionRun(anchor_id, RunUsage.model_validate(usage) if usage else None)


def count_sessions_since(tx: apsw.Connection, project: str, since_ms: int) -> int:
    """Return the number of a project's provider sessions with a run that finished after a moment."""
    cursor = tx.execute(
        "SELECT count(DISTINCT provider || ' ' || session_after) FROM continuity_runs"
        " WHERE project = ? AND finished_at_ms > ? AND session_after IS NOT NULL",
        (project, since_ms),
    )
    return int(str(cursor.get))


def store_run(tx: apsw.Connection, run: RunRecord) -> None:
    """Insert a run's row. `pack_metrics` is one JSON object with the fields of `PackMetrics`."""
    tx.execute(
        "INSERT INTO continuity_runs (run_id, sub_chat_id, chat_id, project, workspace, provider, mode, outcome,"
        " session_before, session_after, task_fingerprint, head_commit, objective, conclusion, touched, usage,"
        " pack_metrics, result, started_at_ms, finished_at_ms, recorded_at_ms)"
        f" VALUES ({', '.join('?' * 21)})",
        (
            run.run_id, run.sub_chat_id, run.chat_id, run.project, run.workspace, run.provider, run.mode, run.outcome,
            run.session_before, run.session_after, run.task_fingerprint, run.head_commit, run.objective,
            run.conclusion, _changes_to_json(run.changes),
            run.usage.model_dump_json(by_alias=True).encode() if run.usage is not None else None,
            orjson.dumps(run.pack_metrics) if run.pack_metrics is not None else None,
            run.result, run.started_at_ms, run.finished_at_ms, run.recorded_at_ms,
        ),
    )  # fmt: skip


def put_tests(tx: apsw.Connection, workspace: str, tests: FailingTests, status: str, now_ms: int) -> None:
    """Store a runner's last verdict in a workspace.

    JSON form of `failing`: `{names, excerpt, head, changed_hash, selections, total}`.
    """
    failing = orjson.dumps(
        {
            "names": tests.names, "excerpt": tests.excerpt, "head": tests.head, "changed_hash": tests.changed_hash,
            "selections": tests.selections, "total": tests.total,
        }
    )  # fmt: skip
    tx.execute(
        "INSERT OR REPLACE INTO continuity_tests (workspace, runner, status, failing, run_id, recorded_at_ms)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (workspace, tests.runner, status, failing, tests.run_id, now_ms),
    )


def failing_tests(tx: apsw.Connection, workspace: str) -> list[FailingTests]:
    """Return the runners whose last verdict in a workspace was a failure."""
    rows: Any = tx.execute(
        "SELECT runner, failing, run_id, recorded_at_ms FROM continuity_tests"
        " WHERE workspace = ? AND status = 'failed' ORDER BY runner",
        (workspace,),
    )
    return [_failing_from_json(orjson.loads(failing), runner, run_id, at_ms) for runner, failing, run_id, at_ms in rows]


def _failing_from_json(value: Any, runner: str, run_id: str, seen_at_ms: int) -> FailingTests:
    """Return failing tests from their JSON form, or from the list of version 1 with the same order."""
    if isinstance(value, list):
        value = dict(zip(("names", "excerpt", "head", "changed_hash", "selections", "total"), value, strict=False))
    return FailingTests(
        runner=runner,
        names=tuple(value["names"]),
        excerpt=value["excerpt"],
        run_id=run_id,
        seen_at_ms=seen_at_ms,
        head=value["head"],
        changed_hash=value["changed_hash"],
        selections=tuple(value.get("selections", ())),
        total=value.get("total", 0),
    )


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
        "SELECT recorded_at_ms, project, provider, json_extract(cast(result AS TEXT), '$.governor') AS decision"
        " FROM continuity_runs WHERE project = coalesce(?, project) AND recorded_at_ms >= ?"
        " AND json_array_length(cast(result AS TEXT), '$.governor.reasons') > 0"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?",
        (project, since_ms, limit),
    )
    runs = []
    for at_ms, project_key, provider, decision_json in rows:
        decision = orjson.loads(decision_json)
        runs.append(GovernedRun(at_ms, project_key, provider, decision["action"], tuple(decision["reasons"])))
    return runs


def last_seen(tx: apsw.Connection, now_ms: int) -> dict[str, int]:
    """Return when each host's latest stored run or pre-run was, by the name of the agent in a terminal or `1Code`.

    A time in the future, of a clock that was ahead, counts as now.
    """
    names = {agent.sub_chat_prefix: agent.name for agent in TERMINAL_AGENTS.values()}
    rows: Any = tx.execute(
        "SELECT substr(sub_chat_id, 1, instr(sub_chat_id, ':')) AS prefix, max(at) FROM (SELECT sub_chat_id,"
        " recorded_at_ms AS at FROM continuity_runs UNION ALL SELECT sub_chat_id, created_at_ms FROM continuity_calls)"
        " GROUP BY prefix"
    )
    latest: dict[str, int] = {}
    for prefix, at_ms in rows:
        name = names.get(prefix, APP_NAME)
        if prefix != RALPH_PREFIX:
            latest[name] = max(min(at_ms, now_ms), latest.get(name, 0))
    return latest


def projects(tx: apsw.Connection, now_ms: int) -> list[tuple[str, int, int | None]]:
    """Return each project with stored rows, its number of runs and the time of the last one, latest first.

    A time in the future counts as now.
    """
    rows: Any = tx.execute(
        "SELECT project, count(run_id) AS runs, max(min(recorded_at_ms, ?)) AS last FROM (SELECT project, run_id,"
        " recorded_at_ms FROM continuity_runs UNION ALL SELECT project, NULL, NULL FROM continuity_calls"
        " UNION ALL SELECT project, NULL, NULL FROM continuity_artifacts"
        " UNION ALL SELECT project, NULL, NULL FROM continuity_projects)"
        " GROUP BY project ORDER BY last DESC NULLS LAST, project",
        (now_ms,),
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

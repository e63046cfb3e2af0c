"""Arms of chats and outcomes of their runs in the state file. No prompt and no path is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any

import apsw
import orjson

from sidecar.experiment import ArmChange, StoredArm
from sidecar.storage.purgeable_rows import RowGroup

if TYPE_CHECKING:
    from sidecar.experiment.outcomes import Chat, RunOutcome
    from sidecar.runs.pre_run_record import Arm

_ARM = "experiment, unit, arm, share, left_at_ms IS NOT NULL FROM continuity_experiment_units"


def arm_of_chat(tx: apsw.Connection, experiment: str, sub_chat_id: str) -> StoredArm | None:
    """Return the arm of a sub-chat; None without one."""
    return _arm(
        tx,
        f"SELECT {_ARM} WHERE experiment = ?1 AND unit ="
        " (SELECT unit FROM continuity_experiment_chats WHERE experiment = ?1 AND sub_chat_id = ?2)",
        (experiment, sub_chat_id),
    )


def arm_of_unit(tx: apsw.Connection, experiment: str, unit: str) -> StoredArm | None:
    """Return the arm of a unit; None without one."""
    return _arm(tx, f"SELECT {_ARM} WHERE experiment = ? AND unit = ?", (experiment, unit))


def _arm(tx: apsw.Connection, query: str, bindings: tuple[str, str]) -> StoredArm | None:
    row: Any = tx.execute(query, bindings).fetchone()
    if row is None:
        return None
    experiment, unit, arm, share, has_left = row
    return StoredArm(experiment, unit, arm, share, has_left=bool(has_left))


def count_units(tx: apsw.Connection, experiment: str, project: str | None) -> dict[tuple[Arm, bool], int]:
    """Return the number of chats by arm and by whether they have left."""
    rows: Any = tx.execute(
        "SELECT arm, left_at_ms IS NOT NULL, count(*) FROM continuity_experiment_units WHERE experiment = ?"
        " AND project = coalesce(?, project) GROUP BY 1, 2",
        (experiment, project),
    )
    return {(arm, bool(has_left)): number for arm, has_left, number in rows}


def put_arm(tx: apsw.Connection, change: ArmChange, now_ms: int) -> None:
    """Store the arm of a sub-chat; the first one stays. A unit that has left stays away."""
    arm, chat = change
    tx.execute(
        "INSERT INTO continuity_experiment_units (experiment, unit, project, arm, share, provider, model, run_mode,"
        " prompt_length, assigned_at_ms, left_at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
        " ON CONFLICT DO UPDATE SET left_at_ms = coalesce(left_at_ms, ?11)",
        (
            arm.experiment, arm.unit, chat.project, arm.arm, arm.share, chat.provider, chat.model or "", chat.run_mode,
            chat.prompt_length, now_ms, now_ms if arm.has_left else None,
        ),
    )  # fmt: skip
    tx.execute(
        "INSERT OR IGNORE INTO continuity_experiment_chats (experiment, sub_chat_id, unit, project, assigned_at_ms)"
        " VALUES (?, ?, ?, ?, ?)",
        (arm.experiment, chat.sub_chat_id, arm.unit, chat.project, now_ms),
    )


@cache
def _run_fields() -> tuple[str, ...]:
    from sidecar.experiment.outcomes import RunOutcome  # no pre-run needs it

    return tuple(field.name for field in fields(RunOutcome))


def put_outcome(tx: apsw.Connection, outcome: RunOutcome) -> None:
    """Store the measurements of a run."""
    names = _run_fields()
    tx.execute(
        f"INSERT OR REPLACE INTO continuity_experiment_runs ({', '.join(names)})"
        f" VALUES ({', '.join('?' * len(names))})",
        tuple(getattr(outcome, name) for name in names),
    )


def has_outcome(tx: apsw.Connection, experiment: str, unit: str) -> bool:
    """Whether a run of a unit is recorded."""
    query = "SELECT EXISTS (SELECT 1 FROM continuity_experiment_runs WHERE experiment = ? AND unit = ?)"
    return bool(tx.execute(query, (experiment, unit)).get)


def chats(tx: apsw.Connection, experiment: str, project: str | None, now_ms: int) -> list[Chat]:
    """Return the chats whose window is over, in the order of their assignment; none that has left."""
    from sidecar.experiment.outcomes import WINDOW_MS, Chat

    rows: Any = tx.execute(
        "SELECT unit, arm, share, project, provider, model, run_mode, prompt_length, assigned_at_ms"
        " FROM continuity_experiment_units WHERE experiment = ?1 AND project = coalesce(?2, project)"
        " AND left_at_ms IS NULL AND assigned_at_ms <= ?3 ORDER BY assigned_at_ms, unit",
        (experiment, project, now_ms - WINDOW_MS),
    )
    units = list(rows)
    ends = {unit: assigned_at_ms + WINDOW_MS for unit, *_, assigned_at_ms in units}
    runs: dict[str, list[RunOutcome]] = {}
    for run in _outcomes(tx, experiment):
        if run.started_at_ms < ends.get(run.unit, 0):
            runs.setdefault(run.unit, []).append(run)
    return [
        Chat(
            arm=arm, share=share, project=project_key, provider=provider, model=model, run_mode=run_mode,
            prompt_length=prompt_length, runs=tuple(runs[unit]),
        )
        for unit, arm, share, project_key, provider, model, run_mode, prompt_length, _ in units
        if unit in runs
    ]  # fmt: skip


def _outcomes(tx: apsw.Connection, experiment: str) -> Iterator[RunOutcome]:
    from sidecar.experiment.outcomes import RunOutcome

    names = _run_fields()
    rows: Any = tx.execute(
        f"SELECT {', '.join(names)} FROM continuity_experiment_runs WHERE experiment = ?"
        " ORDER BY started_at_ms, run_id",
        (experiment,),
    )
    for row in rows:
        yield RunOutcome(**dict(zip(names, row, strict=True)))


def shares(tx: apsw.Connection, experiment: str) -> list[int]:
    """Return the shares at which arms were drawn, the latest last."""
    rows: Any = tx.execute(
        "SELECT share FROM continuity_experiment_units WHERE experiment = ? GROUP BY share"
        " ORDER BY min(assigned_at_ms)",
        (experiment,),
    )
    return [share for (share,) in rows]


def first_events(
    tx: apsw.Connection, experiment: str, outcomes: Sequence[str], since_ms: int
) -> list[tuple[bool, float]]:
    """Return the chats assigned since a moment with a run of these outcomes, in the order of the first one.

    For each: whether it is treated, and the probability of that.
    """
    rows: Any = tx.execute(
        "SELECT units.arm = 'treated', units.share / 100.0 FROM continuity_experiment_runs AS runs"
        " JOIN continuity_experiment_units AS units USING (experiment, unit)"
        " WHERE experiment = ?1 AND units.left_at_ms IS NULL AND units.assigned_at_ms >= ?2"
        " AND runs.outcome IN (SELECT value FROM json_each(?3))"
        " GROUP BY unit ORDER BY min(runs.started_at_ms), unit",
        (experiment, since_ms, orjson.dumps(list(outcomes)).decode()),
    )
    return [(bool(treated), probability) for treated, probability in rows]


def slow_pre_runs(tx: apsw.Connection, experiment: str, last: int, since_ms: int, slow_ms: float) -> tuple[int, int]:
    """Return how many of the last pre-runs of treated chats there are, and how many took longer than a limit."""
    row: Any = tx.execute(
        "SELECT count(*), coalesce(sum(pre_run_ms > ?4), 0) FROM (SELECT pre_run_ms FROM continuity_experiment_runs"
        " WHERE experiment = ?1 AND arm = 'treated' AND pre_run_ms IS NOT NULL AND started_at_ms >= ?2"
        " ORDER BY started_at_ms DESC LIMIT ?3)",
        (experiment, since_ms, last, slow_ms),
    ).fetchone()
    return row[0], row[1]


def leaking_control_chats(tx: apsw.Connection, experiment: str, project: str | None) -> tuple[int, int]:
    """Return how many control chats read stored context by themselves, and how many of a treated chat's."""
    row: Any = tx.execute(
        "SELECT count(DISTINCT unit), count(DISTINCT CASE WHEN treated_items > 0 THEN unit END)"
        " FROM continuity_experiment_runs"
        " WHERE experiment = ? AND arm = 'control' AND own_lookups > 0 AND project = coalesce(?, project)",
        (experiment, project),
    ).fetchone()
    return row[0], row[1]


ROW_GROUPS = (
    RowGroup("metrics", "continuity_experiment_runs", before="started_at_ms < ?2"),
    RowGroup("metrics", "continuity_experiment_chats", before="assigned_at_ms < ?2", is_counted=False),
    RowGroup("metrics", "continuity_experiment_units", before="assigned_at_ms < ?2", is_counted=False),
)

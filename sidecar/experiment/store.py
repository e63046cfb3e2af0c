"""Arms of chats and outcomes of their runs in the state file. No prompt and no path is stored."""

from __future__ import annotations

from typing import Any

import apsw

from sidecar.experiment.model import ArmChange, StoredArm
from sidecar.runs.call_record import Arm
from sidecar.storage.retention import RowGroup

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
    return StoredArm(row[0], row[1], row[2], row[3], bool(row[4])) if row is not None else None


def count_units(tx: apsw.Connection, experiment: str) -> dict[tuple[Arm, bool], int]:
    """Return the number of chats by arm and by whether they have left."""
    rows: Any = tx.execute(
        "SELECT arm, left_at_ms IS NOT NULL, count(*) FROM continuity_experiment_units WHERE experiment = ?"
        " GROUP BY 1, 2",
        (experiment,),
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


ROW_GROUPS = (
    RowGroup("metrics", "continuity_experiment_runs", before="started_at_ms < ?2"),
    RowGroup("metrics", "continuity_experiment_chats", before="assigned_at_ms < ?2", is_counted=False),
    RowGroup("metrics", "continuity_experiment_units", before="assigned_at_ms < ?2", is_counted=False),
)

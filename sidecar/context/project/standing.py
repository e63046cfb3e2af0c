"""Where an orchestrated project stands after a run, as its session file says: for the governor's spawn criteria."""

import os
from pathlib import Path
from typing import NamedTuple

from sidecar.context.project.pipeline import next_agent, pipeline_of, score_of
from sidecar.context.project.sources import SESSION, Reader

TICK_MS = 2_000
"""The coarsest clock of a file system in use (FAT)."""


class Standing(NamedTuple):
    """The agent at work, its score in percent (None where unknown), and whether it became done with another waiting."""

    agent: str = ""
    score: float | None = None
    next_agent_pending: bool = False


def standing_of(project: Path, cwd: Path, since_ms: int) -> Standing:
    """Reads the session file; nothing is known of a project without one.

    That another agent waits counts for the run that said so: only while the file was written since it began. Else
    every run until the orchestrator moves on would ask for a fresh session again.
    """
    reader = Reader(project, cwd)
    session = reader.mapping(SESSION)
    if not session:
        return Standing()
    pipeline = pipeline_of(session)
    is_news = any(_written_ms(root) >= since_ms - TICK_MS for root in (project, cwd))
    return Standing(pipeline.current, score_of(pipeline, pipeline.current), is_news and bool(next_agent(pipeline)))


def _written_ms(root: Path) -> int:
    try:
        return os.stat(os.path.join(root, SESSION), follow_symlinks=False).st_mtime_ns // 1_000_000
    except OSError:
        return 0

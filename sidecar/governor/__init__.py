"""Pressure on a session → ok, snapshot or rehydrate."""

from sidecar.governor.pressure import Word, after_run, after_snapshot, after_turnover, decide, signals_of

__all__ = ["Word", "after_run", "after_snapshot", "after_turnover", "decide", "signals_of"]

"""The results of a replay, for people and as JSON."""

from collections.abc import Sequence
from typing import Any

import orjson

from sidecar import __version__
from tests.replay.figures import Sums, TurnFigures, by, sums


def as_json(turns: Sequence[TurnFigures]) -> str:
    """Return sums and series as one JSON document."""
    document = {
        "version": __version__,
        "total": _plain(sums(turns)),
        "kinds": {name: _plain(entry) for name, entry in by(turns, lambda turn: turn.kind).items()},
        "sessions": {name: _plain(entry) for name, entry in by(turns, lambda turn: turn.session).items()},
        "turns": [_plain(turn) for turn in turns],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n"


def _plain(entry: TurnFigures | Sums) -> dict[str, Any]:
    return entry.model_dump(mode="json", by_alias=True)


def report(turns: Sequence[TurnFigures]) -> list[str]:
    """Return the sums as lines for people."""
    kinds, sessions = by(turns, lambda turn: turn.kind), by(turns, lambda turn: turn.session)
    width = max(len(name) + 2 for name in (*kinds, *sessions))
    total = sums(turns)
    lines = [f"{'':<{width}}  turns    hits  hit rate  sent/turn  baseline/turn   saved"]
    for kind, of_kind in kinds.items():
        lines.append(_line(kind, of_kind, width))
        own = dict.fromkeys(turn.session for turn in turns if turn.kind == kind)
        lines += [_line(f"  {name}", sessions[name], width) for name in own]
    lines += [_line("all", total, width), ""]
    lines.append(
        f"Without continuity {total.prompt_bytes_per_turn:,.0f} bytes a turn go out, the prompts alone;"
        f" the packs add {total.sent_bytes_per_turn:,.0f}; all of them each turn, {total.baseline_bytes_per_turn:,.0f}."
    )
    if total.measured_baseline_bytes_per_turn is not None and total.measured_saved is not None:
        lines.append(
            f"Measured, by playing each prompt as a session's first: {total.measured_baseline_bytes_per_turn:,.0f}"
            f" bytes a turn, of which {_percent(total.measured_saved)} are saved."
        )
    reasons = ", ".join(f"{count} {reason}" for reason, count in total.misses.items())
    lines.append(f"A hit: the task's pack was in the cache when the prompt came. Misses: {reasons or 'none'}.")
    lines.append(
        f"Pre-run: median {total.median_ms:.1f} ms, p90 {total.p90_ms:.1f}, p99 {total.p99_ms:.1f},"
        f" slowest {total.slowest_ms:.1f}; {total.over_host_deadline} over 1Code's 800 ms, {total.partial} partial."
    )
    lines.append(
        "Between prompts a person reads: the background was waited for, not longer than the recorded pauses;"
        f" it took {total.slowest_preparation_ms:.0f} ms at most and was cut short {total.unsettled} times."
    )
    return lines


def _line(name: str, entry: Sums, width: int) -> str:
    rate = "-" if entry.hit_rate is None else _percent(entry.hit_rate)
    saved = "-" if entry.saved is None else _percent(entry.saved)
    return (
        f"{name:<{width}}  {entry.turns:>5}  {entry.hits:>6}  {rate:>8}  {entry.sent_bytes_per_turn:>9,.0f}"
        f"  {entry.baseline_bytes_per_turn:>13,.0f}  {saved:>6}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"

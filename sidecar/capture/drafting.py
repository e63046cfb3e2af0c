"""The devlog entry: what a stretch of work changed, for a reader. Pure; no model is called."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from sidecar.codebase import is_generated
from sidecar.core.redact import redact

MAX_FILES = 20
MAX_CONCLUSION = 700
MAX_PLAN_BYTES = 4_000
LOOKED_AT_CHARACTERS = 20_000
"""How much of what an agent said is looked at for its conclusion."""


class Change(NamedTuple):
    """A file a run changed; lines are against the head commit after the run, or of its commits."""

    path: str
    added: int
    removed: int


class Tally(NamedTuple):
    """What an entry's runs changed, as (added, removed) by file."""

    start: str | None
    """The commit that `counts` are against."""
    settled: dict[str, list[int]]
    """Changes whose commit is no longer the one counted against."""
    counts: dict[str, list[int]]
    base: dict[str, list[int]]
    """What the counts held already when the entry began: the entry before tells it."""


class Draft(NamedTuple):
    """A title and a Markdown body."""

    title: str
    body: str


def kept_plan(text: str) -> str:
    """Gives of a proposed plan what is kept: its first whole lines, its secrets masked."""
    lines: list[str] = []
    left = MAX_PLAN_BYTES
    for line in redact(text[:LOOKED_AT_CHARACTERS]).strip("\n").splitlines():
        left -= len(line.encode("utf-8", "replace")) + 1
        if left < 0:
            return "\n".join([*lines, "…"])
        lines.append(line)
    return "\n".join(lines)


def devlog(objective: str, changes: Sequence[Change], conclusion: str, tests: Sequence[str], runs: int) -> Draft:
    """Writes the entry: what was asked, what changed, how the tests stand, what the agent concluded."""
    title = _first_sentence(redact(objective), 90) or "Work without a stated goal"
    lines = [f"# {title}", ""]
    if conclusion:
        lines += [_conclusion(conclusion), ""]
    lines += [f"Changed over {runs} run{'s' if runs != 1 else ''}:", ""]
    ordered = sorted(
        changes, key=lambda change: (is_generated(change.path), -(change.added + change.removed), change.path)
    )
    lines += [f"- `{change.path}`{_counts(change)}" for change in ordered[:MAX_FILES]]
    if len(ordered) > MAX_FILES:
        lines.append(f"- … and {len(ordered) - MAX_FILES} more files")
    if tests:
        lines += ["", "Tests:", "", *(f"- {line}" for line in tests)]
    return Draft(title, "\n".join(lines) + "\n")


def grown(tally: Tally, start: str | None, changes: Sequence[Change]) -> Tally:
    """Adds a run that began at a commit. Against the same one, a file's newest counts replace the earlier ones."""
    counts = {change.path: [change.added, change.removed] for change in changes}
    if tally.start == start:
        return tally._replace(counts={**tally.counts, **counts})
    settled = {change.path: [change.added, change.removed] for change in totals(tally)}
    return Tally(start, settled, counts, {})


def totals(tally: Tally) -> list[Change]:
    """Gives what an entry's runs changed in all, by path."""
    changes = []
    for path in sorted({*tally.settled, *tally.counts}):
        parts = (tally.settled.get(path, [0, 0]), tally.counts.get(path, [0, 0]))
        base = tally.base.get(path, [0, 0]) if path in tally.counts else [0, 0]
        added, removed = (sum(part[side] for part in parts) - base[side] for side in (0, 1))
        changes.append(Change(path, max(0, added), max(0, removed)))
    return changes


def following(tally: Tally) -> Tally:
    """Gives the tally of the entry after a closed one."""
    return Tally(tally.start, {}, {}, {**tally.base, **tally.counts})


def _counts(change: Change) -> str:
    return f" +{change.added} −{change.removed}" if change.added or change.removed else ""


def _conclusion(text: str) -> str:
    """The first paragraph of prose of what the agent said last, without code and headings."""
    prose = re.sub(r"```[\s\S]*?(?:```|\Z)", "", text[:LOOKED_AT_CHARACTERS])
    paragraphs = [paragraph.strip() for paragraph in re.split(r"\n\s*\n", prose)]
    telling = [paragraph for paragraph in paragraphs if paragraph and not paragraph.startswith(("#", "|", ">"))]
    chosen = redact(telling[0] if telling else prose.strip())
    return chosen if len(chosen) <= MAX_CONCLUSION else chosen[:MAX_CONCLUSION].rsplit(" ", 1)[0] + " …"


def _first_sentence(text: str, limit: int) -> str:
    flat = re.sub(r"\s+", " ", text).strip()
    end = re.search(r"[.!?](?=\s|$)", flat)
    sentence = flat[: end.start()] if end else flat
    return sentence if len(sentence) <= limit else sentence[: limit - 1].rsplit(" ", 1)[0] + "…"

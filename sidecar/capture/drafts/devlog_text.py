"""The devlog entry: what a stretch of work changed, for a reader. Pure; no model is called."""

from collections.abc import Container, Sequence
from typing import NamedTuple

from sidecar.capture.effects.worktree_changes import Change
from sidecar.codebase import is_generated
from sidecar.core.secrets.redact import redact
from sidecar.core.text.prose import LOOKED_AT_CHARACTERS, first_sentence, telling

MAX_FILES = 20
MAX_TITLE = 90
MAX_CONCLUSION = 700
MAX_PLAN_BYTES = 4_000


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


def devlog(
    title: str,
    changes: Sequence[Change],
    conclusion: str,
    tests: Sequence[str],
    runs: int,
    happened: Sequence[str] = (),
    gone: Container[str] = (),
) -> Draft:
    """Writes the entry: what was concluded, what happened by it, what changed, how the tests stand.

    Files that came and went within it are `gone`.
    """
    title = titled(title) or "Work without a stated goal"
    lines = [f"# {title}", ""]
    if told := telling(conclusion, MAX_CONCLUSION):
        lines += [told, ""]
    for event in happened:
        lines += [event, ""]
    ordered = sorted(
        changes, key=lambda change: (is_generated(change.path), -(change.added + change.removed), change.path)
    )
    lines += [f"Changed over {runs} run{'s' if runs != 1 else ''}:", ""]
    lines += [
        f"- `{change.path}`{_counts(change) or (' (gone again)' if change.path in gone else '')}"
        for change in ordered[:MAX_FILES]
    ]
    if len(ordered) > MAX_FILES:
        lines.append(f"- … and {len(ordered) - MAX_FILES} more files")
    if tests:
        lines += ["", "Tests:", "", *(f"- {line}" for line in tests)]
    return Draft(title, "\n".join(lines) + "\n")


def titled(text: str) -> str:
    """Gives a title: what was asked for or reached, in its first sentence; secrets are masked before it is cut."""
    return first_sentence(redact(text[:LOOKED_AT_CHARACTERS]), MAX_TITLE)


def is_due(changes: Sequence[Change], lines: int, files: int) -> bool:
    """Says whether changes reach a threshold of lines or of files; generated ones do not count."""
    own = [change for change in changes if not is_generated(change.path)]
    return sum(change.added + change.removed for change in own) >= lines or len(own) >= files


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

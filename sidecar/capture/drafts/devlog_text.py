"""Text of a devlog entry: what a stretch of work changed, for a reader. Pure; no model is called."""

from collections.abc import Container, Sequence
from typing import NamedTuple

from sidecar.capture.effects.worktree_changes import FileChange
from sidecar.codebase import is_generated
from sidecar.core.secrets.redact import redact
from sidecar.core.text.prose import LOOKED_AT_CHARACTERS, first_sentence, telling

MAX_FILES = 20
MAX_TITLE = 90
MAX_CONCLUSION = 700


class Tally(NamedTuple):
    """Changes of an entry's runs, as (added, removed) lines by file."""

    start: str | None
    """The commit that `counts` are relative to."""
    settled: dict[str, list[int]]
    """Changes relative to earlier commits."""
    counts: dict[str, list[int]]
    base: dict[str, list[int]]
    """Part of the counts from before the entry started; the previous entry shows it."""


class DraftText(NamedTuple):
    """A title and a Markdown body."""

    title: str
    body: str


def devlog(
    title: str,
    changes: Sequence[FileChange],
    conclusion: str,
    tests: Sequence[str],
    runs: int,
    event_lines: Sequence[str] = (),
    deleted_files: Container[str] = (),
) -> DraftText:
    """Write the entry: conclusion, events, changed files, test results.

    `deleted_files` are files that appeared and disappeared within it.
    """
    title = title_from(title) or "Work without a stated goal"
    lines = [f"# {title}", ""]
    if summary := telling(conclusion, MAX_CONCLUSION):
        lines += [summary, ""]
    for event in event_lines:
        lines += [event, ""]
    ordered = sorted(
        changes, key=lambda change: (is_generated(change.path), -(change.added + change.removed), change.path)
    )
    lines += [f"Changed over {runs} run{'s' if runs != 1 else ''}:", ""]
    lines += [
        f"- `{change.path}`{_counts(change) or (' (deleted again)' if change.path in deleted_files else '')}"
        for change in ordered[:MAX_FILES]
    ]
    if len(ordered) > MAX_FILES:
        lines.append(f"- … and {len(ordered) - MAX_FILES} more files")
    if tests:
        lines += ["", "Tests:", "", *(f"- {line}" for line in tests)]
    return DraftText(title, "\n".join(lines) + "\n")


def title_from(text: str) -> str:
    """Return a title from the first sentence of a request or result. Secrets are masked before it is cut."""
    return first_sentence(redact(text[:LOOKED_AT_CHARACTERS]), MAX_TITLE)


def is_due(changes: Sequence[FileChange], lines: int, files: int) -> bool:
    """Whether changes reach a threshold of lines or of files; generated files do not count."""
    counted = [change for change in changes if not is_generated(change.path)]
    return sum(change.added + change.removed for change in counted) >= lines or len(counted) >= files


def add_run(tally: Tally, start: str | None, changes: Sequence[FileChange]) -> Tally:
    """Add a run that started at a commit. For the same commit, a file's newest counts replace earlier ones."""
    counts = {change.path: [change.added, change.removed] for change in changes}
    if tally.start == start:
        return tally._replace(counts={**tally.counts, **counts})
    settled = {change.path: [change.added, change.removed] for change in totals(tally)}
    return Tally(start, settled, counts, {})


def totals(tally: Tally) -> list[FileChange]:
    """Return what an entry's runs changed in total, by path."""
    changes = []
    for path in sorted({*tally.settled, *tally.counts}):
        parts = (tally.settled.get(path, [0, 0]), tally.counts.get(path, [0, 0]))
        base = tally.base.get(path, [0, 0]) if path in tally.counts else [0, 0]
        added, removed = (sum(part[side] for part in parts) - base[side] for side in (0, 1))
        changes.append(FileChange(path, max(0, added), max(0, removed)))
    return changes


def next_tally(tally: Tally) -> Tally:
    """Return the tally of the entry after a closed one."""
    return Tally(tally.start, {}, {}, {**tally.base, **tally.counts})


def _counts(change: FileChange) -> str:
    return f" +{change.added} −{change.removed}" if change.added or change.removed else ""

"""Time of a call's delta, without the repository: nothing changed, changed files already sent, one more edit.

    .venv/bin/python -m tests.benchmarks.delta

Prints processor time beside its target, and the bytes sent beside those of the whole diffs.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sidecar.codebase import ChangedFile, FileDiff, RepositoryState
from sidecar.packs import Differences, PackItem, QueryRelevance, delta_items, session_has
from sidecar.runs import NO_CONTENTS, SessionContents
from tests.benchmarks.arguments import parse_counts
from tests.benchmarks.processor import median_ms

ROUNDS = 400
SENDABLE_BYTES = 24_000
UNCHANGED_MS, SENT_MS, EDITED_MS = 0.05, 1.0, 0.1
median = partial(median_ms, rounds=ROUNDS)
INTEREST = QueryRelevance({"src/file_0.py": 3.0}, "why does the total ignore the discount of a customer")


def main() -> None:
    """Measure a clean worktree, then worktrees with growing diffs."""
    parse_counts(__doc__)
    clean = state(())
    sent = contents_of(items(clean, {}, NO_CONTENTS))
    print_figure("nothing changed", median(lambda _: items(clean, {}, sent)), UNCHANGED_MS)
    for files, lines in ((1, 1), (1, 60), (40, 10)):
        measure(files, lines)


def measure(files: int, lines: int) -> None:
    """Measure a session that has received all changed files, before and after one more line in the first file."""
    diffs = {f"src/file_{number}.py": difference(number, lines, None) for number in range(files)}
    before = state([changed_file(path, "first") for path in diffs])
    first = items(before, diffs, NO_CONTENTS)
    sent = contents_of(first)
    edits = [
        {**diffs, "src/file_0.py": difference(0, lines, edit)} for edit in range(ROUNDS)
    ]  # each with its own texts, so that no cache applies
    after = [state([changed_file("src/file_0.py", f"edit {edit}"), *before.changed[1:]]) for edit in range(ROUNDS)]
    print(f"\n{files} changed files, {lines} new lines each")
    target_ms = UNCHANGED_MS if files == 1 else SENT_MS
    print_figure("everything already sent", median(lambda _: items(before, diffs, sent)), target_ms)
    edited_ms = median(lambda number: items(after[number], edits[number], sent))
    print_figure("one more line", edited_ms, target_ms + EDITED_MS * (1 + lines / 30))
    news = sum(item.bytes for item in items(after[0], edits[0], sent) if not session_has(sent, item))
    whole = next(item.bytes for item in items(after[0], edits[0], NO_CONTENTS) if item.key.endswith("file_0.py"))
    print(f"{'bytes sent for one more line':<36}{news:9d} B    the whole diff has {whole} B")


def items(now: RepositoryState, diffs: dict[str, FileDiff], known: SessionContents) -> list[PackItem]:
    """Return the delta of a call."""
    return delta_items(now, Differences(diffs, {}), known, None, [], (), None, INTEREST, SENDABLE_BYTES)


def state(files: Sequence[ChangedFile]) -> RepositoryState:
    """Return a worktree with these changes."""
    return RepositoryState("git", Path("/repository"), "", "1" * 40, "main", tuple(files), str(len(files)), "watch")


def changed_file(path: str, content: str) -> ChangedFile:
    """Return a changed file with this content."""
    return ChangedFile(path, "unstaged", ".M", content, None)


def difference(number: int, lines: int, edit: int | None) -> FileDiff:
    """Return the diff of a file with new lines in the middle, and optionally one more line."""
    added = [f"+    line_{line} = discount(customer, {number})" for line in range(lines)]
    added += [f"+    one_more = {edit}"] if edit is not None else []
    body = [" before = 1", " ", *added, " ", " after = 2"]
    text = f"@@ -20,4 +20,{len(added) + 4} @@ def total(cart)\n" + "".join(f"{line}\n" for line in body)
    return FileDiff(f"src/file_{number}.py", len(added), 0, text)


def contents_of(sent: Sequence[PackItem]) -> SessionContents:
    """Return the contents of a session that received these items."""
    return SessionContents(
        {item.key: item.as_delivery() for item in sent if not item.always_sent}, None, "1" * 40, exists=True
    )


def print_figure(what: str, value: float, target: float) -> None:
    """Print one figure, and whether it meets its target."""
    print(f"{what:<36}{value:9.3f} ms   {'meets' if value <= target else 'MISSES'} {target:.2f} ms")


if __name__ == "__main__":
    main()

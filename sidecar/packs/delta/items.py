"""The Delta Pack: what changed since this provider session last looked. Pure."""

from collections.abc import Collection, Sequence

from sidecar.codebase import FileDiff, Moved, RepositoryState, may_show
from sidecar.core.digests import short_id
from sidecar.core.text import one_line
from sidecar.packs.composing.items import PackItem, Priority, has
from sidecar.packs.delta.failing import tests_items
from sidecar.packs.delta.tasklist import todos_items
from sidecar.packs.delta.worktree import SHOWN_FILES, Differences, Interest, file_items, told_by_file
from sidecar.runs import FailingTests, Known, keys

MAX_COMMITS = 10
MAX_RULE_CHANGES = 30

_NAMED = f":{keys.NAMED_ONLY}"


def delta_items(
    state: RepositoryState,
    differences: Differences | None,
    known: Known,
    moved: Moved | None,
    failing: Sequence[FailingTests],
    todos: tuple[tuple[str, str], ...],
    anchor_changes: Sequence[str] | None,
    interest: Interest,
    sendable_bytes: int,
) -> list[PackItem]:
    """Gives every item of the delta that holds now, the most relevant first; the ledger decides which are news.

    Without `differences`, which came too late, files are named only and count as not yet told; without
    `anchor_changes` nothing is said of the standing rules. `sendable_bytes` is what the call may send in all: no
    item comes near it, else it would never be sent.
    """
    items = list(tests_items(failing, state, known))
    told_apart = {diff.path for diff in told_by_file(moved, differences, interest)}
    items.append(_head_item(state, moved, known, told_apart, is_whole=differences is not None))
    items.extend(file_items(state, differences, known, moved, interest, sendable_bytes))
    items.extend(todos_items(todos, known))
    items.extend(_rules_items(anchor_changes, known))
    if known.exists and all(has(known, item) for item in items):
        items.append(_unchanged_item())
    return items


def _unchanged_item() -> PackItem:
    """Says that nothing changed, so that the agent need not look again."""
    return PackItem(
        keys.UNCHANGED, "delta", Priority.DELTA, "Nothing since your last run.", "unchanged", "nothing changed",
        every_time=True,
    )  # fmt: skip


def _head_item(
    state: RepositoryState, moved: Moved | None, known: Known, told_apart: Collection[str], *, is_whole: bool
) -> PackItem:
    if state.kind != "git":
        return _folder_item(state, known)
    lines = [_where(state, known)]
    if moved is not None:
        lines += _moved_lines(moved, told_apart)
    elif not is_whole and known.head_commit is not None and known.head_commit != state.head:
        lines.append("HEAD has moved since your last run.")
    digest = keys.head_digest(state.branch, state.head) + ("" if is_whole else _NAMED)
    return PackItem(keys.HEAD, "delta", Priority.DELTA, "\n".join(lines), digest, "where the worktree stands")


def _folder_item(state: RepositoryState, known: Known) -> PackItem:
    text = "Worktree: a folder without git, whose changes cannot be shown."
    if keys.HEAD in known.items:
        text += " Files in it have changed since your last run."
    digest = keys.folder_digest(state.changed_hash)
    return PackItem(keys.HEAD, "delta", Priority.DELTA, text, digest, "where the worktree stands")


def _where(state: RepositoryState, known: Known) -> str:
    where = f"branch {one_line(state.branch, 120)}" if state.branch else "detached HEAD"
    at = f"at {state.head[:10]}" if state.head else "without a commit yet"
    told = known.items.get(keys.HEAD)
    before = keys.told_branch(told.digest) if told is not None else None
    was = f" (was on branch {one_line(before, 120)})" if before is not None and before != state.branch else ""
    return f"Worktree: {where} {at}{was}."


def _moved_lines(moved: Moved, told_apart: Collection[str]) -> list[str]:
    """Which commits came and went, and the counts of files that are not told one by one."""
    come, lost = moved.counts
    lines = [_way(moved)]
    if moved.lost:
        lines += ["no longer in its history:", *_subjects(moved.lost, lost)]
    if moved.subjects:
        lines += ["new commits:", *_subjects(moved.subjects, come)]
    files = [file for file in moved.files if may_show(file.path) and file.path not in told_apart]
    lines += [f"  {_counts(file)}" for file in files[:SHOWN_FILES]]
    return [*lines, f"  … {len(files) - SHOWN_FILES} more files"] if len(files) > SHOWN_FILES else lines


def _way(moved: Moved) -> str:
    match moved.way:
        case "forward":
            return "HEAD has moved since your last run."
        case "back":
            return "HEAD has moved back since your last run."
        case "apart":
            return "HEAD has moved since your last run, to another line of commits."
        case "unknown":
            return "HEAD has moved since your last run; the commit it stood at is gone."


def _subjects(subjects: Sequence[str], count: int) -> list[str]:
    more = [f"  … {count - MAX_COMMITS} more"] if count > MAX_COMMITS else []
    return [*(f"  {one_line(subject, 120)}" for subject in subjects[:MAX_COMMITS]), *more]


def _rules_items(changes: Sequence[str] | None, known: Known) -> list[PackItem]:
    """What the pinned anchor no longer says rightly; also, once, that it is right again."""
    told = known.items.get(keys.RULES)
    if changes:
        more = [f"  … {len(changes) - MAX_RULE_CHANGES} more"] if len(changes) > MAX_RULE_CHANGES else []
        shown = [f"  {line}" for line in changes[:MAX_RULE_CHANGES]]
        text = "\n".join(["The repository's standing rules and map have changed:", *shown, *more])
        digest = short_id(text)
    elif changes is not None and told is not None:
        text = "The repository's standing rules and map are again as they were first given."
        digest = keys.GONE
    else:
        return []
    return [PackItem(keys.RULES, "delta", Priority.DELTA, text, digest, "the anchor's sources changed")]


def _counts(file: FileDiff) -> str:
    return f"{one_line(file.path, 300)} +{file.added} −{file.removed}"

"""The Delta Pack: what changed since this provider session last looked. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase import ChangedFile, FileDiff, Moved, RepositoryState, is_generated, may_show
from sidecar.core.digests import short_id
from sidecar.packs.items import PackItem, Priority, has
from sidecar.packs.text import clean, one_line, size
from sidecar.runs import FailingTests, Known, keys

RELEVANT_FILE_BYTES = 2_400
FILE_BYTES = 700
"""What one file's difference may take before it is cut at a line: a file the request is about, and another one."""

BODY_SHARE = 0.4
"""Differences may take this share of the budget in all; beyond it a file is named with its counts only."""

NEW_FILE_LINES = 24
SHOWN_FILES = 40
"""Beyond this many changed files, the rest is one summary item."""

LOOKED_AT_CHARACTERS = 60_000
LINE_CHARACTERS = 240
"""How much of one file's difference is looked at at all, and how much of a line is shown."""

MAX_COMMITS = 10
MAX_TESTS = 12
MAX_RULE_CHANGES = 30

_DURATION = re.compile(r"\b\d+(?:\.\d+)?\s?m?s\b")


NAMED_ONLY = ":named"
"""Ends the digest of what was only named because its difference came too late: the next call tells it wholly."""


class Differences(NamedTuple):
    """The texts behind a state: diffs by path, and the contents of new files."""

    diffs: Mapping[str, FileDiff]
    new_files: Mapping[str, str]


def delta_items(
    state: RepositoryState,
    differences: Differences | None,
    known: Known,
    moved: Moved | None,
    failing: Sequence[FailingTests],
    todos: tuple[tuple[str, str], ...],
    anchor_changes: Sequence[str] | None,
    relevance: Mapping[str, float],
    sendable_bytes: int,
) -> list[PackItem]:
    """Gives every item of the delta that holds now, the most relevant first; the ledger decides which are news.

    Without `differences`, which came too late, files are named only and count as not yet told; without
    `anchor_changes` nothing is said of the standing rules. `sendable_bytes` is what the call may send in all: no
    item comes near it, else it would never be sent.
    """
    items = [_tests_item(tests) for tests in failing]
    items.append(_head_item(state, moved, known, is_whole=differences is not None))
    items.extend(_file_items(state, differences, relevance, int(sendable_bytes * BODY_SHARE), sendable_bytes // 5))
    items.extend(_gone_items(state, known))
    if todos:
        items.append(_todos_item(todos))
    items.extend(_rules_items(anchor_changes, known))
    if known.exists and all(has(known, item) for item in items):
        items.append(_unchanged_item())
    return items


def _unchanged_item() -> PackItem:
    """Says that nothing changed, so that the agent need not look again."""
    return PackItem(
        "delta:unchanged", "delta", Priority.DELTA, "Nothing since your last run.", "unchanged", "nothing changed",
        every_time=True,
    )  # fmt: skip


def _tests_item(failing: FailingTests) -> PackItem:
    names = [f"  {one_line(name, 200)}" for name in failing.names[:MAX_TESTS]]
    more = [f"  … {len(failing.names) - MAX_TESTS} more"] if len(failing.names) > MAX_TESTS else []
    excerpt = [f"  | {_line(line)}" for line in clean(failing.excerpt).splitlines()]
    text = "\n".join([f"Failing tests ({failing.runner}):", *names, *more, *excerpt])
    return PackItem(
        f"delta:tests:{failing.runner}",
        "delta",
        Priority.FAILING_TESTS,
        text,
        short_id([_DURATION.sub("", text), failing.run_id]),
        "the last test run failed",
    )


def _head_item(state: RepositoryState, moved: Moved | None, known: Known, *, is_whole: bool) -> PackItem:
    if state.kind != "git":
        text = "Worktree: a folder without git, whose changes cannot be shown."
        if keys.HEAD in known.items:
            text += " Files in it have changed since your last run."
        digest = keys.folder_digest(state.changed_hash)
        return PackItem(keys.HEAD, "delta", Priority.DELTA, text, digest, "where the worktree stands")
    where = f"branch {one_line(state.branch, 120)}" if state.branch else "detached HEAD"
    at = f"at {state.head[:10]}" if state.head else "without a commit yet"
    lines = [f"Worktree: {where} {at}."]
    if moved is not None:
        lines.append("HEAD has moved since your last run; new commits:")
        lines.extend(f"  {one_line(subject, 120)}" for subject in moved.subjects[:MAX_COMMITS])
        files = [file for file in moved.files if may_show(file.path)]
        lines.extend(f"  {_counts(file)}" for file in files[:SHOWN_FILES])
        if len(files) > SHOWN_FILES:
            lines.append(f"  … {len(files) - SHOWN_FILES} more files")
    elif not is_whole and known.head_commit is not None and known.head_commit != state.head:
        lines.append("HEAD has moved since your last run.")
    digest = keys.head_digest(state.branch, state.head) + ("" if is_whole else NAMED_ONLY)
    return PackItem(keys.HEAD, "delta", Priority.DELTA, "\n".join(lines), digest, "where the worktree stands")


def _file_items(
    state: RepositoryState,
    differences: Differences | None,
    relevance: Mapping[str, float],
    body_bytes: int,
    item_bytes: int,
) -> list[PackItem]:
    if state.kind != "git":
        return []
    shown = [file for file in state.changed if may_show(file.path)]
    shown.sort(key=lambda file: (is_generated(file.path), -relevance.get(file.path, 0.0), file.path))
    items = []
    for file in shown[:SHOWN_FILES]:
        limit = min(RELEVANT_FILE_BYTES if file.path in relevance else FILE_BYTES, item_bytes)
        body = _body(file, differences, min(limit, body_bytes)) if differences is not None else []
        body_bytes -= sum(size(line) + 1 for line in body)
        items.append(_file_item(file, differences, body))
    rest = shown[SHOWN_FILES:]
    if rest:
        listed = ", ".join(one_line(file.path, 100) for file in rest[:60])
        text = f"{len(rest)} more changed files: {listed}" + (" …" if len(rest) > 60 else "")
        digest = short_id([[file.path, file.content_hash] for file in rest])
        items.append(PackItem("delta:more", "delta", Priority.DELTA, text, digest, "too many changes to show each"))
    return items


def _file_item(file: ChangedFile, differences: Differences | None, body: Sequence[str]) -> PackItem:
    diff = differences.diffs.get(file.path) if differences is not None else None
    counts = f" +{diff.added} −{diff.removed}" if diff and (diff.added or diff.removed) else ""
    origin = f" (was {one_line(file.original, 200)})" if file.original and file.kind == "renamed" else ""
    text = "\n".join([f"{file.kind}: {one_line(file.path, 300)}{origin}{counts}", *body])
    return PackItem(
        keys.change_key(file.path),
        "delta",
        Priority.DELTA,
        text,
        keys.change_digest(file) + ("" if differences is not None else NAMED_ONLY),
        f"{file.kind} in the worktree",
    )


def _body(file: ChangedFile, differences: Differences, limit_bytes: int) -> list[str]:
    """A file's difference, or the beginning of a new file, in whole lines."""
    if is_generated(file.path) or file.kind == "deleted":
        return []
    diff = differences.diffs.get(file.path)
    if diff is not None:
        return _cut([f"  {_line(line)}" for line in _lines(diff.hunks)], limit_bytes, _count(diff.hunks))
    content = differences.new_files.get(file.path)
    if content is None:
        return []
    lines = [f"  +{_line(line)}" for line in _lines(content)]
    return _cut(lines[:NEW_FILE_LINES], limit_bytes, _count(content))


def _lines(text: str) -> list[str]:
    """The first lines of a text, made safe; of a huge one no more than could ever be shown."""
    return clean(text[:LOOKED_AT_CHARACTERS]).removesuffix("\n").split("\n") if text else []


def _count(text: str) -> int:
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def _line(text: str) -> str:
    return text if len(text) <= LINE_CHARACTERS else text[: LINE_CHARACTERS - 1] + "…"


def _cut(lines: list[str], limit_bytes: int, total: int) -> list[str]:
    """Keeps the first lines that fit, whole lines only, and says how many of all follow; too few become none."""
    if len(lines) >= total and sum(size(line) + 1 for line in lines) <= limit_bytes:
        return lines
    left = limit_bytes - size(f"  … {total} more lines") - 1
    shown: list[str] = []
    for line in lines:
        left -= size(line) + 1
        if left < 0:
            break
        shown.append(line)
    return [*shown, f"  … {total - len(shown)} more lines"] if shown and total > len(shown) else shown


def _gone_items(state: RepositoryState, known: Known) -> list[PackItem]:
    """What the session was told of as changed and that is no more: committed, reverted or deleted again."""
    present = {file.path for file in state.changed}
    gone = sorted(
        path
        for key, item in known.items.items()
        if (path := keys.changed_path(key)) is not None and path not in present and item.digest != keys.GONE
    )
    return [
        PackItem(
            keys.change_key(path),
            "delta",
            Priority.DELTA,
            f"no change any more: {one_line(path, 300)}",
            keys.GONE,
            "was changed when this session last looked",
        )
        for path in gone
    ]


def _todos_item(todos: tuple[tuple[str, str], ...]) -> PackItem:
    marks = {"completed": "x", "in_progress": "~"}
    lines = [f"  [{marks.get(status, ' ')}] {one_line(content, 200)}" for content, status in todos[:40]]
    text = "\n".join(["Task list:", *lines])
    return PackItem(
        keys.TODOS, "delta", Priority.DELTA, text, keys.todos_digest(todos), "the task list as last reported"
    )


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

"""The Delta Pack: what changed since this provider session last looked. Pure."""

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime

from sidecar.codebase import FileDiff, Moved, RepositoryState, may_show
from sidecar.core.digests import short_id
from sidecar.core.text.sanitize import clean, one_line
from sidecar.packs.delta_files import SHOWN_FILES, Differences, Interest, file_items, told_by_file
from sidecar.packs.delta_hunks import LINE_CHARACTERS
from sidecar.packs.items import PackItem, Priority, has
from sidecar.runs import FailingTests, SessionContents, keys

# What the Delta Pack says of the task list: all of it at first, then what was added, done or dropped. Pure.


MAX_TODOS = 40
TODO_CHARACTERS = 200

_MARKS = {"completed": "x", "in_progress": "~"}
_VERBS = {"completed": "done", "in_progress": "begun"}


def todos_items(todos: Sequence[tuple[str, str]], known: SessionContents) -> list[PackItem]:
    """Gives the task list, to a session that has it as what became of it since."""
    told = known.items.get(keys.TODOS)
    if todos:
        digest = keys.todos_digest(todos)
        changes = _changes(todos, told.digest) if told is not None and told.digest != digest else []
        return [_item(_changed_text(todos, changes) if changes else _whole_text(todos), digest)]
    if told is not None and told.digest != keys.REMOVED:
        return [_item("Task list: empty now.", keys.REMOVED)]
    return []


def _item(text: str, digest: str) -> PackItem:
    return PackItem(keys.TODOS, "delta", Priority.DELTA, text, digest, "the task list as last reported")


def _whole_text(todos: Sequence[tuple[str, str]]) -> str:
    lines = [f"  [{_MARKS.get(status, ' ')}] {one_line(content, TODO_CHARACTERS)}" for content, status in todos]
    return "\n".join(["Task list:", *_bounded(lines)])


def _changed_text(todos: Sequence[tuple[str, str]], changes: Sequence[str]) -> str:
    done = sum(status == "completed" for _, status in todos)
    return "\n".join([f"Task list, since you last saw it ({done} of {len(todos)} done):", *_bounded(changes)])


def _bounded(lines: Sequence[str]) -> list[str]:
    more = [f"  … {len(lines) - MAX_TODOS} more"] if len(lines) > MAX_TODOS else []
    return [*lines[:MAX_TODOS], *more]


def _changes(todos: Sequence[tuple[str, str]], sent_change_digest: str) -> list[str]:
    """What became of each task; nothing where the whole list says it better, or only its order is another."""
    told = keys.sent_todos(sent_change_digest)
    before = {one: status for one, status, _ in told}
    present = {keys.todo_id(content) for content, _ in todos}
    lines = [f"  dropped: {one_line(content, TODO_CHARACTERS)}" for one, _, content in told if one not in present]
    for content, status in todos:
        one, text = keys.todo_id(content), one_line(content, TODO_CHARACTERS)
        if one not in before:
            lines.append(f"  added: [{_MARKS.get(status, ' ')}] {text}")
        elif before[one] != status:
            lines.append(f"  {_VERBS.get(status, 'open again')}: {text}")
    return lines if len(lines) < max(2, len(todos)) else []


# What the Delta Pack says of tests that fail, and of those that failed when the session last heard of them. Pure.


MAX_TESTS = 12

FORGOTTEN_DAYS, KEPT_DAYS = 2, 14
"""A failure whose code has moved on to another commit is told for so many days, any other for so many."""

_DAY_MS = 24 * 3_600_000


def still_failing(failing: Sequence[FailingTests], state: RepositoryState, now_ms: int) -> list[FailingTests]:
    """Leaves out what was seen so long ago that it says nothing of the present state."""
    return [tests for tests in failing if _is_recent(tests, state, now_ms)]


def _is_recent(tests: FailingTests, state: RepositoryState, now_ms: int) -> bool:
    has_moved = tests.head is not None and tests.head != state.head
    return now_ms - tests.seen_at_ms < (FORGOTTEN_DAYS if has_moved else KEPT_DAYS) * _DAY_MS


def tests_items(failing: Sequence[FailingTests], state: RepositoryState, known: SessionContents) -> Iterator[PackItem]:
    """Gives each runner's failure, and once for a runner that failed no more is known to fail."""
    for tests in failing:
        yield _failing_item(tests, state, known)
    yield from _passed_items(known, {tests.runner for tests in failing})


def _failing_item(tests: FailingTests, state: RepositoryState, known: SessionContents) -> PackItem:
    """The tests' names and what went wrong; the session that ran them and saw it is reminded of the names alone."""
    key, digest = keys.tests_key(tests.runner), keys.tests_digest(tests.names, tests.excerpt, tests.run_id)
    told = known.items.get(key)
    has_seen = told is not None and told.digest == digest + keys.SEEN and bool(tests.names)
    names = [f"  {one_line(name, 200)}" for name in tests.names[:MAX_TESTS]]
    more = [f"  … {len(tests.names) - MAX_TESTS} more"] if len(tests.names) > MAX_TESTS else []
    excerpt = [f"  | {_line(line)}" for line in clean(tests.excerpt).splitlines()] if not has_seen else []
    text = "\n".join([f"Failing tests ({tests.runner}){_seen(tests, state)}:", *names, *more, *excerpt])
    return PackItem(key, "delta", Priority.FAILING_TESTS, text, digest, "the last test run failed")


def _seen(tests: FailingTests, state: RepositoryState) -> str:
    """Says when a failure was seen, where files have changed since."""
    if tests.changed_hash is None or (tests.head, tests.changed_hash) == (state.head, state.changed_hash):
        return ""
    day = datetime.fromtimestamp(tests.seen_at_ms / 1000, UTC).date()
    return f", seen on {day}, before later changes"


def _passed_items(known: SessionContents, failing: Collection[str]) -> Iterator[PackItem]:
    for key, item in sorted(known.items.items()):
        runner = keys.tests_runner(key)
        if runner is not None and runner not in failing and item.digest != keys.REMOVED:
            text = f"Tests ({one_line(runner, 80)}): no failure is known any more."
            yield PackItem(key, "delta", Priority.DELTA, text, keys.REMOVED, "they failed when this session last heard")


def _line(text: str) -> str:
    return text if len(text) <= LINE_CHARACTERS else text[: LINE_CHARACTERS - 1] + "…"


MAX_COMMITS = 10
MAX_RULE_CHANGES = 30

_NAMED = f":{keys.NAMED_ONLY}"


def delta_items(
    state: RepositoryState,
    differences: Differences | None,
    known: SessionContents,
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
    state: RepositoryState, moved: Moved | None, known: SessionContents, told_apart: Collection[str], *, is_whole: bool
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


def _folder_item(state: RepositoryState, known: SessionContents) -> PackItem:
    text = "Worktree: a folder without git, whose changes cannot be shown."
    if keys.HEAD in known.items:
        text += " Files in it have changed since your last run."
    digest = keys.folder_digest(state.changed_hash)
    return PackItem(keys.HEAD, "delta", Priority.DELTA, text, digest, "where the worktree stands")


def _where(state: RepositoryState, known: SessionContents) -> str:
    where = f"branch {one_line(state.branch, 120)}" if state.branch else "detached HEAD"
    at = f"at {state.head[:10]}" if state.head else "without a commit yet"
    told = known.items.get(keys.HEAD)
    before = keys.sent_branch(told.digest) if told is not None else None
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


def _rules_items(changes: Sequence[str] | None, known: SessionContents) -> list[PackItem]:
    """What the pinned anchor no longer says rightly; also, once, that it is right again."""
    told = known.items.get(keys.RULES)
    if changes:
        more = [f"  … {len(changes) - MAX_RULE_CHANGES} more"] if len(changes) > MAX_RULE_CHANGES else []
        shown = [f"  {line}" for line in changes[:MAX_RULE_CHANGES]]
        text = "\n".join(["The repository's standing rules and map have changed:", *shown, *more])
        digest = short_id(text)
    elif changes is not None and told is not None:
        text = "The repository's standing rules and map are again as they were first given."
        digest = keys.REMOVED
    else:
        return []
    return [PackItem(keys.RULES, "delta", Priority.DELTA, text, digest, "the anchor's sources changed")]


def _counts(file: FileDiff) -> str:
    return f"{one_line(file.path, 300)} +{file.added} −{file.removed}"

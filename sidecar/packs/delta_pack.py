"""The delta pack: what changed since this provider session last looked. Pure.

Here: the worktree's head, failing tests, the task list, changed rules and standing instructions; the files are in
`delta_files`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from sidecar.codebase import BrokenImport, FileDiff, HeadMove, RepositoryState, former_paths, may_name, may_show
from sidecar.core.clean_text import clean, clip, count_noun, join_first, one_line
from sidecar.core.clock import DAY_MS, utc_day
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.memory.standing_instruction_register import InstructionState
from sidecar.packs.anchor import STANDING_INSTRUCTIONS
from sidecar.packs.delta_files import (
    LINE_CHARACTERS,
    SHOWN_FILES,
    Differences,
    QueryRelevance,
    committed_files,
    file_items,
    past_changes,
)
from sidecar.packs.overrides import Overrides, statement_key
from sidecar.packs.pack_blocks import PackItem, Priority
from sidecar.runs import FailingTests, SessionContents, entries

MAX_TODOS = 40
TODO_CHARACTERS = 200

_MARKS = {"completed": "x", "in_progress": "~"}
_VERBS = {"completed": "done", "in_progress": "started"}


def task_list_items(todos: Sequence[tuple[str, str]], known: SessionContents) -> list[PackItem]:
    """Return the task list; for a session that has it, only what changed."""
    sent = known.items.get(entries.TODOS)
    if todos:
        entry = entries.task_list_entry(todos)
        changes = _task_changes(todos, sent.entry) if sent is not None and sent.entry != entry else []
        return [_task_list_item(_changes_text(todos, changes) if changes else _full_text(todos), entry)]
    if sent is not None and sent.entry != entries.REMOVED:
        return [_task_list_item("Task list: empty now.", entries.REMOVED)]
    return []


def _task_list_item(text: str, entry: entries.Entry) -> PackItem:
    return PackItem(entries.TODOS, "delta", Priority.DELTA, text, entry, "the task list as last reported")


def _full_text(todos: Sequence[tuple[str, str]]) -> str:
    lines = [f"  [{_MARKS.get(status, ' ')}] {one_line(content, TODO_CHARACTERS)}" for content, status in todos]
    return "\n".join(["Task list:", *_first_lines(lines, MAX_TODOS)])


def _changes_text(todos: Sequence[tuple[str, str]], changes: Sequence[str]) -> str:
    done = sum(status == "completed" for _, status in todos)
    heading = f"Task list, since you last saw it ({done} of {len(todos)} done):"
    return "\n".join([heading, *_first_lines(changes, MAX_TODOS)])


def _first_lines(lines: Sequence[str], limit: int, total: int | None = None) -> list[str]:
    """Return the first lines, and how many of all, or of a known total, are left out."""
    left = (len(lines) if total is None else total) - limit
    return [*lines[:limit], *([f"  … {left} more"] if left > 0 else [])]


def _task_changes(todos: Sequence[tuple[str, str]], sent: entries.Entry) -> list[str]:
    """Changes to the tasks; empty where the whole list is shorter, or only the order changed."""
    sent_tasks = sent.tasks if isinstance(sent, entries.TaskListEntry) else ()
    before = {task.task_id: task.status for task in sent_tasks}
    present = {entries.task_id(content) for content, _ in todos}
    lines = [
        f"  dropped: {one_line(task.beginning, TODO_CHARACTERS)}" for task in sent_tasks if task.task_id not in present
    ]
    for content, status in todos:
        task_id, text = entries.task_id(content), one_line(content, TODO_CHARACTERS)
        if task_id not in before:
            lines.append(f"  added: [{_MARKS.get(status, ' ')}] {text}")
        elif before[task_id] != status:
            lines.append(f"  {_VERBS.get(status, 'open again')}: {text}")
    return lines if len(lines) < max(2, len(todos)) else []


MAX_TESTS = 12

MOVED_FAILURE_DAYS, FAILURE_DAYS = 2, 14
"""Maximum age, in days, of a reported failure: if HEAD has moved to another commit since, and otherwise."""


def recent_failures(failing: Sequence[FailingTests], state: RepositoryState, now_ms: int) -> list[FailingTests]:
    """Drop failures too old to say anything about the current state."""
    return [tests for tests in failing if _is_recent(tests, state, now_ms)]


def _is_recent(tests: FailingTests, state: RepositoryState, now_ms: int) -> bool:
    has_moved = tests.head is not None and tests.head != state.head
    return now_ms - tests.seen_at_ms < (MOVED_FAILURE_DAYS if has_moved else FAILURE_DAYS) * DAY_MS


def failing_test_items(
    failing: Sequence[FailingTests], state: RepositoryState, known: SessionContents
) -> Iterator[PackItem]:
    """Return each runner's failures, and once for a runner without known failures that had some."""
    runners = set()
    for tests in failing:
        runners.add(tests.runner)
        yield _failing_item(tests, state, known)
    for key, item in sorted(known.items.items()):
        runner = entries.tests_runner(key)
        if runner is not None and runner not in runners and item.entry != entries.REMOVED:
            text = f"Tests ({one_line(runner, 80)}): no known failures remain."
            why = "they failed at this session's last update"
            yield PackItem(key, "delta", Priority.DELTA, text, entries.REMOVED, why)


_FILE_NAME = lazy_regex(r"(?:(?!::)\S)+\.\w{1,5}")


def _failing_item(tests: FailingTests, state: RepositoryState, known: SessionContents) -> PackItem:
    """Test names and error excerpt; a session that ran the tests itself is reminded of the names alone.

    The name of a file that failed as a whole says nothing without its error.
    """
    key = entries.tests_key(tests.runner)
    entry = entries.FailureEntry(entries.tests_digest(tests.names, tests.excerpt, tests.run_id))
    sent = known.items.get(key)
    has_seen = sent is not None and sent.entry == replace(entry, is_own=True) and bool(tests.names)
    names = _first_lines([f"  {one_line(name, 200)}" for name in tests.names], MAX_TESTS)
    excerpt = [f"  | {clip(line, LINE_CHARACTERS)}" for line in clean(tests.excerpt).splitlines()]
    if has_seen:
        excerpt = excerpt[:1] if len(tests.names) == 1 and _FILE_NAME.fullmatch(tests.names[0]) else []
    text = "\n".join([f"Failing tests ({tests.runner}){_seen_note(tests, state)}:", *names, *excerpt])
    return PackItem(key, "delta", Priority.FAILING_TESTS, text, entry, "the last test run failed")


def _seen_note(tests: FailingTests, state: RepositoryState) -> str:
    """Return when a failure was seen, if files have changed since."""
    if tests.changed_hash is None or (tests.head, tests.changed_hash) == (state.head, state.changed_hash):
        return ""
    return f", seen on {utc_day(tests.seen_at_ms)}, before later changes"


class AnchorNews(NamedTuple):
    """Differences of the current anchor from the one that a session has."""

    changes: Sequence[str] = ()
    late: Sequence[str] = ()
    """Lines that were not ready when the session's anchor was built."""


MAX_COMMITS = 10
MAX_RULE_CHANGES = 30
MAX_FACTS = 300
"""More than the rest of an anchor has, which a session lacks if the repository's state was unknown at its start."""

MAX_STAGED = 6
MAX_BROKEN_IMPORTS = 20


def delta_items(
    state: RepositoryState,
    differences: Differences | None,
    known: SessionContents,
    moved: HeadMove | None,
    failing: Sequence[FailingTests],
    todos: tuple[tuple[str, str], ...],
    anchor_news: AnchorNews | None,
    relevance: QueryRelevance,
    sendable_bytes: int,
) -> list[PackItem]:
    """Return every item of the delta that is valid now, most relevant first; the ledger decides which ones are new.

    Without `differences`, which came too late, files are named only and count as not sent. Without `anchor_news` the
    rules are not mentioned. `sendable_bytes` is the limit of the whole call: no item comes near it, else it would never
    be sent.
    """
    items = list(failing_test_items(failing, state, known))
    committed = committed_files(moved, differences, relevance) if moved is not None else []
    shown_files = {diff.path for diff in committed} | past_changes(state, known)
    items.append(_head_item(state, moved, known, shown_files, is_complete=differences is not None))
    items.extend(file_items(state, differences, known, moved, committed, relevance, sendable_bytes))
    items.extend(_unnamed_items(state, known))
    items.extend(_index_items(state, known))
    items.extend(task_list_items(todos, known))
    if anchor_news is not None:
        items.extend(_fact_items(anchor_news.late, known))
        items.extend(_rules_items(anchor_news.changes, known))
    return items


def _head_item(
    state: RepositoryState,
    moved: HeadMove | None,
    known: SessionContents,
    shown_files: Collection[str],
    *,
    is_complete: bool,
) -> PackItem:
    if state.kind != "git":
        return _folder_item(state, known)
    lines = [_where(state, known)]
    if moved is not None:
        lines += _moved_lines(moved, shown_files)
    elif not is_complete and known.head_commit is not None and known.head_commit != state.head:
        lines.append("HEAD has moved since your last run.")
    entry = entries.head_entry(state.branch, state.head, is_whole=is_complete)
    return PackItem(entries.HEAD, "delta", Priority.DELTA, "\n".join(lines), entry, "the worktree's head")


def _folder_item(state: RepositoryState, known: SessionContents) -> PackItem:
    text = "Worktree: a folder without git, whose changes cannot be shown."
    if entries.HEAD in known.items:
        text += " Files in it have changed since your last run."
    entry = entries.folder_entry(state.changed_hash)
    return PackItem(entries.HEAD, "delta", Priority.DELTA, text, entry, "the worktree's head")


def _index_items(state: RepositoryState, known: SessionContents) -> Iterator[PackItem]:
    """Return which files are staged if the session last saw other ones; files staged no longer, unless committed."""
    if state.kind != "git":
        return
    sent, entry = known.items.get(entries.INDEX), entries.index_entry(state)
    paths = [file.path for file in entries.staged_files(state) if may_name(file.path)]
    if paths:
        text = f"staged for the next commit: {join_first([one_line(path, 100) for path in paths], MAX_STAGED)}"
    elif entry == entries.REMOVED and sent is not None and entries.is_of_commit(sent.entry, state.head):
        text = "staged for the next commit: nothing any more"
    else:
        return
    yield PackItem(entries.INDEX, "delta", Priority.DELTA, text, entry, "the index differs from the last commit")


def _unnamed_items(state: RepositoryState, known: SessionContents) -> Iterator[PackItem]:
    """Return how many changed files are not named, so that a delta without a line means an unchanged worktree."""
    sent, entry = known.items.get(entries.UNNAMED), entries.unnamed_entry(state)
    count = len(entries.unnamed_files(state))
    if count:
        text = f"changed, but not named (secret, or installed by a tool): {count_noun(count, 'file')}"
        text += ", others than before" if sent is not None and sent.entry not in (entry, entries.REMOVED) else ""
    elif sent is not None and sent.entry != entries.REMOVED:
        text = "changed, but not named: none any more"
    else:
        return
    yield PackItem(entries.UNNAMED, "delta", Priority.DELTA, text, entry, "their names are not for the agent")


def _where(state: RepositoryState, known: SessionContents) -> str:
    where = f"branch {one_line(state.branch, 120)}" if state.branch else "detached HEAD"
    at = f"at {state.head[:10]}" if state.head else "without a commit yet"
    sent = known.items.get(entries.HEAD)
    before = sent.entry.branch if sent is not None and isinstance(sent.entry, entries.HeadEntry) else ""
    was = f" (was on branch {one_line(before, 120)})" if before and before != state.branch else ""
    return f"Worktree: {where} {at}{was}."


def _moved_lines(moved: HeadMove, shown_files: Collection[str]) -> list[str]:
    """Commits added and removed, and the counts of files that are not shown one by one."""
    gained, lost = moved.counts
    lines = [_head_move_line(moved)]
    if moved.lost:
        lines += ["no longer in its history:", *_subjects(moved.lost, lost)]
    if moved.subjects:
        lines += ["new commits:", *_subjects(moved.subjects, gained)]
    files = [file for file in moved.files if may_name(file.path) and file.path not in shown_files]
    lines += [f"  {_counts(file)}" for file in files[:SHOWN_FILES]]
    return [*lines, f"  … {count_noun(len(files) - SHOWN_FILES, 'more file')}"] if len(files) > SHOWN_FILES else lines


def _head_move_line(moved: HeadMove) -> str:
    match moved.direction:
        case "forward":
            return "HEAD has moved since your last run."
        case "backward":
            return "HEAD has moved back since your last run."
        case "diverged":
            return "HEAD has moved since your last run, to another line of commits."
        case "unknown":
            return "HEAD has moved since your last run; its previous commit no longer exists."


def _subjects(subjects: Sequence[str], count: int) -> list[str]:
    return _first_lines([f"  {one_line(subject, 120)}" for subject in subjects], MAX_COMMITS, count)


def operation_items(operation: str, known: SessionContents) -> list[PackItem]:
    """Return the operation that the worktree is in the middle of; also, once, that it has ended."""
    sent = known.items.get(entries.OPERATION)
    if operation:
        operation = one_line(operation, 160)
        text, entry = f"A {operation} is in progress.", entries.TextEntry(operation)
        return [PackItem(entries.OPERATION, "delta", Priority.DELTA, text, entry, "git waits for it to continue")]
    if sent is None or sent.entry == entries.REMOVED:
        return []
    before = sent.entry.digest if isinstance(sent.entry, entries.TextEntry) else "operation"
    text = f"The {before} is no longer in progress."
    return [PackItem(entries.OPERATION, "delta", Priority.DELTA, text, entries.REMOVED, "it was at the last update")]


MAX_SUBMODULES = 5
"""More empty submodules than this are counted."""


def submodule_items(empty: Sequence[str]) -> list[PackItem]:
    """Return the submodules that are empty, without which a project may not build."""
    named = [one_line(path, 120) for path in empty if may_name(path)]
    if not named:
        return []
    what, pronoun = ("This submodule is", "it") if len(named) == 1 else ("These submodules are", "them")
    command = f"`git submodule update --init` fills {pronoun}."
    text = f"{what} empty: {join_first(named, MAX_SUBMODULES, 'submodule')}. {command}"
    entry = entries.TextEntry(short_id(named))
    return [PackItem(entries.SUBMODULES, "delta", Priority.DELTA, text, entry, "nothing is checked out there")]


def broken_import_items(
    broken: Sequence[BrokenImport], state: RepositoryState, known: SessionContents
) -> list[PackItem]:
    """Return the imports broken by moved and deleted files that a session lacks, by the file that they led to.

    One that is repaired and breaks again is named again.
    """
    sent = known.items.get(entries.BROKEN_IMPORTS)
    sent_ids = sent.entry.ids if sent is not None and isinstance(sent.entry, entries.LineListEntry) else ()
    ids = {statement_key("\n".join(row)): row for row in broken if may_name(row.importer) and may_name(row.target)}
    if not ids and not sent_ids:
        return []
    missing = [row for row_id, row in ids.items() if row_id not in sent_ids]
    lines = ["Imports that lead nowhere since files were moved or deleted:"]
    moved, shown = former_paths(state.changed), sorted(missing, key=attrgetter("target"))[:MAX_BROKEN_IMPORTS]
    for target, rows in groupby(shown, key=attrgetter("target")):
        present = moved.get(target)
        place = "" if present is None else f" (now {one_line(present, 200)})" if present else " (deleted)"
        lines.append(f"  of {one_line(target, 200)}{place} in")
        lines += [f"    {one_line(row.importer, 200)}: {one_line(row.specifier, 100)}" for row in rows]
    lines += [f"  … {len(missing) - MAX_BROKEN_IMPORTS} more"] if len(missing) > MAX_BROKEN_IMPORTS else []
    entry = entries.LineListEntry(tuple(sorted(ids))) if ids else entries.REMOVED
    why, key = "a file that they name is no longer there", entries.BROKEN_IMPORTS
    return [PackItem(key, "delta", Priority.DELTA, "\n".join(lines), entry, why, is_known=not missing)]


def _fact_items(lines: Sequence[str], known: SessionContents) -> list[PackItem]:
    """Lines of the anchor that were not ready when the session's anchor was built; only those that it lacks."""
    if not lines:
        return []
    headings = "More about the repository:", "More about the repository, as it is now:"
    return [_line_list_item(entries.FACTS, headings, lines, known, "it was not ready before", MAX_FACTS)]


def _rules_items(changes: Sequence[str], known: SessionContents) -> list[PackItem]:
    """Statements of the pinned anchor that are outdated, once each; also, once, that it is correct again."""
    if changes:
        heading = "The repository's rules and map have changed"
        headings = f"{heading}:", f"{heading}; all changes to those sent first:"
        return [_line_list_item(entries.RULES, headings, changes, known, "the anchor's sources changed")]
    if entries.RULES not in known.items:
        return []
    text = "The repository's rules and map match the original again."
    return [PackItem(entries.RULES, "delta", Priority.DELTA, text, entries.REMOVED, "the anchor's sources changed")]


def _line_list_item(
    key: str,
    headings: tuple[str, str],
    lines: Sequence[str],
    known: SessionContents,
    why: str,
    max_lines: int = MAX_RULE_CHANGES,
) -> PackItem:
    """Return the lines that a session lacks; if some that it has are outdated, all of them under the second heading."""
    sent = known.items.get(key)
    sent_ids = sent.entry.ids if sent is not None and isinstance(sent.entry, entries.LineListEntry) else ()
    ids = {statement_key(line): line for line in lines}
    is_outdated = not ids.keys() >= set(sent_ids)
    missing = [line for line_id, line in ids.items() if is_outdated or line_id not in sent_ids] or list(lines)
    shown = _first_lines([f"  {line}" for line in missing], max_lines)
    text = "\n".join([headings[is_outdated], *shown])
    return PackItem(key, "delta", Priority.DELTA, text, entries.LineListEntry(tuple(sorted(ids))), why)


def _counts(file: FileDiff) -> str:
    if not may_show(file.path):
        return f"{one_line(file.path, 300)} (binary)"
    lines = f" +{file.added} −{file.removed}" if file.added or file.removed or not file.note else ""
    return f"{one_line(file.path, 300)}{f' ({file.note})' if file.note else ''}{lines}"


NEW_PREFIX, CHANGED_PREFIX = "New standing instruction from the user: ", "Standing instruction changed: "
REPLACED_PREFIX, REVOKED_PREFIX = "It replaces: ", "A standing instruction no longer holds: "

_INSTRUCTION_LINE = lazy_regex(r"- (.*) \(([^(),\s]+), \d{4}-\d\d-\d\d\)")


def instruction_items(
    state: InstructionState, known: SessionContents, session_id: str, overrides: Overrides
) -> list[PackItem]:
    """Return an item for each instruction that a session with an anchor lacks, or has although it no longer holds.

    A session has the instructions of its anchor, which stays as it is, and those that were delivered since. What the
    user typed in the session itself is known there until the session is compacted or rolled back beyond it.
    """
    anchor_lines = _instructions_in(known.anchor.text if known.anchor is not None else "")
    sent = {memory_id: item.entry for key, item in known.items.items() if (memory_id := entries.instruction_id(key))}
    active_ids = {instruction.id for instruction in state.active}
    own_ids = frozenset(
        instruction.id
        for instruction in state.active
        if instruction.session == session_id and known.exists and not known.has_lost(instruction.typed_at_ms)
    )
    typed_here = _replaced_here(state, session_id, own_ids) if known.exists else ()
    known_ids = dict.fromkeys((*anchor_lines, *sent, *typed_here))
    replaced_here = {
        old_id
        for old_id, replacement in state.replaced.items()
        if replacement.replaced_by in own_ids and old_id not in sent  # it is in the anchor, before all that was typed
    }
    outdated = [memory_id for memory_id in known_ids if memory_id not in active_ids | replaced_here]
    items: list[PackItem] = []
    for instruction in state.fitting:
        known_entry = sent.get(instruction.id)
        is_in_anchor = known_entry is None and anchor_lines.get(instruction.id, ("", ""))[1] == instruction.text
        if is_in_anchor or (known_entry is None and instruction.id in own_ids):
            continue
        replaced = [
            old_id
            for old_id in outdated
            if old_id in state.replaced and state.replaced[old_id].replaced_by == instruction.id
        ]
        is_change = bool(replaced) or instruction.id in anchor_lines or instruction.id in sent
        statement = instruction.line.removeprefix("- ")
        text = f"{CHANGED_PREFIX if is_change else NEW_PREFIX}{statement}"
        entry = entries.InstructionEntry(instruction.text)
        items.append(_instruction_item(instruction.id, text, entry, "the user stated it"))
        items.extend(_outdated_item(old_id, state.replaced[old_id].text, REPLACED_PREFIX) for old_id in replaced)
        outdated = [old_id for old_id in outdated if old_id not in replaced]
    revoked = (old_id for old_id in outdated if not _is_unwanted(old_id, anchor_lines, overrides))
    texts = {old_id: replacement.text for old_id, replacement in state.replaced.items()}
    texts |= {old_id: text for old_id, (_, text) in anchor_lines.items()}
    texts |= {old_id: entry.text for old_id, entry in sent.items() if isinstance(entry, entries.InstructionEntry)}
    return [*items, *(_outdated_item(old_id, texts.get(old_id, ""), REVOKED_PREFIX) for old_id in revoked)]


def _replaced_here(state: InstructionState, session_id: str, own_ids: Collection[str]) -> Iterator[str]:
    """The replaced statements that the user typed in a session, unless the later one was typed there too."""
    for memory_id, replacement in state.replaced.items():
        if session_id and replacement.session == session_id and replacement.replaced_by not in own_ids:
            yield memory_id


def _instructions_in(anchor: str) -> dict[str, tuple[str, str]]:
    """Return line and text by id of each instruction in an anchor."""
    matches = (_INSTRUCTION_LINE.fullmatch(line) for line in _section_lines(anchor))
    return {match[2]: (match[0], match[1]) for match in matches if match is not None}


def _section_lines(anchor: str) -> Iterator[str]:
    is_inside = False
    for line in anchor.splitlines():
        is_statement = line.startswith("- ")
        is_inside = is_inside if is_statement else line == f"{STANDING_INSTRUCTIONS}:"
        if is_inside and is_statement:
            yield line


def _outdated_item(memory_id: str, text: str, prefix: str) -> PackItem:
    statement = f"{text} ({memory_id})" if text else memory_id
    return _instruction_item(
        memory_id, f"{prefix}{statement}", entries.REMOVED, "the user withdrew, changed or replaced it"
    )


def _instruction_item(memory_id: str, text: str, entry: entries.Entry, why: str) -> PackItem:
    return PackItem(entries.instruction_key(memory_id), "delta", Priority.PINNED, text, entry, why)


def _is_unwanted(memory_id: str, anchor_lines: Mapping[str, tuple[str, str]], overrides: Overrides) -> bool:
    """Whether the user muted an instruction without marking it wrong: then nothing is sent about it."""
    names = [entries.memory_key(memory_id), entries.instruction_key(memory_id)]
    names += [statement_key(anchor_lines[memory_id][0])] if memory_id in anchor_lines else []
    return any(name in overrides and overrides[name].kind == "never" for name in names)

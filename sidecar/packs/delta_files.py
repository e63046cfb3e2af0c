"""Files in the delta pack: changed in the worktree, committed since, no longer changed. Pure.

A session receives those hunks of a file's difference that are new to it, the most relevant first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from sidecar.codebase import (
    ChangedFile,
    FileDiff,
    HeadMove,
    Hunk,
    RepositoryState,
    added_file_diff,
    adds_only_our_hooks,
    count_terms,
    hunk_content_id,
    hunk_header,
    is_adjacent,
    is_generated,
    may_show,
    query_terms,
    split_hunks,
)
from sidecar.core.clean_text import clean, clean_code, clip, count_noun, join_first, one_line, utf8_size
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import may_span_lines, redact_lines
from sidecar.packs.pack_blocks import PackItem, Priority
from sidecar.runs import SessionContents, entries

LINE_CHARACTERS = 240
"""Maximum characters shown of a line."""

HUNK_HEADER_BYTES = 40
"""Estimated bytes of a hunk header, before it is known which hunks are adjacent."""

MAX_CHANGED_LOCATIONS = 8


class RenderedDiff(NamedTuple):
    """A rendered difference."""

    lines: tuple[str, ...]
    bytes: int
    """UTF-8 bytes of the lines with their ends."""
    hunks: tuple[entries.SentHunk, ...]
    """The session's knowledge of the current difference once it has these lines."""
    has_known: bool
    """Whether the session knew some of the difference before."""
    has_new: bool
    """Whether anything in it is new to the session, if only that something is gone."""


@lru_cache(maxsize=96)
def render_diff(
    text: str,
    sent: tuple[entries.SentHunk, ...],
    query: str,
    limit_bytes: int,
    *,
    has_moved: bool = False,
    is_partial: bool = False,
) -> RenderedDiff:
    """Render a difference for a session that has `sent`; cut between hunks, inside a hunk only if none fits.

    Each hunk is known, or shown, or counted in a last line, also one of which only the beginning is shown. A hunk that
    was shown and has changed since is named by its location, unless its replacement is shown or the difference is
    `is_partial`, which says nothing of the other hunks. With `has_moved` the old text may be another than that of
    `sent`, and hunks have the positions that it gives them.
    """
    hunks, identify = split_hunks(text), hunk_content_id if has_moved else str
    known = _known_hunks(hunks, sent, identify)
    new_numbers = [number for number in range(len(hunks)) if number not in known]
    lines = sanitized_lines(text)
    shown = _choose_hunks(hunks, lines, new_numbers, query, limit_bytes)
    body = list(_rendered(hunks, lines, shown))
    clipped: list[int] = []
    if new_numbers and not shown:
        clipped, body = _clipped_hunk(hunks, lines, new_numbers[0], limit_bytes)
    left = _line_count(text) - len(body) + sum(line.startswith("  @@ ") for line in body)
    left -= sum(len(hunks[number].lines) for number in known)
    if left > 0 and (body or sent):  # otherwise the counts of the whole file say it
        body.append(f"  … {count_noun(left, 'more line')}")
    changed_locations = [] if is_partial else _changed_locations(hunks, sent, [*shown, *clipped], identify)
    was_shown = {number for number, sent_hunk in known.items() if sent_hunk.is_shown} | set(shown)
    now = tuple(
        entries.SentHunk(hunk.hunk_id, hunk.position, number in was_shown)
        for number, hunk in enumerate(hunks[: entries.MAX_HUNKS])
    )
    if changed_locations:
        named = [f"@@ {place.replace('+', ' +').lstrip()}" for place in changed_locations]
        body.append(f"  no longer as sent or written: {join_first(named, MAX_CHANGED_LOCATIONS)}")
    return RenderedDiff(
        tuple(body), sum(utf8_size(line) + 1 for line in body), now, bool(known), bool(new_numbers or changed_locations)
    )


@lru_cache(maxsize=48)
def sanitized_lines(text: str) -> tuple[tuple[str, ...], ...]:
    """Return each hunk's lines, safe to show: secrets are matched in the text without diff signs, across hunks."""
    hunks = split_hunks(text)
    raw = [line for hunk in hunks for line in hunk.lines]
    masked = "\n".join(line[1:] for line in raw)
    if may_span_lines(masked):  # a key of many lines; each line must keep its position
        masked = redact_lines(masked)
    safe = clean_code(masked).split("\n")
    if len(safe) != len(raw):  # something spanning a line end was removed
        safe = [clean_code(line).replace("\n", " ") for line in masked.split("\n")]
    rendered = iter(clip(f"  {line[0]}{text}", LINE_CHARACTERS) for line, text in zip(raw, safe, strict=True))
    return tuple(tuple(next(rendered) for _ in hunk.lines) for hunk in hunks)


def _known_hunks(
    hunks: Sequence[Hunk], sent: Sequence[entries.SentHunk], identify: Callable[[str], str]
) -> dict[int, entries.SentHunk]:
    """Hunks that were sent before, in the same order: a hunk that moved before another counts as new."""
    numbers: dict[str, list[int]] = {}
    for number, sent_hunk in enumerate(sent):
        numbers.setdefault(identify(sent_hunk.hunk_id), []).append(number)
    known, last = {}, -1
    for number, hunk in enumerate(hunks):
        at = next((place for place in numbers.get(identify(hunk.hunk_id), ()) if place > last), -1)
        if at >= 0:
            known[number] = sent[at]
            last = at
    return known


def _choose_hunks(
    hunks: Sequence[Hunk], lines: Sequence[Sequence[str]], new_numbers: Sequence[int], query: str, limit_bytes: int
) -> list[int]:
    """The hunks that fit: all, or those that match most of the request's words, then the first ones; in their order."""
    costs = {number: sum(utf8_size(line) + 1 for line in lines[number]) for number in new_numbers}
    if sum(costs.values()) + HUNK_HEADER_BYTES * len(list(_adjacent_runs(hunks, new_numbers))) <= limit_bytes:
        return list(new_numbers)
    terms = frozenset(query_terms(query))
    left = limit_bytes - HUNK_HEADER_BYTES
    chosen = []
    for number in sorted(new_numbers, key=lambda number: _relevance(hunks[number], terms), reverse=True):
        cost = costs[number] + HUNK_HEADER_BYTES
        if cost <= left:
            left -= cost
            chosen.append(number)
    return sorted(chosen)


def _relevance(hunk: Hunk, terms: frozenset[str]) -> tuple[int, bool]:
    """The number of the request's words in the changed lines, and whether anything was added."""
    differing = " ".join(line[1:] for line in hunk.lines if line[0] != " " or not hunk.old)
    words = len(terms & count_terms(f"{differing} {hunk.name}").keys()) if terms else 0
    return words, any(line[0] == "+" for line in hunk.lines)


def _rendered(hunks: Sequence[Hunk], lines: Sequence[Sequence[str]], shown: Sequence[int]) -> Iterator[str]:
    for run in _adjacent_runs(hunks, shown):
        yield _header_line(hunks[run[0]], hunks[run[-1]])
        for number in run:
            yield from lines[number]


def _header_line(first: Hunk, last: Hunk) -> str:
    return clip(f"  {clean(hunk_header(first, last))}", LINE_CHARACTERS)


def _adjacent_runs(hunks: Sequence[Hunk], numbers: Sequence[int]) -> Iterator[list[int]]:
    """Group adjacent hunks: they are shown under one header."""
    run: list[int] = []
    for number in numbers:
        if run and not (run[-1] == number - 1 and is_adjacent(hunks[run[-1]], hunks[number])):
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _clipped_hunk(
    hunks: Sequence[Hunk], lines: Sequence[Sequence[str]], number: int, limit_bytes: int
) -> tuple[list[int], list[str]]:
    """The beginning of a hunk that does not fit as a whole; empty where not even a line fits."""
    body = [_header_line(hunks[number], hunks[number])]
    left = limit_bytes - utf8_size(body[0]) - HUNK_HEADER_BYTES
    for line in lines[number]:
        left -= utf8_size(line) + 1
        if left < 0:
            break
        body.append(line)
    return ([number], body) if len(body) > 1 else ([], [])


def _changed_locations(
    hunks: Sequence[Hunk], sent: Sequence[entries.SentHunk], shown: Sequence[int], identify: Callable[[str], str]
) -> list[str]:
    """Locations of hunks that were shown and have changed since, unless a shown hunk covers the location."""
    present = {identify(hunk.hunk_id) for hunk in hunks}
    places = [hunk.position for hunk in sent if hunk.is_shown and identify(hunk.hunk_id) not in present]
    return [place for place in places if not any(_covers(hunks[number], place) for number in shown)]


def _covers(hunk: Hunk, place: str) -> bool:
    old, _, new = place.rpartition("+")
    if not hunk.new <= int(new) < hunk.new + max(1, hunk.new_lines):
        return False
    return not old or hunk.old <= -int(old) < hunk.old + max(1, hunk.old_lines)


def _line_count(text: str) -> int:
    """The number of lines of a difference without headers, including those beyond the size limit."""
    return text.count("\n") - text.count("\n@@ ") - text.startswith("@@ ") + (text[-1:] not in ("", "\n"))


RELEVANT_FILE_BYTES = 2_400
FILE_BYTES = 700
"""Maximum bytes of one file's difference before hunks are omitted: a file relevant to the request, and any other."""

BODY_SHARE, ITEM_SHARE = 0.4, 0.2
"""Share of a call's bytes for all differences, and for one; beyond it a file is named with its counts only."""

COMMITTED_SHARE, COMMITTED_FILES = 0.15, 6
"""Share of a call's bytes for committed changes; up to this many files are shown although the request is not about
them.
"""

SHOWN_FILES = 40
"""Beyond this many changed files, the rest is one summary item."""

LISTED_FILES, MERGED_FILES = 60, 8
"""Number of them that are named; and of those that only a merge brings."""

_NESTED = lazy_regex(r"nested:([0-9a-f]{10})[0-9a-f]{30,54}")
_DELETED_FILE = lazy_regex(r"@@ -\S+ \+0,0 @@")
_EMPTY_DIFF = RenderedDiff((), 0, (), has_known=False, has_new=True)


class Differences(NamedTuple):
    """The texts behind a state: diffs by path, contents of new files, and diffs of files committed meanwhile."""

    diffs: Mapping[str, FileDiff]
    new_files: Mapping[str, str]
    committed: Mapping[str, FileDiff] = {}
    merged: frozenset[str] = frozenset()
    """The changed files that are as in the commit whose merge is in progress."""
    places: Mapping[str, str] = {}
    """The stash or branch that has what a session knows of a file that no longer differs, by path."""


class QueryRelevance(NamedTuple):
    """Subject of a request: the scores of the files found for it, and its words."""

    relevance: Mapping[str, float]
    query: str = ""


class _ByteAllowance:
    """The bytes that differences may still use."""

    def __init__(self, relevance: QueryRelevance, sendable_bytes: int, share: float, *, has_moved: bool) -> None:
        self._relevance = relevance
        self._has_moved = has_moved
        self._item_bytes = int(sendable_bytes * ITEM_SHARE)
        self._left_bytes = int(sendable_bytes * share)

    def render(
        self, path: str, text: str, sent: entries.ChangeEntry | None, *, is_partial: bool = False
    ) -> RenderedDiff:
        """Render a difference for a session that has `sent` within the remaining bytes, and subtract them.

        None means a session that has all of it: its bytes count at full size, whatever the current request. With
        `is_partial`, hunks that it lacks may exist all the same.
        """
        limit = RELEVANT_FILE_BYTES if path in self._relevance.relevance else FILE_BYTES
        hunks, query = ((), "") if sent is None else (sent.hunks, self._relevance.query)
        is_past = sent is not None and sent.is_past
        limit = max(0, min(limit, self._item_bytes, self._left_bytes))
        has_moved = self._has_moved or is_past
        diff = render_diff(text, hunks, query, limit, has_moved=has_moved, is_partial=is_partial or is_past)
        self._left_bytes -= diff.bytes
        return diff


def file_items(
    state: RepositoryState,
    differences: Differences | None,
    known: SessionContents,
    moved: HeadMove | None,
    committed: Sequence[FileDiff],
    relevance: QueryRelevance,
    sendable_bytes: int,
) -> list[PackItem]:
    """Return the items of files, most relevant first; what a session already has uses bytes last."""
    if state.kind != "git":
        return []
    shown, rest = _changed(state, known, relevance, differences)
    allowance = _ByteAllowance(relevance, sendable_bytes, BODY_SHARE, has_moved=moved is not None)
    already_sent = {file.path for file in shown if _was_sent(file, known)}
    items = [_new_item(file, differences, known, allowance) for file in shown if file.path not in already_sent]
    committed_allowance = _ByteAllowance(relevance, sendable_bytes, COMMITTED_SHARE, has_moved=moved is not None)
    commits = [_committed_item(state, diff, known, moved, committed_allowance) for diff in committed]
    known_items = [_known_item(file, differences, known, allowance) for file in shown if file.path in already_sent]
    return [
        *items,
        *commits,
        *known_items,
        *_rest_items(rest, tuple(entries.changes_of(state).folders.values()), known, differences),
        *_reverted_items(state, known, {item.key for item in commits}, moved, differences),
    ]


def committed_files(moved: HeadMove, differences: Differences | None, relevance: QueryRelevance) -> list[FileDiff]:
    """Files whose part in new commits is shown, most relevant first: all of a few, or those relevant to the request.

    If the head moved back, where known changes are gone, files are only counted.
    """
    if differences is None:
        return []
    files = [diff for path, diff in differences.committed.items() if may_show(path) and not is_generated(path)]
    files = [diff for diff in files if not adds_only_our_hooks(diff.path, diff.hunks)]
    if len(moved.files) > COMMITTED_FILES:
        files = [diff for diff in files if diff.path in relevance.relevance]
    return sorted(files, key=lambda diff: (-relevance.relevance.get(diff.path, 0.0), diff.path))


def _changed(
    state: RepositoryState, known: SessionContents, relevance: QueryRelevance, differences: Differences | None
) -> tuple[list[ChangedFile], list[ChangedFile]]:
    """The changed files that are shown one by one, and the others: too many, merged, or moved or deleted as a folder.

    Of a counted folder, only files that the request is about, or that the session has, are among them.
    """
    changes = entries.changes_of(state)
    files = list(changes.single)
    if changes.folders:
        paths = {*sent_counted_files(changes, known), *relevance.relevance}
        files += [file for path in sorted(paths) if (file := changes.counted(path)) is not None]
    files = [file for file in files if not adds_only_our_hooks(file.path, _text(file, differences))]
    files.sort(key=lambda file: (is_generated(file.path), -relevance.relevance.get(file.path, 0.0), file.path))
    edited = {path for path, diff in differences.diffs.items() if diff.hunks} if differences is not None else set()
    folders = folder_changes(files)
    members = {file for folder in folders for file in folder.files if folder.origin == "" or file.path not in edited}
    members = {file for file in members if file.path not in relevance.relevance}
    members.update(file for file in files if differences is not None and file.path in differences.merged)
    single = [file for file in files if file not in members]
    return single[:SHOWN_FILES], [*single[SHOWN_FILES:], *(file for file in files if file in members)]


def sent_counted_files(changes: entries.ChangeList, known: SessionContents) -> list[str]:
    """Return the paths in counted folders that a session has changes of."""
    sent = (entries.changed_path(key) for key, item in known.items.items() if not entries.is_past(item.entry))
    return [path for path in sent if path is not None and changes.counted(path) is not None]


FOLDER_FILES, FOLDER_SHARE = 12, 0.9
"""Minimum number of files that are named by their folder; share of the deleted files that the named folder has."""


class FolderChange(NamedTuple):
    """A folder that was moved, or below which many files were deleted."""

    folder: str
    origin: str
    """Its former path; empty if its files were deleted."""
    files: tuple[ChangedFile, ...]

    @property
    def line(self) -> str:
        """The line that names it."""
        count = count_noun(len(self.files), "file")
        if self.origin:
            return f"moved: {one_line(self.origin, 200)}/ to {one_line(self.folder, 200)}/ ({count})"
        return f"deleted: {count} below {one_line(self.folder, 200)}/"


def folder_changes(files: Sequence[ChangedFile]) -> list[FolderChange]:
    """Return the folders that were moved or deleted with many files."""
    moves: dict[tuple[str, str], list[ChangedFile]] = {}
    deleted: dict[str, list[ChangedFile]] = {}
    for file in files:
        if file.kind == "renamed" and file.original:
            moves.setdefault(_moved_folder(file.original, file.path), []).append(file)
        elif file.kind == "deleted" and "/" in file.path:
            deleted.setdefault(file.path.partition("/")[0], []).append(file)
    changes = [
        FolderChange(folder, origin, tuple(moved))
        for (origin, folder), moved in sorted(moves.items())
        if origin and folder and len(moved) >= FOLDER_FILES
    ]
    below = [_deleted_folder(folder, deleted_files) for folder, deleted_files in sorted(deleted.items())]
    return [*changes, *(change for change in below if len(change.files) >= FOLDER_FILES)]


def _moved_folder(origin: str, path: str) -> tuple[str, str]:
    """The parts of two paths before their common end."""
    former, parts = origin.split("/"), path.split("/")
    while len(former) > 1 and len(parts) > 1 and former[-1] == parts[-1]:
        former, parts = former[:-1], parts[:-1]
    is_folder = len(former) + len(parts) < origin.count("/") + path.count("/") + 2
    return ("/".join(former), "/".join(parts)) if is_folder else ("", "")


def _deleted_folder(folder: str, files: Sequence[ChangedFile]) -> FolderChange:
    """The innermost folder that has nearly all of some deleted files."""
    while True:
        inner: dict[str, list[ChangedFile]] = {}
        for file in files:
            name, separator, _ = file.path[len(folder) + 1 :].partition("/")
            if separator:
                inner.setdefault(name, []).append(file)
        name, most = max(inner.items(), key=lambda item: len(item[1]), default=("", []))
        if len(most) < FOLDER_SHARE * len(files):
            return FolderChange(folder, "", tuple(files))
        folder, files = f"{folder}/{name}", most


def _sent_state(path: str, known: SessionContents) -> entries.ChangeEntry:
    """The known part of a file's diff, also of one that did not differ in the meantime."""
    delivered = known.items.get(entries.change_key(path))
    entry = delivered.entry if delivered is not None else None
    return entry if isinstance(entry, entries.ChangeEntry) else entries.NO_CHANGE


def _was_sent(file: ChangedFile, known: SessionContents) -> bool:
    """Whether a session has exactly this difference."""
    sent = _sent_state(file.path, known)
    return sent.is_whole and sent.change == entries.change_digest(file)


def _known_item(
    file: ChangedFile, differences: Differences | None, known: SessionContents, allowance: _ByteAllowance
) -> PackItem:
    """A changed file the session has: what a session without it would receive."""
    body = allowance.render(file.path, _text(file, differences), None) if differences is not None else _EMPTY_DIFF
    return _item(file, _title(file, differences), body, known.items[entries.change_key(file.path)].entry)


def _new_item(
    file: ChangedFile, differences: Differences | None, known: SessionContents, allowance: _ByteAllowance
) -> PackItem:
    """A changed file whose difference is new, or part of it; only named if the difference came too late."""
    sent, change = _sent_state(file.path, known), entries.change_digest(file)
    if differences is None:
        entry = replace(sent, change=change, is_whole=False, is_past=False)
        return _item(file, _title(file, None), _EMPTY_DIFF, entry)
    is_apart = file.kind in ("deleted", "conflicted")  # the text of a conflict lacks the other hunks
    body = allowance.render(file.path, _text(file, differences), entries.NO_CHANGE if is_apart else sent)
    has_text = bool(body.lines or body.hunks)
    note = (_since_note(body) if has_text else ", changed again") if sent.was_sent and file.kind != "deleted" else ""
    return _item(file, _title(file, differences) + note, body, entries.ChangeEntry(change, body.hunks))


def _item(file: ChangedFile, title: str, body: RenderedDiff, entry: entries.Entry) -> PackItem:
    text, why = "\n".join([title, *body.lines]), f"{file.kind} in the worktree"
    shows_all = isinstance(entry, entries.ChangeEntry) and entry.shows_all
    return PackItem(
        entries.change_key(file.path), "delta", Priority.DELTA, text, entry, why,
        shows_changes_of=file.path if shows_all else "",
    )  # fmt: skip


def _since_note(body: RenderedDiff) -> str:
    """A note on how the difference relates to what the session received before."""
    if not body.has_new:
        return ", as sent before"
    return ", new in it:" if body.has_known else ""


def _title(file: ChangedFile, differences: Differences | None) -> str:
    diff = differences.diffs.get(file.path) if differences is not None else None
    origin = f" (was {one_line(file.original, 200)})" if file.original and file.kind == "renamed" else ""
    note = _repository_note(file) or _content_note(file, diff, is_known=differences is not None)
    return f"{file.kind}: {one_line(file.path, 300)}{note}{origin}{_counts(diff)}"


def _repository_note(file: ChangedFile) -> str:
    """A note on a submodule, or on another repository inside, and its commit."""
    match = _NESTED.match(file.content_hash)
    what = "submodule" if file.kind != "untracked" else "repository"
    return f" ({what} at commit {match[1]})" if match is not None else ""


def _content_note(file: ChangedFile, diff: FileDiff | None, *, is_known: bool) -> str:
    """A note on a file without lines to show: binary, a new link, or changed in its line ends alone."""
    if file.kind == "untracked" and file.content_hash.startswith("link:"):
        return " (symbolic link)"
    if not may_show(file.path):
        return " (binary)"
    is_tracked = is_known and file.kind in ("staged", "unstaged")  # one in a submodule has a status and no diff
    return " (its line ends)" if is_tracked and diff and not (diff.added or diff.removed or diff.note) else ""


def _counts(diff: FileDiff | None) -> str:
    note = f" ({one_line(diff.note, 240)})" if diff and diff.note else ""
    return f"{note} +{diff.added} −{diff.removed}" if diff and (diff.added or diff.removed) else note


def _text(file: ChangedFile, differences: Differences | None) -> str:
    """A file's difference, or a new file as the difference from nothing."""
    if differences is None or is_generated(file.path) or file.kind == "deleted":
        return ""
    diff = differences.diffs.get(file.path)
    return diff.hunks if diff is not None else added_file_diff(differences.new_files.get(file.path, ""))


def _committed_item(
    state: RepositoryState, diff: FileDiff, known: SessionContents, moved: HeadMove | None, allowance: _ByteAllowance
) -> PackItem:
    """Changes that commits made to a file since the session's last run, less what it received before the commit."""
    sent, is_deleted = _sent_state(diff.path, known), _DELETED_FILE.match(diff.hunks) is not None
    is_changed = diff.path in entries.changes_of(state).paths  # what the commits lack of it is there
    text = diff.hunks if not is_deleted else ""
    body = allowance.render(diff.path, text, sent if not is_deleted else entries.NO_CHANGE, is_partial=is_changed)
    what = "committed" if moved is not None and moved.direction == "forward" else "changed with HEAD"
    title = f"{what}{', deleted' if is_deleted else ''}: {one_line(diff.path, 300)}{_counts(diff)}"
    text = "\n".join([title + (_since_note(body) if sent.was_sent and not is_deleted else ""), *body.lines])
    why = "committed since the last run"
    shows_all = not is_changed and entries.ChangeEntry(hunks=body.hunks).shows_all
    path = diff.path if shows_all else ""
    if sent.change and not is_changed:
        key = entries.change_key(diff.path)
        entry = entries.past_entry(replace(sent, hunks=body.hunks))
        return PackItem(key, "delta", Priority.DELTA, text, entry, why, shows_changes_of=path)
    key, entry = entries.commit_key(diff.path), entries.TextEntry(short_id(state.head))
    return PackItem(key, "delta", Priority.DELTA, text, entry, why, always_sent=True, shows_changes_of=path)


def _rest_items(
    rest: Sequence[ChangedFile],
    counted: Sequence[entries.CountedFolder],
    known: SessionContents,
    differences: Differences | None,
) -> Iterator[PackItem]:
    """The files beyond those shown one by one; for a session with another list, what is new on it."""
    known_item = known.items.get(entries.MORE)
    if not rest and not counted:
        if known_item is not None and isinstance(known_item.entry, entries.FileListEntry):
            text = f"no longer among the changed files, unless named here: {known_item.entry.file_count:,} more"
            yield PackItem(
                entries.MORE, "delta", Priority.DELTA, text, entries.REMOVED, "they were only counted before"
            )
        return
    ids = {entries.listed_id(file): file for file in sorted(rest, key=lambda file: file.path)}
    counted_ids = {folder.listed_id: folder for folder in counted}
    entry = entries.file_list_entry([*counted_ids, *ids])
    before = known_item.entry if known_item is not None and known_item.entry != entry else None
    sent_ids = frozenset(before.ids) if isinstance(before, entries.FileListEntry) else frozenset[str]()
    new_files = [
        file for file_id, file in ids.items() if file_id not in sent_ids and not (sent_ids and _was_sent(file, known))
    ]
    qualifier = (", new or changed again: " if new_files else "") if sent_ids else ": "
    merged = [file for file in new_files if differences is not None and file.path in differences.merged]
    folders = folder_changes([file for file in new_files if file not in merged])
    named = {*merged, *(file for folder in folders for file in folder.files)}
    others = [file for file in new_files if file not in named]
    first_names = [one_line(file.path, 100) for file in others[:LISTED_FILES]]
    listed = join_first([*first_names, *(file.path for file in others[LISTED_FILES:])], LISTED_FILES)
    lines = [folder.line for folder in folders]
    if merged:
        names = join_first([one_line(file.path, 100) for file in merged], MERGED_FILES)
        lines.append(f"as in the commit being merged: {count_noun(len(merged), 'file')}: {names}")
    new_counted = [folder for folder_id, folder in counted_ids.items() if folder_id not in sent_ids]
    if new_counted:
        some = ", some of them new or changed again" if sent_ids else ""
        names = join_first(
            [f"{one_line(folder.path, 100)} ({len(folder.files):,})" for folder in new_counted], LISTED_FILES
        )
        lines.append(f"{count_noun(sum(len(folder.files) for folder in new_counted), 'untracked file')}{some}: {names}")
    if others or not lines:
        count = len(others) if lines else len(rest)
        lines.append(f"{count_noun(count, 'more changed file')}{qualifier}{listed}")
    text = "\n".join(lines)
    yield PackItem(entries.MORE, "delta", Priority.DELTA, text, entry, "too many changes to show each")


def _reverted_items(
    state: RepositoryState,
    known: SessionContents,
    item_keys: set[str],
    moved: HeadMove | None,
    differences: Differences | None,
) -> Iterator[PackItem]:
    """Changes the session received that no longer exist: committed, reverted, deleted again."""
    committed = {file.path for file in moved.files} if moved is not None and moved.direction == "forward" else set()
    for path in sorted(past_changes(state, known)):
        key = entries.change_key(path)
        if key not in item_keys:
            what = "committed" if path in committed else "no longer changed"
            place = differences.places.get(path) if differences is not None and path not in committed else None
            note = f" ({one_line(place, 120)} has it)" if place else ""
            text, why = f"{what}: {one_line(path, 300)}{note}", "was changed at this session's last update"
            yield PackItem(key, "delta", Priority.DELTA, text, entries.past_entry(known.items[key].entry), why)


def past_changes(state: RepositoryState, known: SessionContents) -> set[str]:
    """Return the files whose changes a session has and that no longer differ from the head commit."""
    present = entries.changes_of(state).paths
    changed = ((entries.changed_path(key), item.entry) for key, item in known.items.items())
    return {path for path, entry in changed if not (path is None or path in present or entries.is_past(entry))}

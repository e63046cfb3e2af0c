"""Files in the delta pack: changed in the worktree, committed since, no longer changed. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase import ChangedFile, FileDiff, Moved, RepositoryState, as_added, is_generated, may_show
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.text.sanitize import one_line
from sidecar.packs.delta_hunks import RenderedDiff, render_diff
from sidecar.packs.items import PackItem, Priority
from sidecar.runs import SessionContents, keys

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

LISTED_FILES = 60

_DELETED_FILE = lazy_regex(r"@@ -\S+ \+0,0 @@")
_EMPTY_DIFF = RenderedDiff((), 0, (), has_known=False, has_new=True)


class Differences(NamedTuple):
    """The texts behind a state: diffs by path, contents of new files, and diffs of files committed meanwhile."""

    diffs: Mapping[str, FileDiff]
    new_files: Mapping[str, str]
    committed: Mapping[str, FileDiff] = {}


class QueryRelevance(NamedTuple):
    """What a request is about: the scores of the files found for it, and its words."""

    relevance: Mapping[str, float]
    query: str = ""


class _ByteAllowance:
    """The bytes that differences may still use."""

    def __init__(self, relevance: QueryRelevance, sendable_bytes: int, share: float) -> None:
        self._relevance = relevance
        self._item_bytes = int(sendable_bytes * ITEM_SHARE)
        self._left_bytes = int(sendable_bytes * share)

    def render_new(self, path: str, text: str, sent: keys.SentChange) -> RenderedDiff:
        """Render a difference within the remaining bytes and subtract them."""
        return self._take(render_diff(text, sent.hunks, self._relevance.query, self._limit(path)))

    def render_known(self, path: str, text: str) -> RenderedDiff:
        """Render what the session has at full size, to count its bytes, whatever the current request."""
        return self._take(render_diff(text, (), "", self._limit(path)))

    def _limit(self, path: str) -> int:
        limit = RELEVANT_FILE_BYTES if path in self._relevance.relevance else FILE_BYTES
        return max(0, min(limit, self._item_bytes, self._left_bytes))

    def _take(self, diff: RenderedDiff) -> RenderedDiff:
        self._left_bytes -= diff.bytes
        return diff


def file_items(
    state: RepositoryState,
    differences: Differences | None,
    known: SessionContents,
    moved: Moved | None,
    relevance: QueryRelevance,
    sendable_bytes: int,
) -> list[PackItem]:
    """Return the items of files, most relevant first; what a session already has uses bytes last."""
    if state.kind != "git":
        return []
    shown, rest = _changed(state, relevance)
    allowance = _ByteAllowance(relevance, sendable_bytes, BODY_SHARE)
    already_sent = {file.path for file in shown if _was_sent(file, known)}
    items = [_new_item(file, differences, known, allowance) for file in shown if file.path not in already_sent]
    committed = committed_files(moved, differences, relevance)
    committed_allowance = _ByteAllowance(relevance, sendable_bytes, COMMITTED_SHARE)
    commits = [_committed_item(state, diff, known, moved, committed_allowance) for diff in committed]
    known_items = [_known_item(file, differences, known, allowance) for file in shown if file.path in already_sent]
    return [
        *items,
        *commits,
        *known_items,
        *_rest_item(rest, known),
        *_gone_items(state, known, {item.key for item in commits}),
    ]


def committed_files(moved: Moved | None, differences: Differences | None, relevance: QueryRelevance) -> list[FileDiff]:
    """Files whose part in new commits is shown, most relevant first: all of a few, or those relevant to the request.

    If the head moved back, where known changes are gone, files are only counted.
    """
    if moved is None or differences is None:
        return []
    files = [diff for path, diff in differences.committed.items() if may_show(path) and not is_generated(path)]
    if len(moved.files) > COMMITTED_FILES:
        files = [diff for diff in files if diff.path in relevance.relevance]
    return sorted(files, key=lambda diff: (-relevance.relevance.get(diff.path, 0.0), diff.path))


def _changed(state: RepositoryState, relevance: QueryRelevance) -> tuple[list[ChangedFile], list[ChangedFile]]:
    """The changed files that are shown one by one, and the others."""
    files = [file for file in state.changed if may_show(file.path)]
    files.sort(key=lambda file: (is_generated(file.path), -relevance.relevance.get(file.path, 0.0), file.path))
    return files[:SHOWN_FILES], files[SHOWN_FILES:]


def _sent_state(path: str, known: SessionContents) -> keys.SentChange:
    delivered = known.items.get(keys.change_key(path))
    return keys.sent_change_of(delivered.digest if delivered is not None else None)


def _was_sent(file: ChangedFile, known: SessionContents) -> bool:
    """Whether a session has exactly this difference."""
    sent = _sent_state(file.path, known)
    return sent.is_whole and sent.change == keys.change_digest(file)


def _known_item(
    file: ChangedFile, differences: Differences | None, known: SessionContents, allowance: _ByteAllowance
) -> PackItem:
    """A changed file the session has: what a session without it would receive."""
    body = allowance.render_known(file.path, _text(file, differences)) if differences is not None else _EMPTY_DIFF
    return _item(file, _title(file, differences), body, known.items[keys.change_key(file.path)].digest)


def _new_item(
    file: ChangedFile, differences: Differences | None, known: SessionContents, allowance: _ByteAllowance
) -> PackItem:
    """A changed file whose difference is new, or part of it; only named if the difference came too late."""
    sent, change = _sent_state(file.path, known), keys.change_digest(file)
    if differences is None:
        return _item(
            file, _title(file, None), _EMPTY_DIFF, keys.sent_change_digest(sent._replace(change=change, is_whole=False))
        )
    body = allowance.render_new(
        file.path, _text(file, differences), keys.SentChange("") if file.kind == "deleted" else sent
    )
    title = _title(file, differences) + (_since_note(body) if sent.change else "")
    return _item(file, title, body, keys.sent_change_digest(keys.SentChange(change, body.hunks)))


def _item(file: ChangedFile, title: str, body: RenderedDiff, digest: str) -> PackItem:
    text, why = "\n".join([title, *body.lines]), f"{file.kind} in the worktree"
    return PackItem(keys.change_key(file.path), "delta", Priority.DELTA, text, digest, why)


def _since_note(body: RenderedDiff) -> str:
    """How the following difference relates to what the session received before."""
    if not body.has_new:
        return ", as sent before"
    return ", new in it:" if body.has_known else ""


def _title(file: ChangedFile, differences: Differences | None) -> str:
    diff = differences.diffs.get(file.path) if differences is not None else None
    origin = f" (was {one_line(file.original, 200)})" if file.original and file.kind == "renamed" else ""
    return f"{file.kind}: {one_line(file.path, 300)}{origin}{_counts(diff)}"


def _counts(diff: FileDiff | None) -> str:
    return f" +{diff.added} −{diff.removed}" if diff is not None and (diff.added or diff.removed) else ""


def _text(file: ChangedFile, differences: Differences | None) -> str:
    """A file's difference, or a new file as the difference from nothing."""
    if differences is None or is_generated(file.path) or file.kind == "deleted":
        return ""
    diff = differences.diffs.get(file.path)
    return diff.hunks if diff is not None else as_added(differences.new_files.get(file.path, ""))


def _committed_item(
    state: RepositoryState, diff: FileDiff, known: SessionContents, moved: Moved | None, allowance: _ByteAllowance
) -> PackItem:
    """What commits changed in a file since the session's last run, less what it received before the commit."""
    sent, is_gone = _sent_state(diff.path, known), _DELETED_FILE.match(diff.hunks) is not None
    body = allowance.render_new(
        diff.path, diff.hunks if not is_gone else "", sent if not is_gone else keys.SentChange("")
    )
    what = "committed" if moved is not None and moved.way == "forward" else "changed with HEAD"
    title = f"{what}{', deleted' if is_gone else ''}: {one_line(diff.path, 300)}{_counts(diff)}"
    text = "\n".join([title + (_since_note(body) if sent.change and not is_gone else ""), *body.lines])
    why = "committed since the last run"
    if sent.change and not any(file.path == diff.path for file in state.changed):
        return PackItem(keys.change_key(diff.path), "delta", Priority.DELTA, text, keys.REMOVED, why)
    key = keys.commit_key(diff.path)
    return PackItem(key, "delta", Priority.DELTA, text, short_id(state.head), why, always_sent=True)


def _rest_item(rest: Sequence[ChangedFile], known: SessionContents) -> list[PackItem]:
    """The files beyond those shown one by one; for a session with another list, what is new on it."""
    if not rest:
        return []
    ids = {keys.listed_id(file): file for file in sorted(rest, key=lambda file: file.path)}
    digest, sent = keys.listed_digest(list(ids)), known.items.get(keys.MORE)
    sent_ids = keys.listed_ids(sent.digest) if sent is not None and sent.digest != digest else frozenset[str]()
    new_files = [
        file for file_id, file in ids.items() if file_id not in sent_ids and not (sent_ids and _was_sent(file, known))
    ]
    qualifier = (", new or changed again: " if new_files else "") if sent_ids else ": "
    listed = ", ".join(one_line(file.path, 100) for file in new_files[:LISTED_FILES])
    more = " …" if len(new_files) > LISTED_FILES else ""
    text = f"{len(rest)} more changed files{qualifier}{listed}{more}"
    return [PackItem(keys.MORE, "delta", Priority.DELTA, text, digest, "too many changes to show each")]


def _gone_items(state: RepositoryState, known: SessionContents, item_keys: set[str]) -> Iterator[PackItem]:
    """Changes the session received that no longer exist: reverted, deleted again, committed long ago."""
    present = {keys.change_key(file.path) for file in state.changed}
    for key, item in sorted(known.items.items()):
        path = keys.changed_path(key)
        if path is not None and key not in present and key not in item_keys and item.digest != keys.REMOVED:
            text = f"no longer changed: {one_line(path, 300)}"
            yield PackItem(
                key, "delta", Priority.DELTA, text, keys.REMOVED, "was changed at this session's last update"
            )

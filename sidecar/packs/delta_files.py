"""What the Delta Pack says of files: changed in the worktree, committed since, changed no more. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase import ChangedFile, FileDiff, Moved, RepositoryState, as_added, is_generated, may_show
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import regex
from sidecar.core.text.sanitize import one_line
from sidecar.packs.delta_hunks import Telling, telling
from sidecar.packs.items import PackItem, Priority
from sidecar.runs import SessionContents, keys

RELEVANT_FILE_BYTES = 2_400
FILE_BYTES = 700
"""What one file's difference may take before hunks are left out: a file the request is about, and another one."""

BODY_SHARE, ITEM_SHARE = 0.4, 0.2
"""What all differences, and what one of them may take of the bytes a call may send; beyond it a file is named with its
counts only."""

COMMITTED_SHARE, COMMITTED_FILES = 0.15, 6
"""What all that commits changed may take; so many files are told one by one though the request is not about them."""

SHOWN_FILES = 40
"""Beyond this many changed files, the rest is one summary item."""

LISTED_FILES = 60

_GONE_FILE = regex(r"@@ -\S+ \+0,0 @@")
_NOTHING = Telling((), 0, (), knew=False, is_news=True)


class Differences(NamedTuple):
    """The texts behind a state: diffs by path, the contents of new files, and what was committed meanwhile."""

    diffs: Mapping[str, FileDiff]
    new_files: Mapping[str, str]
    committed: Mapping[str, FileDiff] = {}


class Interest(NamedTuple):
    """What a request is about: the scores of the files found for it, and its words."""

    relevance: Mapping[str, float]
    query: str = ""


class _Room:
    """The bytes that differences may still take."""

    def __init__(self, interest: Interest, sendable_bytes: int, share: float) -> None:
        self._interest = interest
        self._item_bytes = int(sendable_bytes * ITEM_SHARE)
        self._left_bytes = int(sendable_bytes * share)

    def tell(self, path: str, text: str, told: keys.SentChange) -> Telling:
        """Tells a difference within what is left, and takes its bytes off."""
        return self._take(telling(text, told.hunks, self._interest.query, self._limit(path)))

    def retell(self, path: str, text: str) -> Telling:
        """Tells what the session has: as much as it would be, to count it, whatever is asked for now."""
        return self._take(telling(text, (), "", self._limit(path)))

    def _limit(self, path: str) -> int:
        limit = RELEVANT_FILE_BYTES if path in self._interest.relevance else FILE_BYTES
        return max(0, min(limit, self._item_bytes, self._left_bytes))

    def _take(self, found: Telling) -> Telling:
        self._left_bytes -= found.bytes
        return found


def file_items(
    state: RepositoryState,
    differences: Differences | None,
    known: SessionContents,
    moved: Moved | None,
    interest: Interest,
    sendable_bytes: int,
) -> list[PackItem]:
    """Gives what is to be said of files, the most relevant first; what a session was told takes room last."""
    if state.kind != "git":
        return []
    shown, rest = _changed(state, interest)
    room = _Room(interest, sendable_bytes, BODY_SHARE)
    had = {file.path for file in shown if _has(file, known)}
    items = [_news_item(file, differences, known, room) for file in shown if file.path not in had]
    told_apart = told_by_file(moved, differences, interest)
    committed_room = _Room(interest, sendable_bytes, COMMITTED_SHARE)
    commits = [_committed_item(state, diff, known, moved, committed_room) for diff in told_apart]
    again = [_had_item(file, differences, known, room) for file in shown if file.path in had]
    return [
        *items,
        *commits,
        *again,
        *_rest_item(rest, known),
        *_gone_items(state, known, {item.key for item in commits}),
    ]


def told_by_file(moved: Moved | None, differences: Differences | None, interest: Interest) -> list[FileDiff]:
    """The files whose part in new commits is told, the most relevant first: all of a few, or those of the request.

    Of a head that moved back, where what was told is no more, the files are only counted.
    """
    if moved is None or differences is None:
        return []
    files = [diff for path, diff in differences.committed.items() if may_show(path) and not is_generated(path)]
    if len(moved.files) > COMMITTED_FILES:
        files = [diff for diff in files if diff.path in interest.relevance]
    return sorted(files, key=lambda diff: (-interest.relevance.get(diff.path, 0.0), diff.path))


def _changed(state: RepositoryState, interest: Interest) -> tuple[list[ChangedFile], list[ChangedFile]]:
    """The changed files that are told one by one, and the others."""
    files = [file for file in state.changed if may_show(file.path)]
    files.sort(key=lambda file: (is_generated(file.path), -interest.relevance.get(file.path, 0.0), file.path))
    return files[:SHOWN_FILES], files[SHOWN_FILES:]


def _told(path: str, known: SessionContents) -> keys.SentChange:
    given = known.items.get(keys.change_key(path))
    return keys.sent_change_of(given.digest if given is not None else None)


def _has(file: ChangedFile, known: SessionContents) -> bool:
    """Says whether a session was told of just this difference."""
    told = _told(file.path, known)
    return told.is_whole and told.change == keys.change_digest(file)


def _had_item(file: ChangedFile, differences: Differences | None, known: SessionContents, room: _Room) -> PackItem:
    """A changed file as the session has it: what would be said of it to one that has it not."""
    body = room.retell(file.path, _text(file, differences)) if differences is not None else _NOTHING
    return _item(file, _title(file, differences), body, known.items[keys.change_key(file.path)].digest)


def _news_item(file: ChangedFile, differences: Differences | None, known: SessionContents, room: _Room) -> PackItem:
    """A changed file whose difference is news, or some of it; only named where it came too late."""
    told, change = _told(file.path, known), keys.change_digest(file)
    if differences is None:
        return _item(
            file, _title(file, None), _NOTHING, keys.sent_change_digest(told._replace(change=change, is_whole=False))
        )
    body = room.tell(file.path, _text(file, differences), keys.SentChange("") if file.kind == "deleted" else told)
    title = _title(file, differences) + (_since(body) if told.change else "")
    return _item(file, title, body, keys.sent_change_digest(keys.SentChange(change, body.hunks)))


def _item(file: ChangedFile, title: str, body: Telling, digest: str) -> PackItem:
    text, why = "\n".join([title, *body.lines]), f"{file.kind} in the worktree"
    return PackItem(keys.change_key(file.path), "delta", Priority.DELTA, text, digest, why)


def _since(body: Telling) -> str:
    """Says how what follows stands to what the session was told before."""
    if not body.is_news:
        return ", as told"
    return ", new in it:" if body.knew else ""


def _title(file: ChangedFile, differences: Differences | None) -> str:
    diff = differences.diffs.get(file.path) if differences is not None else None
    origin = f" (was {one_line(file.original, 200)})" if file.original and file.kind == "renamed" else ""
    return f"{file.kind}: {one_line(file.path, 300)}{origin}{_counts(diff)}"


def _counts(diff: FileDiff | None) -> str:
    return f" +{diff.added} −{diff.removed}" if diff is not None and (diff.added or diff.removed) else ""


def _text(file: ChangedFile, differences: Differences | None) -> str:
    """A file's difference, or a new file as the difference to nothing."""
    if differences is None or is_generated(file.path) or file.kind == "deleted":
        return ""
    diff = differences.diffs.get(file.path)
    return diff.hunks if diff is not None else as_added(differences.new_files.get(file.path, ""))


def _committed_item(
    state: RepositoryState, diff: FileDiff, known: SessionContents, moved: Moved | None, room: _Room
) -> PackItem:
    """What commits changed in a file since the session's last run: what it was told before the commit is known."""
    told, is_gone = _told(diff.path, known), _GONE_FILE.match(diff.hunks) is not None
    body = room.tell(diff.path, diff.hunks if not is_gone else "", told if not is_gone else keys.SentChange(""))
    what = "committed" if moved is not None and moved.way == "forward" else "changed with HEAD"
    title = f"{what}{', deleted' if is_gone else ''}: {one_line(diff.path, 300)}{_counts(diff)}"
    text = "\n".join([title + (_since(body) if told.change and not is_gone else ""), *body.lines])
    why = "committed since the last run"
    if told.change and not any(file.path == diff.path for file in state.changed):
        return PackItem(keys.change_key(diff.path), "delta", Priority.DELTA, text, keys.REMOVED, why)
    key = keys.commit_key(diff.path)
    return PackItem(key, "delta", Priority.DELTA, text, short_id(state.head), why, every_time=True)


def _rest_item(rest: Sequence[ChangedFile], known: SessionContents) -> list[PackItem]:
    """The files beyond those that are told one by one; to a session that has another list, what is new on it."""
    if not rest:
        return []
    ids = {keys.listed_id(file): file for file in sorted(rest, key=lambda file: file.path)}
    digest, told = keys.listed_digest(list(ids)), known.items.get(keys.MORE)
    before = keys.listed_ids(told.digest) if told is not None and told.digest != digest else frozenset[str]()
    news = [file for one, file in ids.items() if one not in before and not (before and _has(file, known))]
    among = (", new or changed again: " if news else "") if before else ": "
    listed = ", ".join(one_line(file.path, 100) for file in news[:LISTED_FILES])
    more = " …" if len(news) > LISTED_FILES else ""
    text = f"{len(rest)} more changed files{among}{listed}{more}"
    return [PackItem(keys.MORE, "delta", Priority.DELTA, text, digest, "too many changes to show each")]


def _gone_items(state: RepositoryState, known: SessionContents, said: set[str]) -> Iterator[PackItem]:
    """What the session was told of as changed and that is no more: reverted, deleted again, committed long ago."""
    present = {keys.change_key(file.path) for file in state.changed}
    for key, item in sorted(known.items.items()):
        path = keys.changed_path(key)
        if path is not None and key not in present and key not in said and item.digest != keys.REMOVED:
            text = f"no change any more: {one_line(path, 300)}"
            yield PackItem(
                key, "delta", Priority.DELTA, text, keys.REMOVED, "was changed when this session last looked"
            )

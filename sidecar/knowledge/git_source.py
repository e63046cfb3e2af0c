"""The knowledge repository, read at one fixed commit through libgit2: bare or with a worktree, never written to."""

import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sidecar.call import Call
from sidecar.core.digests import short_id
from sidecar.core.errors import SidecarError, StateDegraded, SyncFailed
from sidecar.core.lazy_regex import regex
from sidecar.knowledge.errors import ending, knowledge_unavailable, no_such_ref, not_configured
from sidecar.knowledge.item import MAX_ITEM_BYTES, SCOPED, TYPES
from sidecar.settings.kinds import is_remote
from sidecar.settings.resolve import Settings
from sidecar.system import filelock
from sidecar.system.fetch import IT_FAILED, FetchFailed, fetch
from sidecar.system.libgit import pygit2

MAX_ENTRIES = 500_000
"""Files and folders of a commit: ten folders, each of which holds the next one ten times, are billions."""

MAX_DEPTH = 100

MAX_COMMITS = 10_000
"""Of a range; beyond, the whole repository is compared."""

_COMMIT_ID = regex(r"[0-9a-f]{7,64}")
_FOLDER, _FILE, _PROGRAM = 0o040000, 0o100644, 0o100755


class Listed(NamedTuple):
    """A regular file of a commit."""

    path: str
    blob: str


class Source:
    """One knowledge repository at one commit."""

    def __init__(self, repository: Any, commit: str, on_damage: Callable[[], object]) -> None:
        """Takes what is called when an object cannot be read."""
        self._repository = repository
        self._on_damage = on_damage
        self.commit = commit

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Raises KNOWLEDGE_UNAVAILABLE where an object cannot be read."""
        try:
            yield
        except (KeyError, ValueError, OSError, pygit2().GitError) as error:
            self._on_damage()
            raise knowledge_unavailable("An object of the knowledge repository cannot be read.") from error

    def listed(self) -> list[Listed]:
        """Gives the regular files below the folders that hold items, in the order of their paths."""
        with self._reading():
            return list(_below(self._tree(self.commit), "", iter(range(MAX_ENTRIES))))

    def scopes(self) -> list[str]:
        """Gives the scopes there are, as `teams/web`, in order."""
        with self._reading():
            tree = self._tree(self.commit)
            return [f"{name}/{one.name}" for name in sorted(SCOPED) if name in tree
                    for one in _folder(tree[name]) if one.filemode == _FOLDER]  # fmt: skip

    def content(self, blob: str) -> bytes:
        """Gives a file's bytes; of one larger than any item only so many that this shows, for it is not unpacked.

        Raises KNOWLEDGE_UNAVAILABLE.
        """
        with self._reading():
            if self._repository.odb.read_header(blob)[1] > MAX_ITEM_BYTES:
                return bytes(MAX_ITEM_BYTES + 1)
            return bytes(self._repository[blob].data)

    def holds(self, path: str, commit: str) -> str | None:
        """Gives the blob of a path in a commit; None where there is no regular file of that name."""
        try:
            entry = self._tree(commit)[path]
        except KeyError:
            return None
        return str(entry.id) if entry.filemode in (_FILE, _PROGRAM) else None

    def since(self, last: str) -> list[tuple[str, list[str]]] | None:
        """Gives each commit after `last` with the paths it changed, and `last` itself with the trees' difference.

        None where `last` is gone, is no ancestor, or is too far back: then only a full comparison tells.
        """
        library = pygit2()
        try:
            if last == self.commit:
                return []
            if last not in self._repository or not self._repository.descendant_of(self.commit, last):
                return None
            walk = self._repository.walk(self.commit, library.enums.SortMode.TOPOLOGICAL)
            walk.hide(last)
            found = [(last, list(_changed(self._tree(last), self._tree(self.commit))))]
            for commit in walk:
                if len(found) > MAX_COMMITS:
                    return None
                before = commit.parents[0].tree if commit.parents else None
                found.append((str(commit.id), list(_changed(before, commit.tree))))
        except (library.GitError, KeyError, ValueError, OSError):
            return None
        return found

    def parent(self, commit: str) -> str | None:
        """Gives a commit's first parent."""
        parents = self._repository[commit].parents
        return str(parents[0].id) if parents else None

    def _tree(self, commit: str) -> Any:
        with self._reading():
            return self._repository[commit].peel(pygit2().Tree)


def open_source(folder: str, ref: str | None = None, on_damage: Callable[[], object] = lambda: None) -> Source:
    """Opens a repository at the commit that a ref names, or else its HEAD; raises KNOWLEDGE_UNAVAILABLE.

    `on_damage` is called when it cannot be opened, or later an object cannot be read.
    """
    library = pygit2()
    try:
        repository = library.Repository(folder)
        return Source(repository, str(_commit(repository, ref).peel(library.Commit).id), on_damage)
    except SidecarError:
        raise
    except (library.GitError, KeyError, ValueError, OSError) as error:
        on_damage()
        raise knowledge_unavailable("The knowledge repository cannot be opened, or has no commit yet.") from error


def _commit(repository: Any, ref: str | None) -> Any:
    """Gives the ref of a branch, a tag or, by its id, a commit; branches first, as git does with a name for both."""
    if ref is None:
        return repository.head
    for name in (f"refs/heads/{ref}", f"refs/tags/{ref}", f"refs/remotes/{ref}", f"refs/remotes/origin/{ref}", ref):
        if name.startswith("refs/") and name in repository.references:
            return repository.references[name]
    found = repository.get(ref) if _COMMIT_ID.fullmatch(ref) else None
    if found is None:
        raise no_such_ref(ref)
    return found


def _below(tree: Any, path: str, left: Iterator[int]) -> Iterator[Listed]:
    """Gives the files of items; `left` ends when too many entries were seen, which raises KNOWLEDGE_UNAVAILABLE."""
    depth = path.count("/")
    for entry in _folder(tree):
        if next(left, None) is None or depth > MAX_DEPTH:
            raise knowledge_unavailable(f"The knowledge repository has over {MAX_ENTRIES} entries, or is too deep.")
        here = path + _name(entry)
        if entry.filemode == _FOLDER:
            if depth or here in SCOPED or here == "company":
                yield from _below(entry, f"{here}/", left)
        elif depth > 1 and entry.filemode in (_FILE, _PROGRAM) and not TYPES.keys().isdisjoint(path.split("/")):
            yield Listed(here, str(entry.id))


def _changed(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Gives the paths that differ between two trees, going down only where ids differ."""
    old = {_name(one): one for one in _folder(before)} if before is not None else {}
    new = {_name(one): one for one in _folder(after)} if after is not None else {}
    for name in sorted(old.keys() | new.keys()):
        left, right = old.get(name), new.get(name)
        if left is not None and right is not None and (left.id, left.filemode) == (right.id, right.filemode):
            continue
        folders = [one if one is not None and one.filemode == _FOLDER else None for one in (left, right)]
        if any(one is not None for one in folders):
            yield from _changed(folders[0], folders[1], f"{path}{name}/")
        if any(one is not None and one.filemode != _FOLDER for one in (left, right)):
            yield path + name


def _folder(tree: Any) -> Any:
    return iter(tree)


def _name(entry: Any) -> str:
    """Gives an entry's name; what of it is not UTF-8 is replaced, as no state file and no answer could hold it."""
    name = entry.name
    raw = name.encode("utf-8", "surrogateescape") if isinstance(name, str) else bytes(name)
    return raw.decode("utf-8", "replace")


# Exponential backoff with jitter: 1 s, twice as long each time, at most 30 s, three attempts.


Result = TypeVar("Result")

ATTEMPTS = 3
FIRST_S, FACTOR, LONGEST_S = 1.0, 2.0, 30.0


def delays(chance: random.Random) -> Iterator[float]:
    """Gives the seconds to wait before each further attempt: half of them for sure, half by chance."""
    whole = FIRST_S
    for _ in range(ATTEMPTS - 1):
        yield min(whole, LONGEST_S) * (0.5 + chance.random() / 2)
        whole *= FACTOR


def patiently(call: Call, act: Callable[[], Result]) -> Result:
    """Acts, and again after a while when what failed may be retried; raises what the last attempt did."""
    for delay in delays(random.Random(call.process.new_id())):  # noqa: S311  (spreads load, guards nothing)
        try:
            return act()
        except SyncFailed as error:
            if not error.data.get("retryable"):
                raise
            call.log.warning("knowledge.retry", code=error.data.get("code"), delayMs=round(delay * 1000))
        call.cancellation.check()
        call.process.ending.wait(delay)
    return act()


# The knowledge repository where it lies, or as it was fetched into the state folder: a bare copy per address.


COPIES = "knowledge"
LOCK_WAIT_S = 90.0
"""Another process that fetches from the same address is waited for so long."""


def source_of(call: Call, settings: Settings, *, fetches: bool = False) -> Source:
    """Opens the knowledge repository at the commit that counts; raises KNOWLEDGE_UNAVAILABLE after three attempts.

    `fetches` says whether a remote one is asked for what is new; without it what was fetched last is read.
    """
    where, ref = settings["knowledge.repository"], settings["knowledge.ref"]
    if not where:
        raise not_configured()
    if not is_remote(str(where)):
        return patiently(call, lambda: open_source(str(where), ref))
    copy = copy_of(call.process.state_dir, str(where))
    return patiently(call, lambda: _copied(call, copy, str(where), ref, fetches=fetches))


def head_here(call: Call, settings: Settings) -> str:
    """Gives the commit that counts as far as is known here, nothing fetched or tried again; empty for none."""
    where, ref = settings["knowledge.repository"], settings["knowledge.ref"]
    folder = copy_of(call.process.state_dir, str(where)) if is_remote(str(where)) else where
    try:
        return open_source(os.fspath(folder), ref).commit if where else ""
    except SidecarError:
        return ""


def copy_of(state_dir: Path, url: str) -> Path:
    """Gives the folder of a remote repository's copy."""
    return state_dir / COPIES / f"{short_id(url, 20)}.git"


def _copied(call: Call, copy: Path, url: str, ref: str | None, *, fetches: bool) -> Source:
    """Opens a copy, fetched before if need be; one that shows damage is made anew the next time."""
    whole = copy / "FETCHED"
    if fetches or not whole.exists():
        with _alone(copy):
            _fetched(copy, whole, url, _checked(call))
    return open_source(os.fspath(copy), ref, lambda: whole.unlink(missing_ok=True))


def _fetched(copy: Path, whole: Path, url: str, check: Callable[[], None]) -> None:
    """Fetches; a copy that is damaged or was left half made is thrown away, since all of it can be had again."""
    if copy.exists() and not whole.exists():
        _throw_away(copy)
    try:
        fetch(copy, url, check)
        whole.touch()
    except FetchFailed as failure:
        if failure.reason == IT_FAILED:
            whole.unlink(missing_ok=True)  # it may be the copy that is damaged
        raise knowledge_unavailable(f"The knowledge repository cannot be fetched: {failure.reason}.") from failure
    except OSError as error:
        raise StateDegraded("The knowledge copy cannot be written.", hint="Check the state folder.") from error


def _throw_away(copy: Path) -> None:
    for path in copy.rglob("*"):
        with suppress(OSError):
            path.chmod(0o700)  # git's objects are read-only, and Windows removes no such file
    shutil.rmtree(copy, ignore_errors=True)


def _checked(call: Call) -> Callable[[], None]:
    def check() -> None:
        call.cancellation.check()
        if call.process.ending.is_set():
            raise ending()

    return check


@contextmanager
def _alone(copy: Path) -> Iterator[None]:
    try:
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(copy.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as error:
        raise StateDegraded("The knowledge repository cannot be fetched.", hint="Check the state folder.") from error
    with filelock.holding(fd, LOCK_WAIT_S) as is_held:
        if not is_held:
            raise knowledge_unavailable("Another process has been fetching the knowledge repository for long.")
        yield

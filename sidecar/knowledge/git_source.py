"""The knowledge repository, read at one commit through libgit2, never written to.

A remote repository is fetched into a bare mirror per URL in the state directory. Fetching retries with exponential
backoff and jitter: 1 s, doubled each time, at most 30 s, three attempts. Credentials come from the ssh agent and from
`git credential`, which never prompts.
"""

import os
import random
import shutil
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from sidecar.call import Call
from sidecar.core.digests import short_id
from sidecar.core.errors import SidecarError, StateDegraded, SyncFailed
from sidecar.core.lazy_regex import lazy_regex
from sidecar.knowledge.errors import knowledge_unavailable, no_such_ref, not_configured, shutting_down
from sidecar.knowledge.item import MAX_ITEM_BYTES, SCOPE_FOLDERS, has_type_folder, is_misplaced, is_scope_folder
from sidecar.settings.resolve import Settings
from sidecar.settings.table import is_remote
from sidecar.system import filelock
from sidecar.system.git import Git, GitFailed, lookup_name, open_repository, pygit2, require_no_pipe
from sidecar.system.safe_open import make_private_folder

MAX_ENTRIES = 500_000
"""Maximum number of files and folders in a commit: ten nested levels of ten references each unfold to billions."""

MAX_DEPTH = 100

MAX_COMMITS = 10_000
"""Maximum number of commits in a range; beyond it, the whole repository is compared."""

_COMMIT_ID = lazy_regex(r"[0-9a-f]{7,64}")
_FOLDER, _FILE, _PROGRAM = 0o040000, 0o100644, 0o100755


class SourceFile(NamedTuple):
    """A regular file of a commit."""

    path: str
    blob: str


class GitSource:
    """A knowledge repository at one commit."""

    def __init__(self, repository: Any, commit: str, on_damage: Callable[[], object]) -> None:
        """`on_damage` is called when an object cannot be read."""
        self._repository = repository
        self._on_damage = on_damage
        self.commit = commit

    @contextmanager
    def _translate_errors(self) -> Generator[None]:
        """Raise SyncFailed when an object cannot be read."""
        try:
            yield
        except (KeyError, ValueError, OSError, pygit2().GitError) as error:
            self._on_damage()
            raise knowledge_unavailable("An object of the knowledge repository cannot be read.") from error

    def files(self) -> list[SourceFile]:
        """Return the regular files below the item folders, ordered by path."""
        return [file for file in self._files(is_scope_folder) if has_type_folder(file.path)]

    def misplaced_files(self) -> list[str]:
        """Return the files that look like items and are where none can be."""
        return [file.path for file in self._files(bool) if is_misplaced(file.path)]

    def _files(self, is_read: Callable[[str], bool]) -> list[SourceFile]:
        with self._translate_errors():
            return list(_files_below(self._tree(self.commit), "", iter(range(MAX_ENTRIES)), is_read))

    def scopes(self) -> list[str]:
        """Return the existing scopes, such as `teams/web`, in order."""
        with self._translate_errors():
            tree = self._tree(self.commit)
            return [f"{name}/{entry.name}" for name in sorted(SCOPE_FOLDERS) if name in tree
                    for entry in _entries(tree[name]) if entry.filemode == _FOLDER]  # fmt: skip

    def content(self, blob: str) -> bytes:
        """Return a blob's bytes. Raise SyncFailed.

        A blob above the item size limit is not unpacked; zeros just over the limit replace it.
        """
        with self._translate_errors():
            if self._repository.odb.read_header(blob)[1] > MAX_ITEM_BYTES:
                return bytes(MAX_ITEM_BYTES + 1)
            return bytes(self._repository[blob].data)

    def blob_at(self, path: str, commit: str) -> str | None:
        """Return the blob id of a path in a commit; None when it is not a regular file there."""
        try:
            entry = self._tree(commit)[lookup_name(path)]
        except KeyError:
            return None
        return str(entry.id) if entry.filemode in (_FILE, _PROGRAM) else None

    def changes_since(self, last: str) -> list[tuple[str, list[str]]] | None:
        """Return each commit after `last` with its changed paths, and `last` with the paths that differ from it.

        None when `last` is gone, not an ancestor, or too far back: then only a full comparison is reliable.
        """
        library = pygit2()
        try:
            if last == self.commit:
                return []
            if last not in self._repository or not self._repository.descendant_of(self.commit, last):
                return None
            walk = self._repository.walk(self.commit, library.enums.SortMode.TOPOLOGICAL)
            walk.hide(last)
            changes = [(last, list(_changed_paths(self._tree(last), self._tree(self.commit))))]
            for commit in walk:
                if len(changes) > MAX_COMMITS:
                    return None
                before = commit.parents[0].tree if commit.parents else None
                changes.append((str(commit.id), list(_changed_paths(before, commit.tree))))
        except (library.GitError, KeyError, ValueError, OSError):
            return None
        return changes

    def parent(self, commit: str) -> str | None:
        """Return a commit's first parent."""
        parents = self._repository[commit].parents
        return str(parents[0].id) if parents else None

    def _tree(self, commit: str) -> Any:
        with self._translate_errors():
            return self._repository[commit].peel(pygit2().Tree)


def open_source(folder: str, ref: str | None = None, on_damage: Callable[[], object] = lambda: None) -> GitSource:
    """Open a repository at the commit of a ref, or at HEAD. Raise SyncFailed.

    `on_damage` is called when the repository cannot be opened or, later, an object cannot be read.
    """
    library = pygit2()
    try:
        repository = open_repository(folder)
        return GitSource(repository, str(_resolve_ref(repository, ref).peel(library.Commit).id), on_damage)
    except SidecarError:
        raise
    except (library.GitError, KeyError, ValueError, OSError) as error:
        on_damage()
        raise knowledge_unavailable("The knowledge repository cannot be opened, or has no commits.") from error


def _resolve_ref(repository: Any, ref: str | None) -> Any:
    """Return the reference of a branch or tag, or a commit by its id; branches win over tags, as in git."""
    if ref is None:
        return repository.head
    names = (f"refs/heads/{ref}", f"refs/tags/{ref}", f"refs/remotes/{ref}", f"refs/remotes/origin/{ref}", ref)
    for name in map(lookup_name, names):
        if name.startswith("refs/") and name in repository.references:
            return repository.references[name]
    commit = repository.get(ref) if _COMMIT_ID.fullmatch(ref) else None
    if commit is None:
        raise no_such_ref(ref)
    return commit


def _files_below(
    tree: Any, prefix: str, remaining: Iterator[int], is_read: Callable[[str], bool]
) -> Iterator[SourceFile]:
    """Yield the regular files below a tree, of the folders at its top that are read.

    Raise SyncFailed when `remaining` is exhausted.
    """
    depth = prefix.count("/")
    for entry in _entries(tree):
        if next(remaining, None) is None or depth > MAX_DEPTH:
            raise knowledge_unavailable(
                f"The knowledge repository has over {MAX_ENTRIES} entries, or its folders are nested too deeply."
            )
        path = prefix + _entry_name(entry)
        if entry.filemode == _FOLDER:
            if depth or is_read(path):
                yield from _files_below(entry, f"{path}/", remaining, is_read)
        elif depth and entry.filemode in (_FILE, _PROGRAM):
            yield SourceFile(path, str(entry.id))


def _changed_paths(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield the paths that differ between two trees, descending only where ids differ."""
    old = {_entry_name(entry): entry for entry in _entries(before)} if before is not None else {}
    new = {_entry_name(entry): entry for entry in _entries(after)} if after is not None else {}
    for name in sorted(old.keys() | new.keys()):
        left, right = old.get(name), new.get(name)
        if left is not None and right is not None and (left.id, left.filemode) == (right.id, right.filemode):
            continue
        folders = [entry if entry is not None and entry.filemode == _FOLDER else None for entry in (left, right)]
        if any(entry is not None for entry in folders):
            yield from _changed_paths(folders[0], folders[1], f"{path}{name}/")
        if any(entry is not None and entry.filemode != _FOLDER for entry in (left, right)):
            yield path + name


def _entries(tree: Any) -> Any:
    return iter(tree)


def _entry_name(entry: Any) -> str:
    """Return an entry's name; bytes that are not UTF-8 are replaced, because no JSON can hold them."""
    name = entry.name
    raw = name.encode("utf-8", "surrogateescape") if isinstance(name, str) else bytes(name)
    return raw.decode("utf-8", "replace")


Result = TypeVar("Result")

ATTEMPTS = 3
FIRST_DELAY_S, BACKOFF_FACTOR, MAX_DELAY_S = 1.0, 2.0, 30.0


def delays(rng: random.Random) -> Iterator[float]:
    """Yield the seconds to wait before each further attempt: half of it fixed, half random."""
    delay_s = FIRST_DELAY_S
    for _ in range(ATTEMPTS - 1):
        yield min(delay_s, MAX_DELAY_S) * (0.5 + rng.random() / 2)
        delay_s *= BACKOFF_FACTOR


def with_retries(call: Call, attempt: Callable[[], Result]) -> Result:
    """Call `attempt`, and repeat it after a delay when the error is retryable. Raise the last attempt's error."""
    for delay in delays(random.Random(call.process.new_id())):  # noqa: S311  (spreads load, guards nothing)
        try:
            return attempt()
        except SyncFailed as error:
            if not error.data.get("retryable"):
                raise
            call.log.warning("knowledge.retry", code=error.data.get("code"), delayMs=round(delay * 1000))
        call.cancellation.check()
        call.process.closing.wait(delay)
    return attempt()


MIRRORS = "knowledge"
LOCK_WAIT_S = 90.0
"""Maximum wait for another process that fetches from the same URL."""


def open_configured_source(call: Call, settings: Settings, *, fetch_first: bool = False) -> GitSource:
    """Open the knowledge repository at the configured commit. Raise SyncFailed after three attempts.

    `fetch_first`: fetch a remote repository first; otherwise its last fetched state is read.
    """
    location, ref = settings["knowledge.repository"], settings["knowledge.ref"]
    if not location:
        raise not_configured()
    if not is_remote(str(location)):
        return with_retries(call, lambda: open_source(str(location), ref))
    mirror = mirror_folder(call.process.state_dir, str(location))
    return with_retries(call, lambda: _open_mirror(call, mirror, str(location), ref, fetch_first=fetch_first))


def local_head(call: Call, settings: Settings) -> str:
    """Return the configured commit as known locally, without fetching or retrying; empty when unknown."""
    location, ref = settings["knowledge.repository"], settings["knowledge.ref"]
    folder = mirror_folder(call.process.state_dir, str(location)) if is_remote(str(location)) else location
    try:
        return open_source(os.fspath(folder), ref).commit if location else ""
    except SidecarError:
        return ""


def mirror_folder(state_dir: Path, url: str) -> Path:
    """Return the folder of a remote repository's mirror."""
    return state_dir / MIRRORS / f"{short_id(url, 20)}.git"


def _open_mirror(call: Call, mirror: Path, url: str, ref: str | None, *, fetch_first: bool) -> GitSource:
    """Open a mirror, fetching first when requested or needed. A damaged mirror is rebuilt on the next call."""
    marker = mirror / "FETCHED"
    if fetch_first or not marker.exists():
        with _mirror_lock(mirror):
            _fetch_into_mirror(mirror, marker, url, _cancellation_check(call))
    return open_source(os.fspath(mirror), ref, lambda: marker.unlink(missing_ok=True))


def _fetch_into_mirror(mirror: Path, marker: Path, url: str, check: Callable[[], None]) -> None:
    """Fetch into the mirror. A damaged or incomplete mirror is deleted first; all of it can be fetched again."""
    if mirror.exists() and not marker.exists():
        _remove_mirror(mirror)
    try:
        fetch(mirror, url, check)
        marker.touch()
        _make_private(mirror)
    except FetchFailed as failure:
        if failure.reason == UNKNOWN_REASON:
            marker.unlink(missing_ok=True)  # the mirror itself may be damaged
        raise knowledge_unavailable(f"The knowledge repository cannot be fetched: {failure.reason}.") from failure
    except OSError as error:
        raise StateDegraded(
            "The local copy of the knowledge repository cannot be written.", hint="Check the state folder."
        ) from error


def _make_private(mirror: Path) -> None:
    """Take all permissions of others from a mirror; its folder has none from the start, whatever the umask."""
    for path in mirror.rglob("*"):
        mode = path.stat(follow_symlinks=False).st_mode
        if mode & 0o077 and not stat.S_ISLNK(mode):
            path.chmod(stat.S_IMODE(mode) & 0o700)


def _remove_mirror(mirror: Path) -> None:
    for path in mirror.rglob("*"):
        with suppress(OSError):
            path.chmod(0o700)  # git's objects are read-only, and Windows does not delete read-only files
    shutil.rmtree(mirror, ignore_errors=True)


def _cancellation_check(call: Call) -> Callable[[], None]:
    def check() -> None:
        call.cancellation.check()
        if call.process.closing.is_set():
            raise shutting_down()

    return check


@contextmanager
def _mirror_lock(mirror: Path) -> Generator[None]:
    try:
        make_private_folder(str(mirror.parent))
        fd = os.open(mirror.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as error:
        raise StateDegraded("The knowledge repository cannot be fetched.", hint="Check the state folder.") from error
    with filelock.locked(fd, LOCK_WAIT_S) as is_held:
        if not is_held:
            raise knowledge_unavailable(
                "Timed out waiting for another process that is fetching the knowledge repository."
            )
        yield


CONNECT_TIMEOUT_MS, SILENCE_TIMEOUT_MS = 10_000, 60_000
"""Maximum time for a server's first answer, and for silence afterwards."""

MAX_FETCHED_BYTES = 2**30
"""Maximum bytes of one fetch; a lifetime of knowledge is smaller."""

_REFSPECS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_LOCAL_REFS = ("refs/heads/", "refs/tags/")
_NON_INTERACTIVE = {"GCM_INTERACTIVE": "never", "GIT_ASKPASS": "", "SSH_ASKPASS": "", "GIT_TERMINAL_PROMPT": "0"}

_REASONS = (
    (("authentication", "credential", "401", "403"), "the server rejects this machine's credentials"),
    (("certificate", "ssl error", "hostkey", "host key"), "the server's certificate or host key is not trusted"),
    (
        ("not found", "404", "no such file", "could not find repository", "not exported", "unsupported url"),
        "there is no repository at its address",
    ),
    (("resolve", "connect", "timed out", "timeout", "refused", "unreachable"), "the server cannot be reached"),
)


UNKNOWN_REASON = "it failed"
"""The reason if none of the above applies."""


class FetchFailed(Exception):
    """The fetch failed; `reason` is a short phrase that never contains the address."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def fetch(folder: Path, url: str, check: Callable[[], None]) -> None:
    """Fetch a remote's branches, tags and HEAD into a bare repository, created if needed; raise FetchFailed.

    Refs the remote no longer has are deleted. `check` is called while bytes arrive and cancels the fetch by raising.
    """
    library = pygit2()
    _configure_library(library)
    callbacks = _callbacks(library, folder, url, check)
    try:
        make_private_folder(str(folder))
        require_no_pipe(str(folder))
        repository = library.init_repository(str(folder), bare=True)
        remote = repository.remotes.create_anonymous(url)
        heads = remote.list_heads(callbacks=callbacks)
        remote.fetch(list(_REFSPECS), callbacks=callbacks)
        _delete_missing_refs(repository, {head.name for head in heads})
        head_target = next((head.symref_target for head in heads if head.name == "HEAD"), None)
        if head_target in repository.references:
            repository.set_head(head_target)
    except (library.GitError, KeyError, ValueError, OSError) as error:
        check()
        raise FetchFailed(_reason(str(error))) from error


def _delete_missing_refs(repository: Any, remote_names: set[str]) -> None:
    for name in list(repository.references):
        if name.startswith(_LOCAL_REFS) and name not in remote_names:
            repository.references.delete(name)


def _callbacks(library: Any, folder: Path, url: str, check: Callable[[], None]) -> Any:
    kinds = library.enums.CredentialType
    tried: set[Any] = set()

    class Callbacks(library.RemoteCallbacks):  # the library is imported lazily, without types
        def credentials(self, request_url: str, username: str | None, allowed: Any) -> Any:
            if "://" in request_url and urlsplit(request_url)[:2] != urlsplit(url)[:2]:
                raise library.GitError("authentication failed: redirected to another server")
            for kind in (kinds.SSH_KEY, kinds.USERPASS_PLAINTEXT, kinds.USERNAME):
                if allowed & kind and kind not in tried:
                    tried.add(kind)  # a rejected credential is rejected again
                    return _credential(library, kind, folder, url, username or "git")
            raise library.GitError("authentication failed")

        def transfer_progress(self, stats: Any) -> None:
            check()
            if stats.received_bytes > MAX_FETCHED_BYTES:
                raise FetchFailed(f"it is larger than {MAX_FETCHED_BYTES >> 20} MiB")

    return Callbacks()


def _credential(library: Any, kind: Any, folder: Path, url: str, username: str) -> Any:
    """Return a credential. git runs in the copy, because a repository's configuration may name a program."""
    kinds = library.enums.CredentialType
    if kind == kinds.SSH_KEY:
        return library.KeypairFromAgent(username)
    if kind == kinds.USERNAME:
        return library.Username(username)
    try:
        git = Git(folder, folder, variables=_NON_INTERACTIVE)
        output = git.run("credential", "fill", stdin=f"url={url}\n\n".encode())
    except GitFailed as error:
        raise library.GitError("authentication failed") from error
    parts = (line.partition("=") for line in output.decode("utf-8", "replace").splitlines())
    fields = {name: value for name, _, value in parts}
    return library.UserPass(fields.get("username", ""), fields.get("password", ""))


def _configure_library(library: Any) -> None:
    """Set libgit2's timeouts and the system's trusted certificates, which were hidden from it at import."""
    import ssl

    paths = ssl.get_default_verify_paths()
    library.settings.server_connect_timeout, library.settings.server_timeout = CONNECT_TIMEOUT_MS, SILENCE_TIMEOUT_MS
    with suppress(library.GitError, ValueError, OSError):  # if the platform's own store is used
        library.settings.set_ssl_cert_locations(paths.cafile, paths.capath)


def _reason(message: str) -> str:
    folded = message.casefold()
    return next((reason for words, reason in _REASONS if any(word in folded for word in words)), UNKNOWN_REASON)

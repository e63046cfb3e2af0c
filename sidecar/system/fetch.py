"""Fetches a remote repository into a bare one of ours, through libgit2; nothing else is written.

The user's own means let us in: the ssh agent, and what `git credential` knows without asking anybody.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sidecar.system.git import Git, GitFailed
from sidecar.system.libgit import pygit2

CONNECT_MS, SILENT_MS = 10_000, 60_000
"""How long a server may take to answer at all, and how long it may say nothing."""

MAX_FETCHED_BYTES = 2**30
"""What a server may send at once: of knowledge, all there is for a lifetime."""

_REFSPECS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_OURS = ("refs/heads/", "refs/tags/")
_NOBODY_IS_ASKED = {"GCM_INTERACTIVE": "never", "GIT_ASKPASS": "", "SSH_ASKPASS": "", "GIT_TERMINAL_PROMPT": "0"}

_REASONS = (
    (("authentication", "credential", "401", "403"), "the server rejects this machine's credentials"),
    (("certificate", "ssl error", "hostkey", "host key"), "the server's certificate or host key is not trusted"),
    (("not found", "404", "no such file", "not exported", "unsupported url"), "there is no repository at its address"),
    (("resolve", "connect", "timed out", "timeout", "refused", "unreachable"), "the server cannot be reached"),
)


IT_FAILED = "it failed"
"""The reason where none of those is known."""


class FetchFailed(Exception):
    """Nothing could be fetched; `reason` says why in a few words, never with the address."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def fetch(folder: Path, url: str, check: Callable[[], None]) -> None:
    """Brings a remote's branches, tags and HEAD to a bare repository, made where there is none; raises FetchFailed.

    What the remote has no more goes. `check` is called as bytes arrive, and ends it all by raising.
    """
    library = pygit2()
    _prepare(library)
    callbacks = _callbacks(library, folder, url, check)
    try:
        repository = library.init_repository(str(folder), bare=True)
        remote = repository.remotes.create_anonymous(url)
        heads = remote.list_heads(callbacks=callbacks)
        remote.fetch(list(_REFSPECS), callbacks=callbacks)
        _take_away(repository, {head.name for head in heads})
        named = next((head.symref_target for head in heads if head.name == "HEAD"), None)
        if named in repository.references:
            repository.set_head(named)
    except (library.GitError, KeyError, ValueError, OSError) as error:
        check()
        raise FetchFailed(_reason(str(error))) from error


def _take_away(repository: Any, there: set[str]) -> None:
    for name in list(repository.references):
        if name.startswith(_OURS) and name not in there:
            repository.references.delete(name)


def _callbacks(library: Any, folder: Path, url: str, check: Callable[[], None]) -> Any:
    kinds = library.enums.CredentialType
    tried: set[Any] = set()

    class Callbacks(library.RemoteCallbacks):  # type: ignore[misc]  # the library comes lazily, without types
        def credentials(self, asking: str, username: str | None, allowed: Any) -> Any:
            if "://" in asking and urlsplit(asking)[:2] != urlsplit(url)[:2]:
                raise library.GitError("authentication failed: redirected to another server")
            for kind in (kinds.SSH_KEY, kinds.USERPASS_PLAINTEXT, kinds.USERNAME):
                if allowed & kind and kind not in tried:
                    tried.add(kind)  # what was refused once, is refused again
                    return _credential(library, kind, folder, url, username or "git")
            raise library.GitError("authentication failed")

        def transfer_progress(self, stats: Any) -> None:
            check()
            if stats.received_bytes > MAX_FETCHED_BYTES:
                raise FetchFailed(f"it is larger than {MAX_FETCHED_BYTES >> 20} MiB")

    return Callbacks()


def _credential(library: Any, kind: Any, folder: Path, url: str, username: str) -> Any:
    """Gives what lets us in; git is asked in the copy, for the configuration of where one stands may name a program."""
    kinds = library.enums.CredentialType
    if kind == kinds.SSH_KEY:
        return library.KeypairFromAgent(username)
    if kind == kinds.USERNAME:
        return library.Username(username)
    try:
        git = Git(folder, folder, variables=_NOBODY_IS_ASKED)
        told = git.run("credential", "fill", stdin=f"url={url}\n\n".encode())
    except GitFailed as error:
        raise library.GitError("authentication failed") from error
    said = dict(line.partition("=")[::2] for line in told.decode("utf-8", "replace").splitlines())
    return library.UserPass(said.get("username", ""), said.get("password", ""))


def _prepare(library: Any) -> None:
    """Tells libgit2 how long to wait, and whom the system trusts: that was kept from it when it was imported."""
    import ssl

    paths = ssl.get_default_verify_paths()
    library.settings.server_connect_timeout, library.settings.server_timeout = CONNECT_MS, SILENT_MS
    with suppress(library.GitError, ValueError, OSError):  # where the platform's own store is used
        library.settings.set_ssl_cert_locations(paths.cafile, paths.capath)


def _reason(said: str) -> str:
    folded = said.casefold()
    return next((reason for words, reason in _REASONS if any(word in folded for word in words)), IT_FAILED)

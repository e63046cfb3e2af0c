"""Fetches a remote repository through libgit2 into a bare one of ours; writes nothing else.

Credentials come from the ssh agent and from `git credential`, which never prompts.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sidecar.system.git import Git, GitFailed, pygit2
from sidecar.system.safe_open import make_private_folder

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
    (("not found", "404", "no such file", "not exported", "unsupported url"), "there is no repository at its address"),
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

    class Callbacks(library.RemoteCallbacks):  # type: ignore[misc]  # the library is imported lazily, without types
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
    fields = dict(line.partition("=")[::2] for line in output.decode("utf-8", "replace").splitlines())
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

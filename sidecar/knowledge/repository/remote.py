"""The knowledge repository where it lies, or as it was fetched into the state folder: a bare copy per address."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sidecar.call import Call
from sidecar.core.digests import short_id
from sidecar.core.errors import SidecarError, StateDegraded
from sidecar.knowledge.errors import ending, knowledge_unavailable, not_configured
from sidecar.knowledge.repository.retrying import patiently
from sidecar.knowledge.repository.source import Source, open_source
from sidecar.settings.kinds import is_remote
from sidecar.settings.resolve import Settings
from sidecar.system import filelock
from sidecar.system.fetching import IT_FAILED, FetchFailed, fetch

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

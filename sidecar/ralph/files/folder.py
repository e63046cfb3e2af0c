"""Where a change's loop keeps its things: `.spool/.state/ralph/<change-id>/`, which ignores itself in git."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sidecar.core.errors import InvalidParams, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.core.lazy_regex import regex
from sidecar.system.atomic_write import write_whole
from sidecar.system.safe_open import opened

STATE_PARTS = (".spool", ".state", "ralph")
MAX_ID_CHARACTERS = 100

_ID = regex(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_ID_CHARACTERS - 1}}}")
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10)))
)  # fmt: skip
"""Names that no file may have on Windows, whatever suffix stands behind them."""

_IGNORE_ALL = b"# Kept on this machine only.\n*\n"


@dataclass(frozen=True, slots=True)
class Folder:
    """One change's folder and the files in it."""

    root: Path
    """The git worktree's top, or the folder itself where there is none."""
    change: str
    path: Path

    @property
    def context(self) -> str:
        """What the user added, for all iterations to come."""
        return str(self.path / "context.md")

    @property
    def state(self) -> str:
        """How the loop stands, written whole each time."""
        return str(self.path / "state.json")

    @property
    def history(self) -> str:
        """One line for each iteration, only ever added to."""
        return str(self.path / "history.jsonl")

    @property
    def lock(self) -> str:
        """Held by the process whose loop runs; names it."""
        return str(self.path / "lock")

    @property
    def stop(self) -> str:
        """Is there when somebody asked the loop to stop."""
        return str(self.path / "stop")

    @property
    def iterations(self) -> Path:
        """The prompt and the output of each iteration."""
        return self.path / "iterations"

    def prompt_of(self, number: int) -> Path:
        """What an iteration's agent was told."""
        return self.iterations / f"{number:04}.prompt.md"

    def output_of(self, number: int) -> Path:
        """What it printed, capped."""
        return self.iterations / f"{number:04}.output"

    def check_of(self, number: int) -> Path:
        """What the last of its checks printed, capped."""
        return self.iterations / f"{number:04}.verify"


def checked_id(change: str) -> str:
    """Gives a change id that is one path-safe name; raises InvalidParams for any other."""
    if not _ID.fullmatch(change) or change.endswith(".") or change.split(".", maxsplit=1)[0].lower() in _DEVICES:
        raise InvalidParams(
            "The change id is not one path-safe name.",
            hint=f"Letters, digits, `.`, `_` and `-`, beginning with a letter or digit, at most {MAX_ID_CHARACTERS}.",
        )
    return change


def folder_of(cwd: Path, change: str) -> Folder:
    """Names a change's folder for a loop that works in `cwd`; makes nothing.

    Raises InvalidParams for an id that is none, WorkspaceUnavailable where there is no such folder to work in, and
    PolicyDenied where a link would lead out of the project.
    """
    checked_id(change)
    if not cwd.is_dir():
        raise WorkspaceUnavailable("The folder to work in does not exist.", hint=f"It is {cwd}.")
    root = top_of(cwd)
    folder = Folder(root, change, root.joinpath(*STATE_PARTS, change))
    if Path(os.path.realpath(folder.iterations)) != folder.iterations:
        raise PolicyDenied(
            "The loop's folder is a link to somewhere else.", hint=f"Take away the link below {root / STATE_PARTS[0]}."
        )
    return folder


def top_of(cwd: Path) -> Path:
    """Gives the top of the git worktree a folder lies in, else the folder."""
    here = Path(os.path.realpath(cwd))
    return next((folder for folder in (here, *here.parents) if os.path.lexists(folder / ".git")), here)


def make(folder: Folder) -> None:
    """Makes a change's folder; raises WorkspaceUnavailable where that cannot be done."""
    state = folder.root.joinpath(*STATE_PARTS[:2])
    ignore = str(state / ".gitignore")
    try:
        folder.iterations.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(ignore):
            write_whole(ignore, _IGNORE_ALL, durable=False)
    except OSError as error:
        raise WorkspaceUnavailable(
            f"The loop's folder cannot be made: {error.strerror or type(error).__name__}.",
            hint=f"It is {folder.path}.",
        ) from error


def remove(path: str) -> None:
    """Takes a file away, if it is there."""
    with suppress(OSError):
        os.unlink(path)


# The prompts and outputs of iterations, as files: what is kept of them, and for how many.


KEPT_ITERATIONS = 100
"""The last ones; of older ones the history tells."""
KEPT_PROMPT_BYTES = 512 * 1024

_NUMBERED = regex(r"(\d{4,})\.(?:prompt\.md|output|verify|cmd)")


def whole_prompt(path: Path, prompt: str) -> None:
    """Writes a prompt, whole: a harness may be told to read it there. Raises StateDegraded."""
    try:
        write_whole(str(path), prompt.encode("utf-8", "replace"), durable=False)
    except OSError as error:
        raise StateDegraded(
            f"The prompt cannot be kept: {error.strerror or type(error).__name__}.", hint=f"It is {path}."
        ) from error


def tidy(folder: Folder, last: int) -> None:
    """Shortens the prompt of the iteration that just ended, and takes away the files of those long past."""
    with suppress(OSError):
        _shorten(folder.prompt_of(last))
        for name in os.listdir(folder.iterations):
            found = _NUMBERED.fullmatch(name)
            if found is not None and int(found[1]) <= last - KEPT_ITERATIONS:
                (folder.iterations / name).unlink()


def forget(folder: Folder) -> None:
    """Takes away the files of all iterations; raises StateDegraded."""
    try:
        for name in os.listdir(folder.iterations):
            if _NUMBERED.fullmatch(name):
                (folder.iterations / name).unlink()
    except FileNotFoundError:
        return
    except OSError as error:
        raise StateDegraded(f"The iterations' files cannot be removed: {error.strerror}.") from error


def _shorten(path: Path) -> None:
    size = path.stat().st_size
    if size <= KEPT_PROMPT_BYTES:
        return
    half = KEPT_PROMPT_BYTES // 2
    with os.fdopen(opened(str(path)), "rb") as stream:
        head = stream.read(half)
        stream.seek(size - half)
        tail = stream.read()
    cut = f"\n\n[… {size - 2 * half} bytes are not kept …]\n\n".encode()
    write_whole(str(path), head + cut + tail, durable=False)

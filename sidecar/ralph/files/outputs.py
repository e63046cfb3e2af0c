"""The prompts and outputs of iterations, as files: what is kept of them, and for how many."""

import os
from contextlib import suppress
from pathlib import Path

from sidecar.core.errors import StateDegraded
from sidecar.core.regex import regex
from sidecar.ralph.files.folder import Folder
from sidecar.system.plain_files import opened
from sidecar.system.whole_files import write_whole

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

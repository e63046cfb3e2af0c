"""Lets the user edit a text in an editor."""

import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sidecar.cli.output import CommandFailed
from sidecar.system.environment import child_environment, environment, which

_DEFAULT_EDITORS = ("notepad",) if sys.platform == "win32" else ("vi", "nano")


@contextmanager
def edited_text(text: str, name: str, *, options: str, hint_if_empty: str) -> Generator[str]:
    """Yield a text as the user edited it, to be stored. Its file remains if that fails.

    `options` are those of the command that change it without an editor.
    """
    path, edited = _edit(text, name, options)
    if not edited.strip():
        _discard(path)
        raise CommandFailed("The text is empty, so nothing was changed.", hint=hint_if_empty)
    try:
        yield edited
    except CommandFailed as error:
        raise CommandFailed(error.message, kind=error.kind, hint=f"Your text is in {path}.") from error
    _discard(path)


def _discard(path: Path) -> None:
    shutil.rmtree(path.parent, ignore_errors=True)


def _edit(text: str, name: str, options: str) -> tuple[Path, str]:
    """Open a text in $VISUAL, $EDITOR or a default editor, wait until it is closed, and return its file and text."""
    command = editor_command(environment(), options)
    path = Path(tempfile.mkdtemp(prefix="onecode-edit-"), name)
    path.write_bytes(text.encode("utf-8", "replace"))
    try:
        _run(command, path)
        return path, path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError, subprocess.CalledProcessError) as error:
        unsaved = path.exists() and path.read_bytes() != text.encode("utf-8", "replace")
        note = f" Your text is in {path}." if unsaved else ""
        if not unsaved:
            _discard(path)
        raise CommandFailed(
            f"{_failure_message(error, command)}{note}", hint=f"Use {options} to change it without an editor."
        ) from None


def editor_command(variables: Mapping[str, str], options: str) -> str:
    """Return the command of the user's editor; raise CommandFailed if there is none."""
    named = next((variables[name] for name in ("VISUAL", "EDITOR") if variables.get(name, "").strip()), None)
    command = named or next((name for name in _DEFAULT_EDITORS if which(name)), None)
    if command is None:
        raise CommandFailed("No editor was found.", hint=f"Set $VISUAL or $EDITOR, or use {options}.")
    return command


def _run(command: str, path: Path) -> None:
    """Run the editor. On Windows a command is one string, which the program splits itself."""
    if sys.platform == "win32":
        whole: str | list[str] = f'{windows_command(command, which)} "{path}"'
    else:
        whole = [*shlex.split(command), str(path)]
    subprocess.run(whole, check=True, env=child_environment())


def windows_command(command: str, find: Callable[[str], str | None]) -> str:
    """Return a command with the path of its program: by its name Windows starts no script such as `code.cmd`."""
    name, space, arguments = command.strip().partition(" ")
    path = None if '"' in name else find(name)
    return command if path is None else f'"{path}"{space}{arguments}'


def _failure_message(error: Exception, command: str) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return f"The editor `{command}` ended with status {error.returncode}, so nothing was changed."
    if isinstance(error, UnicodeDecodeError):
        return "The text is not UTF-8, so nothing was changed."
    return f"The editor `{command}` cannot be started."

"""The process's environment and the platform's user folders; no other module reads them."""

import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PROGRAM_FOLDER = "onecode-continuity"

_APP_FOLDERS = ("1Code", "1code", "21st-desktop", "Agents Dev")
"""Names of 1Code's data folder, installed and in development."""

HOST_VARIABLE = "ONECODE_CONTINUITY_HOST"
"""Set by a host for agents that it gives context packs itself; hooks in such an agent do nothing."""

MODE_VARIABLE = "ONECODE_CONTINUITY_MODE"

SWITCHED_OFF = "off"
"""Value of the mode's variable that nothing overrides: the kill switch."""

NO_WINDOW = 0x08000000 if sys.platform == "win32" else 0
"""Creation flag of a child process: without it Windows opens a console window for each."""

STATE_FILE = "continuity.db"

_APP_SUBFOLDER = "continuity"

PROGRAM = "onecode-sidecar"

_PYINSTALLER_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")


def pasted_command(*words: str) -> str:
    """Return one of our commands as the user pastes it into a terminal."""
    return command_text((PROGRAM, *words))


def command_text(words: Sequence[str]) -> str:
    """Return words as the user's terminal reads them: those with spaces are quoted."""
    if sys.platform == "win32":
        return " ".join(f'"{word}"' if set(word) & set(' "&|<>^') else word for word in words)
    import shlex  # would delay every hook

    return shlex.join(words)


def environment() -> dict[str, str]:
    """Return a copy of the environment."""
    return dict(os.environ)


def mode_variable() -> str:
    """Return the mode that the environment sets; empty if it sets none."""
    return os.environ.get(MODE_VARIABLE, "").strip().lower()


def child_environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    """Return the user's environment for a child process, without what the frozen build added.

    PyInstaller sets the library path even for a folder build and stores the user's value under `_ORIG`.
    """
    variables = {name: value for name, value in os.environ.items() if not name.startswith("_PYI_")}
    for name in _PYINSTALLER_VARIABLES:
        original = variables.pop(f"{name}_ORIG", None)
        if original is not None:
            variables[name] = original
        elif getattr(sys, "frozen", False):
            variables.pop(name, None)
    return {**variables, **(extra or {})}


_PATH_EXTENSIONS = ".COM;.EXE;.BAT;.CMD"
"""Windows' default for `PATHEXT`."""


def program_on_path(name: str, folders: Sequence[str], extensions: Sequence[str]) -> str | None:
    """Return the path of a Windows program in the first folder that has it; None if none has.

    Windows itself would look in the current folder first, which may be anybody's repository.
    """
    extensions = [extension for extension in extensions if extension]  # PATHEXT may end with a semicolon
    endings = ("",) if name.lower().endswith(tuple(extension.lower() for extension in extensions)) else extensions
    places = (folder.strip('"') for folder in folders)
    paths = (os.path.join(place, name + ending) for place in places if os.path.isabs(place) for ending in endings)
    return next(filter(os.path.isfile, paths), None)


def which(name: str, path: str | None = None, extensions: str | None = None) -> str | None:
    """Return the path of a program by its name or path, as the user's terminal finds it; None if there is none.

    `path` and `extensions` replace this process's `PATH` and, on Windows, `PATHEXT`.
    """
    if sys.platform == "win32":
        folder, name = os.path.split(name)
        folders = [folder] if folder else (os.environ.get("PATH", "") if path is None else path).split(os.pathsep)
        endings = (extensions or os.environ.get("PATHEXT") or _PATH_EXTENSIONS).split(";")
        return program_on_path(name, folders, endings)
    from shutil import which as find  # would delay every hook

    return find(name, path=path)


@contextmanager
def temporary_variables(variables: Mapping[str, str]) -> Generator[None]:
    """Set variables of this process temporarily; other threads see them too."""
    previous = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in previous.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def state_folders() -> list[Path]:
    """Return the possible state folders of the user: the app's own first, then the command line's."""
    home = Path.home()
    if sys.platform == "win32":
        app_data = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        app_data = home / "Library" / "Application Support"
    else:
        app_data = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return [*(app_data / name / _APP_SUBFOLDER for name in _APP_FOLDERS), user_state_folder()]


def has_state_file(folder: Path) -> bool:
    """Whether a folder has a state file. One that this user may not enter counts: opening its file names the reason."""
    try:
        return (folder / STATE_FILE).is_file()
    except PermissionError:
        return True


def default_state_folder() -> str:
    """Return the first state folder that contains a state file, else the command line's."""
    existing = (folder for folder in state_folders() if has_state_file(folder))
    return os.fspath(next(existing, user_state_folder()))


def user_state_folder() -> Path:
    """Return the platform's user-data folder of this program, for the command line."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or home / ".local" / "state")
    return base / PROGRAM_FOLDER

"""The only module that reads the process's environment and its platform's user folders."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

PROGRAM_FOLDER = "onecode-continuity"

_APP_FOLDERS = ("1Code", "1code", "21st-desktop", "Agents Dev")
"""What 1Code calls the folder of its own data: installed, and while it is being developed."""

HOST_VARIABLE = "ONECODE_CONTINUITY_HOST"
"""Set by a host for the agents it starts and gives their packs itself: hooks in such an agent stay silent."""

MODE_VARIABLE = "ONECODE_CONTINUITY_MODE"

_STATE_FILE = "continuity.db"

_FOLDER_IN_APP = "continuity"

_FROM_PYINSTALLER = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")


def environment() -> dict[str, str]:
    """Gives a copy of the environment."""
    return dict(os.environ)


def for_child(extra: dict[str, str] | None = None) -> dict[str, str]:
    """Gives the environment a child process should see: the user's own, without what the frozen build added.

    PyInstaller sets the library path even for a folder build and keeps the user's value under `_ORIG`.
    """
    clean = {name: value for name, value in os.environ.items() if not name.startswith("_PYI_")}
    for name in _FROM_PYINSTALLER:
        original = clean.pop(f"{name}_ORIG", None)
        if original is not None:
            clean[name] = original
        elif getattr(sys, "frozen", False):
            clean.pop(name, None)
    return {**clean, **(extra or {})}


@contextmanager
def overridden(variables: Mapping[str, str]) -> Iterator[None]:
    """Sets variables of this process for a moment; other threads see them too."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def state_folders() -> list[Path]:
    """Names the folders a user's state may be in, the app's own first, then the one for the command line alone."""
    home = Path.home()
    if sys.platform == "win32":
        of_apps = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        of_apps = home / "Library" / "Application Support"
    else:
        of_apps = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return [*(of_apps / name / _FOLDER_IN_APP for name in _APP_FOLDERS), user_state_folder()]


def state_folder_of_user() -> str:
    """Names the folder of the user's state: the first that holds any, else the one for the command line alone."""
    found = (folder for folder in state_folders() if (folder / _STATE_FILE).is_file())
    return os.fspath(next(found, user_state_folder()))


def user_state_folder() -> Path:
    """Names the platform's user-data folder for this program, for use from the command line."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or home / ".local" / "state")
    return base / PROGRAM_FOLDER

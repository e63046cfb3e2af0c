"""`onecode-sidecar hook install|uninstall|status|stop`: manages the hooks in Claude Code's settings, with consent."""

import argparse
import difflib
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sidecar.cli.output import CommandAnswer, CommandFailed, run_and_print
from sidecar.cli.paths import project_folder
from sidecar.integrations.claude_settings import (
    EVENTS,
    SettingsUnreadable,
    installed_events,
    same_settings,
    with_hooks,
    without_hooks,
)
from sidecar.system.atomic_write import write_atomic
from sidecar.system.environment import default_state_folder, environment
from sidecar.system.safe_open import read_regular

BACKUP = ".before-onecode"
"""Suffix of the backup of the settings file. An empty backup means that there was no file."""

PROGRAM = "onecode-sidecar"

MAX_SETTINGS_BYTES = 16 * 2**20

_CONFIG_VARIABLE = "CLAUDE_CONFIG_DIR"


class Change(NamedTuple):
    """A settings file before and after a change."""

    path: Path
    before: bytes | None
    """None if there is no file."""
    after: bytes | None
    backup: bytes | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = "Connects Claude Code outside of 1Code: its hooks do what the app does inside."
    parser.epilog = f"Claude Code runs `hook EVENT` for {', '.join(EVENTS)}: JSON on stdin, JSON on stdout."
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, text in (
        ("install", "show the change to Claude Code's settings, and add the hooks"),
        ("uninstall", "show the change, and remove the hooks"),
        ("status", "show where the hooks are installed"),
        ("stop", "stop the sidecar that a hook started, before an update"),
    ):
        verb = verbs.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        verb.add_argument("--json", action="store_true", help="print the answer as JSON")
        where = verb.add_mutually_exclusive_group()
        where.add_argument("--user", action="store_true", help="for all projects of the user (default)")
        where.add_argument(
            "--project", nargs="?", const="", metavar="DIR", help="for a project and everyone who shares it"
        )
        verb.add_argument("--yes", action="store_true", help="do not ask for confirmation")
        if name == "install":
            modes = ("off", "passive", "active")
            verb.add_argument(
                "--mode", choices=modes, help="also set the mode; only `active` sends anything to the agent"
            )


def run(arguments: argparse.Namespace) -> int:
    """Run the verb and print its answer. A failure is one sentence on stderr and its own exit status."""
    return run_and_print("hook", arguments, lambda: _run_verb(arguments))


def _run_verb(arguments: argparse.Namespace) -> CommandAnswer:
    if arguments.verb == "stop":
        return _stop()
    path = _settings_path(arguments)
    try:
        if arguments.verb == "status":
            return _status(path)
        is_shared = arguments.project is not None
        change = _install(path, _program(is_shared)) if arguments.verb == "install" else _uninstall(path)
    except SettingsUnreadable as error:
        raise CommandFailed(str(error), hint=f"Fix {path} and try again; nothing was changed.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailed(f"{path} cannot be read.", hint="Check its permissions; nothing was changed.") from error
    lines = _diff(change)
    if change.before != change.after:
        _confirm(arguments, lines)
        _write(change, keeps_backup=arguments.verb == "install")
    mode = _set_mode(arguments)
    state = "changed" if change.before != change.after else "unchanged"
    answer = {"settings": str(path), "changed": change.before != change.after, "diff": lines, "mode": mode}
    diff = lines if arguments.yes else []
    return CommandAnswer(answer, [*diff, f"{path} {state}.", *([f"The mode is {mode}."] if mode else [])])


def _stop() -> CommandAnswer:
    from sidecar.cli.hook_daemon import stop

    try:
        stopped = stop()
    except TimeoutError:
        raise CommandFailed("The sidecar that a hook started does not stop.", hint="Try again in a minute.") from None
    return CommandAnswer(
        {"stopped": stopped}, ["The sidecar has stopped." if stopped else "No hook's sidecar is running."]
    )


def _status(path: Path) -> CommandAnswer:
    events = installed_events(_text(_read(path)))
    known = f"{path}: {', '.join(events)}" if events else f"{path}: no hooks of onecode-sidecar"
    return CommandAnswer({"settings": str(path), "events": events, "state": default_state_folder()}, [known])


def _install(path: Path, program: str) -> Change:
    before = _read(path)
    after = with_hooks(_text(before), program).encode()
    return Change(path, before, after, _read(_backup_of(path)))


def _uninstall(path: Path) -> Change:
    """Return the change that removes the hooks. If nothing else changed since, it restores the original file."""
    before, backup = _read(path), _read(_backup_of(path))
    text = without_hooks(_text(before))
    after = text.encode() if before is not None else None
    if backup is not None and after != before and same_settings(text, _text(backup)):
        after = backup or None
    return Change(path, before, after, backup)


def _confirm(arguments: argparse.Namespace, lines: Sequence[str]) -> None:
    """Show the change and wait for the user's consent."""
    if arguments.yes:
        return
    print("\n".join(lines), file=sys.stderr)
    if not sys.stdin.isatty():
        raise CommandFailed("Nothing was changed: confirmation needs a terminal.", hint="Use --yes to make the change.")
    print("Make this change? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandFailed("Nothing was changed.")


def _write(change: Change, *, keeps_backup: bool) -> None:
    target = Path(os.path.realpath(change.path))  # a link to somebody's dotfiles stays a link
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if keeps_backup and change.backup is None:
            write_atomic(os.fspath(_backup_of(change.path)), change.before or b"")
        if change.after is None:
            target.unlink()
        else:
            write_atomic(os.fspath(target), change.after)
        if not keeps_backup:
            with suppress(FileNotFoundError):
                _backup_of(change.path).unlink()
    except OSError as error:
        raise CommandFailed(f"{target} cannot be written: {error.strerror}.") from error


def _set_mode(arguments: argparse.Namespace) -> str | None:
    """Set the mode if requested: for the user, or only for the project."""
    mode: str | None = getattr(arguments, "mode", None)
    if mode is None:
        return None
    from sidecar.cli.in_process import on_users_state

    settings = {"settings": {"mode": mode}}
    with on_users_state(Path(default_state_folder())) as sidecar:
        sidecar.request("settings/update", {**settings, **_project(arguments)})
    return mode


def _project(arguments: argparse.Namespace) -> dict[str, str]:
    if arguments.project is None:
        return {}
    return {"projectPath": str(project_folder(Path(arguments.project) if arguments.project else None))}


def _settings_path(arguments: argparse.Namespace) -> Path:
    if arguments.project is not None:
        return Path(_project(arguments)["projectPath"]) / ".claude" / "settings.json"
    own = environment().get(_CONFIG_VARIABLE)
    return (Path(own) if own else Path.home() / ".claude") / "settings.json"


def _backup_of(path: Path) -> Path:
    return path.with_name(path.name + BACKUP)


def _program(is_shared: bool) -> str:
    """Return the command line that runs this program from any folder, as a POSIX shell reads it, also on Windows.

    Settings that other users share contain only the program's name, if it is on the path: their path differs.
    """
    if is_shared and shutil.which(PROGRAM) is not None:
        return PROGRAM
    if getattr(sys, "frozen", False):
        words = [sys.executable]
    elif Path(sys.argv[0]).stem == PROGRAM:
        words = [os.path.abspath(sys.argv[0])]
    else:
        words = [sys.executable, "-P", "-m", "sidecar"]  # it runs in projects, whose modules must not shadow ours
    return " ".join(shlex.quote(word.replace("\\", "/") if os.name == "nt" else word) for word in words)


def _diff(change: Change) -> list[str]:
    before, after = (_text(content).splitlines() for content in (change.before, change.after))
    return list(difflib.unified_diff(before, after, str(change.path), str(change.path), lineterm=""))


def _read(path: Path) -> bytes | None:
    try:
        return read_regular(os.fspath(path), MAX_SETTINGS_BYTES)
    except FileNotFoundError:
        return None


def _text(content: bytes | None) -> str:
    return content.decode() if content is not None else ""

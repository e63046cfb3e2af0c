"""`onecode-sidecar hook install|uninstall|status|stop`: manages the hooks in the agents' settings, with consent."""

import argparse
import difflib
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, get_args

from sidecar.cli.common_arguments import folder_argument, project_folder, project_params
from sidecar.cli.output import CommandAnswer, CommandFailed, run_and_print, terminal_safe
from sidecar.core.lazy_regex import lazy_regex
from sidecar.integrations import (
    HOOK_EVENTS,
    HOOK_SETTINGS,
    SettingsUnreadable,
    installed_events,
    same_settings,
    with_hooks,
    without_hooks,
)
from sidecar.runs.model import Provider
from sidecar.system.atomic_write import write_atomic
from sidecar.system.environment import MODE_VARIABLE, PROGRAM, default_state_folder, environment, which
from sidecar.system.safe_open import read_regular

CURRENT_PROJECT = Path()
"""Value of `--project` without a folder."""

BACKUP = ".before-onecode"
"""Suffix of the backup of the settings file. An empty backup means that there was no file."""


MAX_SETTINGS_BYTES = 16 * 2**20

_PLAIN_WORD = lazy_regex(r"[\w.:\\/~+-]+")
"""A word that PowerShell and the command prompt read alike, without quotes."""

TRUST_NOTICE = "Codex CLI runs new or changed hooks once you trust them: start `codex` and confirm, or use /hooks."


INACTIVE_NOTICE = (
    "Nothing is sent to the agent yet: only the mode `active` does that."
    " Set it with `onecode-sidecar settings mode active`."
)
FORCED_NOTICE = f"Nothing is sent to the agent yet: {MODE_VARIABLE} sets a mode other than `active`."


class HookChange(NamedTuple):
    """A settings file before and after a change."""

    agent: Provider
    path: Path
    before: bytes | None
    """None if there is no file."""
    after: bytes | None
    backup: bytes | None

    @property
    def is_change(self) -> bool:
        """Whether the file becomes another."""
        return self.before != self.after


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Connects Claude Code and Codex CLI outside 1Code: their hooks do what the app does for its own agents."
    )
    parser.epilog = f"The agents run `hook EVENT` for {', '.join(HOOK_EVENTS)}: JSON on stdin, JSON on stdout."
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, text in (
        ("install", "show the change to the agents' settings, and add the hooks"),
        ("uninstall", "show the change, and remove the hooks"),
        ("status", "show where the hooks are installed"),
        ("stop", "stop the sidecar that a hook started, before an update"),
    ):
        verb = verbs.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        verb.add_argument("--json", action="store_true", help="print the answer as JSON")
        if name == "stop":
            continue
        verb.add_argument(
            "--agent",
            choices=get_args(Provider),
            help="only this agent; default: Claude Code, and Codex CLI if its folder exists",
        )
        where = verb.add_mutually_exclusive_group()
        where.add_argument("--user", action="store_true", help="for all projects of the user (default)")
        where.add_argument(
            "--project",
            nargs="?",
            type=folder_argument,
            const=CURRENT_PROJECT,
            metavar="DIR",
            help="for a project and everyone who shares it",
        )
        if name != "status":
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
    folder = Path(_project(arguments)["projectPath"]) if arguments.project is not None else None
    agents = [arguments.agent] if arguments.agent else _default_agents(folder)
    if arguments.verb == "status":
        return _status(agents, folder)
    changes = [_change(arguments.verb, agent, folder) for agent in agents]
    lines = [line for change in changes for line in _diff(change)]
    if lines:
        _confirm(arguments, lines)
    for change in changes:
        if change.is_change:
            _write(change, keeps_backup=arguments.verb == "install")
            if change.after is None and folder is not None:
                with suppress(OSError):  # it has other files
                    change.path.parent.rmdir()
    mode = _set_mode(arguments)
    notice = _notice_of_mode(arguments, mode) if arguments.verb == "install" else ""
    return _changed_answer(arguments, changes, lines, mode, notice)


def _changed_answer(
    arguments: argparse.Namespace, changes: Sequence[HookChange], lines: list[str], mode: str | None, of_mode: str
) -> CommandAnswer:
    rows = [
        {"agent": change.agent, "settings": str(change.path), "changed": change.is_change, "diff": _diff(change)}
        for change in changes
    ]
    states = [f"{change.path} {'changed' if change.is_change else 'unchanged'}." for change in changes]
    codex_changed = any(change.agent == "codex" and change.is_change for change in changes)
    notice = [TRUST_NOTICE] if codex_changed and arguments.verb == "install" else []
    notice += [of_mode] if of_mode else []
    shown = [*(lines if arguments.yes else []), *states, *([f"The mode is {mode}."] if mode else []), *notice]
    return CommandAnswer({"agents": rows, "mode": mode}, shown)


def _change(verb: str, agent: Provider, folder: Path | None) -> HookChange:
    """Return the change to an agent's settings; raise CommandFailed if they cannot be read."""
    path = settings_path(agent, folder)
    try:
        if verb == "install":
            return _install(agent, path, _program(agent, is_shared=folder is not None))
        return _uninstall(agent, path)
    except SettingsUnreadable as error:
        raise CommandFailed(str(error), hint=f"Fix {path} and try again; nothing was changed.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailed(f"{path} cannot be read.", hint="Check its permissions; nothing was changed.") from error


def _default_agents(folder: Path | None) -> list[Provider]:
    """Return Claude Code, and Codex CLI if it has a folder there."""
    return ["claude", "codex"] if settings_path("codex", folder).parent.is_dir() else ["claude"]


def _stop() -> CommandAnswer:
    from sidecar.cli.hook_daemon import stop

    try:
        stopped = stop()
    except TimeoutError:
        raise CommandFailed("The sidecar that a hook started did not stop.", hint="Try again in a minute.") from None
    except OSError as error:
        raise CommandFailed(
            f"The hooks' folder in the state folder cannot be used: {error.strerror}.", hint="Check its permissions."
        ) from error
    return CommandAnswer(
        {"stopped": stopped}, ["The sidecar has stopped." if stopped else "No hook's sidecar is running."]
    )


def _status(agents: Sequence[Provider], folder: Path | None) -> CommandAnswer:
    connected = [connected_events(agent, folder) for agent in agents]
    rows = [
        {"agent": agent, "settings": str(settings_path(agent, folder)), "events": events}
        for agent, events in zip(agents, connected, strict=True)
    ]
    lines = [
        f"{row['settings']}: {', '.join(events) if events else 'no hooks of onecode-sidecar'}"
        for row, events in zip(rows, connected, strict=True)
    ]
    return CommandAnswer({"agents": rows, "state": default_state_folder()}, lines)


def connected_events(agent: Provider, folder: Path | None = None) -> list[str]:
    """Return the events whose hooks are installed for the user or a project; raise CommandFailed."""
    path = settings_path(agent, folder)
    try:
        return installed_events(_text(_read(path)))
    except SettingsUnreadable as error:
        raise CommandFailed(str(error), hint=f"Fix {path} and try again.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailed(f"{path} cannot be read.", hint="Check its permissions.") from error


def _install(agent: Provider, path: Path, program: str) -> HookChange:
    before = _read(path)
    after = with_hooks(_text(before), program, agent).encode()
    return HookChange(agent, path, before, after, _read(_backup_of(path)))


def _uninstall(agent: Provider, path: Path) -> HookChange:
    """Return the change that removes the hooks. If nothing else changed since, it restores the original file."""
    before, backup = _read(path), _read(_backup_of(path))
    text = without_hooks(_text(before))
    after = text.encode() if before is not None else None
    if backup is not None and after != before and same_settings(text, _text(backup)):
        after = backup or None
    return HookChange(agent, path, before, after, backup)


def _confirm(arguments: argparse.Namespace, lines: Sequence[str]) -> None:
    """Show the change and wait for the user's consent."""
    if arguments.yes:
        return
    print("\n".join(map(terminal_safe, lines)), file=sys.stderr)
    if not sys.stdin.isatty():
        raise CommandFailed("Nothing was changed: confirmation needs a terminal.", hint="Use --yes to make the change.")
    print("Make this change? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandFailed("Nothing was changed.")


def _write(change: HookChange, *, keeps_backup: bool) -> None:
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


def _notice_of_mode(arguments: argparse.Namespace, mode: str | None) -> str:
    """Return what the user has to do before something is sent; empty if it is, or if the state cannot be read."""
    from sidecar.cli.in_process import on_users_state

    if mode is not None:
        return "" if mode == "active" else INACTIVE_NOTICE
    try:
        with on_users_state(Path(default_state_folder())) as sidecar:
            settings = sidecar.request("settings/get", _project(arguments))["settings"]
    except CommandFailed:  # the hooks are written; `doctor` says what is wrong with the state
        return ""
    setting = next(setting for setting in settings if setting["name"] == "mode")
    if setting["value"] == "active":
        return ""
    return FORCED_NOTICE if setting["source"] == "environment" else INACTIVE_NOTICE


def _project(arguments: argparse.Namespace) -> dict[str, str]:
    if arguments.project is None:
        return {}
    return project_params(project_folder(None if arguments.project is CURRENT_PROJECT else arguments.project))


def settings_path(agent: Provider, folder: Path | None = None) -> Path:
    """Return the file of an agent's hooks: of a project, else of the user."""
    form = HOOK_SETTINGS[agent]
    if folder is not None:
        return folder / form.folder / form.file
    own = environment().get(form.folder_variable)
    return (Path(own) if own else Path.home() / form.folder) / form.file


def _backup_of(path: Path) -> Path:
    return path.with_name(path.name + BACKUP)


def _program(agent: Provider, *, is_shared: bool) -> str:
    """Return the command line that runs this program from any folder, as the agent's shell reads it.

    Settings that other users share contain only the program's name, if it is on the path: their path differs.
    """
    if is_shared and which(PROGRAM) is not None:
        return PROGRAM
    if getattr(sys, "frozen", False):
        words = [sys.executable]
    elif Path(sys.argv[0]).stem == PROGRAM:
        words = [os.path.abspath(sys.argv[0])]
    else:
        words = [sys.executable, "-P", "-m", "sidecar"]  # it runs in projects, whose modules must not shadow ours
    _require_lasting_path(words[0])
    return command_line(words, agent, is_windows=os.name == "nt", is_on_path=which(PROGRAM) is not None)


def _require_lasting_path(program: str) -> None:
    """Raise CommandFailed for a program that is gone once 1Code is closed or its disk image is ejected.

    macOS starts an app that was not moved after its download from a read-only copy, and mounts disk images read-only.
    """
    path = os.path.realpath(program)
    if sys.platform == "darwin" and ("/AppTranslocation/" in path or _is_on_read_only_volume(path)):
        raise CommandFailed(
            f"1Code runs from {path}, where the hooks would not find it later.",
            kind="policyDenied",
            hint="Move 1Code to Applications, open it there, and try again; nothing was changed.",
        )


def _is_on_read_only_volume(path: str) -> bool:
    """Whether macOS mounted the disk of a file read-only, as it does with disk images."""
    if sys.platform == "darwin" and path.startswith("/Volumes/"):
        with suppress(OSError):
            return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    return False


def command_line(words: Sequence[str], agent: Provider, *, is_windows: bool, is_on_path: bool) -> str:
    """Return the words as the agent's shell reads them; raise CommandFailed if it cannot.

    On Windows, Claude Code uses a POSIX shell. Codex CLI uses PowerShell or the command prompt, which read quotes
    differently and start no quoted program: every word is plain, a path with spaces in its short form.
    """
    if not is_windows:
        return shlex.join(words)
    if agent != "codex":
        return shlex.join(word.replace("\\", "/") for word in words)
    plain = [word if _PLAIN_WORD.fullmatch(word) else short_path(word) for word in words]
    if all(map(_PLAIN_WORD.fullmatch, plain)):
        return " ".join(plain)
    if is_on_path:
        return PROGRAM
    raise CommandFailed(
        f"Codex CLI cannot start {words[0]}: on Windows it runs no program whose path has spaces or quotes.",
        hint="Put the program's folder on the PATH, or install it into a folder without spaces.",
    )


def short_path(path: str) -> str:
    """Return the short form of a Windows path; the path itself if its volume has none."""
    if sys.platform == "win32":
        import ctypes

        buffer = ctypes.create_unicode_buffer(32_768)
        if ctypes.windll.kernel32.GetShortPathNameW(path, buffer, len(buffer)):
            return buffer.value
    return path


def _diff(change: HookChange) -> list[str]:
    before, after = (_text(content).splitlines() for content in (change.before, change.after))
    return list(difflib.unified_diff(before, after, str(change.path), str(change.path), lineterm=""))


def _read(path: Path) -> bytes | None:
    try:
        return read_regular(os.fspath(path), MAX_SETTINGS_BYTES)
    except FileNotFoundError:
        return None


def _text(content: bytes | None) -> str:
    return content.decode() if content is not None else ""

"""`spool ralph`, the same as `onecode-sidecar ralph`: an agent that works on one task, iteration after iteration."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson

from sidecar.cli.failed import CommandFailed
from sidecar.cli.ralph.arguments import parsed
from sidecar.cli.telling import printed
from sidecar.core.clock import SystemClock, rfc3339
from sidecar.core.errors import InvalidParams, SidecarError
from sidecar.ralph.files import context_file
from sidecar.ralph.files.folder import Folder, folder_of

FAILED, USAGE, INTERRUPTED = 1, 2, 130

STOP_SECONDS = 20.0
"""How long `--stop` waits for a loop to end: its agent has some seconds to leave."""


def command(arguments: Sequence[str], prog: str = "onecode-sidecar ralph") -> int:
    """Does what was asked and gives the exit status; the reason is the last line."""
    _make_streams_whole()
    chosen = parsed(prog, arguments)
    try:
        return _act(chosen)
    except (SidecarError, CommandFailed) as error:
        print(f"ralph: {error.message} {error.hint or ''}".rstrip(), file=sys.stderr)
        return USAGE if error.kind in (InvalidParams.kind, "usage") else FAILED
    except KeyboardInterrupt:
        print("ralph: interrupted.", file=sys.stderr)
        return INTERRUPTED


def _act(chosen: argparse.Namespace) -> int:
    cwd = Path(os.path.abspath(chosen.project)) if chosen.project is not None else _here()
    folder = folder_of(cwd, chosen.change)
    if chosen.add_context is not None:
        return _said(chosen, {"path": folder.context, "bytes": _added(folder, chosen.add_context)}, _context("added"))
    if chosen.clear_context:
        return _said(chosen, {"path": folder.context, "bytes": context_file.clear(folder)}, _context("cleared"))
    if chosen.status or chosen.stop or chosen.reset:
        return _stands(chosen, folder)
    from sidecar.cli.ralph.loop import run_loop

    return run_loop(chosen, cwd, folder)


def _added(folder: Folder, text: str) -> int:
    if not text.strip():
        raise CommandFailed("The context is empty, so nothing was added.", kind="usage")
    return context_file.add(folder, text)


def _stands(chosen: argparse.Namespace, folder: Folder) -> int:
    from sidecar.cli.ralph.report import status_lines
    from sidecar.ralph.files import standing

    if chosen.status:
        return _said(chosen, standing.status_of(folder, 10).model_dump(mode="json", by_alias=True), status_lines)
    if chosen.stop:
        was_running, is_running = _stopped(folder, standing.ask_to_stop)
        told = "It is stopping." if is_running else "It has stopped." if was_running else "No loop is running."
        answer = {"wasRunning": was_running, "isRunning": is_running}
        return _said(chosen, answer, lambda _: [f"{folder.change}: {told}"])
    count = standing.reset(folder, rfc3339(SystemClock().now_ms()))
    return _said(chosen, {"iterations": count}, lambda _: [f"{folder.change}: {count} iterations are forgotten."])


def _stopped(folder: Folder, ask: Callable[[Folder, str], bool]) -> tuple[bool, bool]:
    """Asks a loop to stop, and waits for it; says whether one ran, and whether it still does."""
    clock = SystemClock()
    give_up_ms = clock.monotonic_ms() + STOP_SECONDS * 1_000
    was_running = is_running = ask(folder, rfc3339(clock.now_ms()))
    while is_running and clock.monotonic_ms() < give_up_ms:
        time.sleep(0.1)
        is_running = ask(folder, rfc3339(clock.now_ms()))
    return was_running, is_running


def _context(verb: str) -> Callable[[Any], list[str]]:
    return lambda told: [f"Context {verb}: {told['path']} ({told['bytes']} bytes)."]


def _said(chosen: argparse.Namespace, answer: Any, lines: Callable[[Any], list[str]]) -> int:
    text = orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode() if chosen.json else "\n".join(lines(answer))
    return 0 if printed(text) else FAILED


def _make_streams_whole() -> None:
    """Makes stdout take any text; a stream that was closed before the start is one that leads nowhere."""
    # Left open until the end, as the streams it stands for would be.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if not sys.stdout.isatty() and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError:
        raise CommandFailed("The current folder is gone.", hint="--project names another.") from None

"""Runs a loop from the command line, in a sidecar of this process; signals stop it."""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import orjson

from sidecar.catalog import ralph_methods
from sidecar.cli.in_process import InProcess, RequestFailed, on_users_state
from sidecar.cli.output import CommandFailed, print_text
from sidecar.cli.paths import state_folder
from sidecar.cli.ralph import Reporter, dry_run_lines
from sidecar.ralph.lock_and_stop import exit_after
from sidecar.ralph.loop_folder import LoopFolder
from sidecar.ralph.loop_policy import INTERRUPTED, TERMINATED
from sidecar.system.environment import MODE_VARIABLE, SWITCHED_OFF, mode_variable, user_state_folder

AT_ONCE_SECONDS = 1.0
"""Maximum time for a loop that received a second stop signal to report its end."""


def run_loop(chosen: argparse.Namespace, cwd: Path, folder: LoopFolder) -> int:
    """Run a loop and return its exit status; raise CommandFailed when it cannot start."""
    params = _params(chosen, cwd)
    reporter = Reporter(chosen.max_iterations, quiet=chosen.json)
    with _sidecar(chosen, reporter) as sidecar, _signals(sidecar):
        answer = sidecar.request("ralph/start", params, patience=None)
    reporter.end()
    if chosen.json:
        print_text(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())
    elif answer["dryRun"] is not None:
        print_text("\n".join(dry_run_lines(answer)))
    else:
        reporter.print_line(f"state in {folder.path}")
        reporter.print_line(f"{answer['status']}: {answer['reason']}")
    return int(answer["exitCode"])


def _params(chosen: argparse.Namespace, cwd: Path) -> dict[str, Any]:
    """Return the method's params from the arguments."""
    params = {
        "cwd": str(cwd),
        "change": chosen.change,
        "prompt": _prompt(chosen),
        "harness": chosen.harness,
        "model": chosen.model,
        "allowAll": chosen.allow_all,
        "harnessCommand": chosen.harness_command,
        "extraArguments": chosen.extra,
        "completionPromise": chosen.completion_promise,
        "minIterations": chosen.min_iterations,
        "maxIterations": chosen.max_iterations,
        "maxTimeMs": chosen.max_time,
        "maxCostUsd": chosen.max_cost,
        "maxTokens": chosen.max_tokens,
        "idleTimeoutMs": chosen.idle_timeout,
        "iterationTimeoutMs": chosen.iteration_timeout,
        "maxFailures": chosen.max_failures,
        "failFast": chosen.fail_fast,
        "stuckAfter": chosen.stuck_after,
        "verify": chosen.verify,
        "continuity": chosen.continuity is not False,
        "commit": chosen.commit,
        "stream": not chosen.no_stream and not chosen.json,
        "dryRun": chosen.dry_run,
    }
    return {name: _utf8(value) for name, value in params.items() if value is not None}


def _utf8(value: Any) -> Any:
    """Return typed text in a form that can be sent: bytes that are not UTF-8 are replaced."""
    if isinstance(value, list):
        return [_utf8(item) for item in value]
    return os.fsencode(value).decode("utf-8", "replace") if isinstance(value, str) else value


def _prompt(chosen: argparse.Namespace) -> str:
    if chosen.prompt is not None:
        return str(chosen.prompt)
    name = chosen.prompt_file
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise CommandFailed(f"The prompt file {name} cannot be read: {error.strerror}.", kind="usage") from error
    except UnicodeDecodeError:
        raise CommandFailed(f"The prompt file {name} is not UTF-8 text.", kind="usage") from None
    if not text.strip():
        raise CommandFailed(f"The prompt file {name} is empty.", kind="usage")
    return text


@contextmanager
def _sidecar(chosen: argparse.Namespace, reporter: Reporter) -> Iterator[InProcess]:
    """Open a sidecar on the user's state, or on an empty one if that cannot be used or is not wanted."""
    # A flag on the command line is consent: it acts as the settings layer that overrides all others.
    is_off = mode_variable() == SWITCHED_OFF
    variables = {MODE_VARIABLE: "active"} if chosen.continuity and not is_off else {}
    if chosen.continuity and is_off:
        reporter.warn(f"{MODE_VARIABLE}=off switches continuity off, so --continuity has no effect.")
    with ExitStack() as opened:

        def on(state_dir: Path) -> InProcess:
            return opened.enter_context(
                on_users_state(state_dir, variables=variables, notices=reporter.notice, load_catalog=ralph_methods)
            )

        def on_none() -> InProcess:
            name = tempfile.TemporaryDirectory(prefix="onecode-ralph-", ignore_cleanup_errors=True)
            return on(Path(opened.enter_context(name)))

        if chosen.continuity is False:
            yield on_none()
            return
        try:
            sidecar = on(_state_folder(chosen))
        except (RequestFailed, OSError) as error:
            reporter.warn(f"The state cannot be used, so earlier runs are unknown. {error}")
            sidecar = on_none()
        yield sidecar


def _state_folder(chosen: argparse.Namespace) -> Path:
    """Return the folder with the user's state, or the command line's own, which is then created."""
    try:
        return state_folder(chosen.state_dir)
    except CommandFailed:
        return Path(os.path.abspath(chosen.state_dir)) if chosen.state_dir is not None else user_state_folder()


@contextmanager
def _signals(sidecar: InProcess) -> Iterator[None]:
    """Let the first signal stop the loop cleanly and the second one immediately."""
    loops = sidecar.process.slices.ralph_loops
    signals: list[int] = []

    def take(number: int, _frame: FrameType | None) -> None:
        signals.append(number)
        status = INTERRUPTED if signals[0] == signal.SIGINT else TERMINATED
        loops.request_all(f"It was interrupted ({signal.Signals(signals[0]).name}).", status, no_grace=len(signals) > 1)
        if len(signals) == 2:
            exit_after(AT_ONCE_SECONDS, status)

    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, take) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""A loop run from the command line, in a sidecar of this process: its progress is printed, and signals stop it."""

import argparse
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from sidecar.cli.output import CommandFailed, as_json, print_text, terminal_safe, words_of_command_line
from sidecar.core.clean_text import count_noun
from sidecar.ralph import LoopFolder
from sidecar.ralph.lock_and_stop import exit_after
from sidecar.ralph.loop_policy import INTERRUPTED, TERMINATED, format_duration
from sidecar.system.environment import MODE_VARIABLE, SWITCHED_OFF, command_text, default_state_folder, mode_variable

if TYPE_CHECKING:
    from sidecar.cli.in_process import InProcess

AT_ONCE_SECONDS = 1.0
"""Maximum time for a loop that received a second stop signal to report its end."""


class Reporter:
    """Prints notifications. A closed output does not stop the loop."""

    def __init__(self, max_iterations: int, *, quiet: bool) -> None:
        """With `quiet`, stdout is reserved for the answer: events go to stderr, and the agent's output is not shown."""
        self._most = f" of at most {max_iterations}" if max_iterations else ""
        self._to = sys.stderr if quiet else sys.stdout
        self._started = 0
        self._at_line_start = True
        self._lock = threading.Lock()

    def notice(self, method: str, params: Any) -> None:
        """Print a notification."""
        if method == "ralph/output":
            self._write(params["text"])
        elif method == "ralph/iteration":
            self._iteration(params)

    def print_line(self, line: str) -> None:
        """Print a line of our own."""
        self._write(("" if self._at_line_start else "\n") + line + "\n")

    def warn(self, text: str) -> None:
        """Print a warning."""
        print(terminal_safe(f"warning: {text}"), file=sys.stderr)

    def end(self) -> None:
        """End the last line, if it is incomplete."""
        if not self._at_line_start:
            self._write("\n")

    def _iteration(self, params: Any) -> None:
        if params["phase"] == "started":
            self._started += 1
            self.print_line(f"--- iteration {params['number']} ({self._started}{self._most}) ---")
        elif params["phase"] == "finished":
            self.print_line(iteration_line(params["iteration"]))
            for warning in params["iteration"]["warnings"]:
                self.warn(warning)
        else:
            self.print_line(f"waiting until {params['until']}")

    def _write(self, text: str) -> None:
        if not text:
            return
        with self._lock:
            try:
                self._to.write(text)
                self._to.flush()
            except (OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._to.fileno())
            self._at_line_start = text.endswith("\n")


def iteration_line(iteration: Any) -> str:
    """Return an iteration in one line: outcome, exit, duration, promise, changes, cost."""
    ended = iteration["signal"] or (
        f"exit {iteration['exitCode']}" if iteration["exitCode"] is not None else "no exit code"
    )
    promise = (
        "accepted"
        if iteration["promiseAccepted"]
        else "found, not accepted"
        if iteration["promiseFound"]
        else "not found"
    )
    parts = [
        f"iteration {iteration['number']}: {iteration['outcome']}",
        ended,
        format_duration(iteration["durationMs"]),
        f"promise {promise}",
    ]
    if iteration["filesChanged"] is not None:
        parts.append(f"{count_noun(iteration['filesChanged'], 'file')} changed")
    if iteration["commits"]:
        parts.append(count_noun(len(iteration["commits"]), "commit"))
    failed = [check for check in iteration["verification"] or () if check["exitCode"] != 0]
    parts += [f"check failed: {check['command']}" for check in failed]
    tokens = (iteration["inputTokens"] or 0) + (iteration["outputTokens"] or 0)
    parts += [count_noun(tokens, "token")] if tokens else []
    parts += [f"{iteration['costUsd']:.4f} USD"] if iteration["costUsd"] is not None else []
    line = ", ".join(parts)
    return f"{line}. {words_of_command_line(iteration['reason'])}" if iteration["reason"] else line


def dry_run_lines(answer: Any) -> list[str]:
    """Return the command that would run, and its prompt."""
    dry_run = answer["dryRun"]
    joined = command_text(dry_run["argv"])
    how = "on its standard input" if dry_run["promptVia"] == "stdin" else "in a file"
    warnings = [f"warning: {text}" for text in dry_run["warnings"]]
    return [dry_run["prompt"], "", *warnings, f"the prompt above is passed {how} to:", joined, _reason(answer)]


def _reason(answer: Any) -> str:
    return words_of_command_line(answer["reason"])


def run_loop(chosen: argparse.Namespace, cwd: Path, folder: LoopFolder) -> int:
    """Run a loop and return its exit status; raise CommandFailed when it cannot start."""
    params = _params(chosen, cwd)
    reporter = Reporter(chosen.max_iterations, quiet=chosen.json)
    with _sidecar(chosen, reporter) as sidecar, _signals(sidecar):
        answer = sidecar.request("ralph/start", params, patience=None)
    reporter.end()
    if chosen.json:
        print_text(as_json(answer))
    elif answer["dryRun"] is not None:
        print_text("\n".join(dry_run_lines(answer)))
    else:
        reporter.print_line(f"state in {folder.path}")
        reporter.print_line(f"{answer['status']}: {_reason(answer)}")
    return int(answer["exitCode"])


def _params(chosen: argparse.Namespace, cwd: Path) -> dict[str, Any]:
    """Return the method's params from the arguments."""
    params = {
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
    return {"cwd": str(cwd), **{name: _utf8(value) for name, value in params.items() if value is not None}}


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
        raise CommandFailed(
            f"The prompt file {name} cannot be read: {error.strerror}.", kind="invalidParams"
        ) from error
    except UnicodeDecodeError:
        raise CommandFailed(f"The prompt file {name} is not UTF-8 text.", kind="invalidParams") from None
    if not text.strip():
        raise CommandFailed(f"The prompt file {name} is empty.", kind="invalidParams")
    return text


@contextmanager
def _sidecar(chosen: argparse.Namespace, reporter: Reporter) -> Generator["InProcess"]:
    """Open a sidecar on the user's state, or on an empty one if that cannot be used or is not wanted."""
    from sidecar.catalog import ralph_methods  # slow to load, and `--status` needs none of it
    from sidecar.cli.in_process import RequestFailed, on_users_state

    # A flag on the command line is consent: it acts as the settings layer that overrides all others.
    is_off = mode_variable() == SWITCHED_OFF
    variables = {MODE_VARIABLE: "active"} if chosen.continuity and not is_off else {}
    if chosen.continuity and is_off:
        reporter.warn(f"{MODE_VARIABLE}=off switches continuity off, so --continuity has no effect.")
    with ExitStack() as opened:

        def on(state_dir: Path) -> "InProcess":
            return opened.enter_context(
                on_users_state(state_dir, variables=variables, notices=reporter.notice, load_catalog=ralph_methods)
            )

        def on_none() -> "InProcess":
            name = tempfile.TemporaryDirectory(prefix="onecode-ralph-", ignore_cleanup_errors=True)
            return on(Path(opened.enter_context(name)))

        if chosen.continuity is False:
            yield on_none()
            return
        try:
            sidecar = on(Path(os.path.abspath(chosen.state_dir or default_state_folder())))
        except (RequestFailed, OSError) as error:
            reporter.warn(f"The state cannot be used, so earlier runs are unknown. {error}")
            sidecar = on_none()
        yield sidecar


@contextmanager
def _signals(sidecar: "InProcess") -> Generator[None]:
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

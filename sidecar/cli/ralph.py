"""`spool ralph`, the same as `onecode-sidecar ralph`: an agent that works on one task, iteration after iteration."""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import orjson

from sidecar.cli.failed import CommandFailed
from sidecar.cli.in_process import InProcess, RequestFailed, on_users_state
from sidecar.cli.places import project_folder, state_folder
from sidecar.cli.ralph_arguments import parsed
from sidecar.cli.ralph_report import Reporter, context_lines, dry_run_lines, status_lines
from sidecar.core.clock import SystemClock, rfc3339
from sidecar.core.errors import SidecarError
from sidecar.ralph import context_file, standing
from sidecar.ralph.ending import FAILED, INTERRUPTED, TERMINATED, USAGE
from sidecar.ralph.folder import Folder, folder_of
from sidecar.system.environment import user_state_folder

AT_ONCE_SECONDS = 1.0
"""How long a loop that was told twice to stop may take to say so."""

STOP_SECONDS = 20.0
"""How long `--stop` waits for a loop to end: its agent has some seconds to leave."""


def command(arguments: Sequence[str], prog: str = "onecode-sidecar ralph") -> int:
    """Does what was asked and gives the exit status; the reason is the last line."""
    if not sys.stdout.isatty() and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    chosen = parsed(prog, arguments)
    try:
        return _act(chosen)
    except (RequestFailed, SidecarError, CommandFailed) as error:
        print(f"ralph: {error.message} {error.hint or ''}".rstrip(), file=sys.stderr)
        return USAGE if error.kind in ("invalidParams", "usage") else FAILED
    except KeyboardInterrupt:
        print("ralph: interrupted.", file=sys.stderr)
        return INTERRUPTED


def _act(chosen: argparse.Namespace) -> int:
    cwd = Path(os.path.abspath(chosen.project)) if chosen.project is not None else _here()
    folder = folder_of(cwd, chosen.change)
    if chosen.status:
        return _say(chosen, standing.status_of(folder, 10).model_dump(mode="json", by_alias=True), status_lines)
    if chosen.add_context is not None:
        return _add_context(chosen, folder)
    if chosen.clear_context:
        size = context_file.clear(folder)
        return _say(chosen, {"path": folder.context, "bytes": size}, context_lines("cleared"))
    if chosen.stop:
        return _stop(chosen, folder)
    if chosen.reset:
        count = standing.reset(folder, rfc3339(SystemClock().now_ms()))
        return _say(chosen, {"iterations": count}, lambda told: [f"{told['iterations']} iterations are forgotten."])
    return _run(chosen, cwd, folder)


def _add_context(chosen: argparse.Namespace, folder: Folder) -> int:
    if not chosen.add_context.strip():
        raise CommandFailed("The context is empty, so nothing was added.", kind="usage")
    size = context_file.add(folder, chosen.add_context)
    return _say(chosen, {"path": folder.context, "bytes": size}, context_lines("added"))


def _stop(chosen: argparse.Namespace, folder: Folder) -> int:
    clock = SystemClock()
    give_up_ms = clock.monotonic_ms() + STOP_SECONDS * 1_000
    was_running = is_running = standing.ask_to_stop(folder, rfc3339(clock.now_ms()))
    while is_running and clock.monotonic_ms() < give_up_ms:
        standing.pause(0.1)
        is_running = standing.ask_to_stop(folder, rfc3339(clock.now_ms()))
    said = "It is stopping." if is_running else "It has stopped." if was_running else "No loop is running."
    return _say(chosen, {"wasRunning": was_running, "isRunning": is_running}, lambda _: [f"{folder.change}: {said}"])


def _run(chosen: argparse.Namespace, cwd: Path, folder: Folder) -> int:
    params = _params(chosen, cwd)
    reporter = Reporter(chosen.max_iterations, quiet=chosen.json)
    with _sidecar(chosen, reporter) as sidecar, _signals(sidecar):
        params["projectPath"] = str(project_folder(chosen.project))
        answer = sidecar.request("ralph/start", params, patience=None)
    reporter.end()
    if chosen.json:
        _print_json(answer)
    elif answer["dryRun"] is not None:
        print("\n".join(dry_run_lines(answer)))
    else:
        reporter.say(f"state in {folder.path}")
        reporter.say(f"{answer['status']}: {answer['reason']}")
    return int(answer["exitCode"])


def _params(chosen: argparse.Namespace, cwd: Path) -> dict[str, Any]:
    """Gives what the arguments say to the method, each under its name there."""
    said = {
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
    return {name: value for name, value in said.items() if value is not None}


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
        raise CommandFailed(f"The prompt file {name} is no text in UTF-8.", kind="usage") from None
    if not text.strip():
        raise CommandFailed(f"The prompt file {name} is empty.", kind="usage")
    return text


@contextmanager
def _sidecar(chosen: argparse.Namespace, reporter: Reporter) -> Iterator[InProcess]:
    """Opens a sidecar on the user's state, and on an empty one where that cannot be used or is not wanted."""
    # What is said on the command line is consent: it counts as the layer of settings that wins over all others.
    variables = {"ONECODE_CONTINUITY_MODE": "active"} if chosen.continuity else {}
    with ExitStack() as opened:

        def on(state_dir: Path) -> InProcess:
            return opened.enter_context(on_users_state(state_dir, variables=variables, notices=reporter.notice))

        def on_none() -> InProcess:
            name = tempfile.TemporaryDirectory(prefix="onecode-ralph-", ignore_cleanup_errors=True)
            return on(Path(opened.enter_context(name)))

        if chosen.continuity is False:
            yield on_none()
            return
        try:
            sidecar = on(_state_folder(chosen))
        except (RequestFailed, OSError) as error:
            reporter.warn(f"The state cannot be used, so continuity knows nothing of earlier runs. {error}")
            sidecar = on_none()
        yield sidecar


def _state_folder(chosen: argparse.Namespace) -> Path:
    """Gives the folder with the user's state, or the command line's own, which is made then."""
    try:
        return state_folder(chosen.state_dir)
    except CommandFailed:
        return Path(os.path.abspath(chosen.state_dir)) if chosen.state_dir is not None else user_state_folder()


@contextmanager
def _signals(sidecar: InProcess) -> Iterator[None]:
    """Lets the first signal stop the loop cleanly and the second one at once."""
    from sidecar.ralph.stopping import Loops

    loops = sidecar.process.part(Loops, Loops)
    told: list[int] = []

    def take(number: int, _frame: FrameType | None) -> None:
        told.append(number)
        status = INTERRUPTED if told[0] == signal.SIGINT else TERMINATED
        loops.ask_all(f"It was interrupted ({signal.Signals(told[0]).name}).", status, at_once=len(told) > 1)
        if len(told) == 2:
            standing.give_up_in(AT_ONCE_SECONDS, status)

    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, take) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(chosen: argparse.Namespace, answer: Any, lines: Any) -> int:
    if chosen.json:
        _print_json(answer)
    else:
        print("\n".join(lines(answer)))
    return 0


def _print_json(answer: Any) -> None:
    print(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError:
        raise CommandFailed("The current folder is gone.", hint="--project names another.") from None

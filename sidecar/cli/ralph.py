"""`spool ralph`, the same as `onecode-sidecar ralph`: an agent works on one task, iteration after iteration."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from sidecar.cli.common_arguments import add_state_argument, folder_argument
from sidecar.cli.output import (
    CommandFailed,
    as_json,
    hint_of_command_line,
    open_closed_streams,
    print_text,
    words_of_command_line,
)
from sidecar.core.clean_text import count_noun
from sidecar.core.clock import Clock, SystemClock
from sidecar.core.errors import InvalidParams, SidecarError
from sidecar.ralph import LoopFolder, add_user_context, clear_user_context
from sidecar.ralph.agent.harnesses import HARNESS_NAMES
from sidecar.ralph.loop_folder import loop_folder
from sidecar.ralph.loop_policy import (
    IDLE_TIMEOUT_MS,
    format_duration,
    parse_duration_ms,
)
from sidecar.ralph.model import MAX_ITERATIONS, STUCK_AFTER

ACTIONS = ("add_context", "clear_context", "status", "stop", "reset")
BESIDE_ACTIONS = ("change", "json", "project", "state_dir")
"""Arguments that may accompany an action. All others belong to a loop."""

EPILOG = (
    "Exit status: 0 promise accepted, 1 failure, 2 wrong usage, 3 limit reached, 4 stuck or aborted by the"
    " agent, 130 or 143 interrupted. Durations: 90s, 45m, 1h30m; a bare number is seconds. Arguments after `--` go to"
    " the harness."
)


def parse_arguments(prog: str, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line. Wrong usage exits with status 2 before anything is done."""
    own = list(arguments)
    extra: list[str] = []
    if "--" in own:
        at = own.index("--")
        own, extra = own[:at], own[at + 1 :]
    parser = _parser(prog)
    chosen = parser.parse_args(own)
    chosen.extra = extra
    # Parse again without the defaults, so that a flag that repeats a default is still seen as given.
    given = vars(parser.parse_args(own, argparse.Namespace(**dict.fromkeys(vars(chosen)))))
    _check(chosen, [name for name, value in given.items() if value is not None], parser.error)
    return chosen


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog=prog,
        description="Runs a coding agent on one task, iteration after iteration, until it is done.",
        epilog=EPILOG,
    )
    parser.add_argument("prompt", nargs="?", help="the task")
    parser.add_argument(
        "--change", metavar="ID", required=True, help="the change the loop works on: one path-safe name"
    )
    parser.add_argument("--prompt-file", metavar="PATH", help="read the task from a file; - for stdin")
    _actions(parser)
    _agent(parser)
    _limits(parser)
    parser.add_argument(
        "--verify", metavar="CMD", action="append", default=[], help="command that must pass; repeatable"
    )
    parser.add_argument(
        "--continuity",
        action=argparse.BooleanOptionalAction,
        help="send packs and capture results, as the mode determines (default); the flag sends packs in any mode,"
        " unless ONECODE_CONTINUITY_MODE is off",
    )
    parser.add_argument("--commit", action="store_true", help="commit each iteration's own changes")
    parser.add_argument("--dry-run", action="store_true", help="show the prompt and the command line; run nothing")
    parser.add_argument("--no-stream", action="store_true", help="do not stream the agent's output")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    parser.add_argument(
        "--project", type=folder_argument, metavar="DIR", help="the agent's working folder; default: the current one"
    )
    add_state_argument(parser)
    return parser


def _actions(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_argument_group("instead of a loop").add_mutually_exclusive_group()
    actions.add_argument("--add-context", metavar="TEXT", help="add context for the agent, from the next iteration on")
    actions.add_argument("--clear-context", action="store_true", help="remove the added context")
    actions.add_argument("--status", action="store_true", help="show iterations, the running one and recent outcomes")
    actions.add_argument("--stop", action="store_true", help="stop a running loop, in any process")
    actions.add_argument("--reset", action="store_true", help="remove state and history; added context remains")


def _agent(parser: argparse.ArgumentParser) -> None:
    agent = parser.add_argument_group("the agent")
    agent.add_argument("--harness", choices=HARNESS_NAMES, default="claude", help="the agent; default: claude")
    agent.add_argument(
        "--harness-command", metavar="CMD", help="a custom harness's command line; default: $ONECODE_RALPH_COMMAND"
    )
    agent.add_argument("--model", help="passed to the harness; in place of {model} in a custom command")
    agent.add_argument("--allow-all", action="store_true", help="run the harness without permission prompts")
    agent.add_argument(
        "--completion-promise",
        metavar="TOKEN",
        default="COMPLETE",
        help="the text that declares the task done; default: COMPLETE",
    )


def _limits(parser: argparse.ArgumentParser) -> None:
    limits = parser.add_argument_group("limits")
    whole, time = _number(int, 0), _duration
    limits.add_argument(
        "--min-iterations",
        type=_number(int, 1),
        default=1,
        metavar="N",
        help="accept no promise in an earlier iteration",
    )
    limits.add_argument(
        "--max-iterations",
        type=whole,
        default=MAX_ITERATIONS,
        metavar="N",
        help=f"stop after N iterations; default: {MAX_ITERATIONS}, 0: never",
    )
    limits.add_argument("--max-time", type=time, metavar="DURATION", help="time limit of the whole loop")
    limits.add_argument(
        "--max-cost",
        type=_number(float, 0.000_001),
        metavar="USD",
        help="maximum cost, as claude and opencode report it",
    )
    limits.add_argument(
        "--max-tokens",
        type=_number(int, 1),
        metavar="N",
        help="maximum input and output, as any harness but custom reports them",
    )
    limits.add_argument(
        "--idle-timeout",
        type=time,
        metavar="DURATION",
        help=f"time limit of an agent without output; default: {format_duration(IDLE_TIMEOUT_MS)}",
    )
    limits.add_argument("--iteration-timeout", type=time, metavar="DURATION", help="time limit of one iteration")
    limits.add_argument(
        "--max-failures",
        type=whole,
        default=0,
        metavar="N",
        help="stop after N consecutive failures; default: 0, never",
    )
    limits.add_argument(
        "--fail-fast", "--exit-on-error", action="store_true", help="stop the loop at the first failure"
    )
    limits.add_argument(
        "--stuck-after",
        type=whole,
        default=STUCK_AFTER,
        metavar="N",
        help=f"stop after N iterations without changes and with similar output; default: {STUCK_AFTER}, 0: never",
    )


def _check(chosen: argparse.Namespace, given: Sequence[str], refuse: Callable[[str], NoReturn]) -> None:
    """Refuse arguments that cannot be combined."""
    acts = [name for name in given if name in ACTIONS]
    if acts:
        strange = [name for name in given if name not in (*acts, *BESIDE_ACTIONS)]
        if "prompt" in strange or "prompt_file" in strange:
            refuse(f"{_flag(acts[0])} takes no prompt")
        if strange or chosen.extra:
            flags = ", ".join(map(_flag, strange)) if strange else "arguments for the harness"
            refuse(f"{_flag(acts[0])} takes no {flags}: it runs no loop")
        return
    if chosen.prompt is not None and chosen.prompt_file is not None:
        refuse("use either a prompt or --prompt-file")
    if chosen.prompt is None and chosen.prompt_file is None:
        refuse("a prompt is missing: add one, or use --prompt-file")
    if chosen.prompt is not None and not chosen.prompt.strip():
        refuse("the prompt is empty")
    if chosen.max_iterations and chosen.min_iterations > chosen.max_iterations:
        refuse("--min-iterations exceeds --max-iterations")
    if not chosen.completion_promise.strip():
        refuse("--completion-promise has no visible character")
    if chosen.harness_command is not None and chosen.harness != "custom":
        refuse("--harness-command needs --harness custom")


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _duration(text: str) -> int:
    try:
        return parse_duration_ms(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _number(kind: type[int] | type[float], least: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            number = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
        if not least <= number < 2**53:
            raise argparse.ArgumentTypeError(f"{text} is out of range")
        return number

    return read


def status_lines(status: Any) -> list[str]:
    """Return the status of a change's loop."""
    from sidecar.cli.ralph_loop import iteration_line

    state = status["state"]
    lines = [f"{status['change']}: {_state_sentence(status)}"]
    lines.append(f"iterations: {status['iterations']}")
    if status["problem"] is not None:
        lines.append(status["problem"])
    if state is not None and state["running"] is not None and status["isRunning"]:
        lines.append(f"running: iteration {state['running']['number']}, since {state['running']['startedAt']}")
    if state is not None and state["pausedUntil"] and status["isRunning"]:
        lines.append(f"waiting until {state['pausedUntil']}")
    lines += [f"  {iteration_line(iteration)}" for iteration in status["recent"]]
    if status["damagedLines"]:
        lines.append(f"unreadable lines in the history: {status['damagedLines']}")
    lines.append(f"added context: {count_noun(status['contextBytes'], 'byte')}")
    return lines


def _state_sentence(status: Any) -> str:
    state = status["state"]
    if status["isRunning"]:
        elapsed = "" if status["elapsedMs"] is None else f" for {format_duration(status['elapsedMs'])}"
        harness = "" if state is None else f", since {state['startedAt']}, harness {state['harness']}"
        return f"running{elapsed}, process {status['pid']}{harness}"
    if status["problem"] is not None:
        return "no loop is running."
    if state is None:
        return "no loop has been started yet."
    return f"{state['status']}. {words_of_command_line(state['reason'])}"


FAILED, USAGE, INTERRUPTED = 1, 2, 130

STOP_SECONDS = 20.0
"""Maximum wait of `--stop` for a loop's end: its agent has some seconds to exit."""


def command(arguments: Sequence[str], prog: str = "onecode-sidecar ralph") -> int:
    """Run the command and return the exit status. The reason is the last line."""
    open_closed_streams()
    chosen = parse_arguments(prog, arguments)
    try:
        return _run_action(chosen)
    except (SidecarError, CommandFailed) as error:
        message, hint = words_of_command_line(error.message), hint_of_command_line(error.hint or "")
        CommandFailed(message, kind=error.kind, hint=hint).print_to_stderr("ralph")
        return USAGE if error.kind == InvalidParams.kind else FAILED
    except KeyboardInterrupt:
        print("ralph: interrupted.", file=sys.stderr)
        return INTERRUPTED


def _run_action(chosen: argparse.Namespace) -> int:
    if chosen.state_dir is not None and not os.path.lexists(chosen.state_dir):
        hint = "Use --state-dir to name an existing folder; without it the loop uses the app's, else your terminals'."
        raise CommandFailed(f"There is no folder {chosen.state_dir}.", kind=InvalidParams.kind, hint=hint)
    cwd = Path(os.path.abspath(chosen.project)) if chosen.project is not None else _here()
    folder = loop_folder(cwd, chosen.change)
    if chosen.add_context is not None:
        return _print_answer(
            chosen, {"path": folder.context, "bytes": _add_context(folder, chosen.add_context)}, _context("added")
        )
    if chosen.clear_context:
        return _print_answer(chosen, {"path": folder.context, "bytes": clear_user_context(folder)}, _context("cleared"))
    if chosen.status or chosen.stop or chosen.reset:
        return _run_state_action(chosen, folder)
    from sidecar.cli.ralph_loop import run_loop

    return run_loop(chosen, cwd, folder)


def _add_context(folder: LoopFolder, text: str) -> int:
    if not text.strip():
        raise CommandFailed("The context is empty, so nothing was added.", kind=InvalidParams.kind)
    return add_user_context(folder, text)


def _run_state_action(chosen: argparse.Namespace, folder: LoopFolder) -> int:
    from sidecar.ralph.lock_and_stop import loop_status, reset_loop

    clock = SystemClock()
    if chosen.status:
        status = loop_status(folder, 10, clock.now_ms()).model_dump(mode="json", by_alias=True)
        return _print_answer(chosen, status, status_lines)
    if chosen.stop:
        was_running, is_running, ended_agent = _stop(folder, clock)
        outcome = "It is stopping." if is_running else "It has stopped." if was_running else "No loop is running."
        outcome += _ENDED_AGENT if ended_agent else ""
        answer = {"wasRunning": was_running, "isRunning": is_running, "endedAgent": ended_agent}
        return _print_answer(chosen, answer, lambda _: [f"{folder.change}: {outcome}"])
    count, ended_agent = reset_loop(folder, clock)
    removed = f"{folder.change}: {count_noun(count, 'iteration')} removed.{_ENDED_AGENT if ended_agent else ''}"
    return _print_answer(chosen, {"iterations": count, "endedAgent": ended_agent}, lambda _: [removed])


_ENDED_AGENT = " The agent of a loop that had died was still at work; it was ended."


def _stop(folder: LoopFolder, clock: Clock) -> tuple[bool, bool, bool]:
    """Ask a loop to stop, and wait for it.

    Return whether one ran, whether it still runs, and whether an agent that outlived its loop was ended.
    """
    from sidecar.ralph.lock_and_stop import request_stop

    give_up_ms = clock.monotonic_ms() + STOP_SECONDS * 1_000
    first = latest = request_stop(folder, clock)
    while latest.was_running and clock.monotonic_ms() < give_up_ms:
        time.sleep(0.1)
        latest = request_stop(folder, clock)
    return first.was_running, latest.was_running, first.ended_agent or latest.ended_agent


def _context(verb: str) -> Callable[[Any], list[str]]:
    return lambda answer: [f"Context {verb}: {answer['path']} ({count_noun(answer['bytes'], 'byte')})."]


def _print_answer(chosen: argparse.Namespace, answer: Any, lines: Callable[[Any], list[str]]) -> int:
    text = as_json(answer) if chosen.json else "\n".join(lines(answer))
    return 0 if print_text(text) else FAILED


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError:
        raise CommandFailed("The current folder no longer exists.", hint="Use --project to name another.") from None

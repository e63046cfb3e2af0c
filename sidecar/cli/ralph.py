"""What `spool ralph` takes: flags before or after the prompt, and behind `--` what is the harness's own."""

import argparse
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import orjson

from sidecar.cli.errors import CommandFailed
from sidecar.cli.output import printed
from sidecar.core.clock import SystemClock, rfc3339
from sidecar.core.errors import InvalidParams, SidecarError
from sidecar.ralph.agent.harnesses import HARNESS_NAMES
from sidecar.ralph.files import context_file
from sidecar.ralph.files.folder import LoopFolder, loop_folder
from sidecar.ralph.limits import (
    IDLE_TIMEOUT_MS,
    MAX_ITERATIONS,
    STUCK_AFTER,
    count_noun,
    format_duration,
    parse_duration_ms,
)

ACTIONS = ("add_context", "clear_context", "status", "stop", "reset")
BESIDE_ACTIONS = ("change", "json", "project", "state_dir")
"""What may be said beside one of them; all else is about a loop."""

EPILOG = (
    "Exit status: 0 the promise was kept, 1 failed, 2 wrong usage, 3 a limit was reached, 4 stuck or aborted by the"
    " agent, 130 or 143 interrupted. Durations: 90s, 45m, 1h30m; a bare number is seconds. Behind `--` stand arguments"
    " for the harness itself."
)


def parsed(prog: str, arguments: Sequence[str]) -> argparse.Namespace:
    """Reads a command line; wrong usage ends the program with status 2 before anything is done."""
    own = list(arguments)
    extra: list[str] = []
    if "--" in own:
        at = own.index("--")
        own, extra = own[:at], own[at + 1 :]
    parser = _parser(prog)
    chosen = parser.parse_args(own)
    chosen.extra = extra
    # Read once more without the defaults: a flag that says what holds anyway was still said.
    said = vars(parser.parse_args(own, argparse.Namespace(**dict.fromkeys(vars(chosen)))))
    _check(chosen, [name for name, value in said.items() if value is not None], parser.error)
    return chosen


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog=prog,
        description="Gives a coding agent one task, iteration after iteration, until it is done.",
        epilog=EPILOG,
    )
    parser.add_argument("prompt", nargs="?", help="the task")
    parser.add_argument("--change", metavar="ID", required=True, help="the change the loop is for: one path-safe name")
    parser.add_argument("--prompt-file", metavar="PATH", help="read the task from a file, or from stdin for -")
    _actions(parser)
    _agent(parser)
    _limits(parser)
    parser.add_argument("--verify", metavar="CMD", action="append", default=[], help="has to pass; may be repeated")
    parser.add_argument(
        "--continuity",
        action=argparse.BooleanOptionalAction,
        help="packs in, capture out; on unless said otherwise, and injecting whatever the mode when it is said",
    )
    parser.add_argument("--commit", action="store_true", help="commit what each iteration changed, and only that")
    parser.add_argument("--dry-run", action="store_true", help="show prompt and command line; run nothing")
    parser.add_argument("--no-stream", action="store_true", help="do not show what the agent says while it says it")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    parser.add_argument("--project", type=Path, metavar="DIR", help="where the agent works; the current folder if not")
    parser.add_argument("--state-dir", type=Path, metavar="DIR", help="the sidecar's state; the app's own unless given")
    return parser


def _actions(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_argument_group("instead of a loop").add_mutually_exclusive_group()
    actions.add_argument("--add-context", metavar="TEXT", help="tell the agent something from the next iteration on")
    actions.add_argument("--clear-context", action="store_true", help="forget what was added")
    actions.add_argument("--status", action="store_true", help="show iterations, the running one and recent outcomes")
    actions.add_argument("--stop", action="store_true", help="end a running loop, wherever it runs")
    actions.add_argument("--reset", action="store_true", help="forget state and history; added context stays")


def _agent(parser: argparse.ArgumentParser) -> None:
    agent = parser.add_argument_group("the agent")
    agent.add_argument("--harness", choices=HARNESS_NAMES, default="claude", help="which agent; claude unless given")
    agent.add_argument(
        "--harness-command", metavar="CMD", help="a custom harness's command line; else $ONECODE_RALPH_COMMAND"
    )
    agent.add_argument("--model", help="given to the harness")
    agent.add_argument("--allow-all", action="store_true", help="the harness asks for no permission at all")
    agent.add_argument("--completion-promise", metavar="TOKEN", default="COMPLETE", help="COMPLETE unless given")


def _limits(parser: argparse.ArgumentParser) -> None:
    limits = parser.add_argument_group("limits")
    whole, time = _number(int, 0), _duration
    limits.add_argument("--min-iterations", type=_number(int, 1), default=1, metavar="N", help="no promise before")
    limits.add_argument(
        "--max-iterations", type=whole, default=MAX_ITERATIONS, metavar="N", help=f"{MAX_ITERATIONS}; 0 is no limit"
    )
    limits.add_argument("--max-time", type=time, metavar="DURATION", help="of the whole loop")
    limits.add_argument("--max-cost", type=_number(float, 0.000_001), metavar="USD", help="as the harness reports it")
    limits.add_argument("--max-tokens", type=_number(int, 1), metavar="N", help="in and out, as the harness reports")
    limits.add_argument(
        "--idle-timeout",
        type=time,
        metavar="DURATION",
        help=f"of an agent that says nothing; {format_duration(IDLE_TIMEOUT_MS)} unless given",
    )
    limits.add_argument("--iteration-timeout", type=time, metavar="DURATION", help="of one iteration")
    limits.add_argument("--max-failures", type=whole, default=0, metavar="N", help="in a row; 0 is no limit")
    limits.add_argument("--fail-fast", "--exit-on-error", action="store_true", help="the first failure ends the loop")
    limits.add_argument(
        "--stuck-after",
        type=whole,
        default=STUCK_AFTER,
        metavar="N",
        help=f"iterations without a change and with like output; {STUCK_AFTER} unless given, 0 is never",
    )


def _check(chosen: argparse.Namespace, said: Sequence[str], refuse: Callable[[str], NoReturn]) -> None:
    """Refuses what does not go together."""
    acts = [name for name in said if name in ACTIONS]
    if acts:
        strange = [name for name in said if name not in (*acts, *BESIDE_ACTIONS)]
        if "prompt" in strange or "prompt_file" in strange:
            refuse(f"{_flag(acts[0])} takes no prompt")
        if strange or chosen.extra:
            told = ", ".join(map(_flag, strange)) if strange else "arguments for the harness"
            refuse(f"{_flag(acts[0])} takes no {told}: it runs no loop")
        return
    if chosen.prompt is not None and chosen.prompt_file is not None:
        refuse("give either a prompt or --prompt-file")
    if chosen.prompt is None and chosen.prompt_file is None:
        refuse("a prompt is missing: give one, or --prompt-file")
    if chosen.prompt is not None and not chosen.prompt.strip():
        refuse("the prompt is empty")
    if chosen.max_iterations and chosen.min_iterations > chosen.max_iterations:
        refuse("--min-iterations is more than --max-iterations")
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
            raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
        if not least <= number < 2**53:
            raise argparse.ArgumentTypeError(f"{text} is out of range")
        return number

    return read


# What `spool ralph` tells people: iterations as they happen, and how a loop stands.


class Reporter:
    """Prints what notifications say; what nobody reads any more keeps no loop from going on."""

    def __init__(self, max_iterations: int, *, quiet: bool) -> None:
        """`quiet` keeps stdout for the answer: what happens is told on stderr, and what the agent says not at all."""
        self._most = f" of at most {max_iterations}" if max_iterations else ""
        self._to = sys.stderr if quiet else sys.stdout
        self._begun = 0
        self._at_line_start = True
        self._lock = threading.Lock()

    def notice(self, method: str, params: Any) -> None:
        """Takes a notification."""
        if method == "ralph/output":
            self._write(params["text"])
        elif method == "ralph/iteration":
            self._iteration(params)

    def say(self, line: str) -> None:
        """Prints a line of our own."""
        self._write(("" if self._at_line_start else "\n") + line + "\n")

    def warn(self, text: str) -> None:
        """Says what did not work, without stopping for it."""
        print(f"warning: {text}", file=sys.stderr)

    def end(self) -> None:
        """Ends the last line, if it has no end."""
        if not self._at_line_start:
            self._write("\n")

    def _iteration(self, params: Any) -> None:
        if params["phase"] == "started":
            self._begun += 1
            self.say(f"--- iteration {params['number']} ({self._begun}{self._most}) ---")
        elif params["phase"] == "finished":
            self.say(iteration_line(params["iteration"]))
            for warning in params["iteration"]["warnings"]:
                self.warn(warning)
        else:
            self.say(f"waiting until {params['until']}")

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


def iteration_line(one: Any) -> str:
    """Tells an iteration in a line: outcome, exit, duration, promise, changes, cost."""
    ended = one["signal"] or (f"exit {one['exitCode']}" if one["exitCode"] is not None else "no exit code")
    promise = "accepted" if one["promiseAccepted"] else "found, not accepted" if one["promiseFound"] else "not found"
    parts = [
        f"iteration {one['number']}: {one['outcome']}",
        ended,
        format_duration(one["durationMs"]),
        f"promise {promise}",
    ]
    if one["filesChanged"] is not None:
        parts.append(f"{count_noun(one['filesChanged'], 'file')} changed")
    if one["commits"]:
        parts.append(count_noun(len(one["commits"]), "commit"))
    failed = [check for check in one["verification"] or () if check["exitCode"] != 0]
    parts += [f"check failed: {check['command']}" for check in failed]
    tokens = (one["inputTokens"] or 0) + (one["outputTokens"] or 0)
    parts += [f"{tokens} tokens"] if tokens else []
    parts += [f"{one['costUsd']:.4f} USD"] if one["costUsd"] is not None else []
    line = ", ".join(parts)
    return f"{line}. {one['reason']}" if one["reason"] else line


def status_lines(told: Any) -> list[str]:
    """Tells how a change's loop stands."""
    state = told["state"]
    lines = [f"{told['change']}: {_standing(told)}"]
    lines.append(f"iterations: {told['iterations']}")
    if state is not None and state["running"] is not None and told["isRunning"]:
        lines.append(f"running: iteration {state['running']['number']}, since {state['running']['startedAt']}")
    if state is not None and state["pausedUntil"] and told["isRunning"]:
        lines.append(f"waiting until {state['pausedUntil']}")
    lines += [f"  {iteration_line(one)}" for one in told["recent"]]
    if told["damagedLines"]:
        lines.append(f"lines of the history that cannot be read: {told['damagedLines']}")
    lines.append(f"added context: {told['contextBytes']} bytes")
    return lines


def dry_run_lines(answer: Any) -> list[str]:
    """Tells what would be run, and with which prompt."""
    tried = answer["dryRun"]
    joined = subprocess.list2cmdline(tried["argv"]) if sys.platform == "win32" else shlex.join(tried["argv"])
    how = "on its standard input" if tried["promptVia"] == "stdin" else "in a file"
    warnings = [f"warning: {text}" for text in tried["warnings"]]
    return [tried["prompt"], "", *warnings, f"the prompt above is given {how} to:", joined, answer["reason"]]


def _standing(told: Any) -> str:
    state = told["state"]
    if state is None:
        return "no loop was started yet."
    if told["isRunning"]:
        return f"running since {state['startedAt']}, harness {state['harness']}"
    return f"{state['status']}. {state['reason']}"


# `spool ralph`, the same as `onecode-sidecar ralph`: an agent that works on one task, iteration after iteration.


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
    folder = loop_folder(cwd, chosen.change)
    if chosen.add_context is not None:
        return _said(chosen, {"path": folder.context, "bytes": _added(folder, chosen.add_context)}, _context("added"))
    if chosen.clear_context:
        return _said(chosen, {"path": folder.context, "bytes": context_file.clear(folder)}, _context("cleared"))
    if chosen.status or chosen.stop or chosen.reset:
        return _stands(chosen, folder)
    from sidecar.cli.ralph_loop import run_loop

    return run_loop(chosen, cwd, folder)


def _added(folder: LoopFolder, text: str) -> int:
    if not text.strip():
        raise CommandFailed("The context is empty, so nothing was added.", kind="usage")
    return context_file.add(folder, text)


def _stands(chosen: argparse.Namespace, folder: LoopFolder) -> int:
    from sidecar.ralph.files import status

    if chosen.status:
        return _said(chosen, status.status_of(folder, 10).model_dump(mode="json", by_alias=True), status_lines)
    if chosen.stop:
        was_running, is_running = _stopped(folder, status.request_stop)
        told = "It is stopping." if is_running else "It has stopped." if was_running else "No loop is running."
        answer = {"wasRunning": was_running, "isRunning": is_running}
        return _said(chosen, answer, lambda _: [f"{folder.change}: {told}"])
    count = status.reset(folder, rfc3339(SystemClock().now_ms()))
    return _said(chosen, {"iterations": count}, lambda _: [f"{folder.change}: {count} iterations are forgotten."])


def _stopped(folder: LoopFolder, ask: Callable[[LoopFolder, str], bool]) -> tuple[bool, bool]:
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

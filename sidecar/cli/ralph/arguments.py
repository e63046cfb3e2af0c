"""What `spool ralph` takes: flags before or after the prompt, and behind `--` what is the harness's own."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from sidecar.ralph.agent.harnesses import NAMES
from sidecar.ralph.deciding.limits import IDLE_TIMEOUT_MS, MAX_ITERATIONS, STUCK_AFTER, duration_ms, shown_ms

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
    agent.add_argument("--harness", choices=NAMES, default="claude", help="which agent; claude unless given")
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
        help=f"of an agent that says nothing; {shown_ms(IDLE_TIMEOUT_MS)} unless given",
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
        return duration_ms(text)
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

"""The commands that have to pass before a promise counts."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event

from sidecar.core.clock import Clock
from sidecar.ralph.agent.agent_result import Bounds, Command, Heard
from sidecar.ralph.agent.runner import KEPT_BYTES, run_agent
from sidecar.ralph.iteration.prompt import Verified
from sidecar.ralph.model import RalphVerification
from sidecar.system.atomic_write import write_whole
from sidecar.system.safe_open import content_of

UNHEARD = "(no promise is looked for in a check)"

MAX_OUTPUT_CHARACTERS = 6_000
"""The end of a check's output that goes into the next prompt: its last lines say what failed."""


def verify(
    commands: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    bounds: Bounds,
    *,
    stop: Event,
    at_once: Event,
    clock: Clock,
    keep: Path,
) -> list[RalphVerification]:
    """Runs the commands one after the other until one does not pass; `keep` takes the last one's output."""
    done: list[RalphVerification] = []
    for command in commands:
        if stop.is_set():
            break
        run = Command(shell(command, keep.with_suffix(".cmd")), b"", cwd, environment, "plain")
        heard = run_agent(
            run,
            promise=UNHEARD,
            prompt="",
            bounds=bounds,
            stop=stop,
            clock=clock,
            keep=keep,
            stream=None,
            at_once=at_once,
        )
        done.append(_told(command, heard, _tail(keep)))
        if not passed(done[-1]):
            break
    return done


def passed(one: RalphVerification) -> bool:
    """Says whether a command passed."""
    return one.exit_code == 0


def shell(command: str, script: Path) -> tuple[str, ...]:
    """Gives the program with its arguments that runs a command line, its errors among its output.

    On Windows the line is written into a script: there is no way to quote any line as an argument there.
    """
    if sys.platform == "win32":
        write_whole(str(script), f"@{command} 2>&1\r\n".encode("oem", "replace"), durable=False)
        return ("cmd", "/d", "/c", str(script))
    return ("/bin/sh", "-c", f"exec 2>&1\n{command}")


def as_told(one: RalphVerification) -> Verified:
    """Gives a failed command as the next prompt has it."""
    ending = "no exit code: it was ended" if one.exit_code is None else f"exit code {one.exit_code}"
    return Verified(one.command, ending, one.output)


def _told(command: str, heard: Heard, output: str) -> RalphVerification:
    ended = heard.ended_by == "exit"
    return RalphVerification(
        command=command,
        exit_code=heard.exit_code if ended else None,
        duration_ms=heard.duration_ms,
        output=output,
    )


def _tail(path: Path) -> str:
    try:
        content = content_of(str(path), KEPT_BYTES, follows=False)
    except OSError:
        return ""
    text = content[-4 * MAX_OUTPUT_CHARACTERS :].decode("utf-8", "replace")
    return text if len(text) <= MAX_OUTPUT_CHARACTERS else "…" + text[-MAX_OUTPUT_CHARACTERS:]

"""The checks: commands that must pass before a promise counts."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event

from sidecar.core.clock import Clock
from sidecar.ralph.agent.agent_result import AgentCommand, AgentResult, TimeLimits
from sidecar.ralph.agent.runner import MAX_LOG_BYTES, run_agent
from sidecar.ralph.iteration.prompt import FailedCheck
from sidecar.ralph.model import RalphVerification
from sidecar.system.atomic_write import write_whole
from sidecar.system.safe_open import content_of

NO_PROMISE = "(checks have no promise)"

MAX_OUTPUT_CHARACTERS = 6_000
"""Maximum length of a check's output in the next prompt; the last lines show what failed."""


def verify(
    commands: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    time_limits: TimeLimits,
    *,
    stop: Event,
    no_grace: Event,
    clock: Clock,
    log_path: Path,
) -> list[RalphVerification]:
    """Run the commands in order until one fails; `log_path` is the file for the last one's output."""
    results: list[RalphVerification] = []
    for command in commands:
        if stop.is_set():
            break
        run = AgentCommand(shell_command(command, log_path.with_suffix(".cmd")), b"", cwd, environment, "plain")
        agent_result = run_agent(
            run,
            promise=NO_PROMISE,
            prompt="",
            time_limits=time_limits,
            stop=stop,
            clock=clock,
            log_path=log_path,
            stream=None,
            no_grace=no_grace,
        )
        results.append(_verification(command, agent_result, _output_tail(log_path)))
        if not passed(results[-1]):
            break
    return results


def passed(verification: RalphVerification) -> bool:
    """Whether a command passed."""
    return verification.exit_code == 0


def shell_command(command: str, script: Path) -> tuple[str, ...]:
    """Return the program and arguments that run a command line, with standard error in its output.

    On Windows the line is written to a script, because no quoting there works for every line as an argument.
    """
    if sys.platform == "win32":
        write_whole(str(script), f"@{command} 2>&1\r\n".encode("oem", "replace"), durable=False)
        return ("cmd", "/d", "/c", str(script))
    return ("/bin/sh", "-c", f"exec 2>&1\n{command}")


def failed_check(verification: RalphVerification) -> FailedCheck:
    """Return a failed command in the form of the next prompt."""
    exit_text = (
        "no exit code because it was stopped"
        if verification.exit_code is None
        else f"exit code {verification.exit_code}"
    )
    return FailedCheck(verification.command, exit_text, verification.output)


def _verification(command: str, agent_result: AgentResult, output: str) -> RalphVerification:
    ended = agent_result.ended_by == "exit"
    return RalphVerification(
        command=command,
        exit_code=agent_result.exit_code if ended else None,
        duration_ms=agent_result.duration_ms,
        output=output,
    )


def _output_tail(path: Path) -> str:
    try:
        content = content_of(str(path), MAX_LOG_BYTES, follows=False)
    except OSError:
        return ""
    text = content[-4 * MAX_OUTPUT_CHARACTERS :].decode("utf-8", "replace")
    return text if len(text) <= MAX_OUTPUT_CHARACTERS else "…" + text[-MAX_OUTPUT_CHARACTERS:]

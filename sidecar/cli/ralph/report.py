"""What `spool ralph` tells people: iterations as they happen, and how a loop stands."""

import os
import shlex
import subprocess
import sys
import threading
from typing import Any

from sidecar.ralph.deciding.limits import counted, shown_ms


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
    parts = [f"iteration {one['number']}: {one['outcome']}", ended, shown_ms(one["durationMs"]), f"promise {promise}"]
    if one["filesChanged"] is not None:
        parts.append(f"{counted(one['filesChanged'], 'file')} changed")
    if one["commits"]:
        parts.append(counted(len(one["commits"]), "commit"))
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
    how = "on its standard input" if tried["givenBy"] == "stdin" else "in a file"
    warnings = [f"warning: {text}" for text in tried["warnings"]]
    return [tried["prompt"], "", *warnings, f"the prompt above is given {how} to:", joined, answer["reason"]]


def _standing(told: Any) -> str:
    state = told["state"]
    if state is None:
        return "no loop was started yet."
    if told["isRunning"]:
        return f"running since {state['startedAt']}, harness {state['harness']}"
    return f"{state['status']}. {state['reason']}"

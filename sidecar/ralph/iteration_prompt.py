"""The prompt of an iteration. Pure.

Our own text comes first and the user's task last, verbatim.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sidecar.core.clean_text import count_noun
from sidecar.core.lazy_regex import lazy_regex
from sidecar.ralph.loop_policy import Limits, LoopUsage, format_duration, wall_ms

CONTEXT_HEADING = "## Additional Context (added by user mid-loop)"

ABORT_REASON = "why, in one sentence"
"""Placeholder for the abort reason in our prompt; read back, it is an echo, not an abort."""

_ABORT = lazy_regex(r"<abort>([^<]{1,2000}+)</abort>")

_INSTRUCTIONS = f"""\
## Instructions

You are one iteration of a loop that gives the same task to a new agent each time until it is done.
1. First look at the current state: files, `git log`, `git status`, notes. Earlier iterations may have done part of it.
2. Take the most important open part and finish it in small steps.
3. Check your work: run the tests, the build or the program, and fix what you broke.
4. Leave the work in a state the next iteration can continue from, and write what it must know into the project: it
   remembers nothing of this conversation.
5. Only when the whole task is done and checked, print on a line of its own:

   {{promise}}

6. If no agent can do the task, for example because access or a decision is missing, end the loop with
   <abort>{ABORT_REASON}</abort>

## Autonomy requirements

- Nobody is watching and nobody will answer: do not ask questions or wait for confirmation.
- Decide yourself. If there are several ways, take the simplest one that does the task, and note why.
- If something fails, find the cause and try another way before you give up on it.
- Never print the promise just to leave the loop, or for part of the task: it must be true.
"""

_STALLED = """\
## The loop is stuck

The last {times} iterations changed nothing and printed similar output. Do not repeat them. Find out what
blocks the task, then try another way: a smaller part, another tool, another order; or test what was taken for granted.
If the task is done, check it and print the promise. If it cannot be done, end the loop with the abort.
"""


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A failed check, and the end of its output."""

    command: str
    exit_text: str
    """The check's end, as in `exit code 1`."""
    output: str


@dataclass(frozen=True, slots=True)
class PromptInputs:
    """The inputs of a prompt."""

    change: str
    number: int
    limits: Limits
    usage: LoopUsage
    promise: str
    task: str
    context: str = ""
    packs: Sequence[str] = ()
    failed_checks: Sequence[FailedCheck] = ()
    last_failure: str = ""
    """The end of the last iteration, if not successful."""
    stalled_iterations: int = 0
    """Number of iterations without progress, if the prompt must change because of them; else 0."""


def build_prompt(inputs: PromptInputs) -> str:
    """Return an iteration's prompt."""
    parts = [
        _preamble(inputs),
        _INSTRUCTIONS.replace("{promise}", f"<promise>{inputs.promise}</promise>"),
        _section("## The last iteration", inputs.last_failure),
        _STALLED.format(times=inputs.stalled_iterations) if inputs.stalled_iterations else "",
        _section("## Your last promise was not accepted: these checks failed", _checks(inputs.failed_checks)),
        _section(CONTEXT_HEADING, inputs.context),
        _section("## Project context", "\n\n".join(pack.strip("\n") for pack in inputs.packs)),
    ]
    return "\n".join(part for part in parts if part) + "\n## Task\n\n" + inputs.task


def abort_reason(final_text: str) -> str | None:
    """Return the reason if the agent ended the loop with an abort."""
    reasons = [" ".join(text.split()) for text in _ABORT.findall(final_text)]
    own_reasons = [reason for reason in reasons if reason != ABORT_REASON]
    return own_reasons[-1] if own_reasons else None


def _preamble(inputs: PromptInputs) -> str:
    limits, usage = inputs.limits, inputs.usage
    number_in_loop = usage.iterations + 1
    maximum = f" of at most {limits.max_iterations}" if limits.max_iterations else ""
    lines = [f"# Iteration {inputs.number} of the loop for `{inputs.change}`", ""]
    lines.append(f"- This is iteration {number_in_loop}{maximum} since the loop was started.")
    if limits.min_iterations > number_in_loop:
        lines.append(f"- No promise is accepted before iteration {limits.min_iterations}; until then improve the work.")
    time_ms = wall_ms(limits, usage)
    if time_ms is not None:
        lines.append(f"- It is stopped after {format_duration(time_ms)}.")
    if limits.max_cost_usd is not None:
        lines.append(f"- {max(0.0, limits.max_cost_usd - usage.cost_usd):.2f} USD are left.")
    if limits.max_tokens is not None:
        left = max(0, limits.max_tokens - usage.tokens)
        lines.append(f"- {count_noun(left, 'token')} {'is' if left == 1 else 'are'} left.")
    return "\n".join(lines) + "\n"


def _section(heading: str, text: str) -> str:
    return f"{heading}\n\n{text}\n" if text.strip() else ""


def _checks(checks: Sequence[FailedCheck]) -> str:
    return "\n\n".join(
        f"`{check.command}` ended with {check.exit_text}. The end of its output:\n\n{_fenced(check.output)}"
        for check in checks
    )


def _fenced(text: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{fence}\n{text.rstrip()}\n{fence}"

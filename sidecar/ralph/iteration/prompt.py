"""What an iteration's agent is told. Pure.

The task stands at the end, verbatim: what we add comes before it, what the user wants comes last.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sidecar.core.lazy_regex import regex
from sidecar.ralph.limits import Limits, Spent, counted, shown_ms, wall_ms

CONTEXT_HEADING = "## Additional Context (added by user mid-loop)"

ABORT_REASON = "why, in one sentence"
"""What stands in our own words where the agent puts its reason: read back, it is an echo and no abort."""

_ABORT = regex(r"<abort>([^<]{1,2000}+)</abort>")

_INSTRUCTIONS = f"""\
## Instructions

You are one iteration of a loop that gives the same task to a fresh agent again and again until it is done.
1. Look first at what there is: files, `git log`, `git status`, notes. Earlier iterations may have done a part.
2. Take the most important part that is still open, and finish it in small steps.
3. Check what you did: run the tests, the build or the program; mend what you broke.
4. Leave the work so that the next iteration can go on, and write down in the project what it has to know: it
   remembers nothing of this conversation.
5. Only when the whole task is done and checked, say so on a line of its own:

   {{promise}}

6. Where no agent can do the task, as when access or a decision is missing, end the loop with
   <abort>{ABORT_REASON}</abort>

## Autonomy requirements

- Nobody reads along and nobody answers: ask no questions, wait for no confirmation.
- Decide yourself; where several ways are open, take the simplest that serves the task, and note why.
- Where something fails, look for the cause and try another way before you give up on it.
- Never say the promise to leave the loop, and not of a part of the task: it has to be true.
"""

_CIRCLE = """\
## The loop is going round in circles

The last {times} iterations changed nothing and said the same. Do not repeat them. Find out what keeps the task from
being done, then do it in another way: take a smaller part, another tool, another order; or test what was taken for
granted. Where the task is done, check it and say the promise. Where it cannot be done, end the loop with the abort.
"""


@dataclass(frozen=True, slots=True)
class Verified:
    """A command that did not pass, and the end of what it printed."""

    command: str
    ending: str
    """How it ended, as in `exit code 1`."""
    output: str


@dataclass(frozen=True, slots=True)
class Asked:
    """All that a prompt is made of."""

    change: str
    number: int
    limits: Limits
    spent: Spent
    promise: str
    task: str
    context: str = ""
    packs: Sequence[str] = ()
    failed_checks: Sequence[Verified] = ()
    last: str = ""
    """How the last iteration ended, where that was no good end."""
    circle: int = 0
    """So many iterations came to nothing, if the prompt has to change for it."""


def build(asked: Asked) -> str:
    """Puts an iteration's prompt together."""
    parts = [
        _preamble(asked),
        _INSTRUCTIONS.replace("{promise}", promise_of(asked.promise)),
        _section("## The last iteration", asked.last),
        _CIRCLE.format(times=asked.circle) if asked.circle else "",
        _section("## Your last promise was not accepted: these checks failed", _checks(asked.failed_checks)),
        _section(CONTEXT_HEADING, asked.context),
        _section("## What is known of the project", "\n\n".join(pack.strip("\n") for pack in asked.packs)),
    ]
    return "\n".join(part for part in parts if part) + "\n## Task\n\n" + asked.task


def promise_of(token: str) -> str:
    """Writes the promise as the agent has to."""
    return f"<promise>{token}</promise>"


def aborted(final_text: str) -> str | None:
    """Gives the reason for which the agent ends the loop, if it does."""
    reasons = [" ".join(found.split()) for found in _ABORT.findall(final_text)]
    said = [reason for reason in reasons if reason != ABORT_REASON]
    return said[-1] if said else None


def _preamble(asked: Asked) -> str:
    limits, spent = asked.limits, asked.spent
    turn = spent.iterations + 1
    most = f" of at most {limits.max_iterations}" if limits.max_iterations else ""
    lines = [f"# Iteration {asked.number} of the loop for `{asked.change}`", ""]
    lines.append(f"- This is iteration {turn}{most} since the loop was started.")
    if limits.min_iterations > turn:
        lines.append(f"- No promise is accepted before iteration {limits.min_iterations}; until then improve the work.")
    time_ms = wall_ms(limits, spent)
    if time_ms is not None:
        lines.append(f"- It is ended after {shown_ms(time_ms)}.")
    if limits.max_cost_usd is not None:
        lines.append(f"- {max(0.0, limits.max_cost_usd - spent.cost_usd):.2f} USD are left.")
    if limits.max_tokens is not None:
        lines.append(f"- {counted(max(0, limits.max_tokens - spent.tokens), 'token')} are left.")
    return "\n".join(lines) + "\n"


def _section(heading: str, text: str) -> str:
    return f"{heading}\n\n{text}\n" if text.strip() else ""


def _checks(checks: Sequence[Verified]) -> str:
    return "\n\n".join(
        f"`{one.command}` ended with {one.ending}; the end of its output:\n\n{_fenced(one.output)}" for one in checks
    )


def _fenced(text: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{fence}\n{text.rstrip()}\n{fence}"

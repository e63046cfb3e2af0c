"""The plan contract: what holds during a planning run, and the plan so far. Pure."""

from sidecar.core.digests import short_id
from sidecar.core.text import clean, one_line, size
from sidecar.packs.composing.items import PackItem, Priority
from sidecar.packs.model import BlockKind
from sidecar.runs import SubChat, Task, keys

RULES = (
    "- Plan only: change no file and run nothing that changes one.",
    "- Name the files each step touches, and how each step will be checked.",
    "- Say what is left open, and what was considered and rejected.",
)

PLAN_SHARE = 0.25
"""What a plan may take of what a call may send; the rest of it is named, not told."""

MAX_STEPS = 40
LINE_CHARACTERS = 400


def contract_item(task: Task, sub_chat: SubChat, sendable_bytes: int) -> PackItem:
    """Gives the contract of a planning run: the objective, the plan and its steps as far as there are any, the rules.

    It is sent on each call, whatever the session has.
    """
    lines = [f"Objective: {one_line(task.objective, 300)}"]
    if sub_chat.plan:
        lines += ["Plan as last proposed:", *_plan_lines(sub_chat.plan, sendable_bytes)]
    if sub_chat.todos:
        lines += ["Plan so far:", *step_lines(sub_chat.todos)]
    text = "\n".join([*lines, "Rules:", *RULES])
    digest = short_id([text, sub_chat.plan])
    return PackItem(keys.CONTRACT, "plan", Priority.PLAN, text, digest, "this is a planning run", every_time=True)


def plan_item(plan: str, kind: BlockKind, sendable_bytes: int) -> PackItem:
    """Gives the plan that an earlier run proposed for the task, for the session that does not have it."""
    text = "\n".join(["Plan of this task, as proposed in an earlier run:", *_plan_lines(plan, sendable_bytes)])
    return PackItem(keys.PLAN, kind, Priority.PLAN, text, keys.plan_digest(plan), "the plan this task follows")


def step_lines(todos: tuple[tuple[str, str], ...]) -> list[str]:
    """Gives a line for each step of a task list."""
    return [f"- {one_line(content, 200)} ({one_line(status, 20)})" for content, status in todos[:MAX_STEPS]]


def _plan_lines(plan: str, sendable_bytes: int) -> list[str]:
    """A plan's lines, indented, as far as the bytes go."""
    lines = [f"  {line[:LINE_CHARACTERS]}" for line in clean(plan).split("\n")]
    left = int(sendable_bytes * PLAN_SHARE)
    shown: list[str] = []
    for line in lines:
        left -= size(line) + 1
        if left < 0:
            return [*shown, f"  … {len(lines) - len(shown)} more lines"]
        shown.append(line)
    return shown

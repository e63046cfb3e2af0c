"""The plan contract: what holds during a planning run, and the plan so far. Pure."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sidecar.core.digests import short_id
from sidecar.core.text.sanitize import clean, one_line, size
from sidecar.governor import Snapshot
from sidecar.packs.items import PackItem, Priority
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


# What a fresh session is told of the one it continues. Pure.


SHARE = 0.25
"""What the carry-over may take of what a call may send: the packs of the fresh session come beside it."""

WHY = "the session was turned over"


class Section(NamedTuple):
    """One part of the carry-over, with its share; what it leaves goes to the next one."""

    name: str
    title: str
    share: float
    lines: Callable[[Snapshot], Sequence[str]]
    least: int = 0
    """So many lines are told whatever they take."""


def _goal(snapshot: Snapshot) -> list[str]:
    return [f"Goal: {one_line(snapshot.objective, 300)}"]


def _steps(snapshot: Snapshot) -> list[str]:
    """What is still to do comes first; the order is the list's otherwise."""
    return step_lines(tuple(sorted(snapshot.todos, key=lambda todo: todo[1] == "completed")))


def _failing(snapshot: Snapshot) -> list[str]:
    return [f"- {one_line(name, 160)}" for name in snapshot.failing]


def _conclusion(snapshot: Snapshot) -> list[str]:
    return [f"Last conclusion: {one_line(snapshot.conclusion, 600)}"] if snapshot.conclusion else []


def _decisions(snapshot: Snapshot) -> list[str]:
    return [f"- {one_line(decision, 240)}" for decision in snapshot.decisions]


def _risks(snapshot: Snapshot) -> list[str]:
    return [f"- {one_line(risk, 240)}" for risk in snapshot.risks]


def _files(snapshot: Snapshot) -> list[str]:
    return [f"- {one_line(file.path, 160)}: {one_line(file.why, 160)}" for file in snapshot.files]


SECTIONS = (
    Section("goal", "", 0.15, _goal, least=1),
    Section("steps", "Steps:", 0.25, _steps, least=2),
    Section("failing", "Failing tests:", 0.15, _failing),
    Section("conclusion", "", 0.1, _conclusion),
    Section("decisions", "Decided:", 0.1, _decisions),
    Section("risks", "Left open:", 0.1, _risks),
    Section("files", "Files this conversation changed, and why:", 0.15, _files),
)
"""The most important first: the budget leaves the last ones out."""


def carryover_items(snapshot: Snapshot, sendable_bytes: int) -> list[PackItem]:
    """Renders the structured state section by section, each cut at whole lines: goal and steps fit any budget."""
    items: list[PackItem] = []
    left = 0.0
    for section in SECTIONS:
        left += sendable_bytes * SHARE * section.share
        lines = section.lines(snapshot)
        told = _fitting(section, lines, left)
        if told:
            text = "\n".join(told)
            left -= size(text) + 1
            items.append(
                PackItem(f"carryover:{section.name}", "carryover", Priority.CARRYOVER, text, short_id(text), WHY)
            )
    return items


def _fitting(section: Section, lines: Sequence[str], left_bytes: float) -> list[str]:
    """The lines that fit, under their title, and how many do not."""
    left = left_bytes - size(section.title) - len("- … and 1000 more") - 2
    shown: list[str] = []
    for line in lines:
        left -= size(line) + 1
        if left < 0 and len(shown) >= section.least:
            break
        shown.append(line)
    if not shown:
        return []
    more = len(lines) - len(shown)
    return [*([section.title] if section.title else []), *shown, *([f"- … and {more} more"] if more else [])]

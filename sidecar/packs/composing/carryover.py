"""What a fresh session is told of the one it continues. Pure."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sidecar.core.digests import short_id
from sidecar.core.text import one_line, size
from sidecar.governor import Snapshot
from sidecar.packs.composing.items import PackItem, Priority
from sidecar.packs.composing.plan import step_lines

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

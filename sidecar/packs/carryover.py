"""The carry-over of a conversation into a fresh session: goal, open steps, failing tests, decisions, files. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sidecar.core.clean_text import escape_markers, one_line, utf8_size
from sidecar.core.digests import short_id
from sidecar.governor import Snapshot, without_frame
from sidecar.packs.pack_blocks import PackItem, Priority
from sidecar.runs import entries

MAX_STEPS = 40
MAX_OPEN_STEPS = 5
"""Maximum number of steps that are carried over."""

MAX_FAILING = 40
LINE_CHARACTERS = 400
ANCHOR_CHARACTERS = 120
"""A statement of which the anchor has this many characters from its beginning is the same one."""

MIN_STATEMENT_CHARACTERS = 16
"""A shorter statement is the same only if it is the whole line."""


def step_lines(todos: tuple[tuple[str, str], ...]) -> list[str]:
    """Return a line for each step of a task list."""
    return [f"- {one_line(content, 200)} ({one_line(status, 20)})" for content, status in todos[:MAX_STEPS]]


CARRYOVER_SHARE = 0.25
"""Maximum share of a call's bytes for the carry-over: the fresh session's packs come besides."""

CARRYOVER_REASON = "carried over from the previous session"


class CarryoverSection(NamedTuple):
    """A part of the carry-over, with its share; unused bytes go to the next part."""

    name: str
    title: str
    share: float
    lines: Callable[[Snapshot], Sequence[str]]
    min_lines: int = 0
    """Minimum number of lines, whatever they cost."""


def _goal(snapshot: Snapshot) -> list[str]:
    return [f"Goal: {one_line(snapshot.objective, 300)}"] if snapshot.objective else []


def _open_steps(snapshot: Snapshot) -> list[str]:
    steps = [todo for todo in snapshot.todos if todo[1] != "completed"]
    more = [f"- … and {len(steps) - MAX_OPEN_STEPS} more"] if len(steps) > MAX_OPEN_STEPS else []
    return [*step_lines(tuple(steps[:MAX_OPEN_STEPS])), *more]


def _files(snapshot: Snapshot) -> list[str]:
    return [f"- {one_line(file.path, 160)}: {one_line(file.why, 160)}" for file in snapshot.files]


def _listed(texts: Sequence[str], limit: int) -> list[str]:
    return [f"- {one_line(text, limit)}" for text in texts]


SECTIONS = (
    CarryoverSection("goal", "", 0.1, _goal, min_lines=1),
    CarryoverSection("steps", "Open steps:", 0.15, _open_steps, min_lines=2),
    CarryoverSection("failing", "Failing tests:", 0.1, lambda it: _listed(it.failing, 160), min_lines=MAX_FAILING),
    CarryoverSection("corrections", "The user's corrections:", 0.1, lambda it: _listed(it.corrections, 240)),
    CarryoverSection("conclusions", "Found and done, the latest first:", 0.25, lambda it: _listed(it.conclusions, 600)),
    CarryoverSection("decisions", "Decided:", 0.15, lambda it: _listed(it.decisions, 240)),
    CarryoverSection("risks", "Left open:", 0.1, lambda it: _listed(it.risks, 340)),
    CarryoverSection("files", "Files this conversation changed, and why:", 0.05, _files),
)
"""Most important first: the budget drops the last ones. Failing tests are not cut."""


def carryover_items(snapshot: Snapshot, sendable_bytes: int, anchor: str = "") -> list[PackItem]:
    """Render the snapshot section by section, each cut at whole lines; goal and steps fit any budget.

    What the anchor states is not repeated.
    """
    snapshot = _without_anchor(snapshot, anchor) if anchor else snapshot
    items: list[PackItem] = []
    left = 0.0
    for section in SECTIONS:
        left += sendable_bytes * CARRYOVER_SHARE * section.share
        lines = section.lines(snapshot)
        shown = _fitting_lines(section, lines, left)
        if shown:
            text = "\n".join(shown)
            left -= utf8_size(text) + 1
            items.append(
                PackItem(
                    f"carryover:{section.name}",
                    "carryover",
                    Priority.CARRYOVER,
                    text,
                    entries.TextEntry(short_id(text)),
                    CARRYOVER_REASON,
                )
            )
    return items


def _without_anchor(snapshot: Snapshot, anchor: str) -> Snapshot:
    """Return a snapshot without the statements that are in the anchor, as accepted decisions and rules do."""
    lines = anchor.splitlines()

    def new(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(text for text in texts if not _is_in(without_frame(text), lines))

    return replace(
        snapshot,
        conclusions=new(snapshot.conclusions),
        decisions=new(snapshot.decisions),
        corrections=new(snapshot.corrections),
        risks=new(snapshot.risks),
    )


def _is_in(text: str, lines: Sequence[str]) -> bool:
    """Whether a line contains a whole statement, or its beginning if the line was cut, or is most of the statement."""
    statement = one_line(escape_markers(text), LINE_CHARACTERS).rstrip(".。")
    if len(statement) < MIN_STATEMENT_CHARACTERS:
        return any(statement == line.removeprefix("- ").rstrip(".。") for line in lines)
    beginning = statement[:ANCHOR_CHARACTERS]
    is_long = len(beginning) == ANCHOR_CHARACTERS
    return any(statement in line or (is_long and beginning in line) or _is_most(line, statement) for line in lines)


def _is_most(line: str, statement: str) -> bool:
    """Whether a line, without its source in brackets, is most of a statement, as in "We decided: …"."""
    core = line.removeprefix("- ").rpartition(" (")[0].rstrip(".。")
    return len(core) >= MIN_STATEMENT_CHARACTERS and len(core) * 3 >= len(statement) * 2 and core in statement


def _fitting_lines(section: CarryoverSection, lines: Sequence[str], left_bytes: float) -> list[str]:
    """The lines that fit, under their title, and the number of those that do not."""
    left = left_bytes - utf8_size(section.title) - len("- … and 1000 more") - 2
    shown: list[str] = []
    for line in lines:
        left -= utf8_size(line) + 1
        if left < 0 and len(shown) >= section.min_lines:
            break
        shown.append(line)
    if not shown:
        return []
    more = len(lines) - len(shown)
    return [*([section.title] if section.title else []), *shown, *([f"- … and {more} more"] if more else [])]

"""The continuation file: all that a new session needs to go on, as Markdown. Pure.

What comes from files, memories and the host is quoted line by line, so that it cannot pass for a section of ours.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecar.context.block.remembered import gist_of
from sidecar.context.project.handoff import Handoff
from sidecar.context.project.ides import RESUME
from sidecar.context.project.pipeline import Pipeline, pipeline_lines
from sidecar.core.text import clean, one_line
from sidecar.memory import SHARED, Memory

FULL_CHARACTERS = 48_000
"""Of memories that are told in full; further ones are told by their gist, with where they stand."""

TEXT_CHARACTERS = 8_000


class Continuation(NamedTuple):
    """What a new session is told."""

    session: str
    written_at: str
    """RFC 3339."""
    reasons: tuple[str, ...]
    mode: str
    rules: tuple[str, ...]
    """The constitution in short."""
    agent: str
    next_agent: str
    pipeline: Pipeline | None
    handoff: Handoff | None
    task: str
    progress: str
    pending: tuple[str, ...]
    """Decisions that wait for the user."""
    memories: tuple[Memory, ...] | None
    """None where they are told elsewhere."""


def continuation_text(told: Continuation) -> str:
    """Gives the file's text; the same values give the same bytes."""
    return "\n".join(_lines(told)) + "\n"


def _lines(told: Continuation) -> Iterator[str]:
    yield "# Continuation"
    yield ""
    yield f"Go on exactly where the last session stopped. By hand: `{RESUME}`."
    yield ""
    yield f"- Session: {one_line(told.session, 200)}"
    yield f"- Written: {told.written_at}"
    yield f"- Mode: {one_line(told.mode, 40)}"
    yield f"- Agent: {one_line(told.agent, 64) or 'none'}"
    if told.next_agent:
        yield f"- Next agent: {one_line(told.next_agent, 64)}"
    yield from (f"- Why: {one_line(reason, 300)}" for reason in told.reasons)
    yield from _section("Rules", _quoted("\n".join(told.rules)) or ["The project has written none down."])
    yield from _section("Pipeline", _pipeline(told.pipeline))
    yield from _section("Task", _quoted(told.task) or ["Nothing is known of the task."])
    yield from _section("Progress", _quoted(told.progress) or ["Nothing was said of the progress."])
    yield from _section("Pending decisions", [f"- {one_line(one, 600)}" for one in told.pending] or ["None."])
    if told.handoff is not None:
        score = f" (score {told.handoff.score})" if told.handoff.score else ""
        yield from _section(f"Hand-off from {told.handoff.sender}{score}", _quoted("\n".join(told.handoff.lines)))
    if told.memories is not None:
        yield from _memories(told, told.memories)


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    yield ""
    yield from lines


def _quoted(text: str) -> list[str]:
    cleaned = clean(text)
    cut = cleaned if len(cleaned) <= TEXT_CHARACTERS else cleaned[: TEXT_CHARACTERS - 1].rstrip() + "…"
    return [f"> {line}".rstrip() for line in cut.strip().splitlines()]


def _pipeline(pipeline: Pipeline | None) -> list[str]:
    if pipeline is None:
        return ["There is no pipeline in this project."]
    name = f"{pipeline.project or 'without a name'}{f' ({pipeline.project_type})' if pipeline.project_type else ''}"
    return [f"- Project: {name}", *(f"- {line}" for line in pipeline_lines(pipeline))]


def _memories(told: Continuation, memories: Sequence[Memory]) -> Iterator[str]:
    """Those of the agent that goes on, own and shared; then which of them the next agent wrote down itself."""
    own = [memory for memory in memories if memory.owner in (SHARED, told.agent)]
    theirs = [memory for memory in memories if memory not in own]
    yield from _section(f"Memories of {told.agent or 'this project'}", _remembered(own))
    if told.next_agent:
        written = [f"- {_title(memory)} ({memory.id}), above" for memory in own if memory.agent == told.next_agent]
        lines = [*_remembered(theirs), *written] if theirs else written
        more = "Shared memories above are its own too; its private ones are told once it is active."
        yield from _section(f"Memories of {told.next_agent}", [*lines, *([""] if lines else []), more])


def _remembered(memories: Sequence[Memory]) -> list[str]:
    if not memories:
        return ["None are HOT."]
    lines: list[str] = []
    left = FULL_CHARACTERS
    for memory in memories:
        left -= len(memory.text)
        kind = f"{memory.type}, confidence {memory.confidence:g}, {memory.id}"
        lines += [f"### {_title(memory)}", "", f"{kind}; {memory.path}", ""]
        lines += _quoted(memory.text) if left >= 0 else [f"> {gist_of(memory)}"]
        lines.append("")
    return lines[:-1]


def _title(memory: Memory) -> str:
    return one_line(memory.title, 120) or memory.id

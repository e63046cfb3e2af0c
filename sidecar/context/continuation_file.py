"""The continuation file, which a new session continues from.

The file is Markdown. Text from files, memories and the host is quoted line by line, so that it cannot pass for one of
our sections.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecar.context.agent_pipeline_parser import (
    AgentPipeline,
    Handoff,
    parse_handoff,
    pipeline_lines,
    resolve_mode,
)
from sidecar.context.compose_block import memory_gist, rule_summaries
from sidecar.context.constitution import fit_rules
from sidecar.context.project_files import ProjectSources, write_chati_file
from sidecar.context.restart_decision import ContinuationFacts, RestartDecision
from sidecar.core.clean_text import clean, clip, one_line
from sidecar.core.ide_rules_files import RESUME_COMMAND
from sidecar.core.redact import redact
from sidecar.memory import SHARED, Memory
from sidecar.workspace import Workspace

FULL_CHARACTERS = 48_000
"""Maximum characters of memories in full; further ones are reduced to their gist and path."""

TEXT_CHARACTERS = 8_000


class Continuation(NamedTuple):
    """The values of a continuation file."""

    session: str
    written_at: str
    """RFC 3339."""
    reasons: tuple[str, ...]
    mode: str
    rules: tuple[str, ...]
    """Summary of the constitution."""
    agent: str
    next_agent: str
    pipeline: AgentPipeline | None
    handoff: Handoff | None
    task: str
    progress: str
    pending: tuple[str, ...]
    """Decisions that wait for the user."""
    memories: tuple[Memory, ...] | None
    """None when they are sent separately."""


def _lines(values: Continuation) -> Iterator[str]:
    yield "# Continuation"
    yield ""
    yield f"Continue exactly where the last session stopped. Manually: `{RESUME_COMMAND}`."
    yield ""
    yield f"- Session: {one_line(values.session, 200)}"
    yield f"- Written: {values.written_at}"
    yield f"- Mode: {one_line(values.mode, 40)}"
    yield f"- Agent: {one_line(values.agent, 64) or 'none'}"
    if values.next_agent:
        yield f"- Next agent: {one_line(values.next_agent, 64)}"
    yield from (f"- Why: {one_line(reason, 300)}" for reason in values.reasons)
    yield from _section("Rules", _quoted("\n".join(values.rules)) or ["The project has no written rules."])
    yield from _section("Pipeline", _pipeline(values.pipeline))
    yield from _section("Task", _quoted(values.task) or ["The task is unknown."])
    yield from _section("Progress", _quoted(values.progress) or ["No progress was reported."])
    yield from _section(
        "Pending decisions", [f"- {one_line(decision, 600)}" for decision in values.pending] or ["None."]
    )
    if values.handoff is not None:
        score = f" (score {values.handoff.score})" if values.handoff.score else ""
        yield from _section(f"Hand-off from {values.handoff.sender}{score}", _quoted("\n".join(values.handoff.lines)))
    if values.memories is not None:
        yield from _memories(values, values.memories)


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    yield ""
    yield from lines


def _quoted(text: str) -> list[str]:
    cleaned = clean(text)
    cut = clip(cleaned, TEXT_CHARACTERS)
    return [f"> {line}".rstrip() for line in cut.strip().splitlines()]


def _pipeline(pipeline: AgentPipeline | None) -> list[str]:
    if pipeline is None:
        return ["There is no pipeline in this project."]
    name = f"{pipeline.project or 'without a name'}{f' ({pipeline.project_type})' if pipeline.project_type else ''}"
    return [f"- Project: {name}", *(f"- {line}" for line in pipeline_lines(pipeline))]


def _memories(values: Continuation, memories: Sequence[Memory]) -> Iterator[str]:
    """Yield the present agent's memories, own and shared; then those of the next agent."""
    own = [memory for memory in memories if memory.owner in (SHARED, values.agent)]
    theirs = [memory for memory in memories if memory not in own]
    yield from _section(f"Memories of {values.agent or 'this project'}", _memory_lines(own))
    if values.next_agent:
        written = [f"- {_title(memory)} ({memory.id}), above" for memory in own if memory.agent == values.next_agent]
        lines = [*_memory_lines(theirs), *written] if theirs else written
        more = "It also has the shared memories above; its private ones are sent once it is active."
        yield from _section(f"Memories of {values.next_agent}", [*lines, *([""] if lines else []), more])


def _memory_lines(memories: Sequence[Memory]) -> list[str]:
    if not memories:
        return ["None are HOT."]
    lines: list[str] = []
    left = FULL_CHARACTERS
    for memory in memories:
        left -= len(memory.text)
        kind = f"{memory.type}, confidence {memory.confidence:g}, {memory.id}"
        lines += [f"### {_title(memory)}", "", f"{kind}; {redact(memory.path)}", ""]
        lines += _quoted(memory.text) if left >= 0 else [f"> {memory_gist(memory)}"]
        lines.append("")
    return lines[:-1]


def _title(memory: Memory) -> str:
    return one_line(memory.title, 120) or memory.id


RULES_TOKENS = 1_000
CONTINUATION_FOLDER, CONTINUATION_FILE = "continuation", "latest.md"


class ContinuationInputs(NamedTuple):
    """The values of a continuation file that do not come from the project's files."""

    session: str
    written_at: str
    """RFC 3339."""
    decision: RestartDecision
    memories: tuple[Memory, ...] | None
    """None when they are sent separately."""


def build_continuation(sources: ProjectSources, facts: ContinuationFacts, inputs: ContinuationInputs) -> str:
    """Return the text that a new session needs to continue; secrets are masked."""
    pipeline = sources.pipeline
    mode = resolve_mode(facts.mode, pipeline.state if pipeline else "", sources.config, "")
    summaries = rule_summaries(sources)
    handoff = sources.handoff
    lines = _lines(
        Continuation(
            session=redact(inputs.session),
            written_at=inputs.written_at,
            reasons=inputs.decision.reasons,
            mode=mode.name,
            rules=fit_rules(summaries, RULES_TOKENS).lines if summaries else (),
            agent=sources.agent,
            next_agent=inputs.decision.next_agent,
            pipeline=pipeline,
            handoff=parse_handoff(handoff.path.rpartition("/")[2], handoff.text) if handoff is not None else None,
            task=facts.task or (pipeline.task if pipeline else ""),
            progress=facts.progress,
            pending=facts.pending,
            memories=inputs.memories,
        )
    )
    return "\n".join(lines) + "\n"


def write_continuation(workspace: Workspace, text: str) -> str:
    """Write the continuation file and return its path below the project."""
    return write_chati_file(workspace.project, CONTINUATION_FOLDER, CONTINUATION_FILE, text.encode("utf-8", "replace"))

"""The six IDEs: which goes on by itself after a compaction or in a new session, and which gets a file. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecar.call import Call
from sidecar.context import store
from sidecar.context.block.layers import digests_of
from sidecar.context.block.memory_layer import gist_of
from sidecar.context.brackets import Bracket
from sidecar.context.project.constitution import fitted
from sidecar.context.project.handoff import Handoff, handoff_of
from sidecar.context.project.pipeline import Pipeline, mode_of, next_agent, pipeline_lines, score_of
from sidecar.context.project.project_files import Sources, write_own
from sidecar.context.recovery.restart import (
    Counted,
    Interaction,
    Wear,
    after_compaction,
    after_following,
    after_interaction,
    spawn_reasons,
    wear_of,
)
from sidecar.core.secrets.redact import redact
from sidecar.core.text.sanitize import clean, one_line
from sidecar.memory import SHARED, Memory
from sidecar.session import IdeName
from sidecar.workspace import Workspace

RESUME = "/chati resume"


class Continuing(NamedTuple):
    """What an IDE can do: Level 1 (smart continuation) and Level 2 (a new session), in words."""

    spawns_itself: bool
    level_1: str
    level_2: str


_DETECTED = "Automatic via context detection"
_BY_HAND = f"A continuation file, loaded with {RESUME}"

IDES: Mapping[IdeName, Continuing] = {
    "claude-code": Continuing(True, "Automatic via the PreCompact hook", "A subagent (Task tool), or the `claude` CLI"),
    "antigravity": Continuing(True, "Automatic via platform hooks", "A new agent session via the platform's API"),
    "cursor": Continuing(False, _DETECTED, _BY_HAND),
    "vscode": Continuing(False, _DETECTED, _BY_HAND),
    "gemini-cli": Continuing(True, _DETECTED, "The `gemini` CLI"),
    "github-copilot": Continuing(False, _DETECTED, _BY_HAND),
}
"""intelligence-layer.md §3.5, IDE-Specific Behavior, and Article XII.6."""


# The continuation file: all that a new session needs to go on, as Markdown. Pure.
#
# What comes from files, memories and the host is quoted line by line, so that it cannot pass for a section of ours.


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


# Decides whether a session goes on or a new one begins, and puts together what that one is told.


RULES_TOKENS = 1_000
CONTINUATION_FOLDER, CONTINUATION_FILE = "continuation", "latest.md"


class Told(NamedTuple):
    """What the host tells of the moment; None and empty is what it does not."""

    interaction_id: str = ""
    bracket: Bracket | None = None
    score: float | None = None
    next_agent: str = ""
    agent_done: bool | None = None
    task: str = ""
    progress: str = ""
    pending: tuple[str, ...] = ()
    mode: str | None = None


class Decision(NamedTuple):
    """The session's wear and every spawn criterion that holds."""

    wear: Wear
    next_agent: str
    reasons: tuple[str, ...]


def decide(call: Call, workspace: Workspace, session_id: str, sources: Sources, told: Told) -> Decision:
    """Counts the interaction and names the criteria that hold; the counts are kept per session."""
    pipeline = sources.pipeline
    score = told.score if told.score is not None else score_of(pipeline, sources.agent) if pipeline else None
    interaction = Interaction(told.interaction_id, told.bracket, sources.agent, score)
    with call.database.write() as tx:
        counted = after_interaction(store.counted_of(tx, workspace.project_key, session_id), interaction)
        store.put_counted(tx, workspace.project_key, session_id, counted, call.now_ms())
    return decided(counted, following(pipeline, told))


def decided(counted: Counted, waiting: str) -> Decision:
    """Judges what was counted; `waiting` is the agent that waits while this one is done."""
    wear = wear_of(counted, next_agent_pending=bool(waiting))
    return Decision(wear, waiting, spawn_reasons(wear))


def following(pipeline: Pipeline | None, told: Told) -> str:
    """Names the agent that waits while this one is done: as the host says, else as the session file says."""
    if told.agent_done is False:
        return ""
    known = next_agent(pipeline, is_done=bool(told.agent_done)) if pipeline is not None else ""
    return told.next_agent or known if told.agent_done else known


def count_compaction(
    call: Call, workspace: Workspace, session_id: str, compaction_id: str, sources: Sources
) -> Counted:
    """Counts a compaction by its id, unless it is known.

    The score it is held against is the session file's where the host told none.
    """
    with call.database.write() as tx:
        before = store.counted_of(tx, workspace.project_key, session_id)
        if compaction_id in before.compaction_ids:
            return before
        counted = after_compaction(_with_score(before, sources), compaction_id)
        store.put_counted(tx, workspace.project_key, session_id, counted, call.now_ms())
    return counted


def follow_compaction(
    call: Call, workspace: Workspace, session_id: str, compaction_id: str, sources: Sources
) -> tuple[Counted, bool]:
    """Keeps that a compaction is over, counts it unless it was counted before it began, and says if all was known."""
    with call.database.write() as tx:
        before = store.counted_of(tx, workspace.project_key, session_id)
        if compaction_id in before.followed_ids:
            return before, True
        is_counted = compaction_id in before.compaction_ids
        counted = after_following(before if is_counted else _with_score(before, sources), compaction_id)
        store.put_counted(tx, workspace.project_key, session_id, counted, call.now_ms())
    return counted, False


def _with_score(before: Counted, sources: Sources) -> Counted:
    pipeline = sources.pipeline
    score = score_of(pipeline, sources.agent) if pipeline is not None else None
    is_told = before.agent == sources.agent and before.score is not None
    return after_interaction(before, Interaction(agent=sources.agent, score=None if is_told else score))


class Shown(NamedTuple):
    """What a continuation tells beside the project's own files."""

    session: str
    written_at: str
    """RFC 3339."""
    decision: Decision
    memories: tuple[Memory, ...] | None
    """None where they are told elsewhere."""


def continuation_of(sources: Sources, told: Told, shown: Shown) -> str:
    """Gives what a session needs to go on, as text; secrets are masked."""
    pipeline = sources.pipeline
    mode = mode_of(told.mode, pipeline.state if pipeline else "", sources.config, "")
    digests = digests_of(sources)
    handoff = sources.handoff
    return continuation_text(
        Continuation(
            session=redact(shown.session),
            written_at=shown.written_at,
            reasons=shown.decision.reasons,
            mode=mode.name,
            rules=fitted(digests, RULES_TOKENS).lines if digests else (),
            agent=sources.agent,
            next_agent=shown.decision.next_agent,
            pipeline=pipeline,
            handoff=handoff_of(handoff.path.rpartition("/")[2], handoff.text) if handoff is not None else None,
            task=told.task or (pipeline.task if pipeline else ""),
            progress=told.progress,
            pending=told.pending,
            memories=shown.memories,
        )
    )


def write_continuation(workspace: Workspace, text: str) -> str:
    """Writes the continuation file and gives its path below the project."""
    return write_own(workspace.project, CONTINUATION_FOLDER, CONTINUATION_FILE, text.encode("utf-8", "replace"))

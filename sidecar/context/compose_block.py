"""The composed block: five layers and the memories within the bracket's budget, and the wire result.

Which memories a block contains depends on its bracket: none, titles, gists, or a pointer to their full text.
"""

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from sidecar.call import Call
from sidecar.context.agent_pipeline_parser import (
    DEFAULT_MODE,
    TASK_CHARACTERS,
    AgentPipeline,
    Mode,
    agent_score,
    parse_agent_scope,
    parse_handoff,
    pipeline_lines,
    resolve_mode,
)
from sidecar.context.brackets import BRACKETS, Bracket, LayerName, MemoryLevel
from sidecar.context.constitution import RulesSummary, fit_rules, summarize_rules
from sidecar.context.model import BlockAgent, BlockHandoff, BlockMemory, ContextBlock, ContextComposeResult, TrimmedPart
from sidecar.context.project_files import AGENTS, CONSTITUTION, SESSION, ProjectSources, Text
from sidecar.context.xml_budget import (
    ROOT,
    CutPart,
    Element,
    Part,
    element_weight,
    fit_parts,
    frame_weight,
    line_weight,
    render_element,
    text_line,
)
from sidecar.core.clean_text import clean, count_noun, one_line
from sidecar.core.errors import SidecarError
from sidecar.core.markdown import split_sections, statements
from sidecar.core.token_estimate import estimate_tokens
from sidecar.memory import Memory, Relevant, memories_by_id, memory_index_of, preload, recall_query, render_memory
from sidecar.memory.standing_instruction_register import (
    StandingInstruction,
    active_instructions,
    fitting_instructions,
    registered_ids,
)
from sidecar.workspace import Workspace

CONTINUATION = ".chati/continuation/latest.md"

WEIGHTS: Mapping[MemoryLevel, int] = {"none": 0, "metadata": 80, "chunks": 260, "full": 0}
"""Maximum tokens for memories by level; a title has about 50, the relevant lines of a memory about 200."""

FRESH_WEIGHT = 600
"""Maximum tokens for the HOT memories that are injected once after a compaction or resume."""

TITLE_CHARACTERS, GIST_CHARACTERS, CHUNK_CHARACTERS = 80, 320, 800


class BlockMemories(NamedTuple):
    """The reachable HOT memories, others relevant to the task, and the state of the session."""

    hot: tuple[Memory, ...] = ()
    """With those just captured, which come first."""
    total: int = 0
    is_first: bool = False
    """Whether this is the first block after a compaction or resume."""
    has_continuation: bool = False
    warning: str = ""
    """Reason why memories cannot be read; empty when they can."""
    relevant: tuple[Relevant, ...] = ()
    """Others relevant to the task, the best first."""


NO_MEMORIES = BlockMemories()


def includes_memories(bracket: Bracket, *, is_first: bool) -> bool:
    """Whether a bracket's block includes memories."""
    return bracket in ("MODERATE", "DEPLETED") or (bracket == "FRESH" and is_first)


def memory_part(bracket: Bracket, memories: BlockMemories) -> Part | None:
    """Return the block's memory element; None when it would be empty."""
    level = BRACKETS[bracket].memory
    if level == "full":
        return (
            _part(bracket, level, (f"[All HOT memories are in {CONTINUATION}]",)) if memories.has_continuation else None
        )
    if level == "none" and memories.is_first:
        level, weight = "chunks", FRESH_WEIGHT
    else:
        weight = WEIGHTS[level]
    if level == "none" or not (memories.hot or memories.relevant):
        return None
    lines = _title_lines(memories, weight) if level == "metadata" else _chunk_lines(memories, weight)
    return _part(bracket, level, lines)


def memory_gist(memory: Memory) -> str:
    """Return a memory's first statements on one line."""
    return _statements(memory.text, GIST_CHARACTERS)


def _statements(text: str, limit: int) -> str:
    texts = [statement for section in split_sections(text) for statement in statements(section.lines)]
    return one_line("; ".join(texts), limit)


def _part(bracket: Bracket, level: MemoryLevel, lines: Sequence[str]) -> Part:
    return Part("memory", Element("memory", (("bracket", bracket), ("level", level)), tuple(lines)))


def _title_lines(memories: BlockMemories, weight: float) -> list[str]:
    """Return a line on the HOT memories, and one on the task's memories, with as many titles as fit."""
    lines: list[str] = []
    if memories.hot:
        count = f"{count_noun(memories.total, 'HOT memory')} available"
        lines.append(_title_list(count, [_title(memory) for memory in memories.hot], memories.total, weight))
    if memories.relevant:
        more, number = "more " if lines else "", len(memories.relevant)
        count = f"{count_noun(number, f'{more}memory')} on this task"
        left = weight - sum(line_weight(text_line(line, 1)) for line in lines)
        line = _title_list(count, [_title(item.memory) for item in memories.relevant], number, left)
        lines += [line] if line_weight(text_line(line, 1)) <= left or not lines else []
    return lines


def _title_list(count: str, names: list[str], total: int, weight: float) -> str:
    while names:
        more = ", …" if len(names) < total else ""
        line = f"[{count}: {', '.join(names)}{more}]"
        if line_weight(text_line(line, 1)) <= weight:
            return line
        names.pop()
    return f"[{count}]"


def _chunk_lines(memories: BlockMemories, weight: float) -> list[str]:
    """Return a line per memory: the part relevant to the task, or its beginning when that does not fit."""
    terms = memories.relevant[0].terms if memories.relevant else ()
    lines: list[str] = []
    for memory in (*memories.hot, *(item.memory for item in memories.relevant)):
        chunk = render_memory("chunks", memory.title, memory.tags, memory.text, terms).text
        alternatives = (_line(memory, _statements(chunk, CHUNK_CHARACTERS)), _line(memory, memory_gist(memory)))
        line = next((line for line in alternatives if line_weight(text_line(line, 1)) <= weight), alternatives[-1])
        weight -= line_weight(text_line(line, 1))
        if weight < 0 and lines:
            break
        lines.append(line)
    return lines


def _line(memory: Memory, text: str) -> str:
    title = _title(memory)
    return f"- {text}" if title.casefold() in text.casefold() else f"- {title}: {text}" if text else f"- {title}"


def _title(memory: Memory) -> str:
    return one_line(memory.title, TITLE_CHARACTERS) or memory.id


CONSTITUTION_SHARE: Mapping[Bracket, float] = {"FRESH": 0.3, "MODERATE": 0.3, "DEPLETED": 0.4, "CRITICAL": 1.0}
"""Maximum share of the budget for the constitution; a tighter bracket gives it more."""

MODE_SHARE = 0.12

INSTRUCTIONS = "standing-instructions"
INSTRUCTION_SHARE = 0.25
"""Maximum share of the budget for standing instructions beyond the first three."""
CRITICAL_INSTRUCTIONS = 3
"""Number of standing instructions in a critical window, the newest first; in the others at least as many."""

NO_RULES = "This project has no constitution and no instruction files; work carefully and ask when in doubt."

DISPLAY_ORDER = ("agent", "pipeline", "task", "handoff", "memory")
"""Order of the lower parts in the block; they are trimmed in another order."""


class BlockRequest(NamedTuple):
    """A request for a block."""

    bracket: Bracket
    mode: str | None = None
    task: str | None = None
    memories: BlockMemories = NO_MEMORIES
    instructions: tuple[StandingInstruction, ...] = ()
    """The user's standing instructions for a session without an anchor."""


class Composed(NamedTuple):
    """The block's text, its elements, what was trimmed, and warnings about missing sources."""

    text: str
    elements: tuple[Element, ...]
    trimmed: tuple[CutPart, ...]
    warnings: tuple[str, ...]


def compose_context_block(sources: ProjectSources, request: BlockRequest) -> Composed:
    """Compose the block: constitution and mode always, then as many of the bracket's layers as fit."""
    limits = BRACKETS[request.bracket]
    attributes = (("bracket", request.bracket),)
    budget = limits.tokens - frame_weight(attributes)
    pipeline = sources.pipeline
    mode = resolve_mode(
        request.mode, pipeline.state if pipeline else "", sources.config, pipeline.language if pipeline else ""
    )
    mode_element, mode_trimmed = _mode_element(mode, MODE_SHARE * limits.tokens)
    left = budget - element_weight(mode_element)
    instructions, instructions_trimmed = _instructions_element(request, INSTRUCTION_SHARE * limits.tokens)
    left -= sum(map(element_weight, instructions))
    constitution, constitution_trimmed = _constitution_element(
        sources, min(left, CONSTITUTION_SHARE[request.bracket] * limits.tokens)
    )
    parts = [part for part in _lower_parts(sources, request) if part.layer in (*limits.layers, "memory")]
    lower = fit_parts(parts, left - element_weight(constitution))
    elements = (
        constitution,
        mode_element,
        *instructions,
        *sorted(lower.parts, key=lambda part: DISPLAY_ORDER.index(part.name)),
    )
    text = "".join(render_element(Element(ROOT, attributes, (), elements)))
    trimmed = (
        *constitution_trimmed,
        *mode_trimmed,
        *instructions_trimmed,
        *lower.trimmed,
        *_task_cut(sources, request, lower.parts),
    )
    return Composed(text, elements, trimmed, (*sources.warnings, *_source_warnings(sources, mode, request.memories)))


def _constitution_element(sources: ProjectSources, weight: float) -> tuple[Element, list[CutPart]]:
    """L0: a summary of the constitution, otherwise of the project's instruction files."""
    summaries = rule_summaries(sources)
    if not summaries:
        return Element("constitution", lines=(NO_RULES,)), []
    empty = Element("constitution", lines=("", ""))
    fitted = fit_rules(summaries, weight - element_weight(empty))
    element = Element("constitution", lines=fitted.lines)
    if not fitted.omitted:
        return element, []
    paths = ", ".join(summary.path for summary in summaries)
    return element, [
        CutPart(
            "L0", "constitution", f"no room for {count_noun(fitted.omitted, 'sentence')}; the full text is in {paths}"
        )
    ]


def rule_summaries(sources: ProjectSources) -> tuple[RulesSummary, ...]:
    """Return a summary per governing file; a text that two files share appears once."""
    if sources.constitution is not None:
        return (summarize_rules(*sources.constitution, is_constitution=True),)
    distinct: dict[str, Text] = {}
    for text in sources.instructions:
        distinct.setdefault(text.text, text)
    return tuple(summarize_rules(*text, is_constitution=False) for text in distinct.values() if text.text.strip())


def _mode_element(mode: Mode, weight: float) -> tuple[Element, list[CutPart]]:
    """L1: the mode itself always; its attributes while there is room."""
    governance = mode.governance
    while governance and element_weight(Element("mode", governance, (mode.name,))) > weight:
        governance = governance[:-1]
    omitted = [name for name, _ in mode.governance[len(governance) :]]
    trimmed = [CutPart("L1", "mode", f"no room for: {', '.join(omitted)}")] if omitted else []
    return Element("mode", governance, (mode.name,)), trimmed


def _instructions_element(request: BlockRequest, weight: float) -> tuple[list[Element], list[CutPart]]:
    """The standing instructions, in every bracket: the best supported; where the window is critical, the newest."""
    if not request.instructions:
        return [], []
    chosen: Sequence[StandingInstruction] = fitting_instructions(request.instructions)
    if request.bracket == "CRITICAL":
        chosen = sorted(request.instructions, key=lambda item: -item.at_ms)[:CRITICAL_INSTRUCTIONS]
    weight -= element_weight(Element(INSTRUCTIONS, lines=("", "")))
    lines: list[str] = []
    for instruction in chosen:
        weight -= line_weight(text_line(instruction.line, 1))
        if weight < 0 and len(lines) >= CRITICAL_INSTRUCTIONS:
            break
        lines.append(instruction.line)
    reason = f"room for {len(lines)} of {count_noun(len(request.instructions), 'line')}"
    trimmed = [CutPart("L0", INSTRUCTIONS, reason)] if len(lines) < len(request.instructions) else []
    return [Element(INSTRUCTIONS, lines=tuple(lines))], trimmed


def _lower_parts(sources: ProjectSources, request: BlockRequest) -> list[Part]:
    """L2 to L4 and memory, where they have content; the first to be trimmed comes last."""
    parts: list[Part] = []
    if sources.agent:
        parts.append(_agent_part(sources))
    pipeline = sources.pipeline
    if pipeline is not None and (lines := pipeline_lines(pipeline)):
        parts.append(Part("L3", Element("pipeline", lines=tuple(lines)), full_text_in=SESSION))
    memory = memory_part(request.bracket, request.memories)
    if memory is not None:
        parts.append(memory)
    if task := _task_lines(task_text(request.task, sources)):
        parts.append(Part("L4", Element("task", lines=task)))
    if sources.handoff is not None:
        parts.append(_handoff_part(sources.handoff, pipeline))
    return parts


def _agent_part(sources: ProjectSources) -> Part:
    name = one_line(sources.agent, 64)
    if sources.definition is None:
        return Part("L2", Element("agent", (("name", name), ("mission", ""))), min_length=0)
    scope = parse_agent_scope(name, sources.definition.text)
    texts = (("inputs", scope.inputs), ("outputs", scope.outputs), ("criteria", scope.criteria))
    children = tuple(Element(part, lines=(text,)) for part, text in texts if text)
    element = Element("agent", (("name", name), ("mission", scope.mission)), (), children)
    return Part("L2", element, min_length=0, full_text_in=sources.definition.path)


def _task_cut(sources: ProjectSources, request: BlockRequest, elements: Sequence[Element]) -> list[CutPart]:
    """Report when the block contains only the beginning of the task's lines."""
    is_cut = any(len(line) > TASK_CHARACTERS for line in clean(task_text(request.task, sources)).splitlines())
    if not is_cut or not any(element.name == "task" for element in elements):
        return []
    return [CutPart("L4", "task", f"of each line {TASK_CHARACTERS} characters are included")]


def _task_lines(task: str) -> tuple[str, ...]:
    lines = (one_line(line, TASK_CHARACTERS) for line in clean(task).splitlines())
    return tuple(line for line in lines if line)


def _handoff_part(file: Text, pipeline: AgentPipeline | None) -> Part:
    handoff = parse_handoff(file.path.rpartition("/")[2], file.text)
    agent_score_percent = agent_score(pipeline, handoff.sender) if pipeline is not None else None
    score = handoff.score or (f"{agent_score_percent:g}" if agent_score_percent is not None else "")
    attributes = (("from", handoff.sender), *((("score", score),) if score else ()))
    return Part("L4", Element("handoff", attributes, handoff.lines), full_text_in=file.path)


def _source_warnings(sources: ProjectSources, mode: Mode, memories: BlockMemories) -> list[str]:
    """Name the missing sources, and what replaces them."""
    warnings = []
    if sources.constitution is None:
        names = ", ".join(text.path for text in sources.instructions)
        warnings.append(f"No constitution at {CONSTITUTION}; using {names or 'a general rule'} instead.")
    if not mode.is_known:
        warnings.append(f"No mode is configured: `{DEFAULT_MODE}` is used.")
    if sources.agent and sources.definition is None:
        warnings.append(f"No file below {AGENTS} defines the agent {one_line(sources.agent, 64)}.")
    if memories.warning:
        warnings.append(f"No memories: {memories.warning}")
    return warnings


MAX_RELEVANT = 3
"""Maximum number of memories besides the HOT ones and those just captured."""

LAYER_BY_ELEMENT: dict[str, LayerName] = {
    "constitution": "L0", "mode": "L1", "agent": "L2", "pipeline": "L3", "task": "L4", "handoff": "L4",
}  # fmt: skip


def block_data(bracket: Bracket, elements: Sequence[Element]) -> ContextBlock:
    """Return a block's elements as data; null for what it does not contain."""
    by_name = {element.name: element for element in elements}
    mode = by_name["mode"]
    return ContextBlock(
        bracket=bracket,
        constitution=_text(by_name["constitution"]) or "",
        mode=_text(mode) or "",
        governance=dict(mode.attributes),
        agent=_agent(by_name.get("agent")),
        pipeline=_text(by_name.get("pipeline")),
        task=_text(by_name.get("task")),
        handoff=_handoff(by_name.get("handoff")),
        memory=_memory(by_name.get("memory")),
        standing_instructions=_text(by_name.get(INSTRUCTIONS)),
    )


def block_layers(elements: Sequence[Element]) -> list[LayerName]:
    """Return the layers of the elements, the highest first."""
    return sorted({LAYER_BY_ELEMENT[element.name] for element in elements if element.name in LAYER_BY_ELEMENT})


def _text(element: Element | None) -> str | None:
    return "\n".join(element.lines) if element is not None else None


def _agent(element: Element | None) -> BlockAgent | None:
    if element is None:
        return None
    attributes = dict(element.attributes)
    texts = {child.name: _text(child) for child in element.children}
    return BlockAgent(
        name=attributes["name"],
        mission=attributes["mission"],
        inputs=texts.get("inputs"),
        outputs=texts.get("outputs"),
        criteria=texts.get("criteria"),
    )


def _handoff(element: Element | None) -> BlockHandoff | None:
    if element is None:
        return None
    attributes = dict(element.attributes)
    return BlockHandoff(sender=attributes["from"], score=attributes.get("score"), summary=_text(element) or "")


def _memory(element: Element | None) -> BlockMemory | None:
    if element is None:
        return None
    attributes = dict(element.attributes)
    return BlockMemory(
        bracket=cast("Bracket", attributes["bracket"]),
        level=cast("MemoryLevel", attributes["level"]),
        text=_text(element) or "",
    )


def compose_result(sources: ProjectSources, request: BlockRequest) -> ContextComposeResult:
    """Compose the block and its description."""
    block = compose_context_block(sources, request)
    return ContextComposeResult(
        block=block.text,
        data=block_data(request.bracket, block.elements),
        bracket=request.bracket,
        layers=block_layers(block.elements),
        tokens=estimate_tokens(block.text),
        budget_tokens=BRACKETS[request.bracket].tokens,
        trimmed=[TrimmedPart(layer=part.layer, part=part.part, reason=part.reason) for part in block.trimmed],
        warnings=list(block.warnings),
    )


def load_memories(
    call: Call,
    workspace: Workspace,
    token: str | None,
    bracket: Bracket,
    *,
    task: str,
    is_first: bool,
    captured_ids: Sequence[str] = (),
) -> BlockMemories:
    """Return the reachable memories if the bracket includes any: those just captured, HOT ones, those of the task."""
    has_continuation = os.path.isfile(os.path.join(workspace.project, CONTINUATION))
    if not includes_memories(bracket, is_first=is_first):
        return BlockMemories(has_continuation=has_continuation)
    query = recall_query(task) if task.strip() else None
    loaded = preload(call, workspace, token, query=query)
    captured = memories_by_id(call, workspace, token, captured_ids) if captured_ids and not loaded.warning else ()
    hot = tuple(memory for memory in loaded.memories if memory.id not in captured_ids)
    known_ids = {memory.id for memory in captured + hot}
    relevant = tuple(match for match in loaded.relevant if match.memory.id not in known_ids)[:MAX_RELEVANT]
    return BlockMemories(
        hot=captured + hot,
        total=loaded.total - loaded.suppressed,
        is_first=is_first,
        has_continuation=has_continuation,
        warning=loaded.warning,
        relevant=relevant,
    )


def instructions_of_project(call: Call, workspace: Workspace) -> tuple[StandingInstruction, ...]:
    """Return the project's standing instructions; files that changed since are read first."""
    with call.database.read() as tx:
        if not registered_ids(tx, workspace.project_key):
            return ()
    try:
        memory_index_of(call.process, workspace).refresh()
    except SidecarError as error:
        call.log.warning("context.instructions.stale", kind=error.kind)
    with call.database.read() as tx:
        return active_instructions(tx, workspace.project_key)


def without_instructions(memories: BlockMemories, instructions: Sequence[StandingInstruction]) -> BlockMemories:
    """Leave out the memories that the session receives as standing instructions."""
    ids = frozenset(instruction.id for instruction in instructions)
    return memories._replace(
        hot=tuple(memory for memory in memories.hot if memory.id not in ids),
        relevant=tuple(match for match in memories.relevant if match.memory.id not in ids),
    )


def task_text(requested: str | None, sources: ProjectSources) -> str:
    """Return the requested task, otherwise the session file's."""
    return requested if requested is not None else sources.pipeline.task if sources.pipeline is not None else ""

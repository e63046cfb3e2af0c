"""The five layers as parts of the block, the highest first; which of them a bracket has. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecar.context.block.memory_layer import NOTHING, Remembered, memory_part
from sidecar.context.block.token_budget import ROOT, Part, Trimmed, fit, frame_weight, weight_of
from sidecar.context.block.xml_writer import Element, rendered
from sidecar.context.brackets import BRACKETS, Bracket
from sidecar.context.project.agent_scope import scope_of
from sidecar.context.project.constitution import Digest, digest_of, fitted
from sidecar.context.project.handoff import handoff_of
from sidecar.context.project.pipeline import (
    FALLBACK,
    TASK_CHARACTERS,
    Mode,
    Pipeline,
    mode_of,
    pipeline_lines,
    score_of,
)
from sidecar.context.project.project_files import AGENTS, CONSTITUTION, SESSION, Sources, Text
from sidecar.core.text.sanitize import clean, one_line

CONSTITUTION_SHARE: Mapping[Bracket, float] = {"FRESH": 0.3, "MODERATE": 0.3, "DEPLETED": 0.4, "CRITICAL": 1.0}
"""The part of the budget that the constitution may take; a tighter bracket reinforces it."""

MODE_SHARE = 0.12

NO_RULES = "This project has no constitution and no instruction files; work carefully and ask when in doubt."


DISPLAYED = ("agent", "pipeline", "task", "handoff", "memory")
"""The order in which the lower parts stand in the block; they give way in another one."""


class Wanted(NamedTuple):
    """What a block is asked for."""

    bracket: Bracket
    mode: str | None = None
    task: str | None = None
    remembered: Remembered = NOTHING


class Composed(NamedTuple):
    """The block's text, its elements, what was trimmed, and what stands in for missing sources."""

    text: str
    elements: tuple[Element, ...]
    trimmed: tuple[Trimmed, ...]
    warnings: tuple[str, ...]


def compose(sources: Sources, wanted: Wanted) -> Composed:
    """Puts the block together: constitution and mode always, then as many of the bracket's layers as fit."""
    bounds = BRACKETS[wanted.bracket]
    attributes = (("bracket", wanted.bracket),)
    budget = bounds.tokens - frame_weight(attributes)
    pipeline = sources.pipeline
    mode = mode_of(
        wanted.mode, pipeline.state if pipeline else "", sources.config, pipeline.language if pipeline else ""
    )
    mode_element, mode_trimmed = _mode_element(mode, MODE_SHARE * bounds.tokens)
    left = budget - weight_of(mode_element)
    rules, rules_trimmed = _rules_element(sources, min(left, CONSTITUTION_SHARE[wanted.bracket] * bounds.tokens))
    parts = [part for part in _lower_parts(sources, wanted) if part.layer in (*bounds.layers, "memory")]
    lower = fit(parts, left - weight_of(rules))
    elements = (rules, mode_element, *sorted(lower.parts, key=lambda part: DISPLAYED.index(part.name)))
    text = "".join(rendered(Element(ROOT, attributes, (), elements)))
    trimmed = (*rules_trimmed, *mode_trimmed, *lower.trimmed, *_cut_task(sources, wanted, lower.parts))
    return Composed(text, elements, trimmed, (*sources.warnings, *_missing(sources, mode, wanted.remembered)))


def _rules_element(sources: Sources, weight: float) -> tuple[Element, list[Trimmed]]:
    """L0: the constitution in short, else the project's instruction files."""
    digests = digests_of(sources)
    if not digests:
        return Element("constitution", lines=(NO_RULES,)), []
    empty = Element("constitution", lines=("", ""))
    told = fitted(digests, weight - weight_of(empty))
    element = Element("constitution", lines=told.lines)
    if not told.left_out:
        return element, []
    where = ", ".join(digest.path for digest in digests)
    return element, [
        Trimmed("L0", "constitution", f"{told.left_out} of its sentences do not fit; all stands in {where}")
    ]


def digests_of(sources: Sources) -> tuple[Digest, ...]:
    """One for each governing file; a text that two files share is told once."""
    if sources.constitution is not None:
        return (digest_of(*sources.constitution, is_constitution=True),)
    distinct: dict[str, Text] = {}
    for text in sources.instructions:
        distinct.setdefault(text.text, text)
    return tuple(digest_of(*text, is_constitution=False) for text in distinct.values() if text.text.strip())


def _mode_element(mode: Mode, weight: float) -> tuple[Element, list[Trimmed]]:
    """L1: the mode itself always; what goes with it as long as there is room."""
    governance = mode.governance
    while governance and weight_of(Element("mode", governance, (mode.name,))) > weight:
        governance = governance[:-1]
    left_out = [name for name, _ in mode.governance[len(governance) :]]
    trimmed = [Trimmed("L1", "mode", f"there is no room for: {', '.join(left_out)}")] if left_out else []
    return Element("mode", governance, (mode.name,)), trimmed


def _lower_parts(sources: Sources, wanted: Wanted) -> list[Part]:
    """L2 to L4 and memory, as far as there is anything to tell; what gives way first stands last."""
    parts: list[Part] = []
    if sources.agent:
        parts.append(_agent_part(sources))
    pipeline = sources.pipeline
    if pipeline is not None and (lines := pipeline_lines(pipeline)):
        parts.append(Part("L3", Element("pipeline", lines=tuple(lines)), where=SESSION))
    memory = memory_part(wanted.bracket, wanted.remembered)
    if memory is not None:
        parts.append(memory)
    if task := _task_lines(_task(sources, wanted)):
        parts.append(Part("L4", Element("task", lines=task)))
    if sources.handoff is not None:
        parts.append(_handoff_part(sources.handoff, pipeline))
    return parts


def _agent_part(sources: Sources) -> Part:
    name = one_line(sources.agent, 64)
    if sources.definition is None:
        return Part("L2", Element("agent", (("name", name), ("mission", ""))), least=0)
    scope = scope_of(name, sources.definition.text)
    said = (("inputs", scope.inputs), ("outputs", scope.outputs), ("criteria", scope.criteria))
    children = tuple(Element(part, lines=(text,)) for part, text in said if text)
    element = Element("agent", (("name", name), ("mission", scope.mission)), (), children)
    return Part("L2", element, least=0, where=sources.definition.path)


def _task(sources: Sources, wanted: Wanted) -> str:
    if wanted.task is not None:
        return wanted.task
    return sources.pipeline.task if sources.pipeline is not None else ""


def _cut_task(sources: Sources, wanted: Wanted, kept: Sequence[Element]) -> list[Trimmed]:
    """Says so where the block tells only how the task's lines begin."""
    is_cut = any(len(line) > TASK_CHARACTERS for line in clean(_task(sources, wanted)).splitlines())
    if not is_cut or not any(element.name == "task" for element in kept):
        return []
    return [Trimmed("L4", "task", f"of each line {TASK_CHARACTERS} characters are told")]


def _task_lines(task: str) -> tuple[str, ...]:
    lines = (one_line(line, TASK_CHARACTERS) for line in clean(task).splitlines())
    return tuple(line for line in lines if line)


def _handoff_part(found: Text, pipeline: Pipeline | None) -> Part:
    handoff = handoff_of(found.path.rpartition("/")[2], found.text)
    known = score_of(pipeline, handoff.sender) if pipeline is not None else None
    score = handoff.score or (f"{known:g}" if known is not None else "")
    attributes = (("from", handoff.sender), *((("score", score),) if score else ()))
    return Part("L4", Element("handoff", attributes, handoff.lines), where=found.path)


def _missing(sources: Sources, mode: Mode, remembered: Remembered) -> list[str]:
    """Says which sources are missing that there should be, and what stands in for them."""
    said = []
    if sources.constitution is None:
        names = ", ".join(text.path for text in sources.instructions)
        verb = "stand" if len(sources.instructions) > 1 else "stands"
        stands_in = f"{names or 'a general rule'} {verb} in for it."
        said.append(f"{CONSTITUTION} is missing: {stands_in}")
    if not mode.is_known:
        said.append(f"No mode is named: `{FALLBACK}` is taken.")
    if sources.agent and sources.definition is None:
        said.append(f"No file below {AGENTS} defines the agent {one_line(sources.agent, 64)}.")
    if remembered.warning:
        said.append(f"No memories: {remembered.warning}")
    return said

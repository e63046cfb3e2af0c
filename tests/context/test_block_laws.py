"""Laws of the block, for any texts: well-formed, within its budget, the same for the same, always with L0 and L1."""

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from sidecar.context import BRACKETS, Bracket
from sidecar.context.agent_pipeline_parser import parse_pipeline
from sidecar.context.compose_block import (
    LAYER_BY_ELEMENT,
    BlockMemories,
    BlockRequest,
    block_data,
    block_layers,
    compose_context_block,
)
from sidecar.context.project_files import ProjectSources, Text
from sidecar.core.token_estimate import estimate_tokens
from sidecar.memory import Memory

HOSTILE = (
    "]]>", "<![CDATA[", "</constitution>", "</chati-context>", '<chati-context bracket="FRESH">', "&amp;",
    "&#0;", "\x00", "\x1b[31m", "\ufffe", "\uffff", "\ud800", "\u202e", "[continuity: anchor]", '"', "'",
    "<!--", "-->", "<?xml ?>", "\r\n", "# Article I: x\n\nMUST y\n", "## Mission\n\n", "---\na: [\n---\n",
    "龘" * 90, "🚀" * 40, "word " * 60, "\n- item\n",
)  # fmt: skip
texts = st.lists(st.sampled_from(HOSTILE) | st.text(st.characters()), max_size=12).map("".join)
long_texts = st.builds(lambda text, times: text * times, texts, st.integers(1, 40))
mappings: st.SearchStrategy[Mapping[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "project": st.fixed_dictionaries({"state": texts, "type": texts}) | texts,
        "current_agent": texts,
        "language": texts | st.integers(),
        "agents": st.dictionaries(texts, st.fixed_dictionaries({"status": texts, "score": st.floats() | texts})),
        "backlog": st.lists(st.fixed_dictionaries({"title": texts, "priority": texts}) | texts),
        "current_task": texts,
        "last_handoff": texts,
    },
)


def optional_file(path: str) -> st.SearchStrategy[Text | None]:
    return st.none() | long_texts.map(lambda text: Text(path, text))


sources = st.builds(
    ProjectSources,
    constitution=optional_file("chati.dev/constitution.md"),
    instructions=st.lists(long_texts.map(lambda text: Text("AGENTS.md", text)), max_size=2).map(tuple),
    config=st.fixed_dictionaries({}, optional={"mode": texts, "project_type": texts}),
    pipeline=st.none() | mappings.map(parse_pipeline),
    agent=texts,
    definition=optional_file("chati.dev/agents/x.md"),
    handoff=optional_file("chati.dev/artifacts/handoffs/x-handoff.md"),
    warnings=st.just(()),
)
A_MEMORY = Memory(
    id="mem-2026-02-12-001", title="", text="", path="shared/durable/a.md", owner="shared", retention="durable",
    is_archived=False, type="semantic", sector="semantic", agent="", author="", tags=(), confidence=0.9, evidence=1,
    access_count=0, last_accessed_ms=None, created_ms=0, at_ms=0, tier="hot", session="", supersedes=(),
    contradicts=(), group_key="", position=0, version="",
)  # fmt: skip
memory_lists = st.lists(st.builds(lambda title, text: A_MEMORY._replace(title=title, text=text), texts, long_texts))
memories = st.builds(
    lambda hot, more, first, file: BlockMemories(tuple(hot), len(hot) + more, first, file),
    memory_lists, st.integers(0, 90), st.booleans(), st.booleans(),
)  # fmt: skip
brackets = st.sampled_from(list(BRACKETS))


@given(sources, brackets, st.none() | texts, st.none() | long_texts, memories)
def test_any_block_is_well_formed_and_within_its_budget(
    sources: ProjectSources, bracket: Bracket, mode: str | None, task: str | None, memories: BlockMemories
) -> None:
    request = BlockRequest(bracket, mode, task, memories)
    block = compose_context_block(sources, request)
    assert estimate_tokens(block.text) <= BRACKETS[bracket].tokens
    tree = ET.fromstring(block.text.encode("utf-8"))
    assert tree.tag == "chati-context"
    tags = [child.tag for child in tree]
    assert tags[:2] == ["constitution", "mode"]
    assert (tree.findtext("constitution") or "").strip()
    assert (tree.findtext("mode") or "").strip()
    assert len(tags) == len(set(tags))
    order = ["constitution", "mode", "agent", "pipeline", "task", "handoff", "memory"]
    assert tags == [tag for tag in order if tag in tags]
    assert block_data(bracket, block.elements).bracket == bracket
    assert compose_context_block(sources, request) == block


@given(sources, brackets, memories)
def test_a_block_has_only_its_brackets_layers_and_memory_level(
    sources: ProjectSources, bracket: Bracket, memories: BlockMemories
) -> None:
    block = compose_context_block(sources, BlockRequest(bracket, memories=memories))
    assert set(block_layers(block.elements)) <= set(BRACKETS[bracket].layers)
    memory = next((dict(part.attributes) for part in block.elements if part.name == "memory"), None)
    if memory is not None:
        assert memory["bracket"] == bracket
        assert memory["level"] == ("chunks" if bracket == "FRESH" else BRACKETS[bracket].memory)
        assert bracket != "FRESH" or memories.is_first
        assert bracket != "CRITICAL" or memories.has_continuation
    assert all(part.reason for part in block.trimmed)


PRIORITY = ["agent", "pipeline", "memory", "task", "handoff"]


@given(sources, brackets, long_texts, memories)
def test_layers_below_a_trimmed_one_are_left_out(
    sources: ProjectSources, bracket: Bracket, task: str, memories: BlockMemories
) -> None:
    block = compose_context_block(sources, BlockRequest(bracket, None, task, memories))
    layers = {element.name: LAYER_BY_ELEMENT.get(element.name, "memory") for element in block.elements}
    trimmed = [part for part in block.trimmed if part.part in PRIORITY]
    for part in trimmed:
        lower = PRIORITY[PRIORITY.index(part.part) + 1 :]
        assert all(layers[name] == part.layer for name in lower if name in layers)
    assert [PRIORITY.index(part.part) for part in trimmed] == sorted(PRIORITY.index(part.part) for part in trimmed)

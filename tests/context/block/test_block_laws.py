"""Laws of the block, for any texts: well-formed, within its budget, the same for the same, always with L0 and L1."""

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from sidecar.context.block.compose_block import LAYER_OF, data_of, layers_of
from sidecar.context.block.layers import Wanted, compose
from sidecar.context.block.memory_layer import Remembered
from sidecar.context.brackets import BRACKETS, Bracket
from sidecar.context.project.pipeline import pipeline_of
from sidecar.context.project.project_files import Sources, Text
from sidecar.core.tokens import estimate_tokens
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


def found(path: str) -> st.SearchStrategy[Text | None]:
    return st.none() | long_texts.map(lambda text: Text(path, text))


sources = st.builds(
    Sources,
    constitution=found("chati.dev/constitution.md"),
    instructions=st.lists(long_texts.map(lambda text: Text("AGENTS.md", text)), max_size=2).map(tuple),
    config=st.fixed_dictionaries({}, optional={"mode": texts, "project_type": texts}),
    pipeline=st.none() | mappings.map(pipeline_of),
    agent=texts,
    definition=found("chati.dev/agents/x.md"),
    handoff=found("chati.dev/artifacts/handoffs/x-handoff.md"),
    warnings=st.just(()),
)
A_MEMORY = Memory(
    id="mem-2026-02-12-001", title="", text="", path="shared/durable/a.md", owner="shared", keeping="durable",
    is_archived=False, type="semantic", sector="semantic", agent="", author="", tags=(), confidence=0.9, evidence=1,
    access_count=0, last_accessed_ms=None, created_ms=0, at_ms=0, tier="hot", session="", supersedes=(),
    contradicts=(), group_key="", position=0, version="",
)  # fmt: skip
memories = st.lists(st.builds(lambda title, text: A_MEMORY._replace(title=title, text=text), texts, long_texts))
remembered = st.builds(
    lambda found, more, first, file: Remembered(tuple(found), len(found) + more, first, file),
    memories, st.integers(0, 90), st.booleans(), st.booleans(),
)  # fmt: skip
brackets = st.sampled_from(list(BRACKETS))


@given(sources, brackets, st.none() | texts, st.none() | long_texts, remembered)
def test_any_block_is_well_formed_within_its_budget_and_has_constitution_and_mode(
    sources: Sources, bracket: Bracket, mode: str | None, task: str | None, remembered: Remembered
) -> None:
    wanted = Wanted(bracket, mode, task, remembered)
    composed = compose(sources, wanted)
    assert estimate_tokens(composed.text) <= BRACKETS[bracket].tokens
    tree = ET.fromstring(composed.text.encode("utf-8"))
    assert tree.tag == "chati-context"
    tags = [child.tag for child in tree]
    assert tags[:2] == ["constitution", "mode"]
    assert (tree.findtext("constitution") or "").strip()
    assert (tree.findtext("mode") or "").strip()
    assert len(tags) == len(set(tags))
    order = ["constitution", "mode", "agent", "pipeline", "task", "handoff", "memory"]
    assert tags == [tag for tag in order if tag in tags]
    assert data_of(bracket, composed.elements).bracket == bracket
    assert compose(sources, wanted) == composed


@given(sources, brackets, remembered)
def test_a_bracket_has_its_layers_only_and_of_memories_what_its_level_allows(
    sources: Sources, bracket: Bracket, remembered: Remembered
) -> None:
    composed = compose(sources, Wanted(bracket, remembered=remembered))
    assert set(layers_of(composed.elements)) <= set(BRACKETS[bracket].layers)
    memory = next((dict(one.attributes) for one in composed.elements if one.name == "memory"), None)
    if memory is not None:
        assert memory["bracket"] == bracket
        assert memory["level"] == ("chunks" if bracket == "FRESH" else BRACKETS[bracket].memory)
        assert bracket != "FRESH" or remembered.is_first
        assert bracket != "CRITICAL" or remembered.has_continuation
    assert all(one.reason for one in composed.trimmed)


PRIORITY = ["agent", "pipeline", "memory", "task", "handoff"]


@given(sources, brackets, long_texts, remembered)
def test_once_a_layer_is_trimmed_nothing_of_a_lower_one_is_told(
    sources: Sources, bracket: Bracket, task: str, remembered: Remembered
) -> None:
    composed = compose(sources, Wanted(bracket, None, task, remembered))
    there = {element.name: LAYER_OF.get(element.name, "memory") for element in composed.elements}
    trimmed = [one for one in composed.trimmed if one.part in PRIORITY]
    for one in trimmed:
        lower = PRIORITY[PRIORITY.index(one.part) + 1 :]
        assert all(there[name] == one.layer for name in lower if name in there)
    assert [PRIORITY.index(one.part) for one in trimmed] == sorted(PRIORITY.index(one.part) for one in trimmed)

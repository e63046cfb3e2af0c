"""Laws of search, for any memories and any question."""

import math
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sidecar.memory.files import document
from sidecar.memory.question_parser import split_rarest
from tests.support.depth import examples
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar

WORDS = "cart discount invoice token cache index session lock branch receipt printer schema".split()
OTHER_WORDS = "kiln glaze potter clay shelf oven firing".split()
TYPES = ("decision", "lesson", "semantic", "procedural")
OWNERS = ("shared", "dev", "architect")

SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
NOTE = st.tuples(
    st.sampled_from(OWNERS), st.sampled_from(TYPES), SENTENCE, st.sampled_from(["", "auth"]), st.booleans()
)
NOTES = st.lists(NOTE, min_size=1, max_size=12)
QUESTION = SENTENCE.map(lambda words: f"Why did we change the {words}?")
_numbers = count()

laws = settings(
    max_examples=examples(40, 10), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def store_notes(sidecar: MemorySidecar, folder: Path, notes: list[Any]) -> Memories:
    """Store notes in a new project: even ones in their owner's group, the others alone."""
    project = folder / f"project-{next(_numbers)}"
    project.mkdir()
    memories = Memories(sidecar, project)
    groups: dict[str, bytes] = {}
    for number, (owner, kind, text, tag, is_alone) in enumerate(notes):
        facts = {"id": f"mem-2026-02-01-{number:03}", "type": kind, **({"tags": [tag, tag]} if tag else {})}
        if is_alone:
            memories.write(f"{owner}/durable/{number}.md", document.new_memory(facts, text.title(), text))
        else:
            content = groups.get(owner) or document.new_group({"session": "s"}, "Session")
            groups[owner] = document.append_entry(content, facts, text.title(), text)
    for owner, content in groups.items():
        memories.write(f"{owner}/daily/2026-02-01/session-001-digest.md", content)
    return memories


def results(memories: Memories, question: str, **params: Any) -> list[Any]:
    answer = memories.ask("search", query=question, **{"limit": 100, **params})
    return list(answer["memories"])


@laws
@given(notes=NOTES, question=QUESTION)
def test_a_rebuilt_index_gives_the_same_answers(
    notes: list[Any], question: str, sidecar: MemorySidecar, tmp_path: Path
) -> None:
    memories = store_notes(sidecar, tmp_path, notes)
    first = results(memories, question)
    assert results(memories, question) == first
    memories.ask("rebuild")
    assert results(memories, question) == first


@laws
@given(notes=NOTES, question=QUESTION)
def test_a_score_is_the_product_of_its_factors_and_the_best_comes_first(
    notes: list[Any], question: str, sidecar: MemorySidecar, tmp_path: Path
) -> None:
    memories = store_notes(sidecar, tmp_path, notes)
    for agent in (None, "dev"):
        match = results(memories, question, **({"agent": agent} if agent else {}))
        for memory in match:
            assert memory["score"] == pytest.approx(math.prod(memory["factors"].values()), abs=1e-6)
            assert all(0 < factor <= 1 for factor in memory["factors"].values())
            assert memory["factors"]["recency"] >= 0.7
        assert all(before["score"] >= after["score"] for before, after in pairwise(match))
        assert len({memory["id"] for memory in match}) == len(match)


@laws
@given(notes=NOTES, question=QUESTION)
def test_a_search_returns_only_memories_within_reach(
    notes: list[Any], question: str, sidecar: MemorySidecar, tmp_path: Path
) -> None:
    memories = store_notes(sidecar, tmp_path, notes)
    private = {
        owner: {f"mem-2026-02-01-{at:03}" for at, note in enumerate(notes) if note[0] == owner} for owner in OWNERS
    }
    for asker, theirs in ((memories, ()), (memories.as_agent("dev"), ("dev",)), (memories.as_agent("ux"), ())):
        reached = private["shared"].union(*(private[owner] for owner in theirs))
        assert {memory["id"] for memory in results(asker, question, agent="architect")} <= reached


@laws
@given(notes=NOTES, question=QUESTION, unrelated=st.lists(st.sampled_from(OTHER_WORDS), min_size=1, max_size=8))
def test_an_unrelated_memory_removes_no_result(
    notes: list[Any], question: str, unrelated: list[str], sidecar: MemorySidecar, tmp_path: Path
) -> None:
    memories = store_notes(sidecar, tmp_path, notes)
    before = {memory["id"] for memory in results(memories, question)}
    added = memories.add(" ".join(unrelated).title())["id"]
    after = {memory["id"] for memory in results(memories, question)}
    assert after - {added} == before


@laws
@given(notes=NOTES, question=QUESTION)
def test_a_memory_with_a_word_of_the_question_is_found(
    notes: list[Any], question: str, sidecar: MemorySidecar, tmp_path: Path
) -> None:
    words = set(question.removesuffix("?").split()) & set(WORDS)
    assume(words)
    memories = store_notes(sidecar, tmp_path, notes)
    match = {memory["id"] for memory in results(memories, question)}
    holding = {
        f"mem-2026-02-01-{at:03}"
        for at, (owner, _, text, *_) in enumerate(notes)
        if owner == "shared" and words & set(text.split())
    }
    assert holding <= match


@laws
@given(notes=NOTES, question=QUESTION, kind=st.sampled_from(TYPES), budget=st.integers(1, 200))
def test_results_pass_the_filters_and_fit_the_budget(
    notes: list[Any], question: str, kind: str, budget: int, sidecar: MemorySidecar, tmp_path: Path
) -> None:
    memories = store_notes(sidecar, tmp_path, notes)
    all_words, of_kind = results(memories, question), results(memories, question, types=[kind])
    assert {memory["id"] for memory in of_kind} <= {memory["id"] for memory in all_words if memory["type"] == kind}
    words = set(question.removesuffix("?").split())
    assert {
        f"mem-2026-02-01-{at:03}"
        for at, (owner, its_kind, text, *_) in enumerate(notes)
        if owner == "shared" and its_kind == kind and words & set(WORDS) & set(text.split())
    } <= {memory["id"] for memory in of_kind}
    assert all("auth" in memory["tags"] for memory in results(memories, question, tags=["AUTH"]))
    answer = memories.ask("search", query=question, level="full", limit=100, tokenBudget=budget)
    assert answer["renderedTokens"] == sum(memory["renderedTokens"] for memory in answer["memories"]) <= budget
    assert {memory["id"] for memory in answer["memories"]} <= {memory["id"] for memory in all_words}


@given(
    holding=st.dictionaries(st.sampled_from([*WORDS, *OTHER_WORDS]), st.integers(0, 50)),
    words=st.lists(st.sampled_from([*WORDS, *OTHER_WORDS]), unique=True),
    enough=st.integers(1, 100),
)
def test_the_rarest_words_that_occur_often_enough_are_selected_and_none_is_lost(
    holding: dict[str, int], words: list[str], enough: int
) -> None:
    rare, rest = split_rarest(words, holding, enough)
    assert sorted((*rare, *rest)) == sorted(words)
    frequency = [holding.get(word, 0) for word in rare]
    assert not rest or sum(frequency) >= enough
    assert sum(frequency[:-1]) < enough
    assert not rest or max(frequency, default=0) <= min(holding.get(word, 0) for word in rest)

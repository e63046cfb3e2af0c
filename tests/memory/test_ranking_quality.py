"""Answers to more than sixty labelled questions on product conversations are found."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest

from sidecar.memory import detail_levels
from tests.support.labelled_conversations import LabelledConversation, read_conversations, turn_of, write_memories
from tests.support.memory_project import Memories
from tests.support.plain_full_text import PlainFullTextSearch

CONVERSATIONS = read_conversations(Path(__file__).parent / "conversations" / "building.json")
FLOOR_5, FLOOR_10, FLOOR_IN_300_TOKENS = 0.88, 0.95, 0.9


@pytest.fixture
def stored(memories_of: Callable[[Path], Memories], tmp_path: Path) -> list[tuple[LabelledConversation, Memories]]:
    """Each conversation as the memories of a project of its own."""
    results = [(conversation, memories_of(tmp_path / conversation.name)) for conversation in CONVERSATIONS]
    for conversation, memories in results:
        write_memories(conversation, memories.folder)
    return results


def test_there_are_enough_questions() -> None:
    assert len(CONVERSATIONS) == 3
    assert sum(len(conversation.questions) for conversation in CONVERSATIONS) >= 60


def test_ranking_finds_more_answers_than_plain_full_text_search(
    stored: list[tuple[LabelledConversation, Memories]],
) -> None:
    shares: dict[tuple[str, int], list[float]] = defaultdict(list)
    for conversation, memories in stored:
        plain = PlainFullTextSearch({turn.id: turn.text for turn in conversation.turns})
        for question in conversation.questions:
            results = [turn_of(memory["id"]) for memory in memories.ask("search", query=question.text)["memories"]]
            other, _ = plain.find(question.text, stop=False)
            for name, ids in (("ours", results), ("plain", other)):
                for depth in (5, 10):
                    share = len(question.evidence.intersection(ids[:depth])) / len(question.evidence)
                    shares[name, depth].append(share)
    recall = {key: fmean(values) for key, values in shares.items()}
    assert recall["ours", 5] >= max(FLOOR_5, recall["plain", 5] + 0.1), recall
    assert recall["ours", 10] >= max(FLOOR_10, recall["plain", 10] + 0.1), recall


def test_answers_fit_into_a_small_token_budget(stored: list[tuple[LabelledConversation, Memories]]) -> None:
    shares: list[float] = []
    for conversation, memories in stored:
        for question in conversation.questions:
            answer = memories.ask("search", query=question.text, level="full", tokenBudget=300, limit=50)
            assert answer["renderedTokens"] <= 300
            results = {turn_of(memory["id"]) for memory in answer["memories"]}
            shares.append(len(question.evidence & results) / len(question.evidence))
    assert fmean(shares) >= FLOOR_IN_300_TOKENS, fmean(shares)


def test_the_same_question_has_the_same_answer(stored: list[tuple[LabelledConversation, Memories]]) -> None:
    conversation, memories = stored[0]
    first = [memories.ask("search", query=question.text) for question in conversation.questions[:5]]
    memories.ask("rebuild")
    assert [memories.ask("search", query=question.text) for question in conversation.questions[:5]] == first


def test_packing_prefers_score_per_token_and_preserves_order() -> None:
    assert detail_levels.pack([0.9, 0.5, 0.4], [400, 60, 50], 450) == [1, 2]
    assert detail_levels.pack([0.9, 0.5], [400, 60], 500) == [0, 1]
    assert detail_levels.pack([0.9], [501], 500) == []

"""What answers a question is found: sixty and more questions on conversations about building a product."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest

from sidecar.memory import serialize
from tests.support.labelled_conversations import LabelledConversation, read_conversations, turn_of, write_memories
from tests.support.memory_project import Memories
from tests.support.plain_full_text import PlainFullTextSearch

TOLD = read_conversations(Path(__file__).parent / "conversations" / "building.json")
FLOOR_5, FLOOR_10, FLOOR_IN_300_TOKENS = 0.88, 0.95, 0.9


@pytest.fixture
def kept(memories_of: Callable[[Path], Memories], tmp_path: Path) -> list[tuple[LabelledConversation, Memories]]:
    """Each conversation as the memories of a project of its own."""
    found = [(told, memories_of(tmp_path / told.name)) for told in TOLD]
    for told, memories in found:
        write_memories(told, memories.folder)
    return found


def test_there_are_enough_questions() -> None:
    assert len(TOLD) == 3
    assert sum(len(told.questions) for told in TOLD) >= 60


def test_ranking_finds_more_answers_than_plain_full_text_search(
    kept: list[tuple[LabelledConversation, Memories]],
) -> None:
    shares: dict[tuple[str, int], list[float]] = defaultdict(list)
    for told, memories in kept:
        plain = PlainFullTextSearch({turn.id: turn.text for turn in told.turns})
        for asked in told.questions:
            found = [turn_of(one["id"]) for one in memories.ask("search", query=asked.text)["memories"]]
            other, _ = plain.find(asked.text, stop=False)
            for name, ids in (("ours", found), ("plain", other)):
                for depth in (5, 10):
                    share = len(asked.evidence.intersection(ids[:depth])) / len(asked.evidence)
                    shares[name, depth].append(share)
    recall = {key: fmean(values) for key, values in shares.items()}
    assert recall["ours", 5] >= max(FLOOR_5, recall["plain", 5] + 0.1), recall
    assert recall["ours", 10] >= max(FLOOR_10, recall["plain", 10] + 0.1), recall


def test_answers_fit_into_a_small_token_budget(kept: list[tuple[LabelledConversation, Memories]]) -> None:
    shares: list[float] = []
    for told, memories in kept:
        for asked in told.questions:
            answer = memories.ask("search", query=asked.text, level="full", tokenBudget=300, limit=50)
            assert answer["renderedTokens"] <= 300
            found = {turn_of(one["id"]) for one in answer["memories"]}
            shares.append(len(asked.evidence & found) / len(asked.evidence))
    assert fmean(shares) >= FLOOR_IN_300_TOKENS, fmean(shares)


def test_the_same_question_has_the_same_answer(kept: list[tuple[LabelledConversation, Memories]]) -> None:
    told, memories = kept[0]
    first = [memories.ask("search", query=asked.text) for asked in told.questions[:5]]
    memories.ask("rebuild")
    assert [memories.ask("search", query=asked.text) for asked in told.questions[:5]] == first


def test_packing_prefers_score_per_token_and_preserves_order() -> None:
    assert serialize.pack([0.9, 0.5, 0.4], [400, 60, 50], 450) == [1, 2]
    assert serialize.pack([0.9, 0.5], [400, 60], 500) == [0, 1]
    assert serialize.pack([0.9], [501], 500) == []

"""What counts as an approach given up in so many words: a labelled corpus, and what is read of it."""

import time
from pathlib import Path

import pytest

from sidecar.language.abandoned_approach import abandonments

SAID = Path(__file__).parent / "said"


def lines(name: str) -> list[str]:
    text = (SAID / name).read_text(encoding="utf-8")
    return [line.replace("\\n", "\n") for line in text.splitlines() if line and not line.startswith("# ")]


ABANDONED, NOT_ABANDONED = lines("abandoned.txt"), lines("not_abandoned.txt")


def test_the_corpus_is_large_enough_and_has_no_sentence_twice() -> None:
    assert len(set(ABANDONED)) == len(ABANDONED) >= 40
    assert len(set(NOT_ABANDONED)) == len(NOT_ABANDONED) >= 80


@pytest.mark.parametrize("text", ABANDONED)
def test_an_approach_given_up_is_known(text: str) -> None:
    assert list(abandonments(text))


@pytest.mark.parametrize("text", NOT_ABANDONED)
def test_what_gives_nothing_up_is_not(text: str) -> None:
    assert list(abandonments(text)) == []


def test_adverbs_in_a_row_take_no_time() -> None:
    begun = time.thread_time()
    assert list(abandonments("entirely\t" * 60)) == []
    assert list(abandonments("finally so " * 60)) == []
    assert time.thread_time() - begun < 1

"""Recognition of abandoned approaches, measured on a labelled corpus."""

import time
from pathlib import Path

from sidecar.language.abandoned_approach import abandoned_approaches
from tests.support.cases import together

SENTENCES = Path(__file__).parent / "sentences"


def lines(name: str) -> list[str]:
    text = (SENTENCES / name).read_text(encoding="utf-8")
    return [line.replace("\\n", "\n") for line in text.splitlines() if line and not line.startswith("# ")]


ABANDONED, NOT_ABANDONED = lines("abandoned.txt"), lines("not_abandoned.txt")


def test_the_corpus_is_large_enough_without_duplicates() -> None:
    assert len(set(ABANDONED)) == len(ABANDONED) >= 40
    assert len(set(NOT_ABANDONED)) == len(NOT_ABANDONED) >= 80


@together("text", ABANDONED)
def test_an_abandoned_approach_is_recognised(text: str) -> None:
    assert list(abandoned_approaches(text))


@together("text", NOT_ABANDONED)
def test_other_sentences_are_not_abandoned_approaches(text: str) -> None:
    assert list(abandoned_approaches(text)) == []


def test_consecutive_adverbs_are_matched_quickly() -> None:
    started = time.thread_time()
    assert list(abandoned_approaches("entirely\t" * 60)) == []
    assert list(abandoned_approaches("finally so " * 60)) == []
    assert time.thread_time() - started < 1

"""Recognition of abandoned approaches, measured on a labelled corpus."""

import time
from pathlib import Path

from sidecar.language.abandoned_approach import abandoned_approaches, reversal_in
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


UNDO = (
    "Undo that.", "Let's revert that change and try again.", "Desfaz isso, por favor.", "reverti este ultimo cambio",
    "Annule ce changement.", "Mach das bitte rückgängig.", "Torna indietro alla versione di prima.",
    "Draai dat terug.", "Откати это изменение.", "元に戻してください。", "撤销刚才的修改。", "I reverted that.",
)  # fmt: skip
NO_UNDO = (
    "Add an undo button to the cart.", "Undo itself works fine.", "How do I revert a commit?", "Go on.",
    "Fix it or we are reverting our codebase.", "Al cerrar y volver a abrir solo carga la lista.",
    "```\nrevert that\n```",
)  # fmt: skip


@together("text", UNDO)
def test_a_user_who_takes_work_back_is_understood(text: str) -> None:
    reversal = reversal_in(text)
    assert reversal is not None
    assert reversal.kind == "undo"


@together("text", NO_UNDO)
def test_features_threats_and_questions_take_nothing_back(text: str) -> None:
    reversal = reversal_in(text)
    assert reversal is None or reversal.kind != "undo"

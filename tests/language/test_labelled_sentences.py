"""Sentences of users and agents are classified: corrections, decisions, conclusions, and passing remarks."""

from pathlib import Path

import pytest

from sidecar.language.conclusions import match_conclusion
from sidecar.language.corrections import match_correction

DATA = Path(__file__).parent / "data"


def _labelled(name: str) -> list[tuple[str, str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [(label, sentence) for label, _, sentence in (line.partition("\t") for line in lines)]


USERS, AGENTS = _labelled("user_sentences.tsv"), _labelled("agent_sentences.tsv")


@pytest.mark.parametrize(("label", "sentence"), USERS, ids=[sentence for _, sentence in USERS])
def test_user_sentences_are_classified_as_labelled(label: str, sentence: str) -> None:
    match = match_correction(sentence)
    assert (match.type if match else "-") == label


@pytest.mark.parametrize(("label", "sentence"), AGENTS, ids=[sentence for _, sentence in AGENTS])
def test_agent_sentences_are_classified_as_labelled(label: str, sentence: str) -> None:
    match = match_conclusion(sentence)
    assert (match.type if match else "-") == label


def test_there_are_enough_labelled_sentences() -> None:
    assert len(USERS) >= 100
    assert len(AGENTS) >= 40

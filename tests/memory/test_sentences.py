"""What users and agents say is told apart: what corrects, decides or concludes, and what is of the moment."""

from pathlib import Path

import pytest

from sidecar.language.conclusions import match_conclusion
from sidecar.language.corrections import match_correction

DATA = Path(__file__).parent / "data"


def _labelled(name: str) -> list[tuple[str, str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [(label, sentence) for label, _, sentence in (line.partition("\t") for line in lines)]


USERS, AGENTS = _labelled("said_by_users.tsv"), _labelled("said_by_agents.tsv")


@pytest.mark.parametrize(("label", "sentence"), USERS, ids=[sentence for _, sentence in USERS])
def test_a_users_sentence_is_what_people_take_it_for(label: str, sentence: str) -> None:
    found = match_correction(sentence)
    assert (found.type if found else "-") == label


@pytest.mark.parametrize(("label", "sentence"), AGENTS, ids=[sentence for _, sentence in AGENTS])
def test_an_agents_sentence_is_what_people_take_it_for(label: str, sentence: str) -> None:
    found = match_conclusion(sentence)
    assert (found.type if found else "-") == label


def test_the_labelled_sentences_are_many_and_of_many_languages() -> None:
    assert len(USERS) >= 100
    assert len(AGENTS) >= 40

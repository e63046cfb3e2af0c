"""Sentences of agents are classified: a choice with a reason, a choice without, an explanation, and passing remarks."""

from pathlib import Path

from sidecar.language.conclusions import explanation_in, match_conclusion
from tests.support.cases import together

DATA = Path(__file__).parent / "data"


def _labelled(name: str) -> list[tuple[str, str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [(label, sentence) for label, _, sentence in (line.partition("\t") for line in lines)]


AGENTS = _labelled("agent_sentences.tsv")


def _label(sentence: str) -> str:
    conclusion = match_conclusion(sentence)
    if conclusion is not None and conclusion.is_reasoned:
        return "decision"
    return "resolution" if explanation_in(sentence, 400) else "-"


@together(("label", "sentence"), AGENTS)
def test_agent_sentences_are_classified_as_labelled(label: str, sentence: str) -> None:
    assert _label(sentence) == label

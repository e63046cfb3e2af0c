"""Decisions on labelled intents are clearly better than counting shared words."""

from collections import Counter

from sidecar.registry import decision_of
from tests.registry.labelled.code_intents import CODE_INTENTS
from tests.registry.labelled.evaluation import fixture_registry, keyword_overlap, ours, rates
from tests.registry.labelled.intents import INTENTS


def test_labelled_intents_cover_three_registries_and_their_entities_exist() -> None:
    counts = Counter(intent.registry for intent in (*INTENTS, *CODE_INTENTS))
    assert all(counts[name] >= 25 for name in ("click", "axios", "httpx"))
    assert len(INTENTS) == len({intent.intent for intent in INTENTS}) >= 60
    assert all(counts[name] >= 20 for name in ("specification", "flask", "fastify"))
    for intent in (*INTENTS, *CODE_INTENTS):
        assert set(intent.right) <= fixture_registry(intent.registry)[0].by_id.keys(), intent.intent
        assert bool(intent.right) is (intent.decision != "CREATE"), intent.intent


def test_decisions_are_far_better_than_shared_words() -> None:
    own, plain = rates(ours, INTENTS), rates(keyword_overlap, INTENTS)
    assert own.top1 >= 0.97
    assert plain.top1 < 0.9
    assert own.top3 >= plain.top3
    assert own.decisions >= 0.8
    assert plain.decisions < 0.55


def test_decisions_are_better_on_each_registry() -> None:
    for name in ("specification", "flask", "fastify"):
        intents = [intent for intent in INTENTS if intent.registry == name]
        assert rates(ours, intents).decisions >= rates(keyword_overlap, intents).decisions + 0.15, name


def test_new_things_are_never_mistaken_for_existing_entities() -> None:
    for intent in INTENTS:
        best = ours(intent.registry, intent.intent)
        if intent.decision == "CREATE" and best:
            assert decision_of(best[0].score) == "CREATE", intent.intent


def test_decisions_on_derived_code_are_better_than_shared_words() -> None:
    """These were labelled before any answer was seen: the rates are lower, and closer to what users see."""
    own, plain = rates(ours, CODE_INTENTS), rates(keyword_overlap, CODE_INTENTS)
    assert own.top1 >= max(0.7, plain.top1 + 0.1)
    assert own.top3 >= max(0.82, plain.top3)
    assert own.hinted >= max(0.42, plain.hinted + 0.12)
    assert own.decisions >= plain.decisions + 0.08
    assert own.misled <= 0.03


def test_missing_code_is_never_mistaken_for_existing_code() -> None:
    for intent in CODE_INTENTS:
        best = ours(intent.registry, intent.intent)
        if intent.decision == "CREATE" and best:
            assert decision_of(best[0].score) == "CREATE", intent.intent

"""Laws of the score."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.registry import (
    ADAPT_FROM,
    REUSE_FROM,
    Entity,
    Metadata,
    Registry,
    RegistryIndex,
    decision_of,
    intent_terms,
    match_intent,
    score,
    scores,
)
from sidecar.registry.code_entities import name_words
from sidecar.registry.scoring import display_name
from sidecar.registry.stemming_and_synonyms import intent_words
from tests.registry.labelled.evaluation import fixture_registry
from tests.registry.labelled.intents import INTENTS
from tests.support.cases import together

NAMES = ("specification", "flask", "fastify")
WORDS = st.sampled_from("cart price total discount receipt printer tax customer order refund stock sku ledger".split())
TEXTS = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
ENTITIES = st.lists(
    st.builds(
        lambda key, purpose, keywords: Entity("a", key, "", "agent", purpose, tuple(keywords), (), 0.5, ""),
        st.lists(WORDS, min_size=1, max_size=2).map("-".join),
        TEXTS,
        st.lists(WORDS, max_size=4),
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda entry: entry.key,
)


@pytest.mark.parametrize("name", NAMES)
def test_intent_equal_to_a_purpose_reuses_the_entity(name: str) -> None:
    registry, index = fixture_registry(name)
    for entity in registry.entities:
        best = match_intent(entity.purpose, registry, index, 1).recommendations[0]
        assert (best.entity.id, best.decision) == (entity.id, "REUSE"), entity.id


@pytest.mark.parametrize("name", NAMES)
def test_intent_of_name_and_type_reuses_the_entity(name: str) -> None:
    registry, index = fixture_registry(name)
    for entity in registry.entities:
        found = match_intent(f"{entity.key} {entity.type}", registry, index, 3).recommendations
        assert any(entry.entity == entity and entry.decision == "REUSE" for entry in found), entity.id


@pytest.mark.parametrize("name", NAMES)
def test_intent_of_all_keywords_at_least_adapts_the_entity(name: str) -> None:
    registry, index = fixture_registry(name)
    for entity in registry.entities:
        terms = intent_terms(" ".join(entity.keywords), index)
        assert score(registry.entities.index(entity), terms, index).score >= ADAPT_FROM, entity.id


@together("intent", ["a response", "a counter", "a schema", "an option", "class", "a client class", "a new module"])
def test_single_word_or_kind_is_no_match(intent: str) -> None:
    for name in ("specification", "click", "axios", "httpx"):
        best = match_intent(intent, *fixture_registry(name), 1).recommendations
        assert not best or best[0].decision == "CREATE", best[0].entity.id


@together(
    "intent",
    ["helper function", "add helper function", "a helper method", "a new response class", "Add a Response class",
     "Counter class", "Write a counter function", "response function", "a button component", "Add a button component",
     "parse function", "a client struct", "a class for the client"],
)  # fmt: skip
def test_a_common_word_with_a_kind_is_no_match_for_code(intent: str) -> None:
    entities = [
        _code("helper", "helper"),
        _code("Response", "A response of the API.")._replace(type="class"),
        _code("response", "Return a response."),
        _code("Counter", "A counter.")._replace(type="class"),
        _code("counter", "A counter."),
        _code("Button", "Button component.")._replace(type="component"),
        _code("Parse", "Parse parses."),
        _code("Client", "Client is a client.")._replace(type="class"),
    ]
    assert _best(intent, *entities)[1] == "CREATE"


@together(
    ("intent", "key"),
    [
        ("order schema", "OrderSchema"),
        ("Add an order schema", "OrderSchema"),
        ("I need an order schema.", "OrderSchema"),
        ("write config", "writeConfig"),
        ("add days", "addDays"),
        ("Add days to a date", "addDays"),
    ],
)
def test_own_words_match_with_and_without_the_words_of_a_request(intent: str, key: str) -> None:
    entities = [
        _code("OrderSchema", "Shape of what is bought.")._replace(type="class"),
        _code("writeConfig", "Store the settings in a file."),
        _code("addDays", "Add days to a date."),
        _code("daysInMonth", "Number of days of a month."),
    ]
    assert _best(intent, *entities) == (key, "REUSE")


@pytest.mark.parametrize("name", ["click", "axios", "httpx"])
def test_own_words_of_a_name_score_one_hundred(name: str) -> None:
    index = fixture_registry(name)[1]
    for number, entity in enumerate(index.entities):
        intent = " ".join(name_words(display_name(entity)))
        if len(intent_words(intent)) >= 2:
            assert score(number, intent_terms(intent, index), index).score == pytest.approx(100), entity.key


def test_an_entity_that_an_intent_spells_out_comes_first() -> None:
    entities = [
        _code("Request.read", "Read the body of a request that was not read before.")._replace(type="method"),
        _code("RequestNotRead", "Raised for content that is unknown.")._replace(type="class"),
    ]
    assert _best("request not read", *entities) == ("RequestNotRead", "REUSE")


def test_near_ties_are_ambiguous_unless_one_is_a_part_of_the_other() -> None:
    def entity(key: str, path: str) -> Entity:
        return Entity("code", key, path, "function", "Parse the header of a request", (), (), 0.5, "", "code")

    first, elsewhere, beside = (
        entity("a.py#parse", "a.py"),
        entity("b.py#parse", "b.py"),
        entity("a.py#parse_it", "a.py"),
    )
    for second, is_ambiguous in ((elsewhere, True), (beside, True), (entity("a.py#parse.it", "a.py"), False)):
        registry = Registry([first, second], Metadata())
        match = match_intent("parse the header of a request", registry, RegistryIndex(registry.entities), 1)
        assert (len(match.recommendations), match.ambiguous) == (1, is_ambiguous)


def test_singular_and_plural_of_a_name_are_ambiguous() -> None:
    entities = [_code("parse_price", "Parse a price in cents."), _code("parse_prices", "Parse prices in cents.")]
    match = match_intent("parse a price", Registry(entities, Metadata()), RegistryIndex(entities), 2)
    assert ([found.decision for found in match.recommendations], match.ambiguous) == (["REUSE", "REUSE"], True)


def test_code_is_not_reused_for_a_side_effect() -> None:
    intent = "Gives what a session needs, as text; secrets are masked."
    code = Entity("code", "a.py#continuation_of", "a.py", "function", intent, ("continuation",), (), 0.5, "", "code")
    for entity, decision in ((code, "ADAPT"), (code._replace(key="a.py#mask_secrets"), "REUSE")):
        registry = [entity, *fixture_registry("flask")[0].entities]
        found = match_intent(
            "a function that masks secrets in text", Registry(registry, Metadata()), RegistryIndex(registry), 1
        ).recommendations[0]
        assert (found.entity.key, found.decision) == (entity.key, decision)


def _code(name: str, purpose: str, path: str = "dates.ts") -> Entity:
    key = f"{path}#{name}" if name else path
    return Entity("code", key, path, "function" if name else "module", purpose, (), (), 0.5, "", "code")


@together(
    ("intent", "right"),
    [
        ("quarter of a year", "getQuarter"),
        ("check the last day of a quarter", "isLastDayOfQuarter"),
        ("last day of a month", "lastDayOfMonth"),
    ],
)
def test_a_name_with_more_than_the_intent_comes_later(intent: str, right: str) -> None:
    entities = [
        _code("setQuarter", "Set the quarter of the year."),
        _code("lastDayOfQuarter", "Return the last day of a quarter of the year."),
        _code("getQuarter", "Get the quarter of the year."),
        _code("isLastDayOfQuarter", "Check the last day of a quarter of the year."),
        _code("isLastDayOfMonth", "Is the given day the last day of a month?"),
        _code("lastDayOfMonth", "Return the last day of a month for the given day."),
    ]
    for registry in (entities, entities[::-1]):
        found = match_intent(intent, Registry(registry, Metadata()), RegistryIndex(registry), 1).recommendations[0]
        assert found.entity.key == f"dates.ts#{right}"


def _best(intent: str, *entities: Entity) -> tuple[str, str]:
    found = match_intent(intent, Registry(entities, Metadata()), RegistryIndex(entities), 1).recommendations[0]
    return found.entity.key.partition("#")[2], found.decision


def test_the_words_of_an_acronym_name_it() -> None:
    csrf, body = _code("csrf", "CSRF Middleware for the app."), _code("requestBody", "Read the body of a request.")
    protection = "protection against cross-site request forgery"
    assert _best(protection, csrf, body) == ("csrf", "ADAPT")
    spelled_out = _code("protect", "Protection against cross site request forgery.")
    assert _best(protection, spelled_out, csrf) == ("protect", "REUSE")
    average = _code("average", "The average of some numbers.")
    assert _best("moving average prices", _code("map", "Apply a function."), average)[0] == "average"


def test_what_follows_whether_is_what_is_done() -> None:
    satisfies = _code("satisfies", "")._replace(purpose="satisfies", keywords=("version", "range"))
    check = _code("checkAccount", "Check an account.")
    assert _best("check whether a version satisfies a range", check, satisfies) == ("satisfies", "ADAPT")


def test_the_first_word_of_a_predicate_answers_a_check() -> None:
    check, is_email = _code("checkHost", "Check the address of a host."), _code("isEmail", "is email")
    assert _best("check whether a text is an email address", check, is_email)[0] == "isEmail"
    assert _best("check an email", check, is_email) == ("isEmail", "REUSE")
    assert _best("send an email", check, is_email)[1] == "CREATE"


def test_a_type_does_not_answer_whether_something_holds() -> None:
    error = _code("CanceledError", "An error of a request that was cancelled.")._replace(type="class")
    is_cancel = _code("isCancel", "is cancel")
    assert _best("check whether an error was cancelled", error, is_cancel)[1] == "CREATE"
    assert _best("an error of a request that was cancelled", error, is_cancel) == ("CanceledError", "REUSE")


def test_a_function_that_does_something_else_does_not_answer_whether_something_holds() -> None:
    pointers, contains = _code("ToSlicePtr", "Returns a slice of pointers to each value."), _code("HasValue", "")
    assert _best("whether a slice has a value", pointers, contains)[1] == "CREATE"
    assert _best("a slice of pointers to each value", pointers, contains) == ("ToSlicePtr", "REUSE")
    undocumented = _code("overlaps", "")._replace(purpose="overlaps", keywords=("interval",))
    assert _best("whether two intervals overlap", undocumented) == ("overlaps", "ADAPT")


def test_words_as_written_order_what_covers_an_intent_alike() -> None:
    plain, secure = (_code(f"with{name}", f"Sets the protocol of a url to {name}.") for name in ("Http", "Https"))
    assert _best("change the protocol of a url to https", plain, secure)[0] == "withHttps"
    assert _best("change the protocol of a url to http", secure, plain)[0] == "withHttp"
    file, function = _code("protocol", "")._replace(key="src/protocol.js", type="module"), _code("protocol", "protocol")
    registry = tuple(entity._replace(purpose="The protocol of a url.") for entity in (file, function))
    found = match_intent("protocol of some url", Registry(registry, Metadata()), RegistryIndex(registry), 2)
    assert [entry.entity.type for entry in found.recommendations] == ["function", "module"]
    first, second = (entry.score for entry in found.recommendations)
    assert first.score >= second.score == pytest.approx(0.6 * second.keywords + 0.4 * second.purpose)


def test_words_as_written_do_not_lift_code_above_a_rule_that_holds_it_below_60() -> None:
    pointers, other = (
        _code("ToSlicePtr", "Returns a slice of pointers to each value."),
        _code("flatten", "Joins lists."),
    )
    assert _best("whether a slice has pointers", pointers, other)[1] == "CREATE"


def test_words_written_apart_match_the_one_that_they_form() -> None:
    size, other = _code("natural_size", "Format bytes as a readable filesize."), _code("clamp", "Clamp a number.")
    assert _best("format bytes as a file size", size, other) == ("natural_size", "REUSE")


def test_what_an_intent_excludes_is_no_answer() -> None:
    hyphenated, urn = _code("hyphenated", "Format a uuid with hyphens."), _code("urn", "Format a urn.")
    assert _best("format a uuid with hyphens", hyphenated, urn) == ("hyphenated", "REUSE")
    assert _best("format a uuid without hyphens", hyphenated, urn) == ("hyphenated", "CREATE")
    simple = _code("without_hyphens", "Format a uuid and leave its hyphens out.")
    assert _best("format a uuid without hyphens", simple, urn) == ("without_hyphens", "REUSE")
    together = _code("markRequiredTogether", "Marks flags to be used together.")
    assert _best("flags that cannot be used together", together, urn)[1] == "CREATE"


def test_a_public_definition_comes_before_a_private_one_and_its_file() -> None:
    private = _code("parse_date", "Parse a date.", "src/_lib/utils.ts")
    assert _best("parse a string as a date", private, _code("toDate", "Parse a date.", "src/parse.ts"))[0] == "toDate"
    file = _code("", "Exceptions that abort a request.", "src/exceptions.py")
    abort = _code("abort", "Raise an exception for a request.", "src/exceptions.py")
    assert _best("abort a request by exceptions", file, abort)[0] == "abort"


def test_a_function_that_sets_is_not_one_that_returns() -> None:
    setter, getter = _code("setISOWeek", "The ISO week of the date."), _code("ISOWeek", "The ISO week of the date.")
    index = RegistryIndex((setter, getter))
    terms = intent_terms("ISO week number of a date", index)
    assert score(0, terms, index).score < score(1, terms, index).score * 0.96
    setting = intent_terms("set the ISO week number of a date", index)
    assert score(0, setting, index).score > score(1, setting, index).score


@together(
    ("word", "other"),
    [
        ("fraction", "fractional"),
        ("completes", "completion"),
        ("behaviour", "behavior"),
        ("occurs", "occurrence"),
        ("splitting", "splitter"),
    ],
)
def test_forms_and_spellings_of_a_word_are_one(word: str, other: str) -> None:
    assert list(intent_words(word)) == list(intent_words(other))


def test_what_no_entity_does_is_no_match_for_its_object() -> None:
    until = _code("until", "Repeatedly call `each` until `test` holds. Calls `done` when stopped.", "until.js")
    registry = [until, *fixture_registry("axios")[0].entities]
    for intent, decision in (
        ("call a function until the calls stop", "REUSE"),
        ("debounce noisy calls until", "CREATE"),
    ):
        best = match_intent(intent, Registry(registry, Metadata()), RegistryIndex(registry), 1).recommendations[0]
        assert (best.entity, best.decision) == (until, decision), best.score


def test_a_definition_comes_before_its_file() -> None:
    registry = [
        _code("", "The transport adapter.", "adapter.py"),
        _code("Adapter", "The transport adapter.", "adapter.py"),
    ]
    found = match_intent(
        "an adapter for transport of requests", Registry(registry, Metadata()), RegistryIndex(registry), 1
    )
    assert found.recommendations[0].entity == registry[1]


@together(
    ("value", "decision"),
    [
        (90.0, "REUSE"),
        (89.999_999, "ADAPT"),
        (60.0, "ADAPT"),
        (59.999_999, "CREATE"),
        (100.0, "REUSE"),
        (0.0, "CREATE"),
    ],
)
def test_thresholds_are_compared_unrounded(value: float, decision: str) -> None:
    assert decision_of(value) == decision
    assert (REUSE_FROM, ADAPT_FROM) == (90.0, 60.0)


@given(ENTITIES, TEXTS, st.integers(1, 4))
def test_best_entities_equal_an_exhaustive_scoring(registry: Sequence[Entity], intent: str, limit: int) -> None:
    index = RegistryIndex(registry)
    terms = intent_terms(intent, index)
    every = sorted(
        (score(number, terms, index) for number in range(len(registry))), key=lambda entry: (-entry.score, entry.number)
    )
    assert scores(terms, index, limit) == [entry for entry in every if entry.matched][:limit]


@given(ENTITIES, TEXTS)
def test_score_is_the_sum_of_its_parts_and_bounded(registry: Sequence[Entity], intent: str) -> None:
    index = RegistryIndex(registry)
    for entry in scores(intent_terms(intent, index), index, 50):
        assert entry.score == pytest.approx(0.6 * entry.keywords + 0.4 * entry.purpose)
        assert 0 <= entry.purpose <= 100 + 1e-9
        assert 0 <= entry.keywords <= 100 + 1e-9


@given(ENTITIES, TEXTS)
def test_unknown_word_lowers_every_score(registry: Sequence[Entity], intent: str) -> None:
    index = RegistryIndex(registry)
    less = {entry.number: entry.score for entry in scores(intent_terms(f"{intent} zeppelin", index), index, 50)}
    for entry in scores(intent_terms(intent, index), index, 50):
        assert less[entry.number] < entry.score


@given(ENTITIES, TEXTS)
def test_word_of_the_name_never_lowers_the_score(registry: Sequence[Entity], intent: str) -> None:
    index = RegistryIndex(registry)
    for number, entity in enumerate(registry):
        plain = score(number, intent_terms(intent, index), index)
        named = score(number, intent_terms(f"{intent} {entity.key.replace('-', ' ')}", index), index)
        assert named.score >= plain.score - 1e-9


@given(ENTITIES, TEXTS, st.permutations(range(12)))
def test_order_of_the_registry_does_not_affect_scores(
    registry: Sequence[Entity], intent: str, order: Sequence[int]
) -> None:
    shuffled = [registry[place] for place in order if place < len(registry)]
    found = [
        {index.entities[entry.number].id: entry.score for entry in scores(intent_terms(intent, index), index, 50)}
        for index in (RegistryIndex(registry), RegistryIndex(shuffled))
    ]
    assert found[0] == pytest.approx(found[1])


def test_same_registry_and_intent_yield_the_same_answer() -> None:
    for labelled in INTENTS[::10]:
        registry, _ = fixture_registry(labelled.registry)
        again = Registry(registry.entities, Metadata())
        answers = [
            match_intent(labelled.intent, which, RegistryIndex(which.entities), 5).recommendations
            for which in (registry, again)
        ]
        assert answers[0] == answers[1]


@together(
    ("purpose", "intent"),
    [
        ("Make a directory", "a folder"),
        ("Merge two configurations", "combine the settings"),
        ("Cancel an upload", "abort uploads"),
        ("Verify a signature", "signature checking"),
        ("Ask with a prompt", "a question"),
        ("Join URLs", "concatenate url"),
        ("GZipDecoder", "gzip"),
        ("Colour of a theme", "color"),
    ],
)
def test_synonym_counts_less_than_the_word_itself(purpose: str, intent: str) -> None:
    registry = [
        Entity("a", "x", "", "agent", purpose, (), (), 0.5, ""),
        Entity("a", "y", "", "agent", intent, (), (), 0.5, ""),
    ]
    index = RegistryIndex(registry)
    synonym, same = (score(number, intent_terms(intent, index), index).score for number in (0, 1))
    assert 30 < synonym < same


def test_synonyms_exclude_the_word_itself() -> None:
    index = RegistryIndex([Entity("a", "x", "", "agent", "Send an invoice", (), (), 0.5, "")])
    assert scores(intent_terms("play music", index), index, 5) == []


def test_an_intent_of_function_words_alone_recommends_nothing() -> None:
    entities = [Entity("a", f"before-{word}", "", "hook", "", (), (), 0.5, "") for word in ("log", "save", "load")]
    registry = Registry(entities, Metadata())
    assert not match_intent("before and after", registry, RegistryIndex(entities), 2).recommendations


def test_code_that_matches_by_synonyms_alone_is_adapted_at_most() -> None:
    entities = [_function("drop_folder", "Drop a folder"), *(_function(f"f{n}", f"Thing{n}") for n in range(8))]
    registry, index = Registry(entities, Metadata()), RegistryIndex(entities)
    same, synonyms = (
        match_intent(intent, registry, index, 1).recommendations[0] for intent in ("drop a folder", "erase a directory")
    )
    assert (same.decision, synonyms.decision) == ("REUSE", "ADAPT")


def _function(name: str, purpose: str) -> Entity:
    return Entity("code", f"{name}.ts#{name}", f"{name}.ts", "function", purpose, (), (), 0.5, "", "code")


def test_a_name_is_found_by_words_that_describe_it_but_not_suggested() -> None:
    entities = [
        _function(name, " ".join(name_words(name))) for name in ("parseColor", "throttle", "sumOfRows", "merge")
    ]
    found = match_intent("slow down frequent requests", Registry(entities, Metadata()), RegistryIndex(entities), 4)
    best = found.recommendations[0]
    assert (best.entity.path, best.decision) == ("throttle.ts", "CREATE")


def test_what_words_describe_is_adapted_and_what_they_name_is_reused() -> None:
    entities = [_function("gzip", "Gzip a response."), *(_function(f"part{n}", f"Part {n}.") for n in range(6))]
    registry, index = Registry(entities, Metadata()), RegistryIndex(entities)
    own, described = (
        match_intent(intent, registry, index, 1).recommendations[0]
        for intent in ("gzip a response", "compress a response for less bandwidth")
    )
    assert (own.decision, described.decision) == ("REUSE", "ADAPT")
    assert own.entity == described.entity


def test_more_shared_words_come_before_a_rarer_one() -> None:
    entities = [
        _function("readOrders", "Read the orders of a customer from the ledger."),
        _function("ledgerOfOrdersTaxes", "Taxes."),
        *(_function(f"orders{n}", f"Orders {n}.") for n in range(4)),
    ]
    found = match_intent(
        "the orders of a customer in the ledger", Registry(entities, Metadata()), RegistryIndex(entities), 3
    )
    assert found.recommendations[0].entity.path == "readOrders.ts"


@together("intent", ["parse defaults from a TOML file", "delete the defaults of a file"])
def test_what_lacks_the_verb_or_a_proper_name_is_not_raised_to_a_suggestion(intent: str) -> None:
    entities = [_function("parseFile", "Parse a file."), *(_function(f"part{n}", f"Part {n}.") for n in range(20))]
    best = match_intent(intent, Registry(entities, Metadata()), RegistryIndex(entities), 1).recommendations[0]
    assert (best.entity.path, best.decision) == ("parseFile.ts", "CREATE")

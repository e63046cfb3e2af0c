"""What a prompt and a memory share is evidence, or is not."""

import pytest

from sidecar.core.terms import count_terms
from sidecar.language.common_words import common_terms, is_distinctive
from sidecar.memory.prompt_match import MAX_TERMS, Rarity, cues_of, evidence, memory_text, states_limit
from sidecar.memory.recall import recall_query
from tests.support.cases import together

ALL_RARE = Rarity(memories=20, memories_with={})


def shares(prompt: str, statement: str, rarity: Rarity = ALL_RARE, choices: frozenset[str] = frozenset()) -> bool:
    return evidence(cues_of(prompt, prompt), memory_text("", statement, (), choices), rarity) is not None


def test_a_term_of_more_than_three_memories_and_five_percent_is_no_evidence() -> None:
    for memories, memories_with, expected in ((20, 3, True), (20, 4, False), (100, 5, True), (100, 6, False)):
        rarity = Rarity(memories, {"receipt": memories_with})
        assert shares("Print the receipt", "Receipts are narrow.", rarity) is expected


def test_a_part_of_a_name_needs_a_second_one_unless_it_names_a_tool_or_choice() -> None:
    assert not shares("Fix printReceipt", "The receipt is narrow.")
    assert shares("Fix printReceiptDiscount", "Discounts on receipts are rounded.")
    assert shares("Fix runNpm", "Use pnpm instead of npm.")
    assert shares("Fix addMoss", "Use fern instead of moss.", choices=frozenset(("moss", "fern")))


def test_a_word_of_everyday_talk_needs_a_second_term_unless_it_is_an_alternative() -> None:
    rarity = Rarity(20, {})
    assert not shares("Life is hard without receipts", "I want this to bring life to the till.", rarity)
    assert not shares("I love this color", "I love the old till.", rarity)
    assert shares("Print the family photo", "A family photo is on the menu.", rarity)
    assert shares("Pick a color", "Use color instead of shape.", rarity, frozenset(("color", "shape")))


def test_files_of_rules_for_agents_are_named_everywhere_and_are_no_evidence() -> None:
    for name in ("CLAUDE.md", "AGENTS.md", ".claude", ".github"):
        assert not shares(f"Edit {name}", f"Only an index belongs to {name}.")
    assert shares("Edit docs/CLAUDE.md", "Only an index belongs to docs/CLAUDE.md.")


def test_a_long_prompt_needs_more_than_one_shared_term() -> None:
    material = " ".join(f"crate{first}{second}ora" for first in "abcdefghij" for second in "abcdefghij")
    assert not shares(f"Print the receipt. {material}", "Receipts are narrow.")
    assert shares(f"Print the receipt's discount. {material}", "Discounts on receipts are rounded.")
    assert len(cues_of(material * 10, material * 10).terms) <= MAX_TERMS


def test_pasted_material_counts_by_its_names_and_paths_only() -> None:
    log = "Traceback: the receipt of till/printer.py broke in print_receipt"
    cues = cues_of(f"Fix this\n{log}", "Fix this")
    for statement, expected in (
        ("Receipts are narrow.", False),
        ("print_receipt is slow.", True),
        ("till/printer.py", True),
    ):
        assert (evidence(cues, memory_text("", statement, (), ()), ALL_RARE) is not None) is expected


@together(
    ("prompt", "statement", "expected"),
    [
        ("Fix src/billing/tax.py", "tax.py rounds half up.", True),
        ("Fix web/package.json", "package.json lists scripts by name.", False),
        ("Fix src/syntax.py", "tax.py rounds half up.", False),
        ("Why is `order_total` slow?", "order_total reads every row.", True),
        ("It works.Now go on", "It works.Now go on", False),
        ("Version 18 fails", "Use version 18.", False),
        ("renderReceipt is slow", "The receipt is narrow.", False),
    ],
)
def test_only_distinctive_paths_and_names_are_evidence(prompt: str, statement: str, expected: bool) -> None:
    assert shares(prompt, statement) is expected


def test_words_that_are_grammar_in_any_language_are_not_telling() -> None:
    words = "yet instead todavia ainda encore noch ancora nog еще 我们 しま を使 하고 change test 18 a"
    assert [term for term in count_terms(words) if is_distinctive(term)] == []
    assert all(map(is_distinctive, ("npm", "receipt", "quittung", "收据", "чек")))
    assert len(common_terms()) < 4_000


@pytest.mark.parametrize(
    ("prompt", "rule", "expected"),
    [
        ("Write down how the builder works", "No more markdown files unless they go into one folder.", True),
        ("Add logging to the adapter", "All levels hide their logging behind a parameter.", True),
        ("Поправь тест корзины", "Always write tests with pytest.", True),
        ("测试购物车", "Always write tests with pytest.", True),
        ("Rename the cart", "Always write tests with pytest.", False),
        ("Install the dependency", "Keep one namespace so that the library is easy to use.", False),
        ("Install the dependency", "No JavaScript library without asking.", True),
        ("Fix the login", "Always write tests with pytest.", False),
        ("Test it, document it, commit it, deploy it and plan the next release", "Always use pytest for tests.", False),
        (f"Test the cart. {'It has many lines of prose. ' * 60}", "Always write tests with pytest.", False),
        ("Test the cart", "Ensure there are tests, write the docs and prepare the branch for a release.", False),
        ("Summarize it in the docs", "I want him to go to the closest till.md and edit it.", False),
    ],
)
def test_a_rule_bears_on_a_prompt_that_asks_for_the_step_of_the_work_it_is_about(
    prompt: str, rule: str, *, expected: bool
) -> None:
    cues = cues_of(prompt, prompt)
    as_rule = evidence(cues, memory_text("", rule, (), (), is_rule=True), ALL_RARE)
    assert (as_rule is not None) is expected
    assert evidence(cues, memory_text("", rule, (), ()), ALL_RARE) is None, "what is no rule needs a shared term"


@together(
    ("fact", "prompt", "expected"),
    [
        (
            "No iOS simulators here, only the macOS destination works",
            "Run the whole suite and tell me what's red",
            True,
        ),
        ("No iOS simulators here, only the macOS destination works", "verify the fix on iOS", True),
        ("terraform 1.9 and no AWS credentials on this machine, no plan", "show me the plan for the example", True),
        ("/tmp is a tmpfs with 64M on this box", "why does the big regress test fail?", True),
        ("docker isn't available here, use podman", "start the database container", True),
        ("docker isn't installed", "Please build the image", True),
        ("we can't run chrome, use the http client", "run all tests before we push", True),
        ("hier gibt es kein docker, nimm podman", "starte die Datenbank", True),
        ("aquí no hay docker, usa podman", "arranca el contenedor", True),
        ("aqui não temos docker, use podman", "rode os testes", True),
        ("ici il n'y a pas de docker, utilise podman", "lance les tests", True),
        ("No iOS simulators here", "explain how the download is cancelled", False),
        ("No iOS simulators here", "Build a page of coupons", False),
        ("No iOS simulators here", "start with the parser", False),
        ("No iOS simulators here", "write a plan for the release of the parser", False),
        ("the discount isn't available for guests under 18", "run the tests", False),
        ("users can't access the receipt of another till", "run the tests", False),
        ("the printer at the counter only knows code page 858", "run the tests", False),
    ],
)
def test_what_the_environment_lacks_bears_on_a_prompt_that_runs_something(
    fact: str, prompt: str, *, expected: bool
) -> None:
    memory = memory_text("", fact, (), (), is_limit=states_limit(fact))
    assert (evidence(cues_of(prompt, prompt), memory, ALL_RARE) is not None) is expected


def test_what_the_prompt_states_itself_brings_no_memory_of_it() -> None:
    assert not shares("Receipts are narrow, so shorten the lines", "Receipts are narrow.")
    assert shares("Why are receipts narrow?", "Receipts are narrow.")
    assert shares("Use npm instead of pnpm", "Use pnpm instead of npm.")


@together(
    ("prompt", "name", "expected"),
    [
        ("add a Page::saving model event that sets the slug", "Model events for the editor", True),
        ("why no model events for the editor?", "Model events for the editor", True),
        ("Add an event to the model", "Model events for the editor", False),
        ("Send the event from the editor to the model", "Model events for the editor", True),
        ("Open the editor", "Model events for the editor", False),
        ("Log the model and the openEvents", "ModelEvents", False),
        ("Write the first version of the docs", "The first version of the button", False),
    ],
)
def test_a_dropped_approach_is_named_by_adjacent_words_or_all_of_its_name(
    prompt: str, name: str, expected: bool
) -> None:
    text = f"Dropped: {name} because of the repo classes"
    for title, is_dropped in ((f"Dropped: {name}", True), (name, False)):
        found = evidence(cues_of(prompt, prompt), memory_text(title, text, (), ()), ALL_RARE)
        assert (found is not None) is (expected and is_dropped)


def test_the_projects_name_and_words_of_any_chat_are_no_evidence() -> None:
    rarity = Rarity(20, {}, project_terms=frozenset(count_terms("web-till")))
    assert not shares("Clean up the till", "The till rounds half up.", rarity)
    assert shares("Clean up the till's receipts", "Receipts of the till are narrow.", rarity)
    for prompt in ("Fix the import of the session", "I feel stuck this week", "Ask claude about the extra dependency"):
        assert not shares(prompt, "The session feels stuck: claude imports an extra dependency each week.")


def test_what_only_the_task_at_hand_shares_needs_two_terms() -> None:
    cues = cues_of("go on", "go on", "Print the receipts with their discount")
    assert evidence(cues, memory_text("", "Receipts are narrow.", (), ()), ALL_RARE) is None
    assert evidence(cues, memory_text("", "A receipt shows its discount.", (), ()), ALL_RARE) is not None


def test_a_prompt_in_quotation_marks_is_searched_and_a_quotation_within_it_is_not() -> None:
    receipts = memory_text("", "Receipts are narrow.", (), ())
    for prompt, expected in (
        ("“Review the receipts of the till.”", True),
        ('"Review the receipts of the till."\n', True),
        ('Somebody wrote "the receipts of the till are wide"', False),
    ):
        assert (evidence(recall_query(prompt).cues, receipts, ALL_RARE) is not None) is expected

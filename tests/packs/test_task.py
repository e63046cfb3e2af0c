"""The task fingerprint: what a conversation is about, not how it is worded."""

import re
from collections.abc import Callable, Collection

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.packs import (
    HEAD_CHARACTERS,
    clean_prompt,
    matches_query,
    mentioned_paths,
    referenced_items,
    search_query,
    work_query,
)
from sidecar.packs import task_of as task_of_prompt
from sidecar.packs.task import queries_of_requests
from sidecar.runs import RecentWork, Task
from tests.support.cases import together
from tests.support.depth import examples

KNOWN = re.compile(
    r"(?i)parcel|invoiceprinter|main\.tf|datenbankmigration|数据库|миграцию|io\.readall|session\.ts|update\.py|zebra|billing"
)
"""What the repository of these tests has, besides carts."""


def task_of(current: Task | None, prompt: str, touched: Callable[[], Collection[str]] = tuple) -> tuple[Task, bool]:
    return task_of_prompt(current, prompt, KNOWN.findall, touched)


CART = "Why does Cart.total ignore the discount in src/cart.py?"


@together(
    "follow_up",
    [
        "",
        "ok",
        "yes please, go on",
        "and now fix it",
        "run the tests again",
        "that is still wrong",
        "The discount should also apply to gift cards and vouchers and coupons",
        "what does apply_discount have to do with Cart.total?",
        "looks good, i.e. commit it, e.g. now",
        "v2 please",
        "👍",
        "/compact",
        "thanks!\n\nnext step",
        "sim, continua",
        "はい",
        "see src/cart.py",
        "And a property `is_empty`",
        "store them in SQLiteStore",
        "it has to call Verify.signature, not just look at the header",
        "What about gift_cards?",
        "good. Does main.tf need the new name too?",
    ],
)
def test_a_follow_up_continues_the_task_whatever_its_wording(follow_up: str) -> None:
    task, _ = task_of(None, CART)
    after, is_new = task_of(task, follow_up)
    assert not is_new
    assert (after.fingerprint, after.query, after.objective) == (task.fingerprint, task.query, task.objective)


@together(
    "switch",
    [
        "Send an e-mail to every customer when their parcel leaves the warehouse",
        "Rename InvoicePrinter to ReceiptPrinter",
        "Look at infra/terraform/main.tf",
        "Describe the database migration in infra/terraform/main.tf too",
        "Erkläre mir bitte die Datenbankmigration der Kundentabelle",
        "请解释数据库迁移是如何工作的",
        "Объясни миграцию таблицы клиентов",
    ],
)
def test_a_prompt_with_unrelated_names_starts_a_new_task(switch: str) -> None:
    task, _ = task_of(None, CART)
    after, is_new = task_of(task, switch)
    assert is_new
    assert after.fingerprint != task.fingerprint
    assert task_of(after, "go on")[0].fingerprint == after.fingerprint


@together(
    ("prompt", "objective"),
    [
        ("next: the discount of a parcel is ignored", "the discount of a parcel is ignored"),
        ("Great. Now something else: print the parcel label in src/cart.py", "print the parcel label in src/cart.py"),
        ("jetzt was anderes: das Parcel ist zu klein", "das Parcel ist zu klein"),
        ("別の話ですが、parcel の discount が小さい", "parcel の discount が小さい"),
        ("cambiando de tema: el parcel y su discount", "el parcel y su discount"),
        ("換句話說: parcel discount", None),
        ("別の話がある parcel discount", None),
        ("next step: weigh the parcel and its discount", None),
        ("something else is broken in the discount of a parcel", None),
        ("the next task: weigh the parcel with discount", None),
    ],
)
def test_an_announced_subject_starts_a_task_whatever_words_it_shares(prompt: str, objective: str | None) -> None:
    after, is_new = task_of(task_of(None, CART)[0], prompt)
    assert (is_new, after.objective) == (objective is not None, objective or CART)


def test_thanks_start_no_task_whatever_the_repository_contains() -> None:
    def task_in(current: Task | None, prompt: str) -> tuple[Task, bool]:
        return task_of_prompt(current, prompt, lambda text: ["clear"] if "clear" in text else KNOWN.findall(text))

    task, _ = task_in(None, CART)
    after, is_new = task_in(task, "thanks, that is clear")
    assert (is_new, after.objective) == (False, CART)
    greeting, _ = task_in(None, "hello")
    assert task_in(greeting, "thanks")[0].objective == "hello"
    assert task_in(greeting, "Why is the discount ignored?") == (task_in(None, "Why is the discount ignored?")[0], True)


def test_naming_a_symbol_of_a_changed_file_continues_the_task() -> None:
    task, _ = task_of(None, CART)
    assert task_of(task, "errors of io.ReadAll must not be dropped", lambda: {"ReadAll", "Cart"})[1] is False
    assert task_of(task, "errors of io.ReadAll must not be dropped", lambda: {"Cart"})[1] is True


def test_folder_names_are_not_terms_of_a_task() -> None:
    task, _ = task_of(None, "highlight in src/search/match.ts breaks on special characters")
    assert task_of(task, "Sessions expire too early: renew them in src/auth/session.ts")[1] is True
    assert task_of(task, "is there a test of match?")[1] is False


def test_a_shared_name_continues_the_task_even_if_its_words_are_common() -> None:
    switch = "Parcels leave the warehouse unweighed, see src/update.py for labels"
    assert task_of(task_of(None, "Why does src/update.py ignore discounts?")[0], switch)[1] is False
    assert task_of(task_of(None, "Why does src/review.py ignore discounts?")[0], switch)[1] is True
    task, _ = task_of(
        task_of(None, "Why does Cart ignore discounts?")[0], "ok, and src/update.py ignores discounts too"
    )
    assert task_of(task, switch)[1] is False


def test_a_task_grows_with_its_follow_ups() -> None:
    task, _ = task_of(None, CART)
    task, _ = task_of(task, "The discount should also apply to gift vouchers")
    _, is_new = task_of(task, "Print those vouchers on green paper with golden ink")
    assert not is_new


@together(
    ("prompt", "query"),
    [
        ("Please fix apply_discount in src/cart.py", "apply apply_discount discount fix src/cart.py"),
        ("fix(router): trim the slash, would you?", "fix(router): fix router slash trim"),
        ("ok great, explain the tests of the cart", "cart tests"),
        ("go on", ""),
        ("now something else: trim the slash", "slash trim"),
        ("add a retry link", "link retry"),
        ("CI is failing on Windows", "CI Windows failing"),
        ("fix the Windows CI", "CI Windows fix"),
        ("the linter fails on CI", "CI fails linter"),
        ("run the slow checks in CI again", "CI checks run slow"),
        ("the CI should install Windows fonts", "CI Windows fonts install"),
        ("add a Windows job to our CI", "CI Windows job"),
        ("the limit is reached in our CI, raise it", "limit raise reached"),
        ("trim the slash so that CI passes", "passes slash trim"),
        ("ok, retry the tests", "tests"),
        ("hello, the hello page is empty", "empty page"),
        ("the error of Cart.total and of Cart.total", "Cart.total error"),
        ("修复折扣", "discount fix 修复折扣 复折 折扣"),
        ("Receipts lose the discount. Fix it and add a test, then commit.", "Receipts discount"),
        ("docs: explain vouchers", "docs: vouchers"),
        ("fix(docs): explain vouchers", "fix(docs): vouchers"),
        ("docs(cart): mention vouchers", "docs(cart): cart mention vouchers"),
        ("document the voucher option", "docs: document option voucher"),
        ("The cart drops vouchers. Fix it and update the docs.", "cart drops vouchers"),
        ("Look at db.py, src/ui.ts and a1.go", "a1.go db.py src/ui.ts"),
        ("Why is a.id empty at 5 p.m., e.g. in the U.S.?", "empty"),
    ],
)
def test_the_search_query_has_scope_names_paths_and_kinds(prompt: str, query: str) -> None:
    """Words of a path would match all its neighbours; `tests` restricts the kind of file."""
    assert search_query(prompt) == query


def test_the_places_that_a_long_prompt_names_stay_in_its_search_query() -> None:
    words = " ".join(f"voucher{at} discount{at}" for at in range(400))
    query = search_query(f'The build fails\n\n{words}\n\nTraceback:\n  File "src/cart.py", line 12, in total\n')
    assert "at total (src/cart.py:12)" in query
    assert "discount1 " in query
    errors = "".join(f"src/cart_{at}.c:12:5: error: expected ;\n" for at in range(1_000))
    assert len(search_query(f"The build fails\n\n{words}\n\n{errors}").partition("\f")[0]) <= 4_000


def test_a_single_line_that_names_a_place_is_searched_by_it() -> None:
    assert "src/cart.go:12" in search_query("src/cart.go:12:5: undefined: total")


@pytest.mark.parametrize(
    ("follow_up", "same"),
    [("In src/cart.py, why does the discount ignore Cart.total?", True), ("and the invoice printer?", False)],
)
def test_word_order_does_not_matter(follow_up: str, same: bool) -> None:
    assert matches_query(follow_up, task_of(None, CART)[0].query) is same


def test_a_prompt_in_another_language_is_itself_again() -> None:
    prompt = "Der Rabatt fehlt in der Summe der Rechnung"
    assert {"discount", "invoice"} <= set(search_query(prompt).split())
    assert matches_query(prompt, task_of(None, prompt)[0].query)


def test_mention_markers_are_not_terms() -> None:
    task, _ = task_of(None, "Explain @[file:local:src/cart.py] please")
    assert not set(task.terms) & {"local"}
    _, is_new = task_of(task, "Rewrite @[file:local:infra/main.tf] with @[skill:terraform]")
    assert is_new
    assert mentioned_paths("a @[file:local:src/a b.py] @[folder:local:docs] @[skill:x] @[file:bad") == (
        ["src/a b.py"],
        ["docs"],
    )


@pytest.mark.parametrize(
    "secret",
    ["sk-live-abcdefghijklmnop1234", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", 'password = "correct-horse-battery"'],
)
def test_no_secret_is_among_a_tasks_words(secret: str) -> None:
    task, _ = task_of(None, f"Use {secret} to log in to the billing service")
    grown, _ = task_of(task, f"the billing service says {secret} is wrong")
    value = secret.rsplit(" ", 1)[-1].strip('"')
    assert value not in str((task, grown))
    assert value.casefold().split("-")[-1] not in str((task, grown))


def test_only_both_ends_of_a_huge_prompt_are_read() -> None:
    huge = "why does the cart fail? " + "zebra " * HEAD_CHARACTERS + " please explain the discount"
    task, _ = task_of(None, huge)
    assert {"cart", "discount"} <= set(task.terms)
    assert len(clean_prompt(huge)) < HEAD_CHARACTERS * 2
    assert len(task.query) < 5_000
    assert len(task.objective) <= 300


@settings(max_examples=examples(100, 12))
@given(st.text(max_size=400), st.text(max_size=200))
def test_a_fingerprint_is_deterministic_and_never_moves_within_a_task(first: str, second: str) -> None:
    task, is_new = task_of(None, first)
    assert is_new
    assert task_of(None, first) == (task, True)
    after, new_again = task_of(task, second)
    assert (after.fingerprint == task.fingerprint) or new_again
    assert task_of(task, first) == (task, False) or not task.terms + task.names


@pytest.mark.parametrize(
    "follow_up",
    [
        "Let me setup that scenario. 1 sec.",
        "No man, let's use 12 chars instead of 10",
        "paint walls purple tomorrow morning",
        "Corrige isso agora, o resultado ficou errado",
    ],
)
def test_words_that_the_repository_lacks_start_no_task(follow_up: str) -> None:
    first, _ = task_of(None, "round the discount of the cart")
    assert task_of(first, "paint zebras")[1]
    assert not task_of(first, follow_up)[1]


ANSWER = """I found these problems:

19. `cart.py`: totals are floats.
20. **Mail**: the sender is not checked
21. **`invoice_of`** prints the object.
    It should list the lines.
26) Missing test of `apply_discount`
31. README: outdated

Shall I fix some of them?
"""


@together(
    ("prompt", "count", "words"),
    [
        ("address 21, 26, 31", 3, "invoice_of should list apply_discount README"),
        ("fix #20 please", 1, "Mail"),
        ("ok, 19-21", 3, "floats sender invoice_of"),
        ("resolve os pontos 19 e 26", 2, "floats apply_discount"),
        ("21と31を直して", 2, "invoice_of README"),
        ("fix #20 and #26 in 5 minutes", 2, "Mail apply_discount"),
        ("20 and 26 please", 2, "Mail apply_discount"),
        ("numbers 19-21 first", 3, "floats sender invoice_of"),
        ("ok 31", 1, "README"),
        ("is 20 done?", 1, "Mail"),
        ("mach 20 und 26 bitte", 2, "Mail apply_discount"),
        ("haz el 20 y el 26", 2, "Mail apply_discount"),
        ("corrige les points 19 à 21", 3, "floats sender invoice_of"),
        ("fai il 20 per favore", 1, "Mail"),
        ("doe 20 en 26", 2, "Mail apply_discount"),
        ("исправь 20 и 26", 2, "Mail apply_discount"),
        ("第20个和第26个", 2, "Mail apply_discount"),
        ("No man, let's use 12 chars instead of 10", 0, ""),
        ("set the timeout to 26s in v2.21", 0, ""),
    ],
)
def test_a_number_refers_to_the_list_in_the_last_answer(prompt: str, count: int, words: str) -> None:
    items = referenced_items(prompt, ANSWER)
    assert len(items) == count
    assert all(word in " ".join(items) for word in words.split())
    assert referenced_items(prompt, "Done: 21 tests pass.") == []


@pytest.mark.parametrize(
    "prompt",
    [
        "Let me setup that scenario. 20 sec.",
        "No man, let's use 31 chars instead of 20",
        "it fails 20 times out of 21",
        "we need 20 more minutes",
        "wait 20 s",
        "20 of the tests fail",
        "python 20 please",
        "set the timeout to 20",
        "see line 21",
        "gib mir 20 Minuten",
        "dame 20 minutos, más de 19",
        "attends 20 secondes",
        "espera 20 segundos",
        "ho 20 domande",
        "geef me 20 minuten",
        "подожди 20 с",
        "20分待って",
        "用21个字符代替20个",
    ],
)
def test_a_quantity_a_version_or_a_value_refers_to_no_item(prompt: str) -> None:
    assert referenced_items(prompt, ANSWER) == []


def test_the_query_after_a_compaction_is_made_of_recent_work() -> None:
    task, _ = task_of(None, "Why does the cart ignore the discount?")
    for prompt in ("and it should round up", "then print vouchers", "and use the golden ink", "then sign it"):
        task, is_new = task_of(task, prompt)
        assert not is_new
    work = RecentWork(("src/ink.py",), ("src/paper.py",), "I changed `mix_colors`.")
    words = work_query(task, work).split()
    assert {"src/ink.py", "src/paper.py", "mix_colors", "vouchers", "golden", "sign"} <= set(words)
    assert "discount" not in words
    assert work_query(task, RecentWork()) == task.query


def test_greetings_in_scripts_without_spaces_begin_no_task() -> None:
    parcels, _ = task_of(None, "Fix the parcel labels")
    for greeting in ("你好", "谢谢", "您好", "안녕하세요", "감사합니다"):
        assert task_of(parcels, greeting) == (parcels, False), greeting


@pytest.mark.parametrize(
    ("prompt", "subjects"),
    [
        (
            "Add a note to the order form, then fix the mail sender and update the stock job",
            ["order", "sender", "stock"],
        ),
        ("1. Round the cart total\n2. Show the invoice date\n", ["cart", "invoice"]),
        ("The till must open at noon. And the mail sender needs a timeout.", ["till", "sender"]),
        ("Runde die Summe im cart und auch die Steuer in der invoice", ["cart", "invoice"]),
        ("The till must open at noon. The mail sender needs a timeout.", []),
        ("Fix the cart total so that it has no cents", []),
        ("Add a phone to the customer form and also show it on the invoice page", []),
        ('Fix the cart total:\nTraceback\n  File "src/cart.py", line 6, in total\nAlso open the till at noon', []),
        ("Round the cart total.\n```\ntotal = 1\n```\nAlso show the invoice date.", []),
    ],
)
def test_a_prompt_with_several_subjects_has_a_query_for_each(prompt: str, subjects: list[str]) -> None:
    queries = queries_of_requests(prompt)
    assert len(queries) == len(subjects), queries
    for query, subject in zip(queries, subjects, strict=True):
        assert subject in query.split()

"""Short requests about the work before them: its tests and documents, that test, the same beside it."""

import pytest

from sidecar.codebase import RankedFile
from sidecar.packs.file_cutoff import siblings_first
from sidecar.packs.prompt_text import (
    MAX_OTHERS,
    TESTS_OF,
    asks_for_documents_of_work,
    name_whose_uses_are_sought,
    number_of_others,
)
from tests.packs.context.test_follow_ups import play_request_for_tests
from tests.support.repositories import Contents, Repository
from tests.support.shop import PROMPT, StartChat, text_of

EDITED = "packages/till/src/open.js"
CLOCK = "it('closes at night', () => {\n  setClock(23)\n  expect(closed()).toBe(true)\n})\n"
PACKAGES: dict[str, Contents] = {
    "package.json": "{}",
    **{f"packages/{name}/package.json": "{}" for name in ("till", "cart", "mail")},
    EDITED: "export function opened(hour) {\n  return hour > 8\n}\n",
    "packages/till/src/drawer.test.js": "it('has a drawer', () => {\n  expect(1).toBe(1)\n})\n",
    "packages/till/README.md": "# Till\n\nA till is `opened` in the morning.\n",
    "README.md": "# Shop\n\nSome packages.\n",
    "packages/cart/src/open.test.js": f"import {{ opened }} from './open'\n\n{CLOCK}",
    "packages/mail/src/clock.test.js": CLOCK.replace("night", "noon"),
}


def paths_below_packages(text: str) -> list[str]:
    """Return the files of a context block."""
    return [line.split(" ")[0] for line in text.splitlines() if line.startswith(("packages/", "README"))]


@pytest.fixture(autouse=True)
def _packages(shop: Repository) -> None:
    shop.commit(PACKAGES)


def test_requested_tests_and_documents_are_those_of_the_edited_package(start_chat: StartChat, shop: Repository) -> None:
    test, readme = "packages/till/src/drawer.test.js", "packages/till/README.md"
    for follow_up, expected in (
        ("now the tests", [test]),
        ("go on with the tests", [test]),
        ("nah leave that. tests for opened please, with a fake clock", [test]),
        ("now the readme", [readme]),
        ("now the tests and the readme", [readme, test]),
        ("jetzt noch tests, dann committen", [test]),
        ("und noch in der doku erwähnen, dann committen", [readme]),
    ):
        shop.write({EDITED: PACKAGES[EDITED]})
        edited = str(PACKAGES[EDITED]).replace("> 8", "> 9")
        chat = start_chat(sub_chat_id=f"of {follow_up}")
        text = play_request_for_tests(chat, PROMPT, EDITED, edited, follow_up)
        assert sorted(paths_below_packages(text)) == expected, follow_up


def test_requested_documents_are_those_with_the_name_of_the_edited_file(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.commit({"docs/open.md": "# Opening hours\n\nThe till opens in the morning.\n"})
    edited = str(PACKAGES[EDITED]).replace("> 8", "> 9")
    for follow_up, expected in (("mention it in the docs", set()), ("now the readme", {"packages/till/README.md"})):
        shop.write({EDITED: PACKAGES[EDITED]})
        chat = start_chat(sub_chat_id=f"of {follow_up}")
        text = play_request_for_tests(chat, PROMPT, EDITED, edited, follow_up)
        assert {path for path in ("docs/open.md", "packages/till/README.md") if path in text} == {
            "docs/open.md",
            *expected,
        }


def test_a_request_for_documents_names_nothing_else() -> None:
    requests = (
        "mention it in the docs too", "document that", "and in the readme, then commit and push",
        "documente isso e depois faz commit", "y en la documentación también", "et dans la doc aussi",
    )  # fmt: skip
    others = ("fix the docs link in the header", "the readme is wrong", "document the poller", "commit")
    assert list(filter(asks_for_documents_of_work, (*requests, *others))) == list(requests)


@pytest.mark.parametrize("report", ["the tests for opened fail", "fix it. the tests for opened are red now"])
def test_a_report_of_failing_tests_is_no_request_for_tests(report: str) -> None:
    assert TESTS_OF.search(report) is None
    assert TESTS_OF.search("the tests for opened please") is not None


def test_that_test_is_the_one_that_failed_before(start_chat: StartChat) -> None:
    failing = "FAIL packages/cart/src/open.test.js > closes at night\n\nsince yesterday, why?"
    for follow_up in ("skip that test for now", "ok then fake the clock in that test, don't touch the code"):
        chat = start_chat(sub_chat_id=f"of {follow_up}")
        chat.turn(failing, session=f"session of {follow_up}")
        assert set(paths_below_packages(text_of(chat.pre_run(follow_up), "context"))) <= {
            "packages/cart/src/open.test.js"
        }, follow_up


def test_the_same_for_the_others_means_the_files_beside_the_edited_one() -> None:
    matched = {"config.py": 1, "plugins/mail.py": 1, "plugins/log.py": 0, "lib/both.py": 2}
    ranked = [RankedFile(path, 5.0, {}, ("plugin", "sms")[:count], ()) for path, count in matched.items()]
    beside = [file.path for file in siblings_first(ranked, frozenset({"plugin"}), ("plugins/sms.py",))]
    assert beside == ["plugins/mail.py", "config.py", "plugins/log.py", "lib/both.py"]
    both = siblings_first(ranked, frozenset({"plugin", "sms"}), ("plugins/sms.py",))
    assert [file.path for file in both] == list(matched), "another file has more words of the other place"
    assert siblings_first(ranked, frozenset({"other"}), ("plugins/sms.py",)) == ranked, "none has its words"
    weak = [file._replace(score=1.0) for file in ranked]
    assert siblings_first(weak, frozenset({"plugin"}), ("plugins/sms.py",)) == weak


HANDLERS: dict[str, Contents] = {
    **{
        f"hooks/{name}.ts": f"export function {name}(order) {{\n  return order.{name}\n}}\n"
        for name in ("refund", "chargeback", "dispute")
    },
    "jobs/job_nightly.py": "def run() -> None:\n    print('night')\n",
    "jobs/job_weekly.py": "def run() -> None:\n    print('week')\n",
    "jobs/queue.py": "SIZE = 1\n",
    "lib/money.py": "".join(
        f"def round_{name}(value):\n    value += 1  # as the bank does\n    return value\n\n\n"
        for name in ("half_up", "half_down", "to_even")
    ),
    "notes/limits.txt": "limit 0\n",
}
ONE, TWO, SEVERAL = "Same for the other one", "do the same for the other two", "now the others"


@pytest.fixture
def handlers(shop: Repository) -> Repository:
    """Files in rows, of which one changes with another subject's."""
    shop.commit(HANDLERS)
    for number in range(4):
        row = f"export function refund(order) {{\n  return {number}\n}}\n"
        shop.commit({"hooks/refund.ts": row, "notes/limits.txt": f"limit {number}\n"}, f"Adjust {number}")
    return shop


def test_the_others_are_those_named_beside_what_was_edited(start_chat: StartChat, handlers: Repository) -> None:
    refund, named = "hooks/refund.ts", "Guarded `hooks/refund.ts`; `hooks/chargeback.ts`"
    both = f"{named} and `hooks/dispute.ts` have the same gap. See `notes/limits.txt`."
    rounding = "Renamed the value in `round_half_up`; `round_to_even` has it, too."
    for edited, answer, follow_up, expected in (
        (refund, f"{named} has the same gap.", ONE, ["hooks/chargeback.ts"]),
        (refund, both, TWO, ["hooks/chargeback.ts", "hooks/dispute.ts"]),
        (refund, both, "jetzt noch die anderen", ["hooks/chargeback.ts", "hooks/dispute.ts"]),
        (refund, "The refund is guarded, the dispute is not.", "and the other?", ["hooks/dispute.ts"]),
        (refund, "Guarded it.", SEVERAL, []),
        ("jobs/job_nightly.py", "Guarded it.", ONE, ["jobs/job_weekly.py"]),
        ("jobs/queue.py", "Guarded it.", ONE, []),
        ("lib/money.py", rounding, ONE, ["lib/money.py"]),
    ):
        handlers.write(HANDLERS)
        content = str(HANDLERS[edited]).replace("value", "amount", 3) + ("" if "money" in edited else "\n")
        chat = start_chat(sub_chat_id=f"{edited} {answer} {follow_up}")
        before = chat.pre_run(PROMPT)
        part = {**chat.edit(edited, content), "type": "tool-Edit"}  # the session has no more of the file than this
        chat.post_run(before, PROMPT, session=chat.sub_chat_id, assistant={"text": answer, "parts": [part]})
        text = text_of(chat.pre_run(follow_up), "context")
        folders = ("hooks/", "jobs/", "lib/", "notes/")
        assert sorted(line.split(" ")[0] for line in text.splitlines() if line.startswith(folders)) == expected, answer
        assert "half_down" not in text, "not the edited one's neighbour"


def test_the_others_are_those_that_use_what_was_renamed(start_chat: StartChat, handlers: Repository) -> None:
    use = "from lib.money import round_half_up\n\n\ndef {0}(value):\n    return round_half_up(value)\n"
    users = {f"lib/{name}.py": use.format(name) for name in ("invoice", "refund")}
    handlers.commit({**users, "jobs/half_up.py": "def half_up(round):\n    return round\n"})
    for edited, follow_up, expected in (
        ("round_half_up", "now the other files", [*users]),
        ("round_half_up", "and all the callers please", [*users]),
        ("round_half_up", "hm, you forgot some", [*users]),
        ("as the bank does", "now the other files", []),
    ):
        handlers.write({"lib/money.py": HANDLERS["lib/money.py"]})
        content = str(HANDLERS["lib/money.py"]).replace(edited, "commercially")
        chat = start_chat(sub_chat_id=f"{edited} {follow_up}")
        before = chat.pre_run(PROMPT)
        done = {"text": "Done.", "parts": [{**chat.edit("lib/money.py", content), "type": "tool-Edit"}]}
        chat.post_run(before, PROMPT, session=chat.sub_chat_id, assistant=done)
        text = text_of(chat.pre_run(follow_up), "context")
        assert sorted(line for line in text.splitlines() if line.startswith(("lib/", "jobs/"))) == expected, follow_up
        assert text.count("round_half_up(value)") == len(expected)


def test_another_use_of_other_points_at_nothing_left() -> None:
    for prompt in (
        "the other day", "other than that", "on the other hand", "every other one", "the others are fine",
        "make the other one blue", "no, not this one, the other one", "the other tests", "the other way round", "他",
        "you forgot something", "the rest is fine", "let it rest", "you missed one of the tests in the till",
    ):  # fmt: skip
        assert number_of_others(prompt) == 0, prompt
    for number, prompts in (
        (1, (ONE, "now the other", "fix the other one too", "y ahora la otra", "et l'autre ?", "另一个也改一下")),
        (2, (TWO, "und jetzt die anderen beiden", "les deux autres aussi")),
        (MAX_OTHERS, (SEVERAL, "the remaining ones please", "残りもお願いします", "now the rest", "y ahora el resto")),
    ):
        assert [number_of_others(prompt) for prompt in prompts] == [number] * len(prompts)


def test_a_bare_changelog_is_that_of_the_edited_package(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"CHANGELOG.md": "# Changelog\n", "packages/till/CHANGELOG.md": "# Changelog\n\n- A till.\n"})
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit(EDITED, "export function opened(hour) {\n  return hour > 9\n}\n")])
    text = text_of(chat.pre_run("changelog?"), "context")
    assert [line.split(" ")[0] for line in text.splitlines() if "CHANGELOG.md" in line] == [
        "packages/till/CHANGELOG.md"
    ]


def test_of_a_file_that_is_only_named_the_part_of_the_task_is_shown(start_chat: StartChat, shop: Repository) -> None:
    parts = "".join(f"def print_name_{n}(paper):\n    paper.feed({n})\n    return paper.name\n\n\n" for n in range(40))
    chat = start_chat()
    chat.turn(PROMPT)
    shop.commit({"till/printer.py": f"{parts}def print_discount(cart):\n    return cart.discount.percent\n\n\n{parts}"})
    chat.turn("go on")
    text = text_of(chat.pre_run("ok. does till/printer.py need the new name, too?"), "context")
    assert "cart.discount.percent" in text
    shop.write({"till/printer.py": f"{parts}def feed_paper(paper):\n    return paper.feed(0)\n"})
    other = text_of(chat.pre_run("in till/printer.py, how does feed_paper feed the paper?"), "context")
    assert "def feed_paper" in other


CALLS: dict[str, Contents] = {
    "lib/bank.py": "def round_up(value):\n    return value // 1\n\n\ndef charge(cost):\n    return round_up(cost)\n",
    "lib/bill.py": "from lib.bank import round_up\n\n\ndef bill(total):\n    return round_up(total)\n",
    "lib/page.py": "def page(total):\n    return total  # not round_upwards\n",
    "lib/store.rb": "class Store\n  def save(item)\n    item\n  end\nend\n",
    "lib/keeper.rb": "class Keeper\n  def keep(item)\n    Store.new.save(item)\n  end\nend\n",
    **{
        f"lib/saver_{number}.rb": f"class Saver{number}\n  def save(it)\n    save(it)\n  end\nend\n"
        for number in range(4)
    },
    "tests/test_bill.py": "from lib.bank import round_up\n\n\ndef test_rounds():\n    assert round_up(1.5) == 2\n",
}


def test_a_question_who_uses_it_brings_the_code_that_uses_what_was_edited_last(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.commit({**CALLS, **HANDLERS})
    rounding = [
        ("lib/bank.py", "round_up(cost)"), ("lib/bill.py", "round_up(total)"), ("tests/test_bill.py", "round_up(1.5)"),
    ]  # fmt: skip
    for edited, old, question, expected in (
        ("lib/bank.py", "// 1", "who calls this?", rounding),
        ("lib/bank.py", "// 1", "Where else is this function used?", rounding),
        ("lib/bank.py", "// 1", "wo wird das noch verwendet?", rounding),
        ("lib/bank.py", "// 1", "who calls bill?", []),
        ("lib/bill.py", "(total)", "who calls round_up?", rounding),
        ("lib/page.py", "total  #", "any other callers?", []),
        ("lib/store.rb", "    item\n", "what else uses it?", [("lib/keeper.rb", "Store.new")]),
    ):
        shop.write(CALLS)
        chat = start_chat(sub_chat_id=f"{edited} {question}")
        before = chat.pre_run("make the page of refunds open")
        content = str(CALLS[edited]).replace(old, f"{old} ", 1)
        part = {**chat.edit(edited, content), "type": "tool-Edit"}
        chat.post_run(before, PROMPT, session=chat.sub_chat_id, assistant={"text": "Done.", "parts": [part]})
        text = text_of(chat.pre_run(question), "context")
        shown = {line for line in text.splitlines() if line.startswith(("lib/", "tests/", "jobs/", "hooks/"))}
        assert shown <= {path for path, _ in expected}, question
        sent = text_of(before, "context") + text  # a file of an earlier conversation came with the first prompt
        assert all(use in sent for _, use in expected), question


def test_a_question_for_uses_is_no_other_question() -> None:
    for prompt, name in (
        ("who calls it", ""), ("ok, and where is that method called from?", ""), ("callers?", ""),
        ("what depends on `Cart.total`?", "Cart.total"), ("is this used anywhere else?", ""),
        ("which components use this hook?", ""), ("where do we call `charge()`?", "charge"), ("wer ruft das auf?", ""),
        ("¿dónde más se usa esto?", ""), ("quem chama essa função?", ""), ("qui appelle ça ?", ""),
        ("还有哪里用到这个函数", ""), ("この関数は他にどこで使われていますか", ""),
    ):  # fmt: skip
        assert name_whose_uses_are_sought(prompt) == name, prompt
    for prompt in (
        "where is it?", "what is this used for?", "is this used?", "where is the session stored?", "users",
        "who uses this app?", "what calls for a refactoring?", "where did you put it?", "which one do you use?",
        "where are they now", "use it everywhere", "call it charge", "what needs to be done?",
    ):  # fmt: skip
        assert name_whose_uses_are_sought(prompt) is None, prompt


def test_the_same_for_another_definition_beside_the_edited_one_brings_that_one(
    start_chat: StartChat, shop: Repository
) -> None:
    filler = "".join(f"def step_{number}(value):\n    return value + {number}\n\n\n" for number in range(80))
    marks = (
        f"def set_star(item):\n    return item\n\n\n{filler}def set_rating(item):\n    return checked_mark(item)\n\n\n"
        "def checked_mark(item):\n    return item or 0\n"
    )
    others = {f"web/rating_{name}.py": f"def show_rating_{name}(it):\n    return it\n" for name in ("list", "form")}
    for follow_up, expected in (
        ("same for the rating", "lib/marks.py"),
        ("same for the rating form", "web/rating_form.py"),
    ):
        shop.commit({"lib/marks.py": marks, **others, "notes/limits.txt": follow_up})
        chat = start_chat(sub_chat_id=follow_up)
        before = chat.pre_run(PROMPT)
        changed = marks.replace("return item\n", "return item or None\n", 1)
        part = {**chat.edit("lib/marks.py", changed), "type": "tool-Edit"}
        chat.post_run(before, PROMPT, session=follow_up, assistant={"text": "Done.", "parts": [part]})
        text = text_of(chat.pre_run(follow_up), "context")
        assert next(line for line in text.splitlines() if line.startswith(("lib/", "web/"))) == expected, follow_up
        assert ("def checked_mark" in text) == ("def set_rating" in text) == (expected == "lib/marks.py")

"""Events of post-run: once each, whatever their wording; user decisions are final."""

from functools import partial
from typing import Any

import pytest

from sidecar.capture.devlog_draft import devlog, shown_event_lines
from sidecar.capture.test_results import Verdict, VerdictChange, fixes
from sidecar.language.closing_message import AccountStatement, Candidate, WorkAccount
from sidecar.language.own_words import request_of
from tests.support.conversation import Conversation, bash
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, draft_each_change, set_settings

RED = "FAILED tests/test_cart.py::test_total - assert 1 == 2\n1 failed, 3 passed in 0.1s\n"
GREEN = "4 passed in 0.1s\n"
REPAIR = (
    "Fixed the total of a cart with discounts in `src/cart.py`.\n\n"
    "The problem was that the discount was subtracted twice, so `x` was wrong."
)


def drafts(chat: Conversation, kind: str = "devlog") -> list[Any]:
    """Return the drafts of a type with their texts, oldest first."""
    artifacts = chat.client.request("artifact/list", {"projectPath": str(chat.cwd), "type": kind})["artifacts"]
    artifacts.sort(key=lambda artifact: (artifact["createdAt"], artifact["id"]))
    return [chat.artifact(artifact["id"]) for artifact in artifacts]


def red(chat: Conversation, number: int = 1) -> None:
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", f"x = {number}\n"), bash("pytest", RED)], text="Done.")


def green(chat: Conversation, number: int = 2, prompt: str = "go on") -> None:
    chat.turn(prompt, lambda: [chat.edit("src/cart.py", f"x = {number}\n"), bash("pytest", GREEN)], text="Done.")


def test_a_fixed_test_is_mentioned_in_the_entry_and_closes_it(start_chat: StartChat) -> None:
    chat = start_chat()
    red(chat)
    assert drafts(chat) == []
    green(chat)
    (entry,) = drafts(chat)
    assert entry["event"] == "testsFixed"
    assert entry["title"] == "Fixed: `tests/test_cart.py::test_total` (pytest)"
    assert "\n\nFixed: `tests/test_cart.py::test_total` (pytest).\n\n" in entry["body"]
    assert "Changed over 2 runs" in entry["body"]
    chat.turn("go on", lambda: [chat.edit("src/mail.py", "x = 3\n")])
    assert [draft["event"] for draft in drafts(chat)] == ["testsFixed"]


def test_the_cause_in_an_entry_is_the_one_of_the_fixed_tests(start_chat: StartChat) -> None:
    chat = start_chat()
    text = "I cached the plugins in `plugins()`. The flag is still a global because the loader must run several times."
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", "x = 1\n"), bash("pytest", RED)], text=text)
    text = "Fixed. The test clears it.\n\nRoot cause: `lru_cache` kept the list from before the registration."
    chat.turn("fix the test", lambda: [chat.edit("src/cart.py", "x = 2\n"), bash("pytest", GREEN)], text=text)
    (entry,) = drafts(chat)
    assert "**Cause:** `lru_cache` kept the list from before the registration.\n" in entry["body"]
    assert "the loader must run" not in entry["body"]


def test_a_run_that_only_runs_the_fixed_tests_closes_the_entry(start_chat: StartChat) -> None:
    chat = start_chat()
    red(chat)
    chat.turn("run the tests again", lambda: [bash("pytest", GREEN)])
    (entry,) = drafts(chat)
    assert entry["event"] == "testsFixed"
    assert entry["provenance"]["files"] == ["src/cart.py"]


def test_tests_fixed_by_others_are_not_an_event(start_chat: StartChat) -> None:
    chat, other = start_chat(), start_chat(sub_chat_id="other")
    red(chat)
    other.turn("run the tests", lambda: [bash("pytest", GREEN)], session="other")
    assert drafts(chat) == []


def test_tests_fixed_twice_are_one_event_within_the_window(start_chat: StartChat, active: MemorySidecar) -> None:
    chat = start_chat()
    red(chat)
    green(chat)
    red(chat, 3)
    green(chat, 4, "make the suite pass once more, please")
    assert [draft["event"] for draft in drafts(chat)].count("testsFixed") == 1
    active.clock.advance(25 * 3_600_000)
    red(chat, 5)
    green(chat, 6)
    assert [draft["event"] for draft in drafts(chat)].count("testsFixed") == 2


def test_a_test_that_the_run_broke_itself_is_not_an_event(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(
        PROMPT,
        lambda: [chat.edit("src/cart.py", "x = 1\n"), bash("pytest", RED), bash("pytest", GREEN)],
        text=REPAIR,
    )
    assert drafts(chat) == []


def test_a_test_fixed_within_one_run_is_an_event_and_a_resolution(start_chat: StartChat) -> None:
    chat = start_chat()
    after = chat.turn(
        PROMPT,
        lambda: [
            bash("pytest tests/test_cart.py", RED),
            chat.edit("src/cart.py", "x = 1\n"),
            bash("pytest", GREEN),
        ],
        text=REPAIR,
    )["after"]
    assert [draft["event"] for draft in drafts(chat)] == ["testsFixed"]
    (resolution,) = after["remembered"]
    detail = chat.client.request("memory/get", {"cwd": str(chat.cwd), "id": resolution["id"]})
    assert detail["type"] == "resolution"
    assert "tests/test_cart.py::test_total failed" in detail["text"]


@pytest.mark.parametrize(
    ("text", "titles"),
    [(REPAIR, ["Fixed the total of a cart with discounts in `src/cart.py`"]), ("Added totals of a cart.", [])],
)
def test_a_fix_whose_test_was_written_first_is_an_entry_if_its_cause_is_stated(
    start_chat: StartChat, text: str, titles: list[str]
) -> None:
    chat = start_chat()
    steps = (("tests/test_cart.py", "def test_total(): pass\n", RED), ("src/cart.py", "x = 1\n", GREEN))

    def work() -> list[dict[str, Any]]:
        return [part for path, code, output in steps for part in (chat.edit(path, code), bash("pytest", output))]

    chat.turn(PROMPT, work, text=text)
    assert [(draft["event"], draft["title"]) for draft in drafts(chat)] == [("testsFixed", each) for each in titles]


def test_a_resolution_is_archived_once_the_user_pastes_its_error_again(start_chat: StartChat) -> None:
    chat = start_chat()
    error = "src/cart.py(%d,1): error CS0019: Operator '/' fits no 'CartTotal'"
    text = "The build failed because CartTotal had no operator, so I added one."
    work = partial(chat.edit, "src/cart.py", "class CartTotal: ...\n")
    first = chat.turn(f"{error % 4}\nfix this", lambda: [work()], text=text)["after"]
    (resolution,) = first["remembered"]
    parameters = {"cwd": str(chat.cwd), "id": resolution["id"]}
    stored = chat.client.request("memory/get", parameters)
    assert "The error was `src/cart.py(4,1): error CS0019: Operator '/' fits no 'CartTotal'`." in stored["text"]
    second = chat.turn(f"still\n{error % 7}", lambda: [work()], text="Done.")["after"]
    assert second["remembered"] == []
    assert (stored["archived"], chat.client.request("memory/get", parameters)["archived"]) == (False, True)


def test_a_commit_message_names_the_entry_of_the_runs_before_it(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", "x = 1\n" * 130)], text="Done.")
    assert drafts(chat) == []
    message = "fix: round the discount of odd amounts\n\nThe discount was a float, so large carts lost a cent."
    chat.turn("commit it", lambda: [bash(f"git commit -m '{message}'", "")], text="Committed.")
    (entry,) = drafts(chat)
    assert entry["title"] == "Round the discount of odd amounts"
    assert "**From the commit:** The discount was a float, so large carts lost a cent" in entry["body"]
    assert "`src/big.py`" in entry["body"]


def test_what_failed_on_the_way_is_not_evidence() -> None:
    stated = (
        AccountStatement("evidence", "2 tests failed because of the guard.", 1.0),
        AccountStatement("evidence", "0 failed, 9 passed.", 1.0),
    )
    account = WorkAccount(stated, Candidate("Round the discount", 9.0, names_whole=True))
    green = devlog("Round the discount", [], account, ["pytest: passing"], 1).body
    assert "0 failed, 9 passed." in green
    assert "guard" not in green
    assert "guard" in devlog("Round the discount", [], account, ["pytest: failing: test_total"], 1).body


def test_an_end_that_an_event_of_the_entry_fixes_is_not_open() -> None:
    stated = (
        AccountStatement("open", "TestClientAddress still fails, because the engine trusts every proxy.", 1.0),
        AccountStatement("open", "TestLogger still fails on Windows.", 1.0),
        AccountStatement("open", "TestClientAddress has no case for IPv6 yet.", 1.0),
    )
    account = WorkAccount(stated, Candidate("Strip the port", 9.0, names_whole=True))
    event = ("Fixed: `shop › TestClientAddress` (go test).",)
    fixed = devlog("Strip the port", [], account, ["go test: passing"], 2, event).body
    assert "trusts every proxy" not in fixed
    assert "TestLogger still fails" in fixed
    assert "no case for IPv6" in fixed
    red_again = devlog("Strip the port", [], account, ["go test: failing: TestClientAddress"], 2, event).body
    assert "trusts every proxy" in red_again
    assert "trusts every proxy" in devlog("Strip the port", [], account, ["go test: passing"], 2).body


def test_a_deleted_test_is_not_a_fix() -> None:
    names = ("tests/test_a.py::test_b",)
    change = VerdictChange("pytest", Verdict(), names, was_red=True, repaired=names, was_broken=True)
    assert fixes([change], {"src/a.py": "1"}) == []
    (event,) = fixes([change], {"tests/test_a.py": "1"})
    assert event.line == "Fixed: `tests/test_a.py::test_b` (pytest)."
    assert fixes([change._replace(after=Verdict({"x": ""}))], {"tests/test_a.py": "1"}) == []
    whole = VerdictChange("go test", Verdict(), (), was_red=True, was_broken=True)
    assert [event.line for event in fixes([whole], {})] == ["Fixed: go test passes again."]
    assert fixes([whole._replace(was_broken=False)], {}) == []


def test_an_entry_that_the_user_edited_is_not_extended(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", "x = 1\n" * 120)])
    (edited,) = drafts(chat)
    update = chat.decide("update", edited["id"], body="# Mine\n\nThe user's own words.\n")
    chat.turn("go on", lambda: [chat.edit("src/big.py", "x = 1\n" * 245)])
    edited_draft, later = drafts(chat)
    assert (edited_draft["id"], edited_draft["body"]) == (update["id"], update["body"])
    assert "`src/big.py` +125 −0" in later["body"]


def test_a_later_entry_repeats_nothing_of_an_earlier_one(start_chat: StartChat, active: MemorySidecar) -> None:
    chat = draft_each_change(start_chat())
    chat.turn(
        PROMPT,
        lambda: [chat.edit("src/big.py", "x = 1\n" * 130)],
        text="Fixed the rounding of the discount in the cart. The cause was a float. All 3 tests pass.",
    )
    chat.decide("discard", drafts(chat)[0]["id"])
    active.clock.advance(25 * 3_600_000)
    text = "Renamed the sender of the mails to customers. It misled because of its prefix. All 3 tests pass."
    chat.turn("go on", lambda: [chat.edit("src/big.py", "x = 1\n" * 131)], text=text)
    text = "Changed how the mail to customers is sent in batches. It was slow because of a query. All 3 tests pass."
    chat.turn("Rework how mail is sent to customers", lambda: [chat.edit("src/big.py", "x = 1\n" * 133)], text=text)
    first, second, third = drafts(chat)
    assert "`src/big.py` +130 −0" in first["body"]
    assert "`src/big.py` +1 −0" in second["body"]
    assert "rounding" not in second["body"]
    assert "`src/big.py` +2 −0" in third["body"]


def test_a_run_that_only_announced_its_next_step_waits_for_one_that_states_something(start_chat: StartChat) -> None:
    chat = start_chat()
    set_settings(chat, capture={"changedLines": 3})
    announcement = {"type": "text", "text": "Now let's run the tests of the cart:"}
    shell = "```\nls\n```"
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", "x = 1\n" * 5), announcement, bash("ls", "")], text=shell)
    assert drafts(chat) == []
    text = "I replaced the totals of the cart with whole cents. They lost a cent because of floats. Tests pass."
    chat.turn("go on", lambda: [chat.edit("src/cart.py", "x = 2\n" * 30)], text=text)
    (entry,) = drafts(chat)
    assert len(entry["provenance"]["runs"]) == 2
    assert entry["title"].startswith("Replaced the totals of the cart")


FOUR_CHANGES = (
    "I replaced the totals of the cart with whole cents. Removed the old rounding. Renamed the discount to percent."
    " Added a check of negative percents."
)
FEATURES = "I've added a page of coupons to the cart:\n\n- A bar of progress on top\n"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Done.", 0), ("I replaced the totals of the cart with whole cents.", 0),
        ("I replaced the totals of the cart with whole cents. The cause was a float.", 1),
        ("I replaced the totals of the cart with whole cents. The cause was a float. All 3 tests pass.", 1),
        ("I replaced the totals of the cart with whole cents. Removed the old rounding.", 0),
        (f"{FOUR_CHANGES} Moved the percents to `rates.py`.", 1),
        ("I replaced the totals of the cart with whole cents. Removed the totals. Renamed the cart.", 0),
        (f"{FEATURES}- A table with colors and some panels\n", 0),
        (f"{FEATURES}- A table of coupons with `coupons.css`\n", 0),
        (f"{FEATURES}- Added a table of coupons in `coupons.css`\n- Moved the totals\n- Renamed the page\n", 1),
    ],
)  # fmt: skip
def test_a_large_change_is_an_entry_once_its_account_has_more_than_a_title(
    start_chat: StartChat, text: str, count: int
) -> None:
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", "x = 1\n" * 130)], text=text)
    assert len(drafts(chat)) == count
    chat.turn("go on", lambda: [chat.edit("src/big.py", "x = 1\n" * 131)], text="All 12 tests pass.")
    assert len(drafts(chat)) == count


def test_updated_documents_and_imports_are_not_what_an_entry_states_beside_its_title(start_chat: StartChat) -> None:
    chat = start_chat()
    title = "I've moved the rounding of the discount into the cart."
    notes = "- Updated `docs/changelog.md` with the rounding\n- Removed the unused imports of the cart"
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", "x = 1\n" * 120)], text=f"{title}\n\n{notes}")
    assert drafts(chat) == []
    change = "- Removed the second rounding of the total\n- Renamed the discount to percent"
    chat.turn("go on", lambda: [chat.edit("src/big.py", "x = 2\n" * 120)], text=f"{title}\n\n{notes}\n{change}")
    assert [draft["title"] for draft in drafts(chat)] == ["Moved the rounding of the discount into the cart"]


def test_an_entry_is_named_after_the_larger_of_its_changes(start_chat: StartChat) -> None:
    chat = start_chat()
    large = "Moved the discounts to the cart. The cause was a float. All 3 tests pass."
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", "x = 1\n" * 110)], text=large)
    small = "Renamed the discounts to the percents. The name was wrong because of its unit."
    chat.turn("go on", lambda: [chat.edit("src/cart.py", "x = 1\n" * 15)], text=small)
    (entry,) = drafts(chat)
    assert entry["title"] == "Moved the discounts to the cart"


def test_a_lock_file_alone_drafts_nothing(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("package-lock.json", "{}\n" * 500)])
    chat.turn("go on", lambda: [chat.edit("package-lock.json", "{}\n" * 900), chat.edit("src/cart.py", "x = 1\n")])
    assert drafts(chat) == []
    chat.turn("go on", lambda: [chat.edit("src/cart.py", "x = 1\n" * 120)])
    (entry,) = drafts(chat)
    assert entry["event"] == "mergedDiff"


@pytest.mark.parametrize("prompt", [PROMPT, "something worded quite differently about invoices"])
def test_the_same_changes_under_another_run_id_are_not_a_second_entry(
    start_chat: StartChat, shop: Repository, prompt: str
) -> None:
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", "x = 1\n" * 130)])
    part = {"type": "tool-Write", "toolCallId": "w", "state": "result", "output": {},
            "input": {"file_path": str(shop.path / "src/big.py")}}  # fmt: skip
    repeat = {"runId": "again", "deliveryToken": None}
    chat.post_run(repeat, prompt, assistant={"text": "Said in other words.", "parts": [part]})
    assert len(drafts(chat)) == 1


def test_provenance_lists_every_run_and_the_commits_before_and_after(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat(chatId="the-chat")
    start = shop.head()
    set_settings(chat, capture={"changedLines": 30})
    first = chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", "x = 1\n")])
    before = chat.pre_run("go on")
    parts = [chat.edit("src/cart.py", "x = 2\n" * 30), bash("git commit -am cart", "")]
    after = shop.commit()
    chat.post_run(before, "go on", assistant={"parts": parts})
    (entry,) = drafts(chat)
    provenance = entry["provenance"]
    assert provenance["runs"] == [first["runId"], before["runId"]]
    assert (provenance["startCommit"], provenance["headCommit"]) == (start, after)
    assert (provenance["chatId"], provenance["subChatId"], provenance["sessionId"]) == ("the-chat", "chat", "session")


def test_an_entry_quotes_the_request_of_the_run_that_names_it(start_chat: StartChat) -> None:
    chat = start_chat()
    title = "Moved the rounding of the discount into the cart"
    turns = (("Write a contributor guide first", "Removed unused imports from the cart.", 20),
             ("1", "Done.", 30),
             ("The cart must round the discount once", f"{title}. The cause was a float. All 3 tests pass.", 110),
             ("yup.", "API Error: 500", 125))  # fmt: skip
    for prompt, text, lines in turns:
        chat.turn(prompt, lambda n=lines: [chat.edit("src/big.py", "x = 1\n" * n)], text=text)
    (entry,) = drafts(chat)
    assert entry["title"] == title
    assert "\n\nRequest: The cart must round the discount once\n\n" in entry["body"]


def test_a_request_is_what_the_user_typed_and_no_line_of_a_console() -> None:
    pasted = "getActiveFile - openFiles: 0 useOpenFiles.ts:45:13\n/home/ann/shop/a.ts Click outside to dismiss it\n"
    assert request_of(f"{pasted}the file still does not open") == "the file still does not open"
    assert request_of(pasted) == ""


def test_an_entry_whose_run_had_no_request_quotes_none_of_another_run(start_chat: StartChat) -> None:
    chat = start_chat()
    named = "Moved the rounding of the discount into the cart. It was wrong because of a float. All 3 tests pass."
    chat.turn("Go.", lambda: [chat.edit("src/big.py", "x = 1\n" * 110)], text=named)
    text = "Flattened the gradient of the page. It was hard to read because of the contrast."
    chat.turn("the gradient is a bit weird", lambda: [chat.edit("src/big.py", "x = 1\n" * 125)], text=text)
    (entry,) = drafts(chat)
    assert entry["title"] == "Moved the rounding of the discount into the cart"
    assert "Request:" not in entry["body"]


def test_a_request_has_no_dated_lines_and_no_hints_of_a_development_server() -> None:
    logs = "2026-03-04 18:20:03: loading extension\nopenFiles: 0 <anonymous code>:1:150327\n"
    hints = "Click outside, press Esc key, or fix the code to dismiss.\n"
    assert request_of(f"{logs}{hints}no text was selected here") == "no text was selected here"


def small_step(chat: Conversation, number: int) -> None:
    text = f"Moved step {number} of the rounding into the cart. It failed because of a float."
    content = "x = 1\n" * 20 * number
    chat.turn(f"fix step {number} of the cart", lambda: [chat.edit("src/big.py", content)], text=text)


def test_a_tally_that_stays_small_over_many_runs_starts_over(start_chat: StartChat) -> None:
    chat = start_chat()
    for number in range(1, 7):
        small_step(chat, number)
    assert drafts(chat) == []
    text = "Replaced the whole rounding by integers. It failed because of a float. All 3 tests pass."
    chat.turn("round with integers", lambda: [chat.edit("src/whole.py", "y = 1\n" * 130)], text=text)
    (entry,) = drafts(chat)
    assert entry["title"] == "Replaced the whole rounding by integers"
    assert "Changed over 2 runs:" in entry["body"]


@pytest.mark.parametrize(("waiting", "count"), [(5, 1), (10, 0)])
def test_a_due_tally_waits_longer_for_the_run_that_explains_it(start_chat: StartChat, waiting: int, count: int) -> None:
    chat = start_chat()
    named = "Replaced the whole rounding of the cart by integers."
    chat.turn("round with integers", lambda: [chat.edit("src/whole.py", "y = 1\n" * 130)], text=named)
    for number in range(1, waiting):
        chat.turn("go on", lambda lines="y = 1\n" * (130 + number): [chat.edit("src/whole.py", lines)], text="Done.")
    assert drafts(chat) == []
    reason = "The cause was the rounding of the whole cart by floats. All 3 tests pass."
    chat.turn("go on", lambda: [chat.edit("src/whole.py", "y = 1\n" * 142)], text=reason)
    assert [entry["title"] for entry in drafts(chat)] == [named.rstrip(".")] * count


LARGE = "Moved the discount of the cart into whole cents. It was wrong because of a float. All 3 tests pass."


def test_of_another_work_an_entry_lists_the_title_alone(start_chat: StartChat) -> None:
    chat = start_chat()
    small = "Renamed the sender of the mails to customers. It was unclear because of its name."
    chat.turn("go on", lambda: [chat.edit("src/mail.py", "x = 1\n" * 40)], text=small)
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", "x = 1\n" * 110)], text=LARGE)
    (entry,) = drafts(chat)
    assert entry["title"] == "Moved the discount of the cart into whole cents"
    assert "\n\n**Also:** Renamed the sender of the mails to customers\n\n" in entry["body"]
    assert "unclear" not in entry["body"]
    assert "Changed over 2 runs:" in entry["body"]


@pytest.mark.parametrize(
    "text", ["Fixed all the issues of the cart.", "The cart is ready.", "Renamed the mail's text."]
)
def test_a_large_change_without_a_name_is_no_entry_and_no_part_of_other_work(start_chat: StartChat, text: str) -> None:
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("src/mail.py", "x = 1\n" * 130)], text=f"{text} All 3 tests pass.")
    assert drafts(chat) == []
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", "x = 1\n" * 130)], text=LARGE)
    (entry,) = drafts(chat)
    assert entry["title"] == "Moved the discount of the cart into whole cents"
    assert "mail.py" not in entry["body"]
    assert "Changed over 1 run:" in entry["body"]


def test_a_small_run_does_not_name_a_large_change(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("src/mail.py", "x = 1\n" * 150)], text="Done.")
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", "x = 1\n" * 10)], text=LARGE)
    assert drafts(chat) == []


def test_a_tally_that_starts_over_leaves_its_titles_to_the_next_entry(start_chat: StartChat) -> None:
    chat = start_chat()
    for number, name in enumerate(("sums", "taxes", "fees", "coupons", "refunds"), 1):
        text = f"Moved the {name} of the rounding into the cart of customers."
        content = "x = 1\n" * 20 * number
        chat.turn("go on", lambda lines=content: [chat.edit("src/mail.py", lines)], text=text)
    chat.turn("go on", lambda: [chat.edit("src/mail.py", "x = 1\n" * 101)], text="Done.")
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", "x = 1\n" * 130)], text=LARGE)
    (entry,) = drafts(chat)
    assert "Changed over 2 runs:" in entry["body"]
    assert "**Also:** Moved the" in entry["body"]


def test_a_run_that_is_due_by_itself_is_an_entry_without_the_other_work_before_it(start_chat: StartChat) -> None:
    chat = start_chat()
    mail = "Renamed the sender of the mails to customers. It was unclear because of its name."
    chat.turn("go on", lambda: [chat.edit("src/mail.py", "x = 1\n" * 40)], text=mail)
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", "x = 1\n" * 130)], text=LARGE)
    (entry,) = drafts(chat)
    assert "Changed over 1 run:" in entry["body"]
    assert "mail.py" not in entry["body"]
    assert "**Also:** Renamed the sender of the mails to customers" in entry["body"]


def test_an_entry_repeats_neither_its_title_nor_a_request_about_something_else(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn("continue with the plan please", lambda: [chat.edit("src/big.py", "x = 1\n" * 130)], text=LARGE)
    (entry,) = drafts(chat)
    assert entry["body"].count("Moved the discount of the cart") == 1
    assert "Request:" not in entry["body"]


def test_the_reason_that_a_title_leaves_out_is_stated_below_it() -> None:
    reason = (
        "I removed the path of the queue and kept the hook, because it covers cancelled downloads and invalid status"
        " codes of the server, too."
    )
    title = Candidate("Removed the path of the queue and kept the hook", 6.0, names_whole=True)
    account = WorkAccount((AccountStatement("change", reason, 6.0),), title)
    assert f"**Change:** {reason}" in devlog(title.text, [], account, [], 1).body
    whole = "Removed the queue, because nothing uses it"
    account = WorkAccount((AccountStatement("change", f"I {whole.lower()}.", 6.0),), Candidate(whole, 6.0))
    assert "**Change:**" not in devlog(whole, [], account, [], 1).body


def test_a_line_of_the_notes_block_is_not_what_an_entry_states_as_changed(start_chat: StartChat) -> None:
    chat = start_chat()
    moved = "Moved the discount of the cart into whole cents."
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", "x = 1\n" * 130)], text=moved)
    refusal = "I would not.\n\nNotes for next time:\n- Dropped: moving the discount first because nothing calls it"
    chat.turn("could we not move it first?", lambda: [{"type": "text", "text": refusal}], text=refusal)
    chat.turn("ok", lambda: [chat.edit("src/big.py", "x = 2\n" * 120)], text=LARGE)
    (entry,) = drafts(chat)
    assert "nothing calls it" not in entry["title"] + entry["body"]


def test_a_request_is_whole_and_has_no_number_of_a_list() -> None:
    assert request_of("change the page of the cart: 1. move the sum 2. round it") == "change the page of the cart"
    assert request_of("now implement the logic to support the following. when an option is chosen") == ""


def test_of_events_about_one_file_an_entry_has_the_longest_line() -> None:
    first = "Boundary touched: `src/cart.py`, which 2 files import (`total`)."
    longer = "Boundary touched: `src/cart.py`, which 2 files import (`total`, `round_sum`)."
    other = "Boundary touched: `src/mail.py`, which 1 file imports (`send`)."
    assert shown_event_lines([first, other, longer, first]) == [longer, other]


def test_an_event_that_quotes_an_announced_step_has_no_line() -> None:
    assert shown_event_lines(
        ["Direction changed: custom mails – Let's fix the mails.", "Direction changed: mails."]
    ) == ["Direction changed: mails."]


def test_an_entry_is_not_named_after_what_a_change_of_direction_gave_up(start_chat: StartChat) -> None:
    chat = start_chat()
    first = "Moved the totals of the cart into a table of sums. They were slow because of a query."
    chat.turn("make totals faster", lambda: [chat.edit("src/big.py", "x = 1\n" * 110)], text=first)
    second = "I gave up on the table because totals were stale after a discount."
    chat.turn("go on", lambda: [chat.edit("src/big.py", "y = 2\n" * 60)], text=second)
    assert [note["title"] for note in drafts(chat, "rejectedApproach")] == [
        "Table – totals were stale after a discount"
    ]
    assert drafts(chat) == []
    text = "Replaced the totals of the cart by a running sum. They were stale because of the table."
    chat.turn("go on", lambda: [chat.edit("src/sums.py", "x = 3\n" * 130)], text=text)
    assert [entry["title"] for entry in drafts(chat)] == ["Replaced the totals of the cart by a running sum"]


@pytest.mark.parametrize(
    ("request_", "text", "is_named"),
    [
        ("split at the first one", "Now it splits addresses at the first plus sign, and the tests pass.", False),
        ("trenn am ersten", "I split addresses at the first plus sign.", False),
        ("fix the test", "The last plus sign splits addresses, and the first test passes.", True),
        ("fix the test", "It passes. The first run was slow.", True),
    ],
)
def test_an_entry_is_not_named_after_what_a_later_run_states_the_other_way_round(
    start_chat: StartChat, request_: str, text: str, *, is_named: bool
) -> None:
    chat = start_chat()
    first = "I split addresses at the last plus sign."
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", "x = y.rsplit(1)\n"), bash("pytest", RED)], text=first)
    chat.turn(request_, lambda: [chat.edit("src/cart.py", "x = y.split(1)\n"), bash("pytest", GREEN)], text=text)
    (entry,) = drafts(chat)
    assert ("Split addresses at the last plus sign" in entry["body"]) == is_named
    assert ("plit addresses at the last" in entry["title"]) == is_named


def test_documents_alone_are_no_entry(start_chat: StartChat) -> None:
    chat = start_chat()
    names = ("docs/plan.md", "docs/Plan of v1.2.md")
    chat.turn(PROMPT, lambda: [chat.edit(name, "A plan.\n" * 150) for name in names], text=FOUR_CHANGES)
    assert drafts(chat) == []
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", "x = 1\n" * 150)], text=FOUR_CHANGES)
    assert len(drafts(chat)) == 1


def test_two_named_pieces_of_work_are_not_merged_however_alike_they_are(start_chat: StartChat) -> None:
    chat = start_chat()
    first = "I've moved the rounding of the discount into the cart.\n\n- Removed the rounding of the discount in mails"
    chat.turn("move the rounding of the discount", lambda: [chat.edit("src/mail.py", "x = 1\n" * 30)], text=first)
    second = f"I've removed the rounding of the discount from the cart.\n\n- {FOUR_CHANGES}"
    chat.turn("remove the rounding of the discount", lambda: [chat.edit("src/cart.py", "x = 1\n" * 150)], text=second)
    (entry,) = drafts(chat)
    assert entry["title"] == "Removed the rounding of the discount from the cart"
    assert "Removed the rounding of the discount in mails" not in entry["body"]


def test_an_entry_repeats_nothing_of_work_that_was_taken_back_and_no_test_before_that(start_chat: StartChat) -> None:
    chat = start_chat()
    plain = (chat.cwd / "src/cart.py").read_text()
    text = "Added a table of coupons that rounds each of them. All 3 tests pass."
    table = plain + "".join(f"def coupon_{name}(): return round(1)\n" for name in "abcdefgh")
    chat.turn("add coupons", lambda: [chat.edit("src/cart.py", table), bash("pytest", GREEN)], text=text)
    text = "I removed the table of coupons because it was rounded twice, and moved the rounding into the invoice."

    def work() -> list[dict[str, Any]]:
        return [chat.edit("src/cart.py", plain), chat.edit("src/invoice.py", "x = round(1)\n" * 130)]

    chat.turn("undo that, round in the invoice", work, text=text)
    (entry,) = drafts(chat)
    assert "Direction changed: " in entry["body"]
    assert "**Also:**" not in entry["body"]
    assert "passing" not in entry["body"]
    assert "All 3 tests pass" not in entry["body"]


def test_a_test_of_the_work_does_not_name_its_entry_and_its_cause_stays(start_chat: StartChat) -> None:
    chat = start_chat()
    text = "Moved the fallback keys of the cart to the end. They were signed with the oldest key because it came last."
    request_ = "After we rotate the keys of the cart, new ones are signed with the oldest fallback:\n\n    Error: x"
    chat.turn(request_, lambda: [chat.edit("src/cart.py", "keys = 1\n" * 5), bash("pytest", RED)], text=text)
    text = "Extended `test_fallback_keys` with two expiring keys and a rotation."

    def work() -> list[dict[str, Any]]:
        return [chat.edit("tests/test_cart.py", "x = 1\n" * 30), bash("pytest", GREEN)]

    chat.turn("now add a test for it", work, text=text)
    (entry,) = drafts(chat)
    assert entry["title"] == "Moved the fallback keys of the cart to the end"
    assert "**Cause:** They were signed with the oldest key because it came last." in entry["body"]
    assert (
        "Request: After we rotate the keys of the cart, new ones are signed with the oldest fallback" in entry["body"]
    )

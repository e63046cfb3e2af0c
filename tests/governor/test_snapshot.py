"""Structured state of a conversation: built from its records, shown, carried over, requested manually."""

from dataclasses import replace
from typing import Any

import pytest

from sidecar.core.clean_text import clean
from sidecar.governor import marker_text, snapshot_of
from sidecar.governor.snapshots import Snapshot, TouchedFile, snapshot_from_json, snapshot_to_json
from sidecar.packs import carryover_items
from sidecar.runs import Artifact, FailingTests, PressureCounters, RunSummary, SubChat, Task
from tests.support.artifacts import make_artifact
from tests.support.conversation import Conversation, bash, kinds
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, set_settings, text_of
from tests.support.thresholds import Thresholds

CONCLUSION = """I decided to round half up, since the tax office does.
Orders without an address are rejected by the mailer rather than sent.

- `src/cart.py` now rounds once, at the end.
- The invoice is not tested yet.

```python
# TODO: this stands in code and is nobody's open point
```
No open risks remain in the mail."""
TASK = Task("f", (), (), "", "Round the discount")


def state(todos: tuple[tuple[str, str], ...] = ()) -> SubChat:
    return SubChat(TASK, PressureCounters(), todos)


def artifact(kind: Any, status: Any, title: str) -> Artifact:
    return make_artifact(id=title, type=kind, status=status, title=title)


def test_a_captured_decision_has_its_reason_and_is_not_repeated() -> None:
    runs = [RunSummary("1", "Round", "We chose **cents** because floats round wrongly.", ())]
    captured = ["Round half up because the tax office does, instead of banker's rounding",
                "We chose cents because floats round wrongly."]  # fmt: skip
    known = [artifact("adr", "draft", "Round half up"), artifact("adr", "draft", "Changed contract: total")]
    snapshot = snapshot_of(state(), runs, [], known, (), captured)
    assert snapshot.conclusions == ("We chose **cents** because floats round wrongly. (request: Round)",)
    assert snapshot.decisions == (captured[0], "Changed contract: total")


def test_a_noted_decision_is_carried_over_with_its_reason(start_chat: StartChat) -> None:
    chat = start_chat(provider="codex")
    note = "\n\nNotes for next time:\n- Decision: round half up because the tax office does, instead of truncating\n"
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", "class Cart: ...\n")], text=f"Rounds now.{note}")
    chat.client.request("governor/rehydrate", {"subChatId": chat.sub_chat_id})
    carried = text_of(chat.pre_run("go on"), "carryover")
    assert "- round half up because the tax office does, instead of truncating" in carried
    assert carried.count("round half up") == 1


def test_decisions_open_points_and_reasons_come_from_the_conclusions() -> None:
    runs = [
        RunSummary("2", "Round the discount", CONCLUSION, ("src/cart.py", "src/tax.py")),
        RunSummary("1", "Find the discount", "Looked around.", ("src/cart.py", "src/mail.py")),
    ]
    failing = [FailingTests("pytest", ("test_a",), "", "2")]
    known = [artifact("adr", "accepted", "Money is cents"), artifact("rejectedApproach", "draft", "A cache"),
             artifact("adr", "discarded", "Floats")]  # fmt: skip
    snapshot = snapshot_of(state(), runs, failing, known)
    assert snapshot.decisions == (
        "Money is cents", "Rejected: A cache", "I decided to round half up, since the tax office does.",
    )  # fmt: skip
    ended = "Orders without an address are rejected by the mailer rather than sent. No open risks remain in the mail."
    assert snapshot.risks == (
        "pytest failed in its last run", f"The last run ended: {ended}", "The invoice is not tested yet.",
    )  # fmt: skip
    assert snapshot.failing == ("test_a",)
    assert snapshot.files == (
        TouchedFile("src/cart.py", "`src/cart.py` now rounds once, at the end."),
        TouchedFile("src/tax.py", "Round the discount"),
        TouchedFile("src/mail.py", "Find the discount"),
    )
    assert snapshot_from_json(snapshot_to_json(snapshot)) == snapshot


def test_a_conclusion_comes_with_its_request_and_runs_that_state_nothing_are_left_out() -> None:
    runs = [
        RunSummary("3", "and commit", "Commit: `4ecb339`", ()),
        RunSummary("2", "push it", "Running `git push` now.", ()),
        RunSummary("1", "the shortcut is Z, not E", "Changed the shortcut of the local script to `Cmd+Z`.", ()),
    ]
    (conclusion,) = snapshot_of(state(), runs, (), ()).conclusions
    assert conclusion == "Changed the shortcut of the local script to `Cmd+Z`. (request: the shortcut is Z, not E)"


def test_an_open_end_behind_its_label_is_a_risk_and_no_conclusion() -> None:
    run = RunSummary("1", "ok", "Still open: the discount of bundles is not handled yet.", ())
    snapshot = snapshot_of(state(), [run, RunSummary("0", "ok", "Bundles were split.", ())], (), ())
    assert not any("bundles is not" in conclusion for conclusion in snapshot.conclusions)
    assert "The discount of bundles is not handled yet." in snapshot.risks


def test_empty_places_of_conclusions_get_the_first_words_of_other_runs() -> None:
    runs = [
        RunSummary("7", "ok", "Ready for the next step.", ()),
        RunSummary("6", "write the split", "`split` is only a stub so far.", ("src/split.py",)),
        RunSummary("5", "no, hosts count at the kiosk alone", "The kiosk counts its host by itself now.", ()),
        RunSummary("4", "count the host", "`Room.fits` counts the host as well.", ()),
        RunSummary("3", "long bookings are two invoices", "Noted: bookings over 8 hours have two invoices.", ()),
        RunSummary("2", "look around", "I'll read the rooms first.", ()),
        RunSummary("1", "which database?", "Moved the bookings into one SQLite file.", ()),
    ]
    snapshot = snapshot_of(replace(state(), task=replace(TASK, objective="which database?")), runs, (), ())
    assert [text.partition(" (request: ")[0] for text in snapshot.conclusions] == [
        "The kiosk counts its host by itself now.", "Noted: bookings over 8 hours have two invoices.",
        "Moved the bookings into one SQLite file.",
    ]  # fmt: skip
    assert snapshot.risks == ("`split` is only a stub so far.",)
    assert snapshot.objective == "write the split", "the question is answered"


def test_a_request_of_several_runs_is_shown_with_the_first_of_them() -> None:
    runs = [RunSummary(number, "Round the cart", f"Changed the rounding of part {number}.", ()) for number in "321"]
    conclusions = snapshot_of(state(), runs, (), ()).conclusions
    assert [text.endswith("(request: Round the cart)") for text in conclusions] == [False, False, True]


def test_a_mere_assent_of_the_last_run_is_not_an_open_point() -> None:
    for ended in ("Sure.", "Done, perfect!", "You're welcome.", "Added jitter.", "No, the guide mentions no waits."):
        assert snapshot_of(state(), [RunSummary("1", "and commit", ended, ())], (), ()).risks == ()
    (risk,) = snapshot_of(state(), [RunSummary("1", "and commit", "Shall I push it?", ())], (), ()).risks
    assert risk == "The last run ended: Shall I push it?"


def test_what_the_user_corrected_and_how_the_last_run_ended_are_carried_over() -> None:
    runs = [
        RunSummary(
            "2", "that's still wrong, columns come before rows", "Swapped them. Shall I push this to the fork?", ()
        ),
        RunSummary("1", "add a table", "Added a table of prices.", ()),
    ]
    snapshot = snapshot_of(state(), runs, (), ())
    assert snapshot.corrections == ("that's still wrong, columns come before rows",)
    assert snapshot.risks[0].endswith("Shall I push this to the fork?")


def test_each_conclusion_has_the_request_of_its_own_run(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn("Round the discount of the cart", text="Moved the rounding of the discount into the cart.")
    chat.turn(
        "the cart must show whole cents <private>or Ann complains</private>",
        text="Changed the total of the cart to whole cents.",
    )
    conclusions = request_rehydrate(chat)["snapshot"]["conclusions"]
    assert [text.partition(" (request: ")[2] for text in conclusions] == [
        "the cart must show whole cents)", "Round the discount of the cart)",
    ]  # fmt: skip


def test_a_link_to_a_file_is_no_reason_of_its_change() -> None:
    text = "Files:\n- [mail.md](/home/ann/shop/docs/mail.md)\n- Updated `cart.py` to round once at the end of the sum."
    files = snapshot_of(state(), [RunSummary("1", "Round once", text, ("docs/mail.md", "cart.py"))], (), ()).files
    assert files == (
        TouchedFile("docs/mail.md", "Round once"),
        TouchedFile("cart.py", "Updated `cart.py` to round once at the end of the sum."),
    )


def test_a_file_has_the_latest_request_for_it_not_that_of_a_run_without_its_own() -> None:
    runs = [
        RunSummary("3", "Cap the wait at 60 seconds", "Committed.", ("retry.py",)),
        RunSummary("2", "60 is too much, use 10", "The cap is ten seconds.", ("retry.py",)),
        RunSummary("1", "Cap the wait at 60 seconds", "Capped the wait.", ("retry.py", "cart.py")),
    ]
    files = snapshot_of(state(), runs, (), ()).files
    assert files == (
        TouchedFile("retry.py", "60 is too much, use 10"),
        TouchedFile("cart.py", "Cap the wait at 60 seconds"),
    )


LARGE = Snapshot(
    objective="goal " * 60,
    todos=tuple((f"step {number} " * 20, "pending") for number in range(40)),
    conclusions=tuple(f"concluded {number} " * 40 for number in range(5)),
    decisions=tuple(f"decided {number} " * 20 for number in range(5)),
    corrections=tuple(f"corrected {number} " * 20 for number in range(5)),
    risks=tuple(f"open {number} " * 20 for number in range(5)),
    files=tuple(TouchedFile(f"src/{number}/{'y' * 60}.py", "because " * 15) for number in range(45)),
)


@pytest.mark.parametrize("sendable", [1_500, 4_480, 14_000, 42_000])
def test_goal_and_steps_fit_any_budget_before_the_rest(sendable: int) -> None:
    items = carryover_items(LARGE, sendable)
    assert [item.key for item in items][:2] == ["carryover:goal", "carryover:steps"]
    assert sum(item.bytes for item in items) <= max(sendable * 0.25, 310 + 470)
    assert items[1].text.endswith("more")
    whole = carryover_items(LARGE, 400_000)
    assert [item.key.partition(":")[2] for item in whole] == [
        "goal", "steps", "corrections", "conclusions", "decisions", "risks", "files",
    ]  # fmt: skip
    assert [item.key for item in whole if "more" in item.text.rpartition("\n")[2]] == ["carryover:steps"]


def test_failing_tests_are_never_cut() -> None:
    names = tuple(f"tests/test_{number}.py::{'x' * 60}" for number in range(20))
    items = {item.key: item.text for item in carryover_items(replace(LARGE, failing=names), 1_500)}
    assert items["carryover:failing"].splitlines()[1:] == [f"- {name}" for name in names]


def test_up_to_five_open_steps_are_carried_over() -> None:
    todos = (("a", "completed"), ("b", "pending"), ("c", "in_progress"))
    items = carryover_items(snapshot_of(state(todos), [], [], []), 24_000)
    assert items[1].text == "Open steps:\n- b (pending)\n- c (in_progress)"
    many = tuple((f"step {number}", "pending") for number in range(7))
    last = carryover_items(snapshot_of(state(many), [], [], []), 24_000)[1].text.splitlines()[-2:]
    assert last == ["- step 4 (pending)", "- … and 2 more"]
    five = carryover_items(snapshot_of(state(many[:5]), [], [], []), 24_000)[1].text.splitlines()
    assert five[1:] == [f"- step {number} (pending)" for number in range(5)]


def test_the_last_five_conclusions_and_the_users_corrections_are_carried_over() -> None:
    runs = [RunSummary(str(n), "", f"Found that the cart number {n} rounds twice.", ()) for n in range(7, 0, -1)]
    snapshot = snapshot_of(state(()), runs, [], [], ["Round half up"])
    assert len(snapshot.conclusions) == 5
    assert snapshot.conclusions[0] == "Found that the cart number 7 rounds twice."
    texts = {item.key: item.text for item in carryover_items(snapshot, 24_000)}
    assert texts["carryover:corrections"] == "The user's corrections:\n- Round half up"


def test_the_carry_over_repeats_nothing_of_the_anchor(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"AGENTS.md": "# Rules\n- Never log a customer's card number.\n"})
    chat = start_chat()
    text = "I chose integers of cents because floats round. The invoice is not tested yet."
    chat.turn(PROMPT, text=text)
    chat.turn("Never log a customer's card number", text="We decided: Never log a customer's card number.")
    request_rehydrate(chat)
    fresh = chat.pre_run("go on")
    carried = text_of(fresh, "carryover").splitlines()
    anchor = fresh["system"]["text"]
    assert "Never log a customer's card number" in anchor
    assert any("integers of cents" in line for line in carried)
    assert [line for line in carried if "card number" in line and not line.startswith("Goal:")] == []


def test_a_statement_of_the_anchor_is_recognised_in_any_section() -> None:
    long = "Amounts are integers of cents, since floats round differently on each machine " * 3
    snapshot = replace(
        LARGE,
        conclusions=("Same.", "Other", "Cache"),
        decisions=("Rejected: A cache of all prices", long),
        corrections=("[continuity:x] and a marker",),
    )
    anchor = f"- A cache of all prices [rejected]\n- {long[:150]}…\n- Same\n- {clean('[continuity:x] and a marker')}"
    texts = {item.key: item.text for item in carryover_items(snapshot, 400_000, anchor)}
    assert texts["carryover:conclusions"].splitlines()[1:] == ["- Other", "- Cache"]
    assert not {"carryover:decisions", "carryover:corrections"} & texts.keys()
    assert "carryover:steps" in texts


def test_the_marker_states_the_previous_session_and_the_carry_over() -> None:
    snapshot = snapshot_of(state((("a", "completed"), ("b", "pending"))), [], [FailingTests("go", ("T",), "", "1")], [])
    assert marker_text(PressureCounters(turns=12, injected=(52_000,), delivered_bytes=152_000), snapshot) == (
        "Continued in a fresh session: the previous one had 12 turns, 152 KB of context. Nothing was removed."
        " Carried over: the goal, 2 steps (1 done), 1 open point and 1 failing test."
    )
    assert marker_text(PressureCounters(turns=1), Snapshot()).endswith("had 1 turn. Nothing was removed."
                                                          " Carried over: the repository state.")  # fmt: skip


def after_one_run(start_chat: StartChat) -> Conversation:
    """Return a conversation after one run that changed a file, saw a test fail and has steps."""
    chat = start_chat()
    tests = bash("pytest", "FAILED tests/test_cart.py::test_total\n1 failed in 0.1s\n")
    conclusion = {"type": "text", "text": "I chose half-up rounding in src/cart.py. The invoice is not tested yet."}
    chat.turn(
        PROMPT, lambda: [chat.edit("src/cart.py", "class Cart: ...\n"), tests, conclusion],
        todos=[{"content": "Fill it", "status": "pending"}],
    )  # fmt: skip
    return chat


def request_rehydrate(chat: Conversation, **params: Any) -> Any:
    return chat.client.request("governor/rehydrate", {"subChatId": chat.sub_chat_id, **params})


def test_a_manual_request_makes_the_next_pre_run_start_one_fresh_session(start_chat: StartChat) -> None:
    chat = after_one_run(start_chat)
    answer = request_rehydrate(chat, reason="It forgets")
    assert answer["governor"] == {"action": "rehydrate", "reasons": ["requested: It forgets"]}
    stored = answer["snapshot"]
    assert stored["decisions"] == ["I chose half-up rounding in src/cart.py."]
    assert stored["risks"] == ["pytest failed in its last run", "The invoice is not tested yet."]
    assert stored["files"] == [{"path": "src/cart.py", "why": "I chose half-up rounding in src/cart.py."}]
    assert stored["todos"] == [{"content": "Fill it", "status": "pending"}]
    status = chat.client.request("governor/status", {"subChatId": chat.sub_chat_id})
    assert status["snapshot"] == stored
    assert status["governor"] == answer["governor"]

    fresh = chat.pre_run("go on")
    assert fresh["governor"]["startFreshSession"] is True
    assert fresh["governor"]["marker"] == answer["marker"]
    assert "Decided:\n- I chose half-up rounding" in text_of(fresh, "carryover")
    chat.post_run(fresh, session="fresh")
    after = chat.turn("go on", session="fresh")
    assert after["governor"] == {"action": "ok", "reasons": [], "startFreshSession": False, "marker": None}


def test_a_message_sent_meanwhile_also_receives_the_carry_over(start_chat: StartChat) -> None:
    chat = after_one_run(start_chat)
    request_rehydrate(chat)
    first, second = chat.pre_run("go on"), chat.pre_run("and the mail?")
    for answer in (first, second):
        assert answer["action"] == "inject"
        assert answer["governor"]["startFreshSession"] is True
        assert "carryover" in kinds(answer)


def test_a_host_that_continues_the_same_session_gets_another_request_only_for_a_new_cause(
    start_chat: StartChat, thresholds: Thresholds
) -> None:
    chat = after_one_run(start_chat)
    set_settings(chat, rehydrate=True)
    thresholds(turns=(3, 0.5))
    chat.turn("go on")
    ignored = chat.turn("go on")
    assert ignored["governor"]["startFreshSession"] is True
    requested_again = [chat.turn("go on")["governor"]["startFreshSession"] for _ in range(4)]
    assert requested_again == [False] * 4
    (turns,) = [
        signal for signal in chat.client.request("governor/status", {"subChatId": "chat"})["signals"]
        if signal["name"] == "turns"
    ]  # fmt: skip
    assert turns["value"] == 7, "the session has all its turns still"
    for _ in range(3):
        chat.post_run(chat.pre_run("/compact"), "/compact")
    assert chat.pre_run("go on")["governor"]["reasons"][0] == "3 compactions in this session (limit: 3)"


def test_a_session_restarted_by_the_user_has_no_pressure(start_chat: StartChat) -> None:
    chat = start_chat()
    for number in range(4):
        chat.session_id = None
        chat.turn(PROMPT, session=f"session-{number}")
    signals = chat.client.request("governor/status", {"subChatId": "chat"})["signals"]
    assert {signal["name"]: signal["value"] for signal in signals}["turns"] == 1
    chat.turn("/clear", session=f"session-{number}")
    signals = chat.client.request("governor/status", {"subChatId": "chat"})["signals"]
    assert all(signal["value"] == 0 for signal in signals)


def test_three_compactions_trigger_a_rehydrate(start_chat: StartChat) -> None:
    chat = start_chat()
    set_settings(chat, rehydrate=True)
    chat.turn(PROMPT)
    decisions = [chat.post_run(chat.pre_run("/compact"), "/compact")["governor"] for _ in range(3)]
    assert [decision["action"] for decision in decisions] == ["ok", "ok", "rehydrate"]
    assert decisions[-1]["reasons"] == ["3 compactions in this session (limit: 3)"]


def test_three_critical_windows_in_a_row_and_a_handover_trigger_a_rehydrate(start_chat: StartChat) -> None:
    full, handover = {"usage": {"usedTokens": 190, "maxTokens": 200}}, {"nextAgentPending": True}
    for turns, pre, pipeline in ((3, full, None), (1, {}, handover)):
        chat = start_chat(sub_chat_id=f"chat-{turns}")
        set_settings(chat, rehydrate=True)
        decisions = [chat.post_run(chat.pre_run(PROMPT, **pre), pipeline=pipeline)["governor"] for _ in range(turns)]
        assert decisions[-1]["action"] == "rehydrate"


def test_a_fresh_session_does_not_inherit_the_previous_window(start_chat: StartChat) -> None:
    chat = start_chat()
    set_settings(chat, rehydrate=True)
    full = {"usage": {"usedTokens": 190, "maxTokens": 200}}
    for _ in range(3):
        chat.post_run(chat.pre_run(PROMPT, **full))
    fresh = chat.pre_run(PROMPT, **full)
    assert fresh["governor"]["startFreshSession"] is True
    chat.post_run(fresh, session="fresh")
    signals = chat.client.request("governor/status", {"subChatId": chat.sub_chat_id})["signals"]
    assert {signal["name"]: signal["value"] for signal in signals}["bracket"] == 0

    for _ in range(2):
        decision = chat.post_run(chat.pre_run(PROMPT, **full), session="fresh")["governor"]
    assert decision["action"] != "rehydrate", "its own window was full twice"
    assert chat.post_run(chat.pre_run(PROMPT, **full), session="fresh")["governor"]["action"] == "rehydrate"


def test_a_request_is_refused_in_passive_mode_and_for_an_unknown_conversation(start_chat: StartChat) -> None:
    chat = after_one_run(start_chat)
    set_settings(chat, mode="passive")
    assert chat.client.error("governor/rehydrate", {"subChatId": "chat"}).data["kind"] == "policyDenied"
    assert chat.client.error("governor/rehydrate", {"subChatId": "nobody"}).data["kind"] == "notFound"


def test_a_long_conversation_carries_its_goal_and_steps_in_the_smallest_budget(start_chat: StartChat) -> None:
    chat = start_chat(tokenMode="low")
    todos = [
        {"content": f"Step {number} of the long way to round the discount", "status": "pending"} for number in range(40)
    ]
    chat.turn(PROMPT, lambda: [chat.edit(f"src/deep/file_{number}.py", "x = 1\n") for number in range(45)], todos=todos)
    request_rehydrate(chat)
    fresh = chat.pre_run("go on", usage={"usedTokens": 190, "maxTokens": 200})
    carried = text_of(fresh, "carryover")
    assert f"Goal: {PROMPT}" in carried
    assert "- Step 0 of" in carried
    assert "more" in carried
    unreported = chat.pre_run("go on")
    assert fresh["metadata"]["injectedBytes"] == unreported["metadata"]["injectedBytes"], "a full window is the old one"

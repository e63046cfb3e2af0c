"""A proposed plan: in the contract of planning runs, and sent once to each session without it."""

from typing import Any

from tests.governor.test_rehydrate import under_pressure
from tests.support.conversation import Conversation, kinds, sent
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, explain, send_session_event, text_of
from tests.support.thresholds import Thresholds

PLAN = "# Discounts\n\n1. Give `Cart.total` the discount.\n2. Check it in tests/test_cart.py.\n"
OTHER_TASK = "Explain how mail is sent to customers by src/mail.py"


def proposal(plan: Any = PLAN) -> dict[str, Any]:
    return {"type": "tool-ExitPlanMode", "toolCallId": "p", "state": "call", "input": {"plan": plan}}


def proposed(chat: Conversation, plan: Any = PLAN) -> Any:
    """A planning run that ends with a proposal."""
    before = chat.pre_run(PROMPT, mode="plan")
    chat.post_run(before, PROMPT, mode="plan", assistant={"parts": [proposal(plan)]})
    return before


def test_the_proposed_plan_is_part_of_the_contract_each_time(start_chat: StartChat) -> None:
    chat = start_chat()
    before = proposed(chat)
    answers = [chat.pre_run("go on", mode="plan"), chat.pre_run("what about rounding?", mode="plan")]
    assert "Give `Cart.total` the discount." not in text_of(before, "plan")
    for answer in answers:
        assert "  1. Give `Cart.total` the discount.\n" in text_of(answer, "plan")
        assert "change no file" in text_of(answer, "plan")
    ids = [answer["metadata"]["stateIds"]["planContractId"] for answer in (before, *answers)]
    assert ids[0] != ids[1] == ids[2]


def test_the_session_that_proposed_a_plan_does_not_receive_it_again(start_chat: StartChat) -> None:
    chat = start_chat()
    proposed(chat)
    answer = chat.pre_run("Implement the plan")
    assert "plan" not in kinds(answer)
    assert answer["metadata"]["stateIds"]["planContractId"] is None
    dispositions = {item["item"]: item["disposition"] for item in explain(chat, answer)["items"]}
    assert dispositions["plan:text"] == "alreadyDelivered"


def test_another_session_receives_the_plan_once(start_chat: StartChat) -> None:
    chat = start_chat()
    proposed(chat)
    send_session_event(chat, "compacted", "session")
    answers = [chat.turn("go on"), chat.turn("go on")]
    assert "  1. Give `Cart.total` the discount." in text_of(answers[0], "plan")
    assert "change no file" not in sent(answers[0])
    assert "plan" not in kinds(answers[1])


def test_a_fresh_session_receives_the_plan_in_its_carryover(start_chat: StartChat, thresholds: Thresholds) -> None:
    chat = start_chat("codex")
    proposed(chat)
    assert under_pressure(chat, thresholds)["after"]["governor"]["action"] == "rehydrate"
    fresh = chat.turn("go on", session="fresh")
    assert kinds(fresh) == ["anchor", "context", "carryover", "delta"]
    assert "  1. Give `Cart.total` the discount." in text_of(fresh, "carryover")
    assert "Give `Cart.total`" not in sent(chat.pre_run("go on"))


def test_a_new_task_drops_the_previous_plan_and_steps(start_chat: StartChat) -> None:
    chat = start_chat()
    before = chat.pre_run(PROMPT, mode="plan")
    steps = [{"content": "Round up", "status": "pending"}]
    chat.post_run(before, PROMPT, mode="plan", assistant={"parts": [proposal()]}, todos=steps)
    assert "Round up" in text_of(chat.pre_run("go on", mode="plan"), "plan")
    answer = chat.turn(OTHER_TASK)
    assert "Round up" not in sent(answer)
    contract = text_of(chat.pre_run("go on", mode="plan"), "plan")
    assert "Round up" not in contract
    assert "Cart.total" not in contract
    assert f"Objective: {OTHER_TASK}" in contract


def test_a_plan_lasts_until_a_new_proposal_replaces_it(start_chat: StartChat) -> None:
    chat = start_chat()
    proposed(chat)
    chat.turn("go on")
    proposed(chat, "Only round up.")
    contract = text_of(chat.pre_run("go on", mode="plan"), "plan")
    assert "Only round up." in contract
    assert "Cart.total" not in contract


def test_invalid_plans_are_ignored(start_chat: StartChat) -> None:
    chat = start_chat()
    for odd in (None, "", " \n", 7, {"a": 1}):
        proposed(chat, odd)
    assert "Plan as" not in text_of(chat.pre_run("go on", mode="plan"), "plan")


def test_a_plan_is_limited_masked_and_escaped(start_chat: StartChat) -> None:
    chat = start_chat()
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    proposed(chat, f"[continuity:request]\nUse {token}\n" + "One more step: round up the cents.\n" * 400)
    for budgets in ({}, {"newBytesPerCall": 1_500}):
        chat.client.request("settings/update", {"settings": {"budgets": budgets}})
        answer = chat.pre_run("go on", mode="plan")
        assert answer["prompt"].count("[continuity:request]") == 1
        assert token not in sent(answer)
        assert "One more step" in text_of(answer, "plan")
        assert "change no file" in text_of(answer, "plan")
        assert len(text_of(answer, "plan").encode()) < 5_000


def test_the_first_bytes_of_a_session_do_not_depend_on_the_prompt(
    start_chat: StartChat, thresholds: Thresholds
) -> None:
    """Codex has no system text: the anchor opens the first prompt, also of a restarted conversation."""
    chat, other_chat = start_chat("codex", sub_chat_id="one"), start_chat("codex", sub_chat_id="two")
    first, other = chat.turn(PROMPT), other_chat.pre_run(OTHER_TASK)
    anchor = text_of(first, "anchor")
    under_pressure(chat, thresholds)
    fresh = chat.pre_run("go on")
    assert "carryover" in kinds(fresh)
    for answer in (first, other, fresh):
        assert answer["prompt"].startswith(anchor)


def test_a_plan_that_is_carried_out_leads_to_its_own_files(start_chat: StartChat) -> None:
    for session in ("session", "fresh"):
        chat = start_chat(sub_chat_id=session)
        proposed(chat)
        refusal = "No, that must not know it. Plan another change."
        before = chat.pre_run(refusal, mode="plan")
        plan = "# Check the address\n\n1. `send` in src/mail.py raises without an address\n2. README.md mentions it\n"
        chat.post_run(before, refusal, mode="plan", assistant={"parts": [proposal(plan)]})
        known = {"session": {"id": None, "willResume": False, "isFork": False}} if session == "fresh" else {}
        shown = text_of(chat.pre_run("Implement the plan", **known), "context")
        assert shown.split("\n")[2].startswith("src/mail.py"), session
        assert "src/cart.py" not in shown, session


def test_the_session_that_proposed_a_plan_receives_the_code_of_its_files_that_it_lacks(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.commit({"src/mail-http.ts": "export const send = 1\n", "web/http.ts": "export const load = 2\n"})
    chat = start_chat()
    proposed(chat, "# Discounts\n\n1. `src/mail-http.ts`: mail the discount\n2. `src/cart.py`: `total` takes it\n")
    shown = text_of(chat.pre_run("ok do it"), "context")
    assert "export const send" in shown
    assert "web/http.ts" not in shown, "its name is only a part of a path"
    assert "def total" not in shown, "the session has it"

"""Overrides of an item: always sent, never sent, wrong. Per project, across worktrees, across restarts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.packs import Override, PackItem, Priority, apply_overrides, pinned_files, statement_key, visible_lines
from sidecar.runs import entries
from tests.packs.test_explain import explain_next
from tests.support.conversation import Conversation, kinds, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, explain, set_settings, text_of

MAIL = "context:src/mail.py"
CART = "context:src/cart.py"
TRAPS = "# Rules\n\n- Never use floats for money.\n\n## Gotchas\n\n- The printer eats umlauts.\n"


def pin(chat: Conversation, item: str, **more: Any) -> Any:
    path = chat.common.get("projectPath", str(chat.cwd))
    return chat.client.request("continuity/pin", {"projectPath": path, "item": item, **more})["overrides"]


def mute(chat: Conversation, item: str, **more: Any) -> Any:
    path = chat.common.get("projectPath", str(chat.cwd))
    return chat.client.request("continuity/mute", {"projectPath": path, "item": item, **more})["overrides"]


def explained(chat: Conversation, answer: Any) -> dict[str, Any]:
    return {item["item"]: item for item in explain(chat, answer)["items"]}


@pytest.fixture
def project(make_repository: Callable[..., Repository]) -> Repository:
    """A repository whose files are mostly unrelated to the prompt."""
    cart = '"""The cart: totals and discounts."""\n\n\ndef apply_discount(percent: int) -> None:\n    pass\n'
    unrelated = {f"src/thing_{number}.py": f'"""Thing {number}."""\n\nvalue = {number}\n' for number in range(40)}
    return make_repository({**unrelated, "src/cart.py": cart, "AGENTS.md": TRAPS}, name="many")


def test_an_unrelated_pinned_file_is_sent_once_to_each_session(start_chat: StartChat, project: Repository) -> None:
    chat = start_chat(cwd=project.path)
    item = "context:src/thing_7.py"
    assert item not in explained(chat, chat.pre_run(PROMPT))
    assert pin(chat, item, why="the heart of it") == [
        {"item": item, "override": "always", "why": "the heart of it", "at": "2026-03-01T09:30:00.000Z"}
    ]
    first, second = chat.turn(PROMPT), chat.turn("and now fix it")
    assert "src/thing_7.py" in text_of(first, "context")
    assert explained(chat, first)[item] | {"bytes": 0, "score": {}, "regions": []} == {
        "item": item, "kind": "context", "bytes": 0, "disposition": "sent", "why": "pinned by the user", "score": {},
        "override": "always", "regions": [],
    }  # fmt: skip
    assert explained(chat, second)[item]["disposition"] == "alreadyDelivered"
    assert kinds(second) == []
    project.write({"src/thing_7.py": '"""Thing seven."""\n\nvalue = 77\n'})
    assert "Thing seven." in text_of(chat.pre_run("go on"), "context")
    assert pin(chat, item, revoke=True) == []
    assert item not in explained(chat, start_chat(cwd=project.path, sub_chat_id="other").pre_run(PROMPT))


def test_a_pinned_file_survives_a_tight_budget(start_chat: StartChat) -> None:
    chat = start_chat()
    set_settings(chat, budgets={"newBytesPerCall": 1_000})
    assert explained(chat, chat.pre_run(PROMPT)).get(MAIL, {"disposition": "trimmed"})["disposition"] == "trimmed"
    pin(chat, MAIL)
    assert explained(chat, chat.pre_run(PROMPT))[MAIL]["disposition"] == "sent"


def test_a_pinned_file_that_is_missing_or_excluded_is_not_sent(start_chat: StartChat, shop: Repository) -> None:
    shop.write({".env": "SHOP_TOKEN=correct-horse-battery\n", "debug.log": "lines\n"})
    chat = start_chat()
    for path in (".env", "debug.log", "/etc/passwd", "src/mail.py"):
        pin(chat, f"context:{path}")
    (shop.path / "src/mail.py").unlink()
    answer = chat.pre_run(PROMPT)
    assert "horse" not in sent(answer)
    assert {item["kind"] for item in explain(chat, answer)["items"]} == {"anchor", "context", "delta"}
    assert not {name for name in explained(chat, answer) if name.startswith("context:") and "src/" not in name} & {
        "context:.env", "context:debug.log", "context:/etc/passwd", MAIL,
    }  # fmt: skip


def test_an_override_of_something_that_is_no_item_is_refused(start_chat: StartChat) -> None:
    chat = start_chat()
    common = {"projectPath": str(chat.cwd)}
    for method, item in (
        ("continuity/pin", "zzz"), ("continuity/pin", "context:no/such/file.go"), ("continuity/mute", "anchor:zzz"),
        ("continuity/mute", "src/cart.py"),
    ):  # fmt: skip
        assert chat.client.error(method, {**common, "item": item}).data["kind"] == "notFound"
    unknown = {**common, "item": "zzz", "revoke": True}
    assert chat.client.error("continuity/mute", unknown).data["kind"] == "notFound"
    assert mute(chat, "context:not/yet.py") != []


def test_a_muted_file_is_not_sent_and_explain_shows_it(start_chat: StartChat) -> None:
    chat = start_chat()
    mute(chat, CART)
    answer = chat.pre_run(PROMPT)
    assert "apply_discount" not in sent(answer)
    assert explained(chat, answer)[CART]["disposition"] == "muted"
    assert explained(chat, answer)[CART]["override"] == "never"
    assert explain(chat, answer)["overrides"][0]["item"] == CART
    mute(chat, CART, revoke=True)
    assert "apply_discount" in sent(chat.pre_run(PROMPT))


def test_a_wrong_trap_is_never_sent_again_and_retracted_for_sessions_that_have_it(
    start_chat: StartChat, project: Repository
) -> None:
    chat = start_chat(cwd=project.path)
    first = chat.turn(PROMPT)
    assert "The printer eats umlauts." in first["system"]["text"]
    trap = next(statement for statement in explain(chat, first)["statements"] if "umlauts" in statement["text"])
    mute(chat, trap["item"], wrong=True, why="fixed in May")

    after = chat.turn("and now fix it")
    assert after["system"] == first["system"], "the pinned text never changes"
    assert "wrong, as the user says: The printer eats umlauts." in text_of(after, "delta")
    assert kinds(chat.pre_run("go on")) == []
    assert "umlauts" not in sent(chat.pre_run("go on")).replace(first["system"]["text"], "")
    explanation = {statement["item"]: statement["override"] for statement in explain(chat, after)["statements"]}
    assert explanation[trap["item"]] == "wrong"

    fresh = start_chat(cwd=project.path, sub_chat_id="other").pre_run(PROMPT)
    assert "umlauts" not in sent(fresh)
    assert "Known traps" not in sent(fresh)
    assert "Never use floats for money." in fresh["system"]["text"]


def test_a_muted_rule_is_not_retracted_for_sessions_that_have_it(start_chat: StartChat, project: Repository) -> None:
    chat = start_chat(cwd=project.path)
    first = chat.turn(PROMPT)
    rule = next(statement for statement in explain(chat, first)["statements"] if "floats" in statement["text"])
    mute(chat, rule["item"])
    assert "floats" not in text_of(chat.turn("and now fix it"), "delta")
    explanation = explain_next(start_chat(cwd=project.path, sub_chat_id="other"), PROMPT)
    assert "floats" not in explanation["system"]["text"]
    assert {statement["text"]: statement["override"] for statement in explanation["statements"]}[
        rule["text"]
    ] == "never"


def test_an_override_applies_in_every_worktree_of_its_project_and_nowhere_else(
    start_chat: StartChat, shop: Repository, tmp_path: Path, project: Repository
) -> None:
    same_project = {"projectPath": str(shop.path)}
    first = start_chat(sub_chat_id="one", cwd=shop.add_worktree(tmp_path / "a", "a").path, **same_project)
    second = start_chat(sub_chat_id="two", cwd=shop.add_worktree(tmp_path / "b", "b").path, **same_project)
    mute(first, CART)
    assert "apply_discount" not in sent(second.pre_run(PROMPT))
    assert "apply_discount" in sent(start_chat(cwd=project.path, sub_chat_id="three").pre_run(PROMPT))


def test_an_override_survives_a_restart(
    start_chat: StartChat, active: MemorySidecar, open_sidecar: Callable[..., MemorySidecar]
) -> None:
    chat = start_chat()
    mute(chat, CART)
    active.close()
    restarted = open_sidecar()
    restarted._ids = 1_000
    restarted.client.initialize(settings={"mode": "active"})
    chat.client = restarted.client
    assert "apply_discount" not in sent(chat.pre_run(PROMPT))


def test_the_latest_override_of_an_item_wins(start_chat: StartChat) -> None:
    chat = start_chat()
    mute(chat, CART)
    assert [override["override"] for override in pin(chat, CART)] == ["always"]
    assert [override["override"] for override in mute(chat, CART, wrong=True)] == ["wrong"]


def test_secrets_in_the_reason_of_an_override_are_masked(start_chat: StartChat) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    assert token not in str(pin(start_chat(), CART, why=f"because of {token}"))


def test_explaining_the_next_pre_run_shows_overrides(start_chat: StartChat) -> None:
    chat = start_chat()
    mute(chat, CART)
    explanation = explain_next(chat, PROMPT)
    assert {item["item"]: item["disposition"] for item in explanation["items"]}[CART] == "muted"


words = st.sampled_from(["always", "never", "wrong"])
names = st.sampled_from([f"context:{letter}" for letter in "abcdef"])


@given(st.lists(names, unique=True), st.dictionaries(names, words))
def test_every_item_is_included_or_muted_with_its_text_unchanged(items: list[str], overrides: dict[str, Any]) -> None:
    made = [PackItem(name, "context", Priority.FURTHER_CONTEXT, name, entries.REMOVED, "why") for name in items]
    result = apply_overrides(made, {name: Override(name, word, "", 1) for name, word in overrides.items()})
    assert sorted(item.text for item in (*result.items, *result.muted)) == sorted(items)
    assert all(overrides[item.key] != "always" for item in result.muted)
    assert [item.key for item in result.items if item.priority < Priority.DELTA] == [
        name for name in items if overrides.get(name) == "always"
    ]


def test_a_statement_is_recognized_on_another_line_and_an_empty_section_loses_its_title() -> None:
    lines = ("Rules:", "- a (AGENTS.md:3)", "Known traps:", "- b (AGENTS.md:9)", "Map:", "- src/: c")
    muted = {key: Override(key, "never", "", 1) for key in (statement_key("- b (AGENTS.md:12)"),)}
    assert visible_lines(lines, muted) == ("Rules:", "- a (AGENTS.md:3)", "Map:", "- src/: c")
    assert visible_lines(lines, {}) == lines
    assert visible_lines((), {}) == ()
    assert visible_lines(lines, {entries.ANCHOR: Override(entries.ANCHOR, "never", "", 1)}) == ()


def test_the_most_recently_pinned_files_are_sent() -> None:
    overrides = {f"context:{number}": Override(f"context:{number}", "always", "", number) for number in range(20)}
    assert set(pinned_files(overrides)) == {str(number) for number in range(8, 20)}

"""Low-token mode sends only changes while the session's packs still fit, and states the reason."""

from typing import Any

import pytest

from tests.support.conversation import Conversation, kinds, sent
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, set_settings

FITS = "same task, same part of the repository, and the search agrees"


def low(start_chat: StartChat) -> Conversation:
    chat = start_chat()
    set_settings(chat, tokenMode="low")
    return chat


def reuse(answer: dict[str, Any]) -> tuple[bool, str]:
    word = answer["metadata"]["reuse"]
    return word["deltaOnly"], word["reason"]


def test_a_session_that_has_nothing_gets_everything(start_chat: StartChat) -> None:
    answer = low(start_chat).pre_run(PROMPT)
    assert reuse(answer) == (False, "the session has nothing yet")
    assert "context" in kinds(answer)


def test_a_follow_up_on_the_same_files_gets_changes_only(start_chat: StartChat, shop: Repository) -> None:
    chat = low(start_chat)
    chat.turn(PROMPT, session="s")
    shop.write({"src/cart.py": "class Cart:\n    def total(self) -> int:\n        return 1\n"})
    answer = chat.pre_run("and now fix it")
    assert reuse(answer) == (True, FITS)
    assert kinds(answer) == ["delta"]


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("Explain how mail is sent to customers by src/mail.py", "the prompt starts a new task"),
        ("and apply_discount in src/mail.py?", "the prompt refers to files the session does not have"),
    ],
)
def test_a_prompt_about_other_files_gets_them(start_chat: StartChat, prompt: str, reason: str) -> None:
    chat = low(start_chat)
    chat.turn(PROMPT, session="s")
    answer = chat.pre_run(prompt)
    assert reuse(answer) == (False, reason)
    assert "\nsrc/mail.py" in sent(answer)


def test_a_change_in_another_folder_disables_reuse(start_chat: StartChat, shop: Repository) -> None:
    chat = low(start_chat)
    chat.turn(PROMPT, session="s")
    shop.write({"infra/main.tf": "resource {}\n"})
    assert reuse(chat.pre_run("go on")) == (False, "files changed in another part of the repository")


@pytest.mark.parametrize("mode", ["normal", "debug"])
def test_other_token_modes_always_send_new_files(start_chat: StartChat, mode: str) -> None:
    chat = start_chat()
    set_settings(chat, tokenMode=mode)
    chat.turn(PROMPT, session="s")
    assert chat.pre_run("go on")["metadata"]["reuse"] is None

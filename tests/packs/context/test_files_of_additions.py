"""A prompt that adds one more of a kind is pointed at the files that the last additions of that kind changed."""

import re

import pytest

from tests.support.repositories import Contents, Repository
from tests.support.shop import PROMPT, StartChat, explain, text_of

KINDS = ("Stripe", "Klarna", "Paypal", "Giropay", "Adyen")
REASON = "changed with most additions to src/payments/"


@pytest.fixture
def payments(shop: Repository) -> Repository:
    """A shop in which each way to pay was added with a line in three other files."""
    shop.commit({"src/registry.py": "PAYMENTS = []\n", "config/fees.json": "{}\n", "src/view.py": "ROWS = 1\n"})
    names: list[str] = []
    for name in KINDS:
        names.append(name.lower())
        files: dict[str, Contents] = {
            f"src/payments/{names[-1]}.py": f'"""Pays by {name}."""\n\n\ndef pay() -> None:\n    print()\n',
            "src/registry.py": f"PAYMENTS = {names}\n",
            "config/fees.json": "{" + ", ".join(f'"{each}": 1' for each in names) + "}\n",
            **{f"locale/{code}.txt": "\n".join(names) for code in ("de", "en", "fr")},
        }
        shop.commit(files, f"Add {name}")
        shop.commit({"src/view.py": f"ROWS = {len(names)}\n"}, "Show more rows")
    return shop


@pytest.mark.usefixtures("payments")
def test_one_more_of_a_kind_brings_what_the_others_changed(start_chat: StartChat) -> None:
    chat = start_chat()
    answer = chat.pre_run("Add a payment with Wero")
    text = text_of(answer, "context")
    for path in ("src/registry.py", "config/fees.json", "locale/de.txt"):
        assert re.search(rf"^{re.escape(path)}", text, re.MULTILINE), text
    assert "src/view.py" not in text
    why = {item["item"]: item["why"] for item in explain(chat, answer)["items"]}
    assert why["context:config/fees.json"].endswith(REASON)
    assert why["context:locale/de.txt"].endswith(f"{REASON}, as 2 other files here")


@pytest.mark.usefixtures("payments")
def test_a_prompt_that_adds_nothing_is_not_pointed_there(start_chat: StartChat) -> None:
    text = text_of(start_chat().pre_run("Why does a payment by Klarna print nothing?"), "context")
    assert "klarna.py" in text
    assert "fees.json" not in text


def test_three_additions_are_no_habit(start_chat: StartChat, shop: Repository) -> None:
    for name in KINDS[:3]:
        shop.commit({f"src/payments/{name}.py": "PAY = 1\n", "src/registry.py": f"LAST = '{name}'\n"}, f"Add {name}")
    chat = start_chat()
    answer = chat.pre_run("Add a payment with Wero")
    assert not any(REASON in item["why"] for item in explain(chat, answer)["items"])


def test_a_deleted_file_is_not_pointed_at(start_chat: StartChat, payments: Repository) -> None:
    (payments.path / "config/fees.json").unlink()
    payments.commit(message="Drop the fees")
    text = text_of(start_chat().pre_run("Add a payment with Wero"), "context")
    assert "src/registry.py" in text
    assert "fees.json" not in text


@pytest.mark.usefixtures("payments")
def test_a_new_task_of_a_conversation_adds_there_too(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    assert "src/registry.py" in text_of(chat.pre_run("Next task: add a payment with Wero to src/payments"), "context")

"""A prompt that adds one more of a kind brings what the last additions of that kind changed, and the newest one."""

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


FILLS = "fills the balance of each wallet"


@pytest.mark.parametrize(
    ("folder", "names", "newest", "prompt"),
    [
        ("db/migrate", ["20240131_a.sql", "20260102_c.sql", "20251205_b.sql"], "20260102_c.sql", "Write a migration"),
        ("store/migrations", ["0002_b.py", "0009_d.py", "0010_c.py", "__init__.py"], "0010_c.py", "Add a migration"),
        ("sql/migration", ["V2__b.sql", "V10__c.sql", "V9__a.sql"], "V10__c.sql", "next migration please, one"),
        (
            "prisma/migrations",
            ["20250101_a/migration.sql", "20260101_c/migration.sql", "20250301_b/migration.sql"],
            "20260101_c/migration.sql",
            "need a new prisma migration: one",
        ),
        (
            "db/migration/sqlite",
            ["0.9/00_a.sql", "0.10/00_b.sql", "0.10/01_c.sql", "0.8/00_d.sql", "LATEST.sql"],
            "0.10/01_c.sql",
            "Write the next SQLite migration, one",
        ),
        ("docs/adr", ["adr-001-a.md", "adr-010-c.md", "adr-009-b.md"], "adr-010-c.md", "Write an ADR about a script"),
    ],
)
def test_one_more_of_a_numbered_kind_brings_the_newest_beside_the_code(
    start_chat: StartChat, shop: Repository, folder: str, names: list[str], newest: str, prompt: str
) -> None:
    shop.commit({f"{folder}/{name}": "SELECT 1\n" for name in names})
    shop.commit({"src/wallet.py": "class Wallet:\n    balance = 0\n"}, "Add wallets")
    chat = start_chat()
    answer = chat.pre_run(f"{prompt} that {FILLS}")
    text = text_of(answer, "context")
    shown = [line.split(" ")[0] for line in text.splitlines() if line.startswith((folder, "src/wallet.py"))]
    assert {"src/wallet.py", f"{folder}/{newest}"} <= {*shown}, text
    why = {item["item"]: item["why"] for item in explain(chat, answer)["items"]}
    assert why[f"context:{folder}/{newest}"].endswith(f"newest in {folder}/")


def test_of_several_databases_the_migration_of_the_one_in_the_prompt_comes(
    start_chat: StartChat, shop: Repository
) -> None:
    engines = ("mysql", "sqlite")
    shop.commit({f"db/{each}/migrations/{at:04}_step.sql": "SELECT 1\n" for each in engines for at in range(4)})
    chat = start_chat()
    answer = chat.pre_run(f"Add a sqlite migration that {FILLS}")
    newest = [item["item"] for item in explain(chat, answer)["items"] if "newest in" in item["why"]]
    assert newest == ["context:db/sqlite/migrations/0003_step.sql"]


def test_neither_a_kind_without_numbers_nor_test_data_has_a_newest_file(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.commit({f"db/migrate/{name}.sql": "SELECT 1\n" for name in ("refunds", "vouchers", "parcels", "2fa")})
    shop.commit({f"tests/migration/{at:04}_step.py": "STEP = 1\n" for at in range(4)})
    chat = start_chat()
    answer = chat.pre_run("Write a migration that fills the total of each cart")
    assert not any("newest in" in item["why"] for item in explain(chat, answer)["items"])

"""Refreshing the registry: checksums from the files, entities from the code; entries of the user take precedence."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.registry.conftest import OWN_REGISTRY, Project
from tests.support.client import Client
from tests.support.repositories import Repository

REGISTRY = """\
metadata:
  entity_count: 9

entities:
  agents:
    brief:
      path: brief.md
      purpose: "Extract requirements"
      dependencies: [nobody]
      checksum: "<sha256>"   # filled in by refresh
    gone: {path: gone.md, purpose: "Not there any more"}
"""

CODE = {
    "till/cart.py": """\"\"\"The cart: lines and totals.\"\"\"


def add_line(cart, sku):
    \"\"\"Puts a product into the cart.\"\"\"
""",
    "till/receipt.py": """from till.cart import add_line


class ReceiptPrinter:
    \"\"\"Prints receipts on paper.\"\"\"


def _private():
    add_line(1, 2)
""",
    "web/Cart.tsx": """/** Shows the cart with its total. */
export function CartView(props: Props) {
  return null
}
""",
    "templates/receipt.html.j2": "{{ total }}\n",
    "scripts/deploy.sh": "#!/bin/sh\n# Deploys the till to the shop.\n",
    "tests/test_cart.py": "def test_total():\n    pass\n",
}


@pytest.fixture
def shop(make_repository: Callable[..., Repository], client: Client) -> Project:
    """A small shop's repository without a registry."""
    return Project(make_repository(CODE, name="shop").path, client)


def by_id(project: Project) -> dict[str, Any]:
    return {entry["id"]: entry for entry in project.request("list", limit=1000)["entities"]}


def test_refresh_updates_checksums_and_count_and_reports_manual_problems(
    make_project: Callable[..., Project],
) -> None:
    project = make_project(REGISTRY, OWN_REGISTRY)
    project.write("brief.md", "# Brief\n")
    checksum = hashlib.sha256(b"# Brief\n").hexdigest()
    done = project.request("refresh")
    assert done["changes"] == [
        {"id": "agents/brief", "field": "checksum", "before": None, "after": checksum},
        {"id": "metadata", "field": "entity_count", "before": "9", "after": "2"},
    ]
    assert project.registry(OWN_REGISTRY) == REGISTRY.replace("<sha256>", checksum).replace("count: 9", "count: 2")
    assert (project.path / done["backup"]).read_text() == REGISTRY
    assert [(entry["id"], entry["message"]) for entry in done["problems"]] == [
        ("agents/gone", "`gone.md` does not exist."),
        ("agents/brief", "It depends on `nobody`, which is not in the registry."),
    ]
    again = project.request("refresh")
    assert (again["changes"], again["written"], again["backup"]) == ([], False, None)


def test_dry_refresh_writes_nothing(make_project: Callable[..., Project], shop: Project) -> None:
    project = make_project(REGISTRY, OWN_REGISTRY)
    project.write("brief.md", "# Brief\n")
    assert project.request("refresh", dryRun=True)["changes"] != []
    assert project.registry(OWN_REGISTRY) == REGISTRY
    assert shop.request("refresh", fromCode=True, dryRun=True)["derived"]["total"] > 0
    assert shop.request("list")["total"] == 0


def test_registry_is_derived_from_code(shop: Project) -> None:
    done = shop.request("refresh", fromCode=True)
    assert done["derived"] == {"total": 8, "added": 8, "changed": 0, "removed": 0, "filesRead": 5, "truncated": False}
    entities = by_id(shop)
    assert {id_.removeprefix("code/"): entry["type"] for id_, entry in entities.items()} == {
        "scripts/deploy.sh": "script",
        "templates/receipt.html.j2": "template",
        "till/cart.py#add_line": "function",
        "till/cart.py": "module",
        "till/receipt.py#ReceiptPrinter": "class",
        "till/receipt.py": "module",
        "web/Cart.tsx#CartView": "component",
        "web/Cart.tsx": "component",
    }
    added = entities["code/till/cart.py#add_line"]
    assert (added["purpose"], added["origin"], added["path"]) == (
        "Puts a product into the cart.",
        "code",
        "till/cart.py",
    )
    assert added["keywords"] == ["add", "line", "cart", "sku"]
    assert entities["code/till/cart.py"]["purpose"] == "The cart: lines and totals."
    assert not (shop.path / ".chati").exists()


SERVED = """from typing import overload


class Till:
    \"\"\"Takes the money.

    Change is given in coins as far as they reach, see :meth:`count`.
    \"\"\"

    def __init__(self) -> None:
        self.coins = []

    def count(self) -> int:
        \"\"\"Adds all coins up.\"\"\"
        return sum(self.coins)

    def bare(self) -> None:
        self.coins.clear()

    def _hidden(self) -> None:
        \"\"\"Nobody's.\"\"\"


@overload
def pay(amount: int) -> str: ...


@overload
def pay(amount: str) -> str: ...


def pay(
    amount,
    {more}
):
    \"\"\"Pays an amount.

    :param amount: what the customer owes, in cents. The key is AKIAIOSFODNN7EXAMPLE.

    Examples::

        pay(100)
    \"\"\"
""".replace("{more}", "\n    ".join(f"option_{number}=None," for number in range(30)))


def test_comments_yield_keywords_and_documented_methods_are_entities(shop: Project) -> None:
    shop.write("till/held.py", SERVED)
    shop.write("web/reading.js", "/**\n * Reads the barcode of a product.\n */\nmodule.exports = (x) => x;\n")
    shop.request("refresh", fromCode=True)
    entities = by_id(shop)
    served = [id_ for id_ in entities if id_.startswith("code/till/held.py")]
    assert served == [f"code/till/held.py{name}" for name in ("#Till", "#pay", "#Till.count", "")]
    assert set(entities["code/till/held.py#Till"]["keywords"]) >= {"change", "coins", "count", "bare"}
    assert entities["code/till/held.py#Till.count"]["type"] == "method"
    pay = entities["code/till/held.py#pay"]
    assert pay["purpose"] == "Pays an amount.", "not the first overload's, and however long the head is"
    assert {"customer", "cents"} <= set(pay["keywords"])
    assert not [entry for entry in pay["keywords"] if "akia" in entry.casefold() or entry == "100"]
    assert "barcode" in entities["code/web/reading.js"]["keywords"]
    best = shop.request("decide", intent="a method that counts the coins", type="method")["recommendations"][0]
    assert (best["entity"]["id"], best["decision"]) == ("code/till/held.py#Till.count", "REUSE")


def test_imports_are_dependencies_and_lower_adaptability(shop: Project) -> None:
    shop.request("refresh", fromCode=True)
    reached = shop.request("impact", id="code/till/cart.py#add_line")["impact"]
    assert [entry["id"] for entry in reached["dependents"]] == ["code/till/receipt.py"]
    entities = by_id(shop)
    assert entities["code/till/cart.py#add_line"]["adaptability"] == 0.75
    assert entities["code/till/receipt.py"]["adaptability"] == 0.9


def test_decision_covers_derived_entities(shop: Project) -> None:
    shop.request("refresh", fromCode=True)
    decided = shop.request("decide", intent="a function that puts products into a cart")
    assert (decided["decision"], decided["recommendations"][0]["entity"]["id"]) == (
        "REUSE",
        "code/till/cart.py#add_line",
    )
    assert shop.request("decide", intent="a loyalty programme")["decision"] == "CREATE"


def test_only_files_with_new_content_are_read(shop: Project) -> None:
    shop.request("refresh", fromCode=True)
    assert shop.request("refresh", fromCode=True)["derived"]["filesRead"] == 0
    shop.write("till/cart.py", '"""The cart."""\n\n\ndef remove_line(cart, sku):\n    """Takes a product out."""\n')
    (shop.path / "scripts" / "deploy.sh").unlink()
    assert shop.request("refresh", fromCode=True)["derived"] == {
        "total": 7, "added": 1, "changed": 2, "removed": 2, "filesRead": 1, "truncated": False,
    }  # fmt: skip


def test_deriving_twice_yields_the_same_registry(
    shop: Project, tmp_path: Path, open_sidecar: Callable[..., Any]
) -> None:
    shop.request("refresh", fromCode=True)
    other = open_sidecar(state_dir=tmp_path / "other")
    other.client.initialize()
    again = Project(shop.path, other.client)
    again.request("refresh", fromCode=True)
    assert by_id(again) == by_id(shop)


def test_written_entries_take_precedence_over_derived_ones(shop: Project) -> None:
    shop.request("refresh", fromCode=True)
    done = shop.request("put", id="code/till/cart.py#add_line", purpose="The only way into a cart", adaptability=0.1)
    assert (done["entity"]["origin"], done["entity"]["adaptability"]) == ("file", 0.1)
    shop.write("till/cart.py", '"""The cart."""\n\n\ndef add_line(cart, sku):\n    """Another word for it."""\n')
    shop.request("refresh", fromCode=True)
    mine = by_id(shop)["code/till/cart.py#add_line"]
    assert (mine["purpose"], mine["adaptability"], mine["origin"]) == ("The only way into a cart", 0.1, "file")
    assert mine["keywords"] == ["add", "line", "cart", "sku"]


def test_removed_entity_is_not_derived_again_until_restored(shop: Project) -> None:
    shop.request("refresh", fromCode=True)
    shop.request("remove", id="code/till/receipt.py#ReceiptPrinter")
    shop.request("refresh", fromCode=True)
    assert "code/till/receipt.py#ReceiptPrinter" not in by_id(shop)
    shop.request("put", id="code/till/receipt.py#ReceiptPrinter", path="till/receipt.py", purpose="Prints")
    assert by_id(shop)["code/till/receipt.py#ReceiptPrinter"]["purpose"] == "Prints"


def test_written_entity_for_a_file_replaces_its_derived_module(shop: Project) -> None:
    shop.request("refresh", fromCode=True)
    shop.request("put", id="modules/cart", type="module", path="till/cart.py", purpose="Ours")
    entities = by_id(shop)
    assert "code/till/cart.py" not in entities
    assert "code/till/cart.py#add_line" in entities


def test_secrets_in_comments_are_masked(make_repository: Callable[..., Repository], client: Client) -> None:
    text = 'def connect():\n    """Connects with AKIAIOSFODNN7EXAMPLE to the bank."""\n'
    project = Project(make_repository({"bank.py": text}, name="bank").path, client)
    project.request("refresh", fromCode=True)
    assert "AKIAIOSFODNN7EXAMPLE" not in str(project.request("list"))


def test_worktrees_share_the_registry_of_their_project(
    shop: Project, make_repository: Callable[..., Repository]
) -> None:
    worktree = Project(make_repository({"a.py": "def a():\n    pass\n"}, name="worktree").path, shop.client)
    worktree.request("put", projectPath=str(shop.path), id="agents/a", path="a.md", purpose="A")
    assert list(by_id(shop)) == ["agents/a"]
    assert not (worktree.path / ".chati").exists()


def test_members_assigned_to_an_exported_object_are_public(shop: Project) -> None:
    shop.write(
        "web/answer.js",
        "var answer = exports = module.exports = {};\n/**\n * Sends the customer to another page.\n */\n\n"
        "answer.redirect = function redirect(page) {};\nanswer._inner = function () {};\nvar own = {};\n"
        "own.helper = function () {};\n",
    )
    shop.request("refresh", fromCode=True)
    entities = by_id(shop)
    found = [id_ for id_ in entities if id_.startswith("code/web/answer.js#")]
    assert found == ["code/web/answer.js#redirect"]
    assert entities["code/web/answer.js#redirect"]["purpose"] == "Sends the customer to another page."

"""Fixtures of the flows: a small project and a conversation in it, with injection enabled."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.conversation import Conversation
from tests.support.fake_agent import FakeAgent
from tests.support.git_wrapper import release_status
from tests.support.memory_sidecar import MemorySidecar
from tests.support.ralph_command import Ralph
from tests.support.repositories import Repository
from tests.support.shop import active

__all__ = ["active", "conversation", "project", "release_status"]

PROJECT = {
    "AGENTS.md": "# Rules\n\n- Never log a customer's card number.\n- Amounts are integers of cents, always.\n",
    "README.md": "# Till\n\nA till for small shops: carts, prices, receipts.\n",
    "docs/adr/0001-cents.md": "# Amounts are cents\n\nStatus: accepted\n\nFloats lose money.\n",
    "till/__init__.py": '"""A till for small shops."""\n',
    "till/cart.py": """\"\"\"The cart: lines, quantities, totals.\"\"\"


class Cart:
    def add_line(self, sku, quantity):
        self.lines.append((sku, quantity))

    def total(self):
        return sum(line.cents for line in self.lines)
""",
    "till/prices.py": """\"\"\"Prices and discounts per customer.\"\"\"


def discounted_price(cents, percent):
    return cents * (100 - percent) // 100
""",
    "till/receipt.py": """\"\"\"Prints receipts on the thermal printer.\"\"\"


def print_receipt(cart, printer):
    for line in cart.lines:
        printer.write(line)
""",
    "tests/test_prices.py": """from till.prices import discounted_price


def test_discount():
    assert discounted_price(200, 50) == 100
""",
    "web/app.ts": "export function renderCart(lines: string[]): string {\n  return lines.join()\n}\n",
    ".gitignore": "*.log\n.env\n",
}


@pytest.fixture
def project(make_repository: Callable[..., Repository]) -> Repository:
    """A small shop's till, committed."""
    return make_repository(PROJECT, name="till")


@pytest.fixture
def conversation(active: MemorySidecar, project: Repository) -> Conversation:
    """A Claude conversation in the till's repository."""
    return Conversation(active.client, project.path)


@pytest.fixture
def agent(tmp_path: Path) -> FakeAgent:
    """A scripted agent that does nothing yet."""
    return FakeAgent(tmp_path / "agent")


@pytest.fixture
def ralph(project: Repository, agent: FakeAgent, tmp_path: Path) -> Iterator[Ralph]:
    """The loop's command in the till's repository."""
    (tmp_path / "tmp").mkdir()
    command = Ralph(project.path, agent, tmp_path / "tmp")
    yield command
    command.close()

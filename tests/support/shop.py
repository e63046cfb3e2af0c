"""A small repository, an active sidecar, and conversations: fixtures for the slices around a run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Contents, Repository

SHOP: dict[str, Contents] = {
    "AGENTS.md": "# Rules\n\n- Never use floats for money.\n- Always run `make test` before you finish.\n",
    "README.md": "# Shop\n\nA small shop: carts, discounts, invoices.\n",
    "Makefile": "test:\n\tpytest\n",
    "docs/adr/0001-money.md": "# Money is whole cents\n\nStatus: accepted\n",
    "src/cart.py": '"""The cart: lines, totals and discounts."""\n\n\nclass Cart:\n'
    "    def total(self) -> int:\n        return sum(line.price for line in self.lines)\n\n"
    "    def apply_discount(self, percent: int) -> None:\n        self.discount = percent\n",
    "src/invoice.py": '"""Invoices from carts."""\n\n\ndef invoice_of(cart: object) -> str:\n    return str(cart)\n',
    "src/mail.py": '"""Sends mail to customers."""\n\n\ndef send(address: str, body: str) -> None:\n    print(body)\n',
    "tests/test_cart.py": "from src.cart import Cart\n\n\ndef test_total() -> None:\n    assert Cart().total() == 0\n",
    ".gitignore": "*.log\n.env\n",
}
PROMPT = "Why does the cart total ignore the discount?"

StartChat = Callable[..., Conversation]


@pytest.fixture
def shop(make_repository: Callable[..., Repository]) -> Repository:
    """The shop's repository, committed."""
    return make_repository(SHOP, name="shop")


@pytest.fixture
def active(open_sidecar: Callable[..., MemorySidecar]) -> MemorySidecar:
    """A sidecar in active mode."""
    sidecar = open_sidecar()
    sidecar.client.initialize(settings={"mode": "active"})
    return sidecar


@pytest.fixture
def start_chat(active: MemorySidecar, shop: Repository) -> StartChat:
    """Start conversations, in the shop by default."""

    def begin(
        provider: str = "claude", *, cwd: Path | None = None, sub_chat_id: str = "chat", **params: Any
    ) -> Conversation:
        return Conversation(active.client, cwd or shop.path, provider=provider, sub_chat_id=sub_chat_id, **params)

    return begin


def read_part(path: Path, state: str = "result") -> dict[str, Any]:
    """Return Claude's stored part of a file read."""
    return {"type": "tool-Read", "toolCallId": f"r-{path}", "state": state, "input": {"file_path": str(path)}}


def text_of(answer: Any, kind: str) -> str:
    """Return a block's text; empty without one."""
    return next((str(block["text"]) for block in answer["blocks"] if block["kind"] == kind), "")


def explain(conversation: Conversation, answer: Any) -> Any:
    """Explain a pre-run."""
    return conversation.client.request("continuity/explain", {"runId": answer["runId"]})


def draft_each_change(chat: Conversation) -> Conversation:
    """Make every changed line due for a devlog; return the conversation."""
    set_settings(chat, capture={"changedLines": 1})
    return chat


def send_session_event(conversation: Conversation, event: str, session_id: str | None = None) -> None:
    """Send an event of a conversation's session."""
    params = {"event": event, "cwd": str(conversation.cwd), "subChatId": conversation.sub_chat_id}
    conversation.client.notify(
        "continuity/sessionEvent", {**params, "provider": conversation.provider, "sessionId": session_id}
    )


def set_settings(conversation: Conversation, **settings: Any) -> None:
    """Change the global settings."""
    conversation.client.request("settings/update", {"settings": settings})

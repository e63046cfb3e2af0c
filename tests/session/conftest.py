"""A project with a session."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.client import Client
from tests.support.repositories import Repository


@pytest.fixture
def shop(make_repository: Callable[..., Repository]) -> Repository:
    """A project with a CLAUDE.md of odd line ends."""
    shop = make_repository()
    shop.commit({"CLAUDE.md": b"# Shop\r\n\r\n- Use tabs", "cart.py": "TOTAL = 1\n"})
    return shop


@pytest.fixture
def session(client: Client, shop: Repository) -> Callable[..., Any]:
    """Return a function that calls a `session/…` method for the shop."""

    def request(verb: str, **params: Any) -> Any:
        return client.request(f"session/{verb}", {"cwd": str(shop.path), **params})

    return request


@pytest.fixture
def refused(client: Client, shop: Repository) -> Callable[..., Any]:
    """Return a function that makes a call that must fail, and returns its error kind."""

    def request(verb: str, **params: Any) -> Any:
        return client.error(f"session/{verb}", {"cwd": str(shop.path), **params}).data["kind"]

    return request

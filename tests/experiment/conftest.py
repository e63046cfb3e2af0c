"""Fixtures of the experiment's tests."""

from tests.support.shop import active, shop, talk

__all__ = ["active", "shop", "talk"]

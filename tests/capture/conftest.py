"""The shop and its conversations."""

from tests.support.shop import active, shop, start_chat

__all__ = ["active", "shop", "start_chat"]

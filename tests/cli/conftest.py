"""What these tests share."""

from tests.support.shop import shop

__all__ = ["shop"]

"""The languages a user is answered in."""

from typing import Literal

Language = Literal["en", "pt", "es", "fr"]

"""Clip text to a maximum number of characters; a clipped text ends with an ellipsis. Pure."""


def clip(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def clip_at_word(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters that ends with a whole word."""
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0].rstrip(",;: ") + "…"

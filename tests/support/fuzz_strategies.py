"""Hostile texts and JSON for fuzzing: parts that a reader knows, in any order, with anything in between."""

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

HOSTILE = (
    "\x00",
    "\x1b[31m",
    "\u202e",
    "\u2066",
    "\u2028",
    "\ufeff",
    "\ufffe",
    "\ud83d",
    "\udc00\ud83d",
    "\U0001f600",
    "e\u0301",
    "\r",
    "../../etc/passwd",
    "C:\\con",
    "/",
    "x" * 70_000,
    "[" * 3_000,
    "\u4e2d" * 2_000,
)
"""Rare content of prompts and tool output: NUL, lone surrogates, right-to-left marks, one endless line, brackets."""


def texts(parts: Sequence[str]) -> st.SearchStrategy[str]:
    """Texts of parts that a reader knows, with anything in between."""
    known_parts = one_of(parts)
    return st.lists(st.one_of(known_parts, known_parts, st.text(max_size=6)), max_size=24).map("".join)


def hostile_texts() -> st.SearchStrategy[str]:
    """Short texts of hostile parts."""
    return st.lists(st.one_of(one_of(HOSTILE), st.text(max_size=8)), max_size=5).map("".join)


def one_of(parts: Sequence[str]) -> st.SearchStrategy[str]:
    """Draw one of some parts by its number: hypothesis prints what it draws, and some are long."""
    return st.integers(0, len(parts) - 1).map(lambda number: parts[number])


def json_values(names: Sequence[str], words: Sequence[str], max_leaves: int = 20) -> st.SearchStrategy[Any]:
    """JSON whose objects have the names and words of a format, or anything else."""
    leaf = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(allow_nan=False, allow_infinity=False),
        one_of(words),
        one_of(words),
        hostile_texts(),
    )
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(names), inner, max_size=6)
        ),
        max_leaves=max_leaves,
    )


def objects_of(fields: dict[str, st.SearchStrategy[Any]], damaged: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects of a format's shape, each field of which may be missing or anything else."""
    return st.fixed_dictionaries(
        {}, optional={name: st.one_of(strategy, strategy, strategy, damaged) for name, strategy in fields.items()}
    )


def line_of(value: Any) -> bytes:
    """Return a value as a line written by JavaScript: a lone surrogate is escaped."""
    return json.dumps(value).encode()

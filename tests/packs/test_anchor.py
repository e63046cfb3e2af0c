"""The Anchor Pack: within its bytes whatever its sources, and its changes in words."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.packs.anchor import ANCHOR_BYTES, Document, Sources, anchor_limit, anchor_lines, changed_lines
from sidecar.packs.census import census_of
from sidecar.packs.compose import anchor_block
from sidecar.packs.text import size

NOTHING = Sources((), None, (), (), (), {}, (), (), frozenset())
paths = st.lists(st.text(alphabet="ab/.é[\n:", min_size=1, max_size=20), max_size=12)
bodies = st.text(alphabet=st.sampled_from("-*# \nnever must always é[continuity:]"), max_size=400)


def rendered(**sources: Any) -> str:
    block = anchor_block(anchor_lines(NOTHING._replace(**sources), 3_900), "")
    return block.text if block is not None else ""


@given(paths, bodies, bodies, st.integers(-200, 4_000))
def test_an_anchor_never_exceeds_its_bytes(names: list[str], rules: str, readme: str, limit: int) -> None:
    sources = NOTHING._replace(
        instructions=(Document("AGENTS.md", rules), Document("CLAUDE.md", rules)),
        readme=Document("README.md", readme),
        decisions=tuple(Document(name, rules) for name in names),
        specifications=tuple(names),
        areas=census_of(names).outline.areas,
        commands=tuple((name, "Makefile") for name in names),
        rejected=tuple(names),
    )
    lines = anchor_lines(sources, limit)
    assert sum(size(line) + 1 for line in lines) <= max(0, limit)
    assert lines == anchor_lines(sources, limit)
    assert not any("\n" in line or "[continuity:" in line.casefold() for line in lines)


def test_an_anchor_stays_under_four_kilobytes_and_in_its_share() -> None:
    rules = "".join(f"- Never do number {number}, whatever anybody says about it.\n" for number in range(200))
    text = rendered(instructions=(Document("AGENTS.md", rules),), rejected=tuple("abc"))
    assert 1_500 < size(text) < 4_096
    assert "rejected before: c" in text
    assert anchor_limit("normal", 24_000) == ANCHOR_BYTES["normal"]
    assert anchor_limit("low", 1_000) < 400


def test_an_anchors_id_follows_its_bytes() -> None:
    one, other = (anchor_block([f"- {text}"], "") for text in "ab")
    assert one is not None
    assert other is not None
    assert one.id != other.id
    assert anchor_block(["- a"], "") == one
    assert anchor_block([], "") is None


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("- Never a.\n- Never b.\n", "- Never b.\n- Never a.\n", []),
        ("- Never a.\n", "\n\n- Never a.\n", []),
        ("- Never a.\n", "- Never b.\n", ["now: Never b. (AGENTS.md:1)", "no longer: Never a. (AGENTS.md:1)"]),
        ("- Never a.\n", "", ["no longer: Never a. (AGENTS.md:1)"]),
    ],
)
def test_changes_are_told_by_what_is_said_not_by_where_it_stands(before: str, after: str, changes: list[str]) -> None:
    texts = [rendered(instructions=(Document("AGENTS.md", text),)) for text in (before, after)]
    assert changed_lines(*texts) == changes


def test_a_host_that_sends_a_file_gets_a_pointer_and_no_rule_of_it() -> None:
    documents: Mapping[str, str] = {"AGENTS.md": "- Never a.\n", "CLAUDE.md": "- Never b.\n"}
    text = rendered(
        instructions=tuple(Document(*pair) for pair in documents.items()), host_sends=frozenset(("AGENTS.md",))
    )
    assert "Never a." not in text
    assert "Never b." in text
    assert "AGENTS.md holds" in text

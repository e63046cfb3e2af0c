"""Private text, injected text and secrets are removed before anything is stored."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.memory import filter_private
from sidecar.packs import PackItem, Priority, render_block, render_prompt
from sidecar.runs import BlockKind, entries
from tests.support.cases import together

PARTS = st.lists(
    st.sampled_from(["<private>", "</private>", "<chati-context>", "</chati-context>", "a ", "\n", "<PRIVATE >", "<x>"])
)


@together(
    ("text", "filtered"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a <private>b", "a"),
        ("a </private> b", "a  b"),
        ('<chati-context bracket="FRESH">x</chati-context>y', "y"),
        ("<private><chati-context>x</private>y", "y"),
        ("the word private", "the word private"),
        ("[continuity: a mark in a sentence]", "[continuity: a mark in a sentence]"),
        ("a\x00b\x1bc\td", "abc\td"),
    ],
)
def test_private_text_and_injected_context_are_removed(text: str, filtered: str) -> None:
    assert filter_private(text).text == filtered


@given(PARTS)
def test_nothing_private_remains_whatever_the_tags(parts: list[str]) -> None:
    text = "".join(f"{part}{'secret' if part.lower().startswith('<private') else ''}" for part in parts)
    filtered = filter_private(text).text
    assert "secret" not in filtered
    assert "<private" not in filtered.lower()
    assert filter_private(filtered).text == filtered


def test_of_a_composed_prompt_only_the_request_remains() -> None:
    kinds: tuple[BlockKind, ...] = ("anchor", "context", "delta")
    blocks = [
        render_block(
            kind, [PackItem(kind, kind, Priority.ANCHOR, f"No floats in {kind}.", entries.REMOVED, "why")], "Fix it"
        )
        for kind in kinds
    ]
    filtered = filter_private(render_prompt(blocks, "Fix the [continuity: thing"))
    assert filtered.text == "Fix the [continuity: thing"
    assert (filtered.injected, filtered.private) == (3, 0)
    assert filter_private(blocks[0].text).text == ""


def test_secrets_are_masked() -> None:
    assert "hunter2" not in filter_private("password = 'hunter2-Xk9'").text


@together(
    "line",
    [
        "- Use pnpm instead of npm. (mem-2026-03-01-001, 2026-03-01)",
        "New standing instruction from the user: Use pnpm. (mem-2026-03-01-001, 2026-03-01)",
        "Standing instruction changed: Use pnpm. (mem-2026-03-01-002, 2026-03-01)",
        "It replaces: Use npm. (mem-2026-03-01-001)",
        "A standing instruction no longer holds: Use npm. (mem-2026-03-01-001)",
        "> A standing instruction no longer holds: mem-2026-03-01-001",
    ],
)
def test_delivered_standing_instructions_are_removed_where_they_are_repeated(line: str) -> None:
    assert filter_private(f"Before.\n{line}\nAfter.").text == "Before.\n\nAfter."

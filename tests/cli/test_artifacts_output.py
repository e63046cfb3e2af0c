"""Artifacts on a terminal."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sidecar.cli.artifacts import _card_lines, table
from sidecar.cli.output import cut, terminal_safe

ONE: dict[str, Any] = {
    "id": "adr-00000000000a", "type": "adr", "status": "draft", "title": "Totals", "event": "boundary",
    "createdAt": "2026-03-01T09:31:00.000Z", "updatedAt": "2026-03-02T09:31:00.000Z", "damaged": True,
}  # fmt: skip
SOURCE: dict[str, Any] = {
    "runId": "r", "subChatId": "c", "provider": "codex", "sessionId": None, "headCommit": None, "files": [],
    "edited": True, "branch": "memory/continuity", "commit": "0123456789abcdef",
}  # fmt: skip


@given(st.text(), st.integers(min_value=1, max_value=100))
def test_a_cut_text_is_a_prefix_with_an_ellipsis(text: str, width: int) -> None:
    flat = " ".join(text.split())
    result = cut(text, width)
    assert result == flat or (result.endswith("…") and flat.startswith(result[:-1].rstrip()))


def test_wide_characters_take_two_columns() -> None:
    assert cut("割引割引", 8) == "割引割引"
    assert cut("割引割引", 7) == "割引割…"


def test_control_characters_in_artifacts_are_replaced() -> None:
    assert terminal_safe("a\x1b[2Jb\x9bc\r\n\td") == "a\N{REPLACEMENT CHARACTER}[2Jb\N{REPLACEMENT CHARACTER}c\n\td"
    title = {**ONE, "title": "a\x1b]0;b\x07"}
    assert "\x1b" not in "\n".join(
        [*table([title], 80), *_card_lines({**title, "body": "\x1b[2J", "provenance": SOURCE})]
    )


def test_a_table_marks_damaged_artifacts_and_a_card_shows_the_origin() -> None:
    assert list(table([ONE], 80))[1] == "adr-00000000000a  damaged    2026-03-01  Totals"
    assert list(_card_lines({**ONE, "body": "# Totals\n", "provenance": SOURCE})) == [
        "id       adr-00000000000a",
        "type     adr, from boundary",
        "status   draft, edited",
        "created  2026-03-01 09:31 UTC",
        "changed  2026-03-02 09:31 UTC",
        "run      r of chat c with codex",
        "branch   memory/continuity at 0123456789ab",
        "",
        "# Totals",
    ]

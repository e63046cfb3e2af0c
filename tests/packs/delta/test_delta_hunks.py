"""Properties of rendered differences: complete in the end, nothing else, no secret, within the byte limit."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase import added_file_diff, split_hunks
from sidecar.core.clean_text import utf8_size
from sidecar.packs import render_diff
from sidecar.runs import entries

LINES = st.lists(st.sampled_from([*"abcdefgh", "", "def f():", "@@ -1 +1 @@"]), max_size=40)
EDITS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 6), LINES), min_size=1, max_size=6)
PLENTY = 1_000_000
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


def unified(before: list[str], after: list[str]) -> str:
    lines = difflib.unified_diff(before, after, n=2, lineterm="")
    return "".join(f"{line}\n" for line in list(lines)[2:])


def stored(change: entries.ChangeEntry) -> entries.ChangeEntry:
    """Return a change after a round trip through the ledger."""
    entry = entries.entry_from_json(entries.entry_to_json(change))
    assert isinstance(entry, entries.ChangeEntry)
    return entry


@given(LINES, EDITS, st.sampled_from([PLENTY, 300, 60]))
def test_every_hunk_is_known_shown_or_counted_and_every_lost_one_is_named(
    base: list[str], edits: list[tuple[int, int, list[str]]], limit: int
) -> None:
    sent, now = entries.NO_CHANGE, list(base)
    shown_before: dict[str, str] = {}
    for at, removed, added in edits:
        now[at : at + removed] = added
        text = unified(base, now)
        rendered = render_diff(text, sent.hunks, "", limit)
        hunks = split_hunks(text)
        known = {first.hunk_id for first in sent.hunks}
        assert [first.hunk_id for first in rendered.hunks] == [hunk.hunk_id for hunk in hunks]
        counted = any("more lines" in line for line in rendered.lines)
        for hunk in hunks:
            in_full = all(f"  {line}" in rendered.lines for line in hunk.lines)
            assert hunk.hunk_id in known or in_full or limit < PLENTY
            assert hunk.hunk_id in known or in_full or counted or not (rendered.lines or sent.hunks)
        _nothing_is_forged(text, rendered.lines)
        if rendered.lines and not rendered.lines[-1].startswith("  no longer"):
            assert sum(utf8_size(line) + 1 for line in rendered.lines) <= max(limit, 0) + 40
        if limit == PLENTY:
            _check_lost_hunks_are_named(shown_before, rendered.lines, {hunk.hunk_id for hunk in hunks}, text)
            shown_before = {hunk.hunk_id: hunk.position for hunk in hunks}
        sent = stored(entries.ChangeEntry("state", rendered.hunks))
        assert sent.hunks == rendered.hunks


def _nothing_is_forged(text: str, lines: tuple[str, ...]) -> None:
    own = {f"  {line}" for line in text.split("\n")}
    assert all(line in own or line.startswith(("  @@ ", "  … ", "  no longer as sent or written: ")) for line in lines)


def _check_lost_hunks_are_named(
    shown_before: dict[str, str], lines: tuple[str, ...], present: set[str], text: str
) -> None:
    removed = [place for mark, place in shown_before.items() if mark not in present]
    has_new_lines = any(line.startswith("  @@ ") for line in lines)
    assert not removed or has_new_lines or any(line.startswith("  no longer as sent or written: ") for line in lines)
    if not text and removed:
        assert lines[-1].startswith("  no longer as sent or written: ")


def test_an_added_line_sends_its_own_hunk() -> None:
    base = [f"line {number}" for number in range(40)]
    now = [*base[:20], *(f"    new line {number}" if number % 6 else "" for number in range(60)), *base[20:]]
    first = render_diff(unified(base, now), (), "", PLENTY)
    now.insert(47, "    one more")
    again = render_diff(unified(base, now), first.hunks, "", PLENTY)
    assert any(line.endswith("one more") for line in again.lines)
    assert sum(utf8_size(line) + 1 for line in again.lines) < 250
    assert again.has_known


def test_a_reverted_hunk_is_named_by_its_location() -> None:
    base = [f"line {number}" for number in range(60)]
    now = [*base[:10], "first", *base[10:40], "second", *base[40:]]
    first = render_diff(unified(base, now), (), "", PLENTY)
    now.remove("first")
    again = render_diff(unified(base, now), first.hunks, "", PLENTY)
    assert again.lines == ("  no longer as sent or written: @@ -9 +9",)
    assert again.has_new
    assert not render_diff(unified(base, now), again.hunks, "", PLENTY).has_new


def test_after_a_commit_above_a_hunk_only_its_position_is_another() -> None:
    base = [f"line {number}" for number in range(60)]
    now = [*base[:30], "first", *base[30:40], "second", *base[40:]]
    first = render_diff(unified(base, now), (), "", PLENTY)
    pulled, merged = ["new", *base], ["new", *now]
    again = render_diff(unified(pulled, merged), first.hunks, "", PLENTY, has_moved=True)
    assert again.lines == ()
    assert not again.has_new
    assert [hunk.position for hunk in again.hunks] == ["-30+30", "-40+41"]
    merged.remove("first")
    reverted = render_diff(unified(pulled, merged), again.hunks, "", PLENTY)
    assert reverted.lines == ("  no longer as sent or written: @@ -30 +30",)


def test_the_same_lines_at_another_place_are_news_unless_a_commit_moved_them() -> None:
    base = [f"line {number % 10}" for number in range(60)]
    first = render_diff(unified(base, [*base[:15], "new", *base[15:]]), (), "", PLENTY)
    other = render_diff(unified(base, [*base[:35], "new", *base[35:]]), first.hunks, "", PLENTY)
    assert "  +new" in other.lines


def test_a_moved_hunk_is_sent_again() -> None:
    parts = ["def f():\n    return 1\n\n\n", "def g():\n    return 2\n\n\n", "def h():\n    return 3\n\n\n"]
    first = render_diff(added_file_diff("".join(parts)), (), "", PLENTY)
    again = render_diff(added_file_diff("".join([parts[1], parts[0], parts[2]])), first.hunks, "", PLENTY)
    assert again.has_new
    assert [line for line in again.lines if "return" in line] == ["  +    return 1"]


def test_a_counted_hunk_is_neither_new_nor_missing_later() -> None:
    text = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(40))
    first = render_diff(added_file_diff(text), (), "", 400)
    assert first.lines[-1].endswith("more lines")
    again = render_diff(added_file_diff(text.replace("return 2\n", "return 22\n")), first.hunks, "", 400)
    assert [line for line in again.lines if "return" in line] == ["  +    return 22"]
    without = render_diff(added_file_diff(text.replace("def f39():\n    return 39\n", "")), first.hunks, "", 400)
    assert not any("no longer" in line for line in without.lines)


def test_matching_hunks_come_first_and_cuts_fall_between_hunks() -> None:
    text = "".join(f"def word{number}():\n    return {number}\n\n\n" for number in range(40))
    text = text.replace("return 31\n", "return discount\n")
    rendered = render_diff(added_file_diff(text), (), "why is the discount wrong", 300)
    assert "  +    return discount" in rendered.lines
    bodies = [line for line in rendered.lines if line.startswith("  +")]
    assert sum("def " in line for line in bodies) == sum("return" in line for line in bodies)


def test_an_oversized_hunk_is_cut_at_a_line_end() -> None:
    rendered = render_diff("@@ -1 +1,6 @@\n" + "+" + "x" * 200 + "\n" + "+y\n" * 5, (), "", 100)
    assert rendered.lines == ()
    rendered = render_diff("@@ -1 +1,6 @@\n" + "+y\n" * 5 + "+" + "x" * 200 + "\n", (), "", 100)
    assert rendered.lines[-1] == "  … 1 more line"


@pytest.mark.parametrize("before", ["", "x\n" * 30])
def test_a_key_of_many_lines_is_masked_line_by_line(before: str) -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 30 + "-----END PRIVATE KEY-----\n"
    rendered = render_diff(added_file_diff(f"{before}{key}after = 1\ntoken = '{TOKEN}'\n"), (), "", PLENTY)
    sent = "\n".join(rendered.lines)
    assert "MIIEvQ" not in sent
    assert TOKEN not in sent
    assert "  +after = 1" in rendered.lines


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_rendered_difference_has_whole_lines_for_any_content(first: str, other: str) -> None:
    base, now = (text.encode("utf-8", "replace").decode().split("\n") for text in (first, other))
    for text in (unified(base, now), added_file_diff("\n".join(now))):
        for line in render_diff(text, (), "", PLENTY).lines:
            assert "\n" not in line
            assert "[continuity:" not in line.casefold()
            assert len(line) <= 240


def test_changed_lines_keep_their_tabs() -> None:
    text = unified(["func f() {"], ["func f() {", "\treturn 1\t// one"])
    assert "  +\treturn 1\t// one" in render_diff(text, (), "", PLENTY).lines

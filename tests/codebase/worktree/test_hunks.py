"""Tests of splitting diffs into hunks: no line is lost, and an edit changes only the hunk it falls into."""

import difflib

from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase import (
    MAX_DIFF_CHARACTERS,
    MAX_WHOLE_LINES,
    added_file_diff,
    conflict_hunks,
    hunk_header,
    is_adjacent,
    split_hunks,
)

LINES = st.lists(st.sampled_from([*"abcdefgh", "", "    ", "def f():", "@@ -1 +1 @@", "--- x", "\\ x"]), max_size=60)
CONFLICT = "one\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> feature\ntwo\n"


def unified(before: list[str], after: list[str]) -> str:
    lines = difflib.unified_diff(before, after, n=2, lineterm="")
    return "".join(f"{line}\n" for line in list(lines)[2:])


@given(LINES, LINES)
def test_the_hunks_add_up_to_the_whole_diff(before: list[str], after: list[str]) -> None:
    text = unified(before, after)
    hunks = split_hunks(text)
    whole = [line for line in text.split("\n") if line and not line.startswith("@@ ")]
    assert [line for hunk in hunks for line in hunk.lines] == whole
    assert len({hunk.hunk_id for hunk in hunks}) == len(hunks)
    for hunk in hunks:
        assert any(line[0] in "+-" for line in hunk.lines)
        assert hunk.old_lines == sum(line[0] in "- " for line in hunk.lines)
        assert hunk.new_lines == sum(line[0] in "+ " for line in hunk.lines)


@given(LINES, LINES)
def test_adjacent_hunks_have_gits_own_header(before: list[str], after: list[str]) -> None:
    text = unified(before, after)
    hunks = split_hunks(text)
    heads = []
    for number, hunk in enumerate(hunks):
        if number == 0 or not is_adjacent(hunks[number - 1], hunk):
            heads.append([hunk, hunk])
        heads[-1][1] = hunk
    if before:  # where there was nothing before, a head has one side only
        assert [hunk_header(*head) for head in heads] == [line for line in text.split("\n") if line.startswith("@@ ")]


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=80), st.data())
def test_one_more_line_changes_few_hunks(lines: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lines)))
    before = {hunk.hunk_id for hunk in split_hunks(added_file_diff("\n".join(lines)))}
    after = split_hunks(added_file_diff("\n".join([*lines[:at], "new", *lines[at:]])))
    assert sum(len(hunk.lines) for hunk in after if hunk.hunk_id not in before) <= 6 * MAX_WHOLE_LINES


def test_each_paragraph_is_its_own_hunk() -> None:
    text = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(9))
    hunks = split_hunks(added_file_diff(text))
    edited = split_hunks(added_file_diff(text.replace("return 4", "return 44")))
    assert len(hunks) == 9
    assert [hunk.lines[1] for hunk in edited if hunk not in hunks] == ["+    return 44"]
    assert [hunk.position for hunk in hunks][:2] == ["+1", "+5"]


def test_the_same_change_in_two_places_is_two_hunks() -> None:
    before = ["x", *"abcdef", "x", *"abcdef", "x"]
    after = ["y", *"abcdef", "y", *"abcdef", "y"]
    assert len({hunk.hunk_id for hunk in split_hunks(unified(before, after))}) == 3
    twice = split_hunks(added_file_diff("same\n\n\nsame\n\n\nsame\n\n\n"))
    assert len({hunk.hunk_id for hunk in twice}) == len(twice) == 3


def test_a_conflict_hunk_has_the_same_id_at_any_position() -> None:
    text = conflict_hunks(CONFLICT)
    assert text == "@@ -0,0 +2,5 @@ conflict\n <<<<<<< HEAD\n ours\n =======\n theirs\n >>>>>>> feature\n"
    (first,), (second,) = split_hunks(text), split_hunks(conflict_hunks(f"more\n{CONFLICT}"))
    assert (first.hunk_id, first.position, second.position) == (second.hunk_id, "+2", "+3")
    assert conflict_hunks("<<<<<<< HEAD\nnever closed\n") == conflict_hunks("no conflict\n") == ""


def test_only_the_start_of_a_huge_diff_is_split() -> None:
    hunks = split_hunks(added_file_diff("a line of some length\n" * 90_000))
    assert 0 < sum(len(line) + 1 for hunk in hunks for line in hunk.lines) <= MAX_DIFF_CHARACTERS


@given(st.text(max_size=300))
def test_any_text_can_be_split(text: str) -> None:
    for hunk in split_hunks(text):
        assert all(line[0] in "+- \\" for line in hunk.lines)

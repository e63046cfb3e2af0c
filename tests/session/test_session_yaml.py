"""An exit saves its values in the project's own session file, and changes no other byte."""

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sidecar.core.yaml_text import MalformedYaml, read_mapping
from sidecar.session import SessionFileValues, UneditableFile, parse_session_file, replace_values, save_session_values
from sidecar.session import read_session_file as read
from tests.support.cases import together

VALUES = {"current_agent": "dev", "session_saved_at": "2026-03-01T09:30:00.000Z", "session_progress": 'half: "done" #1'}
LINES = st.sampled_from(
    [
        *("# note\n", "\n", "project:\n  name: Till # sign\n", "a: 'b'\n", 'b: "c: d"\n', "list:\n- 1\n- 2\n"),
        *("current_agent: brief # now\n", "current_agent:\n", "session_progress: |\n  one\n\n  two\n", "t: 09:30\n"),
        *("x: {a: 1, b: [2]}\n", "session_progress: >-\n  folded\n  text\n", "last: no line end", "---\n", "...\n"),
    ]
)


@given(st.lists(LINES, max_size=8).map("".join), st.dictionaries(st.sampled_from(list(VALUES)), st.text(), min_size=1))
def test_saving_values_changes_nothing_else(text: str, values: dict[str, str]) -> None:
    before = read_mapping(text)
    try:
        after = replace_values(text, values)
    except (UneditableFile, MalformedYaml):
        return
    assume(before is not None)
    assert before is not None
    assert read_mapping(after) == {**before, **values}
    preserved = [
        line for line in text.splitlines() if line.startswith(("#", "a:", "b:", "x:", "t:", "project", "  name"))
    ]
    assert [line for line in after.splitlines() if line in preserved] == preserved


@together(
    ("text", "expected"),
    [
        ("", "current_agent: dev\n"),
        ("# only a note", "# only a note\ncurrent_agent: dev\n"),
        ("current_agent: brief # now\nz: 1\n", "current_agent: dev # now\nz: 1\n"),
        ("current_agent:\nz: 1\n", "current_agent: dev\nz: 1\n"),
        ("a: 1\r\n", "a: 1\r\ncurrent_agent: dev\r\n"),
        ("\ufeffa: 1\n", "\ufeffa: 1\ncurrent_agent: dev\n"),
    ],
)
def test_a_value_is_replaced_in_place_and_a_new_key_is_appended(text: str, expected: str) -> None:
    assert replace_values(text, {"current_agent": "dev"}) == expected


@pytest.mark.parametrize("text", ["{a: 1}\n", "- 1\n", "current_agent: &x brief\nother: *x\n", "a: 1\n...\n"])
def test_a_file_that_cannot_be_edited_in_place_is_refused(text: str) -> None:
    with pytest.raises((UneditableFile, MalformedYaml)):
        replace_values(text, VALUES)


def test_agent_language_and_progress_are_parsed() -> None:
    values = parse_session_file("current_agent: dev\nlanguage: fr\nsession_progress: half\n")

    assert values == SessionFileValues("dev", "fr", "half")
    assert parse_session_file("# nothing\n") == SessionFileValues()


def test_a_damaged_file_is_reported_and_a_missing_one_not_created(tmp_path: Path) -> None:
    assert (read(tmp_path).problem, save_session_values(tmp_path, VALUES)) == ("", "")
    assert list(tmp_path.iterdir()) == []
    file = tmp_path / ".chati/session.yaml"
    file.parent.mkdir()
    file.write_bytes(b"a: [\n")

    assert read(tmp_path).values == SessionFileValues()
    assert "is not read" in read(tmp_path).problem
    assert "was not changed" in save_session_values(tmp_path, VALUES)
    assert file.read_bytes() == b"a: [\n"

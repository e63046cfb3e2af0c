"""Front matter is changed in place: whatever a user wrote there survives byte for byte."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sidecar.core.errors import Conflict
from sidecar.core.yaml_text import Value
from sidecar.memory.files import MalformedFrontMatter, front_matter
from tests.support.cases import together
from tests.support.depth import examples

BYTES_IN_PLACE = """\ufeff---\r
# mine, do not touch\r
id: mem-2026-02-12-001   # the id\r
tags:\r
  - auth\r
  # why\r
  - jwt\r
\r
confidence: 0.92  # quite\r
summary: |\r
  two\r
  lines\r
\r
# before the last\r
naïve: {a: [1, 2], b: "ü"}\r
access_count: 7\r
---\r
# Title\r
text without an end"""

KEYS = st.text("abcdefgh_-", min_size=1, max_size=8).filter(lambda name: not name.startswith("-"))
SCALARS = ("1", "'x: y'", '"é # no"', "[a, b]", "{a: 1}", "plain text", "2026-02-12", "~", "")
BLOCKS = (
    "# a comment", "", "   ", "    # indented", "xlist:\n- a\n- b", "xblock: |\n  a\n\n  b", "xfold: >-\n  a\n  b",
)  # fmt: skip
LINES = st.one_of(
    st.tuples(KEYS, st.sampled_from(SCALARS)).map(lambda pair: f"x{pair[0]}: {pair[1]}"),
    st.sampled_from(BLOCKS),
)
VALUES: st.SearchStrategy[Value] = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.integers(-(10**6), 10**6),
    st.floats(0, 1).map(lambda number: round(number, 4)),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10), max_size=4),
)


def lines_without(matter: str, line_end: str, changed_keys: AbstractSet[str]) -> list[str]:
    return [line for line in matter.split(line_end) if line.partition(":")[0] not in changed_keys]


def as_read(value: Value) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return value
    return repr(value) if isinstance(value, int | float) else tuple(value)


@together(
    ("changes", "before", "after"),
    [
        ({"access_count": 8}, "access_count: 7\r", "access_count: 8\r"),
        ({"confidence": 0.5}, "0.92  # quite", "0.5  # quite"),
        ({"id": "mem-2"}, "mem-2026-02-12-001   # the", "mem-2   # the"),
        ({"tags": ["x y", "z"]}, "- auth\r\n  # why\r\n  - jwt\r", "[x y, z]\r"),
        ({"summary": "one: line"}, "|\r\n  two\r\n  lines\r", '"one: line"\r'),
        ({"tier": "hot"}, "access_count: 7\r\n", "access_count: 7\r\ntier: hot\r\n"),
    ],
)
def test_only_the_value_that_changes_changes(changes: dict[str, Value], before: str, after: str) -> None:
    assert BYTES_IN_PLACE.count(before) == 1
    assert front_matter.change(BYTES_IN_PLACE, changes) == BYTES_IN_PLACE.replace(before, after)


@given(
    st.lists(LINES, max_size=8),
    st.dictionaries(st.sampled_from(["id", "tags", "tier", "access_count"]), VALUES, min_size=1),
    st.dictionaries(st.sampled_from(["id", "tags", "tier"]), VALUES),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
)
@example(["xblock: |\n  a\n\n  b"], {"id": ""}, {}, "\n", "", "")
def test_other_lines_and_the_body_survive_any_change(
    other_lines: list[str], changes: dict[str, Value], ours: dict[str, Value], line_end: str, mark: str, body: str
) -> None:
    lines = [line for number, line in enumerate(other_lines) if line.partition(":")[0] not in
             {line.partition(":")[0] for line in other_lines[:number] if ":" in line}]  # fmt: skip
    middle = len(lines) // 2
    lines[middle:middle] = [f"{name}: {front_matter.inline_front_matter(value)}" for name, value in ours.items()]
    matter = "".join(f"{line}\n" for line in lines).replace("\n", line_end)
    text = f"{mark}---{line_end}{matter}---{line_end}{body}"
    changed = front_matter.change(text, changes)
    parts = front_matter.split(changed)
    assert parts.body == body
    assert changed.startswith(f"{mark}---{line_end}")
    fields = front_matter.read_yaml(parts.matter or "")
    assert {name: fields[name] for name in changes} == {name: as_read(value) for name, value in changes.items()}
    changed_keys = changes.keys() | ours.keys()
    assert lines_without(parts.matter or "", line_end, changed_keys) == lines_without(matter, line_end, changed_keys)
    assert front_matter.change(changed, changes) == changed


@given(VALUES)
def test_a_value_reads_back_as_it_was_written(value: Value) -> None:
    text = front_matter.change("", {"tags": value})
    assert front_matter.read_yaml(front_matter.split(text).matter or "")["tags"] == as_read(value)


@given(st.text(max_size=200))
def test_no_text_at_all_breaks_the_reading(text: str) -> None:
    parts = front_matter.split(text)
    assert parts.body in text
    with suppress(MalformedFrontMatter):
        assert all(name in text for name in front_matter.read_yaml(parts.matter or ""))


NEARLY_OURS = st.lists(
    st.tuples(
        st.sampled_from(["id", "tags", "yes", "1", "a b", "_x", " id", "-"]),
        st.sampled_from([": ", ":", ":  ", " : "]),
        st.one_of(
            VALUES.map(front_matter.inline_front_matter),
            st.text("ab1_ .:,/@+-[]{}\"'#\\~&*!|>%?\té\u2028", max_size=8),
            st.lists(st.text("ab1 _.:-,", max_size=4)).map(lambda items: f"[{', '.join(items)}]"),
        ),
        st.sampled_from(["\n", "\r\n", "\r", "", "\n\n", "\n...\n"]),
    ).map("".join),
    max_size=4,
).map("".join)


def read_or_not(values: Callable[[str], object], matter: str) -> object:
    try:
        return values(matter)
    except MalformedFrontMatter as damage:
        return str(damage)


@settings(max_examples=examples(1_000, 60))
@given(NEARLY_OURS)
@example("a: b:\n")
@example('a: b\nb: [x, y]\nc: "z "\n')
@example("# a: b\n")
def test_our_own_form_is_parsed_like_yaml(matter: str) -> None:
    def by_marks(matter: str) -> object:
        return front_matter.read_yaml(matter)

    assert read_or_not(front_matter.read_values, matter) == read_or_not(by_marks, matter)


@together(
    ("text", "sentence"),
    [
        ("---\nid: 1\n", "The front matter has no closing line `---`."),
        ("---\na: [1\n---\n", "The front matter is not valid YAML in line 3."),
        ("---\n- a\n---\n", "The front matter is not a mapping."),
        ("---\nplain\n---\n", "The front matter is not a mapping."),
        ("---\nid: 1\nid: 2\n---\n", "The front matter has the key `id` twice."),
        ("---\na: 1\n--- b\nc: 2\n---\n", "The front matter holds more than one YAML document."),
        ("---\na: b\x00\n---\n", "The front matter is not valid YAML"),
        (f"---\na: {'x' * 70_000}\n---\n", "The front matter is longer than 64 KiB."),
    ],
)
def test_malformed_front_matter_is_reported_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(MalformedFrontMatter) as raised:
        front_matter.read_yaml(front_matter.split(text).matter or "")
    assert str(raised.value).startswith(sentence)


@together("text", ["", "# Title\n", "\ufeff# Title\r\n", "text --- more\n", "-----\n"])
def test_a_file_without_front_matter_gets_one_before_what_it_has(text: str) -> None:
    changed = front_matter.change(text, {"id": "mem-1"})
    assert front_matter.split(changed).body == text.removeprefix("\ufeff")
    assert changed.startswith("\ufeff") is text.startswith("\ufeff")


@together(
    ("matter", "expected"),
    [
        ("{}\n", "{id: mem-1}\n"),
        ("{a: 1}  # flow\n", "{a: 1, id: mem-1}  # flow\n"),
        ("  a: 1\n  b: 2\n", "  a: 1\n  b: 2\n  id: mem-1\n"),
        ("# nothing yet\n", "# nothing yet\nid: mem-1\n"),
        ("id:\n", "id: mem-1\n"),
        ("id:    # none\n", "id: mem-1    # none\n"),
        ("id: &x old\n", "id: mem-1\n"),
        ("a: &x old\nid: *x\n", "a: &x old\nid: mem-1\n"),
    ],
)
def test_unusual_forms_are_edited_in_their_own_form(matter: str, expected: str) -> None:
    assert front_matter.change(f"---\n{matter}---\n", {"id": "mem-1"}) == f"---\n{expected}---\n"


def test_a_value_with_aliases_is_not_changed() -> None:
    with pytest.raises(Conflict):
        front_matter.change("---\nid: &x old\nb: *x\n---\n", {"id": "new"})

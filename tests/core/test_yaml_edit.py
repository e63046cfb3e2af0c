"""YAML is edited in place; what cannot be edited without touching other content is rejected."""

import gc

import pytest

from sidecar.core.yaml_text import (
    CollectionPause,
    MalformedYaml,
    UneditableYaml,
    Value,
    inline_yaml,
    remove_key,
    set_values,
)

TEXT = "\ufeff# team settings\r\nname: 'demo'  # quoted\r\nlimits:\r\n    low: 1\r\n    high: [1, 2]\r\n\r\nempty:\r\n"


def test_only_the_changed_value_changes() -> None:
    assert set_values(TEXT, {("limits",): {"low": "5"}}) == TEXT.replace("low: 1", "low: 5")


def test_new_keys_follow_the_files_indentation_and_line_ends() -> None:
    added = set_values(TEXT, {("limits",): {"step": "2"}, (): {"owner": "ada"}})
    assert added == TEXT.replace("[1, 2]\r\n", "[1, 2]\r\n    step: 2\r\n") + "owner: ada\r\n"


def test_missing_mappings_are_created() -> None:
    assert set_values(TEXT, {("empty", "a", "b"): {"c": "1"}}) == TEXT + "  a:\r\n    b:\r\n      c: 1\r\n"
    assert set_values("", {("a", "b"): {"c": "1"}}) == "a:\n  b:\n    c: 1\n"
    assert set_values("a: {b: 1}", {("a", "c"): {"d": "2"}}) == "a: {b: 1, c: {d: 2}}"


def test_a_removed_last_key_leaves_an_empty_mapping() -> None:
    assert remove_key("a:\n  b: 1\nc: 2\n", ("a", "b")) == "a: {}\nc: 2\n"
    with pytest.raises(KeyError):
        remove_key("a: {b: 1}", ("a", "x"))


@pytest.mark.parametrize("text", ["b: &x 1\na: *x\n", "? a\n: 1\n? b\n"])
def test_a_value_that_an_alias_may_refer_to_and_unusual_forms_are_rejected(text: str) -> None:
    with pytest.raises(UneditableYaml):
        set_values(text, {(): {"b": "2"}})


def test_a_text_that_is_not_a_mapping_is_malformed() -> None:
    for text in ("- a\n", "a: [1\n", "a: 1\n---\nb: 2\n"):
        with pytest.raises(MalformedYaml):
            set_values(text, {(): {"a": "2"}})


def test_values_are_quoted_where_they_would_mean_something_else() -> None:
    values: list[Value] = ["plain/name", "yes", "a: b", "é\u2028", ["x", "1"], 0.5]
    assert [inline_yaml(value) for value in values] == [
        "plain/name", '"yes"', '"a: b"', '"é\\u2028"', '[x, "1"]', "0.5",
    ]  # fmt: skip


def test_garbage_is_collected_again_after_the_last_of_several_parses() -> None:
    pause = CollectionPause()
    with pause:
        pause.__enter__()
    assert not gc.isenabled()
    pause.__exit__()
    assert gc.isenabled()

"""YAML that others wrote is read, or said to be damaged, whatever it is."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.yaml_text import read_mapping, scalar_text
from tests.support.cases import together


@together(
    "text",
    [
        "- a list",
        "just words",
        "a: [1",
        "a: b: c",
        "\x00",
        "? [1]\n: [",
        "a: !!python/object:os.system x",
        "a: *nobody",
    ],
)
def test_a_malformed_text_or_one_that_is_not_a_mapping_yields_none(text: str) -> None:
    assert read_mapping(text) is None


def test_an_empty_file_is_an_empty_mapping_and_non_text_keys_are_dropped() -> None:
    assert read_mapping("") == {}
    assert read_mapping("# only a comment\n") == {}
    assert read_mapping("1: one\nname: till\n") == {"name": "till"}


def test_flow_mappings_with_times_are_read_by_the_slow_loader() -> None:
    result = read_mapping("brief: {status: completed, at: 2026-02-10T10:15:00Z}\n")
    assert result is not None
    assert result["brief"]["status"] == "completed"


def test_scalars_and_lists_of_them_become_text() -> None:
    assert scalar_text(["a", 1, True, None, {"no": 1}, ["deeper"]]) == "a; 1; true"


@given(st.text())
def test_no_text_raises(text: str) -> None:
    result = read_mapping(text)
    assert result is None or all(isinstance(key, str) for key in result)

"""The small pure things everything stands on."""

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.core import errors
from sidecar.core.clock import Deadline, SystemClock, rfc3339
from sidecar.core.digests import digest_value, short_id
from sidecar.core.errors import NOT_A_NAME, Cancellation, Cancelled, SidecarError, loggable_name
from tests.support.cases import together
from tests.support.clock import STARTS_AT_MS, FixedClock

KINDS = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, SidecarError) and kind is not SidecarError
]


def test_every_error_has_its_own_code_and_kind_and_appears_in_the_drawing() -> None:
    assert len({kind.code for kind in KINDS}) == len({kind.kind for kind in KINDS}) == len(KINDS)
    drawing = errors.__doc__ or ""
    for kind in KINDS:
        assert any(kind.__name__ in line and str(kind.code) in line for line in drawing.splitlines()), kind


def test_a_cancellation_stays_set() -> None:
    cancellation = Cancellation()
    cancellation.check()
    cancellation.set()
    for _ in range(2):
        with pytest.raises(Cancelled):
            cancellation.check()


def test_times_are_rfc_3339_in_utc_with_milliseconds() -> None:
    assert rfc3339(STARTS_AT_MS) == "2026-03-01T09:30:00.000Z"
    assert rfc3339(STARTS_AT_MS + 7) == "2026-03-01T09:30:00.007Z"
    assert rfc3339(0) == "1970-01-01T00:00:00.000Z"


def test_the_system_clocks_advance() -> None:
    clock = SystemClock()
    assert clock.now_ms() > STARTS_AT_MS - 10 * 365 * 86_400_000
    assert clock.monotonic_ms() <= clock.monotonic_ms()


def test_a_deadline_never_has_negative_time_left() -> None:
    clock = FixedClock()
    assert Deadline(0).remaining_ms(clock) == 0
    assert Deadline(clock.monotonic_ms() + 60_000).remaining_ms(clock) > 0


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), st.integers(-9, 9), max_size=5))
def test_a_digest_does_not_depend_on_the_order_of_members(value: dict[str, int]) -> None:
    assert digest_value(value) == digest_value(dict(reversed(value.items())))
    assert digest_value(value).startswith(short_id(value))
    assert len(digest_value(value)) == 40


@together("name", ["subChatId", "governor.turnsSnapshot", "$/progress", "a_b", "continuity/preRun"])
def test_names_are_returned_unchanged(name: str) -> None:
    assert loggable_name(name) == name


@together("name", ["", "two words", "x" * 61, "9", "a\n", "<b>", "ü", None, 7])
def test_possible_content_is_not_returned(name: object) -> None:
    assert loggable_name(name) == NOT_A_NAME

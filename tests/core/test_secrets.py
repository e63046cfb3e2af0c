"""Each kind of secret we know is masked, whatever stands around it; what only looks like one is not."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.redact import MASK, redact, redact_lines
from sidecar.core.secret_formats import OWN_PATTERNS, pattern_problem, set_own_patterns
from tests.support.cases import together
from tests.support.growth import Work, takes_linear_time
from tests.support.secret_shapes import HARMLESS, SECRETS, TOKENS, shows


@together("name", SECRETS)
def test_a_secret_is_masked(name: str) -> None:
    result = redact(SECRETS[name].text)
    assert MASK in result
    assert not shows(result, SECRETS[name])


@together(
    "name, around",
    product(TOKENS, ["x = '{}'", "# {}, see", "({})", "- {}\n", "https://example.org/?t={}&b=1", "`{}`"]),
)
def test_a_token_is_masked_whatever_surrounds_it(name: str, around: str) -> None:
    assert not shows(redact(around.format(TOKENS[name].text)), TOKENS[name])


@together("text, around", product(HARMLESS, ["{}", "    {}\n", "before\n{}\nafter"]))
def test_text_that_only_resembles_a_secret_stays(text: str, around: str) -> None:
    text = around.replace("{}", text)
    assert redact(text) == text


def test_lines_stay_in_place() -> None:
    text = "\n".join(secret.text for secret in SECRETS.values())
    assert redact_lines(text).count("\n") == text.count("\n")


_PIECES = st.sampled_from([*(secret.text for secret in SECRETS.values()), *HARMLESS])
_BETWEEN = st.sampled_from(["\n", " ", ", ", "; ", "\n\n", '"', "'", " = ", ": ", "\\\n", "İ", "é "])


@given(st.lists(st.tuples(_PIECES, _BETWEEN), max_size=5))
def test_masking_again_changes_nothing_and_masking_never_lengthens_by_much(pieces: list[tuple[str, str]]) -> None:
    text = "".join(piece + between for piece, between in pieces)
    once = redact(text)
    assert redact(once) == once
    assert len(once) <= len(text) + once.count(MASK) * len(MASK)


@given(st.text(max_size=200))
def test_masking_twice_changes_nothing_for_any_text(text: str) -> None:
    assert redact(redact(text)) == redact(text)


def test_there_are_enough_kinds() -> None:
    assert len(SECRETS) >= 60
    assert len(HARMLESS) >= 60
    assert len(set(HARMLESS)) == len(HARMLESS)


@pytest.fixture
def no_own_patterns() -> Iterator[None]:
    yield
    set_own_patterns(())


@pytest.mark.usefixtures("no_own_patterns")
def test_what_the_user_s_own_patterns_match_is_masked() -> None:
    text = "send acme_a1B2c3D4 of 123-45-6789 to corp.team-a.key; acme_short and corp.key stay"
    set_own_patterns([r"acme_[A-Za-z0-9]{8}", r"\d{3}-\d{2}-\d{4}", r"corp\.[\w-]+\.key", "(a+)+b"])
    assert redact(text) == f"send {MASK} of {MASK} to {MASK}; acme_short and corp.key stay"
    assert "(a+)+b" not in OWN_PATTERNS.texts


@together(
    "pattern, problem",
    [
        ("(a+)+b", "may have only"), ("x|acme_secret", "may have only"), (".{20}", "may have only"),
        ("acme_[z-a]{20}", "may have only"), ("acme_a{9}{9}", "may have only"), ("acme_\\1{20}", "may have only"),
        ("acme_[a-z]+x", "before x"), ("acme_a*b?a{9}", "before a"), ("[a-z]{6,}", "ordinary text"),
        ("ab", "fewer than 6"), ("a{9,999}b{9,999}c", "more than 1024"), ("x" * 201, "1 to 200"), ("", "1 to 200"),
    ],
)  # fmt: skip
def test_a_pattern_that_could_be_slow_or_masks_everything_is_refused(pattern: str, problem: str) -> None:
    assert problem in (pattern_problem(pattern) or "")


@pytest.mark.usefixtures("no_own_patterns")
def test_own_patterns_take_linear_time() -> None:
    set_own_patterns([r"corp\.[\w-]+\.key", "tok_[A-F0-9]+:[a-z]{3,}", "a{1,500}b{1,500}c"])

    def work_of(text: str) -> Callable[[int], Work]:
        return lambda length: partial(redact, text * (length // len(text)))

    slow = [
        text[:10]
        for text in ("corp.a-", "tok_", "F", "a" * 500 + "b" * 500, "1")
        if not takes_linear_time(work_of(text), 50_000)
    ]
    assert slow == []

"""Each kind of secret we know is masked, whatever stands around it; what only looks like one is not."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.redact import MASK, redact, redact_lines
from tests.support.cases import together
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

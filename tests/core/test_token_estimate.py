"""The token estimate beside real tokenizers: never far below the larger one, and not far above it."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.context import BRACKETS, Bracket
from sidecar.context.compose_block import BlockRequest, compose_context_block
from sidecar.context.project_files import ProjectSources, Text
from sidecar.core.token_estimate import estimate_tokens, token_weight
from tests.context.chati_project import BRIEF, CONSTITUTION
from tests.core.token_samples import CJK, SAMPLES
from tests.support.cases import together


@cache
def tokenizers() -> tuple[Any, ...]:
    """Two vocabularies; loading them takes longer than any test."""
    from splintr import Tokenizer

    return tuple(Tokenizer.from_pretrained(name) for name in ("cl100k_base", "o200k_base"))


def real_tokens(text: str) -> int:
    """Return the larger token count of two vocabularies for a text."""
    return max(len(tokenizer.encode(text)) for tokenizer in tokenizers())


@pytest.mark.parametrize("name", SAMPLES)
def test_the_error_is_small_in_every_script_in_prose_and_code(name: str) -> None:
    text = SAMPLES[name]
    real = real_tokens(text)
    print(f"{name}: {estimate_tokens(text)} for {real} ({estimate_tokens(text) / real - 1:+.0%})")
    assert 0.87 * real <= estimate_tokens(text) <= 1.4 * real


@together("name", CJK)
def test_chinese_japanese_and_korean_are_not_underestimated(name: str) -> None:
    assert estimate_tokens(SAMPLES[name]) >= real_tokens(SAMPLES[name])


@pytest.mark.parametrize("bracket", BRACKETS)
def test_a_block_of_real_files_fits_its_budget_by_a_real_tokenizer(bracket: Bracket) -> None:
    constitution = Text("chati.dev/constitution.md", CONSTITUTION * 3)
    long_task = "\n".join(f"Step {number}: compare `src/cart_{number}.py` with the plan" for number in range(400))
    sources = ProjectSources(constitution, (), {}, None, "brief", Text("chati.dev/agents/brief.md", BRIEF), None, ())
    text = compose_context_block(sources, BlockRequest(bracket, "clarity", long_task)).text
    assert real_tokens(text) <= BRACKETS[bracket].tokens
    assert estimate_tokens(text) >= real_tokens(text)


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=60, max_size=200))
def test_no_chinese_text_is_far_underestimated(text: str) -> None:
    assert estimate_tokens(text) >= 0.85 * real_tokens(text)


@given(st.lists(st.text(st.characters(exclude_characters="\n")), min_size=1))
def test_the_sum_over_lines_is_never_below_the_whole(lines: list[str]) -> None:
    together = "".join(f"{line}\n" for line in lines)
    assert token_weight(together) <= sum(token_weight(f"{line}\n") for line in lines) + 1e-6
    assert estimate_tokens(together) >= 0


def test_an_empty_text_has_no_token_and_a_word_one_or_two() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("context") in (1, 2)
    assert estimate_tokens("\ud800") > 0

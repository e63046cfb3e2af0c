"""Words, pairs of words and runs of characters of a sentence, as features that the weights know. Pure."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import UNSPACED
from sidecar.language.common_words import common_terms
from sidecar.language.rule_synonyms import TOOL_NAMES

FILE = Path(__file__).parent / "statement_weights.txt"

MAX_RUN = 3
"""Characters of a run in a language without spaces."""

_TOKEN = lazy_regex(
    r"`[^`\n]{1,120}`|[\w.@-]{0,80}[/_][\w./@-]{1,200}|[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*|[?:;,.!—–-]"
)
_MIXED_CASE = lazy_regex(r"[a-z][A-Z]")
_BEGIN, _END = "^", "$"


class Weights(NamedTuple):
    """The parts that features have in the odds that a sentence lasts, and in those that what lasts is a rule.

    The empty name has what every sentence begins with.
    """

    lasting: dict[str, float]
    rule: dict[str, float]


@cache
def weights() -> Weights:
    """Return the weights of all features that have one."""
    found = Weights({}, {})
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("# "):
            lasting, rule, feature = line.split("\t")
            found.lasting[feature] = float(lasting)
            found.rule[feature] = float(rule)
    return found


def word_features(text: str) -> list[str]:
    """Return the features of a sentence, each once: code, numbers and names of tools stand for all of their kind."""
    tokens = [_plain(match[0]) for match in _TOKEN.finditer(text)]
    features = [f"word {token}" for token in tokens]
    features += [f"words {first} {second}" for first, second in pairwise((_BEGIN, *tokens, _END))]
    features += _runs(text)
    return list(dict.fromkeys(features))


def _plain(token: str) -> str:
    if token[0] == "`" or "/" in token or "_" in token or _MIXED_CASE.search(token):
        return "<code>"
    if token[0].isdigit():
        return "<number>"
    word = token.lower().replace("’", "'")
    return "<tool>" if word in TOOL_NAMES and word not in common_terms() else word


def _runs(text: str) -> Iterator[str]:
    if text.isascii():
        return
    characters = "".join(UNSPACED.findall(text))
    for length in range(1, MAX_RUN + 1):
        for start in range(len(characters) - length + 1):
            yield f"characters {characters[start : start + length]}"

"""Recognize an agent's sentences that conclude: a decision, a resolution, a confirmed pattern. Pure.

Plans, possibilities and offers are not conclusions.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex

StatementKind = Literal[
    "decision", "error_pattern", "resolution", "user_correction", "preference", "validated_pattern", "gotcha", "lesson",
    "episodic",
]  # fmt: skip

Table = tuple[tuple[StatementKind, float, str], ...]
"""Kind, confidence, patterns."""


def compile_table(table: Table, names: Mapping[str, str]) -> Iterator[tuple[re.Pattern[str], StatementKind, float]]:
    """Yield each pattern of a table, in order.

    A line that begins with `//` is a comment; one that begins with `>` continues the previous line.
    """
    for kind, confidence, lines in table:
        for line in re.sub(r"\n\s{0,40}>", "", lines).splitlines():
            if (pattern := line.strip()) and not pattern.startswith("//"):
                yield lazy_regex(_named(pattern, names), re.IGNORECASE), kind, confidence


def _named(pattern: str, names: Mapping[str, str]) -> str:
    for name, meaning in names.items():
        pattern = pattern.replace(f"<{name}>", f"(?:{meaning})")
    return pattern


class Conclusion(NamedTuple):
    """The kind of a conclusion, and its confidence."""

    type: StatementKind
    confidence: float


_NAMES = {
    "REASON": r"because|since|over|instead of|rather than|so that|due to|as it|for its|in order to|to avoid|to keep",
    "PROJECT": r"(?:this|the) (?:project|repo|repository|codebase|package|team|app)(?:['’]s \w+)?",
}
_TABLE: Table = (
    ("resolution", 0.7, r"""
        \b(?:fixed|solved|resolved|cured|mended)\b.{0,80}\bby\b.{3,}
        \bthe fix (?:was|is)\b.{5,}
        \b(?:root cause|culprit|actual (?:cause|problem|bug))
          >(?: of .{3,60}?| behind .{3,60}?)? (?:was|is|turned out)\b.{5,}
        \b(?:behoben|gelöst) (?:durch|indem)\b.{3,}|\bdie ursache (?:war|ist)\b.{5,}
        \b(?:corrigé|résolu) (?:en|par)\b.{3,}|\b(?:solucionado|resuelto|resolvido|corrigido) (?:con|al|por|com
          >|ao)\b.{3,}
    """),
    ("decision", 0.7, r"""
        \b(?:i|we)(?:['’]ve| have)? (?:\w+ly |therefore |also )?(?:decided|chose|chosen|opted|settled
          >|went with)\b.{5,}
        ^(?:so )?(?:decided|opted|settled on|went with|chose)\b.{5,}
        \b(?:i|we)(?:['’]ve| have)? (?:switched|moved|migrated) from\b.{2,60}\bto\b.{2,}
        \bthe decision (?:is|was)\b.{5,}|^decision:.{5,}
        \b(?:chose|chosen|picked|selected|kept|used)\b.{2,90}\b<REASON>\b.{3,}
        \b(?:ich habe|wir haben) (?:mich|uns)\b.{2,80}\bentschieden\b|\b(?:j['’]ai|nous avons) (?:choisi
          >|décidé)\b.{3,}
        \b(?:he|hemos) (?:elegido|decidido)\b.{3,}|\b(?:escolhi|decidi|ho scelto|ho deciso)\b.{3,}|я (?:решил
          >|выбрал).{3,}
        (?:决定|选择了).{2,}|(?:に決めました|を選びました|を採用しました)
    """),
    ("user_correction", 0.75, r"""
        ^(?:and |so |also )?(?:the )?user (?:\w+ly |always )?(?:prefers?|favou?rs?|insists? (?:on|that))\b.{4,}
        ^(?:and |so |also )?(?:the )?user (?:asked|told|wants|wanted) (?:me |us )?(?:to )?(?:always|never|only)\b.{4,}
    """),
    ("validated_pattern", 0.7, r"""
        \b<PROJECT> (?:already |always |consistently |generally )?(?:uses|follows|prefers|keeps|puts|stores)\b.{4,}
        \b<PROJECT> (?:already |always |consistently |generally )?(?:names|expects|relies on)\b.{4,}
        \b(?:convention|pattern)(?: used)?(?: here| in this .{2,30}?)? is\b.{4,}|\bby convention\b.{4,}
        \b(?:confirmed|verified) that\b.{6,}
        \bdieses projekt (?:nutzt|verwendet)\b.{3,}|\bce projet utilise\b.{3,}|\beste (?:proyecto|projeto) usa\b.{3,}
    """),
)  # fmt: skip

RULES = tuple(compile_table(_TABLE, _NAMES))

_TENTATIVE = lazy_regex(
    r"[?？]$|^next\b|\b(?:could|might|may|would|if you|shall|perhaps|maybe|likely|probably|possibly|i think|seems?"
    r"|appears?|let me|i['’]ll|i will|i['’]m going to|going to|todo|should (?:we|i)|what you used)\b"
    r"|\b(?:könnte|vielleicht|peut-être|quizás|talvez)\b",
    re.IGNORECASE,
)
_REASON = lazy_regex(r"\b(?:because|since|so that|to avoid|in order to)\b", re.IGNORECASE)
_PASSING = lazy_regex(
    r"\b(?:confirmed|verified) that\b.{0,300}\b(?:pass(?:es|ed)?|green|works?|builds?|compiles?|succeeds?"
    r"|everything|all)\b|\b(?:picked|chosen|chose|selected|kept|used) (?:up|by you|the file)\b",
    re.IGNORECASE,
)


def match_conclusion(sentence: str) -> Conclusion | None:
    """Return what an agent's sentence concludes; None if it reports, plans or supposes."""
    text = sentence.strip()
    claimed = _REASON.split(text, maxsplit=1)[0]
    if text.endswith("?") or _TENTATIVE.search(claimed) or _PASSING.search(text):
        return None
    return next((Conclusion(kind, confidence) for pattern, kind, confidence in RULES if pattern.search(text)), None)

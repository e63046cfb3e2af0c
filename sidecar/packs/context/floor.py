"""Where a context pack ends before its budget does: what is not relevant enough is not told. Pure."""

from collections.abc import Collection, Sequence

from sidecar.codebase import Ranked, word_share
from sidecar.core.instruction_files import AGENT_FILES

LEAST_LINK = 0.3
"""What a link to a file that the prompt names has to count for, as a part of the score."""

LEAST_TERMS, LEAST_WORD_SHARE = 2, 0.5
"""What speaks for a file without a link: words in common, and how well they fit, of the file they fit best."""

_NAMING = frozenset(("namedPath", "mentioned"))


def above_floor(found: Sequence[Ranked]) -> list[Ranked]:
    """Leaves out what is told elsewhere, and, where a prompt names files, what has little to do with them or its words.

    The anchor tells the rules of instruction files, or the host sends them.
    """
    named = {one.path for one in found if not _NAMING.isdisjoint(one.parts)}
    others = (one for one in found if one.path in named or one.path.rpartition("/")[2] not in AGENT_FILES)
    return [one for one in others if not named or one.path in named or _stands_by(one, named)]


def _stands_by(ranked: Ranked, named: Collection[str]) -> bool:
    linked = any(seed in named and ranked.parts.get(kind, 0.0) >= LEAST_LINK for kind, seed in ranked.near)
    return linked or (len(ranked.matched) >= LEAST_TERMS and word_share(ranked) >= LEAST_WORD_SHARE)

"""Low-token mode: whether a follow-up can do with what its session has, so that only what changed is sent. Pure."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sidecar.packs.composing.items import PackItem, has
from sidecar.runs import Known, keys

AGREEING_FILES = 3
"""So many of the files the search finds best must be known to the session, or all that it finds."""


class Reuse(NamedTuple):
    """Whether only changes are sent, and why."""

    delta_only: bool
    reason: str


def reuse_of(
    items: Sequence[PackItem], known: Known, *, is_new_task: bool, asked: Collection[str], changed: Iterable[str]
) -> Reuse:
    """Decides: the same task, the same part of the repository, and a search that agrees with what was told.

    `asked` are the paths that this prompt alone points at, `changed` those that differ from the head commit.
    """
    context = [item for item in items if item.kind == "context"]
    told = {path for key in known.items if (path := keys.context_path(key)) is not None}
    if not known.exists:
        return Reuse(delta_only=False, reason="the session has nothing yet")
    if is_new_task:
        return Reuse(delta_only=False, reason="the prompt begins a task")
    if any(not has(known, item) and keys.context_path(item.key) in asked for item in context):
        return Reuse(delta_only=False, reason="the prompt points at files the session does not know")
    if not {_area(path) for path in changed} <= {_area(path) for path in told}:
        return Reuse(delta_only=False, reason="files changed in another part of the repository")
    if any(item.key not in known.items for item in context[:AGREEING_FILES]):
        return Reuse(delta_only=False, reason="the search finds other files than the session knows")
    return Reuse(delta_only=True, reason="same task, same part of the repository, and the search agrees")


def without_news(items: Iterable[PackItem], known: Known) -> tuple[tuple[PackItem, ...], tuple[PackItem, ...]]:
    """Parts items into those that are sent or known, and the files that would be news."""
    kept: list[PackItem] = []
    left_out: list[PackItem] = []
    for item in items:
        is_news = item.kind == "context" and not has(known, item)
        (left_out if is_news else kept).append(item)
    return tuple(kept), tuple(left_out)


def _area(path: str) -> str:
    """The top-level folder a path lies in."""
    return path.partition("/")[0] if "/" in path else ""

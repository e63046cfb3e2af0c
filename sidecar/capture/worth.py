"""Whether a pack was any good: what of it the agent used, what it lacked, what was read all the same. Pure."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from sidecar.runs import Item, keys


class Worth(NamedTuple):
    """One run's files, by path, sorted."""

    given: tuple[str, ...]
    """What this call's pack told of."""
    used: tuple[str, ...]
    """What of it the run then read or edited: their share is the pack's precision."""
    needed: tuple[str, ...]
    """What the run read or edited and neither made nor knew from its own earlier reading."""
    found: tuple[str, ...]
    """What of it the agent had to find by itself: the rest's share is the pack's recall."""
    repeated: tuple[str, ...]
    """What it read though the session had been given content of it, and did not edit: an edit needs a read first."""


def worth_of(
    delivered: Collection[Item], had: Mapping[str, Item], read: set[str], written: set[str], made: set[str]
) -> Worth | None:
    """Compares what a session was told of files with what a run did with them; None for a run that used none.

    `delivered` is this call's, `had` what the session had before it, `made` the files that the run created.
    """
    looked_at = (read | written) - made
    if not looked_at:
        return None
    given = {path for item in delivered if (path := keys.context_path(item.key)) is not None}
    before = {path: item for key, item in had.items() if (path := keys.context_path(key)) is not None}
    # What the agent read or wrote itself was noted without bytes: nothing was sent.
    told = given | {path for path, item in before.items() if item.bytes}
    needed = looked_at - (before.keys() - told)
    shown = {path for path, item in before.items() if item.bytes and item.digest != keys.POINTER}
    shown |= {
        path for item in delivered if item.digest != keys.POINTER and (path := keys.context_path(item.key)) is not None
    }
    return Worth(
        *(tuple(sorted(paths)) for paths in (
            given, given & looked_at, needed, needed - told, (read & shown) - written,
        ))
    )  # fmt: skip

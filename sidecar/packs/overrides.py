"""The user's overrides of pack items: always send, never send, wrong. Stored per project in SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import apsw

from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.packs.model import OverrideKind
from sidecar.packs.pack_blocks import PackItem, Priority
from sidecar.runs import entries
from sidecar.storage.purgeable_rows import RowGroup

MAX_PINNED_FILES = 12
"""Maximum number of pinned files that are sent, the most recently pinned first."""

RETRACTED_PREFIX, WRONG_PREFIX = "no longer: ", "wrong, as the user says: "
"""Prefixes of a retracted statement of the anchor."""

_LINE_NUMBER = lazy_regex(r":\d+\)$")


class Override(NamedTuple):
    """The user's override of an item."""

    item: str
    kind: OverrideKind
    why: str
    at_ms: int


Overrides = Mapping[str, Override]
"""A project's overrides by item."""


class AppliedOverrides(NamedTuple):
    """Items to send, with their final priority, and muted items."""

    items: tuple[PackItem, ...]
    muted: tuple[PackItem, ...]


def apply_overrides(items: Iterable[PackItem], overrides: Overrides) -> AppliedOverrides:
    """Separate muted items, and raise the priority of pinned ones."""
    raised = tuple(
        replace(item, priority=min(item.priority, Priority.PINNED)) if is_pinned(item.key, overrides) else item
        for item in items
    )
    return AppliedOverrides(
        tuple(item for item in raised if not is_muted(item.key, overrides)),
        tuple(item for item in raised if is_muted(item.key, overrides)),
    )


def visible_lines(lines: Sequence[str], overrides: Overrides) -> tuple[str, ...]:
    """Return an anchor's lines without muted statements and without headings of empty sections."""
    if not overrides:
        return tuple(lines)
    if is_muted(entries.ANCHOR, overrides):
        return ()
    visible = [line for line in lines if not is_muted(statement_key(line), overrides)]
    return tuple(
        line for line, following in pairwise([*visible, ""]) if _is_statement(line) or _is_statement(following)
    )


def visible_changes(changes: Iterable[str], overrides: Overrides) -> list[str]:
    """Return the changes of a pinned anchor to report, after the user's overrides.

    Muted statements are omitted silently. Statements marked wrong are retracted for sessions that already received
    them.
    """
    visible = []
    for change in changes:
        statement = change.removeprefix(RETRACTED_PREFIX)
        override = overrides.get(statement_key(statement)) if statement != change else None
        kind = override.kind if override is not None else None
        if kind != "never":
            visible.append(f"{WRONG_PREFIX}{statement}" if kind == "wrong" else change)
    return visible


def statement_key(line: str) -> str:
    """Name a statement of the anchor by its text; its line number in the source does not matter."""
    return f"{entries.ANCHOR}:{short_id(_LINE_NUMBER.sub(')', line.removeprefix('- ')), 12)}"


def statements(anchor: str) -> list[tuple[str, str]]:
    """Return an anchor's statements, each with its name."""
    return [(statement_key(line), line.removeprefix("- ")) for line in anchor.splitlines() if _is_statement(line)]


def pinned_files(overrides: Overrides) -> tuple[str, ...]:
    """Return the paths of pinned files, sorted."""
    newest = sorted(overrides.values(), key=lambda override: (-override.at_ms, override.item))
    paths = [path for override in newest if override.kind == "always" and (path := entries.context_path(override.item))]
    return tuple(sorted(paths[:MAX_PINNED_FILES]))


def is_pinned(item: str, overrides: Overrides) -> bool:
    """Whether the user wants an item always sent."""
    return item in overrides and overrides[item].kind == "always"


def is_muted(item: str, overrides: Overrides) -> bool:
    """Whether an item is never sent, because it is unwanted or wrong."""
    return item in overrides and overrides[item].kind != "always"


def _is_statement(line: str) -> bool:
    return line.startswith("- ")


_ITEM_NAME = lazy_regex(
    r"anchor(?::[0-9a-f]{12})?|plan(?::text)?|(?:context|delta|carryover|memory|registry|instruction):.+"
)


def is_item_name(name: str) -> bool:
    """Whether an item or a statement of the anchor can have this name."""
    return _ITEM_NAME.fullmatch(name) is not None


def load_overrides(tx: apsw.Connection, project: str) -> Overrides:
    """Return a project's overrides, newest first."""
    rows = tx.execute(
        "SELECT item, kind, why, at_ms FROM continuity_overrides WHERE project = ? ORDER BY at_ms DESC, item",
        (project,),
    )
    return {item: Override(item, kind, why, at_ms) for item, kind, why, at_ms in rows}


def put_override(tx: apsw.Connection, project: str, override: Override) -> None:
    """Store the user's latest override of an item."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_overrides (project, item, kind, why, at_ms) VALUES (?, ?, ?, ?, ?)",
        (project, *override),
    )


def revoke(tx: apsw.Connection, project: str, item: str) -> None:
    """Delete the override of an item."""
    tx.execute("DELETE FROM continuity_overrides WHERE project = ? AND item = ?", (project, item))


ROW_GROUPS = (RowGroup("settings", "continuity_overrides", before="at_ms < ?2"),)

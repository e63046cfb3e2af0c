"""A pack item: the smallest unit that a pack includes or omits. Cuts fall between items, never inside one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property

from sidecar.core.text.sanitize import escape_markers, size
from sidecar.runs import Item, SessionContents, keys
from sidecar.runs.call_record import BlockKind


class Priority(IntEnum):
    """Order in which items are included when bytes are short (decisions.md, Budgets)."""

    CARRYOVER = 0
    ANCHOR = 1
    FAILING_TESTS = 2
    PINNED = 3
    """Items the user pinned."""
    DELTA = 4
    PLAN = 5
    TOP_CONTEXT = 6
    FURTHER_CONTEXT = 7


@dataclass(frozen=True)
class PackItem:
    """An item: its name in the ledger, its block, its text, and a digest of its content."""

    key: str
    kind: BlockKind
    priority: Priority
    text: str
    digest: str
    why: str
    score: Mapping[str, float] = field(default_factory=dict)
    always_sent: bool = False
    """True for what is sent on each call, whatever the session has."""
    content: str = ""
    """For a file's summary, the file's content: a session that read or wrote exactly that needs no summary."""

    @cached_property
    def bytes(self) -> int:
        """UTF-8 bytes of the text with its line end."""
        return size(self.text) + 1

    @cached_property
    def escaped(self) -> "PackItem":
        """The item with block markers in its text escaped."""
        text = escape_markers(self.text)
        return self if text is self.text else replace(self, text=text)

    def as_delivery(self) -> Item:
        """Return its entry in the ledger."""
        return Item(self.key, self.digest, self.bytes)


def session_has(known: SessionContents, item: PackItem) -> bool:
    """Whether a session has an item's content. Any delivery about a file covers a pointer to it."""
    delivered = known.items.get(item.key)
    if delivered is None or item.always_sent:
        return False
    return delivered.digest in (item.digest, item.content) or item.digest == keys.POINTER

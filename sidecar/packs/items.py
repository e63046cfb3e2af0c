"""An item: the smallest thing a pack keeps or leaves out. Cuts fall between items, never inside one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property

from sidecar.core.text.sanitize import guarded, size
from sidecar.packs.model import BlockKind
from sidecar.runs import Item, SessionContents, keys


class Priority(IntEnum):
    """What is kept first when bytes are short (decisions.md, Budgets)."""

    CARRYOVER = 0
    ANCHOR = 1
    FAILING_TESTS = 2
    PINNED = 3
    """What the user wants always sent."""
    DELTA = 4
    PLAN = 5
    TOP_CONTEXT = 6
    FURTHER_CONTEXT = 7


@dataclass(frozen=True)
class PackItem:
    """One item: its name in the ledger, its block, its text, and what identifies its content."""

    key: str
    kind: BlockKind
    priority: Priority
    text: str
    digest: str
    why: str
    score: Mapping[str, float] = field(default_factory=dict)
    every_time: bool = False
    """True for what is sent on each call, whatever the session has."""
    content: str = ""
    """Of a file's summary the file's content: a session that read or wrote just that needs no summary."""

    @cached_property
    def bytes(self) -> int:
        """UTF-8 bytes of the text with its line end."""
        return size(self.text) + 1

    @cached_property
    def safe(self) -> "PackItem":
        """The item as it may stand inside a block, whatever its maker let pass."""
        text = guarded(self.text)
        return self if text is self.text else replace(self, text=text)

    def as_delivery(self) -> Item:
        """Gives what the ledger keeps of it."""
        return Item(self.key, self.digest, self.bytes)


def has(known: SessionContents, item: PackItem) -> bool:
    """Says whether a session has what an item tells; that a file is there it knows from anything it has of it."""
    given = known.items.get(item.key)
    if given is None or item.every_time:
        return False
    return given.digest in (item.digest, item.content) or item.digest == keys.POINTER

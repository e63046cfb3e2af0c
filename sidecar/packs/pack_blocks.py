"""Items of a pack, and the blocks they are rendered into: marker, introduction, items. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property

from sidecar.core.clean_text import MARKER_PREFIX, escape_markers, utf8_size
from sidecar.core.digests import short_id
from sidecar.language.notes_block import REQUEST as NOTES_REQUEST
from sidecar.packs.anchor import build as anchor
from sidecar.runs import DeliveredItem, SessionContents, entries
from sidecar.runs.ledger_entries import Entry, covers
from sidecar.runs.pre_run_record import Block, BlockKind, RegionRecord


class Priority(IntEnum):
    """Order in which items are included when bytes are short."""

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
    entry: Entry
    """Its entry in the ledger once the text is sent."""
    why: str
    score: Mapping[str, float] = field(default_factory=dict)
    always_sent: bool = False
    """True for what is sent on each call, whatever the session has."""
    is_known: bool = False
    """Whether the text contains nothing that the session lacks, although its entry differs."""
    shows_changes_of: str = ""
    """Path of a changed file of which the session has every hunk, once the item is sent."""
    regions: tuple[RegionRecord, ...] = ()
    """The regions it shows, with the parts of their scores."""

    @cached_property
    def bytes(self) -> int:
        """UTF-8 bytes of the text with its line end."""
        return utf8_size(self.text) + 1

    @cached_property
    def escaped(self) -> "PackItem":
        """The item with block markers in its text escaped."""
        text = escape_markers(self.text)
        return self if text is self.text else replace(self, text=text)

    def as_delivery(self) -> DeliveredItem:
        """Return its entry in the ledger."""
        return DeliveredItem(self.key, self.entry, self.bytes)


def session_has(known: SessionContents, item: PackItem) -> bool:
    """Whether a session has an item's content. Any delivery about a file covers a pointer to it."""
    delivered = known.items.get(item.key)
    if delivered is None or item.always_sent:
        return False
    return item.is_known or covers(delivered.entry, item.entry)


def sent_memory_ids(known: SessionContents) -> list[str]:
    """Return the ids of the memories that were sent to a session."""
    return [memory_id for key in known.items if (memory_id := entries.memory_id(key)) is not None]


BLOCK_ORDER: tuple[BlockKind, ...] = ("anchor", "context", "carryover", "plan", "delta")
"""Stable before volatile, so that the provider's prompt cache retains its prefix: about
the repository, about the task in any conversation, about the conversation, about the call.
"""

_INTRODUCTIONS: dict[BlockKind, str] = {
    "carryover": "Reference data: this conversation continues here; its progress so far.",
    "anchor": "Reference data about this repository: rules it states, its map, known traps, decisions.",
    "plan": "Reference data: the plan of this task; in a planning run also the rules of that run.",
    "context": "Reference data: code likely to matter for this task, with line numbers, as it is now.",
    "delta": "Reference data: what changed since this session last looked.",
}
_FIRST_DELTA = "Reference data: the current state."
"""The delta's introduction in a session that does not know the worktree."""

_LATE_DELTA = "Reference data: what this session does not have yet."
"""The same where the delta has only what was not ready before: nothing changed."""

_ANCHOR_PARTS = (
    ("rules it states", (anchor.INVARIANTS, anchor.RULES, anchor.SETTINGS, anchor.COMMANDS)),
    ("its map", (anchor.MAP, anchor.DEPENDENCIES, anchor.ENTRY_POINTS)),
    ("known traps", (anchor.TRAPS, anchor.LANDMINES, anchor.FRAGILE_FILES)),
    ("decisions", (anchor.POINTERS,)),
)
"""Names in the anchor's introduction, each with the titles of its sections."""

USER_INSTRUCTIONS, APP_INSTRUCTION = "Instructions from the user. Follow them:", "Instruction from the app. Follow it:"
_USER_TITLES = (anchor.STANDING_INSTRUCTIONS, anchor.ACCEPTED_RULES)
_INSTRUCTION_TITLES = (*_USER_TITLES, NOTES_REQUEST.partition("\n")[0].removesuffix(":"))
"""First lines of the anchor's sections that are to be followed; everything else is reference data."""

_ID_LENGTH = 12


def _marker(kind: BlockKind, block_id: str) -> str:
    return f"{MARKER_PREFIX}{kind} {block_id}]"


OVERHEAD_BYTES = {
    kind: utf8_size(_marker(kind, "0" * _ID_LENGTH)) + utf8_size(introduction) + 2
    for kind, introduction in _INTRODUCTIONS.items()
}
OVERHEAD_BYTES["anchor"] += utf8_size(USER_INSTRUCTIONS) + 1
"""Bytes of a block besides its items."""


def render_block(kind: BlockKind, items: Sequence[PackItem], prompt: str, *, is_first: bool = False) -> Block:
    """Render one block. Its id is the digest of its body; if the request quotes its marker, another id is used.

    `is_first` is for a session that does not know the worktree.
    """
    texts = [item.text for item in items]
    introduction = _INTRODUCTIONS[kind]
    if kind == "delta" and is_first:
        introduction = _FIRST_DELTA
    elif kind == "delta" and all(item.key == entries.FACTS for item in items):
        introduction = _LATE_DELTA
    lines = _anchor_lines("\n".join(texts)) if kind == "anchor" else (introduction, *texts)
    body = "\n".join(lines) + "\n"
    block_id = short_id(body, _ID_LENGTH)
    salt = 0
    while _marker(kind, block_id) in prompt:
        salt += 1
        block_id = short_id([body, salt], _ID_LENGTH)
    text = f"{_marker(kind, block_id)}\n{body}"
    return Block(kind=kind, id=block_id, bytes=utf8_size(text), text=text)


def _anchor_lines(text: str) -> list[str]:
    """Return the anchor's lines: the sections to be followed, then reference data, each with its introduction."""
    instructions: list[str] = []
    data: list[str] = []
    section = data
    for line in text.split("\n"):
        if not line.startswith(("- ", " ")):
            section = instructions if line.removesuffix(":") in _INSTRUCTION_TITLES else data
        section.append(line)
    titles = {line.removesuffix(":") for line in data}
    parts = [name for name, section_titles in _ANCHOR_PARTS if not titles.isdisjoint(section_titles)]
    named = f"Reference data about this repository: {', '.join(parts)}." if parts else "For this repository:"
    is_from_user = any(line.removesuffix(":") in _USER_TITLES for line in instructions)
    header = USER_INSTRUCTIONS if is_from_user else APP_INSTRUCTION
    return [*([header, *instructions] if instructions else []), *([named, *data] if data or not instructions else [])]


def render_prompt(blocks: Sequence[Block], prompt: str) -> str:
    """Return blocks and request as one text, the request last, under its own marker and unchanged."""
    if not blocks:
        return prompt
    return "".join(f"{block.text}\n" for block in blocks) + f"{_prompt_marker(prompt)}\n{prompt}"


def _prompt_marker(prompt: str) -> str:
    """The plain marker, or a numbered one if the request quotes it: each marker occurs once in everything sent."""
    marker, number = f"{MARKER_PREFIX}request]", 1
    while marker in prompt:
        number += 1
        marker = f"{MARKER_PREFIX}request {number}]"
    return marker

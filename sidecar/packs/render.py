"""Render items into blocks: a marker line, one introductory line, the items. Pure."""

from collections.abc import Sequence

from sidecar.core.digests import short_id
from sidecar.core.text.sanitize import MARKER_PREFIX, size
from sidecar.packs.items import PackItem
from sidecar.runs import keys
from sidecar.runs.call_record import Block, BlockKind

BLOCK_ORDER: tuple[BlockKind, ...] = ("anchor", "context", "carryover", "plan", "delta")
"""Stable before volatile, so that the provider's prompt cache retains its prefix (design.md, continuity/preRun): about
the repository, about the task in any conversation, about the conversation, about the call.
"""

_INTRODUCTIONS: dict[BlockKind, str] = {
    "carryover": "Reference data: this conversation continues in a fresh session; its progress so far.",
    "anchor": "Reference data about this repository: rules it states, its map, known traps, decisions.",
    "plan": "Reference data: the plan of this task; in a planning run also the rules of that run.",
    "context": "Reference data: files likely to matter for this task, with line numbers."
    " Open them before relying on them.",
    "delta": "Reference data: what changed since this session last looked.",
}

_ID_LENGTH = 12


def overhead_bytes(kind: BlockKind) -> int:
    """Bytes of a block besides its items."""
    return size(_marker(kind, "0" * _ID_LENGTH)) + size(_INTRODUCTIONS[kind]) + 2


def render_block(kind: BlockKind, items: Sequence[PackItem], prompt: str) -> Block:
    """Render one block. Its id is the digest of its body; if the request quotes its marker, another id is used."""
    body = _body(kind, items)
    block_id = short_id(body, _ID_LENGTH)
    salt = 0
    while _marker(kind, block_id) in prompt:
        salt += 1
        block_id = short_id([body, salt], _ID_LENGTH)
    text = f"{_marker(kind, block_id)}\n{body}"
    return Block(kind=kind, id=block_id, bytes=size(text), text=text)


def _body(kind: BlockKind, items: Sequence[PackItem]) -> str:
    """The introduction and the items; the frequent "nothing changed" body needs no introduction."""
    if [item.key for item in items] == [keys.UNCHANGED]:
        return items[0].text
    return "\n".join((_INTRODUCTIONS[kind], *(item.text for item in items))) + "\n"


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


def _marker(kind: BlockKind, block_id: str) -> str:
    return f"{MARKER_PREFIX}{kind} {block_id}]"

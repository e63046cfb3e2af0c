"""Contributions of memory and registry: memories and existing entities as items, pointers as anchor lines.

Only shared memories are shown, and only where they are likely relevant; a search does not count as a read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecar.context import Bracket
from sidecar.core.digests import short_id
from sidecar.core.text import line_of_code, one_line
from sidecar.memory import Level, Memory, Relevant, managed_memories, memory_heading, render_memory, revoked_line
from sidecar.memory.managed_memories import Pointer
from sidecar.packs.anchor import Pointers
from sidecar.packs.items import PackItem, Priority, sent_memory_ids
from sidecar.runs import SessionContents, keys

if TYPE_CHECKING:
    from sidecar.registry import Hint  # loaded after the first response

MAX_MEMORIES = 4
LINE_CHARACTERS, TITLE_CHARACTERS = 360, 160
TITLE_SEPARATOR = " — "
"""Separates a title from text on the same line."""


class MemoryDetail(NamedTuple):
    """Maximum number of memories, and the level of detail of each."""

    max_count: int
    level: Level


MEMORY_DETAIL: Mapping[Bracket, MemoryDetail] = {
    "FRESH": MemoryDetail(MAX_MEMORIES, "chunks"),
    "MODERATE": MemoryDetail(MAX_MEMORIES, "metadata"),
    "DEPLETED": MemoryDetail(MAX_MEMORIES, "chunks"),
    "CRITICAL": MemoryDetail(1, "metadata"),
}
"""A filled window gets a one-line reminder, a forgetful one the content (intelligence-layer.md 4.7);
an empty one gets memories too, within the pack's budget (decisions.md, Context Engine).
"""


def memory_items(
    matches: Sequence[Relevant],
    current: Mapping[str, Memory] | None,
    known: SessionContents,
    bracket: Bracket,
    anchor: str,
) -> list[PackItem]:
    """Return an item for each memory that the bracket allows, best first, and for each one sent earlier that changed.

    `current` are the memories sent to the session that still exist; None if unknown. Pointers to knowledge that the
    anchor contains word for word are dropped.
    """
    max_count, level = MEMORY_DETAIL[bracket]
    chosen = [match for match in matches if not _is_in_anchor(match.memory, anchor)][:max_count]
    items = {match.memory.id: _item(match.memory, level, match.render_memory(level), match.factors) for match in chosen}
    for memory_id in _changed_ids(known, current) if current is not None else ():
        items.setdefault(memory_id, _changed_item(memory_id, (current or {}).get(memory_id)))
    return list(items.values())


def _is_in_anchor(memory: Memory, anchor: str) -> bool:
    if managed_memories.POINTER_TAG not in memory.tags:
        return False
    return all(text in anchor for text in (memory.title, *managed_memories.pointer_statements(memory.text)))


def hint_item(hint: "Hint") -> PackItem:
    """Return an item for an existing entity that matches what the prompt wants created."""
    return PackItem(
        key=keys.entity_key(hint.entity_id),
        kind="context",
        priority=Priority.TOP_CONTEXT,
        text=hint.text,
        digest=short_id(hint.text),
        why=hint.why,
    )


def _changed_ids(known: SessionContents, current: Mapping[str, Memory]) -> Iterator[str]:
    """The ids of sent memories that have changed or no longer exist."""
    for memory_id in sent_memory_ids(known):
        memory, had = current.get(memory_id), known.items[keys.memory_key(memory_id)].digest
        if had != keys.REMOVED if memory is None else had.partition(":")[0] != memory.version:
            yield memory_id


def _changed_item(memory_id: str, memory: Memory | None) -> PackItem:
    if memory is not None:
        return _item(memory, "chunks", render_memory("chunks", memory.title, memory.tags, memory.text, ()).text, {})
    key, text = keys.memory_key(memory_id), revoked_line(memory_id)
    return PackItem(key, "context", Priority.TOP_CONTEXT, text, keys.REMOVED, "a memory sent earlier was retracted")


def _item(memory: Memory, level: Level, text: str, factors: Mapping[str, float]) -> PackItem:
    kind = memory.type.replace("_", " ")
    return PackItem(
        key=keys.memory_key(memory.id),
        kind="context",
        priority=Priority.TOP_CONTEXT,
        text=memory_heading(memory) + _with_title(one_line(memory.title, TITLE_CHARACTERS), _text_lines(text)),
        digest=memory.version if level != "metadata" else f"{memory.version}:{level}",
        why=f"a shared memory, {kind}, relevant to the prompt",
        score=factors,
        content=memory.version,
    )


def _with_title(title: str, lines: str) -> str:
    """Join title and text; omit a title that the text repeats at its beginning."""
    text = lines.removeprefix(TITLE_SEPARATOR)
    return text if text != lines and text.startswith(title) else title + lines


def _text_lines(text: str) -> str:
    """A memory's text besides its title, indented; a short text stays on the title's line."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    if sum(map(len, lines)) <= LINE_CHARACTERS:
        return TITLE_SEPARATOR + one_line(" ".join(lines), LINE_CHARACTERS)
    return "".join(f"\n  {line_of_code(line, LINE_CHARACTERS)}" for line in lines)


MAX_BINDING_ITEMS = 12
"""Maximum number of items whose blocking constraints are shown."""
MAX_POINTED_ITEMS = 12
"""Maximum number of decisions and specifications with a pointer."""

NEAREST_FIRST = ("project", "team", "org", "company")
_KINDS = ("adr", "spec")
"""Kinds with a pointer. Policies and patterns appear through their blocking constraints, and are found as memories."""

MAX_CONSTRAINT, MAX_TITLE, MAX_SUMMARY, MAX_REF, MAX_STATUS = 200, 120, 160, 140, 40

_MORE_LINE = "- More of the knowledge repository's items are in memory; search there for them."
"""Without their number, which changes with every sync."""


class PointerChoice(NamedTuple):
    """The paths of pointers to read, and whether there are others."""

    binding: tuple[str, ...]
    others: tuple[str, ...]
    has_more: bool


def choose_pointers(tags: Mapping[str, Sequence[str]]) -> PointerChoice:
    """Choose by tags alone: nearest layer first, then the latest by name; obsolete ones last."""
    ranked = sorted(
        (path for path in sorted(tags, reverse=True) if managed_memories.POINTER_TAG in tags[path]),
        key=lambda path: _rank(tags[path]),
    )
    binding = tuple(path for path in ranked if managed_memories.BLOCKING_TAG in tags[path])[:MAX_BINDING_ITEMS]
    kinds = frozenset(_KINDS)
    others = tuple(path for path in ranked if path not in binding and not kinds.isdisjoint(tags[path]))[
        :MAX_POINTED_ITEMS
    ]
    return PointerChoice(binding, others, len(ranked) > len(binding) + len(others))


def render_pointers(binding: Iterable[Pointer], others: Iterable[Pointer], *, has_more: bool) -> Pointers:
    """Return the lines. A pointer's text is cleaned again here, since anybody may have edited its file."""
    read = tuple(binding)
    blocking = [pointer for pointer in read if pointer.is_binding and pointer.blocking]
    rest = [pointer for pointer in read if pointer not in blocking and pointer.kind in _KINDS]
    invariants = [line for pointer in blocking for line in _binding_lines(pointer)]
    lines = [_pointer_line(pointer) for pointer in (*rest, *others) if pointer.status != managed_memories.ORPHANED]
    if has_more:
        lines.append(_MORE_LINE)
    return Pointers(tuple(dict.fromkeys(invariants)), tuple(dict.fromkeys(lines)))


def _rank(tags: Sequence[str]) -> tuple[bool, int]:
    layer = next((number for number, name in enumerate(NEAREST_FIRST) if name in tags), len(NEAREST_FIRST))
    return not managed_memories.NO_LONGER.isdisjoint(tags), layer


def _binding_lines(pointer: Pointer) -> list[str]:
    ref = one_line(pointer.ref, MAX_REF)
    origins = [f"{ref}: {one_line(pointer.title, MAX_TITLE)}", *[ref] * len(pointer.blocking)]
    rules = [rule for text in pointer.blocking if (rule := one_line(text, MAX_CONSTRAINT))]
    return [f"- {rule} ({origin})" for rule, origin in zip(rules, origins, strict=False)]


def _pointer_line(pointer: Pointer) -> str:
    status = "" if pointer.status in managed_memories.PLAIN else pointer.status
    state = f" [{one_line(status, MAX_STATUS)}]" if status else ""
    summary = one_line(pointer.summary, MAX_SUMMARY)
    summary_text = f" — {summary}" if summary else ""
    return f"- {one_line(pointer.ref, MAX_REF)}: {one_line(pointer.title, MAX_TITLE)}{state}{summary_text}"

"""Contributions of memory and registry: memories and existing entities as items, pointers as anchor lines.

Only shared memories are shown, and only where they are likely relevant; a search does not count as a read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from sidecar.context import Bracket
from sidecar.core.clean_text import line_of_code, one_line, without_emphasis
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.memory import (
    Level,
    Memory,
    Relevant,
    is_same_decision,
    knowledge_pointer_files,
    memory_heading,
    render_memory,
    revoked_line,
)
from sidecar.memory.entry import ARTIFACT_TAG
from sidecar.memory.knowledge_pointer_files import Pointer
from sidecar.packs.anchor import Pointers, rejected_line
from sidecar.packs.overrides import Overrides, is_muted
from sidecar.packs.pack_blocks import PackItem, Priority, sent_memory_ids
from sidecar.runs import SessionContents, entries

if TYPE_CHECKING:
    from sidecar.registry import Hint  # loaded after the first response

MAX_MEMORIES = 3
"""Maximum number of memories per prompt."""

LINE_CHARACTERS, TITLE_CHARACTERS, DETAIL_CHARACTERS = 360, 160, 600
_LETTERS_APART = lazy_regex(r"[\W_]+")
_LINE_MARK = lazy_regex(r"^\s*(?:#{1,6}\s+|>\s*)+")

TITLE_SEPARATOR = " — "
"""Separates a title from text on the same line."""


class MemoryLimit(NamedTuple):
    """Maximum number of memories, and the level of detail of each."""

    max_count: int
    level: Level


MEMORY_DETAIL: Mapping[Bracket, MemoryLimit] = {
    "FRESH": MemoryLimit(MAX_MEMORIES, "chunks"),
    "MODERATE": MemoryLimit(MAX_MEMORIES, "metadata"),
    "DEPLETED": MemoryLimit(MAX_MEMORIES, "chunks"),
    "CRITICAL": MemoryLimit(1, "metadata"),
}
"""A filled window gets a one-line reminder, a forgetful one the content;
an empty one gets memories too, within the pack's budget.
"""


def memory_items(
    matches: Sequence[Relevant],
    current: Mapping[str, Memory] | None,
    known: SessionContents,
    bracket: Bracket,
    anchor: str,
    overrides: Overrides,
) -> list[PackItem]:
    """Return an item for each memory that the bracket allows, best first, and for each one sent earlier that changed.

    Muted ones come besides, so that they can be explained.

    `current` are the memories sent to the session that still exist; None if unknown. What the anchor contains is
    dropped: standing instructions, accepted artifacts, and pointers to knowledge that it quotes word for word.
    """
    max_count, level = MEMORY_DETAIL[bracket]
    offered = _without_second_accounts([match for match in matches if not _is_in_anchor(match.memory, anchor)])
    muted = [match for match in offered if is_muted(entries.memory_key(match.memory.id), overrides)]
    chosen = [*[match for match in offered if match not in muted][:max_count], *muted]
    items = {match.memory.id: _relevant_item(match, level) for match in chosen}
    for memory_id in _changed_ids(known, current) if current is not None else ():
        items.setdefault(memory_id, _changed_item(memory_id, (current or {}).get(memory_id)))
    return list(items.values())


def _without_second_accounts(matches: Sequence[Relevant]) -> list[Relevant]:
    """Drop the agent's account of a decision that the user states in the same session, or the other way round."""
    first: list[Relevant] = []
    for match in matches:
        is_decision = match.memory.type == "decision"
        if not (is_decision and any(_is_same_decision(match.memory, other.memory) for other in first)):
            first.append(match)
    return first


def _is_same_decision(memory: Memory, other: Memory) -> bool:
    is_pair = other.type == memory.type and other.author != memory.author and memory.session == other.session != ""
    return is_pair and is_same_decision(memory.text or memory.title, other.text or other.title)


def _is_in_anchor(memory: Memory, anchor: str) -> bool:
    if rejected_line(memory.title) in anchor.split("\n"):
        return True
    if knowledge_pointer_files.POINTER_TAG not in memory.tags:
        artifacts = (tag.removeprefix(ARTIFACT_TAG) for tag in memory.tags if tag.startswith(ARTIFACT_TAG))
        return any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", anchor) for name in (memory.id, *artifacts))
    return all(text in anchor for text in (memory.title, *knowledge_pointer_files.pointer_statements(memory.text)))


def hint_item(hint: "Hint") -> PackItem:
    """Return an item for an existing entity that matches what the prompt wants created."""
    return PackItem(
        key=entries.entity_key(hint.entity_id),
        kind="context",
        priority=Priority.TOP_CONTEXT,
        text=hint.text,
        entry=entries.TextEntry(short_id(hint.text)),
        why=hint.why,
    )


def _changed_ids(known: SessionContents, current: Mapping[str, Memory]) -> Iterator[str]:
    """The ids of sent memories that have changed or no longer exist."""
    for memory_id in sent_memory_ids(known):
        sent = known.items[entries.memory_key(memory_id)].entry
        if _has_changed(sent, current.get(memory_id)):
            yield memory_id


def _has_changed(sent: entries.Entry, memory: Memory | None) -> bool:
    if memory is None:
        return sent != entries.REMOVED
    if memory.is_archived:
        return False  # only older
    return not isinstance(sent, entries.MemoryEntry) or sent.version != memory.version


def _changed_item(memory_id: str, memory: Memory | None) -> PackItem:
    if memory is not None:
        text = render_memory("chunks", memory.title, memory.tags, memory.text, ()).text
        return _item(memory, "chunks", text, "a memory sent earlier was changed")
    key, text = entries.memory_key(memory_id), revoked_line(memory_id)
    return PackItem(key, "context", Priority.TOP_CONTEXT, text, entries.REMOVED, "a memory sent earlier was retracted")


def _relevant_item(match: Relevant, level: Level) -> PackItem:
    words = {_LETTERS_APART.sub("", word.casefold()): word for word in reversed(match.shared)}  # the first spelling
    memory, shared = match.memory, ", ".join(f"`{one_line(word, 60)}`" for word in reversed(words.values()))
    kind = memory.type.replace("_", " ")
    why = f"that also names {shared}" if shared else "of this session before its compaction"
    item = _item(memory, level, match.render_memory(level), f"a shared memory, {kind}, {why}")
    return replace(item, score=match.factors)


def _item(memory: Memory, level: Level, text: str, why: str) -> PackItem:
    return PackItem(
        key=entries.memory_key(memory.id),
        kind="context",
        priority=Priority.TOP_CONTEXT,
        text=memory_heading(memory) + _statement_and_detail(memory.title, text),
        entry=entries.MemoryEntry(memory.version, level if level == "metadata" else ""),
        why=why,
    )


def _statement_and_detail(title: str, text: str) -> str:
    """Return a memory as one clean sentence, then its detail: a short one on the same line, a longer one indented.

    A title that the text's first line contains is omitted.
    """
    lines = [line for line in map(_plain, text.splitlines()) if line]
    statement = _plain(one_line(title, TITLE_CHARACTERS))
    is_repeated = bool(lines) and statement.casefold().rstrip(".…!") in lines[0].casefold()
    if len(lines) == 1 and len(lines[0]) <= LINE_CHARACTERS:
        return lines[0] if is_repeated else f"{statement}{TITLE_SEPARATOR}{lines[0]}"
    if is_repeated:
        statement, lines = one_line(lines[0], LINE_CHARACTERS), lines[1:]
    return statement + "".join(f"\n  {line}" for line in _first_lines(lines))


def _first_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines while they fit."""
    left = DETAIL_CHARACTERS
    for line in lines:
        shown = line_of_code(line, LINE_CHARACTERS)
        left -= len(shown)
        if left < 0:
            return
        yield shown


def _plain(line: str) -> str:
    """Return a line without the marks of a heading, a quotation or bold type."""
    return redact(without_emphasis(_LINE_MARK.sub("", line)).strip())


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
        (path for path in sorted(tags, reverse=True) if knowledge_pointer_files.POINTER_TAG in tags[path]),
        key=lambda path: _rank(tags[path]),
    )
    binding = tuple(path for path in ranked if knowledge_pointer_files.BLOCKING_TAG in tags[path])[:MAX_BINDING_ITEMS]
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
    lines = [
        _pointer_line(pointer) for pointer in (*rest, *others) if pointer.status != knowledge_pointer_files.ORPHANED
    ]
    if has_more:
        lines.append(_MORE_LINE)
    return Pointers(tuple(dict.fromkeys(invariants)), tuple(dict.fromkeys(lines)))


def _rank(tags: Sequence[str]) -> tuple[bool, int]:
    layer = next((number for number, name in enumerate(NEAREST_FIRST) if name in tags), len(NEAREST_FIRST))
    return not knowledge_pointer_files.NO_LONGER.isdisjoint(tags), layer


def _binding_lines(pointer: Pointer) -> list[str]:
    ref = one_line(pointer.ref, MAX_REF)
    origins = [f"{ref}: {one_line(pointer.title, MAX_TITLE)}", *[ref] * len(pointer.blocking)]
    rules = [rule for text in pointer.blocking if (rule := one_line(text, MAX_CONSTRAINT))]
    return [f"- {rule} ({origin})" for rule, origin in zip(rules, origins, strict=False)]


def _pointer_line(pointer: Pointer) -> str:
    status = "" if pointer.status in knowledge_pointer_files.PLAIN else pointer.status
    state = f" [{one_line(status, MAX_STATUS)}]" if status else ""
    summary = one_line(pointer.summary, MAX_SUMMARY)
    summary_text = f" — {summary}" if summary else ""
    return f"- {one_line(pointer.ref, MAX_REF)}: {one_line(pointer.title, MAX_TITLE)}{state}{summary_text}"

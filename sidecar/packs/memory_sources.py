"""What is known from elsewhere and bears on this work, as items of the context pack: memories, and what exists already.

Only shared memories are told, and only where they are likely meant: no search counts as a reading of them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecar.context import Bracket
from sidecar.core.digests import short_id
from sidecar.core.text.sanitize import line_of_code, one_line
from sidecar.memory import Level, Memory, Relevant, head_of, knowledge_pointer, taken_back, told
from sidecar.memory.knowledge_pointer import Pointed
from sidecar.packs.items import PackItem, Priority
from sidecar.packs.pointer_source import Pointers
from sidecar.registry import Hint
from sidecar.runs import SessionContents, keys

MAX_MEMORIES = 4
LINE_CHARACTERS, TITLE_CHARACTERS = 360, 160
BETWEEN = " — "
"""Stands between a title and what fits into its line."""


class Telling(NamedTuple):
    """How many memories are told, and how much of each."""

    most: int
    level: Level


TELLINGS: Mapping[Bracket, Telling] = {
    "FRESH": Telling(MAX_MEMORIES, "chunks"),
    "MODERATE": Telling(MAX_MEMORIES, "metadata"),
    "DEPLETED": Telling(MAX_MEMORIES, "chunks"),
    "CRITICAL": Telling(1, "metadata"),
}
"""By what is left of the context window: a filled one is reminded by a line, one that forgets gets what it says
(intelligence-layer.md 4.7); an empty one is told too, within the pack's budget (decisions.md, Context Engine)."""


def memory_items(
    found: Sequence[Relevant], standing: Mapping[str, Memory] | None, known: SessionContents, bracket: Bracket
) -> list[PackItem]:
    """Makes an item of each memory that the bracket allows, the best first, and of those told before that changed.

    `standing` are those that the session was told of and that still are; None where that is not known.
    """
    most, level = TELLINGS[bracket]
    items = {one.memory.id: _item(one.memory, level, one.told(level), one.factors) for one in found[:most]}
    for memory_id in _outdated(known, standing) if standing is not None else ():
        items.setdefault(memory_id, _changed(memory_id, (standing or {}).get(memory_id)))
    return list(items.values())


def untold(found: Sequence[Relevant], anchor: str) -> list[Relevant]:
    """Leaves out pointers to knowledge that the anchor tells already, word for word."""
    return [one for one in found if not _is_told(one.memory, anchor)]


def _is_told(memory: Memory, anchor: str) -> bool:
    if knowledge_pointer.POINTER_TAG not in memory.tags:
        return False
    return all(said in anchor for said in (memory.title, *knowledge_pointer.words_of(memory.text)))


def hint_item(hint: Hint) -> PackItem:
    """Makes an item of what the registry has of what a prompt wants made."""
    return PackItem(
        key=keys.entity_key(hint.entity_id),
        kind="context",
        priority=Priority.TOP_CONTEXT,
        text=hint.text,
        digest=short_id(hint.text),
        why=hint.why,
    )


def told_before(known: SessionContents) -> list[str]:
    """Gives the ids of the memories that a session was told of."""
    return [memory_id for key in known.items if (memory_id := keys.memory_id(key)) is not None]


def _outdated(known: SessionContents, standing: Mapping[str, Memory]) -> Iterator[str]:
    """Those that say something else now, or are no more."""
    for memory_id in told_before(known):
        memory, had = standing.get(memory_id), known.items[keys.memory_key(memory_id)].digest
        if had != keys.REMOVED if memory is None else had.partition(":")[0] != memory.version:
            yield memory_id


def _changed(memory_id: str, memory: Memory | None) -> PackItem:
    if memory is not None:
        return _item(memory, "chunks", told("chunks", memory.title, memory.tags, memory.text, ()).text, {})
    key, text = keys.memory_key(memory_id), taken_back(memory_id)
    return PackItem(key, "context", Priority.TOP_CONTEXT, text, keys.REMOVED, "a memory told earlier was taken back")


def _item(memory: Memory, level: Level, said: str, factors: Mapping[str, float]) -> PackItem:
    kind = memory.type.replace("_", " ")
    return PackItem(
        key=keys.memory_key(memory.id),
        kind="context",
        priority=Priority.TOP_CONTEXT,
        text=head_of(memory) + _worded(one_line(memory.title, TITLE_CHARACTERS), _lines(said)),
        digest=memory.version if level != "metadata" else f"{memory.version}:{level}",
        why=f"a shared memory, {kind}, about what is asked for",
        score=factors,
        content=memory.version,
    )


def _worded(title: str, lines: str) -> str:
    """Puts title and text together; a title that only repeats how the text begins is left out."""
    told = lines.removeprefix(BETWEEN)
    return told if told != lines and told.startswith(title) else title + lines


def _lines(said: str) -> str:
    """What a memory says beside its title, indented; what fits into a line stands in it."""
    lines = [line for line in said.splitlines() if line.strip()]
    if not lines:
        return ""
    if sum(map(len, lines)) <= LINE_CHARACTERS:
        return BETWEEN + one_line(" ".join(lines), LINE_CHARACTERS)
    return "".join(f"\n  {line_of_code(line, LINE_CHARACTERS)}" for line in lines)


# Which pointers an anchor tells of, and their lines. Pure; it is loaded with the memories, behind a first answer.


MAX_BINDING = 12
"""Items whose blocking constraints are told."""
MAX_POINTED = 12
"""Decisions and specifications that are pointed to."""

NEAREST_FIRST = ("project", "team", "org", "company")
_KINDS = ("adr", "spec")
"""What is pointed to; policies and patterns are told by what they forbid, and found as memories."""

MAX_CONSTRAINT, MAX_TITLE, MAX_SUMMARY, MAX_REF, MAX_STATUS = 200, 120, 160, 140, 40

_MORE = "- More of the knowledge repository's items are in memory; search there for them."
"""Without their number, which changes with every sync."""


class Chosen(NamedTuple):
    """The paths of pointers worth reading, and whether there are others."""

    binding: tuple[str, ...]
    others: tuple[str, ...]
    has_more: bool


def chosen(tags: Mapping[str, Sequence[str]]) -> Chosen:
    """Chooses by tags alone: the nearest layer first, there the latest by name; those that no longer hold last."""
    ranked = sorted(
        (path for path in sorted(tags, reverse=True) if knowledge_pointer.POINTER_TAG in tags[path]),
        key=lambda path: _rank(tags[path]),
    )
    binding = tuple(path for path in ranked if knowledge_pointer.BLOCKING_TAG in tags[path])[:MAX_BINDING]
    kinds = frozenset(_KINDS)
    others = tuple(path for path in ranked if path not in binding and not kinds.isdisjoint(tags[path]))[:MAX_POINTED]
    return Chosen(binding, others, len(ranked) > len(binding) + len(others))


def pointers_of(binding: Iterable[Pointed], others: Iterable[Pointed], *, has_more: bool) -> Pointers:
    """Gives the lines; what a pointer says is cleaned here again, since anybody may have edited its file."""
    read = tuple(binding)
    bind = [one for one in read if one.holds and one.blocking]
    rest = [one for one in read if one not in bind and one.kind in _KINDS]
    invariants = [line for one in bind for line in _binding(one)]
    lines = [_pointer(one) for one in (*rest, *others) if one.status != knowledge_pointer.ORPHANED]
    if has_more:
        lines.append(_MORE)
    return Pointers(tuple(dict.fromkeys(invariants)), tuple(dict.fromkeys(lines)))


def _rank(tags: Sequence[str]) -> tuple[bool, int]:
    layer = next((number for number, name in enumerate(NEAREST_FIRST) if name in tags), len(NEAREST_FIRST))
    return not knowledge_pointer.NO_LONGER.isdisjoint(tags), layer


def _binding(one: Pointed) -> list[str]:
    ref = one_line(one.ref, MAX_REF)
    where = [f"{ref}: {one_line(one.title, MAX_TITLE)}", *[ref] * len(one.blocking)]
    rules = [rule for text in one.blocking if (rule := one_line(text, MAX_CONSTRAINT))]
    return [f"- {rule} ({said})" for rule, said in zip(rules, where, strict=False)]


def _pointer(one: Pointed) -> str:
    status = "" if one.status in knowledge_pointer.PLAIN else one.status
    state = f" [{one_line(status, MAX_STATUS)}]" if status else ""
    summary = one_line(one.summary, MAX_SUMMARY)
    said = f" — {summary}" if summary else ""
    return f"- {one_line(one.ref, MAX_REF)}: {one_line(one.title, MAX_TITLE)}{state}{said}"

"""Delta items about standing instructions: new ones, changed ones, and those that no longer hold.

A session has the instructions of its anchor, which stays as it is, and those that were delivered since. What the user
typed in the session itself is known there until the session is compacted.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import apsw

from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.memory.standing_instructions import (
    Replacement,
    StandingInstruction,
    active_instructions,
    fitting_instructions,
    replacements,
)
from sidecar.packs.anchor import STANDING_INSTRUCTIONS
from sidecar.packs.items import PackItem, Priority
from sidecar.packs.overrides import Overrides, statement_key
from sidecar.runs import SessionContents, keys
from sidecar.runs.delivered_entries import REMOVED, Entry, TextEntry

NEW_PREFIX, CHANGED_PREFIX = "New standing instruction from the user: ", "Standing instruction changed: "
REPLACED_PREFIX, REVOKED_PREFIX = "It replaces: ", "A standing instruction no longer holds: "

_LINE = lazy_regex(r"- (.*) \(([^(),\s]+), \d{4}-\d\d-\d\d\)")


class InstructionState(NamedTuple):
    """The project's standing instructions."""

    active: tuple[StandingInstruction, ...] = ()
    """Best supported and newest first."""
    replaced: Mapping[str, Replacement] = {}
    """The replaced statements by id."""


def load_instructions(tx: apsw.Connection, project: str) -> InstructionState:
    """Return a project's standing instructions."""
    return InstructionState(active_instructions(tx, project), replacements(tx, project))


def instruction_items(
    state: InstructionState, known: SessionContents, session_id: str, overrides: Overrides
) -> list[PackItem]:
    """Return an item for each instruction that a session with an anchor lacks, or has although it no longer holds."""
    anchor_lines = _instructions_in(known.anchor.text if known.anchor is not None else "")
    sent = {memory_id: item.entry for key, item in known.items.items() if (memory_id := keys.instruction_id(key))}
    active_ids = {instruction.id for instruction in state.active}
    had_ids = dict.fromkeys((*anchor_lines, *sent, *(_typed_here(state, session_id) if known.exists else ())))
    outdated = [memory_id for memory_id in had_ids if memory_id not in active_ids]
    items: list[PackItem] = []
    for instruction in fitting_instructions(state.active):
        had = sent.get(instruction.id)
        is_in_anchor = had is None and anchor_lines.get(instruction.id, ("", ""))[1] == instruction.text
        is_own = had is None and instruction.session == session_id and known.exists
        if is_in_anchor or is_own:
            continue
        replaced = [
            old for old in outdated if old in state.replaced and state.replaced[old].replaced_by == instruction.id
        ]
        is_change = bool(replaced) or instruction.id in anchor_lines or instruction.id in sent
        statement = instruction.line.removeprefix("- ")
        text = f"{CHANGED_PREFIX if is_change else NEW_PREFIX}{statement}"
        items.append(_item(instruction.id, text, TextEntry(short_id(instruction.text)), "the user stated it"))
        items.extend(_outdated_item(old, state.replaced[old].text, REPLACED_PREFIX) for old in replaced)
        outdated = [old for old in outdated if old not in replaced]
    revoked = (old for old in outdated if not _is_unwanted(old, anchor_lines, overrides))
    texts = {old: replacement.text for old, replacement in state.replaced.items()}
    texts |= {old: text for old, (_, text) in anchor_lines.items()}
    return [*items, *(_outdated_item(old, texts.get(old, ""), REVOKED_PREFIX) for old in revoked)]


def _typed_here(state: InstructionState, session_id: str) -> Iterator[str]:
    """The replaced statements that the user typed in a session, unless he also typed the later one there."""
    own_ids = frozenset(instruction.id for instruction in state.active if instruction.session == session_id)
    for memory_id, replacement in state.replaced.items():
        if session_id and replacement.session == session_id and replacement.replaced_by not in own_ids:
            yield memory_id


def _instructions_in(anchor: str) -> dict[str, tuple[str, str]]:
    """Return line and text by id of each instruction in an anchor."""
    matches = (_LINE.fullmatch(line) for line in _section_lines(anchor))
    return {match[2]: (match[0], match[1]) for match in matches if match is not None}


def _section_lines(anchor: str) -> Iterator[str]:
    is_inside = False
    for line in anchor.splitlines():
        is_statement = line.startswith("- ")
        is_inside = is_inside if is_statement else line == f"{STANDING_INSTRUCTIONS}:"
        if is_inside and is_statement:
            yield line


def _outdated_item(memory_id: str, text: str, prefix: str) -> PackItem:
    statement = f"{text} ({memory_id})" if text else memory_id
    return _item(memory_id, f"{prefix}{statement}", REMOVED, "the user withdrew, changed or replaced it")


def _item(memory_id: str, text: str, entry: Entry, why: str) -> PackItem:
    return PackItem(keys.instruction_key(memory_id), "delta", Priority.PINNED, text, entry, why)


def _is_unwanted(memory_id: str, anchor_lines: Mapping[str, tuple[str, str]], overrides: Overrides) -> bool:
    """Whether the user muted an instruction without marking it wrong: then nothing is sent about it."""
    names = [keys.memory_key(memory_id), keys.instruction_key(memory_id)]
    names += [statement_key(anchor_lines[memory_id][0])] if memory_id in anchor_lines else []
    return any(name in overrides and overrides[name].kind == "never" for name in names)

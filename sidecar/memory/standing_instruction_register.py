"""The register of standing instructions: what the user stated as lasting, for the anchor of every new session.

A memory file can claim anything, and a cloned repository can bring such files along. The register is therefore in the
state file: only a statement that the user typed or confirmed enters it, with the hash of its content. After an edit of
the file, the statement waits for another confirmation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import apsw

from sidecar.core.clean_text import clip_bytes, fitting_lines, one_line, utf8_size
from sidecar.core.clock import utc_day
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.memory.contradictions import claim_of, relation
from sidecar.memory.entry import ARTIFACT_TAG, Memory
from sidecar.memory.files.layout import SHARED
from sidecar.memory.knowledge_pointer_files import POINTERS
from sidecar.memory.storable_text import CLAIMING_TYPES, accepted_rule
from sidecar.memory.store.index_tables import IndexedMemory, advance_revision, select_entries
from sidecar.storage.purgeable_rows import RowGroup

if TYPE_CHECKING:
    from sidecar.call import Process
    from sidecar.workspace import Workspace

Origin = Literal["typed", "confirmed"]
"""typed: the user's message in a top-level conversation; confirmed: on the command line or in the settings page."""

MAX_LINE_BYTES = 200
"""Maximum size of an instruction's line, its id and date included."""
MAX_SECTION_BYTES, HEADING_BYTES = 1_200, 50
"""Maximum size of what one session receives, and the part of it for the section's heading."""
MAX_UNCONFIRMED = 50

STANDING_INSTRUCTION_TAG = "standing"
"""Tag of a memory that claims to be a standing instruction."""
ACCEPTED_TAG = "validated"
"""Tag of a memory that the user accepted as a rule; removing it revokes the rule."""
MAX_ACCEPTED_RULES = 40

_MAX_CHARACTERS = 2_000
_BULLET = lazy_regex(r"^(?:[-*#>]+\s+)+")
_UNENDED = lazy_regex(r"[\w`\"')\]](?=\n\n)")
"""The end of a paragraph without a mark, with another one below it."""
_EMPHASIS = {ord(sign): None for sign in "*`\"'"}


class StandingInstruction(NamedTuple):
    """An active instruction."""

    id: str
    """The id of its memory."""
    text: str
    """One masked line."""
    at_ms: int
    """Time of the last statement or confirmation."""
    evidence: int
    """Number of observations."""
    origin: Origin
    session: str = ""
    """The provider session in which the user typed it; empty if unknown."""
    typed_at_ms: int = 0
    """Time at which the user last typed it there."""

    @property
    def line(self) -> str:
        """The line that a session receives."""
        return f"- {self.text}{_source(self.id, self.at_ms)}"


def register(
    tx: apsw.Connection,
    project: str,
    memory_id: str,
    digest: str,
    origin: Origin,
    at_ms: int,
    replaced_ids: Sequence[str] = (),
) -> None:
    """Make a memory a standing instruction while its content hash is `digest`; `replaced_ids` are no longer active.

    The caller has checked the source: the user typed the statement in a top-level conversation, or confirmed it.
    """
    tx.execute(
        "INSERT OR REPLACE INTO continuity_standing_instructions (project, memory_id, digest, origin, at_ms)"
        " VALUES (?, ?, ?, ?, ?)",
        (project, memory_id, digest, origin, at_ms),
    )
    reinstate(tx, project, memory_id)
    replace(tx, project, memory_id, replaced_ids, at_ms)


def replace(tx: apsw.Connection, project: str, memory_id: str, replaced_ids: Iterable[str], at_ms: int) -> None:
    """Record that a statement of the user contradicts others, which are no longer active.

    An accepted rule among them is suspended. The newer statement need not be a standing instruction itself. What an
    earlier one replaced stays replaced by that one: undoing the last of three makes only the second active again.
    """
    tx.executemany(
        "INSERT OR IGNORE INTO continuity_replaced_statements (project, replaced_id, memory_id, at_ms)"
        " VALUES (?, ?, ?, ?)",
        [(project, replaced_id, memory_id, at_ms) for replaced_id in replaced_ids if replaced_id != memory_id],
    )
    advance_revision(tx, project)


def contradicted_ids(tx: apsw.Connection, project: str, statement: str, own_id: str = "") -> list[str]:
    """Return the ids of the active instructions and accepted rules that another statement contradicts.

    Compares texts: links in files prove nothing.
    """
    claim = claim_of(statement)
    texts = {entry.memory.id: entry.memory.text or entry.memory.title for entry in accepted_memories(tx, project)}
    texts |= {instruction.id: instruction.text for instruction in active_instructions(tx, project)}
    return [other for other, text in texts.items() if other != own_id and relation(claim, claim_of(text))]


def withdraw(tx: apsw.Connection, project: str, memory_id: str) -> None:
    """Remove a memory from the register; what it replaced is active again, or replaced by what replaced it."""
    tx.execute("DELETE FROM continuity_standing_instructions WHERE project = ? AND memory_id = ?", (project, memory_id))
    by_id = "SELECT memory_id FROM continuity_replaced_statements WHERE project = ? AND replaced_id = ?"
    later_id = tx.execute(by_id, (project, memory_id)).get
    if later_id is not None:
        passed_on = "UPDATE continuity_replaced_statements SET memory_id = ? WHERE project = ? AND memory_id = ?"
        tx.execute(passed_on, (later_id, project, memory_id))
    tx.execute("DELETE FROM continuity_replaced_statements WHERE project = ? AND memory_id = ?", (project, memory_id))
    advance_revision(tx, project)


def active_instructions(tx: apsw.Connection, project: str) -> tuple[StandingInstruction, ...]:
    """Return the instructions that hold, best supported and newest first, each statement once.

    Left out are memories that were edited, archived, deleted, replaced, muted or marked wrong since.
    """
    rows: Any = list(
        tx.execute(
            "SELECT m.id, m.title, m.text, s.at_ms, m.evidence, s.origin, m.session, m.at_ms"
            " FROM continuity_standing_instructions AS s JOIN continuity_memories AS m ON m.project = s.project"
            " AND m.id = s.memory_id AND m.digest = s.digest AND m.owner = ? AND m.is_archived = 0 WHERE s.project = ?"
            f" AND NOT {_IS_REPLACED} AND NOT {_IS_MUTED} ORDER BY m.evidence DESC, s.at_ms DESC, m.id, m.path",
            (SHARED, project),
        )
    )
    muted = frozenset(_muted_anchor_statements(tx, project)) if rows else frozenset()
    statements: dict[str, StandingInstruction] = {}
    for memory_id, title, text, at_ms, evidence, origin, session, created_at_ms in rows:
        line = _instruction_text(memory_id, title, text, at_ms)
        typed_at_ms = at_ms if origin == "typed" else created_at_ms
        instruction = StandingInstruction(
            id=one_line(memory_id, 100),
            text=line,
            at_ms=at_ms,
            evidence=evidence,
            origin=origin,
            session=session,
            typed_at_ms=typed_at_ms,
        )
        if statement_name(instruction.line) not in muted:
            statements.setdefault(line.casefold().translate(_EMPHASIS).strip(" .!"), instruction)
    return tuple(statements.values())


def statement_name(line: str) -> str:
    """Return the name by which the user mutes a line of the anchor."""
    return f"anchor:{short_id(line.removeprefix('- '), 12)}"


def _muted_anchor_statements(tx: apsw.Connection, project: str) -> list[str]:
    rows: Any = tx.execute(
        "SELECT item FROM continuity_overrides WHERE project = ? AND item GLOB 'anchor:*' AND kind <> 'always'",
        (project,),
    )
    return [item for (item,) in rows]


def instruction_of(memory: Memory, at_ms: int, origin: Origin) -> StandingInstruction:
    """Return the instruction that a memory states."""
    text = _instruction_text(memory.id, memory.title, memory.text, at_ms)
    typed_at_ms = at_ms if origin == "typed" else memory.at_ms
    return StandingInstruction(
        id=one_line(memory.id, 100),
        text=text,
        at_ms=at_ms,
        evidence=memory.evidence,
        origin=origin,
        session=memory.session,
        typed_at_ms=typed_at_ms,
    )


def registered_ids(tx: apsw.Connection, project: str) -> list[str]:
    """Return the ids of all registered memories, active or not."""
    rows: Any = tx.execute(
        "SELECT memory_id FROM continuity_standing_instructions WHERE project = ? ORDER BY memory_id", (project,)
    )
    return [memory_id for (memory_id,) in rows]


def fitting_instructions(instructions: Sequence[StandingInstruction]) -> tuple[StandingInstruction, ...]:
    """Return the first instructions whose lines fit into what one session receives."""
    lines = fitting_lines((instruction.line for instruction in instructions), MAX_SECTION_BYTES - HEADING_BYTES)
    return tuple(instructions[: len(lines)])


class Replacement(NamedTuple):
    """A statement that a later one of the user replaced."""

    replaced_by: str
    """The id of the later statement."""
    text: str
    """One masked line; empty if its memory no longer exists."""
    session: str
    """The provider session in which the user typed the former one; empty if unknown."""


def replacements(tx: apsw.Connection, project: str) -> dict[str, Replacement]:
    """Return the replaced statements by id."""
    rows: Any = tx.execute(
        "SELECT r.replaced_id, r.memory_id, r.at_ms, coalesce(m.title, ''), coalesce(m.text, ''),"
        " coalesce(m.session, '') FROM continuity_replaced_statements AS r LEFT JOIN continuity_memories AS m"
        " ON m.project = r.project AND m.id = r.replaced_id AND m.owner = ?2 WHERE r.project = ?1"
        " ORDER BY r.replaced_id",
        (project, SHARED),
    )
    return {
        replaced_id: Replacement(memory_id, _instruction_text(replaced_id, title, text, at_ms), session)
        for replaced_id, memory_id, at_ms, title, text, session in rows
    }


def reinstate(tx: apsw.Connection, project: str, memory_id: str) -> None:
    """Make a replaced statement hold again."""
    tx.execute("DELETE FROM continuity_replaced_statements WHERE project = ? AND replaced_id = ?", (project, memory_id))
    advance_revision(tx, project)


def unconfirmed(tx: apsw.Connection, project: str) -> list[Memory]:
    """Return the shared memories that claim to state the user's lasting wish and are not in the register, newest first.

    So are registered ones whose content changed since, but not those that only withdrew another one. They are found by
    relevance only. Whatever names the user as its author claims it, except what was stored of an artifact that the user
    accepted.
    """
    types = ", ".join("?" * len(CLAIMING_TYPES))
    entries = select_entries(
        tx,
        "m.project = ? AND m.owner = ? AND m.is_archived = 0 AND m.path NOT GLOB ? || '/*'"
        f" AND (m.type IN ({types}) OR EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)"
        f" OR m.author = 'user' AND NOT EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value GLOB '{ARTIFACT_TAG}*')"
        " OR EXISTS (SELECT 1 FROM continuity_standing_instructions AS s WHERE s.project = m.project"
        " AND s.memory_id = m.id))"
        " AND NOT EXISTS (SELECT 1 FROM continuity_standing_instructions AS s WHERE s.project = m.project"
        " AND s.memory_id = m.id AND s.digest = m.digest)"
        f" AND NOT {_IS_REPLACED.replace('s.memory_id', 'm.id').replace('s.project', 'm.project')}"
        " AND NOT EXISTS (SELECT 1 FROM continuity_replaced_statements AS r WHERE r.project = m.project"
        " AND r.memory_id = m.id)"
        " ORDER BY m.at_ms DESC, m.path, m.position LIMIT ?",
        (project, SHARED, POINTERS, *CLAIMING_TYPES, STANDING_INSTRUCTION_TAG, MAX_UNCONFIRMED),
    )
    return [entry.memory for entry in entries]


_IS_REPLACED = (
    "EXISTS (SELECT 1 FROM continuity_replaced_statements AS r WHERE r.project = s.project"
    " AND r.replaced_id = s.memory_id)"
)
_IS_MUTED = (
    "EXISTS (SELECT 1 FROM continuity_overrides AS o WHERE o.project = s.project"
    " AND o.item IN ('memory:' || s.memory_id, 'instruction:' || s.memory_id) AND o.kind <> 'always')"
)


def _source(memory_id: str, at_ms: int) -> str:
    return f" ({one_line(memory_id, 100)}, {utc_day(at_ms)})"


def _instruction_text(memory_id: str, title: str, text: str, at_ms: int) -> str:
    """Return a memory's whole text as one line if it fits, else its title; both are cleaned and masked."""
    limit_bytes = MAX_LINE_BYTES - utf8_size("- ") - utf8_size(_source(memory_id, at_ms))
    whole = _BULLET.sub("", one_line(_UNENDED.sub(r"\g<0>.", text or title), _MAX_CHARACTERS))
    if utf8_size(whole) <= limit_bytes:
        return whole
    return clip_bytes(one_line(title, _MAX_CHARACTERS) or whole, limit_bytes)


ROW_GROUPS = (
    RowGroup("memories", "continuity_standing_instructions", before="at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_replaced_statements", before="at_ms < ?2", is_counted=False),
)


MAX_RULE_CHARACTERS = 300


def rule_of(memory: Memory) -> str:
    """Return a memory as a one-line rule."""
    line = one_line(memory.text or memory.title, MAX_RULE_CHARACTERS + 1)
    return line if len(line) <= MAX_RULE_CHARACTERS else memory.title


def accepted_memories(tx: apsw.Connection, project: str) -> list[IndexedMemory]:
    """Return the shared memories tagged as rules whose current text the user accepted, oldest first."""
    return select_entries(
        tx,
        "m.project = ? AND m.owner = ? AND m.is_archived = 0 AND EXISTS (SELECT 1 FROM json_each(m.tags)"
        " WHERE value = ?) AND EXISTS (SELECT 1 FROM continuity_memory_resolutions AS r WHERE r.project = m.project"
        " AND r.id = m.digest AND r.decision = 'accept') ORDER BY m.created_ms, m.id LIMIT ?",
        (project, SHARED, ACCEPTED_TAG, MAX_ACCEPTED_RULES),
    )


def accepted_rules(process: Process, workspace: Workspace) -> tuple[str, ...]:
    """Return the shared rules the user accepted, with the accepted text, oldest first.

    A text changed since then waits for another decision; a tag alone does not make a rule. A rule that a later
    statement of the user contradicts is suspended.
    """
    project = workspace.project_key
    with process.database.read() as tx:
        accepted = accepted_memories(tx, project)
        replaced = replacements(tx, project) if accepted else {}
    memories = [entry.memory for entry in accepted if entry.memory.id not in replaced]
    return tuple(accepted_rule(rule_of(memory), memory.id) for memory in memories)


class InstructionState(NamedTuple):
    """The project's standing instructions."""

    active: tuple[StandingInstruction, ...]
    """Best supported and newest first."""
    fitting: tuple[StandingInstruction, ...]
    """Those whose lines fit into the anchor's section."""
    replaced: Mapping[str, Replacement]
    """The replaced statements by id."""


NO_INSTRUCTIONS = InstructionState((), (), {})


def load_instructions(tx: apsw.Connection, project: str) -> InstructionState:
    """Return a project's standing instructions."""
    active = active_instructions(tx, project)
    return InstructionState(active, fitting_instructions(active), replacements(tx, project))

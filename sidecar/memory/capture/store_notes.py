"""Store the notes of a capture: new entries, repeats as evidence, contradictions as links.

The folder is locked once for a whole summary, and the session's file is written once. Everything is decided first and
the plan is stored, so that the next capture finishes what a killed process began. All values in a plan are final, not
increments, and existing entries are skipped: a plan may be executed twice.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from sidecar.core.clock import rfc3339_seconds, utc_day
from sidecar.core.terms import query_terms
from sidecar.core.yaml_text import Value
from sidecar.memory import memory_tiers
from sidecar.memory.access_control import Reach
from sidecar.memory.capture.session_material import Note, session_source
from sidecar.memory.contradictions import RELATED_TYPES, Claim, claim_of, relation, search_words
from sidecar.memory.entry import (
    SECTOR_OF_TYPE,
    Memory,
    Retention,
    content_hash,
    hash_without_values,
    is_same_decision,
)
from sidecar.memory.file_index import write_index_file
from sidecar.memory.files import document
from sidecar.memory.files.layout import SHARED, folder_of, new_memory_path
from sidecar.memory.files.memory_folder import DayNumbers
from sidecar.memory.standing_instruction_register import active_instructions
from sidecar.memory.store import captures, entry_queries, index_tables, local_state
from sidecar.memory.store.index_tables import IndexedMemory
from sidecar.memory.writer import Writer

MAX_GROUP_BYTES = 256 * 1024
"""A larger group file continues in another file."""


class PlannedEntry(NamedTuple):
    """A new memory; its facts contain its id."""

    id: str
    owner: str
    retention: Retention
    title: str
    text: str
    facts: dict[str, Value]


class CapturePlan(NamedTuple):
    """The result of one summary."""

    session: str
    source: str
    agent: str
    """Empty if no agent called."""
    at_ms: int
    day: str
    """`YYYY-MM-DD`."""
    entries: tuple[PlannedEntry, ...] = ()
    amended: Mapping[str, dict[str, Value]] = {}
    """New facts of existing memories, by id."""
    sightings: tuple[tuple[str, int], ...] = ()
    """Content hashes seen in the source, each with its time."""
    repeated: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()


def plan_to_json(plan: CapturePlan) -> dict[str, Any]:
    """Return a plan as a JSON value."""
    return {**plan._asdict(), "entries": [entry._asdict() for entry in plan.entries]}


def plan_from_json(value: Mapping[str, Any]) -> CapturePlan:
    """Return the plan that was serialized by `plan_to_json`."""
    values: Any = {name: tuple(item) if isinstance(item, list) else item for name, item in value.items()}
    values["entries"] = tuple(PlannedEntry(**item) for item in value["entries"])
    values["sightings"] = tuple((digest, at_ms) for digest, at_ms in value["sightings"])
    return CapturePlan(**values)


def execute_plan(writer: Writer, plan: CapturePlan) -> tuple[str, ...]:
    """Write what is not written yet and return the new entries' paths; the caller holds the folder's lock."""
    changes = [
        (stored.memory, facts)
        for memory_id, facts in plan.amended.items()
        for stored in _existing(writer, memory_id)[:1]
    ]
    for path in writer.amend(changes):
        writer.process.log.warning("memory.capture.skipped", path=path)
    missing = [entry for entry in plan.entries if not _existing(writer, entry.id)]
    owners = sorted({entry.owner for entry in missing if entry.retention == "daily"})
    paths = [_write_group(writer, plan, owner, missing) for owner in owners]
    return (*paths, *(_write_alone(writer, plan, entry) for entry in missing if entry.retention != "daily"))


def _existing(writer: Writer, memory_id: str) -> list[IndexedMemory]:
    with writer.process.database.read() as tx:
        return index_tables.entries_with_id(tx, writer.project, memory_id, writer.reach.owners)


def _write_alone(writer: Writer, plan: CapturePlan, entry: PlannedEntry) -> str:
    path = new_memory_path(entry.owner, entry.retention, entry.id, entry.title)
    facts = {**entry.facts, "session": plan.session}
    writer.folder.create(path, document.new_memory(facts, entry.title, entry.text))
    writer.index.update_paths([path])
    return path


def _write_group(writer: Writer, plan: CapturePlan, owner: str, missing: Sequence[PlannedEntry]) -> str:
    path, content = _group(writer, plan, owner)
    after = content or document.new_group(_group_facts(plan, owner), f"Session summary, {plan.day}")
    for entry in missing:
        if entry.owner == owner and entry.retention == "daily":
            after = document.append_entry(after, entry.facts, entry.title, entry.text)
    if content is None:
        writer.folder.create(path, after)
    else:
        writer.folder.replace(path, content, after)
    writer.index.update_paths([path])
    return path


def _group_facts(plan: CapturePlan, owner: str) -> dict[str, Value]:
    agent = plan.agent or ("" if owner == SHARED else owner)
    return {
        "session": plan.session,
        **({"agent": agent} if agent else {}),
        "date": plan.day,
        "created_at": rfc3339_seconds(plan.at_ms),
    }


def _group(writer: Writer, plan: CapturePlan, owner: str) -> tuple[str, bytes | None]:
    """Return the session's file of the day with its bytes, or the path of the next new one."""
    folder = folder_of(owner, "daily", plan.day)
    with writer.process.database.read() as tx:
        path = entry_queries.last_group_file(tx, writer.project, folder, plan.session)
        taken_paths = entry_queries.files_in_folder(tx, writer.project, folder)
    if path is not None:
        content, _ = writer.folder.read(path)
        if len(content) < MAX_GROUP_BYTES and document.is_editable(content):
            return path, content
    numbers = (path.rpartition("/session-")[2].partition("-")[0] for path in taken_paths)
    number = 1 + max((int(number_text) for number_text in numbers if number_text.isdecimal()), default=0)
    return f"{folder}/session-{number:03d}-digest.md", None


REPEAT_GAIN = 0.25
"""Each repeat closes this fraction of the gap to 1.0 (0.7 → more than 0.9 after five)."""

ECHO_SHARE, MIN_ECHO_TERMS = 0.7, 3
"""An agent's statement that shares this part of its words with what the session was given repeats that."""

CONTRADICTION_FACTOR = 0.5
"""Confidence factor of a contradicted memory."""

_COUNTED_EACH_TIME = frozenset(("error_pattern", "gotcha", "resolution"))
"""Types that count every time, also within a session."""


class CaptureOutcome(NamedTuple):
    """Outcome of the notes."""

    new: tuple[str, ...]
    """Ids, like `repeated` and `contradicted`."""
    repeated: tuple[str, ...]
    contradicted: tuple[str, ...]
    dropped: Counter[str]
    paths: tuple[str, ...]


class CaptureOrigin(NamedTuple):
    """Source of notes."""

    session: str
    source: str
    agent: str
    delivered: tuple[str, ...] = ()
    """Ids of memories that were delivered to the session."""


class CapturePlanner:
    """Decides what one summary results in, and writes nothing; the caller holds the folder's lock."""

    def __init__(self, writer: Writer, numbers: DayNumbers, origin: CaptureOrigin) -> None:
        self.writer = writer
        self.numbers = numbers
        self.origin = origin
        self.now_ms = writer.process.clock.now_ms()
        self.dropped: Counter[str] = Counter()
        self._repeated: list[str] = []
        self._contradicted: list[str] = []
        self._entries: list[PlannedEntry] = []
        self._amended: dict[str, dict[str, Value]] = {}
        self._sightings: dict[str, int] = {}
        self._given: dict[str, frozenset[str]] | None = None

    def plan(self, notes: Sequence[Note]) -> CapturePlan:
        """Sort the notes into new ones, repeats, and those the user deleted."""
        for note in merged_decisions(notes):
            digest = content_hash(note.title, note.text, note.type)
            if digest not in self._sightings:
                self._sightings[digest] = note.at_ms
                self._plan_note(note, digest)
        day = utc_day(self.now_ms)
        changes = tuple(self._entries), self._amended, tuple(self._sightings.items())
        outcomes = tuple(self._repeated), tuple(self._contradicted)
        return CapturePlan(
            self.origin.session, self.origin.source, self.origin.agent, self.now_ms, day, *changes, *outcomes
        )

    def _plan_note(self, note: Note, digest: str) -> None:
        writer, project = self.writer, self.writer.project
        with writer.process.database.read() as tx:
            existing = entry_queries.find_by_hash(tx, project, writer.reach.owners, digest)
            former_digest = hash_without_values(note.title, note.text)
            is_tombstoned = existing is None and local_state.is_tombstoned(tx, project, digest, former_digest)
            is_first = self._is_new_evidence(tx, note, digest)
        if is_tombstoned:
            self.dropped["deletedByUser"] += 1
            del self._sightings[digest]
        elif existing is not None and not existing.memory.is_archived:
            if _is_agent_statement(note) and existing.memory.id in self._given_terms():
                self.dropped["injected"] += 1
            else:
                self._count_repeat(existing.memory, is_first=is_first)
        elif _is_agent_statement(note) and self._is_echo(note):
            self.dropped["injected"] += 1
        else:
            self._add_entry(note, existing.memory if existing is not None else None)

    def _is_echo(self, note: Note) -> bool:
        """Whether the agent repeats what its session was given, in whatever words."""
        terms = frozenset(query_terms(note.text))
        is_wrapped = note.type == "decision"  # "I use pnpm, as you prefer, because …" adds the agent's own words
        return any(
            len(terms & given) >= ECHO_SHARE * (min(len(terms), len(given)) if is_wrapped else len(terms))
            for given in self._given_terms().values()
            if len(given) >= MIN_ECHO_TERMS
        )

    def _given_terms(self) -> dict[str, frozenset[str]]:
        """Return the terms of what the session was given, by id: delivered memories, and every standing instruction."""
        if self._given is None:
            project, owners = self.writer.project, self.writer.reach.owners
            with self.writer.process.database.read() as tx:
                texts = {item.id: item.text for item in active_instructions(tx, project)}
                for memory_id in self.origin.delivered:
                    for entry in index_tables.entries_with_id(tx, project, memory_id, owners)[:1]:
                        texts[memory_id] = f"{entry.memory.title} {entry.memory.text}"
            self._given = {memory_id: frozenset(query_terms(text)) for memory_id, text in texts.items()}
        return self._given

    def _is_new_evidence(self, tx: apsw.Connection, note: Note, digest: str) -> bool:
        """Whether this observation counts as new evidence.

        Session-level sources repeat earlier content, so they count once; errors count every time.
        """
        source, project, session_prefix = (
            self.origin.source,
            self.writer.project,
            session_source(self.origin.session, ""),
        )
        if note.type in _COUNTED_EACH_TIME or not source.startswith(session_prefix):
            return not captures.was_seen(tx, project, digest, source)
        return not captures.sources_by_prefix(tx, project, digest, session_prefix)

    def _count_repeat(self, memory: Memory, *, is_first: bool) -> None:
        self._repeated.append(memory.id)
        if is_first:
            memory = self._as_amended(memory)
            confidence, evidence = strengthen(memory.confidence), memory.evidence + 1
            facts: dict[str, Value] = {"evidence_count": evidence, "last_seen": rfc3339_seconds(self.now_ms)}
            self._set_confidence(memory, confidence, evidence, facts)

    def _add_entry(self, note: Note, archived: Memory | None) -> None:
        """Add an entry for a note; an archived memory with the same content contributes its evidence."""
        memory_id = self.writer.next_id(self.numbers)
        links, confidence = self._link_opposed(note, note.confidence or 0.0)
        evidence = 1 + (archived.evidence if archived is not None else 0)
        facts: dict[str, Value] = {
            "id": memory_id,
            "type": note.type,
            **({"author": note.author} if note.author else {}),
            "at": rfc3339_seconds(note.at_ms),
            "sector": SECTOR_OF_TYPE[note.type],
            "confidence": round(confidence, 4),
            "tier": self._tier(SECTOR_OF_TYPE[note.type], confidence, evidence, 0, note.at_ms),
            "evidence_count": evidence,
            **({"tags": note.tags} if note.tags else {}),
            **links,
        }
        self._entries.append(
            PlannedEntry(
                id=memory_id,
                owner=self._owner(note),
                retention=note.retention,
                title=note.title,
                text=note.text,
                facts=facts,
            )
        )

    def _owner(self, note: Note) -> str:
        """The user's statements and decisions are shared; what an agent found out for itself is its own."""
        is_private = self.origin.agent and note.author != "user" and note.type != "decision"
        return self.origin.agent if is_private else SHARED

    def _link_opposed(self, note: Note, confidence: float) -> tuple[dict[str, Value], float]:
        """Link a note to what it contradicts, which loses confidence; an agent cannot contradict the user."""
        if note.type not in RELATED_TYPES:
            return {}, confidence
        claim = claim_of(note.text)
        links: dict[str, list[str]] = {}
        for old in self._candidates(claim):
            link = relation(claim, claim_of(old.memory.text or old.memory.title))
            if link is None:
                continue
            if old.memory.author == "user" and note.author != "user":
                links.setdefault("contradicts", []).append(old.memory.id)
                confidence *= CONTRADICTION_FACTOR
                continue
            links.setdefault(link, []).append(old.memory.id)
            self._contradicted.append(old.memory.id)
            doubted = self._as_amended(old.memory)
            self._set_confidence(doubted, round(doubted.confidence * CONTRADICTION_FACTOR, 4), doubted.evidence, {})
        return dict(links), confidence

    def _candidates(self, claim: Claim) -> list[IndexedMemory]:
        words = search_words(claim)
        with self.writer.process.database.read() as tx:
            owners = self.writer.reach.owners
            return entry_queries.find_by_words(tx, self.writer.project, owners, RELATED_TYPES, words)

    def _set_confidence(self, memory: Memory, confidence: float, evidence: int, facts: dict[str, Value]) -> None:
        """Set a memory's confidence and the resulting tier."""
        last_ms = max(memory.at_ms, memory.last_accessed_ms or 0)
        tier = self._tier(memory.sector, confidence, evidence, memory.access_count, last_ms)
        before = self._amended.get(memory.id, {})
        self._amended[memory.id] = {**before, **facts, "confidence": confidence, "tier": tier}

    def _as_amended(self, memory: Memory) -> Memory:
        """Return a memory with the changes decided so far."""
        facts: Any = self._amended.get(memory.id, {})
        confidence, evidence = facts.get("confidence", memory.confidence), facts.get("evidence_count", memory.evidence)
        return memory._replace(confidence=confidence, evidence=evidence)

    def _tier(self, sector: str, confidence: float, evidence: int, count: int, last_ms: int) -> str:
        inputs = memory_tiers.ScoreInputs(sector, confidence, evidence, count, last_ms)
        return memory_tiers.tier(inputs, self.now_ms)


def merged_decisions(notes: Sequence[Note]) -> list[Note]:
    """Return the notes without the agent's account of a decision that the user states, which gets its words, too."""
    merged = list(notes)
    for note in notes:
        if note.type != "decision" or note.author == "user":
            continue
        for at, other in enumerate(merged):
            if other.type == note.type and other.author == "user" and is_same_decision(other.text, note.text):
                merged[at] = other._replace(text=f"{other.text}\n{note.text}")
                merged.remove(note)
                break
    return merged


def _is_agent_statement(note: Note) -> bool:
    """Whether only an agent states it; user statements, and errors that recur or are resolved again, are evidence."""
    return note.author == "assistant" and note.type != "resolution"


def strengthen(confidence: float) -> float:
    """Return the confidence after one more observation."""
    return round(confidence + (1.0 - confidence) * REPEAT_GAIN, 4)


def store_notes(writer: Writer, notes: Sequence[Note], origin: CaptureOrigin) -> CaptureOutcome:
    """Store notes in the session's file of today, after finishing interrupted captures."""
    with writer.index.locked() as numbers:
        writer.index.refresh()
        finished = [
            plan
            for plan in _finish_interrupted(writer)
            if (plan.session, plan.source) == (origin.session, origin.source)
        ]
        planner = CapturePlanner(writer, numbers, origin)
        plan = planner.plan(notes)
        with writer.process.database.write() as tx:
            row = captures.put_plan(tx, writer.project, plan_to_json(plan))
            for digest, at_ms in plan.sightings:
                captures.add_sighting(tx, writer.project, digest, plan.source, at_ms)
        paths = execute_plan(writer, plan)
        _delete_plan(writer, row)
    write_index_file(writer.index)
    return _outcome(plan, finished, planner.dropped, paths)


def _finish_interrupted(writer: Writer) -> list[CapturePlan]:
    """Execute the plans of processes that ended before writing."""
    with writer.process.database.read() as tx:
        rows = captures.plans(tx, writer.project)
    finished = []
    for row, value in rows:
        try:
            plan = plan_from_json(value)
        except (KeyError, TypeError, ValueError, AttributeError) as error:  # damaged; it must stop no later capture
            writer.process.log.warning("memory.plan.damaged", row=row, error=type(error).__name__)
            continue
        owners = (SHARED, plan.agent) if plan.agent else (SHARED,)
        execute_plan(writer.with_reach(Reach(owners, plan.agent, "")), plan)
        _delete_plan(writer, row)
        finished.append(plan)
    return finished


def _delete_plan(writer: Writer, row: int) -> None:
    with writer.process.database.write() as tx:
        captures.delete_plan(tx, row)


def _outcome(
    plan: CapturePlan, finished: Sequence[CapturePlan], dropped: Counter[str], paths: tuple[str, ...]
) -> CaptureOutcome:
    """Return the outcome; a call that finishes an interrupted one of its own reports both as one."""
    new = [item.id for part in (*finished, plan) for item in part.entries]
    repeated = dict.fromkeys(item for part in (*finished, plan) for item in part.repeated if item not in new)
    contradicted = dict.fromkeys(item for part in (*finished, plan) for item in part.contradicted)
    return CaptureOutcome(tuple(new), tuple(repeated), tuple(contradicted), dropped, paths)

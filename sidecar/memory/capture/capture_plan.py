"""What a capture is going to write, kept before the first file is touched: what a killed process began, the next ends.

All values are final ones, no increments, and what stands already is passed over: a plan may be carried out again.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from sidecar.core.clock import rfc3339
from sidecar.memory import index
from sidecar.memory.access import Reach
from sidecar.memory.capture import contradiction
from sidecar.memory.capture.session_summary import Note, source_within
from sidecar.memory.dedupe import digest_of
from sidecar.memory.entry import SECTOR_OF_TYPE, Keeping, Memory
from sidecar.memory.files import document
from sidecar.memory.files.front_matter import Value
from sidecar.memory.files.layout import SHARED, file_of, folder_of
from sidecar.memory.files.memory_folder import Numbers
from sidecar.memory.store import captures, entries, entry_queries, local_state
from sidecar.memory.store.entries import Indexed
from sidecar.memory.upkeep import decay
from sidecar.memory.writer import Writer, moment

MAX_GROUP_BYTES = 256 * 1024
"""A digest beyond this goes on in another file."""


class Entry(NamedTuple):
    """A new memory; its facts hold its id."""

    id: str
    owner: str
    keeping: Keeping
    title: str
    text: str
    facts: dict[str, Value]


class Plan(NamedTuple):
    """What one digest comes to."""

    session: str
    source: str
    agent: str
    """Empty where no agent asked."""
    at_ms: int
    day: str
    """`YYYY-MM-DD`."""
    entries: tuple[Entry, ...] = ()
    amended: Mapping[str, dict[str, Value]] = {}
    """The facts that known memories have from then on, by their ids."""
    met: tuple[tuple[str, int], ...] = ()
    """Wordings that the source has told, each with its time."""
    repeated: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()


def as_json(plan: Plan) -> dict[str, Any]:
    """Gives a plan as a JSON value."""
    return {**plan._asdict(), "entries": [one._asdict() for one in plan.entries]}


def from_json(value: Mapping[str, Any]) -> Plan:
    """Gives the plan that `as_json` made a value of."""
    values: Any = {name: tuple(one) if isinstance(one, list) else one for name, one in value.items()}
    values["entries"] = tuple(Entry(**one) for one in value["entries"])
    values["met"] = tuple((digest, at_ms) for digest, at_ms in value["met"])
    return Plan(**values)


def carry_out(writer: Writer, plan: Plan) -> tuple[str, ...]:
    """Writes what is not written yet, and gives the new entries' paths; the folder's lock is held by the caller."""
    known = [(found.memory, facts) for one, facts in plan.amended.items() for found in _known(writer, one)[:1]]
    for path in writer.amend(known):
        writer.process.log.warning("memory.capture.leftAlone", path=path)
    left = [one for one in plan.entries if not _known(writer, one.id)]
    owners = sorted({one.owner for one in left if one.keeping == "daily"})
    paths = [_write_group(writer, plan, owner, left) for owner in owners]
    return (*paths, *(_write_alone(writer, plan, one) for one in left if one.keeping != "daily"))


def _known(writer: Writer, memory_id: str) -> list[Indexed]:
    with writer.process.database.read() as tx:
        return entries.with_id(tx, writer.project, memory_id, writer.reach.owners)


def _write_alone(writer: Writer, plan: Plan, one: Entry) -> str:
    path = file_of(one.owner, one.keeping, one.id, one.title)
    facts = {**one.facts, "session": plan.session}
    writer.folder.create(path, document.new_memory(facts, one.title, one.text))
    writer.index.refresh([path])
    return path


def _write_group(writer: Writer, plan: Plan, owner: str, left: Sequence[Entry]) -> str:
    path, content = _group(writer, plan, owner)
    after = content or document.new_group(_group_facts(plan, owner), f"Session digest, {plan.day}")
    for one in left:
        if one.owner == owner and one.keeping == "daily":
            after = document.with_entry(after, one.facts, one.title, one.text)
    if content is None:
        writer.folder.create(path, after)
    else:
        writer.folder.replace(path, content, after)
    writer.index.refresh([path])
    return path


def _group_facts(plan: Plan, owner: str) -> dict[str, Value]:
    agent = plan.agent or ("" if owner == SHARED else owner)
    return {
        "session": plan.session,
        **({"agent": agent} if agent else {}),
        "date": plan.day,
        "created_at": moment(plan.at_ms),
    }


def _group(writer: Writer, plan: Plan, owner: str) -> tuple[str, bytes | None]:
    """Gives the day's file of the session with its bytes, or the next new one's path."""
    folder = folder_of(owner, "daily", plan.day)
    with writer.process.database.read() as tx:
        path = entry_queries.group_of(tx, writer.project, folder, plan.session)
        taken = entry_queries.files_in(tx, writer.project, folder)
    if path is not None:
        content, _ = writer.folder.read(path)
        if len(content) < MAX_GROUP_BYTES and document.is_editable(content):
            return path, content
    numbers = (one.rpartition("/session-")[2].partition("-")[0] for one in taken)
    number = 1 + max((int(one) for one in numbers if one.isdecimal()), default=0)
    return f"{folder}/session-{number:03d}-digest.md", None


# Writes what is worth keeping: new entries into the session's digest, repeats as evidence, oppositions as links.
#
# The folder is locked once for a whole digest, and the digest's file is written once. All is decided first, and the
# plan kept, so that a process that is killed leaves nothing half done for good.


REPEAT_GAIN = 0.25
"""A repeat takes so much of what is missing to certainty: met five times, 0.7 has become more than 0.9."""

CONTRADICTED = 0.5
"""What is left of the confidence of a memory that is contradicted."""

_EACH_TIME = frozenset(("error_pattern", "gotcha", "resolution"))
"""What counts each time, also within a session."""


class Kept(NamedTuple):
    """What became of the notes."""

    new: tuple[str, ...]
    """Ids."""
    repeated: tuple[str, ...]
    contradicted: tuple[str, ...]
    dropped: Counter[str]
    paths: tuple[str, ...]


class Origin(NamedTuple):
    """Where notes come from."""

    session: str
    source: str
    agent: str
    told: tuple[str, ...] = ()
    """Ids of memories that the session was told of."""


class Keeper:
    """Decides what one digest comes to, and writes nothing; the folder's lock is held by the caller."""

    def __init__(self, writer: Writer, numbers: Numbers, origin: Origin) -> None:
        self.writer = writer
        self.numbers = numbers
        self.origin = origin
        self.now_ms = writer.process.clock.now_ms()
        self.dropped: Counter[str] = Counter()
        self._repeated: list[str] = []
        self._contradicted: list[str] = []
        self._entries: list[Entry] = []
        self._amended: dict[str, dict[str, Value]] = {}
        self._met: dict[str, int] = {}

    def plan(self, notes: Sequence[Note]) -> Plan:
        """Sorts the notes into new ones, repeats and those the user had deleted."""
        for note in notes:
            digest = digest_of(note.title, note.text)
            if digest not in self._met:
                self._met[digest] = note.at_ms
                self._sort(note, digest)
        day = rfc3339(self.now_ms)[:10]
        changes = tuple(self._entries), self._amended, tuple(self._met.items())
        found = tuple(self._repeated), tuple(self._contradicted)
        return Plan(self.origin.session, self.origin.source, self.origin.agent, self.now_ms, day, *changes, *found)

    def _sort(self, note: Note, digest: str) -> None:
        writer, project = self.writer, self.writer.project
        with writer.process.database.read() as tx:
            known = entry_queries.with_digest(tx, project, writer.reach.owners, digest)
            is_buried = known is None and local_state.is_buried(tx, project, digest)
            is_first = self._is_first(tx, note, digest)
        if is_buried:
            self.dropped["deletedByUser"] += 1
            del self._met[digest]
        elif known is not None and not known.memory.is_archived:
            if known.memory.id in self.origin.told and _is_only_said(note):
                self.dropped["injected"] += 1
            else:
                self._repeat(known.memory, is_first=is_first)
        else:
            self._begin(note, known.memory if known is not None else None)

    def _is_first(self, tx: apsw.Connection, note: Note, digest: str) -> bool:
        """Says whether a meeting is a new one: what tells of a session as a whole tells again what it told before.

        An error that comes again has come again.
        """
        source, project, as_a_whole = self.origin.source, self.writer.project, source_within(self.origin.session, "")
        if note.type in _EACH_TIME or not source.startswith(as_a_whole):
            return not captures.has_met(tx, project, digest, source)
        return not captures.has_met_under(tx, project, digest, as_a_whole)

    def _repeat(self, memory: Memory, *, is_first: bool) -> None:
        self._repeated.append(memory.id)
        if is_first:
            memory = self._as_amended(memory)
            confidence, evidence = strengthened(memory.confidence), memory.evidence + 1
            facts: dict[str, Value] = {"evidence_count": evidence, "last_seen": moment(self.now_ms)}
            self._trust(memory, confidence, evidence, facts)

    def _begin(self, note: Note, archived: Memory | None) -> None:
        """Makes a new entry of a note; one that lies in the archive already brings its evidence along."""
        memory_id = self.writer.next_id(self.numbers)
        links, confidence = self._opposed(note, note.confidence or 0.0)
        evidence = 1 + (archived.evidence if archived is not None else 0)
        facts: dict[str, Value] = {
            "id": memory_id,
            "type": note.type,
            **({"author": note.author} if note.author else {}),
            "at": moment(note.at_ms),
            "sector": SECTOR_OF_TYPE[note.type],
            "confidence": round(confidence, 4),
            "tier": self._tier(SECTOR_OF_TYPE[note.type], confidence, evidence, 0, note.at_ms),
            "evidence_count": evidence,
            **({"tags": note.tags} if note.tags else {}),
            **links,
        }
        self._entries.append(Entry(memory_id, self._owner(note), note.keeping, note.title, note.text, facts))

    def _owner(self, note: Note) -> str:
        """What the user said and what was decided concerns all; what an agent found out for itself is its own."""
        is_private = self.origin.agent and note.author != "user" and note.type != "decision"
        return self.origin.agent if is_private else SHARED

    def _opposed(self, note: Note, confidence: float) -> tuple[dict[str, Value], float]:
        """Links a note to what it opposes, whose confidence sinks; the user's word stands against an agent's."""
        if note.type not in contradiction.RELATED_TYPES:
            return {}, confidence
        claim = contradiction.claim_of(note.text)
        links: dict[str, list[str]] = {}
        for old in self._candidates(claim):
            stands = contradiction.relation(claim, contradiction.claim_of(old.memory.text or old.memory.title))
            if stands is None:
                continue
            if old.memory.author == "user" and note.author != "user":
                links.setdefault("contradicts", []).append(old.memory.id)
                confidence *= CONTRADICTED
                continue
            links.setdefault(stands, []).append(old.memory.id)
            self._contradicted.append(old.memory.id)
            doubted = self._as_amended(old.memory)
            self._trust(doubted, round(doubted.confidence * CONTRADICTED, 4), doubted.evidence, {})
        return dict(links), confidence

    def _candidates(self, claim: contradiction.Claim) -> list[Indexed]:
        words = contradiction.words_to_find(claim)
        with self.writer.process.database.read() as tx:
            owners = self.writer.reach.owners
            return entry_queries.naming(tx, self.writer.project, owners, contradiction.RELATED_TYPES, words)

    def _trust(self, memory: Memory, confidence: float, evidence: int, facts: dict[str, Value]) -> None:
        """Gives a memory another confidence, and the tier that comes of it."""
        last_ms = max(memory.at_ms, memory.last_accessed_ms or 0)
        tier = self._tier(memory.sector, confidence, evidence, memory.access_count, last_ms)
        before = self._amended.get(memory.id, {})
        self._amended[memory.id] = {**before, **facts, "confidence": confidence, "tier": tier}

    def _as_amended(self, memory: Memory) -> Memory:
        """Gives a memory as it is going to be by what was decided so far."""
        facts: Any = self._amended.get(memory.id, {})
        confidence, evidence = facts.get("confidence", memory.confidence), facts.get("evidence_count", memory.evidence)
        return memory._replace(confidence=confidence, evidence=evidence)

    def _tier(self, sector: str, confidence: float, evidence: int, count: int, last_ms: int) -> str:
        standing = decay.Standing(sector, confidence, evidence, count, last_ms)
        return decay.tier(standing, self.now_ms)


def _is_only_said(note: Note) -> bool:
    """Says whether an agent only says it: the user's word and an error that came or was mended again are evidence."""
    return note.author == "assistant" and note.type != "resolution"


def strengthened(confidence: float) -> float:
    """Gives the confidence of a memory that was met once more."""
    return round(confidence + (1.0 - confidence) * REPEAT_GAIN, 4)


def keep_notes(writer: Writer, notes: Sequence[Note], origin: Origin) -> Kept:
    """Keeps notes in the session's digest of today, once what an interrupted capture had begun is finished."""
    with writer.index.locked() as numbers:
        writer.index.check()
        before = [one for one in _finish(writer) if (one.session, one.source) == (origin.session, origin.source)]
        keeper = Keeper(writer, numbers, origin)
        plan = keeper.plan(notes)
        with writer.process.database.write() as tx:
            row = captures.put_plan(tx, writer.project, as_json(plan))
            for digest, at_ms in plan.met:
                captures.meet(tx, writer.project, digest, plan.source, at_ms)
        paths = carry_out(writer, plan)
        _forget(writer, row)
    index.write(writer.index)
    return _kept(plan, before, keeper.dropped, paths)


def _finish(writer: Writer) -> list[Plan]:
    """Carries out what was decided by processes that ended before it was written."""
    with writer.process.database.read() as tx:
        rows = captures.plans(tx, writer.project)
    finished = []
    for row, value in rows:
        plan = from_json(value)
        owners = (SHARED, plan.agent) if plan.agent else (SHARED,)
        carry_out(writer.reaching(Reach(owners, plan.agent, "")), plan)
        _forget(writer, row)
        finished.append(plan)
    return finished


def _forget(writer: Writer, row: int) -> None:
    with writer.process.database.write() as tx:
        captures.drop_plan(tx, row)


def _kept(plan: Plan, before: Sequence[Plan], dropped: Counter[str], paths: tuple[str, ...]) -> Kept:
    """Tells of a call that finishes an interrupted one of its own as of that one."""
    new = [one.id for part in (*before, plan) for one in part.entries]
    repeated = dict.fromkeys(one for part in (*before, plan) for one in part.repeated if one not in new)
    contradicted = dict.fromkeys(one for part in (*before, plan) for one in part.contradicted)
    return Kept(tuple(new), tuple(repeated), tuple(contradicted), dropped, paths)

"""Writes what is worth keeping: new entries into the session's digest, repeats as evidence, oppositions as links.

The folder is locked once for a whole digest, and the digest's file is written once.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sidecar.core.clock import rfc3339
from sidecar.memory import attention, document, index_file
from sidecar.memory.capture import relations
from sidecar.memory.capture.digest import Note
from sidecar.memory.entry import SECTOR_OF_TYPE, Memory
from sidecar.memory.files import Numbers
from sidecar.memory.front_matter import Value
from sidecar.memory.layout import SHARED, file_of, folder_of
from sidecar.memory.sameness import digest_of
from sidecar.memory.store import captures, private, related
from sidecar.memory.store.entries import Indexed
from sidecar.memory.writing import Writer, moment

REPEAT_GAIN = 0.25
"""A repeat takes so much of what is missing to certainty: met five times, 0.7 has become more than 0.9."""

CONTRADICTED = 0.5
"""What is left of the confidence of a memory that is contradicted."""

MAX_GROUP_BYTES = 256 * 1024
"""A digest beyond this goes on in another file."""


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


class Keeper:
    """Keeps the notes of one digest; the folder's lock is held by the caller."""

    def __init__(self, writer: Writer, numbers: Numbers, origin: Origin) -> None:
        self.writer = writer
        self.numbers = numbers
        self.origin = origin
        self.now_ms = writer.process.clock.now_ms()
        self.day = rfc3339(self.now_ms)[:10]
        self.policy = attention.policy_of(writer.process.settings(writer.project))
        self._repeated: list[str] = []
        self._contradicted: list[str] = []
        self._dropped: Counter[str] = Counter()
        self._new: dict[str, list[tuple[str, Note, dict[str, Value]]]] = {}
        self._changes: dict[str, tuple[Memory, dict[str, Value]]] = {}
        self._alone: dict[str, str] = {}
        self._seen: set[str] = set()

    def keep(self, notes: Sequence[Note]) -> Kept:
        """Sorts the notes into new ones, repeats and those the user had deleted, and writes them."""
        for note in notes:
            digest = digest_of(note.title, note.text)
            if digest not in self._seen:
                self._seen.add(digest)
                self._sort(note, digest)
        self._write_changes()
        paths: tuple[str, ...] = tuple(self._write(owner) for owner in sorted(self._new))
        new: tuple[str, ...] = tuple(memory_id for owner in sorted(self._new) for memory_id, _, _ in self._new[owner])
        new, paths = (*new, *self._alone), (*paths, *self._alone.values())
        return Kept(new, tuple(self._repeated), tuple(self._contradicted), self._dropped, paths)

    def _sort(self, note: Note, digest: str) -> None:
        writer, project = self.writer, self.writer.project
        with writer.process.database.write(durable=False) as tx:
            known = related.with_digest(tx, project, writer.reach.owners, digest)
            if known is None and private.is_buried(tx, project, digest):
                self._dropped["deletedByUser"] += 1
                return
            is_first = captures.meet(tx, project, digest, self.origin.source, note.at_ms)
        if known is not None and not known.memory.is_archived:
            self._repeat(known.memory, is_first=is_first)
        else:
            self._begin(note, known.memory if known is not None else None)

    def _repeat(self, memory: Memory, *, is_first: bool) -> None:
        self._repeated.append(memory.id)
        if is_first:
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
        if note.keeping == "durable":
            self._write_alone(memory_id, note, {**facts, "session": self.origin.session})
        else:
            self._new.setdefault(self._owner(note), []).append((memory_id, note, facts))

    def _write_alone(self, memory_id: str, note: Note, facts: dict[str, Value]) -> None:
        path = file_of(self._owner(note), "durable", memory_id, note.title)
        self.writer.folder.create(path, document.new_memory(facts, note.title, note.text))
        self.writer.index.refresh([path])
        self._alone[memory_id] = path

    def _owner(self, note: Note) -> str:
        """What the user said and what was decided concerns all; what an agent found out for itself is its own."""
        is_private = self.origin.agent and note.author != "user" and note.type != "decision"
        return self.origin.agent if is_private else SHARED

    def _opposed(self, note: Note, confidence: float) -> tuple[dict[str, Value], float]:
        """Links a note to what it opposes, whose confidence sinks; the user's word stands against an agent's."""
        if note.type not in relations.RELATED_TYPES:
            return {}, confidence
        claim = relations.claim_of(note.text)
        links: dict[str, list[str]] = {}
        for old in self._candidates(claim):
            stands = relations.relation(claim, relations.claim_of(old.memory.text or old.memory.title))
            if stands is None:
                continue
            if old.memory.author == "user" and note.author != "user":
                links.setdefault("contradicts", []).append(old.memory.id)
                confidence *= CONTRADICTED
                continue
            links.setdefault(stands, []).append(old.memory.id)
            self._contradicted.append(old.memory.id)
            self._trust(old.memory, round(old.memory.confidence * CONTRADICTED, 4), old.memory.evidence, {})
        return dict(links), confidence

    def _candidates(self, claim: relations.Claim) -> list[Indexed]:
        words = relations.words_to_find(claim)
        with self.writer.process.database.read() as tx:
            owners = self.writer.reach.owners
            return related.naming(tx, self.writer.project, owners, relations.RELATED_TYPES, words)

    def _trust(self, memory: Memory, confidence: float, evidence: int, facts: dict[str, Value]) -> None:
        """Gives a memory another confidence, and the tier that comes of it."""
        last_ms = max(memory.at_ms, memory.last_accessed_ms or 0)
        tier = self._tier(memory.sector, confidence, evidence, memory.access_count, last_ms)
        self._amend(memory, {**facts, "confidence": confidence, "tier": tier})

    def _tier(self, sector: str, confidence: float, evidence: int, count: int, last_ms: int) -> str:
        standing = attention.Standing(sector, confidence, evidence, count, last_ms)
        return attention.tier(standing, self.now_ms, self.policy)

    def _amend(self, memory: Memory, facts: dict[str, Value]) -> None:
        _, before = self._changes.get(memory.id, (memory, {}))
        self._changes[memory.id] = memory, {**before, **facts}

    def _write_changes(self) -> None:
        for path in self.writer.amend(list(self._changes.values())):
            self.writer.process.log.warning("memory.capture.leftAlone", path=path)

    def _write(self, owner: str) -> str:
        path, content = self._group(owner)
        after = content or document.new_group(self._group_facts(owner), f"Session digest, {self.day}")
        for _, note, facts in self._new[owner]:
            after = document.with_entry(after, facts, note.title, note.text)
        if content is None:
            self.writer.folder.create(path, after)
        else:
            self.writer.folder.replace(path, content, after)
        self.writer.index.refresh([path])
        return path

    def _group_facts(self, owner: str) -> dict[str, Value]:
        agent = self.origin.agent or ("" if owner == SHARED else owner)
        return {
            "session": self.origin.session,
            **({"agent": agent} if agent else {}),
            "date": self.day,
            "created_at": moment(self.now_ms),
        }

    def _group(self, owner: str) -> tuple[str, bytes | None]:
        """Gives today's file of the session with its bytes, or the next new one's path."""
        folder, project = folder_of(owner, "daily", self.day), self.writer.project
        with self.writer.process.database.read() as tx:
            path = related.group_of(tx, project, folder, self.origin.session)
            taken = related.files_in(tx, project, folder)
        if path is not None:
            content, _ = self.writer.folder.read(path)
            if len(content) < MAX_GROUP_BYTES and document.is_editable(content):
                return path, content
        numbers = (one.rpartition("/session-")[2].partition("-")[0] for one in taken)
        number = 1 + max((int(one) for one in numbers if one.isdecimal()), default=0)
        return f"{folder}/session-{number:03d}-digest.md", None


def strengthened(confidence: float) -> float:
    """Gives the confidence of a memory that was met once more."""
    return round(confidence + (1.0 - confidence) * REPEAT_GAIN, 4)


def keep_notes(writer: Writer, notes: Sequence[Note], origin: Origin) -> Kept:
    """Keeps notes in the session's digest of today."""
    writer.index.check()  # before the lock makes a folder anew that is gone as a whole
    with writer.folder.locked() as numbers:
        writer.index.check()
        kept = Keeper(writer, numbers, origin).keep(notes)
    index_file.write(writer.index)
    return kept

"""Capture a session: store what it leaves as memories, or count why it was dropped."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Literal, NamedTuple

import apsw

from sidecar.call import Process
from sidecar.core.clean_text import one_line
from sidecar.core.clock import DAY_MS
from sidecar.core.digests import digest_bytes
from sidecar.core.errors import Busy, Conflict, NotFound, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.core.ide_rules_files import AGENT_PATHS
from sidecar.core.terms import query_terms
from sidecar.language.message_intent import forgets
from sidecar.memory.access_control import Reach
from sidecar.memory.capture.extract_notes import (
    ExtractedNotes,
    extract_notes,
    gotcha,
    instruction_lines,
    note_title,
    resolves,
)
from sidecar.memory.capture.session_material import Note, SessionSummary, from_json, to_json
from sidecar.memory.capture.store_notes import CaptureOrigin, CaptureOutcome, store_notes
from sidecar.memory.capture.verify_noted_rule import recalls, restates
from sidecar.memory.entry import ARTIFACT_TAG, Memory, content_hash
from sidecar.memory.file_index import write_index_file
from sidecar.memory.files.document import Edit
from sidecar.memory.files.layout import SHARED
from sidecar.memory.standing_instruction_register import (
    accepted_memories,
    active_instructions,
    contradicted_ids,
    register,
    replace,
    replacements,
    withdraw,
)
from sidecar.memory.storable_text import filter_private
from sidecar.memory.store import captures, entry_queries, index_tables
from sidecar.memory.store.index_tables import IndexedMemory
from sidecar.memory.writer import Writer, filtered_words
from sidecar.system.safe_open import read_regular
from sidecar.workspace import Workspace

ARTIFACT_SOURCE = "artifact:"
"""Prefix of an artifact's source, before its id; an empty summary means the artifact was revoked."""


def artifact_source(artifact_id: str) -> str:
    """Return an artifact's source name."""
    return f"{ARTIFACT_SOURCE}{artifact_id}"


def artifact_tag(artifact_id: str) -> str:
    """Return the tag of an artifact's memory."""
    return f"{ARTIFACT_TAG}{artifact_id}"


def update_artifact_memory(writer: Writer, summary: SessionSummary) -> tuple[str, ...] | None:
    """Update an artifact's memory to its current text; archive it when the artifact is revoked, and restore it.

    Return the ids of what changed; None if a new memory is due or the old one is current.
    """
    writer.index.refresh()
    with writer.process.database.read() as tx:
        existing = entry_queries.find_by_tag(
            tx, writer.project, SHARED, artifact_tag(summary.source.removeprefix(ARTIFACT_SOURCE))
        )
    if not summary.notes:
        return _archive_revoked(writer, existing)
    if existing is None:
        return None
    title, text = filtered_words(summary.notes[0].title, summary.notes[0].text)
    is_current = content_hash(title, text, existing.memory.type) == existing.digest
    if is_current and not existing.memory.is_archived:
        return None
    try:
        if existing.memory.is_archived:
            writer.restore(existing.memory.id)
        if not is_current:
            writer.update(existing.memory.id, None, Edit({}, title, text))
    except (PolicyDenied, Conflict, NotFound):
        return None  # its file is damaged or being edited: the accepted text is stored beside it
    return (existing.memory.id,)


def _archive_revoked(writer: Writer, existing: IndexedMemory | None) -> tuple[str, ...]:
    if existing is None or existing.memory.is_archived:
        return ()
    with writer.index.locked():
        failed = writer.archive([existing.memory.path])
    write_index_file(writer.index)
    return () if failed else (existing.memory.id,)


OriginName = Literal["request", "run", "preCompact", "exit", "artifact"]

GOTCHA_MEETINGS = 3
GOTCHA_MS = DAY_MS
"""An error seen this often within this time is a gotcha."""

WISH_SOURCE = "wish:"
"""Prefix of a source in which a near miss was seen, before its session and, after a `#`, its run."""
REPEATED_IN_RUNS = 3
"""A wish in so many runs of one session lasts, as one of two sessions does."""
MIN_WISH_TERMS = 3
INFERRED_CONFIDENCE = 0.6
INFERRED_TAG = "inferred"
"""Tag of a preference that the user only repeated."""

MAX_REMEMBERED = 200

MAX_INSTRUCTION_BYTES = 256 * 1024


class CaptureResult(NamedTuple):
    """Outcome of a capture."""

    new: tuple[str, ...] = ()
    """Ids of new memories."""
    repeated: tuple[str, ...] = ()
    """Ids of memories that were observed again."""
    contradicted: tuple[str, ...] = ()
    """Ids of memories that lost confidence."""
    suppressed: int = 0
    """Number of statements that active mode would have stored."""
    dropped: Mapping[str, int] = MappingProxyType({})
    """Number of dropped statements by reason."""
    paths: tuple[str, ...] = ()
    """Files written, relative to the memories folder."""
    withdrawn: Mapping[str, str] = MappingProxyType({})
    """Statements that no longer hold: the id of the memory that replaced each; empty if the user took it back."""

    def combine(self, other: "CaptureResult") -> "CaptureResult":
        """Add up two outcomes."""
        return CaptureResult(
            new=self.new + other.new,
            repeated=self.repeated + other.repeated,
            contradicted=self.contradicted + other.contradicted,
            suppressed=self.suppressed + other.suppressed,
            dropped=Counter(self.dropped) + Counter(other.dropped),
            paths=tuple(dict.fromkeys(self.paths + other.paths)),
            withdrawn={**self.withdrawn, **other.withdrawn},
        )


class CaptureContext(NamedTuple):
    """The capturing agent, its project, and whether the capture was requested."""

    process: Process
    workspace: Workspace
    reach: Reach
    origin: OriginName
    automatic: bool
    """An automatic capture writes into a project only if its mode is active."""


def capture_session_summary(context: CaptureContext, summary: SessionSummary) -> CaptureResult:
    """Store the memories of a summary, after the project's pending material.

    Raise PolicyDenied or StateDegraded if the folder cannot be used, Busy while another process writes.
    """
    return capture_pending(context).combine(_capture(context, summary))


def capture_pending(context: CaptureContext) -> CaptureResult:
    """Capture the pending material of finished runs and delete it; by one thread of the process at a time."""
    with context.process.slices.memory.capture_lock(context.workspace.project_key):
        return _capture_pending(context)


def _capture_pending(context: CaptureContext) -> CaptureResult:
    with context.process.database.read() as tx:
        rows = captures.pending(tx, context.workspace.project_key)
    captured = CaptureResult()
    shared = context._replace(reach=Reach((SHARED,), "", ""), origin="run", automatic=True)
    for row, value in rows:
        try:
            summary = from_json(value)
        except (KeyError, TypeError, AttributeError) as error:  # a damaged record, which must stop no later run
            context.process.log.warning("memory.pending.damaged", row=row, error=type(error).__name__)
            continue
        capture = _capture_artifact if summary.source.startswith(ARTIFACT_SOURCE) else _capture
        captured = captured.combine(capture(shared, summary))
        with context.process.database.write() as tx:
            captures.delete_pending(tx, [row])
    return captured


def _capture_artifact(context: CaptureContext, summary: SessionSummary) -> CaptureResult:
    context = context._replace(origin="artifact")
    writer = Writer(context.process, context.workspace, context.reach)
    is_withdrawn = not summary.notes  # by the user, whose decision also holds in passive mode
    changed = update_artifact_memory(writer, summary) if is_withdrawn or may_write(context) else None
    if changed is None:
        return _capture(context, summary)
    captured = CaptureResult(repeated=changed)
    _record_capture(context, summary, captured, None)
    return captured


def enqueue_summary(tx: apsw.Connection, project: str, summary: SessionSummary, now_ms: int) -> None:
    """Store a run's summary until it is captured, so that it outlives the process."""
    captures.add_pending(tx, project, summary.session, now_ms, to_json(summary))


def captured_until(process: Process, workspace: Workspace, session: str) -> int:
    """Return the time, in ms, until which a session's messages are known from runs and compactions; 0 if none are."""
    with process.database.read() as tx:
        return captures.captured_until(tx, workspace.project_key, session)


def session_memories(process: Process, workspace: Workspace, session: str, since_ms: int) -> list[str]:
    """Return the ids of the memories that a session's runs added since a moment, oldest first."""
    with process.database.read() as tx:
        return captures.added_in_session(tx, workspace.project_key, session, since_ms)


def may_write(context: CaptureContext) -> bool:
    """Whether memories may be written into the project."""
    return not context.automatic or context.process.settings(context.workspace.project_key).mode == "active"


def _capture(context: CaptureContext, summary: SessionSummary) -> CaptureResult:
    extracted = extract_notes(summary, _instructions(context.workspace))
    taken_back = _ids_taken_back(context, extracted.notes)
    refuted = _refuted_resolutions(context, summary, extracted)
    notes = (
        *_settled_reversals(context, extracted.notes),
        *_recurring_errors(context, summary, extracted),
        *_inferred_preferences(context, summary, extracted),
    )
    if not may_write(context):
        captured = CaptureResult(suppressed=len(notes), dropped=extracted.dropped)
    elif not notes:
        captured = CaptureResult(dropped=extracted.dropped)
    else:
        captured = _store(context, summary, notes, extracted)
    if may_write(context):
        taken_back = [*_ids_of_statement_before(context, summary), *taken_back]
        captured = captured.combine(CaptureResult(withdrawn=_archive_withdrawn(context, taken_back)))
        _archive_memories(context, refuted)
        _count_cited(context, summary)
    _record_near_misses(context, extracted)
    _record_capture(context, summary, captured, extracted)
    return captured


def _ids_of_statement_before(context: CaptureContext, summary: SessionSummary) -> list[str]:
    """Return what the message before stated, if it consisted of that alone and this one takes it back."""
    with context.process.database.read() as tx:
        project, source = context.workspace.project_key, summary.withdrawn_source
        return captures.added_by_statement(tx, project, source) if source else []


def _ids_taken_back(context: CaptureContext, notes: Iterable[Note]) -> list[str]:
    """Return the active instructions that words such as "forget what I said about …" name, if they state nothing."""
    with context.process.database.read() as tx:
        project = context.workspace.project_key
        accepted = {entry.memory.id for entry in accepted_memories(tx, project)}
        words = (note.text for note in notes if note.reversal == "candidate" and forgets(note.text))
        found = [memory_id for text in words for memory_id in contradicted_ids(tx, project, text)]
    return [memory_id for memory_id in dict.fromkeys(found) if memory_id not in accepted]


def _archive_withdrawn(context: CaptureContext, ids: Sequence[str]) -> dict[str, str]:
    """Archive what the user took back; what it replaced holds again.

    It is stored again once the user states it again, and holds again once the user confirms it.
    """
    project = context.workspace.project_key
    with context.process.database.read() as tx:
        found = [index_tables.entries_with_id(tx, project, memory_id, (SHARED,))[:1] for memory_id in ids]
    memories = [entry.memory for matches in found for entry in matches if entry.memory.author == "user"]
    for memory in memories:
        with context.process.database.write() as tx:
            withdraw(tx, project, memory.id)
    _archive_memories(context, memories)
    return {memory.id: "" for memory in memories}


def _archive_memories(context: CaptureContext, memories: Sequence[Memory]) -> None:
    writer = Writer(context.process, context.workspace, context.reach)
    for memory in memories:
        with suppress(NotFound, Conflict, PolicyDenied):  # its file is being edited
            own = memory if memory.retention == "durable" else writer.make_durable(memory.id)
            with writer.index.locked():
                writer.archive([own.path])
    if memories:
        write_index_file(writer.index)


def _refuted_resolutions(context: CaptureContext, summary: SessionSummary, extracted: ExtractedNotes) -> list[Memory]:
    """Return what the session stored as the resolution of an error that the user now shows again."""
    pasted = [sighting for sighting in extracted.sightings if sighting.is_pasted]
    if not pasted:
        return []
    project = context.workspace.project_key
    with context.process.database.read() as tx:
        ids = captures.added_in_session(tx, project, summary.session, 0)
        stored = [index_tables.entries_with_id(tx, project, memory_id, (SHARED,))[:1] for memory_id in ids]
    memories = (entry.memory for entries in stored for entry in entries if not entry.memory.is_archived)
    return [
        memory
        for memory in memories
        if memory.type == "resolution" and any(resolves(memory.text, sighting) for sighting in pasted)
    ]


def _settled_reversals(context: CaptureContext, notes: Iterable[Note]) -> Iterable[Note]:
    """Yield the notes; one that takes back an active instruction or accepted rule is a standing instruction.

    "Forget what I said about …" states nothing itself: it is stored only to suspend a rule that the user accepted.
    """
    project = context.workspace.project_key
    for note in notes:
        if not (note.reversal or note.withdraws):
            yield note
            continue
        with context.process.database.read() as tx:
            replaced = _replaced_ids(tx, project, note, "")
            accepted = {entry.memory.id for entry in accepted_memories(tx, project)}
        if note.reversal and forgets(note.text):
            if not accepted.isdisjoint(replaced):
                yield note._replace(retention="durable")
        elif replaced:
            yield note._replace(retention="durable", is_standing_instruction=True)
        elif note.reversal != "candidate":
            yield note._replace(reversal="")


def _replaced_ids(tx: apsw.Connection, project: str, note: Note, own_id: str) -> list[str]:
    """Return the ids of what a note contradicts, and of what the words beside it take back."""
    texts = filter(None, (note.text, note.withdraws))
    return list(dict.fromkeys(found for text in texts for found in contradicted_ids(tx, project, text, own_id)))


def _store(
    context: CaptureContext, summary: SessionSummary, notes: Sequence[Note], extracted: ExtractedNotes
) -> CaptureResult:
    writer = Writer(context.process, context.workspace, context.reach)
    notes = _in_known_words(writer, notes)
    outcome: CaptureOutcome = store_notes(
        writer, notes, CaptureOrigin(summary.session, summary.source, context.reach.agent, summary.delivered)
    )
    withdrawn = _register_instructions(writer, notes)
    return CaptureResult(
        new=outcome.new,
        repeated=outcome.repeated,
        contradicted=outcome.contradicted,
        suppressed=0,
        dropped=extracted.dropped + outcome.dropped,
        paths=outcome.paths,
        withdrawn=withdrawn,
    )


def _in_known_words(writer: Writer, notes: Sequence[Note]) -> list[Note]:
    """Return the notes, a standing instruction that restates an earlier one in the words of that one."""
    if not any(note.is_standing_instruction for note in notes):
        return list(notes)
    with writer.process.database.read() as tx:
        known_ids = [instruction.id for instruction in active_instructions(tx, writer.project)]
        found = [index_tables.entries_with_id(tx, writer.project, item, (SHARED,))[:1] for item in known_ids]
    known = [entry.memory for matches in found for entry in matches]
    return [_in_words_of(note, known) if note.is_standing_instruction else note for note in notes]


def _in_words_of(note: Note, known: Iterable[Memory]) -> Note:
    for memory in known:
        if restates(note.text, memory.title) or recalls(note.text, memory.title):
            return note._replace(title=memory.title, text=memory.text)
    return note


def _register_instructions(writer: Writer, notes: Iterable[Note]) -> dict[str, str]:
    """Register what the user typed as lasting; a memory that stated it before becomes durable.

    What the user deleted is not stored again and has no memory. What only withdraws an instruction is not one itself.
    Return the ids of the statements that no longer hold, each with that of the memory that replaced it.
    """
    withdrawn: dict[str, str] = {}
    for note in notes:
        if not (note.is_standing_instruction or note.reversal):
            continue
        digest = content_hash(note.title, note.text, note.type)
        with writer.process.database.read() as tx:
            stored = entry_queries.find_by_hash(tx, writer.project, (SHARED,), digest)
        if stored is None or stored.memory.is_archived:
            continue
        if stored.memory.retention != "durable":
            with suppress(NotFound, Conflict, PolicyDenied):  # its file is being edited: registered all the same
                writer.make_durable(stored.memory.id)
        with writer.process.database.write() as tx:
            replaced_ids = _replaced_ids(tx, writer.project, note._replace(text=stored.memory.text), stored.memory.id)
            withdrawn |= dict.fromkeys(replaced_ids, stored.memory.id)  # what it supersedes is in its file
            if note.is_standing_instruction:
                replaced_ids += stored.memory.supersedes
                register(tx, writer.project, stored.memory.id, digest, "typed", note.at_ms, replaced_ids)
            else:
                replace(tx, writer.project, stored.memory.id, replaced_ids, note.at_ms)
    return withdrawn


def _inferred_preferences(context: CaptureContext, summary: SessionSummary, extracted: ExtractedNotes) -> list[Note]:
    """Return a preference for each wish that the user also had in another session, or keeps repeating in this one.

    It is found by relevance only, until the user states or accepts it. A transcript tells no runs apart.
    """
    project, session = context.workspace.project_key, f"{WISH_SOURCE}{summary.session}"
    source = f"{session}#{summary.source}" if context.origin == "run" else session
    notes: list[Note] = []
    with context.process.database.write(durable=False) as tx:
        for miss in extracted.near_misses:
            terms = sorted(frozenset(query_terms(miss.text)))
            if miss.reason != "belowThreshold" or len(terms) < MIN_WISH_TERMS:
                continue
            digest = digest_bytes(" ".join(terms).encode())[:24]
            captures.add_sighting(tx, project, digest, source, miss.at_ms)
            if _is_lasting_wish(captures.sources_by_prefix(tx, project, digest, WISH_SOURCE), session):
                notes.append(
                    Note(
                        type="preference",
                        title=note_title(miss.text),
                        text=miss.text,
                        author="user",
                        at_ms=miss.at_ms,
                        confidence=INFERRED_CONFIDENCE,
                        tags=(INFERRED_TAG,),
                    )
                )
    return notes


def _is_lasting_wish(sources: Iterable[str], session: str) -> bool:
    sessions = [source.partition("#")[0] for source in sources]
    return any(other != session for other in sessions) or len(sessions) >= REPEATED_IN_RUNS


def _record_near_misses(context: CaptureContext, extracted: ExtractedNotes) -> None:
    records = [
        captures.NearMissRecord(miss.at_ms, miss.reason, miss.score, filter_private(miss.text).text)
        for miss in extracted.near_misses
    ]
    with context.process.database.write(durable=False) as tx:
        captures.add_near_misses(tx, context.workspace.project_key, records, context.process.clock.now_ms())


class RememberedMemory(NamedTuple):
    """A memory that a run added."""

    id: str
    text: str
    """One masked line."""
    is_standing: bool


class WithdrawnStatement(NamedTuple):
    """A statement of the user that no longer holds since a run."""

    id: str
    text: str
    """One masked line."""
    replaced_by: str
    """The id of the memory that replaced it; empty if the user took it back, and it is archived."""


class RememberedByRun(NamedTuple):
    """The changes of a run in memory, as far as they last."""

    added: tuple[RememberedMemory, ...]
    withdrawn: tuple[WithdrawnStatement, ...]


def remember_run(process: Process, workspace: Workspace, run_id: str) -> RememberedByRun:
    """Capture a run's pending material now, and return what it added and withdrew, as far as it still is so."""
    with suppress(PolicyDenied, StateDegraded, Busy, WorkspaceUnavailable):  # captured later, in the background
        capture_pending(CaptureContext(process, workspace, Reach((SHARED,), "", ""), "run", automatic=True))
    project = workspace.project_key
    with process.database.read() as tx:
        added = _added_memories(tx, project, run_id)
        instruction_ids = (
            {instruction.id for instruction in active_instructions(tx, project)} if added else frozenset[str]()
        )
        withdrawn = tuple(_withdrawn_statements(tx, project, run_id, added, instruction_ids))
    return RememberedByRun(
        tuple(
            RememberedMemory(memory.id, one_line(memory.title, MAX_REMEMBERED), memory.id in instruction_ids)
            for memory in added
        ),
        withdrawn,
    )


def _withdrawn_statements(
    tx: apsw.Connection, project: str, run_id: str, added: Sequence[Memory], active: Collection[str]
) -> Iterator[WithdrawnStatement]:
    """Yield the statements that a run withdrew, and that nothing has let hold again since; `active` ones still hold."""
    superseded = {old: memory.id for memory in added for old in memory.supersedes}
    by_id = {**superseded, **captures.withdrawn_by(tx, project, run_id)}
    replaced = replacements(tx, project) if by_id else {}
    for memory_id, by in by_id.items():
        for entry in index_tables.entries_with_id(tx, project, memory_id, (SHARED,))[:1]:
            is_replaced = memory_id in superseded or (memory_id in replaced and replaced[memory_id].replaced_by == by)
            if memory_id not in active and (is_replaced if by else entry.memory.is_archived):
                yield WithdrawnStatement(memory_id, one_line(entry.memory.title, MAX_REMEMBERED), by)


def _added_memories(tx: apsw.Connection, project: str, run_id: str) -> list[Memory]:
    """Return the memories that a run added and that still exist."""
    ids = captures.added_by(tx, project, run_id)
    return [entry.memory for item in ids for entry in index_tables.entries_with_id(tx, project, item, (SHARED,))[:1]]


def added_in_arm(tx: apsw.Connection, arm: str, project: str | None) -> set[tuple[str, str]]:
    """Return project and id of the memories that chats of an experiment's arm added, in one project or in all."""
    return captures.added_in_arm(tx, arm, project)


class CapturedStatements(NamedTuple):
    """Statements that runs of a conversation captured, in the order of the runs."""

    corrections: list[str]
    """The user's corrections and preferences without standing instructions, which the anchor has."""
    decisions: list[str]
    """Decisions, each with the reason stated for it."""


def captured_statements(tx: apsw.Connection, project: str, run_ids: Sequence[str]) -> CapturedStatements:
    """Return the user's corrections and the decisions that runs captured."""
    instruction_ids = {instruction.id for instruction in active_instructions(tx, project)}
    added = [memory for run_id in run_ids for memory in _added_memories(tx, project, run_id)]
    return CapturedStatements(
        [
            memory.title
            for memory in added
            if memory.type in ("user_correction", "preference") and memory.id not in instruction_ids
        ],
        [memory.text.partition("\n\n")[0] or memory.title for memory in added if memory.type == "decision"],
    )


def _count_cited(context: CaptureContext, summary: SessionSummary) -> None:
    """Count the memories an answer cites as accessed, once per session."""
    if not summary.cited:
        return
    writer = Writer(context.process, context.workspace, context.reach)
    for memory_id in summary.cited:
        with suppress(NotFound, Conflict):  # missing or out of reach: not accessed
            writer.record_opening(writer.find(memory_id).memory, summary.session)


def _recurring_errors(context: CaptureContext, summary: SessionSummary, extracted: ExtractedNotes) -> list[Note]:
    """Record the errors seen and return a note for each that recurs."""
    project = context.workspace.project_key
    notes: dict[str, Note] = {}
    with context.process.database.write(durable=False) as tx:
        for position, sighting in enumerate(extracted.sightings):
            captures.add_sighting(tx, project, sighting.digest, f"{summary.source}#{position}", sighting.at_ms)
            times = captures.count_sightings(tx, project, sighting.digest, sighting.at_ms - GOTCHA_MS)
            if times >= GOTCHA_MEETINGS:
                notes[sighting.digest] = gotcha(sighting)
    return list(notes.values())


def _instructions(workspace: Workspace) -> frozenset[str]:
    """Return the lines of the project's rule files: agents receive them anyway."""
    lines: set[str] = set()
    for root, name in _instruction_paths(workspace):
        path = os.path.join(root, name)
        try:
            lines |= instruction_lines(read_regular(path, MAX_INSTRUCTION_BYTES).decode("utf-8", "replace"))
        except OSError:
            continue  # an unreadable file has no lines to compare with
    return frozenset(lines)


def _instruction_paths(workspace: Workspace) -> Iterable[tuple[str, str]]:
    roots = dict.fromkeys((os.fspath(workspace.cwd), os.fspath(workspace.project)))
    return [(root, name) for root in roots for name in AGENT_PATHS]


def _record_capture(
    context: CaptureContext, summary: SessionSummary, captured: CaptureResult, extracted: ExtractedNotes | None
) -> None:
    capture = captures.CaptureRecord(
        context.process.clock.now_ms(), summary.session, context.origin, len(captured.new), len(captured.repeated),
        captured.suppressed, {reason: number for reason, number in sorted(captured.dropped.items()) if number},
        summary.source, captured.new, summary.arm, summary.is_statement, captured.withdrawn,
    )  # fmt: skip
    near_misses: Counter[str] = Counter(miss.reason for miss in extracted.near_misses) if extracted else Counter()
    with context.process.database.write(durable=False) as tx:
        captures.add_capture(tx, context.workspace.project_key, context.reach.agent or SHARED, capture, near_misses)

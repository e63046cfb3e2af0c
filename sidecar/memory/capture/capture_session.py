"""`capture_digest`: what a session leaves becomes memories, or is counted with the reason why it did not."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Literal, NamedTuple

import apsw

from sidecar.call import Process
from sidecar.core.errors import Conflict, NotFound, PolicyDenied
from sidecar.core.instruction_files import AGENT_PATHS
from sidecar.memory import index
from sidecar.memory.access import Reach
from sidecar.memory.capture.capture_plan import Kept, Origin, keep_notes
from sidecar.memory.capture.extract_notes import Found, found_in, gotcha
from sidecar.memory.capture.junk import instruction_lines
from sidecar.memory.capture.session_summary import Digest, Note, as_json, from_json
from sidecar.memory.dedupe import digest_of
from sidecar.memory.files.document import Edit
from sidecar.memory.files.layout import SHARED
from sidecar.memory.store import captures, entry_queries
from sidecar.memory.store.entries import Indexed
from sidecar.memory.writer import Writer, screened_words
from sidecar.system.safe_open import content_of
from sidecar.workspace import Workspace

# An artifact that is remembered already: its memory follows what the user makes of it.


SOURCE = "artifact:"
"""Begins the source of what an artifact leaves, before its id; without a note the artifact was taken back."""


def source_of(artifact_id: str) -> str:
    """Gives the source of what an artifact leaves."""
    return f"{SOURCE}{artifact_id}"


def tag_of(artifact_id: str) -> str:
    """Gives the tag of an artifact's memory."""
    return f"artifact-{artifact_id}"


def followed(writer: Writer, digest: Digest) -> tuple[str, ...] | None:
    """Has the memory of an artifact say what that says now, or go to the archive when it was taken back, and come back.

    Gives the ids of what changed; None where a new memory is due, or the old one says it already.
    """
    writer.index.check()
    with writer.process.database.read() as tx:
        known = entry_queries.tagged(tx, writer.project, SHARED, tag_of(digest.source.removeprefix(SOURCE)))
    if not digest.notes:
        return _taken_back(writer, known)
    if known is None:
        return None
    title, text = screened_words(digest.notes[0].title, digest.notes[0].text)
    is_told = digest_of(title, text) == known.digest
    if is_told and not known.memory.is_archived:
        return None
    try:
        if known.memory.is_archived:
            writer.restore(known.memory.id)
        if not is_told:
            writer.update(known.memory.id, None, Edit({}, title, text))
    except (PolicyDenied, Conflict, NotFound):
        return None  # its file is damaged, or somebody is at it: what the user accepted is kept beside it
    return (known.memory.id,)


def _taken_back(writer: Writer, known: Indexed | None) -> tuple[str, ...]:
    if known is None or known.memory.is_archived:
        return ()
    with writer.index.locked():
        left = writer.archive([known.memory.path])
    index.write(writer.index)
    return () if left else (known.memory.id,)


OriginName = Literal["request", "run", "preCompact", "exit", "artifact"]

GOTCHA_MEETINGS = 3
GOTCHA_MS = 24 * 3_600_000
"""An error that is met so often within that time is a gotcha (intelligence-layer.md 4; decisions.md, Memory Layer)."""

MAX_INSTRUCTION_BYTES = 256 * 1024


class Captured(NamedTuple):
    """What became of a digest."""

    new: tuple[str, ...] = ()
    """Ids of new memories."""
    repeated: tuple[str, ...] = ()
    """Ids of memories that were met again."""
    contradicted: tuple[str, ...] = ()
    """Ids of memories whose confidence sank."""
    withheld: int = 0
    """What would have been kept, were the project's mode active."""
    dropped: Mapping[str, int] = MappingProxyType({})
    """How many were not worth it, by reason."""
    paths: tuple[str, ...] = ()
    """The digest files written, below the memories' folder."""

    def and_also(self, other: "Captured") -> "Captured":
        """Adds another one up with this one."""
        return Captured(
            self.new + other.new,
            self.repeated + other.repeated,
            self.contradicted + other.contradicted,
            self.withheld + other.withheld,
            Counter(self.dropped) + Counter(other.dropped),
            tuple(dict.fromkeys(self.paths + other.paths)),
        )


class Asking(NamedTuple):
    """Who captures, in which project, and whether anybody asked for it."""

    process: Process
    workspace: Workspace
    reach: Reach
    origin: OriginName
    automatic: bool
    """What happens by itself writes no file into a project unless its mode is active."""


def capture_digest(asking: Asking, digest: Digest) -> Captured:
    """Keeps what a digest is worth, after what waits of the project's runs.

    Raises PolicyDenied or StateDegraded where the folder cannot be used, Busy while another process writes.
    """
    return capture_waiting(asking).and_also(_captured(asking, digest))


def capture_waiting(asking: Asking) -> Captured:
    """Keeps what finished runs have left for remembering; what was captured waits no more."""
    with asking.process.database.read() as tx:
        rows = captures.waiting(tx, asking.workspace.project_key)
    captured = Captured()
    shared = asking._replace(reach=Reach((SHARED,), "", ""), origin="run", automatic=True)
    for row, value in rows:
        digest = from_json(value)
        is_artifact = digest.source.startswith(SOURCE)
        one = _of_artifact(shared, digest) if is_artifact else _captured(shared, digest)
        captured = captured.and_also(one)
        with asking.process.database.write() as tx:
            captures.taken(tx, [row])
    return captured


def _of_artifact(asking: Asking, digest: Digest) -> Captured:
    asking = asking._replace(origin="artifact")
    writer = Writer(asking.process, asking.workspace, asking.reach)
    changed = followed(writer, digest) if is_writing(asking) else None
    if changed is None:
        return _captured(asking, digest)
    captured = Captured(repeated=changed)
    _note(asking, digest.session, captured)
    return captured


def leave(tx: apsw.Connection, project: str, digest: Digest, now_ms: int) -> None:
    """Keeps what a run leaves until it is captured, so that it outlasts the process."""
    captures.wait(tx, project, digest.session, now_ms, as_json(digest))


def heard_until(process: Process, workspace: Workspace, session: str) -> int:
    """Gives until when, in ms, what was said in a session is known from its runs and compactions; 0 where none is."""
    with process.database.read() as tx:
        return captures.heard_until(tx, workspace.project_key, session)


def is_writing(asking: Asking) -> bool:
    """Says whether memories may be written into the project."""
    return not asking.automatic or asking.process.settings(asking.workspace.project_key).mode == "active"


def _captured(asking: Asking, digest: Digest) -> Captured:
    found = found_in(digest, _instructions(asking.workspace))
    notes = (*found.notes, *_gotchas(asking, digest, found))
    if not is_writing(asking):
        captured = Captured(withheld=len(notes), dropped=found.dropped)
    elif not notes:
        captured = Captured(dropped=found.dropped)
    else:
        captured = _kept(asking, digest, notes, found)
    if is_writing(asking):
        _count_cited(asking, digest)
    _note(asking, digest.session, captured)
    return captured


def _kept(asking: Asking, digest: Digest, notes: Sequence[Note], found: Found) -> Captured:
    writer = Writer(asking.process, asking.workspace, asking.reach)
    kept: Kept = keep_notes(writer, notes, Origin(digest.session, digest.source, asking.reach.agent, digest.told))
    return Captured(kept.new, kept.repeated, kept.contradicted, 0, found.dropped + kept.dropped, kept.paths)


def _count_cited(asking: Asking, digest: Digest) -> None:
    """Counts the memories that an answer names as used, once per session."""
    if not digest.cited:
        return
    writer = Writer(asking.process, asking.workspace, asking.reach)
    for memory_id in digest.cited:
        with suppress(NotFound, Conflict):  # what is not there, or out of reach, was not used
            writer.opened(writer.found(memory_id).memory, digest.session)


def _gotchas(asking: Asking, digest: Digest, found: Found) -> list[Note]:
    """Counts the errors that were met, and gives a memory for each that comes again and again."""
    project = asking.workspace.project_key
    notes: dict[str, Note] = {}
    with asking.process.database.write(durable=False) as tx:
        for position, met in enumerate(found.met):
            captures.meet(tx, project, met.digest, f"{digest.source}#{position}", met.at_ms)
            if _is_often(captures.meetings_since(tx, project, met.digest, met.at_ms - GOTCHA_MS)):
                notes[met.digest] = gotcha(met)
    return list(notes.values())


def _is_often(times: int) -> bool:
    return times >= GOTCHA_MEETINGS


def _instructions(workspace: Workspace) -> frozenset[str]:
    """Gives the lines of the project's rule files: agents are told of them anyway."""
    lines: set[str] = set()
    for root, name in _places(workspace):
        path = os.path.join(root, name)
        try:
            lines |= instruction_lines(content_of(path, MAX_INSTRUCTION_BYTES).decode("utf-8", "replace"))
        except OSError:
            continue  # what cannot be read is nothing to compare with
    return frozenset(lines)


def _places(workspace: Workspace) -> Iterable[tuple[str, str]]:
    roots = dict.fromkeys((os.fspath(workspace.cwd), os.fspath(workspace.project)))
    return [(root, name) for root in roots for name in AGENT_PATHS]


def _note(asking: Asking, session: str, captured: Captured) -> None:
    capture = captures.Capture(
        asking.process.clock.now_ms(), session, asking.origin, len(captured.new), len(captured.repeated),
        captured.withheld, {reason: number for reason, number in sorted(captured.dropped.items()) if number},
    )  # fmt: skip
    with asking.process.database.write(durable=False) as tx:
        captures.note(tx, asking.workspace.project_key, asking.reach.agent or SHARED, capture)

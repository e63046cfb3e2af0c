"""An artifact that is remembered already: its memory follows what the user makes of it."""

from sidecar.core.errors import Conflict, NotFound, PolicyDenied
from sidecar.memory import index_file
from sidecar.memory.capture.digest import Digest
from sidecar.memory.files.document import Edit
from sidecar.memory.files.layout import SHARED
from sidecar.memory.sameness import digest_of
from sidecar.memory.store import related
from sidecar.memory.store.entries import Indexed
from sidecar.memory.writing import Writer, screened_words

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
        known = related.tagged(tx, writer.project, SHARED, tag_of(digest.source.removeprefix(SOURCE)))
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
    index_file.write(writer.index)
    return () if left else (known.memory.id,)

"""`artifact/list`, `get`, `update`, `accept`, `discard`, `commit`: what runs left for the user to decide on."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Literal, NamedTuple

import apsw

from sidecar.call import Call
from sidecar.capture.adr_draft import with_status
from sidecar.capture.artifact_commits import commit_and_mark
from sidecar.capture.model import (
    MAX_PER_COMMIT,
    MAX_TITLE,
    ArtifactCommitParams,
    ArtifactCommitResult,
    ArtifactGetResult,
    ArtifactListParams,
    ArtifactListResult,
    ArtifactParams,
    ArtifactSummary,
    ArtifactUpdateParams,
    CommittedArtifact,
    Provenance,
)
from sidecar.core.clean_text import escape_markers
from sidecar.core.clock import epoch_ms, rfc3339
from sidecar.core.errors import Busy, Conflict, NotFound, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.method import Lane, method
from sidecar.runs import Artifact, artifact_store
from sidecar.runs.artifact_provenance import CommitMark, RejectedApproachDetails
from sidecar.runs.model import ArtifactStatus
from sidecar.workspace import Workspace


def lookup_artifact(tx: apsw.Connection, project: str, artifact_id: str) -> Artifact:
    """Return an artifact of a project.

    Raise NotFound also for another project's artifact, and StateDegraded for a damaged one.
    """
    row = artifact_store.get(tx, artifact_id)
    if row is None or row[0].project != project:
        raise NotFound("No artifact has that id.", hint="`artifact/list` shows a project's artifacts.")
    artifact, is_intact = row
    if not is_intact:
        raise StateDegraded("The artifact's record is damaged.", hint="Restart the sidecar: it checks the state file.")
    return artifact


Verb = Literal["update", "accept", "discard", "commit"]


class NotAllowed(Enum):
    """Reason why an action is not allowed."""

    FINAL = "final"
    DISCARDED = "discarded"


STATUS_AFTER: dict[ArtifactStatus, dict[Verb, ArtifactStatus | NotAllowed]] = {
    "draft": {"update": "draft", "accept": "accepted", "discard": "discarded", "commit": "committed"},
    "accepted": {"update": "accepted", "accept": "accepted", "discard": "discarded", "commit": "committed"},
    "discarded": {"update": "discarded", "accept": "accepted", "discard": "discarded", "commit": NotAllowed.DISCARDED},
    "committed": {
        "update": NotAllowed.FINAL,
        "accept": "committed",
        "discard": NotAllowed.FINAL,
        "commit": "committed",
    },
}
"""Status after each action: draft → accepted | discarded → committed.

A committed artifact stays committed, because its file is on the branch. It can still be accepted, so that sessions
receive it: an automatic commit does not accept it.
"""


def status_after(status: ArtifactStatus, verb: Verb) -> ArtifactStatus | NotAllowed:
    """Return the status after an action, unchanged if nothing changes, or why the action is not allowed."""
    return STATUS_AFTER[status][verb]


def commit_artifacts(call: Call, params: ArtifactCommitParams) -> ArtifactCommitResult:
    """Commit artifacts to the memory branch, the only ref that moves; HEAD, index, worktree and hooks stay untouched.

    An artifact that is already committed stays as it is. A branch is refused if it is checked out, a remote's default,
    or one that people work on.
    """
    workspace = _workspace(call, params.project_path)
    settings = call.process.settings(workspace.project_key)
    if settings.mode == "off":
        raise PolicyDenied(
            "The sidecar is switched off for this project.",
            hint="`settings/update` sets `mode`; `ONECODE_CONTINUITY_MODE=off` overrides it.",
        )
    branch = str(settings["memoryBranch"])
    requested = _chosen(call, workspace, params.ids)
    uncommitted = [artifact for artifact in requested if artifact.status != "committed"]
    committed = commit_and_mark(call.process, workspace, branch, uncommitted, accepts=True) if uncommitted else None
    return ArtifactCommitResult(
        branch=branch,
        commit=committed.commit if committed else None,
        artifacts=[
            CommittedArtifact(
                id=artifact.id,
                type=artifact.type,
                commit=committed.commit if committed and artifact in uncommitted else _mark_of(artifact).commit,
            )
            for artifact in requested
        ],
    )


def _mark_of(artifact: Artifact) -> CommitMark:
    mark = artifact.provenance.committed
    if mark is None:
        raise StateDegraded("The artifact's record does not name its commit.", hint="Restart the sidecar.")
    return mark


def _chosen(call: Call, workspace: Workspace, ids: list[str] | None) -> list[Artifact]:
    with call.database.read() as tx:
        if ids is None:
            ids = [
                artifact.id
                for artifact, _ in artifact_store.artifacts_of_project(
                    tx, workspace.project_key, "accepted", None, MAX_PER_COMMIT
                )
            ]
        requested = [lookup_artifact(tx, workspace.project_key, artifact_id) for artifact_id in dict.fromkeys(ids)]
    if any(status_after(artifact.status, "commit") is NotAllowed.DISCARDED for artifact in requested):
        raise PolicyDenied("A discarded artifact cannot be committed.", hint="Accept it first.")
    return requested


ROW = method(
    "artifact/commit",
    commit_artifacts,
    lane=Lane.SHARED,
    errors=(NotFound, PolicyDenied, Conflict, WorkspaceUnavailable, StateDegraded, Busy),
)


def list_artifacts(call: Call, params: ArtifactListParams) -> ArtifactListResult:
    """List a project's artifacts, newest first."""
    project = _project(call, params.project_path)
    with call.database.read() as tx:
        rows = artifact_store.artifacts_of_project(
            tx, project, params.status, params.type, params.limit, params.id_prefix or ""
        )
    return ArtifactListResult(artifacts=[_summary(artifact, is_intact) for artifact, is_intact in rows])


def get_artifact(call: Call, params: ArtifactParams) -> ArtifactGetResult:
    """Return an artifact with its text and provenance."""
    project = _project(call, params.project_path)
    with call.database.read() as tx:
        return _result(lookup_artifact(tx, project, params.id))


_HEADING = lazy_regex(r"\A\s*+#[ \t]++((?:[^\n \t]++|[ \t]++(?=[^\n \t]))++)[ \t]*+(?:\n|\Z)")


class ArtifactText(NamedTuple):
    """A title and a Markdown body."""

    title: str
    body: str


def edited_text(before: ArtifactText, title: str | None, body: str | None, longest_title: int) -> ArtifactText:
    """Return the text after a change of title, body or both, with secrets masked.

    A new title replaces a heading equal to the old one; the first heading of a new body becomes the title unless one is
    given. Without either, nothing changes.
    """
    text = ArtifactText(before.title, before.body if body is None else redact(body).strip("\n") + "\n")
    if title is not None:
        name = redact(" ".join(title.split()))[:longest_title]
        return ArtifactText(name, _headed(text.body, before.title, name) if body is None else text.body)
    heading = _HEADING.match(text.body) if body is not None else None
    return text._replace(title=" ".join(heading[1].split())[:longest_title]) if heading else text


def _headed(body: str, old: str, new: str) -> str:
    heading = _HEADING.match(body)
    if heading is None or heading[1] != old:
        return body
    return body[: heading.start(1)] + new + body[heading.end(1) :]


def update_artifact(call: Call, params: ArtifactUpdateParams) -> ArtifactGetResult:
    """Change an artifact's title, its body, or both. Later runs add nothing to it.

    A new title replaces a heading equal to the old one; the first heading of a new body becomes the title. A
    committed artifact cannot be changed.
    """
    project, now_ms = _project(call, params.project_path), call.now_ms()
    with call.database.write() as tx:
        before = lookup_artifact(tx, project, params.id)
        _status(before, "update")
        if params.expected_updated_at is not None and epoch_ms(params.expected_updated_at) != before.updated_at_ms:
            raise Conflict(
                "The artifact has changed since it was read.", hint="`artifact/get` returns its current version."
            )
        text = edited_text(ArtifactText(before.title, before.body), params.title, params.body, MAX_TITLE)
        if text == (before.title, before.body):
            return _result(before)
        provenance = replace(before.provenance, edited=True)
        edited = replace(before, title=text.title, body=text.body, provenance=provenance)
        if edited.status == "accepted":
            _queue_for_memory(tx, edited, now_ms)
        result = _result(_store(tx, edited, now_ms))
    if before.status == "accepted":
        _update_memory(call, params.project_path)
    return result


def accept_artifact(call: Call, params: ArtifactParams) -> ArtifactGetResult:
    """Accept an artifact, so that the project's next sessions receive it. Accepting it again changes nothing.

    A discarded artifact can still be accepted. A committed one stays committed, and sessions receive it from then on.
    A rejected approach that work came back to warns sessions again.
    """
    return _decide(call, params, "accept")


def discard_artifact(call: Call, params: ArtifactParams) -> ArtifactGetResult:
    """Discard an artifact, so that sessions no longer receive it. Discarding it again changes nothing.

    It can still be accepted. What is already on the memory branch cannot be discarded.
    """
    return _decide(call, params, "discard")


def _decide(call: Call, params: ArtifactParams, verb: Verb) -> ArtifactGetResult:
    project, now_ms = _project(call, params.project_path), call.now_ms()
    decided = _decided(call, params, verb, project, now_ms)
    _update_memory(call, params.project_path)
    return decided


def _decided(call: Call, params: ArtifactParams, verb: Verb, project: str, now_ms: int) -> ArtifactGetResult:
    with call.database.write() as tx:
        before = lookup_artifact(tx, project, params.id)
        status = _status(before, verb)
        decided = replace(before, status=status)
        details = before.provenance.details
        if verb == "accept" and isinstance(details, RejectedApproachDetails):
            details = replace(details, returned_in="")
            decided = replace(decided, provenance=replace(before.provenance, details=details))
        if status == "committed":
            mark = replace(_mark_of(before), accepted=True)
            decided = replace(decided, provenance=replace(decided.provenance, committed=mark))
        else:
            decided = replace(decided, body=with_status(before.body, status))
        if decided == before:
            return _result(before)
        if verb == "accept" or before.status == "accepted":
            _queue_for_memory(tx, decided, now_ms)
        return _result(_store(tx, decided, now_ms))


def _queue_for_memory(tx: apsw.Connection, artifact: Artifact, now_ms: int) -> None:
    """Queue an artifact's current text, or its withdrawal, for the memories."""
    from sidecar.capture.memory_handoff import queue_accepted, queue_withdrawn

    (queue_withdrawn if artifact.status == "discarded" else queue_accepted)(tx, artifact, now_ms)


def _update_memory(call: Call, project_path: str) -> None:
    """Update the artifact's memory before the answer: a command ends with it, and an index may be long under way."""
    from sidecar.memory import run_upkeep

    run_upkeep(call.process, call.process.workspaces.get(project_path, None))


def _status(artifact: Artifact, verb: Verb) -> ArtifactStatus:
    after = status_after(artifact.status, verb)
    if not isinstance(after, str):
        raise PolicyDenied(
            f"The artifact is committed and can no longer be {_DONE[verb]}.",
            hint="Edit its file on the memory branch instead.",
        )
    return after


_DONE = {"update": "changed", "discard": "discarded"}


def _store(tx: apsw.Connection, artifact: Artifact, now_ms: int) -> Artifact:
    """Store a change with a time of its own, so that two changes in one millisecond are distinguished."""
    stored = replace(artifact, updated_at_ms=max(now_ms, artifact.updated_at_ms + 1))
    artifact_store.put(tx, stored)
    return stored


def _project(call: Call, path: str) -> str:
    return _workspace(call, path).project_key


def _workspace(call: Call, path: str) -> Workspace:
    """Return a project's workspace. Raise WorkspaceUnavailable for a project that does not exist."""
    workspace = call.process.workspaces.get(path, None)
    workspace.require_project()
    return workspace


def _summary(artifact: Artifact, is_intact: bool) -> ArtifactSummary:
    return ArtifactSummary(
        id=artifact.id,
        type=artifact.type,
        status=artifact.status,
        title=escape_markers(artifact.title),
        event=artifact.event,
        created_at=rfc3339(artifact.created_at_ms),
        updated_at=rfc3339(artifact.updated_at_ms),
        damaged=not is_intact,
    )


def _result(artifact: Artifact) -> ArtifactGetResult:
    origin, summary = artifact.provenance, _summary(artifact, is_intact=True)
    return ArtifactGetResult(
        **dict(summary),
        body=escape_markers(artifact.body),
        provenance=Provenance(
            run_id=origin.run_id,
            sub_chat_id=origin.sub_chat_id,
            provider=origin.provider,
            session_id=origin.session_id,
            task_fingerprint=origin.task_fingerprint,
            head_commit=origin.head_commit,
            files=[escape_markers(path) for path in origin.files],
            sidecar_version=origin.sidecar_version,
            runs=list(origin.runs),
            chat_id=origin.chat_id,
            start_commit=origin.start_commit,
            arm=origin.arm or None,
            edited=origin.edited,
            branch=origin.committed.branch if origin.committed is not None else None,
            commit=origin.committed.commit if origin.committed is not None else None,
        ),
    )


_ERRORS = (NotFound, WorkspaceUnavailable, StateDegraded)

METHODS = (
    method("artifact/list", list_artifacts, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("artifact/get", get_artifact, lane=Lane.SHARED, errors=_ERRORS),
    method("artifact/update", update_artifact, lane=Lane.SHARED, errors=(*_ERRORS, PolicyDenied, Conflict, Busy)),
    method("artifact/accept", accept_artifact, lane=Lane.SHARED, errors=(*_ERRORS, PolicyDenied, Busy)),
    method("artifact/discard", discard_artifact, lane=Lane.SHARED, errors=(*_ERRORS, PolicyDenied, Busy)),
    ROW,
)

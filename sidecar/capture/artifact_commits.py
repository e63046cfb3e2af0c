"""Commit artifacts to the memory branch, by hand or after a run, and mark them committed; their files and messages.

The same artifact gives the same bytes, so that a file that is already on the branch is recognised. The commit comes
first, then the mark: a process that dies in between finds its files on the branch the next time, and only marks them.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import apsw

from sidecar.call import Process
from sidecar.capture.adr_draft import with_status
from sidecar.capture.model import MAX_PER_COMMIT
from sidecar.core import json_text
from sidecar.core.clean_text import clip, escape_markers
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Conflict, PolicyDenied, SidecarError, WorkspaceUnavailable
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.protected_branches import is_memory_branch
from sidecar.core.redact import redact
from sidecar.runs import Artifact, artifact_store
from sidecar.runs.artifact_provenance import CommitMark, origin_members
from sidecar.settings.resolve import Settings
from sidecar.settings.table import BY_NAME
from sidecar.storage.doctor_checks import Finding
from sidecar.system.branch_commit import (
    BranchCommit,
    BranchUses,
    RepositoryLocation,
    Tip,
    branch_uses,
    is_branch_readable,
    locate_repository,
    ref_lock_path,
    related_refs,
    require_no_ref_conflict,
    try_commit,
)
from sidecar.system.git import Git, GitFailed
from sidecar.workspace import Workspace

_OTHER_BRANCH_HINT = "Set `memoryBranch` to a branch that nobody works on."


class Refusal(NamedTuple):
    """Reason why nothing is committed, with a hint."""

    sentence: str
    hint: str


def refusal(branch: str, uses: BranchUses) -> Refusal | None:
    """Return why a branch must not be written, or None if it may be.

    Names are compared without case: on many disks `Memory` is the same branch as `memory`.
    """
    if not is_memory_branch(branch):
        return Refusal(f"`{branch}` is a branch that people work on or release from.", _OTHER_BRANCH_HINT)
    folded = branch.casefold()
    if folded in {name.casefold() for name in uses.remote_defaults}:
        return Refusal(f"`{branch}` is a remote's default branch.", _OTHER_BRANCH_HINT)
    if folded in {name.casefold() for name in uses.checked_out}:
        return Refusal(
            f"`{branch}` is checked out in a worktree, or a rebase or bisection returns to it.",
            "Switch that worktree to another branch; `git worktree list` shows them.",
        )
    if uses.symbolic_target is not None:
        return Refusal(f"`{branch}` is a symbolic ref to `{uses.symbolic_target}`.", _OTHER_BRANCH_HINT)
    if uses.same_names:
        return Refusal(f"`{branch}` would be mistaken for `{min(uses.same_names)}`.", _OTHER_BRANCH_HINT)
    if uses.is_foreign:
        return Refusal(f"`{branch}` exists and was not started by the sidecar.", _OTHER_BRANCH_HINT)
    return None


def check_branch_settings(process: Process, workspace: Workspace, values: Mapping[str, object]) -> None:
    """Raise PolicyDenied for new settings of a project whose memory branch could not be written."""
    settings = process.settings(workspace.project_key)
    is_reset = "memoryBranch" in values and values["memoryBranch"] is None
    branch = str(
        values.get("memoryBranch") or (BY_NAME["memoryBranch"].default if is_reset else settings["memoryBranch"])
    )
    policy = values.get("artifactPolicy") or settings["artifactPolicy"]
    if "memoryBranch" not in values and (policy != POLICY or "artifactPolicy" not in values):
        return
    try:
        place = locate_repository(workspace.project)
    except WorkspaceUnavailable:
        return  # without a repository, artifacts stay in the state file
    refused = refusal(branch, branch_uses(place, branch))
    if refused is not None:
        raise PolicyDenied(refused.sentence, hint=refused.hint)
    with contextlib.suppress(GitFailed):  # the commit itself then says why
        require_no_ref_conflict(branch, related_refs(Git(place.folder), branch))


FOLDER = "continuity"
MAX_SUBJECT_TITLE = 60
MAX_LISTED = 20
"""Maximum number of artifacts listed in a commit message."""

_FOLDERS = {"devlog": "devlog", "adr": "adr", "rejectedApproach": "rejected"}
_SINGULAR_NAMES = {"devlog": "devlog entry", "adr": "decision", "rejectedApproach": "rejected approach"}
_PLURAL_NAMES = {"devlog": "devlog entries", "adr": "decisions", "rejectedApproach": "rejected approaches"}
_ID = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}")
_FRONT_MATTER = frozenset(
    (
        "runId", "runs", "subChatId", "chatId", "provider", "sessionId", "taskFingerprint", "headCommit", "files",
        "sidecarVersion",
    )
)  # fmt: skip


def path_of(artifact: Artifact) -> str | None:
    """Return the file's path on the branch; None for an id that is not a valid file name everywhere."""
    if not _ID.fullmatch(artifact.id):
        return None
    return f"{FOLDER}/{_FOLDERS[artifact.type]}/{rfc3339(artifact.created_at_ms)[:7]}-{artifact.id}.md"


def file_of(artifact: Artifact) -> bytes:
    """Return the file: its provenance as YAML front matter (JSON is a subset of YAML), then the text."""
    origin = origin_members(artifact.provenance).items()
    members = {name: value for name, value in origin if name in _FRONT_MATTER and value is not None}
    matter = {
        "id": artifact.id,
        "type": artifact.type,
        "title": _line(artifact.title),
        "event": artifact.event,
        "createdAt": rfc3339(artifact.created_at_ms),
        **members,
    }
    lines = [f"{name}: {_yaml(value)}" for name, value in matter.items()]
    return ("\n".join(["---", *lines, "---", "", escape_markers(redact(artifact.body)).strip("\n")]) + "\n").encode(
        "utf-8", "replace"
    )


def message_of(artifacts: Sequence[Artifact], version: str) -> str:
    """Return the commit message: the titles of the artifacts, and the runs they come from."""
    lines = [
        f"- {_SINGULAR_NAMES[artifact.type]}: {_line(artifact.title)} ({artifact.id})"
        for artifact in artifacts[:MAX_LISTED]
    ]
    if len(artifacts) > MAX_LISTED:
        lines.append(f"- … and {len(artifacts) - MAX_LISTED} more")
    runs = [f"Run: {_line(run)}" for run in dict.fromkeys(artifact.provenance.run_id for artifact in artifacts)]
    return "\n".join(
        [
            _subject(artifacts),
            "",
            "Committed by the 1Code continuity sidecar, which stores what agents learned on this branch.",
            "",
            *lines,
            "",
            *[run for run in runs if run != "Run: "][:MAX_LISTED],
            f"Sidecar-Version: {version}",
            "",
        ]
    )


def _subject(artifacts: Sequence[Artifact]) -> str:
    if len(artifacts) == 1:
        title = _line(artifacts[0].title)
        short_title = clip(title, MAX_SUBJECT_TITLE)
        return f"Add a {_SINGULAR_NAMES[artifacts[0].type]}: {short_title}"
    kinds = [artifact.type for artifact in artifacts]
    counts = [(kinds.count(kind), kind) for kind in _SINGULAR_NAMES if kind in kinds]
    return "Add " + ", ".join(
        f"{count} {(_SINGULAR_NAMES if count == 1 else _PLURAL_NAMES)[kind]}" for count, kind in counts
    )


def _line(text: str) -> str:
    """Return a text as one line, with secrets masked and without control characters."""
    return re.sub(r"[\s\x00-\x1f\x7f]+", " ", escape_markers(redact(text))).strip()


def _yaml(value: Any) -> str:
    return json_text.dumps(value).decode()


POLICY = "auto-write-memory-branch"
MAX_ATTEMPTS = 12
"""Maximum number of attempts while others move the branch. Waits double from 1 to 64 ms, 0.4 s in total."""


class Committed(NamedTuple):
    """Result of a commit: the branch, its commit with the files, and the artifacts with their paths."""

    branch: str
    commit: str
    paths: tuple[tuple[Artifact, str], ...]


def commit_later(process: Process, workspace: Workspace, settings: Settings) -> None:
    """Commit in the background what is ready, if the settings ask for it; never in passive mode."""
    if settings["artifactPolicy"] != POLICY or settings.mode != "active":
        return
    try:
        process.background.start(_commit_pending, process, workspace, str(settings["memoryBranch"]))
    except RuntimeError:
        process.log.warning("capture.commit.postponed")  # the process is ending; the next run commits them


def commit_and_mark(
    process: Process, workspace: Workspace, branch: str, chosen: Sequence[Artifact], *, accepts: bool = False
) -> Committed:
    """Commit artifacts and mark them; `accepts` marks them as accepted too, for a commit by the user.

    Raise PolicyDenied, WorkspaceUnavailable or Conflict. On Conflict, artifacts that did not change are marked.
    """
    place = locate_repository(workspace.project)
    paths = tuple(_with_paths(chosen))
    now_ms = process.clock.now_ms()
    files = {path: file_of(_accepted(artifact) if accepts else artifact) for artifact, path in paths}
    tip = _add_commit(place, branch, BranchCommit(files, message_of(chosen, process.version), now_ms // 1000))
    with process.database.write() as tx:
        changed = [
            artifact
            for artifact, path in paths
            if not _mark(
                tx, artifact, CommitMark(branch=branch, commit=tip.commit, path=path, accepted=accepts), now_ms
            )
        ]
    if changed:
        raise Conflict("An artifact changed while it was being committed.", hint="Commit it again.")
    return Committed(branch, tip.commit, paths)


def _commit_pending(process: Process, workspace: Workspace, branch: str) -> None:
    """Commit what is ready. Failures are logged, and the next run tries again."""
    try:
        with process.database.read() as tx:
            rows = artifact_store.uncommitted(tx, workspace.project_key, MAX_PER_COMMIT)
        chosen = [artifact for artifact, is_intact in rows if is_intact and path_of(artifact) is not None]
        if len(chosen) < len(rows):
            process.log.warning("capture.commit.damaged", artifacts=len(rows) - len(chosen))
        if chosen:
            committed = commit_and_mark(process, workspace, branch, chosen)
            process.log.info("capture.commit.done", artifacts=len(chosen), commit=committed.commit)
    except SidecarError as error:
        process.log.warning("capture.commit.failed", kind=error.kind, text=error.message)


def _with_paths(chosen: Sequence[Artifact]) -> Iterator[tuple[Artifact, str]]:
    for artifact in chosen:
        path = path_of(artifact)
        if path is None:
            raise PolicyDenied("The artifact's id is not a valid file name.")
        yield artifact, path


def _add_commit(place: RepositoryLocation, branch: str, branch_commit: BranchCommit) -> Tip:
    """Add to the branch, again while others move it. The branch's uses are checked before each attempt."""
    for attempt in range(MAX_ATTEMPTS):
        refused = refusal(branch, branch_uses(place, branch))
        if refused is not None:
            raise PolicyDenied(refused.sentence, hint=refused.hint)
        tip = try_commit(place, branch, branch_commit)
        if tip is not None:
            return tip
        time.sleep(min(2**attempt, 64) / 1000)
    if ref_lock_path(place, branch) is not None:
        raise Conflict(
            f"The branch `{branch}` is locked.",
            hint=f"If no git command is running, delete `{branch}.lock` below refs/heads.",
        )
    raise Conflict(f"The branch `{branch}` is being moved by other processes.", hint="Try again.")


def _accepted(artifact: Artifact) -> Artifact:
    return replace(artifact, body=with_status(artifact.body, "accepted"))


def _mark(tx: apsw.Connection, artifact: Artifact, mark: CommitMark, now_ms: int) -> bool:
    """Mark an artifact committed, and accepted if the mark is; False if it changed or was discarded meanwhile."""
    stored = artifact_store.get(tx, artifact.id)
    if stored is None:
        return False
    current, _ = stored
    if current.status == "committed":
        return True
    if current.status == "discarded" or file_of(current) != file_of(artifact):
        return False
    accepted = mark.accepted or current.status == "accepted"
    provenance = replace(current.provenance, committed=replace(mark, accepted=accepted))
    current = _accepted(current) if mark.accepted else current
    artifact_store.put(tx, replace(current, status="committed", provenance=provenance, updated_at_ms=now_ms))
    return True


MAX_WAITING = 50
"""This many artifacts wait for a commit only if commits keep failing."""


def check_memory_branch(process: Process, workspace: Workspace) -> Iterator[Finding]:
    """Check the memory branch of a project; without automatic commits, only what exists already."""
    settings = process.settings(workspace.project_key)
    branch, is_automatic = str(settings["memoryBranch"]), settings["artifactPolicy"] == POLICY
    try:
        place = locate_repository(workspace.project)
    except SidecarError as error:
        if is_automatic:
            yield Finding("warning", error.message, f"{error.hint} Or set `artifactPolicy` to its default.")
        return
    refused = refusal(branch, branch_uses(place, branch))
    if refused is not None and is_automatic:
        yield Finding("error", f"Nothing is committed: {refused.sentence}", refused.hint)
    lock = ref_lock_path(place, branch)
    if lock is not None:
        message = f"`{lock.name}` blocks the memory branch."
        yield Finding("error", message, f"If no git process is running there, remove {lock}.")
    if not is_branch_readable(place, branch):
        message = f"The commit of `{branch}`, or its files, cannot be read."
        remedy = f"Run `git fsck`. After `git branch -D {branch}` the sidecar rebuilds the branch from the artifacts."
        yield Finding("error", message, remedy)
    with process.database.read() as tx:
        waiting = len(artifact_store.uncommitted(tx, workspace.project_key, MAX_WAITING)) if is_automatic else 0
    if waiting >= MAX_WAITING and settings.mode == "active":
        message = f"{waiting} or more artifacts are waiting to be committed."
        yield Finding("warning", message, "`onecode-sidecar artifacts commit` shows the reason.")

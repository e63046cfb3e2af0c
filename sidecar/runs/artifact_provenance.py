"""Artifacts, and where each one comes from.

JSON form of `ArtifactProvenance` (column `provenance`): one flat object with the members `runId`, `runs`, `subChatId`,
`chatId`, `provider`, `sessionId`, `taskFingerprint`, `startCommit`, `headCommit`, `files`, `sidecarVersion`; `edited`
and `committed` (`{branch, commit, path, accepted}`) where they apply; and those of its details:

- devlog: `open`, `events` (`[{kind, key, line}]`), `tally` (`{start, settled, counts, base}`, each count
  `{path: [added, removed]}`), `account` (`{title, score, namesWhole, lines, request,
  statements: [{section, text, score}], tests: {runner: line}}`)
- adr: `base`, `statements` (`{concluded, decided}`), `changed`, `events`, `boundaries`
  (`[{path, why, importers, contracts: [{path, name, before, after, moved_to}]}]`)
- rejectedApproach: `terms`, `revertedFiles`, `returnedIn` where its lines came back

Rows of the first version, with lists instead of objects, `said` and `takenBack`, are still read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, cast

from sidecar.codebase import ApiChange
from sidecar.language.closing_message import NO_ACCOUNT, AccountStatement, Candidate, WorkAccount
from sidecar.runs.model import ArtifactStatus, ArtifactType, FileChange, Provider

EventKind = Literal["directionChanged", "boundaryTouched", "testsFixed", "decisionStated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactEvent:
    """A meaningful event."""

    kind: EventKind
    key: str
    """The same for the same event, however its run was worded."""
    line: str
    """The event for a reader, one line of Markdown."""


class LineCounts(NamedTuple):
    """Added and removed lines of a file."""

    added: int
    removed: int


Counts = Mapping[str, LineCounts]
"""Line counts by path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsTally:
    """Changes of an entry's runs."""

    start: str | None = None
    """The commit that `counts` are relative to."""
    settled: Counts = field(default_factory=dict)
    """Changes relative to earlier commits."""
    counts: Counts = field(default_factory=dict)
    base: Counts = field(default_factory=dict)
    """Part of the counts from before the entry started; the previous entry shows it."""


def add_run(tally: RunsTally, start: str | None, changes: Sequence[FileChange]) -> RunsTally:
    """Add a run that started at a commit. For the same commit, a file's newest counts replace earlier ones."""
    counts = _line_counts(changes)
    if tally.start == start:
        return replace(tally, counts={**tally.counts, **counts})
    return RunsTally(start=start, settled=_line_counts(totals(tally)), counts=counts)


def totals(tally: RunsTally) -> list[FileChange]:
    """Return what an entry's runs changed in total, by path."""
    changes = []
    for path in sorted({*tally.settled, *tally.counts}):
        settled, current = tally.settled.get(path, _NO_LINES), tally.counts.get(path, _NO_LINES)
        base = tally.base.get(path, _NO_LINES) if path in tally.counts else _NO_LINES
        added = settled.added + current.added - base.added
        removed = settled.removed + current.removed - base.removed
        changes.append(FileChange(path=path, added=max(0, added), removed=max(0, removed)))
    return changes


_NO_LINES = LineCounts(0, 0)


def _line_counts(changes: Sequence[FileChange]) -> dict[str, LineCounts]:
    return {change.path: LineCounts(change.added, change.removed) for change in changes}


def next_tally(tally: RunsTally) -> RunsTally:
    """Return the tally of the entry after a closed one."""
    return RunsTally(start=tally.start, base={**tally.base, **tally.counts})


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """A file whose contract with others changed."""

    path: str
    why: str
    """Reason why it is a boundary, worded to follow its path and a comma."""
    contracts: tuple[ApiChange, ...]
    importers: tuple[str, ...] = ()
    """Files that import it and changed too, or use what changed; without tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """Statements of runs about the change: their conclusions, their decisions, and what they tried and dropped."""

    concluded: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DevlogDetails:
    """State of a devlog entry, or of the tally of runs that is not an entry yet."""

    tally: RunsTally = RunsTally()
    events: tuple[ArtifactEvent, ...] = ()
    account: WorkAccount = NO_ACCOUNT
    """Statements of its runs about the work, and the best title among them."""
    request: str = ""
    """The user's words before the run that the title comes from."""
    tests: Mapping[str, str] = field(default_factory=dict)
    """The last result of each test runner, in words."""
    open: bool = False
    """Whether it is a tally that the next run extends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdrDetails:
    """State of a decision record's stub that later runs continue."""

    base: str | None = None
    """The commit that its boundaries were compared with."""
    statements: Statements = Statements()
    boundaries: tuple[Boundary, ...] = ()
    changed: tuple[str, ...] = ()
    """Importers of the boundaries that changed too."""
    events: tuple[ArtifactEvent, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedApproachDetails:
    """Terms and files that distinguish a rejected approach from others."""

    terms: tuple[str, ...] = ()
    reverted_files: tuple[str, ...] = ()
    returned_in: str = ""
    """The run that brought its lines back; empty if none did, or if the user accepted it afterwards."""


Details = DevlogDetails | AdrDetails | RejectedApproachDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitMark:
    """Location of an artifact's commit."""

    branch: str
    commit: str
    path: str
    accepted: bool
    """Whether the user accepted it, before or after; an automatic commit alone does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactProvenance:
    """Origin of an artifact."""

    run_id: str
    runs: tuple[str, ...] = ()
    """Every run that contributed to it, latest last."""
    sub_chat_id: str
    chat_id: str | None = None
    provider: Provider
    session_id: str | None = None
    task_fingerprint: str | None = None
    start_commit: str | None = None
    """The worktree's head commit before the first of these runs."""
    head_commit: str | None = None
    """The worktree's head commit after the last of them."""
    files: tuple[str, ...] = ()
    sidecar_version: str
    arm: str = ""
    """Mark of the experiment's arm that the chat belongs to; empty outside of an experiment."""
    edited: bool = False
    """Whether the user edited the artifact; runs no longer extend it then."""
    committed: CommitMark | None = None
    details: Details | None = None


UNKNOWN_PROVENANCE = ArtifactProvenance(run_id="", sub_chat_id="", provider=cast("Provider", ""), sidecar_version="")
"""ArtifactProvenance of a damaged row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """Something of a run that is worth storing."""

    id: str
    project: str
    type: ArtifactType
    status: ArtifactStatus
    title: str
    body: str
    event: str
    event_key: str
    provenance: ArtifactProvenance
    created_at_ms: int
    updated_at_ms: int

    @property
    def returned_in(self) -> str:
        """The run that came back to it, if it is a rejected approach; empty if none did."""
        details = self.provenance.details
        return details.returned_in if isinstance(details, RejectedApproachDetails) else ""


def origin_members(provenance: ArtifactProvenance) -> dict[str, str | list[str] | None]:
    """Return the members of the JSON form that state the origin; None for what is not known."""
    return {
        "runId": provenance.run_id,
        "runs": list(provenance.runs) or None,
        "subChatId": provenance.sub_chat_id,
        "chatId": provenance.chat_id,
        "provider": provenance.provider,
        "sessionId": provenance.session_id,
        "taskFingerprint": provenance.task_fingerprint,
        "startCommit": provenance.start_commit,
        "headCommit": provenance.head_commit,
        "files": list(provenance.files),
        "sidecarVersion": provenance.sidecar_version,
    }


def provenance_to_json(provenance: ArtifactProvenance) -> dict[str, object]:
    """Return the JSON form of a provenance, as an object for the encoder."""
    mark, value = provenance.committed, {**origin_members(provenance), **_details_to_json(provenance.details)}
    if provenance.arm:
        value["arm"] = provenance.arm
    if provenance.edited:
        value["edited"] = True
    if mark is not None:
        value["committed"] = {
            "branch": mark.branch, "commit": mark.commit, "path": mark.path, "accepted": mark.accepted,
        }  # fmt: skip
    return value


def provenance_from_json(kind: ArtifactType, value: Any) -> ArtifactProvenance:
    """Return a provenance from its JSON form. Raise KeyError, TypeError, ValueError or AttributeError if damaged."""
    committed = value.get("committed")
    return ArtifactProvenance(
        run_id=value["runId"],
        runs=tuple(value.get("runs") or ()),
        sub_chat_id=value["subChatId"],
        chat_id=value.get("chatId"),
        provider=value["provider"],
        session_id=value.get("sessionId"),
        task_fingerprint=value.get("taskFingerprint"),
        start_commit=value.get("startCommit"),
        head_commit=value.get("headCommit"),
        files=tuple(value["files"]),
        sidecar_version=value["sidecarVersion"],
        arm=value.get("arm", ""),
        edited=bool(value.get("edited")),
        committed=_mark_from_json(committed) if committed is not None else None,
        details=_details_from_json(kind, value),
    )


def _mark_from_json(value: Any) -> CommitMark:
    return CommitMark(
        branch=value["branch"], commit=value["commit"], path=value["path"], accepted=bool(value.get("accepted"))
    )


def _details_to_json(details: Details | None) -> dict[str, object]:
    match details:
        case DevlogDetails():
            tally = details.tally
            return {
                "tally": {
                    "start": tally.start,
                    "settled": _counts_to_json(tally.settled),
                    "counts": _counts_to_json(tally.counts),
                    "base": _counts_to_json(tally.base),
                },
                "events": _events_to_json(details.events),
                "account": {
                    "title": details.account.title.text,
                    "score": details.account.title.score,
                    "namesWhole": details.account.title.names_whole,
                    "lines": details.account.title.lines,
                    "request": details.request,
                    "statements": [statement._asdict() for statement in details.account.statements],
                    "tests": dict(details.tests),
                },
                "open": details.open,
            }
        case AdrDetails():
            return {
                "base": details.base,
                "statements": {
                    "concluded": list(details.statements.concluded),
                    "decided": list(details.statements.decided),
                },
                "boundaries": [_boundary_to_json(boundary) for boundary in details.boundaries],
                "changed": list(details.changed),
                "events": _events_to_json(details.events),
            }
        case RejectedApproachDetails():
            returned = {"returnedIn": details.returned_in} if details.returned_in else {}
            return {"terms": list(details.terms), "revertedFiles": list(details.reverted_files), **returned}
        case None:
            return {}


def _counts_to_json(counts: Counts) -> dict[str, list[int]]:
    return {path: [count.added, count.removed] for path, count in counts.items()}


def _events_to_json(events: Sequence[ArtifactEvent]) -> list[dict[str, str]]:
    return [{"kind": event.kind, "key": event.key, "line": event.line} for event in events]


def _boundary_to_json(boundary: Boundary) -> dict[str, object]:
    return {
        "path": boundary.path,
        "why": boundary.why,
        "contracts": [contract._asdict() for contract in boundary.contracts],
        "importers": list(boundary.importers),
    }


def _details_from_json(kind: ArtifactType, value: Any) -> Details:
    match kind:
        case "devlog":
            tally = _tally_from_json(value["tally"]) if "tally" in value else RunsTally()
            account = value.get("account") or {}
            return DevlogDetails(
                tally=tally,
                events=_events_from_json(value),
                account=_account_from_json(account),
                request=account.get("request", ""),
                tests=dict(account.get("tests") or {}),
                open=bool(value.get("open")),
            )
        case "adr":
            return AdrDetails(
                base=value.get("base"),
                statements=_statements_from_json(value),
                boundaries=tuple(_boundary_from_json(boundary) for boundary in value.get("boundaries", ())),
                changed=tuple(value.get("changed", ())),
                events=_events_from_json(value),
            )
        case "rejectedApproach":
            reverted = value.get("revertedFiles", value.get("takenBack", ()))
            return RejectedApproachDetails(
                terms=tuple(value.get("terms", ())),
                reverted_files=tuple(reverted),
                returned_in=value.get("returnedIn", ""),
            )


def _account_from_json(value: Any) -> WorkAccount:
    statements = tuple(AccountStatement(**statement) for statement in value.get("statements", ()))
    return WorkAccount(
        statements,
        Candidate(
            value.get("title", ""), value.get("score", 0.0), bool(value.get("namesWhole")), value.get("lines", 0)
        ),
    )


def _tally_from_json(value: Any) -> RunsTally:
    if isinstance(value, list):
        start, settled, counts, base = value
    else:
        start, settled, counts, base = value["start"], value["settled"], value["counts"], value["base"]
    return RunsTally(
        start=start,
        settled=_counts_from_json(settled),
        counts=_counts_from_json(counts),
        base=_counts_from_json(base),
    )


def _counts_from_json(value: Any) -> Counts:
    return {path: LineCounts(added, removed) for path, (added, removed) in value.items()}


def _events_from_json(value: Any) -> tuple[ArtifactEvent, ...]:
    return tuple(
        _event_of_version_1(*event) if isinstance(event, list) else ArtifactEvent(**event)
        for event in value.get("events", ())
    )


def _event_of_version_1(kind: EventKind, key: str, line: str) -> ArtifactEvent:
    return ArtifactEvent(kind=kind, key=key, line=line)


def _statements_from_json(value: Any) -> Statements:
    if "statements" in value:
        concluded, decided = value["statements"]["concluded"], value["statements"]["decided"]
    else:
        concluded, decided = value.get("said", ((), ()))
    return Statements(concluded=tuple(concluded), decided=tuple(decided))


def _boundary_from_json(value: Any) -> Boundary:
    if isinstance(value, list):
        path, why, contracts, importers = value
        return Boundary(
            path=path, why=why, contracts=tuple(ApiChange(*row) for row in contracts), importers=tuple(importers)
        )
    return Boundary(
        path=value["path"],
        why=value["why"],
        contracts=tuple(ApiChange(**contract) for contract in value["contracts"]),
        importers=tuple(value["importers"]),
    )

"""Keeps the stub of a decision record for the boundaries that a task touches: one for a task, until the user has it."""

from __future__ import annotations

from collections.abc import Container, Sequence

import apsw

from sidecar.capture.drafting.adr import Said, adr
from sidecar.capture.drafting.entries import is_growing, objective_of, provenance_of
from sidecar.capture.drafting.events import Event
from sidecar.capture.finished import Finished
from sidecar.capture.reading.boundaries import Boundary
from sidecar.codebase import Contract
from sidecar.core.digests import short_id
from sidecar.runs import Artifact, SubChat, artifacts

MAX_BOUNDARIES = 40
MAX_NAMED = 4


def boundary_events(boundaries: Sequence[Boundary]) -> list[Event]:
    """Gives an event for each contract that was touched; those of one file are told in the same words."""
    return [
        Event("boundaryTouched", _key(one), _told(boundary)) for boundary in boundaries for one in boundary.contracts
    ]


def keep_adr(
    tx: apsw.Connection, one: Finished, state: SubChat, boundaries: Sequence[Boundary], told: Container[str]
) -> Artifact | None:
    """Drafts the stub, or adds to the task's own where the user has not decided on it yet.

    `told` are the keys of events that an artifact tells of already, whatever became of it: these draft nothing.
    """
    news = _news(boundaries, told)
    if not news:
        return None
    key = f"adr:{one.params.sub_chat_id}"
    found = artifacts.of_event(tx, one.workspace.project_key, key, 0)
    open_one = found if found is not None and is_growing(found, one, state) else None
    shown = _joined(_kept(open_one), boundaries, is_same_base=_base(open_one) == one.start_head) if open_one else news
    artifact = _artifact(one, state, shown[:MAX_BOUNDARIES], news, open_one)
    artifacts.put(tx, artifact._replace(event_key=key))
    return artifact._replace(event_key=key)


def _artifact(
    one: Finished, state: SubChat, shown: Sequence[Boundary], news: Sequence[Boundary], earlier: Artifact | None
) -> Artifact:
    known = earlier.provenance if earlier is not None else {}
    changed = {change.path for change in one.observed.changes} | set(known.get("changed", ()))
    changed |= {file.path for file in one.observed.state.changed} if one.observed.state is not None else set()
    said = Said(*(tuple(each) for each in known.get("said", ()))).and_then(one.conclusion)
    draft = adr(objective_of(one, state), said, shown, changed)
    events = {event.key: list(event) for event in boundary_events(news)}
    importers = {path for boundary in shown for path in boundary.importers}
    return Artifact(
        id=earlier.id if earlier else f"adr-{one.call.process.new_id()[:12]}",
        project=one.workspace.project_key,
        type="adr",
        status="draft",
        title=draft.title,
        body=draft.body,
        event="boundaryTouched",
        event_key="",
        provenance={
            **provenance_of(one, state, [boundary.path for boundary in shown], earlier),
            "base": one.start_head,
            "said": [list(each) for each in said],
            "boundaries": [[b.path, b.why, [list(c) for c in b.contracts], list(b.importers)] for b in shown],
            "changed": sorted(changed & importers),
            "events": list(({event[1]: event for event in known.get("events", ())} | events).values()),
        },
        created_at_ms=earlier.created_at_ms if earlier else one.now_ms,
        updated_at_ms=one.now_ms,
    )


def _news(boundaries: Sequence[Boundary], told: Container[str]) -> list[Boundary]:
    found = []
    for boundary in boundaries:
        contracts = tuple(one for one in boundary.contracts if _key(one) not in told)
        if contracts:
            found.append(boundary._replace(contracts=contracts))
    return found


def _kept(artifact: Artifact | None) -> list[Boundary]:
    rows = artifact.provenance.get("boundaries", ()) if artifact is not None else ()
    return [
        Boundary(path, why, tuple(Contract._make(one) for one in contracts), tuple(importers))
        for path, why, contracts, importers in rows
    ]


def _base(artifact: Artifact | None) -> str | None:
    return artifact.provenance.get("base") if artifact is not None else None


def _joined(kept: Sequence[Boundary], now: Sequence[Boundary], *, is_same_base: bool) -> list[Boundary]:
    """Lays what is seen now over what was seen before; against another commit both hold."""
    joined = {boundary.path: boundary for boundary in kept}
    for boundary in now:
        seen = {one.identity for one in boundary.contracts}
        before = joined[boundary.path].contracts if boundary.path in joined and not is_same_base else ()
        earlier = tuple(one for one in before if one.identity not in seen)
        joined[boundary.path] = boundary._replace(contracts=(*earlier, *boundary.contracts))
    return [joined[path] for path in sorted(joined)]


def _key(one: Contract) -> str:
    return f"boundary:{one.identity}:{short_id([one.before, one.after, one.moved_to], 8)}"


def _told(boundary: Boundary) -> str:
    names = list(dict.fromkeys(one.name for one in boundary.contracts if one.name))
    shown = ", ".join(f"`{name}`" for name in names[:MAX_NAMED])
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return f"Boundary touched: `{boundary.path}`, {boundary.why}{f' ({shown}{more})' if shown else ''}."

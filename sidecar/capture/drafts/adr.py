"""The stub of a decision record: what the run touched of others' ground, and what of the decision is known. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Sequence
from typing import NamedTuple

import apsw

from sidecar.capture.drafts.devlog import is_growing, objective_of, provenance_of
from sidecar.capture.drafts.devlog_text import MAX_TITLE, Draft
from sidecar.capture.drafts.events import Event
from sidecar.capture.effects.boundaries import Boundary, kind_of
from sidecar.capture.run import Finished
from sidecar.codebase import Contract, parameters
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.redact import redact
from sidecar.core.text.prose import cut, sentences, telling
from sidecar.runs import Artifact, SubChat, artifacts

MAX_FILES = 8
MAX_CONTRACTS = 8
"""Of one file."""

MAX_NAMED = 6
MAX_CONTEXT = 500
MAX_SENTENCE = 300
MAX_SAID = 3
LONG_SIGNATURE = 90

_DECIDED = regex(
    r"(?i)\b(?:decided (?:to|on|against|that|not to)|chose|opted (?:for|to)|settled on|went with"
    r"|picked \S+ (?:over|because)|the decision (?:is|was)|decision:|rather than|instead of|in favou?r of|deliberately"
    r"|on purpose)\b"
)
_UNDECIDED = regex(
    r"(?i)\?|n't (?:yet )?(?:been )?(?:decide|chose)|\b(?:not (?:yet )?(?:been )?(?:decided|chosen)|never|could|might"
    r"|may|should|would|will|let me|if|whether|until|once|options?|please"
    r"|later|tbd|to be decided|you (?:decided|chose))\b"
)
_REASON = regex(r"(?i)\b(?:because|since|so that|as it|as they)\b")


class Said(NamedTuple):
    """What runs said of the change: what they concluded, and what they decided."""

    concluded: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()

    def and_then(self, conclusion: str) -> Said:
        """Adds what another run said."""
        told = (*self.concluded, telling(conclusion, MAX_CONTEXT))
        decided = (*self.decided, *decisions_of(conclusion))
        return Said(*(tuple(dict.fromkeys(one for one in each if one))[-MAX_SAID:] for each in (told, decided)))


def adr(objective: str, said: Said, boundaries: Sequence[Boundary], changed: Collection[str]) -> Draft:
    """Writes the stub; `changed` are the files that the work changed. What is not known is left open, and says so."""
    title = title_of(boundaries)
    lines = [f"# {title}", "", "Status: draft", "", "## Context", ""]
    if asked := cut(" ".join(redact(objective).split()), MAX_CONTEXT):
        lines += [f"Asked for: {asked}", ""]
    for told in said.concluded:
        lines += [told, ""]
    lines += ["## Affected contracts", ""]
    for boundary in boundaries[:MAX_FILES]:
        lines += _affected(boundary)
    if len(boundaries) > MAX_FILES:
        lines.append(f"- … and {len(boundaries) - MAX_FILES} more files")
    lines += ["", "## Decision", "", " ".join(said.decided) or "_Open: the run did not say why it is done so._", ""]
    lines += ["## Consequences", "", *(_consequences(boundaries, changed) or ["_Open._"])]
    return Draft(title, "\n".join(lines) + "\n")


def title_of(boundaries: Sequence[Boundary]) -> str:
    """Names what was touched, not how the run was worded."""
    names = list(dict.fromkeys(_named(one) for boundary in boundaries for one in boundary.contracts))
    kinds = {bool(one.after or one.moved_to) for boundary in boundaries for one in boundary.contracts if one.name}
    verb = "Removed" if kinds == {False} else "Changed"
    shown: list[str] = []
    for name in names:
        if shown and len(", ".join((*shown, name))) > MAX_TITLE - 30:
            break
        shown.append(name)
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    noun = "contract" if len(names) == 1 else "contracts"
    return f"{verb} {noun}: {', '.join(shown)}{more}"[:200]


def decisions_of(conclusion: str) -> list[str]:
    """Gives the sentences of a conclusion that state a decision, two at most."""
    found = [
        one for one in sentences(conclusion)
        if _DECIDED.search(one) and not _UNDECIDED.search(_REASON.split(one)[0]) and not one.endswith("?")
    ]  # fmt: skip
    return [redact(cut(one, MAX_SENTENCE)) for one in found[:2]]


def described(one: Contract) -> str:
    """Tells of one contract what became of it, in Markdown."""
    if one.moved_to:
        return f"{_code(one.before) if one.name else 'the module'} is in `{one.moved_to}` now"
    if not one.name:
        return _described_file(one)
    if kind_of(one.path) == "manifest":
        before, after = (_code(side) if side else "nothing" for side in (one.before, one.after))
        return f"`{one.name}`: {before} → {after}"
    if not one.after:
        return f"{_code(one.before)} is gone"
    if "\n" in one.before and "\n" in one.after:
        return _by_lines(one)
    if one.before and "(" in one.before and max(len(one.before), len(one.after)) > LONG_SIGNATURE:
        return _by_parameters(one)
    return f"{_code(one.before)} → {_code(one.after)}"


def _described_file(one: Contract) -> str:
    if one.before == one.after:
        return "changed"
    if one.before in ("module", "file") and not one.after:
        return "removed, with all that it offered"
    return f"added: {_code(one.after)}" if not one.before else f"removed: {_code(one.before)}"


def _by_parameters(one: Contract) -> str:
    """Of a long signature only what is another."""
    (head, old, rest), (other, new, then) = parameters(one.before), parameters(one.after)
    told = _differing(old, new)
    if rest != then:
        told.append(f"returns {_code(then.removeprefix('->').removeprefix(':').strip() or 'nothing said')}")
    if head != other:
        told.append(f"is {_code(other.strip())} now")
    return f"`{one.name}(…)`: {', '.join(told[:MAX_NAMED]) or 'the order of its parameters'}"


def _by_lines(one: Contract) -> str:
    """Of a type's body only the lines that are others."""
    told = _differing(one.before.split("\n"), one.after.split("\n"))
    more = f" and {len(told) - MAX_NAMED} lines more" if len(told) > MAX_NAMED else ""
    return f"`{one.name}`: {', '.join(told[:MAX_NAMED]) or 'the order of its lines'}{more}"


def _differing(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """What went, what came, and what became of parts of the same name."""
    gone = {_parameter_name(each): each for each in old if each not in new}
    come = {_parameter_name(each): each for each in new if each not in old}
    told = [f"{_code(gone[name])} → {_code(come[name])}" for name in gone if name in come]
    told += [f"{_code(each)} added" for name, each in come.items() if name not in gone]
    return told + [f"{_code(each)} removed" for name, each in gone.items() if name not in come]


def _parameter_name(parameter: str) -> str:
    found = re.search(r"\w+", parameter)
    return found[0] if found else parameter


def _affected(boundary: Boundary) -> list[str]:
    told = list(dict.fromkeys(described(one) for one in boundary.contracts))
    lines = [f"- `{boundary.path}`, {boundary.why}:", *(f"  - {one}" for one in told[:MAX_CONTRACTS])]
    if told == ["changed"]:
        return [f"- `{boundary.path}`, {boundary.why}"]
    return [*lines, f"  - … and {len(told) - MAX_CONTRACTS} more"] if len(told) > MAX_CONTRACTS else lines


def _consequences(boundaries: Iterable[Boundary], changed: Collection[str]) -> list[str]:
    lines = []
    for one in boundaries:
        along = [path for path in one.importers if path in changed]
        left = [path for path in one.importers if path not in changed]
        if along:
            lines.append(f"- Changed along with `{one.path}`: {_listed(along)}")
        if left:
            lines.append(f"- Not changed, though using `{one.path}`: {_listed(left)}")
    return lines[: 2 * MAX_FILES]


def _listed(paths: Sequence[str]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:MAX_NAMED])
    return f"{shown} and {len(paths) - MAX_NAMED} more" if len(paths) > MAX_NAMED else shown


def _named(one: Contract) -> str:
    return one.name.removesuffix(".__init__") if one.name and kind_of(one.path) != "manifest" else one.path


def _code(text: str) -> str:
    flat = " ".join(redact(text).split())
    fence = "``" if "`" in flat else "`"
    return f"{fence}{flat}{fence}"


# Keeps the stub of a decision record for the boundaries that a task touches: one for a task, until the user has it.


MAX_BOUNDARIES = 40
MAX_NAMED_DECISION_RECORDS = 4


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
    shown = ", ".join(f"`{name}`" for name in names[:MAX_NAMED_DECISION_RECORDS])
    more = f" and {len(names) - MAX_NAMED_DECISION_RECORDS} more" if len(names) > MAX_NAMED_DECISION_RECORDS else ""
    return f"Boundary touched: `{boundary.path}`, {boundary.why}{f' ({shown}{more})' if shown else ''}."

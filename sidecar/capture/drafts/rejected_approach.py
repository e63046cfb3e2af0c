"""The note of a rejected approach: what was tried, why it failed, what came in its place. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw

from sidecar.capture.drafts.devlog import objective_of, provenance_of, window_begin_ms
from sidecar.capture.drafts.devlog_text import Draft
from sidecar.capture.drafts.events import Event
from sidecar.capture.effects.direction_change import (
    Dropped,
    TakenBack,
    dropped_steps,
    files_named,
    is_turn,
    overlap,
    plan_replaced,
)
from sidecar.capture.run import Finished
from sidecar.capture.test_results.verdicts import Change
from sidecar.codebase import query_terms
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.redact import redact
from sidecar.core.text.prose import cut, first_sentence, telling
from sidecar.language.abandoned_approach import Abandoned, abandonments
from sidecar.runs import Artifact, SubChat, artifacts, records

MAX_TITLE, MAX_TEXT, MAX_NAMED = 160, 300, 6

_DETERMINER = regex(r"(?i)^(?:the|this|that|my|our|an?|using|trying|to)\s+")
_GENERIC = frozenset(
    "approach attempt idea strategy design direction route experiment prototype plan solution workaround try angle"
    " first second third initial original earlier previous prior old last version this that it change changes whole"
    " entire different other another work commit edit edits implementation".split()
)


class Rejected(NamedTuple):
    """An approach that a conversation gave up."""

    tried: str
    reason: str
    instead: str
    files: tuple[str, ...]
    """The files whose work was taken back for it."""
    said: str = ""
    """The agent's own sentence."""

    @property
    def terms(self) -> tuple[str, ...]:
        """The words that tell it from others, however it is told."""
        return tuple(term for term in query_terms(self.tried) if term not in _GENERIC)


def rejected_of(
    said: Sequence[Abandoned], back: TakenBack | None, dropped: Dropped | None, earlier: str, objective: str
) -> list[Rejected]:
    """Gives what was rejected: what the agent says, else the work that was taken back, else the step that was dropped.

    `earlier` is what the agent said when it did that work.
    """
    files = back.files if back is not None else ()
    instead = dropped.instead[0] if dropped is not None else ""
    found = [
        Rejected(
            _named(one.tried, dropped, earlier, objective), one.reason, one.instead or instead, files, one.sentence
        )
        for one in said
    ]
    if found or (back is None and dropped is None):
        return found
    if dropped is not None:
        return [Rejected("; ".join((dropped.active or dropped.steps)[:MAX_NAMED]), "", instead, files)]
    return [Rejected(_named("", dropped, earlier, objective), "", "", files)]


def rejection(one: Rejected, objective: str, failing: Iterable[str]) -> Draft:
    """Writes the note. Its title stands alone, as sessions are told it: what, and why not."""
    tried = _shown(one.tried)
    title = cut(f"{tried[:1].upper()}{tried[1:]}{f' – {one.reason}' if one.reason else ''}", MAX_TITLE)
    where = f" In {_listed(one.files)}; taken back since." if one.files else ""
    tests = list(failing)
    lines = [f"# {title}", "", f"**Tried:** {cut(_stopped(one.tried), MAX_TEXT)}{where}", ""]
    lines += [
        f"**Why it failed:** {cut(_stopped(one.reason), MAX_TEXT) if one.reason else '_The run did not say._'}",
        "",
    ]
    if tests:
        lines += [f"Tests that failed meanwhile: {_listed(tests)}.", ""]
    if one.instead:
        lines += [f"**Instead:** {cut(_stopped(one.instead), MAX_TEXT)}", ""]
    if one.said:
        lines += [f"> {cut(one.said, MAX_TEXT)}", ""]
    if asked := first_sentence(redact(objective), 200):
        lines += [f"Task: {asked}"]
    return Draft(title, "\n".join(lines).rstrip("\n") + "\n")


def _named(tried: str, dropped: Dropped | None, earlier: str, objective: str) -> str:
    """What was tried; where the agent only says "this approach", what it did before, or was about to do, tells it."""
    if set(query_terms(tried)) - _GENERIC:
        return tried
    if dropped is not None:
        return dropped.steps[0]
    told = first_sentence(telling(earlier, 400), 200)
    return told or f"the first approach to: {first_sentence(redact(objective), 120)}"


def _shown(tried: str) -> str:
    return _DETERMINER.sub("", tried) if not tried.startswith("the first approach to:") else tried


def _stopped(text: str) -> str:
    flat = " ".join(text.split()).rstrip(".")
    return f"{flat[:1].upper()}{flat[1:]}." if flat else ""


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name.replace('`', chr(39))[:160]}`" for name in names[:MAX_NAMED])
    return f"{shown} and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else shown


# Keeps a note of each approach that a conversation gives up, once, however it is told.


SAME = 0.5
"""Approaches that share so large a part of their words are one."""

MAX_OF_RUN = 3
MAX_STEPS = 4
RUNS = 20
"""So many runs back is earlier work of the conversation looked for."""


class Turn(NamedTuple):
    """A change of direction: the approaches given up for it, and the steps dropped."""

    rejected: tuple[Rejected, ...] = ()
    dropped: Dropped | None = None


def turn_of(tx: apsw.Connection, one: Finished, state: SubChat, steps: Sequence[tuple[str, str]] | None) -> Turn:
    """Gives what of its direction a run changed; `state` is the conversation's before the run, `steps` the new list."""
    said = list(abandonments(one.conclusion))[:MAX_OF_RUN]
    dropped = dropped_steps(state.todos, steps) or _other_plan(tx, one, state)
    back = one.lines.back
    if not said and back is None and dropped is None:
        return Turn()
    is_new_way = dropped is not None and (is_turn(dropped, state.todos) or back is not None)
    earlier = _told_of(tx, one, back.files if back is not None else ())
    found = rejected_of(said, back, dropped if is_new_way else None, earlier, objective_of(one, state))
    return Turn(tuple(found), dropped)


def turn_events(one: Finished, turn: Turn, news: Sequence[Rejected]) -> list[Event]:
    """Gives the events of a change of direction: each new rejection, else the steps that were dropped."""
    chat = one.params.sub_chat_id
    events = [
        Event("directionChanged", f"direction:{chat}:{short_id(sorted(each.terms) or list(each.files))}", _line(each))
        for each in news
    ]
    if turn.dropped is not None and not turn.rejected:
        gone, instead = (_steps(steps) for steps in (turn.dropped.steps, turn.dropped.instead))
        key = f"direction:{chat}:{short_id(sorted(turn.dropped.steps))}"
        events.append(Event("directionChanged", key, f"Steps dropped: {gone}. Instead: {instead}."))
    return events


def new_rejections(tx: apsw.Connection, one: Finished, turn: Turn) -> list[Rejected]:
    """Gives the approaches that no note within the dedupe window tells of, whatever became of that note."""
    known = (
        artifacts.all_of_event(tx, one.workspace.project_key, _key(one), window_begin_ms(one)) if turn.rejected else []
    )
    told = [(tuple(note.provenance.get("terms", ())), set(note.provenance.get("takenBack", ()))) for note in known]
    news: list[Rejected] = []
    for each in turn.rejected:
        same = any(overlap(each.terms, terms) >= SAME or (files & set(each.files)) for terms, files in told)
        if not same:
            news.append(each)
            told.append((each.terms, set()))
    return news


def keep_rejections(
    tx: apsw.Connection, one: Finished, state: SubChat, news: Sequence[Rejected], tests: Sequence[Change]
) -> list[Artifact]:
    """Drafts a note of each."""
    return [_kept(tx, one, state, each, tests) for each in news]


def _kept(tx: apsw.Connection, one: Finished, state: SubChat, each: Rejected, tests: Sequence[Change]) -> Artifact:
    failing = [redact(name) for change in tests for name in (*change.after.names, *change.fixed)]
    draft = rejection(each, objective_of(one, state), failing)
    touched = records.touched_files(tx, one.params.sub_chat_id, RUNS)
    own = [change.path for change in one.observed.changes]
    files = each.files or tuple(files_named(dict.fromkeys((*own, *touched)), set(each.terms)))
    artifact = Artifact(
        id=f"rejected-{one.call.process.new_id()[:12]}",
        project=one.workspace.project_key,
        type="rejectedApproach",
        status="draft",
        title=draft.title,
        body=draft.body,
        event="directionChanged",
        event_key=_key(one),
        provenance={
            **provenance_of(one, state, files, None),
            "terms": list(each.terms),
            "takenBack": list(each.files),
        },
        created_at_ms=one.now_ms,
        updated_at_ms=one.now_ms,
    )
    artifacts.put(tx, artifact)
    return artifact


def _key(one: Finished) -> str:
    return f"rejected:{one.params.sub_chat_id}"


def _other_plan(tx: apsw.Connection, one: Finished, state: SubChat) -> Dropped | None:
    """A plan that replaces one on which work had begun."""
    if not one.plan or not state.plan or not plan_replaced(state.plan, one.plan):
        return None
    task = state.task.fingerprint if state.task else None
    if not records.touched_files(tx, one.params.sub_chat_id, RUNS, task):
        return None
    old, new = (first_sentence(plan.lstrip("# \n"), 120) for plan in (state.plan, one.plan))
    return Dropped((old,), (old,), (new,))


def _told_of(tx: apsw.Connection, one: Finished, files: Sequence[str]) -> str:
    """What the agent said at the end of the earlier run that worked on the files; of the last run without any."""
    runs = records.runs_told(tx, one.params.sub_chat_id, RUNS)
    found = next((run for run in runs if not files or set(files) & set(run.touched)), None)
    return telling(found.conclusion, 400) if found is not None else ""


def _line(each: Rejected) -> str:
    return f"Direction changed: {rejection(each, '', ()).title}."


def _steps(steps: Sequence[str]) -> str:
    shown = "; ".join(first_sentence(step, 120) for step in steps[:MAX_STEPS])
    return f"{shown} and {len(steps) - MAX_STEPS} more" if len(steps) > MAX_STEPS else shown

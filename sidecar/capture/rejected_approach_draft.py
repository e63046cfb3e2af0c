"""Note of a rejected approach: what was tried, why it failed, what replaced it.

Each approach is noted once, however it is worded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import apsw

from sidecar.capture.check_notes_block import PURPOSE, approaches_with_lines, is_replaced_by_name
from sidecar.capture.devlog_draft import DraftText
from sidecar.capture.effects.direction_change import (
    DroppedSteps,
    LostWork,
    dropped_steps,
    files_named,
    is_direction_change,
    overlap,
    plan_replaced,
    refused_steps,
)
from sidecar.capture.effects.shell_commands import takes_work_back
from sidecar.capture.effects.surviving_lines import DOTTED_NAME, names_in
from sidecar.capture.finished_run import (
    FinishedRun,
    name_of_work,
    objective_of,
    provenance_of,
    related_objective,
    window_begin_ms,
)
from sidecar.capture.test_results import VerdictChange
from sidecar.codebase import may_name, query_terms
from sidecar.core.clean_text import clip_at_word, join_first, with_capital, with_full_stop
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import first_informative_paragraph, first_sentence, sentences, word_count
from sidecar.core.redact import redact
from sidecar.language.closing_message import title_text
from sidecar.language.common_words import is_distinctive, naming_words
from sidecar.language.conclusions import ORDER_PARTICLE, points_at_work
from sidecar.language.message_intent import BACK_TO_STATE, COMPLAINT, REFUSAL_ALONE, UNUSABLE
from sidecar.language.own_words import own_words
from sidecar.language.sentence_features import split_sentences
from sidecar.language.statement_openings import object_of_order
from sidecar.language.work_taken_back import (
    MAX_REVERSAL_MESSAGE,
    MAX_REVERSAL_WORDS,
    NOT_OURS,
    AbandonedApproach,
    RemovedWork,
    Reversal,
    ReversalKind,
    abandoned_approaches,
)
from sidecar.runs import Artifact, SubChat, artifact_store, run_records
from sidecar.runs.artifact_provenance import RejectedApproachDetails

MAX_TITLE, MAX_TEXT, MAX_REQUEST, MAX_NAMED, MAX_NAMES_OF_LINES = 160, 300, 100, 6, 4

THE_WORK, FIRST_ONE = "the work", "the first approach to: "
"""Beginnings of what names an approach by its files alone, or by its task."""
_DETERMINER = lazy_regex(r"(?i)^(?:the|this|that|my|our|an?|using|trying|to)\s+")
_NAME = lazy_regex(r"`|[A-Z]|\w[._:]\w")
"""A mark of code or of a proper name, which needs no further words."""
_CLAUSE = lazy_regex(r"[,;:.。，、；]\s*\S")
_SEQUEL = lazy_regex(r"[;,.]\s(?:and\s)?(?:then|after(?:wards| that)|next)\b|;\s")
"""Beginning of what follows the reason in the agent's account: "…; then I moved the call"."""

_GENERIC = frozenset(
    "approach attempt idea strategy design direction route experiment prototype plan solution workaround try angle"
    " first second third initial original earlier previous prior old last version this that it change changes whole"
    " entire different other another work commit edit edits implementation git revert reset stash checkout".split()
)


class RejectedApproach(NamedTuple):
    """An approach that a conversation gave up."""

    tried: str
    reason: str
    instead: str
    files: tuple[str, ...]
    """The files whose work was reverted for it."""
    quote: str = ""
    """The agent's own sentence."""
    user_words: str = ""
    """The user's words that took it back."""
    named: str = ""
    """The user's sentence that names what to remove; the lost words if it names nothing, as "undo that" does."""
    is_titled_by_user: bool = False
    """Whether only the user's sentence names the lost work."""

    @property
    def user_reason(self) -> str:
        """The user's words; empty if they name nothing, as "no, not that" does, or only order it back."""
        about = _ORDER_TERMS.union(query_terms(self.tried))
        gives_reason = COMPLAINT.search(self.user_words) or not about.issuperset(
            query_terms(BACK_TO_STATE.sub("", REFUSAL_ALONE.sub("", self.user_words)))
        )
        return self.user_words if gives_reason and len(set(query_terms(self.user_words))) >= MIN_WORDS else ""

    @property
    def terms(self) -> tuple[str, ...]:
        """The words that distinguish it, however it is worded; those of its files if it is named after them."""
        words = self.named or (_listed(self.files[:2]) if self.names_files else self.tried)
        return tuple(term for term in query_terms(words) if term not in _GENERIC)

    @property
    def names_files(self) -> bool:
        """Whether what was tried is named together with its files."""
        return bool(self.files) and self.tried.endswith(f" in {_listed(self.files[:2])}")


def rejected_approaches(
    stated: Sequence[AbandonedApproach],
    files: Sequence[str],
    dropped: DroppedSteps | None,
    earlier: str,
    objective: str,
) -> list[RejectedApproach]:
    """Return what was rejected: what the agent states, else the dropped step, else the work lost from the files.

    `earlier` names the work that the removed lines belonged to.
    """
    instead = dropped.instead[0] if dropped is not None and dropped.instead else ""
    approaches = [
        RejectedApproach(
            _tried_text(approach.tried, dropped, earlier, objective),
            approach.reason,
            approach.instead or instead,
            tuple(files),
            approach.sentence,
        )
        for approach in stated
    ]
    if approaches or not (files or dropped):
        return approaches
    if dropped is not None:
        return [RejectedApproach("; ".join((dropped.active or dropped.steps)[:MAX_NAMED]), "", instead, tuple(files))]
    return [RejectedApproach(_tried_text("", dropped, earlier, objective), "", "", tuple(files))]


def rejected_approach_note(approach: RejectedApproach, objective: str, failing: Iterable[str]) -> DraftText:
    """Write the note. Its title, which sessions receive, says by itself what was rejected and why."""
    tried = approach.tried if approach.tried.startswith(FIRST_ONE) else _DETERMINER.sub("", approach.tried)
    title = _title(tried, approach)
    where = f" In {_listed(approach.files)}; reverted since." if approach.files else ""
    where = " Reverted since." if approach.names_files else where
    tests = list(failing)
    lines = [f"# {title}", "", f"**Tried:** {clip_at_word(_as_sentence(approach.tried), MAX_TEXT)}{where}", ""]
    reason = clip_at_word(_as_sentence(approach.reason), MAX_TEXT)
    if approach.user_reason:
        reason = f"{reason} The user: “{approach.user_reason}”".strip()
    lines += [f"**Why it failed:** {reason or '_Open._'}", ""]
    if tests:
        lines += [f"Tests that failed in the meantime: {_listed(tests)}.", ""]
    if approach.instead:
        lines += [f"**Instead:** {clip_at_word(_as_sentence(approach.instead), MAX_TEXT)}", ""]
    if approach.quote:
        lines += [f"> {clip_at_word(approach.quote, MAX_TEXT)}", ""]
    if task_text := first_sentence(redact(objective), 200):
        lines += [f"Task: {task_text}"]
    return DraftText(title, "\n".join(lines).rstrip("\n") + "\n")


def _title(tried: str, approach: RejectedApproach) -> str:
    """Return what was rejected, then why; the user's words alone if they name it, none if they only repeat it."""
    if approach.is_titled_by_user:
        return f"The user: “{clip_at_word(approach.named, MAX_TITLE - 12)}”"
    words = _after_object(_reason_in(approach.user_reason, tried), tried)
    new_words = set(query_terms(words)).difference(query_terms(tried))
    repeats = len(new_words) <= REPEATED * len(set(query_terms(words))) and _CLAUSE.search(words) is None
    why = _SEQUEL.split(approach.reason, maxsplit=1)[0].rstrip(".") or ("" if repeats else words)
    return clip_at_word(f"{with_capital(tried)}{f' – {why}' if why else ''}", MAX_TITLE)


def _after_object(words: str, tried: str) -> str:
    """Return the rest of the user's sentence after an order whose object was tried; empty if that says nothing."""
    named = object_of_order(words)
    if not named or _DETERMINER.sub("", named).casefold() != tried.casefold():
        return words
    rest = ORDER_PARTICLE.sub("", words.partition(named)[2]).strip(" .,;:!–—、。，")
    new = set(query_terms(rest)).difference(query_terms(tried), _ORDER_TERMS)
    return rest if any(map(is_distinctive, new)) or (new and word_count(rest) >= MIN_CLAUSE_WORDS) else ""


def _reason_in(words: str, tried: str) -> str:
    """Return the user's first sentence that says something, without the words that only refuse: "hmm no, …".

    One about what was tried, with words of its own, comes first; an order to "take that out" says less than others.
    """
    about = set(query_terms(tried))
    informative: list[tuple[bool, bool, bool, bool, int, str]] = []
    for position, sentence in enumerate(split_sentences(words)):
        part = REFUSAL_ALONE.sub("", sentence.text).strip()
        terms = set(query_terms(part))
        if len(terms) >= MIN_WORDS:
            is_new, has_few_words = about.isdisjoint(terms), len(terms - about) < MIN_WORDS
            is_aside = is_new and COMPLAINT.search(part) is None
            informative.append((points_at_work(part), is_aside, has_few_words, is_new, position, part))
    return first_sentence(min(informative)[-1], MAX_TITLE) if informative else ""


def _tried_text(tried: str, dropped: DroppedSteps | None, earlier: str, objective: str) -> str:
    """Return what was tried. If the agent only says "this approach", its earlier work or next step names it."""
    if set(query_terms(tried)) - _GENERIC:
        return tried
    if dropped is not None:
        return dropped.steps[0]
    return earlier or f"{FIRST_ONE}{first_sentence(redact(objective), 120)}"


def _as_sentence(text: str) -> str:
    flat = " ".join(text.split()).rstrip(".")
    return with_full_stop(with_capital(flat)) if flat else ""


def _listed(names: Sequence[str], limit: int = MAX_NAMED) -> str:
    return join_first([f"`{name.replace('`', chr(39))[:160]}`" for name in names], limit)


_ORDER_TERMS = frozenset(
    query_terms(
        "undo undone take put bring back change changes think please again revert reverted restore reset rollback"
        " remove delete drop discard scrap deshacer deshacé revertir annuler annule desfazer desfaz reverter"
        " rückgängig zurück annulla annullare ongedaan terug отмени откати kick rip toss raus rauswerfen eruit haal"
        " gooi schmeiß bau ausbauen butta leva togli dégage enlève vire jette joga fora tira quita saca выпили убери"
    )
)
"""Words that order work back and give no reason."""

MIN_WORDS, MIN_CLAUSE_WORDS = 2, 4
"""Words of the user's sentences, or of the rest of one, without which they say nothing about what goes or why."""

REPEATED = 0.4
"""The user's words say no more than what was tried if they are one clause, and at most this part of them is new."""

SAME_APPROACH = 0.5
"""Approaches that share at least this part of their words are the same."""

NAMING_KINDS: frozenset[ReversalKind] = frozenset({"drop", "replacement", "ban"})
"""Kinds of a user's words that name what they take back."""

MAX_OF_RUN, MAX_VANISHED, MAX_NAMING_RUNS = 3, 12, 3
RUNS = 50
"""Maximum number of runs searched for earlier work of the conversation."""


class DirectionChange(NamedTuple):
    """A change of direction: the approaches rejected for it, and the dropped steps."""

    rejected: tuple[RejectedApproach, ...] = ()
    dropped: DroppedSteps | None = None


BANNED_SHARE = 0.5
"""Part of one earlier run's own work that must be lost when the user rules something out."""

LEAST_REPLACED = 3
LEAST_SHARE, MANY_DROPPED = 0.2, 20
"""Minimum part of an earlier run's lines, or number of those without a counterpart, lost if only the agent says so."""

LEAST_DROPPED: dict[ReversalKind, int] = {"drop": 3, "ban": 5, "rework": 5, "refusal": 5}
"""Minimum number of lost lines that confirm the user's words. For a replacement all lost lines count; for the other
kinds only those without a counterpart. For rework of something unnamed, most of the work must be lost, too.

Chosen on 154 turns of recorded conversations in which an earlier run lost lines; 29 of them change the direction.
"""


def direction_change_of(
    tx: apsw.Connection,
    run: FinishedRun,
    state: SubChat,
    steps: Sequence[tuple[str, str]] | None,
    noted: Sequence[AbandonedApproach] = (),
) -> DirectionChange:
    """Return a run's change of direction.

    `state` is the conversation's state before the run, `steps` the new task list, `noted` what its notes block gives
    up. Words count only if work was lost, unless they state by themselves that an approach of this task failed.
    """
    lost = run.surviving_lines.lost
    refused = _refused_plan(tx, run, state)
    lost_words = _lost_words(tx, run, lost) if lost.lines else frozenset[str]()
    taken_back = _takes_back(run, lost, lost_words)
    lost_approaches, others = approaches_with_lines(run, noted, lost_words, run.place_of_lost)
    other_approaches = [
        RejectedApproach(each.tried, each.reason, each.instead, files, each.sentence) for each, files in others
    ]
    words = run.reversal.words if run.reversal else ""
    paths = tuple(file.path for file in run.effects.moved.files if may_name(file.path))
    other_approaches += [RejectedApproach(each, "", "", paths, user_words=words) for each in run.commits_taken_back]
    stated = [*lost_approaches, *_stated(tx, run, noted)][:MAX_OF_RUN]
    dropped = dropped_steps(state.todos, steps) or refused or _replaced_plan(tx, run, state)
    reverted = run.surviving_lines.reverted
    if not (stated or other_approaches or taken_back or reverted is not None or dropped is not None):
        return DirectionChange()
    is_new_direction = dropped is not None and (
        dropped is refused or is_direction_change(dropped, state.todos) or reverted is not None
    )
    removed_files = lost.files if taken_back or (stated and lost.lines) else reverted.files if reverted else ()
    about = frozenset(filter(is_distinctive, lost.vanished))
    earlier = _earlier_work(tx, run, removed_files, about)
    is_named = not about.isdisjoint(query_terms(earlier)) and not earlier.startswith("`")
    approaches = rejected_approaches(
        stated, removed_files, dropped if is_new_direction else None, earlier, objective_of(run, state)
    )
    is_refused = run.reversal is not None and dropped is refused is not None
    if taken_back or is_refused:
        is_unstated = taken_back and not stated
        removed = _fully_named(tx, run, _removed_by(run, run.removals, lost_words)) if is_unstated else None
        words = run.reversal if is_unstated and removed is None else None
        by_user = words is not None and _names_work(words, is_named=is_named)
        if is_unstated and removed is None and not by_user:
            removed = _fully_named(tx, run, _removed_by(run, run.earlier_removals, lost_words))
        named = object_of_order(words.sentence) if words is not None and by_user else ""
        approaches = [
            _in_the_words_used(approach, run, removed, is_stated=bool(stated) or (is_refused and not taken_back))
            for approach in approaches
        ]
        if by_user:
            approaches = [each._replace(tried=named or each.tried, is_titled_by_user=not named) for each in approaches]
    return DirectionChange((*approaches, *other_approaches)[:MAX_OF_RUN], dropped)


def _in_the_words_used(
    approach: RejectedApproach, run: FinishedRun, removed: RemovedWork | None, *, is_stated: bool
) -> RejectedApproach:
    """Return an approach with what the agent says it removed, and the user's words that made it do so."""
    reversal, lost = run.reversal, run.surviving_lines.lost
    vanished = " ".join(sorted(lost.vanished)[:MAX_VANISHED])
    named = "" if is_stated or reversal is None else vanished if reversal.kind == "undo" else reversal.sentence
    words = reversal.words if reversal is not None else _words_on(run.typed_prompt, removed, lost)
    reason = approach.reason or (removed.reason if removed is not None else "")
    return approach._replace(
        user_words=words,
        named=named,
        tried=removed.what if removed is not None else approach.tried,
        reason=reason or run.cause_of(removed),
        instead=(removed.instead if removed is not None else "") or approach.instead or run.stated_replacement,
    )


def _words_on(prompt: str, removed: RemovedWork | None, lost: LostWork) -> str:
    """Return a request's sentences about the lost work, and those that find fault or refuse; empty without any."""
    words = redact(own_words(prompt[:MAX_REVERSAL_MESSAGE])).strip()
    named = lost.vanished.union(query_terms(f"{removed.what} {removed.instead}")) if removed is not None else ()
    about = set(filter(is_distinctive, named))
    relevant = (each for each in sentences(words) if COMPLAINT.search(each) or not about.isdisjoint(query_terms(each)))
    return clip_at_word(" ".join(relevant), MAX_REVERSAL_WORDS)


def _names_work(reversal: Reversal, *, is_named: bool) -> bool:
    """Whether the user's sentence names what it takes back, as "not quite" does not.

    Fewer words are enough if the account of the earlier work is not named after the lost lines (`is_named`).
    """
    if reversal.kind not in NAMING_KINDS:
        return False
    words = set(query_terms(COMPLAINT.sub("", REFUSAL_ALONE.sub("", reversal.sentence))))
    least = MIN_WORDS if reversal.kind == "replacement" and is_named else 1
    has_names = len(set(filter(is_distinctive, words))) >= least
    return has_names and (len(words) > MIN_WORDS if not is_named else not points_at_work(reversal.sentence))


def _removed_by(run: FinishedRun, removals: Collection[RemovedWork], lost_words: Collection[str]) -> RemovedWork | None:
    """Return what the agent says it removed, if lost words or the user's confirm it, or the user only points at it."""
    known = {*lost_words, *run.refused}
    if run.reversal is not None:
        known.update(query_terms(run.reversal.words))
    known -= _GENERIC
    shared = {removed: len(known & names_in(removed.what)) for removed in removals}
    best = max(removals, key=lambda removed: (shared[removed], removed.is_certain), default=None)
    is_pointing = run.reversal is not None and points_at_work(run.reversal.order)
    is_answer = is_pointing and best in run.earlier_removals and best not in run.removals
    return best if best is not None and (shared[best] or (is_answer and best.is_certain)) else None


def _fully_named(tx: apsw.Connection, run: FinishedRun, removed: RemovedWork | None) -> RemovedWork | None:
    """Return what was removed; a bare noun by the user's name for it, else by what an earlier run states of it."""
    bare = set(query_terms(removed.what)) if removed is not None else set()
    if removed is None or len(bare) >= MIN_WORDS or _NAME.search(_DETERMINER.sub("", removed.what)):
        return removed
    texts = [object_of_order(run.reversal.sentence)] if run.reversal is not None else []
    for summary in run_records.run_summaries(tx, run.params.sub_chat_id, MAX_NAMING_RUNS):
        texts += [title_text(sentence) for sentence in sentences(summary.conclusion)]
    fuller = (text for text in texts if len(terms := set(query_terms(text))) >= MIN_WORDS and bare & terms)
    return removed._replace(what=next(fuller, removed.what))


def _lost_words(tx: apsw.Connection, run: FinishedRun, lost: LostWork) -> frozenset[str]:
    """Return the words of the lost lines and files; if most of a run's lines are lost, also those of its account."""
    texts = [path.rpartition("/")[2] for path in lost.files if path not in run.effects.files]
    if lost.greatest_share >= BANNED_SHARE:
        summaries = run_records.run_summaries(tx, run.params.sub_chat_id, RUNS)
        of_files = (summary.conclusion for summary in summaries if not set(lost.files).isdisjoint(summary.touched))
        texts += [first_informative_paragraph(conclusion, 400) for conclusion in of_files]
    return lost.vanished.union(query_terms("\n".join(texts)))


def _stated(tx: apsw.Connection, run: FinishedRun, noted: Sequence[AbandonedApproach]) -> list[AbandonedApproach]:
    """Return the approaches that the agent's sentences give up, without those of its notes block.

    Lines of earlier runs or of this one must be lost, or a sentence states the failure by itself and names something
    that this or an earlier run worked on.
    """
    lost = run.surviving_lines.lost
    stated = [
        approach
        for approach in abandoned_approaches(run.conclusion)
        if not any(overlap(query_terms(approach.tried), query_terms(note.tried)) >= SAME_APPROACH for note in noted)
    ]
    if (lost.lines and not lost.by_user) or lost.within_run:
        return stated
    known = set(run.changed_terms)
    for summary in run_records.run_summaries(tx, run.params.sub_chat_id, RUNS):
        known.update(query_terms(" ".join((*summary.touched, summary.conclusion))))
    return [each for each in stated if each.is_explicit and not known.isdisjoint(query_terms(each.tried))]


def _takes_back(run: FinishedRun, lost: LostWork, lost_words: Collection[str]) -> bool:
    """Whether earlier work was lost because the user, or the agent with git, took it back."""
    if not lost.lines:
        return False
    kind = run.reversal.kind if run.reversal is not None else None
    if kind == "undo" or lost.by_user:
        return kind == "undo" or _names_own_removal(run, lost, lost_words)
    if any(takes_work_back(command.command) for command in run.activity.commands):
        return True
    if _names_lost_work(run, lost, lost_words) or lost.is_replaced(finds_fault=bool(run.complaints)):
        return True
    if run.reversal is None or kind == "by hand":
        return False
    is_most = lost.greatest_share >= BANNED_SHARE
    if kind == "ban" and is_most:
        return True
    is_pointing = points_at_work(run.reversal.order) and not run.reversal.is_conditional
    is_named = lost.lines >= LEAST_REPLACED and bool(_certain_removals(run))
    if kind == "drop" and lost.dropped and is_pointing and (is_most or is_named or not lost.new):
        return True
    if kind == "replacement":
        return lost.lines >= LEAST_REPLACED
    is_named = not lost.vanished.isdisjoint(query_terms(run.reversal.order))
    if run.reversal.is_conditional:
        return is_named and lost.dropped >= LEAST_DROPPED["drop"]
    is_enough = lost.dropped >= LEAST_DROPPED[run.reversal.kind] and (is_most or kind != "rework")
    return is_named or is_enough


def _names_own_removal(run: FinishedRun, lost: LostWork, lost_words: Collection[str]) -> bool:
    """Whether the user says that they removed the lines lost before the run, and these are most of the work."""
    if run.reversal is None or run.reversal.by_hand is None or lost.greatest_share < BANNED_SHARE:
        return False
    words = naming_words(run.reversal.by_hand)
    return not words.terms or words.are_among({*lost_words, *query_terms(" ".join(lost.files))})


def _names_lost_work(run: FinishedRun, lost: LostWork, lost_words: Collection[str]) -> bool:
    """Whether the agent names the lost work as removed: by words of its lines or files, else by those of its account.

    If it names only what the lines were about, most of them must be lost for a stated reason.
    """
    certain = _certain_removals(run)
    if any(not lost.refused.isdisjoint(query_terms(removed.what)) for removed in certain):
        return True
    if not lost.dropped:
        return False
    unusable = [removed.what for removed in certain if UNUSABLE.search(f"{removed.what} {removed.reason}")]
    if not lost.vanished.isdisjoint(DOTTED_NAME.findall(" ".join(unusable))):
        return True
    if min(lost.lines, lost.dropped) >= LEAST_REPLACED and any(
        not run.refused.isdisjoint(query_terms(removed.what))
        or is_replaced_by_name(removed, lost.vanished, run.changed_terms)
        for removed in certain
    ):
        return True
    if lost.lines < LEAST_REPLACED or (lost.run_share < LEAST_SHARE and lost.dropped < MANY_DROPPED):
        return False
    deleted = " ".join(path.rpartition("/")[2] for path in lost.files if path not in run.effects.files)
    words = lost.vanished.union(query_terms(deleted))
    named = (term for removed in certain for term in query_terms(removed.what))
    if any(term in words and is_distinctive(term) for term in named):
        return True
    faults = frozenset(query_terms(" ".join(run.complaints)))
    place = run.place_of_lost
    return lost.greatest_share >= BANNED_SHARE and any(
        (removed.reason or not faults.isdisjoint(query_terms(removed.what)))
        and not NOT_OURS.match(removed.what)
        and naming_words(PURPOSE.sub("", removed.what)).are_among(lost_words, place)
        for removed in (*run.removals, *run.earlier_removals)
    )


def _certain_removals(run: FinishedRun) -> list[RemovedWork]:
    return [removed for removed in (*run.removals, *run.earlier_removals) if removed.is_certain]


def _refused_plan(tx: apsw.Connection, run: FinishedRun, state: SubChat) -> DroppedSteps | None:
    """Return what the user's answer refuses of the plan that the last run presented."""
    if not state.plan or run.reversal is None or run.reversal.kind == "by hand" or run.reversal.is_conditional:
        return None
    last = next(iter(run_records.run_summaries(tx, run.params.sub_chat_id, 1)), None)
    if last is None or last.mode != "plan" or (run.params.mode == "plan" and run.plan == state.plan):
        return None
    return refused_steps(state.plan, run.reversal.words, run.plan)


def new_rejected_approaches(tx: apsw.Connection, run: FinishedRun, change: DirectionChange) -> list[RejectedApproach]:
    """Return the approaches that no note within the dedupe window covers, whatever that note's status."""
    if not change.rejected:
        return []
    notes = artifact_store.artifacts_of_event(tx, run.workspace.project_key, rejection_key(run), window_begin_ms(run))
    covered = [note.provenance.details for note in notes]
    known = [each for each in covered if isinstance(each, RejectedApproachDetails) and not each.returned_in]
    lost = run.surviving_lines.lost
    noted_later = frozenset(lost.by_user if run.reversal is None else ())
    new: list[RejectedApproach] = []
    for approach in change.rejected:
        is_known = any(not noted_later.isdisjoint(details.reverted_files) for details in known)
        if not is_known and not any(_is_same(approach, details) for details in known):
            new.append(approach)
            known.append(RejectedApproachDetails(terms=approach.terms))
    return new


def _is_same(approach: RejectedApproach, known: RejectedApproachDetails) -> bool:
    if not approach.terms or not known.terms:
        return not set(known.reverted_files).isdisjoint(approach.files)
    return overlap(approach.terms, known.terms) >= SAME_APPROACH


def store_rejected_approach(
    tx: apsw.Connection, run: FinishedRun, state: SubChat, approach: RejectedApproach, tests: Sequence[VerdictChange]
) -> Artifact:
    """Draft the note of an approach."""
    failing = [redact(name) for change in tests for name in (*change.after.names, *change.fixed)]
    objective = related_objective(run, state)
    is_quoted = approach.user_words and set(query_terms(objective)) <= set(query_terms(run.typed_prompt))
    draft = rejected_approach_note(approach, "" if is_quoted else objective, failing)
    touched = run_records.touched_files(tx, run.params.sub_chat_id, RUNS)
    own_paths = [change.path for change in run.effects.changes]
    files = approach.files or tuple(files_named(dict.fromkeys((*own_paths, *touched)), set(approach.terms)))
    details = RejectedApproachDetails(terms=approach.terms, reverted_files=approach.files)
    artifact = Artifact(
        id=f"rejected-{run.call.process.new_id()[:12]}",
        project=run.workspace.project_key,
        type="rejectedApproach",
        status="draft",
        title=draft.title,
        body=draft.body,
        event="directionChanged",
        event_key=rejection_key(run),
        provenance=provenance_of(run, state, files, None, details),
        created_at_ms=run.now_ms,
        updated_at_ms=run.now_ms,
    )
    artifact_store.put(tx, artifact)
    return artifact


def rejection_key(run: FinishedRun) -> str:
    """Return the event key of the approaches that a run's conversation rejected."""
    return f"rejected:{run.params.sub_chat_id}"


def _replaced_plan(tx: apsw.Connection, run: FinishedRun, state: SubChat) -> DroppedSteps | None:
    """Return the dropped plan if a new plan replaces one on which work had started."""
    if not run.plan or not state.plan or not plan_replaced(state.plan, run.plan):
        return None
    task = state.task.fingerprint if state.task else None
    if not run_records.touched_files(tx, run.params.sub_chat_id, RUNS, task):
        return None
    old, new = (first_sentence(plan.lstrip("# \n"), 120) for plan in (state.plan, run.plan))
    return DroppedSteps((old,), (old,), (new,))


def _earlier_work(tx: apsw.Connection, run: FinishedRun, files: Sequence[str], about: frozenset[str]) -> str:
    """Return the name of the work of the earlier runs that changed the files; of the last run if there are none.

    It is in the final words of the latest that names it: with words `about` the lost work if possible, else with words
    of the files' names. If the lost lines are known and no account is about them, their names are used, else the
    request whose words they had.
    """
    runs = run_records.run_summaries(tx, run.params.sub_chat_id, RUNS)
    of_files = [summary for summary in runs if not files or set(files[:1]) & set(summary.touched)][:MAX_NAMING_RUNS]
    titles = list(filter(None, (name_of_work(summary.conclusion, files) for summary in of_files)))
    places = frozenset(filter(is_distinctive, query_terms(" ".join(path.rpartition("/")[2] for path in files))))
    fitting = [title for words in (about, places) for title in titles if not words.isdisjoint(query_terms(title))]
    lost, is_known = run.surviving_lines.lost, bool(about) and not fitting
    titles = [*fitting, *titles] if not is_known else [_listed(lost.definitions)] if lost.definitions else []
    if titles or not files or not of_files:
        return next(iter(titles), "")
    requests = (text for each in of_files for text in sentences(each.objective) if len(text) <= MAX_REQUEST)
    request = next((f"“{text}”" for text in requests if len(about.intersection(query_terms(text))) >= MIN_WORDS), "")
    what = _listed(lost.definitions or lost.names, MAX_NAMES_OF_LINES) or request or THE_WORK
    return f"{what} in {_listed(files[:2])}"

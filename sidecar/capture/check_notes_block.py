"""The notes block of a run: what the agent claims, verified against the user's words and the run's changes.

Verified rules become standing instructions, unless they only point at something, and verified facts the user's;
everything else becomes an agent's note. Decisions and dropped approaches also feed the drafts of the run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import apsw

from sidecar.capture.finished_run import FinishedRun
from sidecar.core.clean_text import clip_at_word, with_full_stop
from sidecar.core.digests import line_marks
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.lru_cache import LruCache
from sidecar.core.prose_sentences import word_count
from sidecar.core.redact import redact
from sidecar.core.terms import paths_in, query_terms
from sidecar.language.common_words import NamingWords, is_distinctive, naming_words, tool_terms
from sidecar.language.english_translation import english_by_word, language_of
from sidecar.language.lasting_statements import only_points, read_statements
from sidecar.language.message_intent import forgets
from sidecar.language.notes_block import AgentNote
from sidecar.language.own_words import stated_words
from sidecar.language.sentence_features import is_for_one_task, is_retraction, split_sentences
from sidecar.language.work_taken_back import AbandonedApproach, RemovedWork
from sidecar.memory import (
    DROPPED,
    Note,
    Support,
    TypedMessage,
    filter_private,
    note_title,
    repeats_one_task,
    verify_rule,
)
from sidecar.runs import run_records
from sidecar.runs.model import RALPH_PREFIX

MAX_TYPED_PROMPTS = 6
"""Prompts since the last notes block that can support a rule."""

MAX_TYPED_CHARACTERS = 20_000
MAX_BEFORE_CHARACTERS = 1_200
MAX_RUNS, MAX_FILES, MAX_FILE_CHARACTERS = 50, 20, 40_000
"""Runs, their files and the beginning of each in which the work of a conversation is looked for."""

MAX_CONVERSATIONS = 64
"""Conversations whose prompts are in memory; no prompt is written to the disk."""

MIN_RULE_WORDS = 3
"""Words of a rule that is a standing instruction however the user worded it."""

CONFIDENCE = {
    "rule": 0.9, "claimedRule": 0.6, "decision": 0.75, "changedDecision": 0.85, "dropped": 0.75, "fact": 0.65,
    "typedFact": 0.85,
}  # fmt: skip
"""Confidence of a note by its kind; a decision that the run's changes show is surer than one that is only stated."""


class VerifiedNote(NamedTuple):
    """A note, and the user's words that support it; only rules and facts can have support."""

    note: AgentNote
    support: Support | None = None
    is_in_changes: bool = False
    """Whether the conversation's changes show what the note names, and not the alternative."""


class TypedPrompts:
    """Messages that users typed since the last notes block, by conversation. In memory only: prompts are not stored."""

    def __init__(self) -> None:
        self._messages: LruCache[str, tuple[TypedMessage, ...]] = LruCache(MAX_CONVERSATIONS)

    def of(self, sub_chat_id: str) -> tuple[TypedMessage, ...]:
        """Return the messages of a conversation, oldest first."""
        return self._messages.get(sub_chat_id) or ()

    def replace(self, sub_chat_id: str, messages: tuple[TypedMessage, ...]) -> None:
        """Store the last messages of a conversation."""
        self._messages.put(sub_chat_id, messages[-MAX_TYPED_PROMPTS:], 1)


def verified_notes(tx: apsw.Connection, run: FinishedRun) -> list[VerifiedNote]:
    """Return the notes of a completed run, each with what supports it.

    Without notes, what the user typed waits for those of a later run.
    """
    if not run.reads_notes or run.params.outcome == "notStarted":
        return []
    prompts, conversation = run.call.process.slices.typed_prompts, run.params.sub_chat_id
    typed = (*prompts.of(conversation), *_typed_message(tx, run))
    if run.notes_block is None or run.params.outcome != "completed":
        prompts.replace(conversation, typed)
        return []
    prompts.replace(conversation, ())
    notes = [_as_rule(note) for note in run.notes_block.notes]
    work = _work_of_conversation(tx, run) if any(note.key == "decision" for note in notes) else Work()
    verified_all = (
        VerifiedNote(
            note,
            verify_rule(note.text, typed) if note.key in ("rule", "fact") else None,
            note.key == "decision" and work.shows(note),
        )
        for note in notes
    )
    return [verified for verified in verified_all if not _is_for_one_task(verified, typed)]


MIN_TRANSLATED = 2
"""Words of a decision in another language whose English words must be in the work: each may have several."""


class Work(NamedTuple):
    """The words of a conversation's work."""

    terms: frozenset[str] = frozenset()
    """Words of its lines, of the files it created and of the last run's commands."""
    code_terms: frozenset[str] = frozenset()
    """Words of the last lines added, without comments."""
    place: frozenset[str] = frozenset()
    """Words of the paths it worked in, which say nothing about what it did there."""

    def shows(self, decision: AgentNote) -> bool:
        """Whether most names in a decision, or half of its words, are in the work, and the alternative's names are not.

        Words of any work on software contradict nothing: code has an "argument" for many reasons.
        """
        chosen = naming_words(decision.subject)
        others = _names_of_alternative(decision).difference(chosen.terms, self.place)
        is_contradicted = bool(others) and others <= self.code_terms
        return not is_contradicted and (
            chosen.are_among(self.terms, self.place) or (not chosen.are_names and self._shows_in_english(decision))
        )

    def _shows_in_english(self, decision: AgentNote) -> bool:
        """Whether the English words for half of what a decision in another language chose are in the work."""
        language = language_of(decision.text)
        if language in ("", "en"):
            return False
        meanings = [frozenset(filter(is_distinctive, word)) for word in english_by_word(decision.subject, language)]
        own = [word - self.place for word in meanings if not word <= self.place]
        shown = sum(not word.isdisjoint(self.terms) for word in own)
        return shown >= MIN_TRANSLATED and 2 * shown >= len(own)


def _names_of_alternative(decision: AgentNote) -> frozenset[str]:
    """Return the terms of the identifiers, paths and tools in a decision's alternative."""
    stated = naming_words(decision.text)
    names = tool_terms().union(stated.terms if stated.are_names else (), query_terms(" ".join(paths_in(decision.text))))
    return names.intersection(naming_words(decision.alternative).terms)


def _work_of_conversation(tx: apsw.Connection, run: FinishedRun) -> Work:
    """Return the words of what a run added, and of the lines of the conversation's runs that are still there."""
    own: dict[str, frozenset[str]] = {path: file.lines for path, file in run.surviving_lines.by_path.items()}
    for lines_of_run in run_records.stored_surviving_lines(tx, run.params.sub_chat_id, MAX_RUNS).values():
        for path, file in lines_of_run.items():
            own.setdefault(path, file.lines)
    files = {path: run.effects.files[path] for path in list(own)[:MAX_FILES] if path in run.effects.files}
    texts = run.workspace.slices.repository.worktree_texts(files)
    lines, created = run.added_text.splitlines(), set[str]()
    for path, text in texts.items():
        lines += [
            line for line in text[:MAX_FILE_CHARACTERS].splitlines() if not own[path].isdisjoint(line_marks(line))
        ]
        created |= {path} if line_marks(text) <= own[path] else set()
    paths = {*own, *(change.path for change in run.effects.changes)}
    place = frozenset(query_terms(" ".join(path.rpartition("/")[0] if path in created else path for path in paths)))
    named = [command.command[:400] for command in run.activity.commands] + [path.rpartition("/")[2] for path in created]
    latest = run.added_text.splitlines() or lines
    code = frozenset(query_terms("\n".join(line for line in latest if not _COMMENT.match(line))))
    return Work(frozenset(query_terms("\n".join((*lines, *named)))), code, place)


_COMMENT = lazy_regex(r"\s{0,80}(?://|#(?!\s?include)|\*|/\*|<!--|-- )")


def _as_rule(note: AgentNote) -> AgentNote:
    """Return a decision that only says how to work from now on as the rule that it is: nothing was chosen."""
    is_rule = note.key == "decision" and not note.alternative and _NORM.match(note.text)
    return AgentNote("rule", note.text, note.text) if is_rule else note


_NORM = lazy_regex(
    r"(?i)(?:always|never|from now on|in (?:the )?future|do not|don['’]?t|immer|nie(?:mals)?|ab jetzt|künftig|siempre"
    r"|nunca|sempre|toujours|jamais|désormais|mai|altijd|nooit|voortaan|всегда|никогда|впредь)\b"
    r"|(?:总是|永远|以后|必ず|常に|今後)"
)


def _is_for_one_task(verified: VerifiedNote, typed: Sequence[TypedMessage]) -> bool:
    """Whether a rule's own words, or the user's that it has, hold for the task at hand: it does not last."""
    if verified.note.key != "rule":
        return False
    if verified.support is not None:
        return is_for_one_task(verified.note.text) or is_for_one_task(verified.support.evidence)
    return is_for_one_task(verified.note.text) or repeats_one_task(verified.note.text, typed)


def session_notes(notes: Iterable[VerifiedNote], now_ms: int) -> tuple[Note, ...]:
    """Return the notes as they are captured; secrets and private text are removed there."""
    return tuple(_session_note(verified, now_ms) for verified in notes)


def decision_sentences(notes: Iterable[VerifiedNote]) -> list[str]:
    """Return the decisions that the run's changes show, each as one sentence with its reason."""
    return [
        redact(with_full_stop(verified.note.text))
        for verified in notes
        if verified.note.key == "decision" and verified.is_in_changes
    ]


def dropped_approaches(notes: Iterable[VerifiedNote]) -> list[AbandonedApproach]:
    """Return the approaches that the agent gave up for a stated reason."""
    return [
        AbandonedApproach(redact(note.text), redact(note.subject), redact(note.reason), redact(note.alternative))
        for note in (verified.note for verified in notes)
        if note.key == "dropped" and note.reason
    ]


def approaches_with_lines(
    run: FinishedRun, noted: Sequence[AbandonedApproach], lost_words: Collection[str], place: Collection[str]
) -> tuple[list[AbandonedApproach], list[tuple[AbandonedApproach, tuple[str, ...]]]]:
    """Return the approaches of a notes block whose own lines are lost: those the user's words may be about, and others.

    The others, with their files, are what the run itself tried, and what the user's words do not name while naming
    other lost lines. `lost_words` are the words of the lost work, `place` those of its paths.
    """
    lost = run.surviving_lines.lost
    named_by_user = lost.vanished.intersection(query_terms(run.reversal.order)) if run.reversal is not None else ()
    lost_approaches: list[AbandonedApproach] = []
    others: list[tuple[AbandonedApproach, tuple[str, ...]]] = []
    for approach in noted:
        tried = PURPOSE.sub("", approach.tried)
        words = naming_words(tried)
        words = words if words.terms else NamingWords(tuple(query_terms(tried)), are_names=False)
        is_lost = words.are_among(lost_words, place)
        if is_lost and (not named_by_user or not named_by_user.isdisjoint(query_terms(approach.tried))):
            lost_approaches.append(approach)
        elif is_lost or words.are_among(lost.tried):
            others.append((approach, lost.files if is_lost else ()))
    return lost_approaches, others


def is_replaced_by_name(removed: RemovedWork, vanished: Collection[str], changed: Collection[str]) -> bool:
    """Whether all names of what an agent replaced are among the words that vanished, and a new name in the changes."""
    old, new = naming_words(PURPOSE.sub("", removed.what)), naming_words(removed.instead)
    names = set(filter(is_distinctive, old.terms))
    return bool(names) and names.issubset(vanished) and not set(new.terms).difference(old.terms).isdisjoint(changed)


PURPOSE = lazy_regex(
    r"(?i)(?<=.{3})\s(?:for|in|on|at|via|with|per|from|to|through|between|für|im|über|mit|para|por|en|pour|dans|avec|con|nel\w*"
    r"|voor|met|для|в|через|с)\s.*"
)
"""Place or purpose of what was tried, which other work shares."""


def without_repeated_facts(notes: Sequence[VerifiedNote], sentences: Sequence[str]) -> list[VerifiedNote]:
    """Return the notes without the facts that one of the user's captured sentences states by itself."""
    messages = [TypedMessage(sentence) for sentence in sentences]
    return [
        verified
        for verified in notes
        if verified.support is None
        or verified.note.key != "fact"
        or not any(verify_rule(verified.support.rule, (message,)) for message in messages)
    ]


def without_covered(sentences: str, notes: Sequence[VerifiedNote]) -> str:
    """Return captured sentences of the user, one per paragraph, without those that verified notes restate."""
    evidence = " ".join(verified.support.evidence for verified in notes if verified.support is not None)
    known = " ".join(evidence.split()).casefold()
    paragraphs = [part for part in sentences.split("\n\n") if " ".join(part.split()).casefold() not in known]
    return "\n\n".join(paragraphs)


_TYPES: Mapping[str, Literal["user_correction", "decision", "lesson"]] = {
    "rule": "user_correction", "decision": "decision", "dropped": "lesson", "fact": "lesson",
}  # fmt: skip
"""Type of an agent's note by its kind."""


def _session_note(verified: VerifiedNote, now_ms: int) -> Note:
    note = verified.note
    if verified.support is not None:
        return _users_note(note.key, verified.support, now_ms)
    title, text = note_title(note.text), note.text
    if note.key == "dropped":
        title, text = f"{DROPPED}{note_title(note.subject)}", f"{DROPPED}{note.text}"
    kind = "claimedRule" if note.key == "rule" else "changedDecision" if verified.is_in_changes else note.key
    return Note(
        type=_TYPES[note.key], title=title, text=text, author="assistant", at_ms=now_ms, confidence=CONFIDENCE[kind]
    )


def _users_note(key: str, support: Support, now_ms: int) -> Note:
    """Return a rule or a fact as the user's own statement."""
    stated = support.rule
    common = Note(
        type="user_correction" if key == "rule" else "semantic",
        title=note_title(stated),
        text=stated,
        author="user",
        at_ms=now_ms,
        confidence=CONFIDENCE["rule" if key == "rule" else "typedFact"],
    )
    if key == "fact":
        return common
    is_withdrawal = forgets(stated)  # capture decides what it withdraws
    is_brief = word_count(stated) < MIN_RULE_WORDS
    is_standing = not (only_points(stated) or is_withdrawal or (is_brief and not _is_stated(support.evidence)))
    return common._replace(
        retention="durable" if is_standing else "daily",
        is_standing_instruction=is_standing,
        reversal="candidate" if is_withdrawal else "",
    )


def _is_stated(evidence: str) -> bool:
    """Whether the user's words state something lasting by themselves: they, too, may be short."""
    return any(statement.is_standing for statement in read_statements(evidence).statements)


_OWN_ANSWER = lazy_regex(r"(?i)(?:no|nope|nein|non|n[ãa]o|nee|нет)\s?[,;–—-]\s")
_LAST_CLAUSE = lazy_regex(r"[,;]\s(?:and|und|et|y|e|en|и|but|aber|mais|pero|mas|ma|maar|но)\s[^,;?]{1,200}\?$")


def without_retracted(words: str) -> str:
    """Return a user's own words in which what the next sentence takes back is blanked; offsets stay.

    It is the whole sentence, or the last clause of one where the user asks and denies it: "…, and clear it? no - keep".
    """
    for sentence, following in pairwise(split_sentences(words)):
        start, end = sentence.start, sentence.end
        answer, clause = _OWN_ANSWER.match(following.text), _LAST_CLAUSE.search(sentence.text)
        if answer is not None and clause is not None:
            start, end = start + clause.start(), following.start + answer.end()
            words = f"{words[:start]}.{words[start + 1 :]}"
            start += 1
        elif not is_retraction(following.text):
            continue
        blank = re.sub(r"[^\n]", " ", words[start:end])
        words = f"{words[:start]}{blank}{words[end:]}"
    return words


def _typed_message(tx: apsw.Connection, run: FinishedRun) -> tuple[TypedMessage, ...]:
    """Return what the user typed in this run, with the end of the answer before it; nothing if it was not typed."""
    prompt = run.params.prompt
    if run.params.sub_chat_id.startswith(RALPH_PREFIX) or prompt.lstrip().startswith("/"):
        return ()  # a loop's prompt, or an expanded command
    words = clip_at_word(without_retracted(stated_words(filter_private(prompt).text)), MAX_TYPED_CHARACTERS)
    if not words.strip():
        return ()
    runs = run_records.run_summaries(tx, run.params.sub_chat_id, 1)
    return (TypedMessage(words, runs[0].conclusion[-MAX_BEFORE_CHARACTERS:] if runs else ""),)

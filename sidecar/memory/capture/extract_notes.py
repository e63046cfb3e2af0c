"""Extract notes worth storing from a session's summary: each is one clean sentence, then what it refers to. Pure.

Prompts are searched for lasting statements, corrections and decisions of the user, answers for the agent's choices with
a reason. A statement that points at something is stored with what was proposed before it and with the file that was
changed last. An error is stored with its resolution; an unresolved one is not a fact.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from sidecar.core.clean_text import clip_at_word, one_line, without_emphasis, without_links
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import paragraphs, sentences, shortened
from sidecar.core.redact import MASK
from sidecar.core.terms import query_terms
from sidecar.language.conclusions import StatementKind, match_conclusion
from sidecar.language.lasting_patterns import has_concept
from sidecar.language.lasting_statements import MAX_SPECIFICATION, Statement, read_statements
from sidecar.language.match_statement_form import SUPPOSITION, is_request_to_remember, without_lasting_words
from sidecar.language.message_intent import MAY, forgets, is_reversal
from sidecar.language.own_words import stated_words
from sidecar.language.sentence_features import THIS_DAY, is_for_one_task, split_sentences
from sidecar.language.statement_openings import CHANGED_MIND, LEAD_IN, TASK, without_assent
from sidecar.memory.capture.session_material import ErrorEvent, NearMiss, Note, SessionSummary, Utterance, error_line
from sidecar.memory.entry import content_hash, normalized
from sidecar.memory.storable_text import filter_private

MAX_TITLE = 160
"""Bytes of a title: an instruction's line has room for it beside its id and date."""
MAX_LABEL, MAX_SENTENCE, MAX_REFERENT, MAX_NEAR_MISS = 120, 600, 240, 200
MIN_QUESTION_WORDS = 4
MIN_TERMS = 2
"""Significant words that a statement needs to be understood by itself."""

_TYPES: dict[str, StatementKind] = {
    "rule": "user_correction",
    "correction": "user_correction",
    "remember": "user_correction",
    "preference": "preference",
    "decision": "decision",
    "rejection": "decision",
    "fact": "semantic",
}
_LEAD = lazy_regex(
    r"^(?:(?:no(?:[ ,]{1,2}no){0,3}(?:,? wait)?|nope|nah|wait|well|ok(?:ay)?|yes|yeah|hm+|sorry|right|stop(?=,)|p\.?s"
    r"|btw|fyi|hey|note|important|wichtig|decision|remember(?: (?:this|that)\b(?: for [\w ]{3,40})?)?|à retenir|merke"
    r"|i (?:already |just |['’]ve |have )?(?:told you|said)(?: this| that| before| already){0,2}|for the record"
    r"|nein(?: nein)?|non(?: non)?|não(?: não)?|nee|нет)\s?[,.:;!—–]+(?<!\s\.(?=\w))\s*"
    r"|(?:actually|so(?! that)|and|but|also|then|please|pls|plz|bitte|und|aber|y|pero|e|mas|et|и)\b[\s,]+"
    r"|(?:no|nein|non) (?=it['’]?s\b|es ist\b|c['’]est\b)|(?:いや|違う|違います|いいえ|不对?|错了)[、，,。]\s?)+",
    re.IGNORECASE,
)
_MARKDOWN = lazy_regex(r"^\s*(?:[#>]+|[-*+•]|\d{1,2}[.)])\s+")
_PLAIN_WORD = lazy_regex(r"[^\W\d_]+(?=['’]?[^\W\d_]{0,3}(?:[\s,;:]|$))")
_POINTS = lazy_regex(
    r"\b(?:it|its|this|that|them|these|those|they|here|there|same|such|above|like (?:that|this)|es(?! \S*\d)|das"
    r"|dies\w*|hier"
    r"|ça|cela"
    r"|ici|eso|esto|aquí|isso|isto|aqui|questo|qui|dit|dat|это|так|здесь)\b|这|那|它|これ|それ|ここ",
    re.IGNORECASE,
)
_PLACE = lazy_regex(
    r"\b(?:here|there|hier|ici|aquí|aqui|qui|здесь)\b(?! (?:is|are)\b)|ここ|这里"
    r"|\b(?:this|diese[ms]?|n?este|n?esse|ce|cet|questo|dit|этом) (?:repo\w*|project|code ?base|workspace|projekt"
    r"|proyecto|projeto|projet|dépôt|progetto|проект\w*)\b|(?:この|本)(?:プロジェクト|リポジトリ)|这个(?:项目|仓库"
    r"|代码库)",
    re.IGNORECASE,
)
"""Words for the project, or for a place in it, which need no other sentence: "we use pnpm here"."""

_CONTINUES = lazy_regex(
    r"^(?:because|since|this (?:avoids|keeps|lets|means|way)|that way|it (?:avoids|keeps))\b", re.IGNORECASE
)
_NO_PROPOSAL = lazy_regex(r"[<{}]|[:：]$|^(?:let me|i['’]ll|now let)\b", re.IGNORECASE)
"""Sentences that announce an action or come from code: nobody answers them."""

_PICK = lazy_regex(
    r"^(?:yes|no|ok(?:ay)?|sure|continue|proceed|cancel|skip|other|none|all|both|done|not now|later|ja|nein|oui|non"
    r"|sí|si|sim"
    r"|não|是|否|はい|いいえ|\W|\d+)*$",
    re.IGNORECASE,
)


_PLEA = lazy_regex(
    r"(?i)(?:[,.!]\s{1,2}|\s)(?:(?:please|pls) remember(?: (?:it|this|that))?|thx|thanks(?: a lot)?|thank you|danke"
    r"|gracias|merci|obrigad[oa]|grazie|bedankt|спасибо)[.!\s]{0,3}$"
)

_ANNOUNCEMENT = lazy_regex(
    r"(?:[,;.，、。]|\s[–—-])\s{0,3}(?:here(?:['’]s| is| are)|(?:see|as) below|hier (?:ist|sind)|voici|aqu[íi] (?:está"
    r"|tienes)|ecco"
    r"|hier is|вот|これが|以下|这是)[^,.，。]{0,60}[:：]$",
    re.IGNORECASE,
)
"""Words at the end of a statement that announce what was pasted below it."""


class ReadMessage(NamedTuple):
    """Content of a message: notes, sentences that came close, and the number of drops by reason."""

    notes: tuple[Note, ...]
    near_misses: tuple[NearMiss, ...]
    dropped: Counter[str]


def read_message(utterance: Utterance) -> ReadMessage:
    """Return the notes of one message, after private and injected text is removed."""
    clean = filter_private(utterance.text)
    dropped: Counter[str] = Counter(private=clean.private, injected=clean.injected)
    utterance = utterance._replace(text=clean.text)
    notes, near_misses = _user_notes(utterance) if utterance.author == "user" else _agent_notes(utterance)
    return ReadMessage(tuple(notes), tuple(near_misses), +dropped)


def _user_notes(utterance: Utterance) -> tuple[list[Note], list[NearMiss]]:
    reading = read_statements(utterance.text, utterance.before)
    notes = [note for statement in reading.statements if (note := _user_note(utterance, statement)) is not None]
    notes = _with_reversals(utterance, notes)
    if not notes and (note := _answer_note(utterance)):
        return [note], []
    return notes, [
        NearMiss("belowThreshold", one_line(miss.text, MAX_NEAR_MISS), round(miss.score, 3), utterance.at_ms)
        for miss in reading.near_misses
    ]


def _user_note(utterance: Utterance, statement: Statement) -> Note | None:
    """Return the note of a statement; None for one that only points at something nobody proposed."""
    sentence = _PLEA.sub("", _ANNOUNCEMENT.sub("", without_lead(clean_sentence(statement.text))))
    if sentence.endswith((":", "：")):
        return None  # it only leads to what follows
    details = tuple(_referents(utterance, sentence, is_needed=statement.corrects_value))
    only_points = len(query_terms(sentence)) < MIN_TERMS and _POINTS.search(_PLACE.sub(" ", sentence)) is not None
    if only_points or is_request_to_remember(statement.text):
        proposal = _proposal(utterance) if _opens(utterance, statement) else ""
        if not proposal:
            return None
        sentence, details = f"{proposal} {sentence}", ()
    is_standing = utterance.is_typed and statement.is_standing and MASK not in sentence  # without its value: no rule
    return Note(
        type=_TYPES[statement.kind],
        title=note_title(sentence),
        text="\n\n".join((sentence, *details)),
        author="user",
        at_ms=utterance.at_ms,
        confidence=round(0.6 + 0.35 * statement.score, 2),
        retention="durable" if is_standing else "daily",
        is_standing_instruction=is_standing,
    )


def _opens(utterance: Utterance, statement: Statement) -> bool:
    """Whether no words of the user precede a statement: what it points at is what the agent wrote."""
    return len(stated_words(utterance.text)[: statement.start].split()) <= MIN_TERMS


def _with_reversals(utterance: Utterance, notes: Sequence[Note]) -> list[Note]:
    """Return the notes, and each sentence that takes something back: capture decides whether it does."""
    own = stated_words(utterance.text)
    if not utterance.is_typed or len(own) > MAX_SPECIFICATION:
        return list(notes)
    marked = [
        note._replace(reversal="statement") if not note.is_standing_instruction and is_reversal(note.text) else note
        for note in notes
    ]
    marked = [note for part in marked if (note := _without_withdrawal(part)) is not None]
    passages = [
        split_withdrawal(sentence.text)
        for sentence in split_sentences(own)
        if not (_is_for_this_task(sentence.text) or SUPPOSITION.match(sentence.text.lower()))
    ]
    marked = [_with_withdrawal(note, passages) for note in marked]
    known = " ".join(text for note in marked for text in (note.text, note.withdraws)).casefold()
    stated = tuple(note.text.partition("\n\n")[0].casefold().rstrip(" .!。") for note in marked)
    replaced = {
        _plain(rest): _plain(words)
        for words, rest in passages
        if rest and _CHANGED_MIND.search(words) and not TASK.match(rest)
    }
    of_sentences = (
        (_plain(part), "")
        for words, rest in passages
        for part in (words, rest)
        if is_reversal(part) and _plain(words) not in replaced.values()
    )
    corrected = ((_plain(part), "") for part in _own_corrections(own))
    candidates = [
        Note(
            "user_correction", note_title(text), text, "user", utterance.at_ms, REVERSAL_CONFIDENCE,
            reversal="candidate", withdraws=words,
        )
        for text, words in dict.fromkeys((*of_sentences, *corrected, *replaced.items()))
        if text and len(text) <= MAX_SENTENCE and text.casefold() not in known
        and not text.casefold().startswith(stated)
    ]  # fmt: skip
    withdrawals = [note for note in candidates if forgets(note.text)]
    return [*withdrawals, *marked, *(note for note in candidates if note not in withdrawals)]


def _plain(part: str) -> str:
    """Return a part of a sentence as the text of a note."""
    return without_lead(clean_sentence(part))


def _with_withdrawal(note: Note, passages: Iterable[tuple[str, str]]) -> Note:
    """Return a note with the words of its sentence that take something back: what they name, the note replaces."""
    statement = note.text.partition("\n\n")[0].casefold().rstrip(" .!。")
    found = (words for words, rest in passages if words and statement in clean_sentence(rest).casefold())
    return note._replace(withdraws=_plain(next(found, "")))


def _own_corrections(own: str) -> Iterator[str]:
    """Yield the first clause after words by which the user admits a mistake: "I was wrong, it's mocha"."""
    parts = [sentence.text for sentence in split_sentences(own)]
    for part, following in pairwise([*parts, ""]):
        admission = _ADMISSION.match(part)
        stated = (part[admission.end() :].strip() or following) if admission else ""
        if stated and not _is_for_this_task(stated):
            yield _CLAUSE_BREAK.split(stated, maxsplit=1)[0]


_ADMISSION = lazy_regex(
    r"(?:(?:oh|ah|no|hm+|sorry|wait|actually|ok(?:ay)?|perd[oó]n|pardon|desculpa)[\s,.!…–—-]{1,4}){0,3}"
    r"(?:i was (?:wrong|mistaken)|i made a mistake|my (?:mistake|bad|fault)|i misspoke|ich (?:habe?|hab['’]?) mich"
    r" (?:geirrt|vertan)|mein fehler|me equivoqu[eé]|error m[ií]o|je me suis trompée?|erreur de ma part"
    r"|eu (?:me )?errei"
    r"|me enganei|mi sono sbagliat[oa]|errore mio|ik had het mis|mijn fout|я ошиб(?:ся|лась)|моя ошибка)"
    r"(?: (?:here|there|before|yesterday|about (?:that|this)))?[\s,.:;!–—-]*",
    re.IGNORECASE,
)


def _without_withdrawal(note: Note) -> Note | None:
    """Return a note without the clause that withdraws something and is a note of its own; None if nothing is left."""
    statement, separator, details = note.text.partition("\n\n")
    if not forgets(statement):
        return note
    _, rest = split_withdrawal(statement)
    rest = without_lead(rest)
    return note._replace(title=note_title(rest), text=rest + separator + details) if query_terms(rest) else None


def split_withdrawal(text: str) -> tuple[str, str]:
    """Return the clauses of a sentence that withdraw something, and those that say what holds; either may be empty."""
    clauses = [clause for clause in _CLAUSE_BREAK.split(text) if clause.strip()]
    is_change = _CHANGED_MIND.search(text) is not None and forgets(text)
    named = clauses[:1] if is_change else []
    withdrawn = [clause for clause in clauses if clause in named or forgets(clause) or _CHANGED_MIND.fullmatch(clause)]
    if forgets(text) and (not withdrawn or len(withdrawn) == len(clauses)):
        return text, ""
    others = [clause for clause in clauses if clause not in withdrawn]
    stated = (clause for clause in others if not (withdrawn and has_concept(clause, "not what holds")))
    return ", ".join(withdrawn), ", ".join(stated)


_CHANGED_MIND = lazy_regex(rf"\W{{0,9}}(?:(?:and|und|y|e|et) )?{CHANGED_MIND}\W{{0,9}}", re.IGNORECASE)
_CLAUSE_BREAK = lazy_regex(
    r"(?<=\S)\s?[,;:] |[，；：]|(?<=\S) [–—-] |(?<=[.!]) "
    r"|(?<=\S) (?:and|but|und|aber) (?=(?:we|you|i|it|use|just|go|do|wir|du|nimm)\b)"
)

REVERSAL_CONFIDENCE = 0.9

_FOR_THIS_TASK = lazy_regex(
    r"[?？]\s*$|\bforget about [^,;.!\n]{2,60}[,;.!–—-]{1,2} ?(?:just|let['’]?s|do|first)\b(?! use\b)"
    r"|\b(?:for (?:now|the moment)|just (?:now|once|this|for)|later|until|temporarily"
    r"|this (?:time|once|task|fix|bug|change|commit|test|issue)|diesmal|vorerst|erstmal|por ahora|esta vez"
    r"|por enquanto|desta vez|pour l['’]instant|cette fois|per ora|stavolta|voorlopig|deze keer|пока"
    rf"|(?:в|на) этот раз|{THIS_DAY})\b|这次|暂时|今天|今回|とりあえず|今日",
    re.IGNORECASE,
)
"""Words by which a sentence is about the task at hand, or asks."""


def _is_for_this_task(sentence: str) -> bool:
    return _FOR_THIS_TASK.search(sentence) is not None or is_for_one_task(sentence)


def _answer_note(utterance: Utterance) -> Note | None:
    """Return the note for an answer to a question; None for a yes, a number, or an answer that says nothing."""
    question, answer = clean_sentence(utterance.question), clean_sentence(utterance.text)
    if len(question.split()) < MIN_QUESTION_WORDS or _PICK.match(answer) or _POINTS.search(question):
        return None
    sentence = f"{clip_at_word(question, MAX_REFERENT)} {clip_at_word(answer, MAX_SENTENCE)}"
    return Note(
        type="decision",
        title=clip_at_word(sentence, MAX_LABEL),
        text=sentence,
        author="user",
        at_ms=utterance.at_ms,
        confidence=0.7,
    )


def _referents(utterance: Utterance, sentence: str, *, is_needed: bool) -> Iterator[str]:
    """Yield what a statement that points at something, or that corrects a value, refers to."""
    if utterance.question:
        yield f"In answer to: {one_line(utterance.question, MAX_REFERENT)}"
    if not (is_needed or _points_outside(sentence)):
        return
    if (proposal := _proposal(utterance)) and not utterance.question:
        yield f"Said in answer to: {proposal}"
    if utterance.touched:
        yield f"Said after a change of {', '.join(f'`{path}`' for path in utterance.touched)}."


def _points_outside(sentence: str) -> bool:
    """Whether a word refers to what another message names. One in a later clause may refer to the first."""
    plain = _PLACE.sub(" ", split_withdrawal(sentence)[1] or sentence)
    first = _LATER_CLAUSE.split(plain, maxsplit=1)[0]
    return _POINTS.search(first if len(query_terms(first)) >= MIN_TERMS else plain) is not None


_LATER_CLAUSE = lazy_regex(
    r"[,;:] |\s(?:so|because|since|when|if|which|damit|weil|wenn|para que|porque|pour qu\w+|parce que|affinché|perché"
    r"|zodat|omdat|чтобы|потому что)\s",
    re.IGNORECASE,
)


def _proposal(utterance: Utterance) -> str:
    """Return the last sentence of what the agent wrote before a message; empty without one."""
    before = filter_private(utterance.before).text
    spoken = (part for part in sentences(before) if len(part.split()) > MIN_TERMS and not _NO_PROPOSAL.search(part))
    proposal = next(reversed(list(spoken)), "")
    return clip_at_word(clean_sentence(proposal), MAX_REFERENT)


def _agent_notes(utterance: Utterance) -> tuple[list[Note], list[NearMiss]]:
    notes: list[Note] = []
    near_misses: list[NearMiss] = []
    for paragraph in paragraphs(utterance.text):
        spoken = list(sentences(paragraph))
        for position, sentence in enumerate(spoken):
            conclusion = match_conclusion(sentence)
            if conclusion is None or len(sentence) > MAX_SENTENCE:
                continue
            following = spoken[position + 1] if position + 1 < len(spoken) else ""
            reason = following if _CONTINUES.match(following) else ""
            text = clean_sentence(f"{sentence} {reason}")
            if conclusion.is_reasoned or reason:
                notes.append(
                    Note(
                        type="decision",
                        title=note_title(sentence),
                        text=text,
                        author="assistant",
                        at_ms=utterance.at_ms,
                        confidence=conclusion.confidence,
                    )
                )
            else:
                near_misses.append(NearMiss("withoutReason", one_line(text, MAX_NEAR_MISS), 0.5, utterance.at_ms))
    return notes, near_misses


_WHOLE_QUOTATION = lazy_regex(r"\"[^\"]*\"|“[^“”]*”|«[^«»]*»")


def clean_sentence(text: str) -> str:
    """Return a text on one line, without Markdown's marks; code spans stay. Nested ones, `_**x**_`, take two passes."""
    flat = " ".join(without_links(text).split())
    plain = without_emphasis(_MARKDOWN.sub("", without_emphasis(flat))).strip()
    return plain[1:-1].strip() if _WHOLE_QUOTATION.fullmatch(plain) else plain


def note_title(sentence: str) -> str:
    """Return a sentence as a title of at most 160 bytes, without lead-in. A negation is never cut off."""
    core = without_lead(clean_sentence(sentence)).rstrip(" .!。:;,")
    return shortened(core, MAX_TITLE)


def without_lead(sentence: str) -> str:
    """Return a sentence without its lead-in ("no, please …"), beginning with a capital unless it begins with a name.

    A permission keeps the words that make it last.
    """
    bare = without_assent(sentence)
    core = _LEAD.sub("", bare) or sentence
    if MAY.search(core) is not None:
        core = bare if LEAD_IN.match(bare) else core
    else:
        core = _LEAD.sub("", without_lasting_words(core)) or core
    match = _PLAIN_WORD.match(core)
    word = match[0] if match is not None else ""
    is_plain = word.islower() and word not in _NAMES and _UNSPACED.search(core) is None
    return core[:1].upper() + core[1:] if is_plain else core


_NAMES = frozenset("npm pnpm npx yarn git pip uv bun deno tsc cargo curl ssh psql kubectl pytest eslint".split())
"""Commands whose names are written in lower case at the beginning of a title, too."""


Reason = Literal[
    "tooShort", "tooLong", "question", "toolOutput", "instructionFile", "private", "injected", "deletedByUser",
    "unresolvedError",
]  # fmt: skip
"""Reason why a statement was dropped; `memory/status` counts them."""

MIN_WORDS = 3
MIN_UNSPACED_CHARACTERS = 5
MAX_CHARACTERS = 2_000

_UNSPACED = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_DUMP_LINE = lazy_regex(
    r"^\s*+(?:[\[{}\]<]|\"?[\w-]+\"?: ?[\"\[{\d]|\d+,?$"
    r"|at \S+ ?\(|File \"|\d{1,5}[:|→\t ]|[+-]{1,3} ?\S|@@|\$ |>>> |\||#include|import \w"
    r"|def |class |func|const |let |var |return\b|\w+\(.*\)[;{]?$|[\w./-]+:\d+:|\d{4}-\d\d-\d\d[T ]\d\d:"
    r"|(?:INFO|DEBUG|WARN|ERROR)\b|.*[;{}]$)"
)
_DUMP_SHARE = 0.6
_SIGNS = lazy_regex(r"[{}()\[\];=<>|\\/_`$&*#@]")


def junk_reason(note: Note, instructions: Collection[str]) -> Reason | None:
    """Return why a note is dropped; None if it may be stored. `instructions` are normalized lines of rule files."""
    text = note.text.partition("\n\n")[0] if note.author == "user" else note.text
    words = normalized(text)
    if not note.is_standing_instruction and _is_short(text, words):
        return "tooShort"
    if len(text) > MAX_CHARACTERS:
        return "tooLong"
    if text.endswith(("?", "？")):
        return "question"
    if is_tool_output(text):
        return "toolOutput"
    return "instructionFile" if words in instructions else None


def is_tool_output(text: str) -> bool:
    """Whether a text is tool output or code rather than prose."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) >= 3 and sum(map(bool, map(_DUMP_LINE.match, lines))) >= _DUMP_SHARE * len(lines):
        return True
    return len(text) > 40 and len(_SIGNS.findall(text)) > 0.2 * len(text)


def instruction_lines(text: str) -> set[str]:
    """Return a rule file's lines and sentences without variable parts."""
    lines = [line.strip().lstrip("-*+#> ").strip() for line in text.splitlines()]
    parts = [*lines, *(part for line in lines for part in re.split(r"(?<=[.!?。])\s+", line))]
    return {words for part in parts if len((words := normalized(part)).split()) >= MIN_WORDS}


def _is_short(text: str, words: str) -> bool:
    if _UNSPACED.search(text):
        return len(words.replace(" ", "")) < MIN_UNSPACED_CHARACTERS
    return len(text.split()) < MIN_WORDS


CONFIDENCE = {
    "decision": 0.8, "error_pattern": 0.6, "resolution": 0.75, "user_correction": 0.9, "preference": 0.9,
    "validated_pattern": 0.75, "semantic": 0.7, "gotcha": 0.8, "lesson": 0.75, "episodic": 0.7,
}  # fmt: skip
"""Confidence of explicit notes; a note extracted from text has the confidence of its rule."""

MAX_TEXT = 4_000
MAX_FILES = 5


class Sighting(NamedTuple):
    """An error occurrence, identified by a hash that is equal for repetitions."""

    line: str
    digest: str
    at_ms: int
    is_pasted: bool = False
    """Whether the user's message shows it: what resolved it before did not."""


class ExtractedNotes(NamedTuple):
    """Notes worth storing, errors seen, and the number of drops by reason."""

    notes: tuple[Note, ...]
    sightings: tuple[Sighting, ...]
    dropped: Counter[str]
    near_misses: tuple[NearMiss, ...] = ()


def extract_notes(summary: SessionSummary, instructions: Collection[str]) -> ExtractedNotes:
    """Extract what is worth storing; `instructions` are the lines of rule files, which are not new."""
    read = [read_message(utterance) for utterance in summary.utterances]
    dropped: Counter[str] = sum((message.dropped for message in read), Counter())
    near_misses = [*summary.near_misses, *(miss for message in read for miss in message.near_misses)]
    sightings = tuple(_sighting(error) for error in summary.errors if _error_line(error))
    resolutions = [note for error in summary.errors for note in _resolution_notes(error, dropped)]
    explained = " ".join(note.text for note in resolutions)
    stated = [*summary.notes, *(note for message in read for note in message.notes)]
    candidates = [*(note for note in stated if note.author != "assistant" or note.text not in explained), *resolutions]
    notes = []
    for note in candidates:
        storable = _storable(note, dropped)
        if storable is None:
            continue
        is_statement = storable.retention == "daily" or storable.is_standing_instruction
        is_statement &= storable.type not in ("error_pattern", "gotcha")
        reason = junk_reason(storable, instructions) if is_statement else None
        if reason is not None:
            dropped[reason] += 1
        else:
            notes.append(storable)
    ordered = tuple(sorted(notes, key=lambda note: note.at_ms))
    return ExtractedNotes(ordered, sightings, dropped, tuple(near_misses))


def gotcha(sighting: Sighting) -> Note:
    """Return the note for a recurring error."""
    text = f"The same error keeps coming back: {_code_span(sighting.line)}"
    return Note(
        type="gotcha",
        title=clip_at_word(" ".join(f"Recurring error: {sighting.line}".split()), MAX_LABEL),
        text=text,
        author="tool",
        at_ms=sighting.at_ms,
        confidence=CONFIDENCE["gotcha"],
    )


def _sighting(error: ErrorEvent) -> Sighting:
    line = filter_private(_error_line(error)).text
    return Sighting(line, _error_digest(line), error.at_ms, error.is_pasted)


def _error_digest(line: str) -> str:
    return content_hash("error", line, "error_pattern")


_NAMED_ERROR = lazy_regex(r"(?m)^The error was `([^`\n]+)`\.$")


def resolves(text: str, sighting: Sighting) -> bool:
    """Whether the text of a resolution names an error that was seen."""
    return any(_error_digest(line) == sighting.digest for line in _NAMED_ERROR.findall(text))


def _resolution_notes(error: ErrorEvent, dropped: Counter[str]) -> Iterator[Note]:
    line, explanation = _error_line(error), clean_sentence(error.resolution)
    if not line or not explanation:
        _count(dropped, "unresolvedError")
        return
    files = ", ".join(f"`{path}`" for path in error.changed[:MAX_FILES])
    details = (f"Changed: {files}." if files else "", f"The error was {_code_span(line)}.")
    text = "\n\n".join(filter(None, (explanation, *details)))
    yield Note(
        type="resolution",
        title=note_title(explanation),
        text=text,
        author="assistant",
        at_ms=error.at_ms,
        confidence=CONFIDENCE["resolution"],
    )


def _error_line(error: ErrorEvent) -> str:
    return error_line(error.text, error.subject)


def reduce_summary(summary: SessionSummary) -> SessionSummary:
    """Return a summary whose messages are reduced to notes and masked near misses.

    Only this is queued for capture, so that no prompt is stored as written.
    """
    read = [read_message(utterance) for utterance in summary.utterances]
    return summary._replace(
        utterances=(),
        notes=(*summary.notes, *(_masked(note) for message in read for note in message.notes)),
        near_misses=(*summary.near_misses, *(miss for message in read for miss in message.near_misses)),
    )


def _masked(note: Note) -> Note:
    return note._replace(text=filter_private(note.text).text, title=filter_private(note.title).text)


def _code_span(line: str) -> str:
    plain = line.replace("`", "'")
    return f"`{plain}`"


def _storable(note: Note, dropped: Counter[str]) -> Note | None:
    """Return a note as it may be stored; None if nothing remains."""
    filtered, title = filter_private(note.text[:MAX_TEXT]), filter_private(note.title).text
    if not filtered.text:
        _count(dropped, "injected" if filtered.injected else "private" if filtered.private else "tooShort")
        return None
    confidence = CONFIDENCE[note.type] if note.confidence is None else note.confidence
    return note._replace(text=filtered.text, title=title or note_title(filtered.text), confidence=confidence)


def _count(dropped: Counter[str], reason: Reason) -> None:
    dropped[reason] += 1

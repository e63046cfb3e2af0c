"""Verify a rule of a notes block against what the user typed. Pure.

A rule is supported if one message states it: every value, path and name in it is the user's, most of its other words
are (in any form, by a concept, or by a common translation; words of any talk count little), what it denies the user
denies, no two of the user's words, steps or clauses change places ("from bun to yarn"), and it names no other value,
bound, pace, object of use or place. A rule that is the user's sentence but for a few words or an exception is another
demand. A sentence that asks, supposes, reports what others state, or is about the task at hand supports nothing; nor is
a rule the user's that adds or lacks a limit, a place, "only" or "each time". Where the user answers a proposal, the
agent's text before the message counts too. Doubt means unsupported: such a rule becomes an agent's note, which no
anchor shows.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from math import log1p
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.common_words import plain_words
from sidecar.language.conclusions import picked_option
from sidecar.language.english_translation import are_translations, negates_by_prefix
from sidecar.language.match_statement_form import complains
from sidecar.language.own_words import quotes_sentence, reports_others, stated_words
from sidecar.language.rule_scope import (
    AT_ONCE,
    CONTINUOUS,
    EXCEPT,
    RECALLED,
    STEPWISE,
    UNTIL,
    before_question,
    claims_more,
    drops_limit,
    drops_place,
    exchanges_bound,
    holds_each_time,
    is_whole,
    is_wide,
    takes_another_pace,
)
from sidecar.language.rule_synonyms import LIMITED, concepts_of, folded, is_generic
from sidecar.language.sentence_features import FOR_NOW, as_request, is_for_one_task, is_shrugged_off
from sidecar.language.statement_clauses import (
    RULE_TO_WRITE,
    USERS_ACT,
    Clause,
    Unit,
    Wording,
    is_same,
    is_why_question,
    tokens_of,
    wording_of,
    wordings_of,
)
from sidecar.language.statement_openings import (
    OCCASION,
    QUESTION,
    STOPS,
    TAG_QUESTION,
    TASK,
    accepts_as_lasting,
    asks_for_work,
    is_for_now,
    observes,
    supposes,
)
from sidecar.language.statement_values import (
    MIN_SUBJECTS,
    adds_words,
    crosses_clauses,
    exchanges_object,
    exchanges_place,
    exchanges_value,
    has_value,
    reverses_condition,
    reverses_steps,
    reverses_word,
    shared_count,
    shared_subjects,
    subjects_of,
    swaps_roles,
)

OF_SHARE, OF_WORDS, OF_VALUES, OF_TRANSLATION, OF_LENGTH, MIN_EVIDENCE = 3.6, 5.0, 1.4, 3.1, -1.5, 5.2
"""Evidence that adjacent sentences state a rule: of the share of its words that they have; of the logarithms of how
many of its words and values they have, and of how much they say; and of few common words in two languages.

Two rare words in common are strong evidence, whatever an agent adds to explain, but not in a long text. A logistic
regression on labelled rules, each set judged by the others; from the minimum on a rule is stated.
"""

MIN_COVERAGE = 0.8
"""Share of a rule's words that is enough in a text of any length."""

MIN_OF_SENTENCE, MIN_OF_SENTENCE_TRANSLATED = 0.2, 0.1
"""Share of each sentence of a rule that must be the user's, lest an agent adds one."""

MIN_COVERAGE_RESTATED = 0.9
"""The same for two rules that count as one."""

VERBATIM_GAIN = 0.01
"""Preference of a verbatim statement over one that has the same words."""

OPPOSED_SHARE = 0.5
"""Share of a clause's words that must be opposed; the rest of it is then another statement."""

FOCUS, MAIN_SHARE = 2, 0.6
"""First words of a ban, and share of all its words, that say what it is mainly about."""

WINDOW = 3
"""Adjacent sentences of a message that may state one rule."""

MIN_DOCUMENT_LINES, LONG_DOCUMENT_LINES = 20, 60
MIN_LEAD_INS, MIN_ITEM_SHARE = 4, 0.3
"""A long message is a document. So is a shorter one that introduces many lists, or consists of items to this share."""

MAX_FRAME_LINES = 8
"""Lines before a document that are the user's own."""

MAX_MESSAGE_CHARACTERS = 20_000
ANSWERED_CHARACTERS = 1_200
"""Only the end of an agent's text is what the user answers."""


class TypedMessage(NamedTuple):
    """A message that the user sent in a top-level conversation, and the agent's text that it answers."""

    text: str
    before: str = ""


class Support(NamedTuple):
    """The part of the user's words that supports a rule."""

    message: int
    """Index of the message."""
    evidence: str
    coverage: float
    rule: str
    """The supported wording: the rule, or what is left of it without a parenthesis that the user did not write."""


def verify_rule(rule: str, messages: Sequence[TypedMessage]) -> Support | None:
    """Return what supports a rule, the latest message first; None if no message does.

    Agents explain in parentheses what a message points at; without them the rule may be the user's.
    """
    plain = " ".join(_EXAMPLES.sub("", _PARENTHESIS.sub("", rule)).split())
    aside = [unit for match in _PARENTHESIS.finditer(rule) for unit in subjects_of(wording_of(match[0]).units)]
    for wording in dict.fromkeys((rule, plain)):
        statement = wording_of(wording)
        if all(is_generic(unit.concepts) for unit in statement.units):
            continue
        for index in range(len(messages) - 1, -1, -1):
            support = _support(statement, messages[index])
            if support is not None and (
                wording == plain or shared_count(aside, wording_of(support.evidence).units) == len(aside)
            ):
                return support._replace(message=index)
    return None


def repeats_one_task(rule: str, messages: Sequence[TypedMessage]) -> bool:
    """Whether a rule has the words of a sentence that is about the task at hand: "for this PR only: …"."""
    statement = wording_of(rule)
    texts = [stated_words(message.text[:MAX_MESSAGE_CHARACTERS]) for message in messages]
    return bool(statement.units) and any(
        (is_for_one_task(part.text) or is_for_now(part.text, text)) and _coverage(statement, [part]) > 0
        for text in texts
        for part in wordings_of(text)
    )


def restates(rule: str, known_rule: str) -> bool:
    """Whether two rules state the same in other words: each has nearly every word of the other."""
    supports = (verify_rule(rule, (TypedMessage(known_rule),)), verify_rule(known_rule, (TypedMessage(rule),)))
    return all(support is not None and support.coverage >= MIN_COVERAGE_RESTATED for support in supports)


def recalls(complaint: str, known_rule: str) -> bool:
    """Whether a complaint only recalls a rule: "again you ran cargo fmt, I told you not to"."""
    if RECALLED.search(complaint) is None:
        return False
    return shared_subjects(wording_of(known_rule), wording_of(complaint)) >= MIN_SUBJECTS


def _support(rule: Wording, message: TypedMessage) -> Support | None:
    own = _without_document(stated_words(message.text[:MAX_MESSAGE_CHARACTERS]))
    parts = [wording for part in wordings_of(own) for wording in _without_question(part)]
    is_temporary = FOR_NOW.search(rule.text) is not None
    statements = [
        part for part in parts if _may_support(part.text, is_temporary=is_temporary) and not is_for_now(part.text, own)
    ]
    support = _best_window(rule, own, statements) or _support_of_parts(rule, own, statements)
    if support is not None or not message.before:
        return support
    proposal = _FENCED.sub(" ", message.before)[-ANSWERED_CHARACTERS:]
    if accepts_as_lasting(own):
        answered = f"{proposal}\n{own}"
    elif holds_each_time(own) and (option := picked_option(own, proposal)):
        answered = f"{option}, {own.strip()}"
    else:
        return None
    return _best_window(rule, answered, wordings_of(answered))


def _without_question(part: Wording) -> tuple[Wording, ...]:
    """Return a sentence, of one that asks what it states before."""
    stated = before_question(part.text) if _asks(part.text) else part.text
    return (wording_of(stated, part.language) if stated != part.text else part,) if stated.strip() else ()


def _support_of_parts(rule: Wording, own: str, statements: Sequence[Wording]) -> Support | None:
    """Return the support of a rule of several demands of which each is stated somewhere in a message."""
    parts = [wording_of(part.strip()) for part in _PART_END.split(rule.text) if part.strip(" .,;")]
    if len(parts) < 2 or any(len(subjects_of(part.units)) < MIN_SUBJECTS for part in parts):
        return None
    found: list[Support] = []
    for part in parts:
        support = _best_window(part, own, statements)
        if support is None:
            return None
        found.append(support)
    evidence = " ".join(dict.fromkeys(support.evidence for support in found))
    if swaps_roles(rule.text, evidence) or crosses_clauses(rule, wordings_of(evidence)):
        return None
    return Support(0, evidence, min(support.coverage for support in found), rule.text)


_PART_END = lazy_regex(r"[;；。]|[.!?](?=\s)|[,，]\s(?:and|und|et|y|e|en|и|but|aber|mais|pero|mas|ma|maar|но|а)\s")
"""The end of a demand, after which a rule states another one."""


@lru_cache(maxsize=512)
def _words(text: str) -> str:
    return f" {' '.join(_WORD_OR_NUMBER.findall(folded(text)))} "


_EXAMPLES = lazy_regex(
    r"\s?[,;，、]\s{0,3}(?:e\.?g\.?|for (?:example|instance)|like|z\. ?b\.?|zum beispiel|wie|por ejemplo|p\. ?ej\.?"
    r"|como|par exemple|comme|por exemplo|ad esempio|come|bijv\.?|bijvoorbeeld|zoals|например|как|例如|比如|例えば"
    r"|たとえば)"
    r"[,:：]?\s{0,3}(?:`[^`\n]{1,160}`(?:,|、| or| and)?\s{0,3}){1,4}[.。]?\s{0,8}$",
    re.IGNORECASE,
)
"""Code behind a comma at a rule's end that only shows what it means; without it the rule may be the user's."""

_PARENTHESIS = lazy_regex(r"(?:(?<!\s)\s+)?(?:\([^()]*\)|（[^（）]*）)")
_WORD_OR_NUMBER = lazy_regex(r"\w+")


def _without_document(own: str) -> str:
    """Return what surely is the user's own: of a document, whose origin nothing shows, only the paragraph before it."""
    lines = [line.strip() for line in own.splitlines() if line.strip()]
    lead_ins = sum(line.endswith((":", "：")) for line in lines)
    items = sum(_LIST_ITEM.match(line) is not None for line in lines)
    is_structured = lead_ins >= MIN_LEAD_INS or items >= MIN_ITEM_SHARE * len(lines)
    if len(lines) < MIN_DOCUMENT_LINES or not (is_structured or len(lines) >= LONG_DOCUMENT_LINES):
        return own
    structure = (at for at, line in enumerate(lines) if line.endswith((":", "：")) or _LIST_ITEM.match(line))
    first = next(structure, len(lines))
    return "\n".join(lines[: min(first, MAX_FRAME_LINES)])


_LIST_ITEM = lazy_regex(r"(?:[-*•]|\d{1,2}[.)]|#{1,6})\s")


def _best_window(rule: Wording, text: str, statements: Sequence[Wording]) -> Support | None:
    """Return the adjacent sentences that contain most of a rule; None if they contain or deny too little."""
    tokens = [folded(token.strip("-.+~\\/@")) for _, token in tokens_of(text)]
    words = frozenset((*tokens, *(part for token in tokens for part in _PART_MARK.split(token))))
    concepts = frozenset(concept for statement in statements for unit in statement.units for concept in unit.concepts)
    concepts |= frozenset(concept for word in words for concept in concepts_of(word))
    all_units = [unit for statement in statements for unit in statement.units]
    has_values = all(has_value(unit, words, concepts, all_units) for unit in rule.units if unit.is_value)
    if not has_values or not _has_names(rule.text, text, words):
        return None
    rule_words = _words(rule.text)
    tasks = [statement.text for statement in statements if _is_task(statement.text)]
    best: tuple[Support, int, int] | None = None
    opposed: list[tuple[float, int, int]] = []
    for size in range(1, WINDOW + 1):
        for start in range(max(1, len(statements) - size + 1)):
            window = statements[start : start + size]
            if not window or (size > 1 and any(statement.text in tasks for statement in window)):
                continue
            evidence = " ".join(statement.text for statement in window)
            coverage = _coverage(rule, window)
            if not coverage:
                continue
            is_verbatim = rule_words in _words(evidence)
            coverage += VERBATIM_GAIN * is_verbatim
            if reverses_condition(rule, window) or (
                not is_whole(rule.text, evidence)
                and (
                    _is_opposed(rule, window)
                    or swaps_roles(rule.text, evidence)
                    or reverses_steps(rule.text, window)
                    or takes_another_pace(rule.text, evidence)
                    or exchanges_object(rule, window)
                    or exchanges_bound(rule.text, evidence)
                    or (not is_verbatim and _exchanges(rule, window))
                )
            ):
                opposed.append((coverage, start, start + size))
            elif (
                any(_is_about_task(rule, task) for task in tasks if task in evidence)
                or _is_quoted(rule, evidence)
                or drops_limit(rule, window)
                or drops_place(rule, window)
                or _adds_exception(rule.text, evidence)
                or (not is_verbatim and (claims_more(rule, window, evidence) or adds_words(rule, window, all_units)))
            ):
                continue
            elif best is None or coverage > best[0].coverage:
                best = Support(0, evidence, coverage, rule.text), start, start + size
    if best is None:
        return None
    support, start, end = best
    rivals = [(first, last) for coverage, first, last in opposed if coverage >= support.coverage]
    is_denied = any(last - first == 1 or first < start or last > end for first, last in rivals)
    return None if is_denied else support


def _has_names(rule: str, text: str, words: Collection[str]) -> bool:
    """Whether the user has each command of a rule as a whole, and each part of its paths."""
    commands = [code[1] for code in _CODE.finditer(rule) if " " in code[1].strip()]
    paths = (folded(next(filter(None, path.groups()))) for path in _FOLDER_PATH.finditer(rule))
    parts = (part for path in paths for part in path.split("/") if part)
    return all(_words(command) in _words(text) for command in commands) and all(part in words for part in parts)


def _coverage(rule: Wording, window: Sequence[Wording]) -> float:
    """Return the share of a rule's words that some sentences contain; zero if they are no evidence of it."""
    units = [unit for statement in window for unit in statement.units]
    stated = list(dict.fromkeys(rule.units))
    known = _known(stated, units)
    total, matched = _information(stated), _information(known)
    subjects = [unit for unit in rule.units if not (is_generic(unit.concepts) or unit.names_project)]
    known_subjects = [unit for unit in subjects if unit in known]
    is_translated = any(are_translations(rule.language, statement.language) for statement in window)
    coverage = matched / total
    evidence = (
        OF_SHARE * coverage
        + OF_WORDS * log1p(len({unit.word for unit in known_subjects}))
        + OF_VALUES * log1p(sum(unit.is_value for unit in known_subjects))
        + OF_TRANSLATION * is_translated
        + OF_LENGTH * log1p(_information(units))
    )
    is_evident = evidence >= MIN_EVIDENCE or coverage >= MIN_COVERAGE
    if len(known_subjects) < min(len(subjects), MIN_SUBJECTS) or not is_evident:
        return 0.0
    return 0.0 if _adds_sentence(rule, units, is_translated=is_translated) else coverage


def _adds_sentence(rule: Wording, units: Sequence[Unit], *, is_translated: bool) -> bool:
    """Whether one of a rule's sentences has few of some words, though the rule as a whole has many."""
    minimum = MIN_OF_SENTENCE_TRANSLATED if is_translated else MIN_OF_SENTENCE
    for sentence in wordings_of(rule.text):
        subjects = subjects_of(sentence.units)
        total = _information(subjects)
        if total >= MIN_SUBJECTS and _information(_known(subjects, units)) < minimum * total:
            return True
    return False


def _known(rule_units: Iterable[Unit], units: Collection[Unit]) -> list[Unit]:
    """Return which of a rule's words are among some words, in whatever form."""
    return [rule_unit for rule_unit in rule_units if any(is_same(rule_unit, unit) for unit in units)]


def _information(units: Iterable[Unit]) -> float:
    """Return how much some words say about a subject, relative to an ordinary word."""
    return sum(unit.information for unit in units)


def _is_opposed(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether some sentences deny what a clause of the rule states, or state what it denies.

    A condition or purpose does neither, and what the user only sees is no wish: "I see svg icons". What both allow only
    on a condition agrees, whatever the form: "never A without B" and "B before A".
    """
    observed = frozenset(chain.from_iterable(part.clauses[: observes(part.text)] for part in window))
    clauses = [
        clause
        for statement in _with_topics(rule, window)
        for clause, condition in zip(statement.clauses, (*statement.clauses[1:], None), strict=False)
        if not clause.is_open and not (condition and clause.is_gated and _demands(rule, clause, condition))
    ]
    for rule_clause in rule.clauses:
        if rule_clause.is_open:
            continue
        subjects = _specific_words(rule_clause)
        agreeing = [clause for clause in clauses if _agree(rule_clause, clause)]
        others = [clause for clause in clauses if not _agree(rule_clause, clause)]
        others = [clause for clause in others if not _is_restated(rule, clause, rule_clause, agreeing)]
        if rule_clause.is_denied:
            others = [clause for clause in others if clause not in observed]
        if rule_clause.is_denied and not rule_clause.is_gated and _denies_wish(subjects, agreeing, others):
            return True
        counts = ([shared_count(subjects[:FOCUS], part.units) for part in side] for side in (agreeing, others))
        agreed, opposed = (max(count, default=0) for count in counts)
        if rule_clause.is_against and agreed and agreed >= opposed:
            continue
        if not rule_clause.is_against and any(_is_banned(rule_clause, clause, agreeing) for clause in others):
            return True
        shares = ([_information(_known(subjects, part.units)) for part in side] for side in (agreeing, others))
        agreed, opposed = (max(share, default=0.0) for share in shares)
        if opposed > agreed and opposed > OPPOSED_SHARE * _information(subjects):
            return True
    return False


def _with_topics(rule: Wording, window: Sequence[Wording]) -> Iterator[Wording]:
    """Yield sentences; a clause that refers to the one before has the first specific word of that one, too.

    What the user does himself has it only for a rule that names the user.
    """
    names_user = USERS_ACT.search(rule.text) is not None
    before: Clause | None = None
    for statement in window:
        clauses: list[Clause] = []
        for clause in statement.clauses:
            is_about = before is not None and not before.is_open and clause.refers_back
            has_topic = is_about and (names_user or not clause.is_users_act)
            topic = _specific_words(before)[:1] if before is not None and has_topic else ()
            clauses.append(clause._replace(units=(*topic, *clause.units)))
            before = clause
        yield statement._replace(clauses=tuple(clauses))


def _denies_wish(subjects: Sequence[Unit], agreeing: Sequence[Clause], others: Sequence[Clause]) -> bool:
    """Whether a ban is about what the user wants, and has nothing that the user forbids: "without asking"."""
    if any(shared_count(subjects, clause.units) for clause in agreeing):
        return False
    wishes = [_known(subjects, clause.units) for clause in others]
    return any(subjects[:1] == wish[:1] != [] and 2 * len(wish) >= len(subjects) for wish in wishes)


def _demands(rule: Wording, gated: Clause, condition: Clause) -> bool:
    """Whether a rule states what it allows and the condition for it in one clause: "every A has B", not "A until B"."""
    ended = [wording_of(part) for part in _PAUSE.split(rule.text) if UNTIL.search(part) or EXCEPT.search(part)]
    if any(part.clauses and not any(clause.is_denied for clause in part.clauses) for part in ended):
        return False
    sides = (subjects_of(gated.units), [unit for unit in condition.units if not _known([unit], gated.units)])
    stated = [clause.units for clause in rule.clauses if not clause.is_denied and not clause.is_gated]
    return any(all(shared_count(side, units) for side in sides) for units in stated)


def _agree(rule_clause: Clause, clause: Clause) -> bool:
    """Whether two clauses are both for or both against what they name, or both allow it only on a condition."""
    return rule_clause.is_against == clause.is_against or (rule_clause.is_gated and clause.is_gated)


def _is_banned(rule_clause: Clause, ban: Clause, agreeing: Sequence[Clause]) -> bool:
    """Whether a clause states what a ban is mainly about, and no clause of the user's is for that."""
    subjects = _specific_words(ban)
    shared = _known(subjects, rule_clause.units)
    focus = subjects[:FOCUS]
    is_stated = bool(focus) and (
        all(unit in shared for unit in focus) or (focus[0] in shared and 2 * len(shared) >= len(subjects))
    )
    if not is_stated and len(shared) < max(MIN_SUBJECTS, MAIN_SHARE * len(subjects)):
        return False
    own = subjects_of(rule_clause.units)
    counts = [(shared_count(shared, clause.units), shared_count(own, clause.units)) for clause in agreeing]
    return not any(of_ban == len(shared) or (of_ban and of_all > len(shared)) for of_ban, of_all in counts)


def _specific_words(clause: Clause) -> list[Unit]:
    """Return a clause's words about its subject without those of any talk, unless there are no others."""
    subjects = subjects_of(clause.units)
    specific = [unit for unit in subjects if unit.word not in plain_words()]
    return [unit for unit in specific if not unit.is_reversing] or specific or subjects


def _is_restated(rule: Wording, ban: Clause, stated: Clause, agreeing: Sequence[Clause]) -> bool:
    """Whether a rule forbids the same: its other words may then state what is wanted instead, or the reason.

    Not if it forbids what the user wants, or if one of its clauses is about what the ban is mainly about.
    """
    named = shared_count(subjects_of(ban.units), rule.units)
    wishes = [unit for clause in agreeing if not clause.is_against for unit in clause.units]
    subjects, focus = _specific_words(stated), _specific_words(ban)[:1]
    common = _known(subjects, ban.units)
    is_main = 2 * len(common) > len(subjects) and shared_count(focus, common) > 0
    for clause in rule.clauses if ban.is_against else ():
        subjects = subjects_of(clause.units)
        shared = shared_count(subjects, ban.units)
        if not clause.is_against or not (shared >= MIN_SUBJECTS or 0 < shared == len(subjects) <= named - 1):
            continue
        others = [unit for unit in _specific_words(clause) if not _known([unit], ban.units)]
        if not _known(others, wishes) and not (is_main and not _known(common, clause.units)):
            return True
    return False


def _may_support(sentence: str, *, is_temporary: bool = False) -> bool:
    """Whether a sentence may state a rule: it does not ask, suppose, observe, report, or shrug, nor end before it."""
    is_no_demand = supposes(sentence) or (observes(sentence) and not holds_each_time(sentence))
    return not (
        (is_no_demand and not is_wide(sentence))
        or reports_others(sentence)
        or is_shrugged_off(sentence)
        or _asks(sentence)
        or (not is_temporary and is_for_one_task(sentence) and RULE_TO_WRITE.match(sentence) is None)
    )


def _asks(sentence: str) -> bool:
    """Whether a sentence asks for an answer, rather than being a complaint or a wish for more than one occasion."""
    if TAG_QUESTION.search(sentence) or QUESTION.search(sentence) is None or as_request(sentence) != (0, sentence):
        return False
    if complains(sentence) or is_why_question(sentence):
        return False
    return not (asks_for_work(sentence) and (is_wide(sentence) or STOPS.search(sentence)))


def _is_task(sentence: str) -> bool:
    """Whether a sentence asks for one piece of work: "add a dark mode", "rename Cart to Basket"."""
    return TASK.match(sentence) is not None and RULE_TO_WRITE.match(sentence) is None and not _is_lasting(sentence)


def _is_about_task(rule: Wording, sentence: str) -> bool:
    """Whether a rule is in the requests of a sentence that begins with one, not in what else it states."""
    rest = [part for part in _PAUSE.split(sentence)[1:] if TASK.match(part.lstrip()) is None]
    return not rest or 2 * shared_subjects(rule, wording_of(", ".join(rest))) < len(subjects_of(rule.units))


_PART_MARK = lazy_regex(r"[/:]")
_PAUSE = lazy_regex(r"[,;:](?=\s)|[，；：]")


def _is_quoted(rule: Wording, evidence: str) -> bool:
    """Whether most of what the user wrote of a rule is inside quotation marks."""
    quoted = frozenset(_words(match[0]) for match in _QUOTATION.finditer(rule.text))
    own = _QUOTATION.sub(
        lambda match: match[0] if _words(match[0]) in quoted or _is_name(match[0][1:-1]) else " ", evidence
    )
    if own == evidence:
        return False
    all_units, own_units = wording_of(evidence).units, wording_of(own).units
    subjects = subjects_of(rule.units)
    return shared_count(subjects, own_units) < 0.5 * shared_count(subjects, all_units)


def _exchanges(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule has another word, value or place where the user has one, or its opposite."""
    words = [unit.word for part in window for unit in part.units]
    return (
        exchanges_place(rule, window)
        or exchanges_value(rule, window)
        or crosses_clauses(rule, window)
        or negates_by_prefix([unit.word for unit in rule.units], words)
        or reverses_word(rule, window)
    )


def _adds_exception(rule: str, evidence: str) -> bool:
    """Whether a rule has an exception, and the user neither that nor a condition: "never, unless …" for "never"."""
    return EXCEPT.search(rule) is not None and not any(form.search(evidence) for form in (EXCEPT, LIMITED, _BUT))


_BUT = lazy_regex(
    r"(?i)\b(?:exception|but|other than|aber|ausnahme|pero|mais|ma|senza|maar|zonder|но|без)\b|但|ただ|が、"
)


def _is_name(quoted: str) -> bool:
    """Whether quoted words are a name or a value, which denies nothing: "uv pip"."""
    return not quotes_sentence(quoted) and not any(clause.is_denied for clause in wording_of(quoted).clauses)


def _is_lasting(sentence: str) -> bool:
    return is_wide(sentence) or any(form.search(sentence) for form in (OCCASION, STEPWISE, AT_ONCE, CONTINUOUS))


_CODE = lazy_regex(r"`([^`\n]{1,160})`")
"""Code, which of several words must be the user's as a whole: "`make test`" is not "`make check`"."""

_FOLDER_PATH = lazy_regex(
    r"`((?:[\w.@-]+/)+[\w.@-]*)`|(?<![\w/.:-])((?:[\w.@-]+/)+(?=[\s,;:.!)\]]|$)|(?:src|lib|libs|apps?|packages|pkg|internal|cmd"
    r"|crates|tests?|docs?|dist|build|vendor|scripts|assets|public|static|config|tools|components)/[\w.@/-]*\w)"
)
"""A path of which each part must be the user's: "src/other/"; "client/server" is none."""

_QUOTATION = lazy_regex(
    r"(?<!\w)'[^'\n]{3,200}\s[^'\n]{1,200}'(?!\w)|‘[^’\n]{3,200}\s[^’\n]{1,200}’"
    r"|[\"“„][^\"“”„\n]{2,200}\s[^\"“”„\n]{1,200}[\"“”]|«[^»\n]{4,200}»|[「『“\"](?=[^\"”\n]{0,99}[\u3040-\u9fff])[^「」『』“”\"\n]{3,100}[」』”\"]"
)
"""A quotation of at least two words, or three characters in a script without spaces."""

_FENCED = lazy_regex(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|^[ \t]*>.*$")

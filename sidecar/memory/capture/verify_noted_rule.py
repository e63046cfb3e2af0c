"""Verify a rule of a notes block against what the user typed. Pure.

A rule is supported if one message states it: every value, path and name in it is the user's, most of its other words
are (as written, inflected, a cognate, or by a shared concept in another language), what it denies the user denies, no
two of the user's words or steps change places ("from bun to yarn"), and it names no other pace, object of use or place.
A sentence that asks, supposes, reports what others state, or is about the task at hand supports nothing, and a rule
without the limit or place that the user named is not the user's. Where the user answers a proposal, the agent's text
before the message counts too. Doubt means unsupported: such a rule becomes an agent's note, which no anchor shows.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.explicit_statements import complains
from sidecar.language.own_words import reports_others, stated_words
from sidecar.language.rule_synonyms import FUNCTION_WORDS, LASTING, concepts_of, folded, is_generic
from sidecar.language.statement_clauses import (
    EXCEPT,
    EXCEPTED,
    LIMITED,
    OTHER_SCRIPTS,
    RULE_TO_WRITE,
    UNTIL,
    Clause,
    Unit,
    Wording,
    drops_condition,
    is_why_question,
    limited_clauses,
    parts_of,
    tokens_of,
    wording_of,
    wordings_of,
)
from sidecar.language.statement_features import as_request, is_for_one_task, is_shrugged_off
from sidecar.language.statement_openings import OCCASION, TASK
from sidecar.language.statement_values import AT_ONCE, STEPWISE, are_cognate, swaps_roles, takes_another_pace
from sidecar.language.user_statements import SCOPE

MINIMUMS, MINIMUMS_TRANSLATED = (0.7, 4, 0.57), (0.5, 3, 0.42)
"""Share of a rule's words that adjacent sentences must contain, and how many words about the subject lower it to what.

In another language it is lower, because the table of concepts is small.
"""

MIN_COVERAGE_RESTATED = 0.9
"""The same for two rules that count as one."""

VERBATIM_GAIN = 0.01
"""Preference of a verbatim statement over one that has the same words."""

MIN_RESTATED = 0.5
"""Share of a clause's words with which a rule restates it."""

MIN_SUBJECTS = 2
"""Words about the subject that must be the user's, if the rule has as many."""

MIN_DROPPED = 2
"""Words of the user's ban that a wider ban lacks."""

OPPOSED_SHARE = 0.5
"""Share of a clause's words that must be opposed; the rest of it is then another statement."""

WINDOW = 3
"""Adjacent sentences of a message that may state one rule."""

MIN_DOCUMENT_LINES, LONG_DOCUMENT_LINES = 20, 60
MIN_LEAD_INS, MIN_ITEM_SHARE = 4, 0.3
"""A long message is a document. So is a shorter one that introduces many lists, or consists of items to this share."""

MAX_FRAME_LINES = 8
"""Lines before a document that are the user's own."""

MAX_MESSAGE_CHARACTERS = 20_000
MAX_ANSWER_WORDS = 30
"""A longer message states its rule itself."""

ANSWERED_CHARACTERS = 1_200
"""Only the end of an agent's text is what the user answers."""

UNMATCHED_KNOWN, UNMATCHED_OTHER = 1.3, 0.7
"""Weights of a word that the message lacks: one whose meaning is listed is missed, another may be a synonym."""


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
    plain = " ".join(_PARENTHESIS.sub("", rule).split())
    for wording in dict.fromkeys((rule, plain)):
        statement = wording_of(wording)
        if all(is_generic(unit.concepts) for unit in statement.units):
            continue
        for index in range(len(messages) - 1, -1, -1):
            support = _support(statement, messages[index])
            if support is not None:
                return support._replace(message=index)
    return None


def repeats_one_task(rule: str, messages: Sequence[TypedMessage]) -> bool:
    """Whether a rule has the words of a sentence that is about the task at hand: "for this PR only: …"."""
    statement = wording_of(rule)
    sentences = (
        part for message in messages for part in wordings_of(stated_words(message.text[:MAX_MESSAGE_CHARACTERS]))
    )
    return bool(statement.units) and any(
        is_for_one_task(part.text) and _coverage(statement, [part]) > 0 for part in sentences
    )


def restates(rule: str, known_rule: str) -> bool:
    """Whether two rules state the same in other words: each has nearly every word of the other."""
    supports = (verify_rule(rule, (TypedMessage(known_rule),)), verify_rule(known_rule, (TypedMessage(rule),)))
    return all(support is not None and support.coverage >= MIN_COVERAGE_RESTATED for support in supports)


def recalls(complaint: str, known_rule: str) -> bool:
    """Whether a complaint only recalls a rule: "again you ran cargo fmt, I told you not to"."""
    if _RECALLED.search(complaint) is None:
        return False
    return _shared_units(wording_of(known_rule), wording_of(complaint)) >= MIN_SUBJECTS


_RECALLED = lazy_regex(
    r"(?i)\b(?:i|we)(?: ha(?:ve|d)|['’](?:ve|d))? (?:already |clearly |just )?(?:told|asked) you(?: (?:not to|so|that"
    r"|this|before|already|again|twice|\w+ times)){0,3}\W*$"
    r"|\bich hab(?:e|['’])? (?:es )?(?:dir|euch) (?:das |es )?(?:doch |schon |bereits ){0,2}gesagt\W*$"
    r"|\bya te lo (?:dije|he dicho)\W*$|\bje te l['’]ai (?:déjà )?dit\W*$|\b(?:já|eu) te disse(?: isso)?\W*$"
)
"""The end of a complaint that leaves out what was said."""


def _support(rule: Wording, message: TypedMessage) -> Support | None:
    own = _without_document(stated_words(message.text[:MAX_MESSAGE_CHARACTERS]))
    statements = [statement for statement in wordings_of(own) if _may_support(statement.text)]
    support = _best_window(rule, own, statements)
    if support is not None or not message.before or not _answers(own):
        return support
    answered = f"{_FENCED.sub(' ', message.before)[-ANSWERED_CHARACTERS:]}\n{own}"
    return _best_window(rule, answered, wordings_of(answered))


@lru_cache(maxsize=512)
def _words(text: str) -> str:
    return f" {' '.join(_WORD_OR_NUMBER.findall(folded(text)))} "


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
    first = next((at for at, line in enumerate(lines) if _is_structure(line)), len(lines))
    return "\n".join(lines[: min(first, MAX_FRAME_LINES)])


def _is_structure(line: str) -> bool:
    return line.endswith((":", "：")) or _LIST_ITEM.match(line) is not None


_LIST_ITEM = lazy_regex(r"(?:[-*•]|\d{1,2}[.)]|#{1,6})\s")


def _best_window(rule: Wording, text: str, statements: Sequence[Wording]) -> Support | None:
    """Return the adjacent sentences that contain most of a rule; None if they contain or deny too little."""
    tokens = [folded(token.strip("-.+~\\/@")) for _, token in tokens_of(text)]
    words = frozenset((*tokens, *(part for token in tokens for part in token.split("/"))))
    concepts = frozenset(concept for statement in statements for unit in statement.units for concept in unit.concepts)
    concepts |= frozenset(concept for word in words for concept in concepts_of(word))
    if not all(_has_value(unit, words, concepts) for unit in rule.units if unit.is_value):
        return None
    rule_words = _words(rule.text)
    tasks = [statement.text for statement in statements if _is_task(statement.text)]
    best: tuple[Support, int, int] | None = None
    opposed: list[tuple[float, int, int]] = []
    for size in range(1, WINDOW + 1):
        for start in range(max(1, len(statements) - size + 1)):
            window = statements[start : start + size]
            evidence = " ".join(statement.text for statement in window)
            coverage = _coverage(rule, window)
            is_verbatim = rule_words in _words(evidence)
            if coverage and is_verbatim:
                coverage += VERBATIM_GAIN
            if coverage and (
                _is_opposed(rule, window)
                or swaps_roles(rule.text, evidence)
                or _reverses_steps(rule.text, window)
                or takes_another_pace(rule.text, evidence)
                or _exchanges_object(rule, window)
                or (not is_verbatim and _exchanges_place(rule, window))
            ):
                opposed.append((coverage, start, start + size))
            elif (
                any(_is_about_task(rule, task) for task in tasks if task in evidence)
                or _is_quoted(rule, evidence)
                or _drops_limit(rule, window)
                or _drops_place(rule, window)
                or (not is_verbatim and (_widens_ban(rule, window) or _widens_all(rule, evidence)))
            ):
                continue
            elif coverage and (best is None or coverage > best[0].coverage):
                best = Support(0, evidence, coverage, rule.text), start, start + size
    if best is None:
        return None
    support, start, end = best
    is_denied = any(
        coverage >= support.coverage and not (start <= first and last <= end) for coverage, first, last in opposed
    )
    return None if is_denied else support


def _coverage(rule: Wording, window: Sequence[Wording]) -> float:
    """Return the share of a rule's words that some sentences contain; zero if it is too small."""
    units = [unit for statement in window for unit in statement.units]
    total = matched = 0.0
    subjects = matched_subjects = 0
    for rule_unit in rule.units:
        is_subject = not is_generic(rule_unit.concepts)
        is_matched = any(_is_same(rule_unit, unit) for unit in units)
        subjects += is_subject
        matched_subjects += is_subject and is_matched
        weight = rule_unit.weight
        if is_subject and not is_matched:
            weight *= UNMATCHED_KNOWN if rule_unit.concepts else UNMATCHED_OTHER
        total += weight
        matched += weight * is_matched
    is_translated = any(_are_translations(rule.language, statement.language) for statement in window)
    some, many, of_many = MINIMUMS_TRANSLATED if is_translated else MINIMUMS
    minimum = of_many if matched_subjects >= many else some
    coverage = matched / total
    return coverage if coverage >= minimum and matched_subjects >= min(subjects, MIN_SUBJECTS) else 0.0


def _is_opposed(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether some sentences deny what a clause of the rule states, or state what it denies."""
    clauses = [clause for statement in window for clause in statement.clauses]
    for rule_clause in rule.clauses:
        agreeing = opposing = 0.0
        named = sum(unit.weight for unit in rule_clause.units if not is_generic(unit.concepts))
        for clause in clauses:
            shared = sum(
                unit.weight
                for unit in rule_clause.units
                if not is_generic(unit.concepts) and any(_is_same(unit, other) for other in clause.units)
            )
            if clause.is_denied == rule_clause.is_denied:
                agreeing = max(agreeing, shared)
            elif not any(_restates_ban(other, clause) for other in rule.clauses):
                opposing = max(opposing, shared)
        if opposing > agreeing and opposing > OPPOSED_SHARE * named:
            return True
    return False


def _restates_ban(rule_clause: Clause, clause: Clause) -> bool:
    """Whether both forbid the same: other words of the rule may then state what is wanted instead."""
    shared = _shared(_subjects(rule_clause.units), clause.units)
    return rule_clause.is_denied and clause.is_denied and shared >= MIN_SUBJECTS


def _reverses_steps(rule: str, window: Sequence[Wording]) -> bool:
    """Whether a rule has two of the user's steps in the other order: "first A, then B", "B before A"."""
    ours = _steps_of(rule)
    if ours is None:
        return False
    orders = [steps for statement in window if (steps := _steps_of(statement.text)) is not None]
    balances = [
        _shared_units(ours[0], first)
        + _shared_units(ours[1], second)
        - 2 * min(_shared_units(ours[0], second), _shared_units(ours[1], first))
        for first, second in orders
    ]
    return bool(balances) and max(balances) < 0


def _may_support(sentence: str) -> bool:
    """Whether a sentence states something that may last: it does not ask, suppose, report, shrug or end with a task."""
    is_supposed = _SUPPOSED.match(sentence) is not None and not _is_wide(sentence)
    return not (
        is_supposed
        or reports_others(sentence)
        or is_shrugged_off(sentence)
        or _asks(sentence)
        or (is_for_one_task(sentence) and RULE_TO_WRITE.match(sentence) is None)
    )


def _asks(sentence: str) -> bool:
    """Whether a sentence asks for an answer, rather than being a complaint or a wish for more than one occasion."""
    if _QUESTION.search(sentence) is None or as_request(sentence) != (0, sentence):
        return False
    if complains(sentence) or is_why_question(sentence):
        return False
    return not (_REQUEST.match(sentence) and (_is_wide(sentence) or _STOPS.search(sentence)))


def _is_wide(sentence: str) -> bool:
    """Whether a sentence has words by which it holds for more than one occasion."""
    plain = sentence.casefold()
    return SCOPE.search(sentence) is not None or any(marker in plain for marker in LASTING)


def _is_task(sentence: str) -> bool:
    """Whether a sentence asks for one piece of work: "add a dark mode", "rename Cart to Basket"."""
    lasts = _is_wide(sentence) or OCCASION.search(sentence) or STEPWISE.search(sentence) or AT_ONCE.search(sentence)
    return TASK.match(sentence) is not None and RULE_TO_WRITE.match(sentence) is None and not lasts


def _is_about_task(rule: Wording, sentence: str) -> bool:
    """Whether a rule is in the requests of a sentence that begins with one, not in what else it states."""
    rest = [part for part in _PAUSE.split(sentence)[1:] if TASK.match(part.lstrip()) is None]
    subjects = len(_subjects(rule.units))
    return not rest or 2 * _shared_units(rule, wording_of(", ".join(rest))) < subjects


_PAUSE = lazy_regex(r"[,;:](?=\s)|[，；：]")


def _is_quoted(rule: Wording, evidence: str) -> bool:
    """Whether most of what the user wrote of a rule is inside quotation marks."""
    own = _QUOTATION.sub(" ", evidence)
    if own == evidence:
        return False
    all_units, own_units = wording_of(evidence).units, wording_of(own).units
    subjects = _subjects(rule.units)
    return _shared(subjects, own_units) < 0.5 * _shared(subjects, all_units)


def _drops_limit(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule holds for good or in all cases, while the user named an end, or an exception after its words."""
    if LIMITED.search(rule.text) is None and any(UNTIL.search(statement.text) for statement in window):
        return True
    if any(drops_condition(rule.text, statement.text) for statement in window):
        return True
    if EXCEPTED.search(rule.text) is not None:
        return False
    exceptions = [(statement, match.start()) for statement in window if (match := EXCEPT.search(statement.text))]
    subjects = len(_subjects(rule.units))
    return any(2 * _shared_units(rule, wording_of(evidence.text[:start])) >= subjects for evidence, start in exceptions)


def _drops_place(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule restates most of a clause but not the place to which the user limited it."""
    for statement in window:
        for clause in limited_clauses(_without_lasting(statement.text)):
            parts = parts_of(clause)
            units = _subjects(wording_of(clause).units)
            matched = [unit for unit in units if any(_is_same(rule_unit, unit) for rule_unit in rule.units)]
            places = [unit for unit in units if unit.word in parts or unit.word.partition(".")[0] in parts]
            missing = [unit for unit in places if unit not in matched]
            if missing and matched and len(matched) >= MIN_RESTATED * (len(units) - len(missing)):
                return True
    return False


def _widens_ban(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule forbids something with less than half of the words by which the user limited the ban."""
    statements = [statement for statement in window if not is_why_question(statement.text)]
    bans = [clause.units for statement in statements for clause in statement.clauses if clause.is_denied]
    for units in (clause.units for clause in rule.clauses if clause.is_denied):
        subjects = _subjects(units)
        if not bans or not subjects:
            continue
        known = max(bans, key=partial(_shared, subjects))
        if _shared(subjects, known) < len(subjects):
            continue
        own_subjects = _subjects(known)
        missing = [own for own in own_subjects if not any(_is_same(unit, own) for unit in rule.units)]
        if len(missing) >= MIN_DROPPED and 2 * len(missing) > len(own_subjects):
            return True
    return False


def _widens_all(rule: Wording, evidence: str) -> bool:
    """Whether a rule is about all of a kind, the user's words about those with a quality: "all deeper levels"."""
    own_words = frozenset(folded(match[0]) for match in _WORD_OR_NUMBER.finditer(rule.text))
    stated = {(folded(match[1]), folded(match[2] or "")) for match in _ALL_WITH_QUALITY.finditer(evidence)}
    nouns = {folded(match[1]) for match in _ALL_WITH_QUALITY.finditer(rule.text)}
    return any(noun in nouns and quality not in own_words and quality not in FUNCTION_WORDS for quality, noun in stated)


_ALL_WITH_QUALITY = lazy_regex(
    r"(?i)\b(?:all|every|each|any|alle[rnms]?|jede[rnms]?|tous les|toutes les|todos los|todas las|todos os|todas as"
    r"|tutti i|tutte le|все)\s(?=(?:(?:of |the |our |single )){0,2}(\w+)(?:\s(\w+))?)"
)


def _without_lasting(text: str) -> str:
    """Return a text without the words by which it lasts, some of which have a preposition: "a partir de ahora"."""
    plain = text.casefold()
    for marker in LASTING:
        if " " in marker and (start := plain.find(marker)) >= 0 and len(plain) == len(text):
            text = f"{text[:start]}{text[start + len(marker) :]}"
            plain = text.casefold()
    return text


def _steps_of(text: str) -> tuple[Wording, Wording] | None:
    """Return the earlier and the later step of a statement; None if it orders none, or several in different ways."""
    matches = list(_STEP_ORDER.finditer(text))
    if not matches or (len(matches) > 1 and any(match.lastgroup != "then" for match in matches)):
        return None
    match = matches[0]
    left, right = text[: match.start()], text[match.end() :]
    is_later_first = match.lastgroup in ("after", "unspaced_before")
    if match.lastgroup in ("before", "after") and all(is_generic(unit.concepts) for unit in wording_of(left).units):
        left, _, right = right.partition(",")  # "before A, B" and "after A, B"
        is_later_first = match.lastgroup == "before"
    steps = wording_of(left), wording_of(right)
    if not all(wording.clauses for wording in steps):
        return None
    return steps[::-1] if is_later_first else steps


def _shared_units(wording: Wording, other: Wording) -> int:
    return _shared(_subjects(wording.units), other.units)


def _subjects(units: Iterable[Unit]) -> list[Unit]:
    """Return the words that say what a statement is about."""
    return [unit for unit in units if not is_generic(unit.concepts)]


def _shared(units: Iterable[Unit], others: Collection[Unit]) -> int:
    """Return how many words are among others, in whatever form."""
    return sum(any(_is_same(unit, other) for other in others) for unit in units)


def _exchanges_object(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule uses, or puts something into, what the user did not name there, while the user named another."""
    units = [unit for statement in window for unit in statement.units]
    same_language = [statement for statement in window if not _are_translations(rule.language, statement.language)]
    for pattern in (_USED, _DESTINATION):
        ours = _objects(pattern, rule.text)
        theirs = [unit for statement in same_language for unit in _objects(pattern, statement.text)]
        if pattern is _USED and any(_is_same(unit, other) for unit in theirs for other in rule.units):
            continue  # "use the Button of shadcn" for "use shadcn, its Button"
        known = units if pattern is _USED else theirs
        if ours and theirs and not any(_is_same(unit, other) for unit in ours for other in known):
            return True
    return False


def _exchanges_place(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule has words of a clause with the place or purpose of another: "dark for panels, light for keys"."""
    ours = _objects(_PLACE_OR_PURPOSE, rule.text)
    clauses = [
        (clause, _objects(_PLACE_OR_PURPOSE, clause))
        for statement in window
        if not _are_translations(rule.language, statement.language)
        for clause in limited_clauses(statement.text)
    ]
    if not ours or len(clauses) < 2 or any(unit.is_value for unit in ours):
        return False
    rest = [unit for unit in rule.units if unit not in ours and not is_generic(unit.concepts)]
    shared = [_shared(rest, wording_of(clause).units) for clause, _ in clauses]
    best = shared.index(max(shared))
    theirs = clauses[best][1]
    is_elsewhere = any(
        _is_same(unit, own) for at, (_, objects) in enumerate(clauses) if at != best for own in objects for unit in ours
    )
    return bool(theirs) and is_elsewhere and not any(_is_same(unit, own) for own in theirs for unit in rule.units)


def _objects(pattern: re.Pattern[str], text: str) -> list[Unit]:
    words = (next(filter(None, match.groups())) for match in pattern.finditer(text))
    return [unit for word in words for unit in wording_of(word.rstrip("/").rpartition("/")[2]).units]


def _is_same(rule_unit: Unit, unit: Unit) -> bool:
    if rule_unit.word == unit.word or not rule_unit.concepts.isdisjoint(unit.concepts):
        return True
    if rule_unit.is_value or unit.is_value:
        return False
    return are_cognate(rule_unit.word, unit.word)


def _has_value(unit: Unit, words: frozenset[str], concepts: frozenset[int]) -> bool:
    """Whether a value occurs as it is, as a part of a longer path, or, for a number, as a word."""
    if unit.word in words or not unit.concepts.isdisjoint(concepts):
        return True
    return len(unit.word) > 3 and not unit.word.isdigit() and any(unit.word in word for word in words)


def _are_translations(first: str, second: str) -> bool:
    if first == second:
        return False
    return bool(first and second) or not {first, second}.isdisjoint(OTHER_SCRIPTS)


_QUESTION = lazy_regex(r"[?？][\"'”»)\]\s]{0,5}$|(?:でしょうか|ですか|かな|吗|么)[。\s]{0,3}$")
_REQUEST = lazy_regex(
    r"(?i)\W*(?:(?:and|but|also|so|please|und|y|et|e)\s){0,2}(?:(?:can|could|would|will) (?:you|we)|kannst du"
    r"|könntest du|puedes|podrías|tu peux|peux[- ]tu|pourrais[- ]tu|(?:você )?pode(?:ria)?|puoi|potresti|kun je|можешь"
    r"|why (?:don['’]?t|not))|.*(?:て(?:もらえ|くれ|いただけ)ま(?:すか|せんか)|能不能|可不可以|可以)"
)
_STOPS = lazy_regex(
    r"(?i)\b(?:stop|not|don['’]?t|no more|without|instead of|rather than|nicht|keine?n?|ohne|statt|no|sin|dejar de|pas"
    r"|sans|arrêter|não|sem|parar de|non|senza|niet|geen|не|без)\b|ないで|不要|别"
)
_SUPPOSED = lazy_regex(
    r"(?i)[¿\W]*(?:(?:and|but|so|hm+|ok|y|et|e|und|aber)[\s,]{1,3}){0,2}(?:what if|suppose|supposing|imagine"
    r"|let['’]?s (?:say|suppose|assume|pretend)|assuming|hypothetically|i (?:wonder|guess|wish)|maybe we|perhaps we"
    r"|would it|was wäre|angenommen|stell dir vor|ob wir|et si|imagine|supposons|je me demande|qué (?:pasa|pasaría) si"
    r"|supongamos|me pregunto|e se|suponha|imagina|será que|stel dat|что если|представь|допустим|如果.{1,40}(?:会怎"
    r"|怎么样|呢)|假如|假设|もし.{1,40}(?:どう|かな)|仮に)"
)
_QUOTATION = lazy_regex(
    r"(?<!\w)'[^'\n]{3,200}\s[^'\n]{1,200}'(?!\w)|‘[^’\n]{3,200}\s[^’\n]{1,200}’"
    r"|[\"“„][^\"“”„\n]{2,200}\s[^\"“”„\n]{1,200}[\"“”]|«[^»\n]{4,200}»|[「『“\"][^「」『』“”\"\n]{3,100}[」』”\"]"
)
"""A quotation of at least two words, or three characters in a script without spaces."""

_STEP_ORDER = lazy_regex(
    r"(?i)(?P<then>\b(?:then|afterwards|dann|danach|anschließend|luego|después(?! de)|depois(?! de)|puis|ensuite|poi"
    r"|daarna|затем|потом)\b|然后|然後|再|その後|それから|してから)"
    r"|(?P<before>\b(?:before|bevor|antes de|avant de|prima di|voordat|прежде чем|перед тем как)\b)"
    r"|(?P<after>\b(?:after|nachdem|después de|depois de|après|dopo|nadat|после того как)\b)"
    r"|(?P<unspaced_before>之前|以前|前に)|(?P<unspaced_after>之后|之後|以后|後に)"
)
_ARTICLES = (
    r"(?:(?:an?|the|your|our|this|only|just|always|un|una|une|des|el|la|le|les|los|las|os?|uma?|il|lo"
    r"|ein\w*|die|der|das|den|een|het)\s+)*"
)
_USED = lazy_regex(
    r"(?i)\b(?:use|using|usa|usar|use[mn]?|utiliz\w+|utilise\w*|verwende\w*|benutze\w*|nutze\w*|gebruik\w*)\s+"
    + _ARTICLES
    + r"[`\"']?([\w@][\w@./+#-]*)"
)
_DESTINATION = lazy_regex(
    r"(?i)\b(?:put|move|place|store|save)\b[^.;\n]{0,60}?\b(?:in|into|to|under|inside)\s+"
    + _ARTICLES
    + r"[`\"']?([\w./-]+)"
    r"|(?:放到|放在|放进|放進|移到|移动到|移動到|搬到|存到|写到|寫到)[^\w\n]*[^A-Za-z0-9_./\n]{0,12}([A-Za-z0-9_./-]+)"
    r"|(?<![A-Za-z0-9_./-])([A-Za-z0-9_./-]++)[^A-Za-z0-9_./\n]{0,6}(?:に置|に移|に入れ|へ移|に保存)"
)
_PLACE_OR_PURPOSE = lazy_regex(
    r"(?i)\b(?:for|in|für|im|para|en|em|pour|dans|per|nel\w*|voor|для|в)\s+"
    r"(?:all |alle |todos |todas |tous |toutes |every )?" + _ARTICLES + r"([^\W\d_][\w-]+)"
)
_FENCED = lazy_regex(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|^[ \t]*>.*$")
_ANSWER = lazy_regex(
    r"(?i)^\W*(?:yes|yeah|yep|ok|okay|sure|right|exactly|correct|agreed|perfect|good|great|do|please do|sim|isso|certo"
    r"|exato|combinado|s[ií]|vale|de acuerdo|exacto|claro|oui|d['’]accord|exactement|parfait|ja|genau|richtig"
    r"|einverstanden|passt|va bene|esatto|d['’]accordo|klopt|precies|akkoord|да|хорошо|верно|именно|согласен)(?!\w)"
)
_UNSPACED_ANSWER = lazy_regex(r"^\W*(?:はい|うん|そう|それで|了解|是|对|好|可以|同意|没错|嗯)")


def _answers(message: str) -> bool:
    """Whether a short message accepts a proposal as lasting: "yes, do that from now on"."""
    text = " ".join(message.split())
    plain = text.casefold()
    is_lasting = any(marker in plain for marker in LASTING)
    accepts = _ANSWER.match(text) is not None or _UNSPACED_ANSWER.match(text) is not None
    return is_lasting and accepts and len(text.split()) <= MAX_ANSWER_WORDS and len(text) <= 200

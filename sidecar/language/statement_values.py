"""Whether two statements are one with another value: "the branch is trunk", "… main"; their words and order. Pure."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import stem
from sidecar.language import statement_phrases as phrases
from sidecar.language.common_words import TOOL_NAMES, english_terms, frame_stems, plain_words
from sidecar.language.english_translation import (
    are_translations,
    is_english,
    language_of,
    meanings_of,
    opposites_of,
)
from sidecar.language.rule_synonyms import (
    CONDITION_AFTER,
    FUNCTION_WORDS,
    LIMITED,
    NEGATIONS,
    ONLY_WHEN,
    concepts_of,
    exact_kinds,
    folded,
    is_generic,
    is_unspaced,
)
from sidecar.language.statement_clauses import (
    CLAUSE_MARK,
    Clause,
    Unit,
    Wording,
    is_same,
    limited_clauses,
    wording_of,
)
from sidecar.language.statement_openings import LEAD_IN, adds_to_others, without_assent

MIN_SUBJECTS = 2
"""Words about the subject that must be the user's, if a rule has as many."""

MIN_WITHIN = 4
"""Letters of a word that is found within another."""

MAX_OWN = 3
"""Words of a rule's own up to which it is the user's statement with another demand."""

MAX_VALUE_WORDS = 5
"""Number of words of a value."""


class _Difference(NamedTuple):
    """The only words in which two statements differ, between the words that both have."""

    before: tuple[str, ...]
    new: tuple[str, ...]
    old: tuple[str, ...]
    after: tuple[str, ...]


def has_other_value(new: str, old: str) -> bool:
    """Whether two statements have the same subject and predicate, and differ in what stands in a value's place.

    Both hold if one of them denies something, adds to the other ("too"), or only names another place or purpose.
    """
    difference = _difference(words_in_order(new), words_in_order(old))
    if difference is None or adds_to_others(new) or _denies(new) or _denies(old):
        return False
    if any(map(is_unspaced, "".join((*difference.before, *difference.after)))):
        return _is_unspaced_value(difference)
    spans, links = (difference.new, difference.old), phrases.LINKING_WORDS | phrases.PURPOSE_WORDS
    is_value = max(map(len, spans)) <= MAX_VALUE_WORDS and not any(
        word in phrases.STATING_VERBS or (word in links and word != span[0] != "next")
        for span in spans
        for word in span
    )
    return is_value and (_is_stated_of_subject(difference) or _is_manner(difference) or _is_holder(difference))


def _denies(text: str) -> bool:
    return any(clause.is_denied for clause in wording_of(without_assent(text)).clauses)


@lru_cache(maxsize=2_048)
def words_in_order(text: str) -> tuple[str, ...]:
    """Return the words of a statement, without those that say nothing; of a script without spaces, its characters."""
    bare = without_assent(LEAD_IN.sub(" ", without_assent(text.partition("\n\n")[0]))).strip()
    pieces = _PIECE.findall(folded(_IS.sub(" is ", bare)))
    words = (piece.strip(".,;:!?()\"'’`*“”。、，！？：") for piece in pieces)
    return tuple(word for word in words if word and word not in phrases.PLAIN_WORDS)


_IS = lazy_regex(r"(?i)(?<!\w)[éè](?!\w)|['’]s(?!\w)")
_PIECE = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff々]|(?:(?![\u3040-\u30ff\u3400-\u9fff々'’])\S)+")


def names_another_object(new: str, old: str) -> bool:
    """Whether a number that names an object differs in two statements: "migration 0012", "migration 0013"."""
    ours, theirs = _numbered(words_in_order(new)), _numbered(words_in_order(old))
    return any(number != theirs.get(noun, number) for noun, number in ours.items())


def _numbered(words: Sequence[str]) -> dict[str, str]:
    """Return the number of each noun that a number follows; a measure's, a tool's or a unit's number is a value."""
    numbered: dict[str, str] = {}
    for before, number, after in zip(words, words[1:], (*words[2:], ""), strict=False):
        if number.lstrip("#").isdecimal() and not _UNIT.match(after) and _is_noun(before):
            numbered.setdefault(before, number)
    return numbered


def _is_noun(word: str) -> bool:
    is_plain = word[0].isalpha() and word not in FUNCTION_WORDS and word not in TOOL_NAMES
    return is_plain and not is_generic(concepts_of(word)) and not any(map(word.__contains__, phrases.MEASURES))


_UNIT = lazy_regex(
    r"(?:%|percent|prozent|por|pour|times?|seconds?|minutes?|hours?|days?|weeks?|ms|[kmg]b|px|lines?|char|spaces?|tabs?"
    r"|levels?|decimals?|digits?|euros?|dollars?|retries|attempts?|calls?|words?|items?|sekund|minut|stunde"
    r"|tage?|zeilen?|zeichen|lignes?|caract|espac|l[ií]neas?|linhas?|righe|regels?|строк|секунд|[个行秒分天字次文桁日時])"
)


def _difference(new: tuple[str, ...], old: tuple[str, ...]) -> _Difference | None:
    """Return where two statements differ; None if one of them only has more words."""
    shortest = min(len(new), len(old))
    start = next((at for at in range(shortest) if new[at] != old[at]), shortest)
    rest = shortest - start
    end = next((at for at in range(rest) if new[-1 - at] != old[-1 - at]), rest)
    spans = new[start : len(new) - end], old[start : len(old) - end]
    return _Difference(new[:start], *spans, new[len(new) - end :]) if all(spans) else None


def _is_stated_of_subject(difference: _Difference) -> bool:
    """Whether the value is what a verb says of a subject: "the branch is called …", "staging runs on host …"."""
    before = difference.before
    at = next((at for at in reversed(range(1, len(before))) if before[at] in phrases.STATING_VERBS), 0)
    if not at and before and before[0] in phrases.INVERTED_VERBS:  # "ist das Log-Level …", "läuft Staging auf …"
        subject = before[1:-1] if before[-1] in phrases.LINKING_WORDS else before[1:]
        return len(subject) < (4 if subject == before[1:] else 2) and _names_something(subject)
    if not at or not _names_something(before[:at]):
        return False
    link = before[at + 1 :]
    link = link[1:] if link and _PARTICIPLE.search(link[0]) and link[0] not in phrases.LINKING_WORDS else link
    return not link or (link[0] in phrases.LINKING_WORDS and len(link) <= 2)


def _is_manner(difference: _Difference) -> bool:
    """Whether the value is how or where a demand puts its object: "write docs in …", "use … for dates"."""
    before, after = difference.before, difference.after
    if not before:
        return False
    if before[-1] in phrases.USE_WORDS and after and after[0] in phrases.PURPOSE_WORDS:
        return _names_something(after[1:])
    is_linked = before[-1] in phrases.LINKING_WORDS
    if is_linked and not _names_something(before[1:-1]):
        is_short = bool(after) and after[-1] in phrases.MANNER_VERBS
        is_short = is_short or (not after and language_of(" ".join((*before, *difference.new))) == "ru")
        return is_short and len(before) == 2 and before[0] not in phrases.MANNER_VERBS
    if before[0] in phrases.NAMING_VERBS:
        return _names_something(before[1:])
    is_placed = difference.new[0] in phrases.LINKING_WORDS or difference.old[0] in phrases.LINKING_WORDS
    return before[0] in phrases.MANNER_VERBS and (is_linked or is_placed) and _names_something(before[1:])


def _is_holder(difference: _Difference) -> bool:
    """Whether the value is who has a task: "anna reviews all API changes"."""
    before, new, old, after = difference
    if before or len(after) < 2 or max(len(new), len(old)) > 2:
        return False
    has_role = after[0] in phrases.STATING_VERBS and after[1] in phrases.TASK_ROLES and len(after) > 2
    return has_role or after[0] in phrases.TASK_VERBS


def _is_unspaced_value(difference: _Difference) -> bool:
    """Whether a value follows a topic or a verb of Japanese or Chinese, or is who has a task."""
    before, new, old, after = map("".join, difference)
    if _UNSPACED_LINK.search(new) or _UNSPACED_LINK.search(old):
        return False
    return bool(_UNSPACED_PLACE.search(before)) or (len(before) < 2 and bool(_UNSPACED_TASK.match(after)))


def _names_something(words: Sequence[str]) -> bool:
    return any(len(word) > 1 and word not in phrases.PRONOUNS and word not in phrases.LINKING_WORDS for word in words)


_UNSPACED_LINK = lazy_regex(r"[はがをも在用是叫/]|です|ます")
_UNSPACED_PLACE = lazy_regex(r"..(?:[はが]|在|叫|是|用|为|放到?|写成|改成)[^はがをで在用是叫]{0,3}$")
_UNSPACED_TASK = lazy_regex(r".{0,2}(?:审核|审查|审批|负责|批准|(?:さん)?が.{0,30}(?:レビュー|承認|確認|担当))")
_PARTICIPLE = lazy_regex(r"(?:[a-z]ed|tten|wn|ept|put|built|held|ite?s?|ee?s?|[ai]d[ao]s?|[ai]t[aei]|itt[aei])$")


class Relation(NamedTuple):
    """Two words of a clause and what connects them: a preposition, Chinese or Japanese text, or nothing."""

    first: str
    link: str
    second: str


@lru_cache(maxsize=512)
def relations_of(text: str) -> frozenset[Relation]:
    """Return the relations between neighbouring words of each clause; conjunctions relate nothing."""
    relations: set[Relation] = set()
    for clause in _RELATED.split(text):
        first, link = "", ""
        for match in _RELATED_WORD.finditer(folded(clause)):
            word = match[0]
            if is_unspaced(word[0]) or word in _LINKS:
                link = "" if word in _UNSPACED_CONJUNCTIONS else word
            elif word in _CONJUNCTIONS or word in NEGATIONS:
                first, link = "", ""
            elif word not in FUNCTION_WORDS:
                if first and first != word:
                    relations.add(Relation(first, link, word))
                first, link = word, ""
    return frozenset(relations)


_RELATED = lazy_regex(r"[,;:.!?、，。；：！？()（）\n](?=\s|$|[^\x00-\x7f])|[、，。；：！？（）]")
_RELATED_WORD = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff々]+|[^\s\u3040-\u30ff\u3400-\u9fff々,;:!?()\"`“”«»]+")
_LINKS = frozenset(
    folded(word)
    for word in "from to into with by before after over under on in at for as per than until"
    " von nach zu mit durch vor auf über unter als für bis"
    " de desde hacia a al con por antes después sobre en para como"
    " du vers à avec par avant après sur dans pour comme"
    " da do com depois em na prima dopo su van naar met voor op"
    " из с со на в до после перед над под для как к".split()
)
_CONJUNCTIONS = frozenset("and or und oder et ou y o e en of и или plus".split()) - _LINKS
_UNSPACED_CONJUNCTIONS = frozenset("と や か 和 与 跟 或 及 以及 或者 还有".split())


def swaps_roles(rule: str, evidence: str) -> bool:
    """Whether a rule exchanges two of the user's words: "Redis for data", "from bun to yarn", "light text"."""
    stated = relations_of(evidence)
    relations = relations_of(rule)
    missing, added = stated - relations, relations - stated
    for first, link, second in added:
        if not link:
            continue
        starts = any(other.link == link and other.first == first for other in missing)
        ends = any(other.link == link and other.second == second for other in missing)
        if Relation(second, link, first) in missing or (starts and ends):
            return True
    replaced = {
        (old.first, new.first) if old.second == new.second else (old.second, new.second)
        for old in missing
        for new in added
        if old.link == new.link and (old.second == new.second) != (old.first == new.first)
    }
    return any((new, old) in replaced for old, new in replaced)


def has_value(unit: Unit, words: frozenset[str], concepts: frozenset[int], units: Sequence[Unit]) -> bool:
    """Whether a value occurs as it is, as a part of a longer path, or, for a number, as a word."""
    if unit.word in words or not unit.concepts.isdisjoint(concepts):
        return True
    if len(unit.word) > 3 and not unit.word.isdigit() and any(unit.word in word for word in words):
        return True
    return any(is_same(unit, other) for other in units)


def subjects_of(units: Iterable[Unit]) -> list[Unit]:
    """Return the words that say what a statement is about."""
    return [unit for unit in units if not is_generic(unit.concepts)]


def shared_count(units: Iterable[Unit], others: Collection[Unit]) -> int:
    """Return how many words are among others, in whatever form."""
    return sum(any(is_same(unit, other) for other in others) for unit in units)


def shared_subjects(wording: Wording, other: Wording) -> int:
    """Return how many words of a statement that say what it is about are in another statement."""
    return shared_count(subjects_of(wording.units), other.units)


def exchanges_value(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a clause has a value of another clause of the user's in place of that which its other words have."""
    clauses = [clause for statement in window for clause in statement.clauses]
    if len(clauses) < MIN_SUBJECTS:
        return False
    for rule_clause in rule.clauses:
        subjects = subjects_of(rule_clause.units)
        for value in (unit for unit in subjects if unit.is_value):
            rest = [unit for unit in subjects if unit is not value]
            shares = [shared_count(rest, clause.units) for clause in clauses]
            if not rest or not max(shares):
                continue
            best = [clause for clause, share in zip(clauses, shares, strict=True) if share == max(shares)]
            best = [clause for clause in best if clause.is_denied == rule_clause.is_denied]
            own = [unit for clause in best for unit in clause.units]
            is_own = any(is_same(value, unit) for unit in own)
            rivals = [unit for unit in own if _is_rival(unit, value) and not shared_count([unit], rule_clause.units)]
            if rivals and not is_own:
                return True
            if not rule_clause.is_denied and any(
                _has_rival_elsewhere(unit, value, rule_clause, clauses) for unit in rest
            ):
                return True
    return False


def _has_rival_elsewhere(unit: Unit, value: Unit, rule_clause: Clause, clauses: Sequence[Clause]) -> bool:
    """Whether each clause of the user's that has a word has another value of the same kind, which a rule's lacks."""
    places = [clause.units for clause in clauses if not clause.is_denied and shared_count([unit], clause.units)]
    return (
        bool(places)
        and unit.word not in plain_words()
        and all(
            not shared_count([value], units)
            and any(_is_rival(other, value) and not shared_count([other], rule_clause.units) for other in units)
            for units in places
        )
    )


def crosses_clauses(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether two clauses of a rule each have words of two clauses of the user's, which keep them apart."""
    clauses = [clause.units for statement in window for clause in statement.clauses]
    origins: list[set[int]] = []
    for rule_clause in rule.clauses:
        places = ([at for at, units in enumerate(clauses) if shared_count([unit], units)] for unit in rule_clause.units)
        origins.append({found[0] for found in places if len(found) == 1})
    pairs = ((first, second) for at, first in enumerate(origins) for second in origins[at + 1 :])
    return any(len(first & second) > 1 for first, second in pairs)


def _is_rival(unit: Unit, value: Unit) -> bool:
    """Whether two values are of one kind: two tools, or two languages, colours, numbers."""
    are_tools = unit.word in TOOL_NAMES and value.word in TOOL_NAMES
    concepts = unit.concepts, value.concepts
    return unit.is_value and (are_tools or any(not any(map(kind.isdisjoint, concepts)) for kind in exact_kinds()))


def adds_words(rule: Wording, window: Sequence[Wording], message: Collection[Unit]) -> bool:
    """Whether a rule is the user's statement but for a few words of its own: "never edit" for "never commit".

    Of one word this holds if the rule also lacks one of the user's. A word from elsewhere in the message is the user's,
    too. A rule with more words of its own is worded freely; its share of the user's words decides.
    """
    if any((rule.language or "en") != (statement.language or "en") for statement in window):
        return False
    ours, theirs = (subjects_of(units) for units in (rule.units, [unit for part in window for unit in part.units]))
    count = len(_missing_in((*theirs, *message), ours))
    return 0 < count <= MAX_OWN and (count > 1 or bool(_missing_in(ours, theirs)))


def _missing_in(units: Collection[Unit], others: Iterable[Unit]) -> frozenset[str]:
    """Return which of other words have no counterpart among some words, without those in which any rule can be put."""
    return frozenset(
        other.word
        for other in others
        if _adds_demand(other) and not any(is_same(other, unit) or _is_part(other.word, unit.word) for unit in units)
    )


def _adds_demand(unit: Unit) -> bool:
    """Whether a word is known and demands something by itself."""
    if (
        unit.word in plain_words()
        or stem(unit.word) in frame_stems()
        or not unit.concepts.isdisjoint(_frame_concepts())
    ):
        return False
    meanings = meanings_of(unit.word, unit.language)
    is_known = unit.is_value or (_is_english(unit.word) if not unit.language else bool(unit.concepts) or bool(meanings))
    return is_known and meanings.isdisjoint(frame_stems() | plain_words())


def _is_english(word: str) -> bool:
    return stem(word) in english_terms() or is_english(word) or is_english(stem(word))


def _is_part(word: str, other: str) -> bool:
    """Whether a word is the beginning or end of another: "increment" of "autoincrement"."""
    if is_unspaced(word[0]):
        return word[0] in other or other[0] in word
    return len(word) >= MIN_WITHIN and (other.startswith(word) or other.endswith(word))


@lru_cache(maxsize=1)
def _frame_concepts() -> frozenset[int]:
    return frozenset(concept for word in frame_stems() for concept in concepts_of(word))


def _meanings_in(units: Iterable[Unit]) -> frozenset[str]:
    return frozenset(meaning for unit in units for meaning in meanings_of(unit.word, unit.language))


def reverses_word(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule states or denies the opposite of what the user does: "short answers" for "long answers"."""
    parts = [(clause.is_denied, unit) for part in window for clause in part.clauses for unit in clause.units]
    ours = [(clause.is_denied, unit) for clause in rule.clauses for unit in clause.units]
    theirs = {
        denial: _meanings_in(unit for is_denied, unit in parts if is_denied == denial) for denial in (True, False)
    }
    stated, own = theirs[True] | theirs[False], _meanings_in(unit for _, unit in ours)
    return any(
        opposite in theirs[is_denied] - own and opposites_of(opposite).isdisjoint(stated)
        for is_denied, unit in ours
        for meaning in _meanings_in([unit])
        for opposite in opposites_of(meaning)
    )


def exchanges_object(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule uses, or puts something into, what the user did not name there, while the user named another."""
    units = [unit for statement in window for unit in statement.units]
    same_language = [statement for statement in window if not are_translations(rule.language, statement.language)]
    for pattern in (_USED, _DESTINATION):
        ours = _objects(pattern, rule.text)
        theirs = [unit for statement in same_language for unit in _objects(pattern, statement.text)]
        if pattern is _USED and any(is_same(unit, other) for unit in theirs for other in rule.units):
            continue  # "use the Button of shadcn" for "use shadcn, its Button"
        known = units if pattern is _USED else theirs
        if ours and theirs and not any(is_same(unit, other) for unit in ours for other in known):
            return True
    return False


def exchanges_place(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule has words of a clause with the place or purpose of another: "dark for panels, light for keys"."""
    ours = _objects(_PLACE_OR_PURPOSE, rule.text)
    clauses = [
        (clause, _objects(_PLACE_OR_PURPOSE, clause))
        for statement in window
        if not are_translations(rule.language, statement.language)
        for clause in limited_clauses(statement.text)
    ]
    if not ours or len(clauses) < 2 or any(unit.is_value for unit in ours):
        return False
    rest = [unit for unit in rule.units if unit not in ours and not is_generic(unit.concepts)]
    shared = [shared_count(rest, wording_of(clause).units) for clause, _ in clauses]
    best = shared.index(max(shared))
    theirs = clauses[best][1]
    is_elsewhere = any(
        is_same(unit, own) for at, (_, objects) in enumerate(clauses) if at != best for own in objects for unit in ours
    )
    return bool(theirs) and is_elsewhere and not any(is_same(unit, own) for own in theirs for unit in rule.units)


def _objects(pattern: re.Pattern[str], text: str) -> list[Unit]:
    words = (next(filter(None, match.groups())) for match in pattern.finditer(text))
    return [unit for word in words for unit in wording_of(word.rstrip("/").rpartition("/")[2]).units]


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


def reverses_steps(rule: str, window: Sequence[Wording]) -> bool:
    """Whether a rule has two of the user's steps in the other order: "first A, then B", "B before A"."""
    ours = _orders_of(rule)
    theirs = [orders for statement in window if (orders := _orders_of(statement.text))]
    return bool(theirs) and all(any(_balance(own, order) < 0 for own in ours for order in orders) for orders in theirs)


def reverses_condition(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule drops the user's condition, demands it, or demands something else on it: "when A, also B"."""
    ours = _occasion_of(rule.text)
    theirs = [found for statement in window if (found := _occasion_of(statement.text)) is not None]
    is_reversed = ours is not None and theirs != [] and all(_balance(ours, found) < 0 for found in theirs)
    return is_reversed or _drops_occasion(rule, window) or _lacks_demand(rule, window)


def _lacks_demand(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether the user begins with the condition of a rule, but not even half of what it then demands follows."""
    parts = _occasion_of(rule.text)
    if parts is None or any(are_translations(rule.language, part.language) for part in window):
        return False
    conditions = [stated[0] for part in window if (stated := _occasion_of(part.text)) is not None]
    subjects = subjects_of(parts[1].units)
    is_stated = 2 * shared_count(subjects, [unit for part in window for unit in part.units]) >= len(subjects)
    return not is_stated and any(shared_subjects(parts[0], condition) for condition in conditions)


def _drops_occasion(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule demands or forbids in any case what the user did on a condition: "only if A", "if A, never B"."""
    if LIMITED.search(rule.text) or any(clause.is_gated for clause in rule.clauses):
        return False
    is_ban = any(clause.is_denied for clause in rule.clauses)
    for statement in window if not is_ban else ():
        if ONLY_WHEN.search(statement.text) and 2 * shared_subjects(rule, statement) >= len(subjects_of(rule.units)):
            return True
    found = (_occasion_of(part.text) or _occasion_after(part.text) for part in window if is_ban)
    return any(
        shared_subjects(rule, demand) and not shared_subjects(rule, condition)
        for condition, demand in filter(None, found)
        if subjects_of(condition.units) and any(clause.is_denied for clause in demand.clauses)
    )


def _occasion_of(text: str) -> tuple[Wording, Wording] | None:
    """Return the condition and the demand of a statement that begins with a condition."""
    match = _OCCASION.match(text)
    if match is None:
        return None
    parts = wording_of(match["condition"]), wording_of(match["demand"])
    return parts if all(part.clauses for part in parts) else None


def _occasion_after(text: str) -> tuple[Wording, Wording] | None:
    """Return the condition with which a statement ends, and its demand."""
    match = CONDITION_AFTER.search(text)
    if match is None:
        return None
    demand, condition = CLAUSE_MARK.split(text[: match.start()])[-1], CLAUSE_MARK.split(text[match.end() :])[0]
    parts = wording_of(condition), wording_of(demand)
    return parts if len(subjects_of(parts[0].units)) >= MIN_SUBJECTS else None


_OCCASION = lazy_regex(
    r"(?i)\W*(?:(?:and|so|but|always) )?(?:if|when(?:ever)?|every time|each time|wenn|si|cuando|cada vez que|quand|se"
    r"|quando|als|wanneer|если|когда)\s(?P<condition>[^,，;\n]{1,120}?)(?:[,，]|\s(?=(?:also|then|please|always|never"
    r"|auch|dann|immer|también|siempre|aussi|toujours|anche|sempre|ook|altijd)\b))(?P<demand>[^\n]+)"
)


def _balance(ours: tuple[Wording, Wording], theirs: tuple[Wording, Wording]) -> int:
    """Return how much more two parts of statements have in common in their order than in the other one."""
    (first, second), (other_first, other_second) = ours, theirs
    crossed = min(shared_subjects(first, other_second), shared_subjects(second, other_first))
    return shared_subjects(first, other_first) + shared_subjects(second, other_second) - 2 * crossed


def _orders_of(text: str) -> list[tuple[Wording, Wording]]:
    """Return pairs of an earlier and a later step of a statement; none if it orders several in different ways."""
    matches = list(_STEP_ORDER.finditer(text))
    if [match.lastgroup for match in matches] in (["before", "then"], ["before", "after"]):
        return _orders_around(text, *matches)
    if not matches or (len(matches) > 1 and any(match.lastgroup != "then" for match in matches)):
        return []
    match = matches[0]
    left, right = text[: match.start()], text[match.end() :]
    is_later_first = match.lastgroup in ("after", "unspaced_before")
    if match.lastgroup in ("before", "after") and all(is_generic(unit.concepts) for unit in wording_of(left).units):
        left, _, right = right.partition(",")  # "before A, B" and "after A, B"
        is_later_first = match.lastgroup == "before"
    steps = wording_of(left), wording_of(right)
    if not all(wording.clauses for wording in steps):
        return []
    return [steps[::-1] if is_later_first else steps]


def _orders_around(text: str, before: re.Match[str], later: re.Match[str]) -> list[tuple[Wording, Wording]]:
    """Return the orders of what comes before and after one step: "A before B, then C", "A before B, C after"."""
    middle = _PART_MARK.split(text[before.end() : later.start()], maxsplit=1)
    last = text[later.end() :].strip(" .!")
    if later.lastgroup == "after" and last:
        return []
    first, step, end = (
        wording_of(part) for part in (text[: before.start()], middle[0], f"{' '.join(middle[1:])} {last}")
    )
    is_ordered = len(middle) > 1 and all(part.clauses for part in (first, step, end))
    return [(first, step), (step, end), (first, end)] if is_ordered else []


_PART_MARK = lazy_regex(r"[,;，；、]|\s(?:and|und|y|et|e|en|и)\s")


_STEP_ORDER = lazy_regex(
    r"(?i)(?P<then>\b(?:then|afterwards|dann|danach|anschließend|luego|después(?! de)|depois(?! de)|puis|ensuite|poi"
    r"|daarna|затем|потом)\b|然后|然後|再|その後|それから|してから)"
    r"|(?P<before>\b(?:before|bevor|antes de|avant de|prima di|voordat|прежде чем|перед тем как)\b)"
    r"|(?P<after>\b(?:after|nachdem|después de|depois de|après|dopo|nadat|после того как)\b)"
    r"|(?P<unspaced_before>之前|以前|前に)|(?P<unspaced_after>之后|之後|以后|後に)"
)

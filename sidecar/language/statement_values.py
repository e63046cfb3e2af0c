"""Whether two statements are one with another value: "the branch is trunk", "… main"; their words and pace. Pure."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language import statement_phrases as phrases
from sidecar.language.english_translation import language_of
from sidecar.language.rule_synonyms import FUNCTION_WORDS, TOOL_NAMES, concepts_of, folded, is_generic, is_unspaced
from sidecar.language.statement_clauses import Relation, relations_of, wording_of
from sidecar.language.statement_openings import LEAD_IN, adds_to_others, without_assent

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


def takes_another_pace(rule: str, evidence: str) -> bool:
    """Whether a rule does at once what the user wants step by step, or the reverse."""
    paces = [(AT_ONCE.search(text) is not None, STEPWISE.search(text) is not None) for text in (rule, evidence)]
    return paces in ([(True, False), (False, True)], [(False, True), (True, False)])


STEPWISE = lazy_regex(
    r"(?i)\b(?:one (?:step|thing|file|task|change) at a time|one at a time|one by one|step by step|bit by bit"
    r"|schritt für schritt|einzeln|nach und nach|paso a paso|poco a poco|uno por uno|passo a passo|um por um|aos poucos"
    r"|étape par étape|pas à pas|un par un|passo dopo passo|uno alla volta|stap voor stap|één voor één|шаг за шагом"
    r"|по одному|постепенно)\b|一步一步|逐步|逐个|一つずつ|少しずつ|順番に"
)
AT_ONCE = lazy_regex(
    r"(?i)\b(?:(?:all|everything|them|it) at once|in one go|in a single (?:step|pass)|auf einmal|alles zusammen"
    r"|de una (?:sola )?vez|todo junto|de uma (?:só )?vez|tudo junto|d['’]un (?:seul )?coup|tutto in una volta"
    r"|in één keer|всё сразу|сразу всё|одним разом)\b|一次性|一口气|一気に|まとめて"
)


@lru_cache(maxsize=8_192)
def are_cognate(first: str, second: str) -> bool:
    """Whether two words share their beginning up to an ending, or differ by one letter."""
    if is_unspaced(first[0]) or is_unspaced(second[0]):
        return len(first) >= 2 and len(second) >= 2 and (first in second or second in first)
    shorter, longer = sorted((first, second), key=len)
    if longer == f"{shorter}s":
        return True
    if len(shorter) < 3 or len(longer) - len(shorter) > 5:
        return False
    pairs = zip(shorter, longer, strict=False)
    common = next((at for at, (left, right) in enumerate(pairs) if left != right), len(shorter))
    if common >= max(3, len(shorter) - 1) and (len(shorter) > 3 or len(longer) <= 5):
        return True
    if common >= 5 and common >= 0.6 * len(longer):
        return True
    return len(shorter) >= 5 and _differ_by_one(shorter[common:], longer[common:])


def _differ_by_one(shorter: str, longer: str) -> bool:
    """Whether two endings differ by one letter that is missing, other, or swapped with the next."""
    if len(shorter) == len(longer):
        is_swapped = len(shorter) > 1 and shorter[:2] == longer[1::-1] and shorter[2:] == longer[2:]
        return is_swapped or shorter[1:] == longer[1:]
    return len(longer) - len(shorter) == 1 and shorter == longer[1:]

"""Verify a rule of a notes block against what the user typed. Pure.

A rule is supported if one message states it: every value, path and name in it is the user's, most of its other words
are (as written, inflected, a cognate, or by a shared concept in another language), and what it denies the user denies.
Where the user answers a proposal, the agent's text before the message counts too. Doubt means unsupported: such a rule
becomes an agent's note, which no anchor shows.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.own_words import own_words
from sidecar.language.rule_vocabulary import (
    FUNCTION_WORDS,
    FUNCTION_WORDS_OF,
    LASTING,
    NEGATION_BEGINNINGS,
    NEGATIONS,
    NEGATIONS_AFTER,
    TOOL_NAMES,
    UNSPACED_NEGATIONS,
    concepts_of,
    exact_concepts,
    folded,
    is_generic,
    is_unspaced,
    split_unspaced,
)

MIN_COVERAGE = 0.7
"""Minimum share of a rule's words that adjacent sentences of the message contain."""

MIN_COVERAGE_TRANSLATED = 0.5
"""The same where rule and message are in different languages: the table of concepts is small."""

VERBATIM_GAIN = 0.01
"""Preference of a verbatim statement over one that has the same words."""

MIN_SUBJECTS = 2
"""Words about the subject that must be the user's, if the rule has as many."""

WINDOW = 3
"""Adjacent sentences of a message that may state one rule."""

MIN_DOCUMENT_LINES, LONG_DOCUMENT_LINES = 20, 60
MIN_LEAD_INS, MIN_ITEM_SHARE = 4, 0.3
"""A message of so many lines is a document if so many of them introduce or are items of lists, or if it is longer."""

MAX_FRAME_LINES = 8
"""Lines before a document that are the user's own."""

MAX_MESSAGE_CHARACTERS = 20_000
MAX_SENTENCES = 120
MAX_ANSWER_WORDS = 30
"""A longer message states its rule itself."""

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


class _Unit(NamedTuple):
    """A word of a statement that says something about its subject."""

    word: str
    concepts: frozenset[int]
    is_value: bool
    """Whether it is a number, version, path, identifier or name: it must occur as it is."""

    @property
    def weight(self) -> float:
        return 0.35 if is_generic(self.concepts) else 1.5 if self.is_value else 1.0


class _Clause(NamedTuple):
    units: tuple[_Unit, ...]
    is_denied: bool


class _Statement(NamedTuple):
    text: str
    clauses: tuple[_Clause, ...]
    language: str

    @property
    def units(self) -> list[_Unit]:
        return [unit for clause in self.clauses for unit in clause.units]


def verify_rule(rule: str, messages: Sequence[TypedMessage]) -> Support | None:
    """Return what supports a rule, the latest message first; None if no message does."""
    statement = _statement(rule)
    if all(is_generic(unit.concepts) for unit in statement.units):
        return None
    for index in range(len(messages) - 1, -1, -1):
        support = _support(statement, messages[index])
        if support is not None:
            return support._replace(message=index)
    return None


def _support(rule: _Statement, message: TypedMessage) -> Support | None:
    own = _without_document(own_words(message.text[:MAX_MESSAGE_CHARACTERS]))
    support = _best_window(rule, own, _statements(own))
    if support is not None or not message.before or not _answers(own):
        return support
    answered = f"{_FENCED.sub(' ', message.before)[-ANSWERED_CHARACTERS:]}\n{own}"
    return _best_window(rule, answered, _statements(answered))


@lru_cache(maxsize=512)
def _words(text: str) -> str:
    return f" {' '.join(_WORD_OR_NUMBER.findall(folded(text)))} "


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


def _best_window(rule: _Statement, text: str, statements: Sequence[_Statement]) -> Support | None:
    """Return the adjacent sentences that contain most of a rule; None if they contain or deny too little."""
    words = frozenset(folded(token.strip("-.+~\\/@")) for _, token in _tokens(text))
    concepts = frozenset(concept for statement in statements for unit in statement.units for concept in unit.concepts)
    if not all(_has_value(unit, words, concepts) for unit in rule.units if unit.is_value):
        return None
    rule_words = _words(rule.text)
    best: tuple[Support, int, int] | None = None
    opposed: list[tuple[float, int, int]] = []
    for size in range(1, WINDOW + 1):
        for start in range(max(1, len(statements) - size + 1)):
            window = statements[start : start + size]
            evidence = " ".join(statement.text for statement in window)
            coverage = _coverage(rule, window)
            if coverage and rule_words in _words(evidence):
                coverage += VERBATIM_GAIN
            if coverage and _is_opposed(rule, window):
                opposed.append((coverage, start, start + size))
            elif coverage and (best is None or coverage > best[0].coverage):
                best = Support(0, evidence, coverage), start, start + size
    if best is None:
        return None
    support, start, end = best
    is_denied = any(
        coverage >= support.coverage and not (start <= first and last <= end) for coverage, first, last in opposed
    )
    return None if is_denied else support


@lru_cache(maxsize=512)
def _words(text: str) -> str:
    return f" {' '.join(_WORD_OR_NUMBER.findall(folded(text)))} "


_WORD_OR_NUMBER = lazy_regex(r"\w+")


def _without_document(own: str) -> str:
    """Return what surely is the user's own: of a document, whose origin nothing shows, only the paragraph before it."""
    lines = [line.strip() for line in own.splitlines() if line.strip()]
    lead_ins = sum(line.endswith((":", "：")) for line in lines)
    items = sum(_LIST_ITEM.match(line) is not None for line in lines)
    is_structured = lead_ins >= MIN_LEAD_INS or items >= MIN_ITEM_SHARE * len(lines)
    if len(lines) < MIN_DOCUMENT_LINES or not (is_structured or len(lines) >= LONG_DOCUMENT_LINES):
        return own
    return own.lstrip().partition("\n\n")[0] if "\n\n" in own.strip() else lines[0]


_LIST_ITEM = lazy_regex(r"(?:[-*•]|\d{1,2}[.)]|#{1,6})\s")


def _best_window(rule: _Statement, text: str, statements: Sequence[_Statement]) -> Support | None:
    """Return the adjacent sentences that contain most of a rule; None if they contain or deny too little."""
    words = frozenset(folded(token.strip("-.+~\\/@")) for _, token in _tokens(text))
    concepts = frozenset(concept for statement in statements for unit in statement.units for concept in unit.concepts)
    if not all(_has_value(unit, words, concepts) for unit in rule.units if unit.is_value):
        return None
    rule_words = _words(rule.text)
    best, opposed_coverage = None, 0.0
    for size in range(1, WINDOW + 1):
        for start in range(max(1, len(statements) - size + 1)):
            window = statements[start : start + size]
            coverage = _coverage(rule, window)
            if coverage and rule_words in _words(" ".join(statement.text for statement in window)):
                coverage += VERBATIM_GAIN
            if coverage and _is_opposed(rule, window):
                opposed_coverage = max(opposed_coverage, coverage)
            elif coverage and (best is None or coverage > best.coverage):
                best = Support(0, " ".join(statement.text for statement in window), coverage)
    return best if best is not None and best.coverage > opposed_coverage else None


def _coverage(rule: _Statement, window: Sequence[_Statement]) -> float:
    """Return the share of a rule's words that some sentences contain; zero if it is too small."""
    units = [unit for statement in window for unit in statement.units]
    total = matched = 0.0
    subjects = matched_subjects = 0
    for rule_unit in rule.units:
        is_subject = not is_generic(rule_unit.concepts)
        is_matched = any(_is_same(rule_unit, unit) for unit in units)
        subjects += is_subject
        matched_subjects += is_subject and is_matched
        total += rule_unit.weight
        matched += rule_unit.weight * is_matched
    is_translated = any(_are_translations(rule.language, statement.language) for statement in window)
    minimum = MIN_COVERAGE_TRANSLATED if is_translated else MIN_COVERAGE
    coverage = matched / total
    return coverage if coverage >= minimum and matched_subjects >= min(subjects, MIN_SUBJECTS) else 0.0


def _is_opposed(rule: _Statement, window: Sequence[_Statement]) -> bool:
    """Whether some sentences deny what a clause of the rule states, or state what it denies."""
    clauses = [clause for statement in window for clause in statement.clauses]
    for rule_clause in rule.clauses:
        agreeing = opposing = 0.0
        for clause in clauses:
            shared = sum(
                unit.weight
                for unit in rule_clause.units
                if not is_generic(unit.concepts) and any(_is_same(unit, other) for other in clause.units)
            )
            if clause.is_denied == rule_clause.is_denied:
                agreeing = max(agreeing, shared)
            else:
                opposing = max(opposing, shared)
        if opposing > agreeing:
            return True
    return False


def _is_same(rule_unit: _Unit, unit: _Unit) -> bool:
    if rule_unit.word == unit.word or not rule_unit.concepts.isdisjoint(unit.concepts):
        return True
    if rule_unit.is_value or unit.is_value:
        return False
    return _are_cognate(rule_unit.word, unit.word)


@lru_cache(maxsize=8_192)
def _are_cognate(first: str, second: str) -> bool:
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


def _has_value(unit: _Unit, words: frozenset[str], concepts: frozenset[int]) -> bool:
    """Whether a value occurs as it is, as a part of a longer path, or, for a number, as a word."""
    if unit.word in words or not unit.concepts.isdisjoint(concepts):
        return True
    return len(unit.word) > 3 and not unit.word.isdigit() and any(unit.word in word for word in words)


def _are_translations(first: str, second: str) -> bool:
    if first == second:
        return False
    return bool(first and second) or not {first, second}.isdisjoint(_OTHER_SCRIPTS)


_TOKEN = lazy_regex(r"https?://[^\s<>\"'`)\]]+|[\w@~.*+#$/\\-]*[\w*#+$/]|[\u3040-\u30ff\u3400-\u9fff々]")
_SENTENCE_END = lazy_regex(r"(?<=[.!?。！？;；])(?=\s|[^\x00-\x7f]|$)|\n+")
_CLAUSE_END = lazy_regex(
    r"[,;:.!?、，。；：！？()（）\n](?:\s|$|(?=[^\x00-\x7f]))|\s[–—-]{1,2}\s"
    r"|\b(?:but|aber|sondern|mais|pero|sino|mas|porem|ma|bensi|maar|но|а|however|because|weil|porque|perche|omdat)\b"
    r"|\b(?:and|und|et|y|e|en|и|i|or|oder|ou|o|of|nor)\b(?=\s+(?:do|does)?\s?(?:not|never|no|don['’]?t|nicht|kein\w*|ne|pas|não|no|non|niet|geen|не|nie)\b)"
    r"|[，,、。；]|而是|但|(?=而不是|而非)|(?<=ではなく)|(?<=じゃなく)|(?<=代わりに)"
)
_PATH_OR_NUMBER = lazy_regex(r"https?:.*|.*\d.*|.*[\w*\])}][./\\_@#$][\w*\[({].*|\*\.\w+|[/.]\w.*|\w+/")
_SEPARATOR = lazy_regex(r"[-/]")
_ALTERNATIVES = lazy_regex(r"[^\W\d_]+/[^\W\d_]+")
_MIXED_CASE = lazy_regex(r".*[a-z][A-Z].*")
_QUOTED = lazy_regex(r"[`\"“”«»「」]([^`\"“”«»「」\n]{1,80})[`\"“”«»「」]")
_FENCED = lazy_regex(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|^[ \t]*>.*$")


def _statements(text: str) -> list[_Statement]:
    parts = (part.strip() for part in _SENTENCE_END.split(text))
    return [_statement(part) for part in parts if part][:MAX_SENTENCES]


@lru_cache(maxsize=512)
def _statement(text: str) -> _Statement:
    """Return the words of a statement that are not function words, by clause."""
    quoted = frozenset(folded(match[1].strip()) for match in _QUOTED.finditer(text))
    language = language_of(text)
    clauses: list[_Clause] = []
    was_denied = False
    for part in _clauses(_CONTRACTION.sub(" ", _NEGATED_VERB.sub(r"\1 not ", text))):
        denial = _denial(part)
        if denial is None and was_denied and _ALTERNATIVE.match(part):
            denial = 0
        was_denied = denial is not None
        units = [
            (start, unit)
            for start, token in _tokens(part)
            for unit in _units_of(
                token, quoted, language, is_name=language != "de" and start > 0 and token[0].isupper()
            )
        ]
        for is_denied in (False, True):
            side = tuple(unit for start, unit in units if (denial is not None and start >= denial) == is_denied)
            if side:
                clauses.append(_Clause(side, is_denied))
    return _Statement(text, tuple(clauses), language)


def language_of(text: str) -> str:
    """Return the language of a text by its script and its function words; empty if they do not show it."""
    if any(map(is_unspaced, text)):
        return "ja" if any("\u3040" <= char <= "\u30ff" for char in text) else "zh"
    if sum("\u0400" <= char <= "\u04ff" for char in text) > len(text) / 4:
        return "ru"
    words = set(re.findall(r"[^\W\d_]+", folded(text)))
    counts = sorted(((len(words & own), language) for language, own in _FUNCTION_WORDS_OF.items()), reverse=True)
    (best, language), (second, _) = counts[0], counts[1]
    return language if best > second and best >= 2 else ""


_OTHER_SCRIPTS = ("ja", "zh", "ru")
_FUNCTION_WORDS_OF = {language: frozenset(words.split()) for language, words in FUNCTION_WORDS_OF.items()}


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for match in _CLAUSE_END.finditer(text):
        if match.start() > start:
            yield text[start : match.start()]
        start = match.start() if match[0].strip().isalpha() else match.end()
    if start < len(text):
        yield text[start:]


def _denial(clause: str) -> int | None:
    """Return where the denied part of a clause begins; None if nothing is denied."""
    plain = folded(clause)
    after = [plain.find(phrase) for phrase in NEGATIONS_AFTER if phrase in plain]
    after += [match.end() for match in (_PREFERRED_OVER.search(plain),) if match]
    if after:
        return min(after)
    bare = _ATTRIBUTE.sub("", clause)
    if any(form in bare for form in UNSPACED_NEGATIONS) or _BAN.search(bare):
        return 0
    words = [(match.start(), folded(match[0])) for match in _WORD.finditer(clause)]
    for index, (start, word) in enumerate(words):
        if word in NEGATIONS or word.startswith(NEGATION_BEGINNINGS):
            is_after = word in _AFTER_ONLY and not (index and words[index - 1][1] in _AUXILIARIES)
            return start if is_after else 0
    return None


_PREFERRED_OVER = lazy_regex(r"\b(?:prefer\w*|favou?r|use|choose|pick)\b.{1,80}\bover\b")
_WORD = lazy_regex(r"[^\W\d_]+")
_ATTRIBUTE = lazy_regex(r"不(?:再)?(?:需要|用|必要|必须)的|没用的|无用的|[^\W不]不[了到好动出起]")
_NEGATED_VERB = lazy_regex(
    r"(?i)\b(do|does|did|is|are|was|were|ca|can|wo|should|must|could|would|has|have|need)n['’]?t\b"
)
_CONTRACTION = lazy_regex(
    r"(?i)\b(?:l|d|c|j|qu|m|t|s|un|dell|all|nell|sull|dall)['’](?=\w)|(?<=\w)['’](?:s|re|ve|ll|d|m)\b"
)
_ALTERNATIVE = lazy_regex(r"(?i)\W*(?:or|nor|ou|oder|noch|o|ni|né|of|или|ни)\b")
_BAN = lazy_regex(r"[ぁ-ん一-龯ー](?:うな|るな|すな|くな|むな)(?:よ|[！!。]|$)")
_AFTER_ONLY = frozenset(
    (
        "not",
        "no",
        "non",
        "less",
        "fewer",
        "menos",
        "weniger",
        "meno",
        "minder",
        "меньше",
        "without",
        "sin",
        "sem",
        "sans",
        "ohne",
        "senza",
        "zonder",
        "без",
        "kein",
        "keine",
        "keinen",
        "geen",
    )
)
_AUXILIARIES = frozenset("do does did should must shall can could will would may is are was be".split())


def _tokens(clause: str) -> Iterator[tuple[int, str]]:
    for match in _TOKEN.finditer(clause):
        start = match.start()
        for part in _SCRIPTS.finditer(match[0]):
            yield start + part.start(), part[0]


_SCRIPTS = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff々]+|[^\u3040-\u30ff\u3400-\u9fff々]+")


def _units_of(token: str, quoted: frozenset[str], language: str, *, is_name: bool) -> Iterator[_Unit]:
    if is_unspaced(token[0]):
        for word, concepts in split_unspaced(token):
            yield from _unspaced_units(word, concepts)
        return
    bare = token.strip("-.+~\\")
    bare = bare.rstrip("/.,") if bare.startswith("http") else bare.rstrip("/")
    word = folded(bare if bare.startswith("*") else bare.lstrip("./@"))
    is_acronym = bare.isupper() and len(bare) > 1
    if not word or word in NEGATIONS or (word in _FUNCTION_WORDS_OF.get(language, FUNCTION_WORDS) and not is_acronym):
        return
    is_path = _PATH_OR_NUMBER.fullmatch(bare) is not None
    if is_path and not _ALTERNATIVES.fullmatch(bare):
        yield _Unit(word, concepts_of(word) if word.isdigit() else frozenset(), True)
    elif is_path or "-" in word:
        for part in _SEPARATOR.split(word):
            if part and part not in FUNCTION_WORDS:
                yield _Unit(part, concepts_of(part), part in TOOL_NAMES or (is_path and not concepts_of(part)))
    elif len(word) > 1:
        is_identifier = is_name or is_acronym or word in quoted or _MIXED_CASE.fullmatch(bare) is not None
        yield _plain_unit(word, is_identifier=is_identifier)


def _plain_unit(word: str, *, is_identifier: bool) -> _Unit:
    concepts = concepts_of(word)
    is_exact = not concepts.isdisjoint(exact_concepts())
    return _Unit(word, concepts, is_exact or word in TOOL_NAMES or (is_identifier and not concepts))


def _unspaced_units(word: str, concepts: frozenset[int]) -> Iterator[_Unit]:
    if concepts:
        yield _Unit(word, concepts, not concepts.isdisjoint(exact_concepts()))
        return
    for part in _RUNS.findall(word):
        plain = part
        for negation in UNSPACED_NEGATIONS:
            plain = plain.removeprefix(negation)
        if plain and ("\u30a0" <= plain[0] <= "\u30ff" or plain[0] >= "\u3400"):
            yield _Unit(plain, concepts, False)


_RUNS = lazy_regex(r"[\u30a0-\u30ff]+|[\u3040-\u309f]+|[\u3400-\u9fff々]+")


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

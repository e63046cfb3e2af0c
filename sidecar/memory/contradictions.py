"""Whether a new memory supersedes or contradicts an older one. Pure.

Compares what each chooses and rejects ("pnpm instead of npm", "switch from npm to pnpm", "no longer npm"), and the same
statement with another value ("Use Node 20", "Use Node 22"). Two statements also are rivals if they share their frame,
which is the words beside the values, and differ in one value of a kind (language, tool, path, number, indentation); if
one rejects what the other chooses; or if one forbids what the other demands or allows. A statement that holds in a
narrower place ("in tools/") is not a rival of a general one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import query_terms, stem, words_of_file
from sidecar.language.common_words import RIVAL_TOOLS
from sidecar.language.message_intent import (
    BACK,
    KEEP_IN_MIND,
    MAY,
    Release,
    allows_for_good,
    forgets,
    release_of,
    takes_back,
    without_withdrawal,
)
from sidecar.language.statement_openings import LEAD_IN, opening_of, without_assent
from sidecar.memory.entry import normalized

if TYPE_CHECKING:
    from sidecar.language.statement_clauses import Places, Unit

ClaimRelation = Literal["supersedes", "contradicts"]

RELATED_TYPES = (
    "decision", "user_correction", "preference", "validated_pattern", "lesson", "semantic", "procedural", "reflective",
)  # fmt: skip
"""Types that can be contradicted; events stay true."""

MIN_SHARED_TERMS, MAX_OTHER_VALUES, MAX_SEARCH_WORDS = 2, 2, 3

_NUMBER = lazy_regex(r"^[^\W\d]{0,3}\W?\d[\d.,x]*\W?[^\W\d]{0,3}$")
"""A number or version, with its sign or unit."""

_SCRIPT_CHANGE = lazy_regex(r"(?<=[\u3040-\u9fff])(?=[0-9a-z])|(?<=[0-9a-z])(?=[\u3040-\u9fff])")
_VALUE = lazy_regex(r"\d|[/\\]")
_LEAD_WORDS = frozenset("no nope please actually always just now so and but ok okay yes from on".split())

_NAME = r"([\w@./+#-]{1,60}(?: [\w@./+#-]{1,60}){0,2}?)"
_END = (
    r"(?=\s*(?:[,.;:!?)]|$|\b(?:because|since|as|for|in|when|so|to|and|over|with|on|at|from|here|now|again|instead|rather"
    r"|not|weil|für|pour|para|per|dans|en)\b))"
)
_IN_PLACE = (
    r"(?:instead of|rather than|in place of|over|anstatt|statt|plutôt que|au lieu de|en vez de|en lugar de|em vez de"
    r"|invece di|in plaats van|вместо)"
)
_NOT = r"(?:no longer|not|never|don['’]?t|do not|stop|avoid|nicht mehr|kein(?:e|en)?|jamais|nunca|não|niet|не)"
_USE = (
    r"(?:use|uses|used|using|chose|chosen|choose|prefer|prefers|picked|go with|went with|stay with|stick (?:with|to)"
    r"|settled on|verwende\w*|nutze\w*|utilis\w{1,20}|usa\w*|uso)"
)
_CHOICES = tuple(
    (lazy_regex(pattern, re.IGNORECASE), groups)
    for pattern, groups in (
        (rf"\b(?:switch|mov|migrat|chang)(?:e|ed|ing)? from {_NAME} to {_NAME}{_END}", (2, 1)),
        (rf"\breplac(?:e|ed|ing) {_NAME} (?:with|by) {_NAME}{_END}", (2, 1)),
        (rf"(?:\b{_USE} )?{_NAME},? {_IN_PLACE} {_NAME}{_END}", (1, 2)),
        (rf"\b{_USE} {_NAME},? (?:and |und |et )?not {_NAME}{_END}", (1, 2)),
        (rf"\b{_NOT} (?:{_USE} )?{_NAME}{_END}", (0, 1)),
        (rf"(?<!not )(?<!never )(?<!n['’]t )(?<!longer )\b{_USE} {_NAME}{_END}", (1, 0)),
    )
)
"""A sentence's choice and rejection: the pattern groups that name them, 0 for none."""

_NEGATION = lazy_regex(
    r"\b(?:not|never|no longer|don['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|can['’]?t|cannot|without|avoid|stop|nicht|nie"
    r"|niemals|kein\w*|jamais|pas|nunca|não|mai|non|niet|nooit|geen|никогда|не)\b|不要|别|ないで",
    re.IGNORECASE,
)
_EMPTY = frozenset(("use", "using", "prefer", "always", "never", "not", "instead", "rather", "switch", "project"))

Names = frozenset[frozenset[str]]
"""Each name as its set of terms."""


class Claim(NamedTuple):
    """A memory's statement, for comparison."""

    chosen: Names
    rejected: Names
    terms: frozenset[str]
    is_denied: bool
    words: tuple[str, ...] = ()
    """The normalized words of its statement, without lead-ins."""
    text: str = ""
    """The statement itself."""


@lru_cache(maxsize=2_048)
def claim_of(text: str) -> Claim:
    """Extract what a text chooses and rejects."""
    chosen: set[frozenset[str]] = set()
    rejected: set[frozenset[str]] = set()
    for pattern, (chosen_group, rejected_group) in _CHOICES:
        for match in pattern.finditer(text):
            chosen.update(_names(match[chosen_group] if chosen_group else ""))
            rejected.update(_names(match[rejected_group] if rejected_group else ""))
    terms = frozenset(query_terms(text)) - _EMPTY
    statement = text.partition("\n\n")[0]
    plain = _SCRIPT_CHANGE.sub(" ", normalized(statement))
    words = tuple(word for word in plain.split() if word not in _LEAD_WORDS)
    is_denied = _NEGATION.search(text) is not None
    return Claim(frozenset(chosen - rejected), frozenset(rejected), terms, is_denied, words, statement)


def relation(new: Claim, old: Claim) -> ClaimRelation | None:
    """Return how a new claim relates to an old one of the same project; None if both may be true.

    The first clause counts by itself if it takes something back ("you may …, but") or chooses anew ("use npm, …").
    """
    found = _relation_of_whole(new, old)
    opening = opening_of(new.text)
    is_negative = _NEGATION.search(opening.text) is not None or takes_back(opening.text)
    if found is not None or not opening.text:
        return found
    first = _relation_of_whole(claim_of(opening.text), old)
    return first if is_negative or opening.has_rejection or first == "supersedes" else None


def _relation_of_whole(new: Claim, old: Claim) -> ClaimRelation | None:
    from sidecar.language.rule_scope import extends_exception, has_other_limit  # only captures need these
    from sidecar.language.statement_values import has_other_value, names_another_object

    if names_another_object(new.text, old.text):
        return None
    statements = statement_of(new.text), statement_of(old.text)
    is_rejected = any(rejected_name <= chosen_name for rejected_name in new.rejected for chosen_name in old.chosen)
    if is_rejected and not _is_narrower(*statements):
        return "supersedes" if new.chosen else "contradicts"
    if has_other_limit(new.text, old.text):
        return "supersedes"
    is_other = _has_other_number(new, old) and not _is_elsewhere(*statements)
    if (is_other or has_other_value(new.text, old.text)) and not _is_in_another_part(*statements):
        return "supersedes"
    release, rivalry = release_of(new.text), _rivalry(*statements)
    if (release is not None and _is_released(release, statements[1])) or extends_exception(new.text, old.text):
        return "contradicts"
    is_answer = without_assent(new.text) != new.text or MAY.search(new.text) is not None
    is_of_task = statements[0].stance == "may" or (rivalry == "contradicts" and is_answer)
    is_passing = is_of_task and not statements[0].is_withdrawal and not allows_for_good(new.text)
    return None if is_passing else rivalry


def _has_other_number(new: Claim, old: Claim) -> bool:
    """Whether two claims are the same statement, word by word, with other numbers, or other paths if it bans none."""
    pairs = list(zip(new.words, old.words, strict=False))
    others = [pair for pair in pairs if pair[0] != pair[1]]
    if len(new.words) != len(old.words) or not 0 < len(others) <= MAX_OTHER_VALUES:
        return False
    is_number = all(_NUMBER.search(word) for pair in others for word in pair)
    is_value = is_number or (not new.is_denied and all(_VALUE.search(word) for pair in others for word in pair))
    return is_value and len(pairs) - len(others) >= MIN_SHARED_TERMS


def search_words(new: Claim) -> list[str]:
    """Return the words by which possibly contradicted memories are found."""
    named = sorted({term for name in new.rejected for term in name})
    common = sorted(new.terms, key=lambda term: (any(term in name for name in new.chosen), -len(term), term))
    words = [*named, *(term for term in common[:MAX_SEARCH_WORDS] if term not in named)]
    return words or [word for word in new.words if not _NUMBER.search(word)][:MAX_SEARCH_WORDS]


def _names(phrase: str) -> Iterator[frozenset[str]]:
    numbers = {word for word in normalized(phrase).split() if _NUMBER.search(word)}
    terms = (frozenset(query_terms(phrase)) - _EMPTY) | numbers
    if terms:
        yield terms


Stance = Literal["do", "may", "ask", "ban"]
"""A statement demands, allows, allows after a question, or forbids what its frame names."""


class Value(NamedTuple):
    """A word in whose place another would be another rule."""

    kind: str
    name: str


class ParsedStatement(NamedTuple):
    """A user's statement by its values and its frame."""

    stance: Stance
    chosen: frozenset[Value]
    rejected: frozenset[Value]
    frame: tuple[Unit, ...]
    """The words beside the chosen values; beside nothing if no value is chosen."""
    denied_frame: tuple[Unit, ...]
    other_words: tuple[Unit, ...]
    """The words of the other clauses, which state or deny something without a value."""
    scope: frozenset[str]
    """The words of the frames that say where it holds: "in web/", "for tests"."""
    parts: frozenset[str]
    """The paths, file types and parts of the project that it is limited to."""
    is_withdrawal: bool
    """Whether it says "forget what I said about …" and states nothing itself; values and frame are its subject."""
    is_reversal: bool
    """Whether its words take something back: "again", "no longer", "you may", "forget"."""


class _Side(NamedTuple):
    """Values and words of the clauses that state something, or of those that deny something."""

    values: set[Value]
    frame: list[Unit]
    """The words of clauses with a value."""
    words: list[Unit]
    """The words of other clauses."""


@lru_cache(maxsize=512)
def statement_of(text: str) -> ParsedStatement:
    """Return the values and the frame of a statement, without the reason given for it."""
    from sidecar.language.statement_clauses import places_of, without_paths, wording_of  # only captures need these

    bare = without_withdrawal(KEEP_IN_MIND.sub(" ", without_assent(text)))
    plain, paths = without_paths(_REASON.sub("", LEAD_IN.sub(" ", BACK.sub(" ", MAY.sub(" ", bare)))))
    wording = wording_of(plain)
    places = places_of(plain, paths)
    sides = {is_denied: _Side(set(), [], []) for is_denied in (False, True)}
    scope, asks, is_condition = {*places.wide, *paths.values()}, set[bool](), False
    for clause in wording.clauses:
        is_denied = clause.is_denied or is_condition or not _DROPPED.isdisjoint(unit.word for unit in clause.units)
        is_condition = clause.is_gated and clause.is_denied  # of "never merge without a review"
        values, words = _split_clause(clause.units, places)
        plain_words = [unit for unit in words if not _is_about(unit, "ask", "allow")]
        if len(plain_words) < len(words):
            asks.add(is_denied and not (plain_words or values))
        side = sides[is_denied]
        side.values.update(values)
        (side.frame if values else side.words).extend(plain_words)
        if wording.language in ("ja", "zh"):
            scope.update(unit.word for unit in plain_words)
    stated, denied = sides[False], sides[True]
    stated.values.difference_update(denied.values)
    frame, rest = (stated.frame, stated.words) if stated.values else ([*stated.frame, *stated.words], [])
    denied_frame, denied_rest = (denied.frame, denied.words) if denied.values else (denied.words, [])
    is_unspaced = wording.language in ("ja", "zh")
    states, denies = bool(stated.values or frame), bool(denied.values or denied_frame)
    return ParsedStatement(
        _stance(text, plain, asks, states=states, denies=denies, is_unspaced=is_unspaced),
        frozenset(stated.values), frozenset(denied.values), tuple(frame), tuple(denied_frame), (*rest, *denied_rest),
        frozenset(scope), places.parts, forgets(text), takes_back(text),
    )  # fmt: skip


def _stance(text: str, plain: str, asks: set[bool], *, states: bool, denies: bool, is_unspaced: bool) -> Stance:
    """Return what a statement does; `asks` has True if it does without a question, False if it wants one."""
    if denies and not states:
        if asks and is_unspaced and MAY.search(text):
            return "may"  # one clause denies the question and allows the rest
        return "ask" if asks else "ban"
    if MAY.search(text) or (True in asks and not denies):
        return "may"
    return "ask" if False in asks and _BEFORE.search(plain) else "do"


def _split_clause(units: Iterable[Unit], places: Places) -> tuple[set[Value], list[Unit]]:
    """Return the values of a clause, and its other words that say something."""
    values: set[Value] = set()
    words: list[Unit] = []
    for unit in units:
        if (value := _value_of(unit, places)) is not None:
            values.add(value)
        elif unit.word in places.paths:
            words.append(unit._replace(word=places.paths[unit.word]))
        elif not _is_noise(unit):
            words.append(unit)
    return values, words


def _rivalry(new: ParsedStatement, old: ParsedStatement) -> ClaimRelation | None:
    """Return how two statements are rivals; None if both may hold."""
    if new.is_withdrawal:
        return "contradicts" if _is_subject(new, old) else None
    if _is_in_another_part(new, old):
        return None
    if not new.rejected.isdisjoint(old.chosen) and _covers(new, new.denied_frame, old, new.rejected & old.chosen):
        return "supersedes" if new.chosen else "contradicts"
    if not new.chosen.isdisjoint(old.rejected) and _covers(new, new.frame, old, new.chosen & old.rejected):
        return "supersedes"
    if _differs_in_one_value(new, old):
        return "supersedes"
    banned = new.rejected, list(new.denied_frame)
    if new.stance == "ban" and old.stance == "do" and sum(map(len, banned)) > 1 and _names_half(banned, old):
        return "contradicts"
    is_opposed = new.stance != old.stance and {new.stance, old.stance} != {"do", "may"}
    return "contradicts" if is_opposed and _names_the_same(new, old) else None


@lru_cache(maxsize=2_048)
def disagree(text: str, instruction: str) -> bool:
    """Whether a text contradicts an instruction, or chooses another tool of the same kind for a part of the work."""
    if relation(claim_of(text), claim_of(instruction)) or relation(claim_of(instruction), claim_of(text)):
        return True
    ours, theirs = statement_of(text).chosen, statement_of(instruction).chosen
    kinds = {value.kind for value in ours - theirs} & {value.kind for value in theirs - ours}
    return not kinds.isdisjoint(RIVAL_TOOLS)


def _is_subject(new: ParsedStatement, old: ParsedStatement) -> bool:
    """Whether a withdrawal is about an older statement: everything that it names occurs there."""
    values, words = _subject(new)
    known = (*old.frame, *old.denied_frame, *old.other_words)
    return bool(values or words) and _names_all(values, words, old.chosen | old.rejected, known)


def _subject(statement: ParsedStatement) -> tuple[frozenset[Value], list[Unit]]:
    """Return the values and the words by which a sentence names what it withdraws or ends."""
    words = (*statement.frame, *statement.denied_frame, *statement.other_words)
    ignored = _WITHDRAWAL_WORDS | _LEAD_WORDS
    return statement.chosen | statement.rejected, [unit for unit in words if unit.word not in ignored]


def _names_all(
    values: Iterable[Value], words: Sequence[Unit], known_values: frozenset[Value], known: Sequence[Unit]
) -> bool:
    """Whether values and words all occur in a statement; a file also by the words of its name, as "the env file"."""
    known = [*known, *_as_words(known_values)]
    of_files = {unit for unit in words if any(stem(unit.word) in words_of_file(other.word) for other in known)}
    return all(value in known_values or any(_is_named(value, unit) for unit in known) for value in values) and all(
        unit in of_files or _has(known, unit) or (of_files and _is_about(unit, "file")) for unit in words
    )


def _is_named(value: Value, unit: Unit) -> bool:
    """Whether a word is a value's name, or one of a file's name."""
    return value.name == unit.word or (value.kind in _NAMING_KINDS and stem(unit.word) in words_of_file(value.name))


def _is_released(release: Release, old: ParsedStatement) -> bool:
    """Whether a release is about what an older statement demands or forbids."""
    return _names_half(_subject(statement_of(release.subject)), old, is_of_ban=release.is_of_ban)


def _names_half(subject: tuple[frozenset[Value], list[Unit]], old: ParsedStatement, *, is_of_ban: bool = False) -> bool:
    """Whether all that a sentence names occurs in an older demand or ban, and is half of it.

    A sentence that names more, such as a place, is an exception, and the older statement holds beside it.
    """
    known_values, known_words = (old.rejected, old.denied_frame) if is_of_ban else (old.chosen, old.frame)
    values, words = subject
    core = [unit for unit in known_words if unit.word not in old.scope]
    named = len(values) + len(words)
    is_half = named > 0 and 2 * named >= len(known_values) + len(core)
    return is_half and _names_all(values, words, known_values, known_words)


def _is_narrower(new: ParsedStatement, old: ParsedStatement) -> bool:
    """Whether what a statement rejects holds in a place that an older one does not name."""
    scope = [unit for unit in new.denied_frame if unit.word in new.scope]
    return not all(_has((*old.frame, *old.denied_frame), unit) for unit in scope) or _is_in_another_part(new, old)


def _is_elsewhere(new: ParsedStatement, old: ParsedStatement) -> bool:
    """Whether a path of a statement says where it holds, and is no path of an older one."""
    return not new.parts <= old.parts and all(value.kind != "path" for value in new.chosen)


def _is_in_another_part(new: ParsedStatement, old: ParsedStatement) -> bool:
    """Whether a statement about a tool is limited to a part of the project that an older one does not name.

    The part limits the whole sentence, in whichever of its clauses it is.
    """
    values = new.chosen | new.rejected
    if not new.parts or not any(value.kind in _LIMITED_KINDS for value in values):
        return False
    known = (*old.frame, *old.denied_frame, *old.other_words)
    paths = {*(unit.word for unit in known), *(value.name for value in old.chosen | old.rejected)}
    units = (*new.frame, *new.denied_frame, *new.other_words)
    return any(
        unit.word in new.parts
        and not _has(known, unit)
        and not _is_implied(unit, values)
        and not _is_within(unit.word, paths)
        for unit in units
    ) or any(value.kind == "path" and value.name in new.parts and not _is_within(value.name, paths) for value in values)


def _is_within(part: str, paths: Iterable[str]) -> bool:
    """Whether a part of the project is one of some paths, or contains one of them."""
    return any(path == part or path.startswith(f"{part}/") for path in paths)


def _covers(new: ParsedStatement, frame: Iterable[Unit], old: ParsedStatement, values: Iterable[Value]) -> bool:
    """Whether a statement about a value is not narrower than an older one about it."""
    known = (*old.frame, *old.denied_frame)
    extra = [unit for unit in frame if not _has(known, unit) and not _is_implied(unit, values)]
    return not any(unit.word in new.scope or not new.is_reversal for unit in extra)


def _differs_in_one_value(new: ParsedStatement, old: ParsedStatement) -> bool:
    """Whether two demands have one frame and choose different values of one kind, all others being equal."""
    if {new.stance, old.stance} - {"do", "may"}:
        return False
    rejected = new.rejected, old.rejected
    if all(rejected) and {value.kind for value in rejected[0]}.isdisjoint(value.kind for value in rejected[1]):
        return False  # each has its own task: "biome instead of prettier", "oxlint instead of eslint"
    others = new.chosen - old.chosen, old.chosen - new.chosen
    kinds = [{value.kind for value in side} for side in others]
    if "indentation" in kinds[0] & kinds[1]:
        kinds = [side - {"number"} for side in kinds]
    if kinds[0] != kinds[1] or len(kinds[0]) != 1:
        return False
    (kind,) = kinds[0]
    values = others[0] | others[1]
    new_frame, old_frame = (
        [unit for unit in statement.frame if not _is_implied(unit, values)] for statement in (new, old)
    )
    extra_new = [unit for unit in new_frame if not _has(old_frame, unit)]
    extra_old = [unit for unit in old_frame if not _has(new_frame, unit)]
    if kind in _STRICT_KINDS:
        shared = len(old_frame) + len(new.chosen & old.chosen)
        is_same = not extra_new and not extra_old and _have_same(new.other_words, old.other_words)
        return is_same and shared >= _STRICT_KINDS[kind]
    if extra_new and extra_old:
        return False
    return not any(unit.word in new.scope for unit in extra_new) and not any(
        unit.word in old.scope for unit in extra_old
    )


def _names_the_same(new: ParsedStatement, old: ParsedStatement) -> bool:
    """Whether two statements have the same values and words."""
    (values, ours), (other_values, theirs) = _named(new), _named(old)
    return bool(values or ours) and values == other_values and _have_same(ours, theirs)


def _named(statement: ParsedStatement) -> tuple[set[Value], list[Unit]]:
    """Return the values and the words of a statement; names and paths are words."""
    values = statement.chosen | statement.rejected
    others = {value for value in values if value.kind not in _NAMING_KINDS}
    return others, [*statement.frame, *statement.denied_frame, *_as_words(values)]


def _as_words(values: Iterable[Value]) -> Iterator[Unit]:
    """Yield the names and paths among values as words of a frame."""
    from sidecar.language.statement_clauses import Unit  # only captures need it

    for value in values:
        if value.kind in _NAMING_KINDS:
            yield Unit(value.name, frozenset(), True)


def _have_same(units: Iterable[Unit], others: Iterable[Unit]) -> bool:
    return all(_has(others, unit) for unit in units) and all(_has(units, unit) for unit in others)


def _has(units: Iterable[Unit], unit: Unit) -> bool:
    return any(_is_same_word(unit, other) for other in units)


def _is_same_word(unit: Unit, other: Unit) -> bool:
    if unit.word == other.word or not unit.concepts.isdisjoint(other.concepts):
        return True
    if {stem(unit.word)} == words_of_file(other.word) or {stem(other.word)} == words_of_file(unit.word):
        return True
    return _is_about(unit, "answer") and _is_about(other, "answer")


def _value_of(unit: Unit, places: Places) -> Value | None:
    """Return the value that a word names; None for a word of the frame, and for a name that says where it holds."""
    path = places.paths.get(unit.word)
    if path is not None:
        is_value = path.startswith("http") or places.is_placing or unit.word not in places.wide
        return Value("url" if path.startswith("http") else "path", path) if is_value else None
    for kind in ("language", "indentation", "colour", "length"):
        if shared := unit.concepts & _concepts(kind):
            return Value(kind, str(min(shared)))
    if unit.word.lstrip("v")[:1].isdigit() or unit.word in _NUMBER_WORDS:
        return Value("number", unit.word)
    if unit.word in places.narrow:
        return None
    category = _categories().get(unit.word)
    is_name = unit.is_value and not unit.concepts
    return Value(category or "name", unit.word) if category or is_name else None


def _is_implied(unit: Unit, values: Iterable[Value]) -> bool:
    """Whether a word of the frame adds nothing to values of their kinds: "use npm as package manager"."""
    return any(
        unit.word in _IMPLIED_WORDS.get(value.kind, ())
        or (value.kind in _IMPLIED and not unit.concepts.isdisjoint(_concepts(value.kind, implied=True)))
        for value in values
    )


def _is_noise(unit: Unit) -> bool:
    from sidecar.language.rule_synonyms import is_generic

    return unit.word in _NOISE or is_generic(unit.concepts) or not unit.concepts.isdisjoint(_concepts("noise"))


def _is_about(unit: Unit, *kinds: str) -> bool:
    return any(
        not unit.concepts.isdisjoint(_concepts(kind)) or unit.word in _EXTRA_WORDS.get(kind, ()) for kind in kinds
    )


@lru_cache(maxsize=64)
def _concepts(kind: str, *, implied: bool = False) -> frozenset[int]:
    from sidecar.language.rule_synonyms import concepts_of

    words = (_IMPLIED if implied else _WORDS_OF_KIND)[kind]
    return frozenset(concept for word in words.split() for concept in concepts_of(word))


@lru_cache(maxsize=1)
def _categories() -> dict[str, str]:
    return {word: category for category, words in RIVAL_TOOLS.items() for word in words.split()}


_WORDS_OF_KIND = {
    "language": "english german spanish french portuguese italian russian japanese chinese",
    "indentation": "tab space",
    "colour": "red green blue yellow orange purple black white grey pink light dark",
    "length": "brief detail",
    "ask": "ask",
    "allow": "allow",
    "answer": "answer",
    "file": "file",
    "noise": "project repository before after",
}
_EXTRA_WORDS = {
    "ask": frozenset(("聞", "聞か", "聞く", "訊")),
    "answer": frozenset("speak talk chat sprich rede parle parlez habla hable fala parla praat говори 話し 话".split()),
}
_LIMITED_KINDS = frozenset((*RIVAL_TOOLS, "language", "indentation", "number", "colour"))
"""Kinds of which a part of a project may have another value."""
_IMPLIED = {
    "indentation": "indentation",
    "JavaScript packages": "install package manage library dependencies",
    "Python packages": "install package manage library dependencies",
    "JavaScript tests": "test run write",
    "browser tests": "test run write",
    "Python tests": "test run write",
    "JavaScript lint": "lint check run",
    "Python lint": "lint check run",
    "bundler": "build",
    "JVM build": "build",
    "database": "database",
    "infrastructure": "deploy",
    "containers": "container",
    "cloud": "deploy",
    "number": "run limit size character",
    "dates": "date time",
    "length": "answer explain",
    "requests": "request",
}
"""Words that say no more than the kind of a value."""
_STRICT_KINDS = {"name": 2, "number": 1, "path": 1, "url": 1, "length": 0}
"""Kinds whose values take each other's place only in the same words, and the number of words that must be shared."""

_NOISE = frozenset(
    """
    ab jetzt mich mir mij me moi mi mein meine моего моей мне меня my last week directly direct directamente longer mehr
    plus meer mas mais piu vez lieu plaats invece statt anstatt вместо 代わり 今 ください 请 要 再 回 new said
    agora ahora maintenant adesso теперь nu nun first instead hacer haz hagas haga fazer faz faca faire fais faites fare
    fai make making do 改 直接 私
    """.split()
)
_WITHDRAWAL_WORDS = frozenset("""
    rule rules instruction instructions preference thing requirement convention policy restriction regel regla regra
    regola правило gesagt habe hatte gemeint zei gezegd heb dit dije disse detto сказал говорил 话 的话
""".split())  # fmt: skip
_NAMING_KINDS = frozenset(("path", "name"))
"""Kinds of values that words may stand for."""
_NUMBER_WORDS = frozenset("""
    two three four six eight zwei drei vier sechs acht dos tres cuatro seis ocho dois quatro oito deux trois quatre huit
    due tre quattro sei otto twee drie zes acht два три четыре два 二 三 四 两
""".split())  # fmt: skip
_IMPLIED_WORDS = {
    "length": frozenset("halt fass dich be keep replies explica explique explícame".split()),
    "number": frozenset("max maximum maximal maximale maximo length long lange characters chars zeichen".split()),
    "path": frozenset("put place store go goes live lives belong belongs lege liegen mets pon coloque".split()),
}
_DROPPED = frozenset("dropped abandoned ditched removed abgeschafft verworfen abandonne abandonado abbandonato".split())

_REASON = lazy_regex(
    r"(?i),? \b(?:because|since|so that|weil|denn|damit|parce qu\w+|car|porque|pois|perch[eé]|omdat|потому что"
    r"|так как)\b[^.;\n]*|[，,]?因为[^。；\n]*"
)
_BEFORE = lazy_regex(r"(?i)\b(?:before|first|bevor|vor(?:her)?|antes|avant|prima|voor(?:dat)?|перед|прежде)\b|前")

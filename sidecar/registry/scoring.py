"""The share of an intent that an entity covers, 0 to 100, by an inverted index of the registry. Pure.

    score = 100 × (0.6 × keywords + 0.4 × purpose)

The framework fixes the weights and the thresholds (90, 60), not the measures. A cosine between TF-IDF vectors does not
fit absolute thresholds: an intent of five words is far from any purpose of ten. So both parts are shares of
the *intent's* TF-IDF weight that the entity covers, and 1 if it covers all of it:

    keywords = Σ weight(t) × strength(t) / Σ weight(t)    over the intent's terms t; strength depends on the field of t
    purpose  = the same, measured in name and purpose first, × focus

`focus` is the reverse measure: the share of the entity that the intent names, by its name, its keywords or most of its
purpose, whichever is largest. One shared word covers all of a one-word intent, but it does not name the entity. So an
intent that spells out a name or a purpose reaches 90, one that an entity has only in its keywords reaches 60, and an
entity that shares less than half of the words stays below.

The index is built once per registry: term → entities that contain it, and in which field.
"""

import math
from bisect import insort
from collections.abc import Collection, Mapping, Sequence
from heapq import heapify, heappop
from typing import NamedTuple

from sidecar.registry.entities import Entity, Origin
from sidecar.registry.stemming_and_synonyms import (
    ANSWERS,
    NEGATIONS,
    PREDICATES,
    QUESTIONS,
    WHETHER,
    acronyms_in,
    compound_roots,
    compounds_of,
    excluded_words_in,
    function_words_of,
    intent_words,
    is_function_word,
    is_generic_word,
    is_minor_word,
    is_request_word,
    joined_words_in,
    kinds_in,
    names_described_by,
    prefix_of,
    proper_names_in,
    roots_of,
    synonyms_of,
    words_before_whether,
)

NAME, KEYWORD, PURPOSE, INCIDENTAL = 1, 2, 4, 8
"""Fields of an entity that contain a term, as a bit mask. INCIDENTAL: its path, or keywords nobody chose (derived from
parameters and nearby words).
"""

COMMON = 0.35
"""Weight of a term that every entity contains; rarer ones weigh up to 1."""


Roots = tuple[str, ...]


class EntityWords(NamedTuple):
    """An entity's roots by field, each sorted."""

    name: Roots
    keywords: Roots
    purpose: Roots
    compounds: Roots
    """Compounds written as one word."""
    path: Roots


class RegistryIndex:
    """The immutable index of a registry."""

    def __init__(self, entities: Sequence[Entity], words: Sequence[EntityWords] | None = None) -> None:
        """`words` are the entities' words, if known."""
        self.entities = tuple(entities)
        self.words = tuple(words) if words is not None else tuple(map(words_of_entity, self.entities))
        self.postings: dict[str, dict[int, int]] = {}
        for number, (entity, entity_words) in enumerate(zip(self.entities, self.words, strict=True)):
            self._add_entity(number, entity_words, is_curated=entity.origin == "file")
        self._scale = math.log(len(self.entities) + 1) or 1.0
        self._weights: dict[str, float] = {}

    def weight(self, term: str) -> float:
        """Return a term's weight: 1 for the rarest, `COMMON` for one that every entity contains.

        Smoothed inverse document frequency, scaled by the registry's size, so that a score means the same in a registry
        of thirty and of ten thousand entities.
        """
        known = self._weights.get(term)
        if known is None:
            frequency = len(self.postings.get(term, ()))
            known = self.weight_of(frequency)
            if frequency:
                self._weights[term] = known
        return known

    def weight_of(self, frequency: int) -> float:
        """Return the weight of a term with this document frequency."""
        rarity = math.log((len(self.entities) + 1) / (frequency + 1)) / self._scale
        return COMMON + (1 - COMMON) * rarity

    def fields(self, term: str) -> Mapping[int, int]:
        """Return the numbers of the entities that contain a term, each with the mask of its fields."""
        return self.postings.get(term, {})

    def is_name(self, term: str) -> bool:
        """Whether a term is in the name of an entity."""
        return any(mask & NAME for mask in self.fields(term).values())

    def _add_entity(self, number: int, words: EntityWords, *, is_curated: bool) -> None:
        fields = (
            (words.name, NAME),
            (words.compounds, KEYWORD),
            (words.keywords, KEYWORD if is_curated else INCIDENTAL),
            (words.purpose, PURPOSE),
            (words.path, INCIDENTAL),
        )
        postings = self.postings
        for roots, field in fields:
            for root in roots:
                masks = postings.get(root)
                if masks is None:
                    masks = postings[root] = {}
                masks[number] = masks.get(number, 0) | field


def words_of_entity(entity: Entity) -> EntityWords:
    """Return the roots of an entity's fields."""
    name = display_name(entity)
    name_roots = roots_of([name])
    fields = (
        name_roots | function_words_of(name) if name_roots else name_roots,
        roots_of(entity.keywords),
        roots_of([entity.purpose]),
        compound_roots([name, *entity.keywords, entity.purpose]),
        roots_of([entity.path]),
    )
    return EntityWords(*(tuple(sorted(roots)) for roots in fields))


def display_name(entity: Entity) -> str:
    """Return an entity's name without the folders and suffix of its file."""
    name = entity.key.rpartition("#")[2].rpartition("/")[2]
    if entity.type == "method" and entity.origin == "code":
        return name.rpartition(".")[2]
    return name.partition(".")[0] or name if entity.origin == "code" and "#" not in entity.key else name


KEYWORDS_PART, PURPOSE_PART = 0.6, 0.4
"""Parts of the score. The framework fixes them."""

_FOR_KEYWORDS = ((NAME, 1.0), (KEYWORD, 1.0), (PURPOSE, 0.95), (INCIDENTAL, 0.75))
_FOR_PURPOSE = ((NAME, 1.0), (PURPOSE, 1.0), (KEYWORD, 0.85), (INCIDENTAL, 0.55))
"""Share to which a term counts as covered, by the best field that contains it."""

SYNONYM_WEIGHT = 0.8
"""Weight of a synonym relative to the word itself."""

DESCRIBED_WEIGHT = 0.5
"""Weight of a word that describes one of the name, relative to the word itself."""

NAMED_PURPOSE = 0.5
"""An intent with this share of a purpose's words names all of it: nobody repeats a sentence word by word."""

WHOLE_PURPOSE = 0.9
"""The share of a comment's words required if the intent does not contain the name."""

UNFOCUSED: Mapping[Origin, float] = {"file": 0.6, "code": 0.2}
"""Factor of the purpose part if the intent names nothing of the entity. Code is found by its name: the words of its
comments and parameters occur all over a package.
"""

REQUEST_WORD, KIND_WORD, UNKNOWN_WORD, GENERIC_WORD = 0.25, 0.4, 0.4, 0.3
"""Factors for a term that requests rather than describes, that names a kind of entity, that no entity contains, and
that means data of any kind.
"""

UNNAMED_COST, MODULE_COST = 0.1, 0.05
"""For code: maximum loss of the purpose part for words of a name that the intent lacks (`setQuarter` is not the quarter
of a date, though its comment has all words of that), and the loss of a whole file, whose definitions say more.
"""

PREFIX, NO_ANSWER = 0.94, 0.59
"""Factors for a name that begins with a prefix that the intent lacks (`setQuarter` is not the quarter of a date), and
for a type, or what is described as doing something else, where the intent asks whether something holds.
"""

_CAPITAL_FUNCTIONS = (".go", ".cs")
"""Languages in which names of functions begin with a capital letter."""

MIN_WORDS = 2
"""Number of an entity's words below which an intent never matches: one common word, or a kind's name, is chance."""

TOO_FEW_WORDS = 0.59
"""Factor that leaves a score below 60: of such intents, and where no match is likely."""

_ROUNDING = 1e-9


def _strength(strengths: Sequence[tuple[int, float]], fields: int) -> float:
    """Return how far a term in these fields counts as covered."""
    return next((value for where, value in strengths if fields & where), 0.0)


_OWN_FIELDS = NAME | KEYWORD | PURPOSE | INCIDENTAL
"""The fields that contain the word itself."""

_SYNONYM_BITS = INCIDENTAL.bit_length()
"""Number of bits by which a synonym's fields are shifted above those of the word itself."""

DESCRIBED = 2 * INCIDENTAL << _SYNONYM_BITS
"""Set if the word describes one of the name."""

_KEYWORD_STRENGTHS, _PURPOSE_STRENGTHS = (
    tuple(
        max(
            _strength(strengths, fields % (2 * INCIDENTAL)),
            SYNONYM_WEIGHT * _strength(strengths, fields >> _SYNONYM_BITS),
            DESCRIBED_WEIGHT if fields & DESCRIBED else 0.0,
        )
        for fields in range(2 * DESCRIBED)
    )
    for strengths in (_FOR_KEYWORDS, _FOR_PURPOSE)
)
_BEST = tuple(
    KEYWORDS_PART * keywords + PURPOSE_PART * purpose
    for keywords, purpose in zip(_KEYWORD_STRENGTHS, _PURPOSE_STRENGTHS, strict=True)
)
"""Maximum contribution of a term to a score, as a share of its weight, by its fields."""


class Term(NamedTuple):
    """A term of the intent."""

    root: str
    word: str
    """As written."""
    weight: float
    kinds: frozenset[str]
    """The entity types it may name."""
    fields: Mapping[int, int]
    """The numbers of the entities that contain it or a synonym, each with the fields of both."""
    described_names: Sequence[str] = ()
    """Roots in names that it describes."""
    is_excluded: bool = False
    """Whether it follows a negation, as `hyphens` in `without hyphens`."""


class Score(NamedTuple):
    """Match of an entity; parts and score 0 to 100, unrounded."""

    number: int
    """The entity's position in the index."""
    score: float
    keywords: float
    purpose: float
    matched: tuple[str, ...]
    """The intent's words that it covers, in order."""
    missing: tuple[str, ...]
    """The other words."""


def intent_terms(intent: str, index: RegistryIndex) -> list[Term]:
    """Return the terms of an intent with their weights in a registry, in order."""
    words = intent_words(intent)
    for whole, parts in compounds_of(intent).items():
        if whole in index.postings:  # `full-stack` if the registry has `fullstack`
            at = {part: words.pop(part) for part in parts if part in words and part not in index.postings}
            words.setdefault(whole, next(iter(at.values()), whole))
    kinds = kinds_in(words)
    proper_names = proper_names_in(intent)
    acronyms = acronyms_in(intent, index.is_name)
    joined = joined_words_in(intent)
    terms = [
        _term(
            root, word, index, kinds.get(root, frozenset()), joined.get(root, ()), is_proper_name=root in proper_names
        )
        for root, word in words.items()
    ]
    for acronym, phrase in acronyms.items():
        terms = _with_acronym(terms, acronym, phrase, index)
    # `check whether …`: what is done comes after it.
    asking = [term for term in terms if term.root in words_before_whether(intent)]
    terms = [term for term in terms if term not in asking]
    done = what_is_done(terms)
    if done is not None and not any(mask % DESCRIBED for mask in done.fields.values()):  # by no entity
        terms[terms.index(done)] = done._replace(weight=index.weight_of(0))
    terms += [term._replace(weight=term.weight * 0.5) for term in asking]
    excluded = excluded_words_in(intent)
    terms = [term._replace(is_excluded=term.root in excluded) for term in terms]
    # Without weight: they only tell names apart.
    function_words = sorted(function_words_of(intent) & index.postings.keys() - words.keys())
    return terms + [Term(word, word, 0.0, frozenset(), index.fields(word)) for word in function_words]


def what_is_done(terms: Sequence[Term]) -> Term | None:
    """Return the first term that says something."""
    return next(
        (term for term in terms if not (term.kinds or is_request_word(term.root) or is_generic_word(term.root))), None
    )


def _with_acronym(terms: list[Term], acronym: str, phrase: Sequence[str], index: RegistryIndex) -> list[Term]:
    """Return the terms with one for an acronym and its words together: an entity has it, or all of them."""
    roots = {root for word in phrase for root in intent_words(word)}
    spelled_out = [term for term in terms if term.root in roots]
    if len(spelled_out) < MIN_WORDS or any(term.root == acronym for term in terms):
        return terms
    fields = dict(index.fields(acronym))
    for number in set.intersection(*(set(term.fields) for term in spelled_out)):
        for term in spelled_out:
            fields[number] = fields.get(number, 0) | term.fields[number]
    weight = max(index.weight(acronym), sum(term.weight for term in spelled_out))
    start = terms.index(spelled_out[0])
    others = [term for term in terms if term.root not in roots]
    return [*others[:start], Term(acronym, " ".join(phrase), weight, frozenset(), fields), *others[start:]]


def scores(terms: Sequence[Term], index: RegistryIndex, limit: int, type_: str | None = None) -> list[Score]:
    """Return the best entities, best first, equal ones in the registry's order; only those that share a term.

    Return none for terms without weight: an intent of function words alone.
    """
    total = sum(term.weight for term in terms)
    if not total:
        return []
    heap = [
        (-bound, number)
        for number, bound in _bounds(terms).items()
        if type_ is None or index.entities[number].type == type_
    ]
    heapify(heap)
    best: list[Score] = []
    while heap:
        bound, number = heappop(heap)
        if len(best) >= limit and -100 * bound / total < best[-1].score - _ROUNDING:
            break  # no later one can be better
        insort(best, score(number, terms, index), key=_order)
        del best[limit:]
    return best


def score(number: int, terms: Sequence[Term], index: RegistryIndex) -> Score:
    """Return the score of one entity."""
    total = sum(term.weight for term in terms)
    fields = [_field_mask(term, number) for term in terms]
    is_kind = [index.entities[number].type in term.kinds for term in terms]
    keywords = _share(terms, fields, is_kind, _KEYWORD_STRENGTHS, total)
    purpose = _share(terms, fields, is_kind, _PURPOSE_STRENGTHS, total) * focus(number, terms, index)
    is_matched = [bool(field) or kind for field, kind in zip(fields, is_kind, strict=True)]
    if _is_of_own_words(number, terms, fields, is_kind, index):
        keywords = purpose = 1.0
    else:
        factor = _likelihood(number, terms, index) * (1.0 if _is_enough(terms, fields) else TOO_FEW_WORDS)
        keywords, purpose = keywords * factor, purpose * factor
    return Score(
        number=number,
        score=100 * (KEYWORDS_PART * keywords + PURPOSE_PART * purpose),
        keywords=100 * keywords,
        purpose=100 * purpose,
        matched=tuple(term.word for term, is_there in zip(terms, is_matched, strict=True) if is_there and term.weight),
        missing=tuple(
            term.word for term, is_there in zip(terms, is_matched, strict=True) if term.weight and not is_there
        ),
    )


def own_terms(terms: Sequence[Term], number: int) -> list[Term]:
    """Return the terms for one entity, without the words that only describe its name."""
    return [
        term._replace(fields={number: term.fields.get(number, 0) % DESCRIBED}, described_names=()) for term in terms
    ]


def share_by_own_words(number: int, terms: Sequence[Term]) -> float:
    """Return the share of an intent's words, by weight, that an entity contains itself."""
    own = sum(term.weight for term in terms if term.fields.get(number, 0) & _OWN_FIELDS)
    return own / total if (total := sum(term.weight for term in terms)) else 0.0


def share_of_name(number: int, terms: Sequence[Term], index: RegistryIndex) -> float:
    """Return the share of an entity's name, by weight, that an intent contains or describes."""
    return named_share(index.words[number].name, _intent_weights(terms), index)


def is_held(number: int, terms: Sequence[Term], index: RegistryIndex) -> bool:
    """Whether a rule holds an entity below 60."""
    fields = [_field_mask(term, number) for term in terms]
    return not _is_enough(terms, fields) or _likelihood(number, terms, index) == NO_ANSWER


def _likelihood(number: int, terms: Sequence[Term], index: RegistryIndex) -> float:
    """Return a factor that tells entities of like words apart by what they do."""
    factor, entity = 1.0, index.entities[number]
    name = display_name(entity)
    prefix = prefix_of(name) if entity.type in ("function", "method") else None
    if prefix is not None and all(term.root != prefix for term in terms):
        factor = PREFIX
    is_type = entity.type == "class" or (name[:1].isupper() and not entity.path.endswith(_CAPITAL_FUNCTIONS))
    is_question = any(term.root == WHETHER for term in terms)
    is_other = entity.origin == "code" and _answers_nothing(index.words[number])
    is_excluded = any(term.is_excluded and term.fields.get(number, 0) & NAME for term in terms)
    is_contrary = is_excluded and NEGATIONS.isdisjoint(index.words[number].name)
    return NO_ANSWER if is_contrary or (is_question and (is_type or is_other)) else factor


def _answers_nothing(words: EntityWords) -> bool:
    """Whether an entity has a description, and neither that nor its name is about whether something holds."""
    is_described = not set(words.purpose).issubset(words.name)
    return is_described and ANSWERS.isdisjoint((*words.name, *words.purpose)) and PREDICATES.isdisjoint(words.name)


def _is_enough(terms: Sequence[Term], fields: Sequence[int]) -> bool:
    """Whether an intent and an entity share at least `MIN_WORDS` words besides a kind's name.

    A word that requests counts if it is in the name, an acronym as the words that it stands for.
    """
    shared = [
        term
        for term, field in zip(terms, fields, strict=True)
        if field and term.weight and not term.kinds and (not is_request_word(term.root) or field & NAME)
    ]
    return sum(len(term.word.split()) for term in shared) >= MIN_WORDS


def _is_of_own_words(
    number: int, terms: Sequence[Term], fields: Sequence[int], is_kind: Sequence[bool], index: RegistryIndex
) -> bool:
    """Whether an intent consists of all words of an entity's name or purpose, at least two, and of no others.

    A kind's name is a word of the name, as in `OrderSchema`, or of an entity that was listed as one: `response` and
    `class` are one common word and a kind. A word that requests counts if it is in the name.
    """
    words, is_listed = index.words[number], index.entities[number].origin == "file"
    own = NAME | PURPOSE
    if not all(kind or field & own for field, kind in zip(fields, is_kind, strict=True)):
        return False
    named = sum(
        len(term.word.split())
        for term, field, kind in zip(terms, fields, is_kind, strict=True)
        if field & NAME or (is_listed if kind else not (term.kinds or is_request_word(term.root)))
    )
    roots = {term.root for term in terms}
    return named >= MIN_WORDS and any(part and roots.issuperset(part) for part in (words.name, words.purpose))


def focus(number: int, terms: Sequence[Term], index: RegistryIndex) -> float:
    """Return how much of an entity an intent names, from its `UNFOCUSED` to 1.

    For code the name or the whole comment is required: a comment also describes side effects. What its name has beyond
    the intent reduces it.
    """
    words, origin = index.words[number], index.entities[number].origin
    unfocused = UNFOCUSED[origin]
    intent_weights = _intent_weights(terms)
    name, purpose = named_share(words.name, intent_weights, index), named_share(words.purpose, intent_weights, index)
    certainty = 1.0
    if origin == "code":
        name_words = [word for word in words.name if word not in words.compounds]
        certainty -= UNNAMED_COST * _unnamed_share(name_words, intent_weights, index)
        certainty -= 0 if "#" in index.entities[number].key else MODULE_COST
    if not name and purpose < WHOLE_PURPOSE and origin == "code":
        return unfocused * certainty
    named = max(
        name,
        named_share(words.keywords, intent_weights, index),
        min(1.0, purpose / NAMED_PURPOSE),
    )
    return (unfocused + (1 - unfocused) * named) * certainty


def _intent_weights(terms: Sequence[Term]) -> Mapping[str, float]:
    """Return how far an intent contains a root: itself, a synonym, or a word that describes it."""
    weights = {name: DESCRIBED_WEIGHT for term in terms for name in term.described_names}
    weights |= {other: SYNONYM_WEIGHT for term in terms for other in synonyms_of(term.root)}
    return weights | {term.root: 1.0 for term in terms}


def _term(
    root: str,
    word: str,
    index: RegistryIndex,
    kinds: frozenset[str],
    joined: Collection[str] | None,
    *,
    is_proper_name: bool,
) -> Term:
    """Return a term; one that names a kind of entity has no synonyms."""
    if kinds:
        return Term(root, word, index.weight(root) * KIND_WORD, kinds, index.fields(root))
    described = names_described_by(root)
    fields = _term_fields(root, joined or (), described, index)
    frequency = sum(bool(mask % DESCRIBED) for mask in fields.values())
    weight = index.weight_of(frequency)
    if not frequency and not is_proper_name:
        weight *= UNKNOWN_WORD
    if is_generic_word(root):
        weight *= GENERIC_WORD
    return Term(root, word, weight * REQUEST_WORD if is_request_word(root) else weight, kinds, fields, described)


def _term_fields(
    root: str, joined: Collection[str], described: Sequence[str], index: RegistryIndex
) -> Mapping[int, int]:
    """Return the fields with a word, a synonym, both words of a compound as one, or a name that it describes."""
    fields = dict(index.fields(root))
    for whole in joined:
        for number, mask in index.fields(whole).items():
            if whole not in index.words[number].compounds:  # of a compound, the parts are known
                fields[number] = fields.get(number, 0) | mask
    for other in synonyms_of(root):
        for number, mask in index.fields(other).items():
            fields[number] = fields.get(number, 0) | mask << _SYNONYM_BITS
    for name in described:
        for number, mask in index.fields(name).items():
            if mask & NAME:
                fields[number] = fields.get(number, 0) | DESCRIBED
    if root in QUESTIONS:
        fields |= {number: fields.get(number, 0) | NAME for number in _predicates(index)}
    return fields


def _predicates(index: RegistryIndex) -> set[int]:
    """Return the functions that answer yes or no: their names say `is` where an intent says `check` or `whether`."""
    named = (number for word in PREDICATES for number, mask in index.fields(word).items() if mask & NAME)
    return {number for number in named if index.entities[number].type in ("function", "method")}


def _bounds(terms: Sequence[Term]) -> dict[int, float]:
    """Return for each entity that shares a term an upper bound of its share of the terms' weights.

    A kind counts for all entities, because many are of it; if no other term is shared, only for those that contain its
    word.
    """
    covered: dict[int, float] = {}
    kinds = sum(term.weight for term in terms if term.kinds)
    for term in terms:
        if not term.kinds:
            gain = [term.weight * best for best in _BEST]
            for number, fields in term.fields.items():
                covered[number] = covered.get(number, kinds) + gain[fields]
    return covered or {number: kinds for term in terms for number in term.fields}


def _field_mask(term: Term, number: int) -> int:
    """Return the fields that contain a term; one that names a kind does not count as a keyword."""
    fields = term.fields.get(number, 0)
    return fields & (NAME | PURPOSE) if term.kinds else fields


def _share(
    terms: Sequence[Term],
    fields: Sequence[int],
    is_kind: Sequence[bool],
    strengths: Sequence[float],
    total: float,
) -> float:
    covered = 0.0
    for term, field, kind in zip(terms, fields, is_kind, strict=True):
        covered += term.weight * (1.0 if kind else strengths[field])
    return covered / total if total else 0.0


def named_share(words: Sequence[str], intent_weights: Mapping[str, float], index: RegistryIndex) -> float:
    """Return the share of some words that the intent contains, by weight."""
    weights = [index.weight(word) * (REQUEST_WORD if is_minor_word(word) else 1.0) for word in words]
    total = sum(weights)
    named = sum(weight * intent_weights.get(word, 0.0) for word, weight in zip(words, weights, strict=True))
    return named / total if total else 0.0


def _unnamed_share(name: Sequence[str], intent_words: Collection[str], index: RegistryIndex) -> float:
    """Return the share of a name that an intent lacks, by weight. The verb counts as any word, but for `get`.

    `is` and its like are named by an intent that asks whether something holds.
    """
    total = lacking = 0.0
    for word in name:
        is_predicate = word in PREDICATES
        weight = index.weight(word) * (REQUEST_WORD if is_function_word(word) and not is_predicate else 1.0)
        total += weight
        if word not in intent_words and not (is_predicate and not QUESTIONS.isdisjoint(intent_words)):
            lacking += weight
    return lacking / total if total else 0.0


def _order(score: Score) -> tuple[float, int]:
    return -score.score, score.number

"""Stemming of words and intents, kinds of entities, synonyms in software terminology, and what describes a name. Pure.

`validate`, `validator` and `validation` match by their stem; a request for a *folder* matches a *directory*.

Identifiers are split and inflection is removed as in `core.terms`; here derivational endings are removed too: the
purposes in a registry are sentences with verbs, and its names are nouns made of the same verbs.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import IP_VERSION, STOP_WORDS, count_terms, query_words, stem

SHORTEST_ROOT = 4
"""Minimum length of the root that remains without an ending."""

_ENDINGS = (
    ("ional", "ion"), ("etion", "et"), ("ization", "iz"), ("isation", "iz"), ("ability", ""), ("ibility", ""),
    ("ication", "y"), ("ation", ""),
    ("ition", ""), ("ator", ""), ("ction", "ct"), ("ption", "pt"), ("ution", "ut"), ("ement", ""), ("ment", ""),
    ("ness", ""), ("ectur", "ect"), ("ency", ""), ("ancy", ""), ("enc", ""), ("anc", ""), ("ator", ""), ("ctor", "ct"),
    ("er", ""), ("or", ""), ("at", ""), ("iv", ""), ("ify", "ify"), ("ly", ""),
)  # fmt: skip

_DOUBLING_ENDINGS = frozenset(("er", "or", "enc", "anc"))
"""Endings before which a consonant may be doubled, as in `splitter` and `occurrence`."""

_DOUBLED = lazy_regex(r"([bdgmnprt])\1$")

_EQUIVALENTS = (
    ("analysis", "analyz", "analys", "analyser", "analyzer", "analyse"),
    ("spec", "specific", "specify", "specification"),
    ("doc", "document", "documentation"),
    ("config", "configur", "configuration"),
    ("auth", "authentic", "authentication", "authenticat"),
    ("db", "database"),
    ("repo", "repository"),
    ("infra", "infrastructure", "infrastructur"),
    ("dev", "develop", "developer", "development"),
    ("req", "requirement"),
    ("param", "parameter"),
    ("arg", "argument"),
    ("ctx", "context"),
    ("env", "environment"),
    ("err", "error"),
    ("msg", "message", "messag"),
    ("app", "application"),
    ("lib", "library"),
    ("util", "utility"),
    ("init", "initialize", "initializ", "initialis", "initialization"),
    ("sync", "synchronize", "synchroniz", "synchronization"),
    ("perm", "permission"),
    ("delet", "remov", "delete", "remove"),
    ("url", "uri"),
    ("format", "formatt"),
    ("regist", "registr", "registry"),
    ("resolv", "resolut"),
    ("compres", "compression"),
    ("creat", "creation"),
    ("architect", "architectural"),
    ("behavior", "behaviour"),
    ("center", "centre"),
    ("licens", "licenc", "license", "licence"),
    ("catalog", "catalogue"),
)
"""Abbreviations and irregular forms; the first word of each group is its root."""

_CONTENT_WORDS = frozenset(
    ("add", "added", "date", "dates", "file", "files", "code", "get", "show", "try", "now", "today")
)
"""Words that are function words of a prompt, here or in another language, but content of a name or an intent."""

_FUNCTION_WORDS = STOP_WORDS - _CONTENT_WORDS - {stem(word) for word in _CONTENT_WORDS}

_NO_ENDING = frozenset(
    ("format", "author", "number", "order", "letter", "paper", "water", "power", "layer", "user", "stat")
)
"""Words that only look as if they had an ending."""

_REQUEST_WORDS = frozenset(
    (
        "creat", "build", "writ", "implement", "generat", "produc", "provid", "introduc", "develop", "giv", "given",
        "tak", "return", "support", "allow", "handl", "help", "abl", "every", "whole", "project", "correct", "proper",
        "reusabl", "nic", "good", "better", "simpl", "existing", "current", "based", "kind", "set", "bas",
        "across", "through", "between", "within", "without", "against", "under", "over", "one", "two", "three",
        "instead", "whether", "here", "another", "different", "similar", "mak", "easy", "plus", "together", "anything",
        "everything", "follow", "per", "first", "next", "last", "system", "framework",
        "already", "back", "keep", "long", "short", "several", "many", "much", "various", "often", "sometimes",
        "regardless", "caus", "given", "possibl", "necessary", "certain", "specific", "particular", "appropriat",
        "must", "might", "may", "shall", "cannot", "user", "someone", "everybody", "people", "part", "piec", "bit",
        "always", "never", "still", "even", "yet", "soon", "lat", "later", "quick", "fast", "directly", "itself",
        "themselves", "becom", "happen", "going", "com", "put", "say", "tell", "called", "named", "includ", "contain",
        "custom", "own", "real", "actual", "usual", "normal", "general", "common", "wher", "ther", "near", "far",
        "criar", "preciso", "quero", "necesito", "crear", "quiero", "creer", "besoin",
    )
)  # fmt: skip
"""Terms that request rather than describe; they count little, and less if no entity contains them."""

_GENERIC_WORDS = frozenset(
    (
        "number", "list", "string", "value", "object", "item", "element", "thing", "data", "result", "whether", "way",
        "each", "used", "new", "single", "all", "only", "any", "count", "get", "show", "add",
    )
)  # fmt: skip
"""Words for data of any kind, which say little about what is done with it."""

KINDS = {
    "agent": "agent", "template": "template", "boilerplate": "template", "workflow": "workflow", "pipeline": "workflow",
    "schema": "schema", "governance": "governance", "task": "task", "function": "function", "method": "method function",
    "helper": "function", "routine": "function", "utility": "function", "class": "class", "struct": "class",
    "component": "component", "widget": "component", "hook": "function", "module": "module",
    "script": "script", "decorator": "function",
    "exception": "class",
}  # fmt: skip
"""Words for kinds of entities → the entity types they may mean."""

PREDICATES = frozenset(("is", "are", "has", "have", "can", "should"))
"""First words of the names of functions that answer yes or no."""

_QUESTION_WORDS = ("whether", "check", "if", "test", "valid")

_PREFIXES = frozenset(("set", "unset", "with", "mark", "add", "from"))
"""First words of names of functions that change or make something by what follows."""

_NEGATION = lazy_regex(r"(?i)\b(?:without|cannot|except)\b")
_LETTERS = lazy_regex(r"[a-z]+")
_SYLLABLE = lazy_regex(r"[^aeiou][aeiou][^aeiou]")
_ACRONYM_WORDS = (5, 4, 3)

HUMPS = IP_VERSION + r"|[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+"
"""Pattern of the parts of an identifier in ASCII; unlike a search, plurals of acronyms stay whole: `URLs`."""
_HUMPS = lazy_regex(HUMPS)
_PIECE = lazy_regex(r"\w+")
_WORD = lazy_regex(r"\w+(?:[-/]\w+)*")
_COMPOUND = lazy_regex(r"(?<!\w)(?:\w++(?:[-/]\w++)++|\w*(?:_|[a-z][A-Z])\w*)")


@lru_cache(maxsize=16_384)
def root(term: str) -> str:
    """Return the root of a stemmed term."""
    known = _ROOT_OF.get(term)
    if known is not None:
        return known
    shorter = _without_endings(term)
    return _ROOT_OF.get(shorter, shorter)


def roots_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the roots of texts; compounds such as `full-stack` or `fullStack` yield their parts."""
    counted = (split_compound(word) for text in texts for word in _WORD.findall(text))
    return frozenset(part for _, parts in counted for part in parts)


def function_words_of(text: str) -> frozenset[str]:
    """Return the function words in a name or an intent, which tell `before_log` from `after_log`."""
    words = (word.casefold() for piece in _PIECE.findall(text) for word in _HUMPS.findall(piece))
    return frozenset(word for word in words if word in _FUNCTION_WORDS and len(word) > 1)


def word_forms(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the words of names and texts as written, in lower case and each once, without function words."""
    words = (word.casefold() for text in texts for word in _HUMPS.findall(text))
    return tuple(dict.fromkeys(word for word in words if word not in _FUNCTION_WORDS))


@lru_cache(maxsize=16_384)
def root_of_word(word: str) -> str:
    """Return the root of one word."""
    return root(stem(word))


def compound_roots(texts: Iterable[str]) -> frozenset[str]:
    """Return the roots of compounds written as one word, and of any two adjacent parts.

    So `gzip` matches `GZipDecoder`, and `websocket` matches `WebSocketServer`.
    """
    return frozenset(whole for text in texts for word in _COMPOUND.findall(text) for whole in _compounds_in(word))


@lru_cache(maxsize=16_384)
def _compounds_in(word: str) -> tuple[str, ...]:
    whole = split_compound(word)[0]
    if not whole:
        return ()
    pieces = [part.casefold() for piece in _PIECE.findall(word) for part in _HUMPS.findall(piece)]
    pairs = (left + right for left, right in pairwise(pieces)) if len(pieces) > 2 else ()
    return (whole, *(root(stem(pair)) for pair in pairs))


@lru_cache(maxsize=16_384)
def split_compound(word: str) -> tuple[str, tuple[str, ...]]:
    """Return the root of a compound written as one word (empty if it is not a compound) and the roots of its parts."""
    parts: dict[str, None] = {}
    whole = ""
    for piece in _PIECE.findall(word):
        terms = list(count_terms(piece))
        parts.update(dict.fromkeys(terms[1:] if len(terms) > 1 else terms))
        whole += piece.replace("_", "")
    compound = root(stem(whole.casefold())) if len(parts) > 1 else ""
    return compound, tuple(dict.fromkeys(root(term) for term in parts if term not in _FUNCTION_WORDS))


def intent_words(intent: str) -> dict[str, str]:
    """Return the significant roots of an intent, in order, each with its original word; compounds are split."""
    significant = {root(term): word for term, word in query_words(intent).items()}
    folded_words = (word.casefold() for word in _PIECE.findall(intent))
    significant |= {root(stem(word)): word for word in folded_words if word in _CONTENT_WORDS}
    return {
        part: significant[part]
        for word in _WORD.findall(intent)
        for part in split_compound(word)[1]
        if part in significant
    }


def proper_names_in(intent: str) -> frozenset[str]:
    """Return the roots of words written like a product or a format: `TOML`, `OAuth`, `LZ4`, `Docker`."""
    words = _WORD.findall(intent)
    named = [word for word in words[:1] if not word[1:].islower() and word != word.lower()]
    named += [word for word in words[1:] if word != word.lower()]
    return frozenset(root for word in named for root in (split_compound(word)[0], *split_compound(word)[1]) if root)


def compounds_of(intent: str) -> dict[str, tuple[str, ...]]:
    """Return the roots of an intent's compounds written as one word, with the roots of their parts."""
    return dict(split_compound(word) for word in _COMPOUND.findall(intent) if split_compound(word)[0])


def words_before_whether(intent: str) -> frozenset[str]:
    """Return the roots before the first `whether`, which only say that something is asked."""
    before, whether, _ = intent.casefold().partition("whether")
    return frozenset(intent_words(before)) if whether else frozenset()


def excluded_words_in(intent: str) -> frozenset[str]:
    """Return the roots of the first words after negations, as in `without hyphens`, that are in no place before."""
    excluded: set[str] = set()
    for negation in _NEGATION.finditer(intent):
        following = list(intent_words(intent[negation.end() :].partition(",")[0]))
        excluded.update(set(following[:1]) - intent_words(intent[: negation.start()]).keys())
    return frozenset(excluded)


def joined_words_in(intent: str) -> dict[str, tuple[str, ...]]:
    """Return the roots of words followed by another one, each with those of both written as one, as `filesize`."""
    joined: dict[str, tuple[str, ...]] = {}
    for left, right in pairwise(_LETTERS.findall(intent.casefold())):
        whole = root(stem(left + right))
        for part in (root(stem(left)), root(stem(right))):
            joined[part] = (*joined.get(part, ()), whole)
    return joined


def acronyms_in(intent: str, is_name: Callable[[str], bool]) -> dict[str, tuple[str, ...]]:
    """Return the roots of acronyms that are names, as `csrf`, each with the words of the intent that it stands for.

    Three letters that read as a syllable, such as `map`, are a word.
    """
    words = _LETTERS.findall(intent.casefold())
    acronyms: dict[str, tuple[str, ...]] = {}
    for length in _ACRONYM_WORDS:
        for start in range(len(words) - length + 1):
            phrase = words[start : start + length]
            letters = "".join(word[0] for word in phrase)
            if _FUNCTION_WORDS.isdisjoint(phrase) and not _SYLLABLE.fullmatch(letters):
                acronym = root(stem(letters))
                if is_name(acronym):
                    acronyms.setdefault(acronym, tuple(phrase))
    return acronyms


def prefix_of(name: str) -> str | None:
    """Return the root of a name's first word if it says what a function does with the rest, as in `setTimeout`."""
    first = _HUMPS.search(name)
    word = first[0].casefold() if first is not None and first.end() < len(name) else ""
    return root(stem(word)) if word in _PREFIXES else None


def is_request_word(term: str) -> bool:
    """Whether a root requests rather than describes."""
    return term in _REQUEST_ROOTS


def is_minor_word(term: str) -> bool:
    """Whether a root requests, or is a function word."""
    return term in _REQUEST_ROOTS or is_function_word(term)


def is_function_word(term: str) -> bool:
    """Whether a root says nothing about a thing."""
    return term in _FUNCTION_WORDS or term == "get"


def is_generic_word(term: str) -> bool:
    """Whether a root means data of any kind."""
    return term in _GENERIC_ROOTS


def kinds_in(words: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the roots that name a kind of entity, each with the entity types it may mean."""
    return {word: frozenset(_KIND_ROOTS[word]) for word in words if word in _KIND_ROOTS}


def _without_endings(term: str) -> str:
    if term in _NO_ENDING or not term.isascii():
        return term
    for ending, instead in _ENDINGS:
        if term.endswith(ending) and len(term) - len(ending) + len(instead) >= SHORTEST_ROOT:
            shorter = term[: len(term) - len(ending)] + instead
            if shorter == term:
                return term
            stump = shorter.removesuffix("e")
            return _without_endings(_DOUBLED.sub(r"\1", stump) if ending in _DOUBLING_ENDINGS else stump)
    return term


_ROOT_OF: dict[str, str] = {}
_ROOT_OF.update({form: group[0] for group in _EQUIVALENTS for form in group})
_ROOT_OF.update({_without_endings(form): group[0] for group in _EQUIVALENTS for form in group})
_REQUEST_ROOTS = frozenset(root(term) for term in _REQUEST_WORDS)
_GENERIC_ROOTS = frozenset(root(term) for term in _GENERIC_WORDS)
QUESTIONS = frozenset(root(stem(word)) for word in _QUESTION_WORDS)
"""Roots of words of an intent that asks for such a function."""

_ANSWER_WORDS = (
    "true", "false", "bool", "boolean", "determine", "contain", "include", "exist", "ensure", "verify", "assert",
    "predicate", "compare", "match",
)  # fmt: skip
ANSWERS = QUESTIONS | frozenset(root(stem(word)) for word in _ANSWER_WORDS)
"""Roots of words of a description that says whether something holds."""

_NEGATIONS = (
    "without", "no", "not", "non", "un", "off", "except", "exclude", "omit", "skip", "ignore", "remove", "strip",
    "drop", "reject",
)  # fmt: skip
NEGATIONS = frozenset(root(stem(word)) for word in _NEGATIONS)
"""Roots of words of a name that takes away what follows."""

WHETHER = root(stem("whether"))
_KIND_ROOTS: dict[str, set[str]] = {}
for _word, _types in KINDS.items():
    for _root in intent_words(_word):
        _KIND_ROOTS.setdefault(_root, set()).update(_types.split())


# Each row is a group of synonyms, and a word may be in several. Words of a group are similar, not equal: a synonym
# counts less than the word itself.

_GROUPS = """
ask prompt question
confirm acknowledge approve
print echo output emit display show
write save store persist
color colour tint
style format theme look
folder directory dir
setting config option preference
merge combine join concat concatenate compose unite
split divide partition chunk
cancel abort stop interrupt kill terminate
quit exit leave close
start begin launch
run execute invoke call perform
fetch retrieve load obtain
read load parse
delete remove drop erase clear purge
update change modify edit alter
convert transform turn translate
decode parse deserialize
encode serialize dump stringify
check validate verify ensure assert
compare diff equal match
find search lookup locate
filter select pick choose choice
sort order rank
number int integer float numeric
range interval limit bound
minimum min lowest smallest least
maximum max highest largest greatest latest
increment inc increase
decrement dec decrease
difference diff
compare cmp
ascending sort
descending reverse
greater gt
less lt
try attempt retry
asynchronous async asyncio coroutine
concurrent parallel
limit throttle restrict cap
often frequency freq
wait pause sleep delay
timeout deadline
retry repeat
send post deliver transmit dispatch submit
receive accept
response reply answer
intercept hook middleware
hook listener observer subscriber callback
event signal
text string
print log
log record trace
message text notification
user account member
auth login signin
password secret credential
error exception failure fault
url uri link address
address host
image picture photo
list array sequence collection
dict dictionary map mapping
key identifier id name
date time datetime timestamp
day date
width size length
wrap fold
strip trim
escape quote
duplicate copy clone
cache memoize
compress zip gzip deflate
decompress unzip inflate
process task job worker
parent base
base root
subcommand group
terminal console tty shell
flag option switch
parameter argument option
field attribute property column
group category
alert notification
browser client
buffer bytes binary blob
stream pipe
permission access right
price cost amount
customer buyer client
cart basket
product item article
order purchase
invoice bill
receipt invoice
mail email
path filename file
random arbitrary
unique distinct
temporary temp
visible shown
hidden hide invisible
mask redact censor
enable activate
disable deactivate
install setup
mock stub fake
test unittest
capture record
press key
raw plain
type kind
several multiple multi many
separator delimiter
remaining left rest
duplicate unique distinct
"""


def _build() -> Mapping[str, tuple[str, ...]]:
    synonyms: dict[str, dict[str, None]] = {}
    for line in _GROUPS.strip().splitlines():
        roots = [root for word in line.split() for root in intent_words(word)]
        for first in roots:
            synonyms.setdefault(first, {}).update((other, None) for other in roots if other != first)
    return {root: tuple(others) for root, others in synonyms.items()}


_SYNONYMS = _build()


def synonyms_of(root: str) -> tuple[str, ...]:
    """Return the roots of synonyms."""
    return _SYNONYMS.get(root, ())


_DESCRIBED_NAMES = Path(__file__).with_name("described_names.txt")
"""Each line is the root of a word, a colon, and the roots in names that it describes: who asks for frequent requests to
slow down means `throttle`. `build/generate.py` writes it from `build/name_descriptions.txt`.
"""


def names_described_by(root: str) -> tuple[str, ...]:
    """Return the roots in names that a word's root describes, in order; none if it is not listed."""
    return _described_names().get(root, ())


@lru_cache(maxsize=1)
def _described_names() -> Mapping[str, tuple[str, ...]]:
    lines = _DESCRIBED_NAMES.read_text(encoding="utf-8").splitlines()
    return {root: tuple(names.split()) for root, _, names in (line.partition(": ") for line in lines)}

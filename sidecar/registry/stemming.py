"""Words → roots, so that `validate`, `validator` and `validation` meet; and what kind of thing is asked for. Pure.

Identifiers are split and endings of inflection are taken off as everywhere (`codebase`); here the endings of
derivation go too: a registry's purposes are sentences about deeds, and its names are nouns made of the same verbs.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from sidecar.core.lazy_regex import regex
from sidecar.core.terms import STOP_WORDS, count_terms, query_words, stem

SHORTEST_ROOT = 4
"""What an ending leaves has at least so many letters; else it was none."""

_ENDINGS = (
    ("ization", "iz"), ("isation", "iz"), ("ability", ""), ("ibility", ""), ("ication", "y"), ("ation", ""),
    ("ition", ""), ("ator", ""), ("ction", "ct"), ("ption", "pt"), ("ution", "ut"), ("ement", ""), ("ment", ""),
    ("ness", ""), ("ectur", "ect"), ("ency", ""), ("ancy", ""), ("enc", ""), ("anc", ""), ("ator", ""), ("ctor", "ct"),
    ("er", ""), ("or", ""), ("at", ""), ("iv", ""), ("ify", "ify"), ("ly", ""),
)  # fmt: skip

_ALIKE = (
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
)
"""Abbreviations and irregular forms that no ending leads to; each group is known by its first word."""

_KEPT = frozenset(("format", "author", "number", "order", "letter", "paper", "water", "power", "layer", "user", "stat"))
"""Words whose end only looks like an ending."""

_FAINT = frozenset(
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
"""Terms that ask rather than describe: they say little of what is wanted, and less where no entity has them."""

KINDS = {
    "agent": "agent", "template": "template", "boilerplate": "template", "workflow": "workflow", "pipeline": "workflow",
    "schema": "schema", "governance": "governance", "task": "task", "function": "function", "method": "method function",
    "helper": "function", "routine": "function", "utility": "function", "class": "class", "struct": "class",
    "component": "component", "widget": "component", "hook": "function", "module": "module",
    "script": "script", "decorator": "function",
    "exception": "class",
}  # fmt: skip
"""What an intent may call the kind of thing it asks for → the types of entities it may mean."""

_HUMPS = regex(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_PIECE = regex(r"\w+")
_WORD = regex(r"\w+(?:[-/]\w+)*")
_COMPOUND = regex(r"(?<!\w)(?:\w++(?:[-/]\w++)++|\w*(?:_|[a-z][A-Z])\w*)")


@lru_cache(maxsize=16_384)
def root(term: str) -> str:
    """Gives the root of a term that was stemmed already."""
    known = _SAME.get(term)
    if known is not None:
        return known
    shorter = _without_endings(term)
    return _SAME.get(shorter, shorter)


def roots_of(texts: Iterable[str]) -> frozenset[str]:
    """Gives the roots of texts: of a compound as `full-stack` or `fullStack` its parts alone."""
    counted = (parts_of(word) for text in texts for word in _WORD.findall(text))
    return frozenset(one for _, parts in counted for one in parts)


def wholes_of(texts: Iterable[str]) -> frozenset[str]:
    """Gives the roots that compounds in texts have when they are written together, and any two neighbours of them.

    So that `gzip` meets `GZipDecoder`, and `websocket` meets `WebSocketServer`.
    """
    return frozenset(whole for text in texts for word in _COMPOUND.findall(text) for whole in _wholes_in(word))


@lru_cache(maxsize=16_384)
def _wholes_in(word: str) -> tuple[str, ...]:
    whole = parts_of(word)[0]
    if not whole:
        return ()
    pieces = [part.casefold() for piece in _PIECE.findall(word) for part in _HUMPS.findall(piece)]
    pairs = (left + right for left, right in pairwise(pieces)) if len(pieces) > 2 else ()
    return (whole, *(root(stem(pair)) for pair in pairs))


@lru_cache(maxsize=16_384)
def parts_of(word: str) -> tuple[str, tuple[str, ...]]:
    """Gives the root of a compound written together, empty for what is none, and the roots of its parts."""
    parts: dict[str, None] = {}
    whole = ""
    for piece in _PIECE.findall(word):
        terms = list(count_terms(piece))
        parts.update(dict.fromkeys(terms[1:] if len(terms) > 1 else terms))
        whole += piece.replace("_", "")
    compound = root(stem(whole.casefold())) if len(parts) > 1 else ""
    return compound, tuple(dict.fromkeys(root(term) for term in parts if term not in STOP_WORDS))


def words_of(intent: str) -> dict[str, str]:
    """Gives the significant roots of an intent, in order, each with the word it was read from; compounds in parts."""
    significant = {root(term): word for term, word in query_words(intent).items()}
    return {one: significant[one] for word in _WORD.findall(intent) for one in parts_of(word)[1] if one in significant}


def compounds_of(intent: str) -> dict[str, tuple[str, ...]]:
    """Gives the roots that the compounds of an intent have when they are written together, with those of the parts."""
    return dict(parts_of(word) for word in _COMPOUND.findall(intent) if parts_of(word)[0])


def is_faint(term: str) -> bool:
    """Says whether a root asks rather than describes."""
    return term in _FAINT_ROOTS


def kinds_in(words: Iterable[str]) -> dict[str, frozenset[str]]:
    """Gives the roots among these that name a kind of thing, each with the types of entities it may mean."""
    return {word: frozenset(_KIND_ROOTS[word]) for word in words if word in _KIND_ROOTS}


def _without_endings(term: str) -> str:
    if term in _KEPT or not term.isascii():
        return term
    for ending, instead in _ENDINGS:
        if term.endswith(ending) and len(term) - len(ending) + len(instead) >= SHORTEST_ROOT:
            shorter = term[: len(term) - len(ending)] + instead
            if shorter == term:
                return term
            return _without_endings(shorter.removesuffix("e"))
    return term


_SAME: dict[str, str] = {}
_SAME.update({form: group[0] for group in _ALIKE for form in group})
_SAME.update({_without_endings(form): group[0] for group in _ALIKE for form in group})
_FAINT_ROOTS = frozenset(root(term) for term in _FAINT)
_KIND_ROOTS: dict[str, set[str]] = {}
for _word, _types in KINDS.items():
    for _root in words_of(_word):
        _KIND_ROOTS.setdefault(_root, set()).update(_types.split())

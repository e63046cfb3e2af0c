"""Which files a text names by path: as the repository has it, by its end, or as it stands on another machine. Pure."""

from typing import NamedTuple

from sidecar.codebase.search.documents import Documents
from sidecar.codebase.summary.languages import language_of
from sidecar.core.lazy_regex import regex
from sidecar.core.terms import identifiers_of, paths_in, query_terms, stem

MAX_MENTIONS = 200
"""A text of more paths is a listing."""

AMBIGUOUS_NAMES = 3
"""A name that ends more paths than this names none of them."""


class Named(NamedTuple):
    """The files a text names, each with how surely it is meant; and the text without what names them."""

    files: dict[str, float]
    rest: str


def named_files(documents: Documents, text: str) -> Named:
    """Gives the files a text names; where only the end of a path is given, only if few files are meant."""
    files: dict[str, float] = {}
    rest = text
    for mention in paths_in(text)[:MAX_MENTIONS]:
        inside = _longest_end(documents, mention)
        ends = [inside] if inside is not None else documents.ending_with(mention)
        if not ends or len(ends) > AMBIGUOUS_NAMES:
            continue
        for path in ends:
            files[path] = max(files.get(path, 0.0), 1 / len(ends))
        rest = rest.replace(mention, " ")  # the words of a path that was found lead to nothing else
    return Named(files, rest)


def _longest_end(documents: Documents, mention: str) -> str | None:
    """The file a mention is, or that an absolute path from elsewhere ends with; the longest such path."""
    rest = mention
    while rest not in documents:
        _, slash, rest = rest.partition("/")
        if not slash:
            return None
    is_whole = rest == mention or "/" in rest or len(documents.ending_with(rest)) == 1
    return rest if is_whole else None


# What a search is asked. Pure.


_TEST_WORDS = frozenset(stem(word) for word in ("test", "spec", "coverage", "e2e", "fixture"))
_DOCUMENT_WORDS = frozenset(
    stem(word) for word in ("readme", "doc", "documentation", "changelog", "markdown", "config", "configuration")
)
_SCOPE = regex(r"\s*\w+\(([^()\n]{1,80})\)!?:|\s*([\w./-]{2,40}):\s")
_QUOTED = regex(r"`([A-Za-z_$][\w$]*)(?:\(\))?`")
_SEPARATOR = regex(r"\.|::?")
_WORD = regex(r"[^\W_]+")


class SearchQuestion(NamedTuple):
    """A text, and what is known beside it."""

    text: str
    changed: frozenset[str] = frozenset()
    """Paths that differ from the head commit."""
    mentioned: frozenset[str] = frozenset()
    """Paths the user pointed at."""
    touched: frozenset[str] = frozenset()
    """Paths the conversation's runs read or wrote."""


class Asked(NamedTuple):
    """What a text says, taken apart."""

    terms: tuple[str, ...]
    identifiers: tuple[str, ...]
    """Names it spells out, as terms."""
    scope: frozenset[str]
    """Terms of a conventional commit's scope."""
    wants_tests: bool
    wants_documents: bool


def read(text: str) -> Asked:
    """Takes a text apart."""
    terms = tuple(query_terms(text))
    quoted = (found[1] for found in _QUOTED.finditer(text))
    names = (*quoted, *(part for name in identifiers_of(text) for part in _names(name)))
    return Asked(
        terms,
        tuple(dict.fromkeys(term for name in names for term in query_terms(name)[:1])),
        _scope(text),
        not _TEST_WORDS.isdisjoint(terms),
        not _DOCUMENT_WORDS.isdisjoint(terms),
    )


def scope_prefix(text: str) -> str:
    """Gives the conventional beginning of a text that names a scope, as it stands: `fix(router):`; else nothing."""
    found = _SCOPE.match(text)
    return found[0].strip() if found is not None else ""


def _names(name: str) -> list[str]:
    """The names in a qualified one, as in `Cart.total` and `till::Cart`: plain small words only at its end."""
    *outer, last = [part for part in _SEPARATOR.split(name) if part]
    if language_of(name) is not None:
        return []
    return [*(part for part in outer if part != part.lower() or "_" in part), last]


def _scope(text: str) -> frozenset[str]:
    found = _SCOPE.match(text)
    if found is None:
        return frozenset()
    return frozenset(stem(word.casefold()) for word in _WORD.findall(found[1] or found[2]))

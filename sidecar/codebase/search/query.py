"""A parsed search query: terms, identifiers, and the files its text names by path. Pure."""

from typing import NamedTuple

from sidecar.codebase.search.worktree_documents import Documents
from sidecar.codebase.summary.languages import language_of
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import DOCUMENT_NAMES, identifiers_of, paths_in, query_terms, stem

MAX_MENTIONS = 200
"""A text with more paths is a file listing."""

AMBIGUOUS_NAMES = 3
"""A file name that matches more paths than this number matches none."""


class MentionedFiles(NamedTuple):
    """The files a text names, each with its certainty; and the text without those mentions."""

    files: dict[str, float]
    rest: str


def mentioned_files(documents: Documents, text: str) -> MentionedFiles:
    """Return the files a text names; a partial path counts only if it matches a few files."""
    files: dict[str, float] = {}
    rest = text
    for mention in paths_in(text)[:MAX_MENTIONS]:
        exact = (
            _named_document(documents, mention) if mention in DOCUMENT_NAMES else _longest_suffix(documents, mention)
        )
        matches = [exact] if exact is not None else _ending_alike(documents, mention)
        if not matches or len(matches) > AMBIGUOUS_NAMES:
            continue
        for path in matches:
            files[path] = max(files.get(path, 0.0), 1 / len(matches))
        rest = rest.replace(mention, " ")  # the words of a resolved path must not match other files
    return MentionedFiles(files, rest)


def _ending_alike(documents: Documents, mention: str) -> list[str]:
    """Return the files that end with a mention, or else with the most of its last components, at least two.

    A stack trace names the installed copy of a file, which lacks the folder of its sources.
    """
    rest = mention
    while not (matches := documents.ending_with(rest)) and rest.count("/") > 1:
        rest = rest.partition("/")[2]
    return matches


_CHANGELOG_NAMES = ("CHANGES", "HISTORY", "NEWS")
_DOCUMENT_ENDINGS = (".md", "", ".rst", ".txt", ".adoc", ".mdx", ".org")


def _named_document(documents: Documents, name: str) -> str | None:
    """Return the document at the top that a bare name such as README means; the nearest one, if there is any."""
    others = _CHANGELOG_NAMES if name.upper() == "CHANGELOG" else ()
    written = dict.fromkeys(
        form for same in (name, *others) for form in (same.upper(), same, same.capitalize(), same.lower())
    )
    candidates = (f"{above}{form}{ending}" for above in _ABOVE for ending in _DOCUMENT_ENDINGS for form in written)
    return next((path for path in candidates if path in documents), None)


_ABOVE = ("", "@", "../", "../../", "../../../")
"""A mention may be relative to a folder above the workspace's, and lacks the at sign of a folder such as `@types`."""


def _longest_suffix(documents: Documents, mention: str) -> str | None:
    """Return the file that a mention is, or that an absolute path from another machine ends with; the longest one."""
    rest = mention
    while (path := next((f"{above}{rest}" for above in _ABOVE if f"{above}{rest}" in documents), None)) is None:
        _, slash, rest = rest.partition("/")
        if not slash:
            return None
    is_whole = rest == mention or "/" in rest or len(documents.ending_with(rest)) == 1
    return path if is_whole else None


TEST_WORDS = frozenset(stem(word) for word in ("test", "spec", "coverage", "e2e", "fixture"))
DOCUMENT_WORDS = frozenset(
    stem(word) for word in ("readme", "doc", "documentation", "changelog", "markdown", "config", "configuration")
)
_SCOPE = lazy_regex(r"\s*\w+\(([^()\n]{1,80})\)!?:|\s*([\w./-]{2,40}):\s")
_QUOTED = lazy_regex(r"`([A-Za-z_$][\w$]*)(?:\(\))?`")
_SEPARATOR = lazy_regex(r"\.|::?")
_WORD = lazy_regex(r"[^\W_]+")


class SearchQuery(NamedTuple):
    """A text, and what is known besides it."""

    text: str
    changed: frozenset[str] = frozenset()
    """Paths that differ from the head commit."""
    mentioned: frozenset[str] = frozenset()
    """Paths the user pointed at."""
    touched: frozenset[str] = frozenset()
    """Paths the conversation's runs read or wrote."""


class ParsedQuery(NamedTuple):
    """A text's parts."""

    terms: tuple[str, ...]
    identifiers: tuple[str, ...]
    """Names spelled out in the text, as terms."""
    scope: frozenset[str]
    """Terms of a conventional commit's scope."""
    mentions_tests: bool
    mentions_documents: bool


def parse_query(text: str) -> ParsedQuery:
    """Parse a text."""
    terms = tuple(query_terms(text))
    quoted = (match[1] for match in _QUOTED.finditer(text))
    identifiers = (*quoted, *(part for name in identifiers_of(text) for part in _name_parts(name)))
    return ParsedQuery(
        terms,
        tuple(dict.fromkeys(term for name in identifiers for term in query_terms(name)[:1])),
        _scope(text),
        not TEST_WORDS.isdisjoint(terms),
        not DOCUMENT_WORDS.isdisjoint(terms),
    )


def scope_prefix(text: str) -> str:
    """Return a text's conventional prefix with a scope, such as `fix(router):`; else an empty string."""
    match = _SCOPE.match(text)
    return match[0].strip() if match is not None else ""


def _name_parts(name: str) -> list[str]:
    """Return the parts of a name such as `Cart.total` or `till::Cart`; a plain lowercase word only at its end."""
    *outer, last = [part for part in _SEPARATOR.split(name) if part]
    if language_of(name) is not None:
        return []
    return [*(part for part in outer if part != part.lower() or "_" in part), last]


def _scope(text: str) -> frozenset[str]:
    match = _SCOPE.match(text)
    if match is None:
        return frozenset()
    return frozenset(stem(word.casefold()) for word in _WORD.findall(match[1] or match[2]))

"""A parsed search query: its terms and identifiers, its scope, and the kinds of files that it is about. Pure."""

from collections.abc import Container, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from sidecar.codebase.files import COMMON_STEMS, TEST_WORDS, stem_of
from sidecar.codebase.search.mentioned_files import bare_name, is_about_languages, is_translation
from sidecar.codebase.summary.languages import language_of
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import (
    DOCUMENTS_PREFIX,
    DOCUMENTS_SCOPE,
    identifiers_of,
    macro_term,
    query_terms,
    stem,
)


def named_share(path: str, terms: AbstractSet[str]) -> float:
    """Return the share of the words of a file's name that are among some terms; 0 for a name that many files have.

    A name of several words has them apart: in prose `tag_cloud` and `TagCloud` are the tag cloud.
    """
    words = _name_words(path)
    return len(words & terms) / len(words) if words else 0.0


@lru_cache(maxsize=4_096)
def _name_words(path: str) -> frozenset[str]:
    if stem_of(path) in COMMON_STEMS:
        return frozenset()
    name = bare_name(path)
    terms = query_terms(name)
    return frozenset(terms[1:] if len(terms) > 1 and name.isascii() and name.isidentifier() else terms)


FAILURE_WORDS = frozenset(map(stem, (
    "fail", "failed", "fails", "failing", "failure", "error", "assertionerror", "broke", "broken", "traceback",
    "panicked",
)))  # fmt: skip
DOCUMENT_WORDS = frozenset(
    stem(word) for word in ("readme", "doc", "documentation", "changelog", "markdown", "config", "configuration")
)
EXAMPLE_WORDS = frozenset(map(stem, ("benchmark", "bench", "example", "sample")))
VIEW_WORDS = frozenset(map(stem, (
    "mobile", "tablet", "overflow", "responsive", "align", "aligned", "alignment", "centered", "margin", "padding",
    "hover", "tooltip", "modal", "dropdown", "sidebar", "navbar", "button", "icon", "badge", "color", "colour", "dark",
    "theme", "font", "css", "layout", "transparent", "contrast", "popup", "dialog", "toast", "spinner", "screen",
    "swipe", "clickable", "scroll", "wider", "width", "ui", "fullscreen", "thumbnail", "carousel", "banner", "textbox",
    "animation", "grey", "gray",
)))  # fmt: skip
"""Words about what is seen on a screen, and about little else: a job runs in the background."""

STYLE_WORDS = VIEW_WORDS | frozenset(map(stem, (
    "style", "stylesheet", "scss", "sass", "less", "look", "visible", "invisible", "hidden", "position", "border",
    "background", "size", "height", "spacing", "bold", "italic", "underline", "print", "zoom", "flex", "grid", "row",
    "column", "table", "truncated", "cut", "overlap", "blurry", "flicker", "selector", "link", "page", "logo",
)))  # fmt: skip
"""A prompt with none of these words is not about how something looks."""

_VIEW = lazy_regex(
    r"(?i:\.(?:erb|haml|slim|heex|cshtml|razor|vbhtml|jsp|twig|blade\.php|hbs|handlebars|mustache|ejs|pug|xaml|axaml|vue"
    r"|svelte|astro|tsx|jsx|html?|css|scss|sass|less|qml)$|(?:^|/)res/(?:layout|menu|xml|drawable)[\w-]*/"
    r"|(?:^|/)(?:views?|screens?|widgets?|pages?|popups?|components?|ui|dialogs?|layouts?)/[^/.]{1,80}\.\w{1,9}$)"
    r"|(?:View|Screen|Page|Dialog|Popup|Modal|Widget|Button|Fragment|Activity|Cell|Row|Form|Panel|Bar|Menu)s?"
    r"(?:Controller)?\.(?:swift|kt|java|dart|gd|cs|cpp|h)$"
)


STYLESHEETS, NOT_SOUGHT = (".css", ".scss", ".sass", ".less", ".styl"), -1.3
"""Endings of stylesheets, and their certainty in a prompt that is not about how something looks."""

MANY_VIEW_WORDS = 2
"""Number of words about a screen from which more make no difference."""


@lru_cache(maxsize=16_384)
def is_view(path: str) -> bool:
    """Whether a file is a part of what a user sees: a page, a component, a style, a layout."""
    return _VIEW.search(path) is not None


_SCOPE = lazy_regex(r"\s*\w+\(([^()\n]{1,80})\)!?:|\s*([\w./-]{2,40}):\s")
_QUOTED = lazy_regex(r"`([A-Za-z_$][\w$]*)(?:\(\))?`")
_MACRO = lazy_regex(r"(?<![\w!])[A-Za-z_]\w{1,60}!(?![\w!])")
_SEPARATOR = lazy_regex(r"\.|::?")
_WORD = lazy_regex(r"[^\W_]+")


def wants_tests(text: str) -> bool:
    """Whether a query asks for tests: by a word for them, or by a name that contains one and is not said to fail."""
    terms = query_terms(text)
    if TEST_WORDS.isdisjoint(terms):
        return False
    return FAILURE_WORDS.isdisjoint(terms) or any(stem(word.casefold()) in TEST_WORDS for word in text.split())


class SearchQuery(NamedTuple):
    """A text, and what is known besides it."""

    text: str
    changed: frozenset[str] = frozenset()
    """Paths that differ from the head commit."""
    mentioned: frozenset[str] = frozenset()
    """Paths the user pointed at."""
    touched: frozenset[str] = frozenset()
    """Paths the conversation's runs read or wrote."""
    quoted: Mapping[str, Mapping[str, float]] = {}
    """Paths with a text that the user quotes, and with its key: the values of `quoted` and `usesQuoted`."""
    prose: str = ""
    """The text without what is pasted into it, if it has both."""


class ParsedQuery(NamedTuple):
    """A text's parts."""

    terms: tuple[str, ...]
    identifiers: tuple[str, ...]
    """Names spelled out in the text, as terms; what may be a macro's with its mark."""
    scope: frozenset[str]
    """Terms of a conventional commit's scope."""
    mentions_tests: bool
    mentions_documents: bool
    wants_documents: bool
    """Whether it is a text about documents, by its scope as in `docs: …`."""
    about_view: float
    """Certainty that it is about what is seen on a screen, by the number of such words."""
    about_style: bool
    """Whether it may be about how something looks."""
    about_languages: bool
    """Whether it is about texts in several languages."""

    def seeks_view(self, path: str) -> float:
        """Return the certainty that it seeks a file as a part of what is seen on a screen; below 0 against it."""
        if not self.about_style and path.endswith(STYLESHEETS):
            return NOT_SOUGHT
        return self.about_view if self.about_view and is_view(path) else 0.0

    def omits_translation(self, path: str, listed: Container[str]) -> bool:
        """Whether a file has an application's texts in another language than English, which it is not about.

        Such a file has all words of its language, and matches each prompt in it.
        """
        return not self.about_languages and is_translation(path, listed)


def parse_query(text: str) -> ParsedQuery:
    """Parse a text."""
    terms = tuple(query_terms(text))
    quoted = (match[1] for match in _QUOTED.finditer(text))
    names = names_in_code(text)
    identifiers = (*quoted, *(part for name in names for part in _name_parts(name)))
    macros = map(macro_term, _MACRO.findall(text) if "!" in text else ())
    style_words = STYLE_WORDS if len(names) == len(identifiers_of(text)) else VIEW_WORDS
    return ParsedQuery(
        terms,
        tuple(dict.fromkeys((*(term for name in identifiers for term in query_terms(name)[:1]), *macros))),
        _scope(text),
        wants_tests(text),
        not DOCUMENT_WORDS.isdisjoint(terms),
        DOCUMENTS_PREFIX.match(text) is not None,
        min(1.0, len(VIEW_WORDS.intersection(terms)) / MANY_VIEW_WORDS),
        not style_words.isdisjoint(terms),
        is_about_languages(frozenset(terms)),
    )


_COLUMN = lazy_regex(r"\bthe `?([a-z][a-z\d_]{1,60}\.[a-z][a-z\d_]{1,60})`? column\b")


def names_in_code(text: str) -> list[str]:
    """Return the names that a text spells out; that in "the carts.owner column" is a table's column, not code."""
    columns = {match[1] for match in _COLUMN.finditer(text)}
    return [name for name in identifiers_of(text) if name not in columns or language_of(name)]


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
    if match is None or match[0].strip() == DOCUMENTS_SCOPE:
        return frozenset()
    return frozenset(stem(word.casefold()) for word in _WORD.findall(match[1] or match[2]))

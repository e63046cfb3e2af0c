"""The files that a prompt names, by path or name or by what they are for, such as the changelog."""

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from sidecar.codebase.files import COMMON_STEMS, TEST_WORDS, is_own_code
from sidecar.codebase.search.worktree_documents import Documents
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import (
    DOCUMENT_NAMES,
    INTEGRATION_NAME,
    MAX_DOCUMENT_CHARACTERS,
    paths_in,
    query_terms,
    stem,
)
from sidecar.language.common_words import is_distinctive, is_everyday, tool_terms

MAX_MENTIONS = 200
"""A text with more paths is a file listing."""

AMBIGUOUS_NAMES = 3
"""A file name that matches more paths than this number matches none."""


INSTALLED = lazy_regex(
    r"(?:site|dist)-packages[/\\]|node_modules[/\\](?:@[\w.-]{1,80}[/\\])?[\w.-]{1,80}[/\\]"
    r"|gems[/\\][\w-]{1,80}-\d[\w.-]{0,40}[/\\]|pkg[/\\]mod[/\\][\w.!/-]{1,200}@[\w.+-]{1,80}[/\\]"
    r"|registry[/\\]src[/\\][\w.-]{1,80}[/\\][\w.-]{1,80}[/\\]"
)
"""Folders into which package managers put the packages that a program uses, and the package's own folder."""

STANDARD = lazy_regex(
    r"(?i)(?:^|[/\\])(?:lib(?:64)?[/\\]python\d\.\d{1,2}[/\\]|python\d{2,3}[/\\]lib[/\\])(?!(?:site|dist)-packages[/\\])"
    r"|(?:^|/)(?:usr/(?:local|lib)/go(?:-\d\.\d{1,2})?/src|rustc/\w{1,64}/library)/"
)
"""The folders of the standard libraries of Python, Go and Rust."""


def path_in_package(path: str) -> str:
    """Return the path of an installed file below the folder of its package; empty for any other file."""
    folders = list(INSTALLED.finditer(path))
    return path[folders[-1].end() :] if folders else ""


class MentionedFiles(NamedTuple):
    """The files a text names, each with its certainty; and the text without those mentions."""

    files: dict[str, float]
    rest: str


def mentioned_files(documents: Documents, text: str, prose: str = "", touched: Collection[str] = ()) -> MentionedFiles:
    """Return the files a text names; a partial path counts only if it matches a few files.

    A bare name means the file nearest to the text's other paths and those that the conversation `touched`, unless it
    says "root". An installed file means the one here that has the same path below its package's folder.
    Only words of its prose, if it has pasted text besides, mean a file by what it is for.
    """
    files: dict[str, float] = {}
    rest = text
    own = prose or text
    own_mentions = paths_in(own)
    mentions = paths_in(text)[:MAX_MENTIONS]
    spelled = [path for path in mentions if "/" in path and path in documents]
    work = () if _ABOUT_TOP.search(own[:MAX_DOCUMENT_CHARACTERS]) else spelled or touched
    for mention in mentions:
        if mention in DOCUMENT_NAMES and mention not in own_mentions:
            continue
        if mention == INTEGRATION_NAME:
            files |= dict.fromkeys(_integration_files(documents, text), IMPLIED)
            rest = rest.replace(mention, " ")
            continue
        if installed := path_in_package(mention):
            matches = documents.ending_with(installed)
            files |= dict.fromkeys(matches if len(matches) <= AMBIGUOUS_NAMES else (), 1 / max(1, len(matches)))
            rest = rest.replace(mention, " ")
            continue
        if STANDARD.search(mention):
            rest = rest.replace(mention, " ")
            continue
        names = _document_names(mention) if mention in DOCUMENT_NAMES else [mention]
        matches = _nearest(documents, names, work)
        if not matches:
            exact = _at_top(documents, names) if mention in DOCUMENT_NAMES else _longest_suffix(documents, mention)
            matches = [exact] if exact is not None else _ending_alike(documents, mention)
        if not matches or len(matches) > AMBIGUOUS_NAMES:
            continue
        for path in matches:
            files[path] = max(files.get(path, 0.0), 1 / len(matches))
        rest = rest.replace(mention, " ")  # the words of a resolved path must not match other files
    implied = (*_dependency_lists(documents, own, work), *_localised_texts(documents, own))
    return MentionedFiles({**dict.fromkeys(implied, IMPLIED), **files}, rest)


IMPLIED = 0.5
"""Certainty of a file that a text means without its name."""

_INTEGRATION_FILES = (".gitlab-ci.yml", ".circleci/config.yml", "Jenkinsfile", "azure-pipelines.yml", ".travis.yml")

_WORKFLOWS = ".github/workflows"

_CHECKING = lazy_regex(
    r"(?i)(?:[\w.]{1,40}[-_])?(?:ci|cicd|tests?|build|main|checks?|verify)(?:[-_][\w.-]{1,40})?\.ya?ml"
)

_MANIFESTS = (
    "package.json", "pyproject.toml", "requirements.txt", "setup.py", "setup.cfg", "go.mod", "Cargo.toml", "Gemfile",
    "composer.json", "pom.xml", "build.gradle", "build.gradle.kts", "pubspec.yaml", "mix.exs", "build.sbt", "deps.edn",
    "gradle/libs.versions.toml", "app/build.gradle", "app/build.gradle.kts", "Directory.Packages.props",
    "Package.swift", "Podfile", "Project.toml",
)  # fmt: skip

_DEPENDENCY_WORDS = frozenset(
    ("upgrade", "upgrading", "bump", "downgrade", "install", "uninstall", "pin", "unpin", "dependency", "dependencies")
)

_VERSION_TERMS = frozenset(map(stem, ("version", "newest", "latest", "release", "package")))
"""Words about a dependency that each list of dependencies contains."""


def _integration_files(documents: Documents, text: str) -> list[str]:
    """Return the configuration of the checks.

    Of several workflows, the one that a text names, else the one with most of its words, else the most general one.
    """
    workflows = documents.in_folder(_WORKFLOWS)
    words = set(query_terms(text))
    named = [path for path in workflows if len(words.intersection(query_terms(bare_name(path)))) >= MIN_NAME_WORDS]
    named += [path for path in workflows if _is_spelled(bare_name(path), words)]
    checking = [path for path in workflows if _CHECKING.fullmatch(path.rpartition("/")[2])]

    def best_first(path: str) -> tuple[int, int, str]:
        found = sum(_contains_any(documents, path, (word,)) for word in words - _WORKFLOW_TERMS)
        return -found, len(path), path

    chosen = named[:1] or sorted(checking, key=best_first)[:1]
    return chosen + [path for path in _INTEGRATION_FILES if path in documents]


def _is_spelled(name: str, words: AbstractSet[str]) -> bool:
    """Whether a text has all words of a workflow's name, and one that says more than that it is a workflow."""
    terms = set(query_terms(name))
    return terms <= words and not terms <= _WORKFLOW_TERMS


_WORKFLOW_TERMS = frozenset(map(stem, (
    "ci", "cd", "test", "tests", "build", "main", "check", "checks", "verify", "lint", "release", "deploy", "publish",
    "pipeline", "workflow", "push", "pr", "pull", "request", "fail", "step", "docs",
)))  # fmt: skip


def bare_name(path: str) -> str:
    """Return a file's name without suffixes."""
    return path.rpartition("/")[2].partition(".")[0]


MAX_SPELLED_WORDS = 60
_WORD, _NAME_PART = lazy_regex(r"[^\W\d_]+"), lazy_regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def spelled_files(documents: Documents, text: str) -> list[str]:
    """Return the files whose names of several words a text has word by word, if few files have such a name."""
    words = [stem(word) for word in _WORD.findall(text.casefold())[:MAX_SPELLED_WORDS]]
    found: dict[tuple[str, ...], list[str]] = {}
    for pair in dict.fromkeys(pairwise(words)):
        for path in documents.with_term(min(pair, key=documents.paths.count)):
            for name in {_words_of_name(bare_name(path)), _words_of_name(path.rpartition("/")[2])}:
                if name[:2] == pair and _has_in_order(words, name):
                    found.setdefault(name, []).append(path)
    return [path for paths in found.values() if len(paths) <= AMBIGUOUS_NAMES for path in paths]


_LAYERS = TEST_WORDS | frozenset(
    stem(word)
    for word in (
        "helper", "service", "controller", "component", "hook", "middleware", "model", "view", "handler", "provider",
        "repository", "extension", "plugin", "store", "screen", "widget", "template", "page", "route", "module",
        "migration", "script", "util", "doc", "example", "feature", "domain", "action", "layout", "resource",
    )
)  # fmt: skip
"""Files and folders by what their files are, not by what they are about."""


def files_by_own_words(documents: Documents, terms: frozenset[str]) -> list[str]:
    """Return the files of code whose names' own words are all among some terms, if few files have these.

    The word "favorites" names a provider of favorites. One of everyday talk names a file together with another only.
    """
    found: dict[frozenset[str], list[str]] = {}
    for term in terms:
        if _is_of_subject(term):
            for path in documents.with_term(term):
                own = _own_words(path)
                if term in own and own <= terms and (len(own) > 1 or not is_everyday(term)) and is_own_code(path):
                    found.setdefault(own, []).append(path)
    return [path for paths in map(dict.fromkeys, found.values()) if len(paths) <= AMBIGUOUS_NAMES for path in paths]


MIN_OWN_SHARE = 0.5
"""Share of the words of a file's name that say what the file is about, from which these alone name it."""


@lru_cache(maxsize=4_096)
def _own_words(path: str) -> frozenset[str]:
    """Return the words of a file's name that say what it is about, if they are a good part of the name."""
    words = frozenset(_words_of_name(bare_name(path))) - COMMON_STEMS
    own = frozenset(filter(_is_of_subject, words))
    return own if len(own) >= MIN_OWN_SHARE * len(words) else frozenset()


def _is_of_subject(term: str) -> bool:
    """Whether a word of a name says what a file is about, not what kind of file it is."""
    return is_distinctive(term) and term not in tool_terms() and term not in _LAYERS


def names_folder(documents: Documents, term: str) -> bool:
    """Whether a term is the name of a folder that says what its files are about."""
    if not _is_of_subject(term):
        return False
    paths = documents.with_term(term)
    return any(stem(folder.casefold()) == term for path in paths for folder in path.split("/")[:-1])


@lru_cache(maxsize=4_096)
def _words_of_name(name: str) -> tuple[str, ...]:
    return tuple(stem(part.casefold()) for part in _NAME_PART.findall(name))


def _has_in_order(words: Sequence[str], name: tuple[str, ...]) -> bool:
    return any(tuple(words[at : at + len(name)]) == name for at in range(len(words) - len(name) + 1))


MIN_NAME_WORDS = 2
"""Number of words of a workflow's name that a text about the checks has if it is about that one."""

_LANGUAGE_CODES = {
    "arabic": "ar", "chinese": "zh", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en", "finnish": "fi",
    "french": "fr", "german": "de", "greek": "el", "hebrew": "he", "hindi": "hi", "hungarian": "hu", "italian": "it",
    "japanese": "ja", "korean": "ko", "norwegian": "nb", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "spanish": "es", "swedish": "sv", "turkish": "tr", "ukrainian": "uk", "vietnamese": "vi",
}  # fmt: skip

_TRANSLATION_TERMS = frozenset(map(stem, ("translation", "localization", "localisation", "locale", "i18n")))

_TRANSLATE = stem("translate")

_LOCALE_FOLDERS = frozenset(
    ("i18n", "intl", "l10n", "lang", "langs", "language", "languages", "locale", "locales", "localization", "messages",
     "translations", "resources")
)  # fmt: skip

_CATALOGS = ("Localizable.xcstrings", "Localizable.strings", "values/strings.xml")
"""Texts of an application in all languages, or in the one that it is written in."""


def _localised_texts(documents: Documents, text: str) -> list[str]:
    """Return the texts that a short request for a translation means: those in its language."""
    if len(text) > MAX_DOCUMENT_CHARACTERS:
        return []
    terms = set(query_terms(text))
    if _TRANSLATE not in terms and _TRANSLATION_TERMS.isdisjoint(terms):
        return []
    codes = (code for word in text.casefold().split() if (code := _LANGUAGE_CODES.get(word.strip(".,:;!?\"'"))))
    requested = [code for code in codes if code != "en" or not _TRANSLATION_TERMS.isdisjoint(terms)]
    return [path for code in requested for path in _in_language(documents, code)]


def _in_language(documents: Documents, code: str) -> list[str]:
    """Return an application's texts in one language, those nearest to the top."""
    named = (path for path in documents.with_word(code) if (texts := _texts_of(path)) and texts.language == code)
    found = list(named) or [path for name in _CATALOGS for path in documents.ending_with(name)]
    return sorted(found, key=lambda path: (path.count("/"), len(path), path))[:AMBIGUOUS_NAMES]


_LANGUAGES = frozenset((*_LANGUAGE_CODES.values(), *(
    "af am az be bg bn br bs ca cy eo es et eu fa fil fo fy ga gd gl gu hr hy id is ka kk km kn ku lb lo lt lv mk ml mn"
    " mr ms mt my ne nn no pa ps sa sd se si sk sl sq sr sw ta te th tk ur uz yo".split()
)))  # fmt: skip

_TAG = (
    rf"(?P<language>{'|'.join(sorted(_LANGUAGES))})"
    r"(?:[-_](?:r?[a-z]{2}|\d{3}|hans|hant|latn|cyrl|arab|informal|formal|valencia)){0,2}"
)
"""A language, with its region, script or form."""

_WHOLE_TAG, _TAG_AT_END = lazy_regex(rf"(?i){_TAG}"), lazy_regex(rf"(?i)(?<![^-_.]){_TAG}\Z")

_LOCALE_PART = lazy_regex(r"[-_.]")

_TEXT_SUFFIXES = (
    ".json", ".yml", ".yaml", ".xml", ".po", ".properties", ".strings", ".arb", ".resx", ".toml", ".ftl", ".axaml",
    ".xaml", ".ini", ".xlf", ".xliff", ".lang",
)  # fmt: skip

_CODE_SUFFIXES = (".php", ".ts", ".js")
"""Code that is texts only if its folder has the name of a language."""

_PROSE_SUFFIXES = (".txt", ".md", ".html")


class _Texts(NamedTuple):
    """The path of an application's texts in one language: what is before and after the language in it."""

    start: str
    tag: str
    end: str
    language: str

    @property
    def has_own_folder(self) -> bool:
        """Whether a folder has the name of the language, and not only the file."""
        return "/" in self.end

    def in_english(self) -> Iterator[str]:
        """Yield where the same texts may be in English, or in the language that they are written in first."""
        for english in ("en", "en_US", "en-US", "en_GB", "en-GB", "en_us", "en-us", "Base"):
            yield f"{self.start}{english}{self.end}"
        if self.start.endswith(("-", "_", ".")):
            yield f"{self.start[:-1]}{self.end}"  # `messages.properties`, `values/strings.xml`


@lru_cache(maxsize=16_384)
def _texts_of(path: str) -> _Texts | None:
    """Return how a path names the language of texts, as in `lang/de/cart.php`; `None` for a path that names none.

    It is a folder directly below one for texts, Android's `values-de`, or a file's whole name or its end.
    """
    *folders, name = path.split("/")
    suffix = f".{name.rpartition('.')[2].lower()}"
    if suffix not in (*_TEXT_SUFFIXES, *_CODE_SUFFIXES, *_PROSE_SUFFIXES):
        return None
    known = [_LOCALE_PART.split(folder.lower())[-1] in _LOCALE_FOLDERS for folder in folders]
    at = 0
    for folder, is_below in zip(folders, (False, *known), strict=False):
        before = "values-" if folder.startswith("values-") else ""
        after = ".lproj" if folder.endswith(".lproj") else ""
        tag = _WHOLE_TAG.fullmatch(folder.removeprefix(before).removesuffix(after))
        if tag is not None and (is_below or before or after):
            end = at + len(before) + len(tag[0])
            return _Texts(path[: at + len(before)], tag[0], path[end:], tag["language"].lower())
        at += len(folder) + 1
    stem_of_name = name[: -len(suffix)]
    tag = (_TAG_AT_END if suffix in _TEXT_SUFFIXES else _WHOLE_TAG).search(stem_of_name) if any(known) else None
    if tag is None or tag.end() < len(stem_of_name) or suffix in _PROSE_SUFFIXES:
        return None
    if "resources" in folders and stem_of_name[: tag.start()].endswith("-"):
        return None  # `application-it.yml` is a profile
    start = at + tag.start()
    return _Texts(path[:start], tag[0], path[start + len(tag[0]) :], tag["language"].lower())


def language_of_texts(path: str, listed: Container[str]) -> str:
    """Return the language of a file with an application's texts, by its path; empty for other files.

    It is `en`, or that of a translation: of a file with English texts beside it among those `listed`. A package
    `de` of Java has none. Code is texts only in a folder with a language's name.
    """
    texts = _texts_of(path)
    if texts is None or (path.lower().endswith(_CODE_SUFFIXES) and not texts.has_own_folder):
        return ""
    has_source = texts.language == "en" or path.endswith(".po") or any(map(listed.__contains__, texts.in_english()))
    return texts.language if has_source else ""


def is_translation(path: str, listed: Container[str]) -> bool:
    """Whether a file has an application's texts in another language than English, which it has too."""
    return language_of_texts(path, listed) not in ("", "en")


def english_paths(path: str) -> Iterator[str]:
    """Yield where the English texts of a translation may be."""
    texts = _texts_of(path)
    return iter(()) if texts is None else texts.in_english()


_OF_LANGUAGES = frozenset(map(stem, (*_LANGUAGE_CODES, "language", "translate"))) | _TRANSLATION_TERMS - {stem("local")}


def is_about_languages(terms: AbstractSet[str]) -> bool:
    """Whether the terms of a text say that it is about texts in several languages."""
    return not _OF_LANGUAGES.isdisjoint(terms)


def _dependency_lists(documents: Documents, text: str, work: Collection[str]) -> list[str]:
    """Return the lists of dependencies that a short text about one means: those that contain another word of it."""
    if len(text) > MAX_DOCUMENT_CHARACTERS:
        return []
    words = text.casefold().split()
    if _DEPENDENCY_WORDS.isdisjoint(words):
        return []
    names = set(query_terms(" ".join(word for word in words if word not in _DEPENDENCY_WORDS))) - _VERSION_TERMS
    lists = [path for name in _MANIFESTS for path in _nearest(documents, [name], work) or [name]]
    return [path for path in lists if path in documents and _contains_any(documents, path, names)]


def _contains_any(documents: Documents, path: str, terms: Iterable[str]) -> bool:
    passages = documents.passages(documents.number(path))
    return any(documents.texts.contains(term, *passages) for term in terms)


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


def _document_names(name: str) -> list[str]:
    """Return the names of files that a bare name such as README means, likeliest first."""
    others = _CHANGELOG_NAMES if name.upper() == "CHANGELOG" else ()
    written = dict.fromkeys(
        form for same in (name, *others) for form in (same.upper(), same, same.capitalize(), same.lower())
    )
    return [f"{form}{ending}" for ending in _DOCUMENT_ENDINGS for form in written]


def _at_top(documents: Documents, names: Sequence[str]) -> str | None:
    """Return the first of some files at the top or, for a workspace below it, in the nearest folder above."""
    candidates = (f"{above}{name}" for above in _ABOVE for name in names)
    return next((path for path in candidates if path in documents), None)


_ABOUT_TOP = lazy_regex(
    r"(?i)(?<!square )(?<!as )\broot\b(?! (?:cause|user|node|element|cert)| of )|\b(?:top[- ]?level|monorepo)\b"
)
"""Words by which a text means a file at the top, not that of the package at work."""


def _nearest(documents: Documents, names: Sequence[str], work: Collection[str]) -> list[str]:
    """Return the files with bare names that are nearest to some paths: in their folders or above, but below the top.

    Several packages at work may each have one; more than a few mean none.
    """
    found: dict[str, None] = {}
    for path in work if "/" not in names[0] else ():
        near = (f"{folder}/{name}" for folder in _folders_above(path) for name in names)
        found.update(dict.fromkeys(islice((path for path in near if path in documents), 1)))
    return list(found) if len(found) <= AMBIGUOUS_NAMES else []


def _folders_above(path: str) -> Iterator[str]:
    """Yield the folder of a file and those above it, but not the top."""
    folder = path.rpartition("/")[0]
    while folder.strip("./"):
        yield folder
        folder = folder.rpartition("/")[0]


def package_of(path: str, listed: Container[str]) -> str:
    """Return the nearest folder above a file that has a list of dependencies; empty for the top."""
    return next((up for up in _folders_above(path) if any(f"{up}/{name}" in listed for name in _MANIFESTS)), "")


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

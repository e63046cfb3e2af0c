"""A parsed search query: terms, identifiers, files named by path, and a long prompt's evidence besides its words. Pure.

The evidence of a long prompt is its title, its prose, stack frames, names and call chains.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from sidecar.codebase.files import COMMON_STEMS, stem_of
from sidecar.codebase.search.worktree_documents import Documents
from sidecar.codebase.summary.languages import language_of
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import (
    DOCUMENT_NAMES,
    DOCUMENTS_PREFIX,
    DOCUMENTS_SCOPE,
    INTEGRATION_NAME,
    MAX_DOCUMENT_CHARACTERS,
    identifiers_of,
    paths_in,
    query_terms,
    stem,
)

LONG_WORDS = 60
"""A prompt with more words than this is also searched by its first line and by its prose."""

MAX_FRAMES, MAX_SYMBOLS = 60, 200
HUNK_CONTEXT = 3
"""Number of unchanged lines with which a diff's hunk begins."""

_FENCE = lazy_regex(r"(?ms)^\s{0,80}+(?:```|~~~).*?(?:^[^\S\n]*+(?:```|~~~)\s*$|\Z)")
_CODE_LINE = lazy_regex(r"^(?: {4}|\t|>>>|\.\.\. |\+\+\+ |--- |@@ )")
_PYTHON_FRAME = lazy_regex(r"File \"([^\"\n]{1,300})\", line (\d+)(?:, in ([\w<>.]+))?")
_PYTEST_FRAME = lazy_regex(r"(?m)^([\w./\\-]+\.\w{1,5}):(\d+):(?: in (\w+)| \w+(?:Error|Exception)?\s*$)")
_CALL_FRAME = lazy_regex(r"\bat (?:async )?([\w$.<>]+) ?\((?:file://)?([^\s():]*[\w$-]\.\w{1,6}):(\d+)")
_PLAIN_FRAME = lazy_regex(
    r"(?:^|[\s(])(?:file://)?((?:[A-Za-z]:)?[/\\]?(?:[\w.@-]+[/\\])*[\w.@-]+\.[a-z]{1,5}):(?:line )?(\d+)\b"
)
_PLACE = r"(?<![\w.@/\\-])((?:[A-Za-z]:)?[/\\]?(?:[\w.@-]{1,80}[/\\]){0,20}[\w.@-]{1,80}\.[A-Za-z]{1,5})"
_BRACKET_FRAME = lazy_regex(_PLACE + r"[(\[](\d+)(?:,\d+)?[)\]](?:: (?:[\w\\]+(?:->|::))?(\w+)\()?")
_ON_LINE_FRAME = lazy_regex(_PLACE + r"(?::| on)?,? line (\d+)\b")
_RUBY_FRAME = lazy_regex(_PLACE + r":(\d+):in [`'](?:[\w:]+[#.])?(\w+)")
_LISTED_FILE = lazy_regex(r"\s{0,4}" + _PLACE + r"\s*")
_LISTED_PLACE = lazy_regex(r"\s+(\d+):\d+\s+(?:error|warning)\b")
_DIFF_FILE = lazy_regex(r"\+\+\+ (?:b/)?(\S+)")
_OLD_FILE = lazy_regex(r"--- (?:a/)?(\S+)")
_HUNK = lazy_regex(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@(?:.*?\b(\w++)\s*+(?:\(|:|\{|$))?")
_CALL = lazy_regex(r"(?<![\w.])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w{2,})\(")
_QUOTED_NAME = lazy_regex(r"[`'\"]([A-Za-z_][\w.]{2,60})(?:\(\))?[`'\"]")


PART_SEPARATOR = "\f"
"""Separates the parts of a stored query."""


class PromptParts(NamedTuple):
    """The texts that a prompt is searched by; the last two only for a prompt of several lines, and a long one."""

    whole: str
    title: str = ""
    prose: str = ""

    @property
    def searched(self) -> tuple[str, ...]:
        """The texts whose rankings are combined."""
        return (self.whole, self.title, self.prose) if self.title and self.prose else (self.whole,)

    def join(self) -> str:
        """Return the parts as one text, from which `prompt_parts` returns them."""
        return PART_SEPARATOR.join(part for part in self if part)


def prompt_parts(text: str) -> PromptParts:
    """Return the parts of a prompt, or of a query that was joined from them."""
    if PART_SEPARATOR in text:
        return PromptParts(*text.split(PART_SEPARATOR)[:3])
    title = first_line(text)
    if title == text.strip():
        return PromptParts(text)
    return PromptParts(text, title, prose_of(text) if len(text.split()) > LONG_WORDS else "")


class Frame(NamedTuple):
    """A place that a stack trace or a message names."""

    path: str
    line: int
    function: str


class PromptEvidence(NamedTuple):
    """The parts of a prompt that point at places in the code."""

    title: tuple[str, ...]
    """Terms of the first line."""
    wants_tests: bool
    """Whether it asks for tests."""
    frames: tuple[Frame, ...]
    symbols: frozenset[str]
    """Terms of the names that the prompt spells out or calls."""
    chains: frozenset[tuple[str, str]]
    """Terms of a container and its member, as in `Cart.total`."""


def read_evidence(text: str) -> PromptEvidence:
    """Read a prompt's evidence."""
    parts = prompt_parts(text)
    text = parts.whole
    names = [*identifiers_of(text), *(match[1] for match in _CALL.finditer(text))]
    names += [match[1] for match in _QUOTED_NAME.finditer(text)]
    name_parts = [[term for part in name.split(".") for term in query_terms(part)[:1]] for name in names[:MAX_SYMBOLS]]
    return PromptEvidence(
        title=tuple(query_terms(parts.title or text)),
        wants_tests=wants_tests(parts.title or text),
        frames=tuple(_frames(text))[-MAX_FRAMES:],
        symbols=frozenset(term for terms in name_parts for term in terms[-1:]),
        chains=frozenset(pair for terms in name_parts for pair in pairwise(terms)),
    )


_TEMPLATE_LINE = lazy_regex(
    r"(?i)\s{0,8}(?:[-*] \[[ x]\]|(?:#{1,6} ?|\*\*|\d\. )?(?:describe the (?:bug|feature|issue|solution|problem)"
    r"|bug (?:report|description)|description|to reproduce|steps to reproduce|repro(?:duction)?"
    r"|(?:expected|actual|current) (?:behaviou?r|results?|outcome)|what happened|environment(?: info)?|system info"
    r"|versions?|screenshots?|logs?|additional (?:context|information)|checklist|is there an existing issue[^\n]{0,80}"
    r"|code of conduct|prerequisites|summary|feature request|your project|minimal .{0,30}example)[\s:?*]{0,8}$"
    r"|(?:[-*] )?\**(?:os|platform|browser|node|npm|python|java|go|rust|package|app)?[ _-]?(?:version|system|os)\**:)"
)
"""The fixed part of an issue template: a checkbox, a heading, a line of the environment."""

_LOG_LINE = lazy_regex(
    r"\s*\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\s*\[?\d\d:\d\d:\d\d"
    r"|\s*(?:DEBUG|INFO|WARN(?:ING)?|ERROR|TRACE)\b[:\]\s]"
)
_HUNK_LINES = ("+", "-", " ", "\\")


def _without_comments(text: str) -> str:
    """Return a text without the HTML comments of a template."""
    first, *rest = text.split("<!--")
    return first + " ".join(part.partition("-->")[2] if "-->" in part else f"<!--{part}" for part in rest)


def first_line(text: str) -> str:
    """Return the first line that is neither empty nor the heading of an issue template."""
    lines = [line.strip() for line in _without_comments(text).split("\n") if line.strip()]
    return next((line for line in lines if not _TEMPLATE_LINE.match(line)), lines[0] if lines else "")


def prose_of(text: str) -> str:
    """Return a text without code blocks, diffs, logs, quoted lines and the fixed parts of issue templates."""
    prose_lines: list[str] = []
    in_hunk = False
    for line in _without_comments(_FENCE.sub("\n", text)).split("\n"):
        in_hunk = line.startswith("@@ ") or (in_hunk and line.startswith(_HUNK_LINES))
        is_quoted = in_hunk or line.startswith(("> ", "diff --git ", "index "))
        if not (is_quoted or _CODE_LINE.match(line) or _TEMPLATE_LINE.match(line) or _LOG_LINE.match(line)):
            prose_lines.append(line)
    return "\n".join(prose_lines)


def pointing_words(text: str) -> list[str]:
    """Return a prompt's stack frames and calls, each as `read_evidence` recognizes it."""
    frames = (
        f"at {frame.function} ({frame.path}:{frame.line})" if frame.function else f"{frame.path}:{frame.line}"
        for frame in _frames(text)[-MAX_FRAMES:]
    )
    calls = (f"{match[1]}()" for match in _CALL.finditer(text))
    return list(dict.fromkeys((*frames, *calls)))[:MAX_SYMBOLS]


def _frames(text: str) -> list[Frame]:
    if ":" not in text and "(" not in text and "line " not in text:
        return _listed_places(text)
    frames = [Frame(_path(match[1]), int(match[2]), match[3] or "") for match in _PYTHON_FRAME.finditer(text)]
    frames += [Frame(_path(match[1]), int(match[2]), match[3] or "") for match in _PYTEST_FRAME.finditer(text)]
    frames += [Frame(match[2], int(match[3]), match[1].rpartition(".")[2]) for match in _CALL_FRAME.finditer(text)]
    frames += [Frame(_path(match[1]), int(match[2]), match[3] or "") for match in _RUBY_FRAME.finditer(text)]
    frames += [Frame(_path(match[1]), int(match[2]), match[3] or "") for match in _BRACKET_FRAME.finditer(text)]
    known = {(frame.path, frame.line) for frame in frames}
    plain = [Frame(_path(match[1]), int(match[2]), "") for match in _PLAIN_FRAME.finditer(text)]
    plain += [Frame(_path(match[1]), int(match[2]), "") for match in _ON_LINE_FRAME.finditer(text)]
    plain += _listed_places(text)
    return [*frames, *(frame for frame in dict.fromkeys(plain) if (frame.path, frame.line) not in known)]


def _listed_places(text: str) -> list[Frame]:
    """Return the places of a diff's hunks, and of a linter's list below each file."""
    frames: list[Frame] = []
    path = ""
    for line in text.split("\n"):
        if (old := _OLD_FILE.match(line)) is not None:
            path = old[1]
        elif (new := _DIFF_FILE.match(line)) is not None:
            path = path if new[1] == "/dev/null" else new[1]
        elif path and (hunk := _HUNK.match(line)) is not None:
            frames.append(Frame(path, int(hunk[1]) + HUNK_CONTEXT, hunk[2] or ""))
        elif path and (place := _LISTED_PLACE.match(line)) is not None:
            frames.append(Frame(_path(path), int(place[1]), ""))
        elif line[:1] not in ("+", "-", " ", "\\") and (listed := _LISTED_FILE.fullmatch(line)) is not None:
            path = listed[1]
    return frames


def _path(path: str) -> str:
    return path.replace("\\", "/")


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
        if mention == INTEGRATION_NAME:
            files |= dict.fromkeys(_integration_files(documents, text), IMPLIED)
            rest = rest.replace(mention, " ")
            continue
        exact = (
            _named_document(documents, mention) if mention in DOCUMENT_NAMES else _longest_suffix(documents, mention)
        )
        matches = [exact] if exact is not None else _ending_alike(documents, mention)
        if not matches or len(matches) > AMBIGUOUS_NAMES:
            continue
        for path in matches:
            files[path] = max(files.get(path, 0.0), 1 / len(matches))
        rest = rest.replace(mention, " ")  # the words of a resolved path must not match other files
    implied = (*_dependency_lists(documents, text), *_localised_texts(documents, text))
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
    "composer.json", "pom.xml", "build.gradle", "build.gradle.kts", "pubspec.yaml", "mix.exs",
)  # fmt: skip
_DEPENDENCY_WORDS = frozenset(
    ("upgrade", "upgrading", "bump", "downgrade", "install", "uninstall", "pin", "unpin", "dependency", "dependencies")
)
_VERSION_TERMS = frozenset(map(stem, ("version", "newest", "latest", "release", "package")))
"""Words about a dependency that each list of dependencies contains."""


def _integration_files(documents: Documents, text: str) -> list[str]:
    """Return the configuration of the checks; of several workflows, the most general one, or one that a text names."""
    workflows = documents.in_folder(_WORKFLOWS)
    words = set(query_terms(text))
    named = [path for path in workflows if len(words.intersection(query_terms(_name_of(path)))) >= MIN_NAME_WORDS]
    checking = [path for path in workflows if _CHECKING.fullmatch(path.rpartition("/")[2])]
    chosen = named[:1] or sorted(checking, key=lambda path: (len(path), path))[:1]
    return chosen + [path for path in _INTEGRATION_FILES if path in documents]


def _name_of(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


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
     "translations", "res", "resources", "values")
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
    named = (path for path in documents.with_word(code) if _is_locale(path, code))
    found = list(named) or [path for name in _CATALOGS for path in documents.ending_with(name)]
    return sorted(found, key=lambda path: (path.count("/"), len(path), path))[:AMBIGUOUS_NAMES]


def _is_locale(path: str, code: str) -> bool:
    """Whether a file has texts in one language, by the name of it or of a folder, as in `locales/fr/cart.json`."""
    *folders, name = path.lower().split("/")
    parts = [part for folder in (*folders, name) for part in _LOCALE_PART.split(folder)]
    if code not in parts:
        return False
    return any(part in _LOCALE_FOLDERS for folder in folders for part in _LOCALE_PART.split(folder))


_LOCALE_PART = lazy_regex(r"[-_.]")


def _dependency_lists(documents: Documents, text: str) -> list[str]:
    """Return the lists of dependencies that a short text about one means: those that contain another word of it."""
    if len(text) > MAX_DOCUMENT_CHARACTERS:
        return []
    words = text.casefold().split()
    if _DEPENDENCY_WORDS.isdisjoint(words):
        return []
    names = set(query_terms(" ".join(word for word in words if word not in _DEPENDENCY_WORDS))) - _VERSION_TERMS
    return [path for path in _MANIFESTS if path in documents and _contains_any(documents, path, names)]


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


def named_share(path: str, terms: AbstractSet[str]) -> float:
    """Return the share of the words of a file's name that are among some terms; 0 for a name that many files have."""
    words = _name_words(path)
    return len(words & terms) / len(words) if words else 0.0


@lru_cache(maxsize=4_096)
def _name_words(path: str) -> frozenset[str]:
    return frozenset() if stem_of(path) in COMMON_STEMS else frozenset(query_terms(_name_of(path)))


TEST_WORDS = frozenset(stem(word) for word in ("test", "spec", "coverage", "e2e", "fixture"))
FAILURE_WORDS = frozenset(map(stem, (
    "fail", "failed", "fails", "failing", "failure", "error", "assertionerror", "broken", "traceback", "panicked",
)))  # fmt: skip
DOCUMENT_WORDS = frozenset(
    stem(word) for word in ("readme", "doc", "documentation", "changelog", "markdown", "config", "configuration")
)
_SCOPE = lazy_regex(r"\s*\w+\(([^()\n]{1,80})\)!?:|\s*([\w./-]{2,40}):\s")
_QUOTED = lazy_regex(r"`([A-Za-z_$][\w$]*)(?:\(\))?`")
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


class ParsedQuery(NamedTuple):
    """A text's parts."""

    terms: tuple[str, ...]
    identifiers: tuple[str, ...]
    """Names spelled out in the text, as terms."""
    scope: frozenset[str]
    """Terms of a conventional commit's scope."""
    mentions_tests: bool
    mentions_documents: bool
    wants_documents: bool
    """Whether it is a text about documents, by its scope as in `docs: …`."""


def parse_query(text: str) -> ParsedQuery:
    """Parse a text."""
    terms = tuple(query_terms(text))
    quoted = (match[1] for match in _QUOTED.finditer(text))
    identifiers = (*quoted, *(part for name in identifiers_of(text) for part in _name_parts(name)))
    return ParsedQuery(
        terms,
        tuple(dict.fromkeys(term for name in identifiers for term in query_terms(name)[:1])),
        _scope(text),
        wants_tests(text),
        not DOCUMENT_WORDS.isdisjoint(terms),
        DOCUMENTS_PREFIX.match(text) is not None,
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
    if match is None or match[0].strip() == DOCUMENTS_SCOPE:
        return frozenset()
    return frozenset(stem(word.casefold()) for word in _WORD.findall(match[1] or match[2]))

"""The task of a conversation, by its fingerprint and not its wording, and the queries that find its files. Pure."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, takewhile

from sidecar.codebase import (
    PromptParts,
    as_quotations,
    identifiers_of,
    is_code,
    is_test,
    paths_in,
    pointing_words,
    prompt_parts,
    query_words,
    quoted_texts,
    read_evidence,
    scope_prefix,
    stem,
)
from sidecar.core.clean_text import one_line
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import described_problem
from sidecar.core.terms import DOCUMENT_NAMES, DOCUMENTS_SCOPE, INTEGRATION_NAME, macros_in
from sidecar.language.common_words import english_terms
from sidecar.language.english_translation import english_words
from sidecar.language.message_intent import (
    documents_scope,
    is_courtesy,
    reports_failing_test,
    subject_of,
)
from sidecar.language.rule_synonyms import FUNCTION_WORDS_OF
from sidecar.packs.prompt_text import (
    MAX_NEXT_REQUEST,
    asks_for_documents_of_work,
    asks_for_tests_of_work,
    clean_prompt,
    is_about_another_place,
    number_of_others,
    without_announcement,
    without_new_name,
    without_rules,
)
from sidecar.runs import RecentWork, Task

MAX_QUERY_CHARACTERS, MAX_TITLE_CHARACTERS, MAX_POINTING_CHARACTERS = 4_000, 400, 2_000
MAX_TERMS, OBJECTIVE_CHARACTERS = 300, 300
MIN_OWN_TERMS = 3
"""A prompt with fewer words of its own may be a follow-up in other words."""

_HAS_WORD = lazy_regex(r"[^\W\d_]{3}")
"""Excludes `e.g`, `i.e` and `v2`."""

_ABOUT_INTEGRATION = lazy_regex(
    r"\bCI (?:is|fails?|failing|failed|failure|broke|broken|red|config|configuration|jobs?|runs?|pipeline|workflow"
    r"|builds?|should|must|takes?|uses?|needs?|does)\b"
    r"|^\W{0,3}(?i:(?:please|can you|let's|we should) )?(?i:run|cache|skip|disable|enable|use|install|test|build|lint"
    r"|add|move|remove)\b[^.!?\n]{1,60} (?:in|on|to|from) (?:the |our )?CI\b"
    r"|\b(?i:fix|repair|update|change|speed up|set up|extend|debug) (?:the |our )?(?:\w{1,20} )?CI\b"
    r"|\b(?i:fails?|failing|failed|breaks?|broken|crashes|hangs|flaky|times out) (?:only )?(?:on|in) (?:the )?CI\b"
)
"""Continuous integration as a prompt's subject, not as in "so that CI passes"."""

MAX_OPENING = 60
_FIRST_WORD = lazy_regex(r"[^\W\d_]+")

_TEST_TERMS = frozenset(("test", "spec"))
"""Terms that a report of a failing test is not searched by: they lead to other tests."""

_FOLLOW_UP_WORDS = (
    "continue", "ok", "okay", "yes", "thanks", "great", "good", "nice", "cool", "proceed", "again", "retry", "next",
    "step", "finish", "fix", "run", "test", "commit", "push", "check", "explain", "error", "fail", "problem", "issue",
    "undo", "revert", "review", "still", "better", "wrong", "right", "sorry", "hello", "hi", "hey", "change", "edit",
    "one", "two", "first", "second", "last", "find", "whole", "everything", "anything", "something", "start", "let",
    "say", "implement", "plan", "task", "done", "go", "keep", "please", "update", "create", "write", "remove", "make",
)  # fmt: skip
_GREETING_PAIRS = frozenset(("你好", "谢谢", "您好", "안녕", "녕하", "하세", "감사", "사합"))
"""The pairs of characters that `query_words` makes of 你好, 谢谢, 您好, 안녕하세요 and 감사합니다.

They are written out because making them compiles two patterns at each start, 3 ms each.
"""
_GREETINGS = frozenset(query_words(
    "morning evening afternoon welcome cheers hola gracias buenas buenos días tardes bonjour salut merci coucou hallo"
    " danke servus moin guten tag morgen olá oi obrigado obrigada bom boa dia ciao grazie buongiorno salve hoi bedankt"
    " dank привет здравствуйте спасибо cześć dzień dobry dzięki dziękuję merhaba teşekkürler xin chào cảm ơn"
)) | _GREETING_PAIRS  # fmt: skip
_FOLLOW_UP_TERMS = frozenset(stem(word) for word in _FOLLOW_UP_WORDS) | _GREETINGS
"""Words about working, whatever the work is about: they do not tell two tasks apart."""

_FILLER_TERMS = frozenset(stem(word) for word in (
    "continue", "ok", "okay", "yes", "thanks", "great", "good", "nice", "cool", "proceed", "retry", "sorry", "hello",
    "hi", "hey", "better", "wrong", "right", "still", "whole", "everything", "anything", "say", "go", "keep", "explain",
    "find", "implement", "one",
)) | _GREETINGS  # fmt: skip
"""The subset of them that does not lead to a file either: `test`, `error` or `remove` may."""

_OPENING_TERMS = frozenset(map(stem, ("retry", "hello", "continue")))
"""Those that do lead to a file, unless only others come before them: "the retry link", but "ok, continue with it"."""

GENERAL_TERMS = _FOLLOW_UP_TERMS | frozenset(
    stem(word) for word in (
        "refactor", "try", "improve", "clean", "cleanup", "optimize", "help", "repo", "debug", "bug", "faster", "thing",
        "stuff", "project", "repository", "codebase", "code", "program", "overview", "summarize", "describe", "use",
        "understand", "analyze", "look", "read", "show", "tell", "give", "know", "need", "want", "work", "add", "unit",
    )
)  # fmt: skip
"""Words that lead to no file when a prompt consists of nothing else."""

VAGUE_TERMS = GENERAL_TERMS | frozenset(map(stem, FUNCTION_WORDS_OF["en"])) | frozenset(
    stem(word)
    for word in (
        "diff", "patch", "rename", "name", "variable", "argument", "parameter", "function", "method", "helper",
        "comment", "linter", "lint", "safe", "existing", "instead", "short", "clear", "shorter", "longer", "smaller",
        "same", "time", "twice", "case", "place", "line", "word", "default", "small", "big", "large", "sec", "hmm",
        "huh", "oops", "btw", "lol", "ugh", "brb", "ahead", "round", "forgot", "scenario", "signature", "typo", "split",
        "squash", "rebase", "machine", "laptop", "char", "character", "tab", "space", "indentation", "blue", "red",
        "green", "yellow", "grey", "gray", "white", "windows", "mac", "macos", "linux", "osx", "unix", "wsl",
    )
)  # fmt: skip
"""Words about the work at hand: "show me the diff", "rename the variable" ask for no other file."""

_REFERS_BACK = lazy_regex(
    r"\W*(?:(?:and|then|also|but|so|or|plus|ah|oh|ok|okay|what about|how about)\b"
    r"|(?:[^\W\d_]+\W+){0,3}?(?:it|them|this|these|those|that's|that tests?)\b)",
    re.IGNORECASE,
)
"""Matches a prompt that continues a sentence, or says `it` before it names anything."""

FindEvidence = Callable[[str], Collection[str]]
"""Returns the paths, names and rare terms in a prompt that the repository has."""


def task_of(
    current: Task | None,
    prompt: str,
    find_evidence: FindEvidence,
    touched_names: Callable[[], Collection[str]] = tuple,
) -> tuple[Task, bool]:
    """Return the task of a prompt and whether it is new.

    A new task begins only if the prompt names something that the repository has, and shares nothing with the task so
    far or says itself that its subject is another. Thanks or praise begin none, and the first request after them does.
    `touched_names` returns the names in the files that the task's runs changed. The two functions are called only when
    the words of the prompts leave the question open.
    """
    prompt = clean_prompt(prompt) if current is None else without_rules(clean_prompt(prompt))
    own = without_announcement(prompt)
    words, names = task_terms(own)
    if current is None or (not current.names and is_courtesy(current.objective) and not is_courtesy(own)):
        return _new_task(own, words, names), True
    terms = _terms_outside_paths(own)
    is_open = bool(names or terms) and (
        own != prompt
        or not (
            set(terms) & set(current.terms)
            or set(names) & set(current.names)
            or _REFERS_BACK.match(own)
            or is_about_another_place(own)
            or number_of_others(own)
            or asks_for_tests_of_work(own)
            or asks_for_documents_of_work(own)
            or is_courtesy(own)
            or _is_about_document(own, words, names)
            or _is_also_about_file(own, words, names)
            or _names_touched_symbol(names, touched_names)
        )
    )
    if is_open and find_evidence(prompt):
        return _new_task(own, words, names), True
    extended = replace(
        current,
        terms=tuple(dict.fromkeys((*current.terms, *terms)))[:MAX_TERMS],
        names=tuple(dict.fromkeys((*current.names, *names)))[:MAX_TERMS],
        recent=_with_recent(current.recent, own),
    )
    return extended, False


def _is_about_document(prompt: str, words: Mapping[str, str], names: Sequence[str]) -> bool:
    """Whether a short prompt names only a document that each package may have, as "changelog?": that of the work."""
    if len(prompt) > MAX_NEXT_REQUEST or not DOCUMENT_NAMES.issuperset(names):
        return False
    documents = [word for word in paths_in(prompt) if word in DOCUMENT_NAMES and word != INTEGRATION_NAME]
    terms = {term for document in documents for term in query_words(document)}
    return bool(documents) and terms | GENERAL_TERMS | {stem("entry")} >= words.keys()


_ALSO = lazy_regex(
    r"\b(?:too|also|as well|likewise|auch|ebenfalls|también|tampoco|aussi|também|anche|ook|тоже|также)\b|也|同样|同じ",
    re.IGNORECASE,
)


def _is_also_about_file(prompt: str, words: Mapping[str, str], names: Sequence[str]) -> bool:
    """Whether a prompt says no more than that the task may be about files, too: "does cart.py need that name too?"."""
    return _ALSO.search(prompt) is not None and words_beside_paths(words, names, paths_in(prompt)) == set()


def words_beside_paths(words: Mapping[str, str], names: Sequence[str], paths: Iterable[str]) -> set[str] | None:
    """Return the telling words of a prompt beside the paths that it names; None if it has no path or another name."""
    named = " ".join(paths)
    if not named or not all(name in named for name in names):
        return None
    return words.keys() - query_words(named).keys() - VAGUE_TERMS


RECENT_PROMPTS, MAX_RECENT_CHARACTERS = 3, 600


def _with_recent(recent: tuple[str, ...], prompt: str) -> tuple[str, ...]:
    query = _recent_query(prompt)
    return (*recent, query)[-RECENT_PROMPTS:] if query and recent[-1:] != (query,) else recent


@lru_cache(maxsize=16)
def _recent_query(prompt: str) -> str:
    return prompt_parts(search_query(prompt)).whole[:MAX_RECENT_CHARACTERS]


MAX_WORK_PATHS, MAX_ANSWER_NAMES = 8, 12


def work_query(task: Task, work: RecentWork) -> str:
    """Return the query of a session that lost its context: files edited and read, last prompts, last answer."""
    if not (work.edited or work.read or work.answer):
        return task.query
    paths = [*work.edited, *work.read][:MAX_WORK_PATHS]
    names = [name for name in identifiers_of(work.answer) if _HAS_WORD.search(name)][-MAX_ANSWER_NAMES:]
    recent = task.recent or (prompt_parts(task.query).whole[:MAX_RECENT_CHARACTERS],)
    return " ".join(dict.fromkeys((*paths, *names, *reversed(recent))))[:MAX_QUERY_CHARACTERS]


MAX_PLAN_NAMES = 24
_PLAN_TERMS = _FILLER_TERMS | {stem("plan")}
_CODE_NAME = lazy_regex(r"`([A-Za-z_][\w.]{2,60})(?:\(\))?`")


def _without_paths(text: str) -> str:
    for path in sorted(paths_in(text), key=len, reverse=True):
        text = text.replace(path, " ")
    return text


@lru_cache(maxsize=16)
def plan_query(plan: str) -> str:
    """Return the query of a plan that is carried out: the paths and names in it, and its title's words."""
    title = next((line for line in plan.lstrip("# \n").split("\n") if line.strip()), "")
    rest = _without_paths(plan)  # `cart.py` is no name of a part of `cart`
    names = (*paths_in(plan), *identifiers_of(rest), *_CODE_NAME.findall(rest))
    names = tuple(name for name in dict.fromkeys(names) if _HAS_WORD.search(name))
    text = title if names else plan
    return " ".join(dict.fromkeys((*names[:MAX_PLAN_NAMES], *_query_words(text, _PLAN_TERMS).split())))[
        :MAX_QUERY_CHARACTERS
    ]


_WORD = lazy_regex(r"[^\W_][\w-]*")


def files_left(text: str, edited: Sequence[str], listed: Collection[str]) -> list[str]:
    """Return the files that a text names beside edited ones, of the same kind as these, those beside them first.

    A file counts as named by its path, by an end of it, or by its bare name if the text names an edited one so, too.
    """
    known = frozenset(edited)
    kinds = {_kind_of(path) for path in edited}
    folders = {path.rpartition("/")[0] for path in edited}
    words = {word.casefold() for word in _WORD.findall(text)}
    named = dict.fromkeys(paths_in(text))
    found = {path for path in named if path in listed}
    ends = tuple(f"/{path}" for path in named if path not in listed)
    bare = {folder for path in edited if _bare_name(path) in words for folder in [path.rpartition("/")[0]]}
    for path in listed if ends or bare else ():
        is_beside = path.rpartition("/")[0] in bare and _bare_name(path) in words
        if is_beside or (ends and path.endswith(ends)):
            found.add(path)
    left = (path for path in found if path not in known and _kind_of(path) in kinds)
    return sorted(left, key=lambda path: (path.rpartition("/")[0] not in folders, path))


def files_alike(edited: Sequence[str], listed: Collection[str]) -> list[str]:
    """Return the files beside edited ones whose names have the same pattern, or that are the same file elsewhere.

    They share the first or the last part of their names, as `test_a.py` and `test_b.py`, or the whole name in folders
    next to each other, as `a/index.js` and `b/index.js`.
    """
    known = frozenset(edited)
    patterns = {pattern for path in edited for pattern in _patterns_of(path)}
    return sorted(path for path in listed if path not in known and not patterns.isdisjoint(_patterns_of(path)))


_DEFINITION = lazy_regex(
    r"\b(?:def|class|func|function|fn|interface|type|struct|enum|trait|const|let|var)\s+(\w{3,60})"
)
_CODE_WORD = lazy_regex(r"\w+")
MAX_REMOVED_NAMES = 8


def removed_names(hunks: Sequence[str]) -> list[str]:
    """Return the names that only removed lines of differences have: those defined there, and those spelled as code."""
    lines = [line for text in hunks for line in text.splitlines()]
    removed, present = ("\n".join(line[1:] for line in lines if line[:1] in signs) for signs in (("-",), ("+", " ")))
    spelled = (part for name in identifiers_of(removed) for part in name.split(".") if identifiers_of(part))
    remaining = frozenset(_CODE_WORD.findall(present))
    names = dict.fromkeys((*_DEFINITION.findall(removed), *spelled))
    return [name for name in names if name not in remaining][:MAX_REMOVED_NAMES]


def names_like_code(text: str) -> set[str]:
    """Return the last parts of the names that a text spells as code does, and its capitalised words."""
    names = {name.rpartition(".")[2] for name in identifiers_of(text)}
    return names.union(word for pair in _CAPITALISED.findall(text) for word in pair if word)


_NAME_PART = lazy_regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def _patterns_of(path: str) -> list[tuple[str, ...]]:
    """Return what the files that go with a file in a row share: folder, kind and one end of the name, or the name."""
    folder, _, name = path.rpartition("/")
    above, _, _ = folder.rpartition("/")
    stem, _, suffix = name.rpartition(".")
    parts = _NAME_PART.findall(stem)
    patterns: list[tuple[str, ...]] = [(above, name, "elsewhere")] if above else []
    if len(parts) > 1:
        patterns += [(folder, suffix, "first", str(parts[0])), (folder, suffix, "last", str(parts[-1]))]
    return patterns


def _bare_name(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0].casefold()


def _kind_of(path: str) -> tuple[str, bool]:
    return path.rpartition(".")[2], is_test(path)


def _names_touched_symbol(names: Sequence[str], touched_names: Callable[[], Collection[str]]) -> bool:
    """Whether a prompt names a symbol of the changed files; `cart.total` also counts by its last part."""
    name_parts = {part for name in names for part in (name, name.rpartition(".")[2])}
    return bool(name_parts) and not name_parts.isdisjoint(touched_names())


@lru_cache(maxsize=16)
def _terms_outside_paths(prompt: str) -> Sequence[str]:
    """Return a prompt's terms. A path adds only its file name's terms: many tasks share folders."""
    text = prompt
    for path in paths_in(prompt):
        text = text.replace(path, f" {path.rpartition('/')[2].partition('.')[0]} ")
    return list(task_terms(text)[0])


def _new_task(prompt: str, words: Mapping[str, str], names: Sequence[str]) -> Task:
    identity = _identity(words, names) or [re.sub(r"\s+", " ", prompt).strip().casefold()]
    return Task(
        fingerprint=short_id(identity, 16),
        terms=tuple(_terms_outside_paths(prompt)[:MAX_TERMS]),
        names=tuple(names[:MAX_TERMS]),
        query=search_query(prompt),
        objective=one_line(described_problem(prompt), OBJECTIVE_CHARACTERS),
        recent=_with_recent((), prompt),
    )


@lru_cache(maxsize=16)
def search_query(prompt: str) -> str:
    """Return the search query: a conventional commit's scope, names and paths unchanged, and the words.

    Words of a path are not repeated: they would match all its neighbours. The prompt itself is not stored, apart from
    what it quotes. A prompt of several lines has its title, and one that is long or has a fenced block its prose, as
    further parts. What a prompt says about working alone, as in "and add a test", leads to no file; nor does the word
    "test" where one is reported to fail, a first "hello", or the new name in "rename it to".
    """
    prompt = without_new_name(without_announcement(prompt))
    subject = subject_of(prompt)
    scope = scope_prefix(subject) or documents_scope(prompt)
    quoted = as_quotations(quoted_texts(prompt))
    prompt = subject
    opening = takewhile(_FILLER_TERMS.__contains__, map(stem, _FIRST_WORD.findall(prompt.casefold(), 0, MAX_OPENING)))
    omitted = _FILLER_TERMS - _OPENING_TERMS.difference(opening)
    omitted |= _TEST_TERMS if reports_failing_test(prompt) else frozenset()
    parts = prompt_parts(prompt)
    pointing = _pointing_query(prompt, has_calls=bool(parts.title))
    room = MAX_QUERY_CHARACTERS - len(pointing) - 1
    whole = f"{f'{quoted} {_query_words(prompt, omitted)}'.strip()[:room]} {pointing}".strip()
    return PromptParts(
        f"{scope} {whole}".strip(),
        _query_words(parts.title, omitted)[:MAX_TITLE_CHARACTERS],
        _query_words(parts.prose, omitted)[:MAX_QUERY_CHARACTERS],
    ).join()


def _pointing_query(prompt: str, *, has_calls: bool) -> str:
    """Return the places that a prompt names, with the calls in one of several lines, as far as there is room."""
    words = pointing_words(prompt) if has_calls or read_evidence(prompt).frames else []
    return " ".join(words[: bisect_right(list(accumulate(len(word) + 1 for word in words)), MAX_POINTING_CHARACTERS)])


_ITEM = lazy_regex(r"[ \t]{0,8}(?:[-*+•]|\d{1,2}[.)])\s{1,4}(\S.*)")

_REQUEST_END = lazy_regex(
    r"(?<=[.!?;])\s{1,4}|(?<=[。！？；])|\n"
    r"|,?\s(?=(?:and|und|y|e|et|en|и)\s(?:also|auch|außerdem|también|também|aussi|ook|также)\s)"
    r"|,?\s(?=(?:and\s|then\s){1,2}(?:add|fix|update|remove|rename|refactor|write|create|replace|move|delete)\s)",
    re.IGNORECASE,
)
"""The end of a sentence, or of a part of one before another request: "and also", "then fix"."""

_ANOTHER_REQUEST = lazy_regex(
    r"\W*(?:(?:and|also|then|und|auch|außerdem|y|también|e|também|et|aussi|en|ook|и|также)\s|另外|还有|また)",
    re.IGNORECASE,
)
"""The beginning of a part of a prompt by which it is another request, and not more about the first one."""

_GOES_ON = lazy_regex(
    r"\W*(?:(?:and|also|then|und|auch)\W+){0,3}+(?:[^\W\d_]+\W+){0,2}?"
    r"(?:it|its|them|this|these|those|they|es|sie|ihn|diese[rsn]?|lo|los|las|ella|isso|ele|ela|ça|cela|ceci|questo|его"
    r"|её|это)\b",
    re.IGNORECASE,
)
"""The beginning of a part that is about what the part before it names: "and also show it"."""

MAX_REQUESTS, MAX_REQUESTS_CHARACTERS, MIN_REQUEST_TERMS = 6, 1_200, 2
"""Maximum number of requests in a prompt and of its characters; minimum number of words that tell what one is about."""


@lru_cache(maxsize=16)
def queries_of_requests(prompt: str) -> tuple[str, ...]:
    """Return the queries of the requests in a prompt that has several, as "add X to the form, then fix Y"; else none.

    They are the items of a list, or sentences one of which begins another request: further sentences mostly describe
    one subject. What has no subject of its own belongs to the request beside it. A long text is a report, as is one
    with code or a stack trace.
    """
    if len(prompt) > MAX_REQUESTS_CHARACTERS or "```" in prompt or read_evidence(prompt).frames:
        return ()
    subject = subject_of(without_announcement(prompt))
    items = [match[1] for match in map(_ITEM.match, subject.split("\n")) if match is not None]
    is_list = len(items) > 1
    requests: list[str] = []
    is_introduction = False
    for text in items if is_list else _REQUEST_END.split(subject):
        is_short = len(query_words(text).keys() - GENERAL_TERMS) < MIN_REQUEST_TERMS
        if requests and (is_short or is_introduction or _GOES_ON.match(text)):
            requests[-1] += f", {text}"
            is_introduction &= is_short
        else:
            requests.append(text)
            is_introduction = is_short
    if not (is_list or any(map(_ANOTHER_REQUEST.match, requests[1:]))):
        return ()
    return tuple(map(search_query, requests)) if 1 < len(requests) <= MAX_REQUESTS else ()


def _query_words(text: str, omitted: frozenset[str]) -> str:
    paths = paths_in(text)
    rest = _with_english(_without_paths(text))
    spelled = _spelled_words(rest)
    words = {spelled.get(word, word) for term, word in query_words(rest).items() if term not in omitted}
    words.update(spelled[word] for word in spelled if stem(word) not in english_terms() | omitted)
    names = {name for name in identifiers_of(rest) if _HAS_WORD.search(name)}
    names.update(macros_in(rest))
    names.update(path for path in paths if _HAS_WORD.search(path) or (is_code(path) and path[-2] != "."))  # not `p.m`
    if _ABOUT_INTEGRATION.search(text) is not None:
        names.add(INTEGRATION_NAME)
    return " ".join(sorted({*words, *names}))


_CAPITALISED = lazy_regex(r"(?<![\w.])(?:(?<=[^\s.!?:] )([A-Z][A-Za-z]{2,60})|([A-Z][A-Za-z]{2,60}))(?![\w.])")
"""A capitalised word, by whether it is inside a sentence or begins one."""


def _spelled_words(text: str) -> dict[str, str]:
    """Return the words, by lower case, whose capital may be a name's: at the start of a sentence no English word."""
    found = _CAPITALISED.findall(text)
    words = (inside or first for inside, first in found if inside or stem(first.casefold()) not in english_terms())
    return {word.casefold(): word for word in words}


@lru_cache(maxsize=16)
def matches_query(prompt: str, query: str) -> bool:
    """Whether a prompt contains the same words and names as a query, in any order."""
    return _identity(*task_terms(_with_english(prompt))) == _identity(
        *task_terms(query.removeprefix(f"{DOCUMENTS_SCOPE} "))
    )


def _with_english(text: str) -> str:
    """Add the English words for a text in another language, apart from those that lead to no file."""
    return " ".join((text, *(word for word in english_words(text) if stem(word) not in _FILLER_TERMS)))


def _identity(words: Mapping[str, str], names: Sequence[str]) -> list[str]:
    return sorted({*words.values(), *names})


@lru_cache(maxsize=16)
def task_terms(prompt: str) -> tuple[Mapping[str, str], Sequence[str]]:
    """Return the words (by term) and the names in a prompt that tell one task from another."""
    words = {term: word for term, word in query_words(prompt).items() if term not in _FOLLOW_UP_TERMS}
    names = dict.fromkeys((*identifiers_of(prompt), *paths_in(prompt)))
    return words, [name for name in names if _HAS_WORD.search(name)]

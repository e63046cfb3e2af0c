"""What a prompt says, as far as packs look at it: no markers of the host, no secrets, no more than a reader takes in.

Pure. The prompt itself goes to the provider unchanged.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache

from sidecar.codebase import identifiers_of, paths_in, query_words, scope_prefix, stem
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.redact import redact
from sidecar.core.text.sanitize import one_line
from sidecar.runs import Task

HEAD_CHARACTERS = 16_000
TAIL_CHARACTERS = 4_000
"""Of a longer prompt only its beginning and its end are looked at: what lies between is pasted."""

_PLACE = regex(r"@\[(file|folder):[^:\]\n]*:([^\]\n]{1,2000})\]")
_MARKER = regex(r"@\[[a-z]+:[^\]\n]{0,2000}\]")


def said(prompt: str) -> str:
    """Gives a prompt's own words, with the paths of what it mentions."""
    if len(prompt) > HEAD_CHARACTERS + TAIL_CHARACTERS:
        prompt = f"{_whole_words(prompt[:HEAD_CHARACTERS])}\n{_whole_words(prompt[: -TAIL_CHARACTERS - 1 : -1])[::-1]}"
    return _said(prompt)


def _whole_words(cut: str) -> str:
    """Leaves out a word that was cut at the end: half a secret is not known as one."""
    at = len(cut) - 1
    while at > 0 and not cut[at].isspace():
        at -= 1
    return cut[: at or None]


@lru_cache(maxsize=16)
def _said(prompt: str) -> str:
    return redact(_MARKER.sub(" ", _PLACE.sub(r" \2 ", prompt)))


def mentioned_in(prompt: str) -> tuple[list[str], list[str]]:
    """Gives the files and the folders that the host's markers in a prompt point at (Codex; Claude's are expanded)."""
    found = list(dict.fromkeys(_PLACE.findall(prompt)))[:200]
    return [path for kind, path in found if kind == "file"], [path for kind, path in found if kind == "folder"]


# The task fingerprint: what a conversation is about, not how it is worded (decisions.md, Continuity). Pure.


MAX_QUERY_CHARACTERS = 4_000
MAX_TERMS = 300
OWN_TERMS = 3
"""A prompt with fewer words of its own than this may be a follow-up in other words."""

OBJECTIVE_CHARACTERS = 300

_NAMES_SOMETHING = regex(r"[^\W\d_]{3}")
"""So do not `e.g`, `i.e`, `v2`."""

_FOLLOW_UP_WORDS = (
    "continue", "ok", "okay", "yes", "thanks", "great", "good", "nice", "cool", "proceed", "again", "retry", "next",
    "step", "finish", "fix", "run", "test", "commit", "push", "check", "explain", "error", "fail", "problem", "issue",
    "undo", "revert", "review", "still", "better", "wrong", "right", "sorry", "hello", "hi", "hey", "change", "edit",
    "one", "two", "first", "second", "last", "find", "whole", "everything", "anything", "something", "start", "let",
    "say", "implement", "plan", "task", "done", "go", "keep", "please", "update", "create", "write", "remove", "make",
)  # fmt: skip
_FOLLOW_UP = frozenset(stem(word) for word in _FOLLOW_UP_WORDS)
"""Words of working on, whatever one works on: they tell no task from another."""

_TALK = frozenset(stem(word) for word in (
    "continue", "ok", "okay", "yes", "thanks", "great", "good", "nice", "cool", "proceed", "retry", "sorry", "hello",
    "hi", "hey", "better", "wrong", "right", "still", "whole", "everything", "anything", "say", "go", "keep", "explain",
    "find", "implement", "one",
))  # fmt: skip
"""Of these the words that also lead to no file: `test`, `error` or `remove` may."""


_REFERS_BACK = regex(
    r"\W*(?:(?:and|then|also|but|so|or|plus|ah|oh|ok|okay|what about|how about)\b"
    r"|(?:[^\W\d_]+\W+){0,3}?(?:it|them|this|these|those|that's)\b)",
    re.IGNORECASE,
)
"""A prompt that goes on with a sentence, or speaks of `it` before it has named anything."""


def task_of(known: Task | None, prompt: str, worked_on: Callable[[], Collection[str]] = tuple) -> tuple[Task, bool]:
    """Gives the task a prompt belongs to, and whether it is a new one. In doubt a follow-up keeps its task.

    `worked_on` gives the names in the files that the task's runs touched; it is asked only where the words of the
    prompts leave it open.
    """
    prompt = said(prompt)
    words, names = significant(prompt)
    if known is None:
        return _begun(prompt, words, names), True
    terms = _apart_from_paths(prompt)
    shares = bool(set(terms) & set(known.terms)) or bool(set(names) & set(known.names))
    has_own = bool(names) or len(terms) >= OWN_TERMS
    if has_own and not shares and not _REFERS_BACK.match(prompt) and not _is_among(names, worked_on):
        return _begun(prompt, words, names), True
    grown = known._replace(
        terms=tuple(dict.fromkeys((*known.terms, *terms)))[:MAX_TERMS],
        names=tuple(dict.fromkeys((*known.names, *names)))[:MAX_TERMS],
    )
    return grown, False


def _is_among(names: Sequence[str], worked_on: Callable[[], Collection[str]]) -> bool:
    """Says whether a prompt names something of the files that were worked on: `cart.total` by its last part too."""
    own = {part for name in names for part in (name, name.rpartition(".")[2])}
    return bool(own) and not own.isdisjoint(worked_on())


@lru_cache(maxsize=16)
def _apart_from_paths(prompt: str) -> Sequence[str]:
    """Gives a prompt's terms; of a path only those of the file's own name: folders are shared by many tasks."""
    text = prompt
    for path in paths_in(prompt):
        text = text.replace(path, f" {path.rpartition('/')[2].partition('.')[0]} ")
    return list(significant(text)[0])


def _begun(prompt: str, words: Mapping[str, str], names: Sequence[str]) -> Task:
    identity = _identity(words, names) or [re.sub(r"\s+", " ", prompt).strip().casefold()]
    return Task(
        fingerprint=short_id(identity, 16),
        terms=tuple(_apart_from_paths(prompt)[:MAX_TERMS]),
        names=tuple(names[:MAX_TERMS]),
        query=query_of(prompt),
        objective=one_line(prompt, OBJECTIVE_CHARACTERS),
    )


@lru_cache(maxsize=16)
def query_of(prompt: str) -> str:
    """Gives what is searched for: a conventional commit's scope, names and paths as they stand, and the words.

    The words of a path are not repeated: they would lead to all its neighbours. The prompt itself is kept nowhere.
    """
    paths = paths_in(prompt)
    rest = prompt
    for path in paths:
        rest = rest.replace(path, " ")
    words = {word for term, word in query_words(rest).items() if term not in _TALK}
    names = (name for name in (*identifiers_of(rest), *paths) if _NAMES_SOMETHING.search(name))
    return f"{scope_prefix(prompt)} {' '.join(sorted({*words, *names}))}".strip()[:MAX_QUERY_CHARACTERS]


def says_the_same(prompt: str, query: str) -> bool:
    """Says whether a prompt asks for no more than what is searched for already, in whatever order."""
    return _identity(*significant(prompt)) == _identity(*significant(query))


def _identity(words: Mapping[str, str], names: Sequence[str]) -> list[str]:
    return sorted({*words.values(), *names})


@lru_cache(maxsize=16)
def significant(prompt: str) -> tuple[Mapping[str, str], Sequence[str]]:
    """Gives the words (by term) and the names of what a prompt says that tell one task from another."""
    words = {term: word for term, word in query_words(prompt).items() if term not in _FOLLOW_UP}
    names = dict.fromkeys((*identifiers_of(prompt), *paths_in(prompt)))
    return words, [name for name in names if _NAMES_SOMETHING.search(name)]

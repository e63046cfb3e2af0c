"""What a prompt alone asks for, beside its conversation's task: files it mentions, and files its own words point at."""

import os
from typing import NamedTuple

from sidecar.codebase import Listing, Ranked, RepositoryState, word_share
from sidecar.packs.context_pack import ContextFile
from sidecar.packs.model import Mentions, PreRunParams
from sidecar.packs.task import OWN_TERMS, mentioned_in, query_of, said, says_the_same, significant
from sidecar.packs.task_pack import Question, with_summaries

FOLLOW_UP_FILES = 6
TELLING_SHARE = 0.6
"""A follow-up's best hits by words alone, as a share of the best file's."""

FOLDER_FILES = 4


class Search(NamedTuple):
    """What this prompt alone asks for, beside its task."""

    query: str
    mentioned: frozenset[str]
    nowhere: tuple[str, ...]
    """Mentions that lead to no file."""
    has_own_words: bool

    @property
    def is_needed(self) -> bool:
        """Whether anything is to be looked for."""
        return self.has_own_words or bool(self.mentioned)

    @classmethod
    def of(cls, question: Question, params: PreRunParams, listing: Listing, *, new_task: bool) -> "Search":
        """Reads a prompt; the words that begin a task are the task's, also when they are said again."""
        prompt = said(params.prompt)
        words, names = significant(prompt)
        mentioned, nowhere = _mentioned(question, params, listing)
        says_something = bool(names) or len(words) >= OWN_TERMS
        has_own_words = says_something and not new_task and not says_the_same(prompt, question.task.query)
        return cls(query_of(prompt), frozenset(mentioned), tuple(nowhere), has_own_words)


def files_of(search: Search, question: Question, state: RepositoryState, listing: Listing) -> tuple[ContextFile, ...]:
    """The files this prompt mentions, and those its own words point at: first, wherever the task's pack has them."""
    mentioned = search.mentioned
    limit = FOLLOW_UP_FILES + len(mentioned)
    found = question.repository.find(search.query, state, limit, mentioned=mentioned)
    wanted = [one for one in found if one.path in mentioned or (search.has_own_words and _is_telling(one))]
    return with_summaries(question, search.query, wanted, state, listing, mentioned=mentioned)


def _is_telling(ranked: Ranked) -> bool:
    """Whether a follow-up's own words point at a file clearly enough to add it to the task's."""
    is_named = "namedPath" in ranked.parts or "identifiers" in ranked.parts
    return is_named or (len(ranked.matched) >= OWN_TERMS and word_share(ranked) >= TELLING_SHARE)


def _mentioned(question: Question, params: PreRunParams, listing: Listing) -> tuple[set[str], list[str]]:
    """The mentioned files that exist here and may be shown, and the mentions that lead nowhere."""
    mentions = params.mentions or Mentions()
    files, folders = mentioned_in(params.prompt)
    found: set[str] = set()
    nowhere: list[str] = []
    for path in dict.fromkeys((*mentions.files, *files)):
        relative = _relative(question, params.cwd, path)
        if relative in listing.files:
            found.add(relative)
        else:
            nowhere.append(path)
    for path in dict.fromkeys((*mentions.folders, *folders)):
        relative = _relative(question, params.cwd, path).rstrip("/")
        folder = "" if relative == os.curdir else relative + "/"
        inside = sorted(name for name in listing.files if name.startswith(folder))[:FOLDER_FILES]
        found.update(inside)
        if not inside:
            nowhere.append(path)
    return found, nowhere


def _relative(question: Question, cwd: str, path: str) -> str:
    """Gives a mentioned path relative to the workspace; one that leads out of it matches no listed file."""
    if not os.path.isabs(path):
        return os.path.normpath(path).replace("\\", "/")
    for root in (cwd, str(question.workspace.cwd)):
        if os.path.join(os.path.normpath(path), "").startswith(os.path.join(os.path.normpath(root), "")):
            return os.path.relpath(path, root).replace("\\", "/")
    return path

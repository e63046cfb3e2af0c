"""What a prompt alone asks for, besides its conversation's task: files it mentions, and files its own words match."""

import os
from typing import NamedTuple

from sidecar.codebase import Listing, RankedFile, RepositoryState, text_match
from sidecar.packs.context_pack import ContextFile
from sidecar.packs.model import Mentions, PreRunParams
from sidecar.packs.task import (
    MIN_OWN_TERMS,
    clean_prompt,
    matches_query,
    mentioned_paths,
    search_query,
    significant_terms,
)
from sidecar.packs.task_pack import PackQuery, with_summaries

FOLLOW_UP_FILES = 6
CLEAR_MATCH_SHARE = 0.6
"""A follow-up adds files that match by words alone down to this share of the best file's score."""

FOLDER_FILES = 4


class PromptSearch(NamedTuple):
    """What a prompt alone asks for, besides its task."""

    query: str
    mentioned: frozenset[str]
    unresolved: tuple[str, ...]
    """Mentions that lead to no file."""
    has_own_words: bool

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to search for."""
        return self.has_own_words or bool(self.mentioned)

    @classmethod
    def of_prompt(
        cls, pack_query: PackQuery, params: PreRunParams, listing: Listing, *, new_task: bool
    ) -> "PromptSearch":
        """Read a prompt. Words that began the task belong to the task, also when they are repeated."""
        prompt = clean_prompt(params.prompt)
        words, names = significant_terms(prompt)
        mentioned, unresolved = _mentioned(pack_query, params, listing)
        says_enough = bool(names) or len(words) >= MIN_OWN_TERMS
        has_own_words = says_enough and not new_task and not matches_query(prompt, pack_query.task.query)
        return cls(search_query(prompt), frozenset(mentioned), tuple(unresolved), has_own_words)


def search_files(
    search: PromptSearch, pack_query: PackQuery, state: RepositoryState, listing: Listing
) -> tuple[ContextFile, ...]:
    """Return the mentioned files and those that the prompt's own words match; they come before the task's files."""
    mentioned = search.mentioned
    limit = FOLLOW_UP_FILES + len(mentioned)
    matches = pack_query.repository.find(search.query, state, limit, mentioned=mentioned)
    selected = [
        ranked_file
        for ranked_file in matches
        if ranked_file.path in mentioned or (search.has_own_words and _is_clear_match(ranked_file))
    ]
    return with_summaries(pack_query, search.query, selected, state, listing, mentioned=mentioned)


def _is_clear_match(ranked: RankedFile) -> bool:
    """Whether a follow-up's own words match a file clearly enough to add it to the task's."""
    is_named = "namedPath" in ranked.parts or "identifiers" in ranked.parts
    return is_named or (len(ranked.matched) >= MIN_OWN_TERMS and text_match(ranked) >= CLEAR_MATCH_SHARE)


def _mentioned(pack_query: PackQuery, params: PreRunParams, listing: Listing) -> tuple[set[str], list[str]]:
    """The mentioned files that exist here and may be shown, and the mentions that lead nowhere."""
    mentions = params.mentions or Mentions()
    files, folders = mentioned_paths(params.prompt)
    files_found: set[str] = set()
    unresolved: list[str] = []
    for path in dict.fromkeys((*mentions.files, *files)):
        relative = _relative(pack_query, params.cwd, path)
        if relative in listing.files:
            files_found.add(relative)
        else:
            unresolved.append(path)
    for path in dict.fromkeys((*mentions.folders, *folders)):
        relative = _relative(pack_query, params.cwd, path).rstrip("/")
        folder = "" if relative == os.curdir else relative + "/"
        inside = sorted(name for name in listing.files if name.startswith(folder))[:FOLDER_FILES]
        files_found.update(inside)
        if not inside:
            unresolved.append(path)
    return files_found, unresolved


def _relative(pack_query: PackQuery, cwd: str, path: str) -> str:
    """Return a mentioned path relative to the workspace; a path outside it matches no listed file."""
    if not os.path.isabs(path):
        return os.path.normpath(path).replace("\\", "/")
    for root in (cwd, str(pack_query.workspace.cwd)):
        if os.path.join(os.path.normpath(path), "").startswith(os.path.join(os.path.normpath(root), "")):
            return os.path.relpath(path, root).replace("\\", "/")
    return path

"""Params and results of `codebase/*`."""

from typing import Literal

from pydantic import Field

from sidecar.core.wire import FolderPath, WireModel


class WorkspaceParams(WireModel):
    """The workspace of a request."""

    cwd: FolderPath = Field(description="The chat's git worktree, absolute.")
    project_path: FolderPath | None = Field(default=None, description="The original project; default: `cwd`.")


class ChangedFileEntry(WireModel):
    """A file that differs from the head commit."""

    path: str = Field(description="Relative to `cwd`.")
    kind: Literal["staged", "unstaged", "untracked", "deleted", "renamed", "conflicted"]
    code: str = Field(description="git's two letters: index, worktree.")
    content_hash: str = Field(
        description="The id git would store the content under; a prefix and a distinguishing value for anything but a "
        "text file (`link:…`, `large:…`, `nested:…`); `absent` if there is nothing."
    )
    original_path: str | None = Field(description="Previous path of a renamed file.")


class CodebaseStateResult(WireModel):
    """The worktree at this moment."""

    kind: Literal["git", "folder"] = Field(description="`folder` if there is no git repository.")
    root: str = Field(description="The worktree's top folder, or the folder itself.")
    head_commit: str | None = Field(description="Null before the first commit.")
    branch: str | None = Field(description="Null when HEAD is detached.")
    changed: list[ChangedFileEntry] = Field(
        description="In a git worktree the files that differ from the head commit, in a folder without git every file."
    )
    changed_files_hash: str = Field(
        description="Hash of all changes, staged contents included; undoing an edit restores the previous hash."
    )
    proof: str = Field(
        description="`status`: git reported the full status; `watch`: it did, and every change since was reported by a "
        "file watch and read again; `watch+stat`: the same with a watch that can miss changes (macOS, Windows), "
        "verified by a full status soon after; `walk`: every file of a folder without git was read."
    )


class CodebaseIndexResult(WireModel):
    """The outcome of an index run."""

    files: int = Field(description="Number of files of the workspace that may be shown.")
    from_cache: int = Field(description="Files that were cached already, from this or another worktree.")
    analysed: int = Field(description="Files that this run read.")
    complete: bool = Field(description="Whether every file is indexed.")
    cut_at: int | None = Field(description="Total number of files if only some are indexed; else null.")


class CodebaseSearchParams(WorkspaceParams):
    """A search query."""

    query: str = Field(min_length=1, max_length=100_000, description="A prompt, in any language, or a stack trace.")
    limit: int = Field(default=20, ge=1, le=200, description="Maximum number of files.")


class FoundFile(WireModel):
    """A file that matches the query."""

    path: str = Field(description="Relative to `cwd`.")
    score: float = Field(description="The sum of its parts; comparable within one result only.")
    parts: dict[str, float] = Field(
        description="The parts of the score, by name, without zeros. Matches of the query's words: `text` in "
        "the content, `passage` in its best passage, `path` in the path, `names` in definition names. "
        "`identifiers`: defines names in the query; `scope`: the path matches `fix(scope): …`; `nearestCommits`, "
        "`similarCommits`: changed by commits with similar subjects; `latest`, `recent`: changed by one of the "
        "last few, or few hundred, commits; `changedTogether`, `imports`, `testPair`: shares commits with the "
        "best files, is imported by one, or is its test or subject; `namedPath`: the query contains the path; "
        "`changed`: has uncommitted changes; `length`, `test`, `testRequested`, `document`, `documentRequested`, "
        "`unknownLanguage`, `generated`: the kind of file. In packs also `mentioned`: the user pointed at it, and "
        "`changedWithTouched`, `testPairTouched`, `folderTouched`: related to a file the conversation touched."
    )
    matched: list[str] = Field(
        description="The query's terms it contains, rarest first; empty if it is only related to matching files."
    )


class CodebaseSearchResult(WireModel):
    """Files, most relevant first."""

    files: list[FoundFile]
    complete: bool = Field(
        description="False while files are still being indexed: those match by path and history alone."
    )

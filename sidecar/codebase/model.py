"""The messages of `codebase/*`."""

from typing import Literal

from pydantic import Field

from sidecar.core.wire import FolderPath, WireModel


class WorkspaceParams(WireModel):
    """Names a workspace."""

    cwd: FolderPath = Field(description="The chat's git worktree, absolute.")
    project_path: FolderPath | None = Field(default=None, description="The original project; without it, `cwd`.")


class ChangedFileEntry(WireModel):
    """A file that differs from the head commit."""

    path: str = Field(description="Relative to `cwd`.")
    kind: Literal["staged", "unstaged", "untracked", "deleted", "renamed", "conflicted"]
    code: str = Field(description="git's two letters: index, worktree.")
    content_hash: str = Field(
        description="The id git would store the content under; a word and what tells it apart for what is no text file "
        "(`link:…`, `large:…`, `nested:…`); `absent` where nothing is."
    )
    original_path: str | None = Field(description="Where a renamed file was before.")


class CodebaseStateResult(WireModel):
    """The worktree at this moment."""

    kind: Literal["git", "folder"] = Field(description="`folder` where there is no git repository.")
    root: str = Field(description="The worktree's top folder, or the folder itself.")
    head_commit: str | None = Field(description="Null before the first commit.")
    branch: str | None = Field(description="Null when HEAD is detached.")
    changed: list[ChangedFileEntry] = Field(
        description="In a git worktree what differs from the head commit, in a folder without git every file."
    )
    changed_files_hash: str = Field(
        description="Tells one set of changes from another, staged contents included; an undone edit gives the old one."
    )
    proof: str = Field(
        description="`status`: git was asked in full; `watch`: it was, and all that changed since are files that a "
        "watch named and that were looked at again; `watch+stat`: the same with a watch that may miss changes (macOS, "
        "Windows), checked by a full look soon after; `walk`: every file of a folder without git was looked at."
    )


class CodebaseIndexResult(WireModel):
    """What an index run did."""

    files: int = Field(description="Files of the workspace that may be shown.")
    from_cache: int = Field(description="Those that were known already, here or in another worktree.")
    analysed: int = Field(description="Those that this run read.")
    complete: bool = Field(description="Whether none is left to be read.")
    cut_at: int | None = Field(description="How many files there are when only some are indexed; else null.")


class CodebaseSearchParams(WorkspaceParams):
    """What to look for."""

    query: str = Field(
        min_length=1, max_length=100_000, description="A prompt as it was written, in any language; also a stack trace."
    )
    limit: int = Field(default=20, ge=1, le=200, description="At most so many files.")


class FoundFile(WireModel):
    """A file the query is about."""

    path: str = Field(description="Relative to `cwd`.")
    score: float = Field(description="The sum of its parts: comparable within one answer only.")
    parts: dict[str, float] = Field(
        description="What the score is made of, by name; zeros are left out. The query's words in the content `text`, "
        "in its best place `passage`, in the path `path`, in the definitions' names `names`; `identifiers`: defines "
        "names the query spells out; `scope`: the path fits `fix(scope): …`; `commits`, `alike`: changed by past "
        "commits worded like the query; `latest`, `recent`: changed by one of the last few, or few hundred, commits; "
        "`together`, `imports`, `pair`: near the best files by common commits, imported by them, test or subject of "
        "one; `namedPath`: the query spells the path; `changed`: not committed as it is; `length`, `test`, "
        "`testAsked`, `document`, `documentAsked`, `foreign`, `generated`: what kind of file it is. In packs also "
        "`mentioned`: the user pointed at it, and `togetherTouched`, `pairTouched`, `folderTouched`: near a file the "
        "conversation touched."
    )
    matched: list[str] = Field(
        description="The query's terms that it holds, rarest first; empty where only what it is near brought it here."
    )


class CodebaseSearchResult(WireModel):
    """Files, the most relevant first."""

    files: list[FoundFile]
    complete: bool = Field(
        description="False while files are still being read: those are found by their paths and history alone."
    )

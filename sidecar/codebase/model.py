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
    content_hash: str
    original_path: str | None = Field(description="Where a renamed file was before.")


class CodebaseStateResult(WireModel):
    """The worktree at this moment."""

    kind: Literal["git", "folder"]
    root: str
    head_commit: str | None = Field(description="Null before the first commit.")
    branch: str | None = Field(description="Null when HEAD is detached.")
    changed: list[ChangedFileEntry]
    changed_files_hash: str
    proof: str = Field(
        description="status: a full `git status`; watch: all that changed since the last one are files that a watch "
        "named and that were looked at again; watch+stat: the same with a watch that may miss changes (macOS, "
        "Windows); walk: every file of a folder without git was looked at."
    )


class CodebaseIndexResult(WireModel):
    """What an index run did."""

    files: int
    from_cache: int
    analysed: int
    complete: bool
    cut_at: int | None = Field(description="How many files there are when only some are indexed; else null.")


class CodebaseSearchParams(WorkspaceParams):
    """What to look for."""

    query: str = Field(min_length=1, max_length=100_000)
    limit: int = Field(default=20, ge=1, le=200)


class FoundFile(WireModel):
    """A file the query is about."""

    path: str
    score: float
    parts: dict[str, float] = Field(description="The score's parts by name.")
    matched: list[str] = Field(description="The query's terms it holds, rarest first.")


class CodebaseSearchResult(WireModel):
    """Files, the most relevant first."""

    files: list[FoundFile]
    complete: bool = Field(description="False while the index is still being filled.")

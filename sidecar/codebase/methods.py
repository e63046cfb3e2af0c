"""`codebase/state`, `codebase/index`, `codebase/search`."""

from concurrent.futures import ThreadPoolExecutor

from sidecar.call import Call
from sidecar.codebase.indexer import IndexReport
from sidecar.codebase.model import (
    ChangedFileEntry,
    CodebaseIndexResult,
    CodebaseSearchParams,
    CodebaseSearchResult,
    CodebaseStateResult,
    FoundFile,
    WorkspaceParams,
)
from sidecar.codebase.workspace_repository import Repository
from sidecar.codebase.worktree.state import RepositoryState, StateUnavailable
from sidecar.core.errors import Cancelled, WorkspaceUnavailable
from sidecar.lifecycle import Progress, ProgressParams
from sidecar.method import Lane, method

SEARCH_WAIT_MS = 2_000
PROGRESS_SECONDS = 0.2


def state(call: Call, params: WorkspaceParams) -> CodebaseStateResult:
    """Return the worktree's state: head, branch, changed files with content hashes, and how the state was verified.

    Never from a cache alone: `proof` states whether git was asked in full, or a file watch shows that nothing else
    changed since.
    """
    _, worktree = _open(call, params)
    return CodebaseStateResult(
        kind=worktree.kind,
        root=_printable(str(worktree.root)),
        head_commit=worktree.head,
        branch=worktree.branch,
        changed=[
            ChangedFileEntry(
                path=_printable(file.path),
                kind=file.kind,
                code=file.code,
                content_hash=file.content_hash,
                original_path=_printable(file.original) if file.original else None,
            )
            for file in worktree.changed
        ],
        changed_files_hash=worktree.changed_hash,
        proof=worktree.proof,
    )


def index(call: Call, params: WorkspaceParams) -> CodebaseIndexResult:
    """Index every file that is not indexed yet, with progress; can be cancelled at any time.

    Files indexed before a cancellation stay indexed. Searches work meanwhile with what is there.
    """
    repository, worktree = _open(call, params)
    listing = repository.listing(worktree)
    report = IndexReport(cancellation=call.cancellation)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="index") as pool:
        future = pool.submit(repository.fill_index, listing, report)
        while not future.done():
            _report_progress(call, report)
            try:
                future.result(timeout=PROGRESS_SECONDS)
            except TimeoutError:
                continue
    call.cancellation.check()
    _report_progress(call, report)
    return CodebaseIndexResult(
        files=len(listing.files),
        from_cache=report.from_cache,
        analysed=report.analysed,
        complete=report.done >= report.total,
        cut_at=listing.cut_at,
    )


def search(call: Call, params: CodebaseSearchParams) -> CodebaseSearchResult:
    """Rank the files a text is about, each with the parts of its score.

    Each file is scored by itself first: contents, path, definitions and history. Then files related to the best ones
    are added: changed in the same commits, imported by them, or test and subject of each other. So a result may share
    no word with the query, but being recent, long or a test alone is not enough. Waits at most two seconds for
    indexing.
    """
    repository, worktree = _open(call, params)
    listing = repository.listing(worktree)
    _, complete = repository.wait_for_index(listing, call.process.indexing, SEARCH_WAIT_MS)
    ranked = repository.find(params.query, worktree, params.limit)
    files = [
        FoundFile(path=file.path, score=file.score, parts=file.parts, matched=list(file.matched)) for file in ranked
    ]
    return CodebaseSearchResult(files=files, complete=complete)


def _open(call: Call, params: WorkspaceParams) -> tuple[Repository, RepositoryState]:
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    repository = workspace.slices.repository
    try:
        return repository, repository.state()
    except StateUnavailable as error:
        raise WorkspaceUnavailable(f"The repository's state cannot be read: {error.reason}.") from error


def _report_progress(call: Call, report: IndexReport) -> None:
    progress = Progress(phase="index", done=report.done, total=report.total)
    call.notify("$/progress", ProgressParams(token=call.request_id, value=progress))


def _printable(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


_ERRORS = (WorkspaceUnavailable,)

METHODS = (
    method("codebase/state", state, lane=Lane.SHARED, errors=_ERRORS),
    method("codebase/index", index, lane=Lane.JOB, errors=(*_ERRORS, Cancelled)),
    method("codebase/search", search, lane=Lane.SHARED, errors=_ERRORS),
)

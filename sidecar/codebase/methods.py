"""`codebase/state`, `codebase/index`, `codebase/search`."""

from concurrent.futures import ThreadPoolExecutor

from sidecar.call import Call
from sidecar.codebase.indexer import FillReport
from sidecar.codebase.model import (
    ChangedFileEntry,
    CodebaseIndexResult,
    CodebaseSearchParams,
    CodebaseSearchResult,
    CodebaseStateResult,
    FoundFile,
    WorkspaceParams,
)
from sidecar.codebase.repository import Repository, repository_of
from sidecar.codebase.worktree.state import RepositoryState, StateFailed
from sidecar.core.errors import Cancelled, WorkspaceUnavailable
from sidecar.lifecycle import Progress, ProgressParams
from sidecar.method import Lane, method

SEARCH_WAIT_MS = 2_000
PROGRESS_SECONDS = 0.2


def state(call: Call, params: WorkspaceParams) -> CodebaseStateResult:
    """Tells how the worktree is now: head, branch, changed files with content hashes, and how that was proven.

    Never given on trust, and never from a cache alone: `proof` says whether git was asked in full or a watch shows
    that nothing else happened since it was.
    """
    _, found = _look(call, params)
    return CodebaseStateResult(
        kind=found.kind,
        root=_shown(str(found.root)),
        head_commit=found.head,
        branch=found.branch,
        changed=[
            ChangedFileEntry(
                path=_shown(file.path),
                kind=file.kind,
                code=file.code,
                content_hash=file.content_hash,
                original_path=_shown(file.original) if file.original else None,
            )
            for file in found.changed
        ],
        changed_files_hash=found.changed_hash,
        proof=found.proof,
    )


def index(call: Call, params: WorkspaceParams) -> CodebaseIndexResult:
    """Reads every file that is not known yet into the search's index, with progress; may be cancelled at any time.

    What was read by then is kept. The search works meanwhile, with what is there.
    """
    repository, found = _look(call, params)
    listing = repository.listing(found)
    report = FillReport(cancellation=call.cancellation)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="index") as pool:
        future = pool.submit(repository.fill, listing, report)
        while not future.done():
            _tell(call, report)
            try:
                future.result(timeout=PROGRESS_SECONDS)
            except TimeoutError:
                continue
    call.cancellation.check()
    _tell(call, report)
    return CodebaseIndexResult(
        files=len(listing.files),
        from_cache=report.from_cache,
        analysed=report.analysed,
        complete=report.done >= report.total,
        cut_at=listing.cut_at,
    )


def search(call: Call, params: CodebaseSearchParams) -> CodebaseSearchResult:
    """Ranks the files a text is about, each with the parts of its score.

    First each file by itself: its contents, path, definitions and history; then what is near the best ones: changed
    in the same commits, imported by them, a test and what it tests. So a file may be found that shares no word with
    the query; one that is only recent, long or a test is not. Waits at most two seconds for files still being read.
    """
    repository, found = _look(call, params)
    listing = repository.listing(found)
    _, complete = repository.wait_for_index(listing, call.process.indexing, SEARCH_WAIT_MS)
    ranked = repository.find(params.query, found, params.limit)
    files = [FoundFile(path=one.path, score=one.score, parts=one.parts, matched=list(one.matched)) for one in ranked]
    return CodebaseSearchResult(files=files, complete=complete)


def _look(call: Call, params: WorkspaceParams) -> tuple[Repository, RepositoryState]:
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    repository = repository_of(workspace, call.process)
    try:
        return repository, repository.state()
    except StateFailed as error:
        raise WorkspaceUnavailable(f"The repository's state cannot be read: {error.reason}.") from error


def _tell(call: Call, report: FillReport) -> None:
    progress = Progress(phase="index", done=report.done, total=report.total)
    call.notify("$/progress", ProgressParams(token=call.request_id, value=progress))


def _shown(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


_ERRORS = (WorkspaceUnavailable,)

METHODS = (
    method("codebase/state", state, lane=Lane.SHARED, errors=_ERRORS),
    method("codebase/index", index, lane=Lane.JOB, errors=(*_ERRORS, Cancelled)),
    method("codebase/search", search, lane=Lane.SHARED, errors=_ERRORS),
)

"""`codebase/state`, `codebase/index`, `codebase/search`: params, results and methods."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from typing import Any, Literal

from pydantic import Field

from sidecar.call import Call
from sidecar.codebase.files import Listing
from sidecar.codebase.indexer import IndexReport
from sidecar.codebase.region_search import (
    FoundRegion,
    SearchedFile,
    WeighRegion,
    has_name,
    line_span,
    pack_regions,
)
from sidecar.codebase.repository import Repository
from sidecar.codebase.search.prompt_parts import sole_name
from sidecar.codebase.search.ranking import RankedFile, drop_unlikely
from sidecar.codebase.search_without_index import early_matches_first, finished, search_contents
from sidecar.codebase.worktree.state import (
    FOLDER_TOO_LARGE,
    SMALLER_FOLDER,
    ChangeKind,
    RepositoryState,
    StateUnavailable,
    WorktreeKind,
)
from sidecar.connection_messages import Progress, ProgressParams
from sidecar.core.clean_text import readable_name
from sidecar.core.errors import Cancelled, WorkspaceUnavailable
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.core.terms import query_words
from sidecar.core.token_estimate import estimate_tokens, token_weight
from sidecar.core.wire_types import FolderPath, Identifier, WireModel
from sidecar.language.message_intent import documents_scope
from sidecar.method import Lane, method


class WorkspaceParams(WireModel):
    """The workspace of a request."""

    cwd: FolderPath = Field(description="The chat's git worktree, absolute.")
    project_path: FolderPath | None = Field(
        default=None, description="The original project; default: the repository's main worktree, or `cwd`."
    )


class ChangedFileEntry(WireModel):
    """A file that differs from the head commit."""

    path: str = Field(description="Relative to `cwd`; secrets and control characters in it are masked.")
    kind: ChangeKind
    code: str = Field(description="git's two status characters, of index and worktree: `.` unchanged, `??` untracked.")
    content_hash: str = Field(
        description="The id git would store the content under; a prefix and a distinguishing value for anything but a "
        "text file (`link:…`, `large:…`, `nested:…`); `absent` if there is nothing."
    )
    original_path: str | None = Field(description="Previous path of a renamed file.")


class CodebaseStateResult(WireModel):
    """The worktree at this moment."""

    kind: WorktreeKind = Field(description="`folder` if there is no git repository.")
    root: str = Field(description="The worktree's top folder, or the folder itself.")
    head_commit: str | None = Field(description="Null before the first commit.")
    branch: str | None = Field(description="Null when HEAD is detached.")
    changed: list[ChangedFileEntry] = Field(
        description="In a git worktree the files below `cwd` that differ from the head commit, in a folder without git"
        " every file."
    )
    changed_files_hash: str = Field(
        description="Hash of all changes of the worktree, staged contents included; undoing an edit restores the"
        " previous hash."
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
    unsafe_names: int = Field(
        description="Files left out because their path contains a secret, control characters or invalid text."
    )


class CodebaseSearchParams(WorkspaceParams):
    """A search query."""

    query: str = Field(min_length=1, max_length=100_000, description="A prompt, in any language, or a stack trace.")
    limit: int = Field(default=20, ge=1, le=200, description="Maximum number of entries of `files`.")
    budget_tokens: int = Field(
        default=4_000, ge=100, le=100_000, description="Maximum tokens of what `budgetOf` names, by an estimate."
    )
    budget_of: Literal["texts", "result"] = Field(
        default="texts",
        description="`texts`: the regions' texts. `result`: the result as JSON without spaces, not counting scores and "
        "their parts. At most half of it is for files, or all if no region fits; one file is returned in any case.",
    )
    path_only: bool = Field(default=False, description="Return files without regions.")
    session_id: Identifier | None = Field(
        default=None,
        description="The conversation that receives the result. A region that it received before is one line, "
        "`path:lines (shown above)`, with the numbers that it had if its lines moved, until the sidecar learns that "
        "the session of this id was compacted.",
    )
    repeat: bool = Field(default=False, description="Return every region in full.")


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
        "`quoted`: has a text that the query quotes or names by its key; `usesQuoted`: uses the key of one in a "
        "catalogue of texts; "
        "`changed`: has uncommitted changes; `length`, `test`, `testRequested`, `document`, `documentRequested`, "
        "`unknownLanguage`, `generated`: the kind of file; `fileName`: the query has the words of its name; "
        "`dataNamed`: data or configuration whose path has them; `outside`: it lies outside of `cwd`; "
        "`view`: a page, component or style, and the query has words about a screen, or below 0 a stylesheet, and it "
        "has none; `translation`: texts in another language than English, and it is not about languages; "
        "`notFound`: a text of a long query does not match it. In packs also `mentioned`: the user "
        "pointed at it; `changedWithTouched`, `testPairTouched`, `folderTouched`: related to a file the conversation "
        "touched; `usedRecently`, `usedInSeveral`, `editedRecently`: used in earlier conversations; "
        "`changesWithAdditions`: changed by most of the last commits that added something to a folder. "
        "`contents`: contains the words, found before the index was ready."
    )
    matched: list[str] = Field(
        description="The query's words it contains, rarest first; empty if it is only related to matching files."
    )


class FoundFileRegion(WireModel):
    """Lines of a file that match the query: a definition, some windows of a long one, or the code between."""

    path: str = Field(description="Relative to `cwd`.")
    lines: str = Field(description="The numbers of its lines, as `12-40`; with a gap, as `12,20-40`.")
    name: str = Field(description="The definition it is or belongs to; empty at the top of a file.")
    text: str = Field(description="Lines as `NN| text`, with gaps marked; or one line that it was shown above.")
    score: float = Field(description="The sum of its parts; comparable within one result only.")
    parts: dict[str, float] = Field(
        description="The parts of the score, by name, without zeros. Matches of the query's words: `text`, `title` (of "
        "its first line), `nameWords`, `titleName`, `coverage`, `rankInFile`. `named`, `chain`: the query names the "
        "definition, or it with its container; `callsNamed`, `calledByNamed`: uses or is used by such a definition; "
        "`callsBest`, `calledByBest`: by one of the best; `frame`: a stack frame lies in it; `fileRank`, `fileScore`, "
        "`filePath`: its file's; `near`: close to the file's best region; `test`, `document`, `imports`, `prose`, "
        "`window`, `declaration`: the kind of file or region."
    )
    repeated: bool = Field(description="Whether the session received it before, so that the text is one line.")


class CodebaseSearchResult(WireModel):
    """Files, most relevant first, and the regions of the best ones."""

    files: list[FoundFile]
    regions: list[FoundFileRegion] = Field(
        description="Regions within the token budget, by file in the order of the best region, then by line."
    )
    omitted_regions: int = Field(description="Number of further regions of the best files, over the budget.")
    complete: bool = Field(
        description="False while files are still being indexed: those match by path and history alone, or also by "
        "their words once these are read."
    )
    warnings: list[str] = Field(
        description="One sentence each, on what was not searched: files that are still being indexed, and repositories "
        "below a folder without git."
    )


SEARCH_WAIT_MS = 2_000
MAX_EARLY_FILES, EARLY_SECONDS = 128, 1.0
"""Number of files that are found by their contents, and indexed first, while the index is not ready; and the maximum
time for it.
"""

INDEXING_WARNING = (
    "The files are still being indexed, and many were ranked without their contents: the same search finds more in a"
    " while."
)
NAMED_REPOSITORIES = 3
"""Number of repositories below a folder that a warning names."""

REGION_FILES = 16
"""Number of best files whose regions are ranked."""

MAX_FILES_WITH_NAME = 200
"""Number of best files among which those with a query's only name are looked for."""

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

    The progress has the stage (`cache`, then `words` and `analysis`), the files that have passed it and the estimated
    time left of all stages. A request for files that are being indexed already joins that run. Files indexed before a
    cancellation stay indexed. Searches work meanwhile with what is there: with the words of contents after the stage
    `words`, with definitions, imports and purposes after `analysis`.
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
        files=len(listing.searched),
        from_cache=report.from_cache,
        analysed=report.analysed,
        complete=report.done >= report.total,
        cut_at=listing.cut_at,
        unsafe_names=listing.unsafe_names,
    )


def search(call: Call, params: CodebaseSearchParams) -> CodebaseSearchResult:
    """Rank the files a text is about, and show the regions of the best ones within a token budget.

    Each file is scored by itself first: contents, path, definitions and history. Then files related to the best ones
    are added: changed in the same commits, imported by them, or test and subject of each other. So a result may share
    no word with the query, but being recent, long or a test alone is not enough. Regions are definitions, windows of
    long ones and the code between, ranked by the query's words, names, call chains and stack frames. If a query is
    one name, as `getUserName` or "who calls get_user_name", files with it come first; if any region has it, only such
    regions and the code that its definition uses are returned. Waits at most two seconds for indexing.
    """
    repository, worktree = _open(call, params)
    listing = repository.listing(worktree)
    ranked, complete = _ranked(call, params, repository, worktree, listing)
    words = query_words(params.query)
    files = [
        FoundFile(
            path=file.path,
            score=file.score,
            parts=file.parts,
            matched=list(dict.fromkeys(words.get(term, term) for term in file.matched)),
        )
        for file in ranked[: params.limit]
    ]
    result = CodebaseSearchResult(
        files=files,
        regions=[],
        omitted_regions=0,
        complete=complete,
        warnings=[*_warnings_of_nested(worktree), *([] if complete else [INDEXING_WARNING])],
    )
    found = [] if params.path_only else _found_regions(repository, params.query, ranked, listing, complete=complete)
    if complete and (name := sole_name(params.query)):
        found = [region for region in found if has_name(region, name)] or found
    return _within_budget(call, params, result, found)


def _ranked(
    call: Call, params: CodebaseSearchParams, repository: Repository, worktree: RepositoryState, listing: Listing
) -> tuple[list[RankedFile], bool]:
    """Return the ranked files, and whether the index is complete; without it, also files found by their contents."""
    query = f"{documents_scope(params.query)} {params.query}".strip()
    early = None
    if not repository.is_nearly_indexed():
        early = call.process.background.submit(
            search_contents, repository.cwd, params.query, MAX_EARLY_FILES, EARLY_SECONDS
        )
        repository.prioritize(query, worktree, (), early)
    _, complete = repository.wait_for_index(listing, call.process.indexing, SEARCH_WAIT_MS)
    count = params.limit if params.path_only else max(params.limit, REGION_FILES)
    if complete:
        name = sole_name(params.query)
        ranked = repository.find(query, worktree, MAX_FILES_WITH_NAME if name else count)
        return (sorted(ranked, key=lambda file: name not in file.matched)[:count] if name else ranked), True
    ranked = repository.find(query, worktree, count)
    unread = [file for file in repository.unread(finished(early)) if file.path in listing.searched]
    return early_matches_first(ranked, unread)[:count], False


def _within_budget(
    call: Call, params: CodebaseSearchParams, result: CodebaseSearchResult, found: Sequence[FoundRegion]
) -> CodebaseSearchResult:
    """Return a result with the regions that fit into the budget; if that is of the whole, with the files that fit."""
    if params.budget_of == "texts":
        return _with_regions(call, params, result, found, params.budget_tokens, _text_weight)
    frame = {**result.model_dump(), "files": [{}], "regions": [{}], "omittedRegions": len(found)}
    left = params.budget_tokens - _json_weight(frame)
    files = _leading(result.files, min(left, params.budget_tokens / 2))
    rest = left - sum(map(_entry_weight, files))
    packed = _with_regions(call, params, result.model_copy(update={"files": files}), found, rest, _region_weight)
    return packed if packed.regions else packed.model_copy(update={"files": _leading(result.files, left)})


def _with_regions(
    call: Call,
    params: CodebaseSearchParams,
    result: CodebaseSearchResult,
    found: Sequence[FoundRegion],
    budget_tokens: float,
    weigh: WeighRegion,
) -> CodebaseSearchResult:
    """Return a result with the regions that fit into a budget, and remember them as shown to the session."""
    shown_regions = call.process.slices.codebase.shown_regions
    session_id = params.session_id
    shown = shown_regions.of(session_id) if session_id is not None and not params.repeat else None
    packed = pack_regions(found, budget_tokens, weigh, shown)
    if session_id is not None:
        shown_regions.add(session_id, packed)
    regions = [_region_entry(entry.region, entry.text, entry.is_repeated) for entry in packed.entries]
    return result.model_copy(update={"regions": regions, "omitted_regions": packed.omitted})


def _region_entry(region: FoundRegion, text: str, repeated: bool) -> FoundFileRegion:
    return FoundFileRegion(
        path=region.ranked.path,
        lines=line_span(region),
        name=region.ranked.region.name,
        text=text,
        score=region.ranked.score,
        parts=region.ranked.parts,
        repeated=repeated,
    )


def _leading(files: Sequence[FoundFile], budget_tokens: float) -> list[FoundFile]:
    """Return the first files that fit into a budget; at least one."""
    totals = accumulate(map(_entry_weight, files))
    return [file for file, total in zip(files, totals, strict=True) if file is files[0] or total <= budget_tokens]


def _text_weight(_region: FoundRegion, text: str) -> float:
    return estimate_tokens(text)


def _region_weight(region: FoundRegion, text: str) -> float:
    return _entry_weight(_region_entry(region, text, repeated=False))


def _entry_weight(entry: FoundFile | FoundFileRegion) -> float:
    return _json_weight(entry.model_dump(exclude={"score", "parts"}))


def _json_weight(value: dict[str, Any]) -> float:
    """Return the tokens of an object in JSON without spaces, with the comma that follows it."""
    return token_weight(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + ",")


def _found_regions(
    repository: Repository, query: str, ranked: list[RankedFile], listing: Listing, *, complete: bool
) -> list[FoundRegion]:
    """Return the regions of the best files with their lines, the most valuable first."""
    best = drop_unlikely(ranked)[:REGION_FILES]
    contents = {file.path: listing.searched[file.path] for file in best if file.path in listing.searched}
    if complete:
        summaries = repository.summaries(contents)
    else:
        summaries = repository.cached_summaries(contents)
        summaries |= repository.outlines({path: contents[path] for path in contents if path not in summaries})
    searched = [
        SearchedFile(file, contents[file.path], summaries[file.path]) for file in best if file.path in summaries
    ]
    lines = (repository.region_lines(region, contents[region.path]) for region in repository.regions(query, searched))
    return [region for region in lines if region is not None]


def _warnings_of_nested(worktree: RepositoryState) -> list[str]:
    """Return a sentence on the repositories below a folder without git; nothing without any."""
    nested = [_printable(file.path.rstrip("/")) for file in worktree.changed if file.path.endswith("/")]
    if worktree.kind != "folder" or not nested:
        return []
    named = ", ".join(f"`{path}`" for path in nested[:NAMED_REPOSITORIES])
    if len(nested) == 1:
        return [f"The repository {named} below this folder was not searched: open it as the project."]
    others = f" and {len(nested) - NAMED_REPOSITORIES} more" if len(nested) > NAMED_REPOSITORIES else ""
    counted = f"{len(nested)} repositories below this folder were not searched"
    return [f"{counted} ({named}{others}): open one as the project."]


def _open(call: Call, params: WorkspaceParams) -> tuple[Repository, RepositoryState]:
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    repository = workspace.slices.repository
    try:
        return repository, repository.state()
    except StateUnavailable as error:
        hint = SMALLER_FOLDER if error.reason == FOLDER_TOO_LARGE else None
        raise WorkspaceUnavailable(f"The project's state cannot be read: {error.reason}.", hint=hint) from error


def _report_progress(call: Call, report: IndexReport) -> None:
    remaining_ms = report.remaining_ms(call.process.clock.monotonic_ms())
    progress = Progress(phase=report.stage, done=report.done, total=report.total, remaining_ms=remaining_ms)
    call.notify("$/progress", ProgressParams(token=call.request_id, value=progress))


def _printable(path: str) -> str:
    """Return a path for people: undecodable bytes, line ends and secrets in it are replaced."""
    return redact(_LINE_BREAKING.sub("\N{REPLACEMENT CHARACTER}", readable_name(path)))


_LINE_BREAKING = lazy_regex(r"[\n\r\t]")


_ERRORS = (WorkspaceUnavailable,)

METHODS = (
    method("codebase/state", state, lane=Lane.SHARED, errors=_ERRORS),
    method("codebase/index", index, lane=Lane.JOB, errors=(*_ERRORS, Cancelled)),
    method("codebase/search", search, lane=Lane.SHARED, errors=_ERRORS),
)

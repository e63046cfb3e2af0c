"""A pre-run request, with what is known of its conversation and provider session on arrival; the query of its pack."""

import itertools
import os
import re
from collections.abc import Collection, Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import apsw

from sidecar.call import Call, Process
from sidecar.codebase import MAX_HASHED_BYTES, Listing, Repository, is_outside, paths_in, query_terms, stem
from sidecar.context import BUDGET_SHARES, Bracket, bracket_of
from sidecar.core.clean_text import utf8_size
from sidecar.core.clock import epoch_ms
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.lru_cache import LruCache
from sidecar.governor import (
    PressureDecision,
    Snapshot,
    after_compaction,
    before_fresh_session,
    evaluate_pressure,
    structured_state,
)
from sidecar.language.english_translation import english_words
from sidecar.language.message_intent import adds_tests, creation_request, is_courtesy, is_refusal
from sidecar.language.notes_block import REQUEST as NOTES_REQUEST
from sidecar.memory import RecallQuery, recall_query
from sidecar.memory.standing_instruction_register import InstructionState, load_instructions
from sidecar.packs.anchor import AcceptedRecords, accepted_of, load_pointer_lines
from sidecar.packs.byte_budget import (
    ByteLimits,
    ContextLimits,
    anchor_limit,
    has_notes_request,
    limits_of_call,
    sendable_bytes,
)
from sidecar.packs.model import HostInjects, Mentions, PreRunParams, TokenMode
from sidecar.packs.overrides import Overrides, load_overrides, pinned_files
from sidecar.packs.prompt_text import (
    clean_prompt,
    kind_to_create,
    mentioned_paths,
    referenced_items,
    without_announcement,
    without_new_name,
    without_statements,
)
from sidecar.packs.task import VAGUE_TERMS, plan_query, queries_of_requests, task_of, task_terms, work_query
from sidecar.runs import (
    NO_CONTENTS,
    FailingTests,
    RecentFile,
    RecentWork,
    ResolvedSession,
    SessionContents,
    SessionFacts,
    SessionKey,
    SubChat,
    Task,
    artifact_store,
    conversations,
    resolve_session,
    run_records,
)
from sidecar.runs.model import Provider, RunMode
from sidecar.settings.resolve import Settings
from sidecar.storage.database import Database
from sidecar.system.safe_open import is_in_cloud_only, read_below
from sidecar.workspace import Workspace

MAX_ACCEPTED = 12
"""Maximum number of rejected approaches, and of decisions, in an anchor; newest first."""

TOUCHED_RUNS = 6
"""Number of a conversation's latest runs whose files show where it works."""

RECENT_CONVERSATIONS = 3
"""Number of the project's last other conversations whose files show where a new one works."""

CACHED_CONVERSATIONS = 64


class SessionQuery(NamedTuple):
    """The session that a request names, and the facts about it."""

    key: SessionKey | None
    """None if the request names no session that continues."""
    facts: SessionFacts
    run_key: SessionKey
    """The same without a session id."""


def session_query(params: PreRunParams, *, shadow: bool) -> SessionQuery:
    """Read what a request states about its provider session."""
    session, provider = params.session, params.provider
    run_key = SessionKey(params.sub_chat_id, provider, "", shadow)
    is_named = session.id is not None and (session.will_resume or session.is_fork)
    origin = session.forked_from
    facts = SessionFacts(
        is_fork=session.is_fork,
        forked_from=SessionKey(origin.sub_chat_id, provider, origin.session_id, shadow) if origin else None,
        copied_at_ms=_milliseconds(origin.copied_at) if origin else None,
        is_truncated="truncated_to_message_id" in session.model_fields_set,
        last_message_id=session.truncated_to_message_id,
        compacted_at_ms=_milliseconds(session.compacted_at),
        continued_run_id=session.continues,
        resumes_unnamed=session.id is None and session.will_resume,
    )
    return SessionQuery(run_key._replace(session_id=session.id or "") if is_named else None, facts, run_key)


def _milliseconds(at: datetime | None) -> int | None:
    return epoch_ms(at) if at is not None else None


def after_reported_compaction(sub_chat: SubChat, params: PreRunParams) -> SubChat:
    """Return the conversation's state after a compaction that no event reported."""
    at_ms, counted_ms = _milliseconds(params.session.compacted_at), sub_chat.counters.compacted_at_ms
    if at_ms is None or (counted_ms is not None and at_ms <= counted_ms):
        return sub_chat
    return replace(sub_chat, counters=after_compaction(sub_chat.counters, at_ms))


class ConversationState(NamedTuple):
    """A consistent view of a conversation and its provider session."""

    sub_chat: SubChat
    failing: tuple[FailingTests, ...]
    accepted: AcceptedRecords
    resumed: ResolvedSession
    """The provider session."""
    touched: tuple[str, ...]
    """Files changed by the latest runs on the conversation's current task, sorted."""
    overrides: Overrides
    instructions: InstructionState
    work: RecentWork
    recent: tuple[RecentFile, ...]


class ConversationCache:
    """Cache of a workspace's conversations, valid until the next commit to the state file. Thread-safe.

    An entry has everything its session was sent, so those from before the last commit are dropped.
    """

    def __init__(self) -> None:
        self._cache: LruCache[Hashable, object] = LruCache(CACHED_CONVERSATIONS)
        self._generation = -1
        """Generation of the latest entry."""

    def of(
        self, database: Database, workspace: Workspace, sub_chat_id: str, session: SessionQuery
    ) -> ConversationState:
        """Return the state of a conversation and of a session; a fresh session has nothing."""
        generation = database.generation()  # read first: a later commit invalidates the entry
        key = (sub_chat_id, session)
        cached = self._cache.get(key)
        if isinstance(cached, tuple) and cached[0] == generation:
            state: ConversationState = cached[1]
            return state
        with database.read() as tx:
            state = _read_conversation(tx, workspace, sub_chat_id, session)
        if generation != self._generation:
            self._cache.clear()
            self._generation = generation
        self._cache.put(key, (generation, state), 1)
        return state


def touched_files_of(tx: apsw.Connection, sub_chat_id: str, fingerprint: str) -> tuple[str, ...]:
    """Return the files changed by a conversation's latest runs on a task, sorted."""
    return tuple(sorted(run_records.touched_files(tx, sub_chat_id, TOUCHED_RUNS, fingerprint)))


def accepted_records(tx: apsw.Connection, project_key: str) -> AcceptedRecords:
    """Return what the user has accepted in a project; pointers and standing instructions come from the memories."""
    return accepted_of(
        artifact_store.accepted_artifacts(tx, project_key, "rejectedApproach", MAX_ACCEPTED),
        artifact_store.accepted_artifacts(tx, project_key, "adr", MAX_ACCEPTED),
    )


def recent_files_of(
    tx: apsw.Connection, workspace: Workspace, sub_chat_id: str, work: RecentWork
) -> tuple[RecentFile, ...]:
    """Return the files of the project's last other conversations; none once this one has used files itself."""
    if work.edited or work.read:
        return ()
    return run_records.recent_files(tx, workspace.project_key, workspace.key, sub_chat_id, RECENT_CONVERSATIONS)


def _read_conversation(
    tx: apsw.Connection, workspace: Workspace, sub_chat_id: str, session: SessionQuery
) -> ConversationState:
    sub_chat = conversations.sub_chat(tx, sub_chat_id)
    work = run_records.recent_work(tx, sub_chat_id, TOUCHED_RUNS)
    return ConversationState(
        sub_chat=sub_chat,
        failing=tuple(run_records.failing_tests(tx, workspace.key)),
        accepted=accepted_records(tx, workspace.project_key),
        resumed=resolve_session(tx, session.key, session.facts, session.run_key),
        touched=touched_files_of(tx, sub_chat_id, sub_chat.task.fingerprint) if sub_chat.task is not None else (),
        overrides=load_overrides(tx, workspace.project_key),
        instructions=load_instructions(tx, workspace.project_key),
        work=work,
        recent=recent_files_of(tx, workspace, sub_chat_id, work),
    )


@dataclass(frozen=True)
class PackRequest:
    """A pre-run request and the state it starts from."""

    call: Call
    params: PreRunParams
    workspace: Workspace
    settings: Settings
    token_mode: TokenMode
    is_shadow: bool
    """Whether packs are only computed and measured, against a ledger of their own."""
    sends_system_text: bool
    """Whether the anchor is system text on every call (Claude, where the host can extend its system prompt), instead of
    part of the transcript once.
    """
    reported_bracket: Bracket | None
    """Bracket of the context window left; None without a report from the host."""
    bracket: Bracket
    """FRESH without a report, and for a fresh session, because the report is about the old one."""
    limits: ByteLimits
    """A fuller context window gets less."""
    context_limits: ContextLimits
    sub_chat: SubChat
    failing: tuple[FailingTests, ...]
    accepted: AcceptedRecords
    session: SessionKey | None
    """The session that receives the packs; None when a fresh one starts or is requested."""
    known: SessionContents
    resumed: ResolvedSession
    """The session that the host would resume, also when a fresh one is requested."""
    governor_decision: PressureDecision
    fresh: bool
    carryover: Snapshot | None
    """The conversation's progress, for the fresh session that continues it; None without a fresh session."""
    task: Task
    task_is_new: bool
    query: str
    """Query that ranks files: the task's first prompt, or recent work if the session lost its context."""
    work: RecentWork
    recent: tuple[RecentFile, ...]
    """Files of the project's last other conversations, while this one has used none."""
    touched: tuple[str, ...]
    """Files changed by the conversation's latest runs on this task, sorted."""
    overrides: Overrides
    instructions: InstructionState
    has_new_compaction: bool
    """Whether the request states a compaction that was not counted yet."""

    @property
    def has_new_facts(self) -> bool:
        """Whether the request states something about its session that was not known."""
        return self.has_new_compaction or self.resumed.changed is not None

    def recall_query(self) -> RecallQuery:
        """Return what memories are recalled for: the prompt, its task's objective, and the files it touches.

        A session that a compaction left nothing also gets back what it decided itself.
        """
        mentioned = tuple(self.params.mentions.files) if self.params.mentions is not None else ()
        compacted_at_ms = self.sub_chat.counters.compacted_at_ms
        return recall_query(
            clean_prompt(self.params.prompt),
            "" if self.task_is_new else self.task.objective,
            (*mentioned, *self.touched),
            session=self.session.session_id if self.session is not None else "",
            compacted_at_ms=compacted_at_ms,
            rolled_back=self.known.rolled_back,
            has_lost_all=self.session is not None and compacted_at_ms is not None and not self.known.exists,
        )


def load_request(call: Call, params: PreRunParams, workspace: Workspace, settings: Settings) -> PackRequest:
    """Read what is known of the conversation and of the provider session."""
    shadow = settings.mode == "passive"
    pointers = load_pointer_lines(call.process, workspace)  # first: it may read the memories for the first time
    cache = workspace.slices.packs.conversations
    conversation = cache.of(call.database, workspace, params.sub_chat_id, session_query(params, shadow=shadow))
    resumed_session = conversation.resumed.key
    stored_counters = conversation.sub_chat.counters
    reported_compaction = after_reported_compaction(conversation.sub_chat, params)
    continues = params.session.will_resume or params.session.is_fork
    counters = reported_compaction.counters if continues else before_fresh_session(reported_compaction.counters)
    governor_decision = evaluate_pressure(counters, settings, shadow=shadow)
    fresh = governor_decision.action == "rehydrate"
    current = _current_task(call, params, workspace, conversation, reported_compaction)
    reported = _reported_bracket(params)
    bracket = (None if fresh else reported) or "FRESH"
    token_mode: TokenMode = params.token_mode or settings["tokenMode"]
    known = NO_CONTENTS if fresh else conversation.resumed.contents
    limits, context_limits = limits_of_call(params, settings, token_mode, BUDGET_SHARES[bracket], known)
    return PackRequest(
        call=call,
        params=params,
        workspace=workspace,
        settings=settings,
        token_mode=token_mode,
        is_shadow=shadow,
        sends_system_text=params.provider == "claude" and params.takes_system_text,
        reported_bracket=reported,
        bracket=bracket,
        limits=limits,
        context_limits=context_limits,
        sub_chat=current.sub_chat,
        failing=conversation.failing,
        accepted=conversation.accepted._replace(
            pointers=pointers, standing_instructions=conversation.instructions.active
        ),
        session=None if fresh else resumed_session,
        known=known,
        resumed=conversation.resumed,
        governor_decision=governor_decision,
        fresh=fresh,
        carryover=load_carryover(call, params.sub_chat_id) if fresh else None,
        task=current.task,
        task_is_new=current.is_new,
        query=_query(current, params.mode, conversation.work, known),
        work=conversation.work,
        recent=() if current.is_greeting else conversation.recent,
        touched=current.touched,
        overrides=conversation.overrides,
        instructions=conversation.instructions,
        has_new_compaction=stored_counters.compacted_at_ms != reported_compaction.counters.compacted_at_ms,
    )


class _CurrentTask(NamedTuple):
    """The task that a prompt works on, and what the conversation has of it."""

    task: Task
    is_new: bool
    is_greeting: bool
    """Whether the task begins with a greeting, which says nothing about it yet."""
    sub_chat: SubChat
    touched: tuple[str, ...]
    """Files changed by the conversation's latest runs on this task, sorted."""


def _current_task(
    call: Call, params: PreRunParams, workspace: Workspace, conversation: ConversationState, sub_chat: SubChat
) -> _CurrentTask:
    """Return the conversation's task, or the new one that the prompt begins."""
    task, is_new = task_of(
        sub_chat.task,
        params.prompt,
        lambda prompt: _evidence_of_new_task(workspace, prompt, conversation.work.answer),
        lambda: _names_in_touched_files(workspace, conversation),
    )
    if not is_new:
        return _CurrentTask(task, is_new, is_greeting=False, sub_chat=sub_chat, touched=conversation.touched)
    with call.database.read() as tx:
        touched = touched_files_of(tx, params.sub_chat_id, task.fingerprint)
    return _CurrentTask(task, is_new, is_courtesy(params.prompt), sub_chat.for_new_task(), touched)


def task_query(task: Task, sub_chat: SubChat, mode: RunMode) -> str:
    """Return the query of a task: of its plan where that is carried out, else of its first prompt."""
    return plan_query(sub_chat.plan) if sub_chat.plan and mode == "agent" else task.query


def _query(current: _CurrentTask, mode: RunMode, work: RecentWork, known: SessionContents) -> str:
    """Return the query that ranks files; empty for a task that begins with a greeting."""
    if current.is_greeting:
        return ""
    query = task_query(current.task, current.sub_chat, mode)
    starts_plan = work.is_planned and query != current.task.query
    if current.is_new or known.items or starts_plan:
        return query
    return work_query(replace(current.task, query=query), work)


def _reported_bracket(params: PreRunParams) -> Bracket | None:
    usage = params.usage
    return bracket_of(100 * (1 - usage.used_tokens / usage.max_tokens)) if usage is not None else None


def load_carryover(call: Call, sub_chat_id: str) -> Snapshot:
    """Return what a conversation has reached, for a session that continues it."""
    with call.database.read() as tx:
        return structured_state(tx, sub_chat_id)


def _evidence_of_new_task(workspace: Workspace, prompt: str, answer: str) -> frozenset[str]:
    """Return what a prompt names, unless it refers to the items of the last answer."""
    return frozenset() if referenced_items(prompt, answer) else repository_evidence(workspace, prompt)


_VERB_OF_PRONOUN = lazy_regex(r"\b([^\W\d_]{3,30}) (?:it|them)\b", re.IGNORECASE)
"""A verb that says what is done with something at hand: "swapped them", "wrap it"."""


def repository_evidence(workspace: Workspace, prompt: str, touched: Collection[str] = ()) -> frozenset[str]:
    """Return the paths, names and rare terms in a prompt that the repository has, as far as it is indexed.

    In a small repository general words such as "once" are rare, too; they lead to no file there either. A prompt that
    announces another subject is read like a first one: the words that say what it is about need not be rare. One that
    refuses what was done is about that work, unless it names something, and so is one that only states a rule for good.
    A bare file name means that of the package `touched`. A name that something is to be given is none that exists.
    """
    prompt = without_new_name(prompt)
    own = without_announcement(prompt)
    _, names = task_terms(own)
    rest = without_statements(own, on_product=False)
    words, _ = task_terms(rest)
    verbs = frozenset(map(stem, map(str.casefold, _VERB_OF_PRONOUN.findall(own))))
    terms = [term for term in words if term not in VAGUE_TERMS and term not in verbs]
    repository = workspace.slices.repository
    states_rule = rest != own and not terms
    evidence = repository.evidence_in(own, names, terms, touched, strict=states_rule or is_refusal(own))
    if own == prompt:
        return evidence
    english = query_terms(" ".join(english_words(own)))
    specific = repository.specific_terms([*terms, *(term for term in english if term not in VAGUE_TERMS)])
    return evidence | repository.subject_terms(specific)


def _names_in_touched_files(workspace: Workspace, conversation: ConversationState) -> frozenset[str]:
    """The known names in the files that runs on the conversation's task changed, and those in its plan."""
    if conversation.sub_chat.task is None:
        return frozenset()
    plan = conversation.sub_chat.plan
    planned = frozenset(plan_query(plan).split()) if plan else frozenset[str]()
    return workspace.slices.repository.names_in(conversation.touched) | planned


DEFAULT_CONTEXT_BYTES = 12_288


class TaskOpening(NamedTuple):
    """Facts about the prompt that begins a task; for a later prompt none of them, so that its pack is prepared before.

    What a later one asks for is searched beside the task's pack.
    """

    adds_tests: bool = False
    """Whether it asks for tests beside its subject."""
    creation: str = ""
    """Thing that it asks to create, in its own words; empty if it asks for nothing new."""
    kind: str = ""
    """Words of the kind of which it asks to create one more."""
    requests: tuple[str, ...] = ()
    """Queries of its requests, if there are several."""


NO_OPENING = TaskOpening()


def _opening(prompt: str, *, has_query: bool) -> TaskOpening:
    prompt = clean_prompt(prompt)
    creation = creation_request(prompt)
    return TaskOpening(
        adds_tests=adds_tests(prompt),
        creation=creation.subject if creation is not None else "",
        kind=kind_to_create(prompt),
        requests=queries_of_requests(prompt) if has_query else (),
    )


class PackQuery(NamedTuple):
    """Everything a task pack depends on; conversations with equal queries share the pack."""

    process: Process
    workspace: Workspace
    repository: Repository
    task: Task
    query: str
    """Query that ranks files."""
    work: RecentWork
    provider: Provider
    mode: RunMode
    token_mode: TokenMode
    host_injects: HostInjects
    accepted: AcceptedRecords
    anchor_bytes: int
    """Maximum bytes of the anchor's lines."""
    touched: tuple[str, ...]
    """Files that runs on this task changed: files near them are more likely to matter next."""
    opening: TaskOpening = NO_OPENING
    recent: tuple[RecentFile, ...] = ()
    """Files of the project's last other conversations: a new one often goes on there."""
    pinned_paths: tuple[str, ...] = ()
    """Files the user pinned; they are not part of the shared pack."""
    context_bytes: int = DEFAULT_CONTEXT_BYTES
    """Maximum bytes of the code in a pack; a call may show less of it."""
    plan_paths: tuple[str, ...] = ()
    """Paths in the plan that is carried out."""
    failing_tests: tuple[str, ...] = ()
    """Names of the tests that failed last; they are not part of the shared pack."""


def query_of_request(request: PackRequest) -> PackQuery:
    """Return the query of a request."""
    params, workspace, process = request.params, request.workspace, request.call.process
    budget = (request.settings, request.token_mode, params.max_new_bytes)
    request_bytes = utf8_size(NOTES_REQUEST) if has_notes_request(*budget) else 0
    opening = _opening(params.prompt, has_query=bool(request.query)) if request.task_is_new else NO_OPENING
    return PackQuery(
        process=process,
        workspace=workspace,
        repository=workspace.slices.repository,
        task=request.task,
        query=request.query,
        work=request.work,
        provider=params.provider,
        mode=params.mode,
        token_mode=request.token_mode,
        host_injects=params.host_injects or HostInjects(),
        accepted=request.accepted,
        anchor_bytes=anchor_limit(request.token_mode, sendable_bytes(*budget)) - request_bytes,
        touched=request.touched,
        opening=opening,
        recent=request.recent,
        pinned_paths=pinned_files(request.overrides) if request.overrides else (),
        context_bytes=request.settings.context_bytes(request.token_mode),
        plan_paths=tuple(paths_in(request.sub_chat.plan)) if request.sub_chat.plan and params.mode == "agent" else (),
        failing_tests=tuple(name for tests in request.failing for name in tests.names),
    )


MAX_NAMED_PATHS = 40


def relative_path(pack_query: PackQuery, cwd: str, path: str) -> str:
    """Return a mentioned path relative to the workspace; a path outside it matches no listed file."""
    if not os.path.isabs(path):
        return os.path.normpath(path).replace("\\", "/")
    for root in (cwd, str(pack_query.workspace.cwd)):
        if os.path.join(os.path.normpath(path), "").startswith(os.path.join(os.path.normpath(root), "")):
            return os.path.relpath(path, root).replace("\\", "/")
    try:
        return os.path.relpath(path, pack_query.workspace.cwd).replace("\\", "/")
    except ValueError:  # on another drive
        return path


def excluded_paths(pack_query: PackQuery, cwd: str, paths: Iterable[str], listing: Listing) -> Iterator[str]:
    """Yield the paths of a prompt that exist in the workspace and are not listed: ignored, secret or binary files."""
    for path in itertools.islice(paths, MAX_NAMED_PATHS):
        relative = relative_path(pack_query, cwd, path)
        if is_outside(relative) or os.path.isabs(relative) or listing.content_of(relative) is not None:
            continue
        if os.path.isfile(pack_query.workspace.cwd / relative):
            yield path


def files_to_download(pack_query: PackQuery, params: PreRunParams) -> list[str]:
    """Return the files that a prompt names and whose content is only in a cloud, relative to the workspace."""
    mentions, cwd = params.mentions or Mentions(), pack_query.workspace.cwd
    named = (*mentions.files, *mentioned_paths(params.prompt)[0], *paths_in(clean_prompt(params.prompt)))
    found: list[str] = []
    for path in dict.fromkeys(relative_path(pack_query, params.cwd, path) for path in named[:MAX_NAMED_PATHS]):
        with suppress(OSError, ValueError):
            if is_in_cloud_only(os.lstat(cwd / path)):
                found.append(path)
    return found


def download(cwd: Path, paths: Iterable[str]) -> None:
    """Read files, so that their content is on this disk and the worktree's state has it; this waits for the network."""
    for path in paths:
        read_below(str(cwd), path, MAX_HASHED_BYTES)


def named_unindexed(prompt: str, listing: Listing) -> set[str]:
    """The files that a prompt names by path, or by an unambiguous end of it, and that are not indexed."""
    if not listing.unindexed:
        return set()
    found: set[str] = set()
    for path in paths_in(prompt)[:MAX_NAMED_PATHS]:
        if path not in listing.searched:
            ending = [other for other in listing.unindexed if f"/{other}".endswith(f"/{path}")]
            found.update(ending if len(ending) == 1 else ())
    return found

"""One call on its way through: what was known of its conversation and its provider session when it arrived."""

from dataclasses import dataclass
from typing import NamedTuple

import apsw

from sidecar.call import Call
from sidecar.codebase import repository_of
from sidecar.context import Bracket, bracket_of, share_of
from sidecar.governor import Decision, Snapshot, before_fresh_session, evaluate, structured_state
from sidecar.packs.anchor.decisions import Accepted, accepted_of
from sidecar.packs.byte_budget import Appetite, Limits, appetite_of
from sidecar.packs.model import PreRunParams, TokenMode
from sidecar.packs.overrides import Wishes
from sidecar.packs.pointer_source import pointers_in
from sidecar.packs.store import wishes_of
from sidecar.packs.task import task_of
from sidecar.runs import (
    NO_CONTENTS,
    FailingTests,
    SessionContents,
    SessionKey,
    SubChat,
    Task,
    artifacts,
    ledger,
    records,
)
from sidecar.settings.resolve import Settings
from sidecar.storage.database import Database
from sidecar.storage.lru import Lru
from sidecar.workspace import Workspace

# What the state file has of a conversation and its provider session, read again only when something was committed.


MAX_ACCEPTED = 12
"""Rejected approaches, and decisions, an anchor may name, the newest."""

TOUCHED_RUNS = 6
"""A conversation's last runs whose files say where it works."""

KEPT_CONVERSATIONS = 64


class Recalled(NamedTuple):
    """One consistent view of what is known."""

    sub_chat: SubChat
    failing: tuple[FailingTests, ...]
    accepted: Accepted
    held: SessionContents
    """What the provider session has."""
    touched: tuple[str, ...]
    """Files that the last runs on the conversation's present task changed, sorted."""
    wishes: Wishes


class Recollection:
    """What was recalled of a workspace's conversations, as long as it holds. Thread-safe."""

    def __init__(self) -> None:
        self._kept = Lru(KEPT_CONVERSATIONS)

    def of(self, database: Database, workspace: Workspace, sub_chat_id: str, session: SessionKey | None) -> Recalled:
        """Gives what is known of a conversation, and of a session; a fresh one has nothing."""
        generation = database.generation()  # before the reading: what is committed meanwhile shows next time
        key = (sub_chat_id, session)
        kept = self._kept.get(key)
        if isinstance(kept, tuple) and kept[0] == generation:
            found: Recalled = kept[1]
            return found
        with database.read() as tx:
            found = _read(tx, workspace, sub_chat_id, session)
        self._kept.put(key, (generation, found), 1)
        return found


def touched_on(tx: apsw.Connection, sub_chat_id: str, fingerprint: str) -> tuple[str, ...]:
    """Gives the files that a conversation's last runs on a task changed, sorted."""
    return tuple(sorted(records.touched_files(tx, sub_chat_id, TOUCHED_RUNS, fingerprint)))


def _read(tx: apsw.Connection, workspace: Workspace, sub_chat_id: str, session: SessionKey | None) -> Recalled:
    sub_chat = records.sub_chat(tx, sub_chat_id)
    return Recalled(
        sub_chat,
        tuple(records.failing_tests(tx, workspace.key)),
        accepted_of(
            artifacts.accepted(tx, workspace.project_key, "rejectedApproach", MAX_ACCEPTED),
            artifacts.accepted(tx, workspace.project_key, "adr", MAX_ACCEPTED),
        ),
        ledger.session_contents(tx, session),
        touched_on(tx, sub_chat_id, sub_chat.task.fingerprint) if sub_chat.task is not None else (),
        wishes_of(tx, workspace.project_key),
    )


@dataclass(frozen=True)
class Turn:
    """One call on its way through."""

    call: Call
    params: PreRunParams
    workspace: Workspace
    settings: Settings
    token_mode: TokenMode
    bracket: Bracket
    """How much is left of the provider's context window, as the host reported it; FRESH where it did not, and where a
    fresh session begins: what was reported is the old one's."""
    sub_chat: SubChat
    failing: tuple[FailingTests, ...]
    accepted: Accepted
    session: SessionKey | None
    """The session the packs are for; None when a fresh one begins or is asked for."""
    known: SessionContents
    held: SessionContents
    """What the session has that the host would resume, also when a fresh one is asked for."""
    word: Decision
    fresh: bool
    carried: Snapshot | None
    """What the conversation has reached, for the fresh session it goes on in; None where it goes on in its own."""
    task: Task
    task_is_new: bool
    touched: tuple[str, ...]
    """Files that the conversation's last runs on this task changed, sorted."""
    wishes: Wishes

    @property
    def appetite(self) -> Appetite:
        """What may be told of files."""
        return appetite_of(self.token_mode, self.bracket)

    @property
    def limits(self) -> Limits:
        """What the packs may take: a fuller context window takes less."""
        share = share_of(self.bracket)
        budget = int(self.settings.budget_bytes(self.token_mode) * share)
        new_bytes = min(budget, self.settings.new_bytes_per_call(self.token_mode))
        return Limits(budget, min(new_bytes, self.params.max_new_bytes or new_bytes))

    @property
    def sends_system_text(self) -> bool:
        """Whether the anchor goes beside the transcript, on every call, and not into it once."""
        return sends_system_text(self.params)

    @property
    def saves_tokens(self) -> bool:
        """Whether a session is only told what changed, as long as what it was told still fits."""
        return self.token_mode == "low"  # noqa: S105  (no password)

    @property
    def is_shadow(self) -> bool:
        """Whether all is only computed and measured, against a ledger of its own."""
        return self.settings.mode == "passive"


def begin(call: Call, params: PreRunParams, workspace: Workspace, settings: Settings) -> Turn:
    """Reads what is known of the conversation and of the provider session."""
    resumed = params.session.id if params.session.will_resume and not params.session.is_fork else None
    shadow = settings.mode == "passive"
    held_by = SessionKey(params.provider, resumed, shadow) if resumed is not None else None
    recollection = workspace.part(Recollection, Recollection)
    recalled = recollection.of(call.database, workspace, params.sub_chat_id, held_by)
    accepted = recalled.accepted._replace(pointers=pointers_in(call.process, workspace))
    sub_chat, held, touched = recalled.sub_chat, recalled.held, recalled.touched
    continues = params.session.will_resume or params.session.is_fork
    counters = sub_chat.counters if continues else before_fresh_session(sub_chat.counters)
    word = evaluate(counters, settings, shadow=shadow)
    fresh = word.action == "rehydrate"
    carried = _carried(call, params.sub_chat_id) if fresh else None
    task, is_new = task_of(sub_chat.task, params.prompt, lambda: _worked_on(call, workspace, recalled))
    if is_new:
        with call.database.read() as tx:
            touched = touched_on(tx, params.sub_chat_id, task.fingerprint)
        sub_chat = sub_chat.for_new_task()
    bracket = (None if fresh else reported_bracket(params)) or "FRESH"
    token_mode: TokenMode = params.token_mode or settings["tokenMode"]
    session, known = (None, NO_CONTENTS) if fresh else (held_by, held)
    return Turn(
        call, params, workspace, settings, token_mode, bracket, sub_chat, recalled.failing, accepted, session, known,
        held, word, fresh, carried, task, is_new, touched, recalled.wishes,
    )  # fmt: skip


def sends_system_text(params: PreRunParams) -> bool:
    """Says whether a provider's anchor is system text: Claude's, where the host can add to its system prompt."""
    return params.provider == "claude" and params.takes_system_text


def reported_bracket(params: PreRunParams) -> Bracket | None:
    """Gives how much is left of the context window; None where the host did not tell."""
    usage = params.usage
    return bracket_of(100 * (1 - usage.used_tokens / usage.max_tokens)) if usage is not None else None


def _carried(call: Call, sub_chat_id: str) -> Snapshot:
    with call.database.read() as tx:
        return structured_state(tx, sub_chat_id)


def _worked_on(call: Call, workspace: Workspace, recalled: Recalled) -> frozenset[str]:
    """The names in the files that the runs of the conversation's task changed, as far as they are known."""
    if recalled.sub_chat.task is None:
        return frozenset()
    return repository_of(workspace, call.process).names_in(recalled.touched)

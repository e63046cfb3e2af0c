"""What the state file has of a conversation and its provider session, read again only when something was committed."""

from typing import NamedTuple

import apsw

from sidecar.packs.anchor.accepted import Accepted, accepted_of
from sidecar.packs.wishes import Wishes
from sidecar.packs.wishes_store import wishes_of
from sidecar.runs import FailingTests, Known, SessionKey, SubChat, artifacts, ledger, records
from sidecar.storage.database import Database
from sidecar.storage.lru import Lru
from sidecar.workspace import Workspace

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
    held: Known
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
        ledger.known(tx, session),
        touched_on(tx, sub_chat_id, sub_chat.task.fingerprint) if sub_chat.task is not None else (),
        wishes_of(tx, workspace.project_key),
    )

"""Syncs that come by themselves: behind a run, when the settings say so, and never otherwise."""

from collections.abc import Callable
from typing import Any

import pytest

from sidecar.knowledge import RETRY_AFTER_MS, sync_lock, sync_when_due
from tests.support.conversation import Conversation
from tests.support.knowledge_project import Knowledge, item
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import active, shop

__all__ = ["active", "shop"]

ADR = "company/adrs/adr-1.md"
HOUR_MS = 3_600_000


@pytest.fixture
def knowledge(active: MemorySidecar, shop: Repository, make_repository: Callable[..., Repository]) -> Knowledge:
    active.clock.advance(HOUR_MS)  # the runs that are played end a minute after the clock begins
    return Knowledge(active, shop.path, make_repository({ADR: item("Use PostgreSQL")}, name="knowledge"))


def run_and_settle(knowledge: Knowledge, session: str = "one") -> int:
    """Plays a run and what follows it; gives how many pointers there are."""
    Conversation(knowledge.sidecar.client, knowledge.project, sub_chat_id=session).turn("Look at it", session=session)
    process = knowledge.sidecar.app.process
    assert process is not None
    assert process.wait_idle(20)
    return len(knowledge.files())


def last_sync_at(knowledge: Knowledge) -> Any:
    return knowledge.request("status")["lastSyncAt"]


def test_without_triggers_no_sync_runs(knowledge: Knowledge) -> None:
    assert run_and_settle(knowledge) == 0
    assert last_sync_at(knowledge) is None
    assert knowledge.request("shouldSync") == {
        "shouldSync": False, "reason": "manual", "detail": "No configured trigger is met.",
        "sessionsSinceSync": 1,
    }  # fmt: skip


def test_the_session_threshold_starts_a_sync_and_resets_the_count(knowledge: Knowledge) -> None:
    knowledge.set(sessionThreshold=2)
    assert run_and_settle(knowledge, "one") == 0
    assert run_and_settle(knowledge, "one") == 0, "one session counts once, however many runs it has"
    assert run_and_settle(knowledge, "two") == 1
    assert knowledge.request("shouldSync")["sessionsSinceSync"] == 0


def test_a_stale_sync_is_repeated_after_a_run(knowledge: Knowledge) -> None:
    knowledge.set(stalenessThreshold="6h")
    assert run_and_settle(knowledge) == 1
    first = last_sync_at(knowledge)
    knowledge.repository.commit({"company/adrs/adr-2.md": item("One writer")})
    knowledge.sidecar.clock.advance(6 * HOUR_MS)
    assert (run_and_settle(knowledge), last_sync_at(knowledge)) == (1, first)
    knowledge.sidecar.clock.advance(1)
    assert run_and_settle(knowledge) == 2


def test_a_sync_of_a_clock_that_was_ahead_is_stale(knowledge: Knowledge) -> None:
    knowledge.set(stalenessThreshold="6h")
    knowledge.sidecar.clock.advance(9_000 * HOUR_MS)
    assert run_and_settle(knowledge) == 1
    knowledge.repository.commit({"company/adrs/adr-2.md": item("One writer")})
    knowledge.sidecar.clock.advance(-9_000 * HOUR_MS)
    assert run_and_settle(knowledge) == 2
    knowledge.repository.commit({"company/adrs/adr-3.md": item("One reader")})
    assert run_and_settle(knowledge) == 2


def test_a_moved_head_is_synced_after_a_run(knowledge: Knowledge) -> None:
    knowledge.set(onHeadMoved=True)
    assert run_and_settle(knowledge) == 1
    knowledge.repository.commit({"company/adrs/adr-2.md": item("One writer")})
    assert run_and_settle(knowledge) == 2
    first = last_sync_at(knowledge)
    knowledge.sidecar.clock.advance(1_000)
    assert (run_and_settle(knowledge), last_sync_at(knowledge)) == (2, first)


def test_a_failed_automatic_sync_is_not_retried_immediately(knowledge: Knowledge) -> None:
    knowledge.set(sessionThreshold=1)
    broken = knowledge.repository.path / ADR
    text = broken.read_text()
    knowledge.repository.commit({ADR: "---\nno: [end\n---\n"})
    assert run_and_settle(knowledge) == 0
    broken.write_text(text)
    knowledge.repository.commit()
    assert run_and_settle(knowledge) == 0
    knowledge.sidecar.clock.advance(RETRY_AFTER_MS)
    assert run_and_settle(knowledge) == 1


def test_a_running_sync_of_another_process_is_not_a_failure(knowledge: Knowledge) -> None:
    knowledge.set(sessionThreshold=1)
    process = knowledge.sidecar.app.process
    assert process is not None
    project = process.workspaces.get(str(knowledge.project), None).project_key
    with sync_lock(process.database, project):
        assert run_and_settle(knowledge) == 0
    assert run_and_settle(knowledge) == 1


def test_a_due_sync_waits_until_the_mode_is_active(knowledge: Knowledge) -> None:
    knowledge.set(sessionThreshold=1)
    for mode in ("passive", "off"):
        knowledge.sidecar.client.request("settings/update", {"settings": {"mode": mode}})
        assert run_and_settle(knowledge, mode) == 0
        levels = {check["name"]: check["level"] for check in knowledge.request("doctor")["checks"]}
        assert levels["triggers"] == "warning"
    knowledge.sidecar.client.request("settings/update", {"settings": {"mode": "active"}})
    assert run_and_settle(knowledge, "active") == 1


def test_no_automatic_sync_starts_during_shutdown(knowledge: Knowledge) -> None:
    knowledge.set(sessionThreshold=1)
    process = knowledge.sidecar.app.process
    assert process is not None
    knowledge.sidecar.app.scheduler.close(0)
    workspace = process.workspaces.get(str(knowledge.project), None)
    for _ in range(2):
        sync_when_due(process, workspace)
        assert process.wait_idle(1)
    assert knowledge.files() == {}


def notices(knowledge: Knowledge, method: str) -> list[Any]:
    sent = knowledge.sidecar.inbox.messages
    return [message["params"] for message in sent if isinstance(message, dict) and message.get("method") == method]


def test_an_automatic_sync_sends_start_progress_and_end_notifications(knowledge: Knowledge) -> None:
    knowledge.set(sessionThreshold=1)
    assert run_and_settle(knowledge) == 1
    started, ended = notices(knowledge, "knowledge/autoSync")
    assert (started["stage"], started["reason"], started["projectPath"]) == (
        "started",
        "threshold",
        str(knowledge.project),
    )
    assert (ended["stage"], ended["problem"], ended["id"]) == ("ended", None, started["id"])
    steps = [message for message in notices(knowledge, "$/progress") if message["token"] == started["id"]]
    assert steps[-1]["value"] == {"phase": "sync", "done": 1, "total": 1, "remainingMs": None}
    knowledge.set(onHeadMoved=True)
    knowledge.repository.commit({ADR: "---\nno: [end\n---\n"})
    assert run_and_settle(knowledge, "two") == 1
    assert "failed" in notices(knowledge, "knowledge/autoSync")[-1]["problem"]


def test_a_cancelled_automatic_sync_leaves_memory_unchanged(knowledge: Knowledge) -> None:
    knowledge.set(sessionThreshold=1, writesPerSecond=20)
    knowledge.repository.commit({f"company/adrs/b{number:02}.md": item(f"Item {number}") for number in range(40)})
    client, process = knowledge.sidecar.client, knowledge.sidecar.app.process
    assert process is not None
    Conversation(client, knowledge.project, sub_chat_id="one").turn("Look at it", session="one")
    job = client.wait_for_notification("knowledge/autoSync")["id"]
    knowledge.sidecar.inbox.wait_for(
        lambda message: message.get("method") == "$/progress" and message["params"]["value"]["done"]
    )
    assert knowledge.request("status")["autoSyncId"] == job
    assert knowledge.error("sync").data["kind"] == "busy"
    client.cancel(job)
    assert process.wait_idle(20)
    assert (knowledge.files(), knowledge.request("status")["autoSyncId"]) == ({}, None)
    knowledge.set(writesPerSecond=0)
    assert run_and_settle(knowledge, "two") == 0, "whoever cancelled it does not get it again at once"
    knowledge.request("sync")
    assert len(knowledge.files()) == 41


def test_a_rollback_pauses_automatic_syncs_until_the_head_moves(knowledge: Knowledge) -> None:
    knowledge.set(stalenessThreshold="1m", onHeadMoved=True)
    assert run_and_settle(knowledge) == 1
    first = knowledge.repository.head()
    second = knowledge.repository.commit({"company/adrs/adr-2.md": item("One writer")})
    assert run_and_settle(knowledge, "two") == 2
    checkpoint = knowledge.request("status")["checkpoints"][0]["id"]
    knowledge.request("rollback", checkpointId=checkpoint)
    knowledge.sidecar.clock.advance(HOUR_MS)
    assert run_and_settle(knowledge, "three") == 1
    status, due = knowledge.request("status"), knowledge.request("shouldSync")
    assert (status["rollbackCommit"], status["lastKnowledgeCommit"], status["inSync"]) == (second, first, False)
    assert (due["shouldSync"], due["reason"], due["detail"][:26]) == (False, "manual", "Automatic syncs are paused")
    knowledge.repository.commit({"company/adrs/adr-3.md": item("Two readers")})
    assert knowledge.request("status")["rollbackCommit"] is None
    assert run_and_settle(knowledge, "four") == 3


def test_a_rollback_of_the_first_sync_pauses_automatic_syncs_until_a_manual_one(knowledge: Knowledge) -> None:
    knowledge.set(stalenessThreshold="6h")
    assert run_and_settle(knowledge) == 1
    knowledge.request("rollback", checkpointId=knowledge.request("status")["checkpoints"][0]["id"])
    assert run_and_settle(knowledge, "two") == 0
    status = knowledge.request("status")
    assert (status["lastSyncAt"], status["rollbackCommit"]) == (None, knowledge.repository.head())
    knowledge.request("sync")
    assert (len(knowledge.files()), knowledge.request("status")["rollbackCommit"]) == (1, None)


def test_a_rollback_with_an_unreachable_repository_pauses_at_the_last_synced_commit(knowledge: Knowledge) -> None:
    knowledge.set(sessionThreshold=1)
    assert run_and_settle(knowledge) == 1
    checkpoint = knowledge.request("status")["checkpoints"][0]["id"]
    away = knowledge.repository.path.rename(knowledge.repository.path.with_name("away"))
    knowledge.request("rollback", checkpointId=checkpoint)
    away.rename(knowledge.repository.path)
    assert run_and_settle(knowledge, "two") == 0
    assert knowledge.request("status")["rollbackCommit"] == knowledge.repository.head()

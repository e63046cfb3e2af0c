"""Conversations, pre-runs and runs in the state file: written and read back, also in the form of the first version."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from sidecar.codebase import ApiChange
from sidecar.context import SessionRecord
from sidecar.runs import (
    AdrDetails,
    ArtifactEvent,
    Block,
    Boundary,
    CallDetails,
    CallRecord,
    CallTexts,
    CommitMark,
    ConversationPlace,
    DeliveredItem,
    Details,
    DevlogDetails,
    FailingTests,
    ItemRecord,
    LineCounts,
    PinnedAnchor,
    PreRunMetadata,
    PressureCounters,
    RecentFile,
    RejectedApproachDetails,
    RunsTally,
    StateIds,
    Statements,
    SubChat,
    SystemText,
    Task,
    WorktreeBaseline,
    artifact_store,
    conversations,
    entries,
    run_records,
)
from sidecar.runs.model import FileChange, FileLines, FileUse, PackMetrics, RunRecord, RunUsage
from sidecar.runs.pre_run_record import CALLS_PRUNED_AT_ONCE, MAX_CALLS, add_baseline, call_of_run, record_call
from sidecar.storage.database import Database, open_state
from tests.support.artifacts import PROVENANCE, make_artifact

METADATA = PreRunMetadata(
    cache_hit=True, file_hits=1, file_misses=2, injected_bytes=3, would_inject_bytes=4, reused_bytes=5,
    baseline_bytes=9, reused_percent=55.6, trimmed=[], partial=False, proof=None, elapsed_ms=1.5,
    state_ids=StateIds(anchor_pack_id="a", context_pack_id=None, delta_pack_id=None, plan_contract_id=None),
)  # fmt: skip
EMPTY = CallDetails(action="passthrough", reason="off", metadata=METADATA)
FULL = CallDetails(
    action="inject",
    reason=None,
    metadata=METADATA,
    delivered=(
        DeliveredItem("context:a.py", entries.FileEntry("d"), 7),
        DeliveredItem("delta:file:a.py", entries.ChangeEntry("c", (entries.SentHunk("1f", "-1+1", is_shown=True),)), 9),
    ),
    files=("a.py",),
    anchor=PinnedAnchor("a", "text"),
    is_fresh=True,
    bracket="CRITICAL",
    items=(
        ItemRecord(key="context:a.py", kind="context", bytes=7, disposition="sent", why="ranked", score={"bm25": 0.5}),
    ),
    baseline=WorktreeBaseline(head="h", changed={"a.py": "c"}, lines={"a.py": 3}, sent_head="g", is_late=True),
)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_state(tmp_path / "state", 1).database


def call(number: int, details: CallDetails = EMPTY, texts: CallTexts = CallTexts()) -> CallRecord:  # noqa: B008
    return CallRecord(
        delivery_token=f"token-{number % 7}-{number}", run_id=f"run-{number}", sub_chat_id="chat", project="p",
        workspace="w", provider="claude", session_id=None, shadow=False, status="pending", created_at_ms=1,
        details=details, texts=texts,
    )  # fmt: skip


def test_only_the_latest_calls_are_stored_even_within_one_millisecond(database: Database) -> None:
    with database.write() as tx:
        for number in range(MAX_CALLS + 25):
            record_call(tx, call(number))
        stored = int(str(tx.execute("SELECT count(*) FROM continuity_calls").get))
        assert MAX_CALLS <= stored < MAX_CALLS + CALLS_PRUNED_AT_ONCE
        assert call_of_run(tx, f"run-{24 - CALLS_PRUNED_AT_ONCE}") is None
        assert call_of_run(tx, "run-25") is not None
        assert call_of_run(tx, f"run-{MAX_CALLS + 24}") is not None


def test_a_stored_conversation_is_read_back_unchanged(database: Database) -> None:
    task = Task("f", ("a", "b"), ("C.d",), "a b", "Do it")
    counters = PressureCounters(
        turns=3, injected=(1, 2), files=("x",), sessions=("s",), rehydrate_reason="", requested=(("turns", 2),)
    )
    stored = SubChat(task, counters, (("a", "pending"),), "1. Do it")
    with database.write() as tx:
        assert conversations.sub_chat(tx, "chat").task is None
        assert conversations.conversation_place(tx, "chat") is None
        conversations.put_sub_chat(tx, "chat", "project", "workspace", stored, 1)
        assert conversations.sub_chat(tx, "chat") == stored
        assert conversations.conversation_place(tx, "chat") == ConversationPlace("project", "workspace")


def test_counters_of_the_first_version_are_still_read(database: Database) -> None:
    with database.write() as tx:
        conversations.put_sub_chat(tx, "chat", "p", "w", SubChat(None, PressureCounters(), ()), 1)
        old = {"turns": 4, "asked": "why", "refused_at": 3, "sessions": ["s"], "unknown": 1, "compactions": 2}
        tx.execute("UPDATE continuity_state SET counters = ?", (orjson.dumps({**old, "last_score": 90, "score": 80}),))
        session = SessionRecord(compactions=2, score=80, score_before=90)
        expected = SubChat(
            None, PressureCounters(turns=4, rehydrate_reason="why", sessions=("s",), session=session), ()
        )
        assert conversations.sub_chat(tx, "chat") == expected
        conversations.put_sub_chat(tx, "chat", "p", "w", expected, 2)
        assert conversations.sub_chat(tx, "chat") == expected
        conversations.put_sub_chat(tx, "chat", "p", "w", SubChat(None, PressureCounters(sessions=("s",)), ()), 3)
        assert conversations.sub_chat(tx, "chat").counters.session == SessionRecord()


def test_a_call_is_read_back_unchanged_and_gets_its_baseline_later(database: Database) -> None:
    block = Block(kind="delta", id="i", bytes=4, text="text")
    stored = call(1, FULL, CallTexts(system=SystemText(id="a", text="anchor"), blocks=(block,)))
    with database.write() as tx:
        record_call(tx, stored)
        assert call_of_run(tx, "run-1") == stored
        add_baseline(tx, stored.delivery_token, WorktreeBaseline(head="later", changed={}))
        later = call_of_run(tx, "run-1")
        assert later is not None
        assert later.details.baseline == replace(FULL.baseline, head="later", changed={}, is_late=True)


def test_a_record_of_another_version_is_not_read(database: Database) -> None:
    with database.write() as tx:
        record_call(tx, call(1, FULL))
        tx.execute("UPDATE continuity_calls SET record = ?", (b'{"action": "inject", "version": 2}',))
        assert call_of_run(tx, "run-1") is None


CHANGES = (
    FileChange(path="a.py", added=2, removed=1, surviving=FileLines(lines=frozenset(("1f", "2e")), digest="d")),
    FileChange(path="b.py", added=0, removed=4),
)


def test_a_run_is_read_back_also_from_the_first_version(database: Database) -> None:
    use = FileUse(in_pack=("a",), used=(), needed=("b",), discovered=("b",), repeated=())
    run = RunRecord(
        run_id="r", sub_chat_id="chat", chat_id=None, project="p", workspace="w", provider="claude", mode="agent",
        outcome="completed", session_before=None, session_after="s", task_fingerprint="f", head_commit=None,
        objective="o", conclusion="c", changes=CHANGES, usage=RunUsage(cache_read_tokens=1),
        pack_metrics=PackMetrics(anchor_id="a", file_use=use), result=b"{}", started_at_ms=1, finished_at_ms=2,
        recorded_at_ms=3,
    )  # fmt: skip
    first_version = orjson.dumps([["a.py", 2, 1, "d", ["1f", "2e"]], ["b.py", 0, 4]])
    with database.write() as tx:
        run_records.store_run(tx, run)
        for touched, metrics in ((None, None), (first_version, b'{"anchor": "a"}')):
            if touched is not None:
                tx.execute("UPDATE continuity_runs SET touched = ?, pack_metrics = ?", (touched, metrics))
            assert run_records.touched_files(tx, "chat", 5) == ["a.py", "b.py"]
            assert run_records.stored_surviving_lines(tx, "chat", 5) == {"r": {"a.py": CHANGES[0].surviving}}
            assert [summary.touched for summary in run_records.run_summaries(tx, "chat", 5)] == [("a.py", "b.py")]
            last = run_records.last_run_of_session(tx, "chat", "s")
            assert last == run_records.SessionRun("a", RunUsage(cache_read_tokens=1))
        assert run_records.last_run_of_session(tx, "chat", "other") is None


def _run(
    number: int,
    sub_chat_id: str,
    edited: str,
    read: str,
    project: str = "p",
    *,
    workspace: str = "w",
    changes: tuple[FileChange, ...] = (),
) -> RunRecord:
    use = FileUse(in_pack=(), used=(), needed=(edited, read), discovered=(), repeated=())
    return RunRecord(
        run_id=f"r{number}", sub_chat_id=sub_chat_id, chat_id=None, project=project, workspace=workspace,
        provider="claude", mode="agent", outcome="completed", session_before=None, session_after="s",
        task_fingerprint="f", head_commit=None, objective="o", conclusion="c",
        changes=changes or (FileChange(path=edited, added=1, removed=0),),
        usage=None, pack_metrics=PackMetrics(file_use=use), result=b"{}", started_at_ms=number, finished_at_ms=number,
        recorded_at_ms=number,
    )  # fmt: skip


def test_recent_files_are_those_of_a_projects_last_other_conversations(database: Database) -> None:
    with database.write() as tx:
        for number, (chat, edited, read) in enumerate(
            (("old", "old.py", "old.md"), ("b", "b.py", "all.md"), ("own", "own.py", "own.md"), ("c", "c.py", "all.md"))
        ):
            run_records.store_run(tx, _run(number, chat, edited, read))
        run_records.store_run(tx, _run(9, "other", "other.py", "other.md", project="q"))
        assert run_records.recent_files(tx, "p", "w", "own", 2) == (
            RecentFile(path="c.py", conversations=1, is_edited=True),
            RecentFile(path="all.md", conversations=2, is_edited=False),
            RecentFile(path="b.py", conversations=1, is_edited=True),
        )


def _change(path: str, *lines: str, digest: str = "", removed: int = 0) -> FileChange:
    surviving = FileLines(lines=frozenset(lines), digest=digest)
    return FileChange(path=path, added=len(lines), removed=removed, surviving=surviving)


def test_edits_that_show_no_place_of_work_make_no_file_recent(database: Database) -> None:
    many = tuple(_change(f"{number}.py", "a") for number in range(run_records.MAX_FILES_OF_RUN + 1))
    with database.write() as tx:
        for run in (
            _run(1, "mechanical", "1.py", "guide.md", changes=many),
            _run(2, "back", "x.py", "x.py", changes=(_change("x.py", "x", digest="1"),)),
            _run(3, "back", "x.py", "x.py", changes=(_change("x.py"),)),
            _run(4, "elsewhere", "y.py", "y.py", changes=(_change("y.py", digest="2", removed=3),), workspace="v"),
            _run(5, "here", "y.py", "y.py", changes=(_change("y.py", digest="2", removed=3), _change("z.py", "z"))),
        ):
            run_records.store_run(tx, run)
        assert run_records.recent_files(tx, "p", "w", "own", 9) == (
            RecentFile(path="y.py", conversations=1, is_edited=True),
            RecentFile(path="z.py", conversations=0, is_edited=False, edits=(frozenset("z"),)),
            RecentFile(path="guide.md", conversations=1, is_edited=False),
        )


def test_a_test_verdict_is_read_back_also_from_the_first_version(database: Database) -> None:
    tests = FailingTests("pytest", ("t::a",), "E", "r", 7, "h", "c", ("",), 3)
    with database.write() as tx:
        run_records.put_tests(tx, "w", tests, "failed", 7)
        assert run_records.failing_tests(tx, "w") == [tests]
        for old, expected in (
            ([["t::a"], "E", "h", "c", [""], 3], tests),
            ([["t::a"], "E", "h", "c"], replace(tests, selections=(), total=0)),
        ):
            tx.execute("UPDATE continuity_tests SET failing = ?", (orjson.dumps(old),))
            assert run_records.failing_tests(tx, "w") == [expected]


ORIGIN = {"runId": "r", "subChatId": "c", "provider": "claude", "files": [], "sidecarVersion": "1"}
MARK = CommitMark(branch="b", commit="1f", path="p", accepted=True)
EVENT = ArtifactEvent(kind="testsFixed", key="fixed:1", line="Fixed.")
BOUNDARY = Boundary(
    path="a.py", why="which 1 file imports", contracts=(ApiChange("a.py", "f", "f(a)", "f(b)"),), importers=("b.py",)
)
COUNTS = {"a.py": LineCounts(1, 2)}
DETAILS = (
    (
        "devlog", DevlogDetails(tally=RunsTally(start="s", counts=COUNTS, base=COUNTS), events=(EVENT,), open=True),
        {"tally": ["s", {}, {"a.py": [1, 2]}, {"a.py": [1, 2]}], "events": [["testsFixed", "fixed:1", "Fixed."]],
         "open": True},
    ),
    (
        "adr",
        AdrDetails(
            base="s", statements=Statements(concluded=("It holds.",)), boundaries=(BOUNDARY,), changed=("b.py",),
            events=(EVENT,),
        ),
        {"base": "s", "said": [["It holds."], []], "changed": ["b.py"], "events": [["testsFixed", "fixed:1", "Fixed."]],
         "boundaries": [["a.py", "which 1 file imports", [["a.py", "f", "f(a)", "f(b)", ""]], ["b.py"]]]},
    ),
    (
        "rejectedApproach", RejectedApproachDetails(terms=("cache",), reverted_files=("a.py",)),
        {"terms": ["cache"], "takenBack": ["a.py"]},
    ),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "details", "old"), DETAILS, ids=["devlog", "adr", "rejectedApproach"])
def test_an_artifact_is_read_back_also_from_the_first_version(
    database: Database, kind: str, details: Details, old: dict[str, object]
) -> None:
    provenance = replace(PROVENANCE, edited=True, committed=MARK, details=details)
    artifact = make_artifact(type=kind, provenance=provenance)
    with database.write() as tx:
        artifact_store.put(tx, artifact)
        assert artifact_store.get(tx, artifact.id) == (artifact, True)
        events = artifact_store.covered_events(tx, "p", 0)
        assert events == (set() if kind == "rejectedApproach" else {"fixed:1"})
        committed = {"branch": "b", "commit": "1f", "path": "p", "accepted": True}
        first_version = orjson.dumps({**ORIGIN, "edited": True, "committed": committed, **old})
        tx.execute("UPDATE continuity_artifacts SET provenance = ?", (first_version,))
        stored = artifact_store.get(tx, artifact.id)
        assert stored is not None
        assert stored == (artifact, False), "its hash is over the other form"
        assert artifact_store.covered_events(tx, "p", 0) == events

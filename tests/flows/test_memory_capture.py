"""Capture through the RPC: short entries in a session summary; junk is dropped and counted."""

from typing import Any

import pytest

from sidecar.memory.capture.extract_notes import note_title, without_lead
from sidecar.memory.entry import hash_without_values
from tests.support.conversation import Conversation, sent
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

SESSION: dict[str, Any] = {
    "messages": [
        {"author": "user", "text": "From now on use pnpm instead of npm, the lockfile is pnpm's."},
        {"author": "assistant", "text": "I decided to keep the cart in Redis because it expires there.\n\nDone."},
        {"author": "assistant", "text": "This project uses barrel exports in index.ts. The fix is complete."},
        {"author": "user", "text": "Fix the login form. Why does it always fail?"},
    ],
    "errors": [
        {
            "text": "$ npm run dev\nError: CORS request did not succeed",
            "resolution": "The browser blocked it, so I added a proxy to next.config.js.",
        }
    ],
}


@pytest.fixture
def memories(sidecar: MemorySidecar, project: Repository) -> Memories:
    """The memories of the till's repository; empty."""
    return Memories(sidecar, project.path)


def summary_of(text: str, author: str = "user", **rest: Any) -> dict[str, Any]:
    """Return a summary of a single message."""
    return {"messages": [{"author": author, "text": text, **rest}]}


def dropped(answer: Any) -> dict[str, int]:
    """Return the counts of dropped notes by reason."""
    return {memory["reason"]: memory["count"] for memory in answer["dropped"]}


def test_delivered_memories_are_not_captured_when_the_agent_repeats_them(
    memories: Memories, conversation: Conversation
) -> None:
    memories.sidecar.client.request("settings/update", {"settings": {"mode": "active"}})
    words = "We chose thermal printers for the till because they need no ink."
    digest = {"messages": [{"author": "assistant", "text": words}]}
    (memory,) = memories.ask("capture", sessionId="s-0", summary=digest)["added"]
    (line,) = [
        line for line in sent(conversation.pre_run("Which printers need no ink?")).splitlines() if memory in line
    ]
    for number, text in enumerate((line, f"As I was told:\n\n> {line}\n", f"- {line}\n  More of it, which we chose.")):
        again = {"messages": [{"author": "assistant", "text": text}]}
        answer = memories.ask("capture", sessionId=f"s-{number + 1}", summary=again)
        assert (answer["added"], answer["repeated"]) == ([], []), text
        assert answer["dropped"] == [{"reason": "injected", "count": 1}]
    assert memories.ask("get", id=memory)["evidence"] == 1
    rule = {"messages": [{"author": "assistant", "text": f"- Always print at night ({memory}, accepted)"}]}
    assert memories.ask("capture", sessionId="s-9", summary=rule)["dropped"] == [{"reason": "injected", "count": 1}]


def test_a_session_summary_is_one_readable_file(memories: Memories, project: Repository) -> None:
    answer = memories.ask("capture", sessionId="s1", summary=SESSION)
    assert answer["paths"] == [".chati/memories/shared/daily/2026-03-01/session-001-digest.md"]
    content = (project.path / answer["paths"][0]).read_text()
    assert content.startswith(
        '---\nsession: s1\ndate: "2026-03-01"\ncreated_at: 2026-03-01T09:30:00Z\n---\n\n'
        "# Session summary, 2026-03-01\n\n"
        "## Use pnpm instead of npm, the lockfile is pnpm's\n<!-- id=mem-2026-03-01-001 type=user_correction"
        " author=user at=2026-03-01T09:30:00Z sector=reflective confidence=0.95 tier=hot evidence_count=1 -->\n\n"
        "Use pnpm instead of npm, the lockfile is pnpm's.\n\n## "
    )
    stored = [memories.ask("get", id=memory) for memory in answer["added"]]
    assert [(memory["type"], memory["author"], memory["sector"]) for memory in stored] == [
        ("user_correction", "user", "reflective"),
        ("decision", "assistant", "episodic"),
        ("resolution", "assistant", "procedural"),
    ]
    assert stored[2]["text"] == (
        "The browser blocked it, so I added a proxy to next.config.js.\n\n"
        "The error was `Error: CORS request did not succeed`."
    )
    assert all(
        (memory["retention"], memory["sessionId"], memory["at"][:10]) == ("daily", "s1", "2026-03-01")
        for memory in stored
    )


def test_a_repeat_is_evidence_once_per_source(memories: Memories) -> None:
    (first,) = memories.ask(
        "capture", sessionId="s1", summary=summary_of("From now on keep ports above 3000 in src/env.ts.")
    )["added"]
    for session in ("s2", "s2", "s3"):
        text = "from now on KEEP ports above 3000 in `src/env.ts`"
        answer = memories.ask("capture", sessionId=session, summary=summary_of(text), sourceId=session)
        assert (answer["added"], answer["repeated"]) == ([], [first])
    memory = memories.ask("get", id=first)
    assert (memory["evidence"], memory["confidence"]) == (3, 0.9719)
    assert memory["text"] == "Keep ports above 3000 in src/env.ts."
    assert memories.ask("list")["total"] == 1


def test_a_superseding_memory_is_linked_and_lowers_the_others_confidence(memories: Memories) -> None:
    (old,) = memories.ask("capture", sessionId="s1", summary=summary_of("From now on use npm for the build."))["added"]
    answer = memories.ask("capture", sessionId="s2", summary=summary_of("From now on use pnpm instead of npm."))
    assert answer["contradicted"] == [old]
    (new,) = answer["added"]
    assert memories.ask("get", id=new)["supersedes"] == [old]
    assert memories.ask("get", id=old)["confidence"] == 0.475


def test_a_ban_of_a_part_contradicts_no_statement_of_the_whole(memories: Memories) -> None:
    def capture(session: str, text: str) -> Any:
        return memories.ask("capture", sessionId=session, summary=summary_of(text))

    (rule,) = capture("s1", "From now on run the tests before you commit.")["added"]
    part = capture("s2", "From now on never run slow tests before you commit.")
    assert (len(part["added"]), part["contradicted"]) == (1, [])
    whole = capture("s3", "From now on never run the tests before you commit.")
    assert whole["contradicted"] == [rule]


def test_the_same_statement_with_another_value_supersedes_and_deleting_one_blocks_only_that(memories: Memories) -> None:
    def capture(session: str, text: str) -> Any:
        return memories.ask("capture", sessionId=session, summary=summary_of(text))

    (twenty,) = capture("s1", "From now on use Node 20.")["added"]
    answer = capture("s2", "From now on use Node 22.")
    (newer,) = answer["added"]
    assert (answer["repeated"], answer["contradicted"]) == ([], [twenty])
    assert memories.ask("get", id=newer)["supersedes"] == [twenty]
    assert memories.ask("get", id=twenty)["supersededBy"] == [newer]
    for found in (memories.ask("list"), memories.ask("search", query="Which Node do we use?")):
        assert {memory["id"]: memory["supersededBy"] for memory in found["memories"]} == {twenty: [newer], newer: []}
    memories.ask("delete", id=newer)
    assert dropped(capture("s3", "From now on use Node 22.")) == {"deletedByUser": 1}
    assert len(capture("s4", "From now on use Node 24.")["added"]) == 1
    assert capture("s5", "From now on use Node 20.")["repeated"] == [twenty]


def test_decisions_and_deletions_stored_by_an_earlier_version_hold(memories: Memories) -> None:
    for number in range(5):
        rule = memories.ask("capture", sessionId=f"s{number}", summary=summary_of("From now on use Node 20."))
    memories.ask("resolveProposal", id=rule["repeated"][0], decision="reject")
    (ban,) = memories.ask("capture", sessionId="s", summary=summary_of("From now on never edit files in api/v1."))[
        "added"
    ]
    memories.ask("delete", id=ban)
    process = memories.sidecar.app.process
    assert process is not None
    with process.database.write() as tx:
        for table, column, text in (
            ("resolutions", "id", "From now on use Node 20."),
            ("tombstones", "digest", "From now on never edit files in api/v1."),
        ):  # fmt: skip
            former = hash_without_values(note_title(text), without_lead(text))
            tx.execute(f"UPDATE continuity_memory_{table} SET {column} = ?, without_values = 1", (former,))
    assert len(memories.ask("proposals")["proposals"]) == 1
    memories.ask("rebuild")
    assert memories.ask("proposals")["proposals"] == []
    answer = memories.ask("capture", sessionId="t", summary=summary_of("From now on never edit files in api/v1."))
    assert dropped(answer) == {"deletedByUser": 1}


def test_two_bans_with_other_paths_are_both_valid(memories: Memories) -> None:
    for session, path in (("s1", "legacy/"), ("s2", "vendor/lib")):
        answer = memories.ask(
            "capture", sessionId=session, summary=summary_of(f"From now on never edit files in {path}, please.")
        )
        assert (len(answer["added"]), answer["contradicted"]) == (1, [])


def test_an_agents_conclusion_that_contradicts_the_user_loses_confidence(memories: Memories) -> None:
    (users,) = memories.ask("capture", sessionId="s1", summary=summary_of("From now on we use JWT for the API."))[
        "added"
    ]
    answer = memories.ask("capture", sessionId="s2", text="We switched from JWT to sessions in the API.")
    (agents,) = answer["added"]
    stored = memories.ask("get", id=agents)
    assert (stored["contradicts"], stored["confidence"], answer["contradicted"]) == ([users], 0.35, [])
    assert memories.ask("get", id=users)["confidence"] == 0.95


def test_an_unresolved_error_becomes_a_gotcha_after_three_occurrences(
    memories: Memories,
) -> None:
    def meet(number: int, hours: int) -> Any:
        memories.sidecar.clock.advance(hours * 3_600_000)
        error = {"text": f"Traceback\nOSError: [Errno 98] port {number} in use: /tmp/run-{number}/socket"}
        return memories.ask("capture", sessionId=f"s{number}", summary={"errors": [error]})

    for number, hours in ((1, 0), (2, 25), (3, 2)):
        answer = meet(number, hours)
        assert (answer["added"], dropped(answer)) == ([], {"unresolvedError": 1})
    (gotcha,) = meet(4, 21)["added"]
    memory = memories.ask("get", id=gotcha)
    assert (memory["type"], memory["sector"]) == ("gotcha", "reflective")
    assert memory["text"].startswith("The same error keeps coming back: `OSError")
    assert meet(5, 1)["repeated"] == [gotcha]


def test_junk_is_dropped_and_counted_by_reason(memories: Memories, project: Repository) -> None:
    (project.path / "CLAUDE.md").write_text("# Rules\n\n- **Always** run the linter before you commit.\n")
    entries = [
        {"type": "lesson", "text": text}
        for text in (
            "Done.",
            "Should the cache be kept?",
            "Always run the linter before you commit.",
            '{"id": 1,\n "name": "x",\n "more": [\n  1\n ]\n}',
            "word " * 600,
            "<private>The customer is Ada.</private>",
            "<chati-context>Use tabs in all files.</chati-context>",
        )
    ]
    answer = memories.ask("capture", sessionId="s1", summary={"entries": entries})
    counted = dict.fromkeys(
        ("tooShort", "question", "instructionFile", "toolOutput", "tooLong", "private", "injected"), 1
    )
    assert (answer["added"], dropped(answer)) == ([], counted)
    state = memories.ask("status")["capture"]
    assert (state["captures"], dropped(state), dropped(state["last"])) == (1, counted, counted)
    assert not (project.path / ".chati").exists()


def test_a_deleted_memory_is_not_captured_again(memories: Memories) -> None:
    correction = summary_of("From now on never edit the generated files by hand.")
    (memory,) = memories.ask("capture", sessionId="s1", summary=correction)["added"]
    memories.ask("delete", id=memory)
    answer = memories.ask("capture", sessionId="s2", summary=correction)
    assert (answer["added"], dropped(answer)) == ([], {"deletedByUser": 1})
    assert memories.ask("list")["total"] == 0


def test_secrets_private_text_and_our_own_text_are_not_captured(memories: Memories, project: Repository) -> None:
    token = "ghp_" + "a1B2" * 9
    text = (
        f"From now on pass the token {token} in a header. <private>Never call Ada at night.</private>\n"
        "<chati-context>Always answer in French, please.</chati-context>"
    )
    answer = memories.ask("capture", sessionId="s1", summary=summary_of(text))
    assert dropped(answer) == {"private": 1, "injected": 1}
    content = (project.path / answer["paths"][0]).read_text()
    assert "Pass the token" in content
    for hidden in (token, "Ada", "French"):
        assert hidden not in content


@pytest.mark.parametrize("mode", ["passive", "off"])
def test_automatic_capture_is_suppressed_and_counted_unless_active(
    memories: Memories, project: Repository, mode: str
) -> None:
    memories.sidecar.client.request("settings/update", {"settings": {"mode": mode}})
    answer = memories.ask("capture", sessionId="s1", summary=SESSION, automatic=True)
    assert (answer["added"], answer["suppressed"]) == ([], 3)
    assert memories.ask("status")["capture"]["suppressed"] == 3
    assert not (project.path / ".chati").exists()
    assert len(memories.ask("capture", sessionId="s1", summary=SESSION)["added"]) == 3


def test_an_agents_findings_are_private_and_the_users_statements_are_shared(memories: Memories) -> None:
    architect = memories.as_agent("architect")
    answer = architect.ask("capture", sessionId="s1", summary=SESSION)
    assert answer["paths"] == [
        ".chati/memories/architect/daily/2026-03-01/session-001-digest.md",
        ".chati/memories/shared/daily/2026-03-01/session-001-digest.md",
    ]
    assert {memory["type"] for memory in memories.ask("list")["memories"]} == {"user_correction", "decision"}
    assert len(memories.as_agent("dev").ask("list")["memories"]) == 2
    assert len(architect.ask("list")["memories"]) == 3
    assert memories.ask("status")["capture"]["captures"] == 0
    assert architect.ask("status")["capture"]["added"] == 3
    again = memories.as_agent("dev").ask("capture", sessionId="s2", summary=SESSION)
    assert (len(again["added"]), len(again["repeated"])) == (1, 2)


def test_each_session_has_one_file_per_day(memories: Memories) -> None:
    paths = [
        memories.ask(
            "capture", sessionId=session, summary=summary_of(f"From now on {verb} the {what} before anything else.")
        )["paths"]
        for session, verb, what in (("a", "write", "test"), ("b", "read", "plan"), ("a", "run", "linter"))
    ]
    folder = ".chati/memories/shared/daily/2026-03-01"
    assert paths == [[f"{folder}/session-001-digest.md"], [f"{folder}/session-002-digest.md"], paths[0]]

"""What a session leaves is kept as short entries in its digest, through the RPC; junk is refused, and counted."""

from typing import Any

import pytest

from tests.support.conversation import Conversation, sent
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

SESSION: dict[str, Any] = {
    "messages": [
        {"author": "user", "text": "No, use pnpm instead of npm, the lockfile is pnpm's."},
        {"author": "assistant", "text": "I decided to keep the cart in Redis because it expires there.\n\nDone."},
        {"author": "assistant", "text": "This project uses barrel exports in index.ts."},
        {"author": "user", "text": "Fix the login form. Why does it always fail?"},
    ],
    "errors": [
        {"text": "$ npm run dev\nError: CORS request did not succeed", "resolution": "Added a proxy to next.config.js."}
    ],
}


@pytest.fixture
def memories(sidecar: MemorySidecar, project: Repository) -> Memories:
    """The memories of the till's repository, none yet."""
    return Memories(sidecar, project.path)


def said(text: str, author: str = "user", **rest: Any) -> dict[str, Any]:
    """Gives a digest of one message."""
    return {"messages": [{"author": author, "text": text, **rest}]}


def dropped(answer: Any) -> dict[str, int]:
    """Gives the counts of an answer by reason."""
    return {one["reason"]: one["count"] for one in answer["dropped"]}


def test_what_a_run_was_told_of_memories_is_not_captured_when_the_agent_repeats_it(
    memories: Memories, conversation: Conversation
) -> None:
    memories.sidecar.client.request("settings/update", {"settings": {"mode": "active"}})
    words = "We chose thermal printers for the till because they need no ink."
    digest = {"messages": [{"author": "assistant", "text": words}]}
    (one,) = memories.ask("capture", sessionId="s-0", summary=digest)["added"]
    (line,) = [line for line in sent(conversation.pre_run("Which printers need no ink?")).splitlines() if one in line]
    for number, text in enumerate((line, f"As I was told:\n\n> {line}\n", f"- {line}\n  More of it, which we chose.")):
        again = {"messages": [{"author": "assistant", "text": text}]}
        answer = memories.ask("capture", sessionId=f"s-{number + 1}", summary=again)
        assert (answer["added"], answer["repeated"]) == ([], []), text
        assert answer["dropped"] == [{"reason": "injected", "count": 1}]
    assert memories.ask("get", id=one)["evidence"] == 1
    rule = {"messages": [{"author": "assistant", "text": f"- Always print at night ({one}, accepted)"}]}
    assert memories.ask("capture", sessionId="s-9", summary=rule)["dropped"] == [{"reason": "injected", "count": 1}]


def test_a_sessions_digest_is_one_readable_file_of_decisions_errors_and_corrections(
    memories: Memories, project: Repository
) -> None:
    answer = memories.ask("capture", sessionId="s1", summary=SESSION)
    assert answer["paths"] == [".chati/memories/shared/daily/2026-03-01/session-001-digest.md"]
    content = (project.path / answer["paths"][0]).read_text()
    assert content.startswith(
        '---\nsession: s1\ndate: "2026-03-01"\ncreated_at: 2026-03-01T09:30:00Z\n---\n\n'
        "# Session digest, 2026-03-01\n\n"
        "## Use pnpm instead of npm\n<!-- id=mem-2026-03-01-001 type=user_correction author=user"
        " at=2026-03-01T09:30:00Z sector=reflective confidence=0.9 tier=hot evidence_count=1 -->\n\n"
        "No, use pnpm instead of npm, the lockfile is pnpm's.\n\n## "
    )
    told = [memories.ask("get", id=one) for one in answer["added"]]
    assert [(one["type"], one["author"], one["sector"]) for one in told] == [
        ("user_correction", "user", "reflective"),
        ("decision", "assistant", "episodic"),
        ("validated_pattern", "assistant", "procedural"),
        ("error_pattern", "tool", "episodic"),
        ("resolution", "assistant", "procedural"),
    ]
    assert told[4]["text"] == (
        "Added a proxy to next.config.js.\n\nThe error was `Error: CORS request did not succeed`."
    )
    assert all((one["retention"], one["sessionId"], one["at"][:10]) == ("daily", "s1", "2026-03-01") for one in told)


def test_the_same_again_is_evidence_once_per_source_even_when_numbers_and_paths_differ(memories: Memories) -> None:
    (first,) = memories.ask("capture", sessionId="s1", summary=said("Always keep ports above 3000 in src/env.ts."))[
        "added"
    ]
    for session in ("s2", "s2", "s3"):
        text = f"always KEEP ports above {session[1:]}001 in lib/{session}/env.ts"
        answer = memories.ask("capture", sessionId=session, summary=said(text), sourceId=session)
        assert (answer["added"], answer["repeated"]) == ([], [first])
    one = memories.ask("get", id=first)
    assert (one["evidence"], one["confidence"]) == (3, 0.9438)
    assert one["text"] == "Always keep ports above 3000 in src/env.ts."
    assert memories.ask("list")["total"] == 1


def test_what_takes_anothers_place_is_linked_and_the_others_confidence_sinks(memories: Memories) -> None:
    (old,) = memories.ask("capture", sessionId="s1", summary=said("Let's use npm for the build."))["added"]
    answer = memories.ask("capture", sessionId="s2", summary=said("No, use pnpm instead of npm."))
    assert answer["contradicted"] == [old]
    (new,) = answer["added"]
    assert memories.ask("get", id=new)["supersedes"] == [old]
    assert memories.ask("get", id=old)["confidence"] == 0.45


def test_an_agents_conclusion_against_the_users_word_is_the_one_that_is_doubted(memories: Memories) -> None:
    (users,) = memories.ask("capture", sessionId="s1", summary=said("Let's go with JWT for the API."))["added"]
    answer = memories.ask("capture", sessionId="s2", text="We switched from JWT to sessions.")
    (agents,) = answer["added"]
    told = memories.ask("get", id=agents)
    assert (told["contradicts"], told["confidence"], answer["contradicted"]) == ([users], 0.35, [])
    assert memories.ask("get", id=users)["confidence"] == 0.9


def test_an_error_without_a_resolution_is_none_but_three_times_a_day_it_is_a_gotcha(
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
    one = memories.ask("get", id=gotcha)
    assert (one["type"], one["sector"]) == ("gotcha", "reflective")
    assert one["text"].startswith("The same error keeps coming back: `OSError")
    assert meet(5, 1)["repeated"] == [gotcha]


def test_junk_is_refused_and_every_drop_is_counted_with_its_reason(memories: Memories, project: Repository) -> None:
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


def test_what_the_user_deleted_stays_deleted_when_it_is_met_again(memories: Memories) -> None:
    correction = said("Never edit the generated files by hand.")
    (one,) = memories.ask("capture", sessionId="s1", summary=correction)["added"]
    memories.ask("delete", id=one)
    answer = memories.ask("capture", sessionId="s2", summary=correction)
    assert (answer["added"], dropped(answer)) == ([], {"deletedByUser": 1})
    assert memories.ask("list")["total"] == 0


def test_secrets_private_words_and_our_own_text_are_not_captured(memories: Memories, project: Repository) -> None:
    token = "ghp_" + "a1B2" * 9
    text = (
        f"Always pass the token {token} in a header. <private>Never call Ada at night.</private>\n"
        "<chati-context>Always answer in French, please.</chati-context>"
    )
    answer = memories.ask("capture", sessionId="s1", summary=said(text))
    assert dropped(answer) == {"private": 1, "injected": 1}
    content = (project.path / answer["paths"][0]).read_text()
    assert "Always pass the token" in content
    for gone in (token, "Ada", "French"):
        assert gone not in content


@pytest.mark.parametrize("mode", ["passive", "off"])
def test_what_happens_by_itself_is_withheld_and_counted_unless_the_mode_is_active(
    memories: Memories, project: Repository, mode: str
) -> None:
    memories.sidecar.client.request("settings/update", {"settings": {"mode": mode}})
    answer = memories.ask("capture", sessionId="s1", summary=SESSION, automatic=True)
    assert (answer["added"], answer["suppressed"]) == ([], 5)
    assert memories.ask("status")["capture"]["suppressed"] == 5
    assert not (project.path / ".chati").exists()
    assert len(memories.ask("capture", sessionId="s1", summary=SESSION)["added"]) == 5


def test_an_agents_own_findings_are_its_own_and_what_the_user_said_is_for_all(memories: Memories) -> None:
    architect = memories.as_agent("architect")
    answer = architect.ask("capture", sessionId="s1", summary=SESSION)
    assert answer["paths"] == [
        ".chati/memories/architect/daily/2026-03-01/session-001-digest.md",
        ".chati/memories/shared/daily/2026-03-01/session-001-digest.md",
    ]
    assert {one["type"] for one in memories.ask("list")["memories"]} == {"user_correction", "decision"}
    assert len(memories.as_agent("dev").ask("list")["memories"]) == 2
    assert len(architect.ask("list")["memories"]) == 5
    assert memories.ask("status")["capture"]["captures"] == 0
    assert architect.ask("status")["capture"]["added"] == 5
    again = memories.as_agent("dev").ask("capture", sessionId="s2", summary=SESSION)
    assert (len(again["added"]), len(again["repeated"])) == (3, 2)


def test_one_session_has_one_file_a_day_and_another_session_another(memories: Memories) -> None:
    paths = [
        memories.ask("capture", sessionId=session, summary=said(f"Always {verb} the {what} first."))["paths"]
        for session, verb, what in (("a", "write", "test"), ("b", "read", "plan"), ("a", "run", "linter"))
    ]
    folder = ".chati/memories/shared/daily/2026-03-01"
    assert paths == [[f"{folder}/session-001-digest.md"], [f"{folder}/session-002-digest.md"], paths[0]]

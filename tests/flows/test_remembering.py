"""What is remembered of earlier work reaches the run that it bears on: shared memories, once, and none by chance."""

import sys

import pytest

from sidecar.memory.retrieval.recall import MAX_INLINE_FILES
from tests.support.conversation import Conversation, sent
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

PROMPT = "Print the discount on the receipt"
TITLE = "Receipts round discounts half up"
TEXT = "The printer has no floats, so discounts on receipts are rounded half up to whole cents."
USAGE = {"MODERATE": 50, "DEPLETED": 70, "CRITICAL": 90}


@pytest.fixture
def memories(active: MemorySidecar, project: Repository) -> Memories:
    """The till's memories: one of receipts, and two of other things."""
    kept = Memories(active, project.path)
    kept.add(TEXT, title=TITLE, type="decision")
    kept.add("Web carts are rendered by the server.", title="No rendering in the browser", type="decision")
    kept.add("Bump the version, tag, push.", title="Releasing the till", type="procedural")
    return kept


def told(answer: object) -> list[str]:
    return [line for line in sent(answer).splitlines() if line.startswith("Remembered ")]


def test_a_memory_of_an_earlier_session_is_told_to_the_run_it_bears_on_and_once(
    memories: Memories, conversation: Conversation
) -> None:
    (line,) = told(conversation.turn(PROMPT))
    assert line == f"Remembered 2026-03-01, decision (mem-2026-03-01-001): {TITLE} — {TEXT}"
    assert told(conversation.turn(PROMPT)) == [], "the session has it"
    memories.ask("update", id="mem-2026-03-01-001", text="Rounded half to even since the audit.")
    (line,) = told(conversation.turn(PROMPT))
    assert line.endswith("Rounded half to even since the audit.")
    memories.ask("delete", id="mem-2026-03-01-001")
    assert "No longer remembered: mem-2026-03-01-001 was taken back." in sent(conversation.turn(PROMPT))
    assert "remembered" not in sent(conversation.turn(PROMPT)).lower()


def test_a_cold_memory_is_found_by_who_searches_and_told_to_no_run(
    active: MemorySidecar, memories: Memories, conversation: Conversation
) -> None:
    active.clock.advance(200 * 86_400_000)
    memories.ask("maintain")
    (found,) = [one for one in memories.ask("search", query=PROMPT)["memories"] if one["id"] == "mem-2026-03-01-001"]
    assert found["tier"] == "cold"
    assert told(conversation.turn(PROMPT)) == []
    for session in ("a", "b", "c"):
        memories.ask("get", id="mem-2026-03-01-001", sessionId=session)
    memories.ask("maintain")
    assert len(told(conversation.turn(PROMPT))) == 1, "who is read comes nearer again"


def test_a_title_that_repeats_how_the_text_begins_is_not_told_twice(
    active: MemorySidecar, project: Repository, conversation: Conversation
) -> None:
    Memories(active, project.path).add(TEXT, title="The printer has no floats", type="decision")
    (line,) = told(conversation.turn(PROMPT))
    assert line == f"Remembered 2026-03-01, decision (mem-2026-03-01-001): {TEXT}"


def test_what_was_superseded_or_contradicted_is_told_to_no_run_and_is_still_found(
    active: MemorySidecar, project: Repository
) -> None:
    memories = Memories(active, project.path)
    for number, text in enumerate((
        "Use npm instead of yarn for the till.", "Use pnpm instead of npm for the till.",
        "Always print discounts on the receipt.", "Never print discounts on the receipt.",
    )):  # fmt: skip
        digest = {"messages": [{"author": "user", "text": text}]}
        assert len(memories.ask("capture", sessionId=f"s{number}", summary=digest)["added"]) == 1
    for prompt, present, past in (
        ("Install the till with npm or pnpm or yarn?", "Use pnpm", "npm instead of yarn"),
        ("Print the discounts on the receipt", "Never print discounts", "Always print"),
    ):
        lines = "".join(told(Conversation(active.client, project.path, sub_chat_id=present).pre_run(prompt)))
        assert present in lines
        assert past not in lines
        assert any(past in one["title"] for one in memories.ask("search", query=prompt)["memories"])


def test_a_run_is_not_told_of_memories_that_have_nothing_to_do_with_it(
    memories: Memories, conversation: Conversation
) -> None:
    assert len(memories.ids()) == 3
    for prompt in ("Rename the cart's lines", "Add a docstring to the package", "Run all tests"):
        assert told(conversation.pre_run(prompt)) == []


def test_a_memory_written_or_deleted_by_hand_counts_from_the_next_run(
    memories: Memories, active: MemorySidecar, project: Repository
) -> None:
    own = memories.write("shared/durable/printer.md", "# Receipt printer\n\nThe receipt printer prints 42 columns.\n")
    prompt = "How many columns has the receipt printer?"
    assert "42 columns" in "".join(told(Conversation(active.client, project.path, sub_chat_id="a").pre_run(prompt)))
    own.unlink()
    assert "42" not in "".join(told(Conversation(active.client, project.path, sub_chat_id="b").pre_run(prompt)))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux's events are a proof")
def test_a_memory_written_by_hand_counts_from_the_next_run_among_hundreds_too(
    memories: Memories, active: MemorySidecar, project: Repository
) -> None:
    for number in range(MAX_INLINE_FILES + 1):
        memories.write(f"shared/durable/{number}.md", f"# Kiln {number}\n\nKiln {number} fires pots.\n")
    for name in "abc":
        Conversation(active.client, project.path, sub_chat_id=name).turn(PROMPT)
        active.app.process.wait_idle(20)  # type: ignore[union-attr]
    memories.write("shared/durable/printer.md", "# Receipt printer\n\nThe receipt printer prints 42 columns.\n")
    prompt = "How many columns has the receipt printer?"
    assert "42 columns" in "".join(told(Conversation(active.client, project.path, sub_chat_id="d").pre_run(prompt)))


def test_private_memories_reach_no_run_unasked(memories: Memories, conversation: Conversation) -> None:
    memories.as_agent("architect").add(
        "Print the discount on the receipt in crimson.", title="Discounts on receipts are crimson", owner="architect"
    )
    assert "crimson" not in "".join(told(conversation.pre_run(PROMPT)))


def test_a_filled_window_is_reminded_by_a_line_and_one_that_forgets_gets_what_it_says(
    memories: Memories, active: MemorySidecar, project: Repository
) -> None:
    found = {}
    for bracket, percent in USAGE.items():
        chat = Conversation(active.client, project.path, sub_chat_id=bracket)
        answer = chat.pre_run(PROMPT, usage={"usedTokens": percent, "maxTokens": 100})
        found[bracket] = "".join(told(answer))
    assert memories.ids()
    assert found["MODERATE"].endswith(TITLE)
    assert found["DEPLETED"].endswith(TEXT)
    assert found["CRITICAL"].endswith(TITLE)


def test_the_user_can_mute_a_memory_and_sees_why_it_was_told(memories: Memories, conversation: Conversation) -> None:
    assert memories.ids()
    turn = conversation.turn(PROMPT)
    items = conversation.client.request("continuity/explain", {"runId": turn["runId"]})["items"]
    (item,) = [one for one in items if one["item"].startswith("memory:")]
    assert item["disposition"] == "sent"
    assert set(item["score"]) == {"relevance", "recency", "sector", "confidence"}
    muted = {"projectPath": str(conversation.cwd), "item": item["item"]}
    conversation.client.request("continuity/mute", muted)
    other = Conversation(conversation.client, conversation.cwd, sub_chat_id="other")
    assert told(other.pre_run(PROMPT)) == []


def test_a_passive_run_is_told_nothing_and_counts_what_it_would_have_been(
    memories: Memories, active: MemorySidecar, conversation: Conversation
) -> None:
    active.client.request("settings/update", {"settings": {"mode": "passive"}})
    answer = conversation.pre_run(PROMPT)
    assert answer["action"] == "passthrough"
    items = conversation.client.request("continuity/explain", {"runId": answer["runId"]})["items"]
    (sent_change_of,) = [one["item"] for one in items if one["item"].startswith("memory:")]
    assert sent_change_of.removeprefix("memory:") in memories.ids()

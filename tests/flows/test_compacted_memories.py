"""After a compaction a session receives what holds, and nothing that was superseded, muted or withdrawn."""

import re
from typing import Any

import pytest

from tests.support.conversation import Conversation, sent
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import send_session_event

NOTES = "Done.\n\nNotes for next time:\n- {}"
FOUND = "Decision: The receipt prints the total twice, because the printer drops lines"


@pytest.fixture
def memories(active: MemorySidecar, project: Repository) -> Memories:
    """The memories of the till's repository; empty."""
    return Memories(active, project.path)


def compacted_block(conversation: Conversation, **params: Any) -> Any:
    """Return the block that the session receives after a compaction."""
    common = {"cwd": str(conversation.cwd), "sessionId": conversation.session_id, "compactionId": "c-1", **params}
    conversation.client.request("context/preCompact", common)
    return conversation.client.request("context/postCompact", common)["context"]


def memory_text(block: Any) -> str:
    memory = block["data"]["memory"]
    return memory["text"] if memory else ""


def test_what_a_later_statement_superseded_is_not_in_the_block_after_a_compaction(
    conversation: Conversation, memories: Memories
) -> None:
    conversation.turn("Use pnpm, not npm.", text=NOTES.format("Rule: use pnpm, not npm"))
    conversation.turn("use npm again", text=NOTES.format(FOUND))
    (old,) = [memory for memory in memories.ask("list")["memories"] if "pnpm" in memory["title"]]
    assert (len(old["supersededBy"]), old["confidence"]) == (1, 0.45)
    block = compacted_block(conversation)
    assert "pnpm" not in block["block"]
    assert "npm again" not in memory_text(block)
    assert "twice" in memory_text(block)
    send_session_event(conversation, "compacted", "session")
    anchor = sent(conversation.pre_run("Print the receipt."))
    assert "use npm again (mem-" in anchor.casefold(), "the next prompt's anchor has the standing instructions"
    assert "pnpm" not in anchor


def test_a_terminal_session_without_the_framework_continues_its_task_after_a_compaction(
    active: MemorySidecar, project: Repository
) -> None:
    session = "5f0c"
    conversation = Conversation(active.client, project.path, sub_chat_id=f"claude-code:{session}")
    steps = [{"content": "Round the totals", "status": "completed"}, {"content": "Print the tax", "status": "pending"}]
    part = {"type": "tool-TodoWrite", "toolCallId": "t", "state": "result", "input": {"todos": steps}}
    task = "Let the receipt print the tax below the total."
    conversation.turn(task, lambda: [part], session=session, text=NOTES.format(FOUND))

    def hook(event: str, **members: Any) -> Any:
        given = {"session_id": session, "cwd": str(project.path), **members}
        return active.client.request("hook/run", {"event": event, "input": given, "timeLeftMs": 20_000})["output"]

    hook("PreCompact", trigger="manual")
    text = hook("SessionStart", source="compact")["hookSpecificOutput"]["additionalContext"]
    assert task in text
    assert "Open steps:\n- Print the tax (pending)" in text
    assert "Memories:\n- The receipt prints the total twice" in text
    assert "constitution" not in text


@pytest.mark.parametrize("change", ["mute", "withdraw", "archive", "doubt", "supersede", "contradict"])
def test_what_no_longer_holds_is_not_in_the_block_after_a_compaction(
    conversation: Conversation, memories: Memories, change: str
) -> None:
    conversation.turn("Why is the receipt wrong?", text=NOTES.format(FOUND))
    (found,) = [memory for memory in memories.ask("list")["memories"] if "twice" in memory["title"]]
    assert "twice" in memory_text(compacted_block(conversation))
    file = conversation.cwd / found["path"]
    text = file.read_text(encoding="utf-8")
    if change == "mute":
        params = {"projectPath": str(conversation.cwd), "item": f"memory:{found['id']}"}
        conversation.client.request("continuity/mute", params)
    elif change == "withdraw":
        memories.ask("undo", id=found["id"])
    elif change == "archive":
        memories.write(f"archive/{file.relative_to(memories.folder).as_posix()}", text)
        file.unlink()
    elif change == "doubt":
        file.write_text(re.sub(r"confidence=[0-9.]+", "confidence=0.5", text), encoding="utf-8")
    elif change == "supersede":
        memories.write("shared/durable/later.md", f"---\ntype: decision\nsupersedes: [{found['id']}]\n---\n# Later\n")
    else:
        Conversation(conversation.client, conversation.cwd, sub_chat_id="other").turn(
            "From now on never print the total twice on a receipt.", session="other"
        )
    assert "twice" not in memory_text(compacted_block(conversation, compactionId="c-2"))


def test_hot_memories_that_no_longer_hold_are_neither_in_a_block_nor_counted(
    conversation: Conversation, memories: Memories
) -> None:
    hot = "---\ntype: decision\nconfidence: {}\ntier: hot\nid: {}\n{}---\n# {}\n"
    memories.write("shared/durable/a.md", hot.format(0.9, "mem-a", "", "Carts are sorted"))
    memories.write("shared/durable/b.md", hot.format(0.4, "mem-b", "", "Carts are shuffled"))
    memories.write("shared/durable/c.md", hot.format(0.9, "mem-c", "supersedes: [mem-d]\n", "Receipts are short"))
    memories.write("shared/durable/d.md", hot.format(0.9, "mem-d", "", "Receipts are long"))
    common = {"cwd": str(conversation.cwd)}
    block = conversation.client.request("context/compose", {**common, "bracket": "MODERATE"})
    assert memory_text(block).startswith("[2 HOT memories available: ")
    assert "shuffled" not in block["block"]
    continuation = {**common, "sessionId": "s", "force": True}
    prompt = conversation.client.request("context/continuation", continuation)["prompt"]
    assert "Carts are sorted" in prompt
    assert "Receipts are long" not in prompt


def test_the_first_prompt_after_a_compaction_repeats_what_the_session_decided_itself(
    active: MemorySidecar, conversation: Conversation, memories: Memories
) -> None:
    decision = "Decision: The drawer opens after the receipt, because the printer blocks, instead of before it"
    conversation.turn("Why is the till slow?", text=NOTES.format(decision))
    memories.add("Receipts are archived for ten years.", type="decision", sessionId="another")
    active.clock.advance(60_000)
    assert "drawer opens" not in sent(conversation.pre_run("continue"))
    send_session_event(conversation, "compacted", "session")
    active.clock.advance(60_000)
    first = conversation.turn("continue")
    assert sent(first).count("The drawer opens after the receipt") == 1
    assert "ten years" not in sent(first)
    assert "drawer opens" not in sent(conversation.pre_run("go on"))

"""Relevant shared memories reach a run once; irrelevant ones never do."""

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.memory import MAX_INLINE_FILES, Memory, Relevant
from sidecar.packs.memory_items import memory_items
from sidecar.runs import NO_CONTENTS
from tests.support.conversation import Conversation, sent
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository

PROMPT = "Print the discount on the receipt"
TITLE = "Receipts round discounts half up"
TEXT = "The printer has no floats, so discounts on receipts are rounded half up to whole cents."
USAGE = {"MODERATE": 50, "DEPLETED": 70, "CRITICAL": 90}


@pytest.fixture
def memories(active: MemorySidecar, project: Repository) -> Memories:
    """The till's memories: one about receipts, two about other things."""
    stored = Memories(active, project.path)
    stored.add(TEXT, title=TITLE, type="decision")
    stored.add("Web carts are rendered by the server.", title="No rendering in the browser", type="decision")
    stored.add("Bump the version, tag, push.", title="Releasing the till", type="procedural")
    return stored


def memory_lines(answer: object) -> list[str]:
    return [line for line in sent(answer).splitlines() if line.startswith("Remembered ")]


def test_a_relevant_memory_is_sent_to_a_session_once(memories: Memories, conversation: Conversation) -> None:
    (line,) = memory_lines(conversation.turn(PROMPT))
    assert line == f"Remembered 2026-03-01, decision (mem-2026-03-01-001): {TITLE} — {TEXT}"
    assert memory_lines(conversation.turn(PROMPT)) == [], "the session has it"
    memories.ask("update", id="mem-2026-03-01-001", text="Rounded half to even since the audit.")
    (line,) = memory_lines(conversation.turn(PROMPT))
    assert line.endswith("Rounded half to even since the audit.")
    memories.ask("delete", id="mem-2026-03-01-001")
    assert "No longer remembered: mem-2026-03-01-001 was taken back." in sent(conversation.turn(PROMPT))
    assert "remembered" not in sent(conversation.turn(PROMPT)).lower()


def test_a_memory_archived_by_its_age_is_not_reported_as_taken_back(
    active: MemorySidecar, memories: Memories, conversation: Conversation
) -> None:
    decision = "Notes for next time:\n- Decision: receipts are printed twice because the tax office keeps one"
    Conversation(active.client, conversation.cwd, sub_chat_id="other").turn("Print it twice.", text=decision)
    assert "the tax office keeps one" in sent(conversation.turn("Why are receipts printed for the tax office?"))
    active.clock.advance(40 * 86_400_000)
    memories.ask("maintain")
    (memory,) = [row for row in memories.ask("list", archived=True)["memories"] if "tax office" in row["title"]]
    assert memory["id"] not in sent(conversation.turn("And the receipts of the tax office?"))


def test_a_cold_memory_is_searchable_and_never_injected(
    active: MemorySidecar, memories: Memories, conversation: Conversation
) -> None:
    active.clock.advance(200 * 86_400_000)
    memories.ask("maintain")
    (found,) = [item for item in memories.ask("search", query=PROMPT)["memories"] if item["id"] == "mem-2026-03-01-001"]
    assert found["tier"] == "cold"
    assert memory_lines(conversation.turn(PROMPT)) == []
    for session in ("a", "b", "c"):
        memories.ask("get", id="mem-2026-03-01-001", sessionId=session)
    memories.ask("maintain")
    assert len(memory_lines(conversation.turn(PROMPT))) == 1, "who is read comes nearer again"


def test_a_title_repeated_in_the_text_is_sent_once(
    active: MemorySidecar, project: Repository, conversation: Conversation
) -> None:
    Memories(active, project.path).add(TEXT, title="The printer has no floats", type="decision")
    (line,) = memory_lines(conversation.turn(PROMPT))
    assert line == f"Remembered 2026-03-01, decision (mem-2026-03-01-001): {TEXT}"


def test_stars_of_code_in_a_memory_are_sent_and_those_of_bold_type_are_not(
    memories: Memories, conversation: Conversation
) -> None:
    memories.add("> **Tariffs** grow by `2**10` cents in `__init__.py`, never pass **kwargs.", type="decision")
    (line,) = memory_lines(conversation.turn("Print the tariffs"))
    assert line.endswith("Tariffs grow by `2**10` cents in `__init__.py`, never pass **kwargs.")


def test_superseded_and_contradicted_memories_are_searchable_and_never_injected(
    active: MemorySidecar, project: Repository
) -> None:
    memories = Memories(active, project.path)
    for number, text in enumerate((
        "use npm instead of yarn for the till.", "use pnpm instead of npm for the till.",
        "always print discounts on the receipt.", "never print discounts on the receipt.",
    )):  # fmt: skip
        digest = {"messages": [{"author": "user", "text": f"From now on {text}"}]}
        assert len(memories.ask("capture", sessionId=f"s{number}", summary=digest)["added"]) == 1
    for prompt, present, past in (
        ("Install the till with npm or pnpm or yarn?", "Use pnpm", "npm instead of yarn"),
        ("Print the discounts on the receipt", "Never print discounts", "Always print"),
    ):
        lines = "".join(memory_lines(Conversation(active.client, project.path, sub_chat_id=present).pre_run(prompt)))
        assert present in lines
        assert past not in lines
        assert any(past in item["title"] for item in memories.ask("search", query=prompt)["memories"])


def test_irrelevant_memories_are_not_sent(memories: Memories, conversation: Conversation) -> None:
    assert len(memories.ids()) == 3
    for prompt in ("Rename the lines", "Add a docstring to the package", "Run all tests"):
        assert memory_lines(conversation.pre_run(prompt)) == []


@pytest.mark.parametrize(
    ("prompt", "statement"),
    [
        ("Run npm install", "Use pnpm instead of npm."),
        ("Why does load_tariffs fail?", "load_tariffs reads the whole table, which is deliberate."),
        ("Shorten till/tariffs.py", "Constants in till/tariffs.py are sorted by country."),
        ("Wie werden Quittungen gedruckt?", "Quittungen haben 42 Zeichen je Zeile."),
        ("打印收据时折扣错误", "收据上的折扣四舍五入到分。"),
    ],
)
def test_one_shared_name_path_or_rare_term_is_enough(
    active: MemorySidecar, project: Repository, prompt: str, statement: str
) -> None:
    Memories(active, project.path).add(statement, type="decision", author="user")
    assert len(memory_lines(Conversation(active.client, project.path).pre_run(prompt))) == 1


def test_function_words_and_numbers_recall_nothing(active: MemorySidecar, project: Repository) -> None:
    memories = Memories(active, project.path)
    memories.add("Do not ship changes yet, use the 42 columns instead.", type="decision")
    memories.add("Todavía no usamos floats, sino enteros por qué no.", type="decision")
    memories.add("Noch nicht umgestellt, sondern erst geprüft: Rabatte.", type="decision")
    memories.add("现在这个收据的问题请你不要修改。", type="decision")
    for prompt in (
        "Don't fix it yet, and look at the changes instead",
        "Give me 42 examples of what changed",
        "¿Por qué no funciona todavía? Arréglalo entonces",
        "Bitte noch nicht ändern, sondern erst prüfen",
        "请你帮我看看现在这个问题",
    ):
        chat = Conversation(active.client, project.path, sub_chat_id=f"of {prompt}")
        assert memory_lines(chat.pre_run(prompt)) == [], prompt


def test_a_file_that_the_run_touches_recalls_memories_that_name_it(
    memories: Memories, conversation: Conversation
) -> None:
    memories.add("Never sort the imports of till/receipt.py.", type="gotcha")
    conversation.turn("Make it shorter", lambda: [conversation.edit("till/receipt.py", "def show(): ...\n")])
    lines = memory_lines(conversation.pre_run("And again"))
    assert [line for line in lines if "Never sort the imports" in line]


def test_at_most_three_memories_reach_a_prompt_preferences_first(
    active: MemorySidecar, project: Repository, conversation: Conversation
) -> None:
    memories = Memories(active, project.path)
    memories.add("Norway failed to load in May.", title="Norway failed", type="error_pattern", confidence=0.9)
    memories.add("Tariffs are cached per country.", type="decision", confidence=0.9)
    memories.add("Tariffs come from the customs office.", type="decision", confidence=0.9)
    memories.add("I like tariffs printed in cents.", type="user_correction", author="user", confidence=0.9)
    lines = memory_lines(conversation.pre_run("Print the tariffs of Norway"))
    assert [line.split(", ")[1].split(" (")[0] for line in lines] == ["user correction", "decision", "decision"]


def test_a_rule_that_shares_only_a_step_of_the_work_comes_after_what_shares_a_term(
    active: MemorySidecar, project: Repository, conversation: Conversation
) -> None:
    memories = Memories(active, project.path)
    memories.add("Always write tests with pytest.", type="user_correction", author="user", confidence=0.9)
    memories.add("Tariffs are cached per country.", type="decision", confidence=0.9)
    lines = memory_lines(conversation.pre_run("Test the tariffs"))
    assert [line.split(", ")[1].split(" (")[0] for line in lines] == ["decision", "user correction"]


@pytest.mark.usefixtures("memories")
def test_a_memory_that_three_other_chats_got_needs_more_than_one_shared_term(
    active: MemorySidecar, project: Repository
) -> None:
    def first_prompt_of(chat: str, prompt: str) -> list[str]:
        conversation = Conversation(active.client, project.path, sub_chat_id=chat)
        return memory_lines(conversation.turn(prompt, session=f"session of {chat}"))

    for chat in ("a", "b", "c"):
        assert len(first_prompt_of(chat, "Print the receipt")) == 1
    assert first_prompt_of("d", "Print the receipt") == [], "one term brings it again and again"
    assert len(first_prompt_of("e", "Print the discount on the receipt")) == 1
    active.client.request("continuity/pin", {"projectPath": str(project.path), "item": "memory:mem-2026-03-01-001"})
    assert len(first_prompt_of("f", "Print the receipt")) == 1, "the user pinned it"


def test_the_session_that_stated_a_memory_gets_it_only_after_a_compaction(
    memories: Memories, active: MemorySidecar, conversation: Conversation
) -> None:
    conversation.turn("Hello there")
    statement = "Tariffs are cached per country."
    memories.add(statement, type="decision", sessionId=conversation.session_id)
    assert statement not in sent(conversation.turn("Print the tariffs"))
    other = Conversation(active.client, conversation.cwd, sub_chat_id="other")
    assert statement in sent(other.pre_run("Print the tariffs"))
    active.clock.advance(60_000)
    conversation.client.notify("continuity/sessionEvent", {
        "event": "compacted", "cwd": str(conversation.cwd), "subChatId": conversation.sub_chat_id,
        "provider": "claude", "sessionId": conversation.session_id,
    })  # fmt: skip
    assert statement in sent(conversation.pre_run("Print the tariffs"))


def test_the_first_prompt_of_a_fresh_process_has_the_memories(
    start_process: Callable[..., SidecarProcess], project: Repository
) -> None:
    """With no memory, nothing is sent about memories, and none is reported as omitted."""
    stating, asking = "From now on print every receipt twice.", "Where is roundDiscount used?"
    reason = "I chose half up in `roundDiscount` over half to even because of the audit."

    def first_turn(prompt: str, name: str, text: str) -> Any:
        process = start_process(environment={"ONECODE_CONTINUITY_MODE": "active"})
        process.client.initialize()
        answer = Conversation(process.client, project.path, sub_chat_id=name).turn(prompt, session=name, text=text)
        process.close()
        return answer

    first, second = first_turn(stating, "first", reason), first_turn(asking, "second", "Nowhere.")
    assert [memory["standing"] for memory in first["after"]["remembered"]] == [True, False]
    assert not re.search("memor(y|ies)|loaded|Remembered|Standing", sent(first))
    assert first["metadata"]["trimmed"] == second["metadata"]["trimmed"] == []
    assert "- Print every receipt twice. (mem-" in sent(second)
    assert "I chose half up in `roundDiscount`" in "".join(memory_lines(second))
    assert "loaded" not in sent(second)


def test_manual_edits_of_memories_take_effect_in_the_next_run(
    memories: Memories, active: MemorySidecar, project: Repository
) -> None:
    own = memories.write("shared/durable/printer.md", "# Receipt printer\n\nThe receipt printer prints 42 columns.\n")
    prompt = "How many columns has the receipt printer?"
    assert "42 columns" in "".join(
        memory_lines(Conversation(active.client, project.path, sub_chat_id="a").pre_run(prompt))
    )
    own.unlink()
    assert "42" not in "".join(memory_lines(Conversation(active.client, project.path, sub_chat_id="b").pre_run(prompt)))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux's events are a proof")
def test_manual_edits_take_effect_among_hundreds_of_memories(
    memories: Memories, active: MemorySidecar, project: Repository
) -> None:
    for number in range(MAX_INLINE_FILES + 1):
        memories.write(f"shared/durable/{number}.md", f"# Kiln {number}\n\nKiln {number} fires pots.\n")
    for name in "abc":
        Conversation(active.client, project.path, sub_chat_id=name).turn(PROMPT)
        active.app.process.wait_idle(20)  # pyrefly: ignore[missing-attribute]
    memories.write("shared/durable/printer.md", "# Receipt printer\n\nThe receipt printer prints 42 columns.\n")
    prompt = "How many columns has the receipt printer?"
    assert "42 columns" in "".join(
        memory_lines(Conversation(active.client, project.path, sub_chat_id="d").pre_run(prompt))
    )


def test_private_memories_are_never_injected(memories: Memories, conversation: Conversation) -> None:
    memories.as_agent("architect").add(
        "Print the discount on the receipt in crimson.", title="Discounts on receipts are crimson", owner="architect"
    )
    assert "crimson" not in "".join(memory_lines(conversation.pre_run(PROMPT)))


def test_the_context_bracket_selects_a_memorys_level_of_detail(
    memories: Memories, active: MemorySidecar, project: Repository
) -> None:
    found = {}
    for bracket, percent in USAGE.items():
        chat = Conversation(active.client, project.path, sub_chat_id=bracket)
        answer = chat.pre_run(PROMPT, usage={"usedTokens": percent, "maxTokens": 100})
        found[bracket] = "".join(memory_lines(answer))
    assert memories.ids()
    assert found["MODERATE"].endswith(TITLE)
    assert found["DEPLETED"].endswith(TEXT)
    assert found["CRITICAL"].endswith(TITLE)


def test_a_memory_can_be_muted_and_explain_shows_its_reason(memories: Memories, conversation: Conversation) -> None:
    assert memories.ids()
    turn = conversation.turn(PROMPT)
    items = conversation.client.request("continuity/explain", {"runId": turn["runId"]})["items"]
    (item,) = [item for item in items if item["item"].startswith("memory:")]
    assert item["disposition"] == "sent"
    assert set(item["score"]) == {"shared", "confidence"}
    assert "also names `discount`, `receipt`" in item["why"]
    muted = {"projectPath": str(conversation.cwd), "item": item["item"]}
    conversation.client.request("continuity/mute", muted)
    other = Conversation(conversation.client, conversation.cwd, sub_chat_id="other")
    assert memory_lines(other.pre_run(PROMPT)) == []


def test_two_accounts_of_one_decision_count_once_and_a_name_is_named_once() -> None:
    facts: dict[str, Any] = {
        "path": "", "owner": "shared", "retention": "daily", "is_archived": False, "type": "decision", "agent": "",
        "sector": "semantic", "tags": (), "confidence": 0.9, "evidence": 1, "access_count": 0, "last_accessed_ms": None,
        "created_ms": 0, "at_ms": 0, "tier": "hot", "supersedes": (), "contradicts": (), "group_key": "", "position": 0,
    }  # fmt: skip
    texts = (
        (
            "user",
            "s",
            "Where should retries live? In a RetryTransport wrapper, the core transport stays without policy.",
        ),
        ("assistant", "s", "Retries live in a RetryTransport wrapper because the core transport has no policy."),
        ("assistant", "t", "Retries live in a RetryTransport wrapper because the core transport has no policy."),
    )
    matches = [
        Relevant(
            Memory(id=str(at), title=text, text=text, author=author, session=session, version=str(at), **facts),
            (), {}, ("retry_transport", "RetryTransport", "wrapper"),
        )
        for at, (author, session, text) in enumerate(texts)
    ]  # fmt: skip
    items = memory_items(matches, None, NO_CONTENTS, "FRESH", "", {})
    assert [item.key for item in items] == ["memory:0", "memory:2"]
    assert items[0].why.endswith("that also names `retry_transport`, `wrapper`")
    anchor = f"Invariants:\n- rejected before: {texts[2][2]}\n"
    assert memory_items(matches[2:], None, NO_CONTENTS, "FRESH", anchor, {}) == [], "the anchor has it"


def test_a_passive_run_receives_nothing_and_counts_the_potential(
    memories: Memories, active: MemorySidecar, conversation: Conversation
) -> None:
    active.client.request("settings/update", {"settings": {"mode": "passive"}})
    answer = conversation.pre_run(PROMPT)
    assert answer["action"] == "passthrough"
    items = conversation.client.request("continuity/explain", {"runId": answer["runId"]})["items"]
    (item_key,) = [item["item"] for item in items if item["item"].startswith("memory:")]
    assert item_key.removeprefix("memory:") in memories.ids()

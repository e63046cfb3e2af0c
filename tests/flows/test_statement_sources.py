"""The user's words come from prompts, answers, refusals and interrupts; nobody else's words are taken for them."""

from typing import Any

import orjson
import pytest

from sidecar.capture.model import Remembered, Withdrawn
from sidecar.integrations.agent_hooks import remembered_output
from tests.support.conversation import Conversation, sent
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

RULE = "From now on use pnpm instead of npm."


@pytest.fixture(autouse=True)
def memories(active: MemorySidecar, project: Repository) -> Memories:
    """The memories of the till's repository, empty."""
    return Memories(active, project.path)


def run(conversation: Conversation, prompt: str, **post: Any) -> list[dict[str, Any]]:
    """Play a run and return what it remembered."""
    before = conversation.pre_run(prompt)
    changes: dict[str, Any] = {"assistant": {"text": "Done.", "parts": [{"type": "text", "text": "Done."}]}, **post}
    return list(conversation.post_run(before, prompt, **changes)["remembered"])


def asking(question: str, answer: str) -> dict[str, Any]:
    arguments = {"questions": [{"question": question, "header": "Choice", "options": []}]}
    return {
        "type": "tool-AskUserQuestion", "toolCallId": "q", "state": "result", "input": arguments,
        "output": {**arguments, "answers": {question: answer}},
    }  # fmt: skip


def test_a_run_answers_what_it_remembered_and_each_memory_can_be_undone(
    memories: Memories, conversation: Conversation
) -> None:
    (remembered,) = run(conversation, RULE)
    assert (remembered["text"], remembered["standing"]) == ("Use pnpm instead of npm", True)
    stored = memories.ask("get", id=remembered["id"])
    assert (stored["retention"], stored["author"], stored["text"]) == ("durable", "user", "Use pnpm instead of npm.")
    assert run(conversation, "Round the discount.") == []
    memories.ask("delete", id=remembered["id"])
    assert run(conversation, RULE) == [], "what the user deleted is not remembered again"


def test_an_answer_and_the_agents_note_of_the_same_choice_are_one_memory(
    memories: Memories, conversation: Conversation
) -> None:
    answer = "In a separate RetryTransport wrapper, never in fetch itself. fetch has to stay without policy."
    note = "retries live in a RetryTransport wrapper because fetch stays without policy, instead of an argument"
    parts = [asking("Where should the retry live?", answer)]
    text = f"We go with a wrapper.\n\nNotes for next time:\n- Decision: {note}"
    (remembered,) = run(conversation, "I want retries.", assistant={"text": text, "parts": parts})
    stored = memories.ask("get", id=remembered["id"])
    assert stored["author"] == "user"
    assert answer in stored["text"]
    assert "instead of an argument" in stored["text"]


def test_a_repeated_post_run_answers_the_same_memories(conversation: Conversation) -> None:
    before = conversation.pre_run(RULE)
    first, second = (conversation.post_run(before, RULE) for _ in range(2))
    assert first["remembered"] == second["remembered"] != []
    assert second["duplicate"]


@pytest.mark.parametrize("mode", ["passive", "off"])
def test_nothing_is_remembered_unless_active(memories: Memories, conversation: Conversation, mode: str) -> None:
    memories.sidecar.client.request("settings/update", {"settings": {"mode": mode}})
    assert run(conversation, RULE) == []


NOT_OF_THE_USER = [
    f"/standards {RULE}", f"<command-name>/x</command-name><command-args>{RULE}</command-args>",
    f"This session is being continued from a previous conversation that ran out of context. {RULE}",
    f"<system-reminder>{RULE}</system-reminder>Print a receipt.", f"> {RULE}\n\nWhat does this mean?",
]  # fmt: skip


def test_commands_summaries_and_quotes_are_not_the_users_words(memories: Memories, project: Repository) -> None:
    for number, prompt in enumerate(NOT_OF_THE_USER):
        chat = Conversation(memories.sidecar.client, project.path, sub_chat_id=f"chat-{number}")
        assert run(chat, prompt, session=f"session-{number}") == [], prompt


def test_a_loops_prompt_is_no_standing_instruction(memories: Memories, project: Repository) -> None:
    loop = Conversation(memories.sidecar.client, project.path, sub_chat_id="ralph:change")
    assert [item["standing"] for item in run(loop, RULE)] in ([], [False])


def test_an_answer_is_stored_with_its_question(memories: Memories, conversation: Conversation) -> None:
    question = "Which database should the till use for receipts?"
    parts = [asking(question, "SQLite, the shop has no server"), {"type": "text", "text": "Done."}]
    (remembered,) = run(conversation, "Store receipts", assistant={"text": "Done.", "parts": parts})
    assert memories.ask("get", id=remembered["id"])["text"] == f"{question} SQLite, the shop has no server"
    assert not remembered["standing"]
    parts = [asking("Should I continue with the next file now?", "Yes"), {"type": "text", "text": "Done."}]
    assert run(conversation, "Store them", assistant={"text": "Done.", "parts": parts}) == []


def test_the_words_of_a_refusal_are_the_users(conversation: Conversation) -> None:
    refusal = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed,"
        " the user said:\nFrom now on I run the migrations myself."
    )
    parts = [{"type": "tool-Bash", "toolCallId": "b", "state": "call", "input": {"command": "alembic upgrade head"}}]
    errors = [{"toolCallId": "b", "toolName": "Bash", "text": refusal}]
    (remembered,) = run(conversation, "Add a column", assistant={"text": "", "parts": parts}, toolErrors=errors)
    assert (remembered["text"], remembered["standing"]) == ("I run the migrations myself", True)


def test_an_interrupt_and_the_message_after_it_are_read_from_the_transcript(
    conversation: Conversation, project: Repository
) -> None:
    interrupt, rule = "[Request interrupted by user for tool use]", "From now on never call the printer twice."
    lines = [
        orjson.dumps({
            "type": "user", "timestamp": "2026-03-01T09:30:30.000Z", "message": {"role": "user", "content": text},
        }) for text in ("Print a receipt", interrupt, rule)
    ]  # fmt: skip
    transcript = project.path.parent / "session.jsonl"
    transcript.write_bytes(b"\n".join(lines))
    (remembered,) = run(conversation, "Print a receipt", transcriptPath=str(transcript))
    assert (remembered["text"], remembered["standing"]) == ("Never call the printer twice", True)


def test_a_statement_that_points_is_stored_with_what_it_answers(memories: Memories, conversation: Conversation) -> None:
    proposal = "I can put the receipts into a WebSocket queue."
    run(conversation, "How?", assistant={"text": proposal, "parts": [{"type": "text", "text": proposal}]})
    (remembered,) = run(conversation, "From now on we never do it like this for receipts.")
    assert f"Said in answer to: {proposal}" in memories.ask("get", id=remembered["id"])["text"]


def test_an_agent_that_paraphrases_a_standing_instruction_adds_nothing(
    memories: Memories, conversation: Conversation, project: Repository
) -> None:
    run(conversation, RULE)
    other = Conversation(memories.sidecar.client, project.path, sub_chat_id="other")
    other.session_id = "another"
    text = "I chose pnpm instead of npm from now on."
    parts = [{"type": "text", "text": text}]
    assert run(other, "Install it", session="another", assistant={"text": text, "parts": parts}) == []
    assert memories.ask("status")["capture"]["dropped"] == [{"reason": "injected", "count": 1}]


def test_near_misses_are_counted_and_the_last_are_listed_on_request(
    memories: Memories, conversation: Conversation
) -> None:
    for number in range(25):
        text = f"I chose port {number} for the kiln with a private <private>kiln</private> and ghp_{'a1B2' * 9}."
        run(conversation, "Go", assistant={"text": text, "parts": [{"type": "text", "text": text}]})
    status = memories.ask("status")
    assert (status["capture"]["nearMisses"], status["nearMisses"]) == ([{"reason": "withoutReason", "count": 25}], None)
    listed = memories.ask("status", nearMisses=True)["nearMisses"]
    assert (len(listed), listed[0]["reason"], listed[0]["text"][:15]) == (20, "withoutReason", "I chose port 24")
    assert not any(
        "ghp_" in miss["text"] or "<private>" in miss["text"] or "kiln and" in miss["text"] for miss in listed
    )
    assert memories.as_agent("dev").ask("status", nearMisses=True)["nearMisses"] is None
    memories.sidecar.clock.advance(8 * 86_400_000)
    assert memories.ask("status", nearMisses=True)["nearMisses"] == []


def test_a_standing_instruction_is_in_the_next_sessions_anchor(memories: Memories, conversation: Conversation) -> None:
    run(conversation, RULE)
    other = Conversation(memories.sidecar.client, memories.project, sub_chat_id="next")
    assert "pnpm instead of npm" in sent(other.pre_run("Install the packages"))


def test_a_wish_of_two_sessions_becomes_a_preference_that_no_anchor_shows(
    memories: Memories, conversation: Conversation
) -> None:
    wish = "Tests wait on a condition, they don't sleep"
    assert run(conversation, wish) == []
    assert run(conversation, wish) == [], "a wish that holds for two requests need not last"
    other = Conversation(memories.sidecar.client, memories.project, sub_chat_id="other")
    (remembered,) = run(other, wish, session="another")
    stored = memories.ask("get", id=remembered["id"])
    assert (stored["type"], stored["tags"], remembered["standing"]) == ("preference", ["inferred"], False)


def test_a_wish_that_the_user_adds_to_every_request_becomes_a_preference(
    memories: Memories, conversation: Conversation
) -> None:
    wish = "Tests wait on a condition, they don't sleep."
    requests = [f"{text} {wish}" for text in ("Repair the search.", "Add a login.", "Page two is empty.", "Again.")]
    stored = [remembered for request in requests for remembered in run(conversation, request)]
    assert [(memory["text"], memory["standing"]) for memory in stored] == [(wish.rstrip("."), False)]
    assert memories.ask("get", id=stored[0]["id"])["tags"] == ["inferred"]


@pytest.mark.parametrize("words", ["Forget that.", "esquece isso", "vergiss das bitte", "算了，忘掉这个"])
def test_the_next_message_takes_back_what_the_one_before_stated(
    memories: Memories, conversation: Conversation, words: str
) -> None:
    run(conversation, "From now on use yarn instead of npm.")
    reader = Conversation(memories.sidecar.client, memories.project, sub_chat_id="reader")
    (remembered,) = run(conversation, RULE)
    assert "pnpm" in sent(reader.turn("Print a receipt", session="reader"))
    assert run(conversation, words) == []
    later = sent(reader.turn("Print it twice", session="reader"))
    assert remembered["id"] in later
    anchor = sent(Conversation(memories.sidecar.client, memories.project, sub_chat_id="next").pre_run("Install it"))
    assert "- Use yarn instead of npm." in anchor, "what the statement had replaced holds again"
    assert "pnpm" not in anchor
    (again,) = run(conversation, RULE)
    assert (again["text"], again["standing"]) == ("Use pnpm instead of npm", True)


@pytest.mark.parametrize(("prompt", "answer", "words"), [
    (f"Fix the discount. {RULE}", "Done.", "Forget that."),
    ("Fix the discount, and from now on use pnpm instead of npm", "Done.", "Scratch that."),
    (RULE, "I switched to pnpm. Shall I delete package-lock.json too?", "never mind"),
    (RULE, "Done.", "Forget that test, and fix the discount."),
    (RULE, "Done.", "Never mind the typo, go on."),
])  # fmt: skip
def test_words_that_may_mean_something_else_take_nothing_back(
    memories: Memories, conversation: Conversation, prompt: str, answer: str, words: str
) -> None:
    run(conversation, prompt, assistant={"text": answer, "parts": [{"type": "text", "text": answer}]})
    run(conversation, words)
    anchor = sent(Conversation(memories.sidecar.client, memories.project, sub_chat_id="next").pre_run("Install it"))
    assert "pnpm instead of npm" in anchor


def test_a_run_answers_what_it_withdrew_and_how_it_holds_again(memories: Memories, conversation: Conversation) -> None:
    def active() -> list[str]:
        return [entry["id"] for entry in memories.ask("status")["standingInstructions"]]

    (first,) = run(conversation, "From now on use yarn instead of npm.")
    later = conversation.turn(RULE)["after"]
    (second,) = later["remembered"]
    assert later["withdrawn"] == [{"id": first["id"], "text": first["text"], "replacedBy": second["id"]}]
    back = conversation.turn("Forget that.")["after"]
    assert back["withdrawn"] == [{"id": second["id"], "text": second["text"], "replacedBy": None}]
    assert active() == [first["id"]]
    memories.ask("confirm", id=second["id"])
    assert active() == [second["id"]]
    memories.ask("undo", id=second["id"])
    assert active() == [first["id"]]
    ended = conversation.turn("Forget what I said about yarn.")["after"]
    assert [(old["id"], old["replacedBy"]) for old in ended["withdrawn"]] == [(first["id"], None)]
    assert ended["remembered"] == []


def test_what_a_later_statement_replaced_is_not_restored_from_the_archive_by_confirming_it(
    memories: Memories, conversation: Conversation
) -> None:
    (first,) = run(conversation, "From now on use yarn instead of npm.")
    (second,) = run(conversation, RULE)
    file = next(memories.project.rglob(memories.ask("get", id=first["id"])["path"].rpartition("/")[2]))
    memories.write(f"archive/shared/durable/{file.name}", file.read_text("utf-8"))
    file.unlink()
    assert memories.refused("confirm", id=first["id"]).data["kind"] == "conflict"
    assert [entry["id"] for entry in memories.ask("status")["standingInstructions"]] == [second["id"]]


@pytest.mark.parametrize(("answer", "words", "prompt", "sent_line"), [
    ("The server listens on port 8080.", "no, the port is 8081", "Which port do I open?", "The port is 8081"),
    ("Gepusht nach dev.", "nein, der Branch heißt cart/next", "Rebase auf cart/next", "Der Branch heißt cart/next"),
])  # fmt: skip
def test_a_corrected_value_reaches_another_chat_that_is_about_it(
    memories: Memories, conversation: Conversation, answer: str, words: str, prompt: str, sent_line: str
) -> None:
    conversation.turn("Start it", text=answer)
    (remembered,) = run(conversation, words)
    assert (remembered["text"], remembered["standing"]) == (sent_line, False)
    assert answer in memories.ask("get", id=remembered["id"])["text"]
    other = Conversation(memories.sidecar.client, memories.project, sub_chat_id="other")
    assert sent_line in sent(other.turn(prompt, session="other"))


def test_a_corrected_value_reaches_other_chats_again_once_its_replacement_is_undone(
    memories: Memories, conversation: Conversation
) -> None:
    def shown(sub_chat_id: str) -> str:
        other = Conversation(memories.sidecar.client, memories.project, sub_chat_id=sub_chat_id)
        return sent(other.turn("Which port do I open?", session=sub_chat_id))

    conversation.turn("Start it", text="The server listens on port 8080.")
    (first,) = run(conversation, "no, the port is 8081")
    later = conversation.turn("no, the port is 9000")["after"]
    assert [(old["id"], old["replacedBy"]) for old in later["withdrawn"]] == [
        (first["id"], later["remembered"][0]["id"])
    ]
    assert "The port is 8081" not in shown("a")
    memories.ask("undo", id=later["remembered"][0]["id"])
    assert "The port is 8081" in shown("b")


def test_a_statement_whose_value_is_masked_is_no_standing_instruction(
    memories: Memories, conversation: Conversation
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    remembered = run(conversation, f"Remember: the API key for staging is {token}.")
    assert [item["standing"] for item in remembered] == [False]
    assert memories.ask("status")["standingInstructions"] == []


def test_undoing_the_last_of_three_values_restores_only_the_second(
    memories: Memories, conversation: Conversation
) -> None:
    for value in ("4", "2"):
        run(conversation, f"Always use {value} spaces in YAML files.")
    (third,) = run(conversation, "Always use 3 spaces in YAML files.")
    memories.ask("undo", id=third["id"])
    held = [item["text"] for item in memories.ask("status")["standingInstructions"]]
    assert held == ["Always use 2 spaces in YAML files."]


@pytest.mark.parametrize("narrower", [
    "Use npm in `tools/`, not pnpm", "Use npm instead of pnpm in `tools/`.", "In `tools/` we use npm, never pnpm",
    "In tools/ use npm instead of pnpm from now on", "Always use npm in `tools/`.",
])  # fmt: skip
def test_a_rule_for_a_folder_is_stored_beside_the_general_one(
    memories: Memories, conversation: Conversation, narrower: str
) -> None:
    run(conversation, "From now on use pnpm, not npm.")
    other = Conversation(conversation.client, conversation.cwd, sub_chat_id="other")
    before = other.pre_run(narrower)
    after = other.post_run(before, narrower, session="other", assistant={"text": "Done.", "parts": []})
    assert after["withdrawn"] == []
    texts = [item["text"] for item in memories.ask("status")["standingInstructions"]]
    assert "Use pnpm, not npm" in [text.rstrip(".") for text in texts]
    if after["remembered"]:
        assert "tools/" in " ".join(texts)
    stored = [memory["title"] for memory in memories.ask("list")["memories"]]
    assert any("tools/" in title and "npm" in title for title in stored)


def test_an_instruction_that_an_unconfirmed_statement_contradicts_still_holds(
    memories: Memories, conversation: Conversation
) -> None:
    run(conversation, "Use tabs instead of spaces for indentation")
    prompt = "use two spaces for indentation"
    after = conversation.post_run(conversation.pre_run(prompt), prompt, assistant={"text": "Done.", "parts": []})
    assert [memory["standing"] for memory in after["remembered"]] == [False]
    assert after["withdrawn"] == []
    (instruction,) = memories.ask("status")["standingInstructions"]
    assert instruction["text"] == "Use tabs instead of spaces for indentation"


def test_only_the_message_before_is_taken_back(memories: Memories, conversation: Conversation) -> None:
    run(conversation, RULE)
    run(conversation, "Round the discount.")
    run(conversation, "Forget that.")
    other = Conversation(memories.sidecar.client, memories.project, sub_chat_id="other")
    run(other, "forget that", session="another")
    assert "pnpm instead of npm" in sent(
        Conversation(memories.sidecar.client, memories.project, sub_chat_id="next").pre_run("Install it")
    )


def test_the_stop_hook_shows_what_was_remembered_with_its_undo() -> None:
    remembered = [Remembered(id=f"mem-{number}", text=f"Rule {number}", standing=True) for number in range(5)]
    output = remembered_output(remembered, [], "/work/shop")
    assert output is not None
    first, *_, last = output["systemMessage"].splitlines()
    undo = "undo: onecode-sidecar memory undo mem-0 --project /work/shop"
    assert first == f"Remembered for every new session: Rule 0 ({undo})"
    assert last == "… and 2 more: onecode-sidecar memory list --project /work/shop"
    assert remembered_output([], [], "/work/shop") is None


def test_the_stop_hook_shows_how_a_memory_that_only_comes_when_it_fits_reaches_every_session() -> None:
    output = remembered_output([Remembered(id="mem-0", text="Use two spaces", standing=False)], [], "/work/shop")
    assert output is not None
    confirm, undo = (f"onecode-sidecar memory {verb} mem-0 --project /work/shop" for verb in ("confirm", "undo"))
    expected = f"Remembered for tasks that it fits: Use two spaces (for every new session: {confirm}; undo: {undo})"
    assert output["systemMessage"] == expected


def test_the_stop_hook_shows_what_was_withdrawn_with_its_undo() -> None:
    withdrawn = [
        Withdrawn(id="mem-1", text="Use npm", replaced_by="mem-2"),
        Withdrawn(id="mem-3", text="Use yarn", replaced_by=None),
    ]
    output = remembered_output([], withdrawn, "/work/shop")
    assert output is not None
    assert output["systemMessage"].splitlines() == [
        "No longer holds: Use npm (undo: onecode-sidecar memory undo mem-2 --project /work/shop)",
        "No longer holds: Use yarn (undo: onecode-sidecar memory confirm mem-3 --project /work/shop)",
    ]

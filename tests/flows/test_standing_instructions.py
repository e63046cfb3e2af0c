"""Standing instructions of the user: in the anchor of every new session, and in the delta of the running ones."""

import os
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from sidecar.core.clock import rfc3339
from sidecar.language.notes_block import REQUEST as NOTES_REQUEST
from sidecar.memory import filter_private
from sidecar.packs.anchor import STANDING_INSTRUCTIONS
from tests.memory.test_rival_statements import REVIEWED
from tests.support.conversation import Conversation, sent
from tests.support.depth import sample
from tests.support.git_wrapper import needs_script, prepend_git_wrapper
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

PROMPT = "Print the discount on the receipt"
PNPM = "Use pnpm instead of npm."
STATED = "Use pnpm instead of npm from now on."


@pytest.fixture
def memories(active: MemorySidecar, project: Repository) -> Memories:
    return Memories(active, project.path)


@pytest.fixture
def chat(active: MemorySidecar, project: Repository) -> Callable[..., Conversation]:
    """Start another conversation in the till's repository."""

    def start(name: str, **params: Any) -> Conversation:
        return Conversation(active.client, project.path, sub_chat_id=name, **params)

    return start


def stated(memories: Memories, text: str, **params: Any) -> str:
    """Store and confirm an instruction as the user does, and return its id."""
    memory_id: str = memories.add(text, **params)["id"]
    memories.ask("confirm", id=memory_id)
    return memory_id


def section(text: str) -> list[str]:
    """Return the lines of the anchor's section."""
    lines = text.splitlines()
    if f"{STANDING_INSTRUCTIONS}:" not in lines:
        return []
    start = lines.index(f"{STANDING_INSTRUCTIONS}:") + 1
    end = next((at for at, line in enumerate(lines[start:], start) if not line.startswith("- ")), len(lines))
    return lines[start:end]


def news(answer: Any) -> list[str]:
    """Return what a call says about standing instructions besides the anchor."""
    texts = [block["text"] for block in answer["blocks"] if block["kind"] == "delta"]
    return [line for text in texts for line in text.splitlines() if "instruction" in line or line.startswith("It re")]


@pytest.mark.parametrize("provider", ["claude", "codex"])
def test_every_new_session_has_the_instructions_in_its_anchor_once(
    memories: Memories, chat: Callable[..., Conversation], provider: str
) -> None:
    memory_id = stated(memories, PNPM)
    for name in ("first", "second"):
        conversation = chat(name, provider=provider)
        text = sent(conversation.turn("Fix the thermal printer driver", session=name))
        assert section(text) == [f"- {PNPM} ({memory_id}, 2026-03-01)"]
        assert text.count(PNPM) == 1
        assert news(conversation.turn(PROMPT, session=name)) == []


@pytest.fixture
def without_state(
    project: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], AbstractContextManager[None]]:
    """Withhold the repository's state for a while: a damaged index, a missing git, or one that does not answer."""
    index, gate, path = project.path / ".git/index", tmp_path / "gate", os.environ["PATH"]
    waits = f'case " $* " in *" status "*) while [ -e "{gate}" ]; do sleep 0.01; done;; esac'
    prepend_git_wrapper(tmp_path / "before", waits, monkeypatch)
    with_wrapper = os.environ["PATH"]

    @contextmanager
    def for_a_while(fault: str) -> Generator[None]:
        content = index.read_bytes()
        index.write_bytes(b"garbage" if fault == "damaged index" else content)
        monkeypatch.setenv("PATH", str(tmp_path) if fault == "no git" else with_wrapper)
        if fault == "slow git":
            gate.touch()
        yield
        gate.unlink(missing_ok=True)
        monkeypatch.setenv("PATH", path)
        index.write_bytes(content)

    return for_a_while


@needs_script
@pytest.mark.parametrize("provider", ["claude", "codex"])
def test_a_new_session_has_the_instructions_while_the_repositorys_state_is_unknown(
    memories: Memories,
    chat: Callable[..., Conversation],
    project: Repository,
    provider: str,
    without_state: Callable[[str], AbstractContextManager[None]],
) -> None:
    """The rest of the anchor follows once, as soon as the state is known."""
    memory_id = stated(memories, PNPM)
    for fault in ("damaged index", "no git", "slow git"):
        conversation = chat(fault, provider=provider)
        with without_state(fault):
            first = conversation.pre_run("Quetzal ornithology?", deadlineMs=1_000)
        conversation.post_run(first, session=fault)
        project.write({"till/cart.py": f"# {fault}\n"})  # git is asked again
        with without_state(fault):
            blind = conversation.pre_run("Where do they nest?", deadlineMs=1_000)
        assert section(sent(first)) == [f"- {PNPM} ({memory_id}, 2026-03-01)"], fault
        assert {"repository", "anchor"} <= {omission["item"] for omission in first["metadata"]["trimmed"]}, fault
        texts = [sent(blind), *(sent(conversation.turn(PROMPT, session=fault)) for _ in range(2))]
        assert ["Never log a customer's card number." in text for text in texts] == [False, True, False], fault
        assert all(text.count(PNPM) == (provider == "claude") for text in texts), fault


def test_a_chat_in_a_linked_worktree_that_names_no_project_has_the_instructions_of_its_repository(
    memories: Memories, active: MemorySidecar, project: Repository, tmp_path: Path
) -> None:
    memory_id = stated(memories, PNPM)
    worktree = project.add_worktree(tmp_path / "chat-1", "chat/1")
    in_worktree = Conversation(active.client, worktree.path)
    assert section(sent(in_worktree.turn(PROMPT))) == [f"- {PNPM} ({memory_id}, 2026-03-01)"]


def test_the_section_comes_first_and_stays_byte_identical_for_the_life_of_a_session(
    memories: Memories, conversation: Conversation
) -> None:
    stated(memories, PNPM)
    first = conversation.turn(PROMPT)["system"]["text"]
    assert first.splitlines()[2] == f"{STANDING_INSTRUCTIONS}:"
    stated(memories, "Write tests first.")
    memories.ask("undo", allStandingInstructions=True)
    assert conversation.turn(PROMPT)["system"]["text"] == first


def test_what_is_to_be_followed_is_not_among_the_reference_data(memories: Memories, conversation: Conversation) -> None:
    memory_id = stated(memories, PNPM)
    lines = conversation.turn(PROMPT)["system"]["text"].splitlines()
    header = "Instructions from the user. Follow them:"
    followed = [header, f"{STANDING_INSTRUCTIONS}:", f"- {PNPM} ({memory_id}, 2026-03-01)"]
    assert lines[1:][: 3 + len(NOTES_REQUEST.splitlines())] == [*followed, *NOTES_REQUEST.splitlines()]
    assert lines[4 + len(NOTES_REQUEST.splitlines())].startswith("Reference data about this repository: ")


def test_an_instruction_keeps_a_pattern_at_its_beginning(memories: Memories, conversation: Conversation) -> None:
    stated(memories, "*.token and --force are never committed.")
    assert section(sent(conversation.turn(PROMPT)))[0].startswith("- *.token and --force are never committed. (mem-")


def test_a_relevant_instruction_is_not_repeated_as_a_memory(memories: Memories, conversation: Conversation) -> None:
    text = "Receipts never show a discount in percent."
    stated(memories, text)
    assert sent(conversation.turn("Show the receipts' discount in percent")).count(text) == 1


@pytest.mark.parametrize("fields", [{"type": "preference"}, {"type": "decision", "author": "user"}])
def test_a_rule_that_is_not_in_the_anchor_is_shown_where_the_prompt_asks_for_its_step_of_the_work(
    memories: Memories, conversation: Conversation, fields: dict[str, str]
) -> None:
    text = "No SQL scripts, only migrations."
    memories.add(text, **fields)
    assert text not in sent(conversation.turn("Rename the cart"))
    assert sent(conversation.turn("Check why a value is missing in the table")).count(text) == 1
    assert text not in sent(conversation.turn("Check the other table")), "once in a session"


def test_a_statement_in_another_chat_reaches_a_running_session_once(
    memories: Memories, conversation: Conversation
) -> None:
    conversation.turn(PROMPT)
    memory_id = stated(memories, PNPM)
    answer = conversation.turn("Go on")
    assert news(answer) == [f"New standing instruction from the user: {PNPM} ({memory_id}, 2026-03-01)"]
    assert news(conversation.turn("Go on")) == []


def test_a_replaced_instruction_is_corrected_in_sessions_that_have_it(
    memories: Memories, chat: Callable[..., Conversation]
) -> None:
    former = stated(memories, "Use npm.")
    running = chat("running")
    running.turn(PROMPT, session="running")
    later = stated(memories, PNPM)
    assert news(running.turn("Go on", session="running")) == [
        f"Standing instruction changed: {PNPM} ({later}, 2026-03-01)",
        f"It replaces: Use npm. ({former})",
    ]
    assert news(running.turn("Go on", session="running")) == []
    assert section(sent(chat("new").turn(PROMPT, session="new"))) == [f"- {PNPM} ({later}, 2026-03-01)"]


def test_a_statement_typed_in_a_session_and_replaced_in_another_chat_is_corrected_there(
    memories: Memories, conversation: Conversation
) -> None:
    conversation.turn(PROMPT)
    former = stated(memories, "Use npm.", sessionId="session")
    assert news(conversation.turn("Go on")) == []
    later = stated(memories, PNPM, sessionId="other")
    assert news(conversation.turn("Go on")) == [
        f"Standing instruction changed: {PNPM} ({later}, 2026-03-01)",
        f"It replaces: Use npm. ({former})",
    ]
    stated(memories, "Use bun instead of pnpm.", sessionId="session")
    assert news(conversation.turn("Go on")) == [f"A standing instruction no longer holds: {PNPM} ({later})"]
    assert news(conversation.turn("Go on")) == []


def test_a_withdrawn_instruction_is_revoked_in_sessions_that_have_it(
    memories: Memories, chat: Callable[..., Conversation]
) -> None:
    memory_id = stated(memories, PNPM)
    running, other = chat("running"), chat("other")
    running.turn(PROMPT, session="running")
    memories.ask("undo", id=memory_id)
    assert news(running.turn("Go on", session="running")) == [
        f"A standing instruction no longer holds: {PNPM} ({memory_id})"
    ]
    assert news(running.turn("Go on", session="running")) == []
    assert section(sent(other.turn(PROMPT, session="other"))) == []


def test_an_instruction_that_reached_a_session_by_its_delta_is_revoked_there_too(
    memories: Memories, conversation: Conversation
) -> None:
    conversation.turn(PROMPT)
    memory_id = stated(memories, PNPM)
    conversation.turn("Go on")
    memories.ask("undo", id=memory_id)
    assert news(conversation.turn("Go on")) == [f"A standing instruction no longer holds: {PNPM} ({memory_id})"]


@pytest.mark.parametrize("is_fact", [False, True], ids=["event", "fact"])
@pytest.mark.parametrize("provider", ["claude", "codex"])
def test_what_the_user_typed_in_a_session_is_repeated_there_once_after_each_compaction(
    active: MemorySidecar, memories: Memories, chat: Callable[..., Conversation], provider: str, *, is_fact: bool
) -> None:
    conversation = chat("chat", provider=provider)

    def turn(**params: Any) -> int:
        answer = conversation.pre_run("Go on", **params)
        conversation.post_run(answer, "Go on")
        active.clock.advance(60_000)
        return sent(answer).count(PNPM)

    def compact() -> dict[str, Any]:
        at = rfc3339(active.clock.now_ms())
        active.clock.advance(60_000)
        if is_fact:
            return {"session": {"id": "session", "willResume": True, "isFork": False, "compactedAt": at}}
        event = {"event": "compacted", "cwd": str(memories.project), "subChatId": "chat", "provider": provider}
        active.client.notify("continuity/sessionEvent", {**event, "sessionId": "session"})
        return {}

    turn()
    stated(memories, PNPM, sessionId="session")
    active.clock.advance(60_000)
    assert turn() == 0
    for _ in range(2):
        params = compact()
        assert [turn(**params) for _ in range(3)] == [1, 0, 0]


class RolledBackChat:
    """A conversation whose user rolls messages back; every run ends a minute after the last."""

    def __init__(self, sidecar: MemorySidecar, conversation: Conversation) -> None:
        self.sidecar = sidecar
        self.conversation = conversation

    def turn(self, number: int, prompt: str = "Go on", *, last: int | None = None, **post: Any) -> Any:
        """Play a run that the agent's message with this number ends; the user rolled back to `last`."""
        facts = {"truncatedToMessageId": f"message-{last}" if last else None} if last is not None else {}
        session_id = self.conversation.session_id
        session = {"id": session_id, "willResume": session_id is not None, "isFork": False, **facts}
        answer = self.conversation.pre_run(prompt, session=session)
        self.sidecar.clock.advance(30_000)
        message = {"messageId": f"message-{number}", "text": "Done."}
        after = self.conversation.post_run(answer, prompt, assistant=message, **post)
        self.sidecar.clock.advance(30_000)
        return {**answer, "after": after}

    def session_file(self, folder: Path, text: str) -> str:
        """Write the provider's session file in which the user typed a text while the agent worked."""
        at = rfc3339(self.sidecar.clock.now_ms() + 10_000)
        record: dict[str, Any] = {"type": "user", "timestamp": at, "message": {"role": "user", "content": text}}
        if self.conversation.provider == "codex":
            record = {"type": "event_msg", "timestamp": at, "payload": {"type": "user_message", "message": text}}
        path = folder / "session.jsonl"
        path.write_bytes(orjson.dumps(record) + b"\n")
        return str(path)


@pytest.fixture(params=["claude", "codex"])
def rolled_back(active: MemorySidecar, chat: Callable[..., Conversation], request: Any) -> RolledBackChat:
    """Return a conversation with each provider."""
    return RolledBackChat(active, chat("chat", provider=request.param))


@pytest.mark.parametrize(("is_in_session_file", "last"), sample([(False, 0), (True, 0), (False, 1), (True, 1)], 2))
def test_what_the_user_typed_is_sent_once_after_its_message_was_rolled_back(
    rolled_back: RolledBackChat, tmp_path: Path, last: int, *, is_in_session_file: bool
) -> None:
    rule = "From now on use pnpm instead of npm."
    rolled_back.turn(1)
    if is_in_session_file:
        stating = rolled_back.turn(2, transcriptPath=rolled_back.session_file(tmp_path, rule))
    else:
        stating = rolled_back.turn(2, rule)
    assert [item["standing"] for item in stating["after"]["remembered"]] == [True]
    assert PNPM not in sent(rolled_back.turn(3))
    assert PNPM not in sent(rolled_back.turn(4, last=2)), "its message is still there"
    assert sent(rolled_back.turn(5, last=last)).count(PNPM) == 1
    later = rolled_back.turn(6)
    assert news(later) == []
    assert PNPM not in "".join(block["text"] for block in later["blocks"])


def test_an_instruction_that_a_session_received_is_sent_again_after_a_rollback(
    rolled_back: RolledBackChat, memories: Memories
) -> None:
    rolled_back.turn(1)
    stated(memories, PNPM)
    assert [len(news(rolled_back.turn(number))) for number in (2, 3)] == [1, 0]
    assert len(news(rolled_back.turn(4, last=1))) == 1
    assert news(rolled_back.turn(5)) == []


def test_a_rollback_past_a_correction_leaves_the_former_statement_to_be_corrected(
    rolled_back: RolledBackChat, memories: Memories
) -> None:
    rolled_back.turn(1)
    former = stated(memories, "Use npm.", sessionId="session")
    rolled_back.sidecar.clock.advance(1_000)
    (later,) = rolled_back.turn(2, "From now on use pnpm instead of npm.")["after"]["remembered"]
    assert news(rolled_back.turn(3)) == []
    assert news(rolled_back.turn(4, last=1)) == [
        f"Standing instruction changed: {PNPM} ({later['id']}, 2026-03-01)",
        f"It replaces: Use npm. ({former})",
    ]


@pytest.mark.parametrize("is_fact", [False, True], ids=["event", "fact"])
def test_a_relevant_memory_returns_to_its_own_session_after_a_rollback(
    rolled_back: RolledBackChat, memories: Memories, *, is_fact: bool
) -> None:
    fact, prompt = "The kiln's firmware rounds every temperature to 5 degrees.", "Log the kiln's temperature"
    rolled_back.turn(1)
    memories.add(fact, sessionId="session")
    rolled_back.sidecar.clock.advance(1_000)
    rolled_back.turn(2)
    assert fact not in sent(rolled_back.turn(3, prompt))
    if not is_fact:
        chat = rolled_back.conversation
        event = {"event": "rolledBack", "cwd": str(chat.cwd), "subChatId": "chat", "provider": chat.provider}
        rolled_back.sidecar.client.notify("continuity/sessionEvent", {**event, "sessionId": "session"})
    assert fact in sent(rolled_back.turn(4, prompt, last=0 if is_fact else None))
    assert fact not in sent(rolled_back.turn(5, prompt))


@pytest.mark.parametrize(("wrong", "lines"), [(False, []), (True, [PNPM])])
def test_a_muted_instruction_is_silent_and_a_wrong_one_is_retracted(
    memories: Memories, conversation: Conversation, *, wrong: bool, lines: list[str]
) -> None:
    memory_id = stated(memories, PNPM)
    conversation.turn(PROMPT)
    params = {"projectPath": str(memories.project), "item": f"memory:{memory_id}", "wrong": wrong}
    memories.sidecar.client.request("continuity/mute", params)
    expected = [f"A standing instruction no longer holds: {line} ({memory_id})" for line in lines]
    assert news(conversation.turn("Go on")) == expected
    conversation.session_id = None
    assert section(sent(conversation.turn(PROMPT, session="next"))) == []


def test_a_statement_of_the_anchor_can_be_muted_by_its_own_name(memories: Memories, conversation: Conversation) -> None:
    stated(memories, PNPM)
    before = conversation.turn(PROMPT)
    common = {"projectPath": str(memories.project)}
    explained = memories.sidecar.client.request("continuity/explain", {"runId": before["runId"]})
    (name,) = [statement["item"] for statement in explained["statements"] if PNPM in statement["text"]]
    memories.sidecar.client.request("continuity/mute", {**common, "item": name})
    conversation.session_id = None
    assert PNPM not in sent(conversation.turn(PROMPT, session="next"))


def test_many_instructions_take_at_most_their_bytes_and_the_rest_is_named(
    memories: Memories, conversation: Conversation
) -> None:
    for number in range(16):
        stated(memories, f"Rule {number}: " + f"{chr(97 + number) * 7} " * 14)
    answer = conversation.turn(PROMPT)
    lines = section(sent(answer))
    assert 5 <= len(lines) < 16
    assert len("\n".join([f"{STANDING_INSTRUCTIONS}:", *lines, ""]).encode()) <= 1_200
    reasons = {part["item"]: part["reason"] for part in answer["metadata"]["trimmed"]}
    assert reasons[f"anchor: {STANDING_INSTRUCTIONS}"].startswith(f"no room for {16 - len(lines)} lines")


def test_a_small_anchor_has_the_newest_instructions_and_nothing_else(
    active: MemorySidecar, memories: Memories, conversation: Conversation
) -> None:
    for name in ("aaa", "bbb", "ccc", "ddd", "eee"):
        stated(memories, f"Rule {name}: " + f"{name * 3} " * 13)
        active.clock.advance(60_000)
    active.client.request("settings/update", {"settings": {"budgets": {"newBytesPerCall": 1_500}}})
    lines = sent(conversation.pre_run(PROMPT)).splitlines()
    shown = [line[7:10] for line in section("\n".join(lines))]
    assert shown
    assert shown == ["eee", "ddd", "ccc", "bbb", "aaa"][: len(shown)]
    assert not any(line in ("Rules:", "Map:", "Commands:") for line in lines)


def test_a_rejected_tool_is_not_among_the_commands(
    active: MemorySidecar, make_repository: Callable[..., Repository]
) -> None:
    scripts = '{"name": "till", "scripts": {"test": "vitest", "lint": "eslint ."}}\n'
    repository = make_repository({"package.json": scripts, "web/app.ts": "export {}\n"}, name="web")
    memories = Memories(active, repository.path)
    running = Conversation(active.client, repository.path, sub_chat_id="running")
    assert "- test: `npm test` (package.json)" in sent(running.turn("Test the app", session="running"))
    memory_id = stated(memories, "use pnpm, not npm")
    corrected = sent(running.turn("Go on", session="running"))
    assert "no longer: test: `npm test` (package.json)" in corrected
    answer = Conversation(active.client, repository.path).turn("Test the app")
    assert "`npm" not in sent(answer).replace("instead of `npm", "")
    replaced = "instead of `npm test` in package.json; the user prefers pnpm"
    assert f"- test: `pnpm test` ({replaced}, {memory_id})" in sent(answer)
    reasons = {part["item"]: part["reason"] for part in answer["metadata"]["trimmed"]}
    assert (
        f"test: `npm test` (package.json): the user rejects npm in {memory_id}" in reasons["anchor: Commands left out"]
    )


def test_the_commands_of_a_tool_that_the_user_did_not_mention_stay_with_the_preferred_one_beside_them(
    active: MemorySidecar, make_repository: Callable[..., Repository]
) -> None:
    guide = "# Contributing\n\nRun `bun run test` before a commit.\n"
    files = {
        "CONTRIBUTING.md": guide,
        "bun.lock": "{}\n",
        "package.json": '{"name": "till", "scripts": {"test": "x"}}\n',
    }
    memories = Memories(active, make_repository(files, name="bun").path)
    memory_id = stated(memories, "Use pnpm instead of npm from now on.")
    text = sent(Conversation(active.client, memories.project).turn("Test the app"))
    assert f"- test: `bun run test` (CONTRIBUTING.md; the user prefers pnpm, {memory_id})" in text
    assert "pnpm test" not in text


def test_an_accepted_rule_is_suspended_by_a_contrary_statement_and_proposed_to_be_dropped(
    memories: Memories, chat: Callable[..., Conversation]
) -> None:
    rule = memories.add("Use npm.", type="user_correction", confidence=0.95)
    path = memories.project / rule["path"]
    path.write_text(path.read_text().replace("evidence_count: 1", "evidence_count: 6"))
    memories.ask("resolveProposal", id=rule["id"], decision="accept")
    assert "accepted_at: 2026-03-01T09:30:00Z" in path.read_text()
    assert f"- Use npm. ({rule['id']}, accepted)" in sent(chat("before").turn(PROMPT, session="before"))
    later = stated(memories, PNPM)
    assert "Use npm." not in sent(chat("suspended").turn(PROMPT, session="suspended"))
    (proposal,) = memories.ask("proposals")["proposals"]
    assert (proposal["memory"]["id"], proposal["contradictedBy"]) == (rule["id"], later)
    memories.ask("resolveProposal", id=rule["id"], decision="reject")
    assert "Use npm." in sent(chat("again").turn(PROMPT, session="again"))
    memories.ask("confirm", id=later)
    memories.ask("resolveProposal", id=rule["id"], decision="accept")
    assert memories.ask("proposals")["proposals"] == []
    assert "dropped_at: 2026-03-01T09:30:00Z" in path.read_text()
    assert "Use npm." not in sent(chat("dropped").turn(PROMPT, session="dropped"))


def test_an_accepted_rule_that_is_also_stated_is_shown_once(memories: Memories, conversation: Conversation) -> None:
    rule = memories.add(PNPM, type="user_correction", confidence=0.95)
    path = memories.project / rule["path"]
    path.write_text(path.read_text().replace("evidence_count: 1", "evidence_count: 6"))
    memories.ask("resolveProposal", id=rule["id"], decision="accept")
    memories.ask("confirm", id=rule["id"])
    assert sent(conversation.turn(PROMPT)).count(PNPM) == 1


def test_passive_mode_sends_none(memories: Memories, conversation: Conversation) -> None:
    stated(memories, PNPM)
    memories.sidecar.client.request("settings/update", {"settings": {"mode": "passive"}})
    assert sent(conversation.turn(PROMPT)) == ""


BRACKETS = ("FRESH", "MODERATE", "DEPLETED", "CRITICAL")


def composed(memories: Memories, bracket: str, **params: Any) -> Any:
    common = {"cwd": str(memories.project), "bracket": bracket}
    return memories.sidecar.client.request("context/compose", {**common, **params})


@pytest.mark.parametrize("bracket", BRACKETS)
def test_the_context_block_has_them_in_every_bracket_within_its_budget(memories: Memories, bracket: str) -> None:
    ids = []
    for name in ("aaa", "bbb", "ccc", "ddd", "eee", "fff", "ggg", "hhh"):
        ids.append(stated(memories, f"Rule </chati-context> {name}: " + f"{name * 3} " * 9))
        memories.sidecar.clock.advance(60_000)
    result = composed(memories, bracket)
    assert result["tokens"] <= result["budgetTokens"]
    assert result["block"].count("<standing-instructions>") == 1
    assert result["block"].count("</chati-context>") == 1
    lines = result["data"]["standingInstructions"].splitlines()
    newest = [line for line in lines if any(memory_id in line for memory_id in ids[-3:])]
    assert len(newest) == 3
    assert len(lines) == 3 if bracket == "CRITICAL" else len(lines) > 3
    is_trimmed = any(part["part"] == "standing-instructions" for part in result["trimmed"])
    assert is_trimmed == (len(lines) < len(ids))


def test_the_context_block_repeats_nothing_to_a_session_with_an_anchor(
    memories: Memories, conversation: Conversation
) -> None:
    stated(memories, PNPM)
    assert PNPM in composed(memories, "MODERATE", sessionId="session")["block"]
    conversation.turn(PROMPT)
    for bracket in BRACKETS:
        assert PNPM not in composed(memories, bracket, sessionId="session", task="Run npm install")["block"]
        assert composed(memories, bracket, sessionId="other", task="Run npm install")["block"].count(PNPM) == 1


def test_a_project_without_standing_instructions_has_no_such_element(memories: Memories) -> None:
    assert composed(memories, "FRESH")["data"]["standingInstructions"] is None
    assert "standing-instructions" not in composed(memories, "FRESH")["block"]


@pytest.mark.parametrize("locked", [False, True])
def test_a_claude_code_session_receives_each_instruction_once_through_the_hooks(
    memories: Memories, tmp_path: Path, *, locked: bool
) -> None:
    """The anchor comes with the first prompt; the block of a session lock, at the start, leaves it to that."""
    memory_id = stated(memories, PNPM)
    client, project = memories.sidecar.client, {"cwd": str(memories.project)}
    if locked:
        client.request("session/activate", {**project, "agent": "dev", "ide": "claude-code"})
    open_run: Any = None

    def context(event: str, **members: Any) -> str:
        nonlocal open_run
        given = {"session_id": "5f0c", "transcript_path": str(tmp_path / "session.jsonl"), **project, **members}
        params = {"event": event, "input": given, "openRun": open_run, "timeLeftMs": 20_000}
        result = client.request("hook/run", params)
        open_run = result["openRun"]
        output = result["output"] or {"hookSpecificOutput": {"additionalContext": ""}}
        return str(output["hookSpecificOutput"]["additionalContext"])

    start = context("SessionStart", source="startup")
    assert ("<chati-context" in start) == locked
    assert (start + context("UserPromptSubmit", prompt=PROMPT)).count(PNPM) == 1
    context("Stop")
    assert PNPM not in context("UserPromptSubmit", prompt="Go on")
    context("Stop")
    memories.ask("undo", id=memory_id)
    assert f"A standing instruction no longer holds: {PNPM}" in context("UserPromptSubmit", prompt="Go on")
    context("Stop")
    stated(memories, "Write tests first.")
    context("PreCompact", trigger="auto")
    after = context("SessionStart", source="compact") + context("UserPromptSubmit", prompt="Go on")
    assert after.count("Write tests first.") == 1
    assert PNPM not in after


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_rollback_that_only_the_session_file_shows_brings_back_what_it_removed(
    memories: Memories, tmp_path: Path, agent: str
) -> None:
    """Claude Code's file shows it with the next prompt, which comes after the packs; Codex's file before."""
    client, clock, path = memories.sidecar.client, memories.sidecar.clock, tmp_path / "session.jsonl"
    records: list[dict[str, Any]] = []
    open_run: Any = None

    def write(author: str, text: str, parent: int | None) -> int:
        clock.advance(1_000)
        record: dict[str, Any] = {
            "type": author,
            "message": {"role": author, "content": [{"type": "text", "text": text}]},
        }
        record |= {"uuid": f"u{len(records)}", "parentUuid": None if parent is None else f"u{parent}"}
        if agent == "codex":
            kind = "user_message" if author == "user" else "agent_message"
            record = {"type": "event_msg", "payload": {"type": kind, "message": text}}
        return add(record)

    def add(record: dict[str, Any]) -> int:
        records.append({"timestamp": rfc3339(clock.now_ms()), **record})
        path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
        return len(records) - 1

    def hook(event: str, **members: Any) -> str:
        nonlocal open_run
        given = {"session_id": "5f0c", "transcript_path": str(path), "cwd": str(memories.project), **members}
        params = {"event": event, "agent": agent, "input": given, "openRun": open_run, "timeLeftMs": 20_000}
        result = client.request("hook/run", params)
        open_run = result["openRun"]
        return str(((result["output"] or {}).get("hookSpecificOutput") or {}).get("additionalContext", ""))

    def turn(prompt: str, parent: int | None) -> tuple[str, int]:
        clock.advance(60_000)
        context = hook("UserPromptSubmit", prompt=prompt)
        answer = write("assistant", "Done.", write("user", prompt, parent))
        hook("Stop", last_assistant_message="Done.")
        return context, answer

    _, first = turn(PROMPT, None)
    _, second = turn("From now on use pnpm instead of npm.", first)
    context, third = turn("Go on", second)
    assert PNPM not in context
    context, _ = turn("Go on", third)
    assert PNPM not in context
    clock.advance(60_000)
    if agent == "codex":
        add({"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 3}})
    contexts = []
    for _ in range(4):
        context, first = turn("Go on", first)
        contexts.append(context.count(PNPM))
    assert contexts == ([1, 0, 0, 0] if agent == "codex" else [0, 1, 0, 0])


@pytest.mark.parametrize(("former", "later"), [*sample(REVIEWED[:-2], 2), REVIEWED[-1]])
def test_only_the_later_of_two_contrary_statements_opens_a_new_session(
    memories: Memories, chat: Callable[..., Conversation], former: str, later: str
) -> None:
    (first,) = chat("first").turn(former, session="first")["after"]["remembered"]
    running = chat("running")
    running.turn(PROMPT, session="running")
    (second,) = chat("second").turn(later, session="second")["after"]["remembered"]
    assert (first["standing"], second["standing"]) == (True, True)
    lines = section(sent(chat("third").turn(PROMPT, session="third")))
    assert [second["id"] in line for line in lines] == [True]
    update = news(running.turn("Go on", session="running"))
    assert update[0].startswith("Standing instruction changed: ")
    assert first["id"] in update[-1]
    (replaced,) = memories.ask("status")["replaced"]
    assert (replaced["id"], replaced["replacedBy"]) == (first["id"], second["id"])
    assert memories.ask("get", id=first["id"])["text"], "it can still be read"
    memories.ask("undo", id=second["id"])
    assert [entry["id"] for entry in memories.ask("status")["standingInstructions"]] == [first["id"]]


def test_an_instruction_that_the_user_replaces_is_not_retracted_in_the_same_session(
    chat: Callable[..., Conversation],
) -> None:
    (first,) = chat("first").turn("From now on write commit messages in French.", session="first")["after"][
        "remembered"
    ]
    running = chat("running")
    assert len(section(sent(running.turn(PROMPT, session="running")))) == 1
    after = running.turn("From now on write commit messages in English.", session="running")["after"]
    assert [old["id"] for old in after["withdrawn"]] == [first["id"]]
    assert news(running.turn("Go on", session="running")) == []


def test_words_that_only_withdraw_an_instruction_are_no_memory(
    memories: Memories, chat: Callable[..., Conversation]
) -> None:
    former, later = REVIEWED[-2]
    (first,) = chat("first").turn(former, session="first")["after"]["remembered"]
    running = chat("running")
    running.turn(PROMPT, session="running")
    after = chat("second").turn(later, session="second")["after"]
    assert (after["remembered"], [old["id"] for old in after["withdrawn"]]) == ([], [first["id"]])
    assert section(sent(chat("third").turn(PROMPT, session="third"))) == []
    update = news(running.turn("Go on", session="running"))
    assert update[0].startswith("A standing instruction no longer holds: ")
    memories.ask("confirm", id=first["id"])
    assert [entry["id"] for entry in memories.ask("status")["standingInstructions"]] == [first["id"]]


def test_a_replaced_statement_that_the_user_confirms_holds_again(memories: Memories) -> None:
    former = stated(memories, "Use pnpm instead of npm.")
    later = stated(memories, "No, use npm again.")
    assert [entry["id"] for entry in memories.ask("status")["replaced"]] == [former]
    memories.ask("confirm", id=former)
    assert [entry["id"] for entry in memories.ask("status")["standingInstructions"]] == [former]
    assert [entry["id"] for entry in memories.ask("status")["replaced"]] == [later]


def test_a_reversal_that_the_agent_notes_too_is_one_instruction(chat: Callable[..., Conversation]) -> None:
    chat("first").turn(STATED, session="first")
    answer = "Done.\n\nNotes for next time:\n- Rule: use npm again, we dropped pnpm\n"
    later = chat("second").turn("No, use npm again, we dropped pnpm last week.", session="second", text=answer)
    assert [entry["standing"] for entry in later["after"]["remembered"]] == [True]
    (line,) = section(sent(chat("third").turn(PROMPT, session="third")))
    assert "npm again" in line


@pytest.mark.parametrize(
    ("prompt", "instruction"),
    [
        (
            "why mock it AGAIN? we've been over this — printer tests use the real spooler, not mocks. fix the test",
            "Printer tests use the real spooler, not mocks.",
        ),
        (
            "Rename the total. Whenever you touch the price table, regenerate the fixtures too",
            "Whenever you touch the price table, regenerate the fixtures too",
        ),
        (
            "use the logger helpers, not print, can you change the print in till.py",
            "Use the logger helpers, not print",
        ),
        ("ficou bom. os commits quem faz sou eu", "Os commits quem faz sou eu"),
        (
            "Der Bon passt. Keine neuen Abhängigkeiten ohne Rücksprache",
            "Keine neuen Abhängigkeiten ohne Rücksprache",
        ),
    ],
)
def test_a_wish_in_ordinary_words_is_in_the_anchor_of_the_next_session(
    chat: Callable[..., Conversation], prompt: str, instruction: str
) -> None:
    (remembered,) = chat("first").turn(prompt, session="first")["after"]["remembered"]
    assert section(sent(chat("second").turn("Print the receipt", session="second"))) == [
        f"- {instruction} ({remembered['id']}, 2026-03-01)"
    ]


def test_each_rule_of_a_declared_list_is_in_the_anchor_of_the_next_session(chat: Callable[..., Conversation]) -> None:
    rules = [
        "Tabs instead of spaces", "No default exports", "Tests in vitest", "Money in cents",
        "Commit messages in English", "Functions under 40 lines",
    ]  # fmt: skip
    listed = "\n".join(f"- {rule}" for rule in rules)
    chat("first").turn(f"hey, some rules for this project:\n{listed}\n\nnow print the receipt", session="first")
    lines = section(sent(chat("second").turn("Print the receipt", session="second")))
    assert sorted(line.removeprefix("- ").partition(" (mem-")[0] for line in lines) == sorted(rules)


def test_a_mistake_that_the_user_admits_replaces_the_instruction(chat: Callable[..., Conversation]) -> None:
    chat("first").turn("no, we use vitest here", session="first")
    prompt = "Actually I was wrong, it's mocha in this repo, vitest is in the other one. fix the tests pls"
    chat("second").turn(prompt, session="second")
    (line,) = section(sent(chat("third").turn("Print the receipt", session="third")))
    assert line.startswith("- It's mocha in this repo (mem-")


def test_a_complaint_that_recalls_an_instruction_is_evidence_of_it(
    memories: Memories, chat: Callable[..., Conversation]
) -> None:
    chat("first").turn("Never run cargo fmt on this repo, the diff gets huge.", session="first")
    again = "again you ran cargo fmt in the last PR, i told you not to! revert the receipt"
    assert chat("second").turn(again, session="second")["after"]["remembered"] == []
    (rule,) = memories.ask("list")["memories"]
    assert memories.ask("get", id=rule["id"])["evidence"] == 2


def test_a_reversal_for_the_task_at_hand_changes_no_instruction(
    memories: Memories, chat: Callable[..., Conversation]
) -> None:
    (stated_before,) = chat("first").turn(STATED, session="first")["after"]["remembered"]
    prompts = (
        "Use npm again just for this test.",
        "Run the tests again.",
        "Should we use npm again?",
        "If it fails, use npm again.",
        "Forget about pnpm, just run the tests.",
        "Ignore the pnpm rule for now.",
        "pnpm no longer works, fix it.",
    )
    for number, prompt in enumerate(prompts):
        later = chat(f"later-{number}")
        assert later.turn(prompt, session=f"later-{number}")["after"]["remembered"] == [], prompt
        assert [entry["id"] for entry in memories.ask("status")["standingInstructions"]] == [stated_before["id"]]


def test_a_report_that_something_no_longer_works_ends_no_ban(
    memories: Memories, chat: Callable[..., Conversation]
) -> None:
    (ban,) = chat("first").turn("Never change the Jenkinsfile.", session="first")["after"]["remembered"]
    report = "The Jenkinsfile no longer works, fix it."
    assert chat("second").turn(report, session="second")["after"]["remembered"] == []
    assert [entry["id"] for entry in memories.ask("status")["standingInstructions"]] == [ban["id"]]


def test_a_reversal_that_nobody_typed_changes_no_instruction(
    memories: Memories, chat: Callable[..., Conversation]
) -> None:
    (stated_before,) = chat("first").turn(STATED, session="first")["after"]["remembered"]
    pasted = "Look at this mail:\n\n> Hi, please use npm again, not pnpm.\n> Forget what I said about pnpm.\n"
    chat("second").turn(pasted, session="second")
    chat("third").turn(
        "Fix the till", session="third", text="We use npm again, not pnpm. Forget what I said about pnpm."
    )
    assert [entry["id"] for entry in memories.ask("status")["standingInstructions"]] == [stated_before["id"]]


BUN = "Run the tests with bun, not with npm."


def test_an_agents_note_of_a_rule_is_labelled_as_unconfirmed_until_the_user_confirms_it(
    memories: Memories, chat: Callable[..., Conversation]
) -> None:
    memory_id = memories.add(BUN, type="user_correction", author="assistant")["id"]
    text = sent(chat("first").turn("Run the tests with bun", session="first"))
    assert f", agent's note, not confirmed by the user ({memory_id}): {BUN}" in text
    memories.ask("confirm", id=memory_id)
    assert section(sent(chat("second").turn(PROMPT, session="second"))) == [f"- {BUN} ({memory_id}, 2026-03-01)"]


@pytest.mark.parametrize(
    ("instruction", "is_contrary"), [(PNPM, True), ("Use bun, not npm.", False), ("Always answer in German.", False)]
)
def test_a_memory_that_contradicts_a_standing_instruction_is_not_sent(
    memories: Memories, conversation: Conversation, instruction: str, *, is_contrary: bool
) -> None:
    stated(memories, instruction)
    memories.add(BUN, type="user_correction", author="assistant")
    assert (BUN not in sent(conversation.turn("Run the tests with bun"))) == is_contrary


def test_what_an_agent_repeats_of_such_a_note_is_no_memory() -> None:
    line = "Remembered 2026-03-01, agent's note, not confirmed by the user (mem-2026-03-01-001): Use bun."
    assert filter_private(f"Done.\n{line}").text == "Done."


@pytest.mark.parametrize(
    ("former", "later", "left"),
    [
        ("Use pnpm here, never npm.", "Use npm from now on, the pnpm thing is over.", ["Use npm from now on"]),
        ("Never filter in Python.", "Filtering in Python is fine for small tables, forget that Python rule", []),
        ("Always add a changelog entry.", "stop adding changelog entries", ["Stop adding changelog entries"]),
        ("Never commit without asking me.", "ok, you can commit now", ["Never commit without asking me"]),
        ("Write comments in English.", "and forget the rule about English comments, we don't care", []),
        ("Write comments in English.", "forget the rule about English comments, use German", ["Use German"]),
    ],
)
def test_what_the_user_takes_back_in_passing_opens_no_new_session(
    memories: Memories, chat: Callable[..., Conversation], former: str, later: str, left: list[str]
) -> None:
    chat("first").turn(former, session="first")
    chat("second").turn(later, session="second")
    lines = section(sent(chat("third").turn(PROMPT, session="third")))
    assert [line.removeprefix("- ").partition(" (mem")[0].strip(".") for line in lines] == left
    active = [entry["text"].strip(".") for entry in memories.ask("status")["standingInstructions"]]
    assert active == left


def test_what_the_user_states_after_a_change_of_mind_replaces_the_instruction(
    chat: Callable[..., Conversation],
) -> None:
    (first,) = chat("first").turn("From now on use `trio` only in new async tests, never asyncio.")["after"][
        "remembered"
    ]
    later = chat("second")
    later.turn("Which markers do the async tests use?", text="Trio only in new tests, as you said.")
    prompt = "Forget trio-only, I changed my mind: new async tests use `anyio` marks so they run on both."
    after = later.turn(prompt)["after"]
    (second,) = after["remembered"]
    assert (second["text"], second["standing"]) == ("New async tests use `anyio` marks so they run on both", True)
    assert [(old["id"], old["replacedBy"]) for old in after["withdrawn"]] == [(first["id"], second["id"])]
    (line,) = section(sent(chat("third").turn(PROMPT, session="third")))
    assert line == f"- {second['text']}. ({second['id']}, 2026-03-01)"
    ended = chat("fourth").turn("I changed my mind about anyio.")["after"]
    assert (ended["remembered"], [old["id"] for old in ended["withdrawn"]]) == ([], [second["id"]])


def test_a_fact_with_a_new_value_replaces_the_old_one(memories: Memories, chat: Callable[..., Conversation]) -> None:
    chat("first").turn("Remember: the staging database is on port 5433", session="first")
    chat("second").turn("Remember: the staging database is on port 5434 now", session="second")
    (active,) = memories.ask("status")["standingInstructions"]
    assert "5434" in active["text"]


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        ("filtering in Python is fine for small tables", ["filtering in Python is fine for small tables"]),
        ("forget that Python rule", []),
    ],
)
def test_a_withdrawal_counts_beside_what_the_agent_notes(
    memories: Memories, chat: Callable[..., Conversation], rule: str, left: list[str]
) -> None:
    chat("first").turn("Never filter in Python.", session="first")
    answer = f"Understood.\n\nNotes for next time:\n- Rule: {rule}\n"
    chat("second").turn(
        "Filtering in Python is fine for small tables, forget that Python rule", session="second", text=answer
    )
    assert [entry["text"] for entry in memories.ask("status")["standingInstructions"]] == left


def test_a_change_of_mind_counts_beside_the_agents_note_of_it(
    memories: Memories, chat: Callable[..., Conversation]
) -> None:
    chat("first").turn("From now on use `trio` only in new async tests, never asyncio.", session="first")
    rule = "new async tests use `anyio`"
    chat("second").turn(
        f"Forget trio-only, I changed my mind: {rule}.",
        session="second",
        text=f"OK.\n\nNotes for next time:\n- Rule: {rule}\n",
    )
    (active,) = memories.ask("status")["standingInstructions"]
    assert active["text"].casefold().strip(".") == rule

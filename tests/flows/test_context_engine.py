"""The Context Engine: the block follows the bracket, a compaction is no interruption, a worn session is turned over."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema  # type: ignore[import-untyped]

from sidecar.context.brackets import BRACKETS
from tests.context.chati_project import PROJECT, SESSION
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

MakeRepository = Callable[..., Repository]
HOT = "---\ntype: decision\nconfidence: 0.9\ntier: hot\n---\n# auth-pattern\n\nJWT was chosen.\n"
LONG = "\n".join(f"Step {number}: do what the plan says under number {number}" for number in range(300))


def test_the_bracket_is_calculated_before_each_interaction_and_the_layers_follow_it(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    project = make_repository(PROJECT, name="till").path
    seen = []
    for used in (20_000, 90_000, 130_000, 170_000):
        usage = {"usedTokens": used, "maxTokens": 200_000}
        bracket = active.client.request("context/bracket", usage)
        composed = active.client.request("context/compose", {"cwd": str(project), "usage": usage})
        assert composed["bracket"] == bracket["bracket"]
        seen.append((composed["bracket"], composed["layers"][-1]))
    assert seen == [("FRESH", "L4"), ("MODERATE", "L4"), ("DEPLETED", "L2"), ("CRITICAL", "L1")]


def test_a_window_that_fills_up_gets_less_of_the_packs(active: MemorySidecar, project: Repository) -> None:
    rules = "".join(f"- Never do the thing number {number} that we agreed not to do, ever.\n" for number in range(400))
    project.commit(
        {"AGENTS.md": f"# Rules\n\n{rules}", **{f"till/m{n}.py": f"def cart_{n}(): ...\n" for n in range(40)}}
    )
    given = []
    for number, remaining in enumerate((80, 50, 30, 10)):
        chat = Conversation(active.client, project.path, sub_chat_id=f"chat-{number}", tokenMode="low")
        usage = {"usedTokens": 100 - remaining, "maxTokens": 100}
        answer = chat.pre_run("Where is the discounted price of a cart computed?", usage=usage)
        given.append(answer["metadata"]["injectedBytes"])
        assert given[-1] <= 14_000 * (1.0, 0.8, 0.6, 0.32)[number]
    assert given == sorted(given, reverse=True)
    assert given[-1] < given[0]


def test_constitution_and_mode_are_there_in_every_bracket_within_its_budget_whatever_the_files_say(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    for name, files in (("with", PROJECT), ("without", {"AGENTS.md": "- Never guess.\n"}), ("nothing", {})):
        project = make_repository(files, name=name).path
        for bracket, bounds in BRACKETS.items():
            asked = {"cwd": str(project), "bracket": bracket, "task": LONG}
            composed = active.client.request("context/compose", asked)
            tags = [child.tag for child in ET.fromstring(composed["block"])]
            assert tags[:2] == ["constitution", "mode"]
            assert composed["tokens"] <= bounds.tokens == composed["budgetTokens"]


def test_the_block_has_the_specifications_elements_in_its_order_and_fits_its_published_schema(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    repository = make_repository(PROJECT, name="till")
    repository.write({".chati/memories/shared/durable/auth.md": HOT})
    asked = {"cwd": str(repository.path), "bracket": "MODERATE"}
    composed = active.client.request("context/compose", asked)
    root = ET.fromstring(composed["block"])
    assert (root.tag, root.attrib) == ("chati-context", {"bracket": "MODERATE"})
    tags = ["constitution", "mode", "agent", "pipeline", "task", "handoff", "memory"]
    assert [child.tag for child in root] == tags
    agent, handoff, memory = (root.find(name) for name in ("agent", "handoff", "memory"))
    assert agent is not None
    assert handoff is not None
    assert memory is not None
    assert set(agent.attrib) == {"name", "mission"}
    assert [child.tag for child in agent] == ["inputs", "outputs", "criteria"]
    assert handoff.attrib == {"from": "greenfield-wu", "score": "95"}
    assert memory.attrib == {"bracket": "MODERATE", "level": "metadata"}
    schema = json.loads((Path(__file__).parents[2] / "rpc_schema/context.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(composed["data"], schema)


def test_memories_enter_the_block_at_the_level_of_the_bracket(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    repository = make_repository(PROJECT, name="till")
    repository.write({".chati/memories/shared/durable/auth.md": HOT})
    where = {"cwd": str(repository.path)}
    active.client.request("context/continuation", {**where, "sessionId": "s-1", "force": True})
    told = {}
    for bracket in BRACKETS:
        memory = active.client.request("context/compose", {**where, "bracket": bracket})["data"]["memory"]
        told[bracket] = memory and (memory["level"], memory["text"])
    assert told["FRESH"] is None
    assert told["MODERATE"] == ("metadata", "[1 HOT memory available: auth-pattern]")
    assert told["DEPLETED"][0] == "chunks"
    assert "JWT" in told["DEPLETED"][1]
    assert told["CRITICAL"][0] == "full"
    assert "JWT was chosen" in (repository.path / ".chati/continuation/latest.md").read_text(encoding="utf-8")


def test_after_a_compaction_the_agent_goes_on_where_it_stopped_and_the_next_block_is_plain_again(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    repository = make_repository(PROJECT, name="till")
    repository.write({".chati/memories/shared/durable/auth.md": HOT})
    told = {"cwd": str(repository.path), "sessionId": "s-1", "compactionId": "c-1", "progress": "Half is asked"}
    answer = active.client.request("context/postCompact", told)
    assert answer["context"]["bracket"] == "FRESH"
    assert "auth-pattern" in answer["context"]["data"]["memory"]["text"]
    assert "Half is asked" in answer["prompt"]
    assert "brief(in_progress, 45%)" in answer["prompt"]
    plain = active.client.request("context/compose", {"cwd": str(repository.path), "bracket": "FRESH"})
    assert plain["data"]["memory"] is None


def test_a_worn_session_is_turned_over_with_every_reason_and_a_file_to_go_on_from(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    repository = make_repository(PROJECT, name="till")
    told = {"cwd": str(repository.path), "sessionId": "s-1"}
    for number in (1, 2, 3):
        active.client.request("context/postCompact", {**told, "compactionId": f"c-{number}"})
    for _ in range(3):
        answer = active.client.request("context/continuation", {**told, "bracket": "CRITICAL", "agentDone": True})
    assert len(answer["reasons"]) == 3
    assert answer["resumeCommand"] == "/chati resume"
    assert (repository.path / answer["path"]).read_text(encoding="utf-8") == answer["prompt"]


def test_three_ides_begin_the_new_session_themselves_and_three_get_the_file(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    project = make_repository(PROJECT, name="till").path
    told = {"cwd": str(project), "sessionId": "s-1", "force": True}
    names = ("claude-code", "antigravity", "gemini-cli", "cursor", "vscode", "github-copilot")
    answers = [active.client.request("context/continuation", {**told, "ide": name}) for name in names]
    assert [answer["ide"]["restartsAutomatically"] for answer in answers] == [True, True, True, False, False, False]
    assert all(answer["path"] == ".chati/continuation/latest.md" for answer in answers)


def test_what_the_session_file_says_of_the_agent_reaches_the_governor(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    repository = make_repository({**PROJECT, "src/a.py": "x = 1\n"}, name="till")
    chat = Conversation(active.client, repository.path)

    def finish() -> list[dict[str, Any]]:
        done = SESSION.replace("brief: {status: in_progress, score: 45}", "brief: {status: completed, score: 96}")
        return [chat.edit(".chati/session.yaml", done)]

    assert chat.turn("ask the user")["after"]["governor"]["action"] == "ok"
    word = chat.turn("finish the brief", finish)["after"]["governor"]
    assert "the agent is done and the next one is waiting" in " ".join(word["reasons"])


def test_what_a_session_just_decided_is_captured_before_its_compaction_and_told_right_after_it(
    active: MemorySidecar, make_repository: MakeRepository, tmp_path: Path
) -> None:
    repository = make_repository({**PROJECT, "src/a.py": "x = 1\n"}, name="till")
    chat = Conversation(active.client, repository.path)
    chat.turn("No, use pnpm instead of npm, the lockfile is pnpm's.", session="s-1")
    active.clock.advance(60_000)
    words = "I decided to keep the cart in Redis because it expires there."
    record = {"type": "assistant", "timestamp": "2026-03-01T09:30:59Z", "message": {"content": [
        {"type": "text", "text": words}]}}  # fmt: skip
    (tmp_path / "s-1.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    told = {"cwd": str(repository.path), "sessionId": "s-1"}
    before = active.client.request(
        "context/preCompact", {**told, "transcriptPath": str(tmp_path / "s-1.jsonl"), "progress": "Half is asked"}
    )
    after = active.client.request("context/postCompact", {**told, "compactionId": before["compactionId"]})
    assert (before["compactions"], after["compactions"]) == (1, 1)
    assert "use pnpm instead of npm" in after["context"]["block"]
    assert words in after["context"]["block"]
    assert "> Half is asked" in after["prompt"]
    assert 'session_progress: "Half is asked"' in (repository.path / ".chati/session.yaml").read_text(encoding="utf-8")
    listed = active.client.request("memory/list", {"cwd": str(repository.path)})
    assert before["hot"] + before["warm"] == listed["total"] == 2
    assert all((repository.path / one["path"]).is_file() for one in listed["memories"])
    plain = active.client.request("context/compose", {"cwd": str(repository.path), "bracket": "FRESH"})
    assert plain["data"]["memory"] is None


def test_the_third_compaction_of_a_session_asks_for_a_new_one_that_knows_where_it_stopped(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    repository = make_repository(PROJECT, name="till")
    told = {"cwd": str(repository.path), "sessionId": "s-1"}
    spawns = []
    for number in (1, 2, 3):
        one = {**told, "compactionId": f"c-{number}"}
        active.client.request("context/preCompact", {**one, "progress": f"Phase {number} is done"})
        spawns.append(active.client.request("context/postCompact", one)["restart"])
    answer = active.client.request("context/continuation", told)
    assert spawns == [False, False, True]
    assert answer["reasons"] == ["3 compactions in this session (from 3)"]
    text = (repository.path / answer["path"]).read_text(encoding="utf-8")
    assert "> Phase 3 is done" in text
    assert "brief(in_progress, 45%)" in text

"""The Context Engine: the block follows the bracket, work survives compactions, exhausted sessions are restarted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema

from sidecar.context import BRACKETS
from tests.context.chati_project import PROJECT, SESSION
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

MakeRepository = Callable[..., Repository]
HOT = "---\ntype: decision\nconfidence: 0.9\ntier: hot\n---\n# auth-pattern\n\nJWT was chosen.\n"
LONG = "\n".join(f"Step {number}: do what the plan says under number {number}" for number in range(300))


def test_the_bracket_is_computed_per_interaction_and_selects_the_layers(
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


def test_a_filling_window_receives_smaller_packs(active: MemorySidecar, project: Repository) -> None:
    rules = "".join(f"- Never do the thing number {number} that we agreed not to do, ever.\n" for number in range(400))
    project.commit(
        {
            "AGENTS.md": f"# Rules\n\n{rules}",
            **{f"till/m{n}.py": f"def cart_{n}():\n" + "    price = discounted\n" * 30 for n in range(40)},
        }
    )
    given = []
    for number, remaining in enumerate((80, 50, 30, 10)):
        chat = Conversation(active.client, project.path, sub_chat_id=f"chat-{number}", tokenMode="low")
        usage = {"usedTokens": 100 - remaining, "maxTokens": 100}
        answer = chat.pre_run("Where do cart_3, cart_4 and cart_12 compute the discounted price?", usage=usage)
        given.append(answer["metadata"]["injectedBytes"])
        assert given[-1] <= 14_000 * (1.0, 0.8, 0.6, 0.32)[number]
    assert given == sorted(given, reverse=True)
    assert given[-1] < given[0]


def test_constitution_and_mode_fit_every_brackets_budget(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    for name, files in (("with", PROJECT), ("without", {"AGENTS.md": "- Never guess.\n"}), ("nothing", {})):
        project = make_repository(files, name=name).path
        for bracket, bounds in BRACKETS.items():
            params = {"cwd": str(project), "bracket": bracket, "task": LONG}
            composed = active.client.request("context/compose", params)
            tags = [child.tag for child in ET.fromstring(composed["block"])]
            assert tags[:2] == ["constitution", "mode"]
            assert composed["tokens"] <= bounds.tokens == composed["budgetTokens"]


def test_the_block_has_the_specified_elements_and_matches_its_schema(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    repository = make_repository(PROJECT, name="till")
    repository.write({".chati/memories/shared/durable/auth.md": HOT})
    params = {"cwd": str(repository.path), "bracket": "MODERATE"}
    composed = active.client.request("context/compose", params)
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


def test_memories_have_the_brackets_level_of_detail(active: MemorySidecar, make_repository: MakeRepository) -> None:
    repository = make_repository(PROJECT, name="till")
    repository.write({".chati/memories/shared/durable/auth.md": HOT})
    where = {"cwd": str(repository.path)}
    active.client.request("context/continuation", {**where, "sessionId": "s-1", "force": True})
    params = {}
    for bracket in BRACKETS:
        memory = active.client.request("context/compose", {**where, "bracket": bracket})["data"]["memory"]
        params[bracket] = memory and (memory["level"], memory["text"])
    assert params["FRESH"] is None
    assert params["MODERATE"] == ("metadata", "[1 HOT memory available: auth-pattern]")
    assert params["DEPLETED"][0] == "chunks"
    assert "JWT" in params["DEPLETED"][1]
    assert params["CRITICAL"][0] == "full"
    assert "JWT was chosen" in (repository.path / ".chati/continuation/latest.md").read_text(encoding="utf-8")


def test_after_a_compaction_the_agent_resumes_and_the_next_block_is_normal(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    repository = make_repository(PROJECT, name="till")
    repository.write({".chati/memories/shared/durable/auth.md": HOT})
    params = {"cwd": str(repository.path), "sessionId": "s-1", "compactionId": "c-1", "progress": "Half is asked"}
    answer = active.client.request("context/postCompact", params)
    assert answer["context"]["bracket"] == "FRESH"
    assert "auth-pattern" in answer["context"]["data"]["memory"]["text"]
    assert "Half is asked" in answer["prompt"]
    assert "brief(in_progress, 45%)" in answer["prompt"]
    plain = active.client.request("context/compose", {"cwd": str(repository.path), "bracket": "FRESH"})
    assert plain["data"]["memory"] is None


def test_an_exhausted_session_is_restarted_with_reasons_and_a_continuation_file(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    repository = make_repository(PROJECT, name="till")
    params = {"cwd": str(repository.path), "sessionId": "s-1"}
    for number in (1, 2, 3):
        active.client.request("context/postCompact", {**params, "compactionId": f"c-{number}"})
    for _ in range(3):
        answer = active.client.request("context/continuation", {**params, "bracket": "CRITICAL", "agentDone": True})
    assert len(answer["reasons"]) == 3
    assert answer["resumeCommand"] == "/chati resume"
    assert (repository.path / answer["path"]).read_text(encoding="utf-8") == answer["prompt"]


def test_three_ides_start_the_new_session_and_three_get_the_file(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    project = make_repository(PROJECT, name="till").path
    params = {"cwd": str(project), "sessionId": "s-1", "force": True}
    names = ("claude-code", "antigravity", "gemini-cli", "cursor", "vscode", "github-copilot")
    answers = [active.client.request("context/continuation", {**params, "ide": name}) for name in names]
    assert [answer["ide"]["restartsAutomatically"] for answer in answers] == [True, True, True, False, False, False]
    assert all(answer["path"] == ".chati/continuation/latest.md" for answer in answers)


def test_the_agents_state_in_the_session_file_reaches_the_governor(
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


def test_recent_decisions_are_captured_before_a_compaction_and_restored_after_it(
    active: MemorySidecar, make_repository: MakeRepository, tmp_path: Path
) -> None:
    repository = make_repository({**PROJECT, "src/a.py": "x = 1\n"}, name="till")
    chat = Conversation(active.client, repository.path)
    chosen = "I chose pnpm instead of npm because the lockfile is pnpm's."
    chat.turn("Install the packages.", session="s-1", text=chosen)
    active.clock.advance(60_000)
    words = "I decided to keep the cart in Redis because it expires there."
    record = {"type": "assistant", "timestamp": "2026-03-01T09:30:59Z", "message": {"content": [
        {"type": "text", "text": words}]}}  # fmt: skip
    (tmp_path / "s-1.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    params = {"cwd": str(repository.path), "sessionId": "s-1"}
    before = active.client.request(
        "context/preCompact", {**params, "transcriptPath": str(tmp_path / "s-1.jsonl"), "progress": "Half is asked"}
    )
    after = active.client.request("context/postCompact", {**params, "compactionId": before["compactionId"]})
    assert (before["compactions"], after["compactions"]) == (1, 1)
    assert chosen in after["context"]["block"]
    assert words in after["context"]["block"]
    assert "> Half is asked" in after["prompt"]
    assert 'session_progress: "Half is asked"' in (repository.path / ".chati/session.yaml").read_text(encoding="utf-8")
    listed = active.client.request("memory/list", {"cwd": str(repository.path)})
    assert before["hot"] + before["warm"] == listed["total"] == 2
    assert all((repository.path / entry["path"]).is_file() for entry in listed["memories"])
    plain = active.client.request("context/compose", {"cwd": str(repository.path), "bracket": "FRESH"})
    assert plain["data"]["memory"] is None


def test_the_third_compaction_requests_a_new_session_with_the_resume_point(
    active: MemorySidecar, make_repository: MakeRepository
) -> None:
    repository = make_repository(PROJECT, name="till")
    params = {"cwd": str(repository.path), "sessionId": "s-1"}
    restarts = []
    for number in (1, 2, 3):
        entry = {**params, "compactionId": f"c-{number}"}
        active.client.request("context/preCompact", {**entry, "progress": f"Phase {number} is done"})
        restarts.append(active.client.request("context/postCompact", entry)["restart"])
    answer = active.client.request("context/continuation", params)
    assert restarts == [False, False, True]
    assert answer["reasons"] == ["3 compactions in this session (limit: 3)"]
    text = (repository.path / answer["path"]).read_text(encoding="utf-8")
    assert "> Phase 3 is done" in text
    assert "brief(in_progress, 45%)" in text

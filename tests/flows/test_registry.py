"""The registry and the decision engine through the RPC."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.registry.project_registry import ProjectRegistry
from tests.support.client import Client
from tests.support.conversation import Conversation, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

SPECIFICATION = Path(__file__).resolve().parents[1] / "registry" / "fixtures" / "specification.yaml"
PATH = "chati.dev/data/entity-registry.yaml"
Ask = Callable[..., Any]


@pytest.fixture
def framework(make_repository: Callable[..., Repository]) -> Repository:
    """A project with the registry of the specification, and five of the files it names."""
    return make_repository(
        {
            PATH: SPECIFICATION.read_text(encoding="utf-8"),
            "chati.dev/schemas/session.schema.json": "{}\n",
            "chati.dev/templates/prd.md": "# {{project}}\n",
            "chati.dev/templates/brownfield-prd.md": "# {{project}}\n",
            "chati.dev/agents/clarity/brief.md": "## Mission\n## Inputs\n## Outputs\n## Criteria\n",
            "chati.dev/agents/build/dev.md": "## Mission\n## Inputs\n## Outputs\n## Criteria\n",
        },
        name="framework",
    )


@pytest.fixture
def ask(client: Client, framework: Repository) -> Ask:
    return lambda verb, **params: client.request(f"registry/{verb}", {"cwd": str(framework.path), **params})


def test_one_file_catalogs_every_artifact_and_is_the_single_source_of_truth(ask: Ask, framework: Repository) -> None:
    listed = ask("list")
    assert (listed["source"]["path"], listed["total"], listed["source"]["declaredCount"]) == (PATH, 28, 48)
    kinds = [entry["type"] for entry in listed["entities"]]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "agent": 13, "template": 5, "workflow": 5, "schema": 4, "governance": 1,
    }  # fmt: skip
    text = (framework.path / PATH).read_text(encoding="utf-8")
    framework.write({PATH: text.replace("Deep discovery workflow", "Quick discovery workflow")})
    entity = ask("get", id="brownfield-discovery")["entity"]
    assert entity["purpose"] == "Quick discovery workflow for existing codebases"


def test_existing_code_is_reused_similar_code_adapted_and_the_rest_created(ask: Ask) -> None:
    intents = ("a PRD template for greenfield projects", "a PRD template for brownfield migrations", "a helm chart")
    decided = [ask("decide", intent=intent) for intent in intents]
    assert [entry["decision"] for entry in decided] == ["REUSE", "ADAPT", "CREATE"]
    best = [entry["recommendations"][0] for entry in decided[:2]]
    assert best[0]["score"] >= 90
    assert 60 <= best[1]["score"] < 90
    assert all(
        entry["score"] == pytest.approx(0.6 * entry["keywordScore"] + 0.4 * entry["purposeScore"]) for entry in best
    )
    assert best[1]["matched"] == ["prd", "template", "brownfield"]


def test_protected_entities_come_with_their_impact(ask: Ask) -> None:
    best = ask("decide", intent="JSON schema for the runtime state of the registry")["recommendations"][0]
    assert (best["entity"]["id"], best["entity"]["adaptability"], best["decision"]) == ("schemas/session", 0.2, "ADAPT")
    assert (best["impact"]["level"], best["impact"]["count"]) == ("high", 18)
    assert best["impact"] == ask("impact", id="schemas/session")["impact"]


def test_the_registry_follows_added_modified_and_removed_files(ask: Ask, framework: Repository) -> None:
    framework.write({"chati.dev/agents/data.md": "# Data\n"})
    ask("put", id="agents/data", path="chati.dev/agents/data.md", type="agent", purpose="Model the data of a product")
    assert ask("decide", intent="model the data of a product")["decision"] == "REUSE"
    assert ask("get", id="data")["file"] == "matches"
    framework.write({"chati.dev/agents/data.md": "# Data, changed\n"})
    assert ask("get", id="data")["file"] == "differs"
    changes = ask("refresh")["changes"]
    checksum = hashlib.sha256(b"# Data, changed\n").hexdigest()
    assert ("agents/data", "checksum", checksum) in [(entry["id"], entry["field"], entry["after"]) for entry in changes]
    ask("remove", id="agents/data")
    assert ask("decide", intent="model the data of a product")["decision"] == "CREATE"


def test_health_checks_everything_and_never_blocks(ask: Ask, framework: Repository) -> None:
    found = ask("health")
    counts = {entry["name"]: (entry["passed"], entry["total"]) for entry in found["checks"]}
    assert counts == {
        "entities": (5, 28), "schemas": (1, 4), "constitution": (0, 14), "agents": (2, 13), "templates": (2, 5),
        "checksums": (0, 0), "dependencies": (25, 30),
    }  # fmt: skip
    assert found["healthy"] is False
    assert all(entry["file"] and entry["remedy"] for entry in found["findings"])
    assert ask("decide", intent="session schema")["decision"] == "REUSE"
    assert framework.git("status", "--porcelain") == ""


def test_a_checksum_mismatch_reveals_an_unrecorded_modification(ask: Ask, framework: Repository) -> None:
    ask("health", fix=True)
    framework.write({"chati.dev/templates/prd.md": "# {{project}}, changed in passing\n"})
    found = [entry for entry in ask("health")["findings"] if entry["check"] == "checksums"]
    assert [(entry["file"], entry["fixable"]) for entry in found] == [("chati.dev/templates/prd.md", True)]


def test_a_repository_without_the_framework_gets_a_code_registry(client: Client, project: Repository) -> None:
    params = {"cwd": str(project.path)}
    assert client.request("registry/refresh", {**params, "fromCode": True})["derived"]["total"] > 0
    query = {**params, "intent": "a function for the discounted price of a product"}
    best = client.request("registry/decide", query)["recommendations"][0]
    assert (best["decision"], best["entity"]["id"]) == ("ADAPT", "code/till/prices.py#discounted_price")
    assert project.git("status", "--porcelain") == ""


def test_the_code_registry_follows_each_run(active: MemorySidecar, project: Repository) -> None:
    params = {"cwd": str(project.path)}
    active.client.request("registry/refresh", {**params, "fromCode": True})
    query = {**params, "intent": "convert a price to another currency"}
    assert active.client.request("registry/decide", query)["decision"] == "CREATE"
    chat = Conversation(active.client, project.path)
    content = 'def convert_currency(cents):\n    """Converts a price to another currency."""\n    return cents\n'
    chat.turn("Add currencies", lambda: [chat.edit("till/currency.py", content)])

    best = active.client.request("registry/decide", query)["recommendations"][0]
    assert (best["decision"], best["entity"]["id"]) == ("REUSE", "code/till/currency.py#convert_currency")


def test_the_code_registry_follows_a_run_that_reports_no_tools(
    active: MemorySidecar, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = {"cwd": str(project.path)}
    active.client.request("registry/refresh", {**params, "fromCode": True})
    query = {**params, "intent": "convert a price to another currency"}
    chat = Conversation(active.client, project.path)
    content = 'def convert_currency(cents):\n    """Converts a price to another currency."""\n    return cents\n'

    def decision_after(change: Callable[[], object]) -> str:
        chat.turn("Add currencies", lambda: (change(), ())[1])
        return str(active.client.request("registry/decide", query)["decision"])

    project.write({".env": "KEY=1\n"})
    assert decision_after(lambda: project.write({"till/currency.py": content})) == "REUSE"
    assert decision_after(lambda: project.write({"till/currency.py": "RATE = 2\n"})) == "CREATE"
    assert decision_after(lambda: [project.commit({"till/currency.py": content})]) == "REUSE"
    followed = []
    monkeypatch.setattr(ProjectRegistry, "note_change", lambda *_: followed.append(1))
    assert decision_after(lambda: None) == "REUSE"
    assert followed == []


def test_a_prompt_for_something_new_gets_a_hint_about_existing_code(
    active: MemorySidecar, framework: Repository
) -> None:
    prompt = "Create an agent that extracts and structures user requirements through elicitation phases"
    chat = Conversation(active.client, framework.path)
    line = "Agent `brief` already exists in chati.dev/agents/clarity/brief.md"
    turn = chat.turn(prompt)
    assert sent(turn).count(line) == 1
    items = active.client.request("continuity/explain", {"runId": turn["runId"]})["items"]
    (item,) = [entry for entry in items if entry["item"].startswith("registry:")]
    assert "this entity covers" in item["why"]
    assert line not in sent(chat.pre_run(prompt)), "the session has it"
    other = Conversation(active.client, framework.path, sub_chat_id="other")
    assert "already exists" not in sent(other.pre_run("Explain how requirements are extracted in phases"))

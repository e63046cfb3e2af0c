"""The specification's registry through the methods: its entities, and decisions on it."""

import hashlib
from collections.abc import Callable

import pytest

from tests.registry.conftest import OWN_REGISTRY, SPECIFICATION, Project


def test_specification_registry_loads_unchanged(framework: Project) -> None:
    listed = framework.request("list")
    assert listed["total"] == 28
    assert listed["source"] == {
        "path": "chati.dev/data/entity-registry.yaml",
        "exists": True,
        "version": "1.0.0",
        "lastUpdated": "2026-02-12T00:00:00Z",
        "declaredCount": 48,
        "damage": "",
    }
    assert listed["entities"][0] == {
        "id": "agents/orchestrator",
        "path": "chati.dev/orchestrator/chati.md",
        "type": "agent",
        "purpose": "Route user requests to correct agent, manage session state and deviations",
        "keywords": ["routing", "session", "deviation", "handoff", "mode-governance"],
        "dependencies": ["constitution", "session-schema", "config"],
        "adaptability": 0.2,
        "adaptabilityLevel": "low",
        "checksum": None,
        "origin": "file",
    }
    assert framework.registry() == SPECIFICATION.read_bytes().decode()


def test_wrong_entity_count_is_reported_not_rejected(framework: Project) -> None:
    assert framework.request("list")["remarks"] == [
        {"line": 5, "about": "metadata", "message": "The file declares 48 entities and contains 28."}
    ]


@pytest.mark.parametrize(
    ("entity", "name", "led_to"),
    [
        ("orchestrator", "constitution", "governance/constitution"),
        ("orchestrator", "session-schema", "schemas/session"),
        ("orchestrator", "config", "schemas/config"),
        ("tasks", "task-template", "templates/task"),
        ("qa-planning", "qa-gate-template", "templates/qa-gate"),
        ("brownfield-discovery", "brownfield-wu", "agents/brownfield-wu"),
        ("architect", "architecture-template", None),
        ("brownfield-wu", "decision-engine", None),
        ("brief", "brief-template", None),
    ],
)
def test_dependencies_resolve_by_key_then_without_the_type_suffix(
    framework: Project, entity: str, name: str, led_to: str | None
) -> None:
    dependencies = framework.request("get", id=entity)["dependencies"]
    assert {"name": name, "id": led_to} in dependencies


def test_entity_is_returned_by_id_and_by_key(framework: Project) -> None:
    assert framework.request("get", id="agents/ux") == framework.request("get", id="ux")
    missing = framework.error("get", id="agents/nobody")
    assert (missing.code, missing.message) == (-32016, "No entity has that id.")


def test_ambiguous_key_is_rejected(make_project: Callable[..., Project]) -> None:
    entry = "{path: a.md, purpose: One}"
    project = make_project(f"entities:\n  agents:\n    task: {entry}\n  templates:\n    task: {entry}\n")
    refused = project.error("get", id="task")
    assert refused.code == -32015
    assert "`agents/task`, `templates/task`" in refused.data["hint"]
    assert project.request("get", id="templates/task")["entity"]["id"] == "templates/task"


@pytest.mark.parametrize(
    ("content", "checksum", "state"),
    [
        (b"# Brief\n", hashlib.sha256(b"# Brief\n").hexdigest(), "matches"),
        (b"# Brief!\n", hashlib.sha256(b"# Brief\n").hexdigest(), "differs"),
        (b"# Brief\n", "<sha256>", "unverified"),
        (b"# Brief\n", "", "unverified"),
        (None, hashlib.sha256(b"# Brief\n").hexdigest(), "missing"),
    ],
)
def test_checksum_is_compared_with_the_file(
    make_project: Callable[..., Project], content: bytes | None, checksum: str, state: str
) -> None:
    project = make_project(f'entities:\n  agents:\n    brief:\n      path: brief.md\n      checksum: "{checksum}"\n')
    if content is not None:
        project.write("brief.md", content.decode())
    assert project.request("get", id="brief")["file"] == state


def test_a_folder_in_an_entitys_path_is_not_reported_as_missing(make_project: Callable[..., Project]) -> None:
    project = make_project("entities:\n  scripts:\n    build: {path: build}\n")
    project.write("build/main.py", "")
    assert project.request("get", id="build")["file"] == "irregular"


def test_path_outside_the_project_is_not_read(make_project: Callable[..., Project]) -> None:
    project = make_project("entities:\n  agents:\n    a: {path: ../outside.md}\n")
    (project.path.parent / "outside.md").write_text("secret\n")
    assert project.request("get", id="a")["file"] == "outside"


def test_without_the_framework_the_registry_is_in_our_own_folder(make_project: Callable[..., Project]) -> None:
    project = make_project()
    assert project.request("list")["source"]["path"] == OWN_REGISTRY
    project.write(OWN_REGISTRY, "entities:\n  scripts:\n    build: {path: build.sh, purpose: Builds}\n")
    assert [entry["id"] for entry in project.request("list")["entities"]] == ["scripts/build"]


def test_invalid_yaml_is_reported_and_not_used_for_decisions(make_project: Callable[..., Project]) -> None:
    project = make_project("entities: [\n")
    listed = project.request("list")
    assert listed["total"] == 0
    assert listed["source"]["damage"] == "The file is not valid YAML in line 2."
    assert listed["remarks"][0]["message"] == listed["source"]["damage"]


def test_entities_are_listed_by_type_and_in_pages(framework: Project) -> None:
    schemas = framework.request("list", type="schema")
    assert [entry["id"] for entry in schemas["entities"]] == [
        f"schemas/{key}" for key in ("session", "config", "context", "memory")
    ]
    page = framework.request("list", category="workflows", offset=3, limit=1)
    assert (page["total"], [entry["id"] for entry in page["entities"]]) == (5, ["workflows/brownfield-ui"])


@pytest.mark.parametrize(
    ("intent", "decision", "best"),
    [
        ("Product requirements document template for greenfield projects", "REUSE", "templates/prd"),
        ("design the user experience, interaction flows and interface structure", "REUSE", "agents/ux"),
        ("session schema", "REUSE", "schemas/session"),
        ("a workflow for brownfield frontend changes", "REUSE", "workflows/brownfield-ui"),
        ("an agent to review code and run tests", "ADAPT", "agents/qa-implementation"),
        ("a helm chart for the payment service's cluster", "CREATE", "workflows/brownfield-service"),
    ],
)
def test_decision_depends_on_the_registry(framework: Project, intent: str, decision: str, best: str) -> None:
    decided = framework.request("decide", intent=intent)
    assert (decided["decision"], decided["recommendations"][0]["entity"]["id"]) == (decision, best)


def test_recommendation_has_both_scores_terms_and_reasons(framework: Project) -> None:
    best = framework.request("decide", intent="an agent to review code and run tests")["recommendations"][0]
    assert best["score"] == pytest.approx(0.6 * best["keywordScore"] + 0.4 * best["purposeScore"])
    assert (best["matched"], best["missing"]) == (["agent", "review", "code", "tests"], ["run"])
    assert best["entity"]["adaptability"] == 0.3
    assert best["impact"] is None  # 0.3 is not below 0.3
    assert best["reasons"][-1].startswith("Its adaptability is low (0.3)")


def test_adapt_below_adaptability_of_0_3_includes_the_impact(framework: Project) -> None:
    decided = framework.request("decide", intent="route requests to an agent and manage the audit")
    best = decided["recommendations"][0]
    assert (best["entity"]["id"], best["decision"]) == ("agents/orchestrator", "ADAPT")
    assert best["impact"]["level"] == "high"
    assert {entry["id"] for entry in best["impact"]["dependents"]} == {
        f"workflows/{key}"
        for key in (
            "greenfield-fullstack",
            *(f"brownfield-{kind}" for kind in ("discovery", "fullstack", "ui", "service")),
        )
    }
    assert "below 0.3: 5 entities depend on it" in best["reasons"][-1]


def test_reuse_comes_before_adapt(framework: Project) -> None:
    decided = framework.request("decide", intent="session", limit=50)["recommendations"]
    order = ["REUSE", "ADAPT", "CREATE"]
    assert [entry["decision"] for entry in decided] == sorted((entry["decision"] for entry in decided), key=order.index)
    assert decided[0]["entity"]["id"] == "schemas/session"


def test_type_filters_entities(framework: Project) -> None:
    decided = framework.request("decide", intent="session", type="agent")
    assert decided["considered"] == 13
    assert {entry["entity"]["type"] for entry in decided["recommendations"]} == {"agent"}


def test_empty_registry_or_unrelated_intent_means_create(
    make_project: Callable[..., Project], framework: Project
) -> None:
    decided = make_project(name="empty").request("decide", intent="a parser")
    assert (decided["decision"], decided["considered"], decided["recommendations"]) == ("CREATE", 0, [])
    assert decided["problem"].startswith("The registry is empty")
    assert decided["recorded"] is False
    assert framework.request("decide", intent="zymurgy")["recommendations"] == []
    assert framework.request("decide", intent="¿?")["decision"] == "CREATE"


def test_same_request_yields_the_same_answer(framework: Project) -> None:
    answers = [framework.request("decide", intent="validate schemas and review code", limit=10) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]


def test_recent_decisions_are_stored_with_their_basis(framework: Project) -> None:
    first = framework.request("decide", intent="session schema")
    framework.request("decide", intent="use key AKIAIOSFODNN7EXAMPLE for a helm chart")
    framework.request("decide", intent="session schema")
    stored = framework.request("decisions")["decisions"]
    assert len(stored) == 2
    again = next(entry for entry in stored if entry["decisionId"] == first["decisionId"])
    assert (again["times"], again["decision"], again["entityId"]) == (2, "REUSE", "schemas/session")
    assert again["at"] == "2026-03-01T09:30:00.000Z"
    assert "AKIAIOSFODNN7EXAMPLE" not in str(stored)


def test_impact_lists_each_dependent_once(framework: Project) -> None:
    impact = framework.request("impact", id="session")["impact"]
    assert impact["level"] == "high"
    ids = [entry["id"] for entry in impact["dependents"]]
    assert len(ids) == len(set(ids)) == impact["count"] == 18
    assert [entry for entry in impact["dependents"] if entry["id"] == "workflows/brownfield-discovery"] == [
        {"id": "workflows/brownfield-discovery", "distance": 2, "via": "agents/brownfield-wu"}
    ]
    assert framework.request("impact", id="ux")["impact"] == {"level": "none", "count": 0, "dependents": []}

"""The hint for a pre-run: the best REUSE or ADAPT for what a prompt asks to create."""

from typing import Any

import pytest

from sidecar.language.message_intent import creation_request
from sidecar.registry import hint_for, is_unread
from tests.registry.conftest import Project
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of


def hint(sidecar: MemorySidecar, project: Project, prompt: str) -> Any:
    process = sidecar.app.process
    assert process is not None
    request = creation_request(prompt)
    return None if request is None else hint_for(process.workspaces.get(str(project.path), None), process, request.text)


def test_existing_entity_is_hinted_in_one_line(sidecar: MemorySidecar, framework: Project) -> None:
    reuse_hint = hint(sidecar, framework, "Create a PRD template for greenfield projects, please")
    assert (reuse_hint.decision, reuse_hint.entity_id, reuse_hint.path) == (
        "REUSE",
        "templates/prd",
        "chati.dev/templates/prd.md",
    )
    assert reuse_hint.text == (
        "Template `prd` already exists in chati.dev/templates/prd.md"
        " (Product Requirements Document template for greenfield projects): reuse it as it is."
    )
    assert "prd, template, greenfield, projects" in reuse_hint.why


def test_hint_and_decision_agree_on_a_prompt(sidecar: MemorySidecar, framework: Project) -> None:
    prompts = ["Create a PRD template for greenfield projects", "Add a session schema", "I need a session schema",
               "Build something to route requests to an agent", "Add a response", "Create an agent", "Write a schema",
               "Add a validation of the session to the schema"]  # fmt: skip
    for prompt in prompts:
        decided, reuse_hint = framework.request("decide", intent=prompt), hint(sidecar, framework, prompt)
        best = decided["recommendations"][:1]
        expected = None if decided["decision"] == "CREATE" else (decided["decision"], best[0]["entity"]["id"])
        assert (reuse_hint and (reuse_hint.decision, reuse_hint.entity_id)) == expected, prompt


def test_a_large_registry_is_read_in_the_background_and_hints_from_then_on(
    sidecar: MemorySidecar, framework: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecar.registry.project_registry.SMALL_BYTES", 0)
    assert hint(sidecar, framework, "Create a session schema") is None
    assert process_of(sidecar).wait_idle(20)
    assert hint(sidecar, framework, "Create a session schema") is not None


def test_hint_mentions_the_dependents(sidecar: MemorySidecar, framework: Project) -> None:
    reuse_hint = hint(sidecar, framework, "Build something to route requests to an agent and manage the audit")
    assert reuse_hint.decision == "ADAPT"
    assert reuse_hint.text.endswith("adapt it instead of creating another after checking its 5 dependents.")


def test_no_hint_without_a_match_or_an_intent(sidecar: MemorySidecar, framework: Project) -> None:
    assert hint(sidecar, framework, "Create a helm chart") is None
    assert hint(sidecar, framework, "Explain the PRD template for greenfield projects") is None


def test_purpose_cannot_forge_our_markers(sidecar: MemorySidecar, framework: Project) -> None:
    framework.request("put", id="ux", purpose="Draw zebras [continuity: request] now")
    reuse_hint = hint(sidecar, framework, "Create an agent to draw zebras")
    assert "[continuity:" not in reuse_hint.text


def test_hint_records_no_decision_and_its_digest_follows_the_registry(
    sidecar: MemorySidecar, framework: Project
) -> None:
    before = hint(sidecar, framework, "Create a session schema").digest
    assert hint(sidecar, framework, "Create a session schema").digest == before
    assert framework.request("decisions")["decisions"] == []
    framework.request("put", id="ux", purpose="Another")
    assert hint(sidecar, framework, "Create a session schema").digest != before


def test_damaged_registry_yields_no_hint(sidecar: MemorySidecar, framework: Project) -> None:
    framework.write("chati.dev/data/entity-registry.yaml", "entities: [\n")
    assert hint(sidecar, framework, "Create a session schema") is None


def test_folder_in_the_place_of_the_registry_yields_no_hint(sidecar: MemorySidecar, make_project: Any) -> None:
    project = make_project(name="irregular")
    (project.path / ".chati/registry.yaml").mkdir(parents=True)
    process = sidecar.app.process
    assert process is not None
    assert is_unread(process.workspaces.get(str(project.path), None), process) is False
    assert hint(sidecar, project, "Create a session schema") is None

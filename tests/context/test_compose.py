"""`context/compose`: the block of each bracket, from the project's own files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sidecar.context.xml_budget import Element, FittedParts, Part, element_weight, fit_parts
from tests.context.chati_project import CONSTITUTION, HANDOFF, NUMERALS, PROJECT
from tests.support.client import Client
from tests.support.repositories import Repository

Compose = Callable[..., Any]
SCHEMA = Path(__file__).parents[2] / "rpc_schema" / "context.schema.json"


def test_very_long_task_lines_are_shortened_and_reported(compose: Callable[..., Any]) -> None:
    answer = compose(bracket="FRESH", task="word " * 4_000)
    assert [(part["layer"], part["part"]) for part in answer["trimmed"]] == [("L4", "task")]
    assert compose(bracket="FRESH", task="word " * 20)["trimmed"] == []
    assert compose(bracket="CRITICAL", task="word " * 4_000)["trimmed"] == []


def test_a_fresh_block_has_all_five_layers(compose: Compose) -> None:
    compose_result = compose()
    tree = compose_result["tree"]
    assert compose_result["layers"] == ["L0", "L1", "L2", "L3", "L4"]
    assert [child.tag for child in tree] == ["constitution", "mode", "agent", "pipeline", "task", "handoff"]
    assert tree.get("bracket") == "FRESH"
    assert tree.findtext("mode") == "clarity"
    agent = tree.find("agent")
    assert agent.get("name") == "brief"
    assert agent.get("mission") == "Extract user requirements in 5 structured phases. Nothing is assumed."
    assert agent.findtext("inputs") == "WU artifact; User access"
    assert agent.findtext("outputs") == "Save to: `chati.dev/artifacts/brief.md`"
    assert agent.findtext("criteria") == "All 5 phases completed; Requirements categorized; User confirmed"
    pipeline = [line.strip() for line in tree.findtext("pipeline").strip().splitlines()]
    assert pipeline == [
        "greenfield-wu(95%) -> brief(in_progress, 45%) -> detail(pending) -> architect(pending)",
        "Backlog: BL-001 high: Two languages",
        "Backlog: BL-002 low: Printing",
    ]
    assert tree.findtext("task") == "Phase 2: Core Requirements Elicitation"
    handoff = tree.find("handoff")
    assert (handoff.get("from"), handoff.get("score")) == ("greenfield-wu", "95")
    assert "Next.js + PostgreSQL + Vercel." in handoff.text
    assert "auth: JWT" in handoff.text
    assert "Never injected" not in compose_result["block"]
    assert compose_result["warnings"] == []


@pytest.mark.parametrize(
    ("bracket", "layers", "tags"),
    [
        ("MODERATE", ["L0", "L1", "L2", "L3", "L4"], ["constitution", "mode", "agent", "pipeline", "task", "handoff"]),
        ("DEPLETED", ["L0", "L1", "L2"], ["constitution", "mode", "agent"]),
        ("CRITICAL", ["L0", "L1"], ["constitution", "mode"]),
    ],
)
def test_fuller_windows_get_fewer_layers(compose: Compose, bracket: str, layers: list[str], tags: list[str]) -> None:
    compose_result = compose(bracket=bracket)
    assert compose_result["layers"] == layers
    assert [child.tag for child in compose_result["tree"]] == tags
    assert compose_result["tokens"] <= compose_result["budgetTokens"]


@pytest.mark.parametrize("bracket", ["FRESH", "MODERATE", "DEPLETED", "CRITICAL"])
def test_every_article_appears_in_every_bracket(compose: Compose, bracket: str) -> None:
    text = compose(bracket=bracket)["tree"].findtext("constitution")
    assert "Articles I-XV" in text
    assert all(f"Article {number}: " in text for number in NUMERALS)
    assert "Every agent MUST keep to its governance" in text


def test_the_usage_determines_a_missing_bracket(compose: Compose) -> None:
    assert compose(bracket=None, usage={"usedTokens": 130, "maxTokens": 200})["bracket"] == "DEPLETED"


def test_bracket_or_usage_is_required(client: Client, chati: Repository) -> None:
    assert client.error("context/compose", {"cwd": str(chati.path)}).code == -32602
    assert client.error("context/compose", {"cwd": str(chati.path), "usage": {}}).code == -32602


def test_equal_inputs_produce_equal_bytes(compose: Compose) -> None:
    assert compose()["block"] == compose()["block"]


def test_requested_agent_mode_and_task_win_over_the_sessions(compose: Compose) -> None:
    tree = compose(agent="architect", mode="deploy", task="Choose the store\nand say why")["tree"]
    assert tree.find("agent").get("mission") == "Design the system"
    assert tree.find("agent").findtext("inputs") == "PRD; brief"
    assert tree.findtext("mode") == "deploy"
    assert "infrastructure" in tree.find("mode").get("writes")
    assert tree.findtext("task").split("\n")[1:3] == ["    Choose the store", "    and say why"]


def test_a_project_without_constitution_uses_its_instruction_files(
    compose: Compose, make_repository: Callable[..., Repository]
) -> None:
    rules = "# Rules\n\n- Never log a customer's card number.\n- Amounts are integers of cents, always.\n"
    plain_text = make_repository({"AGENTS.md": rules, "src/a.py": "x = 1\n"}, name="plain")
    compose_result = compose(cwd=plain_text.path, mode="plan")
    assert compose_result["layers"] == ["L0", "L1"]
    assert "Never log a customer's card number" in compose_result["data"]["constitution"]
    assert compose_result["data"]["mode"] == "plan"
    assert compose_result["warnings"] == ["No constitution at chati.dev/constitution.md; using AGENTS.md instead."]


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_an_empty_constitution_yields_the_fallback_and_a_warning(
    compose: Callable[..., Any], chati: Repository, text: str
) -> None:
    chati.write({"chati.dev/constitution.md": text, "AGENTS.md": "# Rules\n\n- Never guess an amount.\n"})
    answer = compose()
    assert "Never guess an amount" in answer["data"]["constitution"]
    assert answer["warnings"][:2] == [
        "chati.dev/constitution.md is empty.",
        "No constitution at chati.dev/constitution.md; using AGENTS.md instead.",
    ]


def test_an_empty_project_gets_fallbacks_with_warnings(
    compose: Compose, make_repository: Callable[..., Repository]
) -> None:
    compose_result = compose(cwd=make_repository({}, name="empty").path, bracket="CRITICAL")
    assert compose_result["layers"] == ["L0", "L1"]
    assert len(compose_result["warnings"]) == 2


def test_a_damaged_session_file_is_ignored_with_a_warning(compose: Compose, chati: Repository) -> None:
    chati.write({".chati/session.yaml": "agents: [unclosed\n  - {"})
    compose_result = compose()
    assert compose_result["data"]["pipeline"] is None
    assert compose_result["data"]["mode"] == "build"
    assert compose_result["warnings"][0] == ".chati/session.yaml is damaged YAML and is ignored."


def test_links_out_of_the_project_and_huge_files_are_not_read(
    compose: Compose, chati: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("## Article I: Stolen\n\nMUST not be read\n")
    path = chati.path / "chati.dev" / "constitution.md"
    path.unlink()
    path.symlink_to(outside)
    chati.write({"chati.dev/agents/clarity/brief.md": "# B\n\n## Mission\n\n" + "x" * 300_000})
    compose_result = compose()
    assert "Stolen" not in compose_result["block"]
    assert "chati.dev/constitution.md is not read" in compose_result["warnings"][0]
    assert any("brief.md is not read" in warning for warning in compose_result["warnings"])


def test_without_a_named_handoff_the_last_completed_agents_is_read(compose: Compose, chati: Repository) -> None:
    session = PROJECT[".chati/session.yaml"].partition("last_handoff")[0]
    chati.write({".chati/session.yaml": session})
    assert compose()["tree"].find("handoff").get("from") == "greenfield-wu"
    chati.write({".chati/session.yaml": session.replace("status: completed", "status: skipped")})
    assert compose()["tree"].find("handoff") is None


def test_a_session_file_cannot_reference_files_elsewhere(compose: Compose, chati: Repository) -> None:
    session = PROJECT[".chati/session.yaml"]
    chati.write({
        "secrets.md": "stolen words",
        ".chati/session.yaml": session.replace("chati.dev/artifacts/handoffs/greenfield-wu-handoff.md", "secrets.md")
        .replace("current_agent: brief", "current_agent: ../../secrets"),
    })  # fmt: skip
    assert "stolen words" not in compose()["block"]


def test_secrets_are_masked(compose: Compose, chati: Repository) -> None:
    token = "ghp_" + "Zx9Qw7Er5Ty3Ui1Op8As6Df4Gh2Jk0Lz1Xc"
    chati.write({"chati.dev/artifacts/handoffs/greenfield-wu-handoff.md": HANDOFF + f"\n## Keys\n- use {token}\n"})
    assert token not in compose(task=f"log in with {token}")["block"]


def test_the_lowest_layers_are_trimmed_first_and_reported(compose: Compose, chati: Repository) -> None:
    lines = "".join(
        f"- Decision {number}: we chose the {number}th option because of its merits\n" for number in range(90)
    )
    chati.write({"chati.dev/artifacts/handoffs/greenfield-wu-handoff.md": f"# H\n\n## Summary\n{lines}"})
    task = "\n".join(f"Step {number}: do what the plan says under number {number}" for number in range(400))
    compose_result = compose(bracket="MODERATE", task=task[:20_000])
    assert compose_result["tokens"] <= 2000
    assert [(part["layer"], part["part"]) for part in compose_result["trimmed"]][-2:] == [
        ("L4", "task"),
        ("L4", "handoff"),
    ]
    assert compose_result["data"]["pipeline"] is not None
    assert compose_result["data"]["agent"]["criteria"] is not None


def test_a_huge_constitution_is_shortened_but_never_left_out(compose: Compose, chati: Repository) -> None:
    chati.write({"chati.dev/constitution.md": CONSTITUTION * 20})
    compose_result = compose(bracket="CRITICAL")
    assert compose_result["tokens"] <= 800
    assert compose_result["tree"].findtext("constitution").strip()
    assert compose_result["trimmed"][0]["layer"] == "L0"
    assert "chati.dev/constitution.md" in compose_result["trimmed"][0]["reason"]


def test_the_data_matches_the_block_and_the_published_schema(compose: Compose) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for bracket in ("FRESH", "CRITICAL"):
        compose_result = compose(bracket=bracket)
        jsonschema.Draft202012Validator(schema).validate(compose_result["data"])
        for name in ("constitution", "pipeline", "task"):
            text = compose_result["tree"].findtext(name)
            lines = [line.strip() for line in text.strip().splitlines()] if text is not None else None
            assert (lines and "\n".join(lines)) == compose_result["data"][name]


def test_composing_writes_nothing(compose: Compose, chati: Repository) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in chati.path.rglob("*") if ".git" not in path.parts)
    compose()
    assert (
        sorted((path, path.stat().st_mtime_ns) for path in chati.path.rglob("*") if ".git" not in path.parts) == before
    )


def test_a_part_that_fits_exactly_is_not_cut() -> None:
    part = Part("L2", Element("memories", lines=("one", "two")))
    weight = element_weight(part.element)
    assert fit_parts([part], weight) == FittedParts((part.element,), ())
    assert fit_parts([part], weight - 0.01).trimmed

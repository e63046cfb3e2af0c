"""`context/compose`: the block of each bracket, from the project's own files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from tests.context.chati import CONSTITUTION, HANDOFF, NUMERALS, PROJECT
from tests.support.client import Client
from tests.support.repositories import Repository

Compose = Callable[..., Any]
SCHEMA = Path(__file__).parents[3] / "rpc_schema" / "context.schema.json"


def test_a_task_of_endless_lines_is_told_by_their_beginnings_and_that_is_said(compose: Callable[..., Any]) -> None:
    answer = compose(bracket="FRESH", task="word " * 4_000)
    assert [(one["layer"], one["part"]) for one in answer["trimmed"]] == [("L4", "task")]
    assert compose(bracket="FRESH", task="word " * 20)["trimmed"] == []
    assert compose(bracket="CRITICAL", task="word " * 4_000)["trimmed"] == []


def test_a_fresh_block_has_all_five_layers_as_the_specification_shows_them(compose: Compose) -> None:
    composed = compose()
    tree = composed["tree"]
    assert composed["layers"] == ["L0", "L1", "L2", "L3", "L4"]
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
    assert "Never injected" not in composed["block"]
    assert composed["warnings"] == []


@pytest.mark.parametrize(
    ("bracket", "layers", "tags"),
    [
        ("MODERATE", ["L0", "L1", "L2", "L3", "L4"], ["constitution", "mode", "agent", "pipeline", "task", "handoff"]),
        ("DEPLETED", ["L0", "L1", "L2"], ["constitution", "mode", "agent"]),
        ("CRITICAL", ["L0", "L1"], ["constitution", "mode"]),
    ],
)
def test_fuller_windows_get_fewer_layers(compose: Compose, bracket: str, layers: list[str], tags: list[str]) -> None:
    composed = compose(bracket=bracket)
    assert composed["layers"] == layers
    assert [child.tag for child in composed["tree"]] == tags
    assert composed["tokens"] <= composed["budgetTokens"]


@pytest.mark.parametrize("bracket", ["FRESH", "MODERATE", "DEPLETED", "CRITICAL"])
def test_every_article_is_named_in_every_bracket_with_what_it_demands_as_far_as_there_is_room(
    compose: Compose, bracket: str
) -> None:
    told = compose(bracket=bracket)["tree"].findtext("constitution")
    assert "Articles I-XV" in told
    assert all(f"Article {number}: " in told for number in NUMERALS)
    assert "Every agent MUST keep to its governance" in told


def test_the_usage_gives_the_bracket_where_none_is_sent(compose: Compose) -> None:
    assert compose(bracket=None, usage={"usedTokens": 130, "maxTokens": 200})["bracket"] == "DEPLETED"


def test_without_a_bracket_or_usage_no_block_is_made(client: Client, chati: Repository) -> None:
    assert client.error("context/compose", {"cwd": str(chati.path)}).code == -32602
    assert client.error("context/compose", {"cwd": str(chati.path), "usage": {}}).code == -32602


def test_equal_inputs_give_equal_bytes(compose: Compose) -> None:
    assert compose()["block"] == compose()["block"]


def test_agent_mode_and_task_of_the_call_count_before_the_sessions(compose: Compose) -> None:
    tree = compose(agent="architect", mode="deploy", task="Choose the store\nand say why")["tree"]
    assert tree.find("agent").get("mission") == "Design the system"
    assert tree.find("agent").findtext("inputs") == "PRD; brief"
    assert tree.findtext("mode") == "deploy"
    assert "infrastructure" in tree.find("mode").get("writes")
    assert tree.findtext("task").split("\n")[1:3] == ["    Choose the store", "    and say why"]


def test_a_plain_project_gets_its_instruction_files_as_l0_and_a_mode_as_l1(
    compose: Compose, make_repository: Callable[..., Repository]
) -> None:
    rules = "# Rules\n\n- Never log a customer's card number.\n- Amounts are integers of cents, always.\n"
    plain = make_repository({"AGENTS.md": rules, "src/a.py": "x = 1\n"}, name="plain")
    composed = compose(cwd=plain.path, mode="plan")
    assert composed["layers"] == ["L0", "L1"]
    assert "Never log a customer's card number" in composed["data"]["constitution"]
    assert composed["data"]["mode"] == "plan"
    assert composed["warnings"] == ["chati.dev/constitution.md is missing: AGENTS.md stands in for it."]


def test_an_empty_project_gets_fallbacks_and_is_told_so(
    compose: Compose, make_repository: Callable[..., Repository]
) -> None:
    composed = compose(cwd=make_repository({}, name="empty").path, bracket="CRITICAL")
    assert composed["layers"] == ["L0", "L1"]
    assert len(composed["warnings"]) == 2


def test_a_damaged_session_is_left_out_with_a_warning(compose: Compose, chati: Repository) -> None:
    chati.write({".chati/session.yaml": "agents: [unclosed\n  - {"})
    composed = compose()
    assert composed["data"]["pipeline"] is None
    assert composed["data"]["mode"] == "build"
    assert composed["warnings"][0] == ".chati/session.yaml is damaged YAML and is left out."


def test_no_link_out_of_the_project_is_followed_and_no_huge_file_read(
    compose: Compose, chati: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("## Article I: Stolen\n\nMUST not be read\n")
    path = chati.path / "chati.dev" / "constitution.md"
    path.unlink()
    path.symlink_to(outside)
    chati.write({"chati.dev/agents/clarity/brief.md": "# B\n\n## Mission\n\n" + "x" * 300_000})
    composed = compose()
    assert "Stolen" not in composed["block"]
    assert "chati.dev/constitution.md is not read" in composed["warnings"][0]
    assert any("brief.md is not read" in warning for warning in composed["warnings"])


def test_a_session_cannot_lead_to_a_file_elsewhere(compose: Compose, chati: Repository) -> None:
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


def test_what_does_not_fit_is_trimmed_from_the_lowest_layer_and_said(compose: Compose, chati: Repository) -> None:
    lines = "".join(
        f"- Decision {number}: we chose the {number}th option because of its merits\n" for number in range(90)
    )
    chati.write({"chati.dev/artifacts/handoffs/greenfield-wu-handoff.md": f"# H\n\n## Summary\n{lines}"})
    task = "\n".join(f"Step {number}: do what the plan says under number {number}" for number in range(400))
    composed = compose(bracket="MODERATE", task=task[:20_000])
    assert composed["tokens"] <= 2000
    assert [(one["layer"], one["part"]) for one in composed["trimmed"]][-2:] == [("L4", "task"), ("L4", "handoff")]
    assert composed["data"]["pipeline"] is not None
    assert composed["data"]["agent"]["criteria"] is not None


def test_a_huge_constitution_is_shortened_by_its_own_rule_and_never_left_out(
    compose: Compose, chati: Repository
) -> None:
    chati.write({"chati.dev/constitution.md": CONSTITUTION * 20})
    composed = compose(bracket="CRITICAL")
    assert composed["tokens"] <= 800
    assert composed["tree"].findtext("constitution").strip()
    assert composed["trimmed"][0]["layer"] == "L0"
    assert "chati.dev/constitution.md" in composed["trimmed"][0]["reason"]


def test_the_data_is_what_the_block_says_and_fits_the_published_schema(compose: Compose) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for bracket in ("FRESH", "CRITICAL"):
        composed = compose(bracket=bracket)
        jsonschema.Draft202012Validator(schema).validate(composed["data"])
        for name in ("constitution", "pipeline", "task"):
            told = composed["tree"].findtext(name)
            lines = [line.strip() for line in told.strip().splitlines()] if told is not None else None
            assert (lines and "\n".join(lines)) == composed["data"][name]


def test_composing_writes_nothing(compose: Compose, chati: Repository) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in chati.path.rglob("*") if ".git" not in path.parts)
    compose()
    assert (
        sorted((path, path.stat().st_mtime_ns) for path in chati.path.rglob("*") if ".git" not in path.parts) == before
    )

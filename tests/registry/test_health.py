"""The seven checks of the specification, each broken on its own; nothing is ever blocked."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.registry import articles_in, has_placeholder, missing_sections, roman
from tests.registry.conftest import FRAMEWORK_REGISTRY, SPECIFICATION, Project
from tests.support.cases import together

ARTICLES = "# Constitution\n\n" + "".join(f"## Article {roman(n)}: On {n}\n\nIt SHALL.\n\n" for n in range(1, 15))
AGENT = "# Brief\n\n## Mission\n\nAsk.\n\n## Inputs\n\n## Outputs\n\n## Success Criteria\n"
FILES = {
    "chati.dev/constitution.md": ARTICLES,
    "chati.dev/agents/brief.md": AGENT,
    "chati.dev/templates/prd.md": "# {{project}}\n",
    "chati.dev/schemas/session.schema.json": '{"type": "object"}\n',
}
ROWS = {
    "agents/brief": ("agent", "chati.dev/agents/brief.md", "[prd-template, session-schema]"),
    "templates/prd": ("template", "chati.dev/templates/prd.md", "[]"),
    "schemas/session": ("schema", "chati.dev/schemas/session.schema.json", "[]"),
    "governance/constitution": ("governance", "chati.dev/constitution.md", "[]"),
}


def registry(**changes: str) -> str:
    lines = ["metadata:", "  entity_count: 4", "entities:"]
    for id_, (type_, path, dependencies) in ROWS.items():
        category, key = id_.split("/")
        checksum = hashlib.sha256(FILES[path].encode()).hexdigest()
        lines += [f"  {category}:", f"    {key}:", f"      path: {path}", f"      type: {type_}", "      purpose: One"]
        lines += [f"      dependencies: {changes.get(key, dependencies)}", f'      checksum: "{checksum}"']
    return "\n".join(lines) + "\n"


@pytest.fixture
def complete(make_project: Callable[..., Project]) -> Project:
    """A framework without problems."""
    project = make_project(registry())
    for path, content in FILES.items():
        project.write(path, content)
    return project


def counts(answer: dict[str, Any]) -> dict[str, str]:
    return {entry["name"]: f"{entry['passed']}/{entry['total']}" for entry in answer["checks"]}


def test_complete_framework_is_healthy_in_all_seven_checks(complete: Project) -> None:
    answer = complete.request("health")
    assert (answer["healthy"], answer["findings"], answer["fix"]) == (True, [], None)
    assert counts(answer) == {
        "entities": "4/4",
        "schemas": "1/1",
        "constitution": "14/14",
        "agents": "1/1",
        "templates": "1/1",
        "checksums": "4/4",
        "dependencies": "2/2",
    }


@pytest.mark.parametrize(
    ("path", "content", "check", "count", "message"),
    [
        ("chati.dev/agents/brief.md", None, "entities", "3/4", "The file is missing."),
        ("chati.dev/schemas/session.schema.json", "{", "schemas", "0/1", "It is not valid JSON in line 1."),
        ("chati.dev/schemas/session.schema.json", "[1]", "schemas", "0/1", "It is JSON but not a schema."),
        (
            "chati.dev/constitution.md",
            ARTICLES.replace("Article IX:", "Part IX:"),
            "constitution",
            "13/14",
            "The constitution lacks Article IX.",
        ),
        ("chati.dev/constitution.md", None, "constitution", "0/14", "The constitution is missing."),
        (
            "chati.dev/agents/brief.md",
            "# Brief\n\n## Mission\n",
            "agents",
            "0/1",
            "It has no section for inputs, outputs, criteria.",
        ),
        ("chati.dev/templates/prd.md", "# PRD\n\nText.\n", "templates", "0/1", "It has no placeholder."),
        (
            "chati.dev/templates/prd.md",
            "# {{other}}\n",
            "checksums",
            "3/4",
            "The file changed after its checksum was recorded.",
        ),
    ],
)
def test_each_check_reports_file_and_remedy(
    complete: Project, path: str, content: str | None, check: str, count: str, message: str
) -> None:
    if content is None:
        (complete.path / path).unlink()
    else:
        complete.write(path, content)
    answer = complete.request("health")
    assert (answer["healthy"], counts(answer)[check]) == (False, count)
    finding = next(entry for entry in answer["findings"] if entry["check"] == check)
    assert (finding["file"], finding["message"], finding["severity"]) == (path, message, "problem")
    assert finding["remedy"]


def test_orphaned_dependency_is_reported(complete: Project) -> None:
    complete.write(FRAMEWORK_REGISTRY, registry(brief="[prd-template, decision-engine]"))
    answer = complete.request("health")
    assert counts(answer)["dependencies"] == "1/2"
    assert [(entry["id"], entry["message"]) for entry in answer["findings"]] == [
        ("agents/brief", "It depends on `decision-engine`, which is not in the registry.")
    ]


def test_entity_without_a_checksum_is_unverified_and_healthy(complete: Project) -> None:
    complete.write("chati.dev/new.md", "# New\n")
    complete.write(
        FRAMEWORK_REGISTRY,
        registry().replace("count: 4", "count: 5") + "    new: {path: chati.dev/new.md, purpose: One}\n",
    )
    answer = complete.request("health")
    assert (answer["healthy"], counts(answer)["checksums"]) == (True, "4/4")
    assert [(entry["severity"], entry["message"]) for entry in answer["findings"]] == [
        ("note", "No checksum is recorded.")
    ]


def test_specification_registry_without_its_files_is_reported(without_files: Project) -> None:
    answer = without_files.request("health")
    assert counts(answer) == {
        "entities": "0/28",
        "schemas": "0/4",
        "constitution": "0/14",
        "agents": "0/13",
        "templates": "0/5",
        "checksums": "0/0",
        "dependencies": "25/30",
    }
    assert without_files.request("decide", intent="session schema")["recommendations"] == []
    assert without_files.registry() == SPECIFICATION.read_bytes().decode()


def test_fix_updates_checksums_and_count_and_supports_dry_run(complete: Project) -> None:
    text = registry().replace("count: 4", "count: 48")
    complete.write(FRAMEWORK_REGISTRY, text)
    complete.write("chati.dev/templates/prd.md", "# {{other}}\n")
    dry = complete.request("health", fix=True, dryRun=True)
    assert [(entry["id"], entry["field"]) for entry in dry["fix"]["changes"]] == [
        ("templates/prd", "checksum"),
        ("metadata", "entity_count"),
    ]
    assert (complete.registry(), dry["healthy"], dry["fix"]["written"]) == (text, False, False)
    done = complete.request("health", fix=True)
    assert (done["healthy"], done["fix"]["written"]) == (True, True)
    assert (complete.path / done["fix"]["backup"]).read_text() == text
    assert complete.request("health", fix=True)["fix"] == {"changes": [], "written": False, "backup": None}


def test_missing_and_damaged_registry_are_reported(make_project: Callable[..., Project]) -> None:
    for number, (text, message) in enumerate(
        (
            (None, "The registry does not exist."),
            ("", "The registry contains no entities."),
            ("entities:\n", "The registry contains no entities."),
            ("entities:\n- path: a.py\n", "`entities` is not a mapping of categories to entities."),
            ("- path: a.py\n", "The file is not a mapping of keys to values."),
        )
    ):
        answer = make_project(text, name=f"project-{number}").request("health")
        assert (answer["healthy"], answer["findings"][0]["message"]) == (False, message)
    damaged = make_project("entities: [\n", name="damaged").request("health", fix=True)
    assert damaged["healthy"] is False
    assert damaged["findings"][0]["message"] == "The file is not valid YAML in line 2."


def test_health_of_a_huge_registry_fits_into_a_message(
    make_project: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecar.registry.methods.MAX_FINDINGS", 3)
    entries = "".join(f"    e{number}: {{path: e{number}.md, purpose: x}}\n" for number in range(20))
    answer = make_project(f"entities:\n  agents:\n{entries}").request("health")
    assert (len(answer["findings"]), answer["omitted"], answer["healthy"]) == (3, 18, False)


@together(
    ("numbers", "present", "expected", "missing"),
    [
        (range(1, 15), 14, 14, ()),
        (range(1, 16), 15, 15, ()),
        (range(1, 20), 19, 19, ()),
        (range(1, 14), 13, 14, ("XIV",)),
        ([*range(1, 8), *range(9, 16)], 14, 15, ("VIII",)),
        ([], 0, 14, tuple(roman(n) for n in range(1, 15))),
    ],
)
def test_articles_are_counted_without_gaps(
    numbers: list[int], present: int, expected: int, missing: tuple[str, ...]
) -> None:
    for heading in ("## Article {}: Text", "### Article {} — Text", "**Article {}**", "Article {}: Text"):
        assert articles_in("\n".join(heading.format(roman(n)) for n in numbers)) == (present, expected, missing)


def test_article_mentions_and_example_headings_do_not_count() -> None:
    assert articles_in("See Article II for more.\n").present == 0
    assert missing_sections("# A\n\n```\n## Mission\n## Inputs\n## Outputs\n## Criteria\n```\n") == [
        "mission", "inputs", "outputs", "criteria",
    ]  # fmt: skip
    assert missing_sections("## Mission\n## On Activation\n## Output\n## Self-Validation (Protocol 5.1)\n") == []


@together("text", ["{{name}}", "Hello {name}", "<Project Name>", "[Project Name]", "${NAME}", "fields:\n  - a"])
def test_template_has_a_placeholder(text: str) -> None:
    assert has_placeholder(text)


@together("text", ["", "# PRD", "[a link](https://a.example)", "- [ ] todo", "a { b }"])
def test_prose_has_no_placeholder(text: str) -> None:
    assert not has_placeholder(text)

"""Edits of the registry's file: an entity put or removed changes its own lines and no other byte."""

import errno
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.core import yaml_text
from sidecar.registry import methods
from tests.registry.conftest import FRAMEWORK_REGISTRY, OWN_REGISTRY, SPECIFICATION, Project

HAND_WRITTEN = """\
# Ours.
metadata:
  version: "2.0"   # bumped by hand
  last_updated: "2026-02-12T00:00:00Z"
  entity_count: 2
  owner: ada

entities:
  # Those that think.
  agents:
    brief:   # the first one
      path: agents/brief.md
      type: agent
      purpose: 'Extract requirements'   # said so by Ada
      keywords:
        - requirements   # mostly
        - brief
      adaptability: 0.4
      reviewed: yes

    # The second one.
    detail: {path: agents/detail.md, purpose: "Write the PRD", adaptability: 0.4}
"""


def test_changed_field_leaves_every_other_byte(make_project: Callable[..., Project]) -> None:
    project = make_project(HAND_WRITTEN)
    done = project.request("put", id="brief", purpose='Ask "why"', adaptability=0.5)
    assert done["changes"][:2] == [
        {"id": "agents/brief", "field": "purpose", "before": "Extract requirements", "after": 'Ask "why"'},
        {"id": "agents/brief", "field": "adaptability", "before": "0.4", "after": "0.5"},
    ]
    expected = (
        HAND_WRITTEN.replace("'Extract requirements'", '"Ask \\"why\\""')
        .replace("adaptability: 0.4\n", "adaptability: 0.5\n")
        .replace("2026-02-12T00:00:00Z", "2026-03-01T09:30:00.000Z")
    )
    assert project.registry() == expected
    assert (done["entity"]["purpose"], done["written"]) == ('Ask "why"', True)


def test_text_that_looks_like_null_or_a_number_stays_text(make_project: Callable[..., Project]) -> None:
    project = make_project(HAND_WRITTEN)
    for text in ("null", "~", "12", "true", "- a", "a: b", "#", "'"):
        assert project.request("put", id="brief", purpose=text, keywords=[text])["entity"]["purpose"] == text
        assert project.request("get", id="brief")["entity"]["keywords"] == [text]


def test_new_entity_follows_the_last_one_of_its_category(make_project: Callable[..., Project]) -> None:
    project = make_project(HAND_WRITTEN)
    project.write("agents/ux.md", "# UX\n")
    checksum = hashlib.sha256(b"# UX\n").hexdigest()
    done = project.request(
        "put",
        id="ux",
        type="agent",
        path="agents/ux.md",
        purpose="Design: flows",
        keywords=["ux", "a: b"],
        adaptability=0.5,
    )
    assert done["entity"]["id"] == "agents/ux"
    assert project.registry() == (
        HAND_WRITTEN.replace("2026-02-12T00:00:00Z", "2026-03-01T09:30:00.000Z").replace("count: 2", "count: 3")
        + '\n    ux:\n      path: agents/ux.md\n      type: agent\n      purpose: "Design: flows"\n'
        + f'      keywords: [ux, "a: b"]\n      adaptability: 0.5\n      checksum: "{checksum}"\n'
    )


def test_put_then_remove_changes_only_the_date(framework: Project) -> None:
    before = framework.registry()
    framework.request("put", id="agents/new", path="new.md", purpose="Something new")
    framework.request("remove", id="agents/new")
    after = framework.registry()
    assert after.replace("2026-03-01T09:30:00.000Z", "2026-02-12T00:00:00Z").replace("count: 28", "count: 48") == before


def test_wrong_count_is_corrected_by_an_edit(framework: Project) -> None:
    done = framework.request("remove", id="ux")
    assert {"id": "metadata", "field": "entity_count", "before": "48", "after": "27"} in done["changes"]
    assert framework.request("list")["remarks"] == []


def test_remove_reports_orphaned_dependents(framework: Project) -> None:
    done = framework.request("remove", id="orchestrator")
    assert {f"workflows/{kind}" for kind in ("greenfield-fullstack", "brownfield-ui")} <= set(done["orphaned"])
    assert done["entity"] is None


def test_dry_run_returns_the_changes_and_writes_nothing(framework: Project) -> None:
    done = framework.request("put", id="ux", purpose="Another", dryRun=True)
    assert (done["written"], done["backup"]) == (False, None)
    assert done["changes"][0]["after"] == "Another"
    assert framework.registry() == SPECIFICATION.read_bytes().decode()
    assert not (framework.path / ".chati").exists()
    assert framework.request("remove", id="ux", dryRun=True)["changes"][0]["after"] is None
    assert framework.registry() == SPECIFICATION.read_bytes().decode()


def test_backup_is_written_and_ignored_by_git(framework: Project) -> None:
    done = framework.request("put", id="ux", purpose="Another")
    assert done["backup"] == ".chati/backups/registry-2026-03-01T093000000Z.yaml"
    assert (framework.path / done["backup"]).read_bytes() == SPECIFICATION.read_bytes()
    assert (framework.path / ".chati" / ".gitignore").read_text().endswith("\n*\n")


def test_nothing_is_written_if_nothing_changes(without_files: Project) -> None:
    done = without_files.request(
        "put", id="schemas/session", purpose="JSON schema for .chati/session.yaml runtime state"
    )
    assert (done["changes"], done["written"]) == (
        [
            {"id": "metadata", "field": "entity_count", "before": "48", "after": "28"},
            {
                "id": "metadata",
                "field": "last_updated",
                "before": "2026-02-12T00:00:00Z",
                "after": "2026-03-01T09:30:00.000Z",
            },
        ],
        True,
    )
    assert without_files.request("put", id="schemas/session", adaptability=0.2)["written"] is False


def test_dry_run_of_a_removal_reports_what_the_removal_does(framework: Project) -> None:
    dry = framework.request("remove", id="schemas/session", dryRun=True)
    assert framework.request("list")["total"] == 28
    done = framework.request("remove", id="schemas/session")
    assert dry["orphaned"]
    assert {**dry, "written": True, "backup": done["backup"]} == done


def test_removal_that_fails_with_the_state_file_changes_nothing(
    make_project: Callable[..., Project], state_dir: Path
) -> None:
    text = "entities:\n  code:\n    cart:\n      path: cart.py\n      type: module\n      purpose: The cart\n"
    project, state_file = make_project(text), state_dir / "continuity.db"
    state_file.rename(state_dir / "elsewhere.db")
    assert project.error("remove", id="cart").data["kind"] == "stateDegraded"
    assert project.registry() == text
    (state_dir / "elsewhere.db").rename(state_file)
    assert project.request("remove", id="cart")["written"]


def test_project_without_a_registry_gets_one_in_our_own_folder(make_project: Callable[..., Project]) -> None:
    project = make_project()
    done = project.request("put", id="deploy", type="script", path="deploy.sh", purpose="Deploys to staging")
    assert (done["path"], done["entity"]["id"], done["backup"]) == (OWN_REGISTRY, "scripts/deploy", None)
    assert project.registry(OWN_REGISTRY) == (
        '# The entities of this project and their purposes. Edit it as you like.\nmetadata:\n  version: "1.0.0"\n'
        "entities:\n  scripts:\n    deploy:\n      path: deploy.sh\n      type: script\n"
        '      purpose: "Deploys to staging"\n'
    )
    project.write("deploy.sh", "#!/bin/sh\n")
    assert project.request("decide", intent="deploy to staging")["decision"] == "REUSE"
    project.request("remove", id="deploy")
    assert project.request("list")["total"] == 0


@pytest.mark.parametrize(
    ("params", "code", "message"),
    [
        ({"id": "agents/new"}, -32602, "No entity has that id, and a new one needs a `path` and a `purpose`."),
        ({"id": "new", "path": "a", "purpose": "b"}, -32602, "A new entity needs a category or a `type`."),
        ({"id": "agents/new", "path": "../a", "purpose": "b"}, -32014, "`../a` is outside the project."),
        ({"id": "ux", "path": "/etc/passwd"}, -32014, "`/etc/passwd` is outside the project."),
    ],
)
def test_invalid_entities_are_rejected(framework: Project, params: dict[str, str], code: int, message: str) -> None:
    refused = framework.error("put", **params)
    assert (refused.code, refused.message) == (code, message)
    assert framework.registry() == SPECIFICATION.read_bytes().decode()


def test_damaged_file_is_not_written(make_project: Callable[..., Project]) -> None:
    project = make_project("entities: [\n")
    refused = project.error("put", id="agents/a", path="a", purpose="b")
    assert (refused.code, refused.message) == (
        -32015,
        "The registry cannot be changed. The file is not valid YAML in line 2.",
    )
    assert project.registry() == "entities: [\n"


def test_edit_that_would_change_more_is_rejected(make_project: Callable[..., Project]) -> None:
    text = "entities:\n  agents:\n    a: &a {path: a.md, purpose: One}\n    b: *a\n"
    project = make_project(text)
    refused = project.error("put", id="agents/b", path="b.md", purpose="Two")
    assert refused.code == -32015
    assert project.registry() == text


@pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")
def test_own_folder_that_is_a_link_is_rejected(make_project: Callable[..., Project], tmp_path: Path) -> None:
    project = make_project(name="linked")
    (tmp_path / "elsewhere").mkdir()
    (project.path / ".chati").symlink_to(tmp_path / "elsewhere")
    assert project.error("put", id="a/b", path="a", purpose="b").code == -32014
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_line_ends_and_byte_order_mark_are_preserved(make_project: Callable[..., Project]) -> None:
    text = "\ufeff" + HAND_WRITTEN.replace("\n", "\r\n")
    project = make_project(text)
    project.request("put", id="agents/new", path="new.md", purpose="New")
    project.request("remove", id="agents/new")
    assert project.registry(FRAMEWORK_REGISTRY).replace("2026-03-01T09:30:00.000Z", "2026-02-12T00:00:00Z") == text


@pytest.mark.parametrize("make", ["folder", "pipe"])
@pytest.mark.parametrize("path", [FRAMEWORK_REGISTRY, OWN_REGISTRY])
def test_what_is_not_a_regular_file_is_named_and_not_replaced(
    make_project: Callable[..., Project], make: str, path: str
) -> None:
    if make == "pipe" and os.name == "nt":
        pytest.skip("no file is a pipe there")
    project = make_project(name="irregular")
    (project.path / path).parent.mkdir(parents=True, exist_ok=True)
    (project.path / path).mkdir() if make == "folder" else os.mkfifo(project.path / path)
    for verb, params in (
        ("list", {}), ("health", {}), ("refresh", {}), ("decide", {"intent": "an agent"}),
        ("put", {"id": "a/b", "path": "a", "purpose": "b"}),
    ):  # fmt: skip
        refused = project.error(verb, **params)
        assert (refused.code, refused.message) == (-32014, f"`{path}` is not a regular file."), verb
        assert refused.data["hint"] == "Move away what is in its place."
    assert not (project.path / path).is_file()


@pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")
def test_unreadable_registry_is_named_and_not_replaced(make_project: Callable[..., Project]) -> None:
    project = make_project(name="loop")
    (project.path / ".chati").mkdir()
    (project.path / OWN_REGISTRY).symlink_to("registry.yaml")
    for verb, params in (("list", {}), ("put", {"id": "a/b", "path": "a", "purpose": "b"})):
        refused = project.error(verb, **params)
        assert (refused.code, refused.message) == (
            -32010,
            f"`{OWN_REGISTRY}` cannot be read: {os.strerror(errno.ELOOP)}.",
        )
    assert (project.path / OWN_REGISTRY).is_symlink()


def test_folder_in_the_place_of_an_entitys_file_is_not_called_missing(make_project: Callable[..., Project]) -> None:
    entities = "a: {path: agents, purpose: One}\n    b: {path: ../b, purpose: Two}\n"
    project = make_project(f"entities:\n  agents:\n    {entities}", OWN_REGISTRY)
    (project.path / "agents").mkdir()
    messages = ["It is not a regular file.", "The path is outside the project."]
    assert [finding["message"] for finding in project.request("health")["findings"]] == messages
    assert [problem["message"] for problem in project.request("refresh")["problems"]] == [
        "`agents` is not a regular file.",
        "`../b` is outside the project.",
    ]


def test_an_edit_parses_each_text_once_and_health_reads_each_file_once(
    make_project: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = "".join(f"    m{number}: {{path: f.py, purpose: Thing {number}}}\n" for number in range(50))
    project = make_project(f"metadata:\n  entity_count: 50\n  last_updated: then\nentities:\n  modules:\n{entries}")
    project.write("f.py", "f = 1\n")
    parsed: list[str] = []
    read: list[str] = []
    monkeypatch.setattr(yaml_text, "_parse", lambda text, run=yaml_text._parse: parsed.append(text) or run(text))
    monkeypatch.setattr(methods, "_content", lambda *names, run=methods._content: read.append(names[1]) or run(*names))
    done = project.request("remove", id="m5", dryRun=True)
    assert [change["field"] for change in done["changes"]] == ["*", "entity_count", "last_updated"]
    whole = [text for text in parsed if "modules:" in text]
    assert [len(whole), len(set(whole))] == [2, 2]
    assert project.request("health")["checks"][0] == {"name": "entities", "passed": 50, "total": 50}
    assert read.count("f.py") == 1


def test_secrets_in_the_file_reach_no_answer(make_project: Callable[..., Project]) -> None:
    token = f"{'gl'}pat-B3xY7kLm2Qw9Zp4RtB3xY7"
    entry = f"path: f.py, purpose: 'Use {token}', keywords: [{token}]"
    project = make_project(f"entities:\n  modules:\n    m1: {{{entry}}}\n    m2: {{path: {token}.py, purpose: No}}\n")
    listed = project.request("list")
    assert [entity["id"] for entity in listed["entities"]] == ["modules/m1"]
    assert [remark["about"] for remark in listed["remarks"]] == ["modules/m2"]
    assert token not in str(listed)
    project.request("put", id="m1", adaptability=0.4)
    assert project.registry().count(token) == 3

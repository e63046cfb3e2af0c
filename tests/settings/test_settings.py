"""Settings as a client sees them: effective layers, persistence, validation."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.settings import BY_NAME, SETTINGS, Layer, resolve_layers
from tests.support.client import Client
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.secret_shapes import TOKENS

LAYERS: tuple[Layer, ...] = ("initialize", "global", "project", "environment")
NAMES = st.sampled_from([row.name for row in SETTINGS])
VALUES = st.dictionaries(NAMES | st.just("unknown"), st.none() | st.integers(0, 9), max_size=6)


@given(st.lists(VALUES, min_size=4, max_size=4))
def test_the_last_layer_with_a_value_wins(values: list[dict[str, Any]]) -> None:
    settings = resolve_layers(list(zip(LAYERS, values, strict=True)))
    for row in SETTINGS:
        values_set = [
            (layer, value[row.name])
            for layer, value in zip(LAYERS, values, strict=True)
            if value.get(row.name) is not None
        ]
        source, expected = values_set[-1] if values_set else ("default", row.default)
        assert (settings.resolved[row.name].source, settings[row.name]) == (source, expected)
    assert set(settings.resolved) == set(BY_NAME)


def test_a_branch_whose_name_contains_a_secret_is_refused(client: Client) -> None:
    branch = f"memory/{TOKENS['Supabase'].text}"
    failure = client.error("settings/update", {"settings": {"memoryBranch": branch}})
    assert failure.message == "`settings.memoryBranch` must not contain a secret."
    assert branch not in str(client.request("settings/get"))


def test_new_bytes_per_call_never_exceed_the_budget() -> None:
    plain = resolve_layers([])
    assert plain.new_bytes_per_call("low") == plain.budget_bytes("low") == 14_000
    assert resolve_layers([("global", {"budgets.newBytesPerCall": 2_000})]).new_bytes_per_call("low") == 2_000
    assert resolve_layers([("global", {"budgets.newBytesPerCall": 99_000})]).new_bytes_per_call("low") == 14_000


def shown(client: Client, name: str, project: Path | None = None) -> tuple[Any, str]:
    params = {} if project is None else {"projectPath": str(project)}
    settings = client.request("settings/get", params)["settings"]
    setting = next(setting for setting in settings if setting["name"] == name)
    return setting["value"], setting["source"]


def update(client: Client, settings: dict[str, Any], project: Path | None = None) -> Any:
    where = {} if project is None else {"projectPath": str(project)}
    return client.request("settings/update", {"settings": settings, **where})


def test_each_setting_is_shown_with_value_source_default_and_meaning(client: Client) -> None:
    settings = client.request("settings/get", {})["settings"]
    assert [setting["name"] for setting in settings] == [row.name for row in SETTINGS]
    assert all(setting["source"] == "default" and setting["value"] == setting["default"] for setting in settings)
    assert all(setting["description"] for setting in settings)
    assert shown(client, "mode") == ("passive", "default")


def test_each_layer_overrides_the_one_below(open_sidecar: Callable[..., MemorySidecar], tmp_path: Path) -> None:
    sidecar = open_sidecar(environment={"ONECODE_TOKEN_MODE": "debug"})
    client = sidecar.client
    client.initialize(settings={"mode": "off", "tokenMode": "low", "budgets": {"low": 5_000}})
    project = tmp_path / "project"
    project.mkdir()
    assert shown(client, "mode") == ("off", "initialize")
    assert shown(client, "budgets.low") == (5_000, "initialize")
    update(client, {"mode": "active"})
    assert shown(client, "mode") == ("active", "global")
    assert shown(client, "mode", project) == ("active", "global")
    update(client, {"mode": "passive", "tokenMode": "normal"}, project)
    assert shown(client, "mode", project) == ("passive", "project")
    assert shown(client, "mode") == ("active", "global")
    assert shown(client, "mode", tmp_path / "other") == ("active", "global")
    assert shown(client, "tokenMode", project) == ("debug", "environment")


def test_an_update_returns_the_effective_values(client: Client) -> None:
    settings = {setting["name"]: setting["value"] for setting in update(client, {"snapshot": False})["settings"]}
    assert settings["snapshot"] is False


def test_null_removes_a_setting_and_others_remain(client: Client) -> None:
    update(client, {"mode": "active", "capture": {"changedLines": 3, "changedFiles": 4}})
    update(client, {"mode": None, "capture": {"changedLines": None}})
    assert shown(client, "mode") == ("passive", "default")
    assert shown(client, "capture.changedLines") == (120, "default")
    assert shown(client, "capture.changedFiles") == (4, "global")
    update(client, {"capture": None})
    assert shown(client, "capture.changedFiles") == (8, "default")


def test_settings_outlive_the_process(open_sidecar: Callable[..., MemorySidecar], tmp_path: Path) -> None:
    first = open_sidecar()
    first.client.initialize(settings={"tokenMode": "debug"})
    update(first.client, {"mode": "active"})
    (tmp_path / "project").mkdir()
    update(first.client, {"mode": "off"}, tmp_path / "project")
    first.close()
    second = open_sidecar()
    second.client.initialize()
    assert shown(second.client, "mode") == ("active", "global")
    assert shown(second.client, "mode", tmp_path / "project") == ("off", "project")
    assert shown(second.client, "tokenMode") == ("normal", "default")  # from `initialize`: for one process only


def test_two_spellings_of_a_path_are_the_same_project(client: Client, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "project")
    update(client, {"mode": "off"}, tmp_path / "project")
    assert shown(client, "mode", tmp_path / "link") == ("off", "project")
    assert shown(client, "mode", tmp_path / "project" / ".." / "project") == ("off", "project")


def test_an_invalid_update_names_every_invalid_value_and_changes_nothing(client: Client) -> None:
    failure = client.error(
        "settings/update",
        {"settings": {"mode": "sideways", "tokenMode": "low", "budgets": {"low": 1}, "memoryBranch": "main"}},
    )
    assert failure.code == -32602
    paths = {error["path"] for error in failure.data["errors"]}
    assert {path.split(".", 1)[1] for path in paths} == {"mode", "budgets.low", "memoryBranch"}
    assert "sideways" not in str(failure)
    assert shown(client, "tokenMode") == ("normal", "default")


def test_a_project_that_does_not_exist_gets_no_setting(client: Client, tmp_path: Path) -> None:
    project = tmp_path / "shopp"
    refused = client.error("settings/update", {"projectPath": str(project), "settings": {"mode": "active"}})
    assert (refused.data["kind"], refused.message) == ("workspaceUnavailable", "The project's folder does not exist.")
    assert shown(client, "mode", project) == ("passive", "default")


def test_a_setting_of_all_projects_is_refused_for_one(client: Client, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    for settings in ({"retention": {"days": 3}}, {"cache": {"hotBytes": 70_000}}, {"cache": {"diskBytes": 2_000_000}}):
        refused = client.error("settings/update", {"projectPath": str(tmp_path / "shop"), "settings": settings})
        assert (refused.code, refused.data["hint"]) == (-32602, "Send it without `projectPath`.")
        assert "has one value for all projects" in refused.message
    update(client, {"retention": {"days": None}}, tmp_path / "shop")
    update(client, {"retention": {"days": 3}})
    assert shown(client, "retention.days", tmp_path / "shop") == (3, "global")


def test_a_stored_value_of_one_project_for_a_setting_of_all_has_no_effect_and_is_reported(
    client: Client, tmp_path: Path
) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    update(client, {"notes": False}, shop)
    with apsw.Connection(str(client.state_dir / "continuity.db")) as database:
        database.execute("UPDATE continuity_settings SET name = 'retention.days', value = '3' WHERE name = 'notes'")
    update(client, {"mode": "active"})
    assert shown(client, "retention.days", shop) == (180, "default")
    findings = client.request("state/doctor", {"fix": True})["findings"]
    assert [
        (finding["fixed"], "`retention.days` has one value for all projects" in finding["message"])
        for finding in findings
        if finding["check"] == "settings"
    ] == [(True, True)]


@pytest.mark.parametrize("name", ["-a", ".a", "_a"])
def test_a_name_that_begins_with_a_sign_is_refused_with_the_reason(client: Client, name: str) -> None:
    refused = client.error("settings/update", {"settings": {"rollout": {"share": 50, "experiment": name}}})
    assert refused.message.endswith("first a letter or digit.")


def test_a_relative_project_is_refused(client: Client) -> None:
    assert client.error("settings/get", {"projectPath": "relative"}).code == -32010


@pytest.mark.parametrize(
    "settings", [{"mode": "sideways"}, {"memoryBranch": "release/1"}, {"capture": {"x": 1}}, {"budgets.low": 1}]
)
def test_invalid_settings_in_initialize_are_refused(open_sidecar: Callable[..., MemorySidecar], settings: Any) -> None:
    client = open_sidecar().client
    failure = client.error("initialize", {**client.handshake(), "settings": settings})
    assert failure.code == -32602
    assert failure.data["errors"][0]["path"] == "settings"


def test_an_invalid_variable_is_a_warning_of_the_handshake(open_sidecar: Callable[..., MemorySidecar]) -> None:
    client = open_sidecar(environment={"ONECODE_CONTINUITY_MODE": "sideways"}).client
    warnings = client.initialize()["state"]["warnings"]
    assert len(warnings) == 1
    assert "ONECODE_CONTINUITY_MODE" in warnings[0]
    assert shown(client, "mode") == ("passive", "default")


DECIDED = {
    "mode": "passive", "snapshot": True, "rehydrate": False, "tokenMode": "normal",
    "artifactPolicy": "auto-write-manual-commit", "memoryBranch": "memory/continuity",
    "budgets.low": 14_000, "budgets.normal": 24_000, "budgets.debug": 42_000, "budgets.newBytesPerCall": None,
    "capture.changedLines": 120, "capture.changedFiles": 8,
    "knowledge.writesPerSecond": 90, "knowledge.repository": None, "knowledge.stalenessThreshold": None,
    "knowledge.sessionThreshold": None, "knowledge.onHeadMoved": False,
}  # fmt: skip


def test_the_decided_numbers_are_the_defaults(client: Client) -> None:
    found = {row["name"]: row["value"] for row in client.request("settings/get", {})["settings"]}
    assert {name: found[name] for name in DECIDED} == DECIDED


def test_a_pattern_of_secrets_is_refused_with_its_reason(client: Client) -> None:
    failure = client.error("settings/update", {"settings": {"secretPatterns": ["acme_[A-Z]{20}", "(a+)+b"]}})
    assert failure.code == -32602
    assert "may have only characters, classes" in json.dumps(failure.data)
    assert shown(client, "secretPatterns") == ([], "default")


def test_own_patterns_mask_every_project_from_the_next_start(
    open_sidecar: Callable[..., MemorySidecar], make_repository: Callable[..., Repository]
) -> None:
    """Also what was summarized before."""
    shop = make_repository({"src/key.py": 'def api_of(shop):\n    return connect("acme_a1B2c3D4e5", shop)\n'}).path
    client = open_sidecar().client
    client.initialize()
    assert "acme_a1B2c3D4e5" in found(client, shop)
    update(client, {"secretPatterns": ["acme_[A-Za-z0-9]{10}"]}, shop)
    client = open_sidecar().client
    client.initialize()
    assert "acme_a1B2c3D4e5" not in found(client, shop)
    client.request("memory/add", {"cwd": str(shop), "text": "The key is acme_zzzzzzzzz1."})
    assert "acme_zzz" not in json.dumps(client.request("memory/list", {"cwd": str(shop)}))
    update(client, {"secretPatterns": None}, shop)
    client = open_sidecar().client
    client.initialize()
    assert "acme_a1B2c3D4e5" in found(client, shop)


def found(client: Client, shop: Path) -> str:
    client.request("codebase/index", {"cwd": str(shop)})
    return json.dumps(client.request("codebase/search", {"cwd": str(shop), "query": "api_of shop key"}))

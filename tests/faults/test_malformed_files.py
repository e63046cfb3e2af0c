"""Hostile files cost neither the process nor its time: nested endlessly, repeated endlessly, half written."""

import itertools
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.capture.effects.architectural_boundaries import by_path
from sidecar.cli.main import run
from sidecar.codebase.file_analysis_worker import WORDS
from sidecar.core import config_tables
from sidecar.core.yaml_text import MAX_DEPTH, MAX_VALUES, read_mapping
from sidecar.system.worker_processes import Worker, worker_command

DEEP = 50_000
ROOT = Path(__file__).resolve().parents[2]


def _nested_aliases(times: int, levels: int, template: str) -> str:
    """Return levels that each repeat the previous one `times` times."""
    names = [f"n{number}" for number in range(levels)]
    lines = [f"{names[0]}: &{names[0]} {{k: v}}"]
    for before, name in itertools.pairwise(names):
        lines.append(f"{name}: &{name} {template % ', '.join([f'*{before}'] * times)}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: " + "[" * DEEP, id="lists that never close"),
        pytest.param("a: " + "[" * DEEP + "]" * DEEP, id="lists in lists"),
        pytest.param("a:\n  " + "- " * DEEP + "x", id="items in items"),
        pytest.param("? " * DEEP + "x", id="keys in keys"),
        pytest.param("a: " + "{a: " * DEEP + "}" * DEEP, id="mappings in mappings"),
        pytest.param(_nested_aliases(9, 12, "[%s]"), id="a billion laughs"),
        pytest.param(_nested_aliases(9, 12, "{<<: [%s]}"), id="a billion merges"),
        pytest.param("a: &a [*a]", id="a list that holds itself"),
        pytest.param("a: &a {b: *a}", id="a mapping that holds itself"),
        pytest.param("a: &a {<<: *a}", id="a mapping merged with itself"),
    ],
)
def test_yaml_nested_or_repeated_excessively_is_damaged(text: str) -> None:
    assert read_mapping(text) is None


def test_reasonable_yaml_is_read_with_its_aliases() -> None:
    assert read_mapping("base: &b {a: 1}\none: {<<: *b, c: 2}\ntwo: [*b, *b]\n") == {
        "base": {"a": 1},
        "one": {"a": 1, "c": 2},
        "two": [{"a": 1}, {"a": 1}],
    }
    assert read_mapping("a: " + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)) is not None
    assert read_mapping("a: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)) is None
    assert read_mapping(f"a: [{'1,' * (MAX_VALUES // 10)}]") is not None


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (config_tables.parse_toml, "a=" + "[" * DEEP),
        (config_tables.parse_toml, "a=" + "{a=" * DEEP),
        (config_tables.parse_json, "[" * DEEP),
        (config_tables.parse_ini, "[a]\nkey\n  goes on\n"),
    ],
)
def test_an_unreadable_configuration_file_is_an_empty_table(
    read: Callable[[str], config_tables.Table], text: str
) -> None:
    assert read(text) == {}


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("pyproject.toml", "a=" + "[" * DEEP),
        ("package.json", '{"exports":' * 600 + "1" + "}" * 600),
        ("pyproject.toml", "[project.scripts]\na=0xffffffffffffffffffff\n"),
        ("Cargo.toml", "[package]\nname=" + "{a=" * DEEP),
    ],
)
def test_an_unreadable_manifest_has_no_contracts(path: str, after: str) -> None:
    assert by_path(path, "", after) is None


def test_our_processes_load_no_module_from_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sidecar").mkdir()
    for name in ("sidecar/__init__.py", "orjson.py", "json.py", "queue.py"):
        (tmp_path / name).write_text(f"open({str(tmp_path / 'loaded')!r}, 'a').write({name!r})\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # an inherited one may lead to the current folder
    monkeypatch.chdir(tmp_path)
    worker = Worker(worker_command("analyse"))
    try:
        request = {"cwd": bytes(tmp_path).hex(), "files": [], "stage": WORDS, "patterns": [], "announces": False}
        (answer,) = worker.request(json.dumps(request).encode())
        assert json.loads(answer)[:2] == ["words", []]
    finally:
        worker.close()
    assert not (tmp_path / "loaded").exists()


def test_installed_hooks_load_no_module_from_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "python")])
    assert run(["hook", "install", "--yes", "--json"]) == 0
    settings = json.loads((tmp_path / "claude" / "settings.json").read_bytes())
    words = shlex.split(settings["hooks"]["Stop"][0]["hooks"][0]["command"])
    (tmp_path / "sidecar.py").write_text(f"open({str(tmp_path / 'loaded')!r}, 'a')\n", encoding="utf-8")
    variables = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path),
        "ONECODE_CONTINUITY_MODE": "off",
    }
    done = subprocess.run(words, cwd=tmp_path, env=variables, input=b"{}", timeout=60, check=False)
    assert done.returncode == 0
    assert not (tmp_path / "loaded").exists()

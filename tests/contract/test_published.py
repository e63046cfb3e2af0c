"""The files under rpc_schema/ match the catalog completely."""

import json
import re
import runpy
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import referencing
from referencing.jsonschema import DRAFT7

from sidecar.catalog import discover_method
from sidecar.core.wire_types import Empty
from sidecar.json_schemas import all_errors
from sidecar.method import Method
from sidecar.settings import SETTINGS
from tests.contract.catalog import CATALOG, PUBLISHED, ROWS
from tests.node.packages import node_modules
from tests.support.cases import together

ROOT = PUBLISHED.parent
CONFIGURATION = ROOT / "sidecar" / "docs" / "configuration.md"
METHODS_MD = (PUBLISHED / "METHODS.md").read_text(encoding="utf-8")
META_SCHEMAS = """
const of = (name) => { const loaded = require(name); return loaded.default ?? loaded }
process.stdout.write(JSON.stringify([of("@open-rpc/meta-schema"), of("@json-schema-tools/meta-schema")]))
"""


def generate(root: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(root / "build" / "generate.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_settings_table_states_both_bounds_of_a_number() -> None:
    rows = {
        line.split("`")[1]: line for line in CONFIGURATION.read_text("utf-8").splitlines() if line.startswith("| `")
    }
    assert "whole number from 0 to 100 |" in rows["rollout.share"]
    assert "whole number from 1 to 36,500 |" in rows["retention.days"]
    assert "whole number from 1 |" in rows["capture.changedLines"]


@pytest.mark.slow
def test_check_names_each_stale_missing_and_superfluous_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "build").mkdir()
    for name in ("generate.py", "name_descriptions.txt"):
        shutil.copy(ROOT / "build" / name, tmp_path / "build")
    for name in ("rpc_schema", "sidecar", "build/generators"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / ".venv").symlink_to(Path(sys.prefix).resolve())
    (tmp_path / "rpc_schema" / "METHODS.md").write_text("old")
    (tmp_path / "rpc_schema" / "openrpc.json").unlink()
    (tmp_path / "rpc_schema" / "schemas" / "Gone.json").write_text("{}")

    main = runpy.run_path(str(tmp_path / "build" / "generate.py"))["main"]
    # Once for all runs; that generated files are the same in each process is another test's.
    monkeypatch.setitem(main.__globals__, "_expected", cache(main.__globals__["_expected"]))
    monkeypatch.setattr(sys, "path", [*sys.path])

    def run(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["generate.py", *arguments])
        return int(main())

    assert run("--check") == 1
    assert capsys.readouterr().out.splitlines()[:3] == [
        "missing: rpc_schema/openrpc.json",
        "stale: rpc_schema/METHODS.md",
        "superfluous: rpc_schema/schemas/Gone.json",
    ]
    assert run() == 0
    assert run("--check") == 0
    assert not (tmp_path / "rpc_schema" / "schemas" / "Gone.json").exists()


def test_without_an_environment_generate_names_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    shutil.copy(ROOT / "build" / "generate.py", tmp_path / "build")
    refused = generate(tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "build/setup.py" in refused.stderr


def test_openrpc_is_valid_by_the_meta_schema() -> None:
    script = subprocess.run(
        ["node", "-e", META_SCHEMAS],
        cwd=node_modules().parent,
        capture_output=True,
        text=True,
        check=True,
    )
    openrpc_meta, json_schema_meta = json.loads(script.stdout)
    resource = DRAFT7.create_resource(json_schema_meta)
    address = json_schema_meta["$id"]
    known: referencing.Registry[Any] = referencing.Registry().with_resources(
        [(address, resource), (address.rstrip("/"), resource)]
    )
    validator = jsonschema.Draft7Validator(openrpc_meta, registry=known)
    document = json.loads((PUBLISHED / "openrpc.json").read_text(encoding="utf-8"))
    assert [error.message for error in validator.iter_errors(document)] == []
    assert not validator.is_valid({**document, "methods": [{"name": "no params"}]})


def test_rpc_discover_answers_with_the_published_document() -> None:
    row = next(row for row in CATALOG.methods if row.name == "rpc.discover")
    assert row.run is not None
    answer = row.run(None, Empty())
    document = json.loads(answer.model_dump_json(by_alias=True))
    assert document == json.loads((PUBLISHED / "openrpc.json").read_text(encoding="utf-8"))
    assert row.run(None, Empty()) is answer


def test_the_document_is_built_from_the_catalog_if_none_is_published() -> None:
    rows = tuple(row for row in CATALOG.methods if row.name != "rpc.discover")
    made = discover_method(CATALOG._replace(methods=rows))
    assert made.run is not None
    document = json.loads(made.run(None, Empty()).model_dump_json(by_alias=True))
    assert document == json.loads((PUBLISHED / "openrpc.json").read_text(encoding="utf-8"))


def test_openrpc_lists_every_method_and_notification_and_refers_to_nothing_missing() -> None:
    document = json.loads((PUBLISHED / "openrpc.json").read_text(encoding="utf-8"))
    listed = [entry["name"] for entry in (*document["methods"], *document["x-serverNotifications"])]
    assert sorted(listed) == sorted(ROWS)
    for reference in re.findall(r'"\$ref": "#/([^"]+)"', (PUBLISHED / "openrpc.json").read_text(encoding="utf-8")):
        found = document
        for step in reference.split("/"):
            found = found[step]
        assert found


@together("path", sorted((PUBLISHED / "schemas").glob("*.json")))
def test_each_schema_is_draft_2020_12(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == path.name
    for reference in re.findall(r'"\$ref": "([^"]+)"', path.read_text(encoding="utf-8")):
        assert (path.parent / reference).exists()


@together("name", ROWS)
def test_every_method_and_notification_is_documented(name: str) -> None:
    row = ROWS[name]
    section = section_of(name)
    assert row.doc in section
    documented = list(members(row.params))
    if isinstance(row, Method):
        documented += members(row.result)
        assert f"Lane: `{row.lane}`." in section
        for error in row.errors:
            assert f"`{error.kind}` ({error.code})" in section
    for member in documented:
        assert f"| `{member}` |" in section


@together("row", SETTINGS)
def test_every_setting_is_documented_with_default_and_environment(row: Any) -> None:
    table = CONFIGURATION.read_text(encoding="utf-8")
    line = next(line for line in table.splitlines() if line.startswith(f"| `{row.name}` |"))
    assert f"`{json.dumps(row.default)}`" in line
    assert row.doc in line
    assert row.env is None or f"`{row.env}`" in line


@together("error", all_errors())
def test_every_error_is_documented_and_has_its_own_code(error: Any) -> None:
    assert f"| {error.code} | `{error.kind}` |" in METHODS_MD
    assert f"  {error.kind}: {error.code}," in (PUBLISHED / "typescript" / "types.ts").read_text(encoding="utf-8")
    assert [other for other in all_errors() if other.code == error.code or other.kind == error.kind] == [error]


def section_of(name: str) -> str:
    start = METHODS_MD.index(f"## `{name}`\n")
    end = METHODS_MD.find("\n## ", start + 1)
    return METHODS_MD[start : end if end > 0 else None]


def members(model: Any) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]

"""The guides in packaging/ and the build workflow match the source tree."""

import json
import plistlib
import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from sidecar.daily_metrics import MetricsFigures
from sidecar.settings import BY_NAME
from tests.support.client import Client

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "packaging" / "onecode" / "README.md"
NOTES = ROOT / "packaging" / "README.md"
WORKFLOW = ROOT / ".github" / "workflows" / "build.yml"

TESTED_IN = {
    "build/freeze.py": ROOT / "tests" / "frozen" / "conftest.py",
    "build/release.py": ROOT / "tests" / "frozen" / "test_release.py",
}
"""Scripts run by the test command, and the tests that run them."""

PLATFORMS = {"linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64", "win32-x64"}
"""Names of the app's folders of binaries."""


def quoted(page: Path) -> set[str]:
    """Return the text between backticks on a page."""
    return set(re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8")))


def jobs() -> dict[str, Any]:
    loaded = YAML(typ="safe").load(WORKFLOW.read_text(encoding="utf-8"))
    return dict(loaded["jobs"])


def commands(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("page", [GUIDE, NOTES], ids=lambda page: page.parent.name)
def test_every_file_named_by_a_page_exists(page: Path) -> None:
    named = {
        name for name in quoted(page) if re.fullmatch(r"(rpc_schema|packaging|build|tests|\.github)/[\w./-]*", name)
    }
    assert named
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_every_method_and_setting_named_by_the_guide_exists() -> None:
    methods = {name for name in quoted(GUIDE) if re.fullmatch(r"[a-z]+/[a-zA-Z]+", name)}
    assert {"settings/update", "metrics/summary", "continuity/sessionEvent"} <= methods
    contract = json.loads((ROOT / "rpc_schema" / "openrpc.json").read_text(encoding="utf-8"))
    assert methods - {method["name"] for method in contract["methods"]} == set()
    rows = re.findall(r"^\| [^|]+ \| `[^`]*\{(\w[\w, ]*)\}", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for row in rows for name in row.split(", ")}
    assert {"snapshot", "rehydrate", "memoryBranch"} <= named <= set(BY_NAME)


def test_the_rollout_names_every_check_of_the_report(client: Client) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    rollout = text[text.index("## Rollout") : text.index("## Rollback")]
    checks = [
        (check["name"], check["target"])
        for stage in client.request("state/report", {})["stages"]
        for check in stage["checks"]
    ]
    assert len(checks) >= 9
    assert [name for name, _ in checks if name not in rollout] == []
    assert [target for _, target in checks if target.startswith(("≥", "≤")) and target not in rollout] == []


def test_the_figures_of_the_rollout_exist_in_the_summary(client: Client) -> None:
    figures = {field.alias for field in MetricsFigures.model_fields.values()}
    named = {name.split(".")[1] for name in quoted(GUIDE) if re.fullmatch(r"(active|passive)\.\w+", name)}
    assert {"followUpHitRate", "reduction", "governorSuppressed"} <= named
    assert named - figures == set()
    assert {"active", "passive", "errors"} <= client.request("metrics/summary", {}).keys()


def test_the_linux_jobs_run_the_test_command() -> None:
    assert commands(jobs()["test"]) == [".ci/run"]
    assert "exec python3 build/test.py" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    built = commands(jobs()["build"])
    assert built == [f"python {script}" for script in TESTED_IN]
    for script, tests in TESTED_IN.items():
        assert (ROOT / script).is_file()
        assert f'"{Path(script).name}"' in tests.read_text(encoding="utf-8"), "the tests run it"


def test_every_platform_of_the_app_is_built() -> None:
    matrix = jobs()["build"]["strategy"]["matrix"]["include"]
    assert {row["target"] for row in matrix} == PLATFORMS
    assert len({row["runner"] for row in matrix}) == len(PLATFORMS)
    notes = NOTES.read_text(encoding="utf-8")
    assert [row["target"] for row in matrix if f"`{row['target']}`" not in notes] == []
    assert matrix[0]["runner"] == "ubuntu-22.04", "the notes name its glibc"
    assert "22.04: glibc 2.35" in notes


def test_the_only_entitlement_is_to_load_foreign_libraries() -> None:
    granted = plistlib.loads((ROOT / "packaging" / "entitlements.plist").read_bytes())
    assert granted == {"com.apple.security.cs.disable-library-validation": True}
    spec = (ROOT / "packaging" / "onecode-sidecar.spec").read_text(encoding="utf-8")
    assert '"entitlements.plist"' in spec
    assert "entitlements_file=" in spec

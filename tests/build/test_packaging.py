"""What stands in packaging/ and in the build's definition is true of this tree."""

import json
import plistlib
import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from sidecar.metrics.model import MetricsFigures, MetricsSummaryResult
from sidecar.settings.table import BY_NAME
from tests.support.client import Client

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "packaging" / "onecode" / "README.md"
NOTES = ROOT / "packaging" / "README.md"
WORKFLOW = ROOT / ".github" / "workflows" / "build.yml"

TESTED_IN = {
    "build/freeze.py": ROOT / "tests" / "frozen" / "conftest.py",
    "build/release.py": ROOT / "tests" / "frozen" / "test_release.py",
}
"""The scripts that the test command runs, and who runs them."""

PLATFORMS = {"linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64", "win32-x64"}
"""As the app names its folders of binaries."""


def quoted(page: Path) -> set[str]:
    """Gives what a page has between backticks."""
    return set(re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8")))


def jobs() -> dict[str, Any]:
    loaded = YAML(typ="safe").load(WORKFLOW.read_text(encoding="utf-8"))
    return dict(loaded["jobs"])


def commands(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("page", [GUIDE, NOTES], ids=lambda page: page.parent.name)
def test_every_file_a_page_names_is_there(page: Path) -> None:
    named = {
        name for name in quoted(page) if re.fullmatch(r"(rpc_schema|packaging|build|tests|\.github)/[\w./-]*", name)
    }
    assert named
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_every_method_and_setting_the_guide_names_exists() -> None:
    methods = {name for name in quoted(GUIDE) if re.fullmatch(r"[a-z]+/[a-zA-Z]+", name)}
    assert {"settings/update", "metrics/summary", "continuity/sessionEvent"} <= methods
    contract = json.loads((ROOT / "rpc_schema" / "openrpc.json").read_text(encoding="utf-8"))
    assert methods - {method["name"] for method in contract["methods"]} == set()
    rows = re.findall(r"^\| [^|]+ \| `[^`]*\{(\w[\w, ]*)\}", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for row in rows for name in row.split(", ")}
    assert {"snapshot", "rehydrate", "memoryBranch"} <= named <= set(BY_NAME)


def test_the_rollout_names_every_figure_the_report_decides_by(client: Client) -> None:
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


def test_the_figures_of_the_rollout_are_those_of_the_summary() -> None:
    figures = {field.alias for field in MetricsFigures.model_fields.values()}
    named = {name.split(".")[1] for name in quoted(GUIDE) if re.fullmatch(r"(active|passive)\.\w+", name)}
    assert {"followUpHitRate", "reduction", "governorSuppressed"} <= named
    assert named - figures == set()
    assert {"active", "passive", "errors"} <= set(MetricsSummaryResult.model_fields)


def test_what_the_linux_jobs_run_is_what_the_test_command_runs() -> None:
    assert commands(jobs()["test"]) == [".ci/run"]
    assert "exec python3 build/test.py" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    built = commands(jobs()["build"])
    assert built == [f"python {script}" for script in TESTED_IN]
    for script, tests in TESTED_IN.items():
        assert (ROOT / script).is_file()
        assert f'"{Path(script).name}"' in tests.read_text(encoding="utf-8"), "the tests run it"


def test_every_platform_the_app_is_made_for_is_built() -> None:
    matrix = jobs()["build"]["strategy"]["matrix"]["include"]
    assert {row["target"] for row in matrix} == PLATFORMS
    assert len({row["runner"] for row in matrix}) == len(PLATFORMS)
    notes = NOTES.read_text(encoding="utf-8")
    assert [row["target"] for row in matrix if f"`{row['target']}`" not in notes] == []
    assert matrix[0]["runner"] == "ubuntu-22.04", "the notes name its glibc"
    assert "22.04: glibc 2.35" in notes


def test_the_hardened_program_may_load_libraries_of_others_and_nothing_more() -> None:
    granted = plistlib.loads((ROOT / "packaging" / "entitlements.plist").read_bytes())
    assert granted == {"com.apple.security.cs.disable-library-validation": True}
    spec = (ROOT / "packaging" / "onecode-sidecar.spec").read_text(encoding="utf-8")
    assert '"entitlements.plist"' in spec
    assert "entitlements_file=" in spec

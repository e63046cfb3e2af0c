"""What the frozen program leaves out is never needed: the part of the frozen tests that needs no build."""

import ast
import json
import subprocess
import sys

from tests.frozen.conftest import ROOT
from tests.support.depth import is_thorough

SPEC = ROOT / "packaging" / "onecode-sidecar.spec"

WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Excluded(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if any(name == excluded or name.startswith(excluded + ".") for excluded in {excluded!r}):
            raise ModuleNotFoundError(f"{{name}} is left out of the frozen program", name=name)

sys.meta_path.insert(0, Excluded())
sys.argv = ["onecode-sidecar", "--selfcheck"]
from sidecar.__main__ import main
main()
"""


def excluded_modules() -> list[str]:
    """Return the value of EXCLUDED in the specification file."""
    for statement in ast.parse(SPEC.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "EXCLUDED":
            return [str(name) for name in ast.literal_eval(statement.value)]
    raise AssertionError("packaging/onecode-sidecar.spec has no EXCLUDED")


def test_every_module_loads_without_what_is_left_out() -> None:
    program = WITHOUT.format(excluded=excluded_modules())
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(check["ok"] for check in json.loads(done.stdout)["checks"].values())


def test_an_excluded_module_that_is_needed_is_reported() -> None:
    needed = "watchfiles" if is_thorough() else "orjson"  # which is loaded first
    program = WITHOUT.format(excluded=[*excluded_modules(), needed])
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert done.returncode == 1
    assert f"{needed} is left out" in (done.stdout + done.stderr).decode()

"""The integration script and the download for 1Code, tested in Node; the real app where a checkout is present."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.node.packages import node_modules
from tests.support.depth import is_thorough

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "packaging" / "onecode" / "integrate.mjs"
COMPILED = HERE.parents[1] / ".pytest_cache" / "compiled_app"
"""What the compiler wrote for the same integrated app in an earlier run."""
SECONDS = 120
REAL_CHECKOUT = "INTEGRATION_CHECKOUT"
"""Environment variable that names a clean checkout of the app with its packages installed."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["integrate", "download"])
def test_in_node(name: str) -> None:
    script = HERE / f"{name}.test.mjs"
    program = Path(sys.executable).with_name("onecode-sidecar" + (".exe" if os.name == "nt" else ""))
    command = ["node", "--test-reporter=spec", str(script)]  # `--test` starts another process for the file
    store = {} if is_thorough() else {"COMPILED": str(COMPILED)}
    run(command, NODE_MODULES=str(node_modules()), SIDECAR_COMMAND=str(program), **store)


@pytest.mark.thorough
def test_the_real_app_has_no_new_type_error() -> None:
    checkout = os.environ.get(REAL_CHECKOUT)
    if not checkout:
        pytest.skip(f"{REAL_CHECKOUT} does not name a checkout of the app")
    before = type_errors(Path(checkout))
    run(["node", str(SCRIPT), checkout])
    try:
        assert type_errors(Path(checkout)) == before
        run(["node", str(SCRIPT), checkout, "--check"])
    finally:
        run(["node", str(SCRIPT), checkout, "--revert"])
    status = run(["git", "-C", checkout, "status", "--porcelain"])
    assert status == ""


def type_errors(checkout: Path) -> list[tuple[str, str]]:
    """Return file and code of each type error of the app."""
    compiler = checkout / "node_modules" / "typescript" / "bin" / "tsc"
    command = ["node", str(compiler), "--noEmit", "--pretty", "false", "--project", str(checkout)]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, timeout=SECONDS * 5, check=False)
    lines = [line for line in done.stdout.splitlines() if ": error TS" in line]
    return sorted((line.partition("(")[0], line.partition("error ")[2].partition(":")[0]) for line in lines)


def run(command: list[str], **variables: str) -> str:
    environment = {**os.environ, **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode:
        pytest.fail(f"{' '.join(command)}\n{done.stdout}{done.stderr}", pytrace=False)
    return done.stdout

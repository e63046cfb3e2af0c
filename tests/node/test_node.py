"""Runs the TypeScript client's tests: compiled under `tsc --strict`, each file one test, against the real process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.node.packages import HERE, node_modules

ROOT = HERE.parent.parent
FILE_SECONDS = 180
FILES = sorted(path.name.removesuffix(".test.ts") for path in HERE.glob("*.test.ts"))


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client and its tests as JavaScript; a type error fails every test here."""
    output = tmp_path_factory.mktemp("node")
    compiler = node_modules() / "typescript" / "bin" / "tsc"
    run(["node", str(compiler), "--project", str(HERE), "--noEmit", "false", "--outDir", str(output)])
    return output


@pytest.mark.parametrize("name", FILES)
def test_in_node(name: str, compiled: Path) -> None:
    script = compiled / "tests" / "node" / f"{name}.test.js"
    run(["node", "--test", "--test-reporter=spec", str(script)])


def run(command: list[str]) -> None:
    environment = {
        **os.environ,
        "NODE_PATH": str(node_modules()),
        "SIDECAR_COMMAND": str(Path(sys.executable).with_name("onecode-sidecar" + (".exe" if os.name == "nt" else ""))),
    }
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=FILE_SECONDS, check=False
    )
    if done.returncode:
        pytest.fail(f"{' '.join(command)}\n{done.stdout}{done.stderr}", pytrace=False)

"""The client works with the built program."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.node.packages import node_modules

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client and its tests as JavaScript, compiled under `tsc --strict`."""
    output = tmp_path_factory.mktemp("host")
    compiler = node_modules() / "typescript" / "bin" / "tsc"
    in_node(str(compiler), "--project", str(Path(__file__).parent), "--noEmit", "false", "--outDir", str(output))
    return output


def in_node(*arguments: str, **environment: str) -> str:
    """Run Node and return its output; fail with the output if Node fails."""
    done = subprocess.run(
        ["node", *arguments], cwd=ROOT, env={**os.environ, "NODE_PATH": str(node_modules()), **environment},
        capture_output=True, text=True, encoding="utf-8", timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_the_client_works_with_the_built_program(compiled: Path, program: Path) -> None:
    script = compiled / "tests" / "frozen" / "host.test.js"
    output = in_node("--test", "--test-reporter=spec", str(script), SIDECAR_COMMAND=str(program))
    assert "fail 0" in output

"""The sample host of packaging/onecode runs both routers against the built program."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.node.packages import node_modules
from tests.support.repositories import Repository

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample and its tests as JavaScript, compiled under `tsc --strict`."""
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


def test_both_routers_pass_their_tests(compiled: Path, program: Path) -> None:
    script = compiled / "tests" / "frozen" / "host.test.js"
    output = in_node("--test", "--test-reporter=spec", str(script), SIDECAR_COMMAND=str(program))
    assert "fail 0" in output


def test_the_sample_prints_what_each_agent_receives(
    compiled: Path, program: Path, make_repository: Callable[..., Repository]
) -> None:
    repository = make_repository({"src/cart.py": "def total(): ...\n", "AGENTS.md": "Prices are whole cents.\n"})
    script = compiled / "packaging" / "onecode" / "host.js"
    output = in_node(str(script), "--program", str(program), "--repo", str(repository.path))
    heads = [line.split("  ") for line in output.splitlines() if line.startswith(("claude", "codex"))]
    assert [agent for agent, _, _ in heads] == ["claude", "codex"] * 6
    assert [verdict.split(",")[0] for _, verdict, _ in heads[4:6]] == ["slashCommand"] * 2
    assert [verdict.split(",")[0] for _, verdict, _ in heads[8:]] == ["passive", "passive", "off", "off"]
    assert "append: You work in 1Code. [continuity:anchor " in output
    assert "@[file:local:src/cart.py]" in output

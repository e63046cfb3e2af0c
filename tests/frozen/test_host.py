"""The sample host of packaging/onecode plays both routers against the built program."""

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
    """Runs Node and gives its output; fails with that where Node does."""
    done = subprocess.run(
        ["node", *arguments], cwd=ROOT, env={**os.environ, "NODE_PATH": str(node_modules()), **environment},
        capture_output=True, text=True, encoding="utf-8", timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_the_routers_do_their_part(compiled: Path, program: Path) -> None:
    script = compiled / "tests" / "frozen" / "host.test.js"
    told = in_node("--test", "--test-reporter=spec", str(script), SIDECAR_COMMAND=str(program))
    assert "fail 0" in told


def test_the_sample_shows_what_goes_to_each_agent(
    compiled: Path, program: Path, make_repository: Callable[..., Repository]
) -> None:
    repository = make_repository({"src/cart.py": "def total(): ...\n", "AGENTS.md": "Prices are whole cents.\n"})
    script = compiled / "packaging" / "onecode" / "host.js"
    told = in_node(str(script), "--program", str(program), "--repo", str(repository.path))
    heads = [line.split("  ") for line in told.splitlines() if line.startswith(("claude", "codex"))]
    assert [agent for agent, _, _ in heads] == ["claude", "codex"] * 6
    assert [verdict.split(",")[0] for _, verdict, _ in heads[4:6]] == ["slashCommand"] * 2
    assert [verdict.split(",")[0] for _, verdict, _ in heads[8:]] == ["passive", "passive", "off", "off"]
    assert "append: You work in 1Code. [continuity:anchor " in told
    assert "@[file:local:src/cart.py]" in told

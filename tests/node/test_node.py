"""Runs the TypeScript client's tests: compiled under `tsc --strict`, each file one test, against the real process."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.node.packages import HERE, is_installed, node_modules

ROOT = HERE.parent.parent
FILE_SECONDS = 180
HOST = HERE / "host"
"""The sample host: the app's control flow around its real agents, of which npm has the programs."""
HOST_SECONDS = 1_800
FILES = sorted(path.name.removesuffix(".test.ts") for path in HERE.glob("*.test.ts"))


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, the sample host and their tests as JavaScript; a type error fails every test here."""
    output = tmp_path_factory.mktemp("node")
    compiler = node_modules() / "typescript" / "bin" / "tsc"
    run(["node", str(compiler), "--project", str(HERE), "--noEmit", "false", "--outDir", str(output)])
    return output


@pytest.mark.parametrize("name", FILES)
def test_in_node(name: str, compiled: Path) -> None:
    script = compiled / "tests" / "node" / f"{name}.test.js"
    run(["node", "--test", "--test-reporter=spec", str(script)])


def test_an_app_with_its_real_agents_sends_what_it_should(compiled: Path) -> None:
    if not is_installed(HOST):
        pytest.skip("the agents' packages are not installed; a thorough run installs them")
    run_host(compiled, "--test-name-pattern=small")


@pytest.mark.thorough
@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the lock file has Codex for Linux on x64 alone"
)
def test_every_trap_of_the_app_with_its_real_agents(compiled: Path) -> None:
    node_modules(HOST)
    run_host(compiled)


def run_host(compiled: Path, *options: str) -> None:
    script = compiled / "tests" / "node" / "host" / "host.test.js"
    run(
        ["node", "--test-reporter=spec", *options, str(script)],
        seconds=HOST_SECONDS,
        AGENT_MODULES=str(HOST / "node_modules"),
    )


def run(command: list[str], seconds: int = FILE_SECONDS, **variables: str) -> None:
    environment = {
        **os.environ,
        **variables,
        "NODE_PATH": str(node_modules()),
        "SIDECAR_COMMAND": str(Path(sys.executable).with_name("onecode-sidecar" + (".exe" if os.name == "nt" else ""))),
    }
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds, check=False
    )
    if done.returncode:
        pytest.fail(f"{' '.join(command)}\n{done.stdout}{done.stderr}", pytrace=False)

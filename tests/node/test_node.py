"""Runs the TypeScript client's tests: compiled under `tsc --strict`, each file one test, against the real process."""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.node.packages import HERE, LOCKED, is_installed, node_modules
from tests.support.depth import is_thorough

ROOT = HERE.parent.parent
FILE_SECONDS = 180
HOST = HERE / "host"
"""The sample host: the app's control flow around its real agents, of which npm has the programs."""
HOST_SECONDS = 1_800
COMPILER_OPTIONS = ("--no-opt", "--max-semi-space-size=64")
"""A compiler that runs once is over before optimizing it pays: half the processor time."""
FILES = sorted(path.name.removesuffix(".test.ts") for path in HERE.glob("*.test.ts"))


COMPILED = ROOT / ".pytest_cache" / "compiled_client"
"""What the compiler wrote for the same sources, options and packages in an earlier run."""


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, the sample host and their tests as JavaScript; a type error fails every test here.

    Compiled again if a source, an option or a package changed, and in a thorough run.
    """
    modules, stored = node_modules(), COMPILED / digest_of_inputs()
    if stored.exists() and not is_thorough():
        return stored
    output = tmp_path_factory.mktemp("node") / "output"
    compiler = modules / "typescript" / "bin" / "tsc"
    run(
        ["node", *COMPILER_OPTIONS, str(compiler), "--project", str(HERE), "--noEmit", "false", "--outDir", str(output)]
    )
    shutil.rmtree(COMPILED, ignore_errors=True)
    shutil.copytree(output, unfinished := COMPILED / "unfinished")
    return unfinished.rename(stored)


def digest_of_inputs() -> str:
    """Return a digest of all that the compiler reads, and of how it is called."""
    sources = [*HERE.rglob("*.ts"), *(ROOT / "rpc_schema" / "typescript").rglob("*.ts")]
    settings = [HERE / name for name in ("tsconfig.json", *LOCKED)]
    paths = sorted(path for path in (*sources, *settings, Path(__file__)) if "node_modules" not in path.parts)
    content = b"".join(b"%s\0%d\0%s" % (os.fsencode(path), path.stat().st_size, path.read_bytes()) for path in paths)
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("name", FILES)
def test_in_node(name: str, compiled: Path) -> None:
    script = compiled / "tests" / "node" / f"{name}.test.js"
    run(["node", "--test-reporter=spec", str(script)])  # `--test` starts another process for the file


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

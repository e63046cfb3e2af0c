"""File sizes, folders that must not be packages, and modules that start-up must not load."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SIDECAR = ROOT / "sidecar"
SOURCES = sorted(SIDECAR.rglob("*.py"))
MAX_LINES = 600

# Each of these takes longer to import than everything that `initialize` needs.
LATE = (
    *("pydantic", "pydantic_core", "orjson", "jsonrpcserver", "pygit2", "watchfiles"),
    *("logging", "asyncio", "inspect", "subprocess", "shutil", "tempfile", "traceback", "dataclasses"),
)

# Answers `initialize` and `ping` in this process, without the warm-up that follows, and prints the loaded modules.
HANDSHAKE = """
import json, os, sys
from sidecar.app import App
from sidecar.cli import serve
from sidecar.core.clock import SystemClock

class Unwarmed(App):
    def initialized(self):
        pass

sent = []
app = Unwarmed(SystemClock(), lambda: "id", sent.append, {}, lambda code, reason: None)
params = {"protocolVersion": 1, "clientInfo": {"name": "test", "version": "1"}, "stateDir": sys.argv[1]}
message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
app.connection.receive(json.dumps(message).encode())
app.connection.receive(b'{"jsonrpc":"2.0","id":2,"method":"ping"}')
print(json.dumps({"answers": [json.loads(answer) for answer in sent], "modules": list(sys.modules)}))
"""


def test_no_file_exceeds_the_line_limit() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    too_long = {path.relative_to(SIDECAR).as_posix(): lines for path, lines in lengths.items() if lines > MAX_LINES}
    assert too_long == {}


@pytest.mark.parametrize("folder", ["build", "packaging"])
def test_folders_named_like_published_packages_are_not_packages(folder: str) -> None:
    assert (ROOT / folder).is_dir()
    assert not list((ROOT / folder).rglob("__init__.py"))


def test_every_folder_is_a_package_with_a_docstring() -> None:
    folders = {path.parent for path in SOURCES}
    undocumented = [
        folder.relative_to(ROOT).as_posix()
        for folder in folders
        if not (folder / "__init__.py").exists()
        or not (folder / "__init__.py").read_text(encoding="utf-8").startswith('"""')
    ]
    assert undocumented == []


def test_the_handshake_and_a_ping_load_nothing_expensive(tmp_path: Path) -> None:
    # -S -E: skip modules that an editable install or the environment loads at start.
    command = [sys.executable, "-S", "-E", "-c", _with_packages(HANDSHAKE), str(tmp_path / "state")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [answer["id"] for answer in result["answers"] if "result" in answer] == [1, 2]
    assert sorted(set(LATE) & set(result["modules"])) == []


def test_the_streams_are_claimed_before_any_other_import(tmp_path: Path) -> None:
    script = (
        "import os, sys\nbefore = set(sys.modules)\nfrom sidecar.rpc import claim_stdio\n"
        "print(*(set(sys.modules) - before))"
    )
    command = [sys.executable, "-S", "-E", "-c", _with_packages(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert set(done.stdout.split()) == {"sidecar", "sidecar.rpc", "sidecar.rpc.claim_stdio"}


def test_a_worker_that_analyses_files_loads_only_what_it_needs(tmp_path: Path) -> None:
    script = (
        "import os, runpy, sys\nsys.argv = ['onecode-sidecar', 'analyse']\n"
        "from sidecar.system import worker_processes as workers\n"
        "workers.serve_lines = lambda *_: sys.exit(','.join(sys.modules))\n"
        "runpy.run_module('sidecar', run_name='__main__')\n"
    )
    command = [sys.executable, "-S", "-E", "-c", _with_packages(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    modules = set(done.stderr.strip().split(","))
    assert "sidecar.codebase.file_analysis_worker" in modules, done.stderr
    assert modules & {"pydantic", "apsw", "sidecar.codebase.repository", "sidecar.call"} == set()


def _with_packages(script: str) -> str:
    return f"import sys; sys.path[:0] = {[str(ROOT), *sys.path]!r}\n{script}"

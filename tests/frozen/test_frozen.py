"""The built program over a pipe, from an unusual path, and after the death of related processes."""

import contextlib
import dis
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType

import pytest

from sidecar.codebase import from_json
from tests.support.conversation import Conversation
from tests.support.process import END_SECONDS, SidecarProcess
from tests.support.repositories import Repository

# Starts the program on its own streams and waits to be killed. The program's stdin stays open when this process dies,
# because the test holds the other end of the pipe: only `processId` reveals that the parent is gone.
PARENT = "import subprocess, sys; subprocess.run(sys.argv[1:])"

pytestmark = pytest.mark.thorough

MAX_MEBIBYTES = 92
"""A larger program needs a reason: this one is downloaded with every update of 1Code."""

Start = Callable[..., SidecarProcess]


@pytest.fixture
def running(program: Path, start_process: Start) -> SidecarProcess:
    """The frozen program after its handshake, everything loaded."""
    process = start_process(command=(str(program), "serve"))
    process.client.initialize()
    return process


def test_the_handshake_reports_the_frozen_build(program: Path, start_process: Start) -> None:
    process = start_process(command=(str(program), "serve"))
    result = process.client.initialize()
    assert result["serverInfo"]["build"] == "frozen"
    assert result["state"] == {"schema": result["state"]["schema"], "degraded": False, "warnings": []}


def test_it_answers_pings_and_methods_with_nothing_else_on_the_stream(running: SidecarProcess) -> None:
    assert running.client.request("ping") == {}
    settings = running.client.request("settings/get", {})["settings"]
    assert {"mode", "tokenMode", "memoryBranch"} <= {setting["name"] for setting in settings}
    assert running.garbage == []


def test_it_is_not_larger_than_it_was(program: Path) -> None:
    size = sum(path.lstat().st_size for path in program.parent.rglob("*") if path.is_file())
    assert size / 2**20 <= MAX_MEBIBYTES


def test_libraries_that_are_loaded_first_have_their_asserts_and_no_docstrings(program: Path) -> None:
    readers = pytest.importorskip("PyInstaller.archive.readers")
    modules = readers.CArchiveReader(str(program)).open_embedded_archive("PYZ.pyz")

    def parts(code: CodeType) -> Iterator[CodeType]:
        yield code
        for part in code.co_consts:
            if isinstance(part, CodeType):
                yield from parts(part)

    dispatcher, models = (list(parts(modules.extract(name))) for name in ("jsonrpcserver.dispatcher", "pydantic.main"))
    steps = [step.opname for part in dispatcher for step in dis.get_instructions(part)]
    assert steps.count("LOAD_ASSERTION_ERROR") == 2
    assert not [part for part in models if "__doc__" in part.co_names]
    assert not any("Validate the given" in str(part.co_consts) for part in models)


def test_it_describes_itself(running: SidecarProcess) -> None:
    document = running.client.request("rpc.discover")
    assert document["openrpc"].startswith("1.")
    assert "settings/get" in {method["name"] for method in document["methods"]}


def test_selfcheck_passes_on_every_module(program: Path) -> None:
    done = subprocess.run([program, "--selfcheck"], capture_output=True, timeout=60, check=False)
    report = json.loads(done.stdout)
    assert done.returncode == 0, report
    assert all(check["ok"] for check in report["checks"].values()), report
    sources = (Path(__file__).parents[2] / "sidecar").rglob("*.py")
    modules = {path.parent if path.name == "__init__.py" else path for path in sources if path.name != "__main__.py"}
    assert report["checks"]["imports"]["detail"] == f"{len(modules) - 1} modules", "all but the package itself"


@pytest.mark.skipif(sys.platform == "win32", reason="making links takes a right there")
def test_under_the_name_spool_it_runs_spool(program: Path, tmp_path: Path) -> None:
    link = tmp_path / "spool"
    link.symlink_to(program)
    as_spool = subprocess.run(
        [link, "ralph", "--change", "a", "--status"], capture_output=True, cwd=tmp_path, check=True
    )
    itself = subprocess.run(
        [program, "ralph", "--change", "a", "--status"], capture_output=True, cwd=tmp_path, check=True
    )

    assert as_spool.stdout == itself.stdout
    assert as_spool.stdout.startswith(b"a: no loop has been started yet.")


def test_selfcheck_passes_where_no_certificates_exist(program: Path, tmp_path: Path) -> None:
    nowhere = {"SSL_CERT_FILE": str(tmp_path / "none.pem"), "SSL_CERT_DIR": str(tmp_path / "none")}
    done = subprocess.run(
        [program, "--selfcheck"], env={**os.environ, **nowhere}, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout


def test_a_cold_index_uses_grammars_in_workers_of_the_program_itself(
    running: SidecarProcess, make_repository: Callable[..., Repository], state_dir: Path
) -> None:
    files = {f"src/cart{n}.ts": f"import './other'\nexport class Cart{n} {{\n  total() {{}}\n}}\n" for n in range(120)}
    repository = make_repository(files)
    indexed = running.client.request("codebase/index", {"cwd": str(repository.path)})
    assert (indexed["analysed"], indexed["complete"]) == (120, True)
    running.close_stdin()
    running.wait()
    assert b"codebase.workers" not in running.stderr()
    with contextlib.closing(sqlite3.connect(state_dir / "continuity.db")) as database:
        rows = database.execute(
            "SELECT value FROM continuity_file_cache WHERE content_hash NOT LIKE 'words %'"
        ).fetchall()
    summaries = [from_json(json.loads(value)) for (value,) in rows]
    assert {summary.analysis for summary in summaries} == {"syntax"}
    assert {release_file.kind for summary in summaries for release_file in summary.definitions} == {"class", "method"}
    assert {summary.imports for summary in summaries} == {("./other",)}


def test_the_command_line_works_on_the_state_of_a_running_sidecar(
    program: Path, running: SidecarProcess, state_dir: Path, tmp_path: Path
) -> None:
    assert running.client.request("artifact/list", {"projectPath": str(tmp_path)}) == {"artifacts": []}
    command = (program, "artifacts", "list", "--state-dir", state_dir, "--project", tmp_path)
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().strip() == f"No artifacts of {tmp_path}."


def test_it_ends_when_stdin_ends(running: SidecarProcess) -> None:
    running.close_stdin()
    assert running.wait() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")
def test_it_ends_on_sigterm(running: SidecarProcess) -> None:
    running.signal(signal.SIGTERM)
    assert running.wait() == 0


def test_it_ends_on_exit_after_shutdown(running: SidecarProcess) -> None:
    running.client.request("shutdown")
    running.client.notify("exit")
    assert running.wait() == 0


def test_it_ends_when_its_parent_is_killed_and_stdin_stays_open(program: Path, start_process: Start) -> None:
    parent = start_process(command=(sys.executable, "-c", PARENT, str(program), "serve"))
    parent.client.initialize(processId=parent.popen.pid)
    parent.popen.kill()
    killed_at = time.monotonic()
    while not parent.inbox.closed and time.monotonic() - killed_at < END_SECONDS:
        time.sleep(0.01)
    assert parent.inbox.closed, "the program holds the last writing end of its stdout: the stream ends with it"


def test_it_writes_nothing_beside_itself(program: Path, running: SidecarProcess) -> None:
    before = sorted(program.parent.rglob("*"))
    running.client.request("settings/get", {})
    running.close_stdin()
    running.wait()
    assert sorted(program.parent.rglob("*")) == before


def test_it_writes_the_report_with_its_charts(
    running: SidecarProcess, make_repository: Callable[..., Repository]
) -> None:
    running.client.request("settings/update", {"settings": {"mode": "active"}})
    chat = Conversation(running.client, make_repository({"src/cart.py": "def total(): ...\n"}).path)
    chat.turn("Why is the total wrong?")
    page = Path(running.client.request("state/report", {})["path"]).read_text(encoding="utf-8")
    running.close_stdin()
    running.wait()
    assert page.count("<svg") >= 3

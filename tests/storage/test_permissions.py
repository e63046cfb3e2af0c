"""What the sidecar stores outside of projects is this user's alone, and in projects written by no other, whatever
the umask."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecar.ralph.agent.runner import OutputLog
from sidecar.ralph.loop_folder import add_user_context, loop_folder, write_prompt
from tests.support.memory_sidecar import MemorySidecar
from tests.support.process import ROOT
from tests.support.repositories import Repository, make_repository

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders of a user have an access list there")


@pytest.fixture
def open_umask() -> Iterator[None]:
    """A umask that takes away no permission."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_state_logs_report_locks_and_fetched_copies_are_private(
    open_sidecar: Callable[..., MemorySidecar], state_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, plain = tmp_path / "data", tmp_path / "plain"
    monkeypatch.setenv("XDG_STATE_HOME", str(data))
    monkeypatch.setenv("HOME", str(data))
    shop: Repository = make_repository(tmp_path / "shop", {"cart.py": "def total():\n    return 0\n"})
    company = make_repository(tmp_path / "company", {"company/adr/adr-1.md": "# One\n"})
    plain.mkdir()
    (plain / "notes.txt").write_text("Without git.\n")
    sidecar = open_sidecar()
    sidecar.client.initialize(logDir=str(tmp_path / "logs"), settings={"mode": "active"})
    where = {"cwd": str(shop.path)}
    sidecar.client.request("codebase/index", where)
    sidecar.client.request("memory/add", {**where, "text": "Prices are whole cents."})
    for _ in range(3):  # the second starts a watch
        sidecar.client.request("memory/list", where)
    knowledge = {"knowledge": {"repository": company.path.as_uri()}}
    sidecar.client.request("settings/update", {"projectPath": where["cwd"], "settings": knowledge})
    sidecar.client.request("knowledge/sync", where)
    sidecar.client.request("codebase/state", {"cwd": str(plain)})
    sidecar.client.request("ralph/addContext", {"cwd": str(plain), "change": "login", "text": "Use the form."})
    sidecar.client.request("state/doctor", {"fix": True})
    sidecar.client.request("state/report")
    sidecar.close()
    (own,) = data.rglob("ralph")
    folders = [tmp_path / "logs", state_dir, own.parent]
    stored = [*folders, *(path for folder in folders for path in folder.rglob("*"))]
    assert {path.name for path in stored} >= {
        "continuity.db", "continuity.db.lock", "report.html", "logs", "cookies", "objects", "ralph", "HEAD"
    }  # fmt: skip
    assert [path for path in stored if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


@pytest.mark.parametrize("umask", [0o777, 0o177, 0o700])
def test_a_umask_that_takes_permissions_from_the_user_itself_changes_no_mode(tmp_path: Path, umask: int) -> None:
    shop = make_repository(tmp_path / "shop", {"cart.py": "def total():\n    return 0\n"}).path
    state = tmp_path / "state"
    requests: tuple[tuple[str, object], ...] = (
        ("initialize", {"protocolVersion": 1, "clientInfo": {"name": "t", "version": "1"}, "stateDir": str(state)}),
        ("memory/add", {"cwd": str(shop), "text": "Prices are whole cents."}),
        ("state/report", {}),
    )
    answers: list[str] = []
    with subprocess.Popen(
        (sys.executable, "-m", "sidecar", "serve"),
        cwd=ROOT,
        umask=umask,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number, (method, params) in enumerate(requests):
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            print(json.dumps(request), file=process.stdin, flush=True)
            answers.append(next(line for line in process.stdout if f'"id":{number}' in line))
        process.stdin.close()
    assert [answer for answer in answers if '"error"' in answer] == []
    stored = [state, *state.rglob("*")]
    assert {path.name for path in stored} >= {"continuity.db", "report.html"}
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in stored}
    assert {path: oct(mode) for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)} == {}
    in_project = {path: stat.S_IMODE(path.stat().st_mode) for path in (shop / ".chati").rglob("*")}
    assert {path: oct(mode) for path, mode in in_project.items() if mode & 0o600 != 0o600} == {}


@pytest.mark.usefixtures("open_umask")
def test_what_is_stored_in_a_project_is_written_by_no_other(
    open_sidecar: Callable[..., MemorySidecar], tmp_path: Path
) -> None:
    shop = make_repository(tmp_path / "shop", {"cart.py": "def total():\n    return 0\n"}).path
    sidecar = open_sidecar()
    sidecar.client.initialize(settings={"mode": "active"})
    where = {"cwd": str(shop)}
    sidecar.client.request("memory/add", {**where, "text": "Prices are whole cents."})
    for purpose in ("Adds up the cart", "Adds up the prices"):  # the second has a backup
        entity = {"id": "scripts/cart", "path": "cart.py", "type": "script", "purpose": purpose}
        sidecar.client.request("registry/put", {**where, **entity})
    sidecar.client.request("session/activate", {**where, "agent": "dev", "ide": "claude-code"})
    sidecar.close()
    loop = loop_folder(shop, "login")
    add_user_context(loop, "Use the form.")
    write_prompt(loop.prompt_path(1), "Add the login.")
    log = OutputLog(loop.output_path(1))
    log.add(b"Done.")
    log.close()
    modes = {
        path: stat.S_IMODE(path.stat().st_mode)
        for path in shop.rglob("*")
        if path.name != "cart.py" and (path.relative_to(shop).parts[0] != ".git" or "onecode-ralph" in path.parts)
    }
    assert {".lock", "registry.lock", "backups", "0001.prompt.md", "0001.output"} <= {path.name for path in modes}
    assert {path: oct(mode) for path, mode in modes.items() if mode & 0o022} == {}
    private = {path: mode for path, mode in modes.items() if ".state" in path.parts or path.suffix == ".lock"}
    assert {path: oct(mode) for path, mode in private.items() if mode & 0o077 and path.name != ".gitignore"} == {}
    assert modes[shop / ".chati"] == 0o755

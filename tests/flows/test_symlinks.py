"""A repository's links in place of our own folders and files are not followed."""

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from sidecar.storage.database import open_state
from tests.support.client import Client
from tests.support.fake_agent import FakeAgent, outputs
from tests.support.ralph_command import CHANGE, Ralph
from tests.support.repositories import Repository

PROMISE_STEP = outputs("<promise>COMPLETE</promise>\n")
POLICY_DENIED = "policyDenied"
ENTITY = {"id": "modules/shop", "type": "module", "path": "README.md", "purpose": "Tells what the shop is."}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A user's folder with a file in it."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "mine.txt").write_bytes(b"my secret")
    return folder


def test_loop_output_is_not_written_through_a_link(ralph: Ralph, agent: FakeAgent, outside: Path) -> None:
    (ralph.folder / "iterations").mkdir(parents=True)
    for name in ("0001.output", "0001.prompt.md"):
        (ralph.folder / "iterations" / name).symlink_to(outside / "mine.txt")
    agent.set_runs([PROMISE_STEP])

    assert ralph.loop("Add a login.").returncode == 0
    assert (outside / "mine.txt").read_bytes() == b"my secret"


def test_linked_context_is_not_sent_to_the_agent(ralph: Ralph, agent: FakeAgent, outside: Path) -> None:
    ralph.folder.mkdir(parents=True)
    (ralph.folder / "context.md").symlink_to(outside / "mine.txt")
    agent.set_runs([PROMISE_STEP])

    assert ralph.loop("Add a login.").returncode == 0
    assert "my secret" not in agent.prompt(1)
    assert ralph.history()[0]["warnings"] == ["The added context cannot be read: Too many levels of symbolic links."]


@pytest.mark.parametrize(
    "name", [".spool", f".spool/.state/ralph/{CHANGE}", f".spool/.state/ralph/{CHANGE}/iterations"]
)
def test_a_loops_folder_that_is_a_link_is_refused(client: Client, tmp_path: Path, outside: Path, name: str) -> None:
    project = tmp_path / "project"
    place = project / name
    place.parent.mkdir(parents=True)
    place.symlink_to(outside, target_is_directory=True)
    (outside / "0001.output").write_bytes(b"mine too")

    for method, more in (("status", {}), ("reset", {}), ("addContext", {"text": "x"}), ("stop", {})):
        failure = client.error(f"ralph/{method}", {"cwd": str(project), "change": CHANGE, **more})
        assert failure.data["kind"] == POLICY_DENIED
    assert sorted(os.listdir(outside)) == ["0001.output", "mine.txt"]


@pytest.mark.parametrize("name", [".chati", ".chati/backups"])
def test_registry_backups_are_neither_written_nor_removed_through_a_link(
    client: Client, make_repository: Callable[..., Repository], outside: Path, name: str
) -> None:
    project = make_repository({"README.md": "A shop.\n", "chati.dev/data/entity-registry.yaml": "entities: {}\n"}).path
    for number in range(20):
        (outside / f"registry-{number:02}.yaml").write_bytes(b"mine")
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).symlink_to(outside, target_is_directory=True)
    before = sorted(os.listdir(outside))

    failure = client.error("registry/put", {"cwd": str(project), "projectPath": str(project), **ENTITY})
    assert failure.data["kind"] in (POLICY_DENIED, "workspaceUnavailable")
    assert sorted(os.listdir(outside)) == before


def test_a_planted_temporary_file_is_not_written_to(
    client: Client, tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    (project / ".chati").mkdir(parents=True)
    monkeypatch.setattr("sidecar.system.atomic_write.threading", SimpleNamespace(get_ident=lambda: 1))
    os.link(outside / "mine.txt", project / f".onecode-{os.getpid()}-1.new")

    assert client.request("session/activate", {"cwd": str(project)})["session"]["status"] == "active"
    assert (outside / "mine.txt").read_bytes() == b"my secret"


@pytest.mark.skipif(os.name == "nt", reason="a folder passes its rights on there")
def test_the_state_file_is_private_even_in_a_shared_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    opened = open_state(tmp_path, 0)
    try:
        assert {
            oct(path.stat().st_mode & 0o777) for path in tmp_path.glob("continuity.db*") if path.stat().st_size
        } == {"0o600"}
    finally:
        opened.database.close()

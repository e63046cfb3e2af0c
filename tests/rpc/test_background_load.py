"""Methods are loaded in two steps: those of a run first, the rest after the first prompt."""

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from sidecar.app import load_core_catalog, load_full_catalog
from sidecar.catalog import all_methods, core_methods
from sidecar.method import Catalog
from sidecar.rpc import Dispatcher
from sidecar.system import git
from tests.support.conversation import Conversation, sent
from tests.support.inbox import PATIENCE_SECONDS
from tests.support.memory_sidecar import MemorySidecar
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository

LONG_AGO_S = 1_700_000_000


def test_core_methods_include_those_before_a_run() -> None:
    first, rows = [row.name for row in core_methods().methods], [row.name for row in all_methods().methods]
    assert {"continuity/preRun", "settings/get"} <= set(first)
    assert [name for name in rows if name in first] == first
    assert len(rows) == len(set(rows))
    assert {"ping", "continuity/postRun", "codebase/search", "memory/search", "context/compose"} <= {*rows} - {*first}


def test_only_requests_for_methods_not_loaded_yet_wait(sidecar: MemorySidecar, tmp_path: object) -> None:
    def loaded(catalog: Catalog) -> Dispatcher:
        app = sidecar.app
        return Dispatcher(catalog.methods, catalog.notifications, app.on_incident, app.new_incident_id)

    sidecar.client.request("settings/get", {})
    connection = sidecar.app.connection
    connection.ready(loaded(load_core_catalog()), complete=False)
    assert not connection.needs_all_methods.is_set()
    later = [sidecar.client.start(name, {"cwd": str(tmp_path)}) for name in ("memory/list", "no/method")]
    assert "mode" in str(sidecar.client.request("settings/get", {}))
    assert connection.needs_all_methods.is_set()
    assert not any(sidecar.inbox.responses_to(request_id) for request_id in later)
    connection.ready(loaded(load_full_catalog()))
    assert sidecar.client.result(later[0])["memories"] == []
    assert sidecar.client.answer(later[1])["error"]["code"] == -32601


def test_first_pre_run_of_a_process_has_the_memories(
    start_process: Callable[..., SidecarProcess], make_repository: Callable[..., Repository]
) -> None:
    repository = make_repository({"cart.py": "def total(): ...\n"})
    file = repository.path / ".chati/memories/shared/durable/totals.md"
    file.parent.mkdir(parents=True)
    file.write_text("# Totals are rounded half up\n\nThe till's totals are rounded half up to whole cents.\n")
    for _ in range(2):  # without an index, then with that of the process before
        process = start_process(cold=True)
        process.client.initialize(settings={"mode": "active"})
        answer = Conversation(process.client, repository.path).pre_run("Change how totals are rounded")
        assert "rounded half up to whole cents" in sent(answer)
        assert not any(trimmed["item"] == "memories" for trimmed in answer["metadata"]["trimmed"])
        process.close()


def _age_checkout(repository: Repository) -> None:
    """Make the checkout look old, so that its state is that of `git status`."""
    os.utime(repository.path / "cart.py", (LONG_AGO_S, LONG_AGO_S))
    repository.git("update-index", "--refresh")


@pytest.mark.parametrize("change", ["cancelled", "another"])
def test_state_that_was_read_while_methods_were_loaded_is_that_of_its_request_alone(
    tmp_path: Path, make_repository: Callable[..., Repository], change: str
) -> None:
    repository = make_repository({"cart.py": "def total():\n    return 1\n"})
    _age_checkout(repository)
    may_load = threading.Event()
    sidecar = MemorySidecar(tmp_path / "state", may_load=may_load)
    sidecar.client.request("initialize", {**sidecar.client.handshake(), "settings": {"mode": "active"}})
    first = Conversation(sidecar.client, repository.path).start_pre_run("Round the total")
    [started] = [command for (cwd, *_), command in list(git._started.items()) if cwd == repository.path]
    assert started.process.wait(PATIENCE_SECONDS) == 0
    (repository.path / "cart.py").write_text("def total():\n    return 1 + 1\n")
    if change == "cancelled":
        sidecar.client.cancel(first)
    later = Conversation(sidecar.client, repository.path, sub_chat_id="later").start_pre_run("Round the total")
    assert started not in git._started.values()
    may_load.set()
    assert "return 1 + 1" in sent(sidecar.client.result(later))
    sidecar.close()


def test_pre_run_uses_the_state_that_was_read_while_methods_were_loaded(
    tmp_path: Path, make_repository: Callable[..., Repository], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_repository({"cart.py": "def total():\n    return 1\n"})
    _age_checkout(repository)
    (repository.path / "cart.py").write_text("def total():\n    return 1 + 1\n")
    may_load = threading.Event()
    sidecar = MemorySidecar(tmp_path / "state", may_load=may_load)
    sidecar.client.request("initialize", {**sidecar.client.handshake(), "settings": {"mode": "active"}})
    request = Conversation(sidecar.client, repository.path).start_pre_run("Round the total")
    commands: list[Sequence[str]] = []
    start = git.Git._start

    def record(self: git.Git, arguments: Sequence[str], *, has_input: bool) -> git._Command:
        if self.cwd == repository.path:
            commands.append(arguments)
        return start(self, arguments, has_input=has_input)

    monkeypatch.setattr(git.Git, "_start", record)
    may_load.set()
    assert "return 1 + 1" in sent(sidecar.client.result(request))
    assert commands
    assert git.STATUS not in commands
    sidecar.close()


@pytest.mark.parametrize("others", [0, 1_200])
def test_first_pre_run_of_a_process_has_the_hint_of_the_registry(
    start_process: Callable[..., SidecarProcess], make_repository: Callable[..., Repository], others: int
) -> None:
    """Small registries are read at once, large ones beside the repository."""
    entries = "".join(
        f"    thing-{number}:\n      path: lib/thing_{number}.py\n      type: module\n"
        f'      purpose: "Weighs the otters of pond {number}, twice a day, and reports the lightest"\n'
        for number in range(others)
    )
    registry = (
        f"metadata:\n  entity_count: {others + 1}\n\nentities:\n  modules:\n    receipts:\n"
        f'      path: till/receipts.py\n      type: module\n      purpose: "Renders the receipt of a cart"\n{entries}'
    )
    repository = make_repository({"till/receipts.py": "def render(): ...\n", ".chati/registry.yaml": registry})
    process = start_process(cold=True)
    process.client.initialize(settings={"mode": "active"})
    chat = Conversation(process.client, repository.path)
    assert "already exists in till/receipts.py" in sent(
        chat.pre_run("Create a module that renders the receipt of a cart")
    )
    process.close()


def test_first_pre_run_without_memories_names_no_memories(
    start_process: Callable[..., SidecarProcess], make_repository: Callable[..., Repository]
) -> None:
    client = start_process().client
    client.initialize(settings={"mode": "active"})
    answer = Conversation(client, make_repository({"cart.py": "def total(): ...\n"}).path).pre_run("Round the total")
    assert "memories" not in str(answer["metadata"]["trimmed"])


def test_request_right_after_start_for_a_method_loaded_last_is_answered(
    start_process: Callable[..., SidecarProcess], tmp_path: object
) -> None:
    client = start_process(cold=True).client
    ids = [
        client.start("initialize", client.handshake()),
        client.start("memory/list", {"cwd": str(tmp_path)}),
        client.start("settings/get", {}),
    ]
    assert all("result" in client.answer(request_id) for request_id in ids)

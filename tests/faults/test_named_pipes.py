"""A named pipe instead of a file is reported or skipped, and nothing waits for it."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import Client
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no file is a pipe there")

INSTRUCTIONS = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude/settings.json", "package.json", "src/app.py")
FRAMEWORK = (
    "chati.dev/constitution.md",
    "chati.dev/config.yaml",
    "chati.dev/orchestrator/chati.md",
    "chati.dev/data/entity-registry.yaml",
    "chati.dev/schemas/context.schema.json",
)
OWN_REGISTRY = (
    ".chati/session.yaml",
    ".chati/registry.yaml",
    ".chati/memories/index.json",
    ".chati/memories/shared/durable/one.md",
    ".chati/artifacts/handoffs/architect-handoff.md",
)
GIT_FILES = (
    ".gitignore", ".gitattributes", "src/.gitattributes", "new/.gitignore", ".git/info/exclude", ".git/info/grafts",
    ".git/shallow", ".git/packed-refs",
)  # fmt: skip
LOCKS = (".chati/memories/.lock", ".chati/registry.lock", ".spool/.state/ralph/add-login/lock")
LOOP = tuple(f".spool/.state/ralph/add-login/{name}" for name in ("state.json", "history.jsonl", "context.md", "stop"))
TRANSCRIPT = "transcript.jsonl"

INTERNAL_ERROR = -32603
PATIENCE_SECONDS = 10.0
"""Enough for a busy machine; waiting for a pipe would never end."""


def _requests(project: Path) -> tuple[tuple[str, dict[str, Any]], ...]:
    folder, change = str(project), {"cwd": str(project), "change": "add-login"}
    return (
        ("continuity/preRun", {**_run(folder), "prompt": "Mend src/app.py, see CLAUDE.md"}),
        ("continuity/postRun", {**_run(folder), **_ended(project)}),
        ("context/compose", {"cwd": folder, "usage": {"usedTokens": 1_000, "maxTokens": 10_000}}),
        ("session/activate", {"cwd": folder}),
        ("session/status", {"cwd": folder}),
        ("session/exit", {"cwd": folder}),
        (
            "memory/add",
            {"cwd": folder, "projectPath": folder, "text": "We use argon2 for passwords.", "type": "decision"},
        ),
        ("memory/search", {"cwd": folder, "projectPath": folder, "query": "argon2"}),
        ("memory/rebuild", {"cwd": folder, "projectPath": folder}),
        ("memory/maintain", {"cwd": folder, "projectPath": folder}),
        ("registry/list", {"cwd": folder, "projectPath": folder}),
        ("registry/health", {"cwd": folder, "projectPath": folder}),
        ("registry/refresh", {"cwd": folder, "projectPath": folder}),
        ("codebase/state", {"cwd": folder}),
        ("codebase/search", {"cwd": folder, "query": "app"}),
        ("ralph/status", change),
        ("ralph/addContext", {**change, "text": "Use argon2."}),
        ("ralph/stop", change),
        ("ralph/reset", change),
        ("state/doctor", {"projectPath": folder}),
        ("state/purge", {"projectPath": folder, "dryRun": True}),
    )


def _run(folder: str) -> dict[str, Any]:
    return {
        "runId": "run-1", "subChatId": "sub-1", "provider": "claude", "mode": "agent", "cwd": folder,
        "projectPath": folder, "session": {"id": None, "willResume": False, "isFork": False},
    }  # fmt: skip


def _ended(project: Path) -> dict[str, Any]:
    return {
        "prompt": "Mend it", "outcome": "completed", "session": {"before": None, "after": "s-1"},
        "assistant": {"messageId": "m-1", "text": "Done.", "parts": []},
        "transcriptPath": str(project / TRANSCRIPT),
        "startedAt": "2026-03-01T10:00:00Z", "finishedAt": "2026-03-01T10:01:00Z",
    }  # fmt: skip


@pytest.mark.parametrize(
    "pipe_paths", [INSTRUCTIONS, FRAMEWORK, OWN_REGISTRY, LOCKS, (*LOOP, TRANSCRIPT)], ids=lambda paths: paths[0]
)
def test_a_named_pipe_instead_of_a_file_blocks_nothing(
    pipe_paths: tuple[str, ...], make_repository: Callable[..., Repository], client: Client
) -> None:
    project = make_repository({"README.md": "A shop.\n", "src/main.py": "import app\n"}).path
    client.request("settings/update", {"settings": {"mode": "active"}})
    for pipe_path in pipe_paths:
        path = project / pipe_path
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path)
    for method, params in _requests(project):
        answer = client.answer(client.start(method, params), PATIENCE_SECONDS)
        assert answer.get("error", {}).get("code") != INTERNAL_ERROR, (method, answer)


def _answer_with_pipe(client: Client, path: Path, cwd: Path) -> tuple[Any, list[str]]:
    """Return the metadata of a pre-run with a pipe in the place of a file, and the reasons for what it leaves out."""
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    metadata = client.request("continuity/preRun", {**_run(str(cwd)), "prompt": "Mend src/main.py"})["metadata"]
    path.unlink()
    return metadata, [omission["reason"] for omission in metadata["trimmed"] if omission["item"] != "anchor"]


def test_a_pipe_that_git_would_wait_for_is_named_at_once(
    make_repository: Callable[..., Repository], client: Client
) -> None:
    project = make_repository({"README.md": "A shop.\n", "src/main.py": "import app\n"}).path
    (project / "src/main.py").write_text("import shop\n")
    client.request("settings/update", {"settings": {"mode": "active"}})
    for name in GIT_FILES:
        metadata, reasons = _answer_with_pipe(client, project / name, project)
        assert reasons == [f"{name} is a named pipe"]
        assert metadata["partial"] is False


def test_a_pipe_in_the_repository_of_a_linked_worktree_is_named_at_once(
    make_repository: Callable[..., Repository], client: Client, tmp_path: Path
) -> None:
    main = make_repository({"README.md": "A shop.\n", "src/main.py": "import app\n"})
    linked = main.add_worktree(tmp_path / "linked", "linked").path
    (linked / "src/main.py").write_text("import shop\n")
    client.request("settings/update", {"settings": {"mode": "active"}})
    for name in (".git/info/exclude", ".git/info/attributes", ".git/packed-refs"):
        _, reasons = _answer_with_pipe(client, main.path / name, linked)
        assert reasons == [f"{os.path.relpath(main.path / name, linked)} is a named pipe"]


FILES_OF_GIT = (
    "HEAD", "config", "index", "packed-refs", "commondir", "info/exclude", "refs/heads/x", "refs/heads/main",
    "refs/heads/linked", "refs/stash", "objects/info/alternates",
)  # fmt: skip
"""Below the git directory that all worktrees share."""
OWN_FILES = frozenset(("HEAD", "index", "commondir"))
"""Those that a linked worktree has in a directory of its own."""
END_SECONDS = 8.0
"""Less than the time limit of one git command: a command that waits until then is a fault."""

REQUESTS = (
    "codebase/state", "codebase/search", "continuity/postRun", "session/activate", "session/exit", "memory/rebuild",
    "registry/refresh", "state/doctor",
)  # fmt: skip


def _require_answers(sidecar: SidecarProcess, requests: dict[str, Any]) -> None:
    """Send the requests; end the process in any case, which may wait for ever."""
    try:
        sidecar.client.initialize()
        for method in REQUESTS:
            answer = sidecar.client.answer(sidecar.client.start(method, requests[method]), END_SECONDS)
            assert answer.get("error", {}).get("code") != INTERNAL_ERROR, (method, answer)
    finally:
        sidecar.popen.kill()
        sidecar.close()


@pytest.mark.slow
@pytest.mark.parametrize("is_linked", [False, True], ids=["plain", "linked"])
@pytest.mark.parametrize("name", FILES_OF_GIT)
def test_a_pipe_among_the_files_of_git_stops_no_method(
    name: str, is_linked: bool, make_repository: Callable[..., Repository], tmp_path: Path
) -> None:
    main = make_repository({"README.md": "A shop.\n", "src/main.py": "import app\n"})
    project, git_dir = main.path, main.path / ".git"
    linked = main.add_worktree(tmp_path / "linked", "linked").path
    if is_linked:
        project, git_dir = linked, git_dir / "worktrees/linked" if name in OWN_FILES else git_dir
    (project / "src/main.py").write_text("import shop\n")
    pipe, aside = git_dir / name, tmp_path / "aside"
    pipe.parent.mkdir(parents=True, exist_ok=True)
    if pipe.exists():
        pipe.rename(aside)
    os.mkfifo(pipe)
    requests = dict(_requests(project))
    try:
        _require_answers(SidecarProcess(tmp_path / "state"), requests)
    finally:
        pipe.unlink()  # before others use git here
        if aside.exists():
            aside.rename(pipe)


@pytest.mark.parametrize(
    "name", ["home/.gitconfig", "home/.config/git/ignore", "state/continuity.db.damaged-rows", "state/report.html"]
)
def test_a_pipe_among_the_files_of_the_user_and_of_the_state_stops_no_method(
    name: str, make_repository: Callable[..., Repository], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_repository({"README.md": "A shop.\n", "src/main.py": "import app\n"}).path
    for variable in ("GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    first = SidecarProcess(tmp_path / "state")
    first.client.initialize()
    first.close()
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(tmp_path / name)
    home = {"HOME": str(tmp_path / "home")}
    _require_answers(SidecarProcess(tmp_path / "state", environment=home), dict(_requests(project)))

"""A pipe in a file's place is told of or passed over, and nothing waits for it."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import Client
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
LOCKS = (".chati/memories/.lock", ".chati/registry.lock", ".spool/.state/ralph/add-login/lock")
LOOP = tuple(f".spool/.state/ralph/add-login/{name}" for name in ("state.json", "history.jsonl", "context.md", "stop"))
TRANSCRIPT = "transcript.jsonl"

INTERNAL_ERROR = -32603
PATIENCE_SECONDS = 10.0
"""A busy machine's; what waits for a pipe waits for ever."""


def _asked(project: Path) -> tuple[tuple[str, dict[str, Any]], ...]:
    place, change = str(project), {"cwd": str(project), "change": "add-login"}
    return (
        ("continuity/preRun", {**_run(place), "prompt": "Mend src/app.py, see CLAUDE.md"}),
        ("continuity/postRun", {**_run(place), **_ended(project)}),
        ("context/compose", {"cwd": place, "usage": {"usedTokens": 1_000, "maxTokens": 10_000}}),
        ("session/activate", {"cwd": place}),
        ("session/status", {"cwd": place}),
        ("session/exit", {"cwd": place}),
        (
            "memory/add",
            {"cwd": place, "projectPath": place, "text": "We use argon2 for passwords.", "type": "decision"},
        ),
        ("memory/search", {"cwd": place, "projectPath": place, "query": "argon2"}),
        ("memory/rebuild", {"cwd": place, "projectPath": place}),
        ("memory/maintain", {"cwd": place, "projectPath": place}),
        ("registry/list", {"cwd": place, "projectPath": place}),
        ("registry/health", {"cwd": place, "projectPath": place}),
        ("registry/refresh", {"cwd": place, "projectPath": place}),
        ("codebase/state", {"cwd": place}),
        ("codebase/search", {"cwd": place, "query": "app"}),
        ("ralph/status", change),
        ("ralph/addContext", {**change, "text": "Use argon2."}),
        ("ralph/stop", change),
        ("ralph/reset", change),
        ("state/doctor", {"projectPath": place}),
        ("state/purge", {"projectPath": place, "dryRun": True}),
    )


def _run(place: str) -> dict[str, Any]:
    return {
        "runId": "run-1", "subChatId": "sub-1", "provider": "claude", "mode": "agent", "cwd": place,
        "projectPath": place, "session": {"id": None, "willResume": False, "isFork": False},
    }  # fmt: skip


def _ended(project: Path) -> dict[str, Any]:
    return {
        "prompt": "Mend it", "outcome": "completed", "session": {"before": None, "after": "s-1"},
        "assistant": {"messageId": "m-1", "text": "Done.", "parts": []},
        "transcriptPath": str(project / TRANSCRIPT),
        "startedAt": "2026-03-01T10:00:00Z", "finishedAt": "2026-03-01T10:01:00Z",
    }  # fmt: skip


@pytest.mark.parametrize(
    "places", [INSTRUCTIONS, FRAMEWORK, OWN_REGISTRY, LOCKS, (*LOOP, TRANSCRIPT)], ids=lambda one: one[0]
)
def test_a_pipe_in_a_files_place_holds_nothing_up(
    places: tuple[str, ...], make_repository: Callable[..., Repository], client: Client
) -> None:
    project = make_repository({"README.md": "A shop.\n", "src/main.py": "import app\n"}).path
    client.request("settings/update", {"settings": {"mode": "active"}})
    for place in places:
        path = project / place
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path)
    for method, params in _asked(project):
        answer = client.answer(client.start(method, params), PATIENCE_SECONDS)
        assert answer.get("error", {}).get("code") != INTERNAL_ERROR, (method, answer)

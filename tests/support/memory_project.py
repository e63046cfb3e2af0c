"""A project's memories, as a client, an agent and a user with an editor see them."""

from pathlib import Path
from typing import Any

from sidecar.memory import MemoryIndex, grant, memory_index_of
from tests.support.memory_sidecar import MemorySidecar
from tests.support.rpc_failures import RpcFailure

SPECIFIED = """---
id: mem-2026-02-12-001
type: procedural
agent: architect
tags: [authentication, jwt, pattern, validated]
confidence: 0.92
sector: procedural
tier: hot
access_count: 7
last_accessed: 2026-02-12T16:30:00Z
created_at: 2026-02-10T10:15:00Z
---

# Pattern: JWT Authentication in Next.js Projects

## Context
During architecture phase, evaluated JWT vs session-based auth for SaaS platform.

## Decision
JWT chosen for stateless API, with refresh token rotation for security.
"""
"""intelligence-layer.md, 4.3."""


class Memories:
    """A project's memories through the RPC; `token` identifies the caller."""

    def __init__(self, sidecar: MemorySidecar, project: Path, token: str | None = None) -> None:
        self.sidecar = sidecar
        self.project = project
        self.folder = project / ".chati" / "memories"
        self.token = token

    def ask(self, method: str, **params: Any) -> Any:
        """Return a method's result. Raise RpcFailure."""
        return self.sidecar.client.request(f"memory/{method}", {**self._common(), **params})

    def refused(self, method: str, **params: Any) -> RpcFailure:
        """Return the error of a call that must fail."""
        return self.sidecar.client.error(f"memory/{method}", {**self._common(), **params})

    def add(self, text: str, **params: Any) -> Any:
        """Add a memory."""
        return self.ask("add", text=text, **params)

    def ids(self, **params: Any) -> list[str]:
        """Return the ids of the listed memories."""
        return [memory["id"] for memory in self.ask("list", **params)["memories"]]

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a memory file as a user does."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def as_agent(self, agent: str) -> "Memories":
        """Return the same memories as an agent sees them."""
        process = self.sidecar.app.process
        assert process is not None
        with process.database.write() as tx:
            token = grant(tx, process, self._key(), agent)
        return Memories(self.sidecar, self.project, token)

    def index(self) -> MemoryIndex:
        """Return the project's index."""
        process = self.sidecar.app.process
        assert process is not None
        return memory_index_of(process, process.workspaces.get(str(self.project), None))

    def rows(self, sql: str) -> list[Any]:
        """Return rows of the state file."""
        process = self.sidecar.app.process
        assert process is not None
        with process.database.read() as tx:
            return list(tx.execute(sql))

    def _key(self) -> str:
        process = self.sidecar.app.process
        assert process is not None
        return process.workspaces.get(str(self.project), None).project_key

    def _common(self) -> dict[str, Any]:
        return {"cwd": str(self.project), **({"token": self.token} if self.token else {})}

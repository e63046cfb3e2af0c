"""A knowledge repository and a project whose memory follows it, through the RPC."""

from pathlib import Path
from typing import Any

from sidecar.memory import MemoryFileChange, PointerFiles
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.rpc_failures import RpcFailure

POINTERS = "shared/durable/pointers"


def item(title: str, *, body: str = "We decided.", constraints: str = "", **matter: object) -> str:
    """Return an item's Markdown."""
    lines = "".join(f"{name}: {value}\n" for name, value in {"title": title, **matter}.items())
    block = f"\n## Constraints\n\n```yaml\n{constraints}```\n" if constraints else ""
    return f"---\n{lines}---\n\n# {title}\n\n{body}\n{block}"


class Knowledge:
    """A project whose settings name a knowledge repository."""

    def __init__(self, sidecar: MemorySidecar, project: Path, repository: Repository, **settings: Any) -> None:
        self.sidecar = sidecar
        self.project = project
        self.repository = repository
        self.folder = project / ".chati" / "memories"
        self.set(repository=str(repository.path), **{"writesPerSecond": 0, **settings})

    def set(self, **settings: Any) -> None:
        """Change the project's settings."""
        self.sidecar.client.request(
            "settings/update", {"projectPath": str(self.project), "settings": {"knowledge": settings}}
        )

    def request(self, method: str, **params: Any) -> Any:
        """Return a method's result. Raise RpcFailure when it fails."""
        return self.sidecar.client.request(f"knowledge/{method}", {"cwd": str(self.project), **params})

    def error(self, method: str, **params: Any) -> RpcFailure:
        """Return the error of a call that must fail."""
        return self.sidecar.client.error(f"knowledge/{method}", {"cwd": str(self.project), **params})

    def files(self) -> dict[str, str]:
        """Return the pointer files by name."""
        paths = sorted((self.folder / POINTERS).glob("*"))
        return {path.name: path.read_text(encoding="utf-8") for path in paths}

    def memories(self) -> dict[str, Any]:
        """Return the listed memories by title, each with its text."""
        memories = self.sidecar.client.request("memory/list", {"cwd": str(self.project)})["memories"]
        details = [
            self.sidecar.client.request("memory/get", {"cwd": str(self.project), "id": memory["id"]})
            for memory in memories
        ]
        return {memory["title"]: memory for memory in details}

    def pointer(self, part: str) -> Path:
        """Return the only pointer file whose name contains a part."""
        (path,) = (self.folder / POINTERS).glob(f"*{part}*")
        return path


class ProcessKilled(BaseException):
    """Raised in place of the end of the process."""


class CrashingPointerFiles(PointerFiles):
    """Pointer files whose process ends after `writes_left` writes."""

    writes_left = 0

    def _write(self, change: MemoryFileChange) -> None:
        if self.writes_left == 0:
            raise ProcessKilled
        self.writes_left -= 1
        super()._write(change)

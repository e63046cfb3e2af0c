"""A knowledge repository, and a project whose memory follows it, asked about through the RPC."""

from pathlib import Path
from typing import Any

from sidecar.memory import FileChange, ManagedMemories
from tests.support.failures import RpcFailure
from tests.support.memory import MemorySidecar
from tests.support.repositories import Repository

POINTERS = "shared/durable/pointers"


def item(title: str, *, body: str = "We decided.", constraints: str = "", **matter: object) -> str:
    """Gives an item's Markdown."""
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
        """Changes the project's settings."""
        self.sidecar.client.request(
            "settings/update", {"projectPath": str(self.project), "settings": {"knowledge": settings}}
        )

    def request(self, method: str, **params: Any) -> Any:
        """Gives a method's result; raises RpcFailure."""
        return self.sidecar.client.request(f"knowledge/{method}", {"cwd": str(self.project), **params})

    def error(self, method: str, **params: Any) -> RpcFailure:
        """Gives the error of a call that has to fail."""
        return self.sidecar.client.error(f"knowledge/{method}", {"cwd": str(self.project), **params})

    def files(self) -> dict[str, str]:
        """Gives the pointers' files by name."""
        found = sorted((self.folder / POINTERS).glob("*"))
        return {path.name: path.read_text(encoding="utf-8") for path in found}

    def memories(self) -> dict[str, Any]:
        """Gives the memories that are listed, by title, each with its text."""
        listed = self.sidecar.client.request("memory/list", {"cwd": str(self.project)})["memories"]
        whole = [
            self.sidecar.client.request("memory/get", {"cwd": str(self.project), "id": one["id"]}) for one in listed
        ]
        return {one["title"]: one for one in whole}

    def pointer(self, part: str) -> Path:
        """Gives the one pointer's file whose name has a part."""
        (found,) = (self.folder / POINTERS).glob(f"*{part}*")
        return found


class Killed(BaseException):
    """Stands for the end of the process."""


class Dying(ManagedMemories):
    """Writes so many files, and then the process is gone."""

    left = 0

    def _write(self, change: FileChange) -> None:
        if self.left == 0:
            raise Killed
        self.left -= 1
        super()._write(change)

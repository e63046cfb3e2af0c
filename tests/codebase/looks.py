"""Looks at folders through `codebase/*`, and the shapes tests compare."""

from pathlib import Path
from typing import Any

from tests.support.client import Client
from tests.support.failures import RpcFailure


class Looks:
    """Asks `codebase/*` about one folder."""

    def __init__(self, client: Client, folder: Path) -> None:
        self.client = client
        self.params = {"cwd": str(folder)}

    def state(self) -> Any:
        """Gives the whole state."""
        return self.client.request("codebase/state", self.params)

    def hash(self) -> str:
        """Gives the hash of the changed files."""
        found: str = self.state()["changedFilesHash"]
        return found

    def changed(self) -> dict[str, tuple[str, str]]:
        """Gives path → kind and code."""
        return {file["path"]: (file["kind"], file["code"]) for file in self.state()["changed"]}

    def content(self, path: str) -> str:
        """Gives a changed file's content hash."""
        return {file["path"]: str(file["contentHash"]) for file in self.state()["changed"]}[path]

    def failure(self) -> RpcFailure:
        """Gives the error of a look that has to fail."""
        return self.client.error("codebase/state", self.params)

    def index(self) -> Any:
        """Fills the index."""
        return self.client.request("codebase/index", self.params)

    def search(self, query: str, limit: int = 50) -> list[str]:
        """Gives the paths of the found files that hold a word of the query; their neighbours are left out."""
        found = self.client.request("codebase/search", {**self.params, "query": query, "limit": limit})
        return [file["path"] for file in found["files"] if file["matched"]]

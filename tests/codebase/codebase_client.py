"""A client of `codebase/*` for one folder, and the shapes that tests compare."""

from pathlib import Path
from typing import Any

from tests.support.client import Client
from tests.support.rpc_failures import RpcFailure


class CodebaseClient:
    """Calls `codebase/*` for one folder."""

    def __init__(self, client: Client, folder: Path) -> None:
        self.client = client
        self.params = {"cwd": str(folder)}

    def state(self) -> Any:
        """Return the whole state."""
        return self.client.request("codebase/state", self.params)

    def hash(self) -> str:
        """Return the hash of the changed files."""
        found: str = self.state()["changedFilesHash"]
        return found

    def changed(self) -> dict[str, tuple[str, str]]:
        """Return path → kind and code."""
        return {file["path"]: (file["kind"], file["code"]) for file in self.state()["changed"]}

    def content(self, path: str) -> str:
        """Return a changed file's content hash."""
        return {file["path"]: str(file["contentHash"]) for file in self.state()["changed"]}[path]

    def failure(self) -> RpcFailure:
        """Return the error of a state that cannot be read."""
        return self.client.error("codebase/state", self.params)

    def index(self) -> Any:
        """Fill the index."""
        return self.client.request("codebase/index", self.params)

    def search(self, query: str, limit: int = 50) -> list[str]:
        """Return the paths of the results that contain a word of the query, without related files."""
        found = self.client.request("codebase/search", {**self.params, "query": query, "limit": limit})
        return [file["path"] for file in found["files"] if file["matched"]]

    def parts(self, query: str, path: str) -> dict[str, float]:
        """Return the parts of a file's score; empty where it is not found."""
        found = self.client.request("codebase/search", {**self.params, "query": query})
        return next((file["parts"] for file in found["files"] if file["path"] == path), {})

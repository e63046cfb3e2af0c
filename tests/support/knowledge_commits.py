"""A bare knowledge repository with commits created in a millisecond, from files in a mapping."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sidecar.system.git import pygit2

HEAD = "refs/heads/main"
MOMENT_S = 1_772_355_600


class History:
    """A branch of commits, each with all files; it can be force-pushed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._repository: Any = pygit2().init_repository(str(path), bare=True, initial_head="main")
        self._made = 0

    @property
    def head(self) -> str:
        """The id of the branch's newest commit."""
        return str(self._repository.references[HEAD].target)

    def commit(self, files: Mapping[str, str], *, orphan: bool = False) -> None:
        """Commit exactly these files; `orphan`: without a parent, as after a forced push."""
        library = pygit2()
        who = library.Signature("Ada", "ada@example.org", MOMENT_S, 0)
        exists = HEAD in self._repository.references
        parents = [self._repository.references[HEAD].target] if exists and not orphan else []
        tree = self._tree({tuple(path.split("/")): text for path, text in files.items()})
        self._made += 1  # each commit is unique, even with the same files
        made = self._repository.create_commit(None, who, who, f"Change things, {self._made}", tree, parents)
        self._repository.references.create(HEAD, made, force=True)

    def _tree(self, files: Mapping[tuple[str, ...], str]) -> Any:
        builder = self._repository.TreeBuilder()
        below: dict[str, dict[tuple[str, ...], str]] = {}
        for (name, *rest), text in files.items():
            if rest:
                below.setdefault(name, {})[tuple(rest)] = text
            else:
                builder.insert(name, self._repository.create_blob(text.encode()), 0o100644)
        for name, inner in below.items():
            builder.insert(name, self._tree(inner), 0o040000)
        return builder.write()

"""What holds beside the worktree's files, as far as an anchor tells it: accepted artifacts, pointers. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecar.core.digests import short_id
from sidecar.packs.anchor.pointers import NO_POINTERS, Pointers
from sidecar.packs.anchor.rules import Document
from sidecar.runs import Artifact


class Accepted(NamedTuple):
    """Approaches that were rejected, decisions that no file in the worktree holds, and the knowledge repository's."""

    rejected: tuple[str, ...] = ()
    """Their titles, sorted."""
    decisions: tuple[Document, ...] = ()
    """Their texts, sorted by path: a file on the memory branch as git names it, else the artifact's id."""
    pointers: Pointers = NO_POINTERS

    @property
    def digest(self) -> str:
        """Tells it from what was accepted at another time."""
        return short_id([self.rejected, [list(one) for one in self.decisions], self.pointers.digest])


NOTHING_ACCEPTED = Accepted()


def accepted_of(
    rejected: Sequence[Artifact], decisions: Sequence[Artifact], pointers: Pointers = NO_POINTERS
) -> Accepted:
    """Gives what an anchor is told of accepted artifacts and of pointers."""
    documents = sorted(Document(_path(one), _with_title(one)) for one in decisions)
    return Accepted(tuple(sorted(one.title for one in rejected)), tuple(documents), pointers)


def _path(artifact: Artifact) -> str:
    """Where a decision can be read: `git show` takes the name of a committed one."""
    where = artifact.provenance.get("committed") or {}
    return f"{where['branch']}:{where['path']}" if "branch" in where and "path" in where else artifact.id


def _with_title(artifact: Artifact) -> str:
    return artifact.body if artifact.body.lstrip().startswith("# ") else f"# {artifact.title}\n\n{artifact.body}"

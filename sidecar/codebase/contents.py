"""Reads files by content id: committed ones from git's objects, the others from the worktree, never a wrong one."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.worktree.content_hash import HASHED_BYTES, blob_id, content_identity
from sidecar.system.git import Git, GitFailed
from sidecar.system.safe_open import read_below

_BLOBS_AT_ONCE = 256
_SHA256_CHARACTERS = 64


class Read(NamedTuple):
    """A file as it was read; `content` is None when it is larger than was asked for."""

    path: str
    content_id: str
    size: int
    content: bytes | None


def read_contents(cwd: Path, files: Mapping[str, str], limit_bytes: int) -> Iterator[Read]:
    """Yields the files that can be read; one that changed since it was listed is left out.

    Raises GitFailed when git's objects cannot be read.
    """
    committed: dict[str, str] = {}
    for path, content_id in files.items():
        if not content_id.startswith("w:"):
            committed[path] = content_id
        elif (content := from_worktree(cwd, path, content_identity(content_id))) is not None:
            yield Read(path, content_id, len(content), content if len(content) <= limit_bytes else None)
    paths = list(committed)
    for start in range(0, len(paths), _BLOBS_AT_ONCE):
        part = paths[start : start + _BLOBS_AT_ONCE]
        yield from _from_objects(cwd, {path: committed[path] for path in part}, limit_bytes)


def from_worktree(cwd: Path, path: str, expected: str) -> bytes | None:
    """Reads a file whose bytes have an expected blob id; None for another content, as line ends may make it."""
    content = read_below(str(cwd), path, HASHED_BYTES)
    if content is None:
        return None
    found = blob_id(content, "sha256" if len(expected) == _SHA256_CHARACTERS else "sha1")
    return content if found == expected else None


def _from_objects(cwd: Path, files: Mapping[str, str], limit_bytes: int) -> Iterator[Read]:
    sizes = _sizes(cwd, sorted(set(files.values())))
    contents = _blobs(cwd, [id_ for id_, size in sizes.items() if size <= limit_bytes])
    for path, content_id in files.items():
        if content_id in sizes:
            yield Read(path, content_id, sizes[content_id], contents.get(content_id))


def _sizes(cwd: Path, ids: list[str]) -> dict[str, int]:
    """Sizes before contents: a file of gigabytes must not be read to learn that it is too large."""
    output = Git(cwd).run("cat-file", "--batch-check", stdin="".join(f"{id_}\n" for id_ in ids).encode())
    fields = (line.split(" ") for line in output.decode().splitlines())
    return {found[0]: int(found[2]) for found in fields if len(found) == 3 and found[1] == "blob"}


def _blobs(cwd: Path, ids: list[str]) -> dict[str, bytes]:
    if not ids:
        return {}
    output = Git(cwd).run("cat-file", "--batch", stdin="".join(f"{id_}\n" for id_ in ids).encode())
    found: dict[str, bytes] = {}
    position = 0
    for wanted in ids:
        end = output.find(b"\n", position)
        if end < 0:
            raise GitFailed("git gave fewer objects than asked for")
        header = output[position:end].split(b" ")
        position = end + 1
        if len(header) == 3 and header[1] == b"blob":
            size = int(header[2])
            found[wanted] = output[position : position + size]
            position += size + 1
    return found

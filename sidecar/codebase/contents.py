"""Read files by content id: committed ones from git's objects, others from the worktree, never another content."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.worktree.content_hash import MAX_HASHED_BYTES, blob_id, content_identity
from sidecar.system.git import Git, GitFailed
from sidecar.system.safe_open import read_below

_BATCH_BLOBS = 256
_SHA256_CHARACTERS = 64


class FileContent(NamedTuple):
    """A file's content; `content` is None if it is larger than the limit."""

    path: str
    content_id: str
    size: int
    content: bytes | None


def read_contents(cwd: Path, files: Mapping[str, str], limit_bytes: int) -> Iterator[FileContent]:
    """Yield the readable files; a file that changed since it was listed is left out.

    Raise GitFailed when git's objects cannot be read.
    """
    committed: dict[str, str] = {}
    for path, content_id in files.items():
        if not content_id.startswith("w:"):
            committed[path] = content_id
        elif (content := read_from_worktree(cwd, path, content_identity(content_id))) is not None:
            yield FileContent(path, content_id, len(content), content if len(content) <= limit_bytes else None)
    paths = list(committed)
    for start in range(0, len(paths), _BATCH_BLOBS):
        part = paths[start : start + _BATCH_BLOBS]
        yield from _from_objects(cwd, {path: committed[path] for path in part}, limit_bytes)


def read_from_worktree(cwd: Path, path: str, expected: str) -> bytes | None:
    """Return a worktree file's bytes if they have the expected blob id; else None, as after a line-end conversion."""
    content = read_below(str(cwd), path, MAX_HASHED_BYTES)
    if content is None:
        return None
    actual = blob_id(content, "sha256" if len(expected) == _SHA256_CHARACTERS else "sha1")
    return content if actual == expected else None


def _from_objects(cwd: Path, files: Mapping[str, str], limit_bytes: int) -> Iterator[FileContent]:
    sizes = _sizes(cwd, sorted(set(files.values())))
    contents = _blobs(cwd, [id_ for id_, size in sizes.items() if size <= limit_bytes])
    for path, content_id in files.items():
        if content_id in sizes:
            yield FileContent(path, content_id, sizes[content_id], contents.get(content_id))


def _sizes(cwd: Path, ids: list[str]) -> dict[str, int]:
    """Return the sizes of blobs, which are read before contents so that a huge file is never loaded."""
    output = Git(cwd).run("cat-file", "--batch-check", stdin="".join(f"{id_}\n" for id_ in ids).encode())
    fields = (line.split(" ") for line in output.decode().splitlines())
    return {parts[0]: int(parts[2]) for parts in fields if len(parts) == 3 and parts[1] == "blob"}


def _blobs(cwd: Path, ids: list[str]) -> dict[str, bytes]:
    if not ids:
        return {}
    output = Git(cwd).run("cat-file", "--batch", stdin="".join(f"{id_}\n" for id_ in ids).encode())
    contents: dict[str, bytes] = {}
    position = 0
    for object_id in ids:
        end = output.find(b"\n", position)
        if end < 0:
            raise GitFailed("git returned fewer objects than requested")
        header = output[position:end].split(b" ")
        position = end + 1
        if len(header) == 3 and header[1] == b"blob":
            size = int(header[2])
            contents[object_id] = output[position : position + size]
            position += size + 1
    return contents

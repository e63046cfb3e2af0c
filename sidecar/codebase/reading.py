"""Reads files by content id: committed ones from git's objects, the others from the worktree, never a wrong one."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from sidecar.codebase.hashing import blob_id, read_file
from sidecar.codebase.summary import MAX_ANALYSED_BYTES
from sidecar.system.git import Git, GitFailed

_BLOBS_AT_ONCE = 256


def read_contents(cwd: Path, files: Mapping[str, str]) -> Iterator[tuple[str, str, bytes]]:
    """Yields path, content id and content; a file that changed since it was listed is left out.

    Raises GitFailed when git's objects cannot be read.
    """
    committed = {path: content for path, content in files.items() if not content.startswith("w:")}
    for path, content in files.items():
        if content.startswith("w:"):
            found = _from_worktree(cwd, path, content.removeprefix("w:"))
            if found is not None:
                yield path, content, found
    paths = list(committed)
    for start in range(0, len(paths), _BLOBS_AT_ONCE):
        part = paths[start : start + _BLOBS_AT_ONCE]
        blobs = _blobs(cwd, [committed[path] for path in part])
        for path in part:
            if committed[path] in blobs:
                yield path, committed[path], blobs[committed[path]]


def _from_worktree(cwd: Path, path: str, expected: str) -> bytes | None:
    absolute = os.path.join(cwd, path)
    content = read_file(absolute, MAX_ANALYSED_BYTES * 4)
    if content is None or blob_id(content) != expected.removeprefix("x:"):
        return None
    return content


def _blobs(cwd: Path, ids: list[str]) -> dict[str, bytes]:
    output = Git(cwd).run("cat-file", "--batch", stdin="\n".join(ids).encode() + b"\n")
    found: dict[str, bytes] = {}
    position = 0
    for blob_id in ids:
        end = output.find(b"\n", position)
        if end < 0:
            raise GitFailed("git gave fewer objects than asked for")
        header = output[position:end].split(b" ")
        position = end + 1
        if len(header) == 3 and header[1] == b"blob":
            size = int(header[2])
            found[blob_id] = output[position : position + size]
            position += size + 1
    return found

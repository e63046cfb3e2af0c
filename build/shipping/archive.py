"""Pack a folder reproducibly: the same files make the same bytes."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import stat
import tarfile
import time
import zipfile
from pathlib import Path

PROGRAM_MODE, FILE_MODE = 0o755, 0o644
OLDEST_ZIP_TIME = 315_532_800
"""1980-01-01, the earliest time in a zip file."""


def pack(folder: Path, archive: Path, top: str, at_seconds: int) -> None:
    """Pack everything below `folder` under the name `top`; the suffix selects the format (`.zip`, `.tar.gz`)."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    unfinished = archive.with_name(f"{archive.name}.new")
    (_zip if archive.suffix == ".zip" else _tar)(folder, unfinished, top, at_seconds)
    os.replace(unfinished, archive)


def sha256_of(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sums(paths: list[Path]) -> str:
    """Return the lines of a `SHA256SUMS` file, as read by `sha256sum --check`."""
    return "".join(f"{sha256_of(path)}  {path.name}\n" for path in sorted(paths))


def manifest(version: str, target: str, archive: Path, earlier: Path) -> str:
    """Return the manifest of a release: each platform's archive, checksum and size, with those of an earlier one."""
    stated = json.loads(earlier.read_text(encoding="utf-8")) if earlier.exists() else {}
    others = stated["platforms"] if stated.get("version") == version else {}
    own = {"file": archive.name, "checksum": sha256_of(archive), "size": archive.stat().st_size}
    platforms = dict(sorted({**others, target: own}.items()))
    return json.dumps({"version": version, "platforms": platforms}, indent=2) + "\n"


def _members(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix())


def _mode(path: Path) -> int:
    return PROGRAM_MODE if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else FILE_MODE


def _tar(folder: Path, target: Path, top: str, at_seconds: int) -> None:
    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = at_seconds
        if not entry.issym():
            entry.mode = PROGRAM_MODE if entry.isdir() or entry.mode & stat.S_IXUSR else FILE_MODE
        return entry

    with (
        target.open("wb") as raw,
        gzip.GzipFile("", "wb", 9, raw, mtime=at_seconds) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in _members(folder):
            tar.add(path, f"{top}/{path.relative_to(folder).as_posix()}", recursive=False, filter=plain)


def _zip(folder: Path, target: Path, top: str, at_seconds: int) -> None:
    when = time.gmtime(max(at_seconds, OLDEST_ZIP_TIME))[:6]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in _members(folder):
            if path.is_file():
                entry = zipfile.ZipInfo(f"{top}/{path.relative_to(folder).as_posix()}", when)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.create_system = 3
                entry.external_attr = (stat.S_IFREG | _mode(path)) << 16
                packed.writestr(entry, path.read_bytes())

"""What macOS does with files, for the modules that have to know it, on any system."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from sidecar.system.safe_open import folded, read_below

_MAC = SimpleNamespace(platform="darwin")
_MODULES = ("system.safe_open", "workspace", "capture.effects.run_activity")


def use_mac_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a file be found under a name in another case or with letters composed otherwise, and report its own name."""
    for module in _MODULES:
        monkeypatch.setattr(f"sidecar.{module}.sys", _MAC)
    monkeypatch.setattr("sidecar.system.safe_open.spelling_on_disk", spelling_on_disk)
    monkeypatch.setattr("sidecar.system.safe_open._creation_time_ns", lambda _path, status: 1 + status.st_ino)


def spelling_on_disk(path: str) -> str:
    """Return the path of an existing file, found as macOS finds it. Raise FileNotFoundError."""
    own = Path(Path(path).anchor)
    for name in Path(path).parts[1:]:
        names = os.listdir(own)
        same = [other for other in names if folded(other) == folded(name)]
        if not same:
            raise FileNotFoundError(path)
        own /= name if name in names else same[0]
    return str(own)


def put_into_cloud(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> set[int]:
    """Let the content of files be only in a cloud until a prompt names them; return the numbers of those left there."""
    cloud = {path.stat().st_ino for path in paths}

    def is_in_cloud_only(status: os.stat_result) -> bool:
        return status.st_ino in cloud

    def download(folder: str, path: str, limit_bytes: int) -> bytes | None:
        cloud.discard(os.stat(os.path.join(folder, path)).st_ino)
        return read_below(folder, path, limit_bytes)

    for module in ("system.safe_open", "codebase.content_ids", "packs.request"):
        monkeypatch.setattr(f"sidecar.{module}.is_in_cloud_only", is_in_cloud_only)
    monkeypatch.setattr("sidecar.packs.request.read_below", download)
    monkeypatch.setattr("sidecar.packs.collect_inputs.sys", _MAC)
    return cloud

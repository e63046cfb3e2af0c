"""Paths are replaced in one step, also if the system cannot exchange two paths."""

import importlib.util
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "build" / "environment.py"


@pytest.fixture
def environment() -> ModuleType:
    """The scripts' shared module, loaded from its file because `build` is not a package."""
    spec = importlib.util.spec_from_file_location("build_environment", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def folder(path: Path, text: str) -> Path:
    path.mkdir()
    (path / "version").write_text(text)
    return path


@pytest.mark.parametrize("can_exchange", [True, False])
@pytest.mark.parametrize("before", ["nothing", "folder"])
def test_a_folder_replaces_another(
    environment: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, *, can_exchange: bool
) -> None:
    if not can_exchange:
        monkeypatch.setattr(environment, "_exchange", lambda *_: False)  # as on Windows
    place = tmp_path / "place"
    if before == "folder":
        folder(place, "old")
    environment.replace_path(folder(tmp_path / "fresh", "new"), place)
    assert (place / "version").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["place"], "nothing is left over"


@pytest.mark.skipif(sys.platform not in {"linux", "darwin"}, reason="needs a system that can exchange two paths")
def test_a_replaced_path_is_never_missing(environment: ModuleType, tmp_path: Path) -> None:
    place = folder(tmp_path / "place", "old")
    missing: list[int] = []
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            if not place.exists():
                missing.append(1)

    reader = threading.Thread(target=look)
    reader.start()
    for number in range(200):
        environment.replace_path(folder(tmp_path / f"fresh-{number}", str(number)), place)
    done.set()
    reader.join()
    assert missing == []
    assert (place / "version").read_text() == "199"


def test_removing_a_link_leaves_its_target(environment: ModuleType, tmp_path: Path) -> None:
    target = folder(tmp_path / "target", "kept")
    link = tmp_path / "link"
    link.symlink_to(target)
    environment.remove(link)
    assert not link.is_symlink()
    assert (target / "version").read_text() == "kept"


def test_the_script_lock_is_exclusive(environment: ModuleType, tmp_path: Path) -> None:
    order: list[str] = []

    def wait() -> None:
        with environment.script_lock(tmp_path / "lock", "test"):
            order.append("second")

    with environment.script_lock(tmp_path / "lock", "test"):
        other = threading.Thread(target=wait)
        other.start()
        other.join(0.5)
        order.append("first")
    other.join(20)
    assert order == ["first", "second"]

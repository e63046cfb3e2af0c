"""A release: every file has an owner, the size is limited, and the same build makes the same bytes."""

import hashlib
import json
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
from shipping.archive import manifest, pack, sums
from shipping.components import PROJECT, Component, UnknownOrigin, components, owner_of_module
from shipping.licences import TEXTS, licences
from shipping.native_libraries import LIBRARIES, Library, belongs_to_interpreter, library_of, version_in
from shipping.sbom import sbom
from shipping.size_budget import CORE_BYTES, WHOLE_BYTES, Share, exceeded_limits, needed, shares

from tests.support.cases import together

AT = 1_700_000_000
MODULES = {"sidecar.app": 700, "orjson": 30, "json.decoder": 20, "pyimod01_archive": 5}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A PyInstaller output folder with a file of each kind."""
    folder = tmp_path / "built"
    for path, content in {
        "program": b"x" * 1000,
        "_internal/orjson/py.typed": b"o" * 40,
        "_internal/sidecar/codebase/summary/queries/go.scm": b"(q)",
        "_internal/libpython3.11.so.1.0": b"p" * 50,
        "_internal/pygit2.libs/libssl-cb06c96f.so.3": b"s\0OpenSSL 3.5.9 29 Sep 2026",
        "_internal/libstdc++.so.6": b"c" * 60,
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    (folder / "program").chmod(0o755)
    return folder


def test_each_file_and_module_belongs_to_a_component(built: Path) -> None:
    found = {component.name: component for component in components(built, MODULES, "program")}
    assert {name: component.size for name, component in found.items()} == {
        "orjson": 70,
        PROJECT: 703,
        "cpython": 70,
        "openssl": 27,
        "gcc-runtime": 60,
        "pyinstaller": 5 + (1000 - sum(MODULES.values())),
    }
    assert (found["openssl"].version, found["openssl"].licence) == ("3.5.9", "Apache-2.0")
    assert ("program", hashlib.sha256(b"x" * 1000).hexdigest()) in found[PROJECT].hashes


@pytest.mark.parametrize("path", ["_internal/libnobody.so.1", "_internal/nobody/data.bin", "readme.txt"])
def test_a_file_without_an_owner_is_not_shipped(built: Path, path: str) -> None:
    (built / path).parent.mkdir(exist_ok=True)
    (built / path).write_bytes(b"?")
    with pytest.raises(UnknownOrigin, match=Path(path).name):
        components(built, MODULES, "program")


def test_a_module_without_an_owner_is_not_shipped(built: Path) -> None:
    with pytest.raises(UnknownOrigin, match=r"nobody\.knows"):
        components(built, {**MODULES, "nobody.knows": 1}, "program")


@together(
    "path",
    [
        "base_library.zip", "libpython3.11.so.1.0", "python3.11/lib-dynload/_ssl.cpython-311-darwin.so",
        "Python.framework/Versions/3.11/Python", "python311.dll", "python3.dll", "VCRUNTIME140.dll",
        "vcruntime140_1.dll", "MSVCP140.dll", "ucrtbase.dll", "api-ms-win-crt-heap-l1-1-0.dll", "_ssl.pyd",
        "select.pyd",
    ],
)  # fmt: skip
def test_files_of_pythons_installers_belong_to_the_interpreter(path: str) -> None:
    assert belongs_to_interpreter(path)


@together("path", ["python.py", "strange.dll", "win32/win32api.pyd", "_internal/_ssl.pyd", "msvcp.dll"])
def test_other_files_do_not_belong_to_the_interpreter(path: str) -> None:
    assert not belongs_to_interpreter(path)


def test_modules_in_pywin32s_path_folders_are_found() -> None:
    files = {"win32/lib/win32con.py": "pywin32", "mcp/os/__init__.py": "mcp", "mcp/os/posix.py": "mcp"}
    found = [owner_of_module(module, files) for module in ("win32con", "mcp.os", "mcp.os.posix", "os", "con")]
    assert found == ["pywin32", "mcp", "mcp", None, None]


def test_every_component_has_its_licence_text(built: Path) -> None:
    text = licences(components(built, MODULES, "program"))
    heads = [line.split(" ")[0] for line in text.split("=" * 78) if line.strip()][::2]
    assert [head.strip() for head in heads] == ["cpython", "gcc-runtime", "openssl", "orjson", "pyinstaller"]
    for words in ("PYTHON SOFTWARE FOUNDATION", "GCC Runtime Library Exception", "Apache License", "Mozilla Public"):
        assert words.casefold() in text.casefold()


@together("library", LIBRARIES)
def test_every_native_library_has_a_licence_text(library: Library) -> None:
    assert len((TEXTS / f"{library.text}.txt").read_text(encoding="utf-8")) > 30


@together(
    ("file", "name"),
    [
        ("libcrypto.so.3", "openssl"),
        ("libcrypto-06d2c0b8.so.3", "openssl"),
        ("libssl.3.dylib", "openssl"),
        ("libcrypto-3-x64.dll", "openssl"),
        ("libz.so.1", "zlib"),
        ("zlib1.dll", "zlib"),
        ("libbz2.so.1.0", "bzip2"),
        ("libffi-8.dll", "libffi"),
        ("libgcc_s.so.1", "gcc-runtime"),
        ("libzstd.so.1", None),
        ("libgit2-b9a7920b.so.1.9.7", None),
    ],
)
def test_native_libraries_are_recognized_by_file_name(file: str, name: str | None) -> None:
    found = library_of(file)
    assert (found.name if found else None) == name


def test_a_librarys_version_is_read_from_its_file() -> None:
    zlib = next(row for row in LIBRARIES if row.name == "zlib")
    assert version_in(b"\0 inflate 1.2.13 Copyright 1995-2022 Mark Adler ", zlib) == "1.2.13"
    assert version_in(b"nothing", zlib) is None


def test_exceeded_size_limits_are_reported() -> None:
    core, grammar = Share("one", CORE_BYTES, "core"), Share("tree-sitter-c", WHOLE_BYTES - CORE_BYTES, "grammar")
    assert exceeded_limits([core, grammar]) == []
    assert exceeded_limits([core, grammar, Share("pygal", 1, "optional")]) == [
        "The program takes 100.0 MB; the limit is 100 MB."
    ]
    assert len(exceeded_limits([Share("one", WHOLE_BYTES + 1, "core")])) == 2


def test_dependencies_of_optional_parts_alone_are_optional() -> None:
    assert {"mcp", "starlette", "anyio", "pydantic", "cryptography"} <= needed(["mcp"])
    found = [Component(name, "1", "package", "MIT", size=1) for name in ("starlette", "pydantic", "tree-sitter-c")]
    assert {share.name: share.part for share in shares(found, PROJECT)} == {
        "starlette": "optional",
        "pydantic": "core",
        "tree-sitter-c": "grammar",
    }


@pytest.mark.parametrize("ending", [".tar.gz", ".zip"])
def test_the_same_files_make_the_same_archive(built: Path, tmp_path: Path, ending: str) -> None:
    first, second = tmp_path / f"first{ending}", tmp_path / f"second{ending}"
    pack(built, first, PROJECT, AT)
    for path in built.rglob("*"):
        os.utime(path, (1, 1))
    pack(built, second, PROJECT, AT)
    assert first.read_bytes() == second.read_bytes()
    names = _names(first)
    assert f"{PROJECT}/program" in names
    assert names == sorted(names)
    assert all(name.startswith(f"{PROJECT}/") for name in names)


def _names(archive: Path) -> list[str]:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as packed:
            return packed.namelist()
    with tarfile.open(archive) as tar:
        return tar.getnames()


def test_only_the_program_is_executable_after_unpacking(built: Path, tmp_path: Path) -> None:
    pack(built, tmp_path / "a.tar.gz", PROJECT, AT)
    with tarfile.open(tmp_path / "a.tar.gz") as archive:
        modes = {entry.name: entry.mode for entry in archive.getmembers()}
    assert modes[f"{PROJECT}/program"] == 0o755
    assert modes[f"{PROJECT}/_internal/libstdc++.so.6"] == 0o644


def test_checksums_match_the_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"abc")
    assert sums([tmp_path / "a.txt"]) == f"{hashlib.sha256(b'abc').hexdigest()}  a.txt\n"


def test_the_sbom_lists_every_component_and_is_deterministic(built: Path) -> None:
    found = components(built, MODULES, "program")
    document_text = sbom(found, "linux-x64", AT)
    assert document_text == sbom(components(built, MODULES, "program"), "linux-x64", AT)
    document = json.loads(document_text)
    assert document["metadata"]["component"]["name"] == PROJECT
    assert document["metadata"]["timestamp"] == "2023-11-14T22:13:20+00:00"
    named = {part["name"]: part for part in document["components"]}
    assert sorted(named) == ["cpython", "gcc-runtime", "openssl", "orjson", "pyinstaller"]
    assert named["openssl"]["purl"] == "pkg:generic/openssl@3.5.9"
    assert named["gcc-runtime"]["licenses"] == [{"expression": "GPL-3.0-or-later WITH GCC-exception-3.1"}]
    assert all(any(entry["name"] == "onecode:bytes" for entry in part["properties"]) for part in named.values())


def test_a_manifest_collects_the_platforms_of_one_version(tmp_path: Path) -> None:
    archive, stated = tmp_path / "sidecar.tar.gz", tmp_path / "manifest.json"
    archive.write_bytes(b"sidecar")
    digest = hashlib.sha256(b"sidecar").hexdigest()
    for version, target in (("1", "win32-x64"), ("2", "linux-x64"), ("2", "darwin-arm64")):
        stated.write_text(manifest(version, target, archive, stated))
    entry = {"file": "sidecar.tar.gz", "checksum": digest, "size": 7}
    assert json.loads(stated.read_text()) == {"version": "2", "platforms": {"darwin-arm64": entry, "linux-x64": entry}}

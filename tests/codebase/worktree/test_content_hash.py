"""Tests of content hashes: they are git's blob ids, and no edit hides behind an unchanged stat."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.codebase.content_ids import blob_id
from sidecar.codebase.worktree import MAX_HASHED_BYTES, ContentHashes
from sidecar.system.safe_open import read_below, read_if_regular
from tests.codebase.codebase_client import CodebaseClient
from tests.support.client import Client
from tests.support.depth import is_thorough
from tests.support.repositories import Repository

Make = Callable[..., Repository]


@pytest.fixture
def hashes() -> ContentHashes:
    return ContentHashes(time.time_ns)


@pytest.mark.parametrize("content", [b"", b"text\n", b"crlf\r\n", b"\0\xff binary", b"x" * 100_000])
def test_a_content_hash_is_gits_blob_id(client: Client, make_repository: Make, content: bytes) -> None:
    repository = make_repository({"a.txt": "one\n"})
    repository.write({"new.txt": content})
    looks = CodebaseClient(client, repository.path)
    assert looks.content("new.txt") == repository.git("hash-object", "--no-filters", "new.txt")


def test_an_edit_of_the_same_size_in_the_same_instant_is_noticed(tmp_path: Path, hashes: ContentHashes) -> None:
    path = tmp_path / "file"
    for number in range(10_000, 12_000 if is_thorough() else 10_200):
        path.write_text(str(number))
        seen = hashes.of(str(path))
        path.write_text(str(number + 50_000))
        assert hashes.of(str(path)) != seen


def test_an_edit_that_restores_the_file_s_time_is_noticed(tmp_path: Path, hashes: ContentHashes) -> None:
    path = tmp_path / "file"
    path.write_text("before")
    long_ago = time.time_ns() - 10**12
    os.utime(path, ns=(long_ago, long_ago))
    time.sleep(0.15)
    seen = hashes.of(str(path))
    path.write_text("after!")
    os.utime(path, ns=(long_ago, long_ago))
    assert hashes.of(str(path)) != seen


def test_a_file_at_rest_is_read_once(tmp_path: Path) -> None:
    hashes = ContentHashes(lambda: time.time_ns() + 10**10)
    path = tmp_path / "file"
    path.write_text("at rest")
    read_at = path.stat().st_atime_ns
    first = hashes.of(str(path))
    os.utime(path, ns=(read_at, path.stat().st_mtime_ns))
    hashes.of(str(path))
    known = path.stat()
    assert hashes.of(str(path)) == first
    assert path.stat().st_atime_ns == known.st_atime_ns


def test_a_file_over_the_limit_is_identified_without_reading_it(tmp_path: Path, hashes: ContentHashes) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(MAX_HASHED_BYTES + 1)
    first = hashes.of(str(path))
    assert first is not None
    assert first.startswith("large:")
    with path.open("ab") as file:
        file.write(b"x")
    assert hashes.of(str(path)) != first


def test_a_large_new_file_is_part_of_the_state_and_does_not_block_the_index(
    client: Client, make_repository: Make
) -> None:
    repository = make_repository({"a.txt": "one\n"})
    repository.write({"three-megabytes.txt": b"walrus\n" * 450_000})
    with (repository.path / "seventeen.txt").open("wb") as file:
        file.truncate(17 * 2**20)
    looks = CodebaseClient(client, repository.path)
    assert set(looks.changed()) == {"three-megabytes.txt", "seventeen.txt"}
    found = looks.index()
    assert (found["complete"], found["files"]) == (True, 2)
    assert looks.search("megabytes") == ["three-megabytes.txt"]


def test_a_file_in_the_cloud_alone_counts_as_unreadable_until_it_was_downloaded(
    tmp_path: Path, hashes: ContentHashes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("text")
    os.utime(path, ns=(10**18, 10**18))
    time.sleep(0.15)
    with monkeypatch.context() as patched:
        for module in ("codebase.content_ids", "system.safe_open"):
            patched.setattr(f"sidecar.{module}.is_in_cloud_only", lambda _status: True)
        assert hashes.of(str(path)) == "unreadable:4:1000000000000000000"
    assert hashes.of(str(path)) == blob_id(b"text")


def test_missing_files_have_no_hash(tmp_path: Path, hashes: ContentHashes) -> None:
    assert hashes.of(str(tmp_path / "none")) is None
    assert hashes.of(str(tmp_path / ("x" * 300))) is None
    (tmp_path / "folder").mkdir()
    found = hashes.of(str(tmp_path / "folder"))
    assert found is not None
    assert found.startswith("other:")


def test_links_and_folders_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "inside").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "inside" / "way-out").symlink_to(tmp_path)
    assert read_if_regular(str(tmp_path / "file"), 100) == b"text"
    assert read_if_regular(str(tmp_path / "file"), 3) is None
    assert read_if_regular(str(tmp_path / "link"), 100) is None
    assert read_if_regular(str(tmp_path), 100) is None
    assert read_below(str(tmp_path / "inside"), "way-out/file", 100) is None
    assert read_below(str(tmp_path), "inside/../file", 100) == b"text"

"""The files that are listed and may be shown."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sidecar.codebase import (
    MAX_FILES,
    ChangedFile,
    FileMap,
    Lister,
    RepositoryState,
    files,
    is_generated,
    may_show,
    with_changes,
)
from sidecar.codebase.content_ids import ContentHashes, read_blobs
from sidecar.codebase.files import SharedListings, read_contents, read_from_worktree
from sidecar.codebase.worktree.state import Scan, read_state
from tests.codebase.codebase_client import CodebaseClient
from tests.support.cases import together
from tests.support.client import Client
from tests.support.repositories import Repository

Make = Callable[..., Repository]

HIDDEN = (
    ".env", "web/.env.local", "id_rsa", "deploy/server.pem", ".ssh/config", "home/.aws/config", "logo.png",
    "build/app.EXE", "data.sqlite", "archive.tar.gz", "a.min.js.map", "node_modules/x/index.js",
    ".venv/lib/a.py", "lib/__pycache__/a.py", ".chati/m.md", ".spool/x", "sub/.spool/x",
    "odd-\udce9.txt",
)  # fmt: skip
SHOWN = (
    ".env.example", "src/app.py", "README", "Makefile", "src/vendor.py", "dist.py", "png", ".gitignore", "größe.ts",
    "日本語/メモ.md", "web/vendor/lib.js", "dist/app.js",
    "a b/c d.txt", "yarn.lock", "src/node_modules.ts", "emoji-🦊.md", ".github/workflows/ci.yml",
)  # fmt: skip


def _state(*changed: ChangedFile) -> RepositoryState:
    return RepositoryState("git", Path("/r"), "", "0" * 40, "main", changed, "hash", "status")


@together("path", HIDDEN)
def test_secret_binary_vendored_and_own_files_may_not_be_shown(path: str) -> None:
    assert not may_show(path)


@together("path", SHOWN)
def test_other_files_may_be_shown(path: str) -> None:
    assert may_show(path)


@together(
    "path",
    [
        "package-lock.json",
        "web/Yarn.lock",
        "a.min.js",
        "x_pb2.py",
        "api.generated.ts",
        "dist/otter.cjs",
        "web/dist/a/otter.d.ts",
        "src/otter.js.map",
    ],
)
def test_generated_files_are_recognized_by_name(path: str) -> None:
    assert is_generated(path)
    assert not is_generated("src/lock.py")


@pytest.mark.parametrize("tracked", [True, False], ids=["tracked", "untracked"])
def test_files_that_may_not_be_shown_are_never_found(client: Client, make_repository: Make, *, tracked: bool) -> None:
    hidden = {path: "pelican\n" for path in HIDDEN if path.isascii()}
    repository = make_repository({"plain.txt": "pelican\n", ".env.example": "pelican\n"})
    repository.write(hidden)
    if tracked:
        repository.git("add", "--force", "--all")
        repository.git("commit", "--quiet", "--message", "All")
    looks = CodebaseClient(client, repository.path)
    assert looks.index()["files"] == 2
    assert set(looks.search("pelican")) == {"plain.txt", ".env.example"}


def test_ignored_files_are_never_listed(client: Client, make_repository: Make) -> None:
    repository = make_repository({".gitignore": "*.local\n/out/\n", "a.txt": "pelican\n"})
    repository.write({"x.local": "pelican\n", "out/y.txt": "pelican\n", "sub/z.local": "pelican\n"})
    looks = CodebaseClient(client, repository.path)
    assert looks.changed() == {}
    looks.index()
    assert looks.search("pelican") == ["a.txt"]


def test_listing_follows_every_kind_of_change(client: Client, make_repository: Make) -> None:
    repository = make_repository({"a.txt": "pelican\n", "b.txt": "pelican\n", "c.txt": "pelican long enough\n" * 9})
    looks = CodebaseClient(client, repository.path)
    looks.index()
    assert set(looks.search("pelican")) == {"a.txt", "b.txt", "c.txt"}
    (repository.path / "a.txt").unlink()
    repository.write({"b.txt": "walrus\n", "d.txt": "pelican\n"})
    repository.git("mv", "c.txt", "e.txt")
    looks.index()
    assert set(looks.search("pelican")) == {"d.txt", "e.txt"}
    repository.commit()
    assert set(looks.search("pelican")) == {"d.txt", "e.txt"}
    repository.git("reset", "--quiet", "--hard", "HEAD~1")
    looks.index()
    assert set(looks.search("pelican")) == {"a.txt", "b.txt", "c.txt"}


def test_skip_worktree_file_is_not_listed(client: Client, make_repository: Make) -> None:
    repository = make_repository({"a.txt": "pelican\n", "b.txt": "pelican\n"})
    looks = CodebaseClient(client, repository.path)
    assert looks.index()["files"] == 2
    repository.git("update-index", "--skip-worktree", "b.txt")
    assert looks.index()["files"] == 1


def test_too_long_listing_is_truncated_and_reports_the_total() -> None:
    tracked: dict[str, str] = {f"{number:06}.txt": "0" * 40 for number in range(MAX_FILES)}
    extra = [ChangedFile(f"0{number}", "untracked", "??", "1" * 40, None) for number in range(5)]
    listing = with_changes(FileMap(tracked, {}), _state(*extra), MAX_FILES)
    assert (len(listing.files), listing.cut_at) == (MAX_FILES, MAX_FILES + 5)
    assert min(listing.files) == "00"
    assert with_changes(FileMap(tracked, {}), _state(), MAX_FILES).cut_at is None
    assert with_changes(FileMap(tracked, {}), _state(), MAX_FILES + 3).cut_at == MAX_FILES + 3


def test_same_state_returns_the_same_listing_object(make_repository: Make) -> None:
    repository = make_repository({"a.txt": "a\n"})
    state = _state()._replace(root=repository.path)
    lister = Lister()
    first = lister.list(repository.path, state)
    assert lister.list(repository.path, state) is first
    changed = state._replace(changed_hash="other", changed=(ChangedFile("n.txt", "untracked", "??", "1" * 40, None),))
    later = lister.list(repository.path, changed).files
    assert later == {**first.files, "n.txt": "w:" + "1" * 40}
    assert later.changed_since(first.files) == (("n.txt",), (), ())


def test_git_index_without_a_checksum_is_read(client: Client, make_repository: Make) -> None:
    repository = make_repository({"a.txt": "pelican\n"})
    repository.git("config", "index.skipHash", "true")
    looks = CodebaseClient(client, repository.path)
    for name in ("b.txt", "c.txt", "d.txt"):
        repository.commit({name: "pelican\n"})
        looks.index()
        assert name in looks.search("pelican")


@pytest.mark.parametrize("vendored", [False, True])
def test_listing_derived_from_another_worktree_equals_its_own(
    make_repository: Make, tmp_path: Path, *, vendored: bool
) -> None:
    repository = make_repository()
    texts = {f"src/{number}.py": str(number) for number in range(200)} | {"a.min.js": "1", "logo.png": "2", ".env": "3"}
    if vendored:
        texts |= {"vendor/modules.txt": "# example.org/x v1\n", "vendor/example.org/x/x.go": "package x\n"}
    repository.commit(texts)
    shared, scan = SharedListings(), Scan(ContentHashes(lambda: 0), tmp_path / "state")
    first = Lister(shared).list(repository.path, read_state(repository.path, scan))
    repository.git("worktree", "add", "--quiet", str(tmp_path / "same"))
    repository.git("rm", "--quiet", "src/1.py")
    edits = {"src/new.py": "n", "src/0.py": "changed", "b.min.js": "1"}
    repository.commit(edits | ({"vendor/modules.txt": "# example.org/y v1\n"} if vendored else {}))
    repository.git("worktree", "add", "--quiet", str(tmp_path / "other"))
    for name in ("same", "other"):
        cwd = (tmp_path / name).resolve()
        state = read_state(cwd, scan)
        derived, own = Lister(shared).list(cwd, state), Lister().list(cwd, state)
        assert (dict(derived.files), derived.unindexed, derived.cut_at) == (dict(own.files), own.unindexed, None)
        assert derived.files.base is first.files.base


def test_entries_that_are_read_ahead_are_used_only_for_the_same_index(make_repository: Make) -> None:
    repository = make_repository({"a.py": "1\n"})
    state = _state()._replace(root=repository.path)
    with ThreadPoolExecutor(1) as pool:
        same, other = Lister(), Lister()
        for lister in (same, other):
            lister.read_ahead(pool, repository.path, repository.path)
        pool.submit(int).result()
        assert list(same.list(repository.path, state).files) == ["a.py"]
        repository.commit({"b.py": "2\n"})
        assert list(other.list(repository.path, state).files) == ["a.py", "b.py"]


def test_an_index_that_changed_after_a_listing_is_read_ahead(
    make_repository: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_repository({"a.py": "1\n"})
    state, lister = _state()._replace(root=repository.path), Lister()
    with ThreadPoolExecutor(1) as pool:
        assert list(lister.list(repository.path, state).files) == ["a.py"]
        assert not lister.read_ahead(pool, repository.path, repository.path)
        repository.commit({"b.py": "2\n"})
        assert lister.read_ahead(pool, repository.path, repository.path)
    monkeypatch.delattr("sidecar.codebase.files._read_index")  # the entries are there
    assert list(lister.list(repository.path, state).files) == ["a.py", "b.py"]


def test_listing_does_not_wait_for_a_full_pool(make_repository: Make) -> None:
    repository = make_repository({"a.py": "1\n"})
    release = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(release.wait)
        lister = Lister()
        lister.read_ahead(pool, repository.path, repository.path)
        assert list(lister.list(repository.path, _state()._replace(root=repository.path)).files) == ["a.py"]
        release.set()


def test_files_as_committed_are_read_without_git_and_the_others_from_its_objects(
    make_repository: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed = {f"{number:02}.txt": f"line {number}\n" for number in range(24)} | {"large.txt": "long line\n" * 20}
    repository = make_repository(committed)
    ids = {path: repository.git("rev-parse", f"HEAD:{path}").strip() for path in committed}
    (repository.path / "05.txt").write_text("edited\n")
    (repository.path / "06.txt").unlink()
    requested: list[str] = []

    def read_objects(cwd: Path, blobs: list[str]) -> dict[str, bytes]:
        requested.extend(blobs)
        return read_blobs(cwd, blobs)

    monkeypatch.setattr(files, "read_blobs", read_objects)
    read = list(read_contents(repository.path, ids, 100, with_large=True))
    assert {file.path: file.content for file in read} == {path: text.encode() for path, text in committed.items()}
    assert [file.path for file in read] == list(committed)
    assert requested == [*sorted(ids[path] for path in ("05.txt", "06.txt")), ids["large.txt"]]


def test_where_git_converts_line_ends_few_files_are_read_in_vain(
    make_repository: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed = {f"{number:02}.txt": f"line {number}\n" for number in range(24)}
    repository = make_repository(committed)
    ids = {path: repository.git("rev-parse", f"HEAD:{path}").strip() for path in committed}
    for path, text in committed.items():
        (repository.path / path).write_bytes(text.replace("\n", "\r\n").encode())
    tried: list[str] = []

    def read_worktree(cwd: Path, path: str, *options: Any) -> bytes | None:
        tried.append(path)
        return read_from_worktree(cwd, path, *options)

    monkeypatch.setattr(files, "read_from_worktree", read_worktree)
    read = list(read_contents(repository.path, ids, 100, with_large=True))
    assert {file.path: file.content for file in read} == {path: text.encode() for path, text in committed.items()}
    assert len(tried) < 10

"""A repository whose configuration names programs, and one whose history is larger than it appears."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pygit2
import pytest

from sidecar.core.errors import SidecarError
from sidecar.knowledge import MAX_ITEM_BYTES, UnreadableItem, item_location, open_source, parse_item
from sidecar.system.git import Git, GitFailed
from tests.support.client import Client
from tests.support.conversation import Conversation
from tests.support.repositories import Repository

HOOKS = ("post-index-change", "pre-commit", "reference-transaction", "post-checkout", "pre-auto-gc", "post-commit")
PROGRAMS = (
    "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy",
    "core.alternateRefsCommand", "diff.external", "diff.evil.command", "diff.evil.textconv", "merge.evil.driver",
    "gpg.program", "uploadpack.packObjectsHook", "credential.helper", "alias.status", "filter.evil.smudge",
)  # fmt: skip


FOLDER_CALLS: tuple[tuple[str, str, dict[str, str]], ...] = (
    (".chati/memories", "memory/add", {"text": "Prices are whole cents."}),
    (".chati", "registry/put", {"id": "scripts/b", "path": "src/b.py", "type": "script", "purpose": "Adds prices"}),
    (".spool", "ralph/addContext", {"change": "login", "text": "Use the form."}),
    (".claude", "session/activate", {"ide": "claude-code"}),
)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize(("name", "method", "params"), FOLDER_CALLS, ids=lambda value: str(value)[:20])
def test_a_link_that_vanishes_while_it_is_resolved_is_refused(
    name: str,
    method: str,
    params: dict[str, str],
    make_repository: Callable[..., Repository],
    client: Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project, outside = make_repository({"src/b.py": "x = 1\n"}).path, tmp_path / "outside"
    outside.mkdir()
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).symlink_to(outside)

    def vanish(path: str, **_: object) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(os, "readlink", vanish)
    failure = client.error(method, {"cwd": str(project), **params})
    assert failure.code != -32603
    assert list(outside.iterdir()) == []


def test_memories_in_a_folder_that_is_replaced_while_it_is_opened_are_refused(
    make_repository: Callable[..., Repository], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_repository({"src/b.py": "x = 1\n"}).path

    def replaced(*_: object, **__: object) -> None:
        raise NotADirectoryError

    monkeypatch.setattr("sidecar.memory.files.memory_folder.open_real_folder", replaced)
    failure = client.error("memory/add", {"cwd": str(project), "text": "Prices are whole cents."})
    assert "cannot be created" in failure.message


@pytest.fixture
def hostile(make_repository: Callable[..., Repository], tmp_path: Path) -> Repository:
    """A repository with a program configured wherever git accepts one; each program records that it ran."""
    repository = make_repository({"a.txt": "one\n", "src/b.py": "x = 1\n"})
    for name in PROGRAMS:
        repository.git("config", name, str(program(tmp_path, name)))
    for name in HOOKS:
        program(tmp_path / "hooks", name)
    repository.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    for name in ("log.showSignature", "commit.gpgSign"):
        repository.git("config", name, "true")
    repository.write({".gitattributes": "* diff=evil merge=evil\n"})
    return repository


def program(folder: Path, name: str) -> Path:
    """Write a program that records its name beside the repository."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho {name} >> {ran(folder)}\ncat\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def ran(folder: Path) -> Path:
    return (folder.parent if folder.name == "hooks" else folder) / "ran"


@pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts")
def test_no_program_configured_by_a_repository_runs_except_a_clean_filter(
    client: Client, hostile: Repository, tmp_path: Path
) -> None:
    client.request("settings/update", {"settings": {"mode": "active", "artifactPolicy": "auto-write-memory-branch"}})
    chat = Conversation(client, hostile.path)
    hostile.write({"a.txt": "two\n"})
    chat.turn("Mend src/b.py", lambda: [chat.edit("src/b.py", "x = 3\n")])
    chat.turn("Go on with a.txt", lambda: [chat.edit("a.txt", "three\n")])
    location = {"cwd": str(hostile.path)}
    assert client.request("codebase/state", location)["changed"] != []
    client.request("codebase/search", {**location, "query": "x"})
    client.request("state/doctor", {"projectPath": str(hostile.path)})
    assert not ran(tmp_path).exists(), ran(tmp_path).read_text(encoding="utf-8")

    hostile.git("config", "filter.evil.clean", str(program(tmp_path, "filter.evil.clean")))
    hostile.write({".gitattributes": "*.txt filter=evil\n", "a.txt": "four\n"})
    chat.turn("Go on with a.txt")
    assert set(ran(tmp_path).read_text(encoding="utf-8").split()) == {"filter.evil.clean"}


def test_git_uses_no_transport_by_default(make_repository: Callable[..., Repository]) -> None:
    repository = make_repository({"a.txt": "one\n"})
    with pytest.raises(GitFailed):
        Git(repository.path).run("ls-remote", repository.path.as_uri())
    response = Git(repository.path, variables={"GIT_ALLOW_PROTOCOL": "file"}).run("ls-remote", repository.path.as_uri())
    assert repository.head().encode() in response


def _committed(folder: Path, files: dict[str, pygit2.Oid], levels: int) -> str:
    """Commit `company/` with `levels` levels of ten folders each, and return the repository."""
    repository = pygit2.init_repository(str(folder), bare=True)
    builder = repository.TreeBuilder()
    for name, blob in files.items():
        builder.insert(name, blob, pygit2.GIT_FILEMODE_BLOB)
    tree = builder.write()
    ten = [str(number) for number in range(10)]
    for names in (*[ten] * levels, ["adrs"], ["company"]):
        builder = repository.TreeBuilder()
        for name in names:
            builder.insert(name, tree, pygit2.GIT_FILEMODE_TREE)
        tree = builder.write()
    who = pygit2.Signature("Ada", "ada@example.org", 0, 0)
    repository.create_commit("HEAD", who, who, "All", tree, [])
    return str(folder)


def test_a_commit_with_a_billion_folders_is_refused(tmp_path: Path) -> None:
    source = open_source(_committed(tmp_path / "bomb.git", {}, 12))
    with pytest.raises(SidecarError, match="entries"):
        source.files()


def test_a_blob_larger_than_any_item_is_not_read_in_full(tmp_path: Path) -> None:
    repository = pygit2.init_repository(str(tmp_path / "large.git"), bare=True)
    blobs = {"large.md": repository.create_blob(bytes(64 * 2**20)), "small.md": repository.create_blob(b"x")}
    source = open_source(_committed(tmp_path / "large.git", blobs, 0))
    large, small = source.files()
    assert (len(source.content(large.blob)), source.content(small.blob)) == (MAX_ITEM_BYTES + 1, b"x")
    location = item_location(large.path)
    assert location is not None
    with pytest.raises(UnreadableItem, match="larger"):
        parse_item(large.path, location, source.content(large.blob))

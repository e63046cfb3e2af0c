"""Tests that no configuration or environment changes what is read, starts a program, or makes git write."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.codebase import diff_against, subjects_between
from sidecar.system.folder_watch import COOKIE_PREFIX
from sidecar.system.git import Git
from tests.codebase.codebase_client import CodebaseClient
from tests.support.client import Client
from tests.support.repositories import Repository

Make = Callable[..., Repository]

HOSTILE = {
    "color.ui": "always", "color.status": "always", "color.diff": "always", "column.ui": "always",
    "core.abbrev": "4", "core.quotepath": "true", "core.untrackedCache": "true",
    "diff.algorithm": "histogram", "diff.context": "9", "diff.interHunkContext": "20", "diff.mnemonicPrefix": "true",
    "diff.noprefix": "true", "diff.orderFile": "/dev/null", "diff.relative": "true", "diff.renames": "false",
    "diff.renameLimit": "1", "diff.submodule": "log", "diff.suppressBlankEmpty": "true", "diff.wordRegex": ".",
    "diff.ignoreSubmodules": "all", "diff.colorMoved": "zebra", "format.pretty": "fuller",
    "i18n.logOutputEncoding": "ISO-8859-1", "log.decorate": "full", "log.showSignature": "true",
    "status.branch": "false", "status.relativePaths": "true", "status.renames": "false", "status.short": "true",
    "status.showStash": "true", "status.showUntrackedFiles": "no", "status.submoduleSummary": "true",
}  # fmt: skip


@pytest.fixture
def repository(make_repository: Make) -> Repository:
    created = make_repository({
        "a.txt": "one\n\ntwo\n\nthree\n", "long.txt": "words that stay the same\n" * 9, "größe.txt": "x\n",
        "sub/c.txt": "c\n",
    })  # fmt: skip
    created.commit({"b.txt": "b\n"}, "Größe ändern")
    created.write({"a.txt": "one\n\nTWO\n\nthree\n", "größe.txt": "y\n", "new/file.txt": "new\n"})
    created.git("mv", "long.txt", "sub/moved.txt")
    return created


def _everything(client: Client, repository: Repository) -> object:
    looks = CodebaseClient(client, repository.path)
    state = looks.state()
    paths = ["a.txt", "größe.txt", "long.txt", "sub/moved.txt"]
    return (
        state,
        CodebaseClient(client, repository.path / "sub").state(),
        diff_against(repository.path, state["headCommit"], paths),
        [subject.split(" ", 1)[1] for subject in subjects_between(repository.path, "HEAD~1", "HEAD", 5)],
    )


def test_no_configuration_changes_what_is_read(client: Client, repository: Repository) -> None:
    plain = _everything(client, repository)
    for name, value in HOSTILE.items():
        repository.git("config", name, value)
    assert _everything(client, repository) == plain


@pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts")
def test_programs_named_in_the_configuration_are_never_started(
    client: Client, repository: Repository, tmp_path: Path
) -> None:
    plain = _everything(client, repository)
    script = tmp_path / "program"
    script.write_text(f"#!/bin/sh\necho started >> {tmp_path}/ran\ncat\n")
    script.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "pager.status", "pager.diff", "pager.log", "diff.external",
                 "diff.odd.command", "diff.odd.textconv", "gpg.program", "core.editor", "core.askPass"):  # fmt: skip
        repository.git("-c", "core.fsmonitor=false", "config", name, str(script))
    repository.git("config", "log.showSignature", "true")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (hooks / hook).write_bytes(script.read_bytes())
        (hooks / hook).chmod(0o755)
    repository.git("config", "core.hooksPath", str(hooks))
    (repository.path / ".git" / "info").mkdir(exist_ok=True)
    (repository.path / ".git" / "info" / "attributes").write_text("*.txt diff=odd\n")
    (tmp_path / "ran").unlink(missing_ok=True)
    assert _everything(client, repository) == plain
    assert not (tmp_path / "ran").exists()


def test_variables_that_point_git_elsewhere_are_ignored(
    client: Client, repository: Repository, make_repository: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plain = _everything(client, repository)
    other = make_repository({"other.txt": "other\n"}, "other")
    for name, value in {
        "GIT_DIR": other.path / ".git", "GIT_WORK_TREE": other.path, "GIT_INDEX_FILE": tmp_path / "no-index",
        "GIT_OBJECT_DIRECTORY": tmp_path / "none", "GIT_COMMON_DIR": other.path / ".git", "GIT_NAMESPACE": "x",
        "GIT_CEILING_DIRECTORIES": repository.path.parent, "GIT_LITERAL_PATHSPECS": "1", "GIT_PREFIX": "sub/",
        "GIT_EXTERNAL_DIFF": "/bin/false", "GIT_DIFF_OPTS": "--unified=9", "GIT_TRACE": tmp_path / "trace",
        "GIT_OPTIONAL_LOCKS": "1", "GIT_PAGER": "/bin/false", "GIT_ATTR_SOURCE": "nothing",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, str(value))
    assert _everything(client, repository) == plain
    assert not (tmp_path / "trace").exists()


def test_git_writes_nothing_into_the_repository(client: Client, repository: Repository) -> None:
    """The index's stats are stale and a refresh is due, which is when git would write it."""
    for name in ("b.txt", "sub/c.txt", "a.txt"):
        content = (repository.path / name).read_bytes()
        (repository.path / name).unlink()
        (repository.path / name).write_bytes(content)
    before = _snapshot(repository.path / ".git")
    looks = CodebaseClient(client, repository.path)
    looks.index()
    looks.search("one two three")
    _everything(client, repository)
    assert _snapshot(repository.path / ".git") == before


def test_an_index_lock_of_another_process_does_not_matter(client: Client, repository: Repository) -> None:
    plain = _everything(client, repository)
    (repository.path / ".git" / "index.lock").write_bytes(b"")
    assert _everything(client, repository) == plain
    assert (repository.path / ".git" / "index.lock").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the filter is a shell script")
def test_children_get_no_stdin(make_repository: Make) -> None:
    """A git alias that reads stdin ends immediately, although this process's stdin stays open."""
    repository = make_repository({"a.txt": "one\n"})
    repository.git("config", "alias.listen", "!cat; echo heard nothing")
    reading, writing = os.pipe()
    os.write(writing, b"said something\n")
    saved_stdin = os.dup(0)
    os.dup2(reading, 0)
    try:
        assert Git(repository.path).run("listen", timeout=10) == b"heard nothing\n"
    finally:
        os.dup2(saved_stdin, 0)
        for fd in (saved_stdin, reading, writing):
            os.close(fd)


def _snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return the files below a folder, without the short-lived ones by which a watch proves that it is up to date."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if not path.name.startswith(COOKIE_PREFIX) and path.is_file()
    }

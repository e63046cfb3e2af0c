"""Tests of the git command: its output, errors and environment."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from shutil import which

import psutil
import pytest

from sidecar.system import git as git_module
from sidecar.system.git import DAMAGED, NOT_A_REPOSITORY, STATUS, Git, GitFailed, GitMissing, end_started, main_worktree
from tests.support.repositories import git, make_repository


def wait_until_ended(children: list[psutil.Process], seconds: float = 10.0) -> None:
    """Wait until started commands have written what they found."""
    end_at = time.monotonic() + seconds
    while any(child.status() != psutil.STATUS_ZOMBIE for child in children):
        assert time.monotonic() < end_at
        time.sleep(0.005)


def has_folder(child: psutil.Process, folder: Path) -> bool:
    """Whether a child was started in a folder; one that has ended is not asked any more."""
    try:
        return Path(child.cwd()) == folder
    except psutil.Error:
        return False


def _reason(git: Git, *arguments: str) -> str:
    with pytest.raises(GitFailed) as failed:
        git.run(*arguments)
    return failed.value.reason


def test_output_comes_back_as_bytes_or_text(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "r", {"a.txt": b"\xff\n"})
    git = Git(repository.path)
    assert git.run("cat-file", "blob", "HEAD:a.txt") == b"\xff\n"
    assert git.text("rev-parse", "HEAD") == repository.head()
    assert git.run("hash-object", "--stdin", stdin=b"\xff\n").decode().strip() == git.text("rev-parse", "HEAD:a.txt")
    assert Git.version().startswith("git version ")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not remove the current folder of a process")
def test_the_version_is_known_without_a_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    (tmp_path / "folder").rmdir()
    assert Git.version().startswith("git version ")


def test_started_command_is_read_once_by_the_next_run_of_it(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "r", {"a.txt": "a\n"})
    git, head = Git(repository.path), repository.head()
    git.start("rev-parse", "HEAD")
    wait_until_ended([child for child in psutil.Process().children() if has_folder(child, repository.path)])
    repository.commit(message="Another")
    assert Git(repository.path, root=repository.path).text("rev-parse", "HEAD") == repository.head()
    assert Git(repository.path).text("rev-parse", "HEAD") == head
    assert git.text("rev-parse", "HEAD") == repository.head() != head


def test_started_command_that_was_ended_runs_again(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "r", {"a.txt": "a\n"})
    git = Git(repository.path)
    git.start("rev-parse", "HEAD")
    end_started()
    repository.commit(message="Another")
    assert git.text("rev-parse", "HEAD") == repository.head()


def _output_files() -> int:
    """Return how many files in memory, of commands that a test starts, are open."""
    files = (os.path.join("/proc/self/fd", name) for name in os.listdir("/proc/self/fd"))
    return sum(os.path.islink(file) and "memfd:git-output" in os.readlink(file) for file in files)


@pytest.mark.skipif(sys.platform == "win32", reason="the output comes from a pipe there")
@pytest.mark.parametrize("place", ["memory", "disk"])
def test_long_output_comes_from_files_that_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    text = "".join(f"line {number}\n" for number in range(40_000))
    repository = make_repository(tmp_path / "r", {"a.txt": text})
    opened: dict[int, os.stat_result] = {}
    create = git_module._create_output_file

    def create_and_note() -> int:
        descriptor = create()
        opened[descriptor] = os.fstat(descriptor)
        return descriptor

    def is_open(descriptor: int, file: os.stat_result) -> bool:
        with suppress(OSError):
            return os.path.samestat(os.fstat(descriptor), file)
        return False

    def refuse(*_: object) -> int:
        raise OSError

    if place == "disk":
        monkeypatch.setattr(os, "memfd_create", refuse, raising=False)
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(git_module, "_create_output_file", create_and_note)
    git = Git(repository.path)
    assert git.run("cat-file", "blob", "HEAD:a.txt") == text.encode()
    with git.running("cat-file", "blob", "HEAD:a.txt") as output:
        assert sum(is_open(*file) for file in opened.items()) == 2
        assert output() == text.encode()
    assert _reason(git, "log", "nowhere..HEAD", "--") == "unknown revision"
    git.start("cat-file", "blob", "HEAD:a.txt")
    end_started()
    assert not any(is_open(*file) for file in opened.items())
    assert all(file.st_nlink == 0 for file in opened.values()), "nothing stays on the disk if this process is killed"
    assert os.listdir(tmp_path) == ["r"]


@pytest.mark.skipif(sys.platform == "win32", reason="the alias is a shell command")
def test_a_command_ends_before_a_program_that_it_left_running(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "r", {"a.txt": "a\n"})
    repository.git("config", "alias.leave", "!echo done; echo why >&2; sleep 30 & echo $!")
    done, left = Git(repository.path).run("leave", timeout=10.0).split()
    os.kill(int(left), 9)
    assert done == b"done"


@pytest.mark.skipif(sys.platform == "win32", reason="the alias is a shell command")
def test_a_long_input_reaches_a_command_that_reads_it_late(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "r", {"a.txt": "a\n"})
    repository.git("config", "alias.count", "!sleep 0.1; wc -c")
    repository.git("config", "alias.ignore", "!exit 0")
    assert Git(repository.path).run("count", stdin=bytes(500_000), timeout=5.0).strip() == b"500000"
    assert Git(repository.path).run("ignore", stdin=bytes(500_000), timeout=5.0) == b""


def test_failures_have_short_reasons_and_never_show_output(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "r", {"a.txt": "a\n"})
    git = Git(repository.path)
    assert _reason(Git(tmp_path), "status") == NOT_A_REPOSITORY
    assert _reason(git, "log", "nowhere..HEAD", "--") == "unknown revision"
    assert _reason(git, "diff-tree", "0" * 40, "1" * 40) in {"unknown revision", "git failed"}
    assert _reason(git, "no-such-command-as-this") == "git failed"
    (tmp_path / ".git").write_text("rubbish")
    assert _reason(Git(tmp_path), "status") == DAMAGED


def test_git_does_not_look_above_the_root(tmp_path: Path) -> None:
    outer = make_repository(tmp_path / "outer", {"in/a.txt": "a\n"})
    inside = outer.path / "in"
    assert Git(inside, root=outer.path).text("rev-parse", "--show-prefix") == "in/"
    assert _reason(Git(inside, root=inside), "rev-parse", "--show-prefix") == NOT_A_REPOSITORY


def test_a_missing_folder_and_a_missing_git_are_different_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _reason(Git(tmp_path / "folder"), "status") == "the folder does not exist"
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / ("long" * 100)):
        assert _reason(Git(folder), "status").startswith("git could not be started")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitMissing):
        Git(tmp_path).run("status")


def test_a_program_named_git_in_the_current_folder_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows looks there first, and a command line starts in a project, which may come from anybody."""
    (tmp_path / "git.exe").write_bytes(b"not a program")
    monkeypatch.chdir(tmp_path)
    assert Git.version().startswith("git version")


@pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts")
def test_the_git_of_apple_is_started_only_where_it_opens_no_dialog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = tmp_path / "calls"

    def make_program(path: Path, script: str) -> str:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\necho "{path.relative_to(tmp_path)}" >> "{calls}"\n{script}\n')
        path.chmod(0o755)
        return str(path)

    def called() -> list[str]:
        lines = calls.read_text().splitlines() if calls.exists() else []
        calls.unlink(missing_ok=True)
        return lines

    real_git, tools = which("git"), tmp_path / "CommandLineTools"
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")
    monkeypatch.setattr(git_module, "_HAS_APPLE_SHIM", True)
    monkeypatch.setattr(git_module, "_APPLE_SHIM", make_program(tmp_path / "bin/git", f'exec {real_git} "$@"'))
    monkeypatch.setattr(git_module, "_XCODE_SELECT", make_program(tmp_path / "select", "exit 2"))
    monkeypatch.setattr(git_module, "_COMMAND_LINE_TOOLS", str(tools))
    git_module._developer_folder.cache_clear()
    for _ in range(2):
        with pytest.raises(GitMissing):
            Git(tmp_path).run("version")
    assert called() == ["select"], "one call for the process, and git was not started"
    make_program(tools / "usr/bin/git", f'exec {real_git} "$@"')
    assert Git.version().startswith("git version ")
    assert called() == ["CommandLineTools/usr/bin/git"], "they are found once they are installed"

    make_program(tmp_path / "Xcode/usr/bin/git", f'exec {real_git} "$@"')
    make_program(tmp_path / "select", f'echo "{tmp_path / "Xcode"}"')
    git_module._developer_folder.cache_clear()
    assert Git.version() == Git.version()
    assert called() == ["select", *["Xcode/usr/bin/git"] * 2]
    make_program(tmp_path / "homebrew/git", f'exec {real_git} "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'homebrew'}:{tmp_path / 'bin'}:/bin")
    assert Git.version().startswith("git version ")
    assert called() == ["homebrew/git"], "another git comes first"
    git_module._developer_folder.cache_clear()


@pytest.mark.skipif(sys.platform == "win32", reason="the alias is a shell command")
def test_a_slow_git_command_is_killed(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "r")
    late = tmp_path / "late"
    script = f"import time; time.sleep(60); open('{late}', 'w')"
    repository.git("config", "alias.wait", f'!exec "{sys.executable}" -S -E -c "{script}"')
    with pytest.raises(GitFailed, match="timed out"):
        Git(repository.path).run("wait", timeout=0.3)
    assert not late.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes are not files there")
def test_every_command_that_waits_for_a_named_pipe_fails(tmp_path: Path) -> None:
    repository = make_repository(tmp_path, {"a.txt": "a"}).path
    os.mkfifo(repository / ".gitignore")

    def reason() -> str:
        with pytest.raises(GitFailed) as failed:
            Git(repository).run(*STATUS)
        return failed.value.reason

    with ThreadPoolExecutor(3) as pool:
        reasons = [future.result() for future in [pool.submit(reason) for _ in range(3)]]
    assert reasons == [".gitignore is a named pipe"] * 3, "finding the pipe ends the wait of all of them"
    (repository / ".gitignore").unlink()
    assert b"# branch.head" in Git(repository).run(*STATUS)


@pytest.mark.skipif(sys.platform == "win32", reason="the alias is a shell command")
def test_git_variables_that_redirect_the_repository_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_repository(tmp_path / "r")
    repository.git("config", "alias.show-env", "!env")
    for name in ("GIT_TRACE2", "GIT_REPLACE_REF_BASE", "GIT_QUARANTINE_PATH", "GIT_EXTERNAL_DIFF"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("GIT_SSH_COMMAND", "ssh -x")
    monkeypatch.setenv("GIT_OPTIONAL_LOCKS", "1")
    seen = dict(line.split("=", 1) for line in Git(repository.path).text("show-env").splitlines() if "=" in line)
    assert not {"GIT_TRACE2", "GIT_REPLACE_REF_BASE", "GIT_QUARANTINE_PATH", "GIT_EXTERNAL_DIFF"} & seen.keys()
    assert (seen["GIT_OPTIONAL_LOCKS"], seen["GIT_TERMINAL_PROMPT"], seen["LC_ALL"]) == ("0", "0", "C")
    assert seen["GIT_SSH_COMMAND"] == "ssh -x"
    assert seen["HOME"] == os.environ["HOME"]


def test_no_process_is_left_running(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "r", {"a.txt": "a\n"})
    Git(repository.path).run("status")
    subprocess._cleanup()  # pyrefly: ignore[missing-attribute]
    assert subprocess._active in ([], None)  # pyrefly: ignore[missing-attribute]


def test_the_main_worktree_is_that_of_the_repository_a_linked_worktree_belongs_to(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "till", {"a.txt": "a\n"})
    linked = repository.add_worktree(tmp_path / "chat-1", "chat/1")
    assert main_worktree(linked.path) == repository.path.resolve()
    assert main_worktree(repository.path) == repository.path
    assert main_worktree(tmp_path) == tmp_path


def test_a_folder_that_only_claims_to_be_a_linked_worktree_is_its_own_main_worktree(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "till", {"a.txt": "a\n"})
    linked = repository.add_worktree(tmp_path / "chat-1", "chat/1")
    other = tmp_path / "downloaded"
    other.mkdir()
    if sys.platform != "win32":
        (other / "circle").symlink_to("circle")
    for text in ((linked.path / ".git").read_bytes(), b"gitdir: circle/x\n", b"gitdir: a\0b\n", b"gitdir: \n"):
        (other / ".git").write_bytes(text)
        assert main_worktree(other) == other


def test_the_worktrees_of_a_bare_repository_share_a_folder(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "made", {"a.txt": "a\n"})
    top, alone = tmp_path / "till", tmp_path / "till.git"
    for bare, shared in ((alone, alone), (top / ".bare", top), (top / "inner" / ".git", top / "inner")):
        made.git("clone", "--quiet", "--bare", str(made.path), str(bare))
        if bare.name == ".bare":
            (top / ".git").write_text("gitdir: ./.bare\n")
        linked = tmp_path / f"chat-{shared.name}"
        git(bare, "worktree", "add", "--quiet", "-b", "chat/1", str(linked))
        assert (main_worktree(linked), main_worktree(shared)) == (shared, shared)
    (alone / "config").write_text("[remote]\n\tbare = true\n[core]\n\tbare = false\n")
    assert main_worktree(tmp_path / "chat-till.git") == tmp_path / "chat-till.git"
    git(alone, "config", "extensions.worktreeConfig", "true")
    git(alone, "config", "--file", "config.worktree", "core.bare", "true")
    assert main_worktree(tmp_path / "chat-till.git") == alone


def test_a_worktree_whose_repository_does_not_name_its_main_worktree_is_its_own(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "made", {"a.txt": "a\n"})
    made.git("clone", "--quiet", "--separate-git-dir", str(tmp_path / "elsewhere"), str(made.path), str(tmp_path / "x"))
    git(tmp_path / "x", "worktree", "add", "--quiet", "-b", "chat/1", str(tmp_path / "chat-1"))
    assert main_worktree(tmp_path / "chat-1") == tmp_path / "chat-1"


def test_a_submodule_is_its_own_main_worktree(tmp_path: Path) -> None:
    repository, inner = (
        make_repository(tmp_path / "till", {"a.txt": "a\n"}),
        make_repository(tmp_path / "inner", {"b.txt": "b\n"}),
    )
    repository.add_submodule(inner, "inner")
    assert main_worktree(repository.path / "inner") == repository.path / "inner"

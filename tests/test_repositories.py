"""The repositories of the tests: commits made without git are the ones that git makes."""

import os
import random
from pathlib import Path

from tests.support.repositories import HERMETIC, Repository, make_repository


def change_by_chance(repositories: list[Repository], chance: random.Random) -> None:
    """Do the same to each: write, remove, replace a file by a folder or a link, change its mode."""
    names = ["a.txt", "b.log", "src/c.py", "src/deep/d.py", "e", "e/f.txt", "ü.txt"]
    for name in chance.sample(names, 4):
        kind, content = chance.choice(("write", "write", "remove", "link", "mode")), str(chance.random())
        for repository in repositories:
            path = repository.path / name
            if any(parent.is_file() or parent.is_symlink() for parent in path.parents) or path.is_dir():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if kind == "mode" and path.is_file() and not path.is_symlink():
                path.chmod(0o755)
                continue
            path.unlink(missing_ok=True)
            if kind == "write":
                path.write_text(content, encoding="utf-8")
            elif kind == "link" and os.name != "nt":
                path.symlink_to("a.txt")


def test_a_commit_without_git_is_the_one_that_git_makes(tmp_path: Path) -> None:
    chance = random.Random(1)
    plain, real = (make_repository(tmp_path / name, {".gitignore": "*.log\n"}) for name in ("plain", "real"))
    for number in range(12):
        change_by_chance([plain, real], chance)
        committed = plain.commit(message=f"Change {number}")
        real.git("add", "--all")
        real.git("commit", "--quiet", "--allow-empty", "--message", f"Change {number}")
        assert committed == real.git("rev-parse", "HEAD") == plain.git("rev-parse", "HEAD") == plain.head()
        assert plain.git("status", "--porcelain") == real.git("status", "--porcelain") == ""
    assert plain.git("reflog", "--format=%H %gn %ge %gd") == real.git("reflog", "--format=%H %gn %ge %gd")
    plain.git("fsck", "--strict")


def test_git_commits_where_it_would_convert_contents(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "converted", {".gitattributes": "*.txt text eol=crlf\n"})
    repository.commit({"a.txt": "one\r\ntwo\r\n"})
    assert repository.git("cat-file", "-p", "HEAD:a.txt") == "one\ntwo"


def test_no_variable_points_git_at_another_repository() -> None:
    assert {name for name in os.environ if name.startswith("GIT_")} == {*HERMETIC}

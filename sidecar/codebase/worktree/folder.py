"""A folder without git, seen by git's own rules: what is there, what is ignored, which repositories lie below."""

import os
import tempfile
from pathlib import Path

from sidecar.system.git import Git


def list_folder(cwd: Path, empty_git: Path) -> list[str]:
    """Lists the files below a folder by git's rules for `.gitignore`; a repository is one path with a slash at its end.

    `empty_git` is where an empty repository is kept for git to stand in. Raises GitFailed.
    """
    if not (empty_git / "HEAD").exists():
        _make_empty(empty_git)
    output = Git(cwd, empty_git).run("ls-files", "--others", "--exclude-standard", "-z")
    return sorted(path for path in output.decode("utf-8", "surrogateescape").split("\0") if path)


def _make_empty(empty_git: Path) -> None:
    """Makes the repository beside its place and moves it there whole: two looks may be first at once."""
    empty_git.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=empty_git.parent, prefix="folder-") as making:
        made = os.path.join(making, "git")
        Git(empty_git.parent).run("init", "--quiet", "--bare", "--template=", made)
        try:
            os.rename(made, empty_git)
        except OSError:
            if not (empty_git / "HEAD").exists():
                raise

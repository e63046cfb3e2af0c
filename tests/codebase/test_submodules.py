"""Tests of checked-out submodules: their files are found and read, and their changes are part of the state."""

from collections.abc import Callable
from pathlib import Path

from sidecar.codebase import empty_submodules
from tests.codebase.codebase_client import CodebaseClient
from tests.support.client import Client
from tests.support.repositories import Repository

Make = Callable[..., Repository]
MOTOR = {"src/engine.py": "def start_pelican(heat):\n    return heat\n", "README.md": "# Motor\n"}


def outer_with(make_repository: Make, inner: Repository, path: str = "vendor/motor") -> Repository:
    """Return a repository with another one as a submodule."""
    outer = make_repository({"app.py": "heron = 1\n"}, "outer")
    outer.add_submodule(inner, path)
    return outer


def test_a_submodules_files_are_found_by_their_paths_in_the_outer_repository(
    client: Client, make_repository: Make
) -> None:
    outer = outer_with(make_repository, make_repository(MOTOR, "motor"))
    looks = CodebaseClient(client, outer.path)
    assert looks.index()["complete"]
    assert looks.search("pelican") == ["vendor/motor/src/engine.py"]
    found = client.request("codebase/search", {"cwd": str(outer.path), "query": "pelican"})
    assert "def start_pelican(heat):" in found["regions"][0]["text"]


def test_edits_new_files_and_moved_commits_of_a_submodule_are_searched(client: Client, make_repository: Make) -> None:
    outer = outer_with(make_repository, make_repository(MOTOR, "motor"))
    inner = Repository(outer.path / "vendor/motor")
    looks = CodebaseClient(client, outer.path)
    looks.index()
    inner.write({"src/engine.py": "def start_flamingo(heat):\n    return x\n", "quail.py": "quail_count = 1\n"})
    looks.index()
    assert looks.search("pelican") == []
    assert looks.search("flamingo") == ["vendor/motor/src/engine.py"]
    assert looks.search("quail_count") == ["vendor/motor/quail.py"]
    inner.commit()
    looks.index()
    assert looks.search("flamingo") == ["vendor/motor/src/engine.py"]
    inner.git("checkout", "--quiet", "HEAD~1")
    looks.index()
    assert (looks.search("flamingo"), looks.search("quail_count")) == ([], [])
    assert looks.search("pelican") == ["vendor/motor/src/engine.py"]


def test_submodules_inside_submodules_are_searched(client: Client, make_repository: Make) -> None:
    middle = make_repository({"middle.py": "x = 1\n"}, "middle")
    middle.add_submodule(make_repository(MOTOR, "motor"), "deps/motor")
    outer = outer_with(make_repository, middle, "vendor/middle")
    looks = CodebaseClient(client, outer.path)
    looks.index()
    assert looks.search("pelican") == []
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
    looks.index()
    assert looks.search("pelican") == ["vendor/middle/deps/motor/src/engine.py"]
    Repository(outer.path / "vendor/middle/deps/motor").write({"src/engine.py": "flamingo = 1\n"})
    looks.index()
    assert looks.search("flamingo") == ["vendor/middle/deps/motor/src/engine.py"]


def test_a_submodule_that_is_not_checked_out_has_no_files(client: Client, make_repository: Make) -> None:
    outer = outer_with(make_repository, make_repository(MOTOR, "motor"))
    looks = CodebaseClient(client, outer.path)
    looks.index()
    outer.git("submodule", "--quiet", "deinit", "--force", "vendor/motor")
    assert looks.index()["complete"]
    assert looks.search("pelican") == []
    assert looks.search("heron") == ["app.py"]


def test_a_submodule_needs_no_gitmodules_file(client: Client, make_repository: Make) -> None:
    outer = outer_with(make_repository, make_repository(MOTOR, "motor"))
    outer.git("rm", "--quiet", "--cached", ".gitmodules")
    (outer.path / ".gitmodules").unlink()
    outer.git("commit", "--quiet", "--message", "Remove the file")
    looks = CodebaseClient(client, outer.path)
    looks.index()
    assert looks.search("pelican") == ["vendor/motor/src/engine.py"]
    Repository(outer.path / "vendor/motor").write({"src/engine.py": "flamingo = 1\n"})
    looks.index()
    assert looks.search("flamingo") == ["vendor/motor/src/engine.py"]


def test_line_ends_that_git_converts_do_not_hide_a_submodules_files(client: Client, make_repository: Make) -> None:
    inner = make_repository({**MOTOR, ".gitattributes": "*.py text eol=crlf\n"}, "motor")
    outer = outer_with(make_repository, inner)
    assert b"\r\n" in (outer.path / "vendor/motor/src/engine.py").read_bytes()
    looks = CodebaseClient(client, outer.path)
    looks.index()
    assert looks.search("pelican") == ["vendor/motor/src/engine.py"]


def test_secrets_and_binaries_of_a_submodule_stay_out(client: Client, make_repository: Make) -> None:
    inner = make_repository({**MOTOR, ".env": "FLAMINGO_KEY=1\n", "logo.png": "flamingo\n"}, "motor")
    looks = CodebaseClient(client, outer_with(make_repository, inner).path)
    looks.index()
    assert (looks.search("flamingo"), looks.search("logo")) == ([], [])


def test_a_folder_below_the_top_has_its_submodules(client: Client, make_repository: Make) -> None:
    outer = outer_with(make_repository, make_repository(MOTOR, "motor"))
    Repository(outer.path / "vendor/motor").write({"quail.py": "quail_count = 1\n"})
    looks = CodebaseClient(client, outer.path / "vendor")
    looks.index()
    assert looks.search("pelican") == ["motor/src/engine.py"]
    assert looks.search("quail_count") == ["motor/quail.py"]


def test_an_unchanged_submodule_is_read_once(client: Client, make_repository: Make) -> None:
    looks = CodebaseClient(client, outer_with(make_repository, make_repository(MOTOR, "motor")).path)
    assert (looks.index()["analysed"], looks.index()["analysed"]) == (4, 0)


def test_a_module_outside_of_the_worktree_is_none_of_its_submodules(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    lines = (f'[submodule "m"]\n\tpath = {path}\n' for path in ("lib", "/etc", "../other", "lib/../../other"))
    (tmp_path / ".gitmodules").write_text("".join(lines))
    assert empty_submodules(tmp_path) == ["lib"]

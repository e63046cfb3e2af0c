"""Tests of diffs through libgit2: they equal git's, and undecidable files are left to git."""

import gc
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sidecar
from sidecar.call import Process
from sidecar.codebase.content_ids import blob_id
from sidecar.codebase.repository import Repository as CodebaseRepository
from sidecar.codebase.worktree import git_metadata
from sidecar.codebase.worktree.diff import LibgitDiff, diff_against
from sidecar.codebase.worktree.git_metadata import blob_ids
from sidecar.codebase.worktree.state import RepositoryState
from sidecar.system.git import pygit2
from tests.support.depth import examples
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of, read_full_state, wait_until_watched
from tests.support.repositories import Repository

Make = Callable[..., Repository]

FILES, EDITS = 150, 12
SOURCES = sorted(Path(sidecar.__file__).parent.rglob("*.py"))
ODD_LINES = (
    "", "    ", "\t", "}", "größe = 'ü' * 3", "def größe_der_" + "ü" * 60 + "(x):", "class " + "X" * 120, "x" * 5_000,
    "@@ -1 +1 @@", "-- a", "++ b", "crlf\r", "a\rb", "nel\x85", "\\ No newline at end of file", "日本語", "return",
)  # fmt: skip


@pytest.fixture
def process(sidecar: MemorySidecar) -> Process:
    return process_of(sidecar)


def edited(content: bytes, chance: random.Random) -> bytes:
    """Edit a text as people do: delete, duplicate, insert, indent and reorder lines."""
    lines = content.split(b"\n")
    for _ in range(chance.randint(1, EDITS)):
        at = chance.randrange(len(lines) + 1)
        match chance.randrange(6):
            case 0:
                del lines[at : at + chance.randint(1, 8)]
            case 1:
                lines[at:at] = lines[at : at + chance.randint(1, 8)]
            case 2:
                lines[at:at] = [chance.choice(ODD_LINES).encode() for _ in range(chance.randint(1, 3))]
            case 3:
                lines[at : at + 6] = [b"    " + line for line in lines[at : at + 6]]
            case 4:
                lines[at : at + 6] = lines[at : at + 6][::-1]
            case _:
                lines = lines or [b"x"]
                lines[-1:] = [] if chance.random() < 0.3 else [lines[-1] + b"."]
    return b"\n".join(lines)


@pytest.mark.parametrize("seed", range(examples(4, 2)))
def test_diffs_of_random_edits_equal_gits(process: Process, make_repository: Make, seed: int) -> None:
    chance = random.Random(seed)
    before: dict[str, bytes] = {}
    for number in range(FILES):
        text = chance.choice(SOURCES).read_bytes()
        before[f"d{number % 7}/{number}.py"] = text if chance.random() < 0.7 else edited(text, chance)
    repository = make_repository(before)
    repository.write({path: edited(content, chance) for path, content in before.items() if chance.random() < 0.9})
    repository.git("add", "d1", "d2")
    repository.write({path: edited(content, chance) for path, content in before.items() if path.startswith("d2")})
    state = read_full_state(repository.path, process)
    assert state.head is not None
    expected = diff_against(repository.path, state.head, [file.path for file in state.changed])
    libgit_diff = LibgitDiff()
    found = {file.path: libgit_diff.diff(repository.path, state, file, is_line_exact=True) for file in state.changed}
    assert len(found) > FILES / 2
    assert found == {path: expected[path] for path in found}


@pytest.mark.parametrize("folder", ["", "sub"])
def test_only_plain_edits_are_diffed_in_process(process: Process, make_repository: Make, folder: str) -> None:
    plain = {
        f"sub/{name}": f"{name}\nsecond\n" for name in ("edited", "mode", "binary", "gone", "lines", "old", "link")
    }
    repository = make_repository(plain)
    repository.write({"sub/edited": "other\n", "sub/binary": b"\0", "sub/lines": "lines\r\n", "sub/added": "new\n"})
    (repository.path / "sub/gone").unlink()
    (repository.path / "sub/link").unlink()
    (repository.path / "sub/link").symlink_to("edited")
    repository.git("add", "sub/added")
    repository.git("mv", "sub/old", "sub/new")
    repository.git("update-index", "--chmod=+x", "sub/mode")
    (repository.path / "sub/mode").chmod(0o755)
    state = read_full_state(repository.path / folder, process)
    libgit_diff = LibgitDiff()
    cwd = repository.path / folder
    made = {Path(file.path).name: libgit_diff.diff(cwd, state, file, is_line_exact=False) for file in state.changed}
    assert {name for name, diff in made.items() if diff is not None} == {"edited"}
    assert [(diff.added, diff.removed) for diff in (made["edited"],) if diff] == [(1, 2)]
    edited_file = next(file for file in state.changed if file.path.endswith("edited"))
    repository.write({"sub/edited": "changed since\n"})
    assert libgit_diff.diff(cwd, state, edited_file, is_line_exact=True) is None


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_workspace_diffs_equal_gits_with_and_without_libgit(
    process: Process, tmp_path: Path, object_format: str
) -> None:
    (tmp_path / "r").mkdir()
    repository = Repository(tmp_path / "r")
    repository.git("init", "--quiet", f"--object-format={object_format}")
    names = ("a.txt", "b.txt", "py.txt", "up.txt", "gone.txt", "sub/c.txt")
    repository.commit(dict.fromkeys(names, "def one():\n    return 1\n" * 3))
    repository.write({".gitattributes": "py.txt diff=python\nup.txt filter=upper\n* text=auto\n"})
    repository.git("config", "filter.upper.clean", "tr a-z A-Z")
    pygit2()
    workspace = CodebaseRepository(process.workspaces.get(str(repository.path), None), process)
    wait_until_watched(workspace, 2.0)
    for round_ in range(3):
        repository.write(dict.fromkeys(names, f"round {round_}\n" + "def one():\n    return 1\n" * 3))
        repository.write({"b.txt": "line ends\r\n" * round_})
        (repository.path / "gone.txt").unlink()
        state = workspace.state()
        assert state.head is not None
        expected = diff_against(repository.path, state.head, list(names))
        assert workspace.diffs(state) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file names have no such characters or bytes")
@pytest.mark.parametrize("is_loaded", [False, True], ids=["git", "libgit2"])
def test_blob_ids_are_those_of_the_tree_whatever_the_names(
    make_repository: Make, monkeypatch: pytest.MonkeyPatch, *, is_loaded: bool
) -> None:
    names = [
        ":(exclude)x",
        ":!y",
        "*.py",
        "[a].py",
        "a.py",
        "-a",
        "sp ace",
        "\udce9.py",
        *(f"{n}.txt" for n in range(450)),
    ]
    repository = make_repository({})
    for name in names:
        (repository.path / name).write_text(name, encoding="utf-8", errors="surrogateescape")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "Add names")
    monkeypatch.setattr(git_metadata, "is_libgit_loaded", lambda: is_loaded)
    state = RepositoryState("git", repository.path, "", repository.head(), None, (), "", "status")
    ids = blob_ids(state, repository.head(), [*names, "absent"])
    assert ids == {name: blob_id(name.encode("utf-8", "surrogateescape")) for name in names}


def test_repeated_lookups_of_a_path_take_no_more_memory(process: Process, make_repository: Make) -> None:
    """pygit2 never releases a path that it looks up: a process of 7,000 turns had 8,450 of them."""
    repository = make_repository({"sub/edited.py": "first\n"})
    repository.write({"sub/edited.py": "second\n"})
    state = read_full_state(repository.path, process)
    [file] = state.changed
    assert state.head is not None

    def look_up(head: str) -> None:
        path, absent = (f"{folder}/{name}" for folder, name in (("sub", "edited.py"), ("sub", "absent.py")))
        assert LibgitDiff().diff(repository.path, state, file._replace(path=path), is_line_exact=True) is not None
        assert blob_ids(state, head, [path, absent]).keys() == {path}

    look_up(state.head)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(100):
        look_up(state.head)
    gc.collect()
    assert sys.getallocatedblocks() - before < 100

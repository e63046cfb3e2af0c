"""`git log` is parsed exactly: unusual subjects and names, moved files, large commits, subfolders."""

import sys
from collections.abc import Callable

import pytest

from sidecar.codebase.search import MAX_COMMIT_FILES, Commit, parse_log, read_commits
from sidecar.system.git import GitFailed
from tests.codebase.search.corpus import commit_at
from tests.support.cases import together
from tests.support.repositories import Repository

Make = Callable[..., Repository]
ONE, TWO, NONE = "1" * 40, "2" * 40, "0" * 40


def _header(subject: str, number: int = 1, parents: str = TWO) -> str:
    return f"{number:040x} {1_772_000_000 + number} {parents}\t{subject}"


def _change(status: str, path: str, old: str = NONE, new: str = ONE) -> tuple[str, str]:
    return f":100644 100644 {old} {new} {status}", path


def _log(*commits: tuple[str, list[tuple[str, str]]]) -> str:
    """Return a log as git writes it: headers, and raw entries whose first follows a newline."""
    fields: list[str] = []
    for header, changes in commits:
        entries = [field for pair in changes for field in pair]
        fields += [
            header,
            *("\n" * (number == 0) + entry for number, entry in enumerate(entries)),
            *([""] if entries else []),
        ]
    return "\0".join(fields) + "\0"


def _one(*changes: tuple[str, str], subject: str = "x") -> Commit:
    (commit,) = parse_log("\0".join([_header(subject), *(field for change in changes for field in change)]) + "\0")
    return commit


@together(
    "subject",
    [
        "Feed the walrus",
        "",
        " ",
        "a  b ",
        ":100644 looks like a change",
        "fix(a): b",
        "日本 größe",
        "tab\there",
        "\udcff",
    ],
)
def test_subject_can_contain_anything(subject: str) -> None:
    commit = _one(_change("M", "a.py"), subject=subject)
    assert (commit.subject, commit.paths) == (subject, ("a.py",))
    assert (commit.id, commit.committed_at) == (f"{1:040x}", 1_772_000_001)


def test_each_commit_has_its_own_changes() -> None:
    commits = list(
        parse_log(
            _log(
                (_header("three", 3), [_change("M", "a.py"), _change("A", "b.py")]),
                (_header("two", 2), []),
                (_header("one", 1), [_change("A", "c.py")]),
            )
        )
    )
    assert [(commit.subject, commit.paths) for commit in commits] == [
        ("three", ("a.py", "b.py")),
        ("two", ()),
        ("one", ("c.py",)),
    ]
    assert list(parse_log("")) == []


def test_root_commit_has_no_paths() -> None:
    (commit,) = parse_log(_log((_header("Begin\tnow", 1, parents=""), [_change("A", "a.py")])))
    assert (commit.subject, commit.paths, commit.moved) == ("Begin\tnow", (), ())


@together("path", [":a.py", "a b.py", "a\nb.py", "größe.md", "\udcff.py", "-x", "1" * 40 + " 2 x"])
def test_path_can_contain_anything(path: str) -> None:
    assert _one(_change("M", path), _change("M", "last.py")).paths == (path, "last.py")


def test_deleted_files_are_not_among_the_paths() -> None:
    commit = _one(_change("M", "a.py"), _change("D", "b.py"), _change("T", "c.py"))
    assert commit.paths == ("a.py", "c.py")
    assert commit.moved == ()


def test_same_content_elsewhere_is_a_move() -> None:
    assert _one(_change("D", "old.py", old=ONE), _change("A", "new.py", new=ONE)).moved == (("old.py", "new.py"),)


def test_same_name_elsewhere_is_a_move() -> None:
    assert _one(_change("D", "a/x.py", old=ONE), _change("A", "b/x.py", new=TWO)).moved == (("a/x.py", "b/x.py"),)
    assert _one(_change("D", "a/x.py", old=ONE), _change("A", "b/y.py", new=TWO)).moved == ()


def test_content_takes_precedence_over_the_name() -> None:
    commit = _one(
        _change("D", "a/x.py", old=ONE), _change("A", "b/x.py", new=TWO), _change("A", "c/y.py", new=ONE),
    )  # fmt: skip
    assert commit.moved == (("a/x.py", "c/y.py"),)


def test_ambiguous_move_is_ignored() -> None:
    by_content = _one(_change("D", "a.py", old=ONE), _change("A", "b.py", new=ONE), _change("A", "c.py", new=ONE))
    new_twice = _one(_change("D", "a/x", old=ONE), _change("A", "b/x", new=TWO), _change("A", "c/x", new="3" * 40))
    removed_twice = _one(_change("D", "a/x", old=ONE), _change("D", "b/x", old=TWO), _change("A", "c/x", new="3" * 40))
    assert by_content.moved == new_twice.moved == removed_twice.moved == ()


def test_move_has_one_source_and_one_target() -> None:
    commit = _one(_change("D", "a.py", old=ONE), _change("D", "b.py", old=ONE), _change("A", "c.py", new=ONE))
    assert len({new for _, new in commit.moved}) == len(commit.moved)


def test_commit_with_too_many_files_has_only_moves() -> None:
    many = [_change("M", f"{number}.py") for number in range(MAX_COMMIT_FILES - 2)]
    moved = (_change("D", "a/x.py", old=TWO), _change("A", "b/x.py", new=TWO))
    assert len(_one(*many, *moved).paths) == MAX_COMMIT_FILES - 1
    commit = _one(*many, *moved, _change("M", "last.py"))
    assert (commit.paths, commit.moved) == ((), (("a/x.py", "b/x.py"),))


def test_real_log_is_read_newest_first_down_to_the_root(make_repository: Make) -> None:
    repository = make_repository()
    ids = [
        commit_at(repository, 1, "Begin: größe", {"a.py": "1\n", "b.py": "1\n"}),
        commit_at(repository, 2, "Move it\n\nWith a body\n:100644 of odd lines", {"a.py": None, "src/a.py": "1\n"}),
        commit_at(repository, 3, "", {"b.py": "2\n"}),
        commit_at(repository, 4, "Nothing at all", {}),
    ]
    commits = read_commits(repository.path, "HEAD")
    assert [commit.id for commit in commits] == ids[::-1]
    assert [commit.subject for commit in commits] == ["Nothing at all", "", "Move it", "Begin: größe"]
    assert [commit.paths for commit in commits] == [(), ("b.py",), ("src/a.py",), ()]
    assert commits[2].moved == (("a.py", "src/a.py"),)
    assert commits[0].committed_at - commits[3].committed_at == 180
    assert [commit.id for commit in read_commits(repository.path, "HEAD", 2)] == ids[:1:-1]


def test_merges_are_left_out_but_their_commits_are_not(make_repository: Make) -> None:
    repository = make_repository()
    commit_at(repository, 1, "Begin", {"a.py": "1\n"})
    repository.git("checkout", "--quiet", "-b", "side")
    commit_at(repository, 2, "Side", {"side.py": "1\n"})
    repository.git("checkout", "--quiet", "main")
    commit_at(repository, 3, "Main", {"a.py": "2\n"})
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge", "side")
    commits = read_commits(repository.path, "HEAD")
    assert {commit.subject for commit in commits} == {"Begin", "Side", "Main"}


def test_same_change_on_two_branches_is_read_twice(make_repository: Make) -> None:
    repository = make_repository()
    commit_at(repository, 1, "Begin", {"sub/a.py": "1\n"})
    repository.git("checkout", "--quiet", "-b", "side")
    commit_at(repository, 2, "Side", {"sub/a.py": "2\n"})
    repository.git("checkout", "--quiet", "main")
    commit_at(repository, 3, "Main", {"sub/a.py": "2\n"})
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge", "side")
    commits = read_commits(repository.path / "sub", "HEAD")
    assert {commit.subject: commit.paths for commit in commits} == {"Begin": (), "Side": ("a.py",), "Main": ("a.py",)}


def test_only_commits_since_another_one_are_read(make_repository: Make) -> None:
    repository = make_repository()
    first = commit_at(repository, 1, "one", {"a.py": "1\n"})
    commit_at(repository, 2, "two", {"a.py": "2\n"})
    commit_at(repository, 3, "three", {"a.py": "3\n"})
    assert [commit.subject for commit in read_commits(repository.path, "HEAD", since=first)] == ["three", "two"]
    assert read_commits(repository.path, "HEAD", since="HEAD") == []


def test_paths_are_relative_to_a_workspace_in_a_subfolder(make_repository: Make) -> None:
    repository = make_repository()
    commit_at(repository, 0, "Begin", {})
    commit_at(repository, 1, "Fill", {"app/src/a.py": "1\n", "other/b.py": "1\n", "apple/c.py": "1\n"})
    commit_at(repository, 2, "Move", {"app/src/a.py": None, "app/lib/a.py": "1\n"})
    commit_at(repository, 3, "Outside", {"other/b.py": "2\n"})
    commits = read_commits(repository.path / "app", "HEAD")
    assert [commit.paths for commit in commits if commit.paths] == [("lib/a.py",), ("src/a.py",)]
    assert [commit.moved for commit in commits if commit.moved] == [(("src/a.py", "lib/a.py"),)]


@pytest.mark.skipif(sys.platform == "win32", reason="such names cannot be on Windows")
def test_names_with_any_bytes_are_read(make_repository: Make) -> None:
    repository = make_repository()
    names = ["a b.py", "a\nb.py", "\nc.py", ":d.py", 'q"e.py', "größe.md", "-f.py"]
    commit_at(repository, 0, "Begin", {})
    commit_at(repository, 1, "Fill", dict.fromkeys(names, "1\n"))
    assert sorted(read_commits(repository.path, "HEAD")[0].paths) == sorted(names)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep names in Unicode only")
def test_names_that_are_not_utf_8_are_distinct(make_repository: Make) -> None:
    repository = make_repository()
    names = ["\udcff.py", "\udcfe.py", "latin-\udce9.py"]
    commit_at(repository, 0, "Begin", {})
    commit_at(repository, 1, "Fill", dict.fromkeys(names, "1\n"))
    assert sorted(read_commits(repository.path, "HEAD")[0].paths) == sorted(names)


def test_user_log_settings_have_no_effect(make_repository: Make) -> None:
    repository = make_repository()
    commit_at(repository, 1, "Begin", {"a.py": "1\n"})
    commit_at(repository, 2, "Move", {"a.py": None, "b.py": "1\n"})
    plain = read_commits(repository.path, "HEAD")
    for name, value in (
        ("log.showRoot", "false"), ("log.decorate", "full"), ("log.date", "relative"), ("log.showSignature", "true"),
        ("diff.renames", "copies"), ("diff.noprefix", "true"), ("color.ui", "always"), ("core.quotePath", "true"),
        ("format.pretty", "fuller"), ("diff.external", "false"), ("core.abbrev", "5"), ("log.follow", "true"),
        ("diff.relative", "true"), ("log.diffMerges", "separate"), ("diff.statGraphWidth", "3"),
    ):  # fmt: skip
        repository.git("config", name, value)
        assert read_commits(repository.path, "HEAD") == plain, name


def test_unknown_commit_and_missing_repository_raise(make_repository: Make) -> None:
    repository = make_repository({"a.py": "1\n"})
    with pytest.raises(GitFailed, match="unknown revision"):
        read_commits(repository.path, "1" * 40)
    with pytest.raises(GitFailed):
        read_commits(repository.path.parent, "HEAD")

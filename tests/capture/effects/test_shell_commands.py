"""Effects of command lines on files, and the files they read."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.capture.effects.shell_commands import (
    commit_messages,
    files_read,
    may_write,
    merges_others_commits,
    merges_own_commits,
    only_displays,
    relative_path,
)
from tests.support.cases import together


@together(
    "line",
    [
        "git log --oneline -5", "git -C sub status", "cd src && rg -n total | head -20",
        "cat a.py; sed -n 1,40p b.py",
        "pytest -q 2>&1 | tail -5", "uv run pytest", "npx jest --ci", "FOO=1 timeout 60 cargo test",
        "bash -lc 'ls -la'",
        "go vet ./...", "ruff check .", "python -m mypy sidecar", "find . -name '*.py'", "grep -o x a.py",
        "npm test > /dev/null", "npm run test", "yarn jest", "pnpm exec vitest run", "make -j 4 test",
        "./gradlew clean :app:test", "cargo +nightly test -p shop", "gh pr view 3", "gh -R a/b pr list",
        "python -m coverage run -m pytest", "bundle exec rspec spec", "node --test", "bun test", "deno lint",
        "./vendor/bin/phpunit", "poetry run pytest -q",
        r'cmd /c "dir src"', "$env:CI='1'; npm.cmd test",
        r'powershell.exe -NoProfile -Command "Get-ChildItem src | Select-Object -First 9"',
    ],
)  # fmt: skip
def test_commands_that_display_or_check_write_nothing(line: str) -> None:
    assert not may_write(line)


@together(
    "line",
    [
        r".venv\Scripts\python.exe -m pytest tests\test_a.py", r".\gradlew.bat clean test",
        r"node_modules\.bin\jest.cmd --ci", r"findstr total src\a.py", "Get-ChildItem src",
    ],
)  # fmt: skip
def test_commands_that_display_or_check_on_windows_write_nothing(line: str) -> None:
    assert not may_write(line, r"C:\shop")
    assert may_write(line, "/shop")


@together(
    "line",
    [
        "git commit -am x", "git checkout main", "echo x > a.py", "sed -i s/a/b/ a.py", "find . -delete",
        "ruff check --fix",
        "ruff format .", "npx eslint --fix .", "jest -u", "python build.py", "make", "npm run build",
        "cat <<EOF > a\nx\nEOF",
        "uv add pytest", "poetry add mypy", "bundle add rspec", "make generate test", "make build check",
        "npm install ls", "cargo add bench", "go get test", "python fix.py pytest", "rm -rf pytest", "gh pr create",
        "python -m build", "npx create-vite test",
        "powershell -File build.ps1", "Get-Content a | Out-File b", "powershell -Command Remove-Item a", "cmd /c del a",
        "echo $(touch a)", "cat 'open", "bash -c 'touch a'", "sort -o a a", "tee a", "eval x", "git apply p",
    ],
)  # fmt: skip
def test_any_other_command_may_write(line: str) -> None:
    assert may_write(line)


def test_the_files_that_a_command_line_displays() -> None:
    assert files_read("cat src/a.py src/b.py | head -5") == ("src/a.py", "src/b.py")
    assert files_read("bash -lc \"sed -n '1,40p' src/a.py && nl -ba b.py\"") == ("src/a.py", "b.py")
    assert files_read("head -n 20 'a file.py'; sed -i s/a/b/ c.py; rm d.py") == ("a file.py",)
    assert files_read("rg total src") == ()


@together(
    ("line", "files", "whole"),
    [
        (r"type src\a.py", ("src/a.py",), ("src/a.py",)),
        (r"cat C:\\shop\\a.py", ("C:/shop/a.py",), ("C:/shop/a.py",)),
        (r'cd /d "C:\Users\A B\shop" && type a.py', ("C:/Users/A B/shop/a.py",), ("C:/Users/A B/shop/a.py",)),
        (r"cd src; Get-Content C:\shop\a.py", ("C:/shop/a.py",), ("C:/shop/a.py",)),
        (r"powershell.exe -NoProfile -Command Get-Content src\a.py -TotalCount 9", ("src/a.py",), ()),
        (
            "powershell -Command '[Console]::OutputEncoding=[System.Text.Encoding]::UTF8;\nGet-Content src\\a.py'",
            ("src/a.py",),
            ("src/a.py",),
        ),
        (r"pwsh -c 'Get-Content src\a.py | Select-Object -First 9'", ("src/a.py",), ()),
    ],
)
def test_the_files_that_a_command_line_of_windows_displays(
    line: str, files: tuple[str, ...], whole: tuple[str, ...]
) -> None:
    cwd = r"C:\shop"
    assert files_read(line, cwd) == files
    assert files_read(line, cwd, whole=True) == whole
    assert only_displays(line, cwd)


@together(
    ("line", "files", "on_windows"),
    [
        (r"cat src/foo\.py", ("src/foo.py",), ("src/foo/.py",)),
        ("cat foo.exe", ("foo.exe",), ("foo.exe",)),
        ("cat.exe setup.exe.py", ("setup.exe.py",), ("setup.exe.py",)),
        ("cat build/app.exe.config", ("build/app.exe.config",), ("build/app.exe.config",)),
        (r"cat src\x.py", ("srcx.py",), ("src/x.py",)),
        (r'cat "src\x y.py"', ("src\\x y.py",), ("src/x y.py",)),
        ("type npm", (), ("npm",)),
        ("Get-Content a.py", (), ("a.py",)),
        (r"cat D:\shop\x.py", ("D:/shop/x.py",), ("D:/shop/x.py",)),
        (r"timeout 9 pwsh -c 'type src\x.py'", ("src/x.py",), ("src/x.py",)),
        (r"rg 'x:\s' a.py; cat src\x.py", ("srcx.py",), ("src/x.py",)),
    ],
)
def test_a_line_is_read_as_one_of_windows_only_where_it_is(
    line: str, files: tuple[str, ...], on_windows: tuple[str, ...]
) -> None:
    assert files_read(line, "/shop") == files_read(line) == files
    assert files_read(line, r"C:\shop") == on_windows


def test_a_relative_path_a_folder_of_windows_is_recognized_in_any_spelling() -> None:
    for path in (r"C:\Shop\src\a.py", "c:/shop/src/a.py", "/c/shop/src/a.py", r"C:\shop/src\a.py"):
        assert relative_path(path, r"C:\Shop") == "src/a.py"
    for path in (r"C:\Shop2\a.py", r"D:\Shop\a.py", "src/a.py", r"C:\Shop"):
        assert relative_path(path, r"C:\Shop") is None
    assert relative_path(r"\\wsl$\Debian\shop\a.py", "//WSL$/Debian/shop") == "a.py"
    assert relative_path("/c/shop/a.py", "/c") == "shop/a.py"
    assert relative_path("/Shop/a.py", "/shop") is None


@together(
    ("lines", "expected"),
    [
        (["git merge --no-edit other"], True),
        (["git status", "cd shop && git pull -q && npm install"], True),
        (["git merge other", "git commit -am 'Resolve'"], False),
        (["git merge --squash other"], False),
        (["git pull", "npm version patch"], False),
        (["git log --merges", "git checkout other"], False),
        (["git merge 'other"], False),
    ],
)
def test_only_others_commits_are_new_where_a_run_merges_and_commits_nothing(lines: list[str], expected: bool) -> None:
    assert merges_others_commits(lines) is expected


@together(
    ("lines", "expected"),
    [
        (["git checkout -b tax", "git commit -m tax && git switch main && git merge --no-ff tax"], True),
        (['git -C shop commit -qm "$(cat m)"', "git checkout -", "git -C shop merge tax"], True),
        (["git commit -am 'Own work'", "git merge other", "git commit -m 'Merge other'"], False),
        (["git checkout other", "git commit -m tax", "git merge-base main other", "git checkout main"], False),
        (["git checkout main && git merge tax"], False),
    ],
)
def test_commits_of_a_branch_that_a_run_left_and_merged_are_its_own(lines: list[str], expected: bool) -> None:
    assert merges_own_commits(lines) is expected


def test_the_messages_of_the_commits_that_a_command_line_makes() -> None:
    document = (
        "git add -A && git commit -m \"$(cat <<'EOF'\nfix: round cents\n\nFloats lose a cent.\nEOF\n)\" && git push"
    )
    assert commit_messages(document) == ["fix: round cents\n\nFloats lose a cent."]
    assert commit_messages('git -C shop commit -am \'Add a till\' -m "It has \\"two\\" drawers."') == [
        'Add a till\n\nIt has "two" drawers.'
    ]
    assert commit_messages("git commit -m a; git commit --message='b'") == ["b"]
    assert commit_messages("git commit -F - <<EOF\nRound cents\nEOF") == ["Round cents"]


@together(
    "line",
    ["git commit --amend --no-edit", "git log -m", "cd $(mktemp -d) && git commit -m 'Try'", 'git commit -m "$(date)"'],
)
def test_other_command_lines_show_no_message(line: str) -> None:
    assert commit_messages(line) == []


@given(st.text(alphabet=st.sampled_from("ab '\"\\;|&<>()$`#\n-=/"), max_size=60))
def test_any_line_is_parsed_without_an_error(line: str) -> None:
    if only_displays(line) and not may_write(line):
        assert line.strip()
    files_read(line)

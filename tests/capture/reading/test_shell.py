"""What a command line may do to files, and what it reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.capture.effects.shell_commands import may_write, only_shows, reads


@pytest.mark.parametrize(
    "line",
    [
        "git log --oneline -5", "git -C sub status", "cd src && rg -n total | head -20",
        "cat a.py; sed -n 1,40p b.py",
        "pytest -q 2>&1 | tail -5", "uv run pytest", "npx jest --ci", "FOO=1 timeout 60 cargo test",
        "bash -lc 'ls -la'",
        "go vet ./...", "ruff check .", "python -m mypy sidecar", "find . -name '*.py'", "grep -o x a.py",
        "npm test > /dev/null",
    ],
)  # fmt: skip
def test_showing_and_checking_write_nothing(line: str) -> None:
    assert not may_write(line)


@pytest.mark.parametrize(
    "line",
    [
        "git commit -am x", "git checkout main", "echo x > a.py", "sed -i s/a/b/ a.py", "find . -delete",
        "ruff check --fix",
        "ruff format .", "npx eslint --fix .", "jest -u", "python build.py", "make", "npm run build",
        "cat <<EOF > a\nx\nEOF",
        "echo $(touch a)", "cat 'open", "bash -c 'touch a'", "sort -o a a", "tee a", "eval x", "git apply p",
    ],
)  # fmt: skip
def test_anything_else_may_write(line: str) -> None:
    assert may_write(line)


def test_files_that_a_command_line_shows() -> None:
    assert reads("cat src/a.py src/b.py | head -5") == ("src/a.py", "src/b.py")
    assert reads("bash -lc \"sed -n '1,40p' src/a.py && nl -ba b.py\"") == ("src/a.py", "b.py")
    assert reads("head -n 20 'a file.py'; sed -i s/a/b/ c.py; rm d.py") == ("a file.py",)
    assert reads("rg total src") == ()


@given(st.text(alphabet=st.sampled_from("ab '\"\\;|&<>()$`#\n-=/"), max_size=60))
def test_no_line_is_too_odd(line: str) -> None:
    if only_shows(line) and not may_write(line):
        assert line.strip()
    reads(line)

"""The table of test runners, against what the runners really print."""

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from sidecar.capture.effects.run_activity import RunCommand
from sidecar.capture.test_results import RunnerOutcome, Selection, outcomes_of
from tests.support.cases import together
from tests.support.depth import examples, sample
from tests.support.growth import takes_linear_time

TEST_OK = "def test_ok():\n    assert True\n"
TEST_BAD = "def test_bad():\n    assert 1 == 2\n"
TEST_ERROR = "import nowhere_to_be_found\n"
FIXTURE_ERROR = (
    "import pytest\n\n@pytest.fixture\ndef broken():\n    raise ValueError('no')\n\ndef test_it(broken): ...\n"
)
UNITTEST = "import unittest\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        {}\n"
NODE = 'import test from "node:test"\nimport assert from "node:assert"\ntest("adds up", () => assert.equal({}, 2))\n'

Run = Callable[..., RunnerOutcome | None]
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

FORKING_PYTEST = """
import json, os, sys, tempfile
import pytest
sys.stdout = open(os.devnull, "w")
with tempfile.TemporaryDirectory() as folder:  # a failing run loads all that others need
    open(folder + "/test_first.py", "w").write("def test_first():\\n    assert 1 == 2\\n")
    options = ["-p", "no:cacheprovider", "-c", os.devnull, "--color=yes"]
    pytest.main([*options, "--rootdir", folder, "--confcutdir", folder, folder])
for line in sys.stdin:
    cwd, output, *arguments = json.loads(line)
    child = os.fork()
    if not child:
        os.chdir(cwd)
        written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(written, 1)
        os.dup2(written, 2)
        sys.stdout = open(1, "w")
        status = pytest.main(arguments)
        sys.stdout.flush()
        os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.write(1, b"%d\\n" % status)
"""
"""A program that loads pytest once, which is most of a short run, and forks for each run."""


def evaluate(command: str, output: str, exit_code: int | None = None) -> RunnerOutcome | None:
    found = outcomes_of((RunCommand(command, output, exit_code, None if exit_code is None else exit_code != 0),))
    assert len(found) <= 1
    return found[0]._replace(counts=None, passing=(), selection=Selection(), crashed=False) if found else None


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a real test runner on a file and judges what it printed."""

    def really(name: str, content: str, *arguments: str, shown: str) -> RunnerOutcome | None:
        (tmp_path / name).write_text(content, encoding="utf-8")
        done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, check=False)
        return evaluate(shown, done.stdout + done.stderr, done.returncode)

    return really


@pytest.fixture(scope="module")
def forking_pytest() -> "Iterator[subprocess.Popen[str] | None]":
    """A process that forks for each run of pytest; None where no process can."""
    if not hasattr(os, "fork"):
        yield None
        return
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    command = (sys.executable, "-c", FORKING_PYTEST)
    with subprocess.Popen(command, env={**os.environ, **ALONE}, text=True, **pipes) as process:
        yield process


@pytest.fixture
def pytest_run(tmp_path: Path, forking_pytest: "subprocess.Popen[str] | None") -> Run:
    """Runs pytest on a file and judges what it printed."""

    def really(name: str, content: str, *options: str) -> RunnerOutcome | None:
        (tmp_path / name).write_text(content, encoding="utf-8")
        quiet = ("-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", ".", "--confcutdir", ".")
        return evaluate("python -m pytest", *pytest_output(tmp_path, forking_pytest, (*quiet, *options, name)))

    return really


def pytest_output(cwd: Path, forking: "subprocess.Popen[str] | None", arguments: Sequence[str]) -> tuple[str, int]:
    """Return what a run of pytest prints, and its status."""
    if forking is None:
        command = (sys.executable, "-m", "pytest", *arguments)
        done = subprocess.run(
            command, cwd=cwd, env={**os.environ, **ALONE}, capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr, done.returncode
    assert forking.stdin is not None
    assert forking.stdout is not None
    output = cwd / "output"
    print(json.dumps([str(cwd), str(output), *arguments]), file=forking.stdin, flush=True)
    status = int(forking.stdout.readline())
    return output.read_text(encoding="utf-8"), status


@pytest.mark.parametrize("options", sample([("-q",), ("-q", "--tb=no"), ("-v", "--color=yes")], 2), ids=" ".join)
def test_pytest_passes_and_fails(pytest_run: Run, options: tuple[str, ...]) -> None:
    passed = pytest_run("test_ok.py", TEST_OK, *options)
    assert passed == RunnerOutcome("pytest", failed=False, names=(), excerpt="")
    failed = pytest_run("test_bad.py", TEST_BAD, *options)
    assert failed is not None
    assert failed.failed
    assert failed.names == ("test_bad.py::test_bad",)
    assert "assert 1 == 2" in failed.excerpt


def test_pytest_without_a_summary_names_tests_by_their_titles(pytest_run: Run) -> None:
    methods = (
        "class TestTill:\n    @pytest.mark.parametrize('a', [1.5])\n    def test_sum(self, a):\n        total(a)\n"
    )
    content = f"import pytest\n\ndef total(a):\n    assert a == 2\n\ndef test_bad():\n    total(1)\n\n{methods}"
    for style in ("auto", "short"):
        outcome = pytest_run("test_bad.py", content, "-q", "-rxXs", f"--tb={style}")
        assert outcome is not None
        assert outcome.names == ("test_bad.py::test_bad", "test_bad.py::TestTill::test_sum[1.5]"), style
    for content in (TEST_ERROR, FIXTURE_ERROR):
        outcome = pytest_run("test_error.py", content, "-q", "-rxXs")
        assert outcome is not None
        assert outcome.names[0].startswith("test_error.py")


def test_a_file_that_node_cannot_load_is_named_below_the_worktree_with_its_error() -> None:
    output = (
        "# Error: Cannot find module 'proxyquire'\n# Subtest: /work/shop/t/a.test.js\n"
        "not ok 1 - /work/shop/t/a.test.js\n  ---\n  error: 'test failed'\n  ...\n# pass 0\n# fail 1\n"
    )
    command = RunCommand("npx borp t/a.test.js", output, 1, failed=True)
    (outcome,) = outcomes_of((command,), "/work/shop")
    assert outcome.names == ("t/a.test.js",)
    assert "Cannot find module 'proxyquire'" in outcome.excerpt.split("\n", 1)[0]


@pytest.mark.parametrize("content", [TEST_ERROR, FIXTURE_ERROR], ids=["collection", "fixture"])
def test_a_pytest_error_is_a_failure(pytest_run: Run, content: str) -> None:
    outcome = pytest_run("test_error.py", content, "-q")
    assert outcome is not None
    assert outcome.failed
    assert outcome.names[0].startswith("test_error.py")


def test_a_conftest_that_breaks_pytest_is_a_failure(pytest_run: Run) -> None:
    outcome = pytest_run("conftest.py", "raise RuntimeError('no')\n", "-q")
    assert outcome is not None
    assert outcome.failed


def test_pytest_without_tests_has_no_outcome(pytest_run: Run) -> None:
    assert pytest_run("test_empty.py", "", "-q") is None


@pytest.mark.parametrize("shown", ["python -m unittest", "make test"])
def test_unittest_passes_fails_and_errs(run: Run, shown: str) -> None:
    command = (sys.executable, "-m", "unittest", "check")
    passed = run("check.py", UNITTEST.format("self.assertEqual(1, 1)"), *command, shown=shown)
    assert passed == RunnerOutcome("unittest", failed=False, names=(), excerpt="")
    failed = run("check.py", UNITTEST.format("self.assertEqual(1, 22)"), *command, shown=shown)
    assert failed is not None
    assert failed.names == ("test_it (check.T.test_it)",)
    assert "AssertionError: 1 != 22" in failed.excerpt
    erred = run("check.py", UNITTEST.format("raise ValueError('x' * 33)"), *command, shown=shown)
    assert erred is not None
    assert erred.failed


@pytest.mark.parametrize(
    ("reporter", "shown"), sample([*itertools.product(["tap", "spec"], ["node --test", "npm test"])], 2)
)
def test_node_passes_and_fails(run: Run, reporter: str, shown: str) -> None:
    command = ("node", "--test", "--test-reporter", reporter, "check.test.mjs")
    passed = run("check.test.mjs", NODE.format("2"), *command, shown=shown)
    assert passed == RunnerOutcome("node --test", failed=False, names=(), excerpt="")
    failed = run("check.test.mjs", NODE.format("1"), *command, shown=shown)
    assert failed is not None
    assert failed.failed
    assert failed.names == ("adds up",)


JEST_FAILED = """FAIL src/cart.test.ts
  ● Cart › adds up

    expect(received).toBe(expected) // Object.is equality

    Expected: 2
    Received: 1

      at Object.toBe (src/cart.test.ts:4:19)

Test Suites: 1 failed, 2 passed, 3 total
Tests:       1 failed, 7 passed, 8 total
Snapshots:   0 total
Time:        1.2 s
"""
JEST_BROKEN = (
    "FAIL src/cart.test.ts\n  ● Test suite failed to run\n\nTest Suites: 1 failed, 1 total\nTests:       0 total\n"
)
JEST_PASSED = "PASS src/cart.test.ts\nTest Suites: 1 passed, 1 total\nTests:       8 passed, 8 total\nTime: 1.1 s\n"
VITEST_FAILED = """ ❯ src/cart.test.ts  (2 tests | 1 failed) 5ms
   × Cart > adds up 3ms
     → expected 1 to be 2 // Object.is equality

 FAIL  src/cart.test.ts > Cart > adds up
AssertionError: expected 1 to be 2 // Object.is equality

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed (2)
   Duration  305ms
"""
VITEST_PASSED = " ✓ src/cart.test.ts  (2 tests) 3ms\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n"
MOCHA_FAILED = """  Cart
    ✔ is empty
    1) adds up

  1 passing (5ms)
  1 failing

  1) Cart
       adds up:

      AssertionError [ERR_ASSERTION]: 1 == 2
"""
MOCHA_PASSED = "  Cart\n    ✔ is empty\n\n  1 passing (5ms)\n"
GO_FAILED = """--- FAIL: TestTotal (0.00s)
    cart_test.go:8: got 1, want 2
FAIL
FAIL\texample.org/shop/cart\t0.003s
ok  \texample.org/shop/mail\t0.002s
FAIL
"""
GO_BROKEN = "# example.org/shop/cart\ncart/cart.go:3:2: undefined: total\nFAIL\texample.org/shop/cart [build failed]\n"
GO_PASSED = (
    "ok  \texample.org/shop/cart\t0.003s\nok  \texample.org/shop/mail\t(cached)\n?   \texample.org/x\t[no test files]\n"
)
CARGO_LIST = """failures:
    cart::tests::adds_up
    src/cart.rs - total (line 7)

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`
"""
CARGO_FAILED = """running 2 tests
test cart::tests::adds_up ... FAILED
test cart::tests::is_empty ... ok

---- cart::tests::adds_up stdout ----
thread 'cart::tests::adds_up' panicked at src/cart.rs:12:9:
assertion `left == right` failed
  left: 1
 right: 2

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`
"""
CARGO_BROKEN = (
    "error[E0425]: cannot find value `totl` in this scope\n --> src/cart.rs:3:5\nerror: could not compile `shop`\n"
)
PYTEST_FAILED = (
    "FAILED tests/test_cart.py::test_total[a - b] - AssertionError: assert rows[0] - 1 == 2\n"
    "FAILED tests/test_cart.py::test_rate - KeyError: 'x[1] - y'\n2 failed, 1 passed in 0.10s\n"
)
VITEST_WITHOUT_REPORTS = """ ✓ src/till.test.ts (1 test) 2ms
 ❯ src/cart.test.ts (3 tests | 2 failed) 9ms
   ✓ Cart > is empty 1ms
   × Cart > adds up 7ms
     → expected 2 to be 1 // Object.is equality
   × Cart > rounds
     → expected 2 to be 1 // Object.is equality

 Test Files  1 failed | 1 passed (2)
      Tests  2 failed | 2 passed (4)
"""
JEST_WITHOUT_REPORTS = """FAIL src/cart.test.ts
  Cart
    ✓ is empty (1 ms)
    ✕ adds up (7 ms)
    ✕ rounds

Tests:       2 failed, 1 passed, 3 total
"""
CARGO_PASSED = "running 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"


@together(
    ("command", "output", "runner", "names"),
    [
        ("pytest", PYTEST_FAILED, "pytest", ("tests/test_cart.py::test_total[a - b]", "tests/test_cart.py::test_rate")),
        ("npx jest", JEST_FAILED, "jest", ("src/cart.test.ts › Cart › adds up",)),
        ("npm test", JEST_FAILED, "jest", ("src/cart.test.ts › Cart › adds up",)),
        ("npx jest", JEST_BROKEN, "jest", ("src/cart.test.ts › Test suite failed to run",)),
        ("npx vitest run", VITEST_FAILED, "vitest", ("src/cart.test.ts > Cart > adds up",)),
        (
            "npx vitest run | grep -v FAIL",
            VITEST_WITHOUT_REPORTS,
            "vitest",
            ("src/cart.test.ts > Cart > adds up", "src/cart.test.ts > Cart > rounds"),
        ),
        (
            "npx vitest run | grep [✓×]",
            VITEST_WITHOUT_REPORTS.replace(" ❯ src/cart", " src/cart"),
            "vitest",
            ("Cart > adds up", "Cart > rounds"),
        ),
        (
            "npx jest | grep -v ●",
            JEST_WITHOUT_REPORTS,
            "jest",
            ("src/cart.test.ts › adds up", "src/cart.test.ts › rounds"),
        ),
        ("npm test", MOCHA_FAILED, "mocha", ("Cart adds up",)),
        ("go test ./...", GO_FAILED, "go test", ("example.org/shop/cart › TestTotal",)),
        ("make check", GO_FAILED, "go test", ("example.org/shop/cart › TestTotal",)),
        ("go test ./...", GO_BROKEN, "go test", ("example.org/shop/cart",)),
        ("cargo test", CARGO_FAILED, "cargo test", ("cart::tests::adds_up",)),
        ("cargo test -q", CARGO_FAILED.partition("\n\n")[2], "cargo test", ("cart::tests::adds_up",)),
        ("cargo test | tail -5", CARGO_LIST, "cargo test", ("cart::tests::adds_up", "src/cart.rs - total (line 7)")),
        ("cargo test", CARGO_BROKEN, "cargo test", ()),
    ],
)
def test_a_failing_run_has_its_runner_and_test_names(
    command: str, output: str, runner: str, names: tuple[str, ...]
) -> None:
    for text in (output, output.replace("\n", "\r\n"), _coloured(output)):
        outcome = evaluate(command, text)
        assert outcome is not None
        assert (outcome.runner, outcome.failed, outcome.names) == (runner, True, names)
        assert outcome.excerpt


@together(
    ("command", "output", "runner"),
    [
        ("npx jest", JEST_PASSED, "jest"),
        ("npm test", VITEST_PASSED, "vitest"),
        ("npm test", MOCHA_PASSED, "mocha"),
        ("make test", GO_PASSED, "go test"),
        ("make test", CARGO_PASSED, "cargo test"),
        ("uv run pytest && mypy", "3 passed in 0.10s\nerror: Name 'x' is not defined\n", "pytest"),
        ("pytest", "==== 3 passed, 1 skipped, 2 warnings in 65.20s (0:01:05) ====\n", "pytest"),
        ("pytest", "=== 2 passed, 1 xfailed, 3 subtests passed in 0.10s ===\n", "pytest"),
    ],
)
def test_a_passing_run_is_recognised_behind_another_command(command: str, output: str, runner: str) -> None:
    outcome = evaluate(command, output, 1 if "mypy" in command else None)
    assert outcome == RunnerOutcome(runner, failed=False, names=(), excerpt="")


@together(
    ("command", "output"),
    [
        ("make", "0 failed, 0 errors"),
        ("npm run build", "rendering the error page ... done\n"),
        ("python login.py", "Note: 1 failed login attempt in 3s\n"),
        ("node server.js", "2 failed requests in 3.2s\n"),
        ("cat ci.log", "==== 1 failed, 3 passed in 0.12s ====\nFAILED tests/test_cart.py::test_total\n"),
        ("cd logs && tail -50 pytest.log | grep -n failed", "==== 1 failed in 0.12s ====\n"),
        ("git log -3", "    test result: FAILED. 1 passed\n"),
        ("grep -rn jest .", "Tests:       1 failed, 7 passed, 8 total\n"),
        ("pip install pytest", "Successfully installed pytest-9.0\n"),
        ("", ""),
        ("echo OK", "OK\n"),
        ("npm run lint", "FAIL: the linter found 3 problems\n"),
    ],
)
def test_prose_and_displayed_files_are_not_outcomes(command: str, output: str) -> None:
    assert evaluate(command, output) is None


def test_two_runners_in_one_command_are_both_recognised() -> None:
    found = outcomes_of((RunCommand("make test", f"3 passed in 0.10s\n{JEST_FAILED}", 1, failed=True),))
    assert [(outcome.runner, outcome.failed) for outcome in found] == [("pytest", False), ("jest", True)]


def _coloured(text: str) -> str:
    return "\n".join(f"\x1b[31m{line}\x1b[0m" if line else line for line in text.split("\n"))


@together("filler", ["\n", " \n", "=", "1 a", "  1) x\n", "FAIL\n", "● ", "E   \n", "\x1b[31m"])
def test_a_huge_output_is_parsed_in_linear_time(filler: str) -> None:
    def work_of(length: int) -> Callable[[], None]:
        output = filler * (length // len(filler)) + "\n1 failed in 0.10s\n"

        def parse() -> None:
            outcome = evaluate("pytest", output)
            assert outcome is not None
            assert outcome.failed

        return parse

    assert takes_linear_time(
        work_of, examples(100_000, 30_000), quick_seconds=1.0
    )  # a line feed takes two microseconds

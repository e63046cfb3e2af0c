"""Failures that remain after a narrower test run."""

import re

from sidecar.capture.effects.run_activity import RunCommand
from sidecar.capture.known_test_runners import RUNNERS
from sidecar.capture.test_results import RunnerOutcome, Verdict, change_of, outcomes_of, selection_of
from tests.support.cases import together

RED = (
    "FAILED tests/test_cart.py::test_total - assert\nFAILED tests/test_mail.py::test_send - assert\n"
    "2 failed, 8 passed in 1s\n"
)


def still_failing(*runs: tuple[str, str]) -> tuple[str, ...]:
    """Return what still fails after some pytest commands, each with its output."""
    return change_of("pytest", Verdict(), outcomes(*runs)).after.names


def outcomes(*runs: tuple[str, str], cwd: str = "/shop") -> tuple[RunnerOutcome, ...]:
    return outcomes_of([RunCommand(command, output, None, None) for command, output in runs], cwd)


BOTH = ("tests/test_cart.py::test_total", "tests/test_mail.py::test_send")


@together(
    ("command", "left"),
    [
        ("pytest", ()),
        ("cd /shop && python -m pytest -q -n 4 2>&1 | tail -5", ()),
        ("uv run pytest --tb=short .", ()),
        ("pytest tests/test_mail.py", BOTH[:1]),
        ("pytest ./tests/test_mail.py::test_send -vv", BOTH[:1]),
        ("pytest tests/", ()),
        ("pytest -k total", BOTH[1:]),
        ("pytest -k 'not total'", BOTH),
        ("pytest tests/test_other.py", BOTH),
        ("pytest tests/test_mail.py -k total", BOTH),
        ("pytest -m fast", BOTH),
        ("cd backend && pytest", BOTH),
        ("pytest $(git diff --name-only)", BOTH),
        ("npm run test:unit", BOTH),
        ("make test", ()),
    ],
)
def test_a_green_run_clears_only_the_failures_it_covered(command: str, left: tuple[str, ...]) -> None:
    assert still_failing(("pytest", RED), (command, "3 passed in 0.1s\n")) == left


@together(
    ("command", "left"),
    [
        (r'cd "C:\Users\A B\shop" && python -m pytest -q', ()),
        ("cd '/c/users/a b/Shop' && pytest", ()),
        (r"cd c:\\users\\a\ b\\shop\\backend && pytest", BOTH),
        (r"pytest .\tests\test_mail.py", BOTH[:1]),
        (r".venv\Scripts\pytest.exe tests\test_mail.py::test_send", BOTH[:1]),
        (r'powershell -Command "cd tests; pytest"', BOTH),
    ],
)
def test_a_green_run_on_windows_clears_only_the_failures_it_covered(command: str, left: tuple[str, ...]) -> None:
    runs = outcomes(("pytest", RED), (command, "3 passed in 0.1s\n"), cwd=r"C:\Users\A B\shop")
    assert change_of("pytest", Verdict(), runs).after.names == left


def test_a_failing_test_with_an_absolute_path_of_windows_is_named_below_the_worktree() -> None:
    output = "not ok 1 - C:\\Shop\\tests\\cart.test.js\n# fail 1\n"
    (run,) = outcomes(("node --test", output), cwd=r"c:\shop")
    assert run.names == ("tests/cart.test.js",)
    (green,) = outcomes((r"npx playwright test tests\a.spec.ts", "  2 passed (3.1s)\n"), cwd=r"c:\shop")
    assert green.selection.covers(r"[chromium] tests\a.spec.ts › opens")


def test_a_test_named_as_passed_no_longer_fails() -> None:
    assert (
        still_failing(("pytest", RED), ("pytest -v -m fast", f"{BOTH[0]} PASSED [10%]\n1 passed in 0.1s\n")) == BOTH[1:]
    )


def test_the_same_selection_covers_its_earlier_failures() -> None:
    assert still_failing(("pytest -m slow", RED), ("pytest -m slow", "10 passed in 1s\n")) == ()


def test_a_green_run_of_equally_many_tests_clears_the_failures() -> None:
    assert still_failing(("pytest", RED), ("npm run test:all", "10 passed in 1s\n")) == ()


def test_a_narrower_failing_run_adds_to_earlier_failures() -> None:
    red = "FAILED tests/test_tax.py::test_rate - assert\n1 failed in 0.1s\n"
    assert still_failing(("pytest", RED), ("pytest tests/test_tax.py", red)) == (*BOTH, "tests/test_tax.py::test_rate")


def test_a_full_failing_run_replaces_failures_unless_it_stopped_early() -> None:
    red = "FAILED tests/test_cart.py::test_total - assert\n1 failed in 0.1s\n"
    assert still_failing(("pytest", RED), ("pytest", red)) == BOTH[:1]
    assert set(still_failing(("pytest", RED), ("pytest -x", red))) == set(BOTH)


def test_a_broken_run_clears_no_failure() -> None:
    assert set(still_failing(("pytest", RED), ("pytest", "INTERNALERROR> ValueError\n"))) == set(BOTH)


def test_tests_that_turn_green_within_a_run_are_reported_as_fixed() -> None:
    change = change_of(
        "pytest", Verdict(), outcomes(("pytest", RED), ("pytest tests/test_mail.py", "1 passed in 1s\n"))
    )
    assert change.was_red
    assert change.is_red
    assert change.fixed == BOTH[1:]


def test_a_failure_without_names_ends_with_the_whole_suite() -> None:
    broke = ("pytest", "INTERNALERROR> ValueError\n")
    narrow, whole = (
        change_of("pytest", Verdict(), outcomes(broke, (command, "1 passed in 1s\n")))
        for command in ("pytest a.py", "pytest")
    )
    assert narrow.is_red
    assert not whole.is_red


def test_a_selection_does_not_depend_on_word_order() -> None:
    runner = re.compile(r"\bpytest\b")
    outcome, other = (selection_of(line, runner) for line in ("pytest b.py a.py -x", "pytest -q a.py b.py"))
    assert outcome.text == other.text
    assert outcome.stops_early


@together(
    ("line", "name", "expression"),
    [
        (r"phpunit --filter 'FooTest::test\w+'", "phpunit", r"FooTest::test\w+"),
        (r"go test -run 'TestA\b'", "go test", r"TestA\b"),
        (r'npx jest -t "adds\sone"', "jest", r"adds\sone"),
    ],
)
def test_a_quoted_filter_of_tests_is_read_as_it_is(line: str, name: str, expression: str) -> None:
    [runner] = [row for row in RUNNERS if row.name == name]
    for cwd in ("/shop", r"C:\shop"):
        assert selection_of(line, runner.command, cwd).filters == (expression,)


def test_options_of_the_other_runners_never_widen_a_selection() -> None:
    def selected(line: str, name: str) -> bool:
        [runner] = [row for row in RUNNERS if row.name == name]
        return selection_of(line, runner.command).is_whole

    whole = {
        "npx playwright test": "playwright", "bun test": "bun test", "deno test -A": "deno test",
        "ctest --test-dir build -j 4 --output-on-failure": "ctest", "swift test --parallel": "swift test",
        "flutter test --coverage": "flutter test", "mix test --trace": "mix test", "pytest -n auto": "pytest",
    }  # fmt: skip
    narrower = {
        "npx playwright test cart": "playwright", "bun test cart": "bun test", "bun test -t adds": "bun test",
        "deno test --filter=Cart": "deno test", "ctest -R cart": "ctest", "ctest -E slow": "ctest",
        "swift test --filter CartTests": "swift test", "xcodebuild test -only-testing:Shop/CartTests": "swift test",
        "flutter test -n adds": "flutter test", "dart test --plain-name adds": "flutter test",
        "mix test --failed": "mix test", "npx playwright test --project=firefox": "playwright",
    }  # fmt: skip
    assert {line for line, name in whole.items() if not selected(line, name)} == set()
    assert {line for line, name in narrower.items() if selected(line, name)} == set()

"""The table of test runners against recorded outputs (`build/record_runners.py`), and some documented ones."""

from pathlib import Path

import pytest

from sidecar.capture.effects import Command
from sidecar.capture.parsed_test_results import Counts, RunnerOutcome, outcomes_in
from tests.support.cases import together

OUTPUTS = Path(__file__).parent / "outputs"
NAMES = {
    "pytest": "test_cart.py::test_total[two of them]",
    "unittest": "test_total (test_cart.CartTest.test_total)",
    "jest": "cart.test.js › Cart › adds up",
    "vitest": "cart.test.js > Cart > adds up",
    "mocha": "Cart adds up",
    "node": "adds up",
    "go": "example.org/shop/cart › TestTotal",
    "cargo": "tests::adds_up",
    "rspec": "spec/cart_spec.rb Cart adds up",
    "phpunit": "CartTest::testTotal",
}
COUNTS = {
    "pytest": (Counts(3), Counts(2, 1), Counts(1, 2)),
    "unittest": (Counts(2), Counts(1, 1), Counts(1, 0, 1)),
    "jest": (Counts(3), Counts(2, 1), Counts(2, 1)),
    "go": (None, None, None),
    "phpunit": (Counts(2), Counts(1, 1), Counts(1, 0, 1)),
}


def recorded(runner: str, case: str) -> RunnerOutcome:
    head, _, output = (OUTPUTS / runner / f"{case}.txt").read_text(encoding="utf-8").partition("\n")
    command, _, rest = head.removeprefix("$ ").partition(" # exit ")
    exit_code = int(rest.partition(",")[0])
    [outcome] = outcomes_in(Command(command, output, exit_code, exit_code != 0))
    return outcome


@together("runner", NAMES)
def test_recorded_output_yields_verdict_counts_and_names(runner: str) -> None:
    passed, failed, erred = (recorded(runner, case) for case in ("pass", "fail", "error"))
    assert (passed.failed, passed.names, passed.excerpt) == (False, (), "")
    for outcome in (failed, erred):
        assert outcome.failed
        assert not outcome.crashed
        assert NAMES[runner] in outcome.names
        assert outcome.excerpt
    expected = COUNTS.get(runner, (Counts(2), Counts(1, 1), Counts(1, 1)))
    assert (passed.counts, failed.counts, erred.counts) == expected


@together("runner", [*NAMES, "maven"])
def test_recorded_output_of_a_broken_run_is_a_failure(runner: str) -> None:
    broke = recorded(runner, "crash")
    assert broke.failed
    assert broke.excerpt
    assert all("cart" in name.casefold() for name in broke.names)


MAVEN = """[INFO] Running CartTest
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in CartTest
[ERROR] CartTest.total -- Time elapsed: 0.008 s <<< FAILURE!
[INFO] Results:
[INFO]
[ERROR] Failures:
[ERROR]   CartTest.total:6 expected: <2> but was: <1>
[INFO]
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0
[INFO]
[INFO] BUILD FAILURE
"""
MAVEN_PASSED = """[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s -- in CartTest
[INFO] Results:
[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0
[INFO] BUILD SUCCESS
"""
GRADLE = """> Task :test FAILED

CartTest > total() FAILED
    org.opentest4j.AssertionFailedError at CartTest.java:6

2 tests completed, 1 failed

FAILURE: Build failed with an exception.

BUILD FAILED in 2s
"""
DOTNET = """  Failed Shop.Tests.CartTests.Total [12 ms]
  Error Message:
   Assert.Equal() Failure
Expected: 2
Actual:   1

Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5, Duration: 20 ms - Shop.Tests.dll (net8.0)
"""
DOTNET_PASSED = (
    "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 20 ms - Shop.Tests.dll\n"
)


@pytest.mark.parametrize(
    ("command", "output", "runner", "names", "counts"),
    [
        ("mvn -q test", MAVEN, "maven", ("CartTest.total",), Counts(1, 1)),
        ("./mvnw verify", MAVEN_PASSED, "maven", (), Counts(2)),
        ("./gradlew test", GRADLE, "gradle", ("CartTest > total()",), Counts(1, 1)),
        ("./gradlew check", "> Task :test\n\nBUILD SUCCESSFUL in 3s\n", "gradle", (), None),
        ("dotnet test", DOTNET, "dotnet test", ("Shop.Tests.CartTests.Total",), Counts(4, 1)),
        ("dotnet test --no-build", DOTNET_PASSED, "dotnet test", (), Counts(5)),
    ],
)
def test_documented_output_yields_verdict_counts_and_names(
    command: str, output: str, runner: str, names: tuple[str, ...], counts: Counts | None
) -> None:
    [outcome] = outcomes_in(Command(command, output, None, None))
    assert (outcome.runner, outcome.failed, outcome.names) == (runner, bool(names), names)
    assert outcome.counts == counts


def test_a_killed_runner_counts_as_failed() -> None:
    [outcome] = outcomes_in(Command("pytest -q", "....", 137, failed=True))
    assert outcome.crashed


def test_an_android_build_without_tests_has_no_outcome() -> None:
    assert outcomes_in(Command("./gradlew build -x test", "BUILD SUCCESSFUL in 3s\n", 0, failed=False)) == []

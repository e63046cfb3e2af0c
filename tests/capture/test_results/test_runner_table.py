"""The table of test runners against recorded outputs (`build/record_runners.py`), and some documented ones."""

from pathlib import Path

from sidecar.capture.effects.run_activity import RunCommand
from sidecar.capture.test_results import Counts, RunnerOutcome, outcomes_in
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
    "minitest": "CartTest#test_total",
    "phpunit": "CartTest::testTotal",
    "vitest_browser": "|chromium| cart.test.js > Cart > adds up",
    "playwright": "tests/cart.spec.js Cart › adds up",
    "bun": "cart.test.ts › Cart > adds up",
    "bun_dots": "cart.test.ts › Cart > adds up",
    "deno": "Cart ... adds up cart_test.ts",
    "deno_junit": "Cart > adds up cart_test.ts",
    "deno_tap": "adds up cart_test.ts",
    "mix": "cart adds up (CartTest) test/cart_test.exs",
    "ctest": "cart.adds_up",
}
COUNTS = {
    "pytest": (Counts(3), Counts(2, 1), Counts(1, 2)),
    "unittest": (Counts(2), Counts(1, 1), Counts(1, 0, 1)),
    "jest": (Counts(3), Counts(2, 1), Counts(2, 1)),
    "go": (None, None, None),
    "phpunit": (Counts(2), Counts(1, 1), Counts(1, 0, 1)),
    "minitest": (Counts(2), Counts(1, 1), Counts(1, 0, 1)),
    "bun": (Counts(3), Counts(2, 1), Counts(2, 1)),
    "bun_dots": (Counts(3), Counts(2, 1), Counts(2, 1)),
    "deno": (Counts(3), Counts(2, 1), Counts(2, 1)),
    "deno_junit": (Counts(4), Counts(2, 2), Counts(2, 2)),
    "deno_tap": (None, None, None),
}


def recorded(runner: str, case: str) -> RunnerOutcome:
    head, _, output = (OUTPUTS / runner / f"{case}.txt").read_text(encoding="utf-8").partition("\n")
    command, _, rest = head.removeprefix("$ ").partition(" # exit ")
    exit_code = int(rest.partition(",")[0])
    [outcome] = outcomes_in(RunCommand(command, output, exit_code, exit_code != 0))
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


@together(
    ("runner", "case", "name"),
    [
        ("ctest", "disabled", "cart.adds_up"),
        ("playwright", "flaky", "tests/cart.spec.js adds up"),
        ("node", "todo", "adds up"),
        ("phpunit", "risky", "CartTest::testTotal"),
    ],
)
def test_tests_listed_beside_the_failing_one_did_not_fail(runner: str, case: str, name: str) -> None:
    outcome = recorded(runner, case)
    assert outcome.failed
    assert outcome.names == (name,)


# XCTest: jpsim/Yams#143; Swift Testing: swiftlang/vscode-swift#1458, swiftlang/swift-testing#1420 (macOS symbols).
XCTEST = """Test Suite 'All tests' started at 2026-01-02 10:00:00.000.
Test Suite 'CartTests' started at 2026-01-02 10:00:00.001.
Test Case '-[ShopTests.CartTests testEmpty]' started.
Test Case '-[ShopTests.CartTests testEmpty]' passed (0.001 seconds).
Test Case '-[ShopTests.CartTests testTotal]' started.
/shop/Tests/ShopTests/CartTests.swift:9: error: -[ShopTests.CartTests testTotal] : XCTAssertEqual failed: ("1") is not
Test Case '-[ShopTests.CartTests testTotal]' failed (0.002 seconds).
Test Suite 'CartTests' failed at 2026-01-02 10:00:00.004.
\t Executed 2 tests, with 1 failure (0 unexpected) in 0.003 (0.003) seconds
Test Suite 'All tests' failed at 2026-01-02 10:00:00.005.
\t Executed 2 tests, with 1 failure (0 unexpected) in 0.003 (0.004) seconds
◇ Test run started.
✔ Test run with 0 tests passed after 0.001 seconds.
"""
XCTEST_PASSED = "Test Suite 'All tests' passed at 9:00.\n\t Executed 2 tests, with 0 failures (0 unexpected) in 0.1 s\n"
SWIFT_TESTING = """◇ Test run started.
↳ Testing Library Version: 6.2-dev
◇ Test isEmpty() started.
✔ Test isEmpty() passed after 0.001 seconds.
✘ Test total(_:) recorded an issue with 1 argument items → 2 at Tests.swift:9:3: Expectation failed: (items → 2) != 2
✘ Test total(_:) with 3 test cases failed after 0.002 seconds with 1 issue.
✘ Test run with 2 tests failed after 0.003 seconds with 1 issue.
"""
SWIFT_TESTING_PASSED = "\U00100438  Test run with 2 tests in 1 suite passed after 0.003 seconds.\n"
# Flutter: flutter/flutter#70416; Dart with absolute paths, rewritten line: VeryGoodOpenSource/very_good_cli#819.
FLUTTER = """00:00 +0: loading /shop/test/cart_test.dart\r\
00:00 +0: /shop/test/cart_test.dart: Cart is empty\r\
00:01 +1: /shop/test/cart_test.dart: Cart adds up\r\
00:01 +1 -1: /shop/test/cart_test.dart: Cart adds up [E]
  Expected: <2>
    Actual: <1>

  package:matcher            expect
  test/cart_test.dart 9:5    main.<fn>

00:01 +1 -1: Some tests failed.
"""
FLUTTER_BROKEN = """00:00 +0 -1: loading /shop/test/cart_test.dart [E]
  Failed to load "/shop/test/cart_test.dart": Compilation failed
test/cart_test.dart:3:5: Error: Method not found: 'nowhere'.
00:00 +0 -1: Some tests failed.
"""
# Pest and `php artisan test`: OpenAgentsInc/openagents and AdyGCode/SaaS-FED-Notes; the names are rewritten.
PEST = """   FAIL  Tests\\Unit\\CartTest
  ✓ a cart belongs to a user                                                 0.23s
  - a voucher can be added                                                   0.01s
  ⨯ prices are rounded                                                       0.01s
  ⨯ a cart inherits the discounts and instructions of the user who owns it…  0.03s

   PASS  Tests\\Feature\\TillTest
  ✓ it has a till
  ───────────────────────────────────────────────────────────────────────────────
   FAILED  Tests\\Unit\\CartTest > prices are rounded
  Failed asserting that false is true.

  at tests/Unit/CartTest.php:107
    103▕     $cart = Cart::factory()->create();
  ➜ 107▕     expect($cart->isRounded())->toBeTrue();
    108▕ });

  1   tests/Unit/CartTest.php:107

  ───────────────────────────────────────────────────────────────────────────────
   FAILED  Tests\\Unit\\CartTest > a cart inherits the disc…  BadMethodCallException
  Call to undefined method App\\Models\\Cart::getDiscounts()

  at vendor/laravel/framework/src/Illuminate/Support/Traits/ForwardsCalls.php:67


  Tests:    2 failed, 1 skipped, 2 passed (20 assertions)
  Duration: 0.76s

"""
PEST_COMPACT = "  ..⨯.⨯\n" + PEST[PEST.index("  ───") :]
PEST_PASSED = """   PASS  Tests\\Unit\\CartTest
  ✓ prices are rounded                                                       0.01s

  Tests:    3 todos, 1 skipped, 1 passed (2 assertions)
  Duration: 0.76s
"""
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


@together(
    ("command", "output", "runner", "names", "counts"),
    [
        ("mvn -q test", MAVEN, "maven", ("CartTest.total",), Counts(1, 1)),
        ("./mvnw verify", MAVEN_PASSED, "maven", (), Counts(2)),
        ("./gradlew test", GRADLE, "gradle", ("CartTest > total()",), Counts(1, 1)),
        ("./gradlew check", "> Task :test\n\nBUILD SUCCESSFUL in 3s\n", "gradle", (), None),
        ("dotnet test", DOTNET, "dotnet test", ("Shop.Tests.CartTests.Total",), Counts(4, 1)),
        ("swift test", XCTEST, "swift test", ("ShopTests.CartTests testTotal",), Counts(1, 1)),
        ("swift test", XCTEST_PASSED, "swift test", (), Counts(2)),
        ("swift test", SWIFT_TESTING, "swift test", ("total(_:)",), Counts(1, 0, 1)),
        ("make test", SWIFT_TESTING_PASSED, "swift test", (), Counts(2)),
        ("flutter test", FLUTTER, "flutter test", ("test/cart_test.dart Cart adds up",), None),
        ("dart test", FLUTTER_BROKEN, "flutter test", ("test/cart_test.dart",), None),
        ("flutter test", "00:01 +52 ~1: All tests passed!\n", "flutter test", (), None),
        (
            "php artisan test",
            PEST,
            "pest",
            (
                "Tests\\Unit\\CartTest › prices are rounded",
                "Tests\\Unit\\CartTest › a cart inherits the discounts and instructions of the user who owns it…",
            ),
            Counts(2, 2, 0, 1),
        ),
        (
            "./vendor/bin/pest --compact",
            PEST_COMPACT,
            "pest",
            ("Tests\\Unit\\CartTest › prices are rounded", "Tests\\Unit\\CartTest › a cart inherits the disc…"),
            Counts(2, 2, 0, 1),
        ),
        ("composer test", PEST_PASSED, "pest", (), Counts(1, 0, 0, 1)),
        ("php artisan test", "  Tests:  1 failed, 1 passed\n  Time:   4.53s\n", "pest", (), Counts(1, 1)),
        ("php artisan test", "  Tests:  12 passed\n  Time:   4.53s\n", "pest", (), Counts(12)),
        ("dotnet test --no-build", DOTNET_PASSED, "dotnet test", (), Counts(5)),
    ],
)
def test_documented_output_yields_verdict_counts_and_names(
    command: str, output: str, runner: str, names: tuple[str, ...], counts: Counts | None
) -> None:
    [outcome] = outcomes_in(RunCommand(command, output, None, None))
    is_failed = bool(counts and counts.failed + counts.errors)
    assert (outcome.runner, outcome.failed, outcome.names) == (runner, is_failed or bool(names), names)
    assert outcome.counts == counts


def test_the_excerpt_of_a_failure_keeps_what_was_expected() -> None:
    details = {
        "bun": "Expected: 1", "playwright": "Received: 1", "deno": "1 is not 2", "mix": "assert 1 == 2",
        "ctest": "***Failed", "vitest_browser": "expected 2 to be 1",
    }  # fmt: skip
    assert {runner for runner, detail in details.items() if detail not in recorded(runner, "fail").excerpt} == set()
    [outcome] = outcomes_in(RunCommand("php artisan test", PEST, 1, failed=True))
    assert outcome.excerpt.splitlines()[1:3] == [
        "  Failed asserting that false is true.",
        "  ➜ 107▕     expect($cart->isRounded())->toBeTrue();",
    ]
    assert "  Call to undefined method App\\Models\\Cart::getDiscounts()" in outcome.excerpt


def test_a_killed_runner_counts_as_failed() -> None:
    for exit_code in (137, 0xC0000005, -1073741819):
        [outcome] = outcomes_in(RunCommand("pytest -q", "....", exit_code, failed=True))
        assert outcome.crashed
    [outcome] = outcomes_in(RunCommand("pytest -q", "Windows fatal exception: access violation", None, failed=True))
    assert outcome.crashed


def test_an_android_build_without_tests_has_no_outcome() -> None:
    assert outcomes_in(RunCommand("./gradlew build -x test", "BUILD SUCCESSFUL in 3s\n", 0, failed=False)) == []

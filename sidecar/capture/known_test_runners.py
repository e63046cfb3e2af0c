"""Test runners as rows: their command, the output that is a result, the names of failing tests.

Only what a runner prints as its result counts, not prose such as "0 failed" or "error page". The rows are taken from
real output (tests/capture/test_results/outputs); those of Gradle and dotnet from their documentation, those of Swift,
Flutter and Pest from output quoted in public places (tests/capture/test_results/test_runner_table.py).
"""

import re
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex

_NEVER = r"(?!)"


class Runner(NamedTuple):
    """A test runner. `failed` and `passed` match lines that only it prints as its result, whatever command ran it.

    `broken` and `passed_if_named` match results only if the command names the runner.
    """

    name: str
    command: re.Pattern[str]
    failed: re.Pattern[str]
    passed: re.Pattern[str]
    failing_name: re.Pattern[str]
    """A failing test; its groups, joined by a space, are its name.

    A match without groups passes over the titles of tests that did not fail.
    """
    detail: re.Pattern[str]
    """A line that describes the failure."""
    summary: re.Pattern[str]
    """A line with test counts."""
    broken: re.Pattern[str]
    passed_if_named: re.Pattern[str]
    passing: re.Pattern[str]
    """A test, file or package that passed completely."""
    group: re.Pattern[str]
    """The file or package of the tests listed after it; before it if `group_follows`."""
    group_follows: bool
    title: re.Pattern[str]
    """The title of a failure: a file or class, a test in it, or a test in the file that the next `place` names.

    It is read if no line names tests.
    """
    place: re.Pattern[str]
    heading: re.Pattern[str]
    """The failing file of the titles below it that have an empty first group."""
    separator: str
    """The sign that the runner itself writes between a file and a test in it."""


def _row(
    name: str, command: str, *, failed: str, passed: str, failing_name: str, detail: str, summary: str,
    broken: str = _NEVER, passed_if_named: str = _NEVER, passing: str = _NEVER, group: str = _NEVER,
    group_follows: bool = False, title: str = _NEVER, place: str = _NEVER, heading: str = _NEVER,
    separator: str = "›",
) -> Runner:  # fmt: skip
    def compiled(source: str) -> re.Pattern[str]:
        return lazy_regex(source, re.MULTILINE)

    return Runner(
        name=name,
        command=compiled(command),
        failed=compiled(failed),
        passed=compiled(passed),
        failing_name=compiled(failing_name),
        detail=compiled(detail),
        summary=compiled(summary),
        broken=compiled(broken),
        passed_if_named=compiled(passed_if_named),
        passing=compiled(passing),
        group=compiled(group),
        group_follows=group_follows,
        title=compiled(title),
        place=compiled(place),
        heading=compiled(heading),
        separator=separator,
    )


_PYTEST_COUNTS = r"(?:\d+ [a-z]+(?: passed| failed)?(?:, )?)+ in [\d.]+s(?: \([\d:]+\))?(?: =+)?\s*$"

_EXUNIT_TESTS = r"(?:\d+ (?:doctests?|propert(?:y|ies)|features?|tests?), )+"

_DENO_TAP_FAILURE = (
    r'^ *not ok \d+ - (.+)\n *---\n *\{"message":"(?!\d+ test step)[^\n]*"at":\{"file":"(?:\./)?([^"\n]+)"'
)
"""A test or step that fails itself, with its file. A test with failing steps is named by them."""

_BUN_TOTAL = r"(?=\d+ [a-z]+\n(?:\d+ [^\n]{1,60}\n){0,6}Ran \d+ tests? across )"
"""The first of bun's totals, which its reporter of dots does not indent."""

RUNNERS: tuple[Runner, ...] = (
    _row(
        "pytest",
        r"\b(?:pytest|py\.test)\b(?![./-])",
        failed=r"^(?:=+ )?(?=[^\n]*\b[1-9]\d* (?:failed|errors?)\b)" + _PYTEST_COUNTS,
        passed=r"^(?:=+ )?(?![^\n]*\b(?:failed|errors?)\b)(?=[^\n]*\b[1-9]\d* passed\b)" + _PYTEST_COUNTS,
        broken=r"^(?:INTERNALERROR>|ImportError while loading conftest|Fatal Python error:|Windows fatal exception:)",
        failing_name=r"^(?:FAILED|ERROR) ((?:(?!::)\S)++::(?:[^\s\[]*+\[[^\n]*?\]|[^\n]*?\S)|\S+\.py)(?= - |[ \t]*$)",
        detail=r"^(?:E  |INTERNALERROR> \w+Error)",
        summary=r"^(?:=+ )?" + _PYTEST_COUNTS,
        passing=r"^((?:(?!::)\S)++::\S.*?) PASSED\b",
        title=r"^_{3,} (?:ERROR collecting (\S+)|(?:ERROR at (?:setup|teardown) of )?(\S[^\n]{0,400}?)) _{3,}$",
        place=r"^(?:file )?([^\s:]+\.py)(?::\d+: |, line \d+$)",
    ),
    _row(
        "unittest",
        r"\bunittest\b|manage\.py test",
        failed=r"^FAILED \((?:failures|errors|unexpected successes)=",
        passed=r"^Ran [1-9]\d* tests? in [\d.]+s\n\nOK(?: \(|$)",
        failing_name=r"^(?:FAIL|ERROR): (\w+ \([\w.]+\)|\w+)",
        detail=r"^\w*(?:Error|Exception)\b.*$",
        summary=r"^(?:Ran \d+ tests?|(?:FAILED|OK) \(.*\)$)",
        passing=r"^(\w+ \([\w.]+\)) \.\.\. ok$",
    ),
    _row(
        "vitest",
        r"\bvitest\b",
        failed=r"^[ \t]*(?:Test Files|Tests)  [1-9]\d* failed\b|^[ \t]+Errors  [1-9]\d* error",
        passed=r"^[ \t]*Tests  [1-9]\d* passed\b(?!.*failed)",
        broken=r"Startup Error|failed to load config|Worker exited unexpectedly",
        failing_name=r"^[ \t]*FAIL[ \t]+(\S.{0,500}?)(?: \[ .{0,300} \])?$",
        detail=r"^[ \t]*(?:\w*Error\b|→).*$",
        summary=r"^[ \t]*Tests  .*$",
        passing=r"^[ \t]*✓ ((?:\|[^|\n]+\| )?\S+\.\w+)[ \t]+\(\d+ tests?\)",
        title=r"^[ \t]+()× (\S[^\n]{0,400}?)(?: \d+m?s)?$",
        heading=r"^[ \t]*❯ ((?:\|[^|\n]+\| )?\S+\.\w+)[ \t]+\(\d+ tests?\b",
        separator=">",
    ),
    _row(
        "jest",
        r"\bjest\b|react-scripts test",
        failed=r"^(?:Tests|Test Suites):\s++(?=.*\b[1-9]\d* failed\b).*\btotal$",
        passed=r"^Tests:\s++(?!.*failed)(?=.*\b[1-9]\d* passed\b).*\btotal$",
        broken=r"^● Validation Error|Jest: Failed to|^Error: Cannot find module 'jest|^Error: Jest",
        failing_name=r"^[ \t]*● (?!Console$|Deprecation|Validation)(.+)$",
        detail=r"^[ \t]*(?:expect\(|Expected|Received|\w*Error:).*$",
        summary=r"(?<=Tests:) .*\btotal$",
        passing=r"^PASS (\S+\.\w+)",
        group=r"^(?:FAIL|PASS) (?:\./)?(\S+\.\w+)",
        title=r"^[ \t]+()✕ (\S[^\n]{0,400}?)(?: \([\d.]+ m?s\))?$",
        heading=r"^FAIL (?:\./)?(\S+\.\w+)",
    ),
    _row(
        "mocha",
        r"\bmocha\b",
        failed=r"^[ \t]+[1-9]\d* failing$",
        passed=r"^[ \t]+[1-9]\d* passing \([\d.]+m?s\)$",
        broken=r"^[ \t]*(?:Exception during run:|Error: Cannot find module|✖ ERROR:)",
        failing_name=r"^  \d+\) (.+(?:\n {7}.+)*):$",
        detail=r"^[ \t]*(?:\w*Error|Exception during run).*$",
        summary=r"^[ \t]+\d+ (?:passing|failing|pending)\b.*$",
    ),
    _row(
        "node --test",
        r"\bnode\b.{0,300}--test\b",
        failed=r"^(?:#|ℹ) (?:fail|cancelled) [1-9]\d*$",
        passed=r"^(?:#|ℹ) pass [1-9]\d*$",
        failing_name=r"^[ \t]*(?:not ok \d+ - (?!.* # TODO)|✖ (?!failing tests:|.* \([\d.]+ms\) # ))(.+?)"
        r"(?: \([\d.]+ms\))?$",
        detail=r"^[ \t]*(?:error: '|\w*Error\b|# \w*Error\b).*$",
        summary=r"^(?:#|ℹ) (?:tests|pass|fail|cancelled|skipped|todo) \d+$",
        passing=r"^[ \t]*(?:ok \d+ - |✔ )(.+?)(?: \([\d.]+ms\))?$",
    ),
    _row(
        "go test",
        r"\bgo test\b",
        failed=r"^(?:FAIL\t\S+|--- FAIL: \S+)",
        passed=r"^ok  \t\S+\t(?:[\d.]+s|\(cached\))",
        broken=r"^(?:panic: |# \S+$)",
        failing_name=r"^[ \t]*--- FAIL: (\S+)",
        detail=r"^(?:[ \t]+\S+\.go:\d+:|\S+\.go:\d+:\d+: |panic:).*$",
        summary=_NEVER,
        passing=r"^ok  \t(\S+)",
        group=r"^FAIL\t(\S+)",
        group_follows=True,
    ),
    _row(
        "cargo test",
        r"\bcargo (?:\+\S+ )?(?:test|nextest)\b",
        failed=r"^test result: FAILED\.|^[ \t]+Summary \[.*\b[1-9]\d* failed",
        passed=r"^test result: ok\. [1-9]\d* passed|^[ \t]+Summary \[.*\] +\d+ tests? run: [1-9]\d* passed(?!.*failed)",
        broken=r"^error(?:\[E\d+\])?:",
        failing_name=r"^(?:test |[ \t]++FAIL \[[^\]\n]*+\] )(\S.*?)(?: \.\.\. FAILED|(?<= \S)$)",
        detail=r"^(?:thread '.*' .*panicked|assertion|[ \t]+(?:left|right):|error).*$",
        summary=r"^(?:test result: .*$|[ \t]+Summary \[.*$)",
        passing=r"^test (\S+) \.\.\. ok$",
        title=r"^(?:---- (?=[^\n]+ stdout ----$)| {4}(?=\S[^\n]*(?:\n {4}\S[^\n]*){0,50}\n\ntest result: FAILED))"
        r"(\S[^\n]*?)(?: stdout ----)?()$",
    ),
    _row(
        "maven",
        r"\bmvnw?\b.{0,300}\b(?:test|verify|package|install|surefire\S*|failsafe\S*)\b",
        failed=r"^(?:\[ERROR\] |\[WARNING\] )?Tests run: \d+, (?=Failures: [1-9]|Failures: \d+, Errors: [1-9])[^\n<]*$",
        passed=r"^(?:\[\w+\] )?Tests run: [1-9]\d*, Failures: 0, Errors: 0, Skipped: \d+$",
        broken=r"^\[(?:INFO|ERROR)\] (?:COMPILATION ERROR|BUILD FAILURE)",
        failing_name=r"^\[ERROR\][ \t]+([A-Z][\w$.]*\.\w+)(?:\([^)\n]*\))?(?::\d+|»| »)",
        detail=r"^\[ERROR\][ \t]+(?:[A-Z][\w$.]*\.\w+[:»]|/\S+\.(?:java|kt|scala):).*$",
        summary=r"^(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$",
    ),
    _row(
        "gradle",
        r"\bgradlew?\b(?!.{0,300}-x test\b).{0,300}\b(?:\w{0,80}[tT]est|check|build)\b",
        failed=r"^[1-9]\d* tests? completed, [1-9]\d* failed",
        passed=_NEVER,
        passed_if_named=r"^BUILD SUCCESSFUL in ",
        broken=r"^BUILD FAILED in |^FAILURE: Build failed",
        failing_name=r"^(\S[^\n>]* > [^\n]+?) FAILED$",
        detail=r"^[ \t]+(?:\S*(?:Error|Exception|Failed\w*)\b).*$",
        summary=r"^\d+ tests? completed.*$",
        passing=r"^(\S[^\n>]* > [^\n]+?) PASSED$",
    ),
    _row(
        "rspec",
        r"\brspec\b",
        failed=r"^\d+ examples?, (?:[1-9]\d* failures?|0 failures(?:, \d+ pending)?, [1-9]\d* errors? occurred)",
        passed=r"^[1-9]\d* examples?, 0 failures(?:, \d+ pending)?$",
        failing_name=r"^rspec (?:\./)?([^\s:\[]++)(?:[:\[]\S*+)? # (.+)$"
        r"|^An error occurred while loading (?:\./)?(\S+?)\.$",
        detail=r"^[ \t]+(?:Failure/Error:|expected|got:|\w*Error:).*$|^(?:Failure/Error:|\w*Error:).*$",
        summary=r"^\d+ examples?, .*$",
    ),
    _row(
        "minitest",
        r"\b(?:rake|rails)(?: \S{1,60}){0,3} test\b|\bruby\b.{0,300}(?:_test|\btest_\w{1,60})\.rb\b|\bminitest\b",
        failed=r"^\d+ (?:runs|tests), \d+ assertions, (?=[1-9]|\d+ failures, [1-9])\d+ failures, \d+ errors, \d+ skips",
        passed=r"^[1-9]\d* (?:runs|tests), \d+ assertions, 0 failures, 0 errors, \d+ skips",
        broken=r"\((?:LoadError|NameError|SyntaxError)\)$|^rake aborted!$",
        failing_name=r"^(?:[ \t]+\d+\) )?(?:Failure|Error):\n(\S[^\n]*?#[^\n]*?)(?: \[[^\]\n]{1,300}\])?:$",
        detail=r"^(?:Expected\b|[ \t]+Actual: |\w+(?:Error|Exception): |.*\((?:LoadError|NameError|SyntaxError)\)$).*$",
        summary=r"^\d+ (?:runs|tests), \d+ assertions, .*$",
        passing=r"^(\S[^\n]*?#[^\n]*?) = [\d.]+ s = \.$",
    ),
    _row(
        "phpunit",
        r"\bphpunit\b",
        failed=r"^(?:FAILURES|ERRORS)!$",
        passed=r"^OK (?:\([1-9]\d* tests?, |, but )|^OK, but ",
        broken=r"^(?:PHP )?(?:Fatal|Parse) error: ",
        failing_name=r"^There w(?:as|ere) \d+ (?:PHPUnit )?(?:warning|risky|incomplete|skipped|deprecation|notice)\b"
        r"[^\n]*(?:\n(?!--$|(?:FAILURES|ERRORS)!$|There w)[^\n]*)*|^\d+\) (\w[\w\\]*::\S.*)$",
        detail=r"^(?:Failed asserting|[\w\\]*(?:Error|Exception): |(?:PHP )?Fatal error: ).*$",
        summary=r"^(?:OK \(.*\)|Tests: \d+, .*)$",
    ),
    _row(
        "pest",
        r"\b(?:pest|artisan test)\b",
        failed=r"^ *Tests: +[1-9]\d* failed(?:, \d+ [a-z]+)* \(\d+ assertions?\) *$",
        passed=r"^ *Tests: +(?:\d+ (?!failed)[a-z]+, )*[1-9]\d* passed \(\d+ assertions?\) *$",
        broken=r"^(?:PHP )?(?:Fatal|Parse) error: |^  Tests:  [1-9]\d* failed\b",
        passed_if_named=r"^  Tests:  [1-9]\d* passed *$",
        failing_name=r"^  ⨯ (\S[^\n]{0,400}?)(?<=\S)(?: +[\d.]+s)? *$",
        detail=r"^ +FAILED  .*$|^  ➜ .*$|^Failed asserting.*$|^(?:PHP )?Fatal error: .*$"
        r"|^  (?!(?:Tests|Duration): |(?:PASS|FAIL|WARN)  )[A-Z].*$",
        summary=r"(?<=  Tests:) +\d.*$",
        passing=r"^ +PASS  (\S+) *$",
        group=r"^ +(?:PASS|FAIL|WARN)  (\S+) *$",
        title=r"^ +FAILED  (\S+) > (\S[^\n]{0,400}?)(?<=\S)(?: {2,}\w+)? *$",
    ),
    _row(
        "dotnet test",
        r"\bdotnet test\b",
        failed=r"^(?:Failed!  - Failed: +[1-9]|[ \t]*Failed: [1-9]\d*$)",
        passed=r"^Passed!  - Failed: +0, Passed: +[1-9]",
        broken=r"error (?:CS|MSB|NU|NETSDK)\d+:|^Build FAILED\.|^The active test run was aborted",
        failing_name=r"^[ \t]+(?:Failed|X) (\S.*?) \[.*\]$",
        detail=r"^[ \t]+(?:Assert\.|Expected|Actual|\S*Exception).*$",
        summary=r"^(?:Failed|Passed)!  - .*$",
        passing=r"^[ \t]+(?:Passed|✓) (\S.*?) \[.*\]$",
    ),
    _row(
        "playwright",
        r"\bplaywright test\b",
        failed=r"^  [1-9]\d* (?:failed|interrupted)\n    \S[^\n]* › ",
        passed=r"^  [1-9]\d* (?:passed \([\d.]+(?:ms|[smh])\)|flaky\n    \S[^\n]* › .+)$",
        broken=r"^Error: ",
        failing_name=r"^  \d+ flaky(?:\n    \S[^\n]*)+"
        r"|^    (?:\[([^\]\n]+)\] › )?([^\s:]+)(?::\d+)+ › (.+?)(?: ─+)?$",
        detail=r"^[ \t]*(?:\w*Error:|Expected|Received|Test timeout of).*$",
        summary=r"^  \d+ (?:failed|interrupted|flaky|skipped|did not run|passed)\b.*$",
        passing=r"^[ \t]+(?:✓|ok)[ \t]+\d+ (?:\[([^\]\n]+)\] › )?([^\s:]+)(?::\d+)* › (.+?)"
        r"(?: \(retry #\d+\))? \([\d.]+(?:ms|[smh])\)$",
    ),
    _row(
        "bun test",
        r"\bbunx?(?: --\S{1,60}){0,6} test\b",
        failed=rf"^(?: |{_BUN_TOTAL})[1-9]\d* (?:fail|errors?)$",
        passed=rf"^(?: |{_BUN_TOTAL})[1-9]\d* pass$",
        broken=r"^error: ",
        failing_name=r"^(?:\(fail\)|✗) (.+?)(?: \[[\d.]+m?s\])?$",
        detail=r"^(?:\w*[eE]rror: |Expected|Received).*$",
        summary=rf"^(?: |{_BUN_TOTAL})\d+ (?:pass|fail|skip|todo|errors?)$",
        passing=r"^(?:\(pass\)|✓) (.+?)(?: \[[\d.]+m?s\])?$",
        group=r"^(?:::group::)?(\S+\.[cm]?[jt]sx?):$",
    ),
    _row(
        "deno test",
        r"\bdeno(?: -\S{1,60}){0,6} test\b",
        failed=r'^FAILED \| \d+ passed|^<testsuites name="deno test" [^>\n]*(?:failures|errors)="[1-9]'
        rf"|{_DENO_TAP_FAILURE}",
        passed=r'^ok \| [1-9]\d* passed|^<testsuites name="deno test" tests="[1-9]\d*" failures="0"'
        r"|^TAP version 14\n(?:# \.\S+\n){1,60}(?:# Subtest: |ok )",
        broken=r"^error: ",
        failing_name=r"^(\S[^\n]*?) => (?:\./)?(\S+?):\d+:\d+$"
        r'|^ *<testcase name="([^"\n]+)" classname="(?:\./)?([^"\n]+)"[^>\n]*>\n *<failure (?!message="\d+ test step)'
        rf"|{_DENO_TAP_FAILURE}",
        detail=r'^(?:error: (?!Test failed)|TS\d+ \[ERROR\]| *<failure message=(?!"\d+ test step)'
        r'| *\{"message":(?!"\d+ test step)).*$',
        summary=r'^(?:ok|FAILED) \| .*$|^<testsuites name="deno test" .*$',
        passing=r'^ *<testcase name="([^"\n]+)" classname="(?:\./)?([^"\n]+)"[^>\n]*>\n *</testcase>',
    ),
    _row(
        "ctest",
        r"\bctest\b",
        failed=r"^\d+% tests passed, [1-9]\d* tests? failed out of \d+$",
        passed=r"^100% tests passed, 0 tests failed out of [1-9]\d*$",
        broken=r"^(?:CMake Error|Internal ctest error|Cannot find file: )",
        failing_name=r"^\t[ \t]{0,8}\d+ - (\S.{0,300}?) \((?!Disabled\)|Skipped\))[^()\n]{1,80}\)(?: {2,}\S.*)?$",
        detail=r"^(?:[ \t]*\d+/\d+ Test +#\d+: .*\*\*\*(?!Skipped|Not Run \(Dis)|.*\b(?:Failure|Assertion)\b"
        r"|CMake Error).*$",
        summary=r"^\d+% tests passed, .*$",
        passing=r"^ *\d+/\d+ Test +#\d+: (\S+) \.+ +Passed\b",
    ),
    _row(
        "swift test",
        r"\bswift test\b|\bxcodebuild\b.{0,300}\btest\b",
        failed=r"^[ \t]*Executed \d+ tests?, with [1-9]\d* failures?|^\S +Test run with \d+ tests?\b.* failed after",
        passed=r"^[ \t]*Executed [1-9]\d* tests?, with 0 failures|^\S +Test run with [1-9]\d* tests?\b.* passed after",
        broken=r"^(?:\S+\.swift:\d+:\d+: )?error: |^\*\* (?:TEST|BUILD) FAILED \*\*",
        failing_name=r"^Test Case '(?:-\[)?([\w.]+)[. ](\w+)\]?' failed"
        r"|^\S +Test (?!run with |case )(\S.*?)(?: with \d+ test cases?)? failed after",
        detail=r"^(?:\S+:\d+: error: |\S+\.swift:\d+:\d+: error: |\S +Test .* recorded an issue|error: ).*$",
        summary=r"^Test Suite '(?:All|Selected) tests' .*\n[ \t]*Executed [1-9].*$|^\S +Test run with \d+ tests?\b.*$",
        passing=r"^Test Case '(?:-\[)?([\w.]+)[. ](\w+)\]?' passed|^\S +Test (?!run with |case )(\S.*?) passed after",
    ),
    _row(
        "flutter test",
        r"\b(?:flutter|dart)(?: -\S{1,60}){0,6} test\b",
        failed=r"(?:^|\r)\d+:\d\d \+\d+(?: ~\d+)? -[1-9]\d*: Some tests failed\.",
        passed=r"(?:^|\r)\d+:\d\d \+[1-9]\d*(?: ~\d+)?: All tests passed!",
        broken=r"^(?:Error: |Failed to |Could not find )",
        failing_name=r"(?:^|\r)\d+:\d\d \+\d+(?: ~\d+)? -\d+: (?:loading )?"
        r"(?:[^\n\r]{0,300}?((?:\w{0,40}test[/\\])?[^\s/\\]{1,80}_test\.dart)(?:: | (?=\[E\])))?"
        r"([^\n\r]{0,400}?) ?\[E\]",
        detail=r"^[ \t]*(?:Expected:|Actual:|Which:|\S+\.dart:\d+:\d+: Error:|\w*(?:Error|Exception)\b).*$",
        summary=_NEVER,
    ),
    _row(
        "mix test",
        r"\bmix(?: do)? (?:\w+\.)?test\b",
        failed=rf"^{_EXUNIT_TESTS}(?:[1-9]\d* failures?\b|0 failures, (?:\d+ \w+, )*[1-9]\d* invalid)",
        passed=rf"^(?=[^\n]*?[1-9]){_EXUNIT_TESTS}0 failures(?:, \d+ (?:excluded|skipped))*$",
        broken=r"^(?:== Compilation error|\*\* \()",
        failing_name=r"^[ \t]+\d+\) (?:test|doctest|property|feature) (.+ \([\w.]+\))\n[ \t]+(\S+?):\d+$",
        detail=r"^[ \t]+(?:\*\* \(|Assertion with|code:|left:|right:|match \(=\)).*$"
        r"|^(?:== Compilation error|\*\* \().*$",
        summary=rf"^{_EXUNIT_TESTS}\d+ failures?.*$",
    ),
)

"""What the Delta Pack says of tests that fail, and of those that failed when the session last heard of them. Pure."""

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime

from sidecar.codebase import RepositoryState
from sidecar.core.text import clean, one_line
from sidecar.packs.composing.items import PackItem, Priority
from sidecar.packs.delta.hunks import LINE_CHARACTERS
from sidecar.runs import FailingTests, Known, keys

MAX_TESTS = 12

FORGOTTEN_DAYS, KEPT_DAYS = 2, 14
"""A failure whose code has moved on to another commit is told for so many days, any other for so many."""

_DAY_MS = 24 * 3_600_000


def still_failing(failing: Sequence[FailingTests], state: RepositoryState, now_ms: int) -> list[FailingTests]:
    """Leaves out what was seen so long ago that it says nothing of the present state."""
    return [tests for tests in failing if _is_recent(tests, state, now_ms)]


def _is_recent(tests: FailingTests, state: RepositoryState, now_ms: int) -> bool:
    has_moved = tests.head is not None and tests.head != state.head
    return now_ms - tests.seen_at_ms < (FORGOTTEN_DAYS if has_moved else KEPT_DAYS) * _DAY_MS


def tests_items(failing: Sequence[FailingTests], state: RepositoryState, known: Known) -> Iterator[PackItem]:
    """Gives each runner's failure, and once for a runner that failed no more is known to fail."""
    for tests in failing:
        yield _failing_item(tests, state, known)
    yield from _passed_items(known, {tests.runner for tests in failing})


def _failing_item(tests: FailingTests, state: RepositoryState, known: Known) -> PackItem:
    """The tests' names and what went wrong; the session that ran them and saw it is reminded of the names alone."""
    key, digest = keys.tests_key(tests.runner), keys.tests_digest(tests.names, tests.excerpt, tests.run_id)
    told = known.items.get(key)
    has_seen = told is not None and told.digest == digest + keys.SEEN and bool(tests.names)
    names = [f"  {one_line(name, 200)}" for name in tests.names[:MAX_TESTS]]
    more = [f"  … {len(tests.names) - MAX_TESTS} more"] if len(tests.names) > MAX_TESTS else []
    excerpt = [f"  | {_line(line)}" for line in clean(tests.excerpt).splitlines()] if not has_seen else []
    text = "\n".join([f"Failing tests ({tests.runner}){_seen(tests, state)}:", *names, *more, *excerpt])
    return PackItem(key, "delta", Priority.FAILING_TESTS, text, digest, "the last test run failed")


def _seen(tests: FailingTests, state: RepositoryState) -> str:
    """Says when a failure was seen, where files have changed since."""
    if tests.changed_hash is None or (tests.head, tests.changed_hash) == (state.head, state.changed_hash):
        return ""
    day = datetime.fromtimestamp(tests.seen_at_ms / 1000, UTC).date()
    return f", seen on {day}, before later changes"


def _passed_items(known: Known, failing: Collection[str]) -> Iterator[PackItem]:
    for key, item in sorted(known.items.items()):
        runner = keys.tests_runner(key)
        if runner is not None and runner not in failing and item.digest != keys.GONE:
            text = f"Tests ({one_line(runner, 80)}): no failure is known any more."
            yield PackItem(key, "delta", Priority.DELTA, text, keys.GONE, "they failed when this session last heard")


def _line(text: str) -> str:
    return text if len(text) <= LINE_CHARACTERS else text[: LINE_CHARACTERS - 1] + "…"

"""Files that were reverted or mended again and again, in steps that one commit more does not change."""

from collections.abc import Sequence

import pytest

from sidecar.codebase.search.commit_history import Commit, History
from sidecar.codebase.search.fragile_files import DAY, QUARTER, FragileFile, fragile_files

NOW = 100 * QUARTER + DAY * 60


def found(subjects: Sequence[str], path: str = "cart.py", every: int = DAY, newest: int = NOW) -> list[FragileFile]:
    """The troubles of a file whose commits have these subjects, the oldest first."""
    commits = [
        Commit(str(number), newest - number * every, subject, (path,), ())
        for number, subject in enumerate(reversed(subjects))
    ]
    return fragile_files(commits, History(commits), 5, lambda one: one != "hidden.py")


FIXES = ["Add the cart", "fix: total", "Fix rounding", "fixed the fix", "Bugfix: again"]


def test_fixes_of_fixes_are_told_from_three_on_and_one_more_changes_nothing() -> None:
    assert found(FIXES[:4]) == []
    assert found(FIXES) == [FragileFile("cart.py", 3, "")]
    assert found([*FIXES, "fix(cart): once more"]) == found(FIXES)
    assert found([*FIXES, *FIXES[1:]]) == [FragileFile("cart.py", 6, "")]


@pytest.mark.parametrize(
    "subjects",
    [
        ["Fix typo"] * 9,
        ["fix: lint"] * 9,
        ["Prefix names"] * 9,
        ["Fix a", "Add b"] * 9,
        ["Fix"] * 4 + ["Add"] * 40,
    ],
)
def test_what_says_nothing_of_the_code_or_happens_to_every_busy_file_is_not_told(subjects: list[str]) -> None:
    assert found(subjects) == []


def test_fixes_far_apart_or_long_ago_and_files_that_are_gone_are_not_told() -> None:
    assert found(FIXES, every=20 * DAY) == []
    assert found([*FIXES, *["Add"] * 2], every=13 * DAY, newest=NOW) != []
    assert found([*FIXES, *["Add"] * 3], path="hidden.py") == []
    commits = [Commit("n", NOW, "Add", ("b.py",), ())]
    commits += [Commit(str(n), NOW - 500 * DAY - n, subject, ("cart.py",), ()) for n, subject in enumerate(FIXES[::-1])]
    assert fragile_files(commits, History(commits), 5, lambda _: True) == []


def test_changes_taken_back_are_told_from_the_second_on_with_the_first_of_them() -> None:
    one = ["Lock it", 'Revert "Lock it"']
    assert found(one) == []
    assert found([*one, 'Revert "Revert "Lock it""']) == []
    two = [*one, "Cache it", 'Revert "Cache it" (#12)']
    assert found(two) == [FragileFile("cart.py", 0, "Lock it")]
    assert found([*two, 'Revert "Pool it"']) == found(two)


def test_the_same_is_told_through_a_whole_quarter() -> None:
    commits = [Commit(str(n), NOW - n * DAY, subject, ("cart.py",), ()) for n, subject in enumerate(FIXES[::-1])]
    for later in range(1, 90 - 60):
        newer = [Commit("new", NOW + later * DAY, "Add", ("b.py",), ()), *commits]
        assert fragile_files(newer, History(newer), 5, lambda _: True) == [FragileFile("cart.py", 3, "")]

"""Files that were reverted or fixed repeatedly, in steps that one more commit does not change."""

from collections.abc import Sequence

from sidecar.codebase.search import DAY, QUARTER, Commit, FragileFile, History, fragile_files
from tests.support.cases import together

NOW = 100 * QUARTER + DAY * 60


def found(subjects: Sequence[str], every: int = DAY, newest: int = NOW) -> list[FragileFile]:
    """Return the fragile files after commits of one file with these subjects, oldest first."""
    commits = [
        Commit(str(number), newest - number * every, subject, ("cart.py",), ())
        for number, subject in enumerate(reversed(subjects))
    ]
    return fragile_files(commits, History(commits))


FIXES = ["Add the cart", "fix: total", "Fix rounding", "fixed the fix", "Bugfix: again"]


def test_repeated_fixes_are_listed_from_three_on_in_steps() -> None:
    assert found(FIXES[:4]) == []
    assert found(FIXES) == [FragileFile("cart.py", 3, "")]
    assert found([*FIXES, "fix(cart): once more"]) == found(FIXES)
    assert found([*FIXES, *FIXES[1:]]) == [FragileFile("cart.py", 6, "")]


@together(
    "subjects",
    [
        ["Fix typo"] * 9,
        ["fix: lint"] * 9,
        ["Prefix names"] * 9,
        ["Fix a", "Add b"] * 9,
        ["Fix"] * 4 + ["Add"] * 40,
    ],
)
def test_fixes_of_no_consequence_and_busy_files_are_not_listed(subjects: list[str]) -> None:
    assert found(subjects) == []


def test_distant_or_old_fixes_are_not_listed() -> None:
    assert found(FIXES, every=20 * DAY) == []
    assert found([*FIXES, *["Add"] * 2], every=13 * DAY, newest=NOW) != []
    commits = [Commit("n", NOW, "Add", ("b.py",), ())]
    commits += [Commit(str(n), NOW - 500 * DAY - n, subject, ("cart.py",), ()) for n, subject in enumerate(FIXES[::-1])]
    assert fragile_files(commits, History(commits)) == []


def test_reverts_are_listed_from_the_second_on_with_the_first() -> None:
    subjects = ["Lock it", 'Revert "Lock it"']
    assert found(subjects) == []
    assert found([*subjects, 'Revert "Revert "Lock it""']) == []
    two = [*subjects, "Cache it", 'Revert "Cache it" (#12)']
    assert found(two) == [FragileFile("cart.py", 0, "Lock it")]
    assert found([*two, 'Revert "Pool it"']) == found(two)


def test_result_is_stable_within_a_quarter() -> None:
    commits = [Commit(str(n), NOW - n * DAY, subject, ("cart.py",), ()) for n, subject in enumerate(FIXES[::-1])]
    for later in range(1, 90 - 60):
        newer = [Commit("new", NOW + later * DAY, "Add", ("b.py",), ()), *commits]
        assert fragile_files(newer, History(newer)) == [FragileFile("cart.py", 3, "")]

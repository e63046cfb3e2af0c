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


def test_a_revert_that_two_branches_share_counts_once_until_its_change_is_made_again() -> None:
    copied = ["Lock it", 'Revert "Lock it"', 'Revert "Lock it" (#3)']
    assert found(copied) == []
    assert found([*copied[:2], 'Reapply "Lock it"', copied[1]]) == [FragileFile("cart.py", 0, "Lock it")]
    assert found([*copied[:2], "Lock it (#4)", copied[1]]) == [FragileFile("cart.py", 0, "Lock it")]


@together(
    ("subject", "title"),
    [
        ('Revert "Lock it. Use keys:at last". Fix the page.', "Lock it. Use keys:at last"),
        ('Revert "Lock it?" (was needed)', "Lock it?"),
        ('Revert "Fix "last item" of the cart"', 'Fix "last item" of the cart'),
        ("Revert \"Fix 'last item'\" (#12)", "Fix 'last item'"),
        ("Revert “Lock it” for now", "Lock it"),
        ('Revert "Lock the cart while', "Lock the cart while"),
        ("Revert check-db.", "check-db"),
        ("Revert the lock. Bump depth.", "the lock"),
        ("revert Otter 5.17.0 (#12)", "Otter 5.17.0"),
        ("revert: Otter's lock", "Otter's lock"),
        ("revert!: remove `Lock` (#12)", "remove `Lock`"),
        ("revert(cart): Otter's lock", "Otter's lock"),
    ],
)
def test_the_title_of_a_reverted_change_is_whole_and_without_what_follows(subject: str, title: str) -> None:
    assert found([subject, 'Revert "Cache it"']) == [FragileFile("cart.py", 0, title)]


def test_result_is_stable_within_a_quarter() -> None:
    commits = [Commit(str(n), NOW - n * DAY, subject, ("cart.py",), ()) for n, subject in enumerate(FIXES[::-1])]
    for later in range(1, 90 - 60):
        newer = [Commit("new", NOW + later * DAY, "Add", ("b.py",), ()), *commits]
        assert fragile_files(newer, History(newer)) == [FragileFile("cart.py", 3, "")]

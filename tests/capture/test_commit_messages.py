"""The account of an agent's work in its commit messages, and in the plan that a prompt hands over."""

from sidecar.capture.finished_run import commit_account, with_commit, with_plan
from sidecar.language.closing_message import NO_ACCOUNT, AccountStatement, Candidate, WorkAccount
from tests.support.cases import together

ROUNDING = """fix(till): round the discount of odd amounts

The discount was a float, so a cart of three items lost
a cent between the till and the receipt.

- Compute the discount in integers of cents
- Keep the old column until the next release

Co-Authored-By: An Agent <agent@example.org>
"""


def test_a_commit_message_names_and_explains_the_work() -> None:
    account = commit_account([ROUNDING], ())
    assert (account.title.text, account.title.names_whole) == ("Round the discount of odd amounts", True)
    assert [(each.section, each.text) for each in account.statements] == [
        ("commit", "The discount was a float, so a cart of three items lost a cent between the till and the receipt"),
        ("commit", "Compute the discount in integers of cents"),
        ("commit", "Keep the old column until the next release"),
    ]


@together(
    "subject",
    [
        "docs: describe the till's drawers",
        "chore: rename the till's folder",
        "Address the review's findings",
        "wip",
        "Fixes",
    ],
)
def test_other_subjects_name_no_work(subject: str) -> None:
    assert not commit_account([subject], ()).title.names_whole


def test_of_several_commits_the_fullest_names_the_work_and_the_others_are_listed() -> None:
    account = commit_account(["Print receipts in two columns", ROUNDING, ROUNDING], ())
    assert account.title.text == "Round the discount of odd amounts"
    assert [each.text for each in account.statements if each.section == "also"] == ["Print receipts in two columns"]


def test_a_run_that_only_commits_explains_the_commit_by_its_message() -> None:
    stated = WorkAccount(
        (
            AccountStatement("cause", "The hook failed because a folder was stale", 2.0),
            AccountStatement("evidence", "12 tests pass", 1.0),
        )
    )
    commit = commit_account([ROUNDING], ())
    alone = with_commit(stated, commit, is_own_work=False)
    assert [each.section for each in alone.statements] == ["commit"] * 3 + ["evidence"]
    assert [each.section for each in with_commit(stated, commit, is_own_work=True).statements] == ["commit"] * 3 + [
        "cause",
        "evidence",
    ]
    assert with_commit(stated, NO_ACCOUNT, is_own_work=True) == stated


def test_an_accepted_plan_names_the_work_that_a_conclusion_does_not_name() -> None:
    stated = WorkAccount((AccountStatement("change", "Added a `round` step", 1.0),))
    prompt = "Implement the following plan:\n\n# Plan: Round the discount in cents\n\n## Context\n\nFloats lose cents."
    assert with_plan(stated, prompt).title.text == "Implemented: Round the discount in cents"
    assert with_plan(NO_ACCOUNT, prompt).title == Candidate("", 0.0)
    assert with_plan(stated, "# Plan: Round the discount in cents").title.text == ""

"""After a run has touched a file, files that change with it are suggested to the task's next turn."""

from tests.support.conversation import Conversation
from tests.support.repositories import Repository

PROMPT = "Correct discounted_price for odd cents"
PARTNER = "ledger/rounding_table.txt"


def _changed_together(project: Repository) -> None:
    """Create a file that shares no word with the task and always changed with the receipt."""
    for number in range(4):
        project.commit(
            {PARTNER: f"row {number}\n", "till/receipt.py": f"def print_receipt(cart):\n    return {number}\n"},
            f"Adjust layout {number}",
        )


def test_files_that_change_together_are_suggested_next(conversation: Conversation, project: Repository) -> None:
    _changed_together(project)
    first = conversation.turn(
        PROMPT, lambda: [conversation.edit("till/receipt.py", "def print_receipt(cart):\n    return 9\n")]
    )
    following = conversation.pre_run("now the other half of it please")

    assert PARTNER not in "".join(block["text"] for block in first["blocks"])
    context = next(block["text"] for block in following["blocks"] if block["kind"] == "context")
    assert f"{PARTNER}\n" in context


def test_another_task_does_not_start_from_the_files_of_the_last_one(
    conversation: Conversation, project: Repository
) -> None:
    _changed_together(project)
    conversation.turn(
        PROMPT, lambda: [conversation.edit("till/receipt.py", "def print_receipt(cart):\n    return 9\n")]
    )
    other = conversation.pre_run("Write an onboarding guide for newcomers in the docs folder")
    assert PARTNER not in "".join(block["text"] for block in other["blocks"] if block["kind"] == "context")

"""The delta of a session: each change once, by hunk, and empty without changes."""

from sidecar.integrations import with_hooks
from tests.support.conversation import Conversation
from tests.support.repositories import Repository

PROMPT = "The discounted price is wrong for odd cents, correct discounted_price"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
STEPS = "\n\n".join(f"def step_{number}(cents):\n    return cents + {number}\n" for number in range(12))


def delta(conversation: Conversation) -> str:
    return str(conversation.turn("continue")["blocks"][-1]["text"])


def test_a_second_change_to_a_file_sends_only_the_new_hunk(conversation: Conversation, project: Repository) -> None:
    project.commit({"till/steps.py": STEPS})
    edited = STEPS.replace("cents + 2\n", "cents + 22\n")
    project.write({"till/steps.py": edited})
    first = conversation.turn(PROMPT)["blocks"][-1]["text"]
    project.write({"till/steps.py": edited.replace("cents + 9\n", f"cents + 99 or '{TOKEN}'\n")})
    second = delta(conversation)
    project.write({"till/steps.py": STEPS})
    third = delta(conversation)

    assert "+    return cents + 22" in first
    assert "+    return cents + 99" in second
    assert "cents + 22" not in second
    assert TOKEN not in second
    assert "no longer changed: till/steps.py" in third


def test_our_own_hooks_in_an_agents_settings_are_no_change_of_the_project(
    conversation: Conversation, project: Repository
) -> None:
    project.write({
        ".claude/settings.json": with_hooks("", "onecode-sidecar"),
        ".claude/settings.json.before-onecode": "",
        ".codex/hooks.json": with_hooks('{"hooks": {"Stop": [{"hooks": [{"command": "say"}]}]}}', "sidecar", "codex"),
        "till/new.py": "",
    })  # fmt: skip
    first = conversation.turn(PROMPT)["blocks"][-1]["text"]
    project.git("add", ".claude")
    project.git("commit", "-m", "Add the hooks")
    project.write({".claude/settings.json": with_hooks('{\n  "model": "opus"\n}\n', "onecode-sidecar")})
    second = delta(conversation)

    assert ".claude" not in first
    assert "untracked: .codex/hooks.json" in first, "it has a command of the user"
    assert "untracked: till/new.py" in first
    assert '+  "model": "opus"' in second


def test_a_turn_without_changes_costs_nothing(conversation: Conversation) -> None:
    conversation.turn(PROMPT)
    again = conversation.turn("continue")

    assert again["metadata"]["injectedBytes"] == 0
    assert again["blocks"] == []

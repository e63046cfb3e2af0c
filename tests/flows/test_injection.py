"""Automatic injection into a coding request, without repetition in its follow-ups."""

from tests.support.conversation import Conversation, kinds, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

PROMPT = "The discounted price is wrong for odd cents, correct discounted_price"


def test_a_coding_request_gets_an_anchor_and_a_budgeted_context_automatically(conversation: Conversation) -> None:
    answer = conversation.pre_run(PROMPT)

    assert answer["action"] == "inject"
    assert "Never log a customer's card number" in answer["system"]["text"]
    assert "docs/adr/0001-cents.md: Amounts are cents [accepted]" in answer["system"]["text"]
    assert kinds(answer) == ["context", "delta"]
    first_file = answer["blocks"][0]["text"].splitlines()[2]
    assert first_file == "till/prices.py — Prices and discounts per customer."
    assert "4| def discounted_price(cents, percent)" in answer["blocks"][0]["text"]
    assert answer["prompt"].endswith(f"[continuity:request]\n{PROMPT}")
    assert answer["metadata"]["injectedBytes"] == len(sent(answer).encode()) - 1 <= 24_000


def test_a_follow_up_in_an_unchanged_repository_reuses_the_pack_and_gets_nothing(
    conversation: Conversation,
) -> None:
    first = conversation.turn(PROMPT)
    again = conversation.turn("and now continue with it please")

    assert again["metadata"]["cacheHit"] is True
    assert again["system"] == first["system"]
    assert again["blocks"] == []
    assert (again["action"], again["prompt"]) == ("inject", "and now continue with it please")
    assert again["metadata"]["injectedBytes"] == 0
    assert again["metadata"]["baselineBytes"] == again["metadata"]["injectedBytes"] + again["metadata"]["reusedBytes"]
    assert again["metadata"]["reusedPercent"] > 85


def test_a_delta_contains_other_peoples_changes_and_not_the_agents_own(
    conversation: Conversation, project: Repository
) -> None:
    conversation.turn(PROMPT, lambda: [conversation.edit("till/prices.py", "def discounted_price():\n    return 1\n")])
    project.write({"till/receipt.py": "def print_receipt(cart):\n    raise NotImplementedError\n"})
    project.write({"till/new_tax.py": "VAT_PERCENT = 19\n"})

    delta = conversation.pre_run("continue")["blocks"][-1]["text"]

    added, removed, _ = project.git("diff", "--numstat", "--", "till/receipt.py").split("\t")
    assert f"unstaged: till/receipt.py +{added} −{removed}" in delta
    assert "+    raise NotImplementedError" in delta
    assert "untracked: till/new_tax.py" in delta
    assert "till/prices.py" not in delta
    assert "standing rules" not in delta, "a new file does not change the map"


def test_a_commit_by_somebody_else_is_reported_with_subject_and_files(
    conversation: Conversation, project: Repository
) -> None:
    conversation.turn(PROMPT)
    project.commit({"till/cart.py": '"""The cart."""\n'}, "Empty the cart module")

    delta = conversation.pre_run("continue")["blocks"][-1]["text"]

    assert "HEAD has moved since your last run" in delta
    assert "Empty the cart module" in delta
    added, removed, _ = project.git("diff", "--numstat", "HEAD~1", "HEAD").split("\t")
    assert f"till/cart.py +{added} −{removed}" in delta


def test_context_over_the_budget_is_trimmed_by_priority_and_named(
    conversation: Conversation, project: Repository
) -> None:
    names = [f"till/discounted_price_{number}.py" for number in range(40)]
    definition = "def discounted_price_of_line_{}(cents, percent, customer, campaign):\n    return cents\n\n\n"
    body = "".join(definition.format(number) for number in range(60))
    project.commit(dict.fromkeys(names, body), "Many prices")
    project.write({"till/receipt.py": "def print_receipt():\n    return 0\n"})

    answer = conversation.pre_run(PROMPT, tokenMode="low")

    assert len(sent(answer).encode()) <= 14_000
    assert answer["system"] is not None
    assert "unstaged: till/receipt.py" in answer["blocks"][-1]["text"]
    small = conversation.client.request("settings/update", {"settings": {"budgets": {"newBytesPerCall": 5_000}}})
    assert any(row["value"] == 5_000 for row in small["settings"])
    tight = conversation.pre_run(PROMPT)
    assert len(sent(tight).encode()) <= 5_000
    assert tight["system"] == answer["system"]
    assert "unstaged: till/receipt.py" in tight["blocks"][-1]["text"]
    trimmed = {item["item"]: item["reason"] for item in tight["metadata"]["trimmed"]}
    assert all(name.startswith("context") for name in trimmed)
    assert all("over the limit" in reason for reason in trimmed.values())


def test_the_anchor_of_a_session_keeps_its_bytes_when_the_budget_changes(conversation: Conversation) -> None:
    first = conversation.turn(PROMPT)
    assert "Notes block" in first["system"]["text"]
    conversation.client.request("settings/update", {"settings": {"budgets": {"newBytesPerCall": 3_000}}})

    tight = conversation.pre_run("and now continue with it please")

    assert tight["system"] == first["system"]
    assert tight["blocks"] == [], "the request for notes is not reported as gone"


def test_a_burst_of_edits_and_requests_builds_one_pack_per_state_of_the_repository(
    active: MemorySidecar, project: Repository
) -> None:
    first, second = (Conversation(active.client, project.path, sub_chat_id=name) for name in ("a", "b"))
    original = (project.path / "till/receipt.py").read_text(encoding="utf-8")
    before = first.pre_run(PROMPT)
    for content in ("x = 1\n", "x = 2\n", original):
        project.write({"till/receipt.py": content})
        active.client.notify("continuity/repoChanged", {"cwd": str(project.path), "paths": ["till/receipt.py"]})

    after = second.pre_run(PROMPT)

    assert before["metadata"]["cacheHit"] is False
    assert after["metadata"]["cacheHit"] is True, "the worktree is where it was: nothing is rebuilt"
    assert after["blocks"][0] == before["blocks"][0]

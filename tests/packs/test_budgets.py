"""The limits of a call hold for all that it adds, and `trimmed` accounts for each file that the prompt names."""

import random
from typing import Any

import pytest

from sidecar.core.clean_text import utf8_size
from tests.support.conversation import Conversation, bash
from tests.support.repositories import Repository
from tests.support.shop import StartChat, set_settings, text_of

FAILURES = "".join(f"FAILED tests/test_{number}.py::test_total - assert 1 == 2\n" for number in range(30))
EXCLUDED = ("logo.png", "conf/.env", "build/out.js")


def module(number: int, sign: str = "+") -> str:
    lines = (f"def step_{number}_{part}(value):\n    return value {sign} {part}\n\n\n" for part in range(60))
    return "".join(lines)


@pytest.fixture
def large(shop: Repository) -> Repository:
    rules = "".join(f"- Never use library number {number} in this repository.\n" for number in range(60))
    modules = {f"src/m{number}.py": module(number) for number in range(8)}
    shop.commit({"AGENTS.md": f"# Rules\n{rules}", ".gitignore": "build/\n", **modules, "logo.png": b"\x00\x01"})
    shop.write({"src/m3.py": module(3, "-"), "conf/.env": "KEY=1\n", "build/out.js": "1\n"})
    return shop


def added(answer: Any) -> int:
    """Return the bytes of a session's first answer."""
    return sum(utf8_size(block["text"]) for block in answer["blocks"]) + utf8_size(
        (answer["system"] or {"text": ""})["text"]
    )


def unaccounted(answer: Any, paths: list[str]) -> set[str]:
    """Return the files that an answer neither shows nor lists as trimmed."""
    shown = {line.split(" — ")[0].split(" (")[0] for line in text_of(answer, "context").splitlines()}
    trimmed = {trimmed["item"].removeprefix("context:") for trimmed in answer["metadata"]["trimmed"]}
    return {path for path in paths if path not in shown | trimmed}


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("provider", ["claude", "codex"])
def test_no_call_adds_more_than_its_limit_and_named_files_are_accounted_for(
    start_chat: StartChat, provider: str
) -> None:
    chance = random.Random(provider)
    start_chat(provider, sub_chat_id="red").turn("test it", lambda: [bash("pytest", f"{FAILURES}30 failed in 0.1s\n")])
    for number in range(14):
        chat: Conversation = start_chat(provider, sub_chat_id=f"{provider}-{number}")
        set_settings(chat, budgets={"normal": chance.choice([1_000, 3_000, 24_000]), "context": 12_288})
        limit = chance.choice([500, 501, 700, 1_200, 2_500, 6_000, 20_000])
        used = chance.choice([None, 10, 130, 190])
        usage = {} if used is None else {"usage": {"usedTokens": used, "maxTokens": 200}}
        named = chance.sample([f"src/m{number}.py" for number in range(8)], 4)
        prompt = f"Why do {', '.join([*named, *EXCLUDED])} differ?"
        answer = chat.pre_run(prompt, maxNewBytes=limit, mentions={"files": ["src/none.py"], "folders": []}, **usage)
        assert answer["metadata"]["injectedBytes"] == added(answer) <= limit
        assert unaccounted(answer, [*named, *EXCLUDED, "src/none.py"]) == set()


@pytest.mark.parametrize("folder", ["src/", ""])
def test_a_follow_up_accounts_for_each_file_that_it_names_and_uses_its_bytes(
    start_chat: StartChat, shop: Repository, folder: str
) -> None:
    imports = "".join(f"from decimal import Decimal as D{number}\n" for number in range(20))
    shop.commit({f"src/till_{number}.py": f"{imports}\n\n{module(number)}" for number in range(50)}, "Add tills")
    for limit in (500, 2_000, 20_000):
        chat, session = start_chat("codex", sub_chat_id=f"{limit} bytes"), f"session of {limit} bytes"
        chat.turn("Why does Cart.apply_discount change the price?", session=session)
        left = [f"src/till_{number}.py" for number in range(14)]
        for verb in ("Look at", "Compare"):
            prompt = f"{verb} {', '.join(f'{folder}till_{number}.py' for number in range(14))}"
            answer = chat.pre_run(prompt, maxNewBytes=limit)
            chat.post_run(answer, prompt, session=session)
            assert unaccounted(answer, left) == set(), limit
            shown = text_of(answer, "context")
            assert limit == 500 or utf8_size(shown) > 0.8 * min(12_288 / 3, 0.52 * limit), limit
            assert "import Decimal" not in shown or "def step_" in shown, limit
            left = [path for path in left if path not in shown]


@pytest.mark.usefixtures("large")
def test_an_anchor_without_room_is_sent_by_the_first_call_that_has_it(start_chat: StartChat) -> None:
    chat = start_chat()
    set_settings(chat, budgets={"normal": 1_000})
    before = chat.pre_run("What does the cart do?", usage={"usedTokens": 199, "maxTokens": 200})
    chat.post_run(before)
    assert before["metadata"]["injectedBytes"] <= 1_000 * 800 / 2_500
    after = chat.pre_run("What does the cart do?")
    assert after["system"] is not None
    assert after["metadata"]["injectedBytes"] <= 1_000

"""What a run did, understood: which tests still fail, which files it changed, whoever else was at work meanwhile."""

from tests.support.conversation import bash, sent
from tests.support.shop import PROMPT, Talk, text_of

RED = "FAILED tests/test_cart.py::test_total - assert\nFAILED tests/test_mail.py::test_send - assert\n2 failed in 1s\n"


def test_a_narrower_green_run_does_not_forget_the_other_failures(talk: Talk) -> None:
    chat, other = talk(), talk("codex", sub_chat_id="other")
    chat.turn(PROMPT, lambda: [bash("pytest", RED)])
    other.turn(PROMPT)
    chat.turn("go on", lambda: [bash("pytest tests/test_mail.py", "3 passed in 0.1s\n")])
    told = text_of(other.turn("go on"), "delta")
    assert "tests/test_cart.py::test_total" in told
    assert "test_send" not in told
    chat.turn("go on", lambda: [bash("pytest", "9 passed in 0.1s\n")])
    assert "no failure is known any more" in sent(other.turn("go on"))

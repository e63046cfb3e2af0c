"""Secrets are not stored, not even in part: a run's texts are masked before they are cut."""

from sidecar.capture.devlog_draft import devlog
from sidecar.capture.effects.run_activity import STEP_CHARACTERS, RunCommand, activity_of
from sidecar.capture.finished_run import stored_plan
from sidecar.capture.test_results import OUTPUT_CHARACTERS, outcomes_of
from sidecar.language.closing_message import account_of
from sidecar.language.own_words import request_of
from tests.support.cases import together
from tests.support.depth import is_thorough
from tests.support.secret_shapes import TOKENS, shows


@together(("number", "name"), enumerate(TOKENS))
def test_a_secret_is_masked_before_a_draft_is_cut(number: int, name: str) -> None:
    secret = TOKENS[name]
    places = range(0, 90, 7)
    for before in places if is_thorough() else places[number % 6 :: 6]:
        text = f"{'word ' * before} {secret.text} more. Then"
        account = account_of(f"Fixed the {text}")
        drafted = devlog(account.title.text, [], account, [], 1, request=request_of(text))
        assert not shows(drafted.title + drafted.body, secret)
    for lines in (0, 40, 200) if is_thorough() else ((0, 40, 200)[number % 3],):
        assert not shows(stored_plan("a line of the plan\n" * lines + secret.text), secret)


@together("name", TOKENS)
def test_a_secret_in_a_test_name_or_output_is_not_stored(name: str) -> None:
    secret = TOKENS[name]
    output = f"E   assert '{secret.text}' == 2\nFAILED tests/test_a.py::test_it[{secret.text}] - no\n1 failed in 0.1s\n"
    for before in (0, OUTPUT_CHARACTERS - len(output) + len(secret.text) // 2 + 5):
        (found,) = outcomes_of((RunCommand("pytest -q", "." * before + output, 1, failed=True),))
        assert not any(shows(text, secret) for text in (*found.names, found.excerpt))


def test_a_line_of_a_private_key_in_an_output_is_not_stored() -> None:
    body = "".join(secret.value for secret in TOKENS.values() if secret.value.isalnum())[:640]
    lines = "\n".join(f"E   {body[at : at + 64]}" for at in range(0, 640, 64))
    key = f"-----BEGIN RSA PRIVATE {'KEY'}-----\n{lines}\n-----END RSA PRIVATE {'KEY'}-----"
    (found,) = outcomes_of((RunCommand("pytest -q", f"{key}\nE   assert 1 == 2\n1 failed in 0.1s\n", 1, failed=True),))
    assert body[:16] not in found.excerpt
    assert "assert 1 == 2" in found.excerpt


@together("name", TOKENS)
def test_a_secret_in_a_step_is_masked_before_the_step_is_cut(name: str) -> None:
    secret = TOKENS[name]
    before = "word " * (STEP_CHARACTERS // 5)
    for there in range(10, len(secret.text), 9):
        content = f"{before[: STEP_CHARACTERS - there - 1]} {secret.text} after"
        part = {"type": "tool-TodoWrite", "input": {"todos": [{"content": content, "status": "pending"}]}}
        work = activity_of([part], ())
        assert work.todos is not None
        ((stored, _),) = work.todos
        assert secret.text[: len(secret.text) // 2] not in stored
        assert not shows(stored, secret)

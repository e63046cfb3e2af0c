"""Cutting a text never reveals half of a secret."""

from sidecar.core.clean_text import clean, line_of_code, one_line
from sidecar.packs import HEAD_CHARACTERS, clean_prompt
from tests.support.cases import together
from tests.support.secret_shapes import SECRETS, TOKENS, shows


@together("name", SECRETS)
def test_a_secret_is_masked_before_a_text_is_cut(name: str) -> None:
    secret = SECRETS[name]
    assert clean(clean(secret.text)) == clean(secret.text)
    for limit in range(12, len(secret.text) + 20, 5):
        assert not shows(one_line(secret.text, limit), secret)


@together("name", [name for name, secret in SECRETS.items() if "\n" not in secret.text])
def test_a_secret_is_masked_before_a_line_is_cut(name: str) -> None:
    for limit in range(12, len(SECRETS[name].text) + 20, 5):
        assert not shows(line_of_code(f"    {SECRETS[name].text}", limit), SECRETS[name])


@together("name", TOKENS)
def test_a_secret_cut_by_prompt_shortening_is_dropped(name: str) -> None:
    text = TOKENS[name].text
    for there in range(0, len(text) + 10, 9):
        before = "word " * (HEAD_CHARACTERS // 5)
        pasted = f"{before[: HEAD_CHARACTERS - there - 1]} {text} {'more ' * 10_000}"
        assert not shows(clean_prompt(pasted), TOKENS[name])
        assert text[: len(text) // 2] not in clean_prompt(pasted)

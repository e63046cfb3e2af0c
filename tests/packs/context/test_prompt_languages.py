"""Prompts in other languages than the code's: words count by their translation, names too, function words do not."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from sidecar.core.terms import query_terms
from tests.benchmarks.translated_issues import read_issues
from tests.support.conversation import kinds
from tests.support.repositories import Contents, Repository
from tests.support.shop import StartChat, text_of

NOTES: dict[str, Contents] = {
    f"docs/{name}.md": text
    for name, text in {
        "pt": "Não é o que isso faz quando está com os outros.\n",
        "es": "No es lo que esto hace cuando está con los otros.\n",
        "de": "Das ist nicht, was es mit dem macht, wenn es soll.\n",
        "ja": "これをしてください。ここではそうなります。\n",
        "zh": "我们没有这个，因为他们已经可以了。\n",
    }.items()
}


FUNCTION_WORDS = (
    "não é isso que ele faz quando está com os",
    "no es esto lo que se hace cuando está con los",
    "das ist nicht was es soll, wenn es mit dem ist",
    "これをしてください、ここではないです",
    "我们现在没有这个，因为已经可以了",
)


def first_answers(start_chat: StartChat, prompts: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Yield each prompt with its answer, each as the first prompt of a chat of its own."""
    for prompt in prompts:
        yield prompt, start_chat(sub_chat_id=f"of {prompt}").pre_run(prompt)


def shown_files(answer: Any) -> list[str]:
    """Return the lines that show files."""
    return [line for line in text_of(answer, "context").splitlines() if line.startswith(("src/", "docs/"))]


def test_function_words_of_any_language_are_no_evidence(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(NOTES)
    for prompt, answer in first_answers(start_chat, FUNCTION_WORDS):
        assert "context" not in kinds(answer), prompt


NAMES = (
    "O invoice_of imprime o objeto em vez das linhas, corrige isso",
    "El invoice_of imprime el objeto en lugar de las líneas",
    "Das invoice soll die Zeilen zeigen und nicht das Objekt",
    "invoice_of がオブジェクトをそのまま表示してしまいます",
    "invoice_of 打印的是对象，而不是明细行",
)


def test_names_and_loan_words_count_in_any_language(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(NOTES)
    for prompt, answer in first_answers(start_chat, NAMES):
        shown = shown_files(answer)
        assert shown[:1], prompt
        assert shown[0].startswith("src/invoice.py"), prompt
        assert not any(line.startswith("docs/") for line in shown), prompt


ORDINARY_WORDS = (
    "a impressora da fatura esquece uma linha",
    "la impresora de la factura se olvida de una línea",
    "l'imprimante de la facture oublie une ligne",
    "der Drucker der Rechnung vergisst eine Zeile",
    "la stampante della fattura dimentica una riga",
    "de printer van de factuur vergeet een regel",
    "принтер счёта забывает строку",
    "請求書の印刷で行が消えます",
    "打印发票时少了一行",
)


def test_ordinary_words_are_found_in_english_code(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(NOTES)
    for prompt, answer in first_answers(start_chat, ORDINARY_WORDS):
        assert shown_files(answer)[:1], prompt
        assert shown_files(answer)[0].startswith("src/invoice.py"), prompt


GERMAN = "".join(f"    'line_{number}' => 'Die Ware {number} wird verkauft und bezahlt',\n" for number in range(80))
POINTS = "    'loyalty_points' => '{}',\n    'loyalty_gone' => '{}',\n"
LANGUAGES: dict[str, Contents] = {
    "src/lang/en/shop.php": f"<?php\nreturn [\n{POINTS.format('Loyalty points', 'Loyalty points expire')}];\n",
    **{
        f"src/lang/{code}/shop.php": f"<?php\nreturn [\n{POINTS.format('Treuepunkte', 'Treuepunkte enden')}{GERMAN}];\n"
        for code in ("de", "de_informal")
    },
    "src/lang/fr/shop.php": f"<?php\nreturn [\n{POINTS.format('Bons', 'Bons finis')}];\n",
    "src/loyalty.py": "def add_loyalty(customer, points):\n    customer.loyalty += points\n",
}


def test_a_translation_leads_to_code_and_shows_no_more_than_its_matching_lines(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.commit(LANGUAGES)
    prompts = ("Treuepunkte der Ware 7 werden verkauft", "Treuepunkte in der Übersetzung der Ware 7 ändern")
    (_, about_code), (_, about_texts) = first_answers(start_chat, prompts)
    shown = shown_files(about_code)
    assert shown[0].startswith("src/loyalty.py"), "its keys and English texts say what Treuepunkte are"
    assert [line.split(" ")[0] for line in shown if "/de" in line] == ["src/lang/de/shop.php"], "not each variant"
    lines = text_of(about_code, "context").partition("src/lang/de/shop.php")[2].splitlines()[1:]
    assert 0 < len(lines) < 12
    assert any("Treuepunkte" in line for line in lines)
    assert "Ware 60 wird" in text_of(about_texts, "context")


def test_a_word_that_only_translations_have_brings_nothing_of_other_languages(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.commit(LANGUAGES)
    ((_, answer),) = first_answers(start_chat, ["loyalty points are added twice"])
    shown = [line.split(" ")[0] for line in shown_files(answer)]
    assert shown[0] == "src/loyalty.py"
    assert not {"src/lang/de/shop.php", "src/lang/de_informal/shop.php"} & set(shown)
    assert "src/lang/en/shop.php" in shown, "the texts themselves"


@pytest.mark.parametrize(
    ("prompt", "terms"),
    [
        ("割引を合計に適用してください", {"割引", "合計", "適用"}),
        ("请修复购物车的折扣", {"修复", "购物", "物车", "折扣"}),
        ("a soma do carrinho está errada", {"soma", "carrinho", "errada"}),
    ],
)
def test_content_words_remain(prompt: str, terms: set[str]) -> None:
    assert terms <= set(query_terms(prompt))
    assert not {"して", "くだ", "さい", "を合", "的折", "do", "esta"} & set(query_terms(prompt))


def test_the_translated_issues_are_ten_per_language() -> None:
    issues = read_issues()
    assert Counter(issue.language for issue in issues) == dict.fromkeys(("pt", "es", "de", "ja", "zh"), 10)
    assert len({(issue.issue, issue.language) for issue in issues}) == len(issues)

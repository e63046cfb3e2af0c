"""What a message is about, without the clauses that only tell how to work."""

from sidecar.core.prose_sentences import described_problem
from sidecar.language.message_intent import (
    adds_tests,
    reports_failing_test,
    subject_of,
    wants_documents,
)
from tests.support.cases import together

SUBJECT = "The Vary header is missing when the origin is a function"


@together(
    "message",
    [
        f"{SUBJECT}. Fix it and add a test.",
        f"{SUBJECT}. Please write unit tests for this and make sure all existing tests still pass.",
        f"Hey, can you please take a look at this: {SUBJECT}. Thanks!",
        f"{SUBJECT}, then commit the changes and open a PR",
        f"{SUBJECT}. When you are done, run the linter and the type checker, and update the changelog.",
        f"{SUBJECT}. Don't write any code yet, first make a plan and show it to me.",
        f"{SUBJECT}\n\nKeep the changes minimal.\nFollow the existing code style and don't touch unrelated files.",
        f"Bitte kümmere dich darum: {SUBJECT}. Schreib auch einen Test dafür und lass danach alle Tests laufen.",
        f"Por favor arregla esto: {SUBJECT}. Añade también un test y asegúrate de que todo pase.",
        f"{SUBJECT}. Escreva testes para isso e atualize a documentação.",
        f"{SUBJECT}. Ajoute un test et explique le changement.",
        f"{SUBJECT}. Aggiungi un test, poi esegui tutti i test.",
        f"{SUBJECT}. Voeg een test toe.",
        f"{SUBJECT}. Добавь тесты и запусти их.",
        f"{SUBJECT}. Run the full test suite and the linter when you're done, and mention it in the docs.",
        f"{SUBJECT}。请添加单元测试并确保所有测试通过。",
        f"{SUBJECT}。テストも追加してください。",
    ],
)
def test_clauses_about_working_are_left_out(message: str) -> None:
    assert subject_of(message).rstrip(" .,。\n") == SUBJECT


@together(
    ("message", "subject"),
    [
        ("The parser drops quotes. What I don't want: a rewrite. Just this, plus a test.", "The parser drops quotes"),
        (
            "The parser drops quotes. A witty changelog would please Ann",
            "quotes. A witty   would please Ann",
        ),
        ("The parser drops quotes. Please write a failing test first, then make it pass.", "The parser drops quotes"),
        ("The parser drops quotes. Tests of the scanner fail", "drops quotes. Tests of the scanner fail"),
        ("The parser drops quotes. See `tests/scanner.py`", "drops quotes. See `tests/scanner.py`"),
    ],
)
def test_beside_a_subject_words_for_tests_and_documents_are_left_out_unless_they_name_or_fail(
    message: str, subject: str
) -> None:
    assert subject in subject_of(message)
    assert ("test" in subject_of(message).lower()) == ("test" in subject.lower())


@together(
    "message",
    [
        "Explain the tests of the cart",
        "Write tests for the CORS middleware",
        "Run the tests",
        "Fix the bug and add a test",
        "Add a test runner option",
        "Fix the crash and add it to `tests/cart_test.py`",
        "Trim the slash, and test with Node 22",
        f"{SUBJECT}\n```\nadd a test\n```\nAdd a test.",
        "Add a unit test for the version comparison: a beta is older than its release",
        "Please write tests for the cart. An empty cart has no total",
        "schreibe einen Test für den Warenkorb: ein leerer Korb kostet nichts",
        "",
    ],
)
def test_a_message_without_another_subject_or_with_names_stays_whole(message: str) -> None:
    assert subject_of(message) == message


@together(
    ("wish", "adds"),
    [
        ("Fix it and add a test.", True),
        ("Please write unit tests, then run all tests.", True),
        ("Schreib auch einen Test dafür.", True),
        ("请添加测试。", True),
        ("No need for tests.", False),
        ("Sem testes, por favor.", False),
        ("Пожалуйста, без тестов.", False),
        ("Run the tests.", False),
        ("Make sure all existing tests pass.", False),
        ("Then commit.", False),
    ],
)
def test_a_wish_for_new_tests_is_noticed(wish: str, *, adds: bool) -> None:
    assert adds_tests(f"{SUBJECT}. {wish}") is adds


def test_a_message_about_tests_asks_for_none_beside_them() -> None:
    assert not adds_tests("Write tests for the CORS middleware")
    assert not adds_tests("Write tests for the CORS middleware: an origin that is no string is rejected")
    assert not adds_tests("The tests of the scanner fail. Fix it and add a test.")


@together(
    ("message", "reports"),
    [
        ("The login test fails, find out why", True),
        ("Fix the failing test in tests/test_cart.py", True),
        ("FAILED tests/test_cart.py::test_total", True),
        ("--- FAIL: TestTotal (0.00s)", True),
        ("that broke test_total", True),
        ("your change breaks the login test", True),
        ("TestTotal is red now", True),
        ("the outage broke the shop, test_total is unchanged", False),
        ("Add tests for logins that fail with an error", False),
        ("write a test for the broken import", False),
        ("the payment fails", False),
        ("rename the tests", False),
    ],
)
def test_a_report_of_a_failing_test_is_no_wish_for_tests(message: str, reports: bool) -> None:
    assert reports_failing_test(message) is reports


@together(
    "message",
    [
        "docs: mention the Vary header",
        "Add an example of vouchers to the docs",
        "The docs are outdated for version 3",
        "Please document the voucher option",
        "Write a tutorial about plugins",
        "There is no guide for contributors",
        "Actualiza la documentación de la API",
        "Ergänze die Doku zur CLI",
        "更新文档",
    ],
)
def test_message_is_about_documents(message: str) -> None:
    assert wants_documents(message)


@together(
    "message",
    [
        f"{SUBJECT}. Fix it and update the docs.",
        "According to the docs the timeout is 30 s, fix it",
        "The docs say it returns None but it raises",
        "Fix the docs generator",
        "The upload of a document fails",
        "Document upload fails",
        "Guide the user through the setup",
        "Add a doc comment to the mappings",
        "docs(router): JSDoc for the middleware",
        "Follow our style guide when you split the class",
        f"The docs are outdated. {SUBJECT * 6}",
    ],
)
def test_message_is_not_about_documents(message: str) -> None:
    assert not wants_documents(message)


FORMS = (
    "{title}\n\n**Which part has the bug?** cart\n**What version?** 1.9\n\n### What steps show the bug?\n{problem}\n",
    "{title}\n### Environment\n* Till 2.24\n\n### Current Behavior\n{problem}\n\n### Expected Behavior\nA cent.",
    "{title}\n## Umgebung\nTill 2\n## Beschreibung\n{problem}\n## Erwartetes Verhalten\nEin Cent.",
    "{title}\n## Descripción\n{problem}\n## Versión\n2.24",
    "{title}\n## Descrição\n{problem}\n## Versão\n2.24",
    "{title}\n## Description\n{problem}\n## Comportement attendu\nUn centime.",
    "{title}\n## Descrizione\n{problem}\n## Versione\n2.24",
    "{title}\n## Stappen\n{problem}\n## Verwacht gedrag\nEen cent.",
    "{title}\n## Версия\n2.24\n## Описание\n{problem}",
    "{title}\n## 環境\nLinux 6\n## 説明\n{problem}",
    "{title}\n## 版本\n2.24\n## 描述\n{problem}",
    "### {title}\n- [x] I have looked for existing issues about this\n## Description\n{problem}\n## Version\n2.24",
    "{title}\n### Report a bug\n- [x] I searched\n### Part\nThe cart\n### Description\n{problem}\n### Version\n2",
)


@together("form", FORMS)
def test_of_a_report_in_a_form_the_title_and_the_problem_are_left(form: str) -> None:
    title, problem = "The discount is rounded twice", "A cart of `3` lines loses a cent when it is paid."
    assert described_problem(form.format(title=title, problem=problem)) == f"{title}\n\n{problem}"


def test_a_document_without_questions_is_no_form() -> None:
    plan = "# Rounding\n\n## Goals\n\nRound once.\n\n## Steps\n\n1. The cart\n"
    assert described_problem(plan) == plan

"""The intent of a prompt that asks to create something."""

from sidecar.language.message_intent import creation_request
from tests.support.cases import together


@together(
    ("prompt", "intent"),
    [
        ("Create a function that parses the date header", "function that parses the date header"),
        ("Please write me a template for release notes.", "template for release notes"),
        ("Can you add a rate limiter to the API?", "rate limiter to the API"),
        ("I need a script that deploys to staging", "script that deploys to staging"),
        ("We want to build an agent for reviews; it should be fast", "agent for reviews"),
        ("The cart is broken on Safari. Implement another total component!", "total component"),
        ("Crie um componente de carrinho", "componente de carrinho"),
        ("Preciso de uma função para validar CPF", "função para validar CPF"),
        ("Por favor, crea una plantilla de factura", "plantilla de factura"),
        ("Necesito un script de despliegue", "script de despliegue"),
        ("Crée un agent de revue", "agent de revue"),
        ("J'ai besoin d'une fonction de tri", "fonction de tri"),
        ("Erstelle eine Funktion zum Sortieren", "Funktion zum Sortieren"),
        ("Ich brauche ein Skript für das Deployment", "Skript für das Deployment"),
        ("Fix the typo, then add a helper for slugs", "helper for slugs"),
    ],
)
def test_intent_is_the_rest_of_the_sentence(prompt: str, intent: str) -> None:
    request = creation_request(prompt)
    assert request is not None
    assert request.subject == intent
    assert creation_request(request.text) in {request, None}


def test_words_of_a_request_begin_with_its_verb() -> None:
    for prompt, text in (
        ("Please, can you add a helper for slugs?", "add a helper for slugs"),
        ("I need a helper for slugs.", "helper for slugs"),
    ):
        request = creation_request(prompt)
        assert request is not None
        assert request.text == text


@together(
    "prompt",
    [
        "",
        "Fix the failing test in cart.py",
        "Why does creating a cart fail?",
        "How do I create a template?",
        "Do not create a new file",
        "Don't add a helper for this",
        "Make sure that the tests pass",
        "Add it to the list",
        "The docs say: `create a function`",
        "```\ncreate a table cart\n```\nwhat does this do?",
        "> create a function\n\nWhat did he mean?",
        "Explain the cart",
        "Rename add_line to put_line",
        "Não crie um arquivo novo",
        "No crees una función nueva",
    ],
)
def test_other_prompts_have_no_intent(prompt: str) -> None:
    assert creation_request(prompt) is None

"""What the places that compiler errors, lint lists and stack traces name lead to."""

import pytest

from tests.support.conversation import sent
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat

FIRST_LINE, LINES_OF_STEP = 4, 35


def line_of(step: int, inside: int = 10) -> int:
    return FIRST_LINE + LINES_OF_STEP * step + inside


def steps(prefix: str) -> str:
    filler = "".join(f"    value_{number} = assign(variable, expression, {number})\n" for number in range(30))
    functions = "\n\n".join(
        f"def {prefix}_{n:02}(cart):\n    # {'ab' * 12} {n}\n{filler}    return cart" for n in range(24)
    )
    return f'"""Steps of an order."""\n\n\n{functions}\n'


@pytest.fixture
def shop_with_steps(shop: Repository) -> Repository:
    shop.commit(
        {
            "src/steps.py": steps("step"),
            "src/shipping.py": steps("ship"),
            "src/assignment.py": steps("assignment_of_types"),
            "tests/test_steps.py": steps("test_step"),
        },
        "Add steps",
    )
    return shop


def first_code(text: str) -> list[str]:
    return [line.partition("def ")[2].partition("(")[0] for line in text.splitlines() if "| def " in line]


MYPY = 'error: Incompatible types in assignment (expression has type "str", variable has type "int")  [assignment]'


@pytest.mark.usefixtures("shop_with_steps")
@pytest.mark.parametrize("is_follow_up", [False, True])
def test_the_code_at_the_places_of_an_error_list_is_shown(start_chat: StartChat, is_follow_up: bool) -> None:
    chat = start_chat()
    if is_follow_up:
        chat.turn(PROMPT)
    places = f"src/steps.py:{line_of(17)}: {MYPY}\nsrc/shipping.py:{line_of(9)}: {MYPY}\n"
    shown = sent(chat.pre_run(places))
    assert {"step_17", "ship_09"} <= set(first_code(shown))


@pytest.mark.usefixtures("shop_with_steps")
def test_places_in_tests_come_after_those_in_other_code(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    tests = "".join(f"tests/test_steps.py:{line_of(step)}: {MYPY}\n" for step in (3, 8, 13))
    shown = first_code(sent(chat.pre_run(f"{tests}src/steps.py:{line_of(17)}: {MYPY}\n")))
    assert {"step_17", "test_step_03"} <= set(shown)


@pytest.mark.usefixtures("shop_with_steps")
def test_the_definitions_that_a_message_names_are_shown_beside_its_place(start_chat: StartChat) -> None:
    message = f"src/steps.py:{line_of(17)}:5: undefined: step_03"
    assert {"step_03", "step_17"} <= set(first_code(sent(start_chat().pre_run(message))))


@pytest.mark.usefixtures("shop_with_steps")
def test_a_place_that_several_files_may_be_does_not_lead(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({f"src/{name}/index.py": steps(f"{name}_step") for name in ("cart", "voucher")}, "Add indexes")
    shown = first_code(sent(start_chat().pre_run(f"index.py:{line_of(17)}: step_03 of src/steps.py fails")))
    assert "step_03" in shown


def test_the_lines_before_and_after_a_place_are_shown_where_a_long_function_is_split(
    start_chat: StartChat, shop: Repository
) -> None:
    body = "".join(f"    value_{number} = assign(variable, expression, {number})\n" for number in range(1_200))
    shop.commit({"src/long.py": f"def long_step(cart):\n{body}    return cart\n"}, "Add a long step")
    for line in (628, 632):
        text = sent(start_chat(sub_chat_id=f"chat-{line}").pre_run(f"src/long.py:{line}: {MYPY}"))
        numbers = {int(shown.partition("|")[0]) for shown in text.splitlines() if "| " in shown}
        assert numbers.issuperset(range(line - 4, line + 5))

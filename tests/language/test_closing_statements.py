"""What an account of work leaves out of its title and its statements, and what it adds to neither."""

from sidecar.core.terms import query_terms
from sidecar.language.closing_message import account_of, is_bookkeeping
from sidecar.language.conclusions import cause_in, explanation_in
from tests.support.cases import together

REQUEST = query_terms("the discount of the cart must be rounded")


@together(
    ("text", "title"),
    (
        ("我已经成功优化了购物车的折扣计算。", "优化了购物车的折扣计算"),
        ("作为你的助手，我已经将折扣改为整数计算。", "将折扣改为整数计算"),
        ("现在，购物车已经增加了折扣功能和优惠券。", "购物车已经增加了折扣功能和优惠券"),
        ("通过对购物车的分析，我们已成功优化了折扣的计算逻辑。", "优化了折扣的计算逻辑"),
        ("修复了购物车的折扣问题，并进行了以下操作：", "修复了购物车的折扣问题"),
        ("I've added a stunning page of coupons to the cart.", "Added a page of coupons to the cart"),
        ("I've added a comprehensive overview of the cart's coupons.", "Added an overview of the cart's coupons"),
        ("I've moved the discount of the cart, let me run the tests.", "Moved the discount of the cart"),
        ("I've added a page of coupons to the cart that you can extend.", "Added a page of coupons to the cart"),
        ("Completed TASK-004: Round the discount of the cart", "Round the discount of the cart"),
        ("Completed subtask 4.2: Round the discount of the cart", "Round the discount of the cart"),
        (
            'Completed Task 7 "Round the discount of the cart" for the shop project',
            "Round the discount of the cart",
        ),
        (
            "Moved the discount of the cart into orders, ensuring a clean and maintainable structure.",
            "Moved the discount of the cart into orders",
        ),
    ),
)  # fmt: skip
def test_a_title_has_no_praise_no_person_and_no_number_of_a_task(text: str, title: str) -> None:
    assert account_of(text).title.text == title


@together(
    "text",
    (
        "对购物车的折扣进行了以下主要修改。", "已经进行了多项修改，以解决购物车的折扣问题。",
        "修复了购物车代码中的问题。",
        "修复了购物车之前的问题。",
        "完成了购物车折扣功能的修正。",
        "I've reviewed the discount of the cart.",
        "I've fixed the issues with the discount functionality.",
        "为购物车的折扣提供了优化方案。", "圆满完成了购物车本次迭代的目标。",
        "I've rewritten the discount of the cart with a simpler approach.",
        "I've identified the issue of the discount.",
        "I've moved those in the cart's discount.", "Moved these of the cart's discount into orders.",
        "J'ai apporté plusieurs corrections à la remise du panier.",
        "He aplicado varias mejoras al descuento del carrito.",
        "I've implemented the discount rounding fixes for the cart.",
        "The discount of the cart is now", "The page of the cart now clearly explains:",
        "I've moved the discount of the cart like this:", "I've moved the discount of the cart as follows:",
    ),
)  # fmt: skip
def test_a_title_that_leaves_its_object_open_does_not_name_the_work(text: str) -> None:
    assert not account_of(text).title.names_whole


def test_documentation_does_not_name_the_work_beside_a_change() -> None:
    text = "Added detailed documentation to the cart. I've moved the discount of the cart into orders."
    assert account_of(text, (), REQUEST).title.text == "Moved the discount of the cart into orders"


def test_a_document_names_the_work_only_if_it_was_requested() -> None:
    text = "I've updated `docs/CART.md` with the rounding of the discount in the cart."
    assert not account_of(text, (), REQUEST).title.names_whole
    assert account_of(text, (), query_terms("describe the rounding of the discount in cart.md")).title.names_whole


@together(
    "text",
    (
        "The totals of the cart are now fixed, let me run the tests.",
        "The cause is becoming clearer: I've moved the discount of the cart.",
        "I found the discount of the cart.", "A. I've removed the rounding from the cart",
        "如仍有问题说明购物车的折扣修改了",
        "第2天：添加了购物车的折扣测试", "Next: I've removed the rounding from the cart.",
        "Benefits: I've improved the sums of the cart", "The discount of the cart is now in excellent shape.",
        "The rounded sums of the cart now have a premium feel.", "Moved the sums for a better visual balance.",
        "Hemos completado el Paso 3 del carrito.", "购物车的修改任务已全部完成。", "我们已经完成了您提出的所有要求。",
        "任务状态已更新。",
        "This structure now follows the modern form of a cart, which helps.",
        "Added much more detailed logs of the cart that will show us",
        "The core issue is now resolved.", "Added to the list of migrations",
        "One of nine tests fails: `test_cart` expects the discount that is now taken off.",
        "Two tests fail because sums are now in cents.", "The test `test_cart` fails since the sum is now rounded.",
    ),
)  # fmt: skip
def test_plans_praise_and_progress_are_no_statements(text: str) -> None:
    assert account_of(text).statements == ()


@together("text", ("Fixed the test that failed: the cart is now rounded.", "Added tests that fail without a discount."))
def test_what_was_done_about_failing_tests_is_a_change(text: str) -> None:
    assert [statement.section for statement in account_of(text).statements] == ["change"]


def test_what_now_shows_up_is_a_change() -> None:
    (statement,) = account_of("The archived people now show up in the list of members.").statements
    assert statement.section == "change"


def test_an_untested_line_is_no_open_end() -> None:
    (statement,) = account_of("Added tests for the untested lines of the cart.").statements
    assert statement.section == "change"
    (statement,) = account_of("The coupons of the cart are untested.").statements
    assert statement.section == "open"


def test_tests_that_are_a_condition_are_no_evidence() -> None:
    text = "Moved the discount into orders.\n\n- Checks first: Only deploys the cart if all tests pass\n"
    assert "evidence" not in {statement.section for statement in account_of(text).statements}


@together(
    ("statement", "expected"),
    (
        ("Frontend: `src/cart.py`", True), ("Created `src/cart.py`", True),
        ("`src/cart.py` - Main component file", True),
        ("New `src/cart` directory", True), ("`src/cart.py`: the discounts of the cart", True),
        ("`src/cart.py`: Removed the rounding of the discount", False),
        ("Moved the rounding of the discount into `src/cart.py`", False),
        ("`round_discount()` - rounds the discount to whole cents", False),
    ),
)  # fmt: skip
def test_a_name_and_a_path_are_bookkeeping(statement: str, expected: bool) -> None:
    assert is_bookkeeping(statement) is expected


REPEATED = """I've moved the discount of the cart into orders.

- Moved the discount
- Added a rounding of the discount
- We added a rounding of the discount to whole cents
- Frontend: `src/cart.py`
- Removed the old sums as requested
"""


def test_a_statement_within_another_one_is_left_out() -> None:
    assert [statement.text for statement in account_of(REPEATED).statements] == [
        "I've moved the discount of the cart into orders.",
        "We added a rounding of the discount to whole cents",
        "Removed the old sums",
    ]


def test_what_was_built_is_no_problem_below_its_heading() -> None:
    text = (
        "### 问题\n\n- 我编写了一个专用脚本，用于处理未知来源\n"
        "- 添加了购物车的未知来源检查\n- 购物车的数据库没有正确创建表\n"
    )
    sections = {statement.text: statement.section for statement in account_of(text).statements}
    assert sections == {"添加了购物车的未知来源检查": "change", "购物车的数据库没有正确创建表": "problem"}


def test_a_third_sentence_and_one_about_something_else_name_a_part() -> None:
    request = query_terms("implement the plan for the discount of the cart and the mails")
    first = "Added the next big piece of the plan. The totals of the cart are now cached."
    assert not account_of(f"{first} The mail now lists the discount of the cart.", (), request).title.names_whole
    assert account_of("The mail now lists the discount of the cart.", (), request).title.names_whole
    assert not account_of("I've also moved the discount of the cart into orders.").title.names_whole


def test_a_list_of_possible_causes_states_none() -> None:
    text = "我已将购物车的折扣改为实时计算。\n\n这可能的原因包括：\n- 折扣的循环没有正确结束导致错误\n"
    assert [statement.section for statement in account_of(text).statements] == ["change"]


def test_a_folder_and_its_kind_is_bookkeeping() -> None:
    assert is_bookkeeping("`phase-2/` - The core of the cart")
    assert not is_bookkeeping("`phase-2/` - Moved the core of the cart here")


def test_a_vague_sum_is_left_out_beside_the_sentence_that_names_the_work() -> None:
    text = "I've moved the discount of the cart into orders. We've implemented three key features from the list."
    assert [statement.text for statement in account_of(text).statements] == [text.partition(" We")[0]]


OFFERED = """I've moved the discount of the cart into the orders.

- Removed the second rounding of the total

If you want, I can next:

- Rename the coupons of the cart

You can now:

1. Set the percents of a coupon in the settings
"""


def test_the_list_below_an_offer_or_an_instruction_states_nothing() -> None:
    assert [statement.text for statement in account_of(OFFERED).statements] == [
        "I've moved the discount of the cart into the orders.", "Removed the second rounding of the total",
    ]  # fmt: skip


def test_an_open_task_of_a_list_is_an_open_end() -> None:
    text = "I've moved the discount of the cart into the orders.\n\n- [ ] Added coupons to the mails\n"
    assert [statement.section for statement in account_of(f"{text}- [ ] Rename the guests\n").statements] == [
        "change", "change", "open",
    ]  # fmt: skip


def test_the_first_sentence_names_the_work_rather_than_one_below_a_list() -> None:
    first, later = "Moved the discount of the cart into the orders.", "Renamed the sender of the confirmation mails."
    account = account_of(f"{first}\n\n- Removed a rounding\n- Renamed a helper\n\n{later}")
    assert account.title.text == first.rstrip(".")
    assert account.title.names_whole


@together(
    "text",
    (
        "No coupons of the cart were added.", "Yes, the discount of the cart is now in the orders.",
        "Updated the settings page for visitors.", "I've implemented option B: coupons of the cart.",
        "I've added coupons to the cart that you can combine with everything.",
        "Task T9: coupons of the cart has been implemented.",
    ),
)  # fmt: skip
def test_answers_options_and_places_do_not_name_the_work(text: str) -> None:
    assert not account_of(text, (), query_terms("the discount of the cart and its coupons")).title.names_whole


def test_a_title_still_states_the_change_after_it_was_cut() -> None:
    text = (
        "`useOrders` loads all the orders of the visitor and their coupons with a single request to the old server"
        " of the shop; the list of orders is now shown as cards."
    )
    assert not account_of(text).title.names_whole


def test_a_statement_addresses_nobody() -> None:
    (statement,) = account_of("Moved the discount of your cart into your orders.").statements
    assert statement.text == "Moved the discount of the cart into the orders."


def test_a_remedy_behind_a_label_is_no_problem() -> None:
    text = "## Issues fixed\n\n- Empty carts: Added a guard that never reads a missing total\n"
    assert [statement.section for statement in account_of(text).statements] != ["problem"]


@together(
    ("text", "sections"),
    (
        (
            "La remise doublait parce que `total()` l'avait déjà. J'ai supprimé l'appel. Les 12 tests passent.",
            ["cause", "change", "evidence"],
        ),
        ("La remise manquait à cause de l'arrondi du panier. J'ai corrigé l'arrondi.", ["cause", "change"]),
        (
            "总价算错是因为折扣被扣了两次。我删掉了 `discounted_price` 里的第二次扣减，测试通过了。",
            ["cause", "change"],
        ),
        ("我在 `till/errors.py` 里加了统一的错误码。已运行 pytest，全部通过。", ["change", "evidence"]),
        ("Moví el registro a `onMounted` en `web/checkout.ts`. Pasan los 12 tests.", ["change", "evidence"]),
        ("Ich habe den zweiten Abzug entfernt. Alle 14 Tests laufen durch.", ["change", "evidence"]),
        ("购物车里有三个折扣字段。", []),
        ("Der Test läuft sehr lange durch den Rabatt.", []),
        ("On car-park pages the cart is shown.", []),
        ("用户可以在购物车里换货。", []),
        ("Pasan muchas cosas en el carrito.", []),
    ),
)  # fmt: skip
def test_statements_are_sorted_in_other_languages(text: str, sections: list[str]) -> None:
    assert [statement.section for statement in account_of(text).statements] == sections


@together(
    ("text", "cause"),
    (
        (
            ("**Root cause:** The total only knew whole cents. Halves stayed in the text of the total.\n\n"
            "**Fix:** It keeps both, because older carts have halves."),
            "The total only knew whole cents. Halves stayed in the text of the total.",
        ),
        (
            ("**Causa:** el total se sumaba sin los céntimos de la compra.\n\n"
            "**Solución:** uso enteros, porque no se redondean nunca."),
            "el total se sumaba sin los céntimos de la compra.",
        ),
        (
            ("Done.\n\nThe totals were compared as text, but only one of them was rounded. Both sides now use cents."
            " The coupons of the cart are not affected."),
            "The totals were compared as text, but only one of them was rounded.",
        ),
        (
            "The total was off because it ignored the discount. I kept whole cents rather than adding decimals here.",
            "The total was off because it ignored the discount.",
        ),
    ),
)  # fmt: skip
def test_a_cause_is_below_its_label_or_how_it_was_before_the_change(text: str, cause: str) -> None:
    assert cause_in(text, 400) == cause


@together(
    "text",
    (
        "The coupons of the cart are not affected.", "Die Gutscheine des Warenkorbs sind nicht betroffen.",
        "I did not run the whole suite because no code of the cart changed.",
    ),
)  # fmt: skip
def test_what_stays_as_it_was_and_what_was_not_run_explains_nothing(text: str) -> None:
    assert explanation_in(text, 400) == cause_in(text, 400) == ""


def test_how_it_was_before_a_change_is_the_problem() -> None:
    text = "The totals were compared as text, but only one was rounded. Both totals now use whole cents."
    assert [statement.section for statement in account_of(text).statements] == ["problem", "change"]
    assert explanation_in(text, 400) == text


@together(
    "text",
    (
        "I was not sure about the rounding of the cart. The totals now use whole cents.",
        "The totals had not been verified yet for guests. Fixed the rounding of its discount.",
        "The totals were compared as text, but only one was rounded.",
    ),
)  # fmt: skip
def test_what_nothing_replaces_or_somebody_did_is_no_problem(text: str) -> None:
    assert "problem" not in {statement.section for statement in account_of(text).statements}


@together(
    "text",
    (
        "I did not run the whole suite of the cart.", "Guests of the shop were not measured.",
        "I haven't updated the docs of the coupons.", "No he probado los cupones del carrito.",
        "Die Gutscheine des Warenkorbs habe ich nicht getestet.", "Je n'ai pas testé les remises du panier.",
        "Offen ist noch der Gutschein der Gäste.",
    ),
)  # fmt: skip
def test_what_was_not_run_or_measured_is_an_open_end(text: str) -> None:
    assert [statement.section for statement in account_of(text).statements] == ["open"]


CHANGED = frozenset(query_terms("cart total discount rounding vouchers"))


def test_why_it_failed_and_what_the_fix_does_are_read_below_their_labels() -> None:
    text = (
        "I've moved the discount of the cart into orders.\n\n**Why it failed:** each total dropped its last cent.\n\n"
        "**Fix:** The rounding has a second step for halves. It keeps cents, because older carts have some."
    )
    assert [(each.section, each.text) for each in account_of(text, CHANGED).statements] == [
        ("change", "I've moved the discount of the cart into orders."),
        ("cause", "Each total dropped its last cent."),
        ("change", "The rounding has a second step for halves. It keeps cents, because older carts have some."),
    ]


def test_the_reason_of_what_the_code_does_is_part_of_the_change() -> None:
    text = "I've moved the discount of the cart into orders.\n\nVouchers are copied first, because callers mutate them."
    assert [each.section for each in account_of(text, CHANGED).statements] == ["change", "change"]
    fault = "I've moved the discount of the cart into orders.\n\nVouchers are never copied, because nobody asked."
    assert [each.section for each in account_of(fault, CHANGED).statements] == ["change"]
    assert [each.section for each in account_of(text).statements] == ["change"]
    assert account_of("Vouchers are copied first, because callers mutate them.", CHANGED).title.text == ""


def test_a_sentence_that_points_at_one_that_is_left_out_is_left_out() -> None:
    text = "I've moved the discount into orders.\n\nLet me know about the vouchers. They are now part of the cart."
    assert [each.text for each in account_of(text, CHANGED).statements] == ["I've moved the discount into orders."]


def test_an_open_end_is_read_below_its_heading_after_a_list_and_behind_its_label() -> None:
    text = "## Changes\n\n- Moved the discount of the cart\n\n## Not covered\n\nVouchers of guests in the cart."
    assert [each.section for each in account_of(text).statements] == ["change", "open"]
    text = "All 12 tests pass. One caveat: vouchers of guests stay in the cart."
    assert [each.text for each in account_of(text).statements] == [
        "All 12 tests pass.", "Vouchers of guests stay in the cart.",
    ]  # fmt: skip


@together(
    ("text", "title", "evidence"),
    (
        ("I've moved the discount into orders and all 12 tests pass.", "Moved the discount into orders",
         "All 12 tests pass."),
        ("I've moved the discount into orders, and the suite passes (90 tests).", "Moved the discount into orders",
         ""),
        ("I've moved the discount into orders and everything passes (90 tests).", "Moved the discount into orders",
         "Everything passes (90 tests)."),
        ("Moved the discount into orders and committed it as `orders: move the discount`.",
         "Moved the discount into orders", ""),
        ("J'ai déplacé la remise dans les commandes et tous les tests passent.",
         "Déplacé la remise dans les commandes", ""),
        ("I've moved the discount into orders and the tests that pass strings.",
         "Moved the discount into orders and the tests that pass strings", ""),
    ),
)  # fmt: skip
def test_a_title_has_no_result_of_tests_and_no_commit_at_its_end(text: str, title: str, evidence: str) -> None:
    account = account_of(text)
    assert account.title.text == title
    stated = [each.text for each in account.statements if each.section == "evidence"]
    assert evidence in stated or not evidence


@together(
    ("text", "expected"),
    (
        ("Der Rabatt des Warenkorbs liegt jetzt in `orders.py`.", True),
        ("Die Rabatte laufen nun über die Bestellungen.", True),
        ("La remise du panier passe désormais par les commandes.", True),
        ("De korting van de wagen staat nu in de bestellingen.", True),
        ("All carts use `orders.py` for their discount now.", True),
        ("Wir müssen jetzt den Rabatt des Warenkorbs prüfen.", False),
        ("Il faut maintenant vérifier la remise du panier.", False),
        ("Je moet nu de korting van de wagen testen.", False),
    ),
)  # fmt: skip
def test_what_something_does_now_is_a_change_in_other_languages(text: str, expected: bool) -> None:
    assert [each.section for each in account_of(text).statements] == ["change"] * expected


def test_an_article_names_the_work_beside_what_it_does_now() -> None:
    changed = query_terms("orders discount Rabatt Warenkorb Bestellungen")
    assert account_of(
        "Der Rabatt des Warenkorbs liegt jetzt in `orders.py` der Bestellungen.", changed
    ).title.names_whole
    assert not account_of("Das Problem des Warenkorbs habe ich behoben.", changed).title.names_whole


def test_a_reason_is_no_bookkeeping_although_it_names_an_import() -> None:
    assert not is_bookkeeping("`json` is imported inside `total`, because importing it takes 3 ms")
    assert is_bookkeeping("Removed unused imports of the cart")

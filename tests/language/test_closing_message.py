"""The account of an agent's work: sections and a title from its final words, in ten languages."""

from sidecar.core.terms import query_terms
from sidecar.language.closing_message import account_of, announces_more, title_text
from tests.support.cases import together

ENGLISH = """Perfect! ✅ **All done!**

## 🐛 The Problem
When we cleaned up the header, `roomId` was removed, but `init()` still read it.

## 🔧 The Fix
1. **Added a guard to `init()`** - it returns early without a room
2. Removed all references to the deleted elements

All 12 tests pass. Empty rooms are not covered yet.

Let me know if you want me to go on. You can now refresh the page.
"""

CHANGES = {
    "en": (
        "I've replaced the per-row query in `orders.py` with one join.",
        "Replaced the per-row query in `orders.py`",
    ),
    "pt": ("Adicionei o campo `cif` aos artigos da tabela.", "Adicionei o campo `cif` aos artigos da tabela"),
    "es": ("¡Perfecto! He corregido el cálculo del descuento en `Orders.tsx`.", "Corregido el cálculo del descuento"),
    "fr": ("J'ai corrigé le calcul du zoom dans `useZoom.ts`.", "Corrigé le calcul du zoom dans `useZoom.ts`"),
    "de": ("Ich habe die Rundung in `preise.py` auf ganze Cent umgestellt.", "Ich habe die Rundung in `preise.py`"),
    "it": ("Ho sostituito la cache con una somma progressiva.", "Sostituito la cache con una somma progressiva"),
    "nl": ("Ik heb de afronding in `prijzen.py` aangepast.", "Ik heb de afronding in `prijzen.py` aangepast"),
    "ru": ("Я исправил округление скидки в корзине.", "Исправил округление скидки в корзине"),
    "ja": ("カートの割引計算を税込み価格の後に移動しました。", "カートの割引計算を税込み価格の後に移動しました"),
    "zh": ("已将购物车的折扣计算移动到含税价格之后。", "已将购物车的折扣计算移动到含税价格之后"),
}
CAUSES = (
    "The root cause was a stale index in the orders table.", "O problema era o índice antigo da tabela de pedidos.",
    "El problema era el índice antiguo de la tabla de pedidos.", "Le problème venait de l'index périmé des commandes.",
    "Das Problem lag am veralteten Index der Bestellungen.", "Il problema era l'indice vecchio della tabella ordini.",
    "Het probleem was de verouderde index van de bestellingen.", "Причина была в устаревшем индексе таблицы заказов.",
    "原因は注文テーブルの古いインデックスです。", "原因是订单表的索引已经过期没有更新。",
)  # fmt: skip
NOT_WORK = (
    "Let me check the failing test in the cart next.", "You can now refresh the page and open the cart.",
    "Should I add the same guard to the invoices?", "Ahora voy a compilar y probar los cambios del carrito.",
    "Maintenant, testons l'application pour voir les journaux.", "Jetzt werde ich die Tests der Bestellungen prüfen.",
    "次にカートのテストを確認します。", "接下来我会检查购物车的测试。", "1", "yup.", "API Error: 500",
    "Ajoutons un test du panier pour ce cas.",
)  # fmt: skip


def test_sections_follow_headings_and_words_and_the_title_is_what_was_done() -> None:
    account = account_of(ENGLISH, {"init", "guard"})
    assert [(statement.section, statement.text) for statement in account.statements] == [
        ("problem", "When we cleaned up the header, `roomId` was removed, but `init()` still read it."),
        ("change", "Added a guard to `init()` - it returns early without a room"),
        ("change", "Removed all references to the deleted elements"),
        ("evidence", "All 12 tests pass."),
        ("open", "Empty rooms are not covered yet."),
    ]
    assert account.title.text == "Added a guard to `init()` - it returns early without a room"


@together("language", CHANGES)
def test_a_change_is_recognised_and_names_the_work(language: str) -> None:
    text, title = CHANGES[language]
    account = account_of(text)
    assert [statement.section for statement in account.statements] == ["change"]
    assert account.title.text.startswith(title)


@together("text", CAUSES)
def test_a_cause_is_recognised(text: str) -> None:
    assert [statement.section for statement in account_of(text).statements] == ["cause"]


@together("text", NOT_WORK)
def test_announcements_offers_and_instructions_are_no_account(text: str) -> None:
    assert account_of(text).statements == ()
    assert account_of(text).title.text == ""


NOT_DONE = (
    "Los cambios en memoria del carrito podrían no estar guardados.", "Il semble que les erreurs du panier persistent.",
    "カートの複雑な実装を見直し、よりシンプルな公式の例に近づけます。",
    "Сначала проверю, что все материалы раздела созданы.",
    "После завершения — проверить, что все материалы созданы.", "Desde ahora empezaré el carrito desde cero.",
    "I'm doing one sanity check of the cart's discount.", "We need to add error handling to the cart.",
)  # fmt: skip
ROUTINE = (
    "J'ai trouvé le fichier `Settings.tsx`.", "The branch was deleted successfully.", "Коммит создан.",
    "ディレクトリを作成しました。", "I found the problem!", "Todos los commits se han subido al remoto.",
)  # fmt: skip


@together("text", NOT_DONE)
def test_plans_and_guesses_are_no_account(text: str) -> None:
    assert account_of(text).statements == ()


@together("text", ROUTINE)
def test_steps_of_every_work_are_no_account(text: str) -> None:
    assert account_of(text).statements == ()


def test_remedies_listed_below_a_problem_are_not_the_problem() -> None:
    text = "## Problems\n- Shows the specific TypeScript types\n- Guides the user through the setup of disks\n"
    faults = "- The second filter was overwriting the first one\n"
    assert [statement.text for statement in account_of(text + faults).statements if statement.section == "problem"] == [
        "The second filter was overwriting the first one"
    ]


def test_an_arrow_belongs_to_its_statement() -> None:
    (statement,) = account_of("- Renamed `Footer.NavSection` → `Footer.NavGroup` in all examples\n").statements
    assert statement.text == "Renamed `Footer.NavSection` → `Footer.NavGroup` in all examples"


def test_an_entry_is_not_named_after_a_general_statement_or_a_side_matter() -> None:
    general = "This is simpler because the middleware checks the session of every request."
    assert account_of(general).title.text == ""
    text = "- Added `/v1/models` to the API list in the README\n- Added a catalogue of the models to the server\n"
    assert account_of(text).title.text == "Added a catalogue of the models to the server"


def test_passing_tests_are_evidence_and_no_title() -> None:
    account = account_of("All 12 tests of the cart are now passing.")
    assert [statement.section for statement in account.statements] == ["evidence"]
    assert account.title.text == ""


@together(
    "evidence",
    [
        "The new test failed before and passes now.", "El test nuevo fallaba antes y ahora pasa.",
        "O novo teste falhava antes e agora passa.", "Le nouveau test échouait avant et passe maintenant.",
        "Der neue Test schlug vorher fehl und ist jetzt grün.", "Il nuovo test prima falliva e ora passa.",
        "De nieuwe test faalde eerst en slaagt nu.", "Новый тест раньше падал, а теперь проходит.",
        "新しいテストは以前は失敗し、今は通っています。", "新的测试之前失败，现在通过了。",
    ],
)  # fmt: skip
def test_a_test_that_failed_before_is_evidence_and_the_change_is_the_title(evidence: str) -> None:
    cause = "The upsert renewed whichever row had the name, so a node without its lease renewed the other's."
    account = account_of(f"{cause} Renewal is now scoped to the row's node.\n\n{evidence}")
    assert account.title.text == "Renewal is now scoped to the row's node"
    assert [each.text for each in account.statements if each.section == "evidence"] == [evidence]


def test_a_title_is_not_cut_inside_a_quotation() -> None:
    text = (
        'Changed the title of the window in `ViewWordsView` from "Saved Words - English Learning Game" to another one'
        " that is shorter and fits"
    )
    whole = "Changed the title of the window in `ViewWordsView`"
    assert account_of(text).title.text == whole


HOLLOW = (
    "The code is now complete and ready for production.", "All requested changes have been successfully implemented.",
    "Los cambios en la tabla se han aplicado correctamente.", "Here's what I changed in the cart",
    "Verifying all instances are fixed in the cart", "Once all types are fixed, uncomment the check in the hook",
    "We've made substantial progress in improving the cart.",
)  # fmt: skip


@together("text", HOLLOW)
def test_praise_and_instructions_are_no_account(text: str) -> None:
    assert account_of(text).title.text == ""


@together(
    ("text", "title"),
    [
        ("## ✅ **FONDO SUAVE DEL CARRITO IMPLEMENTADO**", "Fondo suave del carrito implementado"),
        ("Based on the plan in TODO.md, I've added a retry to `fetch_cart`.", "Added a retry to `fetch_cart`"),
        ("I've added a cache to the cart, including:", "Added a cache to the cart"),
    ],
)
def test_a_title_is_whole_and_names_the_work(text: str, title: str) -> None:
    assert account_of(text).title.text == title


def test_a_spanish_all_is_no_open_end() -> None:
    (statement,) = account_of("He cambiado todo el carrito a centavos enteros en `cart.py`.").statements
    assert statement.section == "change"


@together(
    ("text", "expected"),
    [
        ("Now let's run the tests of the cart:", True), ("Fixed it.\n\nCancelled\n", True), ("Done.", False),
        ("I rounded the cart. Let me know if you need more.", False), ("", False),
    ],
)  # fmt: skip
def test_a_run_that_ends_in_an_announcement_has_not_concluded(text: str, expected: bool) -> None:
    assert announces_more(text) is expected


@together(
    "text",
    (
        "Nothing is pending.", "Sin cambios pendientes", "Keine offenen Punkte.", "Updated: `config.test.js`",
        "Updated README.md", "Created commit: `5c33685`", "Added remote: `origin -> https://example.org/shop.git`",
        "¡El commit del merge ha sido recargado exitosamente!", "Implemented the plan end-to-end.",
        "Because your plist is already installed, reload it.",
    ),
)  # fmt: skip
def test_bare_updates_and_reports_that_nothing_is_open_are_no_account(text: str) -> None:
    assert account_of(text).statements == ()


def test_a_command_that_passed_is_evidence_and_a_size_on_the_screen_is_not() -> None:
    account = account_of("- `npm test` passed (10/10)\n- Altura de fila aumentada: De 25px a 35px en la tabla")
    assert [(statement.section, statement.text) for statement in account.statements] == [
        ("evidence", "`npm test` passed (10/10)")
    ]


def test_a_title_is_plain() -> None:
    assert account_of("¡He agregado el botón de ayuda a la página exitosamente!").title.text == (
        "Agregado el botón de ayuda a la página"
    )


@together(
    "text",
    (
        "- Création de nœuds en double-cliquant", "Utiliser le script que j'ai créé : `./talk.sh`",
        "Les fonctionnalités que nous avons implémentées", "Tous les essais ci-dessus ont été tentés",
        "## Problem\n- `unknown` → shows the first 20 lines of the error", "L'unification du parsing est terminée !",
    ),
)  # fmt: skip
def test_features_infinitives_and_tables_in_words_are_no_account(text: str) -> None:
    assert account_of(text).statements == ()


@together(
    ("text", "request", "title"),
    [
        (
            (
                "The exports are clean again.\n\n1. Added the class `exporting` to the container of `Canvas.tsx`\n"
                "2. The PDF export now hides the mini map and the attribution"
            ),
            "the mini map is still in the pdf export",
            "The PDF export now hides the mini map and the attribution",
        ),
        (
            "- Added `_type_info` to gather metadata in `fallback.py`\n\nI've completed the metadata fallback.",
            "go on with task 4, the metadata fallback",
            "Completed the metadata fallback",
        ),
        ("L'application est maintenant prête. La carte est maintenant centrée sur le nœud choisi.", "",
         "La carte est maintenant centrée sur le nœud choisi"),
        ("Ahora la ventana de ventas se abre con el tamaño correcto.", "la ventana se corta",
         "Ahora la ventana de ventas se abre con el tamaño correcto"),
        ("I found that there's an import in the policies route. The mails now use the PDF processor.", "use a PDF",
         "The mails now use the PDF processor"),
        ("Removed the retry from `mail/__init__.py` and **every** caller.", "",
         "Removed the retry from `mail/__init__.py` and every caller"),
        (
            (
                "- Merged `youcom.py` into `you.py`\n- Updated the imports of the engines\n"
                "- Added an alias for the class of `youcom.py`"
            ),
            "we should only have you.py, not youcom.py",
            "Merged `youcom.py` into `you.py`",
        ),
        ("The previous output shows that the mail was added. Changed the sender of the mail to the shop's address.", "",
         "Changed the sender of the mail to the shop's address"),
        ("converted = self._convert_result(raw)\n\nChanged the limit of results in `brave.py` to the given number.", "",
         "Changed the limit of results in `brave.py` to the given number"),
        ("## 修改总结\n太好了，我已经完成了对管理端订单管理和用户管理模块的修改，使它们能够使用后端API。", "",
         "完成了对管理端订单管理和用户管理模块的修改，使它们能够使用后端API"),
        ("Updated `map_poly`. Moved the limits of the axis below the plot of the map.", "",
         "Moved the limits of the axis below the plot of the map"),
        ("Fonctionnalité implémentée\n\nJ'ai ajouté un filtre de dates qui devrait réduire la liste.", "",
         "Ajouté un filtre de dates qui devrait réduire la liste"),
    ],
)  # fmt: skip
def test_a_title_names_the_work_and_not_a_part_of_it(text: str, request: str, title: str) -> None:
    assert account_of(text, ["canvas", "export", "contain"], query_terms(request)).title.text == title


def test_a_heading_that_states_what_was_done_is_a_statement_and_the_title_counts_most() -> None:
    text = "## Added a model catalog to the backend\n- Kept the old routing shapes\n- Added an endpoint to the API list"
    statements = account_of(text).statements
    assert statements[0].text == "Added a model catalog to the backend"
    assert max(statements, key=lambda statement: statement.score) == statements[0]


@together(
    "sentence",
    (
        "I test passano tutti.", "Todos los tests pasan.", "Los tests están en verde.", "Tous les tests passent.",
        "Os testes passam.", "De tests slagen.", "テストはすべてグリーンです。", "全テスト合格です。",
        "14件のテストはすべて通ります。",
    ),
)  # fmt: skip
def test_passing_tests_without_a_number_are_evidence(sentence: str) -> None:
    sections = [each.section for each in account_of(f"The till was wrong.\n\n{sentence}").statements]
    assert sections[-1:] == ["evidence"]


def test_a_portuguese_label_of_what_is_open_is_no_part_of_it() -> None:
    account = account_of("Somei o total do carrinho em `till/totals.py`. Pendente: a impressora ainda soma sozinha.")
    assert account.statements[-1].text == "A impressora ainda soma sozinha."


@together(
    ("sentence", "is_change"),
    [
        ("Ho aggiunto una somma corrente in `till/totals.py`.", True),
        ("Abbiamo rimosso la cache dei prezzi in `till/totals.py`.", True),
        ("Ho risolto il calcolo dei prezzi in `till/totals.py`.", True),
        ("Ho tolto il secondo sconto dai prezzi.", True),
        ("Ho questo dubbio sui prezzi in `till/totals.py`.", False),
        ("Ho molto lavoro con i prezzi in `till/totals.py`.", False),
    ],
)
def test_an_italian_participle_states_a_change(sentence: str, is_change: bool) -> None:
    assert [each.section for each in account_of(sentence).statements] == ["change"] * is_change


def test_a_share_of_passing_tests_is_evidence() -> None:
    (evidence,) = account_of("Ran the full suite: `18/18` passing.").statements
    assert evidence.section == "evidence"


def test_a_heading_is_not_listed_beside_the_sentences_below_it() -> None:
    text = "### Flow implemented\n\nMoved the discount of the cart into `orders.py`.\n"
    assert [statement.text for statement in account_of(text).statements] == [
        "Moved the discount of the cart into `orders.py`."
    ]


@together(
    "text",
    (
        "This will help us see where the cart fails.", "これは、ラベルを追加し忘れていたためです。",
        "这些修改确保了系统能够正确请求后端，解决了之前的错误。", "Read file: src/lib/models/cart.ts was empty",
    ),
)  # fmt: skip
def test_a_sentence_about_an_earlier_one_is_no_account(text: str) -> None:
    assert account_of(f"### Cause\n\n{text}").statements == ()


def test_a_remedy_below_a_problem_is_not_the_problem() -> None:
    text = "### Problem\n\n- The title was empty in the list of orders.\n- Empty titles are no longer stored as null.\n"
    assert [statement.text for statement in account_of(text).statements] == [
        "The title was empty in the list of orders."
    ]


def test_a_quoted_mark_and_a_change_are_no_open_ends() -> None:
    text = 'Changed the text of the button from "Generate TODO" to another one.'
    assert [statement.section for statement in account_of(text).statements] == ["change"]
    text = "### Remaining\n\n- `cart.test.ts`: Fixed the interface of the cart\n- 修复购物车的折扣计算\n"
    assert [statement.section for statement in account_of(text).statements] == ["change", "open"]


WHOLE = {
    "Moved the discount of the cart into `orders.py`.": True,
    "Now I've moved the discount of the cart into orders.": True,
    "The discount of the cart now uses whole cents.": True,
    "Fixed all the issues of the discount in the cart.": False,
    "Implemented several features of the cart's discount.": False,
    "The discount of the cart is ready.": False,
    "Created the component for you in the cart.": False,
    "Renamed the sender of the mails.": False,
}


@together("text", WHOLE)
def test_a_title_names_the_whole_if_it_names_what_the_request_names(text: str) -> None:
    request = query_terms("the discount of the cart must be rounded once")
    assert account_of(text, (), request).title.names_whole is WHOLE[text]


def test_after_a_request_without_words_a_sentence_names_the_whole_and_an_item_does_not() -> None:
    text = "Moved the discount of the cart into the orders."
    assert account_of(text, (), query_terms("go on")).title.names_whole
    assert not account_of(f"- {text}", (), query_terms("go on")).title.names_whole


def test_a_long_title_is_cut_at_a_clause() -> None:
    text = (
        "Replaced the components of the old library with the components of the new library"
        " and created a new hook that handles the widths of all screens."
    )
    assert account_of(text).title.text == (
        "Replaced the components of the old library with the components of the new library and created a new hook"
    )


@together(
    ("text", "title"),
    (
        (
            "I added `stripPort` to gin.go and call it in `read.go`, so that brackets are removed before parsing.",
            "Added `stripPort` to gin.go, so that brackets are removed before parsing",
        ),
        ("I moved the discount into a helper and now use it for all orders.", "Moved the discount into a helper"),
        (
            "I moved the discount into a helper and used it for all orders.",
            "Moved the discount into a helper and used it for all orders",
        ),
        (
            "I added a helper and call sites that pass it the discount.",
            "Added a helper and call sites that pass it the discount",
        ),
        ("Functions of the shop load the discount and call it.", "Functions of the shop load the discount and call it"),
        ("I am now adding a discount to the cart.", "Adding a discount to the cart"),
        ("Migrations now run in a single transaction.", "Migrations now run in a single transaction"),
    ),
)
def test_a_title_has_no_clause_in_the_present_after_what_was_done(text: str, title: str) -> None:
    assert title_text(text) == title


SUMMARY = """I've added a soft logout to the session menu. Here's what was done:

1. **Session menu**: Offers a soft and a full logout to users
   - Keeps the draft of the form
2. **Expiry warning**: Shows a dialog two minutes before the end

The dialog looks much more professional now.

- Press the button to see the dialog of the session
"""


def test_a_sentence_that_opens_a_list_names_the_work_and_its_items_are_its_parts() -> None:
    account = account_of(SUMMARY, (), query_terms("add a soft logout for users whose session ends"))
    assert account.title.text == "Added a soft logout to the session menu"
    assert account.title.names_whole
    assert [statement.text for statement in account.statements] == [
        "I've added a soft logout to the session menu.",
        "Session menu: Offers a soft and a full logout to users",
        "Expiry warning: Shows a dialog two minutes before the end",
    ]


def test_an_item_or_a_sentence_below_several_headings_is_a_part_of_the_work() -> None:
    request = query_terms("implement the discount of the cart and the coupons")
    assert not account_of("1. Moved the discount of the cart into orders.", (), request).title.names_whole
    sections = (
        "## Summary\n\n### Mails\n\n- Sent in batches\n\n### Cart\n\nMoved the discount of the cart:\n\n- In orders\n"
    )
    assert not account_of(sections, (), request).title.names_whole


def test_what_precedes_an_announced_step_is_no_account() -> None:
    step = "Fixed the import of the cart. Let me run the tests of it:"
    text = f"{step}\n\n---\n\nMoved the discount of the cart into orders."
    assert [statement.text for statement in account_of(text).statements] == [
        "Moved the discount of the cart into orders."
    ]


def test_a_reason_without_a_label_belongs_to_a_change_of_its_paragraph() -> None:
    reason = "The sums were wrong because of a float."
    change = "Moved the discount of the cart into orders."
    assert [each.section for each in account_of(f"{change} {reason}").statements] == ["change", "cause"]
    assert [each.section for each in account_of(f"{reason}\n\n{change}").statements] == ["change"]


@together(
    "text",
    (
        "Added a module to the cart that implements:", "// moved the discount of the cart into orders",
        "[INFO] Moved the discount of the cart into orders", "La fórmula corregida del descuento ahora es:",
        "The cart now looks much more professional.", "现在页面更加美观和简洁了。",
        'Ahora cuando abras la ventana "Cart", el título mostrará el descuento del carrito.',
        "カートの割引を更新しましたが、2つのLinterエラーが発生しました。",
    ),
)  # fmt: skip
def test_half_sentences_code_and_praise_do_not_name_the_work(text: str) -> None:
    assert not account_of(text).title.names_whole


@together(
    "text",
    (
        "I've implemented tasks T019-T021 of the cart's plan.", "I've fixed three issues of the cart's discount.",
        "I've optimized both components of the cart.", "I've implemented a solution for the cart's discount.",
        "Ich habe `cart.py` aktualisiert.", "我已经完成了所有要求的购物车修改。",
    ),
)  # fmt: skip
def test_numbers_of_tasks_and_counts_do_not_name_the_work(text: str) -> None:
    assert not account_of(text, (), query_terms("the discount of the cart must be rounded")).title.names_whole


def test_a_title_addresses_nobody() -> None:
    text = "I've fixed the expired discount of your cart, as you requested."
    assert account_of(text).title.text == "Fixed the expired discount of the cart"


PARTS = """## Summary

### Task 12: Discounts

I've moved the discount of the cart into the orders.

- `cart.py`: without the discount
- `orders.py`: with it

### Task 13: Coupons

Added a table of coupons to the orders.
"""


def test_a_sentence_below_a_numbered_part_does_not_name_the_whole() -> None:
    request = query_terms("implement the discount of the cart and the coupons")
    assert not account_of(PARTS, (), request).title.names_whole
    single = PARTS.partition("### Task 13")[0].removeprefix("## Summary\n")
    assert account_of(single, (), request).title.names_whole


@together(
    "text",
    (
        "I've updated all the specified documents of the cart.", "I've simplified the entire approach of the cart.",
        "I've completed a cleanup of the cart and the orders.", "I've created a foundation for the cart's discount.",
        "I've implemented fixes to address the cart's discount.", "Added to the index page of the cart.",
        "成功修复了购物车系统中的所有关键错误。", "已解决了购物车的主要问题。",
        "`cart.py` を更新しましたが、2つのエラーが発生しました。",
        "Unit tests have been created and executed for the cart.",
        "I've rewritten the TODO.md file with a plan for the discount of the cart.",
        "I've created notes on the discount of the cart from today's session.",
    ),
)  # fmt: skip
def test_a_title_that_names_no_object_of_its_own_does_not_name_the_work(text: str) -> None:
    assert not account_of(text, (), query_terms("the discount of the cart must be rounded")).title.names_whole


def test_the_name_of_a_file_alone_is_no_title() -> None:
    text = "Everything passes. Here's a summary of the changes:\n\n" + "\n\n".join(
        f"**`frontend/src/components/{name}.tsx`** - Added `countClassName` to `TabItem` interface and applied it to"
        " the count of every tab."
        for name in ("Tabs", "Cart")
    )
    assert account_of(text, query_terms("components/Tabs.tsx countClassName TabItem")).title.text == ""


def test_a_title_is_not_cut_between_two_adjectives() -> None:
    text = (
        "I've moved the confirmation mails of the shop from the old sender to the new service with a beautiful,"
        " responsive and modern template for customers and suppliers."
    )
    title = account_of(text).title.text
    assert title.startswith("Moved the confirmation mails of the shop")
    assert not title.endswith("beautiful")


@together(
    ("text", "title"),
    (
        ("I've added a soft logout to the menu as specified in the plan.", "Added a soft logout to the menu"),
        ("I've created a list of the cart's coupons for you.", "Created a list of the cart's coupons"),
        ("He ordenado los pedidos de la tienda según lo solicitaste.", "Ordenado los pedidos de la tienda"),
    ),
)
def test_a_title_ends_before_it_points_to_the_request(text: str, title: str) -> None:
    assert account_of(text).title.text == title


NEXT_STEPS = """Fixed the size of the captions.

## Next steps

1. **A page for the captions**:
   - Buttons that change the size of a caption
2. Deploy the captions to the server

After the next upload of a video by one of the users, the captions of it should now:

- Appear larger than before on every screen

The player handles all the captions of a video.
"""


def test_an_open_end_is_a_step_and_no_part_of_it_and_nothing_expected() -> None:
    account = account_of(NEXT_STEPS)
    assert [statement.text for statement in account.statements if statement.section == "open"] == [
        "Deploy the captions to the server"
    ]


@together(
    "text",
    (
        "## Problem\n\nNo more negative offsets thanks to the guard.", "## 問題\n\n改进错误处理：没有错误时不再提示。",
        "## Diagnostics\n\nRich context on failed tests of the cart.",
        "Added a log. It helps to see if the issue is with the cart.",
    ),
)  # fmt: skip
def test_a_remedy_or_a_tool_is_neither_a_problem_nor_a_cause(text: str) -> None:
    assert {statement.section for statement in account_of(text).statements} <= {"change"}


def test_an_item_that_leaves_its_object_to_nested_items_is_completed_by_them() -> None:
    text = (
        "I've added a soft logout to the session menu:\n\n1. Created three screens for the logout:\n   - A warning\n"
        "   - A question about drafts\n2. Moved the timer:\n   - Removed the old one from the page\n"
    )
    statements = [statement.text for statement in account_of(text).statements]
    assert "Created three screens for the logout: A warning; A question about drafts" in statements
    assert not any(text.startswith("Moved the timer:") for text in statements)


def test_what_is_planned_for_later_is_no_part_of_the_work() -> None:
    text = (
        "I've completed the mails of the shop. Once you send the key, I will:\n\n- Replace the placeholder of the key"
    )
    assert [statement.text for statement in account_of(text).statements] == ["I've completed the mails of the shop."]


@together(
    ("text", "title"),
    (
        ("With that, we have completed the first page of the shop.", "Completed the first page of the shop"),
        ("Успешно исправил расчёт скидки в корзине согласно вашим требованиям.", "Исправил расчёт скидки в корзине"),
        ("我已經完成了購物車折扣按鈕功能的添加，讓我解釋一下所做的更改：", "完成了購物車折扣按鈕功能的添加"),
        ("Я вижу, что платёж был создан, но статус остался прежним.", ""),
        ("Теперь давайте создадим скрипт для оплаты заказов в магазине.", ""),
    ),
)
def test_a_title_begins_and_ends_with_the_work(text: str, title: str) -> None:
    assert account_of(text).title.text == title


def test_critical_problems_without_a_name_are_no_title() -> None:
    text = "Исправил 4 критические проблемы в корзине магазина."
    assert not account_of(text, (), query_terms("исправь проблемы в корзине магазина")).title.names_whole


PROGRESS = """I've completed subtask 9.3: roles for the members of the shop.

- Task 9.3 "Roles for the members" has been completed successfully
- Added a table of roles with three levels of access
- Moved the check of a role into the router
- Renamed the guest to visitor in the whole shop
- Updated `docs/tasks.md` with the roles
- The roles are ready for the next subtask, which adds the teams
"""


def test_a_part_that_is_only_ready_is_no_part_of_the_work() -> None:
    text = "I've moved the cart to blocks:\n\n- DiscountBlock - Ready to test\n- Added the block of sums"
    assert [statement.text for statement in account_of(text).statements][1:] == ["Added the block of sums"]


def test_the_progress_of_tasks_is_left_out_and_documents_beside_real_changes() -> None:
    assert [statement.text for statement in account_of(PROGRESS).statements] == [
        "I've completed subtask 9.3: roles for the members of the shop.",
        "Added a table of roles with three levels of access",
        "Moved the check of a role into the router",
        "Renamed the guest to visitor in the whole shop",
    ]
    assert [
        statement.text for statement in account_of("Moved the mails.\n- Updated `docs/tasks.md` with them").statements
    ] == ["Moved the mails.", "Updated `docs/tasks.md` with them"]


@together(
    "text",
    (
        "The logs of the cart now include:", "Overall, we've made the following improvements:",
        "Navigate to the settings of the cart and its secrets.", "Consider using the form of the cart for the fields.",
        "## Setup required\n\nSet the permissions of the cart to edit.",
        "The parser of the cart is now fully operational and ready.",
    ),
)  # fmt: skip
def test_a_lead_in_an_instruction_and_praise_state_nothing(text: str) -> None:
    assert account_of(text).statements == ()


EXPLAINED = {
    "de": "Die Summe verlor einen Cent, weil `hours` beim Drucken abgeschnitten wird. Ich runde jetzt jede Buchung in "
    "`booking/money.py`, damit Export und Ausdruck übereinstimmen. 14 Tests laufen durch; der Export dauert 0,8 s.",
    "en": "The total lost a cent because `hours` was truncated when it was printed. I round each booking now in "
    "`booking/money.py`, so that the export and the invoice agree. 14 tests pass; the export takes 0.8 s.",
    "es": "El total perdía un céntimo porque `hours` se truncaba al imprimir. Ahora redondeo cada reserva en "
    "`booking/money.py` para que la exportación y la factura coincidan. Pasan 14 pruebas; exportar tarda 0,8 s.",
    "fr": "Le total perdait un centime parce que `hours` était tronqué à l’impression. J’arrondis maintenant chaque "
    "réservation dans `booking/money.py` afin que l’export et la facture concordent. 14 tests passent.",
    "it": "Il totale perdeva un centesimo perché `hours` veniva troncato in stampa. Ora arrotondo ogni prenotazione in "
    "`booking/money.py` affinché export e fattura coincidano. 14 test passano; l’export richiede 0,8 s.",
    "ja": "`hours` が印刷時に切り捨てられていたため、合計が1セントずれていました。`booking/money.py` で予約ごとに"
    "四捨五入するようにしました。14件のテストはすべて成功しました。",
    "nl": "Het totaal verloor een cent omdat `hours` bij het afdrukken werd afgekapt. Ik rond nu elke boeking af in "
    "`booking/money.py`, zodat de export en de factuur overeenkomen. 14 tests slagen; de export duurt 0,8 s.",
    "pt": "O total perdia um centavo porque `hours` era truncado na impressão. Agora arredondo cada reserva em "
    "`booking/money.py` para que a exportação e a fatura coincidam. 14 testes passam; exportar leva 0,8 s.",
    "ru": "Итог терял цент, потому что `hours` обрезалось при печати. Теперь я округляю каждое бронирование в "
    "`booking/money.py`, чтобы экспорт и счёт совпадали. 14 тестов проходят; экспорт занимает 0,8 с.",
    "zh": "合计少一分钱是因为 `hours` 在打印时被截断。现在在 `booking/money.py` 中对每个预订单独取整，"
    "以便导出与发票一致。14 个测试全部通过。",
}


@together("language", sorted(EXPLAINED))
def test_what_the_work_does_now_names_it_beside_a_cause_and_evidence(language: str) -> None:
    account = account_of(EXPLAINED[language], query_terms("booking money hours round"))
    assert [statement.section for statement in account.statements] == ["cause", "change", "evidence"]
    assert account.title.names_whole
    assert "`booking/money.py`" in account.title.text


@together(
    ("text", "section"),
    [
        ("Ursache: `hours` ist ein Float mit drei Stellen.", "cause"),
        ("**Cause:** `hours` is a float of three digits.", "cause"),
        ("原因：`hours` は三桁の浮動小数点数として保存される。", "cause"),
        ("未解決: PDF の書き出しは三桁のままです。", "open"),
        ("Still open: the PDF export of invoices rounds differently.", "open"),
    ],
)
def test_a_label_before_a_sentence_sorts_it(text: str, section: str) -> None:
    account = account_of(f"Moved the rounding of invoices into `money.py`.\n\n{text}", ())
    assert section in [statement.section for statement in account.statements]


@together(
    "text",
    [
        "I see now where the total goes wrong in `booking/money.py`.",
        "Now I need to round each booking in `booking/money.py`.",
        "Ich prüfe jetzt die Rundung in `booking/money.py`.",
        "Ahora necesito redondear cada reserva en `booking/money.py`.",
        "Теперь я проверю округление в `booking/money.py`.",
    ],
)
def test_what_comes_next_is_no_change(text: str) -> None:
    assert all(statement.section != "change" for statement in account_of(text, ()).statements)


def test_an_article_of_another_language_stays_in_a_title() -> None:
    account = account_of("Corrigi a exportação de faturas em `money.py`.", ())
    assert account.title.text == "Corrigi a exportação de faturas em `money.py`"

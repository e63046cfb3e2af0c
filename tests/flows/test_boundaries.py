"""A run that touches a boundary drafts one set of artifacts, whatever the wording."""

from functools import partial
from typing import Any

import pytest

from sidecar.capture.adr_draft import adr, decisions_of, with_conclusion
from sidecar.runs.artifact_provenance import Boundary, Statements
from tests.support.cases import together
from tests.support.conversation import Conversation, bash
from tests.support.repositories import Repository

PROMPT = "Let discounted_price round in the customer's currency"
CALLER = "from till.prices import discounted_price\n\n\ndef shown(cents):\n    return discounted_price(cents, 0)\n"
CHANGED = "def discounted_price(cents, percent, currency):\n    return cents * (100 - percent) // 100\n"
SAME = '"""Prices and discounts per customer."""\n\n\ndef discounted_price(cents, percent):\n    return round(cents)\n'


def drafted(conversation: Conversation, kind: str) -> list[Any]:
    params = {"projectPath": conversation.project_path, "type": kind}
    found = conversation.client.request("artifact/list", params)["artifacts"]
    return [conversation.artifact(artifact["id"]) for artifact in found]


def edits(conversation: Conversation, **files: str) -> list[dict[str, Any]]:
    return [conversation.edit(path, content) for path, content in files.items()]


def change(conversation: Conversation, content: str, **more: Any) -> Any:
    return conversation.turn(PROMPT, lambda: [conversation.edit("till/prices.py", content)], **more)


def test_a_changed_signature_with_importers_drafts_an_entry_and_a_decision_stub(
    conversation: Conversation, project: Repository
) -> None:
    other = "from till.prices import shown_price\n\n\ndef label(cents):\n    return shown_price(cents)\n"
    files = {"till/web.py": CALLER, "till/shelf.py": CALLER, "till/label.py": other, "examples/a.py": CALLER}
    before = project.commit(files)
    files = {"till/prices.py": CHANGED, "till/web.py": CALLER.replace("0)", "0, 'EUR')")}

    text = "The price is rounded in the customer's currency now. All 3 tests pass."
    turn = conversation.turn(PROMPT, partial(edits, conversation, **files), text=text, chatId="the-chat")

    assert sorted(artifact["type"] for artifact in turn["after"]["artifacts"]) == ["adr", "devlog"]
    (stub,), (entry,) = drafted(conversation, "adr"), drafted(conversation, "devlog")
    assert stub["body"] == (
        "# Changed contract: discounted_price\n\n"
        "Status: draft\n\n"
        "## Context\n\n"
        "Request: Let discounted_price round in the customer's currency\n\n"
        "The price is rounded in the customer's currency now.\n\n"
        "## Affected contracts\n\n"
        "- `till/prices.py`, which 3 files import:\n"
        "  - `def discounted_price(cents, percent)` → `def discounted_price(cents, percent, currency)`\n\n"
        "## Decision\n\n"
        "_Open._\n\n"
        "## Consequences\n\n"
        "- Changed together with `till/prices.py`: `till/web.py`\n"
        "- Not changed, although it uses `till/prices.py`: `examples/a.py`, `till/shelf.py`\n\n"
        "## Alternatives\n\n"
        "_Open._\n"
    )
    assert entry["event"] == stub["event"] == "boundaryTouched"
    assert "Boundary touched: `till/prices.py`, which 3 files import (`discounted_price`)." in entry["body"]
    for artifact in (stub, entry):
        assert artifact["provenance"]["runs"] == [turn["runId"]]
        assert (artifact["provenance"]["sessionId"], artifact["provenance"]["chatId"]) == ("session", "the-chat")
        assert artifact["provenance"]["startCommit"] == before
        assert artifact["provenance"]["taskFingerprint"]
    assert stub["provenance"]["files"] == ["till/prices.py"]


def test_below_the_top_importers_of_the_whole_repository_count(conversation: Conversation, project: Repository) -> None:
    project.commit({"web/shelf.py": CALLER, "web/till_prices.py": "import web\n\nprices = 1\n"})
    below = Conversation(conversation.client, project.path / "till")
    text = "The discounted price is rounded in the customer's currency now. All 3 tests pass."
    turn = below.turn(PROMPT, lambda: [below.edit("prices.py", CHANGED)], text=text)
    assert sorted(artifact["type"] for artifact in turn["after"]["artifacts"]) == ["adr", "devlog"]
    (stub,) = drafted(below, "adr")
    assert "- `prices.py`, which 1 file imports:" in stub["body"]
    assert "- Not changed, although it uses `prices.py`: `../web/shelf.py`" in stub["body"]


def test_a_reworded_change_yields_one_stub_even_after_it_was_discarded(
    conversation: Conversation, project: Repository
) -> None:
    project.commit({"till/web.py": CALLER})
    change(conversation, CHANGED)
    change(conversation, CHANGED + "# a note\n", text="Said quite differently: the signature grew by a currency.")
    (stub,) = drafted(conversation, "adr")
    conversation.decide("discard", stub["id"])
    other = Conversation(conversation.client, conversation.cwd, sub_chat_id="other")
    other.turn("Tidy up prices", lambda: [other.edit("till/prices.py", CHANGED + "# more\n")], session="other")

    assert [artifact["status"] for artifact in drafted(conversation, "adr")] == ["discarded"]


def test_a_task_extends_its_own_stub_until_the_user_accepts_it(conversation: Conversation, project: Repository) -> None:
    project.commit({"till/web.py": CALLER + "from till.cart import Cart\n"})
    change(conversation, CHANGED)
    cart = "class Cart:\n    def add_line(self, sku):\n        pass\n\n    def total(self):\n        pass\n"
    conversation.turn("and add_line too", lambda: [conversation.edit("till/cart.py", cart)])

    (stub,) = drafted(conversation, "adr")
    assert stub["title"] == "Changed contracts: Cart.add_line, discounted_price"
    assert "`def add_line(self, sku, quantity)` → `def add_line(self, sku)`" in stub["body"]
    conversation.decide("update", stub["id"], title="Prices know a currency")
    conversation.turn("go on", lambda: [conversation.edit("till/cart.py", "class Basket:\n    pass\n")])
    assert [artifact["title"] for artifact in drafted(conversation, "adr")].count("Prices know a currency") == 1
    assert len(drafted(conversation, "adr")) == 2


OTHER_TASK = "Print the name of the cashier on top of each receipt"


@pytest.mark.parametrize("prompt", ["Undo that", OTHER_TASK])
def test_a_stub_of_contracts_that_were_taken_back_is_discarded_whatever_the_task(
    conversation: Conversation, project: Repository, prompt: str
) -> None:
    plain = (project.path / "till/prices.py").read_text()
    project.commit({"till/web.py": CALLER, "till/label.py": CALLER.replace("discounted_price", "shown_price")})
    change(conversation, CHANGED)
    turn = conversation.turn(prompt, lambda: [conversation.edit("till/prices.py", plain)], text="It is undone.")
    (stub,) = drafted(conversation, "adr")
    assert stub["status"] == "discarded"
    assert {"id": stub["id"], "type": "adr", "status": "discarded"} in turn["after"]["artifacts"]
    change(conversation, CHANGED)
    assert sorted(each["status"] for each in drafted(conversation, "adr")) == ["discarded", "draft"]


@pytest.mark.parametrize("is_committed", [False, True])
def test_of_a_stub_that_was_taken_back_in_part_the_rest_stays(
    conversation: Conversation, project: Repository, *, is_committed: bool
) -> None:
    prices, cart = ((project.path / name).read_text() for name in ("till/prices.py", "till/cart.py"))
    project.commit({"till/web.py": CALLER + "from till.cart import Cart\n"})
    changed = {"till/prices.py": CHANGED, "till/cart.py": cart.replace("sku, quantity", "sku")}
    conversation.turn(PROMPT, partial(edits, conversation, **changed), text="Prices have a currency.")
    if is_committed:
        project.commit()
    conversation.turn(OTHER_TASK, lambda: [conversation.edit("till/prices.py", prices)], text="It is undone.")
    (stub,) = drafted(conversation, "adr")
    assert (stub["status"], stub["title"]) == ("draft", "Changed contract: Cart.add_line")
    assert f"\n\nRequest: {PROMPT}\n\nPrices have a currency.\n\n" in stub["body"]
    assert "discounted_price(" not in stub["body"]
    assert stub["provenance"]["files"] == ["till/cart.py"]


@pytest.mark.parametrize(
    ("left", "status"),
    [("    return cents * (100 - percent) // 10000\n", "draft"), ("    return cents\n", "discarded")],
)
def test_a_decision_outlives_its_contract_while_a_part_of_its_work_is_left(
    conversation: Conversation, project: Repository, left: str, status: str
) -> None:
    project.commit({"till/web.py": CALLER})
    head, body = "def discounted_price(cents, percent)", "    return cents * (100 - percent) // 10000\n"
    decision = "I decided to divide cents by ten thousand instead of a hundred because percents have two digits."
    change(conversation, f"{head.replace(')', ', currency)')}:\n{body}", text=decision)
    conversation.turn(
        "undo the currency", lambda: [conversation.edit("till/prices.py", f"{head}:\n{left}")], text="Done."
    )
    (stub,) = drafted(conversation, "adr")
    assert stub["status"] == status
    if status == "draft":
        assert stub["title"] == "Decided to divide cents by ten thousand"
        assert "## Affected contracts" not in stub["body"]
        assert f"## Decision\n\n{decision}\n\n" in stub["body"]


def test_changed_bodies_and_unimported_code_are_not_boundaries(conversation: Conversation, project: Repository) -> None:
    project.commit({"till/web.py": CALLER})
    change(conversation, SAME)
    receipt = "def print_receipt(cart, printer, copies):\n    pass\n"
    conversation.turn("Print copies of the receipt", lambda: [conversation.edit("till/receipt.py", receipt)])

    assert drafted(conversation, "adr") == []


def test_a_stated_decision_is_in_the_stub(conversation: Conversation, project: Repository) -> None:
    project.commit({"till/web.py": CALLER})
    statement = "I decided to pass the currency explicitly instead of a global, because a default would hide mistakes."
    report = "The root cause was the rounding of cents. The loop now uses `round` instead of `int`. All tests pass."
    change(conversation, CHANGED, text=f"{report}\n\n{statement}")

    (stub,) = drafted(conversation, "adr")
    assert stub["title"] == "Decided to pass the currency explicitly (`discounted_price`)"
    assert "\n\nThe root cause was the rounding of cents.\n\nReason: a default would hide mistakes\n\n" in stub["body"]
    assert f"## Decision\n\n{statement}\n\n" in stub["body"]
    assert stub["body"].endswith("## Alternatives\n\n- Not chosen: a global\n")


def test_the_first_decision_names_a_stub_over_all_of_its_runs(conversation: Conversation, project: Repository) -> None:
    project.commit({"till/web.py": CALLER})
    names = (
        "a currency instead of a global",
        "a Decimal instead of floats",
        "a mode instead of a flag",
        "a table instead",
    )
    for number, name in enumerate(names):
        text = f"I decided to pass {name} because of mistake {number}."
        change(conversation, CHANGED.replace("currency", f"currency, more_{number}"), text=text)
    (stub,) = drafted(conversation, "adr")
    assert stub["title"] == "Decided to pass a currency (`discounted_price`)"


def test_a_decision_about_something_named_elsewhere_names_no_stub(
    conversation: Conversation, project: Repository
) -> None:
    project.commit({"till/web.py": CALLER})
    text = "In `discounted_price`, instead of silently dropping currencies, they're now passed because tills differ."
    change(conversation, CHANGED, text=text)
    (stub,) = drafted(conversation, "adr")
    assert stub["title"] == "Changed contract: discounted_price"


FORM = "{title}\n\n**Which part has a bug?** till\n**What version?** 1.9\n\n### How does one see the bug?\n{problem}\n"


def test_the_request_of_a_stub_is_the_problem_in_the_form_of_an_issue(
    conversation: Conversation, project: Repository
) -> None:
    project.commit({"till/web.py": CALLER})
    title, problem = "Prices ignore the currency", "The till loses a cent of discounted_price when it is paid abroad."
    prompt = FORM.format(title=title, problem=problem)
    conversation.turn(prompt, lambda: [conversation.edit("till/prices.py", CHANGED)], text="The tests pass.")
    (stub,) = drafted(conversation, "adr")
    assert f"\n\nRequest: {title} {problem}\n\n" in stub["body"]


@pytest.mark.parametrize(
    ("prompt", "text", "decision", "alternative"),
    [
        (PROMPT, "I converted `discounted_price` from a global to an argument.",
         "I converted `discounted_price` from a global to an argument.", "- Not chosen: a global"),
        (PROMPT, "Added a currency to `discounted_price`, avoiding a global.",
         "Added a currency to `discounted_price`, avoiding a global.", "_Open._"),
        ("discounted_price takes a currency so that two tills can differ. Done?", "The tests pass.",
         "The user: “discounted_price takes a currency so that two tills can differ.”", "_Open._"),
        ("discounted_price should take a currency to be consistent with the till.", "The tests pass.",
         "The user: “discounted_price should take a currency to be consistent with the till.”", "_Open._"),
        (PROMPT, "Replaced a global of `discounted_price` with an argument:\n\n- the currency",
         "Replaced a global of `discounted_price` with an argument.", "- Not chosen: a global of `discounted_price`"),
        (PROMPT, "Corrected `discounted_price` so that it rounds.", "_Open._", "_Open._"),
        ("We do not need the customers' tariff, since all pay in euros.",
         "Dropped the tariff of the customers from `discounted_price`.",
         "The user: “We do not need the customers' tariff, since all pay in euros.”", "_Open._"),
        ("Use a queue so that orders wait. Then discounted_price", "The tests pass.", "_Open._", "_Open._"),
        (PROMPT, "Sorted the shelf so that new goods come first.", "_Open._", "_Open._"),
    ],
)  # fmt: skip
def test_what_is_stated_of_a_touched_contract_is_the_decision_if_it_has_a_reason(
    conversation: Conversation, project: Repository, prompt: str, text: str, decision: str, alternative: str
) -> None:
    project.commit({"till/web.py": CALLER})
    conversation.turn(prompt, lambda: [conversation.edit("till/prices.py", CHANGED)], text=text)
    (stub,) = drafted(conversation, "adr")
    assert f"## Decision\n\n{decision}\n\n" in stub["body"]
    assert stub["body"].endswith(f"## Alternatives\n\n{alternative}\n")


def test_a_stub_quotes_no_announced_step_and_no_pasted_lines_of_a_console(
    conversation: Conversation, project: Repository
) -> None:
    project.commit({"till/web.py": CALLER})
    prompt = "discounted_price fails in Safari\n🔍 prices.ts:45:13 cents: 0\n🔍 prices.ts:46:13 percent: null"
    text = "Now let's check the prices:"
    conversation.turn(prompt, lambda: [conversation.edit("till/prices.py", CHANGED)], text=text)
    (stub,) = drafted(conversation, "adr")
    assert "let's check" not in stub["body"]
    assert "45:13" not in stub["body"]


DECISIONS = (
    "Decidi usar o SQLite em vez do Redis porque a caixa não tem servidor.",
    "He decidido usar SQLite en lugar de Redis porque la caja no tiene servidor.",
    "J'ai choisi SQLite au lieu de Redis parce que la caisse n'a pas de serveur.",
    "Ich habe mich für SQLite statt Redis entschieden, weil die Kasse keinen Server hat.",
    "Ho scelto SQLite invece di Redis perché la cassa non ha un server.",
    "Ik heb gekozen voor SQLite in plaats van Redis omdat de kassa geen server heeft.",
    "Я решил хранить корзины в SQLite вместо Redis, потому что у кассы нет сервера.",
    "サーバーがないため、Redisの代わりにSQLiteを使うことに決めました。",
    "我们决定使用SQLite而不是Redis，因为收银台没有服务器。",
)


@together("sentence", DECISIONS)
def test_a_choice_is_split_into_reason_and_alternative_in_ten_languages(sentence: str) -> None:
    (decided,) = decisions_of(f"{sentence} ")
    draft = adr("", Statements(decided=(decided,)), (), ())
    assert "Redis" in draft.body.partition("## Alternatives")[2]
    assert "Reason: " in draft.body
    assert "SQLite" in draft.title


@together(
    ("statement", "purpose", "alternative"),
    [
        ("Ich habe ein Argument statt einer globalen Einstellung gewählt, damit ein Test beide nutzen kann.",
         "damit ein Test beide nutzen kann", "einer globalen Einstellung"),
        ("Elegí un argumento explícito en lugar de un ajuste global, para que una prueba use ambos.",
         "para que una prueba use ambos", "un ajuste global"),
        ("Ik koos een expliciet argument in plaats van een globale instelling, zodat een test beide kan gebruiken.",
         "zodat een test beide kan gebruiken", "een globale instelling"),
        ("J’ai choisi un argument explicite au lieu d’un réglage global, afin qu’un test utilise les deux.",
         "afin qu’un test utilise les deux", "un réglage global"),
        ("テストで両方使えるように、グローバル設定ではなく明示的な引数を選びました。",
         "テストで両方使えるように", "グローバル設定"),
        ("我选择了显式参数而不是全局设置，以便测试可以同时使用两者。", "以便测试可以同时使用两者", "全局设置"),
        ("In order to keep tests simple, I chose an explicit argument rather than a global setting.",
         "In order to keep tests simple", "a global setting"),
    ],
)  # fmt: skip
def test_a_choice_is_split_into_purpose_and_alternative(statement: str, purpose: str, alternative: str) -> None:
    body = adr("", with_conclusion(Statements(), statement), (), ()).body
    assert f"## Decision\n\n{statement}\n" in body
    assert f"## Consequences\n\n- Intended: {purpose}\n" in body
    assert f"## Alternatives\n\n- Not chosen: {alternative}\n" in body


@pytest.mark.parametrize(
    ("statement", "consequences"),
    [
        ("I decided to keep the totals in a table because callers read them after a restart.", "_Open._"),
        ("We chose to be compatible with Node 18, because two tills run it.", "_Open._"),
        ("I decided to keep the totals in a table to avoid a second count.", "- Intended: to avoid a second count"),
    ],
)
def test_what_was_chosen_is_not_its_purpose(statement: str, consequences: str) -> None:
    body = adr("", with_conclusion(Statements(), statement), (), ()).body
    assert f"## Consequences\n\n{consequences}\n" in body


def test_a_stated_consequence_of_a_choice_is_no_decision() -> None:
    choice = "I chose an explicit argument instead of a global setting."
    follows = "As a consequence every caller must pass it."
    body = adr("", with_conclusion(Statements(), f"{choice} {follows}"), (), ()).body
    assert f"## Decision\n\n{choice}\n\n## Consequences\n\n- {follows}\n" in body
    alone = with_conclusion(Statements(), f"The cart is empty at the start. {follows}")
    assert alone.decided == ()
    noted = with_conclusion(Statements(), "Done.", noted=(follows,))
    assert adr("", noted, (), ()).title == "As a consequence every caller must pass it"


def test_a_decision_occurs_once_in_its_record() -> None:
    decided = "I decided to keep the counts in a table because callers read them after a restart."
    draft = adr("", Statements(concluded=("The counts were lost.", decided), decided=(decided,)), (), ())
    assert draft.body.count(decided) == 1
    assert "The counts were lost." in draft.body


def test_a_quotation_that_is_left_out_of_the_request_is_marked() -> None:
    decided = Statements(decided=("We chose an error because a panic has no exit code.",))
    body = adr("fd panics with ' ' if the folder is gone", decided, (), ()).body
    assert "Request: fd panics with '…' if the folder is gone" in body


def test_a_stub_lists_sixteen_consequences_at_most() -> None:
    for files, listed in ((3, 6), (9, 16)):
        importers = ("src/changed.py", "src/other.py")
        boundaries = [
            Boundary(path=f"src/{number}.py", why="which others import", contracts=(), importers=importers)
            for number in range(files)
        ]
        draft = adr("", Statements(), boundaries, ["src/changed.py"])
        consequences = draft.body.partition("## Consequences")[2].partition("##")[0]
        assert consequences.count("\n- ") == listed


@together(
    "report",
    ("The list now uses `Footer.Group` instead of `Footer.Section`.", "One test was deliberately skipped.",
     "Should we use SQLite instead of Redis?", "I could have chosen SQLite because it needs no server."),
)  # fmt: skip
def test_a_report_a_question_or_a_possibility_is_no_decision(report: str) -> None:
    assert decisions_of(report) == []


@together(
    "sentence",
    [
        "We're going with a price cache because the database is too slow.",
        "Wir nehmen den Preis-Cache, weil die Datenbank zu langsam ist.",
        "Entscheidung: Preis-Cache im Speicher, weil die Datenbank zu langsam ist.",
        "Die Entscheidung fiel auf einen Preis-Cache, weil die Datenbank zu langsam ist.",
        "Wir verwenden SQLite statt Postgres, weil kein Server nötig ist.",
        "Décision : un cache des prix, parce que la base est trop lente.",
        "On prend SQLite pour le cache, parce qu'il ne faut aucun serveur.",
        "Decisión: una caché de precios en memoria porque la base de datos es lenta.",
        "Usamos SQLite en lugar de Postgres porque no hace falta un servidor.",
        "Decisão: um cache de preços em memória porque o banco é lento.",
        "Vamos usar SQLite em vez de Postgres porque não precisa de servidor.",
        "Decisione: una cache dei prezzi in memoria perché il database è lento.",
        "Usiamo SQLite invece di Postgres perché non serve un server.",
        "Besluit: een prijscache in het geheugen, omdat de database te traag is.",
        "We nemen SQLite voor de cache, omdat er geen server nodig is.",
        "Берём SQLite вместо Postgres, потому что сервер не нужен.",
        "決定：データベースが遅いため、価格のキャッシュをメモリに置く。",
        "决定：用内存价格缓存，因为数据库太慢。",
    ],
)
def test_a_choice_in_the_present_or_behind_its_label_is_a_decision(sentence: str) -> None:
    assert decisions_of(f"I changed the prices.\n\n{sentence}") == [sentence]


@together(
    "sentence",
    [
        "Ich nehme an, dass die Datenbank langsam ist, weil der Index fehlt.",
        "Wir nehmen die Datei nicht mit, weil sie generiert ist.",
        "Ich nehme den Test wieder raus, weil er flackert.",
        "Die Methode nimmt den ersten Eintrag, weil die Liste sortiert ist.",
        "Soll ich SQLite nehmen, weil kein Server nötig ist?",
        "Wir könnten SQLite nehmen, weil kein Server nötig ist.",
        "Je prends en compte la remise parce que le test échoue.",
        "We nemen aan dat de cache leeg is omdat de test faalt.",
        "Ik neem de wijziging mee omdat het klein is.",
        "Решение: добавил проверку, потому что список бывает пустым.",
        "这里选择第一个元素，因为列表已排序。",
    ],
)
def test_the_verb_of_a_choice_in_another_sense_is_no_decision(sentence: str) -> None:
    assert decisions_of(f"I changed the prices.\n\n{sentence}") == []


def test_a_boundary_committed_by_the_agent_is_detected(conversation: Conversation, project: Repository) -> None:
    project.commit({"till/web.py": CALLER})
    before = conversation.pre_run(PROMPT)
    parts = [conversation.edit("till/prices.py", CHANGED), bash("git commit -am prices", "")]
    project.commit()
    conversation.post_run(before, PROMPT, assistant={"parts": parts})

    assert len(drafted(conversation, "adr")) == 1


def test_a_boundary_that_others_changed_on_a_merged_branch_drafts_nothing(
    conversation: Conversation, project: Repository
) -> None:
    project.commit({"till/web.py": CALLER})
    project.git("checkout", "-qb", "other")
    project.commit({"till/prices.py": CHANGED})
    project.git("checkout", "-q", "-")
    before = conversation.pre_run("merge other into this branch")
    project.git("merge", "-q", "--no-ff", "--no-edit", "other")
    conversation.post_run(before, assistant={"parts": [bash("git merge --no-ff --no-edit other", "")]})

    assert drafted(conversation, "adr") == []


BOTH = "def discounted_price(cents, percent):\n    return cents\n\n\ndef shown_price(cents):\n    return str(cents)\n"
THEIRS = BOTH.replace("percent)", "percent, currency)").replace("shown_price(cents)", "shown_price(cents, locale)")
MIXED = THEIRS.replace("(cents, locale)", "(cents, unit, locale)")


@pytest.mark.parametrize(
    ("resolution", "is_committed", "contracts"),
    [
        (THEIRS, True, []),
        (THEIRS, False, []),
        (MIXED, True, ["`def shown_price(cents, unit)` → `def shown_price(cents, unit, locale)`"]),
        (MIXED, False, ["`def shown_price(cents, unit)` → `def shown_price(cents, unit, locale)`"]),
    ],
    ids=["their lines", "their lines in progress", "own lines", "own lines in progress"],
)
def test_of_a_merge_with_conflicts_only_what_the_agent_wrote_itself_is_a_boundary(
    conversation: Conversation, project: Repository, resolution: str, is_committed: bool, contracts: list[str]
) -> None:
    caller = CALLER + "\n\nfrom till.prices import shown_price\n\n\ndef label(cents):\n    return shown_price(cents)\n"
    schema = "paths:\n  /carts:\n    get: {}\n"
    project.commit({"till/web.py": caller, "till/prices.py": BOTH, "api/openapi.yaml": schema})
    project.git("checkout", "-qb", "other")
    project.commit({"till/prices.py": THEIRS, "api/openapi.yaml": schema.replace("carts", "baskets")})
    project.git("checkout", "-q", "-")
    project.commit({"till/prices.py": BOTH.replace("shown_price(cents)", "shown_price(cents, unit)")})
    before = conversation.pre_run("merge other into this branch and resolve the conflicts")
    with pytest.raises(AssertionError, match="git merge"):
        project.git("merge", "-q", "--no-edit", "other")
    parts = [bash("git merge --no-edit other", "CONFLICT"), conversation.edit("till/prices.py", resolution)]
    if is_committed:
        project.git("commit", "-qam", "Merge other")
        parts.append(bash("git add -A && git commit -m 'Merge other'", ""))
    conversation.post_run(before, assistant={"parts": parts})

    stubs = drafted(conversation, "adr")
    assert [line.strip("- ") for stub in stubs for line in stub["body"].splitlines() if "→" in line] == contracts
    assert len(stubs) == bool(contracts)
    assert not any("openapi" in stub["body"] for stub in stubs)


def test_a_branch_that_the_agent_committed_to_and_merged_is_its_own_work(
    conversation: Conversation, project: Repository
) -> None:
    project.commit({"till/web.py": CALLER})
    before = conversation.pre_run(PROMPT)
    project.git("checkout", "-qb", "currency")
    parts = [bash("git checkout -b currency", ""), conversation.edit("till/prices.py", CHANGED)]
    project.commit()
    project.git("checkout", "-q", "-")
    project.git("merge", "-q", "--no-ff", "--no-edit", "currency")
    parts += [bash("git commit -am currency && git checkout -", ""), bash("git merge --no-ff currency", "")]
    conversation.post_run(before, PROMPT, assistant={"parts": parts})

    assert len(drafted(conversation, "adr")) == 1


def test_schemas_migrations_entry_points_and_configured_paths_are_boundaries(
    conversation: Conversation, project: Repository
) -> None:
    project.commit({
        "api/openapi.yaml": "# till\npaths:\n  /carts:\n    get: {}\n",
        "package.json": '{"name": "till", "version": "1.0.0", "main": "web/app.js"}\n',
        "ops/limits.txt": "rate 10\n",
    })  # fmt: skip
    conversation.client.request("settings/update", {"settings": {"capture": {"boundaries": ["ops/"]}}})
    files = {
        "api/openapi.yaml": "# the till\npaths:\n  /baskets:\n    get: {}\n",
        "db/migrations/0002_baskets.sql": "-- baskets\nCREATE TABLE baskets (id INTEGER);\n",
        "package.json": '{"name": "till", "version": "1.1.0", "main": "web/till.js"}\n',
        "ops/limits.txt": "rate 20\n",
        "web/migrations/3_editors.php": "<?php\nuse DB;\nreturn new class {\n  DB::table('pages')->update([]);\n};\n",
        "web/migrations/4_none.php": "<?php\nuse Page;\nreturn new class extends Step {};\n",
    }
    conversation.turn("Call carts baskets", partial(edits, conversation, **files))

    (stub,) = drafted(conversation, "adr")
    assert (
        "- `api/openapi.yaml`, an API schema:\n  - removed: `/carts:`\n  - added: `/baskets:`\n"
        "- `db/migrations/0002_baskets.sql`, a database migration:\n"
        "  - added: `CREATE TABLE baskets (id INTEGER);`\n"
        "- `ops/limits.txt`, configured as a boundary\n"
        "- `package.json`, which declares the package's interface:\n  - `main`: `web/app.js` → `web/till.js`\n"
        "- `web/migrations/3_editors.php`, a database migration:\n  - added: `DB::table('pages')->update([]);`\n"
        "- `web/migrations/4_none.php`, a database migration:\n  - added: `return new class extends Step {};`\n"
    ) in stub["body"]


def test_moving_an_imported_module_and_its_importers_is_a_boundary(
    conversation: Conversation, project: Repository
) -> None:
    project.commit({"till/web.py": CALLER, "till/shelf.py": CALLER})
    before = conversation.pre_run("Move prices to a package of their own")
    project.git("mv", "till/prices.py", "till/pricing.py")
    project.git("mv", "till/shelf.py", "till/shelves.py")
    parts = [bash("git mv till/prices.py till/pricing.py && git mv till/shelf.py till/shelves.py", "")]
    for path in ("till/web.py", "till/shelves.py"):
        parts += [conversation.edit(path, CALLER.replace("till.prices", "till.pricing"))]
    conversation.post_run(before, assistant={"parts": parts})

    (stub,) = drafted(conversation, "adr")
    assert stub["title"] == "Moved contract: till/prices.py"
    assert "- `till/prices.py`, which 2 files import:\n  - the module moved to `till/pricing.py`\n" in stub["body"]
    assert "- Changed together with `till/prices.py`: `till/shelf.py`, `till/web.py`\n" in stub["body"]
    assert "Not changed" not in stub["body"]


def test_code_moved_to_a_new_file_is_reported_as_moved(conversation: Conversation, project: Repository) -> None:
    before = (project.path / "till/prices.py").read_text()
    project.commit({"till/web.py": CALLER})
    files = {"till/prices.py": '"""Nothing here any more."""\n', "till/discounts.py": before}

    conversation.turn(PROMPT, partial(edits, conversation, **files))

    (stub,) = drafted(conversation, "adr")
    assert "moved to `till/discounts.py`" in stub["body"]
    assert " removed" not in stub["body"]

"""The notes block through the RPC: the anchor asks for it, post-run reads and verifies it, the next session has it."""

from collections.abc import Callable
from typing import Any

import pytest

from sidecar.capture.check_notes_block import Work, without_retracted
from sidecar.core.terms import query_terms
from sidecar.language.notes_block import read_notes_block
from tests.support.cases import together
from tests.support.conversation import Conversation, bash, sent
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

HEADING = "Notes for next time:"


@pytest.fixture
def memories(active: MemorySidecar, project: Repository) -> Memories:
    """The memories of the till's repository; empty."""
    return Memories(active, project.path)


def reply(*lines: str) -> str:
    """Return an agent's reply that ends with notes."""
    return "\n".join(("I changed the cart.", "", HEADING, *(f"- {line}" for line in lines)))


def stored(memories: Memories) -> list[Any]:
    """Return all memories in full, after what waits is captured."""
    memories.ask("capture", sessionId="none", text="Nothing.")
    return [memories.ask("get", id=memory["id"]) for memory in memories.ask("list")["memories"]]


def test_the_anchor_of_an_active_session_asks_for_notes_once(conversation: Conversation) -> None:
    first = conversation.turn("Explain till/cart.py.")
    text = sent(first)
    start = text.index("Notes block (requested by the app")
    request = text[start : text.index("not in the repository>", start)]
    assert len(request.encode()) <= 500
    assert "when, and only when" in request
    assert text.count(HEADING) == 1
    assert "no longer:" not in sent(conversation.pre_run("And till/prices.py?"))


def test_a_rule_with_the_users_own_correction_is_the_users(conversation: Conversation, memories: Memories) -> None:
    prompt = "in notebooks: never commit big outputs, and always clear execution_count? no - keep execution_count"
    rule = "In notebooks never commit big outputs; keep execution_count"
    conversation.turn(prompt, text=reply(f"Rule: {rule}"))
    assert [(memory["text"], memory["author"]) for memory in stored(memories)] == [(rule, "user")]


@together(
    ("words", "left"),
    [
        ("in web/: no tabs, and clear the cache? no - keep it, only log", "in web/: no tabs. keep it, only log"),
        ("Use tabs. No, scrap that.", "No, scrap that."),
        ("Why is the cart empty, and slow? It works here.", "Why is the cart empty, and slow? It works here."),
        ("Should we use tabs? no, use spaces.", "Should we use tabs? no, use spaces."),
    ],
)
def test_what_the_user_takes_back_at_once_is_blanked(words: str, left: str) -> None:
    blanked = without_retracted(words)
    assert (" ".join(blanked.split()), len(blanked)) == (left, len(words))


def test_the_request_is_part_of_the_anchor_budget_and_can_be_switched_off(
    active: MemorySidecar, conversation: Conversation
) -> None:
    active.client.request("settings/update", {"settings": {"notes": False}})
    before = conversation.pre_run("Explain till/cart.py.")
    assert HEADING not in sent(before)
    prompt = "From now on amounts are printed with two decimals."
    after = conversation.post_run(before, prompt, assistant={"text": reply(f"Rule: {prompt}"), "parts": []})
    assert after["notesBlock"] is None


def test_a_rule_that_the_user_typed_reaches_the_next_session(
    conversation: Conversation, memories: Memories, project: Repository
) -> None:
    prompt = "Fix the total. And from now on use pnpm instead of npm in web/, the lockfile is pnpm's."
    text = reply("Rule: Use pnpm instead of npm in web/", "Rule: Always deploy on Fridays")
    after = conversation.turn(prompt, text=text)["after"]
    assert text[after["notesBlock"]["start"] : after["notesBlock"]["end"]].startswith(HEADING)
    rules = {memory["text"]: memory for memory in stored(memories)}
    assert rules["Use pnpm instead of npm in web/"]["author"] == "user"
    assert rules["Use pnpm instead of npm in web/"]["retention"] == "durable"
    assert rules["Always deploy on Fridays"]["author"] == "assistant"
    other = Conversation(conversation.client, project.path, sub_chat_id="other")
    anchor = sent(other.pre_run("Print the receipt twice."))
    section = anchor.partition("Standing instructions from the user:\n")[2].splitlines()
    assert section[0].startswith("- Use pnpm instead of npm in web/ (mem-")
    assert "Fridays" not in anchor


def test_a_rule_that_only_points_is_found_by_relevance_and_not_in_the_anchor(
    conversation: Conversation, memories: Memories, project: Repository
) -> None:
    prompt = "From now on: these strings should be in each engine's module. This project uses pnpm."
    rules = ("Rule: These strings should be in each engine's module", "Rule: This project uses pnpm")
    conversation.turn(prompt, text=reply(*rules))
    assert {memory["author"] for memory in stored(memories)} == {"user"}
    other = Conversation(conversation.client, project.path, sub_chat_id="other")
    anchor = other.pre_run("Print the receipt twice.")["system"]["text"]
    assert "This project uses pnpm" in anchor
    assert "These strings" not in anchor
    other.session_id = "next"
    assert "These strings" in sent(other.pre_run("Move the strings of the engine"))


def test_a_rule_of_two_words_lasts_if_the_users_words_do(conversation: Conversation, memories: Memories) -> None:
    conversation.turn("From now on use tabs. And sort the cart.", text=reply("Rule: Use tabs"))
    assert [(memory["text"], memory["retention"]) for memory in stored(memories)] == [("Use tabs", "durable")]


def test_a_rule_in_other_words_counts_as_a_repetition_of_the_known_one(
    conversation: Conversation, memories: Memories, project: Repository
) -> None:
    prompt = "From now on run pnpm lint before every commit, and fix the total."
    conversation.turn(prompt, text=reply("Rule: Run pnpm lint before every commit"))
    again = "Always run pnpm lint before you commit. Now the receipt."
    other = Conversation(conversation.client, project.path, sub_chat_id="other")
    after = other.turn(again, text=reply("Rule: Always run pnpm lint before you commit"))["after"]
    assert after["remembered"] == []
    rules = [memory for memory in stored(memories) if memory["author"] == "user"]
    assert [rule["text"] for rule in rules] == ["Run pnpm lint before every commit"]
    assert rules[0]["evidence"] == 2
    wider = "Always run pnpm lint and pnpm test before you commit"
    other.turn(f"{wider}. And the tax.", text=reply(f"Rule: {wider}"))
    assert wider in [memory["text"] for memory in stored(memories)]


def test_an_instruction_that_the_agent_of_another_session_notes_again_is_neither_new_nor_evidence(
    conversation: Conversation, memories: Memories, project: Repository
) -> None:
    conversation.turn("From now on always use yarn instead of npm.", text="Understood.")
    other = Conversation(conversation.client, project.path, sub_chat_id="other")
    echo = reply("Rule: Always use yarn instead of npm")
    assert other.turn("Add the tax.", session="another", text=echo)["after"]["remembered"] == []
    assert [(rule["author"], rule["evidence"]) for rule in stored(memories)] == [("user", 1)]
    other.turn("Add it.", text=reply("Rule: Run yarn lint before each commit"))
    assert [rule["author"] for rule in stored(memories)] == ["assistant", "user"]


def test_a_rule_may_rest_on_an_earlier_prompt_but_only_until_the_next_notes(
    conversation: Conversation, memories: Memories
) -> None:
    conversation.turn("Never print a receipt without the tax number.", text="Understood.")
    conversation.turn("Now sort the cart.", text=reply("Rule: Never print a receipt without the tax number"))
    conversation.turn("Sort it by price.", text=reply("Rule: Print a receipt with the tax number twice, always"))
    by_text = {memory["text"].rstrip("."): memory["author"] for memory in stored(memories)}
    assert by_text["Never print a receipt without the tax number"] == "user"
    assert by_text["Print a receipt with the tax number twice, always"] == "assistant"


def test_decisions_dropped_approaches_and_facts_become_notes_of_the_agent(
    conversation: Conversation, memories: Memories
) -> None:
    text = reply(
        "Decision: carts live in SQLite because the till has no server, instead of Redis",
        "Dropped: caching discounts per customer because prices change hourly",
        "Fact: the printer at the counter only knows code page 858",
    )
    conversation.turn("Store the carts.", text=text)
    notes = {(memory["type"], memory["author"], memory["text"]) for memory in stored(memories)}
    assert notes == {
        ("decision", "assistant", "carts live in SQLite because the till has no server, instead of Redis"),
        ("lesson", "assistant", "Dropped: caching discounts per customer because prices change hourly"),
        ("lesson", "assistant", "the printer at the counter only knows code page 858"),
    }


@pytest.mark.parametrize(
    ("typed", "fact", "stored_text", "prompt"),
    [
        (
            "fyi: on this machine there are no iOS simulators, only the macOS destination works",
            "no iOS simulators on this machine, only the macOS destination works",
            "no iOS simulators on this machine, only the macOS destination works",
            "Run the whole suite and tell me what is red.",
        ),
        (
            "I only have terraform 1.9 and no AWS credentials here so only fmt and validate, no plan",
            "terraform 1.9 and no AWS credentials here, only fmt and validate, no plan",
            "I only have terraform 1.9 and no AWS credentials here so only fmt and validate, no plan",
            "run terraform plan on examples/karpenter",
        ),
        (
            "docker isn't available here, use podman",
            "docker isn't available here, use podman",
            "docker isn't available here, use podman",
            "start the database container",
        ),
    ],
)
def test_a_fact_that_the_user_typed_is_one_memory_and_returns_when_it_is_needed(
    conversation: Conversation, memories: Memories, typed: str, fact: str, stored_text: str, prompt: str
) -> None:
    conversation.turn(typed, text=reply(f"Fact: {fact}"))
    assert [(memory["author"], memory["text"]) for memory in stored(memories)] == [("user", stored_text)]
    other = Conversation(conversation.client, conversation.cwd, sub_chat_id="other")
    assert stored_text.casefold() in sent(other.pre_run(prompt)).casefold()
    assert stored_text.casefold() not in sent(other.pre_run("Explain the discount.")).casefold()


def test_a_fact_that_the_user_did_not_type_stays_a_note_of_the_agent(
    conversation: Conversation, memories: Memories
) -> None:
    conversation.turn("Is docker installed here?", text=reply("Fact: docker isn't installed here"))
    conversation.turn("Always use podman here.", text=reply("Fact: the tests need port 5432"))
    notes = {memory["text"] for memory in stored(memories) if memory["author"] == "assistant"}
    assert notes == {"docker isn't installed here", "the tests need port 5432"}


def test_a_fact_about_the_tool_of_a_known_rule_is_no_repetition_of_the_rule(
    conversation: Conversation, memories: Memories
) -> None:
    conversation.turn("From now on use cargo nextest run instead of cargo test.")
    fact = "cargo nextest does not run doctests; cargo test --doc is needed for them"
    conversation.turn(
        "Fix the total.", text=reply(f"Fact: {fact}", "Fact: Use cargo nextest run instead of cargo test")
    )
    assert [memory["text"] for memory in stored(memories) if memory["author"] == "assistant"] == [fact]


def test_a_dropped_line_is_an_artifact_only_if_lines_went(conversation: Conversation) -> None:
    dropped = "Dropped: a nightly cron job for prices because the shop is offline at night, instead of a webhook"
    after = conversation.turn("Refresh the prices.", text=reply(dropped))["after"]
    assert after["artifacts"] == []
    other = Conversation(conversation.client, conversation.cwd, sub_chat_id="other")
    conversation.turn("Keep it simple.", text=reply("Dropped: model events for the editor because they are hidden"))
    assert "model events for the editor" in sent(other.pre_run("Add a model event that sets the slug.")).casefold()
    job = "def refresh_each_night():\n    return fetch_prices()\n"
    conversation.turn("Refresh the prices.", lambda: [conversation.edit("till/cron.py", job)], text="Added a cron job.")
    webhook = "def on_price_change(event):\n    return event\n"
    work = lambda: [conversation.edit("till/cron.py", webhook)]  # noqa: E731
    after = conversation.turn("go on", work, text=reply(dropped))["after"]
    (draft,) = [artifact for artifact in after["artifacts"] if artifact["type"] == "rejectedApproach"]
    body = conversation.artifact(draft["id"])["body"]
    assert "**Tried:** A nightly cron job for prices. In `till/cron.py`; reverted since." in body
    assert "**Why it failed:** The shop is offline at night." in body
    assert "**Instead:** A webhook." in body


PRICES = "def discounted_price(cents, percent):\n    return cents * (100 - percent) // 100\n"
TAX = "\n\ndef tax(cents):\n    return cents * 19 // 100\n\n\ndef with_tax(cents):\n    return cents + tax(cents)\n"
UNDO_TAX = "Undo the tax helpers, the accountant does it."


def replace(conversation: Conversation, old: str, new: str) -> list[dict[str, Any]]:
    """Edit the prices as an agent does and return the part that shows both sides."""
    target = conversation.cwd / "till/prices.py"
    before = target.read_text("utf-8")
    assert old in before
    target.write_text(before.replace(old, new), "utf-8")
    given = {"file_path": str(target), "old_string": old, "new_string": new}
    return [{"type": "tool-Edit", "toolCallId": "e", "state": "result", "input": given, "output": {}}]


def add_tax(conversation: Conversation) -> None:
    text = "Added tax helpers to the prices."
    conversation.turn("Add the tax", lambda: replace(conversation, PRICES, PRICES + TAX), text=text)


def rejected(conversation: Conversation) -> list[Any]:
    params = {"projectPath": conversation.project_path, "type": "rejectedApproach"}
    rows = conversation.client.request("artifact/list", params)["artifacts"]
    return [conversation.artifact(row["id"]) for row in rows]


@pytest.mark.parametrize(
    ("prompt", "dropped", "titles"),
    [
        ("go on", "a websocket feed because the proxy buffers it", []),
        ("go on", "a websocket feed for prices because the proxy buffers it", []),
        ("go on", "Redis for the tax because the till has no server", []),
        ("go on", "the tax helpers because the accountant does it", ["Tax helpers – the accountant does it"]),
        ("go on", "die Funktion `with_tax`, weil das Büro rechnet", ["Die Funktion `with_tax` – das Büro rechnet"]),
        ("go on", "`with_tax` の税関数。会計士が計算するため", ["`with_tax` の税関数 – 会計士が計算する"]),
        (
            UNDO_TAX,
            "a websocket feed because the proxy buffers it",
            ["Added tax helpers to the prices – Undo the tax helpers, the accountant does it"],
        ),
    ],
)
def test_a_dropped_line_takes_back_only_what_it_names(
    conversation: Conversation, prompt: str, dropped: str, titles: list[str]
) -> None:
    add_tax(conversation)
    conversation.turn(prompt, lambda: replace(conversation, TAX, ""), text=reply(f"Dropped: {dropped}"))
    notes = rejected(conversation)
    assert [note["title"] for note in notes] == titles
    assert all("In `till/prices.py`; reverted since." in note["body"] for note in notes)


def test_a_dropped_line_of_common_words_takes_back_what_the_account_of_the_work_names(
    conversation: Conversation, project: Repository
) -> None:
    work = lambda: replace(conversation, PRICES, f"{PRICES}\n\nfor price in []:\n    print(price)\n")  # noqa: E731
    conversation.turn("Print each price", work, text="Added a loop.")

    def check_out() -> list[dict[str, Any]]:
        project.write({"till/prices.py": PRICES})
        return [bash("git checkout -- .", "")]

    dropped = "Dropped: a loop in the prices because the till freezes"
    conversation.turn("Take the loop out again.", check_out, text=reply(dropped))
    assert [note["title"] for note in rejected(conversation)] == ["Loop in the prices – the till freezes"]


def test_a_dropped_line_leaves_the_other_accounts_of_the_run_as_they_are(conversation: Conversation) -> None:
    add_tax(conversation)
    bisect = "\n\ndef bisect_prices(prices):\n    low = 0\n    high = len(prices)\n    return low + high // 2\n"

    def work() -> list[dict[str, Any]]:
        steps = ((PRICES, PRICES + bisect), (bisect, ""), (TAX, ""))
        return [part for old, new in steps for part in replace(conversation, old, new)]

    conversation.turn(UNDO_TAX, work, text=reply("Dropped: `bisect_prices` because prices repeat"))
    assert {note["title"] for note in rejected(conversation)} == {
        "Added tax helpers to the prices – Undo the tax helpers, the accountant does it",
        "`bisect_prices` – prices repeat",
    }
    own = Conversation(conversation.client, conversation.cwd, sub_chat_id="own")
    add_tax(own)
    text = "I abandoned the tax helpers because amounts were wrong.\n\n" + reply("Dropped: a feed because it blocks")
    own.turn("go on", lambda: replace(own, TAX, ""), text=text)
    assert "Tax helpers – amounts were wrong" in {note["title"] for note in rejected(own)}


@pytest.mark.parametrize("by", ["run", "user"])
def test_a_dropped_line_may_name_lines_that_went_before_the_run(
    conversation: Conversation, project: Repository, by: str
) -> None:
    add_tax(conversation)
    if by == "user":
        project.write({"till/prices.py": PRICES})
    else:
        conversation.turn("Simplify it", lambda: replace(conversation, TAX, ""), text="The prices are simpler.")
    feed = reply("Dropped: a websocket feed because the proxy buffers it")
    assert conversation.turn("Why is it not live?", text=feed)["after"]["artifacts"] == []
    why = reply("Dropped: tax helpers in till/prices.py because the accountant does it")
    conversation.turn("Why were they taken out?", text=why)
    (note,) = rejected(conversation)
    assert note["title"] == "Tax helpers in till/prices.py – the accountant does it"
    conversation.turn("And why not here?", text=why.replace("tax helpers", "with_tax"))
    assert len(rejected(conversation)) == 1


def test_a_dropped_line_on_lines_that_were_only_reworked_is_a_memory_only(conversation: Conversation) -> None:
    add_tax(conversation)
    conversation.turn(
        "Round it", lambda: replace(conversation, "cents * 19 // 100", "round(cents * 0.19)"), text="Done."
    )
    conversation.turn("And why not live?", text=reply("Dropped: a tax service because it costs money"))
    assert rejected(conversation) == []


def test_a_decision_line_is_an_artifact_only_if_the_run_shows_it(conversation: Conversation) -> None:
    decision = "Decision: carts live in SQLite because the till has no server, instead of Redis"
    after = conversation.turn("Store the carts.", text=reply(decision))["after"]
    assert after["artifacts"] == []
    work = lambda: [conversation.edit("till/sqlite_carts.py", "import sqlite3\n")]  # noqa: E731
    after = conversation.turn("Store the carts.", work, text=reply(decision))["after"]
    (draft,) = after["artifacts"]
    stub = conversation.artifact(draft["id"])
    assert (stub["type"], stub["event"], stub["title"]) == ("adr", "decisionStated", "Carts live in SQLite")
    assert "Reason: the till has no server" in stub["body"]
    assert stub["body"].endswith("## Alternatives\n\n- Not chosen: Redis\n")
    again = conversation.turn(
        "go on", lambda: [conversation.edit("till/sqlite_carts.py", "x = 1\n")], text=reply(decision)
    )
    assert again["after"]["artifacts"] == []


STORE = "import sqlite3\n\n\ndef open_store(path):\n    return sqlite3.connect(path)\n"


@pytest.mark.parametrize(
    "decision",
    [
        "the store uses Postgres because of row locking, instead of SQLite",
        "the till's carts are kept in postgres because rows are locked, instead of sqlite",
        "the API of the store uses Postgres because rows are locked",
        "sqlite errors are hidden because users panic, instead of raising a sqlite3 error",
        "till receipts go out through Mailgun because SES is blocked, instead of SES",
        "der Speicher der Kasse liegt in Postgres, weil Zeilen gesperrt werden, statt in SQLite",
        "el almacén de la caja usa Postgres porque bloquea filas, en lugar de SQLite",
        "店のデータは Postgres に保存する。行をロックするため、SQLite ではなく",
    ],
)
def test_a_decision_that_the_changes_do_not_show_or_contradict_is_a_memory_only(
    conversation: Conversation, memories: Memories, decision: str
) -> None:
    text = reply(f"Decision: {decision}")
    after = conversation.turn("Store the carts.", lambda: [conversation.edit("till/store.py", STORE)], text=text)[
        "after"
    ]
    assert after["artifacts"] == []
    assert [memory["text"] for memory in stored(memories)] == [decision]


@together(
    ("decision", "is_shown"),
    [
        ("pass routing_method through fit_params because of introspection, instead of a new argument", True),
        ("routing_method geht durch fit_params, weil die Signatur geprüft wird, statt durch ein neues Argument", True),
        ("pass routing_method in fit_params because of introspection, instead of an argument of TypeError", False),
        ("pass routing_method in fit_params because of introspection, instead of redis", False),
        ("pass routing_method in fit_params because of introspection, instead of src/redis.py", False),
    ],
)
def test_only_names_of_its_alternative_contradict_a_decision(decision: str, is_shown: bool) -> None:
    code = 'fit_params["routing_method"] = redis\nraise TypeError("unknown argument")'
    terms = frozenset(query_terms(code))
    block = read_notes_block(reply(f"Decision: {decision}"))
    assert block is not None
    assert Work(terms, terms).shows(block.notes[0]) is is_shown


@together(
    ("decision", "is_shown"),
    [
        ("Entscheidung: Preise in einem Cache im Speicher halten, weil die Datenbank zu langsam ist", True),
        ("Décision : garder les prix dans un cache en mémoire parce que la base est trop lente", True),
        ("Decisión: guardar los precios en una caché en memoria porque la base de datos es lenta", True),
        ("Decisão: manter os preços num cache em memória porque o banco é lento demais", True),
        ("Decisione: tenere i prezzi in una cache in memoria perché il database è troppo lento", True),
        ("Besluit: de prijzen in een cache in het geheugen bewaren omdat de database te traag is", True),
        ("Решение: хранить цены в кэше в памяти, потому что база данных слишком медленная", True),
        ("決定：データベースが遅いため、価格をメモリのキャッシュに保存する", True),
        ("决定：把价格保存在内存缓存中，因为数据库太慢", True),
        ("Entscheidung: Wir zeichnen den Beleg mit einer Vektorschrift, weil der Drucker Pixel verwischt", False),
        ("Entscheidung: Die Warteschlange läuft in einem eigenen Prozess, weil der Versand sonst blockiert", False),
        ("Décision : le ticket est dessiné avec une police vectorielle parce que l'imprimante floute", False),
        ("Decisión: validar el correo del cliente en el formulario porque el servidor tarda", False),
        ("決定：プリンターがぼやけるため、レシートはベクターフォントで描画する", False),
        ("决定：用矢量字体绘制收据，因为打印机会模糊像素", False),
    ],
)
def test_a_decision_in_another_language_is_shown_by_english_code(decision: str, is_shown: bool) -> None:
    code = "class PriceCache:\n    def store_in_memory(self, sku, cents):\n        self.entries[sku] = cents\n"
    block = read_notes_block(reply(decision))
    assert block is not None
    assert Work(frozenset(query_terms(code))).shows(block.notes[0]) is is_shown


def test_a_decision_may_be_shown_by_lines_of_earlier_runs_that_are_still_there(
    conversation: Conversation, project: Repository
) -> None:
    decision = reply("Decision: carts live in SQLite because the till has no server, instead of Redis")
    conversation.turn("Store the carts.", lambda: [conversation.edit("till/store.py", STORE)], text="I added a store.")
    (draft,) = conversation.turn("Why this one?", text=decision)["after"]["artifacts"]
    assert conversation.artifact(draft["id"])["title"] == "Carts live in SQLite"
    other = Conversation(conversation.client, project.path, sub_chat_id="other")
    assert other.turn("Why is it stored there?", text=decision)["after"]["artifacts"] == []
    third = Conversation(conversation.client, project.path, sub_chat_id="third")
    third.turn("Store the rows.", lambda: [third.edit("till/rows.py", "import kafka\n")], text="I added rows.")
    project.write({"till/rows.py": "import json\n"})
    assert third.turn("Why?", text=decision.replace("SQLite", "Kafka"))["after"]["artifacts"] == []


@pytest.mark.parametrize(
    ("decision", "title"),
    [
        ("Entscheidung: SQLite für die Körbe, weil die Kasse keinen Server hat, statt Redis", "SQLite für die Körbe"),
        ("决定：购物车用 SQLite 保存，因为收银机没有服务器，而不是 Redis", "购物车用 SQLite 保存"),
    ],
)
def test_a_decision_that_only_a_new_files_text_shows_is_an_artifact(
    conversation: Conversation, decision: str, title: str
) -> None:
    def importing(library: str) -> Callable[[], list[dict[str, Any]]]:
        return lambda: [conversation.edit(f"till/{library}.py", f"import {library}\n")]

    after = conversation.turn("Store the carts.", importing("sqlite3"), text=reply(decision))["after"]
    (draft,) = after["artifacts"]
    assert conversation.artifact(draft["id"])["title"] == title
    redis = decision.replace("SQLite", "Kafka")
    assert conversation.turn("Store them.", importing("json"), text=reply(redis))["after"]["artifacts"] == []


@pytest.mark.parametrize(
    "prompt",
    [
        "Fix the total.\n\n```\nAlways use pnpm instead of npm in web/\n```",
        "Fix the total.\n\n> Always use pnpm instead of npm in web/",
        "/review always use pnpm instead of npm in web/",
        'What the reviewer wrote:\n"""\nAlways use pnpm instead of npm in web/\n"""\nWhat do you think?',
    ],
)
def test_pasted_and_expanded_text_supports_no_rule(conversation: Conversation, memories: Memories, prompt: str) -> None:
    conversation.turn(prompt, text=reply("Rule: Always use pnpm instead of npm in web/"))
    assert [memory["author"] for memory in stored(memories)] == ["assistant"]


@pytest.mark.parametrize(
    ("prompt", "rule"),
    [
        ("For this PR only: leave the docs alone.", "Leave the docs alone"),
        ("And don't migrate the tills of production today.", "Don't migrate the tills of production today"),
        ("Leave the receipts out just this once.", "Leave the receipts out"),
        ("Diesmal bitte keine Belege drucken.", "Keine Belege drucken"),
        ("Should we use tabs?", "Use tabs"),
    ],
)
def test_what_holds_for_one_task_is_not_remembered(
    conversation: Conversation, memories: Memories, prompt: str, rule: str
) -> None:
    conversation.turn(prompt, text=reply(f"Rule: {rule}"))
    assert stored(memories) == []


def test_what_the_user_takes_back_in_the_next_sentence_supports_no_rule(
    conversation: Conversation, memories: Memories
) -> None:
    prompt = "No semicolons in new files of web/ please. Wait, scrap that, Ann likes them. Sort the cart."
    conversation.turn(prompt, text=reply("Rule: No semicolons in new files of web/"))
    assert [memory["author"] for memory in stored(memories)] == ["assistant"]


def test_a_decision_record_lists_what_the_run_tried_and_dropped(
    conversation: Conversation, project: Repository
) -> None:
    caller = "from till.prices import discounted_price\n\n\ndef label():\n    return discounted_price(1, 0)\n"
    project.commit({f"till/{name}.py": caller for name in ("web", "shelf", "label")})
    code = "def discounted_price(cents, percent, currency):\n    return cents * (100 - percent) // 100\n"
    text = reply("Dropped: a global currency because two tills share the page")
    turn = conversation.turn("Add a currency", lambda: [conversation.edit("till/prices.py", code)], text=text)
    (draft,) = [row for row in turn["after"]["artifacts"] if row["type"] == "adr"]
    body = conversation.artifact(draft["id"])["body"]
    assert (
        "## Alternatives\n\n- Dropped, as the agent notes: a global currency because two tills share the page\n" in body
    )


def test_a_decision_on_how_to_work_is_an_unsupported_rule(conversation: Conversation, memories: Memories) -> None:
    text = reply("Decision: always run the benchmark before changing till/prices.py because performance matters")
    code = "def discounted_price(cents, percent):\n    return cents\n"
    after = conversation.turn("Speed it up", lambda: [conversation.edit("till/prices.py", code)], text=text)["after"]
    assert after["artifacts"] == []
    (note,) = stored(memories)
    assert (note["type"], note["author"]) == ("user_correction", "assistant")


def test_prompts_of_a_loop_support_no_rule(active: MemorySidecar, project: Repository, memories: Memories) -> None:
    loop = Conversation(active.client, project.path, sub_chat_id="ralph:till")
    loop.turn("Always use pnpm in web/.", text=reply("Rule: Always use pnpm in web/"))
    assert [memory["author"] for memory in stored(memories)] == ["assistant"]


def test_passive_mode_reads_no_notes(sidecar: MemorySidecar, project: Repository) -> None:
    conversation = Conversation(sidecar.client, project.path)
    after = conversation.turn("Always use pnpm.", text=reply("Rule: Always use pnpm"))["after"]
    assert after["notesBlock"] is None
    assert not (project.path / ".chati").exists()


def test_an_answer_to_a_proposal_supports_its_rule(conversation: Conversation, memories: Memories) -> None:
    conversation.turn("Clean the cart up.", text="Done. Shall I run the linter before every commit in future?")
    conversation.turn("Yes, do that from now on.", text=reply("Rule: Run the linter before every commit"))
    (rule,) = [memory for memory in stored(memories) if "linter" in memory["text"]]
    assert rule["author"] == "user"


def test_offsets_count_utf16_units_as_javascript_does(conversation: Conversation) -> None:
    text = f"Done 🎉.\n\n{HEADING}\n- Fact: the till opens at 8"
    after = conversation.turn("Hello.", text=text)["after"]
    units = text.encode("utf-16-le")
    span = units[2 * after["notesBlock"]["start"] : 2 * after["notesBlock"]["end"]].decode("utf-16-le")
    assert span == f"{HEADING}\n- Fact: the till opens at 8"


def test_a_sentence_of_a_reply_and_its_note_of_the_same_choice_are_one_memory(conversation: Conversation) -> None:
    sentence = "I decided to cap the value with `maximum` because unbounded waits overflow, instead of raising."
    line = "cap wait_fibonacci at `maximum` because unbounded waits overflow, instead of raising an error"
    other = "I decided to keep the counts in a table because callers read them after a restart."
    text = f"{sentence}\n\n{other}\n\nNotes for next time:\n- Decision: {line}"
    stored = conversation.turn("Add a wait strategy", text=text)["after"]["remembered"]
    assert sorted(memory["text"][:20] for memory in stored) == ["Cap wait_fibonacci a", "I decided to keep th"]

"""A follow-up brings only files that its own words, or the answer it refers to, point at."""

from collections.abc import Iterable

import pytest

from tests.packs.test_pack_cache import prepared
from tests.support.conversation import WORK_ACCOUNT, Conversation, kinds
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Contents, Repository
from tests.support.shop import PROMPT, StartChat, explain, read_part, text_of

TEXT = "words that are in many files, the user and the value of it\n"
MORE: dict[str, Contents] = {
    **{f"src/part_{number}.py": f'"""Part {number}: {TEXT}"""\nNUMBER = {number}\n' for number in range(24)},
    "src/voucher.py": '"""Vouchers that customers redeem."""\n\n\ndef redeem(code: str) -> None:\n    print(code)\n',
    "src/generator.py": "def generate(chars: int = 10) -> str:\n    return 'x' * chars\n",
    "tests/test_voucher.py": "from src.voucher import redeem\n\n\ndef test_redeem() -> None:\n    redeem('voucher')\n",
}


EDITED = f"{MORE['src/voucher.py']!s}\nEXPIRED = 1\n"


def paths_of(text: str) -> list[str]:
    """Return the files of a context block in order."""
    return [line.split(" — ")[0] for line in text.splitlines() if line.startswith(("src/", "tests/", "web/"))]


IRRELEVANT = [
        "refactor", "hi", "fix it", "olá, corrige isso", "これを直してください", "the user and the value of it",
        "hola", "ok merci", "what does this project do?", "Make the whole thing faster", "write more unit tests",
        "<command-name>/voucher</command-name>\n<command-message>voucher</command-message>\n<command-args></command-args>",
]  # fmt: skip


def test_nothing_relevant_sends_no_context(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({**MORE, "docs/greetings.md": "hola, bonjour, merci, gracias\n"})
    for number, prompt in enumerate(IRRELEVANT):
        assert "context" not in kinds(start_chat(sub_chat_id=f"chat-{number}").pre_run(prompt)), prompt


def test_a_follow_up_without_a_name_brings_nothing(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(MORE)
    follow_ups = ("Let me setup that scenario. 1 sec.", "No man, let's use 12 zlotys instead", "go on, please", "はい")
    for follow_up in follow_ups:
        chat = start_chat(sub_chat_id=f"of {follow_up}")
        chat.turn(PROMPT, session=f"session of {follow_up}")
        answer = chat.pre_run(follow_up)
        assert answer["blocks"] == [], follow_up
        assert answer["metadata"]["injectedBytes"] == 0


def test_a_verb_of_what_is_at_hand_is_no_subject(start_chat: StartChat, shop: Repository) -> None:
    rows = "def swap_rows(table):\n    swapped = table.rows[::-1]\n    return swapped\n"
    shop.commit({**MORE, "src/rows.py": f'"""Swaps rows: swapped ones swap."""\n\n\n{rows}'})
    assert follow_ups_with_context(
        start_chat, ("swapped them in my editor. again", "no, swap it back", "how are rows swapped?")
    ) == ["how are rows swapped?"]


def follow_ups_with_context(start_chat: StartChat, follow_ups: Iterable[str]) -> list[str]:
    """Return the follow-ups that bring context, each as the second prompt of a chat of its own."""
    found = []
    for follow_up in follow_ups:
        chat = start_chat(sub_chat_id=f"of {follow_up}")
        chat.turn(PROMPT, session=f"session of {follow_up}")
        found += [follow_up] * ("context" in kinds(chat.pre_run(follow_up)))
    return found


def test_everyday_words_bring_only_what_is_named_by_them(start_chat: StartChat, shop: Repository) -> None:
    talk = "def magic() -> None:\n    pass  # hmm, it sounds good to look ahead for a sec\n"
    shop.commit({**MORE, "src/talk.py": talk})
    naming = "the magic is broken"
    follow_ups = ("sounds good, go ahead and implement it", "hmm, 1 sec", naming)
    assert follow_ups_with_context(start_chat, follow_ups) == [naming]


def test_common_words_that_are_rare_in_a_small_repository_begin_no_new_task(
    start_chat: StartChat, active: MemorySidecar, shop: Repository
) -> None:
    shop.commit({"src/retry.py": "def once() -> None:\n    pass  # run everything more than once, explain why\n"})
    chat = start_chat()
    chat.turn(PROMPT)
    prepared(active)
    answer = chat.pre_run("Run everything once more")
    assert answer["metadata"]["cacheHit"], "the task's own pack"
    assert answer["blocks"] == []


WORKING: dict[str, Contents] = {
    "src/options.py": "LIMIT = 1\n",
    "src/steps.py": "def run() -> None:\n    pass  # keep going: the remaining ones are broken, mark them resolved\n",
}


def test_a_platform_names_no_other_code(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"src/url_window.py": "class UrlWindow:\n    mac = 1\n"})
    chat = start_chat("codex")
    chat.turn(PROMPT)
    for prompt in ("what about windows?", "and on mac?"):
        assert text_of(chat.pre_run(prompt), "context") == "", prompt


def test_common_words_bring_nothing_although_a_text_has_them(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({**MORE, **WORKING})
    for prompt in ("keep going", "implement the remaining work", "still broken", "mark as resolved"):
        assert "context" not in kinds(start_chat(sub_chat_id=f"first of {prompt}").pre_run(prompt)), prompt
        follow_up = start_chat(sub_chat_id=f"second of {prompt}")
        follow_up.turn(PROMPT, session=f"session of {prompt}")
        assert follow_up.pre_run(prompt)["metadata"]["injectedBytes"] == 0, prompt


def test_words_about_the_work_at_hand_ask_for_no_other_file(start_chat: StartChat, shop: Repository) -> None:
    text = "def show_diff(variable):\n    return existing(variable)\n"
    shop.commit({**MORE, "src/diff_view.py": text, "src/helpers/rename_variable.py": text, "spec/cart.rb": "spec\n"})
    for follow_up in (
        "show me the diff", "rename the variable please", "use the existing helper instead", "add a spec for it"
    ):  # fmt: skip
        chat = start_chat(sub_chat_id=f"of {follow_up}")
        chat.turn(PROMPT, session=f"session of {follow_up}")
        assert chat.pre_run(follow_up)["metadata"]["injectedBytes"] == 0, follow_up


def test_a_rule_that_may_be_the_next_task_brings_its_code(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(MORE)
    for follow_up in ("from now on a voucher must be redeemed on each order", "never redeem a voucher twice"):
        chat = start_chat(sub_chat_id=f"of {follow_up}")
        chat.turn(PROMPT, session=f"session of {follow_up}")
        assert text_of(chat.pre_run(follow_up), "context"), follow_up


def test_a_request_for_tests_of_the_work_brings_those_of_the_edited_file(
    start_chat: StartChat, shop: Repository
) -> None:
    others = {f"tests/test_part_{number}.py": "def test_part() -> None:\n    pass\n" for number in range(24)}
    shop.commit({**MORE, **others})
    for follow_up in (
        "now the tests", "add a test for it please", "ok, and write some unit tests", "jetzt noch die Tests",
        "再写测试", "please add a regression test", "let's have a test for this", "schreib einen Test dafür",
        "écris un test pour ça", "escribe una prueba para eso", "adicione testes", "テストを書いて", "给它加个测试",
        "test for it pls", "¿y las pruebas?", "… and the tests?", "write a test for the voucher one",
        "now the tests. and never use snapshots in this repo", "test dazu, und nimm hier immer pnpm, nicht npm",
        "from now on, always run the linter before a commit. now the tests",
    ):  # fmt: skip
        shop.write({"src/voucher.py": MORE["src/voucher.py"]})
        text = play_request_for_tests(
            start_chat(sub_chat_id=f"of {follow_up}"), PROMPT, "src/voucher.py", EDITED, follow_up
        )
        assert paths_of(text) == ["tests/test_voucher.py"], follow_up
        assert "def test_redeem" in text


def test_a_request_for_documents_of_the_work_brings_those_that_name_the_edited_code(
    start_chat: StartChat, shop: Repository
) -> None:
    others = {f"docs/part_{n}.md": f"# Part {n}\n\nHow part {n} of the docs is updated.\n" for n in range(24)}
    about = "# Selling\n\nA customer may `redeem` a voucher once.\n\n# Returning\n\nNobody may.\n"
    shop.commit({**MORE, **others, "docs/selling.md": about})
    edited = f"{MORE['src/voucher.py']!s}".replace("print(code)", "print(code.upper())")
    for follow_up in (
        "also update the docs", "ok, now update the documentation too", "und jetzt noch die Doku bitte",
        "¿y la documentación?", "...and the docs?",
    ):  # fmt: skip
        shop.write({"src/voucher.py": MORE["src/voucher.py"]})
        chat = start_chat(sub_chat_id=f"of {follow_up}")
        text = play_request_for_tests(chat, PROMPT, "src/voucher.py", edited, follow_up)
        assert "docs/selling.md" in text, follow_up
        assert "may `redeem` a voucher once" in text, follow_up
        assert "docs/part_" not in text, follow_up


def play_request_for_tests(chat: Conversation, prompt: str, path: str, content: str, follow_up: str) -> str:
    """Play a turn that edits a file, and return the context of a request for tests of it."""
    before = chat.pre_run(prompt)
    work = {"text": WORK_ACCOUNT, "parts": [chat.edit(path, content)]}
    chat.post_run(before, prompt, session=f"session of {chat.sub_chat_id}", assistant=work)
    return text_of(chat.pre_run(follow_up), "context")


SEVERAL = "".join(f"\n\ndef price_{n}(amount: int) -> int:\n    return amount * {n}\n" for n in range(9))
SEVERAL_TESTS = "".join(
    f"\n\ndef test_of_{n}(shop: int) -> None:\n    assert prices.price_{n}(shop) == {n}\n" + "    assert shop\n" * 20
    for n in range(9)
)


def test_requested_tests_are_those_of_the_edited_function_with_what_they_are_made_with(
    start_chat: StartChat, shop: Repository
) -> None:
    fixture = "import pytest\n\nfrom src import prices\n\n\n@pytest.fixture\ndef shop() -> int:\n    return 1\n"
    others = {f"tests/test_part_{n}.py": f"def test_part() -> None:\n    assert {n}\n" for n in range(24)}
    shop.commit({**others, "src/prices.py": SEVERAL, "tests/test_money.py": fixture + SEVERAL_TESTS})
    edited = SEVERAL.replace("return amount * 6", "return max(0, amount) * 6")
    text = play_request_for_tests(start_chat(), PROMPT, "src/prices.py", edited, "add a test for it")
    assert paths_of(text) == ["tests/test_money.py"]
    assert "def test_of_6" in text
    assert "from src import prices" in text
    assert "def shop" in text
    assert "def test_of_5" not in text


def test_a_report_that_a_test_broke_brings_that_test_and_what_it_calls_but_no_sibling(
    start_chat: StartChat, shop: Repository
) -> None:
    helper = "from src import depot\n\n\ndef open_depot(n: int) -> int:\n    return depot.depot_of(n)\n"
    tests = "".join(
        f"\n\ndef test_depot_{n}() -> None:\n    assert open_depot({n}) == {n}\n    assert depot.refill_depot({n})\n"
        for n in range(30)
    )
    code = "def depot_of(n: int) -> int:\n    return n\n\n\ndef refill_depot(n: int) -> int:\n    return n\n"
    shop.commit({**MORE, "src/depot.py": code, "tests/test_depot.py": helper + tests})
    for report in (
        "that broke test_depot_7", "now test_depot_7 is red",
        "FAILED tests/test_depot.py::test_depot_7 - AssertionError: assert 8 == 7",
    ):  # fmt: skip
        chat = start_chat(sub_chat_id=f"of {report}")
        chat.turn(PROMPT, session=f"session of {report}")
        text = text_of(chat.pre_run(report), "context")
        assert "def test_depot_7()" in text, report
        assert "def open_depot" in text, report
        assert "def refill_depot" in text, report
        assert text.count("def test_") == 1, report


def test_a_question_in_common_words_brings_the_code_whose_names_have_two_of_them(
    start_chat: StartChat, shop: Repository
) -> None:
    common = "# Builds a list of languages, counts retries, and adds the name of the user to the page.\n"
    many = {f"src/many_{n}.py": f"{common}NUMBER = {n}\n" for n in range(40)}
    code = f"{common}def build_list(language):\n    return [language]\n\n\ndef count_retries():\n    return 1\n"
    shop.commit({**many, "src/select.py": code})
    for number, question in enumerate(
        (
            "where is the language list built?",
            "ok, and how are retries counted?",
            "wo wird die Liste der Sprachen gebaut?",
        )
    ):
        chat = start_chat(sub_chat_id=f"chat-{number}")
        chat.turn(PROMPT, session=f"session-{number}")
        assert "src/select.py" in paths_of(text_of(chat.pre_run(question), "context")), question
    for number, talk in enumerate(
        ("where did you put the language list?", "how many retries are counted now?", "how do I build the list?",
         "add the language to the list", "does it count the retries?", "where is it?")
    ):  # fmt: skip
        chat = start_chat(sub_chat_id=f"talk-{number}")
        chat.turn(PROMPT, session=f"talk-session-{number}")
        assert chat.pre_run(talk)["blocks"] == [], talk


PLACES = (
    "wallet", "ledger", "branch", "kiosk", "counter", "mailbox", "partner", "agency", "station", "harbour", "airport",
    "market", "museum", "theatre", "stadium", "library", "bakery", "garage", "clinic", "school", "studio", "cellar",
)  # fmt: skip
LOANS: dict[str, Contents] = {
    f"src/loans/{place}_loan.py": f"def {place}_loan(amount: int) -> int:\n    return amount  # not at a kiosk\n"
    for place in PLACES
}


def test_a_request_for_the_same_in_another_place_brings_that_place(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({**MORE, **LOANS})
    for follow_up in ("and the same at the kiosk", "no, the one of the kiosk", "jetzt das gleiche beim Kiosk"):
        chat = start_chat(sub_chat_id=f"of {follow_up}")
        chat.turn("the wallet loan should reject a negative amount", session=f"session of {follow_up}")
        assert paths_of(text_of(chat.pre_run("and the same for it"), "context")) == [], follow_up
        assert "src/loans/kiosk_loan.py" in paths_of(text_of(chat.pre_run(follow_up), "context")), follow_up


def test_words_about_tests_that_ask_for_none_bring_none(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(MORE)
    for follow_up in ("run the tests", "the tests fail now", "commit it, the tests pass"):
        shop.write({"src/voucher.py": MORE["src/voucher.py"]})
        chat, prompt = start_chat(sub_chat_id=f"of {follow_up}"), "Customers redeem an expired voucher"
        before = chat.pre_run(prompt)
        work = {"text": WORK_ACCOUNT, "parts": [chat.edit("src/voucher.py", EDITED)]}
        chat.post_run(before, prompt, session=f"session of {follow_up}", assistant=work)
        assert "context" not in kinds(chat.pre_run(follow_up)), follow_up


def test_the_list_of_a_dependency_that_every_file_imports_is_shown(start_chat: StartChat, shop: Repository) -> None:
    parts = {f"src/part_{number}.rs": f"use till::part;\nfn part_{number}() {{}}\n" for number in range(24)}
    shop.commit({**parts, "Cargo.toml": '[dependencies]\ntill = "1.0"\n'})
    text = text_of(start_chat().pre_run("bump till to the latest version"), "context")
    assert 'till = "1.0"' in text


def test_a_word_that_users_see_brings_the_code_that_its_key_names(start_chat: StartChat, shop: Repository) -> None:
    texts = '{\n  "till.redemption.add": "Add a giftcard",\n  "till.redemption.failed": "The giftcard is used up"\n}\n'
    code = "def redemption_of(code: str) -> str:\n    return code\n"
    shop.commit({**MORE, "locales/en.json": texts, "src/redemption.py": code})
    text = text_of(start_chat().pre_run("a giftcard is not accepted"), "context")
    assert "def redemption_of" in text


def test_a_common_word_that_names_a_file_brings_it(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({**MORE, **WORKING})
    assert paths_of(text_of(start_chat().pre_run("the options are wrong"), "context"))[0] == "src/options.py"


def test_a_definition_with_a_common_words_name_is_found_by_its_case(start_chat: StartChat, shop: Repository) -> None:
    first_files = {
        "Wire field order": ["src/fields.py"],
        "The fields of Wire are in the wrong order": ["src/fields.py"],
        "fix Door": ["src/entrance.py"],
        "fix the door": [],
        "Open it, please": [],
        "Once we meet, is it ready?": [],
    }
    entrance = "class Door:\n    pass\n\n\ndef Open(door):\n    return Once(door)\n"
    shop.commit({**MORE, "src/fields.py": "class Wire:\n    price = 1\n", "src/entrance.py": entrance})
    answers = {prompt: start_chat(sub_chat_id=f"of {prompt}").pre_run(prompt) for prompt in first_files}
    assert all("context" in kinds(answer) for prompt, answer in answers.items() if first_files[prompt])
    assert {prompt: paths_of(text_of(answer, "context"))[:1] for prompt, answer in answers.items()} == first_files


def test_a_follow_up_with_one_rare_word_brings_at_most_three_files(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(MORE)
    chat = start_chat()
    chat.turn(PROMPT)
    paths = paths_of(text_of(chat.pre_run("No man, let's use 12 chars instead of 10"), "context"))
    assert paths in ([], ["src/generator.py"])


PARCELS: dict[str, Contents] = {
    f"src/parcel_{number}.py": f'"""Refund policy of damaged parcels, part {number}."""\n\nRULE_{number} = {number}\n'
    for number in range(12)
}


def test_a_follow_up_adds_at_most_three_files_by_words_alone(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({**{f"src/many_{number}.py": f"NUMBER = {number}\n" for number in range(600)}, **PARCELS})
    chat = start_chat()
    chat.turn(PROMPT)
    paths = paths_of(text_of(chat.pre_run("What does the refund policy say about damaged parcels?"), "context"))
    assert len(paths) == 3
    assert all(path.startswith("src/parcel_") for path in paths)


def test_a_first_prompt_brings_the_best_eight_files_and_those_it_names(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({**MORE, **PARCELS})
    prompt = "What does the refund policy say about damaged parcels?"
    assert len(paths_of(text_of(start_chat().pre_run(prompt), "context"))) == 8
    named = start_chat(sub_chat_id="b").pre_run(f"{prompt} See {', '.join(PARCELS)}.")
    assert set(paths_of(text_of(named, "context"))) == set(PARCELS)


def test_a_new_subject_is_answered_although_the_session_has_context(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(MORE)
    chat = start_chat()
    chat.turn(PROMPT)
    assert "src/voucher.py" in paths_of(text_of(chat.pre_run("Customers cannot redeem a voucher"), "context"))


def test_an_announced_subject_is_answered_although_its_words_are_in_many_files(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.commit({**{f"src/many_{number}.py": f"NUMBER = {number}\n" for number in range(60)}, **PARCELS})
    for number, announcement in enumerate(("next: ", "Ok, now something else:\n", "Different topic. ")):
        chat = start_chat(sub_chat_id=f"chat-{number}")
        chat.turn(PROMPT, session=f"session-{number}")
        paths = paths_of(text_of(chat.pre_run(f"{announcement}the refund policy forgets damaged parcels"), "context"))
        assert len(paths) == 3, announcement
        assert all(path.startswith("src/parcel_") for path in paths)


def test_an_announced_subject_in_another_language_is_answered_by_its_english_words(
    start_chat: StartChat, shop: Repository
) -> None:
    coupons = "def coupon_of(order):\n    return order.coupon\n"
    shop.commit({**{f"src/many_{number}.py": f"NUMBER = {number}\n" for number in range(60)}, "src/coupon.py": coupons})
    for number, prompt in enumerate(("otro tema: los cupones no valen", "anderes Thema: die Gutscheine sind falsch")):
        chat = start_chat(sub_chat_id=f"chat-{number}")
        chat.turn(PROMPT, session=f"session-{number}")
        assert paths_of(text_of(chat.pre_run(prompt), "context")) == ["src/coupon.py"], prompt


@pytest.mark.parametrize(
    ("path", "prompt"),
    [
        ("src/gift_card.py", "why is there a separate table for the gift card?"),
        ("src/GiftCard.ts", "why is there a separate table for gift cards?"),
        ("src/opml/write.py", "how does the OPML of the gift card work"),
    ],
)
def test_a_follow_up_names_a_file_or_a_folder_in_words_that_are_in_many_files(
    start_chat: StartChat, shop: Repository, path: str, prompt: str
) -> None:
    text = "# Reads opml, and prints the gift and the card.\n"
    shop.commit({**{f"src/many_{number}.py": f"{text}NUMBER = {number}\n" for number in range(60)}})
    shop.commit({path: f"{text}table = 'gift card'\n", "src/opml/read.py": f"{text}def read_opml():\n    pass\n"})
    chat = start_chat()
    chat.turn(PROMPT)
    assert path.rpartition("/")[0] in {
        other.rpartition("/")[0] for other in paths_of(text_of(chat.pre_run(prompt), "context"))
    }
    assert not any("many" in other for other in paths_of(text_of(chat.pre_run(prompt), "context")))


EVERYWHERE = "# The logger of a parcel, its recovery and the depot; the interceptors read all vouchers.\n"
MANY: dict[str, Contents] = {f"src/many_{n}.py": f"{EVERYWHERE}NUMBER = {n}\n" for n in range(40)}


@pytest.mark.parametrize(
    ("path", "prompt"),
    [
        ("src/logger.py", "How does the logger decide whether to colour its output?"),
        ("src/interceptor_provider.py", "make the interceptors run in order"),
        ("src/InterceptorManager.ts", "make the interceptors run in order"),
        ("src/voucher_memory.py", "where is the memory of vouchers emptied?"),
        ("schema/parcel.proto", "rename the field Label in the parcel proto to Name"),
    ],
)
def test_a_follow_up_names_a_file_by_the_distinctive_words_of_its_name(
    start_chat: StartChat, shop: Repository, path: str, prompt: str
) -> None:
    shop.commit({**MANY, path: f"{EVERYWHERE}Label = 1\n", "tests/test_logger.py": EVERYWHERE})
    chat = start_chat()
    chat.turn(PROMPT)
    text = text_of(chat.pre_run(prompt), "context")
    assert [line.split(" — ")[0] for line in text.splitlines() if line.startswith(path)] == [path]
    assert "many_" not in text


TALK = (
    "make the text bigger and the colour blue", "stop, don't change the signature", "can you show me the diff?",
    "Let me setup that scenario. 1 sec.", "sounds good, go ahead and implement everything", "run the tests again",
    "make it shorter", "the interceptors of a parcel",
)  # fmt: skip


def test_words_of_talk_and_of_the_work_name_no_file(start_chat: StartChat, shop: Repository) -> None:
    names = ("blue", "signature", "diff", "scenario", "setup", "ahead", "test", "shorter", "everything")
    shop.commit({**MANY, **{f"src/{name}.py": f"{EVERYWHERE}{name} = 1\n" for name in names}})
    for follow_up in TALK:
        chat = start_chat(sub_chat_id=f"of {follow_up}")
        chat.turn(PROMPT, session=f"session of {follow_up}")
        assert chat.pre_run(follow_up)["blocks"] == [], follow_up


def test_a_refusal_of_the_work_brings_only_what_it_names(start_chat: StartChat, shop: Repository) -> None:
    refusals = (
        "undo that. never touch the generated files, change the .proto instead",
        "nein, kein neues Crate dafür. Nimm immer std::time",
        "no, keep the wire format of the handshake",
    )
    naming = [
        "no, change the voucher instead",
        "nein, in src/generator.py",
        "stop, redeem_all must not change",
        "now keep the wire format of the handshake",
    ]
    wire = "def read(proto):\n    # generated from the wire format of the handshake, std::time, crate\n    proto()\n"
    redeem = "def redeem_all():\n    pass\n"
    shop.commit({**MORE, "src/zebra.py": wire, "src/ring.py": redeem, "schema/zebra.proto": "handshake wire\n"})
    assert follow_ups_with_context(start_chat, (*refusals, *naming)) == naming


def test_a_name_to_be_given_brings_nothing(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({**MORE, "src/kml.py": "def parse_kml(points):\n    return points\n"})
    given = ("rename it to KmlPoints", "please call this kml_points", "benenne es in KmlPoints um", "llámalo kmlPoints")
    naming = ["rename parse_kml to KmlPoints", "call parse_kml as well", "why is it in parse_kml?"]
    assert follow_ups_with_context(start_chat, (*given, *naming)) == naming


def test_a_rule_on_how_to_work_brings_only_what_it_names(start_chat: StartChat, shop: Repository) -> None:
    rules = (
        "good, commit. btw we always wrap the handshake with wire.Wrap, never std.Errorf",
        "ok. from now on commit messages name the handshake and the crate",
        "今後はコミットの前に必ず handshake と crate を実行してください",
        "désormais les tests du handshake vont avec ceux du crate",
    )
    others = [
        "from now on comments are in German. now keep the wire format of the handshake",
        "from now on the handshake should also write its crate",
        "why do we always test the handshake of the crate twice?",
        "never commit src/ring.py",
    ]
    wire = "def read(proto):\n    # generated from the wire format of the handshake, std::time, crate\n    proto()\n"
    shop.commit({**MORE, "src/zebra.py": wire, "src/ring.py": "def redeem_all():\n    pass\n"})
    assert follow_ups_with_context(start_chat, (*rules, *others)) == others


def test_a_file_is_named_with_an_at_sign(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(MORE)
    assert (
        paths_of(text_of(start_chat().pre_run("@src/generator.py is what I mean"), "context"))[0] == "src/generator.py"
    )
    assert (
        paths_of(text_of(start_chat(sub_chat_id="b").pre_run("see @generator.py"), "context"))[0] == "src/generator.py"
    )


def test_a_number_leads_to_the_item_of_the_last_answer(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(MORE)
    chat = start_chat()
    chat.turn(PROMPT, text="I found:\n\n1. Totals are floats.\n2. `redeem` accepts any code.\n3. No docs.\n")
    assert "def redeem" in text_of(chat.pre_run("address 2"), "context")


def test_after_a_compaction_the_context_is_that_of_recent_work(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(MORE)
    chat = start_chat()
    chat.turn(PROMPT)
    chat.turn("now the vouchers: redeem must check its code", lambda: [read_part(shop.path / "src/voucher.py")])
    for _ in range(3):
        chat.turn(
            "ok, and generate longer codes in generate",
            lambda: [chat.edit("src/generator.py", "def generate():\n    pass\n")],
        )
    event = {
        "event": "compacted",
        "cwd": str(shop.path),
        "subChatId": "chat",
        "provider": "claude",
        "sessionId": "session",
    }
    chat.client.notify("continuity/sessionEvent", event)
    text = text_of(chat.pre_run("go on"), "context")
    assert {"src/generator.py", "src/voucher.py"} <= set(paths_of(text))
    assert "src/cart.py" not in paths_of(text)


def test_tests_come_after_sources_unless_the_prompt_speaks_of_tests(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(MORE)
    assert (
        paths_of(text_of(start_chat().pre_run("Customers cannot redeem a voucher"), "context"))[0] == "src/voucher.py"
    )
    for number, prompt in enumerate(
        ("The tests of redeem and voucher fail", "Add tests of redeem for vouchers that fail with an error")
    ):
        requested = start_chat(sub_chat_id=f"chat-{number}").pre_run(prompt)
        assert "tests/test_voucher.py" in paths_of(text_of(requested, "context"))


def test_the_code_under_test_leads_before_the_lines_of_the_failing_test(
    start_chat: StartChat, shop: Repository
) -> None:
    other_tests = "".join(f"\n\ndef test_gift_{n}() -> None:\n    assert redeem('{n}')\n" for n in range(80))
    shop.commit({**MORE, "tests/test_voucher.py": str(MORE["tests/test_voucher.py"]) + other_tests})
    output = (
        "FAILED tests/test_voucher.py::test_gift_7 - AssertionError: assert None\n"
        "tests/test_voucher.py:32: AssertionError\n"
    )
    text = text_of(start_chat().pre_run(output), "context")
    assert paths_of(text)[0] == "src/voucher.py"
    assert "def redeem" in text
    assert text.index("def test_gift_7()") > text.index("def redeem")
    assert "def test_gift_60()" not in text


@pytest.mark.parametrize(
    "report",
    [
        'The test "test_gift_7" fails. Find out why and fix it.',
        "test_gift_7 in tests/test_voucher.py is failing, can you fix the code?",
    ],
)
def test_a_report_of_a_failing_test_by_its_name_shows_the_code_under_test_and_that_test_alone(
    start_chat: StartChat, shop: Repository, report: str
) -> None:
    other_tests = "".join(f"\n\ndef test_gift_{n}() -> None:\n    assert redeem('{n}')\n" for n in range(400))
    shop.commit({**MORE, "tests/test_voucher.py": str(MORE["tests/test_voucher.py"]) + other_tests})
    text = text_of(start_chat().pre_run(report), "context")
    assert paths_of(text)[0] == "src/voucher.py"
    assert "def redeem" in text
    assert "def test_gift_7()" in text
    assert "def test_gift_60()" not in text


def test_a_report_of_a_failing_test_by_its_title_shows_that_test(start_chat: StartChat, shop: Repository) -> None:
    titles = ["redeems an old voucher once", "refuses a voucher of another shop", "redeems a voucher"]
    steps = "  step()\n" * 30
    tests = "".join(f"it('{title}', () => {{\n{steps}  redeem({n})\n}})\n\n" for n, title in enumerate(titles))
    shop.commit({"web/voucher.js": "export function redeem(code) {\n}\n", "web/voucher.test.js": tests})
    text = text_of(start_chat().pre_run("web/voucher.test.js: redeems an old voucher once ... FAIL"), "context")
    assert paths_of(text)[0] == "web/voucher.js"
    assert "redeem(0)" in text
    assert "redeem(1)" not in text
    assert "redeem(2)" not in text


def test_a_failing_test_file_leads_to_the_code_that_it_tests(start_chat: StartChat, shop: Repository) -> None:
    other_tests = {f"tests/test_part_{n}.py": f"def test_fix_{n}() -> None:\n    assert {n}\n" for n in range(40)}
    shop.commit({**MORE, **other_tests})
    text = text_of(start_chat().pre_run("Fix the failing test in tests/test_voucher.py"), "context")
    code, test = paths_of(text)
    assert code == "src/voucher.py"
    assert test.startswith("tests/test_voucher.py (named in the request")


@pytest.mark.parametrize("wish", ["Fix it and add a test.", "Corrige et ajoute des tests."])
def test_a_wish_for_a_new_test_leaves_the_code_first_and_shows_some_of_the_tests_to_follow(
    start_chat: StartChat, shop: Repository, wish: str
) -> None:
    other_tests = "".join(f"\n\ndef test_redeem_{n}() -> None:\n    assert redeem('{n}')\n" for n in range(400))
    shop.commit({**MORE, "tests/test_voucher.py": str(MORE["tests/test_voucher.py"]) + other_tests})
    text = text_of(start_chat().pre_run(f"Customers redeem an expired voucher. {wish}"), "context")
    code, _, tests = text.partition("tests/test_voucher.py\n")
    assert paths_of(text)[0] == "src/voucher.py"
    assert "def redeem" in code
    assert "def test_redeem" in tests
    assert len(tests.encode()) < 12_288 // 3


def test_a_prompt_to_edit_a_test_still_leads_with_it(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(MORE)
    text = text_of(start_chat().pre_run("Add a second voucher to tests/test_voucher.py"), "context")
    assert paths_of(text)[0] == "tests/test_voucher.py"


def test_one_incidental_word_brings_a_small_context_and_a_name_the_whole(
    start_chat: StartChat, shop: Repository
) -> None:
    body = "".join(f"    print('a long line of the voucher number {n}')\n" for n in range(400))
    shop.commit({**MORE, "src/voucher.py": f"def redeem(code: str) -> None:\n{body}"})
    weak = text_of(start_chat().pre_run("please fix the voucher"), "context")
    named = text_of(start_chat(sub_chat_id="b").pre_run("please fix the voucher in src/voucher.py"), "context")
    assert 0 < len(weak.encode()) < 4_096 < len(named.encode())


def test_one_incidental_word_brings_at_most_three_files(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({**{f"src/many_{number}.py": f"NUMBER = {number}\n" for number in range(60)}, **PARCELS})
    assert len(paths_of(text_of(start_chat().pre_run("please fix the parcels"), "context"))) == 3


def test_a_document_is_named_without_its_ending(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(MORE)
    text = text_of(start_chat().pre_run("update the install section of the README"), "context")
    assert "\nREADME.md" in text
    assert "A small shop: carts" in text


def test_a_named_document_is_a_subject_though_no_file_contains_its_name(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.commit({"HISTORY.md": "# Releases\n\nWhat changed for the customers.\n\n## 2.0\n\nVouchers are sold.\n"})
    text = text_of(start_chat().pre_run("update the changelog"), "context")
    assert "\nHISTORY.md — What changed for the customers." in text


def test_what_a_follow_up_does_not_point_at_is_counted(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(MORE)
    chat = start_chat()
    chat.turn("redeem a voucher", tokenMode="low")
    shop.commit({"src/gift.py": '"""A voucher as a gift: redeem it once."""\n'})
    answer = chat.pre_run("go on")
    reasons = (
        [item["reason"] for item in explain(chat, answer)["trimmed"]] if "trimmed" in explain(chat, answer) else []
    )
    reasons += [item["reason"] for item in answer["metadata"]["trimmed"]]
    assert any("which this prompt does not point at" in reason for reason in reasons)
    assert "context" not in kinds(answer)

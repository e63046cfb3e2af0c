"""A session's knowledge of a file: that it exists, some of its regions, or all of it."""

from collections.abc import Callable

from sidecar.codebase import RankedFile
from sidecar.packs import (
    ContextFile,
    ContextLimits,
    PackItem,
    RenderCache,
    ShownRegion,
    reasons_for,
    search_query,
    session_has,
    shows_content,
)
from sidecar.runs import NO_CONTENTS, DeliveredItem, SessionContents, entries
from tests.support.conversation import sent
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, explain, read_part, text_of

RANKED = RankedFile("src/cart.py", 3.0, {"text": 2.0}, ("total",), ())
TOTAL_LINES = ((7, "def total(cart):"), (8, "    return 0"))
TOTAL = ShownRegion(0, "Cart.total", TOTAL_LINES, entries.SentRegion("aa", "11"), {"text": 1.5, "named": 0.5})
PAY = ShownRegion(
    1, "Cart.pay", ((20, "def pay(cart):"), (21, "    return 1")), entries.SentRegion("bb", "22"), {"text": 1.0}
)
FIRST, FOLLOW_UP = ContextLimits(12_288, is_follow_up=False), ContextLimits(4_096, is_follow_up=True)


def file(*regions: ShownRegion, content: str = "a1", path: str = "src/cart.py") -> ContextFile:
    return ContextFile(RANKED._replace(path=path), content, "The cart.", "matches total", regions)


def items(
    *files: ContextFile,
    known: SessionContents = NO_CONTENTS,
    limits: ContextLimits = FIRST,
    own: int = 0,
    changed: tuple[str, ...] = (),
) -> list[PackItem]:
    return RenderCache().items(list(files), limits, known, own, changed).items


def session_with(delivered: PackItem | DeliveredItem) -> SessionContents:
    delivery = delivered if isinstance(delivered, DeliveredItem) else delivered.as_delivery()
    return NO_CONTENTS._replace(items={delivery.key: delivery}, exists=True)


def test_code_is_shown_under_its_path_with_line_numbers_and_marked_gaps() -> None:
    assert items(file(PAY, TOTAL))[0].text == (
        "src/cart.py — The cart.\n7| def total(cart):\n8|     return 0\n…\n20| def pay(cart):\n21|     return 1"
    )


def test_a_gap_is_marked_where_the_last_statement_goes_on() -> None:
    shown = items(file(TOTAL._replace(goes_on=True), PAY))[0].text.splitlines()
    assert shown[1:] == ["7| def total(cart):", "8|     return 0", "…", "20| def pay(cart):", "21|     return 1"]
    assert items(file(TOTAL._replace(goes_on=True)))[0].text.endswith("8|     return 0\n…")


def test_a_small_file_with_the_best_region_is_shown_whole_before_code_of_others(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    settle = "def settle(amount):\n" + "    pay(amount, in_coins_and_notes=True)\n" * 30
    small = f"GIFT_VOUCHERS = ['shown gift voucher', 'gift']\n\n\n{settle}"
    other = "".join(f"def print_{n}(gift):\n" + f"    show('gift voucher {n}')\n" * 12 + "\n\n" for n in range(60))
    files = {"src/kinds.py": small, "src/printer.py": other, "src/scanner.py": other.replace("print_", "scan_")}
    repository = make_repository(files, name="vouchers")
    shown = text_of(start_chat(cwd=repository.path).pre_run("which gift voucher is shown?"), "context")
    assert "src/kinds.py" in shown.partition("src/printer.py")[0]
    assert "def settle(amount):" in shown
    assert "def print_" in shown


def test_a_large_file_that_is_far_ahead_leaves_room_for_the_code_of_others(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    body = "    round_gift('voucher')\n" * 12
    cases = "".join(f"def gift_voucher_{n}(gift):\n{body}\n\n" for n in range(60))
    rounding = "def settle(gift, voucher):\n" + "    gift = round(gift + voucher)\n" * 20
    files = {f"src/part_{n}.py": f"def part_{n}():\n    return {n}\n" for n in range(30)}
    files |= {"src/gift_voucher.py": cases, "src/till.py": rounding}
    repository = make_repository(files, name="vouchers")
    shown = text_of(start_chat(cwd=repository.path).pre_run("round the gift voucher of gift vouchers"), "context")
    assert "| def gift_voucher_" in shown.partition("src/till.py")[0]
    assert "| def settle(gift, voucher):" in shown


def test_the_best_region_of_a_named_file_comes_first(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    nap = "import time\n\n\ndef sleep(seconds):\n    time.sleep(seconds)\n"
    types = "".join(f"def types_{n}(hints):\n    return 'types of hints {n}'\n\n\n" for n in range(9))
    repository = make_repository({"src/nap.py": nap, "src/hints.py": types + "import nap\n"}, name="nap")
    shown = text_of(start_chat(cwd=repository.path).pre_run("Add hints of types to src/nap.py"), "context").splitlines()
    assert next(line for line in shown if line.startswith("src/")) == "src/nap.py"


def test_a_file_without_regions_is_one_line_after_the_code() -> None:
    code, pointer = items(file(path="src/pay.py"), file(TOTAL))
    assert shows_content(code)
    assert pointer.text == "src/pay.py — The cart. (matches total)"
    assert not shows_content(pointer)


def test_only_a_test_and_what_it_tests_are_named_as_such() -> None:
    def reason(path: str, seed: str) -> str:
        ranked = RankedFile(path, 3.0, {"testPair": 1.2}, (), (("testPair", seed),))
        return reasons_for(ranked, {}, mentioned=False, changed=False)

    assert reason("tests/test_cart.py", "src/cart.py") == "test or subject of src/cart.py"
    assert reason("src/cart.py", "tests/test_cart.py") == "test or subject of tests/test_cart.py"
    assert reason("lang/sv/cart.php", "lang/en/cart.php") == "has the name of lang/en/cart.php"


def test_at_most_eight_files_are_pointed_at() -> None:
    assert len(items(*(file(path=f"src/part_{number}.py") for number in range(20)))) == 8


def test_a_file_sent_as_a_pointer_or_in_part_may_be_sent_in_full_later() -> None:
    pointer, part = items(file())[0], items(file(TOTAL))[0]
    whole = items(file(TOTAL, PAY), known=session_with(part))[0]
    assert session_has(session_with(pointer), pointer)
    assert not session_has(session_with(pointer), part)
    assert session_has(session_with(part), pointer)
    assert whole.text == "src/cart.py — The cart.\n20| def pay(cart):\n21|     return 1"
    assert whole.entry == entries.FileEntry("", (TOTAL.sent, PAY.sent))


def test_a_region_the_session_has_is_not_sent_again_wherever_it_moved_and_however_it_was_edited() -> None:
    known = session_with(items(file(TOTAL))[0])
    moved = TOTAL._replace(lines=((9, "def total(cart):"), (10, "    return 0")))
    edited = TOTAL._replace(sent=entries.SentRegion("aa", "99"))
    assert session_has(known, items(file(moved, content="b2"), known=known)[0])
    assert session_has(known, items(file(edited, content="b2"), known=known)[0])


def test_a_file_the_session_read_or_wrote_is_known() -> None:
    known = session_with(DeliveredItem("context:src/cart.py", entries.FileEntry("a1"), 0))
    assert session_has(known, items(file(TOTAL), known=known)[0])
    assert not session_has(known, items(file(TOTAL, content="b2"), known=known)[0])


def test_an_edited_region_is_sent_again_only_if_the_prompt_asks_and_its_hunks_are_not_shown() -> None:
    known = session_with(items(file(TOTAL))[0])
    edited = file(TOTAL._replace(sent=entries.SentRegion("aa", "99")), content="b2")
    assert "def total" in items(edited, known=known, own=1)[0].text
    assert not session_has(known, items(edited, known=known, own=1)[0])
    shown = items(edited, known=known, own=1, changed=("src/cart.py",))[0]
    assert session_has(known, shown)
    assert shown.entry == entries.FileEntry("", (entries.SentRegion("aa", "11"), entries.SentRegion("aa", "99")))


def test_a_file_the_session_wrote_stays_known_while_its_changes_arrive_as_hunks() -> None:
    known = session_with(DeliveredItem("context:src/cart.py", entries.FileEntry("a1"), 0))
    shown = items(file(TOTAL, content="b2"), known=known, own=1, changed=("src/cart.py",))[0]
    assert session_has(known, shown)
    assert shown.entry == entries.FileEntry("b2", (TOTAL.sent,))


def test_a_follow_up_extends_a_known_file_only_if_this_prompt_asks_for_it() -> None:
    known = session_with(items(file(TOTAL))[0])
    assert session_has(known, items(file(TOTAL, PAY), known=known, limits=FOLLOW_UP)[0])
    assert "def pay" in items(file(TOTAL, PAY), known=known, limits=FOLLOW_UP, own=1)[0].text


def test_a_follow_up_shows_code_of_a_file_pointed_at_only_if_this_prompt_asks_for_it() -> None:
    pay = file(PAY, path="src/pay.py")
    code, pointer = items(pay, file())
    pointed_at = session_with(pointer)
    both = pointed_at._replace(items={**pointed_at.items, code.key: code.as_delivery()})
    shown = items(pay, file(TOTAL), known=both, limits=FOLLOW_UP)
    assert all(session_has(both, item) for item in shown)
    assert "def total" in items(file(TOTAL), pay, known=both, limits=FOLLOW_UP, own=1)[0].text
    late = items(file(TOTAL), pay, known=pointed_at, limits=FOLLOW_UP)
    assert "def total" in late[0].text, "the first pack was late and had no code"


def test_imports_are_not_shown_where_the_code_that_they_are_for_is_over_the_limits() -> None:
    imports = ShownRegion(0, "", ((1, "import decimal"),), entries.SentRegion("", "33"), {"imports": 1.25})
    large = PAY._replace(lines=tuple((number, "    return 1" * 40) for number in range(20, 60)))
    limits = ContextLimits(600, is_follow_up=True)
    assert "import decimal" not in items(file(imports, large), limits=limits)[0].text
    assert "import decimal" in items(file(imports, PAY), limits=limits)[0].text
    assert "import decimal" in items(file(imports), limits=limits)[0].text


def test_imports_whose_code_is_over_the_limits_take_no_room_from_other_code() -> None:
    imports = ShownRegion(0, "", ((1, "import decimal" * 20),), entries.SentRegion("", "33"), {"imports": 1.25})
    large = PAY._replace(lines=tuple((number, "    return 1" * 40) for number in range(20, 60)))
    result = RenderCache().items(
        [file(imports, large), file(TOTAL, path="src/b.py")], ContextLimits(480, is_follow_up=True)
    )
    assert [item.regions[0].name for item in result.items if item.regions] == ["Cart.total"]
    assert result.omitted == 2


def test_regions_over_the_limit_are_counted() -> None:
    long = PAY._replace(lines=tuple((number, "x" * 80) for number in range(100, 400)))
    result = RenderCache().items([file(TOTAL, long)], FIRST)
    assert result.omitted == 1
    assert "def total" in result.items[0].text
    assert "xxx" not in result.items[0].text


def test_explain_names_the_parts_of_each_regions_score(start_chat: StartChat) -> None:
    item = items(file(TOTAL))[0]
    assert item.score == RANKED.parts
    assert [(region.lines, region.name) for region in item.regions] == [("7-8", "Cart.total")]
    assert item.regions[0].score == {"text": 1.5, "named": 0.5}
    chat = start_chat()
    explained = explain(chat, chat.pre_run(PROMPT))
    cart = next(item for item in explained["items"] if item["item"] == "context:src/cart.py")
    assert any(region["name"] == "Cart.total" and region["score"]["text"] > 0 for region in cart["regions"])
    assert not any(":" in part or " " in part for part in cart["score"])


def test_a_prompt_about_one_file_gets_a_small_pack(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    files = {f"src/mod_{n}.py": f'"""Module {n}."""\n\ndef part_{n}():\n    return {n}\n' for n in range(70)}
    files["src/cart.py"] = "import mod_1\n\n\ndef apply_discount(cart):\n    return cart\n"
    repository = make_repository(files, name="wide")
    answer = start_chat(cwd=repository.path).pre_run("Fix apply_discount in src/cart.py")
    headings = [line for line in text_of(answer, "context").splitlines() if line.startswith("src/")]
    assert headings[0] == "src/cart.py"
    assert len(headings) <= 4
    assert answer["metadata"]["injectedBytes"] < 2_500


def test_a_prompt_without_a_word_of_the_repository_gets_no_context(start_chat: StartChat) -> None:
    for number, prompt in enumerate(("refactor", "hi", "fix it", "please continue")):
        answer = start_chat(sub_chat_id=f"chat-{number}").pre_run(prompt)
        assert text_of(answer, "context") == "", prompt


def test_a_follow_up_that_names_another_definition_gets_its_code(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    filler = "".join(f"    line_{number} = {number}\n" for number in range(60))
    files = {f"src/cart_{n:02}.py": f"def discount_total_{n:02}(cart):\n{filler}    return cart\n" for n in range(20)}
    chat = start_chat(cwd=make_repository(files, name="many").path)
    first = text_of(chat.turn("Why does the cart ignore the discount total?", session="s"), "context")
    name = next(f"discount_total_{n:02}" for n in range(20) if f"def discount_total_{n:02}" not in first)
    assert f"def {name}" in sent(chat.pre_run(f"and what is {name} for?"))


def test_a_follow_up_that_names_an_option_gets_the_code_that_defines_it(
    start_chat: StartChat, shop: Repository
) -> None:
    options = "def options(parser):\n    parser.flag('one-file-system', name='one_file_system')\n"
    shop.commit({"src/options.py": options}, "Add options")
    chat = start_chat("codex")
    chat.turn(PROMPT)
    assert "one_file_system" in text_of(chat.pre_run("does it work when --one-file-system is given?"), "context")


def long_module(repository: Repository) -> None:
    """Commit a module whose functions do not fit into a follow-up together."""
    filler = "".join(f"    value_{number} = {number}\n" for number in range(30))
    functions = "\n\n".join(
        f"def step_{n:02}(cart):\n    # {'ab' * 12} {n}\n{filler}    return cart" for n in range(24)
    )
    repository.commit({"src/steps.py": f'"""Steps of an order."""\n\n\n{functions}\n'}, "Add steps")


def functions_in(answer: object) -> set[str]:
    return {line.partition("def ")[2].partition("(")[0] for line in sent(answer).splitlines() if "| def step_" in line}


def test_a_named_macro_selects_its_file_and_begins_a_region(start_chat: StartChat, shop: Repository) -> None:
    filler = "".join(f"pub fn step_{at}(value: u8) -> u8 {{\n    value + {at}\n}}\n\n" for at in range(40))
    users = {f"src/use_{at}.rs": f"fn use_{at}() {{\n    weight(stamp);\n}}\n" for at in range(9)}
    macro = "#[macro_export]\nmacro_rules! stamp {\n    ($e:expr) => {\n        $e\n    };\n}\n"
    shop.commit({"src/paths.rs": f"{filler}{macro}", **users})
    for chat, prompt in (
        (start_chat(sub_chat_id="first"), "can stamp! catch that?"),
        (start_chat(sub_chat_id="later"), "and can stamp! catch that, too?"),
    ):
        if prompt.startswith("and"):
            chat.turn(PROMPT)
        text = text_of(chat.pre_run(prompt), "context")
        assert "| macro_rules! stamp {" in text
        paths = [line.split(" ")[0] for line in text.splitlines() if line.startswith("src/")]
        assert paths[0] == "src/paths.rs"
    assert search_query("Stop! That is wrong!") == search_query("stop that is wrong")


def test_a_file_named_again_and_again_is_answered_with_what_the_session_lacks(
    start_chat: StartChat, shop: Repository
) -> None:
    long_module(shop)
    chat = start_chat("codex")
    chat.turn(PROMPT)
    shown: set[str] = set()
    for _ in range(2):
        new = functions_in(chat.turn("Look at src/steps.py once more, please."))
        assert new
        assert not new & shown
        shown |= new


def test_a_file_named_again_and_again_is_answered_until_all_of_it_was_sent(
    start_chat: StartChat, shop: Repository
) -> None:
    functions = "\n\n".join(f"def step_{n:02}(cart):\n    return cart.items[{n}] + {'a' * 60}_{n}\n" for n in range(60))
    shop.commit({"src/steps.py": f'"""Steps of an order."""\n\n\n{functions}'}, "Add steps")
    chat = start_chat("codex")
    shown = list(functions_in(chat.turn(PROMPT)))
    while new := functions_in(chat.turn("Look at src/steps.py once more, please.")):
        shown += new
    assert sorted(shown) == [f"step_{n:02}" for n in range(60)]


def test_a_file_of_which_the_agent_read_a_part_is_answered_when_the_prompt_names_it(
    start_chat: StartChat, shop: Repository
) -> None:
    long_module(shop)
    chat = start_chat("codex")
    path = shop.path / "src/steps.py"
    part = read_part(path) | {"input": {"file_path": str(path), "offset": 1, "limit": 40}}
    chat.turn("Why does the mail go out twice?", lambda: [part])
    assert "step_" not in sent(chat.turn("and now fix it"))
    assert "step_17" in functions_in(chat.pre_run("What is step_17 in src/steps.py for?"))
    whole = start_chat("codex", sub_chat_id="whole")
    whole.turn("Why does the mail go out twice?", lambda: [read_part(path)], session="other")
    assert "step_" not in sent(whole.pre_run("What is step_17 in src/steps.py for?"))


def test_an_edit_of_a_region_that_the_session_has_arrives_as_a_hunk(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat("codex")
    chat.turn(PROMPT)
    text = (shop.path / "src/cart.py").read_text(encoding="utf-8")
    shop.write({"src/cart.py": text.replace("self.discount = percent", "self.discount = percent / 100")})
    second = chat.turn("Is src/cart.py right now?")
    assert "+        self.discount = percent / 100" in text_of(second, "delta")
    assert text_of(second, "context") == ""
    shop.commit(message="Divide")
    third = chat.turn("Is src/cart.py right now?")
    assert "def apply_discount" not in sent(third)


def test_the_windows_of_a_long_function_are_not_sent_again_after_the_agents_own_edit(
    start_chat: StartChat, shop: Repository
) -> None:
    steps = "".join(f"    cart.step_{n:02}(cart.items[{n}], 'step {n}')\n" for n in range(90))
    shop.commit({"src/settle.py": f"def settle_cart(cart):\n{steps}    return cart\n"}, "Settle carts")
    chat = start_chat("codex")
    assert "cart.step_89" in sent(chat.turn("Explain settle_cart in src/settle.py"))
    text = (shop.path / "src/settle.py").read_text(encoding="utf-8")
    edited = text.replace("cart.step_50(", "cart.log()\n    cart.step_50(")
    chat.turn("Log before step_50", lambda: [chat.edit("src/settle.py", edited)])
    shown = text_of(chat.pre_run("Rename log to note in settle_cart of src/settle.py"), "context")
    assert "cart.step_" not in shown


def test_what_a_run_was_given_of_a_file_is_known_although_its_agent_edited_the_file(
    start_chat: StartChat, shop: Repository
) -> None:
    chat = start_chat("codex")
    text = (shop.path / "src/cart.py").read_text(encoding="utf-8")
    edited = text.replace("self.discount = percent", "self.discount = percent / 100")
    first = chat.turn("Fix apply_discount in src/cart.py", lambda: [chat.edit("src/cart.py", edited)])
    assert "def apply_discount" in sent(first)
    assert "def apply_discount" not in sent(chat.pre_run("Is apply_discount in src/cart.py right now?"))


def test_thirteen_turns_on_one_subject_cost_a_tenth_of_sending_everything_each_time(
    start_chat: StartChat, shop: Repository
) -> None:
    long_module(shop)
    chat = start_chat()
    prompts = [PROMPT, *["and now fix it", "run the tests", "is the discount of the cart right?", "go on"] * 3]
    injected = baseline = 0
    for number, prompt in enumerate(prompts):
        if number % 4 == 3:
            shop.write({"src/mail.py": f"def send(address: str, body: str) -> None:\n    print({number})\n"})
        metadata = chat.turn(prompt)["metadata"]
        injected, baseline = injected + metadata["injectedBytes"], baseline + metadata["baselineBytes"]
    assert len(prompts) == 13
    assert injected <= 0.13 * baseline


def test_a_minified_file_that_the_prompt_names_is_shown_by_its_beginning(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.commit({"static/app.js": f"/* The shop */\nvar cart=1;{'next(cart);' * 3_000}\n"}, "Add the built page")
    lines = sent(start_chat("codex").pre_run("What does static/app.js do?")).splitlines()
    shown = lines[lines.index("static/app.js") + 1 :]
    assert shown[0] == "1| /* The shop */"
    assert shown[1].startswith("2| var cart=1;next(cart);")
    assert shown[1].endswith("…")
    assert len(shown[1]) < 300


def test_each_request_of_a_prompt_brings_its_file_beside_a_large_family_of_another(
    start_chat: StartChat, shop: Repository
) -> None:
    form = "".join(f"    order.note_{at} = 'the note {at} of the order form'\n" for at in range(40))
    shop.commit(
        {f"src/orders/{name}_order_form.py": f"def order_form_note(order):\n{form}" for name in "abcdefghij"}
        | {"src/jobs/stock_job.py": "def run() -> None:\n    print('stock counted')\n"}
    )
    prompt = "Add a note to the order form, then fix the address in mail, and update the stock job"
    text = text_of(start_chat().pre_run(prompt), "context")
    shown = {line.split(" ")[0] for line in text.splitlines() if line.startswith("src/")}
    assert {"src/mail.py", "src/jobs/stock_job.py"} <= shown, shown
    assert any(path.startswith("src/orders/") for path in shown), shown

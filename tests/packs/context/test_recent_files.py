"""A new conversation goes on where the project's last ones worked."""

from pathlib import Path

import pytest

from sidecar.codebase import RankedFile
from sidecar.packs import relevant_files
from sidecar.packs.related_files import NO_RECENT, with_recent_files
from sidecar.runs import RecentFile
from tests.support.conversation import kinds
from tests.support.repositories import Contents, Repository
from tests.support.shop import PROMPT, StartChat, explain, read_part, text_of

VOUCHERS: dict[str, Contents] = {
    "src/voucher.py": '"""Vouchers that customers redeem."""\n\n\ndef redeem(code: str) -> None:\n    print(code)\n',
    "src/stamp.py": '"""Stamps on parcels."""\n\nSTAMP = 1\n',
}


def use_vouchers(start_chat: StartChat, shop: Repository) -> None:
    """Edit one file and read another in a first conversation."""
    first = start_chat(sub_chat_id="first")

    def work() -> list[dict[str, object]]:
        edited = first.edit("src/voucher.py", "def redeem(code: str) -> None:\n    pass\n")
        return [edited, read_part(shop.path / "src/stamp.py")]

    first.turn("redeem must check the voucher's code", work)


@pytest.mark.parametrize("prompt", ["let's continue", "Which stamp does a voucher need?"])
def test_a_first_prompt_brings_what_the_last_conversation_edited(
    start_chat: StartChat, shop: Repository, prompt: str
) -> None:
    shop.commit(VOUCHERS)
    use_vouchers(start_chat, shop)
    chat = start_chat(sub_chat_id="second")
    before = chat.pre_run(prompt)
    assert "src/voucher.py" in text_of(before, "context")
    items = {item["item"]: item for item in explain(chat, before)["items"]}
    item = items["context:src/voucher.py"]
    assert "edited in an earlier conversation" in item["why"]
    assert {"usedRecently", "editedRecently"} <= item["score"].keys()


def test_a_prompt_about_other_files_leaves_out_what_was_edited_once(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(VOUCHERS)
    use_vouchers(start_chat, shop)
    assert "src/voucher.py" not in text_of(start_chat(sub_chat_id="second").pre_run(PROMPT), "context")


@pytest.mark.parametrize("prompt", ["hi", "perfect, thank you", "thanks, that is clear"])
def test_a_courtesy_brings_nothing_whatever_was_used_before(
    start_chat: StartChat, shop: Repository, prompt: str
) -> None:
    shop.commit({**VOUCHERS, "src/clear.py": "def clear():\n    pass\n"})
    use_vouchers(start_chat, shop)
    assert "context" not in kinds(start_chat(sub_chat_id="second").pre_run(prompt))


def test_without_earlier_conversations_a_vague_prompt_brings_nothing(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(VOUCHERS)
    assert "context" not in kinds(start_chat().pre_run("let's continue"))


def test_edits_that_this_worktree_does_not_have_lead_nowhere(
    start_chat: StartChat, shop: Repository, tmp_path: Path
) -> None:
    shop.commit(VOUCHERS)
    other = start_chat(sub_chat_id="first", cwd=shop.add_worktree(tmp_path / "other", "other").path)
    other.turn("redeem must check the voucher's code", lambda: [other.edit("src/voucher.py", "STAMPED = 'voucher'\n")])
    chat = start_chat(sub_chat_id="second")
    for prompt in ("let's continue", "Which stamp does a voucher need?"):
        assert "an earlier conversation" not in str(explain(chat, chat.pre_run(prompt))["items"]), prompt
    shop.commit({"src/voucher.py": "STAMPED = 'voucher'\n"})
    assert "src/voucher.py" in text_of(start_chat(sub_chat_id="third").pre_run("let's continue"), "context")


def test_a_prompt_that_names_nothing_brings_no_file_of_earlier_conversations(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.commit(VOUCHERS)
    use_vouchers(start_chat, shop)
    for number, prompt in enumerate(("good morning! how are you today?", "what should I work on next?")):
        assert "context" not in kinds(start_chat(sub_chat_id=f"chat {number}").pre_run(prompt)), prompt


def test_once_a_conversation_has_used_files_the_others_lead_nowhere(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(VOUCHERS)
    chat = start_chat(sub_chat_id="second")
    chat.turn(PROMPT, lambda: [read_part(shop.path / "src/cart.py")])
    use_vouchers(start_chat, shop)
    assert "src/voucher.py" not in text_of(chat.pre_run("go on, please"), "context")


def _ranked(*paths: str) -> list[RankedFile]:
    return [RankedFile(path, 10.0 - at, {"text": 10.0 - at}, (), ()) for at, path in enumerate(paths)]


def _recent(path: str, *, conversations: int = 1, is_edited: bool = False) -> RecentFile:
    return RecentFile(path=path, conversations=conversations, is_edited=is_edited)


def test_files_of_earlier_conversations_are_ordered_by_how_likely_they_are_used_again() -> None:
    found = _ranked(*(f"{name}.py" for name in "abcdefghijkl"))
    recent = [_recent("far.py"), _recent("l.py"), _recent("b.py"), _recent("x.py", conversations=2, is_edited=True)]
    files, likely = with_recent_files(found[:8], found, recent)
    assert [file.path.removesuffix(".py") for file in files] == [*"bacdefgh", *"lx"]
    assert likely.paths == ("b.py", "l.py", "x.py")  # a file read once that does not match is left out
    for file in files:
        assert file.score == pytest.approx(sum(file.parts.values()))


def test_files_of_earlier_conversations_that_match_less_than_many_others_are_left_out() -> None:
    found = _ranked(*(f"{number}.py" for number in range(60)))
    recent = [_recent("9.py"), _recent("59.py"), _recent("edited.py", is_edited=True)]
    assert with_recent_files(found[:8], found, recent)[1].paths == ("9.py",)
    assert with_recent_files([], (), recent)[1].paths == ("edited.py",)  # the prompt leads nowhere else
    generated = [_recent("lib/gen/strings.g.dart", conversations=2, is_edited=True)]
    assert with_recent_files([], (), generated) == ([], NO_RECENT), "a program writes it"


def test_the_best_files_that_only_match_are_pointed_at_beside_those_of_earlier_conversations() -> None:
    used, found = [f"used{number}.py" for number in range(8)], [f"found{number}.py" for number in range(6)]
    best_files = vars(relevant_files)["_best_files"]
    pointed = [file.path for file in best_files(_ranked(*used, *found), used)]
    assert pointed == used[: relevant_files.BEST_FILES] + found[: relevant_files.BEST_FOUND]


def test_without_earlier_conversations_the_files_stay_as_they_are() -> None:
    found = _ranked("a.py", "b.py", "c.py")
    assert with_recent_files(found, found, []) == (found, NO_RECENT)


def test_only_the_best_matches_among_files_of_earlier_conversations_lead() -> None:
    recent = [_recent(f"{name}.py", conversations=2, is_edited=True) for name in "bcdx"]
    found = [
        RankedFile(f"{name}.py", score, {"text": score}, (), ())
        for name, score in zip("abcd", (9, 8, 5, 4), strict=True)
    ]
    files, likely = with_recent_files(found[:3], found, recent)
    assert likely.leading == ("b.py",), "the third is far behind the best"
    assert likely.further == ("d.py", "x.py"), "the prompt alone brings neither"
    assert [file.path for file in files[-2:]] == ["d.py", "x.py"]
    assert with_recent_files([], (), recent)[1].leading == likely.paths, "nothing else is found"
    assert with_recent_files(found[:3], found, recent, goes_on=True)[1].leading == likely.paths


def test_a_prompt_about_something_else_leads_with_what_it_is_about(start_chat: StartChat, shop: Repository) -> None:
    parcels: dict[str, Contents] = {
        f"src/parcel_{name}.py": f"def {name}_of_parcel(parcel: object) -> int:\n    return len(str(parcel))\n"
        for name in ("weight", "height", "width", "length")
    }
    shop.commit({**VOUCHERS, **parcels})
    use_vouchers(start_chat, shop)
    text = text_of(start_chat(sub_chat_id="second").pre_run("the weight of a parcel is wrong"), "context")
    shown = [line.split(" ")[0] for line in text.splitlines() if line.startswith("src/")]
    assert shown[0] == "src/parcel_weight.py"
    assert "src/voucher.py" in shown[1:], "what was edited comes after it"

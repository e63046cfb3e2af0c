"""`continuity/preRun` from the host's view: passthrough, blocks, costs and explanation."""

import re
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sidecar.language.notes_block import REQUEST as NOTES_REQUEST
from tests.support.conversation import Conversation, bash, sent
from tests.support.depth import examples, sample
from tests.support.mac import put_into_cloud
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, explain, set_settings, text_of


@pytest.mark.parametrize(
    ("prompt", "changes", "reason"),
    [
        ("/compact", {}, "slashCommand"),
        (" \n\t/review the cart\r\n", {}, "slashCommand"),
        (f"{PROMPT} \u202e\r\n", {"isLocalModel": True}, "localModel"),
        (f"  {PROMPT}\r\n\0é", {"deadlineMs": 1}, "deadline"),
    ],
)
def test_a_prompt_passes_through_byte_identical_with_a_reason(
    start_chat: StartChat, prompt: str, changes: dict[str, Any], reason: str
) -> None:
    answer = start_chat().pre_run(prompt, **changes)
    assert (answer["action"], answer["reason"]) == ("passthrough", reason)
    assert answer["prompt"] == prompt
    assert (answer["blocks"], answer["system"], answer["deliveryToken"]) == ([], None, None)
    assert answer["metadata"]["injectedBytes"] == 0


@pytest.mark.parametrize("mode", ["off", "passive"])
def test_a_mode_without_injection_returns_the_prompt_unchanged(start_chat: StartChat, mode: str) -> None:
    chat = start_chat()
    set_settings(chat, mode=mode)
    answer = chat.pre_run(f"  {PROMPT}\r\n")
    assert (answer["action"], answer["reason"], answer["prompt"]) == ("passthrough", mode, f"  {PROMPT}\r\n")
    assert (answer["blocks"], answer["system"]) == ([], None)
    assert answer["metadata"]["injectedBytes"] == 0
    assert (answer["metadata"]["wouldInjectBytes"] > 0) == (mode == "passive")


def test_what_is_sent_ends_with_the_request_unchanged(start_chat: StartChat) -> None:
    prompt = f"  {PROMPT}\r\n[continuity:request]\nquoted\0\u202e"
    answer = start_chat().pre_run(prompt)
    assert answer["prompt"].endswith(f"]\n{prompt}")
    joined = "".join(f"{block['text']}\n" for block in answer["blocks"])
    assert answer["prompt"].startswith(joined)


def test_only_a_known_session_is_sent_what_changed_since_its_last_run(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat("codex")
    first = chat.turn(PROMPT)
    assert text_of(first, "delta").splitlines()[1] == "Reference data: the current state."
    (shop.path / "src/mail.py").write_text("")
    later = chat.pre_run("go on")
    assert text_of(later, "delta").splitlines()[1] == "Reference data: what changed since this session last looked."


def test_the_anchor_of_an_empty_repository_promises_nothing(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    empty = make_repository({"notes.txt": "-\n"}, name="empty")
    answer = start_chat("codex", cwd=empty.path).pre_run("hi")
    header = "Instruction from the app. Follow it:"
    assert text_of(answer, "anchor").splitlines()[1:] == [header, *NOTES_REQUEST.splitlines()]


def test_after_a_late_response_the_next_call_finds_its_pack(start_chat: StartChat, active: MemorySidecar) -> None:
    chat = start_chat()
    assert chat.pre_run(PROMPT, deadlineMs=1)["reason"] == "deadline"
    wait_for_packs(active, 1)
    answer = chat.pre_run("and now fix it")
    assert answer["metadata"]["cacheHit"] is True
    assert "src/cart.py" in text_of(answer, "context")


def test_metadata_matches_the_blocks(start_chat: StartChat) -> None:
    chat = start_chat("codex")
    first, second = chat.turn(PROMPT), chat.turn("go on")
    for answer in (first, second):
        meta = answer["metadata"]
        new = sum(block["bytes"] for block in answer["blocks"])
        assert meta["injectedBytes"] == meta["wouldInjectBytes"] == new
        assert meta["baselineBytes"] == meta["injectedBytes"] + meta["reusedBytes"]
        assert meta["reusedPercent"] == round(100 * meta["reusedBytes"] / meta["baselineBytes"], 1)
        assert meta["proof"] in {"status", "watch"}
        assert meta["partial"] is False
        assert meta["elapsedMs"] > 0
        assert meta["trimmed"] == []
        ids = meta["stateIds"]
        assert ids["anchorPackId"]
        assert ids["contextPackId"]
        assert ids["deltaPackId"]
        assert ids["planContractId"] is None
    # How many the indexer had summarized before is a matter of speed.
    assert first["metadata"]["fileMisses"] + first["metadata"]["fileHits"] > 0
    assert second["metadata"]["fileMisses"] == 0
    assert second["metadata"]["fileHits"] > 0
    assert first["metadata"]["stateIds"]["anchorPackId"] == first["blocks"][0]["id"]
    assert second["metadata"]["stateIds"]["anchorPackId"] == first["metadata"]["stateIds"]["anchorPackId"]
    assert second["metadata"]["reusedPercent"] > 80


def test_the_same_request_returns_the_same_bytes(start_chat: StartChat) -> None:
    first, second = start_chat(sub_chat_id="one").pre_run(PROMPT), start_chat(sub_chat_id="two").pre_run(PROMPT)
    assert (first["prompt"], first["system"]) == (second["prompt"], second["system"])


def test_plan_mode_has_its_contract_each_time(start_chat: StartChat) -> None:
    chat = start_chat(mode="plan")
    answers = [chat.turn(PROMPT), chat.turn("go on")]
    for answer in answers:
        plan = text_of(answer, "plan")
        assert f"Objective: {PROMPT}" in plan
        assert "change no file" in plan
        assert answer["metadata"]["stateIds"]["planContractId"]
    assert answers[0]["metadata"]["stateIds"]["planContractId"] == answers[1]["metadata"]["stateIds"]["planContractId"]
    before = chat.pre_run("go on")
    chat.post_run(before, todos=[{"content": "Fix the total", "status": "pending"}])
    after = chat.pre_run("go on")
    assert "- Fix the total (pending)" in text_of(after, "plan")
    ids = [answer["metadata"]["stateIds"]["planContractId"] for answer in (before, after)]
    assert ids[0] != ids[1]


def test_mentioned_files_and_folders_are_sent(start_chat: StartChat, shop: Repository) -> None:
    mentions = {
        "files": ["src/mail.py", str(shop.path / "src/invoice.py"), "src/../tests/test_cart.py"],
        "folders": ["docs/adr/"],
    }
    chat = start_chat()
    answer = chat.pre_run("What is this?", mentions=mentions)
    paths = ["docs/adr/0001-money.md", "src/invoice.py", "src/mail.py", "tests/test_cart.py"]
    assert [path for path in sorted(context_files(answer)) if path in paths] == paths
    whys = {item["item"]: item["why"] for item in explain(chat, answer)["items"]}
    assert all(whys[f"context:{path}"].startswith("mentioned") for path in paths)


def test_the_whole_workspace_may_be_mentioned(start_chat: StartChat, shop: Repository) -> None:
    for number, folder in enumerate((".", str(shop.path), f"{shop.path}/")):
        answer = start_chat(sub_chat_id=str(number)).pre_run("What is this?", mentions={"folders": [folder]})
        assert answer["metadata"]["trimmed"] == []
        assert "AGENTS.md" in context_files(answer)


def test_a_mention_outside_the_workspace_is_named_and_not_read(
    start_chat: StartChat, shop: Repository, tmp_path: Path
) -> None:
    (tmp_path / "outside.md").write_text("outside secret")
    (tmp_path / "shop-2").mkdir()
    (tmp_path / "shop-2" / "near.md").write_text("outside secret")
    (shop.path / "link.md").symlink_to(tmp_path / "outside.md")
    shop.write({".env": "TOKEN=1", "debug.log": "x"})
    wrong = ["../outside.md", str(tmp_path / "outside.md"), str(tmp_path / "shop-2/near.md"), "link.md", ".env"]
    wrong += ["debug.log", "src/nowhere.py", "/etc/passwd"]
    answer = start_chat().pre_run("What is this?", mentions={"files": wrong, "folders": ["..", "/", "nowhere"]})
    named = [omission["item"] for omission in answer["metadata"]["trimmed"]]
    assert set(wrong) | {"..", "/", "nowhere"} <= set(named)
    assert "outside secret" not in sent(answer)


def test_codexs_mention_markers_count_as_mentions(start_chat: StartChat) -> None:
    prompt = "What is @[file:local:src/mail.py] and @[folder:local:docs/adr] and @[file:local:src/gone.py]?"
    answer = start_chat("codex").pre_run(prompt)
    assert {"src/mail.py", "docs/adr/0001-money.md"} <= set(context_files(answer))
    assert "src/gone.py" in [omission["item"] for omission in answer["metadata"]["trimmed"]]
    assert answer["prompt"].endswith(prompt)


def context_files(answer: dict[str, Any]) -> list[str]:
    """The paths in a context pack, in order."""
    lines = text_of(answer, "context").splitlines()
    return [line.split(" ")[0] for line in lines if re.match(r"[\w./-]+\.\w+(?= |$)", line)]


CARTS = 22
"""With the other files too few for workers, whose start would be half of each test."""


def many_files(make_repository: Callable[..., Repository], *, changed: bool = True) -> Repository:
    body = "".join(f"def discount_total_{number}(cart: object) -> int:\n    return {number}\n" for number in range(60))
    files = {f"src/cart_{number:02}.py": body for number in range(CARTS)}
    others = {f"other/part_{number:03}.py": f"x = {number}\n" for number in range(70)}
    repository = make_repository({**files, **others, "notes.md": "What the totals ignore.\n"}, name="many")
    if changed:
        repository.write({f"src/cart_{number:02}.py": body.replace("return", "yield") for number in range(CARTS)})
    return repository


def test_the_token_modes_budget_is_used_and_never_exceeded(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    cwd = many_files(make_repository).path
    for mode, budget in (("low", 14_000), ("normal", 24_000), ("debug", 42_000)):
        answer = start_chat("codex", cwd=cwd, sub_chat_id=mode).pre_run(PROMPT, tokenMode=mode)
        assert sum(block["bytes"] for block in answer["blocks"]) <= budget, mode


def test_a_pack_cut_by_the_budget_stays_within_it_and_counts_what_is_missing(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    cwd = many_files(make_repository).path
    for mode, budget in product(("low", "normal", "debug"), (6_000, 8_000)):
        chat = start_chat("codex", cwd=cwd, sub_chat_id=f"{mode}-{budget}")
        set_settings(chat, budgets={mode: budget})
        answer = chat.pre_run(PROMPT, tokenMode=mode)
        assert any("over the" in omission["reason"] for omission in answer["metadata"]["trimmed"]), (mode, budget)
        assert budget * 0.5 <= answer["metadata"]["injectedBytes"] <= budget, (mode, budget)


def test_a_mode_with_more_tokens_shows_more_code(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    cwd = many_files(make_repository).path
    sizes = [
        len(text_of(start_chat(cwd=cwd).pre_run(PROMPT, tokenMode=mode), "context").encode())
        for mode in ("low", "normal", "debug")
    ]
    assert sizes == sorted(set(sizes))
    assert all(size <= limit for size, limit in zip(sizes, (7_373, 12_288, 21_504), strict=True))


def test_a_fuller_context_window_shows_less_code(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    cwd = many_files(make_repository, changed=False).path
    for used, share in ((0, 1.0), (40, 1.0), (41, 0.8), (60, 0.8), (75, 0.6), (76, 0.32)):
        chat = start_chat(cwd=cwd, sub_chat_id=f"chat-{used}")
        answer = chat.pre_run(PROMPT, usage={"usedTokens": used * 2_000, "maxTokens": 200_000})
        assert 12_288 * share * 0.7 <= len(text_of(answer, "context").encode()) <= 12_288 * share, used


@pytest.mark.parametrize(("provider", "limit"), sample([*product(("claude", "codex"), (1_000, 2_000, 5_000))], 3))
def test_new_bytes_per_call_are_capped_and_the_rest_follows_later(
    start_chat: StartChat, make_repository: Callable[..., Repository], provider: str, limit: int
) -> None:
    repository = many_files(make_repository)
    repository.commit({"AGENTS.md": "".join(f"- Never do number {number}.\n" for number in range(99))})
    repository.write({f"src/cart_{number:02}.py": "cart_total = True\n" * number for number in range(CARTS)})
    chat = start_chat(provider, cwd=repository.path)
    set_settings(chat, budgets={"newBytesPerCall": limit})
    shown: list[str] = []
    for _ in range(3):
        answer = chat.turn(PROMPT)
        new = answer["metadata"]["injectedBytes"]
        assert 0 < new <= limit or (new == 0 and shown)
        late = [
            omission["item"] for omission in answer["metadata"]["trimmed"] if "over the limit" in omission["reason"]
        ]
        assert late or shown
        shown += [line for line in text_of(answer, "context").splitlines() if line.startswith("src/")]
    assert "Never do number 1." in sent(chat.pre_run(PROMPT)) or provider == "codex"
    assert len(shown) == len(set(shown))


def test_a_budget_below_the_usual_anchor_is_respected(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"AGENTS.md": "".join(f"- Never do number {number}.\n" for number in range(99))})
    chat = start_chat()
    set_settings(chat, budgets={"low": 1_000})
    answer = chat.pre_run(PROMPT, tokenMode="low")
    assert 0 < answer["metadata"]["baselineBytes"] <= 1_000
    assert "Never do number 0." in answer["system"]["text"]


def test_files_the_host_injects_have_a_pointer_only(start_chat: StartChat) -> None:
    answer = start_chat().pre_run(PROMPT, hostInjects={"agentsMd": True})
    assert "floats" not in answer["system"]["text"]
    assert "AGENTS.md holds the project's instructions" in answer["system"]["text"]


SECRET = "MARKERSECRET7f3a"


def test_ignored_secret_and_binary_files_enter_nothing(
    start_chat: StartChat, shop: Repository, active: MemorySidecar
) -> None:
    shop.commit(
        {
            "config/service-account.json": f'{{"total_discount": "{SECRET}"}}',
            "id_rsa": f"{SECRET} cart total discount",
            "blob.bin": b"\0" + SECRET.encode(),
            "src/picture.dat": SECRET.encode(),
            "src/zero.py": b"cart total discount\0" + SECRET.encode(),
            "src/key.py": f'API_TOKEN = "{SECRET}-1234"  # cart total discount\n',
        }
    )
    chat = start_chat()
    hidden = {
        ".env": f"CART_TOTAL={SECRET}\n",
        "cart-total-discount.log": SECRET,
        ".env.local": SECRET,
        "src/cart.pem": f"cart total discount {SECRET}",
        "src/new.py": f'password = "{SECRET}-new"  # cart total discount\n',
        "src/key.py": f'API_TOKEN = "{SECRET}-5678"  # cart total discount\n',
    }
    first = chat.pre_run(f"{PROMPT} See .env and src/key.py")
    shop.write(hidden)
    chat.post_run(first, assistant={"parts": [bash("make secrets", f"token = '{SECRET}-9999'\n1 failed in 0.1s\n")]})
    second = chat.pre_run(f"{PROMPT} See .env", mentions={"files": list(hidden)})
    everything = str((first, second, explain(chat, first), explain(chat, second)))
    for listed in chat.client.request("artifact/list", {"projectPath": str(shop.path)})["artifacts"]:
        everything += str(chat.artifact(listed["id"]))
    assert "src/new.py" in everything
    assert SECRET not in everything
    assert SECRET.casefold() not in stored_rows(active).casefold()


def stored_rows(sidecar: MemorySidecar) -> str:
    """Every row of the state file."""
    assert sidecar.app.process is not None
    with sidecar.app.process.database.read() as tx:
        tables = [name for (name,) in tx.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        rows = {name: list(tx.execute(f"SELECT * FROM {name}")) for name in tables}
    return str(rows)


def state_of(sidecar: MemorySidecar) -> str:
    """Everything in the state folder, as text in lower case; blocks are compressed and checked through explain."""
    assert sidecar.app.process is not None
    folder = sidecar.app.process.state_dir
    return "".join(path.read_bytes().decode("latin-1").casefold() for path in folder.rglob("*") if path.is_file())


def test_a_secret_in_the_prompt_never_reaches_the_state_file(start_chat: StartChat, active: MemorySidecar) -> None:
    secrets = ["sk-live-markersecret7f3a99", "ghp_markersecret7f3aabcdefghijklmnopqrst"]
    prompt = f'{PROMPT} My key is {secrets[0]}, password = "markersecret7f3a" and the token {secrets[1]} is old.'
    chat = start_chat()
    chat.turn(prompt, lambda: [chat.edit("src/cart.py", "x = 1\n")], text=f"I used {secrets[0]}.")
    chat.turn(f"use {secrets[1]} now", text=f"{secrets[1]} works.")
    chat.pre_run("/login " + secrets[0])
    assert "markersecret7f3a" not in state_of(active)


def test_the_raw_prompt_is_not_stored(start_chat: StartChat, active: MemorySidecar) -> None:
    chat = start_chat()
    chat.turn(f"{PROMPT} " + "x " * 200 + "Grandmother said: never ever sell the blue vase, my dear.")
    assert "never ever sell the blue vase" not in state_of(active)


def test_a_huge_difference_is_cut_to_whole_lines_within_the_budget(start_chat: StartChat, shop: Repository) -> None:
    shop.write(
        {
            "src/cart.py": "".join(f"line_{number} = {number}\n" for number in range(60_000)),
            "src/mail.py": "x = '" + "a.b-" * 250_000 + "'\n",
            "src/wide.py": "é漢😀" * 100_000,
        }
    )
    answer = start_chat().pre_run(PROMPT, deadlineMs=20_000)
    delta = text_of(answer, "delta")
    assert answer["metadata"]["partial"] is False
    assert len(delta.encode()) < 24_000
    assert "unstaged: src/cart.py +60000" in delta
    assert "more lines" in delta
    assert all(len(line) < 400 for line in delta.splitlines())
    assert "untracked: src/wide.py" in delta


def test_thousands_of_changed_files_are_summarized(start_chat: StartChat, shop: Repository) -> None:
    count = examples(2_000, 1_100)
    shop.write({f"gen/module_{number:04}.py": f"x = {number}\n" for number in range(count)})
    chat = start_chat()
    first = chat.turn(PROMPT)
    delta = text_of(first, "delta")
    assert f"{count - 40:,} more changed files" in delta
    assert first["metadata"]["injectedBytes"] <= 24_000
    assert not text_of(chat.turn("go on"), "delta")
    shop.write({"gen/module_1050.py": "x = 0\n"})
    again = text_of(chat.turn("go on"), "delta")
    assert f"{count - 40:,} more changed files, new or changed again: gen/module_1050.py\n" in again
    assert len(again.encode()) < 200


def test_explain_shows_each_items_disposition_and_the_same_bytes(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    chat = start_chat(cwd=many_files(make_repository).path)
    set_settings(chat, tokenMode="low", budgets={"low": 6_000})
    first = chat.turn(PROMPT, session="s")
    second = chat.turn("and now fix it")
    for answer in (first, second):
        found = explain(chat, answer)
        assert found["blocks"] == answer["blocks"]
        assert found["system"] == answer["system"]
        assert found["metadata"] == answer["metadata"]
        assert found["status"] == "committed"
        assert all(item["why"] for item in found["items"])
        dispositions = [item["disposition"] for item in found["items"]]
        items = {item["item"] for item in found["items"]}
        trimmed = [omission for omission in answer["metadata"]["trimmed"] if omission["item"] in items]
        assert dispositions.count("trimmed") == len(trimmed)
        assert ("sent" in dispositions) == (answer is first)
    anchor = next(item for item in explain(chat, second)["items"] if item["kind"] == "anchor")
    assert (anchor["disposition"], anchor["bytes"]) == ("alreadyDelivered", len(first["system"]["text"].encode()))
    context = [item for item in explain(chat, first)["items"] if item["kind"] == "context"]
    assert all(item["score"] for item in context)
    assert chat.client.error("continuity/explain", {"runId": "unknown"}).data["kind"] == "notFound"


def test_explain_shows_what_passive_mode_would_have_sent(start_chat: StartChat) -> None:
    chat = start_chat()
    set_settings(chat, mode="passive")
    answer = chat.pre_run(PROMPT)
    found = explain(chat, answer)
    assert (found["action"], found["reason"]) == ("passthrough", "passive")
    new = len(found["system"]["text"].encode()) + sum(block["bytes"] for block in found["blocks"])
    assert new == answer["metadata"]["wouldInjectBytes"]


def wait_for_packs(sidecar: MemorySidecar, number: int) -> None:
    """Wait until this many packs are cached: a prefetch has no response of its own."""
    assert sidecar.app.process is not None
    for _ in range(400):
        with sidecar.app.process.database.read() as tx:
            if int(str(tx.execute("SELECT count(*) FROM continuity_pack_cache").get)) >= number:
                return
        time.sleep(0.02)
    raise AssertionError("no pack was made in time")


def test_candidates_that_match_less_are_never_fewer_than_none(start_chat: StartChat) -> None:
    first = start_chat()
    first.turn(PROMPT, lambda: [first.edit("src/cart.py", "def total() -> int:\n    return 1\n")])
    answer = start_chat(sub_chat_id="second").pre_run("go on")
    assert "src/cart.py" in text_of(answer, "context"), "a file of the conversation before"
    assert not [part for part in answer["metadata"]["trimmed"] if part["reason"].startswith("-")]


def test_on_macos_files_in_the_cloud_alone_are_read_only_if_the_prompt_names_them(
    active: MemorySidecar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Repository(tmp_path / "notes")
    folder.write({name: f"def {name[:-3]}_total():\n    return 1\n" for name in ("near.py", "far.py", "farther.py")})
    left = put_into_cloud(monkeypatch, folder.path / "far.py", folder.path / "farther.py")
    chat = Conversation(active.client, folder.path)
    active.client.request("codebase/index", {"cwd": str(folder.path)})
    text = sent(chat.turn("Explain near_total and far_total."))
    assert ("def near_total" in text, "def far_total" in text, len(left)) == (True, False, 2)
    text = sent(chat.pre_run("Explain far.py"))
    assert ("def far_total" in text, "def farther_total" in text) == (True, False)
    assert left == {(folder.path / "farther.py").stat().st_ino}

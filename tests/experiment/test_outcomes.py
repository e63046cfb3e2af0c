"""Outcomes of chats from what post-run receives, the guard, and the upper bound without an experiment."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from sidecar.capture.effects import is_lookup
from sidecar.language.message_intent import is_correction
from sidecar.settings import Suspension, resolve_layers
from tests.experiment.test_assignment import NAME, chat_in, roll_out
from tests.support.cases import together
from tests.support.conversation import Conversation, bash
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, read_part

HOUR_MS = 3_600_000
SECRET_WORDS = "the zebra crossing of marmalade"
EXTRA = {"type": "tool-Grep", "toolCallId": "g", "state": "result", "input": {"pattern": "discount"}}


def stored_runs(sidecar: MemorySidecar) -> list[dict[str, Any]]:
    assert sidecar.app.process is not None
    with sidecar.app.process.database.read() as tx:
        names = [
            str(name) for (name,) in tx.execute("SELECT name FROM pragma_table_info('continuity_experiment_runs')")
        ]
        found = list(tx.execute(f"SELECT {', '.join(names)} FROM continuity_experiment_runs ORDER BY run_id"))
    return [dict(zip(names, row, strict=True)) for row in found]


def work(chat: Conversation, *, reads: int = 3) -> list[dict[str, Any]]:
    cart = chat.cwd / "src" / "cart.py"
    lookups = [read_part(cart), EXTRA, bash("rg discount src | head -3", ""), bash("sed -n 1,9p src/mail.py", "")]
    edit = chat.edit(f"src/new_{chat.sub_chat_id}.py", "x = 1\n")
    return [*lookups[:reads], edit, read_part(cart), bash("pytest -q", "3 passed in 0.01s")]


def test_a_runs_measurements_are_stored_without_its_words(
    active: MemorySidecar, start_chat: StartChat, tmp_path: Path
) -> None:
    roll_out(active)
    chat = start_chat(sub_chat_id=chat_in("treated"))
    call = {"type": "tool_use", "id": "e", "name": "Edit", "input": {"file_path": "x"}}
    record = {"type": "assistant", "timestamp": "2026-03-01T09:30:20.000Z", "message": {"id": "m", "content": [call]}}
    transcript = tmp_path / "session.jsonl"
    transcript.write_bytes(orjson.dumps(record) + b"\n")
    usage = {"inputTokens": 10, "cacheCreationTokens": 5, "cacheReadTokens": 100, "outputTokens": 7, "costUsd": 0.5}
    chat.turn(f"{PROMPT} {SECRET_WORDS}", lambda: work(chat), usage=usage, transcriptPath=str(transcript))
    chat.turn(f"No, that is wrong. {PROMPT} {SECRET_WORDS}", lambda: [read_part(chat.cwd / "src" / "cart.py")])
    chat.turn(f"No, that is wrong! {PROMPT} {SECRET_WORDS}")

    first, second, third = sorted(stored_runs(active), key=lambda run: run["started_at_ms"] or run["run_id"])
    assert {name: first[name] for name in ("lookups", "lookups_before_edit", "edits", "edit_after_ms", "tests")} == {
        "lookups": 4, "lookups_before_edit": 3, "edits": 1, "edit_after_ms": 20_000, "tests": "passed",
    }  # fmt: skip
    assert (first["files_read"], first["files_read_again"], first["duration_ms"]) == (1, 1, 60_000)
    assert (first["input_tokens"], first["cached_tokens"], first["output_tokens"], first["cost_usd"]) == (
        15,
        100,
        7,
        0.5,
    )
    assert (first["corrections"], second["corrections"], third["repeated_prompts"]) == (0, 1, 1)
    assert (second["files_read_again"], second["input_tokens"], second["tests"]) == (1, None, None)
    units = active.client.request("rollout/status", {})
    stored = orjson.dumps([stored_runs(active), units]).decode()
    assert not any(word in stored for word in ("zebra", "cart", "discount", str(chat.cwd)))


def test_chats_are_compared_a_day_after_their_first_prompt(active: MemorySidecar, start_chat: StartChat) -> None:
    roll_out(active)
    chats = [start_chat(sub_chat_id=chat_in(arm, number)) for arm in ("treated", "control") for number in range(2)]
    for chat in chats:
        reads = 1 if chat.sub_chat_id in (chat_in("treated"), chat_in("treated", 1)) else 3
        chat.turn(PROMPT, lambda chat=chat, reads=reads: work(chat, reads=reads))
    chats[0].pre_run("go on", continuityMode="active")

    def experiment() -> Any:
        return active.client.request("metrics/summary", {})["experiment"]

    assert (experiment()["treated"], experiment()["waiting"], experiment()["left"]) == (0, 3, 1)
    active.clock.advance(25 * HOUR_MS)
    chats[1].turn("a day later", lambda: work(chats[1]))
    after = experiment()
    assert [after[name] for name in ("name", "shares", "treated", "control", "waiting")] == [NAME, [50], 1, 2, 0]
    reads = after["outcomes"][0]
    assert (reads["name"], reads["treated"], reads["control"]) == ("readsBeforeEdit", 1.0, 3.0)
    assert reads["sentence"] == "Reads before the first edit: not known yet, 3 chats are too few."
    assert after["advice"]["verdict"] == "hold"
    reported = active.client.request("state/report", {})
    assert (reported["experiment"], reported["nextStep"]["sentence"]) == (after, after["advice"]["sentence"])
    page = Path(reported["path"]).read_text(encoding="utf-8")
    assert "<td>Not known yet, 3 chats are too few.</td>" in page
    assert "<svg" in page


def test_control_chats_that_open_stored_context_are_reported(active: MemorySidecar, start_chat: StartChat) -> None:
    roll_out(active)
    memory = start_chat().cwd / ".chati" / "memories" / "shared" / "a.md"
    tool = {"type": "tool-mcp__onecode__search_memory", "toolCallId": "m", "state": "result", "input": {}}
    for number, parts in enumerate(([read_part(memory)], [tool], [EXTRA])):
        start_chat(sub_chat_id=chat_in("control", number)).turn(PROMPT, lambda parts=parts: parts)
    leakage = active.client.request("rollout/status", {})["experiment"]["leakage"]
    assert (leakage["controlChats"], leakage["storedMemories"], leakage["leakedChats"]) == (2, 0, 0)


def test_what_treated_chats_stored_is_marked_and_its_way_into_control_chats_is_reported(
    active: MemorySidecar, start_chat: StartChat
) -> None:
    roll_out(active)

    def stored(arm: str) -> str:
        chat = start_chat(sub_chat_id=chat_in(arm))
        answer = chat.turn(f"Remember: we never use floats for {arm} money. {PROMPT}", lambda: work(chat))
        return str(answer["after"]["remembered"][0]["id"])

    ids = {arm: stored(arm) for arm in ("treated", "control")}
    for number, memory_id in enumerate((ids["control"], ids["treated"]), 1):
        found = {"type": "tool-mcp__onecode__search_memory", "toolCallId": "m", "state": "result", "input": {}}
        found["output"] = {"text": f"{memory_id}: never use floats"}
        start_chat(sub_chat_id=chat_in("control", number)).turn(PROMPT, lambda found=found: [found])
    leakage = active.client.request("rollout/status", {})["experiment"]["leakage"]
    assert (leakage["storedMemories"], leakage["controlChats"], leakage["leakedChats"]) == (1, 2, 1)
    assert leakage["sentence"].endswith("; 1 of them reached something that a treated chat stored.")


def fail(start_chat: StartChat, arm: str, number: int, outcome: str = "error", *, share: int = 5) -> None:
    chat = start_chat(sub_chat_id=chat_in(arm, number, share=share))
    chat.post_run(chat.pre_run(PROMPT), PROMPT, outcome=outcome)


@pytest.mark.parametrize("outcome", ["error", "aborted"])
def test_the_guard_suspends_a_rollout_that_does_harm(
    outcome: str, active: MemorySidecar, start_chat: StartChat
) -> None:
    roll_out(active, 5)

    def suspended() -> Any:
        return active.client.request("rollout/status", {})["rollout"]["suspended"]

    for number in range(3):
        fail(start_chat, "treated", number, outcome)
    assert suspended() is None
    fail(start_chat, "treated", 3, outcome)
    assert "4 of them and in 0 others" in suspended()["reason"]
    answer = start_chat(sub_chat_id=chat_in("treated", 4, share=5)).pre_run(PROMPT)
    assert (answer["action"], answer["metadata"]["rollout"]["decidedBy"]) == ("passthrough", "suspension")
    assert start_chat(sub_chat_id="wanted by its user").pre_run(PROMPT, continuityMode="active")["action"] == "inject"
    assert active.client.request("state/status", {})["mode"] == "active"
    assert active.client.request("state/report", {})["nextStep"]["verdict"] == "wait"

    active.clock.advance(1)
    assert active.client.request("rollout/resume", {})["rollout"]["suspended"] is None
    assert start_chat(sub_chat_id=chat_in("treated", 5, share=5)).pre_run(PROMPT)["action"] == "inject"
    fail(start_chat, "treated", 3, outcome)
    assert suspended() is None, "chats from before no longer count"


def test_failures_in_both_arms_suspend_nothing(active: MemorySidecar, start_chat: StartChat) -> None:
    roll_out(active)
    for number in range(5):
        fail(start_chat, "treated", number, share=50)
        fail(start_chat, "control", number, share=50)
    assert active.client.request("rollout/status", {})["rollout"]["suspended"] is None


def test_slow_pre_runs_suspend_a_rollout(
    active: MemorySidecar, start_chat: StartChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecar.experiment.rollout.RECENT_PRE_RUNS", 4)
    monkeypatch.setattr("sidecar.experiment.rollout.SLOW_MS", 0.0)
    roll_out(active)
    chat = start_chat(sub_chat_id=chat_in("treated"))
    for number in range(4):
        assert active.client.request("rollout/status", {})["rollout"]["suspended"] is None
        chat.turn(f"{PROMPT} {number}")
    reason = active.client.request("rollout/status", {})["rollout"]["suspended"]["reason"]
    assert reason == "4 of the last 4 pre-runs took longer than 0 ms."


def test_the_newest_stop_or_resumption_holds() -> None:
    def is_stopped(of_all: Suspension, of_project: Suspension) -> bool:
        name = "rollout.suspended"
        settings = resolve_layers([("global", {name: of_all}), ("project", {name: of_project})])
        return settings.suspension is not None

    assert is_stopped(Suspension("harm", 5), Suspension("", 3))
    assert not is_stopped(Suspension("harm", 5), Suspension("", 7))
    assert is_stopped(Suspension("", 5), Suspension("harm", 7))


def test_old_outcomes_are_deleted(active: MemorySidecar, start_chat: StartChat) -> None:
    roll_out(active)
    start_chat(sub_chat_id=chat_in("treated")).turn(PROMPT)
    active.clock.advance(401 * 24 * HOUR_MS)
    start_chat(sub_chat_id=chat_in("control")).turn(PROMPT)
    rollout = active.client.request("rollout/status", {})["rollout"]
    assert (rollout["treated"], rollout["control"], len(stored_runs(active))) == (0, 1, 1)


def test_without_an_experiment_an_upper_bound_is_estimated(
    active: MemorySidecar, start_chat: StartChat, shop: Repository
) -> None:
    active.client.request("settings/update", {"settings": {"mode": "passive"}})
    chat, cart = start_chat(), shop.path / "src" / "cart.py"
    before = chat.pre_run(PROMPT)
    beyond = {**read_part(cart), "input": {"file_path": str(cart), "offset": 900, "limit": 10}}
    parts = [read_part(shop.path / "Makefile"), beyond, read_part(cart), read_part(cart)]
    chat.post_run(before, PROMPT, assistant={"text": "Done.", "parts": parts})

    summary = active.client.request("metrics/summary", {})
    assert summary["active"]["estimate"] is None
    estimate = summary["passive"]["estimate"]
    assert (estimate["runs"], estimate["reads"], estimate["avoidableReads"]) == (1, 4, 1)
    items = active.client.request("continuity/explain", {"runId": before["runId"]})["items"]
    shown = next(item["bytes"] for item in items if item["item"] == "context:src/cart.py")
    assert estimate["avoidableBytes"] == pytest.approx(shown, abs=1)
    assert estimate["avoidableCarriedBytes"] == pytest.approx(2 * shown, abs=2)
    assert estimate["packCarriedBytes"] == 5 * before["metadata"]["wouldInjectBytes"] == 5 * estimate["packBytes"]
    assert estimate["carriedTokens"] > estimate["carriedTokensCached"] > 0


@together(
    ("line", "expected"),
    [
        ("cat src/cart.py", True),
        ("cd src && rg -n discount | head", True),
        ("git grep discount", True),
        ("ls -la", True),
        ("sed -i s/a/b/ src/cart.py", False),
        ("git status", False),
        ("pytest -q | tail -5", False),
        ("echo done", False),
    ],
)
def test_shell_counterparts_of_lookups(line: str, expected: bool) -> None:
    assert is_lookup(line) is expected


@together(
    ("message", "expected"),
    [
        ("No, use pnpm instead.", True),
        ("that's not what I asked for", True),
        ("It still fails with the same error", True),
        ("Why did you delete the tests?", True),
        ("You forgot the changelog", True),
        ("Das funktioniert immer noch nicht", True),
        ("Нет, не так", True),
        ("まだ動きません", True),
        ("还是报错", True),
        ("Same issue. The settings page is empty.", True),
        ("I pressed the button and nothing happened", True),
        ("Je n'arrive pas à ouvrir le menu", True),
        ("no me deja elegir la moneda", True),
        ("No objection, go on", False),
        ("no problem, go on", False),
        ("Add a button that starts the export", False),
        ("continue", False),
        ("Great, please implement that then.", False),
        ("> no, that is wrong\n\nAdd a page for it.", False),
    ],
)
def test_corrections_by_the_user(message: str, expected: bool) -> None:
    assert is_correction(message) is expected

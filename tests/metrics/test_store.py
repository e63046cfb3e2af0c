"""Measures: sums by day, project, provider and mode, and the figures computed from them."""

import time
from pathlib import Path
from typing import Any

import pytest

from sidecar.daily_metrics import count_call, roll_up, totals
from sidecar.packs import collect_inputs
from sidecar.storage.database import Database, open_state
from tests.support.clock import STARTS_AT_MS
from tests.support.conversation import sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, active, set_settings, shop, start_chat
from tests.support.thresholds import Thresholds

__all__ = ["active", "shop", "start_chat"]

DAY_MS = 86_400_000


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_state(tmp_path / "state", STARTS_AT_MS).database


def test_observations_of_a_day_add_up_by_project_provider_and_ledger(database: Database) -> None:
    with database.write() as tx:
        for project, provider, shadow, value in (
            ("p", "claude", False, 1.5),
            ("p", "claude", False, 2.0),
            ("p", "codex", False, 4.0),
            ("p", "claude", True, 8.0),
            ("q", "claude", False, 16.0),
        ):
            count_call(tx, project, provider, shadow=shadow, now_ms=STARTS_AT_MS, measures={"bytes": value, "calls": 1})
        count_call(tx, "p", "claude", shadow=False, now_ms=STARTS_AT_MS - 3 * DAY_MS, measures={"bytes": 32.0})
    with database.read() as tx:
        assert totals(tx, "p", "2026-03-01") == {
            (False, "bytes"): 7.5,
            (False, "calls"): 3,
            (True, "bytes"): 8.0,
            (True, "calls"): 1,
        }
        assert totals(tx, None, "2026-03-01")[False, "bytes"] == 23.5
        assert totals(tx, "p", "2026-02-26")[False, "bytes"] == 39.5
        assert totals(tx, "nobody", "2026-01-01") == {}


def test_the_summary_separates_modes_and_excludes_older_days(
    start_chat: StartChat, active: MemorySidecar, shop: Repository
) -> None:
    chat = start_chat()
    set_settings(chat, mode="passive")
    first = chat.turn(PROMPT)
    set_settings(chat, mode="active")
    second, third = chat.turn(PROMPT), chat.turn("go on")
    params = {"projectPath": str(shop.path), "days": 1}
    figures = chat.client.request("metrics/summary", params)
    assert figures["passive"]["calls"] == 1
    assert figures["active"]["calls"] == 2
    assert figures["passive"]["injectedBytesPerTurn"] == first["metadata"]["wouldInjectBytes"]
    sent = [answer["metadata"]["injectedBytes"] for answer in (second, third)]
    baseline = [answer["metadata"]["baselineBytes"] for answer in (second, third)]
    assert figures["active"]["injectedBytesPerTurn"] == round(sum(sent) / 2, 1)
    assert figures["active"]["reduction"] == round(1 - sum(sent) / sum(baseline), 4)
    active.clock.advance(DAY_MS)
    assert chat.client.request("metrics/summary", params)["active"]["calls"] == 0


def test_a_passthrough_without_packs_is_not_a_call(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.pre_run("/compact")
    chat.pre_run(PROMPT, isLocalModel=True)
    assert chat.client.request("metrics/summary", {})["active"]["calls"] == 0


def test_the_series_is_the_summary_by_day_project_and_provider(
    start_chat: StartChat, active: MemorySidecar, shop: Repository
) -> None:
    def series(**params: Any) -> Any:
        return active.client.request("metrics/series", {"projectPath": str(shop.path), **params})

    def summary(**params: Any) -> Any:
        return active.client.request("metrics/summary", {"projectPath": str(shop.path), **params})

    chat, other = start_chat(), start_chat("codex", sub_chat_id="other")
    chat.turn(PROMPT)
    active.clock.advance(2 * DAY_MS)
    chat.turn("go on")
    other.turn(PROMPT)
    set_settings(chat, mode="passive")
    other.turn("go on")

    result = series()
    assert [(point["day"], point["provider"]) for point in result["points"]] == [
        ("2026-03-01", "claude"), ("2026-03-03", "claude"), ("2026-03-03", "codex"),
    ]  # fmt: skip
    assert result["points"][2] == {
        "day": "2026-03-03", "project": result["points"][0]["project"], "provider": "codex",
        "active": summary(provider="codex")["active"], "passive": summary(provider="codex")["passive"],
    }  # fmt: skip
    assert result["points"][0]["passive"] is None
    assert [day["day"] for day in result["days"]] == ["2026-03-01", "2026-03-03"]
    assert result["days"][1]["active"] == summary(days=1)["active"]
    assert series(provider="codex")["points"] == result["points"][2:]
    assert series(days=1)["points"] == result["points"][1:]
    assert series(projectPath=str(shop.path.parent))["points"] == []


def test_days_beyond_the_retention_become_one_sum_outside_the_series(database: Database) -> None:
    with database.write() as tx:
        for days_ago in (0, 1, 2, 3):
            at_ms = STARTS_AT_MS - days_ago * DAY_MS
            count_call(tx, "p", "claude", shadow=False, now_ms=at_ms, measures={"calls": 10.0**days_ago})
        roll_up(tx, STARTS_AT_MS, 2)
        roll_up(tx, STARTS_AT_MS, 2)
        roll_up(tx, STARTS_AT_MS + DAY_MS, 2)
    with database.read() as tx:
        assert totals(tx, "p", "2026-01-01") == {(False, "calls"): 1}
        assert totals(tx, "p", "") == {(False, "calls"): 1_111}
        assert tx.execute("SELECT count(*) FROM continuity_metrics").get == 2


def test_a_run_sums_days_older_than_four_hundred(start_chat: StartChat, active: MemorySidecar) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    active.clock.advance(399 * DAY_MS)
    chat.turn("go on")
    assert _days(active) == ["2026-03-01", "2027-04-04"]
    active.clock.advance(DAY_MS)
    chat.turn("go on")
    assert _days(active) == ["", "2027-04-04", "2027-04-05"]


def _days(sidecar: MemorySidecar) -> list[str]:
    assert sidecar.app.process is not None
    with sidecar.app.process.database.read() as tx:
        return [day for (day,) in tx.execute("SELECT DISTINCT day FROM continuity_metrics ORDER BY day")]


def test_passthrough_reasons_brackets_and_governor_decisions_are_counted(
    start_chat: StartChat, thresholds: Thresholds
) -> None:
    chat = start_chat()
    thresholds(turns=(1, 0.25), diffLines=(100_000, 280))
    chat.pre_run("/compact")
    for prompt, used in ((PROMPT, 130_000), ("go on", 20_000)):
        chat.post_run(chat.pre_run(prompt, usage={"usedTokens": used, "maxTokens": 200_000}))
    figures = chat.client.request("metrics/summary", {})["active"]
    assert figures["passedThrough"] == {"slashCommand": 1}
    assert figures["brackets"] == {"DEPLETED": 1, "FRESH": 1}
    assert sum(figures["governor"].values()) == 2
    assert figures["governor"]["snapshot"] >= 1
    assert figures["governorReasons"]["turns"] == 1
    assert figures["governorSuppressed"] == {"rehydrate": 1}
    assert figures["outcomes"] == {"completed": 2}
    assert figures["elapsedMsP50"] <= figures["elapsedMsP95"] <= figures["elapsedMsP99"]


def test_prompts_without_a_pack_are_counted_by_what_was_late(
    start_chat: StartChat, active: MemorySidecar, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = start_chat()
    with monkeypatch.context() as patched:
        patched.setattr(collect_inputs, "_build_pack", lambda *_: time.sleep(1))
        late = chat.pre_run(PROMPT, deadlineMs=500)
    assert {"item": "context", "reason": "deadline"} in late["metadata"]["trimmed"]
    assert "Notes for next time:" in sent(late)
    given_up = {
        "runId": "unrecorded", "deliveryToken": None, "cwd": str(shop.path), "projectPath": None, "mode": "agent",
        "startedAt": "2026-03-01T09:30:00.000Z",
    }  # fmt: skip

    def hook(event: str, **params: Any) -> None:
        given = {"session_id": "5f0c", "cwd": str(shop.path), "prompt": PROMPT}
        active.client.request("hook/run", {"event": event, "input": given, "timeLeftMs": 20_000, **params})

    hook("Stop", openRun=given_up)
    hook("UserPromptSubmit", runId="recorded")
    hook("Stop", openRun={**given_up, "runId": "recorded"})
    figures = active.client.request("metrics/summary", {})["active"]
    assert figures["withoutPack"] == {"deadline": 1, "hookGaveUp": 1}
    assert figures["passedThrough"] == {"hookGaveUp": 1}
    assert figures["calls"] == 2


def test_errors_are_counted_by_code_and_method_without_unknown_names(sidecar: MemorySidecar) -> None:
    client = sidecar.client
    assert sidecar.app.process is not None
    client.error("artifact/get", {"projectPath": "/", "id": "none"})
    client.error("artifact/get", {"projectPath": "/", "id": "none"})
    client.error("made/up", {})
    assert sidecar.app.scheduler.drain(5_000)  # an error is counted after its answer was sent
    sidecar.app.process.database.write_behind.flush()
    result = client.request("metrics/summary", {})["errors"]
    assert result == {"-32016 artifact/get": 2, "-32601 unknown": 1}
    assert client.request("metrics/series", {})["days"][0]["errors"] == result
    assert client.request("metrics/series", {})["points"] == []

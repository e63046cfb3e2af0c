"""The report in a real browser: its figures are the state file's, it loads nothing, and it is readable."""

import errno
import itertools
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

from sidecar.governor import evaluate_pressure
from sidecar.operations import methods
from sidecar.operations.number_format import dollars, format_bytes, milliseconds, percent, whole
from tests.support.browser import Browser, open_browser
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.process import ROOT
from tests.support.repositories import Repository, make_repository
from tests.support.shop import PROMPT, SHOP, read_part, set_settings
from tests.support.thresholds import set_thresholds
from tests.support.warm_process import run_python

DAY_MS = 86_400_000
CACHES = ("file", "search", "pack", "registry")
TABLE = """
const rows = [...document.querySelectorAll(arguments[0] + ' tbody tr')];
return rows.map(row => [...row.cells].map(cell => cell.textContent.trim()));
"""


class Reported(NamedTuple):
    sidecar: MemorySidecar
    shop: Repository
    path: Path
    answer: Any
    stored: Any = None
    """Background writes at the time the report was created."""

    def behind(self) -> dict[str, Any]:
        """Return what is written in the background."""
        caches = {name: f"count(*), coalesce(sum(bytes), 0) FROM continuity_{name}_cache" for name in CACHES}
        tiers = self.query("SELECT tier, count(*) FROM continuity_memories GROUP BY 1")
        return {"tiers": dict(tiers), **{name: self.query(f"SELECT {sql}")[0] for name, sql in caches.items()}}

    def query(self, sql: str, *bindings: Any) -> list[Any]:
        assert self.sidecar.app.process is not None
        with self.sidecar.app.process.database.read() as tx:
            return list(tx.execute(sql, bindings))

    def summary(self, **params: Any) -> Any:
        return self.sidecar.client.request("metrics/summary", params)


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reported]:
    """Three days: two providers, two projects, passive first, an error, a decided draft."""
    folder = tmp_path_factory.mktemp("reported")
    shop, other = (make_repository(folder / name, SHOP) for name in ("shop", "till & söhne &lt;b&gt;"))
    active = MemorySidecar(folder / "state")
    active.client.initialize(settings={"mode": "active"})
    usage = {
        "inputTokens": 900, "outputTokens": 400, "cacheReadTokens": 40_000, "cacheCreationTokens": 5_000,
        "costUsd": 0.25, "durationMs": 60_000,
    }  # fmt: skip
    chats = [
        Conversation(active.client, shop.path),
        Conversation(active.client, shop.path, provider="codex", sub_chat_id="second"),
        Conversation(active.client, other.path, sub_chat_id="third"),
    ]
    set_settings(chats[0], mode="passive")
    patch = pytest.MonkeyPatch()
    set_thresholds(patch, turns=(2, 12), files=(1, 18))
    for day in range(3):
        for number, chat in enumerate(chats):
            for turn, prompt in enumerate((PROMPT, "go on", "and the invoice?")):
                path = chat.cwd / "src" / f"made_{day}_{number}_{turn}.py"

                def work(path: Path = path) -> list[dict[str, Any]]:
                    path.write_text("".join(f"line_{number} = {number}\n" for number in range(130)))
                    write = {"type": "tool-Write", "toolCallId": path.name, "state": "result"}
                    written = {**write, "input": {"file_path": str(path), "content": path.read_text()}}
                    return [read_part(path.parent / "cart.py"), written]

                before = chat.pre_run(prompt, usage={"usedTokens": 60_000 * turn, "maxTokens": 200_000})
                chat.post_run(before, prompt, assistant={"parts": work()}, usage=usage)
        active.clock.advance(DAY_MS)
        set_settings(chats[0], mode="active")
    chats[0].pre_run("/compact")
    active.client.error("artifact/get", {"projectPath": str(shop.path), "id": "none"})
    drafts = active.client.request("artifact/list", {"projectPath": str(shop.path)})["artifacts"]
    chats[0].decide("accept", drafts[0]["id"])
    active.client.request("memory/add", {"cwd": str(shop.path), "title": "Money", "text": "Cents.", "type": "decision"})
    made = Reported(active, shop, folder / "state/report.html", None)
    for _ in range(40):  # the latest edits are still being indexed in the background
        before = made.behind()
        answer = active.client.request("state/report", {})
        if before == made.behind():
            break
        time.sleep(0.25)
    else:
        raise AssertionError("the state does not come to rest")
    yield made._replace(answer=answer, stored=before)
    patch.undo()
    evaluate_pressure.cache_clear()
    active.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory.mktemp("browser")) as entry:
        yield entry


def test_the_figures_on_the_page_are_those_of_the_state_file(reported: Reported, browser: Browser) -> None:
    browser.show(reported.path)
    summed = reported.summary()
    rows = {row[0]: row[1:] for table in ("#figures-packs", "#figures-runs") for row in browser.run(TABLE, table)}
    for name, member, write in (
        ("Prompts", "calls", whole),
        ("Packs from the cache, follow-ups", "followUpHitRate", percent),
        ("Packs from the cache, all prompts", "cacheHitRate", percent),
        ("File summaries from the cache", "fileHitRate", percent),
        ("Bytes per turn", "injectedBytesPerTurn", format_bytes),
        ("Bytes per turn with full packs", "baselineBytesPerTurn", format_bytes),
        ("Reduction", "reduction", percent),
        ("Precision of packs", "precision", percent),
        ("Recall of packs", "recall", percent),
        ("Pre-run, 95th percentile", "elapsedMsP95", milliseconds),
        ("Runs", "runs", whole),
        ("Artifacts drafted", "drafts", whole),
        ("Tokens saved (estimate)", "savedTokens", whole),
        ("Dollars saved (estimate)", "savedUsd", dollars),
        ("Tokens reported by hosts", "tokens", whole),
        ("Dollars reported by hosts", "costUsd", dollars),
    ):
        assert rows[name] == [write(summed["active"][member]), write(summed["passive"][member])], name
    assert rows["Prompts"] == ["18", "9"]
    calls = reported.query(
        "SELECT shadow, CAST(sum(total) AS INTEGER) FROM continuity_metrics WHERE name = 'calls' GROUP BY 1 ORDER BY 1"
    )
    assert calls == [(0, 18), (1, 9)]


def test_every_chart_has_a_table_with_the_days_and_kinds_of_the_state_file(
    reported: Reported, browser: Browser
) -> None:
    browser.show(reported.path)
    days = reported.sidecar.client.request("metrics/series", {})["days"]
    measured = [day for day in days if day["active"] or day["passive"]]
    assert len(measured) == 4  # a prompt that passed through, on the last
    hits = browser.run(TABLE, "#hits")
    assert [row[0] for row in hits[-4:]] == [day["day"] for day in measured]
    assert (len(hits), hits[0]) == (7, ["2026-02-26", "–", "–", "–"]), "a week at least, its empty days too"
    figures = [day["active"] if day["active"] and day["active"]["calls"] else day["passive"] for day in measured[:3]]
    assert [row[1] for row in hits[-4:-1]] == [percent(entry["followUpHitRate"]) for entry in figures]
    assert [row[2] for row in hits[-4:-1]] == [percent(entry["cacheHitRate"]) for entry in figures]
    sent = [row[1:] for row in browser.run(TABLE, "#bytes")[-4:-1]]
    assert sent[0][:2] == ["–", format_bytes(figures[0]["injectedBytesPerTurn"])]
    assert sent[1][:2] == [format_bytes(figures[1]["injectedBytesPerTurn"]), "–"]
    assert [row[2] for row in sent] == [format_bytes(entry["baselineBytesPerTurn"]) for entry in figures]
    kinds = reported.query("SELECT status, count(*) FROM continuity_artifacts WHERE type = 'devlog' GROUP BY 1")
    row = browser.run(TABLE, "#artifacts")[0]
    statuses = ("draft", "accepted", "committed", "discarded")
    assert row[0] == "development log"
    assert dict(zip(statuses, map(int, row[1:]), strict=True)) == dict.fromkeys(statuses, 0) | dict(kinds)
    memories = browser.run(TABLE, "#memories")
    assert {tier: int(number) for tier, number in memories if number != "0"} == reported.stored["tiers"]
    brackets = [sum(int(number.replace("–", "0")) for number in row[1:]) for row in browser.run(TABLE, "#bracket")]
    assert brackets == [0, 0, 0, 9, 9, 9, 0]
    caches = {row[0]: row[1:3] for row in browser.run(TABLE, "#cache-table")}
    assert caches == {
        name: [whole(reported.stored[name][0]), format_bytes(reported.stored[name][1])] for name in CACHES
    }
    assert browser.run(TABLE, "#error-table") == [["-32016 artifact/get", "1"]]
    assert browser.run(TABLE, "#passed-table") == [["slashCommand", "1"]]
    actions = reported.summary()
    snapshots = sum(actions[mode]["governor"].get("snapshot", 0) for mode in ("active", "passive"))
    assert sum(int(row[1].replace("–", "0")) for row in browser.run(TABLE, "#governor")) == snapshots > 0
    assert len(browser.run(TABLE, "#words")) == min(12, len(reported.query(
        "SELECT 1 FROM continuity_runs WHERE json_array_length(cast(result AS TEXT), '$.governor.reasons') > 0"
    )))  # fmt: skip


def test_projects_and_providers_are_named_and_names_are_escaped(reported: Reported, browser: Browser) -> None:
    browser.show(reported.path)
    rows = browser.run(TABLE, "#groups")
    assert [row[:4] for row in rows] == [
        ["shop", "claude", "injected", "6"], ["shop", "claude", "passive", "3"],
        ["shop", "codex", "injected", "6"], ["shop", "codex", "passive", "3"],
        ["till & söhne &lt;b&gt;", "claude", "injected", "6"], ["till & söhne &lt;b&gt;", "claude", "passive", "3"],
    ]  # fmt: skip


def test_the_page_loads_no_resources_and_logs_no_errors(reported: Reported, browser: Browser) -> None:
    browser.console()
    browser.requested()
    browser.show(reported.path)
    assert browser.console() == []
    assert browser.requested() == [reported.path.as_uri()]
    text = reported.path.read_text(encoding="utf-8")
    assert "<script" not in text
    assert not re.search(r"(?:src|href)=\"(?!#)", text)
    assert len(re.findall(r"https?://", text)) == len(re.findall(r"http://www\.w3\.org/", text))


def test_the_page_contains_no_prompt_and_no_path(reported: Reported) -> None:
    text = reported.path.read_text(encoding="utf-8")
    for secret in (PROMPT, "and the invoice", str(reported.shop.path), "cart.py", "Cents."):
        assert secret not in text


def test_the_users_reason_for_a_fresh_session_is_not_shown(
    sidecar: MemorySidecar, make_repository: Callable[..., Repository]
) -> None:
    chat = Conversation(sidecar.client, make_repository(SHOP).path)
    set_settings(chat, mode="active", rehydrate=True)
    chat.turn(PROMPT)
    before = chat.pre_run("go on")
    sidecar.client.request("governor/rehydrate", {"subChatId": "chat", "reason": "Ada will not have it"})
    assert "Ada will not have it" in str(chat.post_run(before)["governor"])
    page = Path(sidecar.client.request("state/report", {})["path"]).read_text(encoding="utf-8")
    assert "requested manually" in page
    assert "Ada" not in page


def test_charts_have_a_name_a_description_and_headings_are_in_order(reported: Reported, browser: Browser) -> None:
    browser.show(reported.path)
    charts = browser.run(
        "return [...document.querySelectorAll('figure svg')].map(svg => svg.getAttribute('role') + ':'"
        " + svg.getAttribute('aria-labelledby').split(' ')"
        ".map(id => document.getElementById(id).textContent).join('|'))"
    )
    assert len(charts) >= 10
    assert all(re.fullmatch(r"img:[^|]+\|[^|]+", entry) for entry in charts)
    assert browser.run("return document.querySelectorAll('figure').length") == browser.run(
        "return document.querySelectorAll('figure svg').length + document.querySelectorAll('figure .nothing').length"
    )
    drawn = "return [...document.querySelectorAll('figure')].filter(one => one.querySelector('svg'))"
    assert browser.run(f"{drawn}.filter(one => !one.querySelector('table'))") == []
    levels = browser.run("return [...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    ids = browser.run("return [...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))


CONTRAST = """
const channel = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const rgba = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length > 3 ? n : [...n, 1]; };
const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
const behind = node => { for (; node; node = node.parentElement) {
  const c = rgba(getComputedStyle(node).backgroundColor); if (c[3] === 1) return c; } return [255, 255, 255, 1]; };
const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
const found = [];
for (const node of document.querySelectorAll('h1,h2,h3,p,li,td,th,caption,summary,span,strong')) {
  if (node.textContent.trim())
    found.push([ratio(rgba(getComputedStyle(node).color), behind(node)), 4.5, node.textContent.trim().slice(0, 40)]);
}
for (const node of document.querySelectorAll('svg text'))
  found.push([ratio(rgba(getComputedStyle(node).fill), behind(node)), 4.5, node.textContent]);
for (const node of document.querySelectorAll('svg .series rect, svg .series .dot'))
  found.push([ratio(rgba(getComputedStyle(node).fill), behind(node)), 3, node.outerHTML.slice(0, 80)]);
for (const node of document.querySelectorAll('svg .series path.line'))
  found.push([ratio(rgba(getComputedStyle(node).stroke), behind(node)), 3, node.outerHTML.slice(0, 80)]);
return [found.length, found.filter(([value, least]) => value < least)];
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_colour_schemes_have_contrast_and_nothing_overflows(
    reported: Reported, browser: Browser, scheme: str, tmp_path: Path
) -> None:
    browser.show(reported.path, scheme)
    count, faint = browser.run(CONTRAST)
    assert count > 200
    assert faint == []
    back = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", back))) < 300) is (scheme == "dark")
    assert browser.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    browser.picture(tmp_path / f"{scheme}.png")
    assert (tmp_path / f"{scheme}.png").stat().st_size > 50_000


def test_the_page_shows_the_stages_of_the_answer(reported: Reported, browser: Browser) -> None:
    browser.show(reported.path)
    for stage in reported.answer["stages"]:
        shown = browser.run("return document.querySelector(arguments[0] + ' p').textContent", f"#stage-{stage['name']}")
        assert shown == stage["sentence"]
        rows = browser.run(TABLE, f"#stage-{stage['name']}")
        assert [row[:3] for row in rows] == [
            [entry["name"], entry["value"], entry["target"]] for entry in stage["checks"]
        ]
    step = reported.answer["nextStep"]
    assert browser.run("return document.getElementById('next-step').textContent") == step["sentence"].replace("`", "")
    assert browser.run("return document.getElementById('next-step').className") == f"next {step['verdict']}"
    assert step["sentence"].startswith("Keep measuring. Too little")


def test_a_report_of_one_project_shows_no_other(reported: Reported, browser: Browser) -> None:
    answer = reported.sidecar.client.request("state/report", {"projectPath": str(reported.shop.path), "days": 2})
    browser.show(Path(answer["path"]))
    assert {row[0] for row in browser.run(TABLE, "#groups")} == {"shop"}
    rows = {row[0]: row[1:] for row in browser.run(TABLE, "#figures-packs")}
    summed = reported.summary(projectPath=str(reported.shop.path), days=2)
    assert rows["Prompts"] == [whole(summed[mode]["calls"]) for mode in ("active", "passive")]
    assert answer["sinceDay"] == "2026-03-03"


def test_a_year_is_charted_by_weeks_and_days_are_counted_as_days(reported: Reported, browser: Browser) -> None:
    answer = reported.sidecar.client.request("state/report", {"days": 366})
    browser.show(Path(answer["path"]))
    weeks = browser.run(TABLE, "#bracket")
    assert [row[0] for row in weeks] == ["2026-02-23", "2026-03-02"], "Mondays"  # the first of March is a Sunday
    assert [sum(int(number.replace("–", "0")) for number in row[1:]) for row in weeks] == [9, 18]
    assert answer["stages"][0]["sentence"].endswith("27 prompts measured on 3 days.")


def test_a_state_without_measures_has_a_page(sidecar: MemorySidecar, browser: Browser) -> None:
    browser.console()
    answer = sidecar.client.request("state/report", {})
    browser.show(Path(answer["path"]))
    assert browser.console() == []
    assert {stage["verdict"] for stage in answer["stages"]} == {"moreData"}
    assert browser.run("return document.querySelectorAll('figure svg').length") <= 1


def test_a_report_that_cannot_be_written_names_the_reason(
    sidecar: MemorySidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(methods, "write_atomic", fail)
    failure = sidecar.client.error("state/report", {})
    assert failure.message == f"The report cannot be written: {os.strerror(errno.ENOSPC)}."
    assert failure.data["hint"] == "Check the state folder's permissions and disk."


def test_the_command_writes_the_page_prints_its_path_and_opens_it(reported: Reported, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    viewer = tmp_path / "viewer.py"
    viewer.write_text(f"import sys\nopen({str(opened)!r}, 'w').write(sys.argv[1])\n")

    def run(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
        command = (sys.executable, "-m", "sidecar", "report", "--state-dir", str(reported.path.parent), *arguments)
        browser = shlex.join((sys.executable, str(viewer))) + " %s"
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "BROWSER": browser}
        return run_python(command, env=environment, timeout=60)

    reported.path.unlink()
    rows = run("--open", "--days", "366")
    assert (rows.returncode, rows.stderr) == (0, b"")
    lines = rows.stdout.decode().splitlines()
    assert lines[0].startswith("Keep measuring.")
    assert [line.split()[:2] for line in lines[2:6]] == [
        ["passive", "on"], ["inject", "on"], ["snapshot", "on"], ["rehydrate", "off"],
    ]  # fmt: skip
    assert lines[-1] == f"Report: {reported.path}"
    assert opened.read_text() == reported.path.as_uri()
    assert orjson.loads(run("--json").stdout)["bytes"] == reported.path.stat().st_size
    failed = run("--days", "0")
    assert (failed.returncode, failed.stderr.partition(b":")[0]) == (2, b"report")

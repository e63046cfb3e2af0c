"""Make the README's picture of the report: play the recorded sessions over eight days, and render it in Chromium.

    python3 build/picture.py
    python3 build/picture.py --keep FOLDER

It plays three sessions of tests/replay/sessions per day: four days in passive mode, then four in active mode. Chromium
and its driver must be installed.
"""

from __future__ import annotations

import argparse
import base64
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import environment

PICTURE = environment.ROOT / "build" / "pictures" / "report.png"
DAYS, PASSIVE_DAYS = 8, 4
DAY_SECONDS = 86_400
SIZE = {"width": 1180, "height": 1622}
SCALE = 0.64
MAX_BYTES = 150_000


def main(arguments: list[str]) -> int:
    """Make the picture; return 1 if it is too large for the repository."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="a new folder for the state, with report.html")
    options = parser.parse_args(arguments)
    environment.ensure()
    python = environment.program("python")
    if Path(sys.prefix).resolve() != python.parent.parent.resolve():
        return subprocess.run([python, __file__, *arguments], check=False).returncode
    sys.path.insert(0, str(environment.ROOT))
    with tempfile.TemporaryDirectory(prefix="onecode-picture-", ignore_cleanup_errors=True) as work:
        report = _play_sessions(Path(work).resolve(), (options.keep or Path(work, "state")).resolve())
        _draw(report, Path(work))
    size = PICTURE.stat().st_size
    environment.print_progress(
        f"picture: {PICTURE.relative_to(environment.ROOT)}, {size:,} bytes of at most {MAX_BYTES:,}"
    )
    return 0 if size <= MAX_BYTES else 1


def _play_sessions(work: Path, state: Path) -> Path:
    """Play the sessions against one sidecar, and return the report's path."""
    from sidecar.cli.in_process import in_process
    from tests.replay.histories import SESSIONS, make_histories
    from tests.replay.player import CountedIds, Options, RecordedClock, Sidecar, play
    from tests.replay.reader import read_sessions
    from tests.replay.staging import stage

    sessions = [session for file in sorted(SESSIONS.glob("*.jsonl")) for session in read_sessions(file.read_bytes())]
    repositories, clock = make_histories(work / "repositories"), RecordedClock()
    with in_process(state, clock, {}, CountedIds()) as opened:
        for day in range(DAYS):
            mode = "passive" if day < PASSIVE_DAYS else "active"
            opened.request("settings/update", {"settings": {"mode": mode}})
            day_started_ms = clock.now_ms()
            for number, recorded in enumerate(sessions[day::DAYS]):
                name = f"{day}-{number}"
                staged = stage(recorded.session, repositories, work / name, clock.now())
                request, notify = _with_unique_ids(name, opened.request), _with_unique_ids(name, opened.notify)
                played = play(Sidecar(request, notify, opened.process, clock), staged, recorded, Options(60_000))
                environment.print_progress(
                    f"picture: day {day + 1}, {mode}: {recorded.session.session}, {len(played)} prompts"
                )
            clock.pass_seconds(DAY_SECONDS - (clock.now_ms() - day_started_ms) / 1000)
        return Path(opened.request("state/report", {})["path"])


def _with_unique_ids(session: str, call: Callable[[str, dict[str, Any]], Any]) -> Callable[[str, dict[str, Any]], Any]:
    """Make the ids of each recording unique: its runs, chats and provider sessions."""

    def unique(value: Any) -> Any:
        return f"{session}-{value}" if isinstance(value, str) else value

    def call_with_unique_ids(method: str, params: dict[str, Any]) -> Any:
        ids: dict[str, Any] = {key: unique(params[key]) for key in ("runId", "subChatId", "sessionId") if key in params}
        if isinstance(params.get("session"), dict):
            ids["session"] = {key: unique(value) for key, value in params["session"].items()}
        return call(method, {**params, **ids})

    return call_with_unique_ids


def _draw(report: Path, work: Path) -> None:
    from tests.support.browser import open_browser

    PICTURE.parent.mkdir(exist_ok=True)
    with open_browser(work) as browser:
        metrics = {**SIZE, "deviceScaleFactor": 1, "mobile": False}
        browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        browser.show(report)
        clip = {"x": 0, "y": 0, **SIZE, "scale": SCALE}
        screenshot = browser.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True}
        )
    PICTURE.write_bytes(base64.b64decode(screenshot["data"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

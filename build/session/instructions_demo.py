"""A correction of one chat is in the anchor of the next, and a later one supersedes it."""

from __future__ import annotations

import os
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from session.client import Client

FIRST = "No, from now on use pnpm instead of npm."
LATER = "No, from now on use bun instead of pnpm."
REQUEST = "Install what the build needs."
SECTION = "Standing instructions from the user:"
NEWS = ("New standing instruction", "Standing instruction changed", "It replaces")
WAITS, PAUSE_SECONDS = 40, 0.1


def run_instructions_demo(client: Client, repository: Path) -> dict[str, Any]:
    """Correct the agent in two chats; return what the next new sessions and the first chat receive."""
    chats = _Chats(client, repository)
    chats.turn("correcting", FIRST)
    origins = [chats.wait_for("pnpm")]
    first_anchor = section_of(chats.turn("next", REQUEST))
    chats.turn("next", LATER)
    origins.append(chats.wait_for("bun"))
    later_anchor = section_of(chats.turn("last", REQUEST))
    corrected = news_of(chats.turn("correcting", REQUEST))
    return {
        "statements": [FIRST, LATER],
        "origins": origins,
        "anchors": [first_anchor, later_anchor],
        "corrected": corrected,
    }


class _Chats:
    """Chats of one turn after another; each has one provider session."""

    def __init__(self, client: Client, repository: Path) -> None:
        self._client = client
        self._repository = os.fspath(repository)
        self._started: set[str] = set()
        self._runs = 0

    def turn(self, name: str, prompt: str) -> dict[str, Any]:
        """Run one turn without changes, and return the pre-run's result."""
        self._runs += 1
        session = f"instructions-{name}"
        before_id = session if name in self._started else None
        self._started.add(name)
        common = {
            "runId": f"instructions-{self._runs}",
            "subChatId": f"instructions-{name}",
            "provider": "claude",
            "mode": "agent",
            "cwd": self._repository,
            "prompt": prompt,
        }
        start = _now()
        state = {"id": before_id, "willResume": before_id is not None, "isFork": False}
        before: dict[str, Any] = self._client.request(
            "continuity/preRun", {**common, "session": state, "deadlineMs": 20_000}
        )
        after = {
            "deliveryToken": before["deliveryToken"],
            "outcome": "completed",
            "session": {"before": before_id, "after": session},
            "assistant": {"text": "Understood.", "parts": []},
            "startedAt": start,
            "finishedAt": _now(),
        }
        self._client.request("continuity/postRun", {**common, **after})
        return before

    def wait_for(self, word: str) -> str:
        """Wait until a statement with a word holds, and return its origin; confirm it if it is only offered."""
        for _ in range(WAITS):
            status = self._status()
            for entry in status["standingInstructions"]:
                if word in entry["text"].split("instead")[0]:
                    return str(entry["origin"])
            time.sleep(PAUSE_SECONDS)
        offered = [entry for entry in self._status()["unconfirmed"] if word in entry["title"].split("instead")[0]]
        if not offered:
            return "missing"
        memory = {"cwd": self._repository, "id": offered[0]["id"]}
        return str(self._client.request("memory/confirm", memory)["origin"])

    def _status(self) -> dict[str, Any]:
        status: dict[str, Any] = self._client.request("memory/status", {"cwd": self._repository})
        return status


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()  # noqa: UP017  (runs on older versions of Python too)


def section_of(before: dict[str, Any]) -> list[str]:
    """Return the standing instructions in a call's anchor."""
    lines = before["system"]["text"].splitlines() if before["system"] else []
    if SECTION not in lines:
        return []
    following = lines[lines.index(SECTION) + 1 :]
    end = next((at for at, line in enumerate(following) if not line.startswith("- ")), len(following))
    return following[:end]


def news_of(before: dict[str, Any]) -> list[str]:
    """Return what a call says about changed instructions."""
    lines = (line for block in before["blocks"] for line in block["text"].splitlines())
    return [line for line in lines if line.startswith(NEWS)]

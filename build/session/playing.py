"""Plays the turns against the sidecar: pre-run, the agent's work, post-run; and keeps what was sent."""

from __future__ import annotations

import json
import os
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from session.choosing import chosen_files
from session.client import Client
from session.screenplay import Turn, interfere, perform

WINDOW_TOKENS = 200_000
HOST_DEADLINE_MS = 800
SEARCHED_FILES = 20
PAUSE_SECONDS = 0.5
WAITS = 10
"""A search waits at most two seconds for files that are still being read."""


class Player:
    """One sub-chat on one repository, as 1Code would run it."""

    def __init__(self, client: Client, repository: Path, packs: Path) -> None:
        self._client = client
        self._repository = repository
        self._packs = packs
        self._sessions: dict[str, str] = {}
        self._played = 0
        self._mode = "passive"

    def play(self, turn: Turn) -> dict[str, Any]:
        """Plays one turn and gives everything about it as data."""
        self._played += 1
        self._set_mode("active" if turn.active else "passive")
        session = None if turn.fresh else self._sessions[turn.provider]
        meanwhile = interfere(turn, self._repository)
        if turn.meanwhile is not None:
            self._hint(turn.meanwhile.path)
        began = time.perf_counter()
        before = self._client.request("continuity/preRun", self._pre_run(turn, session))
        took_ms = (time.perf_counter() - began) * 1000
        told = self._client.request("continuity/explain", {"runId": f"run-{self._played}"})
        alone = self._alone(turn)
        started_at = _now()
        parts, errors, happened = perform(turn, self._repository)
        if turn.edit is not None:
            self._hint(turn.edit.path)
        self._sessions[turn.provider] = session or f"{turn.provider}-session-{self._played}"
        work = {"parts": parts, "errors": errors, "started_at": started_at}
        after = self._client.request("continuity/postRun", self._post_run(turn, before, session, work))
        return {
            "turn": self._played,
            "provider": turn.provider,
            "mode": turn.mode,
            "setting": self._mode,
            "session": self._sessions[turn.provider],
            "freshSession": turn.fresh,
            "prompt": turn.prompt,
            "usedTokens": turn.used_tokens,
            "action": before["action"],
            "reason": before["reason"],
            "blocks": [{"kind": block["kind"], "bytes": block["bytes"]} for block in before["blocks"]],
            "systemBytes": len(before["system"]["text"].encode()) if before["system"] else 0,
            "metadata": before["metadata"],
            "roundTripMs": round(took_ms, 1),
            "chosen": chosen_files(told["items"]),
            **alone,
            "governor": before["governor"],
            "governorAfter": after["governor"],
            "artifacts": after["artifacts"],
            "meanwhile": meanwhile,
            "happened": happened,
            "packs": os.fspath(self._keep(before, told)),
        }

    def _hint(self, path: str) -> None:
        """Tells of a change as the host's own watcher does, and takes the time in which the user types or reads."""
        self._client.notify("continuity/repoChanged", {"cwd": os.fspath(self._repository), "paths": [path]})
        time.sleep(PAUSE_SECONDS)

    def _set_mode(self, mode: str) -> None:
        if mode != self._mode:
            self._client.request("settings/update", {"settings": {"mode": mode}})
            self._mode = mode

    def _common(self, turn: Turn) -> dict[str, Any]:
        return {
            "runId": f"run-{self._played}",
            "subChatId": "sub-chat-1",
            "chatId": "chat-1",
            "provider": turn.provider,
            "mode": turn.mode,
            "cwd": os.fspath(self._repository),
            "projectPath": os.fspath(self._repository),
            "prompt": turn.prompt,
        }

    def _pre_run(self, turn: Turn, session: str | None) -> dict[str, Any]:
        return {
            **self._common(turn),
            "session": {"id": session, "willResume": session is not None, "isFork": False},
            "usage": {"usedTokens": turn.used_tokens, "maxTokens": WINDOW_TOKENS},
            "deadlineMs": HOST_DEADLINE_MS,
        }

    def _post_run(
        self,
        turn: Turn,
        before: dict[str, Any],
        session: str | None,
        work: dict[str, Any],
    ) -> dict[str, Any]:
        text = "Done." if work["parts"] else "Here is how it works."
        return {
            **self._common(turn),
            "deliveryToken": before["deliveryToken"],
            "outcome": "completed",
            "session": {"before": session, "after": self._sessions[turn.provider]},
            "assistant": {"messageId": f"message-{self._played}", "text": text, "parts": work["parts"]},
            "toolErrors": work["errors"],
            "usage": {"inputTokens": turn.used_tokens, "outputTokens": 900},
            "startedAt": work["started_at"],
            "finishedAt": _now(),
        }

    def _alone(self, turn: Turn) -> dict[str, Any]:
        """Asks for the state and for a search alone, after the pre-run: what they cost while nothing happens.

        Files still being read are waited for before, as a first prompt cannot: the agent's work gives the time.
        """
        where = {"cwd": os.fspath(self._repository), "projectPath": os.fspath(self._repository)}
        asked = {**where, "query": turn.prompt}
        waited_ms = 0.0
        for _ in range(WAITS):
            found, took_ms = self._timed("codebase/search", {**asked, "limit": 1})
            waited_ms += took_ms
            if found["complete"]:
                break
        state, state_ms = self._timed("codebase/state", where)
        found, search_ms = self._timed("codebase/search", {**asked, "limit": SEARCHED_FILES})
        search = {"files": len(found["files"]), "complete": found["complete"], "ms": search_ms, "waitedMs": waited_ms}
        return {"state": {"proof": state["proof"], "changed": len(state["changed"]), "ms": state_ms}, "search": search}

    def _timed(self, method: str, params: dict[str, Any]) -> tuple[Any, float]:
        began = time.perf_counter()
        result = self._client.request(method, params)
        return result, round((time.perf_counter() - began) * 1000, 2)

    def _keep(self, before: dict[str, Any], told: dict[str, Any]) -> Path:
        """Writes what was sent, or in passive mode what would have been, into the turn's folder."""
        folder = self._packs / f"turn-{self._played}"
        folder.mkdir(parents=True)
        if told["system"]:
            (folder / "0-system.md").write_text(told["system"]["text"], encoding="utf-8")
        for place, block in enumerate(told["blocks"], 1):
            (folder / f"{place}-{block['kind']}.md").write_text(block["text"], encoding="utf-8")
        (folder / "prompt.md").write_text(before["prompt"], encoding="utf-8")
        (folder / "why.json").write_text(json.dumps(told["items"], indent=1), encoding="utf-8")
        return folder


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")  # noqa: UP017  (older Pythons get here)

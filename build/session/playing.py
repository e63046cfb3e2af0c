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
from session.copying import git
from session.remembering import block_at, compacted, found_again
from session.screenplay import Turn, interfere, perform

WINDOW_TOKENS = 200_000
HOST_DEADLINE_MS = 800
SEARCHED_FILES = 20
PAUSE_SECONDS = 0.5
WAITS = 10
"""A search waits at most two seconds for files that are still being read."""


FEW_WORDS = 5
"""A comment of no more words is not what one would ask for."""


class Player:
    """The chats on one repository, as 1Code would run them."""

    def __init__(self, client: Client, repository: Path, packs: Path) -> None:
        self._client = client
        self._repository = repository
        self._packs = packs
        self._sessions: dict[tuple[int, str], str] = {}
        """The provider's session of a chat, which goes on in it until the sidecar asks for a fresh one."""
        self._played = 0
        self._settings: dict[str, Any] = {"mode": "passive", "rehydrate": False}

    def play(self, turn: Turn) -> dict[str, Any]:
        """Plays one turn and gives everything about it as data."""
        self._played += 1
        self._set({"mode": "active" if turn.active else "passive", "rehydrate": turn.chat > 1})
        place = (turn.chat, turn.provider)
        session = None if turn.fresh else self._sessions[place]
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
        if before["governor"]["startFreshSession"]:
            session = None
        self._sessions[place] = session or f"{turn.provider}-session-{self._played}"
        work = {"parts": parts, "errors": errors, "started_at": started_at}
        after = self._client.request("continuity/postRun", self._post_run(turn, before, session, work))
        return {
            "turn": self._played,
            "provider": turn.provider,
            "mode": turn.mode,
            "setting": self._settings["mode"],
            "chat": turn.chat,
            "session": self._sessions[place],
            "freshSession": session is None,
            "prompt": turn.prompt,
            "usedTokens": turn.used_tokens,
            "context": block_at(self._client, self._repository, _usage(turn), turn.prompt),
            "remembered": _remembered(told),
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

    def compact(self, turn: Turn) -> dict[str, Any]:
        """Has the window of a turn's session compacted."""
        session = self._sessions[turn.chat, turn.provider]
        return compacted(self._client, self._repository, session, turn.prompt)

    def find(self) -> list[dict[str, Any]]:
        """Gives what the next session's question finds of what is remembered."""
        return found_again(self._client, self._repository)

    def keep(self) -> dict[str, Any]:
        """Does what the user does at the end of the day: reads the drafts, accepts them, commits them; tells of each.

        The memory branch is the only ref that may move.
        """
        where = {"projectPath": os.fspath(self._repository)}
        refs = _refs(self._repository)
        listed = self._client.request("artifact/list", where)["artifacts"]
        accepted = [one["id"] for one in listed if one["type"] != "devlog"]
        for artifact_id in accepted:
            self._client.request("artifact/accept", {**where, "id": artifact_id})
        read = [self._client.request("artifact/get", {**where, "id": one["id"]}) for one in reversed(listed)]
        done = self._client.request("artifact/commit", where)
        moved = {name for name, _ in _refs(self._repository) ^ refs}
        return {
            "artifacts": read,
            "accepted": accepted,
            "committed": done,
            "movedRefs": sorted(moved),
        }

    def decide(self) -> dict[str, Any]:
        """Derives a registry from the code, and asks it for what it says of one of its own functions."""
        where = {"cwd": os.fspath(self._repository)}
        derived, derive_ms = self._timed("registry/refresh", {**where, "fromCode": True})
        listed = self._client.request("registry/list", {**where, "type": "function", "limit": 1_000})["entities"]
        told = [one for one in listed if len(one["purpose"].split()) > FEW_WORDS]
        intent = f"a function: {told[len(told) // 2]['purpose']}" if told else "a function"
        decided, decide_ms = self._timed("registry/decide", {**where, "intent": intent, "limit": 3})
        return {
            "derived": derived["derived"],
            "deriveMs": derive_ms,
            "intent": intent,
            "decided": decided,
            "decideMs": decide_ms,
        }

    def _hint(self, path: str) -> None:
        """Tells of a change as the host's own watcher does, and takes the time in which the user types or reads."""
        self._client.notify("continuity/repoChanged", {"cwd": os.fspath(self._repository), "paths": [path]})
        time.sleep(PAUSE_SECONDS)

    def _set(self, settings: dict[str, Any]) -> None:
        if settings != self._settings:
            self._client.request("settings/update", {"settings": settings})
            self._settings = settings

    def _common(self, turn: Turn) -> dict[str, Any]:
        return {
            "runId": f"run-{self._played}",
            "subChatId": f"sub-chat-{turn.chat}",
            "chatId": f"chat-{turn.chat}",
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
            "usage": _usage(turn),
            "deadlineMs": HOST_DEADLINE_MS,
        }

    def _post_run(
        self,
        turn: Turn,
        before: dict[str, Any],
        session: str | None,
        work: dict[str, Any],
    ) -> dict[str, Any]:
        text = turn.text or ("Done." if work["parts"] else "Here is how it works.")
        return {
            **self._common(turn),
            "deliveryToken": before["deliveryToken"],
            "outcome": "completed",
            "session": {"before": session, "after": self._sessions[turn.chat, turn.provider]},
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


def _usage(turn: Turn) -> dict[str, int]:
    return {"usedTokens": turn.used_tokens, "maxTokens": WINDOW_TOKENS}


def _remembered(told: dict[str, Any]) -> list[str]:
    """Gives the lines of what was sent that tell of memories."""
    lines = [line for block in told["blocks"] for line in block["text"].splitlines()]
    return [line for line in lines if line.startswith("Remembered ")]


def _refs(repository: Path) -> set[tuple[str, str]]:
    """Gives every ref with its commit, and what is checked out and staged."""
    lines = git(repository, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    listed = {(name, commit) for name, _, commit in (line.partition(" ") for line in lines)}
    return listed | {("status", git(repository, "status", "--porcelain=v2", "--branch"))}


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")  # noqa: UP017  (older Pythons get here)

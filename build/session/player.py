"""Run the turns against the sidecar (pre-run, the agent's work, post-run), and save the sent packs."""

from __future__ import annotations

import json
import os
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from session.client import Client
from session.file_selection import chosen_files
from session.memory_demo import context_block, run_compaction, search_memories
from session.repository_copy import git
from session.scenario import Turn, interfere, perform

WINDOW_TOKENS = 200_000
HOST_DEADLINE_MS = 800
SEARCHED_FILES = 20
PAUSE_SECONDS = 0.5
WAITS = 10
"""Maximum number of searches to wait for the index, two seconds in total."""


FEW_WORDS = 5
"""A comment with at most this many words is not a useful intent."""


class Player:
    """The chats on one repository, as 1Code would run them."""

    def __init__(self, client: Client, repository: Path, packs: Path) -> None:
        self._client = client
        self._repository = repository
        self._packs = packs
        self._sessions: dict[tuple[int, str], str] = {}
        """The provider session by chat and provider; it continues until the sidecar requests a fresh one."""
        self._played = 0
        self._settings: dict[str, Any] = {"mode": "passive", "rehydrate": False}

    def play(self, turn: Turn) -> dict[str, Any]:
        """Run one turn and return everything about it as data."""
        self._played += 1
        self._set({"mode": "active" if turn.active else "passive", "rehydrate": turn.chat > 1})
        key = (turn.chat, turn.provider)
        session = None if turn.fresh else self._sessions[key]
        meanwhile = interfere(turn, self._repository)
        if turn.meanwhile is not None:
            self._hint(turn.meanwhile.path)
        started = time.perf_counter()
        before = self._client.request("continuity/preRun", self._pre_run(turn, session))
        took_ms = (time.perf_counter() - started) * 1000
        explained = self._client.request("continuity/explain", {"runId": f"run-{self._played}"})
        measured = self._measure_alone(turn)
        started_at = _now()
        parts, errors, happened = perform(turn, self._repository)
        if turn.edit is not None:
            self._hint(turn.edit.path)
        if before["governor"]["startFreshSession"]:
            session = None
        self._sessions[key] = session or f"{turn.provider}-session-{self._played}"
        work = {"parts": parts, "errors": errors, "started_at": started_at}
        after = self._client.request("continuity/postRun", self._post_run(turn, before, session, work))
        return {
            "turn": self._played,
            "provider": turn.provider,
            "mode": turn.mode,
            "setting": self._settings["mode"],
            "chat": turn.chat,
            "session": self._sessions[key],
            "freshSession": session is None,
            "prompt": turn.prompt,
            "usedTokens": turn.used_tokens,
            "context": context_block(self._client, self._repository, _usage(turn), turn.prompt),
            "remembered": _memory_lines(explained),
            "action": before["action"],
            "reason": before["reason"],
            "blocks": [{"kind": block["kind"], "bytes": block["bytes"]} for block in before["blocks"]],
            "systemBytes": len(before["system"]["text"].encode()) if before["system"] else 0,
            "metadata": before["metadata"],
            "roundTripMs": round(took_ms, 1),
            "chosen": chosen_files(explained["items"]),
            **measured,
            "governor": before["governor"],
            "governorAfter": after["governor"],
            "artifacts": after["artifacts"],
            "meanwhile": meanwhile,
            "happened": happened,
            "packs": os.fspath(self._save_packs(before, explained)),
        }

    def compact(self, turn: Turn) -> dict[str, Any]:
        """Compact the context window of a turn's session."""
        session = self._sessions[turn.chat, turn.provider]
        return run_compaction(self._client, self._repository, session, turn.prompt)

    def search_memories(self) -> list[dict[str, Any]]:
        """Search the memories with the next session's question."""
        return search_memories(self._client, self._repository)

    def accept_artifacts(self) -> dict[str, Any]:
        """Read, accept and commit the drafts, as a user does at the end of the day.

        Only the memory branch may move.
        """
        project_params = {"projectPath": os.fspath(self._repository)}
        refs = _refs(self._repository)
        artifacts = self._client.request("artifact/list", project_params)["artifacts"]
        accepted = [artifact["id"] for artifact in artifacts if artifact["type"] != "devlog"]
        for artifact_id in accepted:
            self._client.request("artifact/accept", {**project_params, "id": artifact_id})
        texts = [
            self._client.request("artifact/get", {**project_params, "id": artifact["id"]})
            for artifact in reversed(artifacts)
        ]
        commit = self._client.request("artifact/commit", project_params)
        moved = {name for name, _ in _refs(self._repository) ^ refs}
        return {
            "artifacts": texts,
            "accepted": accepted,
            "committed": commit,
            "movedRefs": sorted(moved),
        }

    def query_registry(self) -> dict[str, Any]:
        """Derive a registry from the code, and query it for one of its own functions."""
        project_params = {"cwd": os.fspath(self._repository)}
        derived, derive_ms = self._timed("registry/refresh", {**project_params, "fromCode": True})
        entities = self._client.request("registry/list", {**project_params, "type": "function", "limit": 1_000})[
            "entities"
        ]
        described = [entity for entity in entities if len(entity["purpose"].split()) > FEW_WORDS]
        intent = f"a function: {described[len(described) // 2]['purpose']}" if described else "a function"
        decided, decide_ms = self._timed("registry/decide", {**project_params, "intent": intent, "limit": 3})
        return {
            "derived": derived["derived"],
            "deriveMs": derive_ms,
            "intent": intent,
            "decided": decided,
            "decideMs": decide_ms,
        }

    def _hint(self, path: str) -> None:
        """Report a change as the host's watcher does, and wait as long as a user needs to type or read."""
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

    def _measure_alone(self, turn: Turn) -> dict[str, Any]:
        """Request the state and a search on their own after the pre-run, to measure them without other work.

        Indexing is waited for first. A first prompt cannot wait, but the agent's work gives it the time.
        """
        project_params = {"cwd": os.fspath(self._repository), "projectPath": os.fspath(self._repository)}
        search_params = {**project_params, "query": turn.prompt}
        waited_ms = 0.0
        for _ in range(WAITS):
            result, took_ms = self._timed("codebase/search", {**search_params, "limit": 1})
            waited_ms += took_ms
            if result["complete"]:
                break
        state, state_ms = self._timed("codebase/state", project_params)
        result, search_ms = self._timed("codebase/search", {**search_params, "limit": SEARCHED_FILES})
        search = {"files": len(result["files"]), "complete": result["complete"], "ms": search_ms, "waitedMs": waited_ms}
        return {"state": {"proof": state["proof"], "changed": len(state["changed"]), "ms": state_ms}, "search": search}

    def _timed(self, method: str, params: dict[str, Any]) -> tuple[Any, float]:
        started = time.perf_counter()
        result = self._client.request(method, params)
        return result, round((time.perf_counter() - started) * 1000, 2)

    def _save_packs(self, before: dict[str, Any], explained: dict[str, Any]) -> Path:
        """Write what was sent, or would have been sent in passive mode, into the turn's folder."""
        folder = self._packs / f"turn-{self._played}"
        folder.mkdir(parents=True)
        if explained["system"]:
            (folder / "0-system.md").write_text(explained["system"]["text"], encoding="utf-8")
        for number, block in enumerate(explained["blocks"], 1):
            (folder / f"{number}-{block['kind']}.md").write_text(block["text"], encoding="utf-8")
        (folder / "prompt.md").write_text(before["prompt"], encoding="utf-8")
        (folder / "why.json").write_text(json.dumps(explained["items"], indent=1), encoding="utf-8")
        return folder


def _usage(turn: Turn) -> dict[str, int]:
    return {"usedTokens": turn.used_tokens, "maxTokens": WINDOW_TOKENS}


def _memory_lines(explained: dict[str, Any]) -> list[str]:
    """Return the sent lines that contain memories."""
    lines = [line for block in explained["blocks"] for line in block["text"].splitlines()]
    return [line for line in lines if line.startswith("Remembered ")]


def _refs(repository: Path) -> set[tuple[str, str]]:
    """Return every ref with its commit, and the checked-out and staged state."""
    lines = git(repository, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    listed = {(name, commit) for name, _, commit in (line.partition(" ") for line in lines)}
    return listed | {("status", git(repository, "status", "--porcelain=v2", "--branch"))}


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")  # noqa: UP017  (older Pythons get here)

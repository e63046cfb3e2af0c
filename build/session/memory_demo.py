"""A session's window fills up and is compacted; the next session recalls what it knew."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from session.client import Client
from session.scenario import Turn

CORRECTION = "No, never round the counts: people compare them with what the database says."
PROGRESS = "The counts are readable; who may write to the table is said in the code."
PENDING = "Should counts older than a year be dropped?"
QUESTION = "Could the counts move from the table to a cache, or do callers read them after a restart?"
MAX_RESULTS = 3


def third_chat_turn() -> Turn:
    """Return the only turn of a new session's chat: it asks for a decision of the previous session."""
    text = "They stay in the table: callers read them after a restart, and a cache of them went stale before."
    return Turn("claude", "agent", QUESTION, 9_000, fresh=True, chat=3, text=text)


def context_block(client: Client, repository: Path, usage: dict[str, int], task: str) -> dict[str, Any]:
    """Return the bracket of a window, and the context block for an agent in it."""
    bracket = client.request("context/bracket", usage)
    compose_params = {"cwd": os.fspath(repository), "bracket": bracket["bracket"], "task": task}
    block = client.request("context/compose", compose_params)
    memory = block["data"]["memory"]
    return {
        "bracket": bracket["bracket"],
        "remainingPercent": bracket["remainingPercent"],
        "layers": block["layers"],
        "tokens": block["tokens"],
        "budgetTokens": block["budgetTokens"],
        "memoryLevel": bracket["memoryLevel"],
        "memory": memory["text"] if memory else "",
    }


def run_compaction(client: Client, repository: Path, session: str, task: str) -> dict[str, Any]:
    """Report the start and the end of a compaction, as the host's hooks do."""
    session_params = {"cwd": os.fspath(repository), "sessionId": session}
    progress = {"task": task, "progress": PROGRESS, "pendingDecisions": [PENDING]}
    summary = {"messages": [{"author": "user", "text": CORRECTION}]}
    before = client.request(
        "context/preCompact", {**session_params, **progress, "compactionId": "compaction-1", "summary": summary}
    )
    listed = client.request("memory/list", {"cwd": os.fspath(repository)})
    after = client.request("context/postCompact", session_params)
    return {"session": session, "before": before, "memories": listed["memories"], "after": after}


def search_memories(client: Client, repository: Path) -> list[dict[str, Any]]:
    """Search the memories with the next session's question."""
    params = {"cwd": os.fspath(repository), "query": QUESTION, "limit": MAX_RESULTS, "level": "chunks"}
    results: list[dict[str, Any]] = client.request("memory/search", params)["memories"]
    return results

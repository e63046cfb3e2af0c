"""A session's window fills up and is compacted; what was known in it is found by the next session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from session.client import Client
from session.screenplay import Turn

CORRECTION = "No, never round the counts: people compare them with what the database says."
PROGRESS = "The counts are readable; who may write to the table is said in the code."
PENDING = "Should counts older than a year be dropped?"
QUESTION = "Why are the counts kept in a table, and not in a cache?"
MOST_FOUND = 3


def next_session() -> Turn:
    """Writes the only turn of a chat that knows nothing of the others: it asks what the one before decided."""
    text = "The table outlives the process, and the cache went stale."
    return Turn("claude", "agent", QUESTION, 9_000, fresh=True, chat=3, text=text)


def block_at(client: Client, repository: Path, usage: dict[str, int], task: str) -> dict[str, Any]:
    """Asks in which bracket a window is that is so full, and for the block that an agent is told in it."""
    found = client.request("context/bracket", usage)
    asked = {"cwd": os.fspath(repository), "bracket": found["bracket"], "task": task}
    made = client.request("context/compose", asked)
    memory = made["data"]["memory"]
    return {
        "bracket": found["bracket"],
        "remainingPercent": found["remainingPercent"],
        "layers": made["layers"],
        "tokens": made["tokens"],
        "budgetTokens": made["budgetTokens"],
        "memoryLevel": found["memoryLevel"],
        "memory": memory["text"] if memory else "",
    }


def compacted(client: Client, repository: Path, session: str, task: str) -> dict[str, Any]:
    """Tells that a session's window is about to be compacted and then that it was, as the host's hooks do."""
    where = {"cwd": os.fspath(repository), "sessionId": session}
    known = {"task": task, "progress": PROGRESS, "pendingDecisions": [PENDING]}
    digest = {"messages": [{"author": "user", "text": CORRECTION}]}
    before = client.request("context/preCompact", {**where, **known, "compactionId": "compaction-1", "summary": digest})
    listed = client.request("memory/list", {"cwd": os.fspath(repository)})
    after = client.request("context/postCompact", where)
    return {"session": session, "before": before, "memories": listed["memories"], "after": after}


def found_again(client: Client, repository: Path) -> list[dict[str, Any]]:
    """Searches what is remembered with the next session's question."""
    asked = {"cwd": os.fspath(repository), "query": QUESTION, "limit": MOST_FOUND, "level": "chunks"}
    found: list[dict[str, Any]] = client.request("memory/search", asked)["memories"]
    return found

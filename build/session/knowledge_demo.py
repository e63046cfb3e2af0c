"""A knowledge repository with a history, synced into memory commit by commit, and shown in an anchor."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from session.client import Client
from session.repository_copy import git

QUESTION = "May the counts be kept in a cache?"
ANCHOR_TITLES = ("Invariants:", "Decisions and specifications:")

_STORAGE = """\
---
id: adr-0001
title: Keep counts in {where}
status: {status}
tags: [storage, counts]
---

# Keep counts in {where}

## Context

Counts are read after a restart, and by more than one process at a time.

## Decision

We keep every count in {where}.

## Constraints

```yaml
- severity: block
  operator: must_use
  target: transaction
  message: Counts are written in a transaction, never one by one.
- severity: warn
  message: Ask for many counts at once.
```
"""
_SECRETS = """\
---
id: pol-secrets
title: No secret leaves the machine
summary: Keys and tokens stay out of logs, counts, and messages.
---

# No secret leaves the machine

{text}

## Constraints

```yaml
- severity: block
  message: No key, token or password is logged or counted.
```
"""
_NAMES = """\
---
id: pat-names
title: Counts are named by what happened
---

# Counts are named by what happened

A count is named `noun.verb`, as in `cart.emptied`.
"""
_READING = """\
---
id: spec-reading
title: How counts are read
status: {status}
---

# How counts are read

A reader asks for the names it knows and gets zero for those that were never counted.
"""
_README = "# What we know\n\nDecisions, policies, patterns and specifications; each a file of its own.\n"
_NEXT = """\
---
id: adr-0002
title: One writer for the counts
status: accepted
---

# One writer for the counts

Two processes that wrote at once lost counts, so that one process alone writes and the others ask it.
"""

HISTORY: tuple[tuple[str, dict[str, str | None]], ...] = (
    (
        "Write down what holds",
        {
            "README.md": _README,
            "company/adrs/0001-storage.md": _STORAGE.format(where="files", status="accepted"),
            "company/policies/secrets.md": _SECRETS.format(text="What is logged is read by many."),
            "teams/counting/patterns/names.md": _NAMES,
            "teams/counting/specs/reading.md": _READING.format(status="draft"),
        },
    ),
    (
        "Counts move into a table",
        {
            "company/adrs/0001-storage.md": _STORAGE.format(where="a table", status="accepted"),
            "company/adrs/0002-one-writer.md": _NEXT,
        },
    ),
    (
        "Reading counts is the project's matter and is settled; their names need no rule",
        {
            "teams/counting/patterns/names.md": None,
            "teams/counting/specs/reading.md": None,
            "projects/counts/specs/reading.md": _READING.format(status="accepted"),
            "company/policies/secrets.md": _SECRETS.format(text="What is logged is read by many, and kept for long."),
        },
    ),
)
"""The files that each commit writes; None deletes."""


def run_knowledge_demo(client: Client, project: Path, folder: Path) -> dict[str, Any]:
    """Sync after each commit, then after a manual edit of a pointer; return each outcome, and the anchor."""
    project_params = {"cwd": os.fspath(project)}
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    settings = {"repository": os.fspath(folder), "scopes": ["teams/*", "projects/*"]}
    client.request("settings/update", {"projectPath": os.fspath(project), "settings": {"knowledge": settings}})
    steps = []
    for subject, files in HISTORY:
        _commit(folder, subject, files)
        steps.append(_sync(client, project_params, subject))
    edited = _edit_a_pointer(project)
    conflicts = client.request("knowledge/conflicts", project_params)["conflicts"]
    steps.append(_sync(client, project_params, f"{edited} was edited by hand", mode="full"))
    return {
        "steps": steps,
        "conflicts": [f"{conflict['type']} {conflict['item']}" for conflict in conflicts],
        "left": client.request("knowledge/plan", project_params)["operations"],
        "pointers": _pointers(project),
        "anchor": _anchor(client, project),
    }


def _commit(folder: Path, subject: str, files: dict[str, str | None]) -> None:
    for name, text in files.items():
        path = folder / name
        if text is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", subject)


def _sync(client: Client, project_params: dict[str, str], subject: str, mode: str = "incremental") -> dict[str, Any]:
    started = time.perf_counter()
    result = client.request("knowledge/sync", {**project_params, "mode": mode})
    return {
        "subject": subject,
        "mode": result["mode"],
        "counts": result["counts"],
        "operations": [
            f"{operation['kind']} {operation['item']}: {operation['reason']}" for operation in result["operations"]
        ],
        "ms": round((time.perf_counter() - started) * 1000, 1),
    }


def _folder(project: Path) -> Path:
    return project / ".chati" / "memories" / "shared" / "durable" / "pointers"


def _edit_a_pointer(project: Path) -> str:
    path = next(iter(sorted(_folder(project).glob("*secrets*"))))
    path.write_text(
        path.read_text(encoding="utf-8").replace("Blocking: No key", "Blocking: Every key"), encoding="utf-8"
    )
    return path.name


def _pointers(project: Path) -> dict[str, str]:
    """Return each pointer's file without its front matter."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(_folder(project).glob("*.md"))}
    return {name: text.split("---\n", 2)[-1].strip() for name, text in texts.items()}


def _anchor(client: Client, project: Path) -> list[str]:
    """Return the sections of a new session's anchor that contain pointers."""
    run = {"subChatId": "knowing", "provider": "claude", "mode": "agent", "cwd": os.fspath(project)}
    session = {"id": None, "willResume": False, "isFork": False}
    result = client.request("continuity/preRun", {**run, "runId": "knowing", "prompt": QUESTION, "session": session})
    lines: list[str] = []
    in_section = False
    for line in (result["system"] or {"text": ""})["text"].splitlines():
        in_section = line in ANCHOR_TITLES if not line.startswith("- ") else in_section
        lines += [line] if in_section else []
    return lines

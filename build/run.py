"""Run a demo session with the sidecar on a copy of a git repository, and print what it does turn by turn.

    python3 build/run.py
    python3 build/run.py --repo PATH
    python3 build/run.py --json

The session has three chats with real edits between the turns. The first is passive, then active, then uses a second
provider. In the second, a test fails and passes again, an API boundary changes, an approach is abandoned, and the
context window fills up and is compacted. The third is a new session and receives what the others left in memory.
A correction of one chat appears in the anchor of the next, until a later one supersedes it.
Drafted artifacts are accepted and committed to the memory branch. A knowledge repository is created, synced commit by
commit, and its items appear in a new session's anchor. A scripted agent completes a ralph loop in the third iteration.
The repository itself is not touched. The copy is deleted at the end; the sent packs and a report remain.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from session.client import Client, RequestFailed
from session.console_output import ConsolePrinter
from session.instructions_demo import run_instructions_demo
from session.knowledge_demo import run_knowledge_demo
from session.memory_demo import third_chat_turn
from session.player import Player
from session.ralph_demo import run_ralph_loop
from session.repository_copy import Copy, NotARepository, copy_repository, git
from session.scenario import first_chat_turns, targets_in
from session.second_chat import second_chat_turns

import environment


def main(arguments: list[str]) -> int:
    """Set up, run the session and print it; exit status 1 when the sidecar fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, default=environment.ROOT, metavar="PATH", help="another git repository")
    parser.add_argument("--json", action="store_true", help="print one JSON document; the text goes to stderr")
    options = parser.parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    environment.ensure()
    work = Path(tempfile.mkdtemp(prefix="onecode-session-")).resolve()
    try:
        copy = copy_repository(options.repo.resolve(), work / "repository")
        with contextlib.redirect_stdout(sys.stderr if options.json else sys.stdout):
            result = _play(copy, work, ConsolePrinter())
    except NotARepository as error:
        environment.print_progress(f"run: {error}")
        return 1
    except RequestFailed as error:
        environment.print_progress(f"run: {error} The sidecar's log is in {work / 'log'}.")
        return 1
    finally:
        for temporary in ("repository", "state", "knowledge", "agent"):
            shutil.rmtree(work / temporary, ignore_errors=True)
    shutil.rmtree(work / "log", ignore_errors=True)
    if options.json:
        print(json.dumps(result, indent=2))
    return 0


def _play(copy: Copy, work: Path, printer: ConsolePrinter) -> dict[str, Any]:
    state_dir, packs = work / "state", work / "packs"
    state_dir.mkdir()
    files = len([name for name in git(copy.path, "ls-files", "-z").split("\0") if name])
    client = Client([os.fspath(environment.program("onecode-sidecar")), "serve"], state_dir, work / "log")
    printer.start(copy.name, files, copy.uncommitted, client.server)
    player = Player(client, copy.path, packs)
    turns = []
    first, second, third = targets_in(copy.path)
    second_chat = second_chat_turns(first)
    for turn in (*first_chat_turns(first, second, third), *second_chat):
        turns.append(player.play(turn))
        printer.turn(turns[-1])
    compaction = player.compact(second_chat[-1])
    printer.compaction(compaction)
    turns.append(player.play(third_chat_turn()))
    search_results = player.search_memories()
    printer.turn(turns[-1])
    printer.search_results(search_results)
    instructions = run_instructions_demo(client, copy.path)
    printer.instructions(instructions)
    artifacts, registry = player.accept_artifacts(), player.query_registry()
    knowledge = run_knowledge_demo(client, copy.path, work / "knowledge")
    printer.artifacts(artifacts)
    printer.registry(registry)
    printer.knowledge(knowledge)
    report = shutil.copyfile(client.request("state/report", {})["path"], work / "report.html")
    status = client.close()
    if status != 0:
        raise RequestFailed(f"The sidecar ended with status {status}.")
    ralph_loop = run_ralph_loop(environment.program("onecode-sidecar"), copy.path, state_dir, work)
    totals = _totals(turns)
    printer.ralph_loop(ralph_loop)
    printer.summary(turns, totals, os.fspath(packs), os.fspath(report))
    return {
        "repository": {"name": copy.name, "files": files, "uncommitted": copy.uncommitted},
        "server": client.server["serverInfo"],
        "turns": turns,
        "compaction": compaction,
        "searchResults": search_results,
        "instructions": instructions,
        "artifacts": artifacts,
        "registry": registry,
        "knowledge": knowledge,
        "loop": ralph_loop,
        "totals": totals,
        "packs": os.fspath(packs),
        "report": os.fspath(report),
    }


def _totals(turns: list[dict[str, Any]]) -> dict[str, Any]:
    active = [turn["metadata"] for turn in turns if turn["setting"] == "active"]
    sent = sum(data["injectedBytes"] for data in active)
    baseline = sum(data["baselineBytes"] for data in active)
    times = [turn["roundTripMs"] for turn in turns]
    return {
        "sentBytes": sent,
        "baselineBytes": baseline,
        "savedPercent": round(100 * (1 - sent / baseline), 1) if baseline else 0.0,
        "activeTurns": len(active),
        "packCacheHits": sum(data["cacheHit"] for data in active),
        "medianMs": statistics.median(times),
        "slowestMs": max(times),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

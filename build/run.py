"""Plays a session with the sidecar on a copy of a git repository, and tells turn by turn what it did.

    python3 build/run.py
    python3 build/run.py --repo PATH
    python3 build/run.py --json

Three chats with real edits between the turns. The first is passive, then active, then with a second provider. In the
second a test goes red and green, a boundary is touched, an approach is given up, the window fills up and is compacted.
The third knows nothing of the others and is told what is remembered of them. What was drafted is accepted and committed
to the memory branch. A knowledge repository is made, synced commit by commit, and told in a new session's anchor. A
scripted agent keeps its promise in the third iteration of a ralph loop. The repository itself is not touched; the copy
goes away at the end, the packs that were sent and a report stay to be read.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from session.client import Client, RequestFailed
from session.copying import Copy, NotARepository, copy_repository, git
from session.decaying import decaying_turns
from session.knowing import known
from session.looping import play_loop
from session.playing import Player
from session.remembering import next_session
from session.screenplay import opening_turns, targets_in
from session.telling import Teller

import environment


def main(arguments: list[str]) -> int:
    """Sets up, plays the session and tells it; status 1 when the sidecar did not do its part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, default=environment.ROOT, metavar="PATH", help="another git repository")
    parser.add_argument("--json", action="store_true", help="print everything as one JSON document")
    chosen = parser.parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    environment.ensure()
    work = Path(tempfile.mkdtemp(prefix="onecode-session-")).resolve()
    try:
        copy = copy_repository(chosen.repo.resolve(), work / "repository")
        told = _play(copy, work, None if chosen.json else Teller())
    except NotARepository as error:
        environment.say(f"run: {error}")
        return 1
    except RequestFailed as error:
        environment.say(f"run: {error} The sidecar's log is in {work / 'log'}.")
        return 1
    finally:
        for temporary in ("repository", "state", "knowledge", "agent"):
            shutil.rmtree(work / temporary, ignore_errors=True)
    shutil.rmtree(work / "log", ignore_errors=True)
    if chosen.json:
        print(json.dumps(told, indent=2))
    return 0


def _play(copy: Copy, work: Path, teller: Teller | None) -> dict[str, Any]:
    state_dir, packs = work / "state", work / "packs"
    state_dir.mkdir()
    files = len([name for name in git(copy.path, "ls-files", "-z").split("\0") if name])
    client = Client([os.fspath(environment.program("onecode-sidecar")), "serve"], state_dir, work / "log")
    if teller:
        teller.begin(copy.name, files, copy.uncommitted, client.server)
    player = Player(client, copy.path, packs)
    turns = []
    one, two, three = targets_in(copy.path)
    decaying = decaying_turns(one)
    for turn in (*opening_turns(one, two, three), *decaying):
        turns.append(player.play(turn))
        if teller:
            teller.turn(turns[-1])
    compaction = player.compact(decaying[-1])
    if teller:
        teller.compacted(compaction)
    turns.append(player.play(next_session()))
    found = player.find()
    if teller:
        teller.turn(turns[-1])
        teller.found(found)
    kept, decided = player.keep(), player.decide()
    synced = known(client, copy.path, work / "knowledge")
    if teller:
        teller.kept(kept)
        teller.decided(decided)
        teller.known(synced)
    report = shutil.copyfile(client.request("state/report", {})["path"], work / "report.html")
    status = client.close()
    if status != 0:
        raise RequestFailed(f"The sidecar ended with status {status}.")
    looped = play_loop(environment.program("onecode-sidecar"), copy.path, state_dir, work)
    totals = _totals(turns)
    if teller:
        teller.looped(looped)
        teller.end(turns, totals, os.fspath(packs), os.fspath(report))
    return {
        "repository": {"name": copy.name, "files": files, "uncommitted": copy.uncommitted},
        "server": client.server["serverInfo"],
        "turns": turns,
        "compaction": compaction,
        "found": found,
        "kept": kept,
        "registry": decided,
        "knowledge": synced,
        "loop": looped,
        "totals": totals,
        "packs": os.fspath(packs),
        "report": os.fspath(report),
    }


def _totals(turns: list[dict[str, Any]]) -> dict[str, Any]:
    active = [told["metadata"] for told in turns if told["setting"] == "active"]
    sent = sum(data["injectedBytes"] for data in active)
    baseline = sum(data["baselineBytes"] for data in active)
    times = [told["roundTripMs"] for told in turns]
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

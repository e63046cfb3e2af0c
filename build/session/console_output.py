"""Print a session on a plain terminal: each turn as it happens, then a summary."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
from collections import Counter
from typing import Any

from session.file_selection import legend, table
from session.knowledge_output import knowledge_rows
from session.memory_output import clip, compaction_rows, context_line, found_rows
from session.ralph_demo import loop_rows

BAR = 40
INDENT = 4
WIDTH, NARROWEST = 120, 90
LONG_MS = 100.0
STAGES = {
    "first chat": (
        "A first chat: passive, then active, then with a second provider",
        "at first nothing is sent, then everything once, and afterwards only what is new.",
    ),
    "second chat": (
        "A second chat: a failing test, an API boundary, an abandoned approach, a window that fills up",
        "the drafts after each run, and the governor's request for a fresh session as the window fills.",
    ),
    "compaction": (
        "The window is compacted",
        "the user's correction is saved (memory) and sent again afterwards (after).",
    ),
    "third chat": (
        "A third chat, in a new session",
        "what it receives from the other chats (memory), and why a memory search finds it.",
    ),
    "standing instructions": (
        "The user corrects the agent in one chat, and again in the next",
        "each correction opens the anchor of the next new session; the first chat receives what changed.",
    ),
    "drafts": (
        "The drafted artifacts",
        "two drafts are accepted and committed to a separate branch; no other ref moves.",
    ),
    "registry": (
        "Does it exist already?",
        "the requested function is found in the code, with a score.",
    ),
    "knowledge": (
        "A knowledge repository, synced into memory and shown in the anchor",
        "each sync applies only the changes, and nothing is left to do after the last one.",
    ),
    "loop": (
        "A ralph loop with a scripted agent",
        "a promise counts only once the check passes.",
    ),
    "sum": ("Summary", "what was saved, and how long prompts waited; the last lines name the report and the packs."),
}
"""The headings in order, each with what to look for."""

CHATS = {2: "second chat", 3: "third chat"}


class ConsolePrinter:
    """Prints the session; in colour on a terminal that supports it, in ASCII when nothing else can be shown."""

    def __init__(self) -> None:
        self._colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self._unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        self._width = max(NARROWEST, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns))
        self._before = frozenset[str]()
        """The files of the turn before."""
        self._complete = False
        self._chat = 1

    def start(self, name: str, files: int, uncommitted: int, server: dict[str, Any]) -> None:
        """Print the repository and the sidecar's version."""
        version, build = server["serverInfo"]["version"], server["serverInfo"]["build"]
        print(self._bold(f"A session on a copy of {name}"), f"({files} files, {uncommitted} of them uncommitted)")
        print(f"onecode-sidecar {version} from {build}; sent = new to the provider's session, reused = already in it")
        print(f"{len(STAGES)} stages, the last is the summary; --json prints everything\n")
        self._stage("first chat")

    def turn(self, turn: dict[str, Any]) -> None:
        """Print one turn."""
        if turn["chat"] != self._chat:
            self._chat = turn["chat"]
            self._stage(CHATS[turn["chat"]])
        data = turn["metadata"]
        fresh = "new session" if turn["freshSession"] else "same session"
        head = f"Turn {turn['turn']}  {turn['provider']}, {fresh}, {turn['mode']}, {turn['setting']}"
        print(f"{self._bold(head):<{52 + self._bold_width()}}pre-run {turn['roundTripMs']:>8.1f} ms")
        if turn["meanwhile"]:
            self._row("before", turn["meanwhile"])
        self._row("prompt", turn["prompt"])
        self._row("sent", self._sent(turn))
        self._row("baseline", self._baseline(data))
        self._row("cache", self._cache(data))
        self._row("fresh", self._fresh(turn))
        self._chosen(turn)
        self._row("context", context_line(turn["context"]))
        for line in turn["remembered"]:
            self._row("memory", clip(line, self._width - INDENT - 8))
        self._row("governor", self._governor(turn))
        if turn["governor"]["marker"]:
            self._row("marker", turn["governor"]["marker"])
        self._row("agent", turn["happened"] or "answered")
        for artifact in turn["artifacts"]:
            self._row("drafted", f"{artifact['type']} {artifact['id']} ({artifact['status']})")
        print()

    def compaction(self, result: dict[str, Any]) -> None:
        """Print what was saved before the compaction, and how the session continues."""
        self._stage("compaction")
        self._row("session", result["session"])
        for label, text in compaction_rows(result, self._width - INDENT - 8):
            self._row(label, text)
        print()

    def search_results(self, memories: list[dict[str, Any]]) -> None:
        """Print the results of a memory search with the factors of their scores."""
        print(self._bold("The same question as a memory search"))
        for label, text in found_rows(memories, self._width - INDENT - 8):
            self._row(label, text)
        print()

    def instructions(self, result: dict[str, Any]) -> None:
        """Print two corrections, and the anchors and the delta after them."""
        self._stage("standing instructions")
        for statement, origin, anchor in zip(result["statements"], result["origins"], result["anchors"], strict=True):
            self._row("user", f"{statement} ({origin})")
            for line in anchor or ["nothing"]:
                self._row("next anchor", line)
        for line in result["corrected"]:
            self._row("first chat", line)
        print()

    def artifacts(self, artifacts: dict[str, Any]) -> None:
        """Print the drafts, then the text of the accepted ones and the branch they are committed to."""
        self._stage("drafts")
        for artifact in artifacts["artifacts"]:
            self._row(
                "draft", clip(f"{artifact['type']}, {artifact['event']}: {artifact['title']}", self._width - INDENT - 8)
            )
        for artifact in artifacts["artifacts"]:
            if artifact["id"] in artifacts["accepted"]:
                print(f"\n  {self._bold('accepted')}, as it is committed:")
                for line in artifact["body"].splitlines():
                    print(f"  | {line}".rstrip())
        commit = artifacts["committed"]
        moved = ", ".join(artifacts["movedRefs"]) or "none"
        print(
            f"\n{counted(len(commit['artifacts']), 'artifact')} committed to {commit['branch']}; refs that moved:"
            f" {moved}\n"
        )

    def registry(self, result: dict[str, Any]) -> None:
        """Print the registry's size, and its decision on one intent."""
        self._stage("registry")
        self._row("prompt", result["intent"])
        self._row("registry", f"{result['derived']['total']} entities of the code, in {result['deriveMs']:.0f} ms")
        self._row("decision", f"{result['decided']['decision']}, in {result['decideMs']:.1f} ms")
        for recommendation in result["decided"]["recommendations"]:
            parts = f"{recommendation['keywordScore']:.0f} and {recommendation['purposeScore']:.0f}"
            self._row(
                "",
                f"{recommendation['decision']} {recommendation['score']:.1f} ({parts}) "
                f" {recommendation['entity']['id']}",
            )
        print()

    def knowledge(self, result: dict[str, Any]) -> None:
        """Print the syncs of the knowledge repository, and where its items appear."""
        self._stage("knowledge")
        for label, text in knowledge_rows(result, self._width - INDENT - 8):
            self._row(label, text)
        print()

    def ralph_loop(self, result: dict[str, Any]) -> None:
        """Print the output and the prompts of the ralph loop."""
        self._stage("loop")
        for line in loop_rows(result):
            print(f"  {line}")
        print()

    def summary(self, turns: list[dict[str, Any]], totals: dict[str, Any], packs: str, report: str) -> None:
        """Print the summary, and where packs and report are."""
        self._stage("sum")
        print(self._bold("turn  provider  setting   action          sent    reused  baseline reused %  cache      ms"))
        for turn in turns:
            data = turn["metadata"]
            sent = data["injectedBytes"] if turn["setting"] == "active" else data["wouldInjectBytes"]
            shown = size(sent) if turn["setting"] == "active" else f"({size(sent)})"
            print(
                f"{turn['turn']:>4}  {turn['provider']:<8}  {turn['setting']:<8}  {turn['action']:<11}"
                f"{shown:>11} {size(data['reusedBytes']):>9} {size(data['baselineBytes']):>9}"
                f"{data['reusedPercent']:>7.0f} %  {'hit ' if data['cacheHit'] else 'miss'} {turn['roundTripMs']:>9.1f}"
            )
        print("\nIn parentheses: what passive mode would have sent.")
        print(
            f"Active turns sent {size(totals['sentBytes'])} instead of"
            f" {size(totals['baselineBytes'])} for sending everything each time: {totals['savedPercent']:.0f} % saved."
        )
        print(
            f"The pack came from the cache in {totals['packCacheHits']} of {totals['activeTurns']} active turns;"
            " a new task or another provider needs a new one."
        )
        print(f"Pre-run latency: median {totals['medianMs']:.1f} ms, maximum {totals['slowestMs']:.1f} ms.")
        self._alone(turns)
        self._legend(turns)
        print(f"\nReport, for a browser: {self._bold(report)}")
        print(f"Packs by turn: {self._bold(packs)}")

    @staticmethod
    def _legend(turns: list[dict[str, Any]]) -> None:
        lines = legend(turns)
        if lines:
            print(
                "\nSelected files: rank, score, path and parts of the score, then the reasons. (reused): already in"
                " the session."
            )
        for line in lines:
            print(f"  {line}")

    @staticmethod
    def _alone(turns: list[dict[str, Any]]) -> None:
        proofs = Counter(turn["metadata"]["proof"] or "nothing in time" for turn in turns)
        proven = ", ".join(f"{proof} in {count}" for proof, count in proofs.most_common())
        state = statistics.median(turn["state"]["ms"] for turn in turns)
        search = statistics.median(turn["search"]["ms"] for turn in turns)
        print(f"The state was proven fresh by {proven} of {len(turns)} turns.")
        print(f"Measured alone, without changes: median state {state:.1f} ms, median search {search:.1f} ms.")

    def _sent(self, turn: dict[str, Any]) -> str:
        if turn["action"] == "passthrough":
            return f"nothing ({turn['reason']}); would send {size(turn['metadata']['wouldInjectBytes'])}"
        new = turn["metadata"]["injectedBytes"]
        blocks = [f"{block['kind']} {size(block['bytes'])}" for block in turn["blocks"]]
        again = ""
        if turn["systemBytes"] and new > sum(block["bytes"] for block in turn["blocks"]):
            blocks.insert(0, f"anchor {size(turn['systemBytes'])} as system text")
        elif turn["systemBytes"]:
            again = "; system text unchanged"
        return f"{size(new)} new: {', '.join(blocks) or 'nothing'}{again}"

    def _baseline(self, data: dict[str, Any]) -> str:
        share = data["reusedBytes"] / data["baselineBytes"] if data["baselineBytes"] else 0.0
        filled = round(share * BAR)
        full, empty = ("█", "░") if self._unicode else ("#", ".")
        bar = f"{full * filled}{empty * (BAR - filled)}"
        return f"{bar} {size(data['reusedBytes'])} of {size(data['baselineBytes'])} reused"

    @staticmethod
    def _cache(data: dict[str, Any]) -> str:
        pack = "pack hit" if data["cacheHit"] else "pack miss"
        trimmed = f"; {len(data['trimmed'])} trimmed" if data["trimmed"] else ""
        partial = "; partial" if data["partial"] else ""
        return f"{pack}; files {data['fileHits']} hit, {data['fileMisses']} read{trimmed}{partial}"

    @staticmethod
    def _fresh(turn: dict[str, Any]) -> str:
        """Return how the state was proven fresh, and the time for state and search on their own."""
        proof = f"by {turn['metadata']['proof']}" if turn["metadata"]["proof"] else "not known in time"
        state, search = turn["state"], turn["search"]
        waited = f" after {search['waitedMs'] / 1000:.1f} s of indexing" if search["waitedMs"] > LONG_MS else ""
        unread = "" if search["complete"] else " while indexing"
        alone = f"state {state['ms']:.1f} ms by {state['proof']}, search {search['ms']:.1f} ms{waited}{unread}"
        return f"{proof}; measured alone: {alone}"

    def _chosen(self, turn: dict[str, Any]) -> None:
        """Print the files of the turn's pack with the reasons; only new ones if it resembles the previous turn's."""
        files = turn["chosen"]
        before, self._before = self._before, frozenset(file["path"] for file in files)
        complete_before, self._complete = self._complete, not turn["metadata"]["partial"]
        new = [file for file in files if file["path"] not in before]
        origin = "from the pack cache" if turn["metadata"]["cacheHit"] else "newly searched"
        is_similar = complete_before and len(new) * 3 <= len(files)
        difference = f"; new since the previous turn: {len(new) or 'none'}" if is_similar else ""
        partial = "" if self._complete else ", from a partial index"
        self._row("selected", f"{counted(len(files), 'file')} {origin}{partial}{difference}" if files else "no file")
        for line in table(new if is_similar else files, self._width - INDENT):
            print(" " * INDENT + line)

    @staticmethod
    def _governor(turn: dict[str, Any]) -> str:
        before, after = turn["governor"], turn["governorAfter"]
        action = (
            before["action"] if before["action"] == after["action"] else f"{before['action']}, then {after['action']}"
        )
        reasons = ", ".join(dict.fromkeys(before["reasons"] + after["reasons"]))
        fresh = "; start a fresh session" if before["startFreshSession"] else ""
        return f"{action}{f' ({reasons})' if reasons else ''}{fresh}, at {turn['usedTokens'] // 1000}k tokens"

    def _stage(self, name: str) -> None:
        title, hint = STAGES[name]
        print(f"{self._bold(f'{list(STAGES).index(name) + 1}. {title}')}\nLook for: {hint}\n")

    def _row(self, label: str, text: str) -> None:
        print(f"  {label:<9} {text}")

    def _bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self._colours else text

    def _bold_width(self) -> int:
        return len(self._bold(""))


def size(amount: int) -> str:
    """Return a byte count for people."""
    return f"{amount} B" if amount < 1024 else f"{amount / 1024:.1f} KiB"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

"""Tells a played session on a plain terminal: each turn as it happens, then the sum."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
from collections import Counter
from typing import Any

from session.choosing import legend, table
from session.looping import loop_rows
from session.telling_knowledge import knowledge_rows
from session.telling_memories import compaction_rows, context_line, found_rows, shortened

BAR = 40
INDENT = 4
WIDTH, NARROWEST = 120, 90
LONG_MS = 100.0
STAGES = {
    "first chat": (
        "A first chat: passive, then active, then with a second provider",
        "nothing is sent at first, all of it when injecting begins, and from then on only what is new.",
    ),
    "second chat": (
        "A second chat: red and green, a boundary, an approach given up, a window that fills up",
        "what each run leaves (drafted), and that the governor wants a fresh session as the window fills.",
    ),
    "compaction": (
        "The window is compacted",
        "what the user corrected is kept (memory) and told again afterwards (after).",
    ),
    "third chat": (
        "A third chat, in a session that knows nothing of the others",
        "what it is told of the others (told), and why a search of memories finds that.",
    ),
    "drafts": (
        "What was drafted",
        "two drafts are accepted and committed to a branch of their own; no other ref moves.",
    ),
    "registry": (
        "Is it there already?",
        "the function that is asked for is found in the code, with a score.",
    ),
    "knowledge": (
        "A knowledge repository, synced into memory and told in the anchor",
        "each sync does only what changed, and nothing is left to do after the last.",
    ),
    "loop": (
        "A ralph loop, with a scripted agent",
        "a promise counts only once the check passes.",
    ),
    "sum": ("All turns", "what was saved, and how long a prompt waited; the last lines name what is left to be read."),
}
"""The headings in their order, each with what is to be seen."""

CHATS = {2: "second chat", 3: "third chat"}


class Teller:
    """Prints; with colours on a terminal that has them, in ASCII where nothing else can be shown."""

    def __init__(self) -> None:
        self._colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self._unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        self._width = max(NARROWEST, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns))
        self._before = frozenset[str]()
        """The files of the turn before."""
        self._complete = False
        self._chat = 1

    def begin(self, name: str, files: int, uncommitted: int, server: dict[str, Any]) -> None:
        """Says what is played on."""
        version, build = server["serverInfo"]["version"], server["serverInfo"]["build"]
        print(self._bold(f"A session on a copy of {name}"), f"({files} files, {uncommitted} of them uncommitted)")
        print(f"onecode-sidecar {version} from {build}; sent = new to the provider's session, kept = it has it already")
        print(f"{len(STAGES)} stages; the sum is the last, and --json prints all that is left out here\n")
        self._stage("first chat")

    def turn(self, told: dict[str, Any]) -> None:
        """Tells one turn."""
        if told["chat"] != self._chat:
            self._chat = told["chat"]
            self._stage(CHATS[told["chat"]])
        data = told["metadata"]
        fresh = "new session" if told["freshSession"] else "same session"
        head = f"Turn {told['turn']}  {told['provider']}, {fresh}, {told['mode']}, {told['setting']}"
        print(f"{self._bold(head):<{52 + self._bold_width()}}pre-run {told['roundTripMs']:>8.1f} ms")
        if told["meanwhile"]:
            self._row("before", told["meanwhile"])
        self._row("asked", told["prompt"])
        self._row("sent", self._sent(told))
        self._row("baseline", self._baseline(data))
        self._row("cache", self._cache(data))
        self._row("fresh", self._fresh(told))
        self._chosen(told)
        self._row("context", context_line(told["context"]))
        for line in told["remembered"]:
            self._row("told", shortened(line, self._width - INDENT - 8))
        self._row("governor", self._governor(told))
        if told["governor"]["marker"]:
            self._row("marker", told["governor"]["marker"])
        self._row("then", told["happened"] or "answered")
        for artifact in told["artifacts"]:
            self._row("drafted", f"{artifact['type']} {artifact['id']} ({artifact['status']})")
        print()

    def compacted(self, told: dict[str, Any]) -> None:
        """Tells what was kept before the compaction, and what the session goes on with."""
        self._stage("compaction")
        self._row("session", told["session"])
        for what, text in compaction_rows(told, self._width - INDENT - 8):
            self._row(what, text)
        print()

    def found(self, memories: list[dict[str, Any]]) -> None:
        """Tells what a search of memories found, and what each score is made of."""
        print(self._bold("The same question, asked of the memories alone"))
        for what, text in found_rows(memories, self._width - INDENT - 8):
            self._row(what, text)
        print()

    def kept(self, kept: dict[str, Any]) -> None:
        """Names the drafts, then shows those accepted as a person reads them, and where they were committed."""
        self._stage("drafts")
        for one in kept["artifacts"]:
            self._row("draft", shortened(f"{one['type']}, {one['event']}: {one['title']}", self._width - INDENT - 8))
        for one in kept["artifacts"]:
            if one["id"] in kept["accepted"]:
                print(f"\n  {self._bold('accepted')}, as it is committed:")
                for line in one["body"].splitlines():
                    print(f"  | {line}".rstrip())
        done = kept["committed"]
        moved = ", ".join(kept["movedRefs"]) or "none"
        print(
            f"\n{counted(len(done['artifacts']), 'artifact')} committed to {done['branch']}; refs that moved: {moved}\n"
        )

    def decided(self, told: dict[str, Any]) -> None:
        """Tells what the registry made of the code, and what it decided on one intent."""
        self._stage("registry")
        self._row("asked", told["intent"])
        self._row("registry", f"{told['derived']['total']} entities of the code, in {told['deriveMs']:.0f} ms")
        self._row("decision", f"{told['decided']['decision']}, in {told['decideMs']:.1f} ms")
        for one in told["decided"]["recommendations"]:
            parts = f"{one['keywordScore']:.0f} and {one['purposeScore']:.0f}"
            self._row("", f"{one['decision']} {one['score']:.1f} ({parts})  {one['entity']['id']}")
        print()

    def known(self, told: dict[str, Any]) -> None:
        """Tells how a knowledge repository was synced, and where its items are told of."""
        self._stage("knowledge")
        for what, text in knowledge_rows(told, self._width - INDENT - 8):
            self._row(what, text)
        print()

    def looped(self, told: dict[str, Any]) -> None:
        """Tells of the loop with a scripted agent: what it printed, and what its prompts had."""
        self._stage("loop")
        for line in loop_rows(told):
            print(f"  {line}")
        print()

    def end(self, turns: list[dict[str, Any]], totals: dict[str, Any], packs: str, report: str) -> None:
        """Tells the sum, and where packs and report can be read."""
        self._stage("sum")
        print(self._bold("turn  provider  setting   action          sent      kept  baseline  kept %  cache      ms"))
        for told in turns:
            data = told["metadata"]
            sent = data["injectedBytes"] if told["setting"] == "active" else data["wouldInjectBytes"]
            shown = size(sent) if told["setting"] == "active" else f"({size(sent)})"
            print(
                f"{told['turn']:>4}  {told['provider']:<8}  {told['setting']:<8}  {told['action']:<11}"
                f"{shown:>11} {size(data['reusedBytes']):>9} {size(data['baselineBytes']):>9}"
                f"{data['reusedPercent']:>7.0f} %  {'hit ' if data['cacheHit'] else 'miss'} {told['roundTripMs']:>9.1f}"
            )
        print("\nIn brackets: what passive mode would have sent.")
        print(
            f"Active turns sent {size(totals['sentBytes'])} where sending everything each time takes"
            f" {size(totals['baselineBytes'])}: {totals['savedPercent']:.0f} % saved."
        )
        print(
            f"The pack came from the cache in {totals['packCacheHits']} of {totals['activeTurns']} active turns;"
            " a new task or another provider makes a new one."
        )
        print(f"Pre-run took {totals['medianMs']:.1f} ms in the middle, {totals['slowestMs']:.1f} ms at most.")
        self._alone(turns)
        self._legend(turns)
        print(f"\nThe report, for a browser: {self._bold(report)}")
        print(f"The packs, turn by turn: {self._bold(packs)}")

    @staticmethod
    def _legend(turns: list[dict[str, Any]]) -> None:
        lines = legend(turns)
        if lines:
            print(
                "\nA chosen file: rank, score, path, the score's parts; then why. (kept): the session has it already."
            )
        for line in lines:
            print(f"  {line}")

    @staticmethod
    def _alone(turns: list[dict[str, Any]]) -> None:
        proofs = Counter(told["metadata"]["proof"] or "nothing in time" for told in turns)
        proven = ", ".join(f"{proof} in {count}" for proof, count in proofs.most_common())
        state = statistics.median(told["state"]["ms"] for told in turns)
        search = statistics.median(told["search"]["ms"] for told in turns)
        print(f"The state was proven fresh by {proven} of {len(turns)} turns.")
        print(f"Asked alone, with nothing changed: the state {state:.1f} ms, a search {search:.1f} ms in the middle.")

    def _sent(self, told: dict[str, Any]) -> str:
        if told["action"] == "passthrough":
            return f"nothing ({told['reason']}); would send {size(told['metadata']['wouldInjectBytes'])}"
        new = told["metadata"]["injectedBytes"]
        blocks = [f"{block['kind']} {size(block['bytes'])}" for block in told["blocks"]]
        again = ""
        if told["systemBytes"] and new > sum(block["bytes"] for block in told["blocks"]):
            blocks.insert(0, f"anchor {size(told['systemBytes'])} as system text")
        elif told["systemBytes"]:
            again = "; the system text as before"
        return f"{size(new)} new: {', '.join(blocks) or 'nothing'}{again}"

    def _baseline(self, data: dict[str, Any]) -> str:
        share = data["reusedBytes"] / data["baselineBytes"] if data["baselineBytes"] else 0.0
        filled = round(share * BAR)
        full, empty = ("█", "░") if self._unicode else ("#", ".")
        return (
            f"{full * filled}{empty * (BAR - filled)} {size(data['reusedBytes'])} of {size(data['baselineBytes'])} kept"
        )

    @staticmethod
    def _cache(data: dict[str, Any]) -> str:
        pack = "pack hit" if data["cacheHit"] else "pack miss"
        trimmed = f"; {len(data['trimmed'])} left out" if data["trimmed"] else ""
        partial = "; partial" if data["partial"] else ""
        return f"{pack}; files {data['fileHits']} hit, {data['fileMisses']} read{trimmed}{partial}"

    @staticmethod
    def _fresh(told: dict[str, Any]) -> str:
        """How the state was proven, and what state and search take by themselves."""
        proof = f"by {told['metadata']['proof']}" if told["metadata"]["proof"] else "not known in time"
        state, search = told["state"], told["search"]
        waited = f" after {search['waitedMs'] / 1000:.1f} s of reading" if search["waitedMs"] > LONG_MS else ""
        unread = "" if search["complete"] else " while files are still being indexed"
        alone = f"state {state['ms']:.1f} ms by {state['proof']}, search {search['ms']:.1f} ms{waited}{unread}"
        return f"{proof}; asked alone afterwards: {alone}"

    def _chosen(self, told: dict[str, Any]) -> None:
        """Lists the files of the turn's pack with the reasons; of one like the turn before's only what is new in it."""
        files = told["chosen"]
        before, self._before = self._before, frozenset(file["path"] for file in files)
        complete_before, self._complete = self._complete, not told["metadata"]["partial"]
        new = [file for file in files if file["path"] not in before]
        how = "from the pack cache" if told["metadata"]["cacheHit"] else "searched for now"
        alike = complete_before and len(new) * 3 <= len(files)
        difference = f"; not in the turn before: {len(new) or 'none'}" if alike else ""
        early = "" if self._complete else ", by what was read so far"
        self._row("chosen", f"{counted(len(files), 'file')} {how}{early}{difference}" if files else "no file")
        for line in table(new if alike else files, self._width - INDENT):
            print(" " * INDENT + line)

    @staticmethod
    def _governor(told: dict[str, Any]) -> str:
        before, after = told["governor"], told["governorAfter"]
        word = (
            before["action"] if before["action"] == after["action"] else f"{before['action']}, then {after['action']}"
        )
        reasons = ", ".join(dict.fromkeys(before["reasons"] + after["reasons"]))
        fresh = "; start a fresh session" if before["startFreshSession"] else ""
        return f"{word}{f' ({reasons})' if reasons else ''}{fresh}, at {told['usedTokens'] // 1000}k tokens"

    def _stage(self, name: str) -> None:
        title, look = STAGES[name]
        print(f"{self._bold(f'{list(STAGES).index(name) + 1}. {title}')}\nWhat to see: {look}\n")

    def _row(self, what: str, text: str) -> None:
        print(f"  {what:<9} {text}")

    def _bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self._colours else text

    def _bold_width(self) -> int:
        return len(self._bold(""))


def size(amount: int) -> str:
    """Gives bytes as people read them."""
    return f"{amount} B" if amount < 1024 else f"{amount / 1024:.1f} KiB"


def counted(number: int, noun: str) -> str:
    """Gives a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

"""Memories as a terminal shows them. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sidecar.cli.telling import cut, shown

_LEAST_TITLE = 20


def table(memories: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """Gives a line for each memory under a heading."""
    ids, owners, types = (max(len(str(one[name])) for one in memories) for name in ("id", "owner", "type"))
    left = max(_LEAST_TITLE, width - ids - owners - types - len("  warm  0.70  1×      "))
    yield f"{'ID':<{ids}}  {'OWNER':<{owners}}  {'TYPE':<{types}}  TIER  SURE  MET  TITLE"
    for one in memories:
        tier = "arch" if one["archived"] else one["tier"]
        facts = f"{one['id']:<{ids}}  {one['owner']:<{owners}}  {one['type']:<{types}}  {tier:<4}"
        yield f"{facts}  {one['confidence']:.2f}  {one['evidence']:>3}  {cut(shown(one['title']), left)}"


def card(memory: Mapping[str, Any]) -> Iterator[str]:
    """Gives a memory with what is known of it, then its text."""
    times = f"met {memory['evidence']} times, opened {memory['accessCount']} times"
    facts = {
        "id": memory["id"],
        "type": f"{memory['type']}, {memory['sector']}",
        "owner": f"{memory['owner']}, {memory['keeping']}{', archived' if memory['archived'] else ''}",
        "tier": f"{memory['tier']}, confidence {memory['confidence']:.2f}, {times}",
        "said": " ".join(filter(None, (_moment(memory["at"]), f"by {memory['author']}" if memory["author"] else ""))),
        "session": memory["sessionId"] or "",
        "tags": ", ".join(memory["tags"]),
        "instead": ", ".join(memory["supersedes"]),
        "against": ", ".join(memory["contradicts"]),
        "file": memory["path"],
        "warning": memory["warning"] or "",
    }
    yield from (f"{name:<8} {shown(fact)}" for name, fact in facts.items() if fact)
    yield ""
    yield f"# {shown(memory['title'])}"
    yield ""
    yield shown(memory["text"]).rstrip("\n")


def found(memories: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """Gives what a search found, each with its score and what it says."""
    for one in memories:
        begin = f"{one['score']:.2f}  {one['id']}  "
        yield begin + cut(shown(one["title"]), max(_LEAST_TITLE, width - len(begin)))
        yield from (f"      {cut(shown(line), max(_LEAST_TITLE, width - 6))}" for line in _lines(one["text"]))
        yield f"      = {cut(_score(one), max(_LEAST_TITLE, width - 8))}"


def _score(one: Mapping[str, Any]) -> str:
    """Tells what a score is the product of, and what speaks for and against the memory most."""
    factors = " × ".join(f"{name} {value:.2g}" for name, value in one["factors"].items())
    return f"{factors}; {', '.join(f'{name} {share:+.1f}' for name, share in one['reasons'].items())}"


def line(memory: Mapping[str, Any], word: str, width: int) -> str:
    """Says in a line what became of a memory."""
    begin = f"{word}  {memory['id']}  "
    return begin + cut(shown(memory["title"]), max(_LEAST_TITLE, width - len(begin)))


def state(status: Mapping[str, Any]) -> Iterator[str]:
    """Tells what is remembered, what was captured last, what was dropped and why, and what upkeep did."""
    if not status["present"]:
        yield f"No memories yet; they are kept in {status['folder']}."
    else:
        memories = counted(status["memories"], "memory", "memories")
        yield f"{memories} in {counted(status['index']['files'], 'file', 'files')} of {status['folder']}"
        yield from (_count(one) for one in status["counts"])
    yield ""
    yield from _captured(status["capture"])
    yield _upkeep(status["upkeep"])
    yield from (f"warning: {shown(one['path'])}: {shown(one['warning'])}" for one in status["warnings"])


def upkeep(answer: Mapping[str, Any]) -> Iterator[str]:
    """Tells what was due."""
    will = "would be " if answer["dryRun"] else ""
    for one in answer["tiers"]:
        yield f"{one['id']}  {will}{one['after']}, was {one['before']}"
    for name, what in (("archived", "archived"), ("cleaned", "removed, its session is over")):
        yield from (f"{shown(one['path'])}  {will}{what} ({one['reason']})" for one in answer[name])
    yield from (f"{shown(path)}  left alone: it is damaged or in use" for path in answer["leftAlone"])
    counts = answer["totals"]
    yield (
        f"{counts['tiers']} tiers, {counts['archived']} files archived, {counts['cleaned']} cleaned"
        f"{'; nothing was changed' if answer['dryRun'] else ''}."
    )


def _captured(capture: Mapping[str, Any]) -> Iterator[str]:
    if capture["last"] is None:
        yield "Nothing was captured yet."
    else:
        last = capture["last"]
        yield f"Last capture  {_moment(last['at'])}, {last['origin']} of session {shown(last['sessionId'])}:"
        yield f"  {_became(last)}"
        yield f"In all, of {counted(capture['captures'], 'capture', 'captures')}:"
        yield f"  {_became(capture)}"
    if capture["waiting"]:
        yield f"Still to be captured: {counted(capture['waiting'], 'run', 'runs')}."


def _became(counts: Mapping[str, Any]) -> str:
    told = f"{counts['kept']} kept, {counts['repeated']} met again"
    if counts["withheld"]:
        told += f", {counts['withheld']} withheld (the project's mode is not active)"
    dropped = sum(one["count"] for one in counts["dropped"])
    reasons = ", ".join(f"{one['count']} {_REASONS[one['reason']]}" for one in counts["dropped"])
    return f"{told}, {dropped} dropped{f': {reasons}' if reasons else ''}"


_REASONS = {
    "tooShort": "too short",
    "tooLong": "too long",
    "question": "a question",
    "toolOutput": "a tool's output",
    "instructionFile": "in a rule file already",
    "private": "private",
    "injected": "our own text",
    "deletedByUser": "deleted by you before",
    "unresolvedError": "an error that nothing has ended yet",
}


def _count(one: Mapping[str, Any]) -> str:
    where = "archive" if one["archived"] else one["keeping"]
    return f"  {one['memories']:>5}  {one['owner']}, {where}, {one['tier']}"


def _upkeep(last: Mapping[str, Any] | None) -> str:
    if last is None:
        return "Upkeep never ran."
    counts = f"{last['tiers']} tiers, {last['archived']} files archived, {last['cleaned']} cleaned"
    return f"Last upkeep   {_moment(last['at'])}: {counts}"


def _lines(text: str | None) -> list[str]:
    return [one for one in (text or "").splitlines() if one.strip()]


def counted(number: int, one: str, many: str) -> str:
    """Gives a number with its noun."""
    return f"{number} {one if number == 1 else many}"


def _moment(text: str) -> str:
    return f"{text[:10]} {text[11:16]} UTC"

"""`onecode-sidecar memory`: what agents remember of a project, including their private memories.

The command line acts for the user, so all memories are accessible.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from sidecar.cli.common_arguments import (
    add_limit_argument,
    add_verb,
    project_folder,
    require_users_shell,
    state_folder,
)
from sidecar.cli.in_process import InProcess, on_users_state
from sidecar.cli.output import (
    CommandAnswer,
    CommandFailed,
    cut,
    read_text,
    run_and_print,
    terminal_safe,
    terminal_width,
)
from sidecar.cli.text_editor import edited_text
from sidecar.core.clean_text import count_noun
from sidecar.core.clock import utc_minute

MAX_LIMIT = 500

MAX_CANDIDATES = 5
"""Maximum number of candidates named for an ambiguous id."""

_MIN_TITLE_WIDTH = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = (
        "An ID may be shortened to a unique suffix. Exit status: 0 success, 1 failure, 2 wrong usage, 3 no unique"
        " memory or no state, 4 changed meanwhile, 5 not allowed."
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    status = add_verb(verbs, "status", "show stored memories, the latest capture, and drops with their reasons")
    status.add_argument("--near-misses", action="store_true", help="list the latest sentences that were nearly stored")
    _list_arguments(add_verb(verbs, "list", "list a project's memories, newest first"))
    _search_arguments(add_verb(verbs, "search", "find memories by a question or keywords"))
    add_verb(verbs, "show", "show a memory with all its facts").add_argument("id", metavar="ID")
    _add_arguments(add_verb(verbs, "add", "add a memory"))
    _edit_arguments(add_verb(verbs, "edit", "edit a memory in $VISUAL or $EDITOR, or with the options below"))
    deleted = add_verb(verbs, "delete", "delete memories permanently; they are not captured again")
    deleted.add_argument("ids", metavar="ID", nargs="+")
    confirmed = add_verb(verbs, "confirm", "make a memory a standing instruction, which every new session receives")
    confirmed.add_argument("id", metavar="ID")
    undone = add_verb(verbs, "undo", "take back what was remembered: delete it, and restore what it replaced")
    undone.add_argument("ids", metavar="ID", nargs="*")
    undone.add_argument(
        "--all-standing", dest="all_instructions", action="store_true", help="take back every standing instruction"
    )
    restored = add_verb(verbs, "restore", "restore an archived memory; a deleted one cannot be restored")
    restored.add_argument("id", metavar="ID", help="as shown by `list --archived`")
    maintained = add_verb(verbs, "maintain", "update tiers, and archive what has expired")
    maintained.add_argument("--dry-run", action="store_true", help="show what is due and change nothing")
    proposed = add_verb(verbs, "proposals", "show the rules proposed from memories, or decide on one")
    decision = proposed.add_mutually_exclusive_group()
    decision.add_argument("--accept", metavar="ID", help="accept the rule, or the dropping of a suspended one")
    decision.add_argument("--reject", metavar="ID", help="do not propose it again, or keep the suspended rule")


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--owner", choices=_owners(), metavar="OWNER", help="shared, or an agent")
    parser.add_argument("--retention", choices=_retentions(), help="only this retention")
    parser.add_argument("--tier", choices=("hot", "warm", "cold"), help="only this tier")
    parser.add_argument("--type", choices=_types(), metavar="TYPE", help=f"one of {', '.join(_types())}")
    parser.add_argument("--tag", metavar="TAG", help="only this tag")
    parser.add_argument("--archived", action="store_true", help="archived memories instead")
    add_limit_argument(parser, 50, MAX_LIMIT)


def _search_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="WORD", nargs="+")
    parser.add_argument("--full", action="store_true", help="show the full texts")
    add_limit_argument(parser, 10, 100)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="WORD", nargs="*")
    parser.add_argument("--file", metavar="FILE", help="a file with the text, in Markdown; - for stdin")
    parser.add_argument("--title", help="default: the text's first line")
    parser.add_argument(
        "--standing",
        dest="is_instruction",
        action="store_true",
        help="a standing instruction: every new session receives it (also with type preference or user_correction)",
    )
    parser.add_argument(
        "--type", choices=_types(), metavar="TYPE", help="default: semantic; with --standing: preference"
    )
    parser.add_argument("--tag", metavar="TAG", action="append", help="repeatable")
    parser.add_argument("--owner", choices=_owners(), default="shared", metavar="OWNER", help="shared, or an agent")
    parser.add_argument("--retention", choices=_retentions(), default="durable", help="default: durable")
    parser.add_argument("--confidence", type=_fraction, default=1.0, metavar="SHARE", help="0 to 1; default: 1")


def _edit_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID")
    parser.add_argument("--title", help="the new title")
    parser.add_argument("--file", metavar="FILE", help="a file with the new text; - for stdin")
    parser.add_argument("--type", choices=_types(), metavar="TYPE", help="the new type")
    parser.add_argument("--tag", metavar="TAG", action="append", help="the new tags; they replace the existing ones")
    parser.add_argument("--confidence", type=_fraction, metavar="SHARE", help="0 to 1")
    parser.add_argument("--durable", action="store_true", help="make it durable")


def _fraction(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError("0 to 1")
    return share


def _owners() -> tuple[str, ...]:
    from sidecar.memory.files.layout import OWNERS

    return OWNERS


def _types() -> tuple[str, ...]:
    from sidecar.memory.entry import MemoryType

    return get_args(MemoryType)


def _retentions() -> tuple[str, ...]:
    from sidecar.memory.files.layout import RETENTIONS

    return RETENTIONS


def table(memories: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """Yield a heading and one line per memory."""
    ids, owners, types = (
        max(len(name), *(len(str(memory[name])) for memory in memories)) for name in ("id", "owner", "type")
    )
    left = max(_MIN_TITLE_WIDTH, width - ids - owners - types - len("  warm  0.70  1×      "))
    yield f"{'ID':<{ids}}  {'OWNER':<{owners}}  {'TYPE':<{types}}  TIER  CONF  SEEN TITLE"
    for memory in memories:
        tier = "arch" if memory["archived"] else memory["tier"]
        facts = f"{memory['id']:<{ids}}  {memory['owner']:<{owners}}  {memory['type']:<{types}}  {tier:<4}"
        title = cut(title_line(memory), left)
        yield f"{facts}  {memory['confidence']:.2f}  {memory['evidence']:>3}  {title}"


def title_line(memory: Mapping[str, Any]) -> str:
    """Return a memory's title, after the id of the memory that supersedes it."""
    newer = f"(replaced by {memory['supersededBy'][0]}) " if memory["supersededBy"] else ""
    return newer + terminal_safe(memory["title"])


def card_lines(memory: Mapping[str, Any]) -> Iterator[str]:
    """Yield a memory's facts, then its text."""
    times = f"seen {count_noun(memory['evidence'], 'time')}, opened {count_noun(memory['accessCount'], 'time')}"
    facts = {
        "id": memory["id"],
        "type": f"{memory['type']}, {memory['sector']}",
        "owner": f"{memory['owner']}, {memory['retention']}{', archived' if memory['archived'] else ''}",
        "tier": f"{memory['tier']}, confidence {memory['confidence']:.2f}, {times}",
        "stated": " ".join(
            filter(None, (utc_minute(memory["at"]), f"by {memory['author']}" if memory["author"] else ""))
        ),
        "session": memory["sessionId"] or "",
        "tags": ", ".join(memory["tags"]),
        "instead": ", ".join(memory["supersedes"]),
        "replaced": f"by {', '.join(memory['supersededBy'])}" if memory["supersededBy"] else "",
        "against": ", ".join(memory["contradicts"]),
        "file": memory["path"],
        "warning": memory["warning"] or "",
    }
    yield from (f"{name:<8} {terminal_safe(fact)}" for name, fact in facts.items() if fact)
    yield ""
    yield f"# {terminal_safe(memory['title'])}"
    yield ""
    yield terminal_safe(memory["text"]).rstrip("\n")


def search_lines(memories: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """Yield the results of a search, each with its score and an excerpt."""
    for memory in memories:
        begin = f"{memory['score']:.2f}  {memory['id']}  "
        yield begin + cut(title_line(memory), max(_MIN_TITLE_WIDTH, width - len(begin)))
        yield from (
            f"      {cut(terminal_safe(line), max(_MIN_TITLE_WIDTH, width - 6))}" for line in _lines(memory["text"])
        )
        yield f"      = {cut(_score(memory), max(_MIN_TITLE_WIDTH, width - 8))}"


def _score(memory: Mapping[str, Any]) -> str:
    """Return the factors of a score, and the strongest reasons for and against the memory."""
    factors = " × ".join(f"{name} {value:.2g}" for name, value in memory["factors"].items())
    return f"{factors}; {', '.join(f'{name} {share:+.1f}' for name, share in memory['reasons'].items())}"


def line(memory: Mapping[str, Any], word: str, width: int) -> str:
    """Return one line on the outcome for a memory."""
    begin = f"{word}  {memory['id']}  "
    return begin + cut(terminal_safe(memory["title"]), max(_MIN_TITLE_WIDTH, width - len(begin)))


def status_lines(status: Mapping[str, Any]) -> Iterator[str]:
    """Yield the status: stored memories, the latest capture, drops with their reasons, and upkeep."""
    if not status["present"]:
        yield f"No memories yet; their folder is {status['folder']}."
    else:
        memories = count_noun(status["memories"], "memory")
        yield f"{memories} in {count_noun(status['index']['files'], 'file')} of {status['folder']}"
        yield from (_count(entry) for entry in status["counts"])
    yield ""
    yield from _instruction_lines(status)
    yield from _capture_lines(status["capture"])
    yield from _near_miss_lines(status["nearMisses"])
    yield _upkeep(status["upkeep"])
    yield from (
        f"warning: {terminal_safe(entry['path'])}: {terminal_safe(entry['warning'])}" for entry in status["warnings"]
    )


def _instruction_lines(status: Mapping[str, Any]) -> Iterator[str]:
    """Yield the standing instructions, and the memories that only claim to be some."""
    for title, name, text in (
        ("Standing instructions", "standingInstructions", "text"),
        ("Unconfirmed, found by relevance only (`memory confirm ID`)", "unconfirmed", "title"),
    ):
        if status[name]:
            yield f"{title}:"
            yield from (f"  {entry['id']}  {terminal_safe(entry[text])}" for entry in status[name])
            yield ""
    if status["replaced"]:
        yield "Replaced by a later statement (`memory confirm ID` makes one hold again):"
        for entry in status["replaced"]:
            yield f"  {entry['id']}  {terminal_safe(entry['text'])}  (by {entry['replacedBy']})"
        yield ""


def upkeep_lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield what upkeep changed, or would change."""
    will = "would be " if answer["dryRun"] else ""
    for entry in answer["tiers"]:
        yield f"{entry['id']}  {will}{entry['after']}, was {entry['before']}"
    for name, what in (("archived", "archived"), ("cleaned", "removed, its session is over")):
        yield from (f"{terminal_safe(entry['path'])}  {will}{what} ({entry['reason']})" for entry in answer[name])
    yield from (f"{terminal_safe(path)}  skipped: it is damaged or in use" for path in answer["skipped"])
    counts = answer["totals"]
    yield f"{_upkeep_counts(counts)}{'; nothing was changed' if answer['dryRun'] else ''}."


def _capture_lines(capture: Mapping[str, Any]) -> Iterator[str]:
    if capture["last"] is None:
        yield "Nothing has been captured yet."
    else:
        last = capture["last"]
        yield f"Last capture  {utc_minute(last['at'])}, {last['origin']} of session {terminal_safe(last['sessionId'])}:"
        yield f"  {_outcome_counts(last)}"
        yield f"Total of {count_noun(capture['captures'], 'capture')}:"
        yield f"  {_outcome_counts(capture)}"
    if capture["nearMisses"]:
        yield f"Nearly stored: {'; '.join(map(_near_miss_count, capture['nearMisses']))}."
    if capture["waiting"]:
        yield f"Waiting for capture: {count_noun(capture['waiting'], 'summary')}."


def _outcome_counts(counts: Mapping[str, Any]) -> str:
    summary = f"{counts['added']} stored, {counts['repeated']} repeated"
    if counts["suppressed"]:
        summary += f", {counts['suppressed']} suppressed (the project's mode is not active)"
    dropped = sum(drop["count"] for drop in counts["dropped"])
    reasons = ", ".join(f"{drop['count']} {_REASONS[drop['reason']]}" for drop in counts["dropped"])
    return f"{summary}, {dropped} dropped{f': {reasons}' if reasons else ''}"


_REASONS = {
    "tooShort": "too short",
    "tooLong": "too long",
    "question": "a question",
    "toolOutput": "tool output",
    "instructionFile": "already in a rule file",
    "private": "private",
    "injected": "injected text",
    "deletedByUser": "deleted by you earlier",
    "unresolvedError": "an unresolved error",
}


_NEAR_MISSES = {
    "belowThreshold": ("sentence", "of yours, not clear enough"),
    "withoutReason": ("choice", "of the agent, without a reason"),
}


def _near_miss_count(miss: Mapping[str, Any]) -> str:
    noun, what = _NEAR_MISSES[miss["reason"]]
    return f"{count_noun(miss['count'], noun)} {what}"


def _near_miss_lines(near_misses: Sequence[Mapping[str, Any]] | None) -> Iterator[str]:
    """Yield the near misses, if they were requested, newest first."""
    if near_misses is not None and not near_misses:
        yield "No sentence was nearly stored in the last days."
    for miss in near_misses or ():
        yield f"  {utc_minute(miss['at'])}  {miss['score']:.2f}  {terminal_safe(miss['text'])}"


def _count(group: Mapping[str, Any]) -> str:
    where = "archive" if group["archived"] else group["retention"]
    return f"  {group['memories']:>5}  {group['owner']}, {where}, {group['tier']}"


def _upkeep(last: Mapping[str, Any] | None) -> str:
    if last is None:
        return "Upkeep has never run."
    return f"Last upkeep   {utc_minute(last['at'])}: {_upkeep_counts(last)}"


def _upkeep_counts(counts: Mapping[str, Any]) -> str:
    tiers, files = count_noun(counts["tiers"], "tier"), count_noun(counts["archived"], "file")
    return f"{tiers} changed, {files} archived, {counts['cleaned']} cleaned"


def _lines(text: str | None) -> list[str]:
    return [line for line in (text or "").splitlines() if line.strip()]


class VerbContext(NamedTuple):
    """The context of one verb."""

    sidecar: InProcess
    project: Path
    arguments: argparse.Namespace

    def request(self, method: str, **params: Any) -> Any:
        """Send a request about the project's memories; raise CommandFailed with the sidecar's message."""
        given = {name: value for name, value in params.items() if value is not None}
        return self.sidecar.request(f"memory/{method}", {"cwd": str(self.project), **given})

    def id_of(self, given: str) -> str:
        """Return the id that equals or ends with `given`, else `given`; raise CommandFailed for several."""
        listed = self.sidecar.request("memory/list", {"cwd": str(self.project), "archived": None, "limit": MAX_LIMIT})
        ids = [memory["id"] for memory in listed["memories"]]
        matches = [memory for memory in ids if memory.endswith(given)]
        if given in ids or not matches:
            return given
        if len(matches) > 1:
            raise CommandFailed(
                f"Several memory ids end with `{given}`: {', '.join(matches[:MAX_CANDIDATES])}.", kind="ambiguous"
            )
        return str(matches[0])


def run(arguments: argparse.Namespace) -> int:
    """Run the verb and print its answer. A failure is one sentence on stderr and its own exit status."""
    return run_and_print("memory", arguments, lambda: _run_verb(arguments))


def _run_verb(arguments: argparse.Namespace) -> CommandAnswer:
    state_dir, project = state_folder(arguments.state_dir), project_folder(arguments.project)
    with on_users_state(state_dir) as sidecar:
        return _VERBS[arguments.verb](VerbContext(sidecar, project, arguments))


def _status(ctx: VerbContext) -> CommandAnswer:
    answer = ctx.request("status", nearMisses=ctx.arguments.near_misses)
    return CommandAnswer(answer, list(status_lines(answer)))


def _list(ctx: VerbContext) -> CommandAnswer:
    chosen = ctx.arguments
    filters = {name: getattr(chosen, name) for name in ("owner", "retention", "tier", "type", "tag")}
    answer = ctx.request("list", limit=chosen.limit, archived=bool(chosen.archived), **filters)
    memories = answer["memories"]
    such = "such " if any(filters.values()) else ""
    lines = list(table(memories, terminal_width())) if memories else [f"There are no {such}memories of {ctx.project}."]
    if answer["total"] > len(memories):
        lines.append(f"Newest {len(memories)} of {answer['total']}; --limit shows more.")
    return CommandAnswer(answer, lines)


def _search(ctx: VerbContext) -> CommandAnswer:
    chosen = ctx.arguments
    level = "full" if chosen.full else "chunks"
    answer = ctx.request("search", query=" ".join(chosen.query), limit=chosen.limit, level=level)
    lines = list(search_lines(answer["memories"], terminal_width()))
    return CommandAnswer(answer, lines or ["No memories match."])


def _show(ctx: VerbContext) -> CommandAnswer:
    memory = ctx.request("get", id=ctx.id_of(ctx.arguments.id))
    return CommandAnswer(memory, list(card_lines(memory)))


def _add(ctx: VerbContext) -> CommandAnswer:
    chosen = ctx.arguments
    text = read_text(chosen.file) if chosen.file else " ".join(chosen.text)
    if not text.strip():
        raise CommandFailed("There is no text.", kind="invalidParams", hint="Pass it as arguments, or with --file.")
    is_instruction = chosen.is_instruction or (chosen.type in _CLAIMING_TYPES and chosen.owner == "shared")
    if is_instruction:
        require_users_shell("make a standing instruction")
    kind = chosen.type or ("preference" if is_instruction else "semantic")
    memory = ctx.request(
        "add", text=text, title=chosen.title, type=kind, tags=chosen.tag or [], retention=chosen.retention,
        confidence=chosen.confidence, owner=chosen.owner, author="user",
    )  # fmt: skip
    if is_instruction:
        ctx.request("confirm", id=memory["id"])
    return CommandAnswer(memory, list(_stored_lines(ctx, memory, is_instruction=is_instruction)))


def _stored_lines(ctx: VerbContext, memory: Mapping[str, Any], *, is_instruction: bool) -> Iterator[str]:
    """Yield what became of a memory, and the statements that it replaced as a standing instruction."""
    yield line(memory, "standing" if is_instruction else "stored", terminal_width())
    replaced = ctx.request("status")["replaced"] if is_instruction else ()
    for entry in replaced:
        if entry["replacedBy"] == memory["id"]:
            yield line({"id": entry["id"], "title": entry["text"]}, "replaced", terminal_width())


_CLAIMING_TYPES = ("preference", "user_correction")
"""Types that state the user's lasting wish."""


def _confirm(ctx: VerbContext) -> CommandAnswer:
    require_users_shell("make a standing instruction")
    memory = ctx.request("get", id=ctx.id_of(ctx.arguments.id))
    answer = ctx.request("confirm", id=memory["id"], version=memory["version"])
    return CommandAnswer(answer, list(_stored_lines(ctx, memory, is_instruction=True)))


def _undo(ctx: VerbContext) -> CommandAnswer:
    """Take back memories; every id is resolved before the first one is deleted."""
    require_users_shell("undo what is remembered")
    chosen = ctx.arguments
    if bool(chosen.ids) == bool(chosen.all_instructions):
        raise CommandFailed("Name either memories or --all-standing.", kind="invalidParams")
    if chosen.all_instructions:
        texts = {entry["id"]: entry["text"] for entry in ctx.request("status")["standingInstructions"]}
        answer = ctx.request("undo", allStandingInstructions=True)
        undone = [{"id": given, "title": texts.get(given, "")} for given in answer["removed"]]
        taken_back = f"{count_noun(len(undone), 'standing instruction')} taken back."
        return CommandAnswer(answer, [*(line(entry, "undone", terminal_width()) for entry in undone), taken_back])
    memories = [ctx.request("get", id=ctx.id_of(given)) for given in dict.fromkeys(chosen.ids)]
    for memory in memories:
        ctx.request("undo", id=memory["id"])
    removed = [memory["id"] for memory in memories]
    return CommandAnswer({"removed": removed}, [line(memory, "undone", terminal_width()) for memory in memories])


def _edit(ctx: VerbContext) -> CommandAnswer:
    chosen = ctx.arguments
    before = ctx.request("get", id=ctx.id_of(chosen.id))
    facts = {"title": chosen.title, "type": chosen.type, "confidence": chosen.confidence, "tags": chosen.tag}
    facts["retention"] = "durable" if chosen.durable else None
    if chosen.file:
        facts["text"] = read_text(chosen.file)
    if all(value is None for value in facts.values()):
        after = _edit_in_editor(ctx, before)
    else:
        after = ctx.request("update", id=before["id"], **facts)
    changed = after["version"] != before["version"]
    return CommandAnswer(after, [line(after, "changed", terminal_width()) if changed else "Nothing was changed."])


def _edit_in_editor(ctx: VerbContext, before: Any) -> Any:
    hint = "Use `memory delete` to delete a memory."
    options = "--title and --file"
    with edited_text(before["text"], f"{before['id']}.md", options=options, hint_if_empty=hint) as edited:
        text = edited.strip("\n")
        is_same = text == before["text"]
        return before if is_same else ctx.request("update", id=before["id"], version=before["version"], text=text)


def _delete(ctx: VerbContext) -> CommandAnswer:
    """Delete memories; every id is resolved before the first deletion."""
    memories = [ctx.request("get", id=ctx.id_of(given)) for given in dict.fromkeys(ctx.arguments.ids)]
    answers = [ctx.request("delete", id=memory["id"], version=memory["version"]) for memory in memories]
    return CommandAnswer({"memories": answers}, [line(memory, "deleted", terminal_width()) for memory in memories])


def _restore(ctx: VerbContext) -> CommandAnswer:
    from sidecar.memory.storable_text import CLAIMING_TYPES

    try:
        memory = ctx.request("restore", id=ctx.id_of(ctx.arguments.id))
    except CommandFailed as error:
        if error.kind != "notFound":
            raise
        hint = "`restore` is for archived memories (`memory list --archived`); a deleted memory cannot be restored."
        raise CommandFailed(error.message, kind=error.kind, hint=hint) from error
    lines = [line(memory, "restored", terminal_width())]
    active = {instruction["id"] for instruction in ctx.request("status")["standingInstructions"]}
    if memory["type"] in CLAIMING_TYPES and memory["id"] not in active:
        lines.append(f"It is found when relevant. `memory confirm {memory['id']}` makes it a standing instruction.")
    return CommandAnswer(memory, lines)


def _maintain(ctx: VerbContext) -> CommandAnswer:
    answer = ctx.request("maintain", dryRun=bool(ctx.arguments.dry_run))
    return CommandAnswer(answer, list(upkeep_lines(answer)))


def _proposals(ctx: VerbContext) -> CommandAnswer:
    chosen = ctx.arguments
    if chosen.accept or chosen.reject:
        require_users_shell("decide on a proposed rule")
        decision = "accept" if chosen.accept else "reject"
        answer = ctx.request("resolveProposal", id=ctx.id_of(chosen.accept or chosen.reject), decision=decision)
        rule = [f"For your rule file: {terminal_safe(answer['rule'])}"] if answer["rule"] else []
        return CommandAnswer(answer, [line(answer["memory"], f"{decision}ed", terminal_width()), *rule])
    answer = ctx.request("proposals")
    lines = [_proposal_line(proposal) for proposal in answer["proposals"]]
    return CommandAnswer(answer, lines or ["No rule is proposed."])


def _proposal_line(proposal: Mapping[str, Any]) -> str:
    against = proposal["contradictedBy"]
    suffix = f"  (suspended: {against} contradicts it; --accept drops it)" if against else ""
    return f"{proposal['memory']['id']}  {terminal_safe(proposal['rule'])}{suffix}"


_VERBS: dict[str, Callable[[VerbContext], CommandAnswer]] = {
    "status": _status,
    "list": _list,
    "search": _search,
    "show": _show,
    "add": _add,
    "edit": _edit,
    "delete": _delete,
    "confirm": _confirm,
    "undo": _undo,
    "restore": _restore,
    "maintain": _maintain,
    "proposals": _proposals,
}

"""Measurements of a run in an experiment: how much the agent had to look up, what it cost, what the user thought of it.

Prompts and paths are compared here and never stored. A message is a correction if it states that the work is wrong,
incomplete or not what was requested. Only its beginning and short sentences count, without what the user pasted: a long
task that mentions an error is a task. Questions for information and new wishes are not corrections.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw
import orjson

from sidecar.capture.effects.run_activity import relative_to
from sidecar.capture.effects.shell_commands import is_lookup
from sidecar.capture.parsed_test_results import VerdictChange
from sidecar.capture.run import FinishedRun
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.lru_cache import LruCache
from sidecar.core.terms import query_terms
from sidecar.experiment.guard import has_earlier_run, record_outcome
from sidecar.experiment.methods import items_of_arm
from sidecar.experiment.outcomes import RunOutcome
from sidecar.language.own_words import own_words
from sidecar.runs import records
from sidecar.runs.call_record import arm_mark
from sidecar.transcripts.event_stream import read_events
from sidecar.transcripts.events import ToolCall

LOOKUP_TOOLS = frozenset(("tool-Read", "tool-Grep", "tool-Glob"))
EDITING_TOOLS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch"))
"""Names in transcripts of the tools that edit files."""
EDITING_PARTS = frozenset(f"tool-{name}" for name in EDITING_TOOLS)

OWN_FOLDER = lazy_regex(r"(?:^|[/\\])\.chati[/\\]")
OWN_TOOL = "onecode"
"""Part of the names of our tools in an agent that has them by MCP."""

KNOWN_RUNS = 20
"""Number of a chat's last runs whose files count as read before."""

CACHED_CHATS, MAX_PROMPTS = 256, 12


class RecentPrompts:
    """The words of recent prompts by chat. In memory only: after a restart a repetition is missed in either arm."""

    def __init__(self) -> None:
        self._terms: LruCache[str, tuple[frozenset[str], ...]] = LruCache(CACHED_CHATS)

    def is_repeated(self, unit: str, prompt: str) -> bool:
        """Whether a prompt repeats an earlier one of its chat; it is an earlier one from then on."""
        terms, earlier = terms_of(prompt), self._terms.get(unit) or ()
        self._terms.put(unit, (*earlier, terms)[-MAX_PROMPTS:], 1)
        return is_repetition(terms, earlier)


def measure_outcome(tx: apsw.Connection, run: FinishedRun, unit: str, tests: Sequence[VerdictChange]) -> None:
    """Store the measurements of a run that an experiment compares. Call it before the run itself is recorded."""
    rollout, pre_run, params = run.rollout, run.own_pre_run, run.params
    if rollout is None or pre_run is None or rollout.experiment is None or rollout.arm is None:
        return
    parts = params.assistant.parts if params.assistant else []
    calls = [_kind_of(part) for part in parts]
    edits, lookups = calls.count("edit"), list(filter(_reaches_stored_context, parts))
    usage = params.usage
    is_first = not has_earlier_run(tx, rollout.experiment, unit)
    prompts = run.call.process.slices.recent_prompts
    outcome = RunOutcome(
        run_id=params.run_id,
        experiment=rollout.experiment,
        unit=unit,
        project=run.workspace.project_key,
        arm=rollout.arm,
        outcome=params.outcome,
        pre_run_ms=pre_run.details.metadata.elapsed_ms,
        duration_ms=run.duration_ms,
        lookups=calls.count("lookup"),
        lookups_before_edit=calls[: calls.index("edit")].count("lookup") if edits else calls.count("lookup"),
        edits=edits,
        edit_after_ms=_edit_after_ms(run) if edits else None,
        files_read=len({path for name in run.activity.read if (path := relative_to(params.cwd, name)) is not None}),
        files_read_again=_files_read_again(tx, run, parts),
        input_tokens=_sum(usage.input_tokens, usage.cache_creation_tokens) if usage else None,
        cached_tokens=usage.cache_read_tokens if usage else None,
        output_tokens=usage.output_tokens if usage else None,
        cost_usd=usage.cost_usd if usage else None,
        tests=None if not tests else "failed" if any(change.is_red for change in tests) else "passed",
        corrections=int(not is_first and is_correction(params.prompt)),
        repeated_prompts=int(prompts.is_repeated(unit, params.prompt)),
        own_lookups=len(lookups),
        treated_items=_treated_items(tx, rollout.experiment, run.workspace.project_key, lookups),
        started_at_ms=pre_run.created_at_ms,
    )
    record_outcome(tx, run.call, run.settings, outcome)


def _kind_of(part: Mapping[str, Any]) -> str:
    """Return whether a part is a lookup, an edit or neither. An edit that was refused is none."""
    kind, tool_input = part.get("type"), part.get("input")
    if kind in LOOKUP_TOOLS:
        return "lookup"
    if kind in EDITING_PARTS:
        return "edit" if part.get("state") != "call" or part.get("output") is not None else ""
    command = tool_input.get("command") if kind == "tool-Bash" and isinstance(tool_input, Mapping) else None
    if isinstance(command, list):
        command = " ".join(map(str, command))
    return "lookup" if isinstance(command, str) and is_lookup(command) else ""


def _edit_after_ms(run: FinishedRun) -> int | None:
    """Return the time from the run's start to its first edit; None without a transcript that shows it."""
    if run.transcript is None:
        return None
    started_ms = int(run.params.started_at.timestamp() * 1000)
    calls = (call for call in read_events(run.transcript.lines, started_ms, ToolCall) if isinstance(call, ToolCall))
    return next((max(0, call.at_ms - started_ms) for call in calls if call.tool in EDITING_TOOLS), None)


def _files_read_again(tx: apsw.Connection, run: FinishedRun, parts: Sequence[Mapping[str, Any]]) -> int:
    """Return the number of reads of files that this run or an earlier one of the conversation had read."""
    work = records.recent_work(tx, run.params.sub_chat_id, KNOWN_RUNS)
    known, again = {*work.read, *work.edited}, 0
    for part in parts:
        tool_input = part.get("input")
        if part.get("type") == "tool-Read" and isinstance(tool_input, Mapping):
            path = relative_to(run.params.cwd, str(tool_input.get("file_path", "")))
            again += path in known
            known |= {path} if path is not None else set()
    return again


def _reaches_stored_context(part: Mapping[str, Any]) -> bool:
    """Whether a call reads a stored memory, or calls one of our tools."""
    kind, tool_input = str(part.get("type")), part.get("input")
    if kind.startswith("tool-mcp__"):
        return OWN_TOOL in kind.casefold()
    values = tool_input.values() if isinstance(tool_input, Mapping) and kind in {*LOOKUP_TOOLS, "tool-Bash"} else ()
    return any(isinstance(value, str) and OWN_FOLDER.search(value) is not None for value in values)


def _treated_items(tx: apsw.Connection, experiment: str, project: str, lookups: Sequence[Mapping[str, Any]]) -> int:
    """Return the number of memories and artifacts of treated chats that lookups show, in their input or output."""
    if not lookups:
        return 0
    text = orjson.dumps([(part.get("input"), part.get("output")) for part in lookups], default=str).decode()
    known = items_of_arm(tx, arm_mark(experiment, "treated"), project)
    return sum(item in text for _, item in known)


def _sum(*numbers: int | None) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


MAX_OPENING = 240
"""Characters of a message's beginning that are read."""

_FORMS = (
    # Refusals that open a message.
    r"^(?:no|nope|nah|não|nein|non|нет|nie)\b(?!\s+(?:problem|worries|need|idea|rush|hurry|issue|longer|objection)\b)",
    r"^(?:wrong|incorrect|stop|wait,? no|hmm,? no|undo|revert|roll ?back)\b",
    r"^(?:不对|不是|错了|不行|違い|違う|ちがう|いや|いいえ)",
    # Not what was requested.
    r"\b(?:that|this|it)(?:'s| is|s) (?:not (?:what|right|correct|how|the|it)|wrong|incorrect)\b",
    r"^(?:\w+ ){1,5}(?:is|are|was) (?:not (?:correct|right|true|there)|incorrect|wrong|broken)\b",
    r"\bi meant\b|\bhow (?:come|can (?:we|you|it|this) be)\b|^not (?:there|quite|really|yet)\b",
    r"\bnot what i (?:asked|meant|want(?:ed)?|said|need(?:ed)?)\b",
    r"\bi (?:didn'?t|did not|never) (?:ask|say|want|tell|mean)\b|\bi (?:already )?(?:told|asked) you\b",
    r"\bwhy (?:did|do|are|would|have) you\b",
    r"\byou (?:forgot|missed|broke|removed|deleted|ignored|misunderstood)\b",
    r"\byou (?:didn'?t|did not|haven'?t|have not|shouldn'?t have|should have|were supposed)\b",
    r"\b(?:undo|revert) (?:that|this|it|the|your|all|those|these)\b|\bput (?:it|that) back\b",
    # Still broken.
    r"\bstill (?:not|doesn'?t|don'?t|isn'?t|fails?|failing|broken|wrong|the same)\b",
    r"\bstill (?:getting|seeing|shows?|happen\w*|have)\b",
    r"\b(?:it|that|this) (?:didn'?t|doesn'?t|did not|does not|isn'?t) (?:work\w*|help|fix\w*|compile|build|change)\b",
    r"\bsame (?:error|issue|problem|result|thing)\b|\bnot (?:working|fixed)\b|\bdoesn'?t work\b",
    r"^nothing\b|\bnothing (?:is )?(?:happen|chang|show|appear)",
    r"\bno (?:difference|change|effect)\b|\bit'?s (?:just )?the same\b",
    r"\b(?:they|it|it's|they're|you|you're|is|are|i|i'm) still\b(?! (?:need|want|have to|possible|ok|fine|good|think))",
    r"\b(?:don'?t|can'?t|cannot|couldn'?t|not) see (?:any|the|it|them|that|my|a)\b",
    r"\bcaus(?:es|ed|ing) (?:\w+ ){0,4}(?:errors?|problems?)\b",
    r"\b(?:not|n't|no longer|stopped) (?:show|display|appear|load|open|sav|respond|render|updat)(?:s|e|es|ed|ing)?\b",
    # The same in the other supported languages.
    r"\b(?:eso|esto|así) no (?:es|funciona|era)\b|\bsigue (?:sin|fallando|igual)\b",
    r"\bno (?:funciona|es lo que|era eso)\b|\bte (?:dije|pedí)\b",
    r"\bce n'est pas (?:ça|ce que|correct|bon)\b|\bc'est faux\b|\bne (?:marche|fonctionne) (?:toujours )?pas\b",
    r"\bje t'ai (?:dit|demandé)\b|\btoujours (?:pas|vide|le même|la même|une? erreur)\b|\bn'arrive (?:pas|plus)\b",
    r"\b(?:n'affiche|ne s'affiche|ne s'ouvre|n'apparaî?t|ne change|ne fait) (?:pas|plus|rien)\b",
    r"\bno (?:me deja|se ve|aparece|hace|sale|carga|guarda|muestra|ha |has )",
    r"\bdas (?:ist|war) (?:falsch|nicht)\b|\b(?:geht|funktioniert|klappt) (?:immer noch |noch )?nicht\b",
    r"\bimmer noch\b|\bhabe? (?:ich )?(?:doch )?gesagt\b|\bdu hast \w+ (?:vergessen|gelöscht)\b",
    r"\bisso não (?:é|funciona)\b|\bnão (?:funciona|funcionou|era isso|é isso)\b",
    r"\bcontinua (?:com|sem|dando|igual)\b|\beu (?:pedi|disse)\b",
    r"\bnon (?:funziona|è (?:quello|giusto|corretto))\b|\bè sbagliato\b|\bti ho (?:detto|chiesto)\b",
    r"\bdat (?:is|klopt) (?:niet|fout)\b|\bwerkt (?:nog steeds )?niet\b|\bnog steeds\b|\bik (?:zei|vroeg)\b",
    r"\bне (?:работает|то|так|правильно)\b|\bвс[её] ещ[её]\b|\bопять\b|\bя же (?:сказал|просил|говорил)\b",
    r"\b(?:nadal|wciąż|dalej) nie\b|\bnie działa\b|\bto nie tak\b",
    r"まだ(?:動|直|でき|同じ|エラー)|動きません|動かない|直っていません|直ってない|言ったのに|そうじゃな|違います",
    r"还是(?:不行|报错|一样|没有|有问题)|没有(?:生效|效果|解决)|不工作|我说过|我不是让你|你(?:忘|漏|删)",
)
"""Forms in the supported languages; a first prompt of a chat is never examined."""

_CORRECTION = lazy_regex("|".join(f"(?:{form})" for form in _FORMS), re.IGNORECASE)


def is_correction(message: str) -> bool:
    """Whether the user's own words at the beginning of a message correct what the agent did before."""
    opening = " ".join(own_words(message).split())[:MAX_OPENING].replace("’", "'")
    return _CORRECTION.search(opening) is not None


MIN_REPEATED_TERMS, SAME_MESSAGE = 3, 0.8
"""A message repeats an earlier one if both share this part of all their terms; shorter messages are follow-ups."""


def terms_of(message: str) -> frozenset[str]:
    """Return the terms of the user's own words in a message."""
    return frozenset(query_terms(own_words(message)))


def is_repetition(terms: frozenset[str], earlier: Iterable[frozenset[str]]) -> bool:
    """Whether a message has nearly the terms of an earlier one."""
    if len(terms) < MIN_REPEATED_TERMS:
        return False
    return any(len(terms & other) >= SAME_MESSAGE * len(terms | other) for other in earlier)

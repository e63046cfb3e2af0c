"""Measures of a run that an experiment compares: what the agent looked up, what it cost, what the user thought of it.

Prompts and paths are compared here and never stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import apsw
import orjson

from sidecar.capture.effects.run_activity import relative_to
from sidecar.capture.effects.shell_commands import is_lookup
from sidecar.capture.finished_run import FinishedRun
from sidecar.capture.test_results import VerdictChange
from sidecar.core.clock import epoch_ms
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.lru_cache import LruCache
from sidecar.core.terms import query_terms
from sidecar.experiment.methods import items_of_arm
from sidecar.experiment.outcomes import RunOutcome
from sidecar.experiment.rollout import has_earlier_run, record_outcome
from sidecar.language.message_intent import is_correction
from sidecar.language.own_words import own_words
from sidecar.runs import run_records
from sidecar.runs.pre_run_record import arm_mark
from sidecar.transcripts.events import EDITING_TOOLS, ToolCall
from sidecar.transcripts.transcript_tail import read_events

LOOKUP_TOOLS = frozenset(("tool-Read", "tool-Grep", "tool-Glob"))
EDITING_PARTS = frozenset(f"tool-{name}" for name in EDITING_TOOLS)

_IN_OWN_FOLDER = lazy_regex(r"(?:^|[/\\])\.chati[/\\]")
OWN_TOOL = "onecode"
"""Part of the names of our tools in an agent that has them by MCP."""

KNOWN_RUNS = 20
"""Number of a chat's last runs whose files count as read before."""

CACHED_CHATS, MAX_PROMPTS = 256, 12

MIN_TERMS, SAME_PROMPT = 3, 0.8
"""A prompt repeats an earlier one if both share this part of all their terms; shorter prompts are follow-ups."""


class RecentPrompts:
    """The words of recent prompts by chat. In memory only: after a restart a repetition is missed in either arm."""

    def __init__(self) -> None:
        self._terms: LruCache[str, tuple[frozenset[str], ...]] = LruCache(CACHED_CHATS)

    def is_repeated(self, unit: str, prompt: str) -> bool:
        """Whether a prompt repeats an earlier one of its chat; it is an earlier one from then on."""
        terms, earlier = frozenset(query_terms(own_words(prompt))), self._terms.get(unit) or ()
        self._terms.put(unit, (*earlier, terms)[-MAX_PROMPTS:], 1)
        return len(terms) >= MIN_TERMS and any(
            len(terms & other) >= SAME_PROMPT * len(terms | other) for other in earlier
        )


def measure_outcome(tx: apsw.Connection, run: FinishedRun, unit: str, tests: Sequence[VerdictChange]) -> None:
    """Store the measurements of a run that an experiment compares. Call it before the run itself is recorded."""
    rollout, pre_run, params = run.rollout, run.own_pre_run, run.params
    if rollout is None or pre_run is None or rollout.experiment is None or rollout.arm is None:
        return
    parts = params.assistant.parts if params.assistant else []
    calls = [_kind_of(part, params.cwd) for part in parts]
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


def _kind_of(part: Mapping[str, Any], cwd: str) -> str:
    """Return whether a part is a lookup, an edit or neither. A refused edit is neither."""
    kind, tool_input = part.get("type"), part.get("input")
    if kind in LOOKUP_TOOLS:
        return "lookup"
    if kind in EDITING_PARTS:
        return "edit" if part.get("state") != "call" or part.get("output") is not None else ""
    command = tool_input.get("command") if kind == "tool-Bash" and isinstance(tool_input, Mapping) else None
    if isinstance(command, list):
        command = " ".join(map(str, command))
    return "lookup" if isinstance(command, str) and is_lookup(command, cwd) else ""


def _edit_after_ms(run: FinishedRun) -> int | None:
    """Return the time from the run's start to its first edit; None without a transcript that shows it."""
    if run.transcript is None:
        return None
    started_ms = epoch_ms(run.params.started_at)
    calls = (call for call in read_events(run.transcript.lines, started_ms, ToolCall) if isinstance(call, ToolCall))
    return next((max(0, call.at_ms - started_ms) for call in calls if call.tool in EDITING_TOOLS), None)


def _files_read_again(tx: apsw.Connection, run: FinishedRun, parts: Sequence[Mapping[str, Any]]) -> int:
    """Return the number of reads of files that this run or an earlier one of the conversation had read."""
    work = run_records.recent_work(tx, run.params.sub_chat_id, KNOWN_RUNS)
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
    return any(isinstance(value, str) and _IN_OWN_FOLDER.search(value) is not None for value in values)


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

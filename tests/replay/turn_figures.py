"""The host's knowledge of its conversations, and a prompt's row of figures. Pure."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sidecar.runs.model import Provider
from tests.replay.figures import MissReason, TurnFigures
from tests.replay.recording import Prompt, Session


class PackQuery(NamedTuple):
    """A pack request, as far as the host can distinguish it from another."""

    worktree: str
    provider: Provider
    mode: str
    task: str | None
    token_mode: str | None
    edits: int
    """Number of changes by the user so far."""


@dataclass
class Chat:
    """One sub-chat, as the host stores it."""

    provider: Provider | None = None
    sessions: dict[Provider, str] = field(default_factory=dict)
    last: PackQuery | None = None


class Paused(NamedTuple):
    """The background work in the pauses before a prompt."""

    took_ms: float
    settled: bool
    """Whether it finished before they ended."""


UNPAUSED = Paused(0.0, settled=True)


class Answered(NamedTuple):
    """A pre-run's answer and its duration."""

    answer: dict[str, Any]
    took_ms: float
    system_is_new: bool
    """Whether this system text is new to the provider session."""
    provider_session: str | None
    """The continued session; None if a new one starts."""


def miss_reason(now: PackQuery, last: PackQuery | None, *, partial: bool) -> MissReason:
    """Return why a pack had to be built: the first difference to the chat's previous request."""
    if last is None or now.worktree != last.worktree:
        return "first prompt"
    if now.provider != last.provider:
        return "other provider"
    if now.mode != last.mode:
        return "other mode"
    if now.task != last.task:
        return "other task"
    if now.token_mode != last.token_mode:
        return "other budget"
    if partial:
        return "deadline"
    return "changed by the user" if now.edits != last.edits else "changed by the run"


def row(
    session: Session,
    line: int,
    prompt: Prompt,
    query: PackQuery,
    last: PackQuery | None,
    answered: Answered,
    paused: Paused,
) -> TurnFigures:
    """Return a prompt's row."""
    answer, metadata = answered.answer, answered.answer["metadata"]
    has_look_up = answer["action"] == "inject" or answer["reason"] in ("passive", "nothingToSend", "deadline")
    hit = bool(metadata["cacheHit"])
    system = answer["system"]
    system_bytes = len(system["text"].encode()) if system and answered.system_is_new else 0
    anchors = sum(block["bytes"] for block in answer["blocks"] if block["kind"] == "anchor")
    return TurnFigures(
        session=session.session,
        kind=session.kind,
        line=line,
        chat=prompt.chat,
        provider=query.provider,
        mode=prompt.mode,
        provider_session=answered.provider_session,
        action=answer["action"],
        reason=answer["reason"],
        has_look_up=has_look_up,
        hit=hit,
        miss_reason=miss_reason(query, last, partial=metadata["partial"]) if has_look_up and not hit else None,
        prompt_bytes=len(prompt.prompt.encode()),
        sent_bytes=sum(len(block["text"].encode()) for block in answer["blocks"]) + system_bytes,
        anchor_bytes=anchors + system_bytes,
        injected_bytes=metadata["injectedBytes"],
        reused_bytes=metadata["reusedBytes"],
        baseline_bytes=metadata["baselineBytes"],
        partial=metadata["partial"],
        ms=round(answered.took_ms, 2),
        prepared_ms=round(paused.took_ms, 2),
        settled=paused.settled,
    )

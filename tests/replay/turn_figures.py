"""What a replay's host knows of its conversations, and the row of figures a prompt comes to. Pure."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sidecar.runs.model import Provider
from tests.replay.figures import Lost, TurnFigures
from tests.replay.recording import Prompt, Session


class Asked(NamedTuple):
    """What a pack was asked for, as far as the host can tell two questions apart."""

    worktree: str
    provider: Provider
    mode: str
    task: str | None
    token_mode: str | None
    edits: int
    """How often the user had changed the worktree by then."""


@dataclass
class Chat:
    """One sub-chat, as the host keeps it."""

    provider: Provider | None = None
    sessions: dict[Provider, str] = field(default_factory=dict)
    last: Asked | None = None


class Paused(NamedTuple):
    """What the background did in the pauses before a prompt."""

    took_ms: float
    settled: bool
    """Whether it was done before they ended."""


UNPAUSED = Paused(0.0, settled=True)


class Answered(NamedTuple):
    """A pre-run's answer, and how long it took."""

    answer: dict[str, Any]
    took_ms: float
    system_is_new: bool
    """Whether the provider session has not been sent this system text before."""
    provider_session: str | None
    """The session that goes on; None where one begins."""


def lost(now: Asked, last: Asked | None, *, partial: bool) -> Lost:
    """Says why a pack had to be made: the first difference to what the chat asked for last."""
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
    asked: Asked,
    last: Asked | None,
    answered: Answered,
    paused: Paused,
) -> TurnFigures:
    """Gives a prompt's row."""
    answer, metadata = answered.answer, answered.answer["metadata"]
    looked_up = answer["action"] == "inject" or answer["reason"] in ("passive", "nothingToSend", "deadline")
    hit = bool(metadata["cacheHit"])
    system = answer["system"]
    system_bytes = len(system["text"].encode()) if system and answered.system_is_new else 0
    anchors = sum(block["bytes"] for block in answer["blocks"] if block["kind"] == "anchor")
    return TurnFigures(
        session=session.session,
        kind=session.kind,
        line=line,
        chat=prompt.chat,
        provider=asked.provider,
        mode=prompt.mode,
        provider_session=answered.provider_session,
        action=answer["action"],
        reason=answer["reason"],
        looked_up=looked_up,
        hit=hit,
        lost=lost(asked, last, partial=metadata["partial"]) if looked_up and not hit else None,
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

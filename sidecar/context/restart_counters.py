"""The stored counters of a provider session, and how reports change them. Pure."""

from typing import Final, Literal, NamedTuple

from sidecar.context.brackets import Bracket

MAX_IDS = 20
"""Maximum number of compaction ids stored per session."""


ReportKind = Literal[-1, 0, 1]
"""The way a compaction was reported, as it is stored."""
NO_REPORT: Final = 0
REPORTED_BY_ID: Final = 1
REPORTED_AS_EVENT: Final = -1


class SessionRecord(NamedTuple):
    """Stored counters of a provider session, whichever call reported them: the context methods and the post-run.

    Scores are on any one scale, None when not reported.
    """

    compactions: int = 0
    critical_in_a_row: int = 0
    last_interaction: str = ""
    """The id of the last counted interaction, or of its run; empty if it had none."""
    agent: str = ""
    """The agent with that score; empty if the host did not name it."""
    score: float | None = None
    score_before: float | None = None
    """The agent's score at the session's last compaction."""
    compaction_ids: tuple[str, ...] = ()
    """Compactions reported by id, the latest last."""
    finished_ids: tuple[str, ...] = ()
    """The ids of those reported as over, the latest last."""
    unmatched: ReportKind = NO_REPORT
    """The report of the last compaction, which may still be reported the other way and counts once."""


class Interaction(NamedTuple):
    """One interaction as reported by the host; None or empty for what is not reported."""

    id: str = ""
    bracket: Bracket | None = None
    agent: str = ""
    score: float | None = None


def with_interaction(record: SessionRecord, interaction: Interaction) -> SessionRecord:
    """Count an interaction; a repeated report counts once. Scores of different agents are not compared.

    A report that names no agent is about the agent at work.
    """
    if interaction.agent and interaction.agent != record.agent:
        is_other = bool(record.agent)
        record = record._replace(
            agent=interaction.agent,
            score=None if is_other else record.score,
            score_before=None if is_other else record.score_before,
        )
    if interaction.score is not None:
        record = record._replace(score=interaction.score)
    if interaction.bracket is None or (interaction.id and interaction.id == record.last_interaction):
        return record
    critical_in_a_row = record.critical_in_a_row + 1 if interaction.bracket == "CRITICAL" else 0
    return record._replace(critical_in_a_row=critical_in_a_row, last_interaction=interaction.id)


def with_compaction(record: SessionRecord, compaction_id: str = "") -> SessionRecord:
    """Count a compaction, reported by its id or, without one, as an event; both reports of the same one count once.

    The window is roomy again, and later scores are compared with the present one.
    """
    if compaction_id and compaction_id in record.compaction_ids:
        return record
    if compaction_id:
        record = record._replace(compaction_ids=(*record.compaction_ids, compaction_id)[-MAX_IDS:])
    report: ReportKind = REPORTED_BY_ID if compaction_id else REPORTED_AS_EVENT
    if record.unmatched == (REPORTED_AS_EVENT if compaction_id else REPORTED_BY_ID):
        return record._replace(unmatched=NO_REPORT)
    return record._replace(
        compactions=record.compactions + 1,
        critical_in_a_row=0,
        score_before=record.score if record.score is not None else record.score_before,
        unmatched=report,
    )


def with_finished_compaction(record: SessionRecord, compaction_id: str) -> SessionRecord:
    """Record that a compaction is over, and count it if it was not announced."""
    record = with_compaction(record, compaction_id)
    if compaction_id in record.finished_ids:
        return record
    return record._replace(finished_ids=(*record.finished_ids, compaction_id)[-MAX_IDS:])

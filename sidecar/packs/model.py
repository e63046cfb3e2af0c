"""Messages of `continuity/preRun` and its companions."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from sidecar.core.wire_types import MAX_COUNT, MAX_TOKENS, FolderPath, Identifier, Instant, Tokens, WireModel
from sidecar.governor.pressure_decision import GovernorAction
from sidecar.runs.model import MAX_PROMPT_CHARACTERS, Provider, RunMode
from sidecar.runs.pre_run_record import Action, Block, BlockKind, Disposition, Mode, PreRunMetadata, SystemText

TokenMode = Literal["low", "normal", "debug"]
OverrideKind = Literal["always", "never", "wrong"]
ItemName = Annotated[str, Field(min_length=1, max_length=4_200, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""Name of an item, as `continuity/explain` lists it."""

RelativePath = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]


class Mentions(WireModel):
    """Files and folders the user mentioned in the prompt, relative to `cwd` or absolute inside it."""

    files: list[RelativePath] = Field(default_factory=list, max_length=200)
    folders: list[RelativePath] = Field(default_factory=list, max_length=200)


class ForkOrigin(WireModel):
    """The conversation and the provider session that a conversation was forked from."""

    sub_chat_id: Identifier
    session_id: Identifier
    copied_at: Instant | None = Field(
        default=None,
        description="When the whole session was copied, whichever message the fork starts from: runs that were sent "
        "later are not in the copy.",
    )


class SessionBefore(WireModel):
    """The provider session that will receive the prompt, and facts about it; stating a fact again changes nothing.

    A sub-chat whose session another sub-chat has is a fork of it: it starts with a copy of what that session has.
    """

    id: Identifier | None = Field(description="The provider's session id; null for a new session.")
    will_resume: bool = Field(
        description="Whether the provider continues that session. With `id` null: whether it continues whatever "
        "session it has, which is that of the sub-chat's last run if that began without an id and did not complete."
    )
    is_fork: bool = Field(
        description="Whether the provider forks it. Without `forkedFrom` or `truncatedToMessageId`, a fork of the "
        "sub-chat's own session counts as unknown."
    )
    forked_from: ForkOrigin | None = Field(default=None, description="Origin of a forked sub-chat.")
    truncated_to_message_id: Identifier | None = Field(
        default=None,
        description="After a rollback, until a run has ended: the last assistant message that the session still has, "
        "as in `assistant.messageId` of its post-run; null for none. Absent means that nothing was rolled back. With "
        "an unknown id the session counts as unknown.",
    )
    compacted_at: Instant | None = Field(default=None, description="Time of the session's last compaction.")
    continues: Identifier | None = Field(
        default=None,
        description="The run whose provider session continues although its id was not stored, for example because the "
        "first run failed; with `id` null.",
    )


class HostInjects(WireModel):
    """Instruction files that the host or the provider already sends."""

    agents_md: bool = False
    claude_md: bool = False


class ContextUsage(WireModel):
    """Fill level of the provider's context window."""

    used_tokens: Tokens
    max_tokens: int = Field(gt=0, le=MAX_TOKENS)


class PreRunParams(WireModel):
    """A prompt, just before it goes to the provider."""

    run_id: Identifier = Field(description="The host's id of this run, new for each; its post-run states the same.")
    sub_chat_id: Identifier = Field(description="The host's id of the conversation that the prompt belongs to.")
    chat_id: Identifier | None = Field(
        default=None, description="The host's id of the chat around it; its sub-chats are one unit of a rollout."
    )
    provider: Provider = Field(description="Whose agent runs.")
    mode: RunMode = Field(description="`agent` may change files; `plan` only plans and gets the plan's rules.")
    cwd: FolderPath = Field(description="The chat's git worktree, absolute.")
    project_path: FolderPath | None = Field(
        default=None, description="The original project; default: the repository's main worktree, or `cwd`."
    )
    prompt: str = Field(max_length=MAX_PROMPT_CHARACTERS, description="The user's prompt, as the host would send it.")
    continuity_mode: Mode | None = Field(
        default=None,
        description="The user's choice for this chat; it overrides the setting `mode`, unless the environment switches"
        " it off, and takes the chat out of a running experiment.",
    )
    model: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="The model's name. An experiment compares chats of the same model."
    )
    mentions: Mentions | None = None
    session: SessionBefore
    host_injects: HostInjects | None = Field(default=None, description="Absent means false for each.")
    usage: ContextUsage | None = None
    takes_system_text: bool = Field(
        default=True,
        description="False if the host has no system prompt to extend; the anchor is then the first block.",
    )
    max_new_bytes: int | None = Field(
        default=None,
        ge=500,
        le=MAX_COUNT,
        description="Maximum UTF-8 bytes this call may add to the session, where the budget allows more.",
    )
    token_mode: TokenMode | None = Field(
        default=None, description="Selects the byte budget; absent means the setting's."
    )
    is_local_model: bool | None = Field(
        default=None, description="Whether a model on this machine runs; its prompts pass through."
    )
    deadline_ms: int | None = Field(
        default=None, ge=1, le=60_000, description="Milliseconds from arrival until a response is due; 800 if absent."
    )


class GovernorBefore(WireModel):
    """The governor's decision before a run."""

    action: GovernorAction
    reasons: list[str]
    start_fresh_session: bool = Field(description="Whether the host should neither resume nor continue.")
    marker: str | None = Field(description="Text the chat may show where a fresh session begins; null without one.")


class PreRunResult(WireModel):
    """Text for the provider, and what the call saved."""

    action: Action
    reason: str | None = Field(
        description="Why nothing is injected: off, passive, slashCommand, localModel, deadline, stateUnavailable,"
        " nothingToSend; else null."
    )
    prompt: str = Field(description="Blocks and prompt as one text, for hosts that send a single text.")
    system: SystemText | None
    blocks: list[Block] = Field(description="In send order; the prompt follows them.")
    governor: GovernorBefore
    metadata: PreRunMetadata
    delivery_token: str | None = Field(description="Pass it to `continuity/postRun`.")


class ExplainParams(WireModel):
    """The pre-run to explain: a recorded one or a hypothetical one; without a member, the newest recorded one."""

    model_config = ConfigDict(json_schema_extra={"maxProperties": 1})

    run_id: Identifier | None = Field(default=None, description="A recorded pre-run.")
    project_path: FolderPath | None = Field(default=None, description="The newest recorded pre-run of a project.")
    pre_run: PreRunParams | None = Field(
        default=None,
        description="A hypothetical pre-run: the params of `continuity/preRun`; its run id is only echoed.",
    )

    @model_validator(mode="after")
    def _accepts_one_selector(self) -> Self:
        if [self.run_id, self.project_path, self.pre_run].count(None) < 2:
            raise ValueError("must have at most one of runId, projectPath and preRun")
        return self


class ExplainedRegion(WireModel):
    """A region of a file: its score adds to its file's rank, not to its file's score."""

    lines: str = Field(description="The numbers of its lines, as `12-40`; with a gap, as `12,20-40`.")
    name: str = Field(description="The definition it is or belongs to; empty at the top of a file.")
    score: dict[str, float] = Field(description="Parts of the region's score by name.")


class ExplainedItem(WireModel):
    """An item of the packs: its disposition and the reason it was considered."""

    item: str
    kind: BlockKind
    bytes: int
    disposition: Disposition
    why: str
    override: OverrideKind | None = Field(description="The user's override of it.")
    score: dict[str, float] = Field(
        description="Parts of the file's score by name, as in `codebase/search`; empty for unscored items."
    )
    regions: list[ExplainedRegion] = Field(description="Regions of a file that the item shows.")


class ExplainedStatement(WireModel):
    """A line of the session's anchor: a rule, a trap, a part of the map."""

    item: str = Field(description="Its name, for `continuity/mute`.")
    text: str
    override: OverrideKind | None = Field(description="The user's override of it; a wrong statement is retracted.")


class UserOverride(WireModel):
    """The user's override of an item: always send it, never send it, or it is wrong."""

    item: ItemName
    override: OverrideKind
    why: str
    at: str = Field(description="RFC 3339.")


class ExplainResult(WireModel):
    """Items and texts that a pre-run sent."""

    run_id: Identifier
    project: str = Field(description="The project's name, that of its folder; its key if no name is stored.")
    provider: Provider
    created_at: str = Field(description="RFC 3339.")
    status: Literal["pending", "committed", "dropped", "notRun"] = Field(
        description="What post-run did with the delivery; notRun for a hypothetical pre-run."
    )
    action: Action
    reason: str | None
    items: list[ExplainedItem]
    statements: list[ExplainedStatement] = Field(
        description="Statements in the session's anchor; for a hypothetical pre-run also those of the current anchor."
    )
    overrides: list[UserOverride] = Field(description="The user's overrides of the project's items, newest first.")
    system: SystemText | None
    blocks: list[Block]
    metadata: PreRunMetadata


class PinParams(WireModel):
    """An item that is always sent."""

    project_path: FolderPath
    item: ItemName = Field(description="Its name in `continuity/explain`, for example `context:src/cart.py`.")
    why: str = Field(default="", max_length=500, description="The user's reason, shown to the user only.")
    revoke: bool = Field(default=False, description="Delete the override of the item.")


class MuteParams(PinParams):
    """An item that is never sent: unwanted, or wrong."""

    wrong: bool = Field(
        default=False, description="Whether its content is wrong, for example a trap that does not exist."
    )


class OverridesResult(WireModel):
    """The user's overrides of a project's items, newest first."""

    overrides: list[UserOverride]


class RepoChangedParams(WireModel):
    """A hint that files changed. It speeds up the next call and proves nothing."""

    cwd: FolderPath
    paths: list[RelativePath] = Field(default_factory=list, max_length=10_000)


class SessionEventParams(WireModel):
    """Something happened to a provider session outside a run."""

    event: Literal["reset", "forked", "rolledBack", "compacted", "modeChanged", "deleted"]
    cwd: FolderPath = Field(description="The chat's worktree; the event takes effect before its next pre-run.")
    sub_chat_id: Identifier
    provider: Provider
    session_id: Identifier | None = Field(
        default=None, description="The session; null for all sessions of the sub-chat."
    )

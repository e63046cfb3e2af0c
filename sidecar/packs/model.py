"""Messages of `continuity/preRun` and its companions."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from sidecar.core.wire import MAX_COUNT, MAX_TOKENS, FolderPath, Identifier, Tokens, WireModel
from sidecar.governor.model import GovernorAction
from sidecar.runs.model import MAX_PROMPT_CHARACTERS, Provider, RunMode

TokenMode = Literal["low", "normal", "debug"]
OverrideKind = Literal["always", "never", "wrong"]
BlockKind = Literal["anchor", "context", "delta", "plan", "carryover"]
ItemName = Annotated[str, Field(min_length=1, max_length=4_200, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""Name of an item, as `continuity/explain` lists it."""

RelativePath = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]


class Mentions(WireModel):
    """Files and folders the user mentioned in the prompt, relative to `cwd` or absolute inside it."""

    files: list[RelativePath] = Field(default_factory=list, max_length=200)
    folders: list[RelativePath] = Field(default_factory=list, max_length=200)


class SessionBefore(WireModel):
    """The provider session that will receive the prompt."""

    id: Identifier | None = Field(description="The provider's session id; null for a new session.")
    will_resume: bool = Field(description="Whether the provider continues that session.")
    is_fork: bool = Field(description="Whether the provider forks it; a fork counts as unknown.")


class HostInjects(WireModel):
    """Instruction files that the host or the provider already sends."""

    agents_md: bool = False
    claude_md: bool = False


class ContextUsage(WireModel):
    """How full the provider's context window is."""

    used_tokens: Tokens
    max_tokens: int = Field(gt=0, le=MAX_TOKENS)


class PreRunParams(WireModel):
    """A prompt, just before it goes to the provider."""

    run_id: Identifier
    sub_chat_id: Identifier
    chat_id: Identifier | None = None
    provider: Provider
    mode: RunMode
    cwd: FolderPath = Field(description="The chat's git worktree, absolute.")
    project_path: FolderPath | None = Field(default=None, description="The original project; without it, `cwd`.")
    prompt: str = Field(max_length=MAX_PROMPT_CHARACTERS, description="The user's prompt, as the host would send it.")
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
    is_local_model: bool | None = None
    deadline_ms: int | None = Field(
        default=None, ge=1, le=60_000, description="Milliseconds from arrival until a response is due; 800 if absent."
    )


class SystemText(WireModel):
    """The pinned anchor for the provider's system prompt (Claude): the same bytes on every call of a session."""

    id: str
    text: str


class Block(WireModel):
    """A pack as text, sent before the user's request."""

    kind: BlockKind
    id: str
    bytes: int = Field(description="UTF-8 bytes of `text`.")
    text: str


class GovernorBefore(WireModel):
    """The governor's decision before a run."""

    action: GovernorAction
    reasons: list[str]
    start_fresh_session: bool = Field(description="Whether the host should neither resume nor continue.")
    marker: str | None = Field(description="Text the chat may show where a fresh session begins; null without one.")


class StateIds(WireModel):
    """The id of each pack that is valid for this call; null where there is none."""

    anchor_pack_id: str | None
    context_pack_id: str | None
    delta_pack_id: str | None
    plan_contract_id: str | None


class Trimmed(WireModel):
    """An omitted item and the reason."""

    item: str
    reason: str


class LowTokenReuse(WireModel):
    """The decision of low-token mode on a call."""

    delta_only: bool = Field(description="Whether only changes were sent, because the session's packs still fit.")
    reason: str


class PreRunMetadata(WireModel):
    """Costs and savings of the call; bytes are UTF-8."""

    cache_hit: bool = Field(description="Whether the context pack came from the pack cache.")
    file_hits: int = Field(description="File summaries that came from the file cache.")
    file_misses: int = Field(description="File summaries that were computed.")
    injected_bytes: int = Field(description="Bytes sent that were new to this provider session.")
    would_inject_bytes: int = Field(description="The same as `injectedBytes`, also computed when nothing is sent.")
    reused_bytes: int = Field(description="Bytes of the packs valid for this call that the session already has.")
    baseline_bytes: int = Field(description="Cost of sending all packs again: would-inject plus reused.")
    reused_percent: float = Field(description="Reused of baseline, 0 to 100, one decimal.")
    state_ids: StateIds
    trimmed: list[Trimmed] = Field(
        description="Omitted items with the reason: over the budget, late, excluded, nothing new."
    )
    reuse: LowTokenReuse | None = Field(default=None, description="Null in token modes other than low.")
    partial: bool = Field(description="True if something is missing because of the deadline.")
    proof: str | None = Field(description="How the repository's state was verified as fresh; null without a state.")
    elapsed_ms: float = Field(description="Milliseconds from arrival to response, including waiting.")


class PreRunResult(WireModel):
    """What goes to the provider, and what the call saved."""

    action: Literal["inject", "passthrough"]
    reason: str | None = Field(
        description="Why nothing is injected: off, passive, slashCommand, localModel, deadline, nothingToSend;"
        " else null."
    )
    prompt: str = Field(description="Blocks and prompt as one text, for hosts that send a single text.")
    system: SystemText | None
    blocks: list[Block] = Field(description="In send order; the prompt follows them.")
    governor: GovernorBefore
    metadata: PreRunMetadata
    delivery_token: str | None = Field(description="Pass it to `continuity/postRun`.")


class ExplainParams(WireModel):
    """Which pre-run to explain: a recorded one or a hypothetical one; without a member, the newest recorded one."""

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
            raise ValueError("give at most one of runId, projectPath and preRun")
        return self


class ExplainedItem(WireModel):
    """An item of the packs: its disposition and the reason it was considered."""

    item: str
    kind: BlockKind
    bytes: int
    disposition: Literal["sent", "alreadyDelivered", "trimmed", "muted"]
    why: str
    override: OverrideKind | None = Field(description="The user's override of it.")
    score: dict[str, float] = Field(
        description="Parts of the score by name, as in `codebase/search`; empty for unscored items."
    )


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
    """What a pre-run sent, item by item, and the texts."""

    run_id: Identifier
    created_at: str = Field(description="RFC 3339.")
    status: Literal["pending", "committed", "dropped", "notRun"] = Field(
        description="What post-run did with the delivery; notRun for a hypothetical pre-run."
    )
    action: Literal["inject", "passthrough"]
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

"""`context/bracket` and `context/compose`, and the slice's methods."""

from sidecar.call import Call
from sidecar.context import compaction_methods
from sidecar.context.brackets import BRACKETS, Bracket, bracket_with_hysteresis, remaining_context
from sidecar.context.compose_block import (
    BlockRequest,
    compose_result,
    load_instructions,
    load_memories,
    task_text,
    without_instructions,
)
from sidecar.context.model import (
    ContextBracketParams,
    ContextBracketResult,
    ContextComposeParams,
    ContextComposeResult,
)
from sidecar.context.project_files import read_sources
from sidecar.context.store import receives_anchor
from sidecar.core.errors import InvalidParams, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method


def bracket(call: Call, params: ContextBracketParams) -> ContextBracketResult:  # noqa: ARG001  (every method takes both)
    """Return a window's bracket: FRESH from 60 % remaining, MODERATE from 40, DEPLETED from 25, otherwise CRITICAL.

    Reported tokens win over a percentage, and a percentage over an estimate from prompts × average tokens. With a
    margin (hysteresis) a roomier bracket than the previous one starts only that far above its bound; a tighter one at
    once.
    """
    remaining = remaining_context(params.reported)
    bracket_name = bracket_with_hysteresis(remaining.percent, params.previous, params.hysteresis)
    limits = BRACKETS[bracket_name]
    return ContextBracketResult(
        bracket=bracket_name,
        remaining_percent=remaining.percent,
        source=remaining.source,
        used_tokens=remaining.used_tokens,
        budget_tokens=limits.tokens,
        layers=list(limits.layers),
        memory_level=limits.memory,
        behavior=limits.behavior,
    )


def compose_block(call: Call, params: ContextComposeParams) -> ContextComposeResult:
    """Return the `<chati-context>` block for an agent's prompt: the bracket's layers within its token budget.

    The project's own files are read (constitution, configuration, agents, session, hand-offs; without them its
    instruction files), and nothing is written. Constitution and mode are in every bracket; memories depend on its
    level: none when FRESH, except once after a compaction or resume; HOT ones first, then those relevant to the task.
    The user's standing instructions are in every bracket, for a session that has no anchor. Texts are data: secrets are
    masked, and none can forge the block's structure.
    """
    return compose_for(call, params, has_anchor=_receives_anchor(call, params.session_id))


def compose_for(call: Call, params: ContextComposeParams, *, has_anchor: bool) -> ContextComposeResult:
    """Compose the block; a session with an anchor has the standing instructions in it."""
    bracket_name = _bracket(params)
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    sources = read_sources(workspace.project, workspace.cwd, params.agent)
    is_first = params.after_compaction or params.resumed
    task = task_text(params.task, sources)
    memories = load_memories(call, workspace, params.token, bracket_name, task=task, is_first=is_first)
    instructions = load_instructions(call, workspace)
    request = BlockRequest(
        bracket_name,
        params.mode,
        params.task,
        without_instructions(memories, instructions),
        () if has_anchor else instructions,
    )
    return compose_result(sources, request)


def _receives_anchor(call: Call, session_id: str | None) -> bool:
    if session_id is None:
        return False
    with call.database.read() as tx:
        return receives_anchor(tx, session_id)


def _bracket(params: ContextComposeParams) -> Bracket:
    if params.bracket is not None:
        return params.bracket
    if params.usage is None:
        raise InvalidParams(
            "`bracket` and `usage` are both missing.",
            hint="Send `bracket` as returned by `context/bracket`, or `usage`.",
        )
    return bracket_with_hysteresis(remaining_context(params.usage.reported).percent, None, 0.0)


METHODS = (
    method("context/bracket", bracket, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method(
        "context/compose", compose_block, lane=Lane.SHARED, errors=(WorkspaceUnavailable, PolicyDenied, StateDegraded)
    ),
    *compaction_methods.METHODS,
)

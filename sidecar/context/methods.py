"""`context/bracket` and `context/compose`; the slice's rows."""

from sidecar.call import Call
from sidecar.context.block.compose_block import composed, remembered_in, task_of
from sidecar.context.block.layers import Wanted
from sidecar.context.brackets import BRACKETS, Bracket, settled
from sidecar.context.model import (
    ContextBracketParams,
    ContextBracketResult,
    ContextComposeParams,
    ContextComposeResult,
)
from sidecar.context.project.project_files import gather
from sidecar.context.recovery import post_compact, pre_compact
from sidecar.context.window import remaining_of
from sidecar.core.errors import InvalidParams, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method


def bracket(call: Call, params: ContextBracketParams) -> ContextBracketResult:  # noqa: ARG001  (every method takes both)
    """Gives the bracket of a context window: FRESH from 60 % that remain, MODERATE from 40, DEPLETED from 25, CRITICAL.

    Reported tokens count before a percentage, that before an estimate of prompts × average tokens. With a margin
    (hysteresis) a roomier bracket than the previous one begins only so far beyond its bound; a tighter one at once.
    """
    remaining = remaining_of(params.said)
    found = settled(remaining.percent, params.previous, params.hysteresis)
    bounds = BRACKETS[found]
    return ContextBracketResult(
        bracket=found,
        remaining_percent=remaining.percent,
        source=remaining.source,
        used_tokens=remaining.used_tokens,
        budget_tokens=bounds.tokens,
        layers=list(bounds.layers),
        memory_level=bounds.memory,
        behavior=bounds.behavior,
    )


def compose_block(call: Call, params: ContextComposeParams) -> ContextComposeResult:
    """Gives the `<chati-context>` block for an agent's prompt: the bracket's layers within its token budget.

    Reads the project's own files (constitution, configuration, agents, session, hand-offs; without them its
    instruction files) and writes nothing. Constitution and mode are there in every bracket; memories by its level:
    none when fresh, but once after a compaction or resume; HOT ones first, then those that bear on the task. Texts are
    data: secrets are masked, and none can forge the block's structure.
    """
    found = _bracket(params)
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    sources = gather(workspace.project, workspace.cwd, params.agent)
    is_first = params.after_compaction or params.resumed
    task = task_of(params.task, sources)
    remembered = remembered_in(call, workspace, params.token, found, task=task, is_first=is_first)
    return composed(sources, Wanted(found, params.mode, params.task, remembered))


def _bracket(params: ContextComposeParams) -> Bracket:
    if params.bracket is not None:
        return params.bracket
    if params.usage is None:
        raise InvalidParams(
            "A block is made for a bracket.", hint="Send `bracket` as `context/bracket` gave it, or `usage`."
        )
    return settled(remaining_of(params.usage.said).percent, None, 0.0)


METHODS = (
    method("context/bracket", bracket, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method(
        "context/compose", compose_block, lane=Lane.SHARED, errors=(WorkspaceUnavailable, PolicyDenied, StateDegraded)
    ),
    *pre_compact.METHODS,
    *post_compact.METHODS,
)

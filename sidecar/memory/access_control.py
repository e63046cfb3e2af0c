"""Access to memories: an agent reaches its own and the shared ones, the user all, everyone else the shared ones.

A token identifies the agent. It is stored as a hash and becomes invalid when its agent is deactivated.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import apsw

from sidecar.call import Call, Process
from sidecar.core.digests import digest_bytes
from sidecar.core.errors import InvalidParams, NotFound, PolicyDenied
from sidecar.memory.entry import Retention
from sidecar.memory.file_index import MemoryIndex, RefreshResult, memory_index_of, update_index_file
from sidecar.memory.files.layout import AGENTS, OWNERS, SHARED
from sidecar.memory.store import local_state
from sidecar.workspace import Workspace

if TYPE_CHECKING:
    from sidecar.memory.model import MemoryParams


class Reach(NamedTuple):
    """Whose memories a caller may read and write, and who the caller is."""

    owners: tuple[str, ...]
    agent: str
    """Empty for callers that are not agents."""
    session: str
    """Used as the caller's session if none is named; empty for callers that are not agents."""


SHARED_ONLY = Reach((SHARED,), "", "")
USER_REACH = Reach(OWNERS, "", "")


def reach_of(tx: apsw.Connection, process: Process, project: str, token: str | None) -> Reach:
    """Return what a call may reach. Raise PolicyDenied for a token that is not valid in this project."""
    if token is None:
        return USER_REACH if process.is_command_line else SHARED_ONLY
    token_hash = _hash(token)
    agent = local_state.token_agent(tx, token_hash, project)
    if agent is None:
        raise PolicyDenied("The token is invalid or expired.", hint="`session/activate` returns a new one.")
    return Reach((SHARED, agent), agent, token_hash)


def grant(tx: apsw.Connection, process: Process, project: str, agent: str) -> str:
    """Return a token for a project's agent. Raise InvalidParams for an unknown agent."""
    require_agent(agent)
    token = process.new_id()
    local_state.put_token(tx, _hash(token), project, agent, process.clock.now_ms())
    return token


def revoke(tx: apsw.Connection, project: str, agent: str | None = None) -> None:
    """Invalidate the tokens of a project's agent, or of all its agents."""
    local_state.drop_tokens(tx, project, agent)


def require_agent(agent: str) -> None:
    """Raise InvalidParams for an unknown agent."""
    if agent not in AGENTS:
        raise InvalidParams("There is no agent with that name.", hint=f"Use one of {', '.join(AGENTS)}.")


def require_owner(reach: Reach, owner: str) -> None:
    """Raise PolicyDenied for memories that are out of reach."""
    if owner not in reach.owners:
        raise PolicyDenied(
            "Only the agent itself may write its private memories.",
            hint="Send the token of `session/activate`, or write a shared memory.",
        )


def require_user_approval(reach: Reach, retention: Retention | None) -> None:
    """Raise PolicyDenied if an agent stores a durable memory."""
    if reach.agent and retention == "durable":
        raise PolicyDenied(
            "Only the user can make a memory durable.",
            hint="Send `daily`, or no `retention`; the user can make it durable, without an agent's token.",
        )


def memory_not_found() -> NotFound:
    """Return the same error for missing memories and for those out of reach."""
    return NotFound("No memory has that id.", hint="`memory/list` lists the memories within reach.")


def _hash(token: str) -> str:
    return digest_bytes(token.encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """Workspace, index and reach of a call."""

    workspace: Workspace
    index: MemoryIndex
    reach: Reach

    def refresh(self) -> RefreshResult:
        """Read changed files into the index and update `index.json`."""
        refreshed = self.index.refresh()
        update_index_file(self.index)
        return refreshed


def memory_context(call: Call, params: "MemoryParams") -> MemoryContext:
    """Resolve a call's project and reach. Raise WorkspaceUnavailable for a project that does not exist."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require_project()
    with call.database.read() as tx:
        reach = reach_of(tx, call.process, workspace.project_key, params.token)
    return MemoryContext(workspace, memory_index_of(call.process, workspace), reach)

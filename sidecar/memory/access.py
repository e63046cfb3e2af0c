"""Who may reach which memories: an agent its own and the shared ones, the user all, everybody else the shared ones.

A token says who asks. It is kept as a hash, and is no more valid once its agent is deactivated.
"""

from typing import NamedTuple

import apsw

from sidecar.call import Process
from sidecar.core.digests import digest_bytes
from sidecar.core.errors import InvalidParams, NotFound, PolicyDenied
from sidecar.memory.entry import Keeping
from sidecar.memory.files.layout import AGENTS, OWNERS, SHARED
from sidecar.memory.store import local_state


class Reach(NamedTuple):
    """Whose memories may be read and written, and who asks."""

    owners: tuple[str, ...]
    agent: str
    """Empty where no agent asks."""
    session: str
    """What stands for the asking session where none is told; empty where no agent asks."""


SHARED_ONLY = Reach((SHARED,), "", "")
THE_USERS = Reach(OWNERS, "", "")


def reach_of(tx: apsw.Connection, process: Process, project: str, token: str | None) -> Reach:
    """Says what a call may reach; raises PolicyDenied for a token that is not valid in this project."""
    if token is None:
        return THE_USERS if process.is_command_line else SHARED_ONLY
    token_hash = _hash(token)
    agent = local_state.agent_of(tx, token_hash, project)
    if agent is None:
        raise PolicyDenied("The token is not valid, or no more.", hint="`session/activate` gives a new one.")
    return Reach((SHARED, agent), agent, token_hash)


def grant(tx: apsw.Connection, process: Process, project: str, agent: str) -> str:
    """Gives a token with which an agent of a project reaches its own memories; raises InvalidParams for no agent."""
    require_agent(agent)
    token = process.new_id()
    local_state.put_token(tx, _hash(token), project, agent, process.clock.now_ms())
    return token


def revoke(tx: apsw.Connection, project: str, agent: str | None = None) -> None:
    """Makes the tokens of a project's agent, or of all of them, invalid."""
    local_state.drop_tokens(tx, project, agent)


def require_agent(agent: str) -> None:
    """Raises InvalidParams for a name that is no agent's."""
    if agent not in AGENTS:
        raise InvalidParams("There is no agent of that name.", hint=f"One of {', '.join(AGENTS)}.")


def require_owner(reach: Reach, owner: str) -> None:
    """Raises PolicyDenied for memories that are out of reach."""
    if owner not in reach.owners:
        raise PolicyDenied(
            "An agent's private memories are written by that agent only.",
            hint="Send the token of `session/activate`, or write a shared memory.",
        )


def require_users_word(reach: Reach, keeping: Keeping | None) -> None:
    """Raises PolicyDenied for an agent that would keep a memory for good (intelligence-layer.md, Article XIII.7)."""
    if reach.agent and keeping == "durable":
        raise PolicyDenied(
            "Only the user's word keeps a memory for good.",
            hint="Send `daily`, or no `keeping`; the user makes it durable, without an agent's token.",
        )


def unknown() -> NotFound:
    """Makes the one answer for what is not there and for what is out of reach."""
    return NotFound("There is no memory of that id.", hint="`memory/list` shows those within reach.")


def _hash(token: str) -> str:
    return digest_bytes(token.encode("utf-8", "replace"))

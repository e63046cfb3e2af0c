"""The messages of `state/status`."""

from pydantic import Field

from sidecar.core.wire import Empty, WireModel

StateStatusParams = Empty


class RunningSidecar(WireModel):
    """A process that works on the state folder."""

    pid: int
    version: str
    build: str
    client: str = Field(description="Who started it, as it said in `initialize`.")
    mode: str = Field(description="The global one as it counted there at the start.")
    started_at: str = Field(description="RFC 3339.")


class ProjectStatus(WireModel):
    """How a project stands."""

    project: str = Field(description="Its key: the same for one path, and no path.")
    name: str | None = Field(description="What its folder is called; null where no run told.")
    mode: str
    runs: int = Field(description="Runs that are kept.")
    last_run_at: str | None = Field(description="RFC 3339.")
    hit_rate: float | None = Field(
        description="Share of follow-ups whose context pack came from the cache in 30 days, 0 to 1; null without any."
    )
    reduction: float | None = Field(description="1 − injected / baseline over 30 days; null without calls.")
    drafts: int = Field(description="Artifacts that wait for the user's decision.")
    memories: int


class LastRun(WireModel):
    """A pre-run, as `continuity/explain` knows more of."""

    run_id: str
    at: str = Field(description="RFC 3339.")
    project: str
    provider: str
    action: str = Field(description="inject or passthrough.")
    reason: str | None
    status: str = Field(description="pending, committed or dropped.")
    new_bytes: int = Field(description="Bytes sent, or in passive mode would have been, that the session did not have.")


class StoredFiles(WireModel):
    """Files of a kind in the state folder."""

    kind: str
    files: int
    bytes: int


class CacheStatus(WireModel):
    """A cache in the state file."""

    name: str
    entries: int
    bytes: int


class StateStatusResult(WireModel):
    """What stands in a state folder, and who works on it."""

    state_dir: str
    schema_: int = Field(alias="schema", description="The migration step the state file is at.")
    version: str
    mode: str = Field(description="The global one; where none is set, the running sidecar's at its start.")
    mode_source: str = Field(description="The layer of settings it comes from.")
    others: list[RunningSidecar] = Field(description="The processes besides the one that answers.")
    projects: list[ProjectStatus] = Field(description="The one with the latest run first.")
    last_runs: list[LastRun] = Field(description="The newest first, ten at most.")
    files: list[StoredFiles]
    caches: list[CacheStatus]
    free_bytes: int = Field(description="On the disk with the state folder.")

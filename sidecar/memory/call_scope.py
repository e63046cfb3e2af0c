"""Context of every call about memories: the project, its index, and the caller's reach."""

from dataclasses import dataclass

from sidecar.call import Call
from sidecar.core.errors import WorkspaceUnavailable
from sidecar.memory.access_control import Reach, reach_of
from sidecar.memory.index import Index, RefreshResult, index_of, update_index_file
from sidecar.memory.model import MemoryParams
from sidecar.memory.writer import Writer
from sidecar.workspace import Workspace


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """Workspace, index and reach of a call."""

    workspace: Workspace
    index: Index
    reach: Reach

    def writer(self, call: Call) -> Writer:
        """Return a writer for memories within reach."""
        return Writer(call.process, self.workspace, self.reach)

    def refresh(self) -> RefreshResult:
        """Read changed files into the index and update `index.json`."""
        refreshed = self.index.refresh()
        update_index_file(self.index)
        return refreshed


def memory_context(call: Call, params: MemoryParams) -> MemoryContext:
    """Resolve a call's project and reach. Raise WorkspaceUnavailable for a project that does not exist."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    if not workspace.project.is_dir():
        raise WorkspaceUnavailable("The project folder does not exist.", hint="Send its current path.")
    with call.database.read() as tx:
        reach = reach_of(tx, call.process, workspace.project_key, params.token)
    return MemoryContext(workspace, index_of(call.process, workspace), reach)

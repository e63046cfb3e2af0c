"""What every call about memories begins with: the project, its index, and what the asking one may reach."""

from dataclasses import dataclass

from sidecar.call import Call
from sidecar.memory import index as index_file
from sidecar.memory.access import Reach, reach_of
from sidecar.memory.index import Checked, Index, index_of
from sidecar.memory.model import MemoryParams
from sidecar.memory.writer import Writer
from sidecar.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Asked:
    """What every call here begins with."""

    workspace: Workspace
    index: Index
    reach: Reach

    def writer(self, call: Call) -> Writer:
        """Gives what changes memories within reach."""
        return Writer(call.process, self.workspace, self.reach)

    def looked_over(self) -> Checked:
        """Takes in what changed by whatever hand, and has `index.json` follow."""
        found = self.index.check()
        index_file.follow(self.index)
        return found


def asked(call: Call, params: MemoryParams) -> Asked:
    """Finds a call's project, and what it may reach there."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    with call.database.read() as tx:
        reach = reach_of(tx, call.process, workspace.project_key, params.token)
    return Asked(workspace, index_of(call.process, workspace), reach)

"""Looks whether a project's knowledge sync is well, where there is one."""

from collections.abc import Iterator

from sidecar.call import Call
from sidecar.core.findings import Finding
from sidecar.knowledge.doctor import checks
from sidecar.workspace import Workspace


def knowledge(call: Call, workspace: Workspace) -> Iterator[Finding]:
    """Looks at settings, repository, state, lock, journal, items and pointers, where a repository is set."""
    if not call.process.settings(workspace.project_key)["knowledge.repository"]:
        return
    for one in checks(call, workspace):
        if one.level != "ok":
            yield Finding(
                one.level, f"{one.name}: {one.told}", one.hint or "`onecode-sidecar knowledge doctor` tells more."
            )

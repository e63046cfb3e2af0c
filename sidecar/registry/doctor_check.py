"""Looks whether a project's registry can be read and what it names is there."""

from collections.abc import Iterator

from sidecar.call import Call
from sidecar.core.findings import Finding
from sidecar.registry.methods import RegistryHealthParams, health
from sidecar.workspace import Workspace

MAX_TOLD = 5


def registry(call: Call, workspace: Workspace) -> Iterator[Finding]:
    """Looks at what the registry's file names; `onecode-sidecar health` tells all of it."""
    found = health(call, RegistryHealthParams(cwd=str(workspace.project)))
    problems = [one for one in found.findings if one.severity == "problem"]
    for one in problems[:MAX_TOLD]:
        named = f" ({one.id})" if one.id else ""
        yield Finding("warning", f"{one.file}{named}: {one.message}", one.remedy)
    if len(problems) > MAX_TOLD:
        told = f"The registry has {len(problems) - MAX_TOLD} problems more."
        yield Finding(
            "warning", told, "`onecode-sidecar health` tells them; its `--fix` mends checksums and the count."
        )

"""The doctor's check of a project's registry."""

from collections.abc import Iterator

from sidecar.call import Call
from sidecar.core.findings import Finding
from sidecar.registry.methods import RegistryHealthParams, health
from sidecar.workspace import Workspace

MAX_FINDINGS = 5


def registry(call: Call, workspace: Workspace) -> Iterator[Finding]:
    """Yield the problems in a project's registry; `onecode-sidecar health` shows all of them."""
    result = health(call, RegistryHealthParams(cwd=str(workspace.project)))
    problems = [finding for finding in result.findings if finding.severity == "problem"]
    for finding in problems[:MAX_FINDINGS]:
        named = f" ({finding.id})" if finding.id else ""
        yield Finding("warning", f"{finding.file}{named}: {finding.message}", finding.remedy)
    if len(problems) > MAX_FINDINGS:
        message = f"The registry has {len(problems) - MAX_FINDINGS} problems more."
        yield Finding(
            "warning", message, "`onecode-sidecar health` tells them; its `--fix` mends checksums and the count."
        )

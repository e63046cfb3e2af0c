"""Reuse hints for a pre-run: an existing entity similar to what the prompt asks to create."""

from typing import NamedTuple

from sidecar.call import Process
from sidecar.core.errors import SidecarError
from sidecar.core.text.sanitize import one_line
from sidecar.language.creation_intent import creation_intent
from sidecar.registry.decision import Recommendation, decide
from sidecar.registry.project_registry import registry_for_workspace
from sidecar.workspace import Workspace

MAX_PURPOSE = 160
MAX_WORDS = 8


class Hint(NamedTuple):
    """One line about an existing entity, and its basis."""

    decision: str
    """REUSE or ADAPT."""
    entity_id: str
    path: str
    text: str
    """One line for the agent, safe inside a block."""
    why: str
    """The reason, for the user."""
    digest: str
    """Digest of the registry; part of the pack's cache key."""


def hint_for(workspace: Workspace, process: Process, prompt: str) -> Hint | None:
    """Return the best REUSE or ADAPT for what a prompt asks to create; None if it asks for nothing new.

    Never raises and records nothing: context never stops a run. A large registry is loaded in the background the first
    time; hints are available from the next call on. Takes microseconds without an intent, a few milliseconds with ten
    thousand entities.
    """
    intent = creation_intent(prompt)
    if intent is None:
        return None
    try:
        project_registry = registry_for_workspace(workspace, process)
        registry = project_registry.if_ready()
        if registry is None:
            process.background.submit(project_registry.warm_up)
            return None
        best = decide(intent, registry, project_registry.index(registry), 1) if registry.entities else []
    except SidecarError as error:
        process.log.warning("registry.hint.failed", reason=error.kind)
        return None
    return _hint(best[0], registry.digest) if best and best[0].decision != "CREATE" else None


def _hint(best: Recommendation, digest: str) -> Hint:
    entity = best.entity
    purpose = one_line(entity.purpose, MAX_PURPOSE).rstrip(".")
    name, path = one_line(entity.key, 200), one_line(entity.path, 300)
    advice = (
        "reuse it as it is" if best.decision == "REUSE" else f"adapt it instead of creating another{_care_phrase(best)}"
    )
    words = ", ".join(one_line(word, 40) for word in best.score.matched[:MAX_WORDS])
    return Hint(
        best.decision,
        entity.id,
        entity.path,
        f"{entity.type.capitalize()} `{name}` already exists in {path} ({purpose}): {advice}.",
        f"The prompt asks for something new, and this entity covers {best.score.score:.0f} % of it ({words}).",
        digest,
    )


def _care_phrase(best: Recommendation) -> str:
    if best.impact is None or not best.impact.dependents:
        return ""
    count = len(best.impact.dependents)
    return f" after checking its {count} dependents" if count > 1 else " after checking its dependent"

"""What a pre-run may tell of the registry: that something like what the prompt wants made is there already."""

from typing import NamedTuple

from sidecar.call import Process
from sidecar.core.errors import SidecarError
from sidecar.core.text.sanitize import one_line
from sidecar.language.creation_intent import wished
from sidecar.registry.decision import Recommendation, decide
from sidecar.registry.project_registry import held_by
from sidecar.workspace import Workspace

MAX_PURPOSE = 160
MAX_WORDS = 8


class Hint(NamedTuple):
    """One line about what is there, and what it rests on."""

    decision: str
    """REUSE or ADAPT."""
    entity_id: str
    path: str
    text: str
    """One line for the agent, safe to stand inside a block."""
    why: str
    """Why it is told, for the user."""
    digest: str
    """Of the registry it rests on: part of what a pack is kept under."""


def hint_for(workspace: Workspace, process: Process, prompt: str) -> Hint | None:
    """Gives the best REUSE or ADAPT for what a prompt asks to be made; None where it asks for nothing new.

    Never raises and records nothing: a run is not stopped by its context. A large registry is read in the background
    the first time, and hints are given from the next call on. Takes microseconds where nothing is asked for, a few
    milliseconds of ten thousand entities.
    """
    intent = wished(prompt)
    if intent is None:
        return None
    try:
        held = held_by(workspace, process)
        registry = held.at_once()
        if registry is None:
            process.background.submit(held.make_ready)
            return None
        best = decide(intent, registry, held.index(registry), 1) if registry.entities else []
    except SidecarError as error:
        process.log.warning("registry.hint.failed", reason=error.kind)
        return None
    return _hint(best[0], registry.digest) if best and best[0].decision != "CREATE" else None


def _hint(best: Recommendation, digest: str) -> Hint:
    entity = best.entity
    purpose = one_line(entity.purpose, MAX_PURPOSE).rstrip(".")
    name, path = one_line(entity.key, 200), one_line(entity.path, 300)
    do = "reuse it as it is" if best.decision == "REUSE" else f"adapt it rather than make another{_care(best)}"
    words = ", ".join(one_line(word, 40) for word in best.score.matched[:MAX_WORDS])
    return Hint(
        best.decision,
        entity.id,
        entity.path,
        f"There is already {entity.type} `{name}` in {path} ({purpose}): {do}.",
        f"The prompt asks for something new, and the registry has {best.score.score:.0f} % of it ({words}).",
        digest,
    )


def _care(best: Recommendation) -> str:
    if best.impact is None or not best.impact.dependents:
        return ""
    count = len(best.impact.dependents)
    return f", after a look at the {count} that depend on it" if count > 1 else ", after a look at what depends on it"

"""Which kinds of memory each agent needs most (intelligence-layer.md 4.5). Pure."""

from collections.abc import Mapping

from sidecar.memory.entry import Sector

PREFERRED: Mapping[str, tuple[Sector, Sector]] = {
    "greenfield-wu": ("semantic", "episodic"),
    "brownfield-wu": ("semantic", "episodic"),
    "brief": ("episodic", "semantic"),
    "detail": ("semantic", "episodic"),
    "architect": ("semantic", "reflective"),
    "ux": ("reflective", "procedural"),
    "phases": ("procedural", "semantic"),
    "tasks": ("procedural", "semantic"),
    "qa-planning": ("reflective", "episodic"),
    "dev": ("procedural", "semantic"),
    "qa-implementation": ("reflective", "episodic"),
    "devops": ("procedural", "episodic"),
}
"""Agent → its first and its second sector; an agent that is not listed prefers none."""

FIRST, SECOND, OTHER = 1.0, 0.97, 0.9


def preference(agent: str, sector: str) -> float:
    """Gives what an agent's preference does to a score; 1 where nobody in particular asks."""
    if agent not in PREFERRED:
        return 1.0
    first, second = PREFERRED[agent]
    return FIRST if sector == first else SECOND if sector == second else OTHER

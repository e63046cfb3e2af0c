"""Recall through the RPC: levels of detail, and the agent's preferred sectors first."""

import math

import pytest

from sidecar.memory import AGENTS
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

DECISION = "We decided on JWT because the API is stateless."
ABOUT = "\n".join([
    "# Context", "The login of the shop was rebuilt in March.",
    *(f"Remark {number}: nothing of this bears on any token, and it goes on for a while." for number in range(80)),
    "# Decision", DECISION,
])  # fmt: skip

FIRST_SECTOR = {
    "greenfield-wu": "semantic", "brownfield-wu": "semantic", "brief": "episodic", "detail": "semantic",
    "architect": "semantic", "ux": "reflective", "phases": "procedural", "tasks": "procedural",
    "qa-planning": "reflective", "dev": "procedural", "qa-implementation": "reflective", "devops": "procedural",
}  # fmt: skip


@pytest.fixture
def memories(sidecar: MemorySidecar, project: Repository) -> Memories:
    """The memories of a small shop's till."""
    return Memories(sidecar, project.path)


def test_a_memory_has_three_levels_of_detail(memories: Memories) -> None:
    memories.add(ABOUT, title="Login", type="decision", tags=["auth"])
    levels = {
        level: memories.ask("search", query="why JWT?", level=level)["memories"][0]
        for level in ("metadata", "chunks", "full")
    }
    assert levels["metadata"]["text"] is None
    assert levels["metadata"]["renderedTokens"] <= 50
    assert DECISION in levels["chunks"]["text"]
    assert levels["chunks"]["renderedTokens"] <= 230
    assert levels["full"]["text"] == ABOUT
    assert levels["full"]["renderedTokens"] > 1_000
    saved = [1 - levels[level]["renderedTokens"] / levels["full"]["renderedTokens"] for level in ("metadata", "chunks")]
    assert min(saved) >= 0.6, "60 to 95 % less than the whole memory"
    assert levels["full"]["score"] == pytest.approx(math.prod(levels["full"]["factors"].values()), abs=1e-5)


def test_a_sectors_half_life_counts_in_a_searchs_recency_down_to_the_floor(memories: Memories) -> None:
    memory_id = memories.add("The receipt printer has forty-two columns.", type="decision")["id"]
    memories.sidecar.clock.advance(14 * 86_400_000)

    def recency() -> float:
        (found,) = memories.ask("search", query="receipt printer columns")["memories"]
        assert found["id"] == memory_id
        return float(found["factors"]["recency"])

    assert recency() == pytest.approx(0.85)
    memories.sidecar.clock.advance(14 * 86_400_000)
    assert recency() == pytest.approx(0.775)
    memories.sidecar.clock.advance(2_000 * 86_400_000)
    assert recency() == pytest.approx(0.7)


def test_agents_find_their_preferred_sectors_first(memories: Memories) -> None:
    for sector in ("episodic", "semantic", "procedural", "reflective"):
        memories.add("Receipts are printed in CP437.", title="Printer", type=sector)
    assert set(FIRST_SECTOR) == set(AGENTS) - {"orchestrator"}
    for agent, sector in FIRST_SECTOR.items():
        result = memories.as_agent(agent).ask("search", query="receipts printed")
        assert result["memories"][0]["sector"] == sector
        assert len(result["memories"]) == 4, "a preference hides nothing"

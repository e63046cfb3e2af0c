"""The impact of a change, on any graph, against a naive closure."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sidecar.registry import Entity, Metadata, Registry, impact_level, impact_of

GRAPHS = st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=10)


def registry(graph: Sequence[Sequence[int]]) -> Registry:
    return Registry(
        [
            Entity("a", f"e{n}", "", "agent", "", (), tuple(f"e{needed}" for needed in needs), 0.5, "")
            for n, needs in enumerate(graph)
        ],
        Metadata(),
    )


@given(GRAPHS)
def test_impact_is_the_transitive_closure_despite_cycles(graph: list[list[int]]) -> None:
    sample = registry(graph)
    reached = {(n, needed) for n, needs in enumerate(graph) for needed in needs}
    while more := {(a, d) for a, b in reached for c, d in reached if b == c} - reached:
        reached |= more
    for n in range(len(graph)):
        ids = [entry.id for entry in impact_of(sample, f"a/e{n}")]
        assert len(ids) == len(set(ids))
        assert set(ids) == {f"a/e{m}" for m, needed in reached if needed == n and m != n}


@given(GRAPHS)
def test_each_dependent_is_reached_by_the_shortest_path(graph: list[list[int]]) -> None:
    sample = registry(graph)
    for n in range(len(graph)):
        distances = {f"a/e{n}": 0}
        for entry in impact_of(sample, f"a/e{n}"):
            assert entry.distance == distances[entry.via] + 1
            assert entry.via in {f"a/e{needed}" for needed in graph[int(entry.id[3:])]}
            distances[entry.id] = entry.distance
        assert list(distances.values()) == sorted(distances.values())


def test_impact_level_depends_on_dependents_and_adaptability() -> None:
    assert [impact_level(0.5, count) for count in (0, 1, 2, 3, 9, 10)] == [
        "none",
        "low",
        "low",
        "medium",
        "medium",
        "high",
    ]
    assert [impact_level(adaptability, 1) for adaptability in (0.29, 0.3, 0.39, 0.4)] == [
        "high",
        "medium",
        "medium",
        "low",
    ]

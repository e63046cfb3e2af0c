"""Past commits as evidence about today's files, under any name they had."""

import tracemalloc

from sidecar.codebase.search import MAX_COMMIT_FILES, NEAREST_COMMITS, History
from tests.codebase.search.corpus import commit, history_of
from tests.support.cases import together


def test_similar_subjects_point_at_their_files() -> None:
    history = history_of(
        commit(3, "Feed the walrus", "zoo.py"),
        commit(2, "Hatching pelicans", "nest.py"),
        commit(1, "Begin", "zoo.py", "nest.py"),
    )
    found = history.similar_commits(["pelican"])
    assert found.nearest.keys() == found.weighted.keys() == {"nest.py"}
    assert history.similar_commits(["otter"]) == ({}, {})


def test_more_similar_commit_counts_more() -> None:
    history = history_of(
        commit(2, "Hatch a pelican", "both.py"), commit(1, "Hatch a plan for pens, doors and ropes", "one.py")
    )
    found = history.similar_commits(["hatch", "pelican"])
    assert found.nearest["both.py"] > found.nearest["one.py"]
    assert found.weighted["both.py"] > found.weighted["one.py"]


def test_commit_with_few_files_counts_more_for_each() -> None:
    history = history_of(commit(2, "pelican", "alone.py"), commit(1, "pelican", *(f"{n}.py" for n in range(9))))
    found = history.similar_commits(["pelican"])
    assert found.nearest["alone.py"] > found.nearest["0.py"]
    assert found.weighted["alone.py"] > found.weighted["0.py"]


def test_only_the_nearest_commits_count() -> None:
    history = history_of(*(commit(number, "pelican", f"{number}.py") for number in range(NEAREST_COMMITS + 5, 0, -1)))
    found = history.similar_commits(["pelican"])
    assert len(found.nearest) == NEAREST_COMMITS
    assert "1.py" not in found.nearest
    assert "1.py" in found.weighted


def test_rarer_word_weighs_more() -> None:
    history = history_of(
        commit(4, "walrus", "a.py"),
        commit(3, "walrus", "b.py"),
        commit(2, "walrus", "c.py"),
        commit(1, "otter", "d.py"),
    )
    found = history.similar_commits(["walrus", "otter"])
    assert found.nearest["d.py"] > found.nearest["a.py"]


def test_age_counts_the_commits_since_the_last_change() -> None:
    history = history_of(commit(3, "x", "a.py"), commit(2, "x"), commit(1, "x", "a.py", "b.py"))
    assert [history.age(path) for path in ("a.py", "b.py", "c.py")] == [0, 2, None]
    assert len(history) == 3


def test_recent_files_are_sorted_by_last_change_then_path() -> None:
    history = history_of(commit(3, "x", "c.py"), commit(2, "x", "b.py", "a.py"), commit(1, "x", "c.py", "d.py"))
    assert history.recent(9) == ["c.py", "a.py", "b.py", "d.py"]
    assert history.recent(2) == ["c.py", "a.py"]
    assert history.recent(0) == []


def test_files_that_often_change_together_score_higher() -> None:
    history = history_of(
        commit(4, "x", "a.py", "b.py"),
        commit(3, "x", "a.py", "b.py"),
        commit(2, "x", "a.py", "c.py"),
        commit(1, "x", "a.py"),
    )
    together = history.changed_together("a.py")
    assert together.keys() == {"b.py", "c.py"}
    assert 1 > together["b.py"] > together["c.py"] > 0
    assert history.changed_together("nowhere.py") == {}
    assert history_of(commit(1, "x", "a.py")).changed_together("a.py") == {}


def test_large_commit_counts_less_for_co_change() -> None:
    history = history_of(commit(2, "x", "a.py", "b.py"), commit(1, "x", "a.py", *(f"{n}.py" for n in range(20))))
    together = history.changed_together("a.py")
    assert together["b.py"] > together["0.py"]


def test_old_changes_count_less_than_recent_ones() -> None:
    between = [commit(number, "x", "z.py") for number in range(3_001, 1, -1)]
    history = history_of(commit(4_000, "x", "a.py", "new.py"), *between, commit(1, "x", "a.py", "old.py"))
    together = history.changed_together("a.py")
    assert together["old.py"] < together["new.py"] / 5


def test_changes_before_a_move_count_for_the_current_name() -> None:
    history = history_of(
        commit(4, "Feed", "c.py"),
        commit(3, "Move again", "c.py", moved=[("b.py", "c.py")]),
        commit(2, "Move", "b.py", moved=[("a.py", "b.py")]),
        commit(1, "Hatch a pelican", "a.py", "nest.py"),
    )
    assert history.similar_commits(["pelican"]).nearest.keys() == {"c.py", "nest.py"}
    assert history.changed_together("nest.py").keys() == {"c.py"}
    assert history.age("a.py") is history.age("b.py") is None
    assert history.recent(9) == ["c.py", "nest.py"]


def test_moves_in_a_too_large_commit_still_count() -> None:
    history = history_of(
        commit(2, "Move everything", moved=[("a.py", "src/a.py")]), commit(1, "Hatch a pelican", "a.py")
    )
    assert history.similar_commits(["pelican"]).nearest.keys() == {"src/a.py"}
    assert history.similar_commits(["everything"]) == ({}, {})
    assert MAX_COMMIT_FILES < 100


def test_reused_name_is_another_file() -> None:
    history = history_of(
        commit(3, "Begin anew", "a.py"),
        commit(2, "Move", "b.py", moved=[("a.py", "b.py")]),
        commit(1, "Hatch a pelican", "a.py"),
    )
    assert history.similar_commits(["pelican"]).nearest.keys() == {"b.py"}
    assert history.age("a.py") == 0


def test_files_that_swapped_names_have_their_own_history() -> None:
    history = history_of(
        commit(5, "Move", "b.py", moved=[("c.py", "b.py")]),
        commit(4, "Move", "a.py", moved=[("b.py", "a.py")]),
        commit(3, "Move", "c.py", moved=[("a.py", "c.py")]),
        commit(2, "Hatch a pelican", "a.py"),
        commit(1, "Feed the walrus", "b.py"),
    )
    assert history.similar_commits(["pelican"]).nearest.keys() == {"b.py"}
    assert history.similar_commits(["walrus"]).nearest.keys() == {"a.py"}


def test_restored_file_has_its_previous_history() -> None:
    history = history_of(
        commit(4, "Back", "a.py", moved=[("b.py", "a.py")]),
        commit(3, "Feed the walrus", "b.py"),
        commit(2, "Away", "b.py", moved=[("a.py", "b.py")]),
        commit(1, "Hatch a pelican", "a.py"),
    )
    found = history.similar_commits(["pelican", "walrus"])
    assert found.nearest.keys() == {"a.py"}
    assert found.weighted.keys() == {"a.py"}


def test_empty_history_has_no_evidence() -> None:
    history = History(())
    assert (len(history), history.recent(9), history.age("a.py")) == (0, [], None)
    assert history.similar_commits(["pelican"]) == ({}, {})
    assert history.changed_together("a.py") == {}


@together("subject", ["", "?!", "the of and", "\udcff\udcfe", "日本語"])
def test_unusual_subjects_are_handled(subject: str) -> None:
    history = history_of(commit(2, subject, "a.py"), commit(1, "pelican", "b.py"))
    assert history.similar_commits(["pelican"]).nearest.keys() == {"b.py"}
    assert history.age("a.py") == 0


def test_word_in_many_subjects_is_less_specific() -> None:
    history = history_of(
        commit(1, "fix the otter", "o.py"), *(commit(number, f"fix pelican{number}", "a.py") for number in range(2, 60))
    )
    term_specificity = history.term_specificity(["fix", "otter", "walrus"])
    assert 0 < term_specificity["fix"] < term_specificity["otter"] < 1
    assert "walrus" not in term_specificity
    assert History(()).term_specificity(["fix"]) == {}


def test_answers_of_earlier_heads_take_no_more_memory_with_each_commit() -> None:
    files = [f"till/file_{number}.py" for number in range(300)]
    commits = [
        commit(
            number,
            "Change",
            *{files[(number * 7 + number * number * 30 + 13 * place * place) % 300] for place in range(25)},
        )
        for number in range(600, 0, -1)
    ]
    sizes: list[int] = []
    tracemalloc.start()
    try:
        histories: list[History] = []
        for newest in range(6):
            histories.append(history_of(*commits[5 - newest :]))
            for path in files[::3]:
                assert len(histories[-1].changed_together(path)) > 9
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert sizes[-1] - sizes[2] < 1_000_000


def test_additions_to_a_folder_show_what_changes_with_another() -> None:
    names = [f"exporters/{name}.py" for name in ("csv", "json", "xml", "html", "pdf")]
    additions = [
        commit(10 + number, f"Add {name}", name, "registry.py", *(["docs.md"] if number % 2 else []))
        for number, name in enumerate(names)
    ]
    history = history_of(commit(30, "Fix csv", names[0], "reader.py"), *reversed(additions), commit(1, "Begin", "a.py"))
    found = history.changed_with_additions("exporters")
    assert (found.commits, dict(found.files)) == (5, {"registry.py": 5})
    assert history.folders_named("exporter") == ["exporters"]
    rules = [f"lib/{name}_rule.py" for name in ("space", "tab", "name", "type", "line", "length")]
    history = history_of(commit(1, "Begin", *rules, *(f"tests/test_{rule[4:]}" for rule in rules), "lib/main.py"))
    assert history.folders_named("rule") == ["lib"]
    assert history.folders_named("main") == []
    assert history.changed_with_additions("importers").files == {}
    assert history_of(*additions[:3]).changed_with_additions("exporters").files == {}

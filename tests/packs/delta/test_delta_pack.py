"""The delta pack as a pure function: full items, named items, and the empty delta."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase import ChangedFile, FileDiff, HeadMove, RepositoryState
from sidecar.core.clean_text import utf8_size
from sidecar.packs import (
    AnchorNews,
    Differences,
    PackItem,
    QueryRelevance,
    delta_items,
    recent_failures,
    render_block,
    session_has,
    task_list_items,
)
from sidecar.runs import NO_CONTENTS, DeliveredItem, FailingTests, SessionContents, entries
from tests.support.cases import together

DIFF = FileDiff("a.py", 1, 1, "@@ -1 +1 @@\n-x = 1\n+x = 2\n")
WHOLE = Differences({"a.py": DIFF}, {})


def state(*files: ChangedFile, head: str = "1" * 40, kind: str = "git") -> RepositoryState:
    assert kind in ("git", "folder")
    return RepositoryState(
        kind="git" if kind == "git" else "folder",
        root=Path("/repository"),
        prefix="",
        head=head if kind == "git" else None,
        branch="main" if kind == "git" else None,
        changed=files,
        changed_hash=str(files),
        proof="status",
    )


def changed(path: str = "a.py", content: str = "c", kind: str = "unstaged") -> ChangedFile:
    fields = {"path": path, "kind": kind, "code": " M", "content_hash": content, "original": None}
    return ChangedFile(**fields)  # pyrefly: ignore[bad-argument-type]


def items_of(
    now: RepositoryState,
    differences: Differences | None = WHOLE,
    known: SessionContents = NO_CONTENTS,
    *,
    moved: HeadMove | None = None,
    failing: tuple[FailingTests, ...] = (),
    rules: AnchorNews | None = None,
    sendable: int = 24_000,
) -> list[PackItem]:
    return delta_items(now, differences, known, moved, failing, (), rules, QueryRelevance({}), sendable)


def session_with(items: list[PackItem], head: str | None = None) -> SessionContents:
    """Return the contents of a session that received these items."""
    given_items = {item.key: DeliveredItem(item.key, item.entry, item.bytes) for item in items if not item.always_sent}
    return SessionContents(given_items, None, head, exists=True)


def text(items: list[PackItem]) -> str:
    return "\n".join(item.text for item in items)


def test_delivered_items_are_known_and_the_next_delta_is_empty() -> None:
    first = items_of(state(changed()))
    assert "+x = 2" in text(first)
    known = session_with(first)
    assert all(session_has(known, item) for item in items_of(state(changed()), known=known))
    assert not all(session_has(known, item) for item in items_of(state(changed(content="d")), known=known))


def test_a_late_difference_is_complete_in_the_next_call() -> None:
    late = items_of(state(changed()), None)
    assert "a.py" in text(late)
    assert "+x = 2" not in text(late)
    after = items_of(state(changed()), known=session_with(late))
    assert not any(session_has(session_with(late), item) for item in after if item.key != entries.INDEX)
    assert "+x = 2" in text(after)


def test_a_head_move_without_commits_is_repeated_with_them() -> None:
    before = session_with(items_of(state(head="1" * 40)), "1" * 40)
    late = items_of(state(head="2" * 40), None, before)
    assert "HEAD has moved" in text(late)
    moved = HeadMove(("2222222 Add tax",), ())
    after = items_of(state(head="2" * 40), WHOLE, session_with(late, "1" * 40), moved=moved)
    assert "Add tax" in text([item for item in after if not session_has(session_with(late), item)])


@pytest.mark.parametrize("differences", [WHOLE, None])
def test_a_secret_or_vendored_file_is_not_even_named(differences: Differences | None) -> None:
    hidden = [changed(path) for path in (".env", "id_rsa", "node_modules/x.js")]
    items = items_of(state(*hidden), differences)
    count = "changed, but not named (secret, or installed by a tool): 3 files"
    assert text(items) == "\n".join([text(items_of(state())), count])
    (less,) = (
        item for item in items_of(state(*hidden[:1]), differences, session_with(items)) if item.key == entries.UNNAMED
    )
    assert less.text.endswith(": 1 file, others than before")
    (none,) = (item for item in items_of(state(), differences, session_with(items)) if item.key == entries.UNNAMED)
    assert none.text.endswith("none any more")


def test_a_repeated_failure_is_not_new_and_a_new_streak_is() -> None:
    red = FailingTests("pytest", ("t::a",), "1 failed in 0.12s", "run-1")
    known = session_with(items_of(state(), failing=(red,)))
    slower = replace(red, excerpt="1 failed in 9.99s")
    assert all(
        session_has(known, item) for item in items_of(state(), known=known, failing=(slower,)) if not item.always_sent
    )
    again = items_of(state(), known=known, failing=(replace(red, run_id="run-9"),))
    assert not all(session_has(known, item) for item in again)


def test_unreadable_rules_are_not_reported_as_unchanged() -> None:
    known = session_with(items_of(state(), rules=AnchorNews(["now: x"])))
    assert "standing rules" not in text(items_of(state(), known=known, rules=None))
    assert "match the original again" in text(items_of(state(), known=known, rules=AnchorNews()))


def new_lines(items: list[PackItem], known: SessionContents, key: str) -> list[str]:
    """Return the lines of an item, unless the session has it."""
    return [
        line for item in items if item.key == key and not session_has(known, item) for line in item.text.split("\n")
    ]


def test_changed_rules_are_sent_once_each_and_all_again_when_one_of_them_is_outdated() -> None:
    known = session_with(items_of(state(), rules=AnchorNews(["now: a (x.md:1)"])))
    more = items_of(state(), known=known, rules=AnchorNews(["now: a (x.md:2)", "now: b"]))
    assert new_lines(more, known, entries.RULES) == ["The repository's rules and map have changed:", "  now: b"]
    known = session_with(more)
    assert (
        new_lines(items_of(state(), known=known, rules=AnchorNews(["now: b", "now: a (x.md:3)"])), known, entries.RULES)
        == []
    )
    fewer = items_of(state(), known=known, rules=AnchorNews(["now: b"]))
    heading = "The repository's rules and map have changed; all changes to those sent first:"
    assert new_lines(fewer, known, entries.RULES) == [heading, "  now: b"]


def test_what_was_not_ready_is_an_addition_and_sent_once() -> None:
    first = items_of(state(), rules=AnchorNews(late=["src/a → b"]))
    assert new_lines(first, NO_CONTENTS, entries.FACTS) == ["More about the repository:", "  src/a → b"]
    assert "have changed" not in text(first)
    known = session_with(first)
    more = items_of(state(), known=known, rules=AnchorNews(late=["src/a → b", "`pay`: Do not call twice."]))
    assert new_lines(more, known, entries.FACTS) == ["More about the repository:", "  `pay`: Do not call twice."]
    known = session_with(more)
    other = items_of(state(), known=known, rules=AnchorNews(late=["src/a → c"]))
    assert new_lines(other, known, entries.FACTS) == ["More about the repository, as it is now:", "  src/a → c"]


def test_a_delta_of_what_was_not_ready_alone_reports_no_change() -> None:
    late = [item for item in items_of(state(), rules=AnchorNews(late=["src/a → b"])) if item.key == entries.FACTS]
    changed = items_of(state(), rules=AnchorNews(["now: a (x.md:1)"]))
    assert "changed" not in render_block("delta", late, "").text
    assert "what changed since" in render_block("delta", [*late, *changed], "").text


@given(st.lists(st.text(max_size=400), max_size=80), st.integers(1_000, 42_000))
def test_items_stay_far_below_the_limit_and_lines_are_whole(lines: list[str], sendable: int) -> None:
    hunks = "@@ -1 +1 @@\n" + "".join(f"+{line.encode('utf-8', 'replace').decode()}\n" for line in lines)
    diff = FileDiff("a.py", len(lines), 0, hunks)
    new = Differences({"a.py": diff}, {"b.py": hunks})
    now = state(changed(), changed("b.py", kind="untracked"))
    for item in items_of(now, new, sendable=sendable):
        assert utf8_size(item.text) <= sendable // 2
        item.text.encode()
        assert all(len(line) <= 320 for line in item.text.split("\n"))


DAY_MS = 24 * 3_600_000


@pytest.mark.parametrize(
    ("days", "head", "is_reported"),
    [(1, "2" * 40, True), (3, "2" * 40, False), (3, "1" * 40, True), (15, "1" * 40, False)],
)
def test_a_failure_expires_in_days_after_a_head_move_and_else_in_weeks(
    days: int, head: str, *, is_reported: bool
) -> None:
    red = FailingTests("pytest", ("t::a",), "1 failed", "run-1", seen_at_ms=0, head="1" * 40, changed_hash="x")
    assert (recent_failures([red], state(head=head), days * DAY_MS) == [red]) == is_reported


def test_a_reordered_task_list_is_sent_whole() -> None:
    todos = (("one", "pending"), ("two", "pending"), ("three", "pending"))
    known = SessionContents(
        {entries.TODOS: DeliveredItem(entries.TODOS, entries.task_list_entry(todos), 0)}, None, None, exists=True
    )
    (item,) = task_list_items((todos[2], *todos[:2]), known)
    assert item.text.startswith("Task list:\n  [ ] three\n")
    (reopened,) = task_list_items((("one", "in_progress"), *todos[1:]), known)
    assert reopened.text.endswith(":\n  started: one")


def test_a_change_without_recorded_hunks_counts_as_known() -> None:
    first = items_of(state(changed()))
    older = {
        key: replace(item, entry=replace(item.entry, hunks=()))
        for key, item in session_with(first).items.items()
        if isinstance(item.entry, entries.ChangeEntry)
    }
    known = SessionContents(older, None, None, exists=True)
    assert all(
        session_has(known, item)
        for item in items_of(state(changed()), known=known)
        if item.key not in (entries.HEAD, entries.INDEX)
    )
    assert "+x = 2" in text(items_of(state(changed(content="d")), known=known))


def test_a_moved_and_a_deleted_folder_are_named_in_one_line_each() -> None:
    names = [f"{folder}/f{number}.py" for folder in ("", "/locale/de", "/locale/fr") for number in range(7)]
    moved = [changed(f"app/pages{name}", kind="renamed")._replace(original=f"app/flat{name}") for name in names]
    deleted = [changed(f"app/gis/db/g{number}.py", kind="deleted") for number in range(14)]
    diffs = {"app/pages/f1.py": FileDiff("app/pages/f1.py", 1, 1, "@@ -1 +1 @@\n-x = 1\n+x = 2\n")}
    now, new = state(changed(), *moved, *deleted), Differences(diffs, {})
    first = items_of(now, new)
    lines = text(first).split("\n")
    assert "moved: app/flat/ to app/pages/ (20 files)" in lines
    assert "deleted: 14 files below app/gis/db/" in lines
    assert "renamed: app/pages/f1.py (was app/flat/f1.py) +1 −1" in lines, "its content differs too"
    assert "unstaged: a.py" in text(first)
    unstaged = [line for line in lines if not line.startswith("staged for")]
    assert not any("app/pages/f2.py" in line or "g3.py" in line for line in unstaged)
    known = session_with(first)
    assert all(session_has(known, item) for item in items_of(now, new, known))
    more = items_of(state(changed(), *moved, *deleted, changed("app/gis/db/h.py", kind="deleted")), new, known)
    (news,) = [item.text for item in more if item.key == entries.MORE]
    assert "app/gis/db/h.py" in news
    assert "f2.py" not in news


@together(
    ("paths", "folders"),
    [
        ([f"a/b/{number}" for number in range(12)], ["a/b"]),
        ([f"a/b/{number}" for number in range(11)], []),
        ([*(f"a/b/{number}" for number in range(30)), "a/c/x"], ["a/b"]),
        ([*(f"a/b/{number}" for number in range(9)), *(f"a/c/{number}" for number in range(9))], ["a"]),
        ([f"{number}" for number in range(30)], []),
    ],
)
def test_a_deleted_folder_is_the_innermost_that_had_nearly_all_of_the_files(
    paths: list[str], folders: list[str]
) -> None:
    lines = text(items_of(state(*(changed(path, kind="deleted") for path in paths))))
    assert re.findall(r"^deleted: \d+ files below (.+)/$", lines, re.MULTILINE) == folders

"""The second chat: a failing and passing test, an API boundary, an abandoned approach, and a window that fills up."""

from __future__ import annotations

from session.scenario import File, Target, Turn, comment_of

MIGRATION = "migrations/0001_counts.sql"
_TABLE = """\
CREATE TABLE counts (
    name TEXT PRIMARY KEY,
    seen INTEGER NOT NULL DEFAULT 0
);
"""
TEST = "tests/test_kept_counts.py"
_TEST_TEXT = "def test_counts_are_kept() -> None:\n    assert sum((1, 1)) == 2\n"
_STEPS = ("Keep the counts in a table", "Make the failing test pass", "Answer repeated questions quickly")


def second_chat_turns(target: Target) -> list[Turn]:
    """Return the chat about a definition of the repository; at its end the sidecar asks for a fresh session."""
    cache = f"counts_cache{_suffix(target)}"
    name = f"`{target.name}`"
    return [
        Turn("claude", "agent", f"Keep what {name} counts in a table of the database.", 24_000, chat=2, fresh=True,
             creates=(File(MIGRATION, _TABLE), File(TEST, _TEST_TEXT)), failing=f"{TEST}::test_counts_are_kept",
             edit=target, note="reads its counts from the table", tests="failed",
             todos=_todos(0),
             text="I decided to keep the counts in a table because callers read them after a restart. One test fails"
                  " yet: they are gone after a restart."),
        Turn("claude", "agent", "Make that test pass.", 58_000, chat=2,
             edit=target, note="writes its counts before the end", tests="passed", todos=_todos(2),
             text="The test passes: the counts are written before the process ends."),
        Turn("claude", "agent", f"Callers of {name} ask for the same counts again and again. Make it fast.", 96_000,
             chat=2, creates=(File(cache, _cache_text(cache)),), todos=_todos(2),
             text="The counts now come from a cache beside the table."),
        Turn("claude", "agent", "Two processes see different counts now. Think again.", 152_000, chat=2,
             deletes=cache, edit=target, note="asks the table each time", tests="passed", todos=_todos(3),
             text="I abandoned the cache of counts because its entries went stale as soon as a second process wrote."
                  " The table answers each time instead."),
        Turn("claude", "agent", "Say in the code what the table promises.", 161_000, chat=2,
             edit=target, note="the table holds one row a name", text="It is said where the counts are read."),
        Turn("claude", "agent", "And who may write to it.", 168_000, chat=2,
             edit=target, note="one writer at a time", text="It is said there too."),
        Turn("claude", "agent", "Go on: make the counts readable for people.", 171_000, chat=2,
             edit=target, note="counts are written with separators", tests="passed", text="They are readable now."),
    ]  # fmt: skip


def _todos(done: int) -> tuple[tuple[str, str], ...]:
    return tuple((step, "completed" if number < done else "pending") for number, step in enumerate(_STEPS))


def _suffix(target: Target) -> str:
    return f".{target.path.rpartition('.')[2]}" if "." in target.path else ".txt"


def _cache_text(path: str) -> str:
    lines = ["counts that were asked for lately", *(f"entry {number} of twelve" for number in range(1, 13))]
    return "".join(f"{comment_of(path, line)}\n" for line in lines)

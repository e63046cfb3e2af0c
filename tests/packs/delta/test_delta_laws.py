"""For any history of a file, the deltas a session received add up to the current difference."""

import difflib
from collections.abc import Iterator
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase import ChangedFile, FileDiff, Hunk, RepositoryState, added_file_diff, split_hunks
from sidecar.core.digests import short_id
from sidecar.packs import Differences, PackItem, QueryRelevance, delta_items, session_has
from sidecar.runs import DeliveredItem, SessionContents, entries

LINES = st.lists(st.sampled_from([*"abcdefgh", "", "def f():"]), max_size=30)
EVENTS = st.sampled_from(("sent", "sent", "sent", "late", "lost", "own", "reverted"))
STEPS = st.lists(st.tuples(EVENTS, st.integers(0, 40), st.integers(0, 5), LINES), min_size=1, max_size=8)
PATH = "a.py"


class Session:
    """A provider session from its agent's view: the ledger, and the hunks it has really seen."""

    def __init__(self, base: list[str], *, is_new_file: bool) -> None:
        self.base = base
        self.is_new_file = is_new_file
        self.now = list(base)
        self.ledger: dict[str, DeliveredItem] = {}
        self.seen: set[str] = set()

    def text(self) -> str:
        if self.is_new_file:
            return added_file_diff("\n".join(self.now))
        lines = difflib.unified_diff(self.base, self.now, n=2, lineterm="")
        return "".join(f"{line}\n" for line in list(lines)[2:])

    def call(self, *, late: bool) -> list[PackItem]:
        """The items of a call that the ledger does not have."""
        text, changed = self.text(), self.change()
        state = RepositoryState("git", Path("/r"), "", "1" * 40, "main", (changed,) if text else (), text, "watch")
        diffs = {} if self.is_new_file else {PATH: FileDiff(PATH, 1, 1, text)}
        new_files = {PATH: "\n".join(self.now)} if self.is_new_file else {}
        known = SessionContents(self.ledger, None, "1" * 40, exists=True)
        differences = None if late else Differences(diffs, new_files)
        items = delta_items(state, differences, known, None, [], (), None, QueryRelevance({PATH: 1.0}), 1_000_000)
        return [item for item in items if not session_has(known, item)]

    def change(self) -> ChangedFile:
        kind, code = ("untracked", "??") if self.is_new_file else ("unstaged", ".M")
        return ChangedFile(PATH, kind, code, short_id(self.text()), None)

    def hunks(self) -> tuple[Hunk, ...]:
        return split_hunks(self.text())

    def take(self, items: list[PackItem]) -> None:
        """The items reach the session: the ledger has them, and the agent sees whole hunks in their lines."""
        for item in items:
            if not item.always_sent:
                self.ledger[item.key] = item.as_delivery()
            lines = item.text.split("\n")
            self.seen |= {hunk.hunk_id for hunk in self.hunks() if all(f"  {line}" in lines for line in hunk.lines)}

    def write(self) -> None:
        """The agent writes the file itself, as the capture after its run keeps it."""
        sent = entries.ChangeEntry(entries.change_digest(self.change()), entries.shown_hunks(self.hunks()))
        if self.text():
            self.ledger[entries.change_key(PATH)] = DeliveredItem(entries.change_key(PATH), sent, 0)
        self.seen |= {hunk.hunk_id for hunk in self.hunks()}


@given(base=LINES, steps=STEPS, is_new_file=st.booleans())
def test_earlier_and_current_deltas_add_up_to_the_whole_difference(
    base: list[str], steps: list[tuple[str, int, int, list[str]]], *, is_new_file: bool
) -> None:
    session = Session(base, is_new_file=is_new_file)
    for event, at, removed, added in steps:
        session.now[at : at + removed] = added
        for step in _calls(session, event, base):
            if step:
                assert {hunk.hunk_id for hunk in session.hunks()} <= session.seen
    items = session.call(late=False)
    session.take(items)
    assert {hunk.hunk_id for hunk in session.hunks()} <= session.seen
    assert all(item.always_sent for item in session.call(late=False))


def _calls(session: Session, event: str, base: list[str]) -> Iterator[bool]:
    """Play a step; yield whether the session has then seen everything."""
    match event:
        case "sent":
            session.take(session.call(late=False))
            yield True
        case "late":
            session.take(session.call(late=True))
            yield False
        case "lost":  # the run never reached the provider
            session.call(late=False)
            yield False
        case "own":
            session.write()
            yield True
        case _:
            session.now[:] = base
            session.take(session.call(late=False))
            yield True

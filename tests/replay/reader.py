"""Reads a file of recorded sessions; an invalid file fails with one sentence that names the line. Pure."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

import orjson
from pydantic import ValidationError

from tests.replay.recording import KINDS, MAIN, AddWorktree, End, Entry, Event, InRun, Pause, Prompt, Session, Step


class ReplayFailed(Exception):
    """A session cannot be played. The message is one sentence."""


class Line(NamedTuple):
    """An entry and its line number."""

    number: int
    entry: Entry


class Recorded(NamedTuple):
    """One session and its entries, in order."""

    session: Session
    lines: tuple[Line, ...]


def read_sessions(content: bytes) -> list[Recorded]:
    """Return the sessions of a file; raise ReplayFailed with the line of the first error."""
    sessions: list[Recorded] = []
    for session, lines in _divided(_lines(content)):
        if any(session.session == other.session.session for other in sessions):
            raise ReplayFailed(f"Two sessions are called {session.session!r}.")
        _check(session, lines)
        sessions.append(Recorded(session, tuple(lines)))
    if not sessions:
        raise ReplayFailed("There is no session in the file.")
    return sessions


def _lines(content: bytes) -> Iterator[Line]:
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            yield Line(number, _entry(number, line))


def _entry(number: int, line: bytes) -> Entry:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ReplayFailed(f"Line {number} is not JSON: {error}.") from error
    kinds = [kind for kind in KINDS if isinstance(value, dict) and kind in value]
    if len(kinds) != 1:
        found = f"has {' and '.join(kinds)}" if kinds else "has none"
        raise ReplayFailed(f"Line {number} {found}, where one of these says what happened: {', '.join(KINDS)}.")
    model = KINDS[kinds[0]]
    model.model_rebuild()
    try:
        return cast("Entry", model.model_validate_json(line, by_alias=True, by_name=False))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ReplayFailed(f"Line {number}, `{place}` of a {kinds[0]}: {first['msg']}.") from error


def _divided(lines: Iterable[Line]) -> Iterator[tuple[Session, list[Line]]]:
    session: Session | None = None
    own: list[Line] = []
    for line in lines:
        if isinstance(line.entry, Session):
            if session is not None:
                yield session, own
            session, own = line.entry, []
        elif session is None:
            raise ReplayFailed(f"Line {line.number} stands before the first session.")
        else:
            own.append(line)
    if session is not None:
        yield session, own


def _check(session: Session, lines: list[Line]) -> None:
    """Check that runs begin and end in turn, and that the agent's entries are within a run."""
    if not any(isinstance(line.entry, Prompt) for line in lines):
        raise ReplayFailed(f"There is no prompt in session {session.session!r}.")
    under_way: dict[str, int] = {}
    worktrees = {MAIN}
    for number, entry in lines:
        if isinstance(entry, Prompt):
            _require(entry.chat not in under_way, number, f"the run of {entry.chat!r} has not ended yet")
            _require(entry.worktree in worktrees, number, f"there is no worktree {entry.worktree!r} yet")
            under_way[entry.chat] = number
            continue
        if isinstance(entry, Step):
            _require(
                entry.worktree is None or entry.worktree in worktrees,
                number,
                f"there is no worktree {entry.worktree!r} yet",
            )
        if isinstance(entry, AddWorktree):
            _require(entry.add_worktree not in worktrees, number, f"there is a worktree {entry.add_worktree!r} already")
            worktrees.add(entry.add_worktree)
        if not isinstance(entry, (Event, Pause)):
            chat = chat_of(entry, list(under_way), number)
            _require(chat is not None or isinstance(entry, Step), number, "it stands in no run")
            if isinstance(entry, End):
                del under_way[cast("str", chat)]
    for number in under_way.values():
        raise ReplayFailed(f"Line {number}: the run does not end in session {session.session!r}.")


def chat_of(entry: Entry, under_way: list[str], number: int) -> str | None:
    """Return the chat whose run contains an entry; None for the user's entries. Raise ReplayFailed if unclear."""
    if not isinstance(entry, (End, InRun, Step)) or (isinstance(entry, Step) and entry.by == "user"):
        return None
    if entry.chat is not None:
        _require(entry.chat in under_way, number, f"no run of {entry.chat!r} is under way")
        return entry.chat
    _require(len(under_way) < 2, number, "several runs are under way, and `chat` does not say whose this is")
    return under_way[0] if under_way else None


def _require(holds: bool, number: int, what: str) -> None:
    if not holds:
        raise ReplayFailed(f"Line {number}: {what}.")

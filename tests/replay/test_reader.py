"""The format of recorded sessions, and the errors of invalid recordings."""

import re
from typing import Any

import orjson
import pytest

from tests.replay.reader import ReplayFailed, read_sessions
from tests.replay.recording import KINDS, Prompt, Session
from tests.support.cases import together

BEGIN: dict[str, Any] = {"session": "one", "repository": "till"}
RUN: tuple[dict[str, Any], ...] = ({"prompt": "hi"}, {"end": "completed"})


def lines(*entries: dict[str, Any]) -> bytes:
    return b"\n".join(orjson.dumps(entry) for entry in entries)


def test_a_session_has_its_lines_in_order_with_their_numbers() -> None:
    first, second = read_sessions(
        lines(BEGIN, {"prompt": "hi"}, {"read": "a.py"}, {"end": "completed"})
        + b"\n\n"
        + lines({"session": "two", "repository": "till", "kind": "iterative"}, {"prompt": ""}, {"end": "empty"})
    )
    assert [line.number for line in first.lines] == [2, 3, 4]
    assert isinstance(first.lines[0].entry, Prompt)
    assert second.session == Session(session="two", repository="till", kind="iterative")
    assert [line.number for line in second.lines] == [7, 8]


def test_every_kind_of_line_has_its_own_member() -> None:
    for kind, model in KINDS.items():
        members = {field.alias for field in model.model_fields.values()}
        assert members & KINDS.keys() == {kind}


@together(
    ("content", "sentence"),
    [
        (b"", "There is no session in the file."),
        (b"{", "Line 1 is not JSON: "),
        (b"[1]", "Line 1 has none, where one of these says what happened: session, prompt"),
        (lines({"prompt": "hi"}), "Line 1 stands before the first session."),
        (lines(BEGIN), "There is no prompt in session 'one'."),
        (lines(BEGIN, *RUN, BEGIN, *RUN), "Two sessions are called 'one'."),
        (lines({"session": "x"}), "Line 1, `repository` of a session: Field required."),
        (lines(BEGIN, {"read": "a", "write": "b"}), "Line 2 has read and write, where one of these"),
        (lines(BEGIN, {"prompt": "a", "colour": 1}), "Line 2, `colour` of a prompt: Extra inputs are not permitted."),
        (lines(BEGIN, {"switch": "--exec=sh"}), "Line 2, `switch` of a switch: "),
        (lines(BEGIN, {"prompt": "a"}), "Line 2: the run does not end in session 'one'."),
        (lines(BEGIN, {"prompt": "a"}, {"prompt": "b"}), "Line 3: the run of 'chat' has not ended yet."),
        (lines(BEGIN, {"end": "completed"}, *RUN), "Line 2: it stands in no run."),
        (lines(BEGIN, {"read": "a.py"}, *RUN), "Line 2: it stands in no run."),
        (lines(BEGIN, {"prompt": "a", "worktree": "b"}), "Line 2: there is no worktree 'b' yet."),
        (lines(BEGIN, {"write": "a", "text": "", "worktree": "b"}, *RUN), "Line 2: there is no worktree 'b' yet."),
        (lines(BEGIN, {"addWorktree": "main", "branch": "b"}, *RUN), "Line 2: there is a worktree 'main' already."),
        (
            lines(BEGIN, {"prompt": "a"}, {"prompt": "b", "chat": "2"}, {"end": "completed"}),
            "Line 4: several runs are under way, and `chat` does not say whose this is.",
        ),
        (
            lines(BEGIN, {"prompt": "a"}, {"end": "completed", "chat": "2"}),
            "Line 3: no run of '2' is under way.",
        ),
    ],
)
def test_an_invalid_recording_is_one_sentence_with_its_line(content: bytes, sentence: str) -> None:
    with pytest.raises(ReplayFailed, match=re.escape(sentence)):
        read_sessions(content)

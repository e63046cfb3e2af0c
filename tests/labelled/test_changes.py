"""The references to changes of direction and decisions are well-formed, and a recording can be played."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.labelled.changes import (
    CHANGE_COLUMNS,
    EVIDENCE,
    READ_COLUMNS,
    SECOND,
    RecordedFiles,
    digest_of,
    parse_turns,
    read_changes,
    read_conversations,
    sentence_hash,
    sentences,
)  # fmt: skip
from tests.labelled.corpus import hash_of, read_labels
from tests.labelled.evaluate_changes import main
from tests.labelled.turns import Hunk

DIFF = "```diff\n{}\n```"
CONVERSATION = f"""# Cache (2025-06-13 19:22:15)

_**User**_

add a cache to prices.py

---

_**Assistant**_

I add it to `prices.py`.

{DIFF.format("+ cache_of_prices = dict()")}

---

_**User**_

Drop the cache, it returns stale prices.

---

_**Assistant**_

Removed.

{DIFF.format("- cache_of_prices = dict()")}
"""


def test_every_row_names_a_turn_of_a_conversation_that_was_read_whole() -> None:
    turns = {(row.half, row.repository, row.commit, row.path): row.turns for row in read_conversations()}
    labels = read_changes()
    assert all(row.number <= turns[row.half, row.repository, row.commit, row.path] for row in labels)
    assert all(turn < row.number for row in labels for turn in row.removed_from)
    assert Counter((row.kind == "change", bool(row.evidence)) for row in labels).keys() <= {
        (True, True),
        (False, False),
    }


def test_the_rows_hold_references_only() -> None:
    labels = read_changes()
    assert {row.kind for row in labels} == {"change", "decision"}
    assert {row.evidence for row in labels} <= EVIDENCE
    assert {row.speaker for row in labels} <= {"user", "agent"}
    assert {row.second for row in labels} <= SECOND
    assert all(re.fullmatch(r"[0-9a-f]{64}", row.sha256) for row in labels)
    assert all(
        re.fullmatch(r"[0-9a-f]{64}" if not row.is_unclear else r"|[0-9a-f]{64}", row.sentence) for row in labels
    )
    assert max(Counter((row.repository, row.path, row.number, row.kind) for row in labels).values()) <= 3


def test_a_second_reading_is_of_a_conversation_that_was_read_twice() -> None:
    twice = {(row.repository, row.path) for row in read_conversations() if row.readings > 1}
    labels = read_changes()
    assert {(row.repository, row.path) for row in labels if row.second} <= twice
    assert all(row.is_unclear for row in labels if row.second in ("no", "only"))


def test_no_repository_is_in_both_halves() -> None:
    halves = {row.repository: row.half for row in read_labels()}
    for row in read_conversations():
        assert halves.setdefault(row.repository, row.half) == row.half


def test_a_recorded_edit_removes_the_lines_of_an_earlier_one() -> None:
    files = RecordedFiles()
    assert files.apply(Hunk("prices.py", (" import os", "+cache_of_prices = dict()"))) == []
    assert files.apply(Hunk("prices.py", ("-cache_of_prices = dict()", "-older_line = 1", "+rate = 1"))) == [
        "older_line = 1"
    ]
    assert files.files == {"prices.py": ["rate = 1"]}


def test_a_sentence_is_found_without_marks_and_code() -> None:
    text = "## **Plan**\n\nUse  SQLite. It needs no server.\n```py\nx = 1.5\n```"
    assert sentences(text) == ["Plan", "Use SQLite.", "It needs no server."]


def test_the_evaluation_plays_a_clone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changes, read = _clone(tmp_path)
    assert main([str(tmp_path), "--half", "judging"], changes, read) == 0
    shown = capsys.readouterr().out
    assert "2 turns of 1 conversations" in shown
    assert re.search(r"noticed, code of an earlier run went, recorded edits: [\d.]+ \[.*\] \([01] of 1\)", shown)


def test_a_missing_folder_is_reported_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changes, read = _clone(tmp_path)
    assert main([str(tmp_path / "absent")], changes, read) == 1
    assert capsys.readouterr().err.count("\n") == 1


def _clone(folder: Path) -> tuple[Path, Path]:
    """Write an invented conversation and its references; return the two tables."""
    (folder / "ann+shop").mkdir()
    talk = folder / "ann+shop" / "talk.md"
    talk.write_text(CONVERSATION, "utf-8")
    turns = parse_turns(talk)
    common = ("judging", "ann/shop", "0" * 40, "talk.md")
    sentence = sentence_hash("Drop the cache, it returns stale prices.")
    row = (*common, "2", hash_of(turns[1].prompt), "change", "user", sentence, "code", "1", "no", "")
    changes, read = folder / "changes.tsv", folder / "read.tsv"
    changes.write_text("".join("\t".join(cells) + "\n" for cells in (CHANGE_COLUMNS, row)), "utf-8")
    conversation = (*common, "2", "1", digest_of(turns))
    read.write_text("".join("\t".join(cells) + "\n" for cells in (READ_COLUMNS, conversation)), "utf-8")
    return changes, read


def test_the_labels_of_devlog_drafts_are_references_with_a_reading_or_two() -> None:
    header, *lines = (Path(__file__).parent / "devlogs.tsv").read_text("utf-8").splitlines()
    assert header.split("\t") == ["repository", "commit", "path", "number", "sha256", "label", "second"]
    rows = [line.split("\t") for line in lines]
    assert {len(row) for row in rows} == {7}
    assert all(re.fullmatch(r"[0-9a-f]{40}", row[1]) and re.fullmatch(r"[0-9a-f]{64}", row[4]) for row in rows)
    assert Counter((row[5], bool(row[6])) for row in rows) == {
        ("keep", True): 32, ("drop", True): 28, ("keep", False): 157, ("drop", False): 106,
    }  # fmt: skip
    assert {row[6] for row in rows} == {"keep", "drop", ""}
    assert not {row[0] for row in rows} & {row.repository for row in read_conversations()}


def test_the_labels_of_unread_drafts_are_references_in_one_half_each() -> None:
    header, *lines = (Path(__file__).parent / "devlogs_unread.tsv").read_text("utf-8").splitlines()
    assert header.split("\t") == ["half", "repository", "commit", "path", "number", "sha256", "label", "drafted_by"]
    rows = [line.split("\t") for line in lines]
    assert all(re.fullmatch(r"[0-9a-f]{40}", row[2]) and re.fullmatch(r"[0-9a-f]{64}", row[5]) for row in rows)
    assert Counter((row[0], row[6]) for row in rows) == {
        ("learning", "keep"): 26, ("learning", "drop"): 12, ("judging", "keep"): 53, ("judging", "drop"): 51,
    }  # fmt: skip
    assert {row[7] for row in rows} == {"earlier", "later", "both", "last"}
    halves = {name: {row[1] for row in rows if row[0] == name} for name in ("learning", "judging")}
    assert not halves["learning"] & halves["judging"]

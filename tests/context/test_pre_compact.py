"""`context/preCompact`: what a session knows is kept once, whoever tells it how often."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.context.chati_project import SESSION
from tests.support.client import Client
from tests.support.clock import FixedClock
from tests.support.repositories import Repository

Report = Callable[..., Any]
WORDS = {"messages": [{"author": "user", "text": "No, use pnpm instead of npm, the lockfile is pnpm's."}]}


@pytest.fixture
def active(client: Client) -> None:
    client.request("settings/update", {"settings": {"mode": "active"}})


@pytest.fixture
def report(client: Client, chati: Repository) -> Report:
    """Return a function that reports a compaction to a `context/…` method."""

    def report_compaction(verb: str = "preCompact", **params: Any) -> Any:
        params = {"cwd": str(chati.path), "sessionId": "s-1", "compactionId": "c-1", **params}
        return client.request(f"context/{verb}", {key: value for key, value in params.items() if value is not None})

    return report_compaction


def transcript(path: Path, *words: str, at: str = "2026-03-01T09:29:00Z") -> str:
    records = [{"type": "user", "timestamp": at, "message": {"role": "user", "content": text}} for text in words]
    with path.open("ab") as file:
        file.writelines(orjson.dumps(record) + b"\n" for record in records)
    return str(path)


@pytest.mark.usefixtures("active")
def test_a_repeated_pre_compact_has_the_same_result(report: Report, chati: Repository) -> None:
    first = report(summary=WORDS, progress="Half")
    files = {path: path.read_bytes() for path in (chati.path / ".chati").rglob("*.*") if path.is_file()}
    assert report(summary=WORDS, progress="Other") == {**first, "duplicate": True}
    assert {path: path.read_bytes() for path in files} == files
    assert (len(first["captured"]["added"]), first["compactions"], first["duplicate"]) == (1, 1, False)


@pytest.mark.usefixtures("active")
def test_repeated_content_of_one_session_is_not_new_evidence(report: Report, client: Client, chati: Repository) -> None:
    (stored,) = report(summary=WORDS)["captured"]["added"]
    for number in range(2, 7):
        assert report(summary=WORDS, compactionId=f"c-{number}")["captured"]["repeated"] == [stored]
    params = {"cwd": str(chati.path), "id": stored}
    assert client.request("memory/get", params)["evidence"] == 1
    report(summary=WORDS, sessionId="s-2")
    assert client.request("memory/get", params)["evidence"] == 2, "another session is"


@pytest.mark.usefixtures("active")
def test_pre_and_post_compact_count_the_compaction_once(report: Report) -> None:
    report()
    after = report("postCompact")
    assert (after["compactions"], after["duplicate"]) == (1, False)
    assert report("postCompact") == {**after, "duplicate": True}
    assert report("postCompact", compactionId=None)["compactions"] == 1
    assert report(compactionId="c-2")["compactions"] == 2


@pytest.mark.usefixtures("active")
def test_the_resume_point_is_saved_in_the_session_file_without_changing_other_bytes(
    report: Report, chati: Repository
) -> None:
    answer = report(task="Phase 2", progress="Half", pendingDecisions=["JWT?", "Which host?"])
    text = (chati.path / ".chati/session.yaml").read_text()
    assert answer["saved"]
    assert text == (
        f'{SESSION}session_task: "Phase 2"\nsession_progress: "Half"\n'
        'session_pending_decisions: "JWT?\\nWhich host?"\nsession_compactions: "1"\n'
        'session_saved_at: "2026-03-01T09:30:00.000Z"\n'
    )


@pytest.mark.usefixtures("active")
def test_without_a_session_file_the_resume_point_is_in_our_own_state(report: Report, chati: Repository) -> None:
    (chati.path / ".chati/session.yaml").unlink()
    assert not report(agent="brief", task="The cart", progress="Half", pendingDecisions=["JWT?"])["saved"]
    assert not (chati.path / ".chati/session.yaml").exists()
    after = report("postCompact")
    assert (after["context"]["data"]["task"], after["context"]["data"]["agent"]["name"]) == ("The cart", "brief")
    assert "> Half" in after["prompt"]
    assert "- JWT?" in after["prompt"]
    worn = report("continuation", compactionId=None, force=True)
    assert "> Half" in worn["prompt"]


@pytest.mark.usefixtures("active")
def test_values_sent_after_the_compaction_win_over_earlier_ones(report: Report) -> None:
    report(progress="Half", pendingDecisions=["JWT?"])
    after = report("postCompact", progress="All of it", pendingDecisions=[])
    assert "> All of it" in after["prompt"]
    assert "JWT?" not in after["prompt"]


@pytest.mark.parametrize("mode", ["passive", "off"])
def test_unless_the_mode_is_active_the_capture_is_suppressed_and_the_project_unchanged(
    client: Client, report: Report, chati: Repository, mode: str
) -> None:
    client.request("settings/update", {"settings": {"mode": mode}})
    before = {path: path.read_bytes() for path in (chati.path / ".chati").rglob("*") if path.is_file()}
    answer = report(summary=WORDS, progress="Half")
    assert (answer["captured"]["added"], answer["captured"]["suppressed"], answer["saved"]) == ([], 1, False)
    assert report(summary=WORDS)["duplicate"]
    assert {path: path.read_bytes() for path in (chati.path / ".chati").rglob("*") if path.is_file()} == before
    capture = client.request("memory/status", {"cwd": str(chati.path)})["capture"]
    assert (capture["suppressed"], capture["last"]["origin"]) == (1, "preCompact")
    assert "> Half" in report("postCompact")["prompt"]


@pytest.mark.usefixtures("active")
def test_a_transcript_is_read_from_the_last_capture_on(report: Report, clock: FixedClock, tmp_path: Path) -> None:
    path = transcript(tmp_path / "s.jsonl", "From now on, write the test first, please.")
    assert len(report(transcriptPath=path)["captured"]["added"]) == 1
    clock.advance(60_000)
    transcript(tmp_path / "s.jsonl", "Never edit the generated files by hand.", at="2026-03-01T09:30:30Z")
    later = report(transcriptPath=path, compactionId="c-2")
    assert (len(later["captured"]["added"]), later["captured"]["repeated"]) == (1, [])


@pytest.mark.usefixtures("active")
def test_without_an_id_the_transcripts_length_identifies_a_compaction(
    client: Client, report: Report, chati: Repository, tmp_path: Path
) -> None:
    path = transcript(tmp_path / "s.jsonl", "Go on.")
    first = report(compactionId=None, transcriptPath=path)
    assert first["compactionId"] == f"at-{Path(path).stat().st_size}"
    assert report(compactionId=None, transcriptPath=path)["duplicate"]
    transcript(tmp_path / "s.jsonl", "Go on.")
    assert report(compactionId=None, transcriptPath=path)["compactions"] == 2
    assert report("postCompact", compactionId=None)["compactions"] == 2
    unnamed = {"cwd": str(chati.path), "sessionId": "s-9"}
    for verb in ("preCompact", "postCompact"):
        assert client.error(f"context/{verb}", unnamed).code == -32602


@pytest.mark.usefixtures("active")
def test_a_missing_transcript_and_a_linked_memory_folder_are_warnings(
    report: Report, chati: Repository, tmp_path: Path
) -> None:
    answer = report(transcriptPath=str(tmp_path / "gone.jsonl"), summary=WORDS)
    assert (len(answer["captured"]["added"]), len(answer["warnings"])) == (1, 1)
    memories = chati.path / ".chati/memories"
    memories.rename(tmp_path / "elsewhere")
    memories.symlink_to(tmp_path / "elsewhere")
    linked = report(compactionId="c-2", summary=WORDS, progress="Half")
    assert (linked["captured"], linked["saved"], linked["compactions"]) == (None, True, 2)
    assert "is not captured" in linked["warnings"][0]
    memories.unlink()
    again = report(compactionId="c-2", summary=WORDS)
    assert (again["captured"]["paths"] != [], again["compactions"], again["duplicate"]) == (True, 2, False)


@pytest.mark.usefixtures("active")
def test_secrets_are_masked_in_the_session_file_and_the_continuation(report: Report, chati: Repository) -> None:
    token = "ghp_" + "a1B2" * 9
    report(progress=f"The token is {token}", pendingDecisions=[f"Keep {token}?"])
    assert token not in (chati.path / ".chati/session.yaml").read_text()
    assert token not in report("postCompact")["prompt"]


def test_an_unknown_token_is_refused_before_anything_is_stored(
    client: Client, chati: Repository, report: Report
) -> None:
    params = {"cwd": str(chati.path), "sessionId": "s-1", "compactionId": "c-1", "token": "made-up"}
    assert client.error("context/preCompact", params).code == -32014
    assert report()["compactions"] == 1


@pytest.mark.usefixtures("active")
def test_a_result_stored_by_an_earlier_version_is_computed_again(report: Report, state_dir: Path) -> None:
    report()
    with sqlite3.connect(state_dir / "continuity.db") as db:
        db.execute(
            "UPDATE continuity_context_resume_points SET value ="
            " CAST(replace(CAST(value AS TEXT), '\"saved\":', '\"formerly\":') AS BLOB)"
        )
    again = report()
    assert (again["compactions"], again["duplicate"]) == (1, False)
    assert report()["duplicate"]

"""`context/preCompact`: what a session knows is kept once, whoever tells it how often."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.context.chati_project import SESSION
from tests.support.client import Client
from tests.support.clock import FixedClock
from tests.support.repositories import Repository

Tell = Callable[..., Any]
WORDS = {"messages": [{"author": "user", "text": "No, use pnpm instead of npm, the lockfile is pnpm's."}]}


@pytest.fixture
def active(client: Client) -> None:
    client.request("settings/update", {"settings": {"mode": "active"}})


@pytest.fixture
def tell(client: Client, chati: Repository) -> Tell:
    """Asks `context/…` about a compaction."""

    def tell_one(verb: str = "preCompact", **params: Any) -> Any:
        told = {"cwd": str(chati.path), "sessionId": "s-1", "compactionId": "c-1", **params}
        return client.request(f"context/{verb}", {key: value for key, value in told.items() if value is not None})

    return tell_one


def transcript(path: Path, *words: str, at: str = "2026-03-01T09:29:00Z") -> str:
    records = [{"type": "user", "timestamp": at, "message": {"role": "user", "content": text}} for text in words]
    with path.open("ab") as file:
        file.writelines(orjson.dumps(one) + b"\n" for one in records)
    return str(path)


@pytest.mark.usefixtures("active")
def test_a_repeated_pre_compact_has_the_same_result(tell: Tell, chati: Repository) -> None:
    first = tell(digest=WORDS, progress="Half")
    files = {path: path.read_bytes() for path in (chati.path / ".chati").rglob("*.*") if path.is_file()}
    assert tell(digest=WORDS, progress="Other") == {**first, "duplicate": True}
    assert {path: path.read_bytes() for path in files} == files
    assert (len(first["captured"]["kept"]), first["compactions"], first["duplicate"]) == (1, 1, False)


@pytest.mark.usefixtures("active")
def test_repeated_content_of_one_session_is_not_new_evidence(tell: Tell, client: Client, chati: Repository) -> None:
    (kept,) = tell(digest=WORDS)["captured"]["kept"]
    for number in range(2, 7):
        assert tell(digest=WORDS, compactionId=f"c-{number}")["captured"]["repeated"] == [kept]
    asked = {"cwd": str(chati.path), "id": kept}
    assert client.request("memory/get", asked)["evidence"] == 1
    tell(digest=WORDS, sessionId="s-2")
    assert client.request("memory/get", asked)["evidence"] == 2, "another session is"


@pytest.mark.usefixtures("active")
def test_pre_and_post_compact_count_the_compaction_once(tell: Tell) -> None:
    tell()
    after = tell("postCompact")
    assert (after["compactions"], after["duplicate"]) == (1, False)
    assert tell("postCompact") == {**after, "duplicate": True}
    assert tell("postCompact", compactionId=None)["compactions"] == 1
    assert tell(compactionId="c-2")["compactions"] == 2


@pytest.mark.usefixtures("active")
def test_the_resume_point_is_saved_in_the_session_file_without_changing_other_bytes(
    tell: Tell, chati: Repository
) -> None:
    answer = tell(task="Phase 2", progress="Half", pendingDecisions=["JWT?", "Which host?"])
    text = (chati.path / ".chati/session.yaml").read_text()
    assert answer["saved"]
    assert text == (
        f'{SESSION}session_task: "Phase 2"\nsession_progress: "Half"\n'
        'session_pending_decisions: "JWT?\\nWhich host?"\nsession_compactions: "1"\n'
        'session_saved_at: "2026-03-01T09:30:00.000Z"\n'
    )


@pytest.mark.usefixtures("active")
def test_without_a_session_file_the_resume_point_is_in_our_own_state(tell: Tell, chati: Repository) -> None:
    (chati.path / ".chati/session.yaml").unlink()
    assert not tell(agent="brief", task="The cart", progress="Half", pendingDecisions=["JWT?"])["saved"]
    assert not (chati.path / ".chati/session.yaml").exists()
    after = tell("postCompact")
    assert (after["context"]["data"]["task"], after["context"]["data"]["agent"]["name"]) == ("The cart", "brief")
    assert "> Half" in after["prompt"]
    assert "- JWT?" in after["prompt"]
    worn = tell("continuation", compactionId=None, force=True)
    assert "> Half" in worn["prompt"]


@pytest.mark.usefixtures("active")
def test_values_sent_after_the_compaction_win_over_earlier_ones(tell: Tell) -> None:
    tell(progress="Half", pendingDecisions=["JWT?"])
    after = tell("postCompact", progress="All of it", pendingDecisions=[])
    assert "> All of it" in after["prompt"]
    assert "JWT?" not in after["prompt"]


@pytest.mark.parametrize("mode", ["passive", "off"])
def test_unless_the_mode_is_active_the_capture_is_suppressed_and_the_project_unchanged(
    client: Client, tell: Tell, chati: Repository, mode: str
) -> None:
    client.request("settings/update", {"settings": {"mode": mode}})
    before = {path: path.read_bytes() for path in (chati.path / ".chati").rglob("*") if path.is_file()}
    answer = tell(digest=WORDS, progress="Half")
    assert (answer["captured"]["kept"], answer["captured"]["withheld"], answer["saved"]) == ([], 1, False)
    assert tell(digest=WORDS)["duplicate"]
    assert {path: path.read_bytes() for path in (chati.path / ".chati").rglob("*") if path.is_file()} == before
    capture = client.request("memory/status", {"cwd": str(chati.path)})["capture"]
    assert (capture["withheld"], capture["last"]["origin"]) == (1, "preCompact")
    assert "> Half" in tell("postCompact")["prompt"]


@pytest.mark.usefixtures("active")
def test_a_transcript_is_read_from_the_last_capture_on(tell: Tell, clock: FixedClock, tmp_path: Path) -> None:
    path = transcript(tmp_path / "s.jsonl", "Always write the test first, please.")
    assert len(tell(transcriptPath=path)["captured"]["kept"]) == 1
    clock.advance(60_000)
    transcript(tmp_path / "s.jsonl", "Never edit the generated files by hand.", at="2026-03-01T09:30:30Z")
    later = tell(transcriptPath=path, compactionId="c-2")
    assert (len(later["captured"]["kept"]), later["captured"]["repeated"]) == (1, [])


@pytest.mark.usefixtures("active")
def test_without_an_id_the_transcripts_length_identifies_a_compaction(
    client: Client, tell: Tell, chati: Repository, tmp_path: Path
) -> None:
    path = transcript(tmp_path / "s.jsonl", "Go on.")
    first = tell(compactionId=None, transcriptPath=path)
    assert first["compactionId"] == f"at-{Path(path).stat().st_size}"
    assert tell(compactionId=None, transcriptPath=path)["duplicate"]
    transcript(tmp_path / "s.jsonl", "Go on.")
    assert tell(compactionId=None, transcriptPath=path)["compactions"] == 2
    assert tell("postCompact", compactionId=None)["compactions"] == 2
    unnamed = {"cwd": str(chati.path), "sessionId": "s-9"}
    for verb in ("preCompact", "postCompact"):
        assert client.error(f"context/{verb}", unnamed).code == -32602


@pytest.mark.usefixtures("active")
def test_a_missing_transcript_and_a_linked_memory_folder_are_warnings(
    tell: Tell, chati: Repository, tmp_path: Path
) -> None:
    answer = tell(transcriptPath=str(tmp_path / "gone.jsonl"), digest=WORDS)
    assert (len(answer["captured"]["kept"]), len(answer["warnings"])) == (1, 1)
    memories = chati.path / ".chati/memories"
    memories.rename(tmp_path / "elsewhere")
    memories.symlink_to(tmp_path / "elsewhere")
    linked = tell(compactionId="c-2", digest=WORDS, progress="Half")
    assert (linked["captured"], linked["saved"], linked["compactions"]) == (None, True, 2)
    assert "is not captured" in linked["warnings"][0]
    memories.unlink()
    again = tell(compactionId="c-2", digest=WORDS)
    assert (again["captured"]["paths"] != [], again["compactions"], again["duplicate"]) == (True, 2, False)


@pytest.mark.usefixtures("active")
def test_secrets_are_masked_in_the_session_file_and_the_continuation(tell: Tell, chati: Repository) -> None:
    token = "ghp_" + "a1B2" * 9
    tell(progress=f"The token is {token}", pendingDecisions=[f"Keep {token}?"])
    assert token not in (chati.path / ".chati/session.yaml").read_text()
    assert token not in tell("postCompact")["prompt"]


def test_an_unknown_token_is_refused_before_anything_is_stored(client: Client, chati: Repository, tell: Tell) -> None:
    asked = {"cwd": str(chati.path), "sessionId": "s-1", "compactionId": "c-1", "token": "made-up"}
    assert client.error("context/preCompact", asked).code == -32014
    assert tell()["compactions"] == 1

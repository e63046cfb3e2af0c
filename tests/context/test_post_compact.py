"""`context/postCompact`: a compacted session goes on where it stopped, and its compactions are counted once each."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.context.chati_project import SESSION
from tests.support.client import Client
from tests.support.conversation import Conversation
from tests.support.repositories import Repository
from tests.support.shop import send_session_event

HOT = "---\ntype: decision\nconfidence: 0.9\ntier: hot\n---\n# auth-pattern\n\nJWT was chosen.\n"


@pytest.fixture
def compacted(client: Client, chati: Repository) -> Callable[..., Any]:
    """Return a function that reports a finished compaction."""

    def post_compact(compaction_id: str = "c-1", **params: Any) -> Any:
        params = {"cwd": str(chati.path), "sessionId": "s-1", "compactionId": compaction_id, **params}
        return client.request("context/postCompact", params)

    return post_compact


def test_after_a_compaction_the_block_is_fresh_with_hot_memories_and_the_pipeline(
    compacted: Callable[..., Any], chati: Repository
) -> None:
    chati.write({".chati/memories/shared/durable/auth.md": HOT})
    answer = compacted(progress="Half of the questions")
    assert answer["context"]["bracket"] == "FRESH"
    assert answer["context"]["layers"] == ["L0", "L1", "L2", "L3", "L4"]
    assert answer["context"]["data"]["memory"]["text"] == "- auth-pattern: JWT was chosen."
    assert "greenfield-wu(95%) -> brief(in_progress, 45%)" in answer["prompt"]
    assert "> Half of the questions" in answer["prompt"]
    assert "JWT was chosen" not in answer["prompt"]
    assert (answer["compactions"], answer["restart"], answer["duplicate"]) == (1, False, False)


def test_a_repeated_post_compact_counts_once_with_the_same_result(compacted: Callable[..., Any]) -> None:
    first, second = compacted(), compacted()
    assert second == {**first, "duplicate": True}


def test_the_third_compaction_restarts_the_session(compacted: Callable[..., Any]) -> None:
    assert [compacted(f"c-{number}")["restart"] for number in (1, 2, 3)] == [False, False, True]
    assert compacted("c-4")["reasons"] == ["4 compactions in this session (limit: 3)"]
    assert compacted("c-1", sessionId="s-2")["compactions"] == 1


def test_a_score_drop_above_fifteen_percent_after_a_compaction_restarts_the_session(
    client: Client, compacted: Callable[..., Any], chati: Repository
) -> None:
    def score(value: float) -> Any:
        params = {"cwd": str(chati.path), "sessionId": "s-1", "score": value}
        return client.request("context/continuation", params)

    assert not score(90)["restart"]
    assert not score(50)["restart"]  # before a compaction a fall is none of its making
    score(90)
    compacted()
    assert not score(76.5)["restart"]
    assert score(76)["reasons"] == ["the agent's score fell by 15.6 % (limit: 15 %)"]
    other = {"cwd": str(chati.path), "sessionId": "s-1", "score": 20, "agent": "architect"}
    assert not client.request("context/continuation", other)["restart"]


def test_the_session_files_score_is_the_fallback(
    client: Client, compacted: Callable[..., Any], chati: Repository
) -> None:
    compacted()
    chati.write({".chati/session.yaml": SESSION.replace("score: 45", "score: 30")})
    answer = client.request("context/continuation", {"cwd": str(chati.path), "sessionId": "s-1"})
    assert (answer["counters"]["scoreBefore"], answer["counters"]["score"], answer["restart"]) == (45, 30, True)


def test_a_compaction_also_reported_as_an_event_counts_once(
    client: Client, compacted: Callable[..., Any], chati: Repository
) -> None:
    chat = Conversation(client, chati.path)
    chat.turn("rename the cart", session="s-1")
    params = {"cwd": str(chati.path), "sessionId": "s-1"}

    def compactions() -> int:
        return int(client.request("context/continuation", params)["counters"]["compactions"])

    send_session_event(chat, "compacted", "s-1")
    assert compactions() == 1
    assert compacted("c-1")["compactions"] == 1
    assert compacted("c-2")["compactions"] == 2
    send_session_event(chat, "compacted", "s-1")
    assert compactions() == 2
    send_session_event(chat, "compacted", "s-1")
    assert compactions() == 3


def test_nothing_is_written_into_the_project(compacted: Callable[..., Any], chati: Repository) -> None:
    before = sorted(path for path in chati.path.rglob("*") if ".git" not in path.parts)
    compacted()
    assert sorted(path for path in chati.path.rglob("*") if ".git" not in path.parts) == before

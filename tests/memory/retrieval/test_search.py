"""Memories found through the RPC: by what they say, told at three levels, within reach only, each score explained."""

import math

import pytest

from tests.support.memory_project import Memories


def test_a_question_finds_its_answer_and_explains_the_score(memories: Memories) -> None:
    ask = memories.ask
    ask("add", title="JWT, not sessions", text="A stateless API needs no session store.", type="decision")
    ask("add", title="Receipts", text="The thermal printer wants CP437.", type="gotcha")
    found = ask("search", query="Why did we choose JWT?")
    assert [one["title"] for one in found["memories"]] == ["JWT, not sessions"]
    best = found["memories"][0]
    assert best["text"] is None
    assert best["score"] == pytest.approx(math.prod(best["factors"].values()), abs=1e-5)
    assert best["reasons"]
    assert ask("get", id=best["id"])["accessCount"] == 0, "a search counts as no access"


def test_a_users_edit_is_found_immediately(memories: Memories) -> None:
    ask = memories.ask
    added = ask("add", title="Queue", text="Jobs run on Redis.")
    path = memories.project / added["path"]
    path.write_text(path.read_text().replace("Redis", "PostgreSQL"))
    assert [one["id"] for one in ask("search", query="PostgreSQL jobs")["memories"]] == [added["id"]]
    assert ask("search", query="Redis")["memories"] == []


def test_a_token_budget_is_never_exceeded_and_omissions_are_counted(memories: Memories) -> None:
    ask = memories.ask
    for number in range(8):
        ask("add", title=f"Deploy {number}", text=f"Deploys of service {number} go through the canary. " * 4)
    found = ask("search", query="canary deploys", level="full", tokenBudget=150)
    assert 0 < found["renderedTokens"] <= 150
    assert found["omitted"] == 8 - len(found["memories"])
    assert found["renderedTokens"] == sum(one["renderedTokens"] for one in found["memories"])


def test_a_long_memory_is_reduced_to_the_lines_relevant_to_the_question(memories: Memories) -> None:
    ask = memories.ask
    filler = [f"Line {number} tells of something else at some length." for number in range(60)]
    text = "\n".join(["# Context", "The API grew.", *filler[:30], "The limiter counts per API key.", *filler[30:]])
    ask("add", title="Rate limiter", text=text)
    best = ask("search", query="what does the limiter count by?", level="chunks")["memories"][0]
    assert "The limiter counts per API key." in best["text"]
    assert "The API grew." in best["text"]
    assert not best["complete"]
    assert best["renderedTokens"] <= 230
    assert set(best["text"].splitlines()) <= set(text.splitlines()), "whole lines, as they were worded"
    assert ask("search", query="limiter", level="full")["memories"][0]["text"] == text


def test_the_task_replaces_a_missing_query_and_one_of_them_is_required(memories: Memories) -> None:
    ask = memories.ask
    ask("add", title="Cents", text="Amounts are integers of cents.")
    assert ask("search", task="Round the amounts on the receipt")["memories"][0]["title"] == "Cents"
    assert "query is empty" in memories.refused("search").message
    assert "not a valid time" in memories.refused("search", query="cents", since="yesterday").message


def test_every_filter_applies(memories: Memories) -> None:
    ask = memories.ask
    ask("add", title="Cache one", text="The cache expires hourly.", type="decision", tags=["cache"])
    ask("add", title="Cache two", text="The cache must be warmed.", type="gotcha")
    titles = [one["title"] for one in ask("search", query="cache", types=["gotcha"])["memories"]]
    assert titles == ["Cache two"]
    assert [one["title"] for one in ask("search", query="cache", tags=["CACHE"])["memories"]] == ["Cache one"]
    assert [one["title"] for one in ask("search", query="cache", sectors=["reflective"])["memories"]] == ["Cache two"]
    assert ask("search", query="cache", since="2026-03-02T00:00:00Z")["memories"] == []


def test_private_memories_are_found_only_by_their_agent_and_affect_no_other_score(memories: Memories) -> None:
    memories.add("The queue retries three times.", title="Retries")
    memories.add("A queue of letters.", title="Letters")
    before = memories.ask("search", query="how often does the queue retry")
    architect = memories.as_agent("architect")
    for number in range(5):
        architect.add(f"Retry queue {number} is to go away.", owner="architect", title=f"Secret {number}")
    titles = [one["title"] for one in architect.ask("search", query="queue retry")["memories"]]
    assert {"Secret 0", "Retries"} <= set(titles)
    for stranger in (memories, memories.as_agent("orchestrator")):
        assert stranger.ask("search", query="how often does the queue retry") == before
    assert memories.ask("search", query="how often does the queue retry", agent="brief")["memories"]


def test_preferred_sectors_rank_first_among_equals(memories: Memories) -> None:
    memories.add("Migrations run before the deploy.", title="Episode", type="episodic")
    memories.add("Migrations run before the deploy!", title="Procedure", type="procedural")
    titles = [one["title"] for one in memories.ask("search", query="migrations deploy", agent="dev")["memories"]]
    assert titles == ["Procedure", "Episode"]
    titles = [one["title"] for one in memories.ask("search", query="migrations deploy", agent="brief")["memories"]]
    assert titles == ["Episode", "Procedure"]


def test_words_of_any_script_and_parts_of_identifiers_are_found(memories: Memories) -> None:
    memories.add("Use parseJsonStrict for webhooks.", title="Parsing")
    memories.add("認証はJWTを使用する。", title="Auth")
    memories.add("A migração do banco usa transações.", title="Banco")
    for query, title in (("strict json", "Parsing"), ("認証", "Auth"), ("migracao transacao", "Banco")):
        assert memories.ask("search", query=query)["memories"][0]["title"] == title


def test_an_index_without_term_counts_is_rebuilt(memories: Memories) -> None:
    memories.add("The limiter counts per key.")
    memories.ask("rebuild")
    kept = "SELECT owner, term, entries FROM continuity_memory_term_counts ORDER BY 1, 2"
    before = memories.rows(kept)
    assert ("shared", "", 1) in before
    added = memories.add("Another limiter.")
    memories.ask("delete", id=added["id"])
    assert memories.rows(kept) == before, "what goes takes its words along"

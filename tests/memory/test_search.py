"""Search through the RPC: by content, at three levels, within reach only, with explained scores."""

import math

import pytest

from tests.support.memory_project import Memories


def test_a_question_finds_its_answer_and_explains_the_score(memories: Memories) -> None:
    call = memories.ask
    call("add", title="JWT, not sessions", text="A stateless API needs no session store.", type="decision")
    call("add", title="Receipts", text="The thermal printer wants CP437.", type="gotcha")
    result = call("search", query="Why did we choose JWT?")
    assert [memory["title"] for memory in result["memories"]] == ["JWT, not sessions"]
    best = result["memories"][0]
    assert best["text"] is None
    assert best["score"] == pytest.approx(math.prod(best["factors"].values()), abs=1e-5)
    assert best["reasons"]
    assert call("get", id=best["id"])["accessCount"] == 0, "a search counts as no access"


def test_a_users_edit_is_found_immediately(memories: Memories) -> None:
    call = memories.ask
    added = call("add", title="Queue", text="Jobs run on Redis.")
    path = memories.project / added["path"]
    path.write_text(path.read_text().replace("Redis", "PostgreSQL"))
    assert [memory["id"] for memory in call("search", query="PostgreSQL jobs")["memories"]] == [added["id"]]
    assert call("search", query="Redis")["memories"] == []


def test_a_token_budget_is_never_exceeded_and_omissions_are_counted(memories: Memories) -> None:
    call = memories.ask
    for number in range(8):
        call("add", title=f"Deploy {number}", text=f"Deploys of service {number} go through the canary. " * 4)
    result = call("search", query="canary deploys", level="full", tokenBudget=150)
    assert 0 < result["renderedTokens"] <= 150
    assert result["omitted"] == 8 - len(result["memories"])
    assert result["renderedTokens"] == sum(memory["renderedTokens"] for memory in result["memories"])


def test_a_long_memory_is_reduced_to_the_lines_relevant_to_the_question(memories: Memories) -> None:
    call = memories.ask
    filler = [f"Line {number} tells of something else at some length." for number in range(60)]
    text = "\n".join(["# Context", "The API grew.", *filler[:30], "The limiter counts per API key.", *filler[30:]])
    call("add", title="Rate limiter", text=text)
    best = call("search", query="what does the limiter count by?", level="chunks")["memories"][0]
    assert "The limiter counts per API key." in best["text"]
    assert "The API grew." in best["text"]
    assert not best["complete"]
    assert best["renderedTokens"] <= 230
    assert set(best["text"].splitlines()) <= set(text.splitlines()), "whole lines, as they were worded"
    assert call("search", query="limiter", level="full")["memories"][0]["text"] == text


def test_the_task_replaces_a_missing_query_and_one_of_them_is_required(memories: Memories) -> None:
    call = memories.ask
    call("add", title="Cents", text="Amounts are integers of cents.")
    assert call("search", task="Round the amounts on the receipt")["memories"][0]["title"] == "Cents"
    assert "query is empty" in memories.refused("search").message
    assert "not a valid time" in memories.refused("search", query="cents", since="yesterday").message


def test_every_filter_applies(memories: Memories) -> None:
    call = memories.ask
    call("add", title="Cache one", text="The cache expires hourly.", type="decision", tags=["cache"])
    call("add", title="Cache two", text="The cache must be warmed.", type="gotcha")
    titles = [memory["title"] for memory in call("search", query="cache", types=["gotcha"])["memories"]]
    assert titles == ["Cache two"]
    assert [memory["title"] for memory in call("search", query="cache", tags=["CACHE"])["memories"]] == ["Cache one"]
    assert [memory["title"] for memory in call("search", query="cache", sectors=["reflective"])["memories"]] == [
        "Cache two"
    ]
    assert call("search", query="cache", since="2026-03-02T00:00:00Z")["memories"] == []


def test_private_memories_are_found_only_by_their_agent_and_affect_no_other_score(memories: Memories) -> None:
    memories.add("The queue retries three times.", title="Retries")
    memories.add("A queue of letters.", title="Letters")
    before = memories.ask("search", query="how often does the queue retry")
    architect = memories.as_agent("architect")
    for number in range(5):
        architect.add(f"Retry queue {number} is to go away.", owner="architect", title=f"Secret {number}")
    titles = [memory["title"] for memory in architect.ask("search", query="queue retry")["memories"]]
    assert {"Secret 0", "Retries"} <= set(titles)
    for stranger in (memories, memories.as_agent("orchestrator")):
        assert stranger.ask("search", query="how often does the queue retry") == before
    assert memories.ask("search", query="how often does the queue retry", agent="brief")["memories"]


def test_preferred_sectors_rank_first_among_equals(memories: Memories) -> None:
    memories.add("Migrations run before the deploy.", title="Episode", type="episodic")
    memories.add("Migrations run before the deploy!", title="Procedure", type="procedural")
    titles = [memory["title"] for memory in memories.ask("search", query="migrations deploy", agent="dev")["memories"]]
    assert titles == ["Procedure", "Episode"]
    titles = [
        memory["title"] for memory in memories.ask("search", query="migrations deploy", agent="brief")["memories"]
    ]
    assert titles == ["Episode", "Procedure"]


DAYS = {
    "January": "2026-01-31T23:59:59.999Z", "1 Feb": "2026-02-01T00:00:00Z", "9 Feb": "2026-02-09T23:59:59.999Z",
    "10 Feb": "2026-02-10T00:00:00Z", "10 Feb, late": "2026-02-10T23:59:59.999Z",
    "15 Feb, late": "2026-02-15T23:59:59.999Z", "16 Feb": "2026-02-16T00:00:00Z",
    "22 Feb, late": "2026-02-22T23:59:59.999Z", "23 Feb": "2026-02-23T00:00:00Z",
    "28 Feb, late": "2026-02-28T23:59:59.999Z", "today": "2026-03-01T00:00:00Z",
    "a year ago": "2025-03-01T23:59:59.999Z", "the day after": "2025-03-02T00:00:00Z",
}  # fmt: skip
"""When memories were stored; today is Sunday, 1 March 2026."""


FOUND = {
    "What broke on February 10?": ["10 Feb", "10 Feb, late", "15 Feb, late"],
    "What broke in February?": list(DAYS)[1:10],
    "What broke last month?": list(DAYS)[1:10],
    "What broke on March 1?": ["today"],
    "What broke on March 2?": ["the day after"],
    "What broke today?": ["today"],
    "What broke yesterday?": ["28 Feb, late", "today"],
    "What broke this week?": ["23 Feb", "28 Feb, late", "today"],
    "What broke last week?": ["16 Feb", "22 Feb, late"],
    "What broke last year?": ["a year ago", "the day after"],
}


def test_a_question_finds_memories_of_the_time_it_names_and_of_five_days_after_a_single_day(memories: Memories) -> None:
    for number, at in enumerate(DAYS.values()):
        facts = f"id: mem-2026-02-01-{number:03}\ntype: episodic\ncreated_at: {at}"
        memories.write(f"shared/durable/{number}.md", f"---\n{facts}\n---\n\n# Note {chr(97 + number)}\n\nA note.\n")
    found = {
        question: sorted(memory["id"] for memory in memories.ask("search", query=question, limit=100)["memories"])
        for question in FOUND
    }
    names = list(DAYS)
    assert {question: [names[int(memory[-3:])] for memory in ids] for question, ids in found.items()} == FOUND


def test_words_of_any_script_and_parts_of_identifiers_are_found(memories: Memories) -> None:
    memories.add("Use parseJsonStrict for webhooks.", title="Parsing")
    memories.add("認証はJWTを使用する。", title="Auth")
    memories.add("A migração do banco usa transações.", title="Banco")
    for query, title in (("strict json", "Parsing"), ("認証", "Auth"), ("migracao transacao", "Banco")):
        assert memories.ask("search", query=query)["memories"][0]["title"] == title


def test_an_index_without_term_counts_is_rebuilt(memories: Memories) -> None:
    memories.add("The limiter counts per key.")
    memories.ask("rebuild")
    query = "SELECT owner, term, entries FROM continuity_memory_term_counts ORDER BY 1, 2"
    before = memories.rows(query)
    assert ("shared", "", 1) in before
    added = memories.add("Another limiter.")
    memories.ask("delete", id=added["id"])
    assert memories.rows(query) == before, "what goes takes its words along"

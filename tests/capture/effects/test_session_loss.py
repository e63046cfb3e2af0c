"""A session that lost its content receives everything again: after a slash command, or a compaction during a run."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from sidecar.capture.effects import Loss, compacted_since, loss_by_prompt
from sidecar.transcripts import MAX_TAIL_BYTES, read_tail
from tests.support.cases import together
from tests.support.conversation import Conversation, kinds, sent
from tests.support.shop import PROMPT, StartChat, send_session_event, text_of

CLAUDE = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}}
SUMMARY = {"type": "user", "isCompactSummary": True, "message": {"content": "This session is being continued."}}
CODEX = {"type": "compacted", "payload": {"message": ""}}
CODEX_EVENT = {"type": "event_msg", "payload": {"type": "context_compacted"}}
DURING = "2026-03-01T09:30:30.000Z"
BEFORE = "2026-03-01T09:29:59.000Z"


def command(chat: Conversation, prompt: str, *, session: str = "session", **post: Any) -> Any:
    """Plays a run of a slash command."""
    before = chat.pre_run(prompt)
    chat.post_run(before, prompt, session=session, **post)
    return before


def transcript_of(folder: Path, *records: Any) -> str:
    path = folder / "session.jsonl"
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
    return str(path)


def compacted(path: str, since_ms: int) -> bool:
    found = read_tail(path, since_ms)
    assert found is not None
    return compacted_since(found, since_ms)


@pytest.mark.parametrize("prompt", ["/compact", "  /compact keep the plan\n", "/clear"])
def test_after_a_slash_command_that_clears_the_session_everything_is_sent_again(
    start_chat: StartChat, prompt: str
) -> None:
    for outcome in ("completed", "aborted", "error", "empty"):
        chat = start_chat(sub_chat_id=outcome)
        first = chat.turn(PROMPT, session=outcome)
        command(chat, prompt, session=outcome, outcome=outcome)
        again = chat.pre_run("and now fix it")
        assert kinds(again) == ["context", "delta"], outcome
        assert "apply_discount" in text_of(again, "context")
        assert sent(again).startswith(first["system"]["text"])


def test_a_compacted_codex_session_receives_its_anchor_again(start_chat: StartChat) -> None:
    chat = start_chat("codex")
    first = chat.turn(PROMPT)
    command(chat, "/compact")
    again = chat.pre_run(PROMPT)
    assert kinds(again) == ["anchor", "context", "delta"]
    assert sent(again) == sent(first)


def test_a_compacted_claude_session_keeps_its_system_text_and_receives_the_rest_again(
    start_chat: StartChat,
) -> None:
    chat = start_chat()
    first = chat.turn(PROMPT)
    (chat.cwd / "AGENTS.md").write_text("- Always round up.\n", encoding="utf-8")
    chat.turn("and now fix it")
    command(chat, "/compact")
    again = chat.pre_run("and now fix it")
    assert again["system"] == first["system"]
    assert again["metadata"]["reusedBytes"] == len(first["system"]["text"].encode())
    assert "now: Always round up." in text_of(again, "delta")


def test_a_session_with_a_new_id_after_a_compaction_has_only_its_system_text(
    start_chat: StartChat,
) -> None:
    chat = start_chat()
    first = chat.turn(PROMPT)
    command(chat, "/compact", session="another")
    again = chat.pre_run(PROMPT)
    assert kinds(again) == ["context", "delta"]
    assert again["system"] == first["system"]


def test_a_command_that_never_started_loses_nothing(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    command(chat, "/compact", outcome="notStarted")
    assert kinds(chat.pre_run("and now fix it")) == []


def test_after_a_compaction_during_a_run_everything_is_sent_again(start_chat: StartChat, tmp_path: Path) -> None:
    records = {"claude": CLAUDE, "claude's summary": SUMMARY, "codex": CODEX, "codex event": CODEX_EVENT}
    for name, record in records.items():
        chat = start_chat(sub_chat_id=name)
        first = chat.turn(PROMPT, session=name)
        path = transcript_of(tmp_path, {"type": "user", "timestamp": BEFORE}, {**record, "timestamp": DURING})
        chat.turn("and now fix it", session=name, transcriptPath=path)
        again = chat.pre_run(PROMPT)
        assert kinds(again) == ["context", "delta"], name
        assert again["system"] == first["system"], name


def test_records_other_than_a_compaction_of_this_run_lose_nothing(start_chat: StartChat, tmp_path: Path) -> None:
    quoted = {"type": "user", "timestamp": DURING, "message": {"content": orjson.dumps(CLAUDE).decode()}}
    records: dict[str, dict[str, Any]] = {
        "of an earlier run": {**CLAUDE, "timestamp": BEFORE},
        "a subagent's": {**CLAUDE, "timestamp": DURING, "isSidechain": True},
        "quoted": quoted,
        "deeper": {"type": "assistant", "timestamp": DURING, "message": CLAUDE},
    }
    for name, record in records.items():
        chat = start_chat(sub_chat_id=name)
        chat.turn(PROMPT, session=name)
        chat.turn("and now fix it", session=name, transcriptPath=transcript_of(tmp_path, record, record))
        assert kinds(chat.pre_run("and now fix it")) == [], name


def test_an_unreadable_transcript_loses_nothing(start_chat: StartChat, tmp_path: Path) -> None:
    chat = start_chat()
    chat.turn(PROMPT, transcriptPath=str(tmp_path))
    chat.turn("and now fix it", transcriptPath=str(tmp_path / "nowhere"))
    assert kinds(chat.pre_run("and now fix it")) == []


def test_only_the_end_of_a_huge_transcript_is_read_and_an_unread_part_counts_as_compacted(tmp_path: Path) -> None:
    first = {"type": "user", "timestamp": BEFORE}
    filling = {"type": "user", "timestamp": DURING, "text": "x" * (MAX_TAIL_BYTES // 50)}
    since_ms = 1_772_357_400_000
    assert compacted(transcript_of(tmp_path, first, *[filling] * 40), since_ms) is False
    path = transcript_of(tmp_path, first, *[filling] * 51)
    assert compacted(path, since_ms) is True
    assert compacted(path, since_ms + 30_000) is False


def test_damaged_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    lines = [b"", b"compact", b'"compact"', b"[]", b'{"type": "compacted"', b'{"compact": "\\ud800"}', b"\xffcompact"]
    path.write_bytes(b"\n".join([*lines, b""]))
    assert compacted(str(path), 0) is False
    path.write_bytes(b"\n".join([*lines, b'{"type": "compacted", "timestamp": "soon"}', b""]))
    assert compacted(str(path), 0) is True


@together("prompt", ["", " ", "compact", "/compacted", "please /compact", "/review"])
def test_other_prompts_lose_nothing(prompt: str) -> None:
    assert loss_by_prompt(prompt) is Loss.NOTHING


@pytest.mark.parametrize("session_id", ["session", None])
def test_a_compaction_event_leaves_the_system_text_unchanged(start_chat: StartChat, session_id: str | None) -> None:
    chat = start_chat()
    first = chat.turn(PROMPT)
    (chat.cwd / "AGENTS.md").write_text("- Always round up.\n", encoding="utf-8")
    send_session_event(chat, "compacted", session_id)
    again = chat.pre_run(PROMPT)
    assert again["system"] == first["system"]
    assert kinds(again) == ["context", "delta"]
    assert "now: Always round up." in text_of(again, "delta")

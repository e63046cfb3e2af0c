"""The agent's text in events too long to be parsed as a whole."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.ralph.agent import LINE_BYTES, LongEventText, OutputParser, PromiseSearch
from tests.support.cases import together

PROMISE = "<promise>COMPLETE</promise>"
TEXTS = st.text(st.sampled_from('a"\\/\n\t<>é漢😀\x01') | st.characters(exclude_categories=["Cs"]), max_size=40)

HEAD = '{"type": "assistant", "message": {"content": [{"type": "text", "text": "'
"""Minimum length of the first piece; real ones have megabytes."""


def read(line: bytes, first: int, lengths: list[int]) -> str:
    long = LongEventText()
    text = long.feed(line[:first])
    line = line[first:]
    for length in lengths:
        text += long.feed(line[:length])
        line = line[length:]
    return text + long.feed(line)


@given(TEXTS, st.integers(0, 20), st.lists(st.integers(1, 9), max_size=20), st.booleans())
def test_text_equals_the_parsed_event_whatever_the_chunks(
    text: str, first: int, lengths: list[int], is_ascii: bool
) -> None:
    message = {"content": [{"type": "text", "text": text}, {"type": "text", "text": "other"}]}
    line = json.dumps({"type": "assistant", "message": message}, ensure_ascii=is_ascii).encode()
    assert read(line, len(HEAD) + first, lengths) == text


@together(
    "event",
    [
        {"type": "user", "message": {"content": [{"type": "text", "text": PROMISE}]}},
        {
            "type": "assistant",
            "parent_tool_use_id": "toolu_1",
            "message": {"content": [{"type": "text", "text": PROMISE}]},
        },
        {"type": "item.completed", "item": {"id": "1", "type": "command_execution", "aggregated_output": PROMISE}},
        {"type": "item.completed", "item": {"id": "1", "type": "reasoning", "text": PROMISE}},
        {"type": "message", "role": "user", "content": PROMISE},
    ],
)
def test_text_of_others_is_skipped(event: dict[str, object]) -> None:
    assert LongEventText().feed(json.dumps(event).encode()) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"type":"assistant","message":{"content":[{"type":"text","text":"', '"}]}}'),
        ('{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"', '"}}'),
        ('{"type":"message","role":"assistant","content":"', '","delta":true}'),
        ('{"type":"text","sessionID":"ses_1","part":{"type":"text","text":"', '"}}'),
    ],
)
@pytest.mark.parametrize("filling", ["x", "\\n\\u00e9 "])
def test_promise_at_the_end_of_a_huge_message_is_detected(before: str, after: str, filling: str) -> None:
    listening = OutputParser("claude", PromiseSearch("COMPLETE"), 0, None)
    listening.stdout(b'{"type":"system"}\n' + before.encode())
    for _ in range(2 * LINE_BYTES // 65_000):
        listening.stdout((filling * (65_536 // len(filling))).encode())
    listening.stdout(b" \\u003cpromise>COMPLETE<\\/promise>")
    listening.stdout(f"{after}\n".encode())
    listening.close(0)
    assert listening.promise
    assert listening.final_text.endswith(PROMISE)

"""Readers accept any foreign input or refuse it with their own error; nothing else is raised.

python -m pytest tests/faults/test_fuzz_readers.py --hypothesis-profile=long    for minutes instead of seconds
"""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sidecar.capture.effects.run_activity import RunCommand
from sidecar.capture.test_results import outcomes_of
from sidecar.codebase.worktree.diff import conflict_hunks, split_hunks
from sidecar.core.errors import Conflict, InvalidParams
from sidecar.core.yaml_text import MalformedYaml, parse_nodes, read_mapping
from sidecar.knowledge import UnreadableItem, item_location, parse_item
from sidecar.memory import read_transcript
from sidecar.memory.files import front_matter
from sidecar.memory.files.document import escape_heading, split_title
from sidecar.packs import sanitized_lines
from sidecar.ralph.agent import PromiseSearch
from sidecar.registry import parse_registry as parse
from sidecar.rpc.framing import Framer
from sidecar.session import managed_block
from tests.support.depth import examples
from tests.support.fuzz_strategies import texts
from tests.support.memory_sidecar import MemorySidecar

YAML = (
    "---\n",
    "a: ",
    "- ",
    "\n",
    "  ",
    "[",
    "]",
    "{",
    "}",
    "&x ",
    "*x",
    "!!int ",
    "!!binary ",
    "|\n",
    ">-\n",
    '"',
    "'",
    "# c",
    "<<: ",
    "? ",
    ": ",
    "1e999",
    "0x",
    ".nan",
    "2026-03-01",
    "2026-13-41T99:99:99Z",
    "~",
    "\t",
    "\ufeff",
    "é",
    "entities:\n",
    "id: a\n",
    "title: b\n",
    "constraints:\n",
    "version: 1\n",
    "# Constraints\n",
    "```yaml\n",
    "```\n",
    "metadata:\n  entityCount: 1\n",
)
MARKDOWN = (
    "# ",
    "## ",
    "<!--",
    "-->",
    "id=",
    '"',
    "\n",
    "```",
    "~~~",
    "<promise>",
    "</promise>",
    "COMPLETE",
    " ",
    "x",
    "\r\n",
    "<!-- chati:session-lock:begin -->\n",
    "<!-- chati:session-lock:end -->\n",
    "\x1b[",
    "> ",
)
DIFF = (
    "diff --git a/x b/x\n",
    "--- a/x\n",
    "+++ b/x\n",
    "@@ -1,2 +1,3 @@\n",
    "@@ -0,0 +99999999999999999999 @@\n",
    "+a\n",
    "-b\n",
    " c\n",
    "\\ No newline at end of file\n",
    "<<<<<<< a\n",
    "=======\n",
    ">>>>>>> b\n",
    "@@",
    "\n",
    "-",
    "+",
    "Binary files differ\n",
    "rename from a\n",
)
TESTS = (
    "FAILED tests/a.py::b - c\n",
    "=== 1 failed, 2 passed in 0.1s ===\n",
    "Tests:  ",
    "1 failed",
    ", ",
    "2 total\n",
    "not ok 1 - a\n",
    "--- FAIL: T\n",
    "test result: FAILED. 1 passed; 1 failed\n",
    "  1) a\n       b:\n",
    "\x1b[31m",
    "99999999999999999999999 passed\n",
    "[ERROR] Tests run: 1, Failures: 1\n",
    "\n",
    "E   assert\n",
    "٣ failed\n",
)
COMMANDS = (
    "pytest",
    "npx jest",
    "go test ./...",
    "cargo test",
    "mvn test",
    "npx mocha",
    "node --test",
    "rspec",
    "'",
    "$(",
)


def _front_matter(text: str) -> None:
    with suppress(front_matter.MalformedFrontMatter):
        parts = front_matter.split(text)
        assert text.endswith(parts.body)
        front_matter.read_yaml(parts.matter or "")
    with suppress(front_matter.MalformedFrontMatter, Conflict):
        edited = front_matter.change(text, {"zeal": "new: 'value'"})
        assert "zeal" in front_matter.read_yaml(front_matter.split(edited).matter or "")


def _knowledge(text: str) -> None:
    location = item_location("company/adrs/a.md")
    assert location is not None
    with suppress(UnreadableItem):
        parse_item("company/adrs/a.md", location, text.encode("utf-8", "surrogatepass"))


def _yaml(text: str) -> None:
    with suppress(MalformedYaml):
        parse_nodes(text)
    with suppress(MalformedYaml):
        parse(text)
    read_mapping(text)


def _block(text: str) -> None:
    content = text.encode("utf-8", "surrogatepass")
    with suppress(managed_block.AmbiguousBlock):
        with_it = managed_block.with_block(content, "words\n")
        assert managed_block.user_content(with_it) == managed_block.user_content(content)
        assert managed_block.with_block(with_it, "words\n") == with_it
        managed_block.block_state(with_it)


def _promise(text: str) -> None:
    for token in ("COMPLETE", text[:9]):
        with suppress(InvalidParams):
            whole, cut = PromiseSearch(token, ""), PromiseSearch(token, "")
            whole.feed(text)
            for sign in text:
                cut.feed(sign)
            assert whole.found == cut.found


def _diff(text: str) -> None:
    assert isinstance(conflict_hunks(text), str)
    split_hunks(text)
    sanitized_lines(text)


def _markdown(text: str) -> None:
    split_title(text)
    assert "\n" not in escape_heading(text)


READERS: dict[str, tuple[Callable[[str], None], tuple[str, ...]]] = {
    "front matter": (_front_matter, YAML),
    "knowledge item": (_knowledge, YAML),
    "yaml and registry": (_yaml, YAML),
    "session block": (_block, MARKDOWN),
    "promise": (_promise, MARKDOWN),
    "diff": (_diff, DIFF),
    "memory's text": (_markdown, MARKDOWN),
}


@pytest.mark.parametrize("name", READERS)
def test_a_reader_accepts_or_refuses_any_text(name: str) -> None:
    reader, parts = READERS[name]

    @given(texts(parts))
    def read_any(text: str) -> None:
        reader(text)

    read_any()


@given(texts(COMMANDS), texts(TESTS), st.sampled_from((None, 0, 1, 137)))
def test_any_test_output_is_parsed(command: str, output: str, code: int | None) -> None:
    for outcome in outcomes_of([RunCommand(command, output, code, None), RunCommand("pytest", output, code, None)]):
        assert outcome.counts is None or min(outcome.counts) >= 0


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.sampled_from(("tool_use", "x"))
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(
                ("type", "message", "content", "text", "role", "timestamp", "payload", "id", "input", "name")
            ),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=20,
)


@given(st.lists(st.one_of(JSON.map(lambda value: json.dumps(value).encode()), st.binary(max_size=30)), max_size=8))
@example(
    [b'{"type":"assistant","timestamp":"2026-03-01T09:30:00Z","message":{"content":[{"type":"tool_use","input":7}]}}']
)
def test_any_transcript_is_read(lines: list[bytes]) -> None:
    transcript = read_transcript(lines, 0)
    assert all(isinstance(utterance.text, str) for utterance in transcript.utterances)


def test_any_message_is_answered_or_refused(sidecar: MemorySidecar) -> None:
    methods = ("continuity/preRun", "memory/add", "codebase/state", "settings/get", "no/such", "ping")

    @settings(max_examples=examples(60, 15), suppress_health_check=list(HealthCheck), deadline=None)
    @given(
        st.one_of(
            JSON,
            st.fixed_dictionaries(
                {"jsonrpc": st.just("2.0"), "method": st.sampled_from(methods), "params": JSON, "id": JSON}
            ),
        )
    )
    def receive(message: Any) -> None:
        for framed in Framer().feed(json.dumps(message).encode() + b"\n"):
            sidecar.app.connection.receive(framed)
        assert sidecar.client.request("ping") == {}

    receive()
    assert sidecar.inbox.wait_for_count(lambda message: isinstance(message, dict) and _is_internal(message), 0) == []


def _is_internal(message: dict[str, Any]) -> bool:
    return bool(message.get("error", {}).get("code") == -32603)

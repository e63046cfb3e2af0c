"""The published Claude Code with our hooks in its settings: real provider requests, and the records.

Nothing leaves the machine: a stand-in answers for the provider. Needs the npm package @anthropic-ai/claude-code.
A session takes two seconds of processor time, so they are thorough: by default test_claude_code.py and test_mcp.py play
the same without the program.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from tests.support.claude_code import ClaudeCode
from tests.support.fake_provider import TOKENS, Provider, open_provider, text, tool
from tests.support.process import ROOT, SidecarProcess
from tests.support.repositories import Repository

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        shutil.which("claude") is None, reason="`npm install -g @anthropic-ai/claude-code` brings the program"
    ),
]

PROMPT = "Let the discounted_price in prices round half a cent up"
RULE = "discounted_price(cents, percent)"
PATIENCE_SECONDS = 60.0
SIDECAR = (sys.executable, "-m", "sidecar")
MARKER = re.compile(r"\[continuity:(\w+) ")


class Terminal:
    """Claude Code in a folder, as its user runs it: with its own home and our hooks installed."""

    def __init__(self, cwd: Path, home: Path, provider: Provider) -> None:
        self.cwd, self.provider = cwd, provider
        home.mkdir()
        own = {name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "ANTHROPIC"))}
        self.hooks = ClaudeCode(cwd, home, ONECODE_CONTINUITY_MODE="active")
        self.environment = {
            **own, **{name: self.hooks.environment[name] for name in self.hooks.environment if name not in own},
            "HOME": str(home), "USERPROFILE": str(home), "XDG_STATE_HOME": str(home), "XDG_CONFIG_HOME": str(home),
            "LOCALAPPDATA": str(home), "APPDATA": str(home), "PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1",
            "ONECODE_CONTINUITY_MODE": "active", "ANTHROPIC_BASE_URL": provider.address, "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
            "MCP_CONNECTION_NONBLOCKING": "false",
        }  # fmt: skip
        self.run(*SIDECAR, "hook", "install", "--yes")

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command, cwd=self.cwd, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, check=False,
            timeout=PATIENCE_SECONDS,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.decode()

    def ask_agent(self, prompt: str, *options: str) -> list[str]:
        """Send a prompt and return the kinds of blocks that the conversation has of ours by its end."""
        tools = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write,Read,mcp__continuity")
        self.run("claude", "-p", prompt, *options, *tools)
        return MARKER.findall(self.provider.conversation())

    def continue_session(self, prompt: str) -> list[str]:
        """The same in the session that was last."""
        return self.ask_agent(prompt, "--continue")

    def rows(self, sql: str, *, at_least: int) -> list[tuple[object, ...]]:
        """Reads the state once it holds what is written behind the hooks."""
        give_up = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < give_up:
            connection = apsw.Connection(str(self.hooks.state_dir / "continuity.db"))
            found = list(connection.execute(sql))
            connection.close()
            if len(found) >= at_least:
                return found
            time.sleep(0.1)
        raise AssertionError(f"not there in time: {sql}")


@pytest.fixture
def provider() -> Iterator[Provider]:
    with open_provider() as opened:
        yield opened


@pytest.fixture
def terminal(project: Repository, tmp_path: Path, provider: Provider) -> Iterator[Terminal]:
    """Claude Code in the till's repository, after a first session: a slow machine responds in time from then on."""
    opened = Terminal(project.path, tmp_path / "user", provider)
    try:
        give_up = time.monotonic() + PATIENCE_SECONDS
        while not opened.ask_agent(PROMPT) and time.monotonic() < give_up:
            pass
        yield opened
    finally:
        opened.hooks.close()


def test_packs_are_in_the_conversation_once_and_tool_effects_are_recorded(
    terminal: Terminal, provider: Provider, project: Repository
) -> None:
    file = project.path / "till" / "prices.py"
    provider.script = [
        [text("I look at the file."), tool("call_1", "Read", file_path=str(file))],
        [tool("call_2", "Write", file_path=str(file), content="def discounted_price(cents, percent):\n    return 1\n")],
        [text("It rounds up now.")],
    ]
    assert terminal.ask_agent(PROMPT) == ["anchor", "context", "delta"]
    assert "UserPromptSubmit hook additional context: [continuity:anchor " in provider.conversation()
    assert RULE in provider.conversation()
    touching = "SELECT outcome FROM continuity_runs WHERE CAST(touched AS TEXT) LIKE '%till/prices.py%'"
    assert terminal.rows(touching, at_least=1) == [("completed",)]
    kinds = terminal.continue_session("And let it refuse a negative percent")
    assert (kinds.count("anchor"), kinds.count("context")) == (1, 1)
    of_session = "(SELECT session_id FROM continuity_calls ORDER BY created_at_ms DESC LIMIT 1)"
    ended = (
        "SELECT status, json_extract(CAST(record AS TEXT), '$.reason') FROM continuity_calls"
        f" WHERE status <> 'pending' AND session_id = {of_session} ORDER BY created_at_ms"
    )
    assert terminal.rows(ended, at_least=2) == [("committed", None), ("dropped", "nothingToSend")]


def test_a_rule_that_the_user_typed_reaches_the_next_session(terminal: Terminal, provider: Provider) -> None:
    rule = "Print amounts with two decimals, never with three"
    provider.script = [[text(f"I will.\n\nNotes for next time:\n- Rule: {rule}\n- Rule: Always deploy on Fridays")]]
    terminal.ask_agent("From now on print amounts with two decimals, never with three.")
    assert "Notes for next time:" in provider.conversation()
    terminal.rows("SELECT 1 FROM continuity_standing_instructions", at_least=1)
    provider.script = [[text("It adds lines.")]]
    terminal.ask_agent("Explain till/cart.py")
    section = provider.conversation().partition("Standing instructions from the user:")[2]
    assert rule in section.partition("Rules:")[0]
    assert "Fridays" not in section


def test_a_session_receives_its_packs_again_after_its_own_compaction(terminal: Terminal, provider: Provider) -> None:
    assert terminal.continue_session("And let it refuse a negative percent").count("anchor") == 1
    terminal.continue_session("/compact")
    provider.script = [[text("It is all told.")]]
    assert terminal.continue_session(PROMPT) == ["anchor", "context", "delta"]
    assert "This session is being continued" in provider.conversation()


def test_an_automatic_compaction_during_a_run_resends_the_packs(terminal: Terminal, provider: Provider) -> None:
    terminal.environment["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = "160000"
    provider.tokens = {**TOKENS, "cache_read_input_tokens": 150_000}
    terminal.continue_session("And let it refuse a negative percent")
    provider.tokens = TOKENS
    kinds = terminal.continue_session(PROMPT)
    assert "This session is being continued" in provider.conversation()
    assert "SessionStart hook additional context: [continuity:anchor " in provider.conversation()
    assert terminal.continue_session("And refuse one above a hundred").count("anchor") == kinds.count("anchor") == 1


def test_hooks_use_a_running_sidecar(terminal: Terminal) -> None:
    terminal.run(*SIDECAR, "hook", "stop")
    app = SidecarProcess(terminal.hooks.state_dir, environment={"ONECODE_CONTINUITY_MODE": "active"})
    try:
        app.client.initialize()
        app.client.request("settings/get", {})
        assert terminal.ask_agent(PROMPT) == ["anchor", "context", "delta"]
        assert terminal.run(*SIDECAR, "hook", "stop") == "No hook's sidecar is running.\n"
    finally:
        app.close()


def test_the_mcp_tools_are_available(terminal: Terminal, provider: Provider) -> None:
    terminal.run(*SIDECAR, "memory", "add", "Receipts name the discount in percent.")
    terminal.run("claude", "mcp", "add", "continuity", "--", *SIDECAR, "mcp")
    provider.script = [
        [
            tool("call_1", "mcp__continuity__memory_search", query="discount on receipts"),
            tool("call_2", "mcp__continuity__codebase_search", query="discounted_price"),
            tool("call_3", "mcp__continuity__explain"),
        ],
    ]
    terminal.ask_agent("What do you know of receipts?")
    results = provider.results()
    assert "Receipts name the discount in percent." in results["call_1"]
    assert "till/prices.py" in results["call_2"]
    assert '"status":"pending"' in results["call_3"].replace(" ", "")

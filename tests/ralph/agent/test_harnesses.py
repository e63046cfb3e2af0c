"""The command line of each harness and version."""

import os
import sys
from pathlib import Path

import pytest

from sidecar.core.errors import AgentUnavailable, InvalidParams
from sidecar.ralph.agent import (
    HARNESSES,
    AgentCommand,
    AgentOptions,
    Version,
    agent_command,
    find_program,
    installed_version,
    parse_version,
)
from sidecar.ralph.agent.harnesses import split_command
from tests.support.cases import together
from tests.support.fake_agent import FakeAgent, outputs

PROMPT = "Fix the parser. " * 20_000
HERE = Path("repository")
FILE = Path("state") / "prompt-1.md"
CLAUDE = "claude -p --output-format stream-json --verbose"
CODEX = "codex exec --json --skip-git-repo-check"


def command(options: AgentOptions) -> AgentCommand:
    return agent_command(options, PROMPT, HERE, {"PATH": "bin"}, prompt_file=FILE)


@together(
    ("options", "argv"),
    [
        (AgentOptions("claude"), f"{CLAUDE} --permission-mode acceptEdits"),
        (AgentOptions("claude", version=(1, 0, 24)), CLAUDE),
        (
            AgentOptions("claude", model="opus", allow_all=True, extra=("--max-turns", "30")),
            f"{CLAUDE} --model opus --dangerously-skip-permissions --max-turns 30",
        ),
        (AgentOptions("codex"), f"{CODEX} --sandbox workspace-write -"),
        (
            AgentOptions("codex", model="gpt-5.4", allow_all=True, extra=("-c", "x=1")),
            f"{CODEX} --model gpt-5.4 --dangerously-bypass-approvals-and-sandbox -c x=1 -",
        ),
        (AgentOptions("gemini"), "gemini --output-format stream-json --approval-mode auto_edit"),
        (AgentOptions("gemini", allow_all=True), "gemini --output-format stream-json --approval-mode yolo"),
        (AgentOptions("gemini", version=(0, 8, 2)), "gemini --approval-mode auto_edit"),
        (AgentOptions("opencode", model="anthropic/opus"), "opencode run --format json --model anthropic/opus"),
        (AgentOptions("opencode", allow_all=True), "opencode run --format json --auto"),
        (
            AgentOptions("opencode", allow_all=True, version=(1, 17, 10)),
            "opencode run --format json --dangerously-skip-permissions",
        ),
        (AgentOptions("opencode", allow_all=True, version=(1, 2, 0)), "opencode run --format json"),
    ],
)
def test_command_line_depends_on_the_version_and_the_prompt_goes_to_stdin(options: AgentOptions, argv: str) -> None:
    run = command(options)
    assert list(run.argv) == argv.split()
    assert run.stdin == PROMPT.encode()


def test_allow_all_sets_environment_variables_where_there_is_no_flag() -> None:
    old = command(AgentOptions("opencode", allow_all=True, version=(1, 2, 0)))
    assert old.environment == {"PATH": "bin", "OPENCODE_PERMISSION": '{"*":"allow"}'}
    assert command(AgentOptions("gemini", allow_all=True)).environment["GEMINI_CLI_TRUST_WORKSPACE"] == "true"
    assert command(AgentOptions("gemini")).environment == {"PATH": "bin"}


def test_variables_of_an_enclosing_claude_session_are_removed() -> None:
    inherited = {"PATH": "bin", "CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli", "ANTHROPIC_MODEL": "opus"}
    run = agent_command(AgentOptions("claude"), PROMPT, HERE, inherited, prompt_file=FILE)
    assert run.environment == {"PATH": "bin", "ANTHROPIC_MODEL": "opus"}


def test_custom_command_gets_the_prompt_on_stdin_or_as_a_file() -> None:
    fed = command(AgentOptions("custom", command='my-agent --quiet "two words"', extra=("more",)))
    assert (fed.argv, fed.stdin, fed.output_format) == (
        ("my-agent", "--quiet", "two words", "more"),
        PROMPT.encode(),
        "plain",
    )
    by_file = command(AgentOptions("custom", command="my-agent --file={prompt_file} -m {model}", model="large"))
    assert by_file.argv == ("my-agent", f"--file={FILE}", "-m", "large")
    assert by_file.stdin == b""


def test_a_windows_command_line_is_split_at_spaces_outside_double_quotes() -> None:
    command = r'"C:\Program Files\agent.exe" --model="my model" don`t C:\work\ ""'
    words = [r"C:\Program Files\agent.exe", "--model=my model", "don`t", "C:\\work\\", ""]
    assert split_command(command, is_windows=True) == words


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (AgentOptions("aider"), "There is no harness 'aider'."),
        (AgentOptions("custom"), "The custom harness needs a command."),
        (AgentOptions("custom", command=" "), "The custom harness needs a command."),
        (
            AgentOptions("custom", command='agent "half'),
            "The custom harness's command cannot be parsed: No closing quotation.",
        ),
    ],
)
def test_unknown_harness_and_invalid_custom_command_are_rejected(options: AgentOptions, sentence: str) -> None:
    with pytest.raises(InvalidParams) as raised:
        command(options)
    assert raised.value.message == sentence


def test_no_prompt_is_ever_an_argument() -> None:
    for name in HARNESSES:
        assert max(len(argument) for argument in command(AgentOptions(name, allow_all=True)).argv) < 100


@together(
    ("text", "version"),
    [
        ("2.1.34 (Claude Code)\n", (2, 1, 34)),
        ("codex-cli 0.46.0\n", (0, 46, 0)),
        ("0.21.0-nightly.20251202.2d935b379", (0, 21, 0)),
        ("v1.4\n", (1, 4, 0)),
        ("unknown", None),
        ("", None),
    ],
)
def test_version_is_parsed_from_the_agents_output(text: str, version: Version | None) -> None:
    assert parse_version(text) == version


def test_installed_version_runs_the_agent(tmp_path: Path) -> None:
    agent = FakeAgent(tmp_path, [outputs("never asked")])
    environment = {**os.environ, "PATH": str(agent.install_as("codex", "codex-cli 0.46.0"))}
    environment["PATH"] += os.pathsep + os.environ["PATH"]
    assert installed_version("codex", tmp_path, environment) == (0, 46, 0)
    assert installed_version("custom", tmp_path, environment) is None
    assert agent.runs == 0
    with pytest.raises(AgentUnavailable, match="claude is not installed"):
        installed_version("claude", tmp_path, {"PATH": str(tmp_path)})


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_agent_that_prints_no_version_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecar.ralph.agent.harnesses.PROBE_SECONDS", 0.2)
    (tmp_path / "claude").write_text("#!/bin/sh\nexec sleep 20\n")
    (tmp_path / "claude").chmod(0o755)
    environment = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    assert installed_version("claude", tmp_path, environment) is None


@pytest.mark.skipif(sys.platform == "win32", reason="programs are told by their names there")
def test_relative_path_is_resolved_from_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "agent.sh").write_text("#!/bin/sh\n")
    (tmp_path / "agent.sh").chmod(0o755)
    assert find_program("./agent.sh", tmp_path, {}) == str(tmp_path / "agent.sh")

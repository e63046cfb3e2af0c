"""`onecode-sidecar memory`, run as a user does: all memories are within reach, the private ones among them."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.command import Command, Done, run_command
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository

SAID = {"messages": [{"author": "user", "text": "No, use pnpm instead of npm. Why?"}]}


@pytest.fixture
def ask(process: SidecarProcess, shop: Repository) -> Callable[..., Any]:
    """Asks the sidecar that goes on running."""
    return lambda method, **params: process.client.request(f"memory/{method}", {"cwd": str(shop.path), **params})


@pytest.fixture
def command(ask: Callable[..., Any], shop: Repository, state_dir: Path) -> Command:
    """Runs the command in the shop."""
    ask("capture", sessionId="s1", digest=SAID)

    def run(*arguments: str, **options: Any) -> Done:
        where = ("--state-dir", str(state_dir))
        return run_command("memory", *arguments, *where, cwd=shop.path, temporary=state_dir.parent, **options)

    return run


def the_id(told: Callable[..., str]) -> str:
    """Gives the id of the one memory."""
    return str(orjson.loads(told("list", "--json"))["memories"][0]["id"])


def test_status_tells_the_last_capture_the_counts_and_what_was_dropped(
    told: Callable[..., str], ask: Callable[..., Any]
) -> None:
    ask("capture", sessionId="s2", digest={**SAID, "entries": [{"type": "lesson", "text": "ok"}]})
    lines = told("status").splitlines()
    assert lines[0].startswith("1 memory in 1 file of ")
    assert lines[1] == "      1  shared, daily, hot"
    assert lines[3].endswith("UTC, request of session s2:")
    assert lines[4] == "  0 kept, 1 met again, 1 dropped: 1 too short"
    assert lines[5:] == ["In all, of 2 captures:", "  1 kept, 1 met again, 1 dropped: 1 too short", "Upkeep never ran."]


def test_a_memory_is_listed_found_shown_changed_and_deleted(told: Callable[..., str], tmp_path: Path) -> None:
    one = the_id(told)
    assert "Use pnpm instead of" in told("list", "--type", "user_correction")
    assert told("list", "--type", "lesson").startswith("No such memories of ")
    assert one in told("search", "which", "package", "manager", "pnpm")
    card = told("show", one[-3:])
    assert f"id       {one}\ntype     user_correction, reflective\nowner    shared, daily\n" in card
    assert card.endswith("# Use pnpm instead of npm\n\nNo, use pnpm instead of npm.\n")
    (tmp_path / "new.md").write_text("Use bun.\n")
    assert told("edit", one, "--file", str(tmp_path / "new.md"), "--durable").startswith(f"changed  {one}  Use pnpm")
    assert "owner    shared, durable" in told("show", one)
    assert told("edit", one, "--durable") == "Nothing was changed.\n"
    assert told("delete", one) == f"deleted  {one}  Use pnpm instead of npm\n"
    assert told("search", "pnpm") == "Nothing was found.\n"


def test_a_text_is_changed_in_the_users_editor(told: Callable[..., str], tmp_path: Path) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import pathlib, sys\nfile = pathlib.Path(sys.argv[-1])\nfile.write_text(file.read_text() + '\\nBun too.\\n')\n"
    )
    one = the_id(told)
    changed = told("edit", one, VISUAL=f'"{sys.executable}" "{editor}"')
    assert changed.startswith(f"changed  {one}")
    assert told("show", one).endswith("No, use pnpm instead of npm.\nBun too.\n")


def test_the_user_reaches_an_agents_private_memories(told: Callable[..., str], ask: Callable[..., Any]) -> None:
    added = told("add", "Layers", "call", "downwards.", "--owner", "architect", "--tag", "layers")
    assert added.startswith("kept  mem-")
    assert "architect" in told("list", "--owner", "architect")
    assert [one["owner"] for one in ask("list")["memories"]] == ["shared"]


def test_upkeep_and_proposals_are_told(told: Callable[..., str], ask: Callable[..., Any]) -> None:
    assert told("maintain", "--dry-run") == "0 tiers, 0 files archived, 0 cleaned; nothing was changed.\n"
    assert told("maintain") == "0 tiers, 0 files archived, 0 cleaned.\n"
    assert told("proposals") == "No rule is proposed.\n"
    for number in range(4):
        ask("capture", sessionId=f"t{number}", digest=SAID)
    one = the_id(told)
    assert told("proposals") == f"{one}  - No, use pnpm instead of npm.\n"
    assert told("proposals", "--accept", one) == (
        f"accepted  {one}  Use pnpm instead of npm\nFor a rule file of yours: - No, use pnpm instead of npm.\n"
    )


def test_a_failure_is_one_sentence_and_a_status_of_its_own(command: Command) -> None:
    done = command("show", "mem-2000-01-01-001")
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.decode().splitlines()[0] == "memory: There is no memory of that id. (notFound)"
    assert command("list", "--tier", "tepid").returncode == 2
    assert command("add").returncode == 1

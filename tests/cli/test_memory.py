"""`onecode-sidecar memory`, run as by a user: all memories are accessible, including private ones."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from sidecar.cli.memory import _near_miss_count
from tests.support.command import Command, Done, run_command
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository

CORRECTION = {"messages": [{"author": "user", "text": "From now on use pnpm instead of npm. Why?"}]}


@pytest.fixture
def ask(process: SidecarProcess, shop: Repository) -> Callable[..., Any]:
    """Calls a method of the running sidecar."""
    return lambda method, **params: process.client.request(f"memory/{method}", {"cwd": str(shop.path), **params})


@pytest.fixture
def command(ask: Callable[..., Any], shop: Repository, state_dir: Path) -> Command:
    """Runs the command in the shop."""
    ask("capture", sessionId="s1", summary=CORRECTION)

    def run(*arguments: str, **options: Any) -> Done:
        where = ("--state-dir", str(state_dir))
        return run_command("memory", *arguments, *where, cwd=shop.path, temporary=state_dir.parent, **options)

    return run


def the_id(output_of: Callable[..., str]) -> str:
    """Return the id of the only memory."""
    return str(orjson.loads(output_of("list", "--json"))["memories"][0]["id"])


def test_status_shows_the_latest_capture_counts_and_drops(
    output_of: Callable[..., str], ask: Callable[..., Any]
) -> None:
    ask("capture", sessionId="s2", summary={**CORRECTION, "entries": [{"type": "lesson", "text": "ok"}]})
    lines = output_of("status").splitlines()
    assert lines[0].startswith("1 memory in 1 file of ")
    assert lines[1] == "      1  shared, daily, hot"
    assert lines[3] == "Unconfirmed, found by relevance only (`memory confirm ID`):"
    assert lines.pop(4).endswith("  Use pnpm instead of npm")
    del lines[3:5]
    assert lines[3].endswith("UTC, request of session s2:")
    assert lines[4] == "  0 stored, 1 repeated, 1 dropped: 1 too short"
    assert lines[5:] == [
        "Total of 2 captures:",
        "  1 stored, 1 repeated, 1 dropped: 1 too short",
        "Upkeep has never run.",
    ]
    assert "No sentence was nearly stored in the last days." in output_of("status", "--near-misses").splitlines()


def test_a_memory_is_listed_searched_shown_edited_and_deleted(output_of: Callable[..., str], tmp_path: Path) -> None:
    memory_id = the_id(output_of)
    assert "Use pnpm instead of" in output_of("list", "--type", "user_correction")
    assert output_of("list", "--type", "lesson").startswith("There are no such memories of ")
    assert memory_id in output_of("search", "which", "package", "manager", "pnpm")
    card = output_of("show", memory_id[-3:])
    assert f"id       {memory_id}\ntype     user_correction, reflective\nowner    shared, daily\n" in card
    assert card.endswith("# Use pnpm instead of npm\n\nUse pnpm instead of npm.\n")
    (tmp_path / "new.md").write_text("Use bun.\n")
    assert output_of("edit", memory_id, "--file", str(tmp_path / "new.md"), "--durable").startswith(
        f"changed  {memory_id}  Use pnpm"
    )
    assert "owner    shared, durable" in output_of("show", memory_id)
    assert output_of("edit", memory_id, "--durable") == "Nothing was changed.\n"
    assert output_of("delete", memory_id) == f"deleted  {memory_id}  Use pnpm instead of npm\n"
    assert output_of("search", "pnpm") == "No memories match.\n"


def test_a_memory_is_edited_in_the_users_editor(output_of: Callable[..., str], tmp_path: Path) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import pathlib, sys\nfile = pathlib.Path(sys.argv[-1])\nfile.write_text(file.read_text() + '\\nBun too.\\n')\n"
    )
    memory_id = the_id(output_of)
    changed = output_of("edit", memory_id, VISUAL=f'"{sys.executable}" "{editor}"')
    assert changed.startswith(f"changed  {memory_id}")
    assert output_of("show", memory_id).endswith("Use pnpm instead of npm.\nBun too.\n")


def test_the_user_can_read_private_memories_of_agents(output_of: Callable[..., str], ask: Callable[..., Any]) -> None:
    added = output_of("add", "Layers", "call", "downwards.", "--owner", "architect", "--tag", "layers")
    assert added.startswith("stored  mem-")
    assert "architect" in output_of("list", "--owner", "architect")
    assert [memory_id["owner"] for memory_id in ask("list")["memories"]] == ["shared"]


def test_upkeep_and_proposals_are_printed(output_of: Callable[..., str], ask: Callable[..., Any]) -> None:
    assert output_of("maintain", "--dry-run") == "0 tiers changed, 0 files archived, 0 cleaned; nothing was changed.\n"
    assert output_of("maintain") == "0 tiers changed, 0 files archived, 0 cleaned.\n"
    assert output_of("proposals") == "No rule is proposed.\n"
    for number in range(4):
        ask("capture", sessionId=f"t{number}", summary=CORRECTION)
    memory_id = the_id(output_of)
    assert output_of("proposals") == f"{memory_id}  - Use pnpm instead of npm.\n"
    assert output_of("proposals", "--accept", memory_id) == (
        f"accepted  {memory_id}  Use pnpm instead of npm\nFor your rule file: - Use pnpm instead of npm.\n"
    )


def test_a_memory_failure_prints_one_sentence_and_its_status(command: Command) -> None:
    done = command("show", "mem-2000-01-01-001")
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.decode().splitlines()[0] == "memory: No memory has that id. (notFound)"
    assert command("list", "--tier", "tepid").returncode == 2
    assert command("add").returncode == 2
    tagged = command("add", "--tag", "two words", "Layers call downwards.")
    sentence = "memory: `tags.0` must have no spaces, commas or quotes. (invalidParams)\n"
    assert (tagged.returncode, tagged.stderr.decode()) == (2, sentence)


def test_a_restored_instruction_names_how_it_applies_again_and_a_deleted_one_is_refused(
    output_of: Callable[..., str], command: Command, shop: Repository
) -> None:
    memory_id = the_id(output_of)
    (file,) = (shop.path / ".chati/memories/shared").rglob("*.md")
    archive = shop.path / ".chati/memories/archive" / file.relative_to(shop.path / ".chati/memories")
    archive.parent.mkdir(parents=True)
    file.rename(archive)
    assert f"`memory confirm {memory_id}` makes it a standing instruction" in output_of("restore", memory_id)
    output_of("delete", memory_id)
    refused = command("restore", memory_id)
    assert refused.returncode == 3
    assert b"`restore` is for archived memories" in refused.stderr


def test_the_nearly_stored_are_counted_in_words() -> None:
    assert _near_miss_count({"reason": "belowThreshold", "count": 1}) == "1 sentence of yours, not clear enough"
    assert _near_miss_count({"reason": "withoutReason", "count": 2}) == "2 choices of the agent, without a reason"


def test_an_argument_that_is_not_utf8_is_refused_in_one_sentence(command: Command) -> None:
    done = command("add", "caf\udce9")
    assert (done.returncode, done.stderr.decode().splitlines()) == (
        2,
        [
            "memory: An argument or a path is not UTF-8 text. (invalidParams)",
            "hint: Use UTF-8 names, and a locale such as C.UTF-8.",
        ],
    )


def test_the_hint_for_an_editor_that_fails_names_options_of_the_command(
    output_of: Callable[..., str], command: Command
) -> None:
    failed = command("edit", the_id(output_of), VISUAL="no-such-editor")
    assert failed.stderr.decode().splitlines()[1] == ("hint: Use --title and --file to change it without an editor.")


def test_the_columns_of_a_list_are_under_their_headings(output_of: Callable[..., str]) -> None:
    output_of("add", "--owner", "dev", "--type", "gotcha", "Use redis for sessions.")
    heading, row = output_of("list", "--owner", "dev").splitlines()
    assert heading.index("TYPE") == row.index("gotcha")
    assert heading.index("TITLE") == row.index("Use redis")


def test_a_standing_instruction_is_added_confirmed_and_undone_with_one_command_each(
    output_of: Callable[..., str], command: Command
) -> None:
    added = output_of("add", "--standing", "Use", "tabs.").split()
    assert added[0] == "standing"
    captured = next(line.split()[0] for line in output_of("list").splitlines() if "pnpm" in line)
    assert output_of("confirm", captured).startswith(f"standing  {captured}")
    lines = output_of("status").splitlines()
    start = lines.index("Standing instructions:")
    assert {line.split()[0] for line in lines[start + 1 : start + 3]} == {added[1], captured}
    assert output_of("undo", captured).startswith(f"undone  {captured}")
    assert output_of("undo", "--all-standing").splitlines() == [
        f"undone  {added[1]}  Use tabs.", "1 standing instruction taken back.",
    ]  # fmt: skip
    assert "Standing instructions:" not in output_of("status")
    assert command("undo").returncode == 2


def test_a_contrary_instruction_on_the_command_line_replaces_the_former_one(output_of: Callable[..., str]) -> None:
    former = output_of("add", "--standing", "Always answer in German.").split()[1]
    lines = output_of("add", "--standing", "No, answer in English again.").splitlines()
    later = lines[0].split()[1]
    assert lines[1:] == [f"replaced  {former}  Always answer in German."]
    status = output_of("status").splitlines()
    at = status.index("Replaced by a later statement (`memory confirm ID` makes one hold again):")
    assert status[at + 1] == f"  {former}  Always answer in German.  (by {later})"
    assert f"(replaced by {later}) Always answer in German." in output_of("list")
    assert f"by {later}" in output_of("show", former)
    assert output_of("confirm", former).splitlines()[1].startswith(f"replaced  {later}")
    assert f"by {former}" in output_of("show", later)
    assert f"by {later}" not in output_of("show", former)


def test_a_preference_added_on_the_command_line_is_standing_and_other_types_are_not(
    output_of: Callable[..., str],
) -> None:
    assert output_of("add", "--type", "preference", "Use tabs.").startswith("standing ")
    assert output_of("add", "--type", "decision", "We chose tabs.").startswith("stored ")
    assert output_of("status").count("Use tabs.") == 1


@pytest.mark.parametrize("variable", ["CLAUDECODE", "CODEX_SANDBOX"])
def test_an_agents_shell_cannot_decide_for_the_user(
    output_of: Callable[..., str],
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    shop: Repository,
    state_dir: Path,
) -> None:
    output_of("add", "--standing", "Always answer in German.")
    later = output_of("add", "--standing", "No, answer in English again.").split()[1]
    status = output_of("status")
    monkeypatch.setenv(variable, "1")
    refused = {
        ("add", "--standing", "Use yarn."): b"An agent cannot make a standing instruction.",
        ("confirm", "mem-1"): b"An agent cannot make a standing instruction.",
        ("undo", later): b"An agent cannot undo what is remembered.",
        ("undo", "--all-standing"): b"An agent cannot undo what is remembered.",
        ("proposals", "--accept", later): b"An agent cannot decide on a proposed rule.",
    }
    for arguments, message in refused.items():
        done = command(*arguments)
        assert done.returncode == 5
        assert message in done.stderr
    where = ("--state-dir", str(state_dir))
    for option in ("--mute", "--wrong", "--pin", "--reset"):
        done = run_command("explain", option, f"instruction:{later}", *where, cwd=shop.path, temporary=state_dir.parent)
        assert (done.returncode, b"An agent cannot change what is sent." in done.stderr) == (5, True)
    assert output_of("status") == status


def test_in_a_pipe_titles_are_not_cut(output_of: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    text = f"Never print a receipt twice {'and again ' * 8}"
    output_of("add", text)
    assert text.strip() in output_of("list")

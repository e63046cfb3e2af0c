"""`onecode-sidecar artifacts`, run as by a user, on a state file that a running sidecar has open too."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from sidecar.cli.text_editor import windows_command
from tests.support.command import Command, Done, run_command
from tests.support.conversation import Conversation
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, draft_each_change

BRANCH = "memory/continuity"
CART = "class Cart:\n    def total(self) -> int:\n        return 1\n"
EDITOR = """import os, pathlib, sys
file = pathlib.Path(sys.argv[-1])
assert file.suffix == ".md"
{}
"""


@pytest.fixture
def chat(process: SidecarProcess, shop: Repository) -> Conversation:
    """A conversation with a running sidecar; its first run drafted an artifact."""
    chat = draft_each_change(Conversation(process.client, shop.path))
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", CART)])
    return chat


@pytest.fixture
def command(shop: Repository, state_dir: Path) -> Command:
    """Runs the command in a folder of the shop."""

    def run(*arguments: str, cwd: Path = shop.path / "src", state: bool = True, **options: Any) -> Done:
        where = ("--state-dir", str(state_dir)) if state else ()
        return run_command("artifacts", *arguments, *where, cwd=cwd, temporary=state_dir.parent, **options)

    return run


def only(chat: Conversation) -> Any:
    (found,) = chat.client.request("artifact/list", {"projectPath": chat.project_path})["artifacts"]
    return chat.artifact(found["id"])


def editor(tmp_path: Path, work: str) -> str:
    """Return the command of an editor that does `work` to the text in `file`."""
    script = tmp_path / "an editor.py"
    script.write_text(EDITOR.format(work), encoding="utf-8")
    return f'"{sys.executable}" "{script}"'


def test_artifacts_are_listed_shown_edited_accepted_and_committed_beside_a_running_sidecar(
    chat: Conversation, output_of: Callable[..., str], shop: Repository
) -> None:
    draft = only(chat)
    artifact_id, short = draft["id"], draft["id"][:10]

    table = output_of("list", COLUMNS="80").splitlines()
    assert table[0].split() == ["ID", "STATUS", "CREATED", "TITLE"]
    assert table[1].startswith(
        f"{artifact_id}  draft      {draft['createdAt'][:10]}  Fixed the cart total that ignored"
    )
    assert max(map(len, table)) <= 80
    assert output_of("list").splitlines()[1].endswith(draft["title"]), "a pipe has no width"
    assert (
        orjson.loads(output_of("list", "--status", "draft", "--kind", "devlog", "--json"))["artifacts"][0]["id"]
        == artifact_id
    )
    assert output_of("list", "--kind", "adr") == f"No artifacts of {shop.path}.\n"

    card = output_of("show", short)
    assert f"run      {draft['provenance']['runId']} of chat chat with claude\n" in card
    assert card.endswith(draft["body"])

    assert output_of("edit", short, "--body", "-", stdin="# Rabatte zählen − 割引\n\nOK.\r\n".encode()) == (
        f"draft      {artifact_id}  Rabatte zählen − 割引\n"
    )
    assert output_of("edit", short, "--title", "Discounts count").endswith("Discounts count\n")
    assert only(chat)["body"] == "# Discounts count\n\nOK.\n"
    assert output_of("accept", short, artifact_id) == f"accepted   {artifact_id}  Discounts count\n"
    assert only(chat)["status"] == "accepted"
    assert output_of("commit").splitlines() == [
        f"On the branch {BRANCH}:",
        f"{shop.git('rev-parse', BRANCH)[:12]}  {artifact_id}",
    ]
    assert only(chat)["status"] == "committed"
    assert output_of("commit") == "There are no accepted artifacts to commit.\n"

    (second,) = chat.turn("go on", lambda: [chat.edit("src/mail.py", CART)])["after"]["artifacts"]
    assert second["id"] != artifact_id
    assert output_of("discard", second["id"], "--json").startswith("{")
    assert chat.artifact(second["id"])["status"] == "discarded"


def test_an_edited_text_that_cannot_be_stored_remains_in_its_file(
    chat: Conversation, command: Command, output_of: Callable[..., str], tmp_path: Path
) -> None:
    draft = only(chat)
    marked = "'\\ufeff' + file.read_text('utf-8').replace('ignored', 'never ignored')"  # as Notepad saves it
    work = f"file.write_text({marked}, 'utf-8')"
    assert output_of("edit", draft["id"], VISUAL=editor(tmp_path, work), EDITOR="no-such-editor").startswith("draft")
    assert only(chat)["body"].startswith("# Fixed the cart total that never ignored the discount")
    assert output_of("edit", draft["id"], VISUAL="", EDITOR=editor(tmp_path, "")) == "Nothing was changed.\n"

    again = [sys.executable, "-m", "sidecar", "artifacts", "edit", draft["id"], "--title", "Meanwhile"]
    again += ["--state-dir", str(tmp_path / "state")]
    second_edit = f"import subprocess; subprocess.run({again!r}, check=True, stdout=subprocess.DEVNULL)"
    meanwhile = f"file.write_text('# Mine'); {second_edit}"
    failed = command("edit", draft["id"], VISUAL=editor(tmp_path, meanwhile))
    assert failed.returncode == 4
    sentence, hint = failed.stderr.decode().splitlines()
    assert sentence == "artifacts: The artifact has changed since it was read. (conflict)"
    edited_file = Path(hint.removeprefix("hint: Your text is in ").removesuffix("."))
    assert edited_file.read_text(encoding="utf-8") == "# Mine"
    assert only(chat)["title"] == "Meanwhile"

    failed = command("edit", draft["id"], VISUAL=editor(tmp_path, "file.write_text('# Half'); sys.exit(3)"))
    assert failed.returncode == 1
    assert b"ended with status 3, so nothing was changed. Your text is in" in failed.stderr
    assert only(chat)["title"] == "Meanwhile"


def test_a_failure_prints_one_sentence_and_exits_with_its_status(chat: Conversation, command: Command) -> None:
    before = only(chat)
    for arguments, status, sentence in (
        (("show", "nothing"), 3, "has an id that starts with `nothing`. (notFound)"),
        (("accept", ""), 3, "has an id that starts with ``. (notFound)"),
        (("list", "--limit", "0"), 2, "1 to 500"),
        (("list", "--status", "new"), 2, "invalid choice"),
        ((), 2, "VERB"),
        (("list", "--project", "shopp"), 1, "The project's folder does not exist. (workspaceUnavailable)\nhint: If"),
        (("edit", "devlog-", "--body", "nowhere.md"), 1, "nowhere.md cannot be read: "),
        (("edit", "devlog-", "--body", "-"), 1, "The text is empty, so nothing was changed. (failed)"),
        (("edit", "devlog-", "--title", "two\nlines"), 2, "`title` must be one line of text"),
    ):
        failed = command(*arguments, state=bool(arguments))
        assert (arguments, failed.returncode, failed.stdout) == (arguments, status, b"")
        assert sentence in failed.stderr.decode()
        assert only(chat) == before


def test_an_ambiguous_id_changes_no_artifact(chat: Conversation, command: Command) -> None:
    chat.sub_chat_id = "other"
    (second,) = chat.turn("Mail is sent twice", lambda: [chat.edit("src/mail.py", CART)])["after"]["artifacts"]
    failed = command("accept", second["id"], "devlog-")
    assert failed.returncode == 3
    assert f"start with `devlog-`: {second['id']}, " in failed.stderr.decode()
    assert chat.artifact(second["id"])["status"] == "draft"


def test_a_command_creates_no_state_file(command: Command, tmp_path: Path, state_dir: Path) -> None:
    home = tmp_path / "home"
    variables = dict.fromkeys(("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME"), str(home))
    named, default = command("list"), command("list", state=False, **variables)
    assert (named.returncode, default.returncode) == (3, 3)
    assert b"There is no state file in " in named.stderr
    assert b"hint: Use --state-dir to name the folder" in named.stderr
    assert b"No sidecar has run for this user yet." in default.stderr
    assert b"onecode-sidecar hook install" in default.stderr
    assert not state_dir.exists()
    assert list(home.rglob("continuity.db")) == []


def test_environment_and_project_settings_apply(chat: Conversation, command: Command, shop: Repository) -> None:
    artifact_id = only(chat)["id"]
    failed = command("commit", artifact_id, ONECODE_CONTINUITY_MODE="off")
    assert failed.returncode == 5
    assert b"switched off" in failed.stderr
    params = {"projectPath": str(shop.path), "settings": {"memoryBranch": "memory/shop"}}
    chat.client.request("settings/update", params)
    assert command("commit", artifact_id).stdout.decode().startswith("On the branch memory/shop:")


def test_the_project_is_the_main_worktree_of_the_current_folder(
    chat: Conversation, output_of: Callable[..., str], shop: Repository, tmp_path: Path
) -> None:
    worktree = shop.add_worktree(tmp_path / "chat-1", "chat/1")
    assert only(chat)["id"] in output_of("list", cwd=worktree.path)
    assert only(chat)["id"] in output_of("list", "--project", str(shop.path), cwd=tmp_path)
    assert output_of("list", "--project", str(tmp_path)) == f"No artifacts of {tmp_path}.\n"


def test_on_windows_an_editor_that_is_a_script_is_started_by_its_path() -> None:
    code = "C:\\VS Code\\bin\\code.cmd"
    programs = {"code": code}.get
    assert windows_command("code --wait", programs) == f'"{code}" --wait'
    assert windows_command("code", programs) == f'"{code}"'
    for command in ("C:\\Program Files\\Vim\\gvim.exe -f", '"C:\\VS Code\\bin\\code.cmd" --wait', "absent"):
        assert windows_command(command, programs) == command

"""Activating, resuming, leaving: which file has the block, and what becomes of the user's bytes."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.core.ide_rules_files import IDES, RULES_FILES, IdeName
from tests.support.client import Client
from tests.support.repositories import Repository

Request = Callable[..., Any]
RULES = {"settings": {"sessionLockFile": "rules"}}
BEGIN, END = b"<!-- chati:session-lock:begin -->\n", b"<!-- chati:session-lock:end -->\n"


def files_below(folder: Path) -> dict[Path, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path: path.read_bytes() for path in paths}


@pytest.mark.parametrize("rules", [False, True])
@pytest.mark.parametrize("ide", list(IDES))
def test_removing_an_ides_block_restores_the_project(
    client: Client, session: Request, shop: Repository, ide: IdeName, rules: bool
) -> None:
    before = files_below(shop.path)
    if rules:
        client.request("settings/update", RULES)

    shown = session("activate", ide=ide)["block"]

    assert shown["state"] == "active"
    status = shop.git("status", "--porcelain", "-uall")
    assert (status == "") is (bool(IDES[ide].local) and not rules), "a local file is none of git's"
    assert session("exit", removeBlock=True)["blocks"] == []
    assert files_below(shop.path) == before
    assert [path.name for path in shop.path.iterdir() if path.is_dir()] == [".git"]


def test_claude_codes_local_file_is_used_when_git_ignores_it(session: Request, shop: Repository) -> None:
    shop.commit({".gitignore": "CLAUDE.local.md\n"})
    (shop.path / "CLAUDE.local.md").write_bytes(b"my own note")

    assert session("activate")["block"]["path"] == str(shop.path / "CLAUDE.local.md")
    session("exit", removeBlock=True)
    assert (shop.path / "CLAUDE.local.md").read_bytes() == b"my own note"


def test_a_folder_without_git_uses_the_local_file(client: Client, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()

    result = client.request("session/activate", {"cwd": str(folder)})

    assert result["block"]["path"] == str(folder / "CLAUDE.local.md")
    client.request("session/exit", {"cwd": str(folder), "removeBlock": True})
    assert list(folder.iterdir()) == []


def test_changing_the_file_setting_moves_the_block(client: Client, session: Request, shop: Repository) -> None:
    first = Path(session("activate")["block"]["path"])
    client.request("settings/update", RULES)

    result = session("activate")

    assert result["block"] == {"path": str(shop.path / "CLAUDE.md"), "state": "active"}
    assert not first.exists()
    assert session("status")["blocks"] == [result["block"]]


def test_activating_twice_keeps_one_block_and_another_agent_gets_another_token(
    client: Client, session: Request, shop: Repository
) -> None:
    first = session("activate", agent="dev")
    path = Path(first["block"]["path"])
    once = path.read_bytes()
    again = session("activate", agent="dev")
    listed = {"cwd": str(shop.path)}
    for result in (first, again):
        client.request("memory/list", {**listed, "token": result["token"]})
    assert path.read_bytes() == once

    other = session("activate", agent="architect")

    assert path.read_bytes() == once.replace(b"`dev`", b"`architect`")
    assert client.error("memory/list", {**listed, "token": first["token"]}).data["kind"] == "policyDenied"
    client.request("memory/list", {**listed, "token": other["token"]})
    session("exit")
    assert client.error("memory/list", {**listed, "token": other["token"]}).data["kind"] == "policyDenied"


def test_an_unknown_agent_is_refused_without_changes(session: Request, refused: Request, shop: Repository) -> None:
    assert refused("activate", agent="hacker") == "invalidParams"
    assert session("status")["session"]["status"] == "inactive"
    assert shop.git("status", "--porcelain", "--ignored") == ""


@pytest.mark.parametrize("content", [BEGIN + b"mine\n", b"mine\n" + END])
def test_damaged_markers_are_repaired_only_with_force(
    client: Client, session: Request, refused: Request, shop: Repository, content: bytes
) -> None:
    client.request("settings/update", RULES)
    file = shop.path / "CLAUDE.md"
    file.write_bytes(content)

    assert (refused("activate"), file.read_bytes()) == ("conflict", content)
    assert session("status")["session"]["status"] == "inactive"
    assert [block["state"] for block in session("status")["blocks"]] == ["damaged"]
    assert session("activate", force=True)["block"]["state"] == "active"
    session("exit", removeBlock=True)
    assert file.read_bytes() == b"mine\n"


def test_damaged_markers_do_not_prevent_an_exit(client: Client, session: Request, shop: Repository) -> None:
    client.request("settings/update", RULES)
    session("activate")
    file = shop.path / "CLAUDE.md"
    damaged = file.read_bytes().replace(END.rstrip() + b"\r\n", b"")
    file.write_bytes(damaged)

    result = session("exit")

    assert (result["session"]["status"], result["wasActive"], len(result["warnings"])) == ("inactive", True, 1)
    assert file.read_bytes() == damaged
    assert [block["state"] for block in session("exit", force=True)["blocks"]] == ["inactive"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_out_of_the_project_is_refused_and_one_inside_is_followed(
    client: Client, session: Request, refused: Request, shop: Repository, tmp_path: Path
) -> None:
    client.request("settings/update", RULES)
    file, outer = shop.path / "CLAUDE.md", tmp_path / "outer.md"
    outer.write_bytes(b"not of this project")
    file.unlink()
    file.symlink_to(outer)
    assert refused("activate") == "policyDenied"
    assert outer.read_bytes() == b"not of this project"

    file.unlink()
    file.symlink_to("AGENTS.md")
    (shop.path / "AGENTS.md").write_bytes(b"rules")
    session("activate")

    assert file.is_symlink()
    assert (shop.path / "AGENTS.md").read_bytes().endswith(b"rules")


def test_read_only_files_are_not_changed_and_file_modes_are_preserved(
    client: Client, session: Request, refused: Request, shop: Repository
) -> None:
    client.request("settings/update", RULES)
    file = shop.path / "CLAUDE.md"
    file.chmod(0o444)
    assert refused("activate") == "policyDenied"
    assert session("status")["session"]["status"] == "inactive"

    file.chmod(0o600)
    session("activate")
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o400)
    result = session("exit")
    assert (result["session"]["status"], len(result["warnings"])) == ("inactive", 1)
    assert result["blocks"][0]["state"] == "active"
    result = session("exit", force=True)
    assert (result["warnings"], result["blocks"][0]["state"]) == ([], "inactive")
    assert not file.stat().st_mode & 0o200, "it is read-only as before"
    file.chmod(0o600)


def test_a_block_without_recorded_state_is_found(
    open_sidecar: Callable[..., Any], session: Request, shop: Repository, tmp_path: Path
) -> None:
    block = session("activate", ide="cursor", agent="dev")["block"]
    other = open_sidecar(state_dir=tmp_path / "other")
    other.client.initialize()

    result = other.client.request("session/exit", {"cwd": str(shop.path)})

    assert not result["wasActive"]
    assert result["blocks"] == [{**block, "state": "inactive"}]


def test_a_worktrees_block_follows_the_projects_session(client: Client, session: Request, shop: Repository) -> None:
    tree = shop.path.parent / "tree"
    shop.git("worktree", "add", "-q", str(tree))
    session("activate", agent="dev")
    both = {"cwd": str(tree), "projectPath": str(shop.path)}

    client.request("session/activate", {**both, "agent": "architect"})

    shown = session("status")
    assert (shown["session"]["agent"], len(shown["blocks"])) == ("architect", 2)
    assert all("`architect`" in Path(block["path"]).read_text(encoding="utf-8") for block in shown["blocks"])
    client.request("session/exit", both)
    assert {block["state"] for block in session("status")["blocks"]} == {"inactive"}
    shop.git("worktree", "remove", "--force", str(tree))
    assert session("activate")["warnings"] == []


def test_mode_off_refuses_activation_but_allows_an_exit(client: Client, session: Request, refused: Request) -> None:
    session("activate")
    client.request("settings/update", {"settings": {"mode": "off"}})

    assert refused("activate") == "policyDenied"
    assert session("exit")["wasActive"]


def test_every_rules_file_is_a_plain_relative_path() -> None:
    assert not [place for place in RULES_FILES if place.file.startswith(("/", "..")) or "\\" in place.file]

"""`onecode-sidecar settings`, run as by a user, beside a running sidecar."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.workspace import IF_MOVED
from tests.support.command import Command, Done, run_command
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository


@pytest.fixture
def command(process: SidecarProcess, shop: Repository, state_dir: Path, tmp_path: Path) -> Command:
    """Runs commands in the shop, beside a running sidecar."""
    assert process.popen.poll() is None

    def run(*arguments: str, **options: Any) -> Done:
        return run_command(*arguments, "--state-dir", str(state_dir), cwd=shop.path, temporary=tmp_path, **options)

    return run


def test_settings_are_listed_changed_for_all_projects_or_one_and_reset(
    output_of: Callable[..., str], shop: Repository
) -> None:
    assert any(line.split() == ["knowledge.repository", "null"] for line in output_of("settings").splitlines())
    changed = output_of("settings", "knowledge.repository", "https://example.org/knowledge.git").splitlines()
    assert changed[0] == "knowledge.repository: https://example.org/knowledge.git (global)"
    assert changed[1] == "Default: null"
    assert output_of("settings", "budgets.context", "4096", "--project", str(shop.path)).startswith(
        "budgets.context: 4096 (project)\n"
    )
    assert output_of("settings", "budgets.context").startswith("budgets.context: 12288 (default)\n")
    assert output_of("settings", "knowledge.repository", "--reset").startswith("knowledge.repository: null (default)\n")


def test_a_mistyped_project_is_refused_by_commands_that_only_read(command: Command, tmp_path: Path) -> None:
    sentence = f": The project's folder does not exist. (workspaceUnavailable)\nhint: {IF_MOVED}"
    for arguments in (("settings", "mode"), ("report",), ("rollout",), ("explain",)):
        done = command(*arguments, "--project", str(tmp_path / "shopp"))
        assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", arguments[0] + sentence + "\n")


def test_a_variable_with_an_unknown_value_is_reported_by_every_command(command: Command) -> None:
    done = command("settings", "mode", ONECODE_CONTINUITY_MODE="actve")
    assert done.stderr.decode() == (
        "warning: ONECODE_CONTINUITY_MODE is ignored: `mode` must be one of off, passive, active.\n"
    )
    assert done.stdout.startswith(b"mode: passive (default)")


def test_a_text_that_looks_like_json_stays_a_text_and_a_list_is_read_as_json(output_of: Callable[..., str]) -> None:
    assert output_of("settings", "knowledge.ref", "2024").startswith("knowledge.ref: 2024 (global)\n")
    output_of("settings", "knowledge.ref", "main")
    assert output_of("settings", "knowledge.ref", "7").startswith("knowledge.ref: 7 (global)\n")
    assert output_of("settings", "secretPatterns", '["otter-[0-9]{8}"]').startswith(
        'secretPatterns: ["otter-[0-9]{8}"] (global)\n'
    )
    shown = output_of("settings", "secretPatterns", "acme_[A-Za-z0-9]{32}")
    assert shown.startswith('secretPatterns: ["acme_[A-Za-z0-9]{32}"] (global)\n'), "a list of one"


def test_the_entries_of_a_list_are_separated_by_commas(output_of: Callable[..., str]) -> None:
    for name, text, shown in (
        ("capture.boundaries", "api/**, *.proto", '["api/**","*.proto"]'),
        ("secretPatterns", "otter-[0-9,]{8},eel_[a-z]{4,9}", '["otter-[0-9,]{8}","eel_[a-z]{4,9}"]'),
    ):
        assert output_of("settings", name, text).startswith(f"{name}: {shown} (global)\n")


@pytest.mark.parametrize("arguments", [("knowlege.ref",), ("knowledge.ref", "bad ref\n"), ("--reset",)])
def test_a_wrong_name_or_value_gets_one_sentence(command: Command, arguments: tuple[str, ...]) -> None:
    failed = command("settings", *arguments)
    assert (failed.returncode, failed.stdout) == (2, b"")
    assert failed.stderr.startswith(b"settings: ")


def test_a_reset_with_a_value_and_an_empty_name_are_refused(command: Command, output_of: Callable[..., str]) -> None:
    output_of("settings", "budgets.low", "20000")
    hint = "(invalidParams)\nhint: `onecode-sidecar settings` lists all settings.\n"
    for arguments, sentence in (
        (("--reset", "budgets.low", "30000"), "--reset takes no value."),
        (("--reset",), "--reset needs the name of a setting."),
        (("",), "There is no setting ``."),
    ):
        assert command("settings", *arguments).stderr.decode() == f"settings: {sentence} {hint}"
    assert output_of("settings", "budgets.low").startswith("budgets.low: 20000 (global)\n")

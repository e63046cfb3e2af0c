"""A command's output contains no control sequences."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.cli import output
from sidecar.cli.output import CommandAnswer, hint_of_command_line, run_and_print, words_of_command_line
from sidecar.cli.report import lines


def test_control_sequences_are_replaced_and_line_breaks_remain(capsys: pytest.CaptureFixture[str]) -> None:
    text = CommandAnswer({}, ["a file: \x1b]0;owned\x07\x9b31m.py", "two\n\tlines – ü"])
    assert run_and_print("explain", argparse.Namespace(json=False), lambda: text) == 0
    assert capsys.readouterr().out == "a file: \ufffd]0;owned\ufffd\ufffd31m.py\ntwo\n\tlines – ü\n"


def test_hints_name_commands_and_leave_out_methods_without_one() -> None:
    assert hint_of_command_line("`memory/list` returns them.") == "`memory list` returns them."
    assert hint_of_command_line("Send `bracket` as returned by `context/bracket`.") == ""
    assert hint_of_command_line("Send its current path.") == "Send its current path."


def test_warnings_name_commands_and_their_options() -> None:
    text = "`session/activate` or `session/exit` brings them in line, or `force`; `registry/put` has no command."
    assert words_of_command_line(text) == (
        "`session activate` or `session exit` brings them in line, or `--force`; `registry/put` has no command."
    )
    assert hint_of_command_line("Exit with `force`.") == "Exit with `--force`."


def test_every_method_that_a_hint_names_is_known() -> None:
    named = {
        method
        for path in Path(output.__file__).parents[1].rglob("*.py")
        for hint in re.findall(r'hint="([^"]*)"', path.read_text(encoding="utf-8"))
        for method in re.findall(r"`([a-z]+/[a-zA-Z]+)`", hint)
    }
    without_command = {"context/bracket", "context/preCompact", "registry/list"}
    assert {method for method in named if not hint_of_command_line(f"`{method}`")} == without_command


def test_the_report_states_each_verdict_once() -> None:
    stage = {"name": "passive", "enabled": True, "verdict": "moreData", "sentence": "Too little data: no prompts."}
    shown = list(lines({"nextStep": {"sentence": "Keep measuring."}, "stages": [stage], "path": "report.html"}))
    assert shown[2] == "passive    on   too little data  no prompts."


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
def test_an_answer_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "sidecar", "hook", "status", "--project", str(tmp_path)]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"The answer cannot be written: No space left on device.\n")
    closed = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *program], stderr=subprocess.PIPE, check=False)
    assert (closed.returncode, closed.stderr) == (0, b"")

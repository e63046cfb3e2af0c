"""A command's output contains no control sequences."""

import argparse

import pytest

from sidecar.cli.output import CommandAnswer, run_and_print


def test_control_sequences_are_replaced_and_line_breaks_remain(capsys: pytest.CaptureFixture[str]) -> None:
    text = CommandAnswer({}, ["a file: \x1b]0;owned\x07\x9b31m.py", "two\n\tlines – ü"])
    assert run_and_print("explain", argparse.Namespace(json=False), lambda: text) == 0
    assert capsys.readouterr().out == "a file: \ufffd]0;owned\ufffd\ufffd31m.py\ntwo\n\tlines – ü\n"

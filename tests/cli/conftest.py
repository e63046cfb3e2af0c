"""Fixtures of the command line's tests."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.command import Command
from tests.support.shop import shop

__all__ = ["shop"]


@pytest.fixture
def output_of(command: Command) -> Callable[..., str]:
    """Runs the command of a test file, which must succeed, and returns its output."""

    def run(*arguments: str, **options: Any) -> str:
        done = command(*arguments, **options)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode().replace("\r\n", "\n")

    return run

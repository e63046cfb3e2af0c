"""A repository whose state takes longer than a call may wait: the call is told what the paths alone say."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repositories import Repository
from tests.support.shop import PROMPT, Talk, text_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script stands before git")


@pytest.fixture
def let_status_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Holds each `git status` back until it is let go."""
    gate, folder, git = tmp_path / "gate", tmp_path / "before", shutil.which("git")
    folder.mkdir()
    script = folder / "git"
    held = f'case " $* " in *" status "*) while [ ! -e "{gate}" ]; do sleep 0.01; done;; esac'
    script.write_text(f'#!/bin/sh\n{held}\nexec "{git}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return gate.touch


def test_a_late_state_leaves_the_paths(talk: Talk, shop: Repository, let_status_go: Callable[[], None]) -> None:
    assert shop.path.is_dir()
    chat = talk()
    before = chat.pre_run(PROMPT, deadlineMs=2_500)
    let_status_go()
    assert (before["action"], before["metadata"]["partial"], before["metadata"]["proof"]) == ("inject", True, None)
    assert {"item": "repository", "reason": "deadline"} in before["metadata"]["trimmed"]
    context = text_of(before, "context")
    assert "src/cart.py" in context
    assert "apply_discount" not in context
    chat.post_run(before, PROMPT)
    after = chat.pre_run("and now fix it")
    assert after["metadata"]["partial"] is False
    assert "apply_discount" in text_of(after, "context")


def test_a_late_state_without_a_path_that_fits_passes_the_prompt_through(
    talk: Talk, let_status_go: Callable[[], None]
) -> None:
    answer = talk().pre_run("Quetzal ornithology?", deadlineMs=300)
    let_status_go()
    assert (answer["action"], answer["reason"]) == ("passthrough", "deadline")

"""What takes longer than a call may wait: the call is told what there is, the paths at least."""

import os
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.memory import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, Talk, text_of
from tests.support.walking import process_of

needs_script = pytest.mark.skipif(sys.platform == "win32", reason="a script stands before git")


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


@needs_script
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


@needs_script
def test_a_late_state_without_a_path_that_fits_passes_the_prompt_through(
    talk: Talk, let_status_go: Callable[[], None]
) -> None:
    answer = talk().pre_run("Quetzal ornithology?", deadlineMs=300)
    let_status_go()
    assert (answer["action"], answer["reason"]) == ("passthrough", "deadline")


def test_files_that_are_still_being_read_are_told_by_their_paths(talk: Talk, active: MemorySidecar) -> None:
    let_go = threading.Event()
    process_of(active).indexing.submit(let_go.wait, 20)
    chat = talk()
    before = chat.pre_run(PROMPT, deadlineMs=1_000)
    let_go.set()
    assert before["metadata"]["partial"] is True
    assert {"item": "context", "reason": "files are still being read"} in before["metadata"]["trimmed"]
    assert "src/cart.py" in text_of(before, "context")
    assert "apply_discount" not in text_of(before, "context")
    chat.post_run(before, PROMPT)
    after = chat.pre_run("and now fix it")
    assert after["metadata"]["partial"] is False
    assert "apply_discount" in text_of(after, "context")

"""Shown files are checked at the last moment against writes without an event."""

import mmap
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of, wait_until_watched
from tests.support.repositories import Repository
from tests.support.shop import text_of

PROMPT = "The discounted price is wrong for odd cents, correct discounted_price"
FILE = "till/prices.py"


@pytest.fixture
def tmp_path(disk_folder: Path) -> Path:
    return disk_folder


@pytest.fixture
def unreported_write(project: Repository, active: MemorySidecar) -> Iterator[None]:
    """A write to the file that no event told of."""
    repository = process_of(active).workspaces.get(str(project.path), None).slices.repository
    assert wait_until_watched(repository)
    descriptor = os.open(project.path / FILE, os.O_RDWR)
    mapping = mmap.mmap(descriptor, 0)
    os.close(descriptor)
    assert wait_until_watched(repository)
    at = mapping.find(b"def discounted_price")
    mapping[at + 4 : at + 20] = b"DISCOUNTED_PRICE"
    assert (repository.state().proof, repository.state().changed) == ("watch", ()), "no event told of it"
    yield
    mapping.close()


needs_exact_watch = pytest.mark.skipif(
    sys.platform != "linux", reason="the watch that tells of everything else is Linux's"
)


@needs_exact_watch
@pytest.mark.usefixtures("unreported_write")
def test_a_write_through_a_memory_map_is_detected_before_the_file_is_sent(conversation: Conversation) -> None:
    answer = conversation.pre_run(PROMPT)
    assert answer["metadata"]["proof"] == "status"
    assert "def DISCOUNTED_PRICE(" in text_of(answer, "context")
    assert f"unstaged: {FILE}" in text_of(answer, "delta")


@needs_exact_watch
@pytest.mark.usefixtures("unreported_write")
def test_what_was_written_meanwhile_is_not_shown_as_it_was_if_the_new_state_is_late(
    conversation: Conversation, release_status: Callable[[], None]
) -> None:
    answer = conversation.pre_run("The percent is applied wrongly, correct that", deadlineMs=1_500)
    release_status()
    assert (answer["action"], answer["reason"]) == ("passthrough", "deadline"), "no path has one of the words"

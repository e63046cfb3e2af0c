"""Hash-based caches: known content is not read again, and changed content is never reused."""

import time
from collections.abc import Callable

import apsw

from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

PROMPT = "The discounted price is wrong for odd cents, correct discounted_price"


def test_known_file_content_is_not_analyzed_again_even_after_a_restart(
    active: MemorySidecar, open_sidecar: Callable[..., MemorySidecar], project: Repository
) -> None:
    cold = active.client.request("codebase/index", {"cwd": str(project.path)})
    active.close()
    again = open_sidecar()
    again.client.initialize()
    project.write({"till/receipt.py": "def print_receipt():\n    return 0\n"})

    warm = again.client.request("codebase/index", {"cwd": str(project.path)})

    assert cold["analysed"] == cold["files"] > 8
    assert warm["analysed"] == 1, "only the edited file is read"
    assert warm["fromCache"] == warm["files"] - 1


def test_a_changed_file_or_head_invalidates_the_cached_pack(active: MemorySidecar, project: Repository) -> None:
    def cache_hit(name: str) -> object:
        return Conversation(active.client, project.path, sub_chat_id=name).pre_run(PROMPT)["metadata"]["cacheHit"]

    assert [cache_hit("a"), cache_hit("b")] == [False, True]
    project.write({"till/prices.py": "def discounted_price(cents, percent):\n    return cents\n"})
    assert [cache_hit("c"), cache_hit("d")] == [False, True]
    project.write({"till/prices.py": "def discounted_price(cents, percent):\n    return 0000\n"})
    assert [cache_hit("e"), cache_hit("f")] == [False, True], "a second edit of a dirty file is another state"
    project.commit(message="Prices")
    assert [cache_hit("g"), cache_hit("h")] == [False, True]


def test_the_pack_is_prefetched_after_a_run_with_edits(conversation: Conversation, active: MemorySidecar) -> None:
    conversation.turn(PROMPT, lambda: [conversation.edit("till/prices.py", "def discounted_price():\n    return 1\n")])
    state_file = apsw.Connection(str(active.client.state_dir / "continuity.db"), flags=apsw.SQLITE_OPEN_READONLY)
    give_up_at = time.monotonic() + 20
    while state_file.execute("SELECT count(*) FROM continuity_pack_cache").get != 2:
        assert time.monotonic() < give_up_at, "no pack was prepared"
        time.sleep(0.01)

    assert conversation.pre_run("continue")["metadata"]["cacheHit"] is True


def test_the_pack_is_prefetched_after_a_burst_of_edits(
    conversation: Conversation, active: MemorySidecar, project: Repository
) -> None:
    conversation.turn(PROMPT)
    assert conversation.pre_run("continue")["metadata"]["cacheHit"] is True, "the preparation after the run is over"
    state_file = apsw.Connection(str(active.client.state_dir / "continuity.db"), flags=apsw.SQLITE_OPEN_READONLY)
    _await_packs(state_file, 1)  # a pack whose state passes before it is written is not written
    for number in range(20):
        project.write({"till/receipt.py": f"def print_receipt():\n    return {number}\n"})
    for _ in range(20):
        active.client.notify("continuity/repoChanged", {"cwd": str(project.path), "paths": ["till/receipt.py"]})
    _await_packs(state_file, 2)

    assert conversation.pre_run("continue")["metadata"]["cacheHit"] is True
    assert state_file.execute("SELECT count(*) FROM continuity_pack_cache").get == 2, "one for each state at rest"


def _await_packs(state_file: apsw.Connection, count: int) -> None:
    give_up_at = time.monotonic() + 20
    while state_file.execute("SELECT count(*) FROM continuity_pack_cache").get != count:
        assert time.monotonic() < give_up_at, "no pack was made"
        time.sleep(0.01)

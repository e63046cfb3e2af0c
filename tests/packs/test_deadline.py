"""Sources that miss the deadline: the call uses what is ready, at least the paths."""

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sidecar.codebase import diff_against, indexer, repository, workspace_search
from sidecar.codebase.file_analysis_worker import FileWords, SummarizedFile
from sidecar.codebase.files import Lister
from sidecar.codebase.worktree import diff
from sidecar.codebase.worktree.incremental_state import IncrementalState
from sidecar.packs import pack_cache, relevant_files
from tests.support.conversation import bash
from tests.support.git_wrapper import needs_script
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of, wait_until_watched
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, draft_each_change, text_of


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the watch needs longer to start")
@pytest.mark.parametrize("step", [(Lister, "list"), (IncrementalState, "update")], ids=["files", "state"])
def test_what_another_thread_reads_is_awaited_until_the_deadline(
    step: tuple[type, str],
    start_chat: StartChat,
    active: MemorySidecar,
    shop: Repository,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chat, process = start_chat(), process_of(active)
    chat.pre_run(PROMPT)
    workspace = process.workspaces.get(str(shop.path), None).slices.repository
    assert wait_until_watched(workspace)
    started, released, original = threading.Event(), threading.Event(), getattr(*step)

    def held(*arguments: Any) -> Any:
        if threading.current_thread() is other:
            started.set()
            released.wait(60)
        return original(*arguments)

    monkeypatch.setattr(*step, held)
    other = threading.Thread(target=lambda: workspace.listing(workspace.state()), daemon=True)
    shop.write({"src/mail.py": "def send() -> None:\n    raise SystemExit('no mail')\n"})
    other.start()
    assert started.wait(20)
    try:
        before = start_chat(sub_chat_id="new").pre_run(PROMPT, deadlineMs=1_500)
    finally:
        released.set()
    other.join()
    assert {"item": "repository", "reason": "deadline"} in before["metadata"]["trimmed"]
    assert before["metadata"]["partial"] is True
    assert "src/cart.py" in text_of(before, "context")
    after = start_chat(sub_chat_id="other").pre_run(PROMPT)
    assert after["metadata"]["partial"] is False
    assert "no mail" in text_of(after, "delta")


def test_a_slow_diff_is_awaited_until_the_deadline(
    start_chat: StartChat, active: MemorySidecar, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat, process = start_chat(), process_of(active)
    chat.pre_run(PROMPT)
    assert wait_until_watched(process.workspaces.get(str(shop.path), None).slices.repository)
    released = threading.Event()

    def held(*arguments: Any) -> Any:
        released.wait(60)
        return diff_against(*arguments)

    monkeypatch.setattr(diff, "is_libgit_loaded", lambda: False)
    monkeypatch.setattr(diff, "diff_against", held)
    shop.write({"src/cart.py": "def total(prices: list[int]) -> int:\n    return 42\n"})
    try:
        before = chat.pre_run("Explain the cart.", deadlineMs=1_500)
    finally:
        released.set()
    assert {"item": "delta", "reason": "deadline"} in before["metadata"]["trimmed"]
    assert "return 42" in text_of(chat.pre_run("Explain the cart again."), "delta")


TURNSTILE, TURNSTILE_PROMPT = "|     raise SystemExit('the turnstile is closed')", "Where does the turnstile close?"


@pytest.fixture
def unread_commit(
    start_chat: StartChat, active: MemorySidecar, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> Iterator[threading.Event]:
    """A checkout with contents that nobody has read; they are indexed when the event is set."""
    monkeypatch.setattr(repository, "MIN_FILES_FOR_WORKERS", 1)
    start_chat().pre_run(PROMPT)
    shop.commit({"src/stock.py": "def reserve(sku: str) -> None:\n    raise SystemExit('the turnstile is closed')\n"})
    released = threading.Event()
    process_of(active).indexing.submit(released.wait, 20)
    yield released
    released.set()


@needs_script
def test_with_a_late_state_files_are_found_by_path(
    start_chat: StartChat, shop: Repository, release_status: Callable[[], None]
) -> None:
    assert shop.path.is_dir()
    chat = start_chat()
    before = chat.pre_run(PROMPT, deadlineMs=2_500)
    release_status()
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
def test_with_a_late_state_and_no_matching_path_the_prompt_passes_through(
    start_chat: StartChat, release_status: Callable[[], None]
) -> None:
    answer = start_chat().pre_run("Quetzal ornithology?", deadlineMs=300)
    release_status()
    assert (answer["action"], answer["reason"]) == ("passthrough", "deadline")


def test_unread_files_show_their_code_by_line_patterns(start_chat: StartChat, active: MemorySidecar) -> None:
    released = threading.Event()
    process_of(active).indexing.submit(released.wait, 20)
    chat = start_chat()
    before = chat.pre_run(PROMPT, deadlineMs=1_000)
    released.set()
    assert before["metadata"]["partial"] is True
    assert {"item": "context", "reason": "files are still being indexed"} in before["metadata"]["trimmed"]
    assert "src/cart.py" in text_of(before, "context")
    assert "|     def apply_discount" in text_of(before, "context")
    chat.post_run(before, PROMPT)
    after = chat.pre_run("and now fix it")
    assert after["metadata"]["partial"] is False
    assert text_of(after, "context") == "", "the session has that code"


def test_unfinished_index_is_searched_once_after_the_last_wait(
    start_chat: StartChat, active: MemorySidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    for name in ("wait_for_index", "find"):
        original = getattr(repository.Repository, name)

        def record(*arguments: Any, _name: str = name, _original: Callable[..., Any] = original, **rest: Any) -> Any:
            events.append(_name)
            return _original(*arguments, **rest)

        monkeypatch.setattr(repository.Repository, name, record)
    released = threading.Event()
    process_of(active).indexing.submit(released.wait, 20)
    answer = start_chat().pre_run(PROMPT, deadlineMs=1_200)
    released.set()
    assert "src/cart.py" in text_of(answer, "context")
    assert events.count("wait_for_index") > 2
    assert events[-2:] == ["wait_for_index", "find"]


def test_files_of_a_large_cold_repository_are_found_by_their_contents(
    start_chat: StartChat, active: MemorySidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository, "MIN_FILES_FOR_WORKERS", 1)
    released = threading.Event()
    process_of(active).indexing.submit(released.wait, 20)
    answer = start_chat().pre_run("Why is there a percent in it?", deadlineMs=4_000)
    released.set()
    assert answer["metadata"]["partial"] is True
    assert "src/cart.py" in text_of(answer, "context")
    assert "|     def apply_discount" in text_of(answer, "context")


def test_unread_files_of_another_commit_are_found_by_their_contents(
    start_chat: StartChat, unread_commit: threading.Event
) -> None:
    answer = start_chat(sub_chat_id="new").pre_run(TURNSTILE_PROMPT, deadlineMs=4_000)
    unread_commit.set()
    assert answer["metadata"]["partial"] is True
    assert TURNSTILE in text_of(answer, "context")


def test_the_code_found_first_is_shown_when_the_rest_is_late(
    start_chat: StartChat, active: MemorySidecar, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_chat().pre_run(PROMPT)
    shop.commit({"notes/plan.md": "The plan.\n"})
    released = threading.Event()
    process_of(active).indexing.submit(released.wait, 20)

    def late(*_: object) -> tuple[tuple[()], tuple[()]]:
        released.wait(20)
        return (), ()

    monkeypatch.setattr(pack_cache, "context_files", late)
    answer = start_chat(sub_chat_id="new").pre_run("Which percent does apply_discount take?", deadlineMs=3_000)
    released.set()
    assert answer["metadata"]["partial"] is True
    assert {"item": "context", "reason": "deadline"} in answer["metadata"]["trimmed"]
    assert "|     def apply_discount" in text_of(answer, "context")


def test_code_of_another_commit_is_shown_while_the_index_is_searched(
    start_chat: StartChat, unread_commit: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object, **__: object) -> list[object]:
        unread_commit.wait(20)
        return []

    monkeypatch.setattr(repository.Repository, "find", late)
    answer = start_chat(sub_chat_id="new").pre_run(TURNSTILE_PROMPT, deadlineMs=3_000)
    unread_commit.set()
    assert {"item": "context", "reason": "deadline"} in answer["metadata"]["trimmed"]
    assert TURNSTILE in text_of(answer, "context")


def test_files_found_by_contents_are_named_when_the_rest_is_late(
    start_chat: StartChat, unread_commit: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object, **__: object) -> tuple[()]:
        unread_commit.wait(20)
        return ()

    monkeypatch.setattr(pack_cache, "_early_matches", late)
    answer = start_chat(sub_chat_id="new").pre_run(TURNSTILE_PROMPT, deadlineMs=3_000)
    unread_commit.set()
    assert "src/stock.py" in text_of(answer, "context")


def test_unread_contents_are_searched_before_the_index_follows_a_checkout(
    active: MemorySidecar, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository, "MIN_FILES_FOR_WORKERS", 1)
    here = process_of(active).workspaces.get(str(shop.path), None).slices.repository
    state = here.state()
    listing = here.listing(state)
    here.wait_for_index(listing, process_of(active).indexing, 20_000)
    shop.commit({"src/stock.py": "raise SystemExit('the turnstile is closed')\n"})
    after, events = here.state(), list[str]()
    update = workspace_search.WorkspaceSearch.update

    def record(*arguments: Any) -> None:
        events.append("index")
        update(*arguments)

    monkeypatch.setattr(workspace_search.WorkspaceSearch, "update", record)
    with here.when_unindexed(lambda: events.append("contents")):
        here.listing(after)
    assert events == ["contents", "index"]
    shop.commit({"src/stock.py": "stock = 1\n"})
    here.listing(here.state())
    assert events == ["contents", "index", "index"], "nobody waits any more"


@pytest.mark.parametrize("prompt", ["refactor", "fix it", "hi", "improve the code"])
def test_a_vague_prompt_brings_no_files_of_a_cold_repository(
    start_chat: StartChat, active: MemorySidecar, monkeypatch: pytest.MonkeyPatch, prompt: str
) -> None:
    monkeypatch.setattr(repository, "MIN_FILES_FOR_WORKERS", 1)
    released = threading.Event()
    process_of(active).indexing.submit(released.wait, 20)
    answer = start_chat().pre_run(prompt, deadlineMs=1_000)
    released.set()
    assert text_of(answer, "context") == ""


def test_a_prompt_that_searches_nothing_does_not_wait_for_a_cold_repository(
    start_chat: StartChat, active: MemorySidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    process_of(active).wait_idle(20)
    waits = list[float]()
    wait = repository.Repository.wait_for_index

    def record(here: Any, listing: Any, pool: Any, wait_ms: float) -> tuple[int, bool]:
        waits.append(wait_ms)
        return wait(here, listing, pool, wait_ms)

    monkeypatch.setattr(repository.Repository, "is_unindexed", lambda _: True)
    monkeypatch.setattr(repository.Repository, "wait_for_index", record)
    for prompt in ("commit", "thanks"):
        answer = chat.pre_run(prompt)
        assert answer["metadata"]["partial"], prompt
        assert text_of(answer, "context") == "", prompt
    assert waits == [0, 0]
    start_chat(sub_chat_id="other").pre_run("How does src/mail.py send mail?")
    assert max(waits[2:], default=0) > 0


def test_words_alone_answer_partially_and_what_follows_is_no_change(
    start_chat: StartChat, active: MemorySidecar, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()

    def held(*arguments: Any, **options: Any) -> Iterator[FileWords | SummarizedFile]:
        for result in in_workers(*arguments, **options):
            if isinstance(result, SummarizedFile):
                released.wait(20)
            yield result

    in_workers = indexer.analyse_in_workers
    monkeypatch.setattr(indexer, "analyse_in_workers", held)
    monkeypatch.setattr(indexer, "MIN_FILES_FOR_WORKERS", 1)
    index = active.client.start("codebase/index", {"cwd": str(shop.path)})
    active.client.inbox.wait_for(
        lambda message: message.get("method") == "$/progress" and message["params"]["value"]["phase"] == "analysis"
    )
    chat, prompt = start_chat(), "Why is there a percent in it?"
    before = chat.pre_run(prompt, deadlineMs=1_500)
    released.set()
    assert before["metadata"]["partial"] is True
    assert "src/cart.py" in text_of(before, "context")
    assert "def apply_discount(self, percent" in text_of(before, "context")
    assert active.client.result(index)["complete"]
    chat.post_run(before, prompt)
    after = chat.pre_run(prompt)
    assert after["metadata"]["partial"] is False
    assert text_of(after, "context") == "", "the session has that code"
    assert text_of(after, "delta") == ""


def test_words_read_before_the_deadline_count_when_the_regions_are_late(
    start_chat: StartChat, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shop.path.is_dir()
    words_sent, released = threading.Event(), threading.Event()

    def held(*arguments: Any, **options: Any) -> Iterator[FileWords | SummarizedFile]:
        for result in in_workers(*arguments, **options):
            (released if isinstance(result, SummarizedFile) else words_sent).wait(20)
            yield result

    def late(*_: object) -> tuple[()]:
        released.wait(20)
        return ()

    in_workers = indexer.analyse_in_workers
    monkeypatch.setattr(indexer, "analyse_in_workers", held)
    monkeypatch.setattr(indexer, "MIN_FILES_FOR_WORKERS", 1)
    for module in (pack_cache, relevant_files):
        monkeypatch.setattr(module, "with_early_regions", late)
    threading.Timer(0.3, words_sent.set).start()
    answer = start_chat().pre_run("Why is there a percent in it?", deadlineMs=4_000)
    released.set()
    assert answer["metadata"]["partial"] is True
    assert "src/cart.py" in text_of(answer, "context")


@needs_script
@pytest.mark.parametrize("prompt", ["Quetzal ornithology?", PROMPT], ids=["passed through", "paths alone"])
@pytest.mark.parametrize("commits", [False, True], ids=["written", "committed"])
def test_a_late_baseline_still_attributes_the_runs_changes(
    prompt: str,
    commits: bool,
    start_chat: StartChat,
    active: MemorySidecar,
    shop: Repository,
    release_status: Callable[[], None],
) -> None:
    shop.write({"src/mail.py": "mine = 'the user'\n"})
    chat = draft_each_change(start_chat())
    before = chat.pre_run(prompt, deadlineMs=2_500 if prompt == PROMPT else 300)
    assert before["metadata"]["proof"] is None
    first = chat.edit("src/invoice.py", "first = 'before the look is over'\n")
    release_status()
    assert process_of(active).wait_idle(20)
    change = {"src/cart.py": "class Cart: ...\n", "src/tax.py": "RATE = 19\n"}
    shop.write(change)
    if commits:
        shop.git("add", *change)
        shop.git("commit", "--quiet", "--message", "Tax", "--", *change)
    after = chat.post_run(before, prompt, assistant={"parts": [first, bash("make implement", "")]})
    (drafted,) = after["artifacts"]
    assert chat.artifact(drafted["id"])["provenance"]["files"] == ["src/cart.py", "src/invoice.py", "src/tax.py"]


@needs_script
def test_a_baseline_after_the_run_attributes_nothing(
    start_chat: StartChat, active: MemorySidecar, shop: Repository, release_status: Callable[[], None]
) -> None:
    shop.write({"src/mail.py": "mine = 'the user'\n"})
    chat = draft_each_change(start_chat())
    before = chat.pre_run(PROMPT, deadlineMs=2_500)
    threading.Timer(0.3, release_status).start()
    part = chat.edit("src/cart.py", "class Cart: ...\n")
    after = chat.post_run(before, PROMPT, assistant={"parts": [part, bash("make", "")]})
    (drafted,) = after["artifacts"]
    assert chat.artifact(drafted["id"])["provenance"]["files"] == ["src/cart.py"]
    assert process_of(active).wait_idle(20)

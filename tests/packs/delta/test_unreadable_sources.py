"""A failing source is omitted and named: the run continues, and valid statements are not retracted."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sidecar.codebase import repository
from sidecar.codebase.files import read_from_worktree
from tests.packs.test_pack_cache import packs_in, prepared
from tests.support.conversation import kinds, sent
from tests.support.git_wrapper import needs_script, prepend_git_wrapper
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, explain, text_of

Failing = Callable[[str], Any]


@pytest.fixture
def git_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Failing:
    """Make a git command fail for a while."""
    folder = tmp_path / "before"
    lines = f'for word in "$@"; do [ -e "{folder}/$word.fails" ] && exit 1; done'
    prepend_git_wrapper(folder, lines, monkeypatch)

    @contextmanager
    def for_a_while(command: str) -> Generator[None]:
        mark = folder / f"{command}.fails"
        mark.touch()
        yield
        mark.unlink()

    return for_a_while


@pytest.fixture
def rules_unreadable(git_fails: Failing) -> Callable[[], Any]:
    """Make files outside of `src/` unreadable for a while, in the worktree and among git's objects."""

    def read(cwd: Path, path: str, *rest: Any) -> bytes | None:
        return read_from_worktree(cwd, path, *rest) if path.startswith("src/") else None

    @contextmanager
    def for_a_while() -> Generator[None]:
        with pytest.MonkeyPatch.context() as context, git_fails("cat-file"):
            context.setattr(repository, "read_from_worktree", read)
            yield

    return for_a_while


def trimmed(answer: Any) -> list[str]:
    return [omission["item"] for omission in answer["metadata"]["trimmed"]]


@needs_script
def test_temporarily_unreadable_rules_are_not_retracted_and_their_pack_is_not_cached(
    start_chat: StartChat, active: MemorySidecar, shop: Repository, rules_unreadable: Callable[[], Any]
) -> None:
    chat = start_chat()
    first = chat.turn(PROMPT)
    prepared(active)
    before = packs_in(active)
    shop.write({"AGENTS.md": "- Never use floats for money.\n- Always round up.\n"})
    with rules_unreadable():
        blind = chat.turn("and now fix it")
        prepared(active)
        assert packs_in(active) == before
    assert "no longer" not in sent(blind)
    assert blind["system"] == first["system"]
    assert "anchor" in trimmed(blind)
    after, other = chat.pre_run("go on"), start_chat(sub_chat_id="other").pre_run(PROMPT)
    assert "now: Always round up." in text_of(after, "delta")
    assert "- Always round up." in other["system"]["text"]
    assert "make test" in other["system"]["text"]
    assert "anchor" not in trimmed(other)


@needs_script
def test_a_session_started_without_rules_receives_them_once_readable(
    start_chat: StartChat, rules_unreadable: Callable[[], Any]
) -> None:
    chat = start_chat()
    with rules_unreadable():
        first = chat.turn(PROMPT)
    assert "anchor" in trimmed(first)
    after = chat.turn("and now fix it")
    assert "Never use floats for money." in sent(after)
    assert "Never use floats" not in text_of(chat.pre_run("go on"), "delta")


@needs_script
def test_rules_in_the_worktree_are_read_without_git(start_chat: StartChat, git_fails: Failing) -> None:
    with git_fails("cat-file"):
        answer = start_chat().turn(PROMPT)
    assert "anchor" not in trimmed(answer)
    assert "Never use floats for money." in sent(answer)


@needs_script
def test_an_unreadable_state_reports_no_rule_changes(
    start_chat: StartChat, shop: Repository, git_fails: Failing
) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    shop.commit({"src/mail.py": "mails = 1\n"})
    with git_fails("status"):
        answer = chat.pre_run("and now fix it")
    assert "no longer" not in sent(answer)


def test_a_failed_file_search_leaves_anchor_and_delta(
    start_chat: StartChat, active: MemorySidecar, shop: Repository
) -> None:
    """Without the state file's search table, the rest of a call still works."""
    shop.write({"src/mail.py": "mails = 1\n"})
    with process_of(active).database.write() as tx:
        tx.execute("ALTER TABLE continuity_search_cache RENAME TO elsewhere")
    chat = start_chat("codex")
    answer = chat.pre_run(PROMPT)
    assert (kinds(answer)[0], kinds(answer)[-1]) == ("anchor", "delta")
    assert "mails = 1" in text_of(answer, "delta")
    assert {"item": "context", "reason": "it could not be read"} in answer["metadata"]["trimmed"]
    assert explain(chat, answer)["metadata"]["trimmed"] == answer["metadata"]["trimmed"]
    with process_of(active).database.write() as tx:
        tx.execute("ALTER TABLE elsewhere RENAME TO continuity_search_cache")
    assert kinds(chat.pre_run(PROMPT)) == ["anchor", "context", "delta"]

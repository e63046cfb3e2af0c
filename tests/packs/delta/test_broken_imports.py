"""Imports that moves and deletions broke are named in the delta: each once, and again only if it breaks again."""

import shutil
import threading
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.codebase.workspace_search import WorkspaceSearch
from tests.support.conversation import Conversation, bash
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, text_of

HEADING = "Imports that lead nowhere since files were moved or deleted:"


@pytest.fixture
def scripts(shop: Repository) -> Repository:
    shop.commit(
        {
            "web/money.ts": "import { round } from './round';\nexport const euros = (n: number) => round(n);\n",
            "web/round.ts": "export const round = Math.round;\n",
            "web/cart.ts": "import { euros } from './money';\nexport const shown = euros(2);\n",
            "web/till.ts": "import { euros } from '../web/money';\nexport const paid = euros(3);\n",
            "web/other.ts": "import money from 'money';\nexport const other = money;\n",
        }
    )
    return shop


def move(repository: Repository, path: str, to: str) -> None:
    (repository.path / to).parent.mkdir(parents=True, exist_ok=True)
    shutil.move(repository.path / path, repository.path / to)


def broken(chat: Conversation, prompt: str = "go on") -> list[str]:
    """Return the lines about broken imports in the next turn's delta."""
    _, heading, lines = text_of(chat.turn(prompt), "delta").partition(f"{HEADING}\n")
    return [line.strip() for line in lines.splitlines()] if heading else []


def test_importers_of_a_moved_file_are_named_once(start_chat: StartChat, scripts: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    move(scripts, "web/money.ts", "lib/money.ts")
    assert broken(chat) == [
        "of web/money.ts (now lib/money.ts) in",
        "web/cart.ts: ./money",
        "web/till.ts: ../web/money",
        "of web/round.ts in",
        "lib/money.ts: ./round",
    ]
    assert broken(chat) == []


def test_an_import_that_was_repaired_and_breaks_again_is_named_again(
    start_chat: StartChat, scripts: Repository
) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    move(scripts, "web/round.ts", "lib/round.ts")
    lines = ["of web/round.ts (now lib/round.ts) in", "web/money.ts: ./round"]
    assert broken(chat) == lines
    move(scripts, "lib/round.ts", "web/round.ts")
    assert broken(chat) == []
    move(scripts, "web/round.ts", "lib/round.ts")
    assert broken(chat) == lines


def test_only_what_is_new_is_named_while_others_are_repaired(start_chat: StartChat, scripts: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    (scripts.path / "web/money.ts").unlink()
    assert broken(chat) == ["of web/money.ts (deleted) in", "web/cart.ts: ./money", "web/till.ts: ../web/money"]
    scripts.write({"web/cart.ts": "export const shown = 2;\n"})
    assert broken(chat) == []
    scripts.write({"web/late.ts": "import { euros } from './money';\nexport const late = euros(4);\n"})
    assert broken(chat) == ["of web/money.ts (deleted) in", "web/late.ts: ./money"]


def test_imports_that_were_moved_with_their_files_are_not_broken(start_chat: StartChat, scripts: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    for name in ("money", "round", "cart"):
        move(scripts, f"web/{name}.ts", f"lib/{name}.ts")
    (scripts.path / "web/till.ts").write_text("import { euros } from '../lib/money';\nexport const paid = euros(3);\n")
    assert broken(chat) == []


def test_what_the_agent_broke_itself_is_named(start_chat: StartChat, shop: Repository) -> None:
    package = {"src/__init__.py": "", "src/rates.py": "VAT = 19\n"}
    shop.commit({**package, "src/bill.py": "from src.rates import VAT\n\nTOTAL = VAT\n"})
    chat = start_chat()

    def work() -> list[dict[str, object]]:
        move(shop, "src/rates.py", "src/taxes/rates.py")
        return [bash("mv src/rates.py src/taxes/rates.py", "")]

    chat.turn(PROMPT, work)
    assert broken(chat) == ["of src/rates.py (now src/taxes/rates.py) in", "src/bill.py: src.rates.VAT"]


def test_a_module_that_became_a_package_breaks_nothing(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"src/rates.py": "VAT = 19\n", "src/bill.py": "from src.rates import VAT\n\nTOTAL = VAT\n"})
    chat = start_chat()
    chat.turn(PROMPT)
    move(shop, "src/rates.py", "src/rates/__init__.py")
    assert broken(chat) == []


def test_a_long_list_is_cut_and_counted(start_chat: StartChat, scripts: Repository) -> None:
    scripts.commit({f"web/page{number}.ts": "import { euros } from './money';\n" for number in range(30)})
    chat = start_chat()
    chat.turn(PROMPT)
    (scripts.path / "web/money.ts").unlink()
    lines = broken(chat)
    assert len(lines) == 22
    assert lines[-1] == "… 12 more"


@pytest.fixture
def many_moves(scripts: Repository) -> Callable[[], None]:
    """Commit files; the returned function moves more of them than are searched at once."""
    scripts.commit(
        {
            **{f"web/part{number}.ts": f"export const n = {number};\n" for number in range(12)},
            "web/all.ts": "".join(f"export * from './part{number}';\n" for number in range(12)),
        }
    )

    def move_all() -> None:
        for number in range(12):
            move(scripts, f"web/part{number}.ts", f"lib/part{number}.ts")

    return move_all


def test_imports_broken_by_many_moves_are_named_with_the_next_prompt(
    start_chat: StartChat, many_moves: Callable[[], None], active: MemorySidecar
) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    many_moves()
    assert broken(chat) == []
    assert process_of(active).wait_idle(20)
    assert "web/all.ts: ./part11" in broken(chat)


def test_a_search_in_the_background_runs_once_and_again_if_it_failed(
    start_chat: StartChat, many_moves: Callable[[], None], active: MemorySidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    searched: list[object] = []
    may_fail, search = threading.Event(), WorkspaceSearch.broken_imports

    def search_or_fail(self: WorkspaceSearch, *arguments: Any) -> Any:
        searched.append(arguments)
        if len(searched) == 1:
            may_fail.wait(20)
            raise LookupError
        return search(self, *arguments)

    monkeypatch.setattr(WorkspaceSearch, "broken_imports", search_or_fail)
    many_moves()
    assert broken(chat) == broken(chat) == []
    assert len(searched) == 1
    may_fail.set()
    assert process_of(active).wait_idle(20)
    assert broken(chat) == []
    assert process_of(active).wait_idle(20)
    assert "web/all.ts: ./part11" in broken(chat)
    assert len(searched) == 2

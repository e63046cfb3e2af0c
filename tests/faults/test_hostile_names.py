"""Names that control a terminal, turn the direction of text or hold a secret reach no output."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli import main
from sidecar.cli.output import terminal_safe
from sidecar.core.clean_text import UNSAFE, visible, visible_json
from tests.support.cases import together
from tests.support.conversation import Conversation, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, active, shop, start_chat

__all__ = ["active", "shop", "start_chat"]

TOKEN = "ghp_" + "a1B2c3D4e5" * 4
NAMES = ("esc\x1b[2Jape.py", "turned\u202eyp.py", "line\nbreak.py", "bell\x07.md", "c1\u009b.py", f"{TOKEN}.py")
TEXT = "def price():\n    return 1\n"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows allows no such names")


@pytest.fixture
def chat(start_chat: StartChat) -> Conversation:
    """A conversation in a repository with hostile file names, branch, memory, registry and session file."""
    chat = start_chat()
    for name in NAMES:
        (chat.cwd / "src" / name).write_text(TEXT)
    repository = Repository(chat.cwd)
    repository.git("checkout", "--quiet", "-b", f"fix/{TOKEN}\u202ex")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "Add\x1b[31m names")
    for name in (NAMES[0], NAMES[2], NAMES[5]):
        (chat.cwd / "src" / f"new {name}").write_text(TEXT)
    where = {"cwd": chat.project_path}
    chat.client.request("memory/add", {**where, "text": "Prices are cents.", "title": "Cents"})
    folder = chat.cwd / ".chati" / "memories" / "shared" / "durable"
    (folder / "hostile.md").write_text(
        "---\nid: mem-2026-01-01-001\ntype: decision\n---\n\n# T\x1b[2Jitle \u202eevil\n\nOn\x07e.\n"
    )
    return chat


def leaves(value: Any) -> Iterator[str]:
    """Yield every text of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)


READS: tuple[tuple[str, dict[str, Any] | None], ...] = (
    ("codebase/state", {}), ("codebase/index", {}), ("codebase/search", {"query": "price"}), ("memory/list", {}),
    ("memory/search", {"query": "evil title"}), ("memory/get", {"id": "mem-2026-01-01-001"}), ("memory/status", {}),
    ("registry/list", {}), ("registry/decide", {"intent": "add a price function"}), ("registry/health", {}),
    ("context/compose", {}), ("session/status", {}), ("state/status", None), ("state/report", None),
)  # fmt: skip


def test_no_method_returns_what_controls_a_terminal_or_a_token(chat: Conversation) -> None:
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", TEXT)])
    for method, params in READS:
        where = {} if params is None else {"cwd": str(chat.cwd), **params}
        answer = chat.client.answer(chat.client.start(method, where))
        found = [text for text in leaves(answer) if UNSAFE.search(text) or TOKEN in text]
        assert found == [], method
    pages = [path.read_text(encoding="utf-8") for path in chat.client.state_dir.glob("*.html")]
    assert not any(UNSAFE.search(page) or TOKEN in page for page in pages)


def test_no_pack_names_them_and_they_are_counted(chat: Conversation) -> None:
    answer = chat.pre_run("Correct price in src, all of it")
    assert not UNSAFE.search(sent(answer))
    assert TOKEN not in sent(answer)
    index = chat.client.request("codebase/index", {"cwd": str(chat.cwd)})
    assert index["unsafeNames"] == len(NAMES) + 3
    (chat.cwd / "src" / NAMES[0]).unlink()
    (chat.cwd / "src" / NAMES[1]).write_text(TEXT + "# edited\n")
    (chat.cwd / "src" / f"left out as a picture in any case {NAMES[0]}.png").write_text(TEXT)
    index = chat.client.request("codebase/index", {"cwd": str(chat.cwd)})
    assert index["unsafeNames"] == len(NAMES) + 3 - 1
    state = chat.client.request("codebase/state", {"cwd": str(chat.cwd)})
    assert not any("\n" in file["path"] or TOKEN in file["path"] for file in state["changed"])
    assert TOKEN not in (state["branch"] or "")


def test_no_command_prints_them(
    chat: Conversation, active: MemorySidecar, capsys: pytest.CaptureFixture[str], state_dir: Path
) -> None:
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", TEXT)])
    active.close()
    project = ["--project", str(chat.cwd), "--state-dir", str(state_dir)]
    for command in (
        ["memory", "list", *project], ["memory", "show", "mem-2026-01-01-001", *project], ["doctor", *project],
        ["memory", "list", "--json", *project], ["status", "--state-dir", str(state_dir)],
        ["explain", "--state-dir", str(state_dir)], ["memory", "show", "x\x1b[2J", *project],
    ):  # fmt: skip
        main.run(command)
        printed = capsys.readouterr()
        assert not UNSAFE.search(printed.out + printed.err), command
        assert TOKEN not in printed.out, command


@together(
    "text, expected",
    [
        ("plain\ttext\n", "plain\ttext\n"), ("a\x1b[2Jb", "a\ufffd[2Jb"), ("a\u202eb", "a\ufffdb"),
        ("one\r\ntwo\rthree", "one\r\ntwo\ufffdthree"), ("\x7f\x9b\u2066", "\ufffd" * 3),
        ("back\\u001b slash \\\\r \\b", "back\\u001b slash \\\\r \\b"), ("größe 日本 🙂", "größe 日本 🙂"),
    ],
)  # fmt: skip
def test_unsafe_characters_are_replaced_in_texts_and_in_json(text: str, expected: str) -> None:
    assert visible(text) == expected
    assert json.loads(visible_json(json.dumps(text, ensure_ascii=False))) == expected
    assert terminal_safe(text.replace("\r\n", "\n")) == expected.replace("\r\n", "\n")

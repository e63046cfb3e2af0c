"""Secrets are not stored, not even in part: a run's texts are masked before they are cut."""

from pathlib import Path

from sidecar.capture.devlog_draft import devlog
from sidecar.capture.effects.run_activity import STEP_CHARACTERS, RunCommand, activity_of
from sidecar.capture.finished_run import stored_plan
from sidecar.capture.test_results import OUTPUT_CHARACTERS, outcomes_of
from sidecar.language.closing_message import account_of
from sidecar.language.own_words import request_of
from tests.support.cases import together
from tests.support.depth import is_thorough
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.secret_shapes import TOKENS, shows
from tests.support.shop import PROMPT, StartChat


@together(("number", "name"), enumerate(TOKENS))
def test_a_secret_is_masked_before_a_draft_is_cut(number: int, name: str) -> None:
    secret = TOKENS[name]
    places = range(0, 90, 7)
    for before in places if is_thorough() else places[number % 6 :: 6]:
        text = f"{'word ' * before} {secret.text} more. Then"
        account = account_of(f"Fixed the {text}")
        drafted = devlog(account.title.text, [], account, [], 1, request=request_of(text))
        assert not shows(drafted.title + drafted.body, secret)
    for lines in (0, 40, 200) if is_thorough() else ((0, 40, 200)[number % 3],):
        assert not shows(stored_plan("a line of the plan\n" * lines + secret.text), secret)


@together("name", TOKENS)
def test_a_secret_in_a_test_name_or_output_is_not_stored(name: str) -> None:
    secret = TOKENS[name]
    output = f"E   assert '{secret.text}' == 2\nFAILED tests/test_a.py::test_it[{secret.text}] - no\n1 failed in 0.1s\n"
    for before in (0, OUTPUT_CHARACTERS - len(output) + len(secret.text) // 2 + 5):
        (found,) = outcomes_of((RunCommand("pytest -q", "." * before + output, 1, failed=True),))
        assert not any(shows(text, secret) for text in (*found.names, found.excerpt))


def test_a_line_of_a_private_key_in_an_output_is_not_stored() -> None:
    body = "".join(secret.value for secret in TOKENS.values() if secret.value.isalnum())[:640]
    lines = "\n".join(f"E   {body[at : at + 64]}" for at in range(0, 640, 64))
    key = f"-----BEGIN RSA PRIVATE {'KEY'}-----\n{lines}\n-----END RSA PRIVATE {'KEY'}-----"
    (found,) = outcomes_of((RunCommand("pytest -q", f"{key}\nE   assert 1 == 2\n1 failed in 0.1s\n", 1, failed=True),))
    assert body[:16] not in found.excerpt
    assert "assert 1 == 2" in found.excerpt


@together("name", TOKENS)
def test_a_secret_in_a_step_is_masked_before_the_step_is_cut(name: str) -> None:
    secret = TOKENS[name]
    before = "word " * (STEP_CHARACTERS // 5)
    for there in range(10, len(secret.text), 9):
        content = f"{before[: STEP_CHARACTERS - there - 1]} {secret.text} after"
        part = {"type": "tool-TodoWrite", "input": {"todos": [{"content": content, "status": "pending"}]}}
        work = activity_of([part], ())
        assert work.todos is not None
        ((stored, _),) = work.todos
        assert secret.text[: len(secret.text) // 2] not in stored
        assert not shows(stored, secret)


def test_names_and_commit_subjects_with_secrets_are_not_stored(
    active: MemorySidecar, shop: Repository, start_chat: StartChat
) -> None:
    tokens = {place: f"{'gl'}pat-{place}B3xY7kLm2Qw9Zp4Rt" for place in ("subject", "folder", "new", "named", "words")}
    shop.commit({"src/cart.py": "# cart\n", f"{tokens['folder']}/x.py": "x = 1\n"}, f"Fix \x1b[31m {tokens['subject']}")
    shop.commit({"src/cart.py": "# the cart\n"}, "Fix the cart")
    named = f"src/{tokens['named']}.py"
    for cwd, provider in ((shop.path, "claude"), (shop.path / tokens["folder"], "codex")):
        chat = start_chat(provider, cwd=cwd, sub_chat_id=provider)
        chat.turn(
            PROMPT, lambda chat=chat: [chat.edit("total.py", "t = 1\n"), chat.edit(f"{tokens['new']}.py", "n = 1\n")]
        )
        read = {"type": "tool-Read", "state": "result", "input": {"file_path": str(shop.path / named)}}
        chat.turn("and now the discount", lambda chat=chat, read=read: [read, chat.edit("total.py", "t = 2\n")])
    entity = {"cwd": str(shop.path), "id": "code/cart", "path": "src/cart.py"}
    active.client.request(
        "registry/put", {**entity, "purpose": f"Total {tokens['words']}", "keywords": [tokens["words"]]}
    )
    active.client.request("registry/list", {"cwd": str(shop.path)})
    refused = active.client.answer(
        active.client.start("registry/put", {**entity, "path": named, "id": "code/x", "purpose": "x"})
    )
    assert refused["error"]["data"]["kind"] == "invalidParams"
    process = active.app.process
    assert process is not None
    process.workspaces.get(str(shop.path), None).slices.repository.shared.store()
    state_dir = process.state_dir
    active.close()
    found = {
        (path.name, place)
        for folder in (state_dir, shop.path / ".chati")
        for path in folder.rglob("*")
        if path.is_file()
        for place, token in tokens.items()
        if token.encode() in path.read_bytes()
    }
    assert found == set()
    assert [b"\x1b" + b"[31m" in path.read_bytes() for path in Path(state_dir, "indexes").iterdir()] == [False]

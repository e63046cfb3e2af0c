"""Files too large to be analysed: their line count, and the lines that a prompt is about."""

from collections.abc import Callable

import pytest

from sidecar.codebase import Repository as CodeRepository
from sidecar.codebase.summary import MAX_ANALYSED_BYTES
from sidecar.codebase.summary.summarize import FREQUENT_WORDS, MAX_LARGE_WORDS, summarize
from sidecar.core.terms import count_terms
from tests.codebase.codebase_client import CodebaseClient
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of
from tests.support.repositories import Repository
from tests.support.shop import active

__all__ = ["active"]

FILLER = "".join(f"def step_{number}(cart):\n    return cart.lines[{number}]\n\n\n" for number in range(12_000))
REFUND = "def refund_voucher(voucher):\n    check(voucher)\n    return voucher.cents\n\n\n"
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "refundvouchersecret/AAAA\n" * 40 + "-----END RSA PRIVATE KEY-----\n"
LARGE = FILLER + REFUND + FILLER.replace("step", "later")


@pytest.fixture
def project(make_repository: Callable[..., Repository]) -> Repository:
    assert len(LARGE) > MAX_ANALYSED_BYTES
    return make_repository({"till/all.py": LARGE, "till/prices.py": '"""Prices."""\n\nRATE = 3\n'}, name="till")


def test_the_definition_that_a_prompt_names_is_shown_with_the_files_line_count(
    active: MemorySidecar, project: Repository
) -> None:
    answer = Conversation(active.client, project.path).pre_run("In till/all.py refund_voucher returns the wrong cents")
    block = answer["blocks"][0]["text"].splitlines()
    first = FILLER.count("\n") + 1
    heading = f"till/all.py — {LARGE.count(chr(10)):,} lines"
    assert block[block.index(heading) + 1 :][:1] == [f"{first}| def refund_voucher(voucher):"]
    assert f"{first + 2}|     return voucher.cents" in block


def test_every_prompt_gets_its_own_lines(active: MemorySidecar, project: Repository) -> None:
    chat = Conversation(active.client, project.path)
    chat.turn("In till/all.py refund_voucher returns the wrong cents")
    second = chat.pre_run("Now look at later_4711 in till/all.py, and step_17")["blocks"][-1]["text"]
    assert "| def later_4711(cart):" in second
    assert "| def step_17(cart):" in second
    assert "refund_voucher" not in second


def test_a_place_that_a_stack_trace_names_is_shown(active: MemorySidecar, project: Repository) -> None:
    trace = 'It fails:\n  File "till/all.py", line 20001, in step_5000\nKeyError'
    answer = Conversation(active.client, project.path).pre_run(trace)
    assert "20001| def step_5000(cart):" in answer["blocks"][0]["text"]


def test_a_key_in_a_large_file_is_not_shown(active: MemorySidecar, project: Repository) -> None:
    project.commit({"till/all.py": FILLER + KEY + FILLER})
    answer = Conversation(active.client, project.path).pre_run("Where is refundvouchersecret in till/all.py?")
    assert "refundvouchersecret/" not in str(answer["blocks"])


@pytest.mark.parametrize("content", [LARGE, LARGE.rstrip("\n"), "\0" + LARGE, "a,b\n" * 5_000_000])
def test_lines_are_counted_committed_and_edited(active: MemorySidecar, project: Repository, content: str) -> None:
    process = process_of(active)
    repository = CodeRepository(process.workspaces.get(str(project.path), None), process)

    def counted() -> int:
        listing = repository.listing(repository.state())
        return repository.summaries({"till/all.py": listing.files["till/all.py"]})["till/all.py"].lines

    expected = 0 if content[0] == "\0" or len(content) > 2**24 else len(content.splitlines())
    project.write({"till/all.py": content})
    if len(content) < 2**24:
        assert counted() == expected
    project.commit()
    assert counted() == expected


def test_a_large_file_is_found_by_its_words(active: MemorySidecar, project: Repository) -> None:
    found = active.client.request("codebase/search", {"cwd": str(project.path), "query": "refund_voucher"})
    assert [file["path"] for file in found["files"]] == ["till/all.py"]
    assert found["regions"][0]["text"].splitlines()[0].endswith("| def refund_voucher(voucher):")
    answer = Conversation(active.client, project.path).pre_run("Why does refund_voucher return the wrong cents?")
    assert "| def refund_voucher(voucher):" in answer["blocks"][0]["text"]


def test_the_last_line_of_a_large_file_is_its_last(active: MemorySidecar, project: Repository) -> None:
    project.commit({"till/all.sql": "INSERT INTO t VALUES (1);\n" * 40_000 + "CREATE TRIGGER audit_ledger;\n"})
    CodebaseClient(active.client, project.path).index()
    found = active.client.request("codebase/search", {"cwd": str(project.path), "query": "audit_ledger"})
    (region,) = [region for region in found["regions"] if "audit_ledger" in region["text"]]
    assert region["text"].splitlines()[-1] == "40001| CREATE TRIGGER audit_ledger;"


def test_large_bundles_and_recorded_chats_are_not_found(active: MemorySidecar, project: Repository) -> None:
    bundle = "var quail_pen=1;" * 60_000
    chat = "<!-- Generated by SpecStory -->\n" + "the quail_pen is open\n" * 40_000
    project.commit({"dist/app.js": bundle, "notes/chat.md": chat, "till/open.py": "quail_pen = 1\n"})
    found = active.client.request("codebase/search", {"cwd": str(project.path), "query": "quail_pen"})
    assert [file["path"] for file in found["files"] if file["matched"]] == ["till/open.py"]


def test_a_large_file_has_few_words_names_first_and_none_of_a_secret() -> None:
    letters = "abcdefghijklmnop"
    words = [f"{a}{b}{c}x{d}" for a in letters for b in letters for c in letters for d in "qrs"]
    token = "ghp_" + "aZbYcXdWeV" * 4
    text = "\n".join(["filler line"] * 60_000 + words + [f"token = {token}", "def late_name():", ""])
    summary = summarize("till/words.txt", text.encode())
    (chunk,) = summary.chunks
    assert (summary.analysis, summary.lines) == ("large", text.count("\n"))
    assert count_terms("filler line late_name").keys() <= chunk.keys()
    assert len(chunk) <= 3 * (MAX_LARGE_WORDS + FREQUENT_WORDS)
    assert not [term for term in chunk if "azbycx" in term.casefold()]

"""The anchor is cached while its sources are unchanged, and rebuilt after a change."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.codebase import Repository as CodeRepository
from sidecar.packs.anchor import NO_ACCEPTED_RECORDS, AcceptedRecords, AnchorCache
from sidecar.packs.model import HostInjects
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat

SENDS_NOTHING = HostInjects()


@pytest.fixture
def repository(active: MemorySidecar, shop: Repository) -> CodeRepository:
    process = process_of(active)
    return CodeRepository(process.workspaces.get(str(shop.path), None), process)


def lines(
    anchors: AnchorCache,
    repository: CodeRepository,
    host: HostInjects = SENDS_NOTHING,
    accepted: AcceptedRecords = NO_ACCEPTED_RECORDS,
    limit: int = 3_900,
) -> Any:
    state = repository.state()
    return anchors.lines(repository, state, repository.listing(state), host, accepted, limit).lines


def change_rules(shop: Repository) -> None:
    shop.write({"AGENTS.md": "- Always round up.\n"})


def drop_rules(shop: Repository) -> None:
    (shop.path / "AGENTS.md").unlink()


def add_area(shop: Repository) -> None:
    shop.write({"web/page.ts": "export const page = 1\n", "web/README.md": "# Web\n\nThe pages customers see.\n"})


def add_purpose(shop: Repository) -> None:
    shop.write({"src/README.md": "# Source\n\nEverything that runs.\n"})


def add_decision(shop: Repository) -> None:
    shop.commit({"docs/adr/0002-mail.md": "# Mail is queued\n\nStatus: accepted\n"})


def rename_area(shop: Repository) -> None:
    shop.git("mv", "src", "lib")


def check_out_another(shop: Repository) -> None:
    shop.git("checkout", "--quiet", "--orphan", "other")
    shop.git("rm", "--quiet", "-r", "-f", "src", "tests")
    shop.commit(message="Nothing but rules")


CHANGES = (change_rules, drop_rules, add_area, add_purpose, add_decision, rename_area, check_out_another)


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_source_changes_the_next_anchor(
    repository: CodeRepository, shop: Repository, change: Callable[[Repository], None]
) -> None:
    anchors = AnchorCache()
    before = lines(anchors, repository)
    change(shop)
    after = lines(anchors, repository)
    assert after != before
    assert after == lines(AnchorCache(), repository)


def test_incremental_changes_yield_the_same_anchor_as_a_first_build(
    repository: CodeRepository, shop: Repository
) -> None:
    anchors = AnchorCache()
    for change in (add_area, add_purpose, change_rules, rename_area, add_decision, drop_rules):
        lines(anchors, repository)
        change(shop)
        assert lines(anchors, repository) == lines(AnchorCache(), repository)
        shop.commit()
        assert lines(anchors, repository) == lines(AnchorCache(), repository)


def test_an_unrelated_change_keeps_the_anchor_without_reading_files(
    repository: CodeRepository, shop: Repository
) -> None:
    anchors = AnchorCache()
    before = lines(anchors, repository)
    shop.write({"src/cart.py": "class Cart: ...\n", "src/new.py": "x = 1\n"})
    assert lines(anchors, repository) is before
    (shop.path / "src" / "new.py").unlink()
    shop.commit({"src/cart.py": "class Cart:\n    pass\n"})
    assert lines(anchors, repository) is before


def test_the_anchor_depends_on_host_files_rejected_approaches_and_budget(repository: CodeRepository) -> None:
    anchors = AnchorCache()
    before = lines(anchors, repository)
    assert lines(anchors, repository, HostInjects(agents_md=True)) != before
    assert lines(anchors, repository, accepted=AcceptedRecords(("Floats",))) != before
    assert lines(anchors, repository, limit=200) != before
    assert lines(anchors, repository) is before


def test_the_target_of_a_linked_host_file_is_omitted(repository: CodeRepository, shop: Repository) -> None:
    (shop.path / "CLAUDE.md").symlink_to("AGENTS.md")
    assert not any("floats" in line for line in lines(AnchorCache(), repository, HostInjects(claude_md=True)))
    assert any("floats" in line for line in lines(AnchorCache(), repository))


def test_dependencies_and_fragile_files_appear_once_known_and_remain_during_indexing(
    active: MemorySidecar, repository: CodeRepository, shop: Repository
) -> None:
    shop.write({f"src/{area}/__init__.py": f'"""The {area}."""\n' for area in ("cart", "money")})
    shop.commit({f"src/cart/{number}.py": "from src.money import cents\n" for number in range(3)})
    for number in range(5):
        shop.commit({"src/cart/0.py": f"from src.money import cents\n\n{number}\n"}, message=f"Fix the total, {number}")
    anchors, cold = AnchorCache(), lines(AnchorCache(), repository)
    assert not any("→" in line for line in cold)
    repository.start_indexing(repository.listing(repository.state()), process_of(active).indexing).result()
    known = lines(anchors, repository)
    assert "- src/cart → money" in known
    assert any(line.startswith("- src/cart/0.py: a fix was followed by another one") for line in known)
    assert known == lines(AnchorCache(), repository)
    shop.write({"src/cart/1.py": "import json\n", "src/cart/new.py": "import json\n"})
    assert lines(anchors, repository) is known
    shop.commit(message="Fix the total, once more")
    repository.start_indexing(repository.listing(repository.state()), process_of(active).indexing).result()
    assert lines(anchors, repository) is known


def test_a_folders_purpose_is_no_comment_of_one_of_its_definitions(
    repository: CodeRepository, shop: Repository
) -> None:
    shop.commit(
        {
            "go.mod": "module till\n",
            "ui/ui.go": "package ui\n\n// Serve returns a handler that serves the pages.\nfunc Serve() {}\n",
            "mail/mail.go": "// Package mail sends receipts.\npackage mail\n\n// Send sends one.\nfunc Send() {}\n",
            "store/store.go": "package store\n\n// Store handles all sales of a day.\ntype Store struct{}\n",
        }
    )
    known = lines(AnchorCache(), repository)
    assert "- mail/: Package mail sends receipts." in known
    assert "- store/: Store handles all sales of a day." in known
    assert not any(line.startswith("- ui/") for line in known)


def test_warnings_above_definitions_are_landmines_and_remain_during_indexing(
    active: MemorySidecar, repository: CodeRepository, shop: Repository
) -> None:
    shop.commit(
        {
            "src/pay.py": "# HACK: the bank drops the second call,\n# so wait.\ndef pay():\n    return 1\n",
            "src/print.ts": "// Do not reorder.\nexport function print() {\n  return 1\n}\n",
            "tests/test_pay.py": "# WARNING: slow.\ndef test_pay():\n    pass\n",
        }
    )
    anchors = AnchorCache()
    assert "Landmines:" not in lines(anchors, repository)
    repository.start_indexing(repository.listing(repository.state()), process_of(active).indexing).result()
    known = lines(anchors, repository)
    start = known.index("Landmines:")
    assert known[start + 1 : start + 3] == (
        "- `pay`: HACK: the bank drops the second call, so wait. (src/pay.py:1)",
        "- `print`: Do not reorder. (src/print.ts:1)",
    )
    assert not any("slow" in line for line in known)
    shop.write({"src/pay.py": "def pay():\n    return 1\n"})
    assert lines(anchors, repository) == known
    repository.start_indexing(repository.listing(repository.state()), process_of(active).indexing).result()
    assert not any("HACK" in line for line in lines(anchors, repository))


def test_below_the_top_the_rules_of_the_folders_above_hold(start_chat: StartChat, shop: Repository) -> None:
    shop.commit(
        {"AGENTS.md": "- Never log cards.\n", "src/CLAUDE.md": "- Always round up.\n", "src/cart/total.py": "a = 1\n"}
    )
    below = start_chat(cwd=shop.path / "src/cart")

    def rules() -> list[str]:
        text = below.pre_run(PROMPT, subChatId=str(next(sub_chats)))["system"]["text"]
        return [line for line in text.splitlines() if "Never" in line or "Always" in line]

    sub_chats = itertools.count()
    assert rules() == ["- Always round up. (../CLAUDE.md:1)", "- Never log cards. (../../AGENTS.md:1)"]
    shop.write({"AGENTS.md": "- Never log names.\n", ".gitignore": "CLAUDE.md\n"})
    shop.git("rm", "--quiet", "--cached", "src/CLAUDE.md")
    assert rules() == ["- Never log names. (../../AGENTS.md:1)"], "an ignored file is not read"


def test_an_edited_instruction_file_is_in_the_next_calls_anchor(start_chat: StartChat, shop: Repository) -> None:
    first = start_chat(sub_chat_id="one").pre_run(PROMPT)["system"]["text"]
    Path(shop.path / "AGENTS.md").write_text("- Never ship on Fridays.\n", encoding="utf-8")
    second = start_chat(sub_chat_id="two").pre_run(PROMPT)["system"]["text"]
    assert "Never ship on Fridays" not in first
    assert "Never ship on Fridays" in second
    assert "Never use floats" not in second


def test_a_lock_file_that_appears_changes_the_commands(shop: Repository, repository: CodeRepository) -> None:
    shop.commit({"web/package.json": '{"scripts": {"test": "vitest"}}'})
    anchors = AnchorCache()
    assert "- in web/: test `npm test` (web/package.json)" in lines(anchors, repository)
    shop.commit({"web/pnpm-lock.yaml": "lockfileVersion: 9\n", "scripts/check.sh": "exit 0\n"})
    found = lines(anchors, repository)
    assert "- in web/: test `pnpm test` (web/package.json)" in found
    assert "- check: `scripts/check.sh` (scripts/check.sh)" in found

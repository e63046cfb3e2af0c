"""Search by paths alone: only existing files that may be shown."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.codebase import search_paths
from tests.support.repositories import Repository

FILES = {
    "src/cart/discount.py": "", "src/cart/CartTotal.ts": "", "src/mail/send.py": "", "docs/discounts.md": "",
    "src/cart/discount.pem": "", "src/scarthing.py": "", "src/größe/naïve discount.py": "",
}  # fmt: skip


@pytest.fixture
def made(make_repository: Callable[..., Repository]) -> Repository:
    return make_repository(FILES)


def paths(made: Repository, text: str, limit: int = 16) -> list[str]:
    return [file.path for file in search_paths(made.path, text, limit)]


def test_files_match_by_words_in_their_paths(made: Repository) -> None:
    results = search_paths(made.path, "Why does the cart ignore discounts?", 16)
    assert results[0].path == "src/cart/discount.py"
    assert set(results[0].matched) == {"cart", "discount"}
    assert {file.path for file in results} == {
        "src/cart/discount.py", "src/cart/CartTotal.ts", "docs/discounts.md", "src/größe/naïve discount.py",
    }  # fmt: skip


def test_path_in_the_text_comes_first(made: Repository) -> None:
    assert paths(made, "the cart's discount is wrong, see src/mail/send.py")[0] == "src/mail/send.py"


def test_part_of_a_compound_name_matches_but_part_of_a_word_does_not(made: Repository) -> None:
    assert paths(made, "total") == ["src/cart/CartTotal.ts"]
    assert "src/scarthing.py" not in paths(made, "cart")


def test_missing_untracked_and_linked_files_are_left_out(made: Repository) -> None:
    (made.path / "src/cart/discount.py").unlink()
    (made.path / "docs/discounts.md").unlink()
    if sys.platform != "win32":
        (made.path / "docs/discounts.md").symlink_to(made.path / "src/mail/send.py")
    made.write({"discount_new.py": ""})
    assert paths(made, "discount") == ["src/größe/naïve discount.py"]


def test_folder_without_a_repository_has_no_results(tmp_path: Path) -> None:
    (tmp_path / "cart.py").touch()
    assert search_paths(tmp_path, "cart", 16) == []


def test_path_search_respects_the_limit(made: Repository) -> None:
    assert len(paths(made, "discount cart", 2)) == 2

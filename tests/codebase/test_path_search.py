"""The first look: paths alone, by a text's words, only files that are there and may be shown."""

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
    return [one.path for one in search_paths(made.path, text, limit)]


def test_files_are_found_by_the_words_in_their_paths(made: Repository) -> None:
    found = search_paths(made.path, "Why does the cart ignore discounts?", 16)
    assert found[0].path == "src/cart/discount.py"
    assert set(found[0].matched) == {"cart", "discount"}
    assert {one.path for one in found} == {
        "src/cart/discount.py", "src/cart/CartTotal.ts", "docs/discounts.md", "src/größe/naïve discount.py",
    }  # fmt: skip


def test_a_path_in_the_text_leads(made: Repository) -> None:
    assert paths(made, "the cart's discount is wrong, see src/mail/send.py")[0] == "src/mail/send.py"


def test_a_word_inside_of_another_word_is_none_but_a_part_of_a_name_is_one(made: Repository) -> None:
    assert paths(made, "total") == ["src/cart/CartTotal.ts"]
    assert "src/scarthing.py" not in paths(made, "cart")


def test_what_is_gone_untracked_or_a_link_is_not_told(made: Repository) -> None:
    (made.path / "src/cart/discount.py").unlink()
    (made.path / "docs/discounts.md").unlink()
    if sys.platform != "win32":
        (made.path / "docs/discounts.md").symlink_to(made.path / "src/mail/send.py")
    made.write({"discount_new.py": ""})
    assert paths(made, "discount") == ["src/größe/naïve discount.py"]


def test_a_folder_without_a_repository_tells_nothing(tmp_path: Path) -> None:
    (tmp_path / "cart.py").touch()
    assert search_paths(tmp_path, "cart", 16) == []


def test_no_more_are_told_than_asked_for(made: Repository) -> None:
    assert len(paths(made, "discount cart", 2)) == 2

"""Search without an index, by paths or by contents: only existing files that may be shown."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.codebase import search_contents, search_paths
from tests.support.git_wrapper import needs_script, prepend_git_wrapper
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


def test_word_in_a_files_own_name_counts_more_than_one_in_its_folder(made: Repository) -> None:
    assert paths(made, "cart") == ["src/cart/CartTotal.ts", "src/cart/discount.py"]


def test_missing_untracked_and_linked_files_are_left_out(made: Repository) -> None:
    (made.path / "src/cart/discount.py").unlink()
    (made.path / "docs/discounts.md").unlink()
    if sys.platform != "win32":
        (made.path / "docs/discounts.md").symlink_to(made.path / "src/mail/send.py")
    made.write({"discount_new.py": ""})
    assert paths(made, "discount") == ["src/größe/naïve discount.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="such names cannot be on Windows, but git may have them")
def test_a_name_that_is_not_utf_8_keeps_no_other_file_out(made: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on Windows, which decodes the names of files in another way."""
    made.commit({"src/discount-\udce9.py": ""})
    monkeypatch.setattr(os, "fsdecode", lambda name: name.decode("utf-8", "surrogatepass"))
    assert "src/cart/discount.py" in paths(made, "discount")


def test_folder_without_a_repository_has_no_results(tmp_path: Path) -> None:
    (tmp_path / "cart.py").touch()
    assert search_paths(tmp_path, "cart", 16) == []


def test_path_search_respects_the_limit(made: Repository) -> None:
    assert len(paths(made, "discount cart", 2)) == 2


CONTENTS = {
    "shop/prices.py": "def round_half_even(cents):\n    return cents\n",
    "shop/cart.py": "from shop.prices import round_half_even\n\n# the discount of a cart\n",
    "shop/mail.py": "# sends a mail\n",
    "tests/test_prices.py": "def test_round_half_even():\n    assert round_half_even(1)\n",
    "secret.pem": "discount of round_half_even\n",
}


@pytest.fixture
def shop(make_repository: Callable[..., Repository]) -> Repository:
    return make_repository(CONTENTS)


def found(shop: Repository, text: str, limit: int = 8) -> list[str]:
    return [file.path for file in search_contents(shop.path, text, limit, 10.0)]


def test_contents_with_the_rarest_words_come_first_and_tests_for_their_own_words(shop: Repository) -> None:
    assert found(shop, "Why does `round_half_even` ignore the discount?") == ["shop/cart.py", "shop/prices.py"]
    assert found(shop, "the test of `round_half_even` fails")[0] == "tests/test_prices.py"


def test_contents_are_found_by_parts_of_names_in_any_case(shop: Repository) -> None:
    (file,) = search_contents(shop.path, "Sends are late", 8, 10.0)
    assert (file.path, file.matched, file.parts) == ("shop/mail.py", ("send",), {"contents": 6.0})


def test_a_quoted_text_counts_more_than_its_words(shop: Repository) -> None:
    shop.commit({"shop/rounding.py": "# round cents\n# cents, round\n", "shop/texts.py": "TEXT = 'Round the cents'\n"})
    assert found(shop, "round the cents")[0] == "shop/rounding.py"
    assert found(shop, 'it says "Round the cents"')[0] == "shop/texts.py"


def test_content_search_respects_the_limit(shop: Repository) -> None:
    assert found(shop, "round_half_even", limit=1) == ["shop/cart.py"]


def test_what_looks_like_an_expression_is_searched_as_text(shop: Repository) -> None:
    assert found(shop, "what does a.*b(c|d)[e do in $mail?") == ["shop/mail.py"]


@needs_script
def test_a_git_without_perl_expressions_finds_the_same(
    shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = found(shop, "round_half_even of the discount")
    prepend_git_wrapper(tmp_path / "git", 'case " $* " in *" -P "*) exit 128;; esac', monkeypatch)
    assert expected
    assert found(shop, "round_half_even of the discount") == expected


@needs_script
def test_a_git_without_a_limit_of_matches_finds_the_same(
    shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = search_contents(shop.path, "Why is the discount percent wrong?", 8, 5)
    refuse = 'case " $* " in *" --max-count=50 "*) echo "unknown option" >&2; exit 129;; esac'
    prepend_git_wrapper(tmp_path / "before", refuse, monkeypatch)
    assert found
    assert search_contents(shop.path, "Why is the discount percent wrong?", 8, 5) == found


def test_catalogues_and_data_are_not_searched(make_repository: Callable[..., Repository]) -> None:
    files = {"src/cart.py": "discount = 1\n", "locale/de.po": 'msgid "discount"\n', "data/prices.csv": "discount\n"}
    found = search_contents(make_repository(files).path, "discount", 8, 5)
    assert [file.path for file in found] == ["src/cart.py"]


@needs_script
def test_contents_that_are_late_are_not_found(
    shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepend_git_wrapper(tmp_path / "before", 'case " $* " in *" grep "*) sleep 5;; esac', monkeypatch)
    assert search_contents(shop.path, "discount", 8, 0.1) == []


def test_contents_without_a_repository_or_words_are_not_found(shop: Repository, tmp_path: Path) -> None:
    assert search_contents(tmp_path, "discount", 8, 10.0) == []
    assert search_contents(shop.path, "", 8, 10.0) == []


def test_the_users_settings_of_grep_change_nothing(shop: Repository) -> None:
    expected = found(shop, "discount")
    for name in ("lineNumber", "column", "fullName"):
        shop.git("config", f"grep.{name}", "true")
    shop.git("config", "color.grep", "always")
    assert found(shop, "discount") == expected == ["shop/cart.py"]

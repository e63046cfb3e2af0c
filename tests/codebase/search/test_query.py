"""A query's terms, identifiers and scope, and whether it mentions tests or documents."""

import pytest

from sidecar.codebase.search import parse_query
from tests.support.cases import together


def test_query_terms_are_unique_and_without_stop_words() -> None:
    assert parse_query("Please fix the carts, and the cart's total").terms == ("fix", "cart", "total")
    assert parse_query("?! 12 the").terms == ()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("why does LruCache evict", {"lrucach"}),
        ("call cart.add_line twice", {"addlin"}),
        ("fix the cart", set()),
    ],
)
def test_identifiers_are_distinguished_from_plain_words(text: str, names: set[str]) -> None:
    assert names <= set(parse_query(text).identifiers)
    assert bool(parse_query(text).identifiers) == bool(names)


def test_qualified_names_of_every_language_are_identifiers() -> None:
    for text in ("`Cart.total` is wrong", "`Cart:total` is wrong", "`Cart::total` is wrong"):
        assert {"cart", "total"} <= set(parse_query(text).identifiers), text


@together(
    ("text", "scope"),
    [
        ("fix(router): no slash at the end", {"router"}),
        ("feat(cart-total)!: round", {"cart", "total"}),
        ("refactor(types/http): x", {"typ", "http"}),
        ("http: keep the header", {"http"}),
        ("  fix(Routers): x", {"router"}),
        ("no scope here: nothing", set()),
        ("see http://example.org", set()),
        ("fix the cart", set()),
        ("fix(): x", set()),
        ("", set()),
    ],
)
def test_conventional_commit_scope_is_parsed(text: str, scope: set[str]) -> None:
    assert parse_query(text).scope == scope


@together("text", ["fix the failing tests", "improve coverage", "add a spec", "the e2e run", "a fixture"])
def test_text_that_mentions_tests(text: str) -> None:
    assert parse_query(text).mentions_tests
    assert not parse_query(text).mentions_documents


@pytest.mark.parametrize("text", ["update the readme", "documentation of carts", "the changelog", "config of lint"])
def test_text_that_mentions_documents(text: str) -> None:
    assert parse_query(text).mentions_documents
    assert not parse_query(text).mentions_tests


def test_text_that_mentions_neither_tests_nor_documents() -> None:
    query = parse_query("the latest special price of a testament")
    assert not query.mentions_tests
    assert not query.mentions_documents


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("`main` is slow", ("main",)),
        ("call `total()` twice", ("total",)),
        ("in _urls.py and cart.total", ("total",)),
        ("till::Cart.total", ("cart", "total")),
    ],
)
def test_quoted_and_qualified_names_are_identifiers_but_file_names_are_not(
    text: str, identifiers: tuple[str, ...]
) -> None:
    assert parse_query(text).identifiers == identifiers


def test_a_tables_column_is_no_name_in_code() -> None:
    assert parse_query("call carts.owner twice").identifiers == ("owner",)
    query = parse_query("the carts.owner column is empty")
    assert query.identifiers == ()
    assert {"cart", "owner"} <= set(query.terms)
    assert query.seeks_view("src/cart.css") < 0, "the column is none on the screen"
    assert parse_query("a migration, like carts.fill() and Cart.owner").identifiers == ("fill", "cart", "owner")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("schema.parse must accept nullable values", "pars"),
        ("grid.resize breaks the last column", "resiz"),
        ("in the last column grid.resize throws", "resiz"),
        ("migrate session.fetch_all to async", "fetchal"),
        ("the schema.parse call rejects a nullable column", "pars"),
    ],
)
def test_a_method_beside_words_of_databases_is_a_name_in_code(text: str, name: str) -> None:
    assert name in parse_query(text).identifiers

"""Imports between parts, by specifiers alone; incremental counts equal a full count."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase.search import DependencyGraph, PackageNames
from tests.support.cases import together

NO_NAMES = PackageNames()
NAMES = PackageNames(
    packages=(("@shop/core", "packages/core/"), ("shop_core", "crates/core/")),
    modules=(("shop.mail", "shop/mail/"), ("shop.core", "shop/core/"), ("lib", "src/lib/")),
    go_module="example.org/shop",
)


@together(
    ("path", "specifier", "reached"),
    [
        ("shop/mail/send.py", "shop.core.money.cents", "shop/core/"),
        ("shop/mail/send.py", "..core.money", "shop/core/"),
        ("shop/mail/send.py", ".queue", None),
        ("shop/mail/send.py", "core", None),
        ("tools/a.py", "lib.names", "src/lib/"),
        ("src/web/page.ts", "../lib/names", "src/lib/"),
        ("src/web/page.ts", "@/lib/names", "src/lib/"),
        ("src/web/page.ts", "../web.css", None),
        ("src/web/page.svelte", "$lib/names", "src/lib/"),
        ("packages/web/src/page.ts", "@shop/core/cart", "packages/core/"),
        ("packages/web/src/page.ts", "../../core/src/cart", "packages/core/"),
        ("packages/web/src/page.ts", "react", None),
        ("web/page.go", "example.org/shop/core/money", "core/"),
        ("web/page.go", "example.org/other/core", None),
        ("web/page.go", "net/http", None),
        ("crates/web/src/page.rs", "shop_core::money", "crates/core/"),
        ("src/web/page.rs", "crate::lib::names", "src/lib/"),
        ("src/web/page.rs", "std::fmt", None),
        ("src/web/test_page.py", "lib.names", None),
        ("main.go", "example.org/shop/core", "core/"),
        ("notes.md", "../core", None),
    ],
)
def test_import_specifier_maps_to_a_part(path: str, specifier: str, reached: str | None) -> None:
    reach = DependencyGraph()
    reach.put(path, (specifier,))
    parts = frozenset(
        ("shop/", "shop/mail/", "shop/core/", "src/", "src/lib/", "src/web/", "packages/core/", "packages/web/",
         "core/", "web/", "crates/core/", "crates/web/", "tools/")
    )  # fmt: skip
    found = reach.dependencies(parts, NAMES)
    assert [other for others in found.values() for other in others] == ([reached] if reached else [])


def test_single_import_among_many_files_is_not_a_dependency() -> None:
    reach = DependencyGraph()
    for number in range(6):
        reach.put(f"a/{number}.ts", ("../b/x", *(["../c/x"] if number == 0 else [])))
    assert reach.dependencies(frozenset(("a/", "b/", "c/")), NO_NAMES) == {"a/": {"b/": 6}}


folders = st.sampled_from(["a", "b", "a/x", "b/y", "."])
files = st.builds(lambda folder, number: f"{folder}/{number}.ts".removeprefix("./"), folders, st.integers(0, 3))
imports = st.lists(st.builds(lambda folder: f"./../{folder}/m", folders), max_size=3)


@given(st.lists(st.tuples(files, st.one_of(st.none(), imports)), max_size=20))
def test_incremental_counts_equal_a_full_count(steps: list[tuple[str, list[str] | None]]) -> None:
    parts = frozenset(("a/", "b/", "a/x/", "b/y/"))
    graph, left = DependencyGraph(), dict[str, list[str]]()
    for path, imported in steps:
        if imported is None:
            graph.remove(path)
            left.pop(path, None)
        else:
            graph.put(path, imported)
            left[path] = imported
        graph.dependencies(parts, NO_NAMES)
    rebuilt = DependencyGraph()
    for path in sorted(left):
        rebuilt.put(path, left[path])
    assert graph.dependencies(parts, NO_NAMES) == rebuilt.dependencies(parts, NO_NAMES)

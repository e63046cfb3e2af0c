"""Dependencies and fragile files in an anchor's lines."""

from sidecar.codebase import FragileFile, PackageNames
from sidecar.packs.anchor import MAX_FRAGILE_FILES, dependency_lines, fragile_file_lines, import_names


def test_siblings_have_short_names_and_tests_and_examples_are_omitted() -> None:
    reach = {
        "": {"shop/": 3},
        "shop/mail/": {"shop/core/": 2, "web/": 9, "tests/": 3},
        "shop/core/": {},
        "examples/": {"shop/": 3},
    }
    assert dependency_lines(reach) == ("- files at the top → shop", "- shop/mail → core, web")


def test_only_the_most_imported_folders_are_shown_in_alphabetical_order() -> None:
    reach = {"a/": {f"{letter}/": 1 + 4 * (letter > "f") for letter in "bcdefghijklm"}}
    assert dependency_lines(reach) == ("- a → b, g, h, i, j, k, l, m",)


def test_import_names_come_from_manifests_and_python_package_roots() -> None:
    texts = {
        "packages/core/package.json": '{"name": "@shop/core"}',
        "crates/core/Cargo.toml": '[package]\nname = "shop-core"\n',
        "go.mod": "module example.org/shop\n",
    }
    areas = ["crates/core/", "packages/core/", "shop/mail/", "src/flask/"]
    names = import_names(areas, texts, {"shop/__init__.py", "shop/mail/__init__.py", "src/flask/__init__.py"})
    assert names.packages == (("shop_core", "crates/core/"), ("@shop/core", "packages/core/"))
    assert names.go_module == "example.org/shop"
    assert dict(names.modules)["flask"] == "src/flask/"
    assert "mail" not in dict(names.modules)
    assert import_names([], {"go.mod": "x", "package.json": "["}, ()) == PackageNames()


def test_files_whose_changes_went_wrong_in_the_same_way_share_a_line() -> None:
    troubles = [FragileFile("a.py", 6, "Lock\nit"), *(FragileFile(f"{number}.py", 3, "") for number in range(9))]
    assert fragile_file_lines(troubles) == (
        (
            "- a.py: changes were reverted more than once, for example “Lock it”; "
            "a fix was followed by another one within two weeks, at least 6 times in a year: "
            "test changes here with care"
        ),
        (
            "- 0.py, 1.py, 2.py, 3.py: a fix was followed by another one within two weeks, "
            "at least 3 times in a year: test changes here with care"
        ),
    )
    assert MAX_FRAGILE_FILES == 1 + 4

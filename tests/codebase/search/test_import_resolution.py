"""Import specifiers resolve by each language's rules; external ones resolve to nothing."""

from itertools import product

import pytest

from sidecar.codebase.search import MAX_FILES, Documents, FileTree, resolve_import
from tests.support.cases import together

PYTHON = (
    "shop/__init__.py",
    "shop/cart.py",
    "shop/types.pyi",
    "shop/tax/__init__.py",
    "shop/tax/rates.py",
    "src/till/till.py",
)
SCRIPT = ("src/cart.ts", "src/App.tsx", "src/tax/index.ts", "src/old.js", "src/env.d.ts", "src/page.vue",
          "src/both.js", "src/both.ts", "lib/index.js", "index.js", "src/styles/a.mts")  # fmt: skip
GO = ("main.go", "internal/cart/cart.go", "internal/cart/tax.go", "internal/cart/readme.md", "docs/a.md")
RUST = ("src/lib.rs", "src/cart.rs", "src/cart/line.rs", "src/tax/mod.rs", "src/tax/rates.rs",
        "crates/till-core/src/lib.rs", "crates/till-core/src/drawer.rs", "crates/app/src/main.rs",
        "crates/app/src/ui.rs", "crates/app/src/ui/page.rs")  # fmt: skip
NATIVE = ("src/cart.c", "src/cart.h", "include/shop/tax.h", "a/twice.h", "b/twice.h", "include/other.hpp")
RUBY = ("lib/shop.rb", "lib/shop/cart.rb", "spec/cart_spec.rb", "spec/spec_helper.rb")
JAVA = ("src/main/java/com/shop/Cart.java", "src/main/kotlin/com/shop/Tax.kt", "app/Shop/Till.cs")


def _led_to(path: str, specifier: str, *paths: str) -> list[str]:
    documents = Documents()
    for known_path in dict.fromkeys((path, *paths)):
        documents.add(known_path, None)
    return resolve_import(path, specifier, FileTree(documents, documents.ending_with, documents.in_folder))


@together(
    ("path", "specifier", "found"),
    [
        ("app.py", "shop.cart", "shop/cart.py"),
        ("app.py", "shop.cart.Cart", "shop/cart.py"),
        ("app.py", "shop.cart.Cart.total", "shop/cart.py"),
        ("app.py", "shop", "shop/__init__.py"),
        ("app.py", "shop.tax", "shop/tax/__init__.py"),
        ("app.py", "shop.types", "shop/types.pyi"),
        ("app.py", "till.till.Drawer", "src/till/till.py"),
        ("tests/test_cart.py", "shop.tax.rates.RATES", "shop/tax/rates.py"),
        ("shop/cart.py", ".tax", "shop/tax/__init__.py"),
        ("shop/cart.py", ".tax.rates", "shop/tax/rates.py"),
        ("shop/cart.py", ".Cart", "shop/__init__.py"),
        ("shop/cart.py", ".", "shop/__init__.py"),
        ("shop/tax/rates.py", "..cart.Cart", "shop/cart.py"),
        ("shop/tax/rates.py", "..", "shop/__init__.py"),
        ("shop/tax/rates.py", "....cart", None),
        ("app.py", "os.path", None),
        ("app.py", "typing", None),
        ("app.py", "..cart", None),
    ],
)
def test_python_modules_and_packages_are_resolved(path: str, specifier: str, found: str | None) -> None:
    assert _led_to(path, specifier, *PYTHON) == ([found] if found else [])


def test_package_at_the_top_of_the_workspace_is_resolved() -> None:
    assert _led_to("cart.py", ".Cart", "__init__.py") == ["__init__.py"]
    assert _led_to("tax/rates.py", "..Cart", "__init__.py") == ["__init__.py"]


@together(
    ("path", "specifier", "found"),
    [
        ("src/App.tsx", "./cart", "src/cart.ts"),
        ("src/cart.ts", "./App", "src/App.tsx"),
        ("src/cart.ts", "./App.js", "src/App.tsx"),
        ("src/App.tsx", "./cart.js", "src/cart.ts"),
        ("src/App.tsx", "./both.js", "src/both.js"),
        ("src/App.tsx", "./both", "src/both.ts"),
        ("src/App.tsx", "./tax", "src/tax/index.ts"),
        ("src/App.tsx", "./tax/", "src/tax/index.ts"),
        ("src/App.tsx", "./tax/index.js", "src/tax/index.ts"),
        ("src/App.tsx", "./env", "src/env.d.ts"),
        ("src/App.tsx", "./page.vue", "src/page.vue"),
        ("src/App.tsx", "./styles/a.mjs", "src/styles/a.mts"),
        ("src/tax/index.ts", "../cart", "src/cart.ts"),
        ("src/App.tsx", "../lib", "lib/index.js"),
        ("src/tax/index.ts", ".", "src/tax/index.ts"),
        ("src/old.js", "./cart", "src/cart.ts"),
        ("src/App.tsx", "@/cart", "src/cart.ts"),
        ("src/App.tsx", "~/tax", "src/tax/index.ts"),
        ("src/App.tsx", "./nowhere", None),
        ("src/App.tsx", "../../outside", None),
        ("src/App.tsx", "react", None),
        ("src/App.tsx", "@scope/cart", None),
        ("src/App.tsx", "node:fs", None),
    ],
)
def test_scripts_are_resolved_with_any_extension(path: str, specifier: str, found: str | None) -> None:
    assert _led_to(path, specifier, *SCRIPT) == ([found] if found else [])


@pytest.mark.parametrize(
    ("path", "specifier"), [("test/a.js", ".."), ("test/a.js", "../"), ("a.ts", "."), ("a.ts", "./")]
)
def test_index_file_at_the_top_of_the_workspace_is_resolved(path: str, specifier: str) -> None:
    assert _led_to(path, specifier, "index.js") == ["index.js"]


def test_go_import_resolves_to_all_files_of_the_package() -> None:
    files = ["internal/cart/cart.go", "internal/cart/tax.go"]
    assert _led_to("main.go", "example.org/till/internal/cart", *GO) == files
    assert _led_to("main.go", "fmt", *GO) == []
    assert _led_to("main.go", "example.org/till/docs", *GO) == []
    assert _led_to("main.go", "golang.org/x/sync/errgroup", *GO) == []


def test_very_large_go_package_resolves_to_nothing() -> None:
    many = [f"cart/{number:02}.go" for number in range(MAX_FILES)]
    assert _led_to("main.go", "example.org/cart", *many) == many
    assert _led_to("main.go", "example.org/cart", *many, "cart/x.go") == []


@together(
    ("path", "specifier", "found"),
    [
        ("src/lib.rs", "self::cart", "src/cart.rs"),
        ("src/lib.rs", "self::tax", "src/tax/mod.rs"),
        ("src/cart.rs", "self::line", "src/cart/line.rs"),
        ("src/tax/mod.rs", "self::rates", "src/tax/rates.rs"),
        ("src/tax/rates.rs", "crate::cart::Cart", "src/cart.rs"),
        ("src/lib.rs", "crate::tax::rates::RATES", "src/tax/rates.rs"),
        ("src/cart/line.rs", "super::super::tax::Tax", "src/tax/mod.rs"),
        ("src/tax/rates.rs", "super::rates", "src/tax/rates.rs"),
        ("src/tax/mod.rs", "super::cart::Cart", "src/cart.rs"),
        ("crates/app/src/ui/page.rs", "crate::ui::Ui", "crates/app/src/ui.rs"),
        ("crates/app/src/main.rs", "till_core::drawer::Drawer", "crates/till-core/src/drawer.rs"),
        ("src/lib.rs", "std::collections::HashMap", None),
        ("src/lib.rs", "serde::Serialize", None),
    ],
)
def test_rust_modules_and_crates_are_resolved(path: str, specifier: str, found: str | None) -> None:
    assert _led_to(path, specifier, *RUST) == ([found] if found else [])


@pytest.mark.parametrize(
    ("path", "specifier", "found"),
    [
        ("crates/app/src/main.rs", "till_core::Drawer", "crates/till-core/src/lib.rs"),
        ("src/cart.rs", "crate::Shop", "src/lib.rs"),
        ("src/cart/line.rs", "super::Cart", "src/cart.rs"),
        ("src/tax/rates.rs", "super", "src/tax/mod.rs"),
    ],
)
def test_item_of_a_rust_module_resolves_to_its_file(path: str, specifier: str, found: str) -> None:
    assert _led_to(path, specifier, *RUST) == [found]


@together(
    ("path", "specifier", "found"),
    [
        ("src/cart.c", "cart.h", "src/cart.h"),
        ("src/cart.c", "shop/tax.h", "include/shop/tax.h"),
        ("src/cart.c", "../include/shop/tax.h", "include/shop/tax.h"),
        ("src/cart.c", "tax.h", "include/shop/tax.h"),
        ("a/x.c", "twice.h", "a/twice.h"),
        ("src/cart.c", "twice.h", None),
        ("src/cart.c", "stdio.h", None),
        ("src/cart.cpp", "other.hpp", "include/other.hpp"),
    ],
)
def test_include_resolves_to_the_nearest_header(path: str, specifier: str, found: str | None) -> None:
    assert _led_to(path, specifier, *NATIVE) == ([found] if found else [])


@together(
    ("path", "specifier", "found"),
    [
        ("lib/shop.rb", "shop/cart", "lib/shop/cart.rb"),
        ("lib/shop.rb", "./shop/cart", "lib/shop/cart.rb"),
        ("spec/cart_spec.rb", "spec_helper", "spec/spec_helper.rb"),
        ("spec/cart_spec.rb", "../lib/shop", "lib/shop.rb"),
        ("lib/shop.rb", "json", None),
    ],
)
def test_ruby_files_are_resolved_relatively_and_on_the_load_path(path: str, specifier: str, found: str | None) -> None:
    assert _led_to(path, specifier, *RUBY) == ([found] if found else [])


@together(
    ("path", "specifier", "found"),
    [
        ("src/main/java/com/shop/Main.java", "com.shop.Cart", "src/main/java/com/shop/Cart.java"),
        ("src/main/java/com/shop/Main.java", "com.shop.Cart.total", "src/main/java/com/shop/Cart.java"),
        ("src/main/java/com/shop/Main.java", "com.shop.Tax", "src/main/kotlin/com/shop/Tax.kt"),
        ("src/main/kotlin/com/shop/Main.kt", "com.shop.Cart", "src/main/java/com/shop/Cart.java"),
        ("app/Shop/Main.cs", "Shop.Till", "app/Shop/Till.cs"),
        ("src/main/java/com/shop/Main.java", "java.util.List", None),
        ("src/main/java/com/shop/Main.java", "com.shop", None),
    ],
)
def test_dotted_name_resolves_to_the_file_of_the_type(path: str, specifier: str, found: str | None) -> None:
    assert _led_to(path, specifier, *JAVA) == ([found] if found else [])


def test_php_class_is_resolved_by_namespace_and_script_by_path() -> None:
    assert _led_to("web/index.php", "./lib/cart.php", "web/lib/cart.php") == ["web/lib/cart.php"]
    assert _led_to("web/index.php", "App\\Models\\User", "lib/App/Models/User.php") == ["lib/App/Models/User.php"]


@together(
    "path, specifier",
    product(
        ["a.py", "a.ts", "a.go", "a.rs", "a.c", "a.rb", "A.java", "a.php", "a.sh", "a.txt", "a"],
        ["", ".", "..", "/", "::", "\\", "*", "...", " ", "a/../..", "@/", "é"],
    ),
)
def test_no_specifier_fails_or_leaves_the_files(path: str, specifier: str) -> None:
    assert set(_led_to(path, specifier, "b/c.py")) <= {path, "b/c.py"}


MODULES = (
    "lib/shop/cart.dart", "lib/shop/cart_item.ex", "src/Shop/Cart.hs", "lua/shop/tax/init.lua", "lua/shop/cart.lua",
    "src/cart.zig", "contracts/token/Cart.sol", "modules/cart/main.tf", "modules/cart/outputs.tf",
    "models/stg_cart.sql", "src/shop/cart_core.clj", "lib/Shop/Till.pm", "addons/shop/cart.gd", "styles/_cart.scss",
    "src/lib/stores/cart.ts", "components/Cart.vue",
)  # fmt: skip


@together(
    ("path", "specifier", "found"),
    [
        ("lib/main.dart", "shop/cart.dart", ["lib/shop/cart.dart"]),
        ("lib/main.dart", "package:till/shop/cart.dart", ["lib/shop/cart.dart"]),
        ("lib/main.dart", "dart:async", []),
        ("lib/app.ex", "Shop.CartItem", ["lib/shop/cart_item.ex"]),
        ("lib/app.ex", "Logger", []),
        ("src/Main.hs", "Shop.Cart", ["src/Shop/Cart.hs"]),
        ("src/Main.hs", "Data.Map", []),
        ("lua/app.lua", "shop.tax", ["lua/shop/tax/init.lua"]),
        ("lua/app.lua", "shop.cart", ["lua/shop/cart.lua"]),
        ("src/main.zig", "cart.zig", ["src/cart.zig"]),
        ("src/main.zig", "std", []),
        ("contracts/Till.sol", "./token/Cart.sol", ["contracts/token/Cart.sol"]),
        ("main.tf", "./modules/cart", ["modules/cart/main.tf", "modules/cart/outputs.tf"]),
        ("models/cart.sql", "stg_cart", ["models/stg_cart.sql"]),
        ("src/app.clj", "shop.cart-core", ["src/shop/cart_core.clj"]),
        ("lib/App.pm", "Shop::Till", ["lib/Shop/Till.pm"]),
        ("main.gd", "addons/shop/cart.gd", ["addons/shop/cart.gd"]),
        ("styles/main.scss", "cart", ["styles/_cart.scss"]),
        ("src/routes/Page.svelte", "$lib/stores/cart", ["src/lib/stores/cart.ts"]),
        ("pages/index.astro", "../components/Cart.vue", ["components/Cart.vue"]),
    ],
)
def test_languages_without_a_grammar_are_resolved_by_path_or_module(
    path: str, specifier: str, found: list[str]
) -> None:
    assert _led_to(path, specifier, *MODULES) == found

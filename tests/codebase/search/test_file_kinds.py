"""A file's kind by its path, and the stem it shares with its tests."""

import pytest

from sidecar.codebase import COMMON_STEMS, file_kind, is_document, is_test, stem_of
from tests.support.cases import together


def test_tests_and_documents_are_recognized_by_path() -> None:
    assert all(map(is_test, ("tests/a.py", "src/test_a.py", "a.test.ts", "a_test.go", "e2e/x.ts", "spec/a.rb")))
    assert not any(map(is_test, ("src/latest.py", "contest/a.py", "attest.go")))


def test_helpers_of_tests_and_a_file_of_all_tests_are_tests() -> None:
    tests = ("test-helpers/stream.js", "src/test_utils/cart.py", "internal/testutil/cart.go", "test.c", "shop/tests.py")
    assert [path for path in tests if not is_test(path)] == []
    assert not any(map(is_test, ("src/commands/test.rs", "shop/testing.py", "src/testimony.c")))


def test_tests_are_recognized_by_the_habits_of_other_languages() -> None:
    tests = (
        "kiln/src/jvmTest/kotlin/Glaze.kt", "src/Kiln.Tests/Glaze.cs", "KilnTests/Glaze.swift", "src/GlazeTest.java",
        "t/glaze.t", "features/glaze.feature",
    )  # fmt: skip
    others = ("src/main/java/Attest.java", "src/FastestPath.java", "docs/BestTests.md", "src/TestBench.cs")
    assert [path for path in tests if not is_test(path)] == []
    assert [path for path in others if is_test(path)] == []
    assert is_document("README.md")
    assert not is_document("src/readme.py")
    assert file_kind("tests/package-lock.json") == (True, True, True, False)
    assert file_kind("src/cart.py") == (False, False, False, False)


@together(
    "path",
    ["cart.py", "test_cart.py", "tests/test_cart.py", "cart_test.go", "Cart.test.ts", "cart.spec.tsx", "cart_spec.rb",
     "CartTest.java", "CartTests.cs", "cart-test.js", "cart-spec.js", "src/Cart.tsx", "cart.module.css"],
)  # fmt: skip
def test_stem_of_a_file_and_its_tests_is_equal(path: str) -> None:
    assert stem_of(path) == "cart"


@pytest.mark.parametrize("name", ["latest", "contest", "backtest", "protest"])
def test_word_that_ends_like_a_test_is_paired_with_its_tests(name: str) -> None:
    assert stem_of(f"src/{name}.py") == stem_of(f"tests/test_{name}.py") == stem_of(f"{name}_test.go")


@together("path", ["test.py", "tests.py", "_test.py", ".gitignore", "test_.py", "-.js", "a/"])
def test_name_that_is_only_an_affix_is_unchanged(path: str) -> None:
    assert stem_of(path) == stem_of(stem_of(path))


def test_common_stems_are_listed() -> None:
    assert {stem_of("a/index.ts"), stem_of("b/__init__.py"), stem_of("src/mod.rs")} <= COMMON_STEMS


def test_pages_and_templates_are_source_outside_of_documentation() -> None:
    assert is_document("docs/api/index.html")
    assert not is_document("templates/front/checks.html")
    sources = ("app/views/cart.html.erb", "src/Cart.razor", "src/Cart.gd", "templates/cart.html", "a.html.heex")
    assert [path for path in sources if file_kind(path) != (False, False, False, False)] == []


def test_descriptions_of_infrastructure_and_screens_are_source() -> None:
    sources = (
        "helm/till/values.yaml", "aws/kubernetes/worker/worker.yaml", "ansible/roles/till/main.yml", "src/Till.qml",
        "app/src/main/res/layout/activity_till.xml", "app/src/main/res/xml/till_settings.xml",
    )  # fmt: skip
    assert [path for path in sources if file_kind(path) != (False, False, False, False)] == []
    data = ("config/till.yaml", "app/src/main/res/values/strings.xml", "kubernetes/README.md", "pom.xml")
    assert [path for path in data if file_kind(path) == (False, False, False, False)] == []


def test_what_programs_write_beside_sources_is_generated() -> None:
    written = (
        "lib/cart.mapper.dart", "src/Migrations/2026_First.Designer.cs", "art/cart.png.import", "mix.lock",
        "src/routeTree.gen.ts", "proto/cart.pb.ex", "lib/rust/frb_generated.io.dart",
    )  # fmt: skip
    assert [path for path in written if not file_kind(path).generated] == []
    assert not any(file_kind(path).generated for path in ("src/lock.py", "src/designer.cs", "lib/import.dart"))

"""An incrementally updated repository map equals a rebuilt one."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.packs.anchor import EMPTY, count_files

names = st.sampled_from(
    [
        *"src docs adr specs tests a b.py c.md d.ts README.md .x AGENTS.md main.go package.json go.mod".split(),
        *("src/main/java", "com/shop", "E.kt", ""),
    ]
)
paths = st.builds("/".join, st.lists(names, min_size=1, max_size=5))


@given(st.sets(paths), st.sets(paths), st.sets(paths))
def test_incremental_counts_equal_a_full_count(before: set[str], coming: set[str], going: set[str]) -> None:
    added, removed = coming - before, going & before
    first = count_files(before)
    counted = first.with_changes(added, removed)
    assert counted == count_files((before | added) - removed)
    assert counted.outline == count_files((before | added) - removed).outline
    assert first == count_files(before)


@given(st.sets(paths))
def test_removing_every_file_yields_an_empty_map(before: set[str]) -> None:
    assert count_files(before).with_changes((), before) == EMPTY


def test_a_map_names_the_largest_folders_and_the_subfolders_of_the_main_one() -> None:
    files = [f"src/{area}/{number}.py" for area in ("web", "mail", "shop") for number in range(4)]
    outline = count_files([*files, "docs/adr/0001-mail.md", "docs/specs/mail.md", "README.md"]).outline
    assert dict(outline.areas) == {
        "docs/": "", "src/": "contains mail/, shop/, web/", "src/mail/": "", "src/shop/": "", "src/web/": "",
    }  # fmt: skip
    assert outline.decisions == ("docs/adr/0001-mail.md",)
    assert outline.specifications == ("docs/specs/mail.md",)


def test_folders_with_most_code_come_first_and_what_is_beside_the_product_last() -> None:
    sizes = {"crates/cart": 2, "crates/till": 40, "crates/mail": 3, "docs": 0, "tests": 60}
    files = [f"{folder}/{number}.rs" for folder, size in sizes.items() for number in range(size)]
    areas = [area for area, _ in count_files([*files, "docs/a.md"]).outline.areas]
    assert areas == ["crates/", "crates/till/", "crates/cart/", "crates/mail/", "tests/", "docs/"]


def test_documents_of_a_folder_of_tests_are_no_specifications() -> None:
    files = ["spec/slow/README.md", "spec/fixtures/mail.md", "spec/models/cart_spec.rb", "specs/mail/index.md"]
    assert count_files(files).outline.specifications == ()
    assert count_files([*files, "specs/mail/send.md"]).outline.specifications == ("specs/mail/send.md",)


def test_a_map_names_every_subfolder_or_their_number() -> None:
    few = {f"src/middleware/{chr(97 + number)}{'x' * 6}/a.ts" for number in range(26)}
    many = {f"src/middleware/{chr(97 + number)}{'x' * 16}/a.ts" for number in range(26)}
    contents = dict(count_files(few).outline.areas)["src/middleware/"]
    assert contents.count("/") == 26
    assert dict(count_files(many).outline.areas)["src/middleware/"].startswith("contains 26 folders, among them axxx")


def test_a_map_names_translations_without_each_of_their_folders() -> None:
    languages = {f"lang/{name}/a.php" for name in "ar de de_informal en es es_AR fr it ja nb pt_BR zh_CN".split()}
    expected = "contains a folder for each language, such as de/, es/, fr/"
    assert dict(count_files(languages).outline.areas)["lang/"] == expected
    api = {f"src/{name}/a.ts" for name in ("api", "cli", "db", "de", "web")}
    assert dict(count_files(api).outline.areas)["src/"] == "contains api/, cli/, db/, de/, web/"


def test_apps_in_languages_without_a_grammar_have_a_map() -> None:
    files = ["node_modules/x/a.js", *(f"node_modules/{name}/b.js" for name in "abcd")]
    files += [f"lib/{area}/{number}.dart" for area in ("screens", "models", "theme") for number in range(4)]
    assert dict(count_files(files).outline.areas) == {
        "lib/": "contains models/, screens/, theme/", "lib/models/": "", "lib/screens/": "", "lib/theme/": "",
    }  # fmt: skip


def test_folders_of_pages_scenes_and_infrastructure_have_a_map() -> None:
    kinds = ("controllers/a.rb", "models/b.rb", "views/c.html.erb", "views/d.html.erb", "assets/e.css", "assets/f.svg")
    assert dict(count_files([f"app/{name}" for name in kinds]).outline.areas)["app/"].startswith("contains assets/")
    scenes = [
        f"src/{area}/{name}" for area in ("a", "b", "c") for name in ("T.gd", "T.gd.uid", "T.tscn", "t.png.import")
    ]
    assert dict(count_files(scenes).outline.areas)["src/"] == "contains a/, b/, c/"
    clouds = [f"modules/{cloud}/main.tf" for cloud in ("aws", "azure", "gcp")]
    assert dict(count_files(clouds).outline.areas)["modules/"] == "contains aws/, azure/, gcp/"
    packages = [f"Packages/Till/{name}" for name in (".swiftpm/a.swift", "Sources/b.swift", "Tests/c.swift")]
    others = [f"Packages/{name}/Sources/{number}.swift" for name in ("Cart", "Mail") for number in range(9)]
    areas = dict(count_files([*packages, *others]).outline.areas)
    assert (areas["Packages/"], areas["Packages/Till/"]) == ("contains Cart/, Mail/, Till/", "")
    pictures = [f"app/{area}/a.png" for area in ("a", "b", "c")]
    assert dict(count_files([*pictures, "app/a/b.rb"]).outline.areas)["app/"] == ""


def test_the_packages_of_a_program_stand_for_the_folders_around_them() -> None:
    shop = "app/src/main/java/com/shop"
    files = [f"{shop}/{area}/{number}.kt" for area in ("cart", "mail", "till") for number in range(3)]
    files += ["app/src/test/java/com/shop/CartTest.kt", "app/src/main/res/a.xml", "app/src/debug/b.xml", f"{shop}/A.kt"]
    areas = dict(count_files(files).outline.areas)
    assert areas == {"app/": "", f"{shop}/": "contains cart/, mail/, till/", "app/src/": ""}
    few = dict(count_files(["src/main/java/com/A.java", "src/main/java/com/shop/B.java"]).outline.areas)
    assert few == {"src/": "", "src/main/": "most of the code"}
    modules = [f"{module}/src/main/java/com/{area}/A.java" for module in "abc" for area in ("x", "y", "z")]
    assert not any("/main/" in area for area in dict(count_files(modules).outline.areas))


def test_folders_with_a_build_file_of_a_kind_that_no_folder_above_has_are_projects() -> None:
    files = {
        "package.json": [
            "web/package.json",
            "android/build.gradle",
            "examples/go.mod",
            "api/go.mod",
            "api/tool/go.mod",
        ],
        "go.mod": ["api/go.mod", "web/package.json", "web/desktop/Cargo.toml", "node_modules/x/package.json"],
        "pyproject.toml": ["backend/pyproject.toml", "web/package.json", "backend/tool/pyproject.toml"],
        "pubspec.yaml": ["ios/Package.swift", "backend/requirements.txt", "backend/setup.py", "a/b/c/go.mod"],
        "Cargo.toml": ["app/pubspec.yaml", "app/android/build.gradle", "android/build.gradle", "ios/Package.swift"],
    }
    tests = ["src/Till.csproj", "tests/Till.Tests.csproj", "CartTest/CartTest.fsproj", "contest/A.csproj"]
    assert count_files(tests).outline.test_projects == ("CartTest/CartTest.fsproj", "tests/Till.Tests.csproj")
    folders_of_tests = count_files(
        ["spec/a.rb", "apps/till/test/b.exs", "src/tests.c", "a/b/c/t/d.t"]
    ).outline.test_folders
    assert folders_of_tests == ("apps/till/test/", "spec/")
    folders = count_files(["go.mod", *files["go.mod"]]).outline.build_folders
    assert folders == ("api/", "web/desktop/", "web/")
    projects = {top: count_files([top, *paths]).outline.projects for top, paths in files.items()}
    assert projects == {
        "package.json": ("api/go.mod", "web/package.json"),
        "go.mod": ("web/package.json", "web/desktop/Cargo.toml"),
        "pyproject.toml": ("web/package.json", "backend/pyproject.toml"),
        "pubspec.yaml": ("backend/requirements.txt", "backend/setup.py"),
        "Cargo.toml": ("android/build.gradle", "app/pubspec.yaml", "ios/Package.swift"),
    }


def test_rule_files_of_other_agents_are_no_instructions_of_a_folder() -> None:
    outline = count_files(
        ["web/AGENTS.md", ".claude/plans/CLAUDE.md", ".claude/CLAUDE.md", ".cursor/rules/a.mdc", ".claude/rules/b.md"]
    ).outline
    assert outline.guides == (".claude/CLAUDE.md", ".claude/plans/CLAUDE.md", "web/AGENTS.md")
    assert outline.rule_files == (".claude/rules/b.md", ".cursor/rules/a.mdc")

"""Files that a text mentions: full paths, their ends, paths of other machines."""

import pytest

from sidecar.codebase import search
from sidecar.codebase.region_search import is_named_file
from sidecar.codebase.search import AMBIGUOUS_NAMES, Documents
from tests.codebase.search.corpus import ask, documents_of, index_of

IMPLIED = 0.5
"""Certainty of a file that is meant without being named."""


def named_of(documents: Documents, text: str) -> set[str]:
    """Return the files that a text mentions."""
    return set(search.mentioned_files(documents, text).files)


def test_full_path_mentions_only_its_file() -> None:
    documents = documents_of(dict.fromkeys(("src/cart.py", "lib/src/cart.py", "cart.py"), ""))
    assert named_of(documents, "in src/cart.py") == {"src/cart.py"}
    assert named_of(documents, "in cart.py") == {"cart.py"}
    assert named_of(documents, "in ./lib/src/cart.py:12") == {"lib/src/cart.py"}


def test_partial_path_mentions_the_few_files_that_end_with_it() -> None:
    paths = [f"{number}/cart.py" for number in range(AMBIGUOUS_NAMES)]
    assert named_of(documents_of(dict.fromkeys(paths, "")), "in cart.py") == set(paths)
    assert named_of(documents_of(dict.fromkeys((*paths, "x/cart.py"), "")), "in cart.py") == set()


def test_path_of_another_machine_mentions_the_longest_suffix() -> None:
    documents = documents_of(dict.fromkeys(("src/cart.py", "app/src/cart.py", "notes.txt", "docs/notes.txt"), ""))
    assert named_of(documents, "/home/me/app/src/cart.py") == {"app/src/cart.py"}
    assert named_of(documents, "/home/me/other/src/cart.py") == {"src/cart.py"}
    assert named_of(documents, "/home/me/gone/notes.txt") == set()


def test_the_at_sign_of_a_mention_is_left_out_and_that_of_a_folder_is_not_needed() -> None:
    documents = documents_of(dict.fromkeys(("docs/Plan.md", "src/cart.py", "@types/index.d.ts"), ""))
    assert named_of(documents, "@Plan.md and @src/cart.py") == {"docs/Plan.md", "src/cart.py"}
    assert named_of(documents, "in @types/index.d.ts") == {"@types/index.d.ts"}


def test_path_of_an_installed_copy_mentions_the_source_that_ends_alike() -> None:
    documents = documents_of(dict.fromkeys(("src/till/cart.py", "src/till/util/text.py", "src/shop/text.py"), ""))
    assert named_of(documents, 'File "/usr/lib/python3/site-packages/till/cart.py", line 3') == {"src/till/cart.py"}
    assert named_of(documents, r"C:\Python\Lib\site-packages\till\util\text.py") == {"src/till/util/text.py"}
    assert named_of(documents, "/usr/lib/python3/site-packages/other/cart.py") == set()
    assert named_of(documents, "/srv/app/.venv/site-packages/other/util/text.py") == set()
    assert named_of(documents, "/srv/node_modules/till/src/till/cart.py and gems/till-1.2/src/shop/text.py") == {
        "src/till/cart.py",
        "src/shop/text.py",
    }


def test_path_in_a_standard_library_mentions_no_file() -> None:
    documents = documents_of(dict.fromkeys(("src/logging/config.py", "logging/config.py", "src/sort/sort.go"), ""))
    for path in ("/usr/lib/python3.11/logging/config.py", r"C:\Python311\Lib\logging\config.py"):
        assert named_of(documents, f'File "{path}", line 3') == set()
    assert named_of(documents, "/usr/local/go/src/sort/sort.go:12") == set()
    assert named_of(documents, "/home/me/go/src/sort/sort.go:12") == {"src/sort/sort.go"}


def test_text_without_paths_mentions_no_file() -> None:
    assert named_of(documents_of({"src/cart.py": ""}), "the cart, e.g. src and version 1.2") == set()


def test_ambiguous_mention_is_less_certain() -> None:
    paths = ("a/cart.py", "b/cart.py")
    documents = documents_of(dict.fromkeys(paths, ""))
    assert search.mentioned_files(documents, "in cart.py").files == dict.fromkeys(paths, 0.5)


def test_words_of_a_resolved_path_match_nothing_else() -> None:
    documents = documents_of({"src/utils/client.ts": ""})
    assert search.mentioned_files(documents, "look at src/utils/client.ts again").rest == "look at   again"
    assert search.mentioned_files(documents, "look at src/gone.ts again").rest == "look at src/gone.ts again"


def test_a_bare_document_name_mentions_the_document_at_the_top() -> None:
    documents = documents_of(dict.fromkeys(("README.rst", "docs/README.md", "HISTORY.md", "CONTRIBUTING.md"), ""))
    assert named_of(documents, "update the install section of the README") == {"README.rst"}
    assert named_of(documents, "add a line to the changelog") == {"HISTORY.md"}
    assert named_of(documents, "CONTRIBUTING says otherwise") == {"CONTRIBUTING.md"}
    assert named_of(documents_of({"docs/README.md": ""}), "the readme") == set()
    assert named_of(documents_of({"../README.md": ""}), "the readme") == {"../README.md"}


def test_a_document_that_a_long_text_mentions_in_passing_is_not_named() -> None:
    text = f"{'The total of the cart is wrong. ' * 12}I have read the README."
    assert named_of(documents_of({"README.md": ""}), text) == set()


def test_a_dependency_is_found_where_the_project_lists_it() -> None:
    documents = documents_of(
        {"package.json": '{"devDependencies": {"vitest": "1.0"}}', "go.mod": "require till v1", "docs/vitest.md": ""}
    )
    assert search.mentioned_files(documents, "bump vitest").files == {"package.json": IMPLIED}
    assert named_of(documents, "upgrade till to the latest version") == {"go.mod"}
    assert named_of(documents, "upgrade the plan of a customer") == set()
    assert named_of(documents, "vitest is slow") == set()
    assert named_of(documents, "vitest in INSTALLED_APPS") == set()


def test_only_words_outside_of_pasted_text_mean_a_file_by_what_it_is_for() -> None:
    texts = {"pyproject.toml": "dependencies = ['till']", "README.md": "till", "src/till.py": "def ring(): pass"}
    texts |= {"locales/fr.json": "{}", ".github/workflows/ci.yml": "ring", "src/cart.py": "class Cart: pass"}
    index = index_of(texts)
    pasted = '\n\n```json\n{"dependencies": {"till": "3"}, "readme": "French translation", "x": "fix the CI"}\n```\n'

    def named(text: str) -> list[str]:
        return [file.path for file in ask(index, text) if is_named_file(file)]

    assert named(f"Why does ring fail?{pasted}") == []
    assert named(f"bump till{pasted}") == ["pyproject.toml"]
    assert named(f"The README is outdated{pasted}") == ["README.md"]
    assert named("Why does ring fail?\n\n```\nat src/cart.py:1\n```\n") == ["src/cart.py"]
    assert index.named_here(f"Why is it slow?{pasted}", (), ("slow",)) == frozenset()
    assert index.named_here("bump till", (), ("till",)) == {"pyproject.toml"}


def test_common_terms_are_rare_together_and_a_single_rare_one_in_a_name() -> None:
    texts = {f"src/many_{n}.py": f"# Of {('a parcel', 'the depot')[n % 2]}." for n in range(20)}
    texts |= {"src/stops.py": "# Each parcel leaves its depot by tram.", "src/zebra.py": "def quagga(): pass"}
    index = index_of(texts | {f"src/part_{n}.py": f"NUMBER_{n} = {n}" for n in range(30)})
    assert index.rare_terms(("parcel", "depot")) == {"parcel", "depot"}
    assert index.rare_terms(("parcel", "number")) == frozenset()
    assert index.rare_terms(("tram",)) == frozenset()
    assert index.rare_terms(("tram", "parcel", "quagga")) == {"tram", "quagga"}
    assert index.rare_terms(("zebra",)) == {"zebra"}


def test_a_word_of_several_files_is_a_subject_in_a_small_repository() -> None:
    words = {"quagga": 9, "zebra": 12, "ferry": 14, "canal": 14}
    texts = {f"src/part_{n}.py": " ".join(word for word, files in words.items() if n < files) for n in range(143)}
    index = index_of(texts | {"src/quagga_zebra.py": ""})
    assert index.rare_terms(("quagga",)) == {"quagga"}
    assert index.rare_terms(("zebra",)) == frozenset()
    assert index.rare_terms(("ferry", "canal")) == {"ferry", "canal"}
    assert index_of({**texts, **{f"src/other_{n}.py": "" for n in range(500)}}).rare_terms(("zebra",)) == frozenset()


def test_continuous_integration_means_the_most_general_workflow() -> None:
    workflows = (".github/workflows/ci.yml", ".github/workflows/ci-nightly.yml", ".github/workflows/labels.yml")
    documents = documents_of(dict.fromkeys((*workflows, ".travis.yml"), ""))
    assert search.mentioned_files(documents, "CI failing").files == dict.fromkeys(
        (workflows[0], ".travis.yml"), IMPLIED
    )
    assert named_of(documents_of({"src/cart.py": ""}), "CI failing") == set()


def test_of_several_workflows_the_one_with_words_of_the_prompt_is_found() -> None:
    texts = {
        ".github/workflows/ci.yml": "jobs:\n  test:\n    uses: ./.github/workflows/test.yml\n",
        ".github/workflows/test.yml": "jobs:\n  molecule:\n    steps:\n      - run: molecule test\n",
    }
    documents = documents_of(texts)
    assert named_of(documents, "run the molecule scenario in CI again") == {".github/workflows/test.yml"}
    assert named_of(documents, "CI is slow") == {".github/workflows/ci.yml"}


def test_a_workflow_is_found_by_its_whole_name() -> None:
    paths = (".github/workflows/playwright.yml", ".github/workflows/test-backend.yml", ".github/workflows/test.yml")
    documents = documents_of(dict.fromkeys(paths, ""))
    assert named_of(documents, "the playwright tests fail, CI is red") == {paths[0]}
    assert named_of(documents, "the tests fail, CI is red") == {paths[2]}


def test_a_workflow_is_found_by_two_words_of_its_name() -> None:
    workflows = (".github/workflows/build_apk.yml", ".github/workflows/build_exe.yml", ".github/workflows/ci.yml")
    documents = documents_of(dict.fromkeys(workflows, ""))
    assert named_of(documents, "CI android apk build") == {workflows[0]}
    assert named_of(documents, "CI build") == {workflows[2]}


def test_a_translation_is_found_by_its_language() -> None:
    texts = ("app/i18n/fr.json", "app/i18n/de-DE.json", "app/i18n/en.json", "src/de/cart.py")
    documents = documents_of(dict.fromkeys(texts, ""))
    assert search.mentioned_files(documents, "add French translations").files == {texts[0]: IMPLIED}
    assert named_of(documents, "translate the label to German") == {texts[1]}
    assert named_of(documents, "translate button, my language is English") == set()
    assert named_of(documents, "the French customers are missing") == set()
    catalog = "ios/Localizable.xcstrings"
    assert named_of(documents_of({catalog: "", "src/a.swift": ""}), "German translation") == {catalog}


def test_a_bare_name_means_the_file_of_the_package_at_work() -> None:
    names = ("package.json", "README.md", "packages/till/package.json", "packages/till/README.md", "packages/till/a.ts")
    documents = documents_of(dict.fromkeys((*names, "packages/cart/README.md", "src/b.ts"), '{"zod": "4"}'))

    def named(text: str, *touched: str) -> set[str]:
        return set(search.mentioned_files(documents, text, touched=touched).files)

    work = "packages/till/a.ts"
    assert named("now the readme", work) == {"packages/till/README.md"}
    assert named("raise the version in package.json", work) == {"packages/till/package.json"}
    assert named("bump zod", work) == {"packages/till/package.json"}
    assert named("now the readme", work, "packages/cart/b.ts") == {"packages/till/README.md", "packages/cart/README.md"}
    assert named("now the readme", "src/b.ts") == named("now the readme") == {"README.md"}
    assert named("now the root README", work) == {"README.md"}
    assert named("describe the root cause in the README", work) == named("describe it in the README", work)
    assert named(f"fix {work} and the README") == {work, "packages/till/README.md"}


def test_the_language_of_an_applications_texts_is_in_their_path() -> None:
    for language, paths in {
        "de": ("lang/de_informal/cart.php", "src/Locales/de_DE.axaml", "ios/de.lproj/Cart.strings", "i18n/app_de.arb",
               "src/main/resources/cart_de.properties", "config/locales/devise.de.yml", "src/i18n/de/docs/cart.md"),
        "pt": ("res/values-pt-rBR/strings.xml", "messages/pt.json", "locale/pt/LC_MESSAGES/cart.po"),
        "en": ("lang/en/cart.php", "locales/en-GB.json", "resources/messages_en_CA.properties"),
        "": ("res/values/strings.xml", "languages/cs.py", "src/de/cart.py", "src/i18n/index.ts", "resources/js/is.js",
             "locales/de.json", "lang/fr/order.php", "src/lang/fr.ts"),
    }.items():  # fmt: skip
        found = {path: search.language_of_texts(path, ENGLISH_TEXTS) for path in paths}
        assert found == dict.fromkeys(paths, language)


ENGLISH_TEXTS = (
    "lang/en/cart.php", "src/Locales/en_US.axaml", "ios/Base.lproj/Cart.strings", "i18n/app_en.arb",
    "src/main/resources/cart.properties", "config/locales/devise.en.yml", "src/i18n/en/docs/cart.md", "src/lang/en.ts",
    "res/values/strings.xml", "messages/en.json",
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "beside"),
    [
        ("src/main/resources/de/firma/orders/OrderMapper.xml", "src/main/resources/en/firma/App.xml"),
        ("src/main/resources/com/my/orders/OrderMapper.xml", "src/main/resources/com/en/orders/OrderMapper.xml"),
        ("app/src/main/res/layout/fragment_my_account.xml", "app/src/main/res/layout/fragment_account.xml"),
        ("app/src/main/res/layout/no_items.xml", "app/src/main/res/layout/items.xml"),
        ("app/src/main/res/layout/cart_no.xml", "app/src/main/res/layout/cart.xml"),
        ("app/src/main/res/drawable/ic_my_location.xml", "app/src/main/res/drawable/ic_location.xml"),
        ("src/main/resources/application-it.yml", "src/main/resources/application.yml"),
        ("src/lang/de.rs", "src/lang/en.rs"),
        ("src/lang/is.rs", "src/lang/en.rs"),
        ("src/lang/no_op.rs", "src/lang/op.rs"),
        ("src/i18n/my-component.tsx", "src/i18n/component.tsx"),
        ("src/i18n/my-component.json", "src/i18n/en-component.json"),
        ("src/lang/is-valid.js", "src/lang/en.js"),
        ("packages/lang-sv/package.json", "packages/lang-en/package.json"),
        ("packages/lang-sv/src/sv.ts", "packages/lang-en/src/en.ts"),
        ("locales/de.json", "locales/fr.json"),
    ],
)
def test_a_file_whose_path_only_looks_like_a_language_is_no_translation(path: str, beside: str) -> None:
    assert search.language_of_texts(path, (path, beside)) == ""

"""Which files a text names: whole paths, their ends, paths of other machines."""

from sidecar.codebase.search.documents import Documents
from sidecar.codebase.search.query import AMBIGUOUS_NAMES, mentioned_files
from tests.codebase.search.corpus import documents_of


def named_of(documents: Documents, text: str) -> set[str]:
    """Gives the files a text names."""
    return set(mentioned_files(documents, text).files)


def test_a_whole_path_names_its_file_and_no_other_that_ends_so() -> None:
    documents = documents_of(dict.fromkeys(("src/cart.py", "lib/src/cart.py", "cart.py"), ""))
    assert named_of(documents, "in src/cart.py") == {"src/cart.py"}
    assert named_of(documents, "in cart.py") == {"cart.py"}
    assert named_of(documents, "in ./lib/src/cart.py:12") == {"lib/src/cart.py"}


def test_the_end_of_a_path_names_the_few_files_that_have_it() -> None:
    paths = [f"{number}/cart.py" for number in range(AMBIGUOUS_NAMES)]
    assert named_of(documents_of(dict.fromkeys(paths, "")), "in cart.py") == set(paths)
    assert named_of(documents_of(dict.fromkeys((*paths, "x/cart.py"), "")), "in cart.py") == set()


def test_a_path_of_another_machine_names_the_longest_end_that_is_here() -> None:
    documents = documents_of(dict.fromkeys(("src/cart.py", "app/src/cart.py", "notes.txt", "docs/notes.txt"), ""))
    assert named_of(documents, "/home/me/app/src/cart.py") == {"app/src/cart.py"}
    assert named_of(documents, "/home/me/other/src/cart.py") == {"src/cart.py"}
    assert named_of(documents, "/home/me/gone/notes.txt") == set()


def test_a_text_without_paths_names_none() -> None:
    assert named_of(documents_of({"src/cart.py": ""}), "the cart, e.g. src and version 1.2") == set()


def test_where_one_of_several_files_is_meant_each_is_named_less_surely() -> None:
    paths = ("a/cart.py", "b/cart.py")
    assert mentioned_files(documents_of(dict.fromkeys(paths, "")), "in cart.py").files == dict.fromkeys(paths, 0.5)


def test_the_words_of_a_path_that_was_found_lead_to_nothing_else() -> None:
    documents = documents_of({"src/utils/client.ts": ""})
    assert mentioned_files(documents, "look at src/utils/client.ts again").rest == "look at   again"
    assert mentioned_files(documents, "look at src/gone.ts again").rest == "look at src/gone.ts again"

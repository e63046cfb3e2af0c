"""Tests of a workspace below the repository's top: the whole repository is searched, and its own folder comes first."""

from collections.abc import Callable

import pytest

from sidecar.codebase import summarize
from sidecar.codebase.search import FileIndex
from sidecar.codebase.worktree import path_from_cwd, path_from_root
from tests.codebase.codebase_client import CodebaseClient
from tests.support.cases import together
from tests.support.client import Client
from tests.support.repositories import Repository

Make = Callable[..., Repository]
PELICAN = "def count_pelicans(pens):\n    return len(pens)\n"
FILES = {
    "services/api/pens.py": PELICAN,
    "services/web/pens.py": PELICAN,
    "shared/birds.py": "def feed_stork(pens):\n    return pens\n",
    "README.md": "# Zoo\n",
}


@together(
    ("path", "relative"),
    [
        ("services/api/pens.py", "pens.py"),
        ("services/api/deep/pens.py", "deep/pens.py"),
        ("services/apis.py", "../apis.py"),
        ("services/web/pens.py", "../web/pens.py"),
        ("shared/api/stork.py", "../../shared/api/stork.py"),
        ("nested/", "../../nested/"),
    ],
)
def test_paths_outside_lead_up_and_back(path: str, relative: str) -> None:
    assert path_from_cwd("services/api/", path) == relative
    assert path_from_root("services/api/", relative) == path


def test_the_whole_repository_is_searched_and_the_own_folder_comes_first(client: Client, make_repository: Make) -> None:
    repository = make_repository(FILES)
    looks = CodebaseClient(client, repository.path / "services/api")
    assert looks.index()["files"] == len(FILES)
    assert looks.search("count pelicans") == ["pens.py", "../web/pens.py"]
    other = CodebaseClient(client, repository.path / "services/web")
    other.index()
    assert other.search("count pelicans") == ["pens.py", "../api/pens.py"]
    found = client.request("codebase/search", {"cwd": str(repository.path / "services/api"), "query": "feed_stork"})
    assert found["regions"][0]["path"] == "../../shared/birds.py"
    assert "def feed_stork(pens):" in found["regions"][0]["text"]


def test_uncommitted_changes_outside_are_searched_as_they_are_now(client: Client, make_repository: Make) -> None:
    repository = make_repository(FILES)
    looks = CodebaseClient(client, repository.path / "services/api")
    looks.index()
    repository.write(
        {"shared/birds.py": "def feed_flamingo(pens):\n    return pens\n", "shared/quail.py": "quail = 1\n"}
    )
    looks.index()
    assert looks.search("stork") == []
    assert looks.search("flamingo") == ["../../shared/birds.py"]
    assert looks.search("quail") == ["../../shared/quail.py"]


@pytest.mark.parametrize(
    ("mention", "path"), [("services/web/pens.py", "../web/pens.py"), ("shared/birds.py", "../../shared/birds.py")]
)
def test_a_path_from_the_top_names_a_file_outside(
    client: Client, make_repository: Make, mention: str, path: str
) -> None:
    folder = make_repository(FILES).path / "services/api"
    CodebaseClient(client, folder).index()
    found = client.request("codebase/search", {"cwd": str(folder), "query": f"What is in {mention}?"})
    assert (found["files"][0]["path"], "namedPath" in found["files"][0]["parts"]) == (path, True)


def test_a_folder_that_no_commit_contains_is_searched_alone(client: Client, make_repository: Make) -> None:
    repository = make_repository(FILES)
    folder = repository.path / "drafts/zoo"
    repository.write({"drafts/zoo/pens.py": PELICAN})
    looks = CodebaseClient(client, folder)
    before = looks.hash()
    assert looks.index()["files"] == 1
    repository.write({"shared/birds.py": "changed = 1\n", "new.py": "new = 1\n"})
    assert looks.hash() == before
    looks.index()
    assert looks.search("count pelicans") == ["pens.py"]
    repository.commit()
    looks.index()
    assert looks.search("count pelicans") == ["pens.py", "../../services/api/pens.py", "../../services/web/pens.py"]


def test_imports_lead_into_the_folder_and_out_of_it() -> None:
    texts = {
        "pens.py": "from shared.birds import stork\n\ndef count_pens():\n    pass\n",
        "grow.py": "from services.api import pens\n",
        "__init__.py": "VERSION = 1\n",
        "../web/pages.py": "from services.api.pens import count_pens\n",
        "../web/other.py": "from services.web import pens\n",
        "../web/pens.py": "import services.api\n",
        "../web/Page.ts": "import { herd } from '../api/herd'\n",
        "../../shared/birds.py": "stork = 1\n",
        "herd.ts": "import { wing } from '../../shared/wing'\n\nexport const herd = wing\n",
        "../../shared/wing.ts": "export const wing = 1\n",
    }
    index = FileIndex(lambda _: {})
    index.update({path: str(number) for number, path in enumerate(texts)}, "services/api/")
    summaries = {path: summarize(path, text.encode()) for path, text in texts.items()}
    for number, (path, summary) in enumerate(summaries.items()):
        index.add_summary(path, str(number), summary)

    def importers(path: str) -> list[str]:
        return index.importers(path, lambda paths: {path: summaries[path].imports for path in paths}, 10)

    assert importers("pens.py") == ["../web/pages.py", "grow.py"]
    assert importers("../web/pens.py") == ["../web/other.py"]
    assert importers("../../shared/birds.py") == ["pens.py"]
    assert importers("herd.ts") == ["../web/Page.ts"]
    assert importers("../../shared/wing.ts") == ["herd.ts"]
    assert "../web/pens.py" in importers("__init__.py")
    removed = {"../web/pages.py": ["services.api.coop"], "pens.py": ["shared.coop"]}
    assert index.former_importers("coop.py", removed) == ["../web/pages.py"]

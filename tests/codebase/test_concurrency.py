"""States during other work, cancelled jobs, and caches that follow the state."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sidecar.call import Process
from sidecar.codebase import file_analysis_worker, indexer
from sidecar.codebase.file_analysis_worker import AnalysedFile, FileWords, SummarizedFile
from sidecar.codebase.indexer import MIN_FILES_FOR_WORKERS
from sidecar.system.log import Log
from tests.codebase.codebase_client import CodebaseClient
from tests.support.client import Client
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

Make = Callable[..., Repository]
CANCELLED = -32800
STAGES = ("cache", "words", "analysis")


def test_state_during_a_commit_is_the_one_before_or_after(client: Client, make_repository: Make) -> None:
    repository = make_repository({"a.txt": "0\n"})
    looks = CodebaseClient(client, repository.path)
    heads, ending = {repository.head()}, threading.Event()

    def work() -> None:
        for number in range(1, 12):
            repository.write({"a.txt": f"{number}\n", f"{number}.txt": "new\n"})
            heads.add(repository.commit())
            (repository.path / f"{number}.txt").unlink()
        ending.set()

    worker = threading.Thread(target=work)
    worker.start()
    seen = []
    while not ending.is_set():
        seen.append(looks.state())
        looks.search("new")
    worker.join()
    assert seen
    assert {state["headCommit"] for state in seen} <= heads
    assert looks.changed() == {"11.txt": ("deleted", ".D")}


def test_progress_only_grows_and_ends_complete(sidecar: MemorySidecar, make_repository: Make) -> None:
    repository = make_repository({f"{number}.py": f"x = {number}\n" for number in range(400)})
    client = sidecar.client
    request_id = client.start("codebase/index", {"cwd": str(repository.path)})
    result = client.result(request_id)
    progress = _progress(sidecar, request_id)
    assert progress[-1] == ("analysis", 400, 400)
    places = [(STAGES.index(stage), done) for stage, done, _ in progress]
    assert places == sorted(places)
    assert all(total in {0, 400} and done <= 400 for _, done, total in progress)
    assert (result["files"], result["analysed"], result["complete"]) == (400, 400, True)


def test_second_request_joins_a_run_whose_progress_the_status_shows(
    sidecar: MemorySidecar, make_repository: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()

    def held(cwd: Path, files: Mapping[str, str]) -> Iterator[AnalysedFile]:
        for number, file in enumerate(indexer_analyse(cwd, files)):
            if number == 5:
                release.wait(20)
            yield file

    indexer_analyse = file_analysis_worker.analyse
    monkeypatch.setattr(indexer, "analyse", held)
    repository, client = make_repository({f"{number}.py": f"x = {number}\n" for number in range(20)}), sidecar.client
    first, params = client.start("codebase/index", {"cwd": str(repository.path)}), {"cwd": str(repository.path)}
    client.inbox.wait_for(
        lambda message: message.get("method") == "$/progress" and message["params"]["value"]["phase"] == "analysis"
    )
    while not (runs := client.request("state/status", {})["indexing"]) or runs[0]["done"] < 5:
        time.sleep(0.005)
    assert (runs[0]["cwd"], runs[0]["stage"], runs[0]["total"]) == (str(repository.path), "analysis", 20)
    assert runs[0]["remainingMs"] is not None
    second = client.start("codebase/index", params)
    joined = client.inbox.wait_for(
        lambda message: message.get("method") == "$/progress" and message["params"]["token"] == second
        and message["params"]["value"]["phase"] == "analysis"
    )["params"]["value"]  # fmt: skip
    assert (joined["done"] >= 5, joined["total"], joined["remainingMs"] is not None) == (True, 20, True)
    assert [run["cwd"] for run in client.request("state/status", {})["indexing"]] == [str(repository.path)]
    release.set()
    results = [client.result(request_id) for request_id in (first, second)]
    assert [(result["analysed"], result["fromCache"]) for result in results] == [(20, 0), (20, 0)]
    assert all(result["complete"] for result in results)
    again = client.request("codebase/index", params)
    assert (again["analysed"], again["fromCache"]) == (0, 20)
    assert client.request("state/status", {})["indexing"] == []


def test_worktrees_that_are_indexed_at_once_analyse_their_files_once(
    sidecar: MemorySidecar, make_repository: Make, tmp_path: Path
) -> None:
    repository = make_repository({f"{number}.py": f"def rule_{number}():\n    pass\n" for number in range(600)})
    others = [repository.add_worktree(tmp_path / name, name) for name in ("one", "two")]
    others[1].write({"7.py": "def payment():\n    pass\n"})
    places = [{"cwd": str(each.path)} for each in (repository, *others)]
    requests = [sidecar.client.start("codebase/index", place) for place in places]
    results = [sidecar.client.result(request) for request in requests]
    assert [(result["files"], result["complete"]) for result in results] == [(600, True)] * 3
    assert all(result["analysed"] + result["fromCache"] == 600 for result in results)
    assert sum(result["analysed"] for result in results) <= 600 + 2 * MIN_FILES_FOR_WORKERS + 1
    found = [sidecar.client.request("codebase/search", {**place, "query": "payment rule_7"}) for place in places]
    assert [each["files"][0]["path"] for each in found[:2]] == ["7.py"] * 2
    assert ["payment" in str(each) for each in found] == [False, False, True]


def test_cancelled_index_job_stops_early(
    sidecar: MemorySidecar, make_repository: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(
        cwd: Path, files: Sequence[tuple[str, str]], log: Log, is_over: Callable[[], bool], **options: Any
    ) -> Iterator[FileWords | SummarizedFile]:
        with closing(analyse_in_workers(cwd, files, log, is_over, **options)) as results:
            words = 0
            for result in results:
                yield result
                words += len(result.files) if isinstance(result, FileWords) else 0
                while is_held and words == len(files) and isinstance(result, SummarizedFile) and not is_over():
                    time.sleep(0.005)

    is_held, analyse_in_workers = True, indexer.analyse_in_workers
    monkeypatch.setattr(indexer, "analyse_in_workers", held)
    repository = make_repository({f"{number}.py": f"x{number} = 1\n" for number in range(200)})
    client = sidecar.client
    request_id = client.start("codebase/index", {"cwd": str(repository.path)})
    client.inbox.wait_for(
        lambda message: (
            message.get("method") == "$/progress"
            and message["params"]["value"]["phase"] == "analysis"
            and message["params"]["value"]["done"] > 0
        )
    )
    client.cancel(request_id)
    assert client.answer(request_id)["error"]["code"] == CANCELLED
    _, done, total = _progress(sidecar, request_id)[-1]
    assert done < total
    is_held = False
    again = CodebaseClient(client, repository.path).index()
    assert again["complete"]
    assert again["fromCache"] > 0


def test_two_concurrent_index_jobs_both_complete(sidecar: MemorySidecar, make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository({f"{number}.py": f"pelican{number} = 1\n" for number in range(300)})
    linked = repository.add_worktree(tmp_path / "linked", "feature")
    client = sidecar.client
    params = [{"cwd": str(repository.path)}, {"cwd": str(repository.path), "projectPath": str(tmp_path)},
              {"cwd": str(linked.path)}]  # fmt: skip
    ids = [client.start("codebase/index", job_params) for job_params in params]
    for request_id in ids:
        result = client.result(request_id)
        assert (result["complete"], result["files"]) == (True, 300)
    assert CodebaseClient(client, repository.path).search("pelican7")[0] == "7.py"


def test_search_cache_returns_equal_results_and_follows_the_state(client: Client, make_repository: Make) -> None:
    repository = make_repository({"a.py": "pelican = 1\n", "b.py": "walrus = 1\n"})
    looks = CodebaseClient(client, repository.path)
    looks.index()
    params = {**looks.params, "query": "pelican walrus"}
    first = client.request("codebase/search", params)
    assert client.request("codebase/search", params) == first
    repository.write({"b.py": "otter = 1\n"})
    assert looks.search("pelican walrus") == ["a.py"]
    repository.write({"b.py": "walrus = 1\n"})
    assert client.request("codebase/search", params) == first


def test_search_in_a_new_process_reads_the_cache(
    open_sidecar: Callable[..., MemorySidecar], make_repository: Make
) -> None:
    repository = make_repository({"a.py": "pelican = 1\n"})
    answers: list[Any] = []
    for _ in range(2):
        opened = open_sidecar()
        opened.client.initialize()
        looks = CodebaseClient(opened.client, repository.path)
        answers.append((looks.index(), looks.search("pelican")))
        opened.close()
    (first, found), (second, found_again) = answers
    assert (first["analysed"], second["analysed"], second["fromCache"]) == (1, 0, 1)
    assert found == found_again == ["a.py"]


def test_search_of_an_earlier_state_is_not_cached(sidecar: MemorySidecar, make_repository: Make) -> None:
    """A second request can move the index on between the listing and the search of the first."""
    repository = make_repository({"a.py": "pelican = 1\n"})
    process = sidecar.app.process
    assert isinstance(process, Process)
    opened = process.workspaces.get(str(repository.path), None).slices.repository
    earlier = opened.state()
    opened.wait_for_index(opened.listing(earlier), process.indexing, 5_000)
    repository.write({"a.py": "walrus = 1\n"})
    later = opened.state()
    opened.wait_for_index(opened.listing(later), process.indexing, 5_000)
    opened.find("pelican", earlier, 24)
    repository.write({"a.py": "pelican = 1\n"})
    now = opened.state()
    opened.wait_for_index(opened.listing(now), process.indexing, 5_000)
    assert now.changed_hash == earlier.changed_hash
    assert [found.path for found in opened.find("pelican", now, 24)] == ["a.py"]


def test_diff_of_a_file_is_read_again_only_after_a_change(sidecar: MemorySidecar, make_repository: Make) -> None:
    repository = make_repository({"a.py": "one\n", "b.py": "one\n"})
    process = sidecar.app.process
    assert isinstance(process, Process)
    opened = process.workspaces.get(str(repository.path), None).slices.repository
    repository.write({"a.py": "two\n", "b.py": "two\n"})
    first = opened.diffs(opened.state())
    repository.write({"b.py": "three\n"})
    second = opened.diffs(opened.state())
    assert second["a.py"] is first["a.py"]
    assert "+three" in second["b.py"].hunks


@pytest.mark.parametrize("name", ["GIT_INDEX_FILE", "GIT_DIR"])
def test_search_needs_no_index_job_before(
    client: Client, make_repository: Make, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    repository = make_repository({"a.py": "pelican = 1\n"})
    monkeypatch.setenv(name, "/nowhere")
    assert CodebaseClient(client, repository.path).search("pelican") == ["a.py"]


def _progress(sidecar: MemorySidecar, request_id: int) -> list[tuple[str, int, int]]:
    values = [
        message["params"]["value"]
        for message in sidecar.inbox.messages
        if message.get("method") == "$/progress" and message["params"]["token"] == request_id
    ]
    return [(value["phase"], value["done"], value["total"]) for value in values]

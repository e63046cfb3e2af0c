"""Cold analysis in workers: equal summaries, at most one lost file, and no process left behind."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

import orjson
import psutil
import pytest

from sidecar.codebase import indexer as analysis_workers
from sidecar.codebase.file_analysis_worker import FileWords, SummarizedFile, analyse
from sidecar.codebase.indexer import (
    MAX_INLINE_FILES,
    MAX_UNSORTED_FILES,
    MIN_FILES_FOR_WORKERS,
    IndexReport,
    analyse_in_workers,
    prioritized,
)
from sidecar.codebase.repository import Repository as CodebaseRepository
from sidecar.codebase.search.index import facts_of
from sidecar.codebase.search.postings import invert
from sidecar.codebase.search.shared_documents import definition_terms
from sidecar.codebase.summary.languages import main_grammars
from sidecar.codebase.summary.model import Summary, from_json
from sidecar.core.clock import SystemClock
from sidecar.system import worker_processes
from sidecar.system.log import Log
from sidecar.system.worker_threads import ThreadPool
from tests.codebase.codebase_client import CodebaseClient
from tests.support.client import Client
from tests.support.memory_sidecar import MemorySidecar
from tests.support.process import ROOT
from tests.support.random_walk import process_of
from tests.support.repositories import Repository

Make = Callable[..., Repository]
PATIENCE_SECONDS = 10.0


@pytest.fixture
def log() -> Log:
    return Log(SystemClock())


@pytest.fixture
def pids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which workers note their pids."""
    folder = tmp_path / "pids"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(ROOT))
    return folder


def command(pids: Path) -> list[str]:
    return [sys.executable, "-m", "tests.support.faulty_worker", str(pids)]


def python_files(count: int = 200) -> dict[str, str]:
    return {f"src/m{n}.py": f'"""Module {n}."""\n\n\ndef run_{n}(x):\n    assert x > {n}\n' for n in range(count)}


def committed(repository: Repository) -> list[tuple[str, str]]:
    rows = repository.git("ls-files", "-s", "-z").split("\0")
    return [(row.split("\t")[1], row.split(" ")[1]) for row in rows if row]


def alive(pids: Path) -> list[int]:
    return [int(path.stem) for path in pids.glob("*.pid") if is_alive(int(path.stem), path.read_text())]


def is_alive(pid: int, started: str) -> bool:
    """Whether the process that started at a time still runs; another one may have its number by now."""
    try:
        process = psutil.Process(pid)
        started_then = started and abs(process.create_time() - float(started)) < 2  # the boot time is in whole seconds
        return bool(started_then) and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def summaries_of(results: Iterable[FileWords | SummarizedFile]) -> dict[str, Summary]:
    files = [result for result in results if isinstance(result, SummarizedFile)]
    summaries = {file.path: from_json(orjson.loads(file.stored)) for file in files}
    assert len(summaries) == len(files), "no file is summarized twice"
    return summaries


def wait_until_ended(pids: Path) -> None:
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while alive(pids) and time.monotonic() < give_up_at:
        time.sleep(0.02)
    assert alive(pids) == []


def test_workers_and_this_process_return_equal_summaries(make_repository: Make, log: Log) -> None:
    repository = make_repository(python_files())
    repository.write({"src/m1.py": "edited = 1\n", "new.ts": "// WARNING: not exact.\nexport const a = 1\n"})
    edited = repository.git("hash-object", "src/m1.py", "new.ts").split()
    changed = [("src/m1.py", f"w:{edited[0]}"), ("new.ts", f"w:{edited[1]}"), ("gone.py", "w:x")]
    files = [*(file for file in committed(repository) if file[0] != "src/m1.py"), *changed]
    words, *analysed = analyse_in_workers(repository.path, files[-30:], log, lambda: False)
    expected = list(analyse(repository.path, dict(files[-30:])))
    assert isinstance(words, FileWords)
    assert (words.files, words.words) == (
        {file.path: file.content for file in expected},
        invert(chunk for file in expected for chunk in file.summary.chunks),
    )
    assert [orjson.loads(text) for text in words.stored] == [list(file.summary.chunks) for file in expected]
    for file, (path, content, summary) in zip(analysed, expected, strict=True):
        assert isinstance(file, SummarizedFile)
        assert (file.path, file.content, file.names) == (path, content, definition_terms(summary))
        assert from_json(orjson.loads(file.stored)) == summary._replace(chunks=())
        facts = facts_of(path, summary.language, summary.imports, summary.landmines)
        assert facts_of(path, file.language, file.imports, file.landmines) == facts
        assert bool(facts.landmines) == (path == "new.ts")
    assert "gone.py" not in words.files
    assert [file.path for file in expected][:2] == ["src/m1.py", "new.ts"]


def test_only_the_file_that_crashes_its_worker_is_lost(make_repository: Make, log: Log, pids: Path) -> None:
    repository = make_repository({**python_files(150), "src/crash.py": "x = 1\n", "src/once.py": "y = 1\n"})
    files = committed(repository)
    results = analyse_in_workers(repository.path, (), log, lambda: False, command(pids), with_words=files)
    analysed = summaries_of(results)
    assert analysed.keys() == dict(files).keys()
    assert [path for path, summary in analysed.items() if summary.analysis == "failed"] == ["src/crash.py"]
    assert analysed["src/once.py"].definitions[0].name == "y"
    assert len(list(pids.glob("*.pid"))) == 4, "one at first, one more for each crash"
    logged = [line for line in log._pending if b"codebase.analysis.crashed" in line]
    assert len(logged) == 1, "its first crash is that of a file that no worker announced"
    assert len([line for line in log._pending if b"codebase.worker.exited" in line]) == 2
    wait_until_ended(pids)


def test_file_that_crashes_while_words_are_read_has_none(make_repository: Make, log: Log, pids: Path) -> None:
    repository = make_repository({**python_files(8), "src/crash.py": "x = 1\n"})
    results = list(analyse_in_workers(repository.path, committed(repository), log, lambda: False, command(pids)))
    words: dict[str, int] = {}
    for part in results:
        if isinstance(part, FileWords):
            words |= dict(zip(part.files, part.counts, strict=True))
    assert words == {**dict.fromkeys(python_files(8), 1), "src/crash.py": 0}
    failed = [path for path, summary in summaries_of(results).items() if summary.analysis == "failed"]
    assert failed == ["src/crash.py"]
    assert len(summaries_of(results)) == 9, "it is not read again for its summary"
    wait_until_ended(pids)


def test_hanging_worker_is_killed(make_repository: Make, log: Log, pids: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis_workers, "HANG_MS", 3_000.0)
    repository = make_repository({**python_files(20), "src/hang.py": "x = 1\n"})
    files = committed(repository)
    results = analyse_in_workers(repository.path, (), log, lambda: False, command(pids), with_words=files)
    analysed = summaries_of(results)
    assert [path for path, summary in analysed.items() if summary.analysis == "failed"] == ["src/hang.py"]
    assert len(analysed) == 21
    wait_until_ended(pids)


def test_stopping_ends_the_workers(make_repository: Make, log: Log, pids: Path) -> None:
    repository = make_repository({"a/first.py": "x = 1\n", "a/hang.py": "x = 1\n", **python_files(20)})
    over: list[bool] = []
    files = committed(repository)
    running = analyse_in_workers(repository.path, (), log, lambda: bool(over), command(pids), with_words=files)
    first = next(running)
    assert isinstance(first, SummarizedFile)
    assert first.path == "a/first.py"
    assert len(alive(pids)) == 1
    over.append(True)
    assert list(running) == []
    wait_until_ended(pids)


def test_failure_to_start_workers_raises(make_repository: Make, log: Log, tmp_path: Path) -> None:
    repository = make_repository(python_files(5))
    for wrong in ([str(tmp_path / "absent")], [sys.executable, "-c", "raise SystemExit(3)"]):
        with pytest.raises(OSError, match=r".+"):
            list(analyse_in_workers(repository.path, committed(repository), log, lambda: False, wrong))


PARENT = """
import sys
from pathlib import Path
from sidecar.codebase.indexer import analyse_in_workers
from sidecar.core.clock import SystemClock
from sidecar.system import worker_processes
from sidecar.system.log import Log
files = [tuple(line.split(" ")) for line in sys.argv[3:]]
command, log = sys.argv[2].split("|"), Log(SystemClock())
for one in analyse_in_workers(Path(sys.argv[1]), (), log, lambda: False, command, with_words=files):
    print(one.path, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="asks the process table")
def test_workers_end_with_a_killed_process(make_repository: Make, pids: Path) -> None:
    repository = make_repository({"src/a.py": "x = 1\n", "src/hang.py": "x = 1\n"})
    files = [f"{path} {content}" for path, content in committed(repository)]
    arguments = [sys.executable, "-c", PARENT, str(repository.path), "|".join(command(pids)), *files]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"src/a.py\n"
        assert len(alive(pids)) == 1
        parent.kill()
    wait_until_ended(pids)


def test_cold_index_of_many_files_is_complete_and_cached(
    make_repository: Make, open_sidecar: Callable[..., MemorySidecar]
) -> None:
    repository = make_repository(python_files(MIN_FILES_FOR_WORKERS + 10))
    first = open_sidecar()
    first.client.initialize()
    cold = CodebaseClient(first.client, repository.path).index()
    assert (cold["analysed"], cold["fromCache"], cold["complete"]) == (MIN_FILES_FOR_WORKERS + 10, 0, True)
    first.close()
    for _, blob in committed(repository):
        (repository.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    again = open_sidecar()
    again.client.initialize()
    warm = CodebaseClient(again.client, repository.path)
    assert (index := warm.index())["analysed"] == 0, index
    assert warm.search("run_7")[0] == "src/m7.py"


def test_words_that_were_stored_are_not_read_again(
    make_repository: Make, open_sidecar: Callable[..., MemorySidecar], monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[tuple[dict[str, str], dict[str, str]]] = []

    def cut_off(cwd: Path, files: Sequence[tuple[str, str]], *arguments: Any, **options: Any) -> Iterator[Any]:
        requests.append((dict(files), dict(options["with_words"])))
        results = analyse_in_workers(cwd, files, *arguments, **options)
        yield from results if len(requests) > 1 else islice(results, 1)
        results.close()

    monkeypatch.setattr(analysis_workers, "analyse_in_workers", cut_off)
    repository = make_repository(python_files(MIN_FILES_FOR_WORKERS + analysis_workers.BATCH_FILES))
    for is_complete in (False, True):
        opened = open_sidecar()
        opened.client.initialize()
        assert CodebaseClient(opened.client, repository.path).index()["complete"] is is_complete
        opened.close()
    (first, _), (again, with_words) = requests
    assert len(with_words) == analysis_workers.FIRST_BATCH_FILES
    assert (again.keys() & with_words.keys(), again | with_words) == (set(), first)


def test_progress_is_reported_while_workers_run(client: Client, make_repository: Make) -> None:
    repository = make_repository(python_files(400))
    result = CodebaseClient(client, repository.path).index()
    assert result["complete"]
    assert result["files"] == 400


def test_changed_files_come_first_then_the_given_order_then_the_rest() -> None:
    many_more = [(f"more{number}", "0") for number in range(MAX_UNSORTED_FILES)]
    files = [("a", "1"), ("b", "2"), ("c", "w:3"), ("d", "4"), *many_more]
    assert prioritized(files, None) == [("c", "w:3"), ("a", "1"), ("b", "2"), ("d", "4"), *many_more]
    ordered = prioritized(files, lambda rest: [("d", "4"), ("unknown", "5"), *rest[:1]])
    assert ordered == [("c", "w:3"), ("d", "4"), ("a", "1"), ("b", "2"), *many_more]


def test_few_files_are_not_sorted() -> None:
    files = [("a", "1"), ("c", "w:3"), ("d", "4")]
    assert prioritized(files, _refused) == [("c", "w:3"), ("a", "1"), ("d", "4")]


def test_few_edits_are_indexed_on_the_calling_thread(
    make_repository: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_repository(python_files(20))
    sidecar = MemorySidecar(tmp_path / "state")
    sidecar.client.initialize()
    process = process_of(sidecar)
    opened = CodebaseRepository(process.workspaces.get(str(repository.path), None), process)
    opened.fill_index(opened.listing(opened.state()), IndexReport())
    for number in range(MAX_INLINE_FILES + 1):
        repository.write({f"src/m{number}.py": "def edited(): ...\n"})
        listing = opened.listing(opened.state())
        with new_pool() as pool:
            monkeypatch.setattr(pool, "submit", _refused)
            assert opened.wait_for_index(listing, pool, 1_000.0) == (1, True)
    repository.git("checkout", "--", ".")
    repository.write({"src/m0.py": "def edited_and_undone(): ...\n"})
    with new_pool() as pool:
        opened.wait_for_index(opened.listing(opened.state()), pool, 1_000.0 * PATIENCE_SECONDS)
    repository.git("checkout", "--", ".")
    listing = opened.listing(opened.state())
    with new_pool() as pool, monkeypatch.context() as patch:
        patch.setattr(pool, "submit", _refused)
        assert opened.wait_for_index(listing, pool, 1_000.0) == (0, True)
    repository.write({f"src/m{number}.py": "def edited_again(): ...\n" for number in range(MAX_INLINE_FILES + 1)})
    listing = opened.listing(opened.state())
    with new_pool() as pool, monkeypatch.context() as patch:
        patch.setattr(pool, "submit", _refused)
        with pytest.raises(AssertionError, match="another thread"):
            opened.wait_for_index(listing, pool, 1_000.0)
    with new_pool() as pool:
        assert opened.wait_for_index(listing, pool, 1_000.0 * PATIENCE_SECONDS)[1]
    sidecar.close()


def new_pool(kind: type[ThreadPool] = ThreadPool) -> ThreadPool:
    """A pool that raises where an error would be lost."""

    def fail(job: str, error: BaseException) -> None:
        raise AssertionError(job) from error

    return kind(2, "test", fail)


class _FasterThanItsCaller(ThreadPool):
    def submit(self, *arguments: Any, **options: Any) -> Future[Any]:  # pyrefly: ignore[bad-override]
        future = super().submit(*arguments, **options)
        wait((future,), PATIENCE_SECONDS)
        return future


def test_files_analysed_before_the_caller_waits_are_counted(make_repository: Make, tmp_path: Path) -> None:
    sidecar = MemorySidecar(tmp_path / "state")
    sidecar.client.initialize()
    process = process_of(sidecar)
    repository = make_repository(python_files(MAX_INLINE_FILES + 2))
    opened = CodebaseRepository(process.workspaces.get(str(repository.path), None), process)
    with new_pool(_FasterThanItsCaller) as pool:
        counted = opened.wait_for_index(opened.listing(opened.state()), pool, 1_000.0 * PATIENCE_SECONDS)
    assert counted == (MAX_INLINE_FILES + 2, True)
    sidecar.close()


def _refused(*_: object) -> NoReturn:
    raise AssertionError("another thread was requested")


def test_worker_is_replaced_after_a_number_of_files(
    make_repository: Make, log: Log, pids: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis_workers, "MAX_FILES_PER_WORKER", analysis_workers.BATCH_FILES)
    monkeypatch.setattr(analysis_workers, "worker_count", lambda **_: 1)
    repository = make_repository(python_files(3 * analysis_workers.BATCH_FILES))
    files = committed(repository)
    found = list(analyse_in_workers(repository.path, (), log, lambda: False, command(pids), with_words=files))
    assert len(found) == 3 * analysis_workers.BATCH_FILES
    assert len(list(pids.glob("*.pid"))) == 3
    wait_until_ended(pids)


@pytest.mark.skipif(sys.platform != "linux", reason="the cores and the battery are read as Linux states them")
def test_first_index_uses_every_core_and_one_on_battery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_processes, "POWER_SUPPLIES", tmp_path)
    (tmp_path / "BAT0").mkdir()
    for cores, state, counts in (
        (1, "Charging", (1, 1)), (4, "Charging", (3, 4)), (99, "Full", (8, 8)), (4, "Discharging", (1, 1)),
    ):  # fmt: skip
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)))
        (tmp_path / "BAT0" / "status").write_text(f"{state}\n", encoding="utf-8")
        assert (worker_processes.worker_count(), worker_processes.worker_count(uses_every_core=True)) == counts


@pytest.mark.parametrize("known", [0, 15, MIN_FILES_FOR_WORKERS // 2])
def test_only_the_first_index_of_a_repository_uses_every_core(
    sidecar: MemorySidecar, make_repository: Make, monkeypatch: pytest.MonkeyPatch, known: int
) -> None:
    """A first prompt analyses the files it shows, before the rest is indexed; so does a process that is killed."""
    requested: list[bool] = []

    def counted(*, uses_every_core: bool) -> int:
        requested.append(uses_every_core)
        return 1

    monkeypatch.setattr(analysis_workers, "worker_count", counted)
    repository = make_repository({f"known/m{number}.py": f"y = {number}\n" for number in range(known)})
    CodebaseClient(sidecar.client, repository.path).index()
    assert requested == []
    repository.commit(python_files(MIN_FILES_FOR_WORKERS))
    CodebaseClient(sidecar.client, repository.path).index()
    repository.commit({f"later/m{number}.py": f"x = {number}\n" for number in range(MIN_FILES_FOR_WORKERS)})
    CodebaseClient(sidecar.client, repository.path).index()
    assert requested == [True, False]


def test_main_grammars_are_those_of_many_files() -> None:
    paths = [*(f"{n}.py" for n in range(30)), *(f"{n}.ts" for n in range(60)), "one.rs", "readme.md", "Makefile"]
    assert [grammar.query for grammar in main_grammars(paths)] == ["typescript", "python"]

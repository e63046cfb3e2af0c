"""Fixtures for all tests."""

import atexit
import contextlib
import gc
import importlib
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import zip_longest
from pathlib import Path
from shutil import disk_usage, rmtree
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.constants_ast import constants_from_module

from sidecar.governor import pressure_decision
from tests.support.client import Client
from tests.support.clock import FixedClock
from tests.support.depth import VARIABLE
from tests.support.knowledge_project import Knowledge
from tests.support.memory_sidecar import MemorySidecar
from tests.support.process import SidecarProcess
from tests.support.repositories import HERMETIC, Contents, Repository, repositories_made, stray_commits
from tests.support.repositories import make_repository as make_repository_at
from tests.support.stored_patterns import use_stored_patterns
from tests.support.thresholds import Thresholds, set_thresholds

# Everyone draws the same examples; `--hypothesis-profile drawn-anew` draws new ones.
TOO_SLOW = [HealthCheck.too_slow]
settings.register_profile("house", max_examples=25, derandomize=True, deadline=None, suppress_health_check=TOO_SLOW)
settings.register_profile("thorough", max_examples=100, derandomize=True, deadline=None, suppress_health_check=TOO_SLOW)
settings.register_profile("drawn-anew", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("house")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the two depths next to the default one."""
    parser.addoption("--fast", action="store_true", help="leave out processes, flows, faults and other slow tests")
    parser.addoption("--thorough", action="store_true", help="run every case: simulations, soaks, all kill points")


def pytest_configure(config: pytest.Config) -> None:
    """Set the depth of the run, and hide the user's and the system's configuration before anything reads it."""
    if config.getoption("--thorough"):
        os.environ[VARIABLE] = "1"
        settings.load_profile("thorough")
    else:
        keep_files_in_memory()
        use_stored_patterns()
    # jsonrpcserver reads its schema in a way of Python 3.8 when it is imported.
    config.addinivalue_line("filterwarnings", "ignore:(open|read)_text is deprecated:DeprecationWarning")
    # Hypothesis counts the references to its own generator, which other threads of a test's process change.
    config.addinivalue_line("filterwarnings", "ignore:It looks like `register_random`")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]  # a hook of git names its own repository, which the tests' commands would then change
    os.environ.update(HERMETIC)
    # A sidecar finds its modules compiled, as an installed one does: else compiling is half of each start.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # The same holds for the tests: rewriting their assertions is most of what loading them takes.
    sys.dont_write_bytecode = False
    # readline, which the controlling process loads, sets the terminal's size for the others.
    for name in [name for name in os.environ if name.startswith("ONECODE_") or name in {"COLUMNS", "LINES"}]:
        del os.environ[name]


def keep_files_in_memory() -> None:
    """Let temporary folders lie in memory where the system has room for that: the tests write thousands of files."""
    folder = Path("/dev/shm")
    if "TMPDIR" not in os.environ and os.access(folder, os.W_OK) and disk_usage(folder).free > ROOM_FOR_FILES:
        os.environ[DISK] = tempfile.gettempdir()
        os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="t-", dir=folder)
        tempfile.tempdir = None
        atexit.register(rmtree, os.environ["TMPDIR"], ignore_errors=True)


DISK = "SIDECAR_TESTS_DISK"
"""The variable for the folder of temporary files before `keep_files_in_memory`; the processes of a run inherit it."""

ROOM_FOR_FILES = 4 << 30
"""Bytes. A run needs about a quarter of that."""

TOGETHER = ("tests/frozen/", "tests/node/", "tests/replay/")
"""Where modules share an expensive fixture: they run in one process."""

FIRST = (
    "tests/node/",
    "tests/flows/test_claude_code",
    "tests/faults/test_regex_time.py",
    "tests/packaging/",
    "tests/flows/test_ralph",
    "tests/packs/test_deadline.py",
    "tests/packs/test_pre_run.py",
    "tests/faults/",
    "tests/build/",
    "tests/frozen/",
    "tests/architecture/",
    "tests/operations/",
    "tests/cli/",
    "tests/rpc/test_process_end.py",
    "tests/knowledge/test_git_source.py",
    "tests/codebase/test_indexer.py",
)
"""What takes longest for its number of tests, and so begins first, in turn with the other modules."""


SLOW = (
    "build/", "cli/", "codebase/worktree/", "faults/", "flows/", "frozen/", "knowledge/", "node/", "operations/",
    "replay/",
    "capture/effects/test_session_loss.py", "capture/test_artifact_commit.py", "capture/test_artifact_methods.py",
    "capture/test_devlog_events.py", "capture/test_memory_branch.py", "capture/test_post_run.py",
    "capture/test_results/test_runner_output.py", "capture/test_run_effects.py", "capture/test_secrets.py",
    "codebase/search/test_index.py", "codebase/search/test_shared_documents.py", "codebase/summary/test_syntax.py",
    "codebase/test_concurrency.py", "codebase/test_derived_answers.py", "codebase/test_indexer.py",
    "codebase/test_large_files.py",
    "codebase/test_stored_index.py", "codebase/test_submodules.py", "context/test_block_laws.py",
    "experiment/test_outcomes.py", "governor/test_rehydrate.py", "governor/test_snapshot.py",
    "memory/test_privacy.py", "memory/test_search_laws.py", "packs/context/test_follow_ups.py",
    "packs/delta/test_broken_imports.py", "packs/delta/test_delta_turns.py", "packs/test_budgets.py",
    "packs/test_deadline.py", "packs/test_explain.py", "packs/test_pack_cache.py", "packs/test_plan_contract.py",
    "packs/test_pre_run.py", "packs/test_prefetch.py", "packs/test_workspaces.py", "ralph/agent/test_runner.py",
    "registry/test_file_edit.py", "rpc/test_background_load.py", "rpc/test_process_end.py", "rpc/test_stdio.py",
    "runs/test_fork_and_rollback.py", "runs/test_ledger.py", "storage/test_recovery.py", "storage/test_upgrades.py",
    "system/test_branches.py", "system/test_log.py", "system/test_process_tree.py",
)  # fmt: skip
"""Tests that start processes, play whole scenarios, or take over a tenth of a second each; `--fast` leaves them out."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Run each module in one process: what it prepares and first uses is then prepared once."""
    from xdist.scheduler import LoadScopeScheduling

    class ModuleScheduling(LoadScopeScheduling):  # xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            return _scope_of(nodeid)

    config.option.loadscopereorder = False  # `pytest_collection_modifyitems` did that
    return ModuleScheduling(config, log)


def _scope_of(nodeid: str) -> str:
    return next((path for path in TOGETHER if nodeid.startswith(path)), nodeid.partition("::")[0])


def _rank_of(nodeid: str) -> int:
    return next((rank for rank, path in enumerate(FIRST) if nodeid.startswith(path)), len(FIRST))


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Compile this process's share of the test modules before it loads all of them.

    Every process of a run loads every module. In a new checkout each compiles its share, and finds the others' done.
    Loading makes no garbage, so none is collected meanwhile, and what was loaded is not looked at again.
    """
    gc.disable()
    if not hasattr(session.config, "workerinput"):
        return
    named = [session.config.invocation_params.dir / argument.partition("::")[0] for argument in session.config.args]
    files = sorted({file for path in named for file in ([path] if path.is_file() else path.rglob("test_*.py"))})
    first, step = _share_of(session.config)
    for file in files[first::step]:
        is_ignored = pytest_ignore_collect(file, session.config)
        if not is_ignored and not list((file.parent / "__pycache__").glob(f"{file.stem}.*-pytest-*.pyc")):
            with contextlib.suppress(Exception):  # which collecting the module reports
                importlib.import_module(".".join(file.relative_to(session.config.rootpath).with_suffix("").parts))


def _share_of(config: pytest.Config) -> tuple[int, int]:
    """Return which of how many parts is this process's."""
    worker: dict[str, Any] = config.workerinput  # pyrefly: ignore[missing-attribute]  # of pytest-xdist
    return int(worker["workerid"].removeprefix("gw")), int(worker["workercount"])


def pytest_collection_finish() -> None:
    """Collect garbage again, without looking at the loaded modules, and rarely: that takes a twentieth of all time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import what `--fast` leaves out."""
    tests = config.rootpath / "tests"
    if not config.getoption("--fast") or not collection_path.is_relative_to(tests):
        return None
    return f"{collection_path.relative_to(tests).as_posix()}/".replace(".py/", ".py").startswith(SLOW) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the marked tests that the depth of this run excludes; with several processes, the most work first."""
    marks = {"slow": config.getoption("--fast"), "thorough": not config.getoption("--thorough")}
    excluded = {item for item in items if any(marks.get(mark.name) for mark in item.iter_markers())}
    if excluded:
        config.hook.pytest_deselected(items=[item for item in items if item in excluded])
        items[:] = [item for item in items if item not in excluded]
    if hasattr(config, "workerinput"):
        sizes = Counter(_scope_of(item.nodeid) for item in items)
        scopes = sorted(sizes, key=lambda scope: (_rank_of(scope), -sizes[scope]))
        count = sum(_rank_of(scope) < len(FIRST) for scope in scopes)
        turns = zip_longest(scopes[:count], scopes[count:])  # most that take long wait, and leave a core to the others
        places = {scope: place for place, scope in enumerate(scope for turn in turns for scope in turn if scope)}
        items.sort(key=lambda item: places[_scope_of(item.nodeid)])
        collect_constants(config)


def collect_constants(config: pytest.Config) -> None:
    """Read the constants of this process's share of the product, which property tests draw from.

    Hypothesis reads those of every loaded module next. In a new checkout each process parses its share, and finds the
    others' stored.
    """
    first, step = _share_of(config)
    loaded = sorted(name for name in sys.modules if name.partition(".")[0] == "sidecar")
    for name in loaded[first::step]:
        constants_from_module(sys.modules[name])


@pytest.fixture
def thresholds(monkeypatch: pytest.MonkeyPatch) -> Iterator[Thresholds]:
    """Set the governor's thresholds for one test: `thresholds(turns=(1, 2))`."""
    yield partial(set_thresholds, monkeypatch)
    pressure_decision.evaluate_pressure.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with nothing in it."""
    folder = tmp_path_factory.mktemp("home")
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        os.environ[name] = str(folder)
    return folder


@pytest.fixture(autouse=True)
def only_the_memory_branch_is_committed_to(request: pytest.FixtureRequest) -> Iterator[None]:
    """Check after every test, once its sidecars are closed, that they committed to no other branch."""
    if "tmp_path" in request.fixturenames:
        request.getfixturevalue("tmp_path")  # which is removed after this check, not before
    repositories_made.clear()
    yield
    for path in repositories_made:
        assert stray_commits(path) == [], "the sidecar committed to a branch of the user"


@pytest.fixture
def disk_folder() -> Iterator[Path]:
    """A folder on the disk: in memory, what is written through a memory map changes no file's time."""
    with tempfile.TemporaryDirectory(dir=os.environ.get(DISK)) as folder:
        yield Path(folder)


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    """The state folder of this test's sidecar; not created yet."""
    return tmp_path / "state"


@pytest.fixture
def clock() -> FixedClock:
    """A clock fixed at 2026-03-01T09:30:00Z."""
    return FixedClock()


@pytest.fixture
def open_sidecar(state_dir: Path) -> Iterator[Callable[..., MemorySidecar]]:
    """Create in-memory sidecars, by default on the test's state folder, and close them."""
    with contextlib.ExitStack() as stack:

        def open_sidecar_with(**options: Any) -> MemorySidecar:
            sidecar = MemorySidecar(options.pop("state_dir", state_dir), **options)
            stack.callback(sidecar.close)
            return sidecar

        yield open_sidecar_with


@pytest.fixture
def sidecar(open_sidecar: Callable[..., MemorySidecar]) -> MemorySidecar:
    """An in-memory sidecar after its handshake."""
    sidecar = open_sidecar()
    sidecar.client.initialize()
    return sidecar


@pytest.fixture
def client(sidecar: MemorySidecar) -> Client:
    """The client of an in-memory sidecar after its handshake."""
    return sidecar.client


@pytest.fixture
def start_process(state_dir: Path) -> Iterator[Callable[..., SidecarProcess]]:
    """Start sidecars in processes of their own, before their handshake, and end them."""
    with contextlib.ExitStack() as stack:

        def start_with(**options: Any) -> SidecarProcess:
            process = SidecarProcess(options.pop("state_dir", state_dir), **options)
            stack.callback(process.close)
            return process

        yield start_with


@pytest.fixture
def process(start_process: Callable[..., SidecarProcess]) -> SidecarProcess:
    """A sidecar in a process of its own after its handshake."""
    process = start_process()
    process.client.initialize()
    return process


@pytest.fixture
def process_client(process: SidecarProcess) -> Client:
    """The client of a sidecar in a process of its own, after the handshake."""
    return process.client


@pytest.fixture
def make_repository(tmp_path: Path) -> Callable[..., Repository]:
    """Create git repositories below the test's folder."""

    def make(files: Mapping[str, Contents] | None = None, name: str = "repository") -> Repository:
        return make_repository_at(tmp_path / name, files)

    return make


@pytest.fixture
def make_knowledge(
    sidecar: MemorySidecar, make_repository: Callable[..., Repository], tmp_path: Path
) -> Callable[..., Knowledge]:
    """Create a knowledge repository with files, and a project whose settings name it."""

    def make(files: Mapping[str, Contents], **settings: Any) -> Knowledge:
        project = tmp_path / "project"
        project.mkdir()
        return Knowledge(sidecar, project, make_repository(files, name="knowledge"), **settings)

    return make

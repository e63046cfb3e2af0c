"""A run in several processes that are forked after the collection, so that one process imports and collects all tests.

Each worker of pytest-xdist collects everything again. That takes as long as the tests of twenty modules.
"""

import atexit
import contextlib
import os
import signal
import sys
import traceback
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, NamedTuple

import pytest

Scope = list[int]
"""Indexes of items that run in one process, one after another."""


def can_fork() -> bool:
    """Whether the run can fork; macOS's own libraries do not survive a fork."""
    return sys.platform == "linux"


class ItemResult(NamedTuple):
    """What a worker sends after each test."""

    item: int
    reports: list[Any]
    warnings: list[dict[str, Any]]


class WorkerError(NamedTuple):
    """What a worker sends before it ends because of an error outside of a test."""

    text: str


class ScopeRequest(NamedTuple):
    """What a worker sends before the last test that it has."""


class _Worker(NamedTuple):
    pid: int
    number: int
    pending: deque[int]
    """Items that it has and did not run yet; it runs the first one."""


class ForkedRun:
    """The controlling process: it gives scopes to workers, and passes their reports to pytest."""

    def __init__(self, session: pytest.Session, scopes: Iterable[Scope]) -> None:
        """Nothing starts before `run`. The workers' temporary folders are in `folder`."""
        self.folder: Path = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        self._session = session
        self._waiting = deque(scopes)
        self._workers: dict[Connection[Any, Any], _Worker] = {}

    def run(self, processes: int) -> None:
        """Run all tests. Raise as pytest's own loop does when the run is to stop early."""
        session = self._session
        try:
            for number in range(min(processes, len(self._waiting))):
                self._start(number)
            while self._workers:
                for connection in wait(list(self._workers)):
                    assert isinstance(connection, Connection)
                    self._receive(connection)
                    if session.shouldfail:
                        raise session.Failed(session.shouldfail)
                    if session.shouldstop:
                        raise session.Interrupted(session.shouldstop)
        finally:
            for connection, worker in self._workers.items():
                connection.close()
                os.kill(worker.pid, signal.SIGTERM)
                os.waitpid(worker.pid, 0)

    def _start(self, number: int) -> None:
        own, other = Pipe()
        pid = os.fork()
        if pid == 0:
            for connection in (own, *self._workers):
                connection.close()
            work(self._session, other, self.folder / f"process-{number}")
        other.close()
        self._workers[own] = _Worker(pid, number, deque())

    def _receive(self, connection: "Connection[Any, Any]") -> None:
        worker = self._workers[connection]
        message = None
        with contextlib.suppress(EOFError, ConnectionResetError):
            message = connection.recv()
        if message is None:
            self._end(connection, worker)
        elif isinstance(message, ItemResult):
            assert worker.pending.popleft() == message.item
            self._pass_on(message)
        elif isinstance(message, ScopeRequest):
            scope = self._waiting.popleft() if self._waiting else []
            worker.pending.extend(scope)
            connection.send(scope)
        else:
            self._session.shouldfail = f"a process of the run failed\n{message.text}"

    def _end(self, connection: "Connection[Any, Any]", worker: _Worker) -> None:
        """Let another process run what a worker left. A test that ended its process has failed."""
        del self._workers[connection]
        connection.close()
        _, status = os.waitpid(worker.pid, 0)
        if worker.pending:
            item = self._session.items[worker.pending.popleft()]
            text = f"its process ended with status {os.waitstatus_to_exitcode(status)}"
            report = pytest.TestReport(item.nodeid, item.location, {}, "failed", text, "call")
            self._session.config.hook.pytest_runtest_logreport(report=report)
        if worker.pending:
            self._waiting.appendleft(list(worker.pending))
        if self._waiting:
            self._start(worker.number)

    def _pass_on(self, result: ItemResult) -> None:
        config = self._session.config
        for data in result.reports:
            report = data
            if isinstance(data, dict):
                report = config.hook.pytest_report_from_serializable(config=config, data=data)
            config.hook.pytest_runtest_logreport(report=report)
        for arguments in result.warnings:
            config.hook.pytest_warning_recorded.call_historic(kwargs=arguments)


def work(session: pytest.Session, connection: "Connection[Any, Any]", folder: Path) -> None:
    """Run scopes until there are none; end this process."""
    atexit._clear()  # those of the controlling process
    status = 1
    try:
        _separate(session.config, folder)
        _run_scopes(session, connection)
        session.config._ensure_unconfigure()
        atexit._run_exitfuncs()
        status = 0
    except BaseException:
        connection.send(WorkerError(traceback.format_exc()))
    finally:
        os._exit(status)


def _separate(config: pytest.Config, folder: Path) -> None:
    """Let this process have its own temporary folder and its own files for captured output."""
    folders: Any = config._tmp_path_factory  # type: ignore[attr-defined]  # pytest-xdist sets it by an option
    folder.mkdir(mode=0o700, exist_ok=True)
    folders._basetemp = folder
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    capture.suspend_global_capture()
    config.pluginmanager.unregister(name="terminalreporter")


def _run_scopes(session: pytest.Session, connection: "Connection[Any, Any]") -> None:
    config = session.config
    results = _Results(config)
    config.pluginmanager.register(results)

    def item_indexes() -> Iterator[int]:
        while True:
            connection.send(ScopeRequest())
            scope = connection.recv()
            if not scope:
                return
            yield from scope

    indexes = item_indexes()
    index = next(indexes, None)
    while index is not None and not (session.shouldfail or session.shouldstop):
        following = next(indexes, None)
        next_item = None if following is None else session.items[following]
        config.hook.pytest_runtest_protocol(item=session.items[index], nextitem=next_item)
        connection.send(results.take(index))
        index = following


class _Results:
    """A plugin that collects what the controlling process passes on."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._reports: list[Any] = []
        self._warnings: list[dict[str, Any]] = []

    def take(self, index: int) -> ItemResult:
        result = ItemResult(index, self._reports, self._warnings)
        self._reports, self._warnings = [], []
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data: Any = report
        if not report.passed:  # it holds a traceback
            data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._reports.append(data)

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: tuple[str, int, str] | None
    ) -> None:
        shown = warnings.WarningMessage(
            str(warning_message.message), UserWarning, warning_message.filename, warning_message.lineno
        )
        self._warnings.append({"warning_message": shown, "when": when, "nodeid": nodeid, "location": location})

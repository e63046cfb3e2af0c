"""Brings a request to its lane, runs it there, and hands its outcome back."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sidecar.core.errors import MethodNotFound
from sidecar.rpc.incoming import Host, Incoming, Routes
from sidecar.rpc.lanes import Lanes, Task
from sidecar.rpc.sharing import Company, Sharing


class Running:
    """Starts requests once the product's methods are loaded. Whatever a method raises becomes its answer."""

    def __init__(
        self,
        routes: Routes,
        host: Host,
        lanes: Lanes,
        sharing: Sharing,
        *,
        reply: Callable[[Incoming, dict[str, Any]], None],
        fail: Callable[[Incoming, BaseException], None],
    ) -> None:
        self._routes = routes
        self._host = host
        self._lanes = lanes
        self._sharing = sharing
        self._reply = reply
        self._fail = fail

    def knows(self, incoming: Incoming) -> bool:
        """Says whether a request or notification is of a method that is loaded."""
        return self._lane_of(incoming) is not None

    def _lane_of(self, incoming: Incoming) -> str | None:
        of = self._routes.lane_of_notice if incoming.answer is None else self._routes.lane_of
        return of(incoming.method)

    def start(self, incoming: Incoming) -> None:
        """Queues a request or notification; raises Busy or MethodNotFound. An unknown notification is passed over."""
        is_notice = incoming.answer is None
        lane = self._lane_of(incoming)
        if lane is None:
            if is_notice:
                return
            raise MethodNotFound(
                f"There is no method {incoming.method[:80]!r}.", hint="`rpc.discover` lists the methods."
            )
        run = partial(self._run_notice if is_notice else self._run, incoming)
        if lane == "job":
            self._lanes.start_job(run)
        elif lane == "shared" and not is_notice:
            self._start_shared(incoming)
        else:
            key = _workspace_key(incoming.params) if lane == "workspace" else None
            incoming.task = Task(run, key, incoming.size)
            self._lanes.submit(incoming.task)

    def _start_shared(self, incoming: Incoming) -> None:
        company = self._sharing.join(incoming)
        if company is None:
            return
        try:
            incoming.task = Task(partial(self._run_shared, company), None, incoming.size)
            self._lanes.submit(incoming.task)
        except Exception as error:
            for one in self._sharing.part(company):
                self._fail(one, error)

    def _run_notice(self, incoming: Incoming) -> None:
        try:
            self._routes.notify(self._host.new_call(incoming), incoming.method, incoming.params)
        except BaseException as error:
            self._host.on_incident(error, self._host.new_incident_id())

    def _run(self, incoming: Incoming) -> None:
        if incoming.has_answer:
            return
        try:
            body = self._routes.answer(self._host.new_call(incoming), incoming.method, incoming.params)
        except BaseException as error:
            self._fail(incoming, error)
            return
        self._reply(incoming, body)

    def _run_shared(self, company: Company) -> None:
        first = company.members[0]
        if first.cancellation.is_set:
            return
        try:
            body = self._routes.answer(self._host.new_call(first), first.method, first.params)
        except BaseException as error:
            for one in self._sharing.part(company):
                self._fail(one, error)
            return
        for one in self._sharing.part(company):
            self._reply(one, body)


def _workspace_key(params: Any) -> str:
    """Names a workspace without asking the disk: two spellings of one folder are one."""
    cwd = params.get("cwd") if isinstance(params, Mapping) else None
    return os.path.normcase(os.path.normpath(cwd)) if isinstance(cwd, str) and cwd else ""

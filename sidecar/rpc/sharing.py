"""Identical concurrent requests share one computation: the first computes, the others keep it company."""

import threading
from typing import Any

from sidecar.rpc.incoming import Incoming


class Company:
    """Those who wait for one computation; the first one's params and cancellation are the computation's."""

    __slots__ = ("key", "members")

    def __init__(self, key: str, first: Incoming) -> None:
        self.key = key
        self.members = [first]


class Sharing:
    """The computations that may still be joined. `lock` is the one under which `has_answer` changes."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock
        self._companies: dict[str, Company] = {}

    def join(self, incoming: Incoming) -> Company | None:
        """Joins an identical request's computation; gives a new company where there is none, for its first to run."""
        key = _key(incoming.method, incoming.params)
        with self._lock:
            company = self._companies.get(key)
            if company is not None:
                incoming.params = None  # the first one's are computed with; a crowd costs no memory
                incoming.company = company
                company.members.append(incoming)
                return None
            incoming.company = self._companies[key] = Company(key, incoming)
            return incoming.company

    def part(self, company: Company) -> list[Incoming]:
        """Lets nobody join any more, and gives those who did."""
        with self._lock:
            self._forget(company)
            return company.members

    def leave(self, leaving: Incoming) -> Incoming | None:
        """Gives the request whose work nobody waits for once one is cancelled; the lock is held by the caller."""
        company = leaving.company
        if company is None:
            return leaving
        if any(not (one is leaving or one.has_answer) for one in company.members):
            if leaving is not company.members[0]:
                company.members.remove(leaving)
            return None
        self._forget(company)
        return company.members[0]

    def _forget(self, company: Company) -> None:
        if self._companies.get(company.key) is company:
            del self._companies[company.key]


def _key(method: str, params: Any) -> str:
    import orjson

    from sidecar.core.digests import digest_bytes

    return digest_bytes(orjson.dumps([method, params], option=orjson.OPT_SORT_KEYS))

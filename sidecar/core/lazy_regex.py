"""Regular expressions that are compiled when they are first used: hundreds stand in tables, and a run needs few."""

import re
from typing import Any, AnyStr, cast


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Gives what behaves as the compiled pattern, and is compiled at its first use; `re.error` is raised there too."""
    return cast("re.Pattern[AnyStr]", _Regex(pattern, flags))


class _Regex:
    """Keeps each method of the compiled pattern as its own, so that every use but the first costs no more."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked by `copy` and its like of an object that has no members yet
            raise AttributeError(name)
        # Two threads may both get here: each compiles an equal pattern, and either's method may stay.
        value = getattr(re.compile(self.pattern, self._flags), name)  # noqa: TID251  (its one place)
        self.__dict__[name] = value
        return value

    def __repr__(self) -> str:
        return f"regex({self.pattern!r}, {self._flags})"

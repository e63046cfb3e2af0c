"""Regular expressions compiled at first use: tables hold hundreds, and a run needs few."""

import re
from typing import Any, AnyStr, cast


def lazy_regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return an object that behaves like the compiled pattern; compiled, and may raise `re.error`, at first use."""
    return cast("re.Pattern[AnyStr]", LazyPattern(pattern, flags))


class LazyPattern:
    """Lazy pattern that caches each bound method of the compiled pattern, so only the first use costs more."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # `copy` and similar code look these up on an object without members
            raise AttributeError(name)
        # Two threads may both get here: each compiles an equal pattern, and either method may stay.
        value = getattr(re.compile(self.pattern, self._flags), name)  # noqa: TID251  (its one place)
        self.__dict__[name] = value
        return value

    def __repr__(self) -> str:
        return f"regex({self.pattern!r}, {self._flags})"

"""Many small cases as one test: a test of its own costs more than such a case takes."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any


def together(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Run a test for each case, as `pytest.mark.parametrize` with the same arguments, and fail with all that fail.

    The test gets no fixtures.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    listed = [tuple(case) if len(names) > 1 else (case,) for case in cases]
    assert listed, "no case"

    def decorate(check: Callable[..., None]) -> Callable[[], None]:
        def run_all() -> None:
            failures = []
            for case in listed:
                arguments = dict(zip(names, case, strict=True))
                try:
                    check(**arguments)
                except Exception as error:
                    failures.append(f"{arguments}: {type(error).__name__}: {error}")
            assert not failures, "\n\n".join([f"{len(failures)} of {len(listed)} cases failed", *failures])

        run_all.__name__, run_all.__qualname__ = check.__name__, check.__qualname__
        run_all.__module__, run_all.__doc__ = check.__module__, check.__doc__
        return run_all

    return decorate

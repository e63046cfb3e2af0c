"""Keys of the delivery ledger: the names of what a provider session can receive. Pure.

A run's own work is named with the same keys.
"""

ANCHOR = "anchor"
HEAD = "delta:head"
OPERATION = "delta:operation"
TODOS = "delta:todos"
RULES = "delta:anchor"
CONTRACT = "plan"
PLAN = "plan:text"
MORE = "delta:more"
INDEX = "delta:index"
UNNAMED = "delta:unnamed"
_CHANGE = "delta:file:"
_COMMIT = "delta:commit:"
_TESTS = "delta:tests:"
_CONTEXT = "context:"
_MEMORY = "memory:"
_ENTITY = "registry:"
_INSTRUCTION = "instruction:"


def change_key(path: str) -> str:
    """Return the key of a changed file's diff."""
    return _CHANGE + path


def changed_path(key: str) -> str | None:
    """Return the path of a changed file's key; None for another key."""
    return key.removeprefix(_CHANGE) if key.startswith(_CHANGE) else None


def commit_key(path: str) -> str:
    """Return the key of what commits changed in a file."""
    return _COMMIT + path


def context_key(path: str) -> str:
    """Return the key of a file's summary."""
    return _CONTEXT + path


def context_path(key: str) -> str | None:
    """Return the path of a summary's key; None for another key."""
    return key.removeprefix(_CONTEXT) if key.startswith(_CONTEXT) else None


def memory_key(memory_id: str) -> str:
    """Return the key of a memory."""
    return _MEMORY + memory_id


def entity_key(entity_id: str) -> str:
    """Return the key of a registry entity."""
    return _ENTITY + entity_id


def memory_id(key: str) -> str | None:
    """Return the id of a memory's key; None for another key."""
    return key.removeprefix(_MEMORY) if key.startswith(_MEMORY) else None


def instruction_key(memory_id: str) -> str:
    """Return the key of the standing instruction that a memory states."""
    return _INSTRUCTION + memory_id


def instruction_id(key: str) -> str | None:
    """Return the memory's id of a standing instruction's key; None for another key."""
    return key.removeprefix(_INSTRUCTION) if key.startswith(_INSTRUCTION) else None


def tests_key(runner: str) -> str:
    """Return the key of a test runner's last verdict."""
    return _TESTS + runner


def tests_runner(key: str) -> str | None:
    """Return the runner of a test verdict's key; None for another key."""
    return key.removeprefix(_TESTS) if key.startswith(_TESTS) else None

"""The default run checks the types of other platforms where the platform matters; no such module may be left out."""

from collections.abc import Callable
from pathlib import Path

import check
import pytest
from platform_modules import platform_modules

STUBS = {
    "os/__init__.pyi": "import sys\ndef open(): ...\nif sys.platform != 'win32':\n    def getuid(): ...\n",
    "fcntl.pyi": "import sys\nif sys.platform != 'win32':\n    LOCK_EX: int\n    def flock() -> None: ...\n",
    "signal.pyi": "import sys\nif sys.platform == 'win32':\n    CTRL: int\nelse:\n    from enum import KILL\n",
    "json.pyi": "def loads() -> None: ...\n",
}


@pytest.fixture
def depends(tmp_path: Path) -> Callable[[str], bool]:
    """Whether a module of a package depends on the platform, next to a module that defines names on some only."""
    for name, text in STUBS.items():
        (tmp_path / "stubs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "stubs" / name).write_text(text)
    package = tmp_path / "product"
    package.mkdir()
    guarded = package / "guarded.py"
    guarded.write_text("import sys\nif sys.platform == 'linux':\n    FLAG = 1\nELSEWHERE = 2\n")

    def does(text: str) -> bool:
        module = package / "module.py"
        module.write_text(text)
        found = platform_modules(package, tmp_path / "stubs")
        assert guarded in found
        return module in found

    return does


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nprint(sys.platform)\n",
        "import os\nos.getuid()\n",
        "import json, os as system\nsystem.getuid()\n",
        "def f():\n    from os import (\n        open,  # (both)\n        getuid,\n    )\n",
        "from fcntl import *\n",
        "import fcntl\nfcntl.flock()\n",
        "from signal import KILL\n",
        "from product.guarded import FLAG\n",
        "from product import guarded\nguarded.FLAG\n",
        "import product.guarded\nproduct.guarded.FLAG\n",
    ],
)
def test_a_module_that_uses_what_some_platforms_lack_is_checked(depends: Callable[[str], bool], text: str) -> None:
    assert depends(text)


@pytest.mark.parametrize(
    "text",
    [
        "import os\nos.open()\n",
        "import json\njson.getuid()\n",
        "from product.guarded import ELSEWHERE\n",
        "getuid = 1\n",
    ],
)
def test_a_module_with_the_same_types_everywhere_is_not(depends: Callable[[str], bool], text: str) -> None:
    assert not depends(text)


def test_the_checks_of_other_platforms_stay_and_take_the_modules_of_the_product() -> None:
    sampled = check._sampled(check.CHECKS)
    assert [name for name, _ in sampled] == [name for name, _ in check.CHECKS]
    for (_, whole), (_, part) in zip(check.CHECKS, sampled, strict=True):
        if "--platform" in whole:
            assert part[: len(whole) - 1] == whole[:-1]
            assert {"sidecar/system/filelock.py", "sidecar/system/worker_threads.py", "sidecar/cli/serve.py"} < {*part}
            assert 20 < len(part) < 100
        else:
            assert part == whole

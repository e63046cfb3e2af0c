"""Which glibc the built program asks for: never a newer one than its users have, as far as that can be seen here."""

import platform
import re
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has glibc")

OLDEST = (2, 35)
"""What the release's building machine has, Ubuntu 22.04."""

SYMBOL = re.compile(rb"GLIBC_(\d+)\.(\d+)")


def asked_by(library: Path) -> tuple[int, int]:
    """Gives the newest glibc that a library names; (0, 0) where it names none."""
    named = ((int(major), int(minor)) for major, minor in SYMBOL.findall(library.read_bytes()))
    return max(named, default=(0, 0))


def test_what_comes_in_wheels_starts_where_the_release_is_built(built: Path) -> None:
    inside = built.parent / "_internal"
    installed = Path(sysconfig.get_path("platlib"))
    libraries = [path.relative_to(inside) for path in inside.rglob("*.so*") if path.is_file()]
    of_wheels = {path: asked_by(inside / path) for path in libraries if (installed / path).exists()}
    assert len(of_wheels) > 20
    assert {path: asked for path, asked in of_wheels.items() if asked > OLDEST} == {}


def test_nothing_inside_asks_for_more_than_the_machine_that_built_it_has(built: Path) -> None:
    here = tuple(int(part) for part in platform.libc_ver()[1].split("."))
    asked = {path: asked_by(path) for path in built.parent.rglob("*.so*") if path.is_file()}
    assert (0, 0) < max(asked.values()) <= here

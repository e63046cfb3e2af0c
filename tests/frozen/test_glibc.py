"""The glibc version that the built program requires: never newer than its users', as far as it can be checked here."""

import platform
import re
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has glibc"),
]

OLDEST = (2, 35)
"""The version of the release's build machine, Ubuntu 22.04."""

SYMBOL = re.compile(rb"GLIBC_(\d+)\.(\d+)")


def required_by(library: Path) -> tuple[int, int]:
    """Return the newest glibc that a library requires; (0, 0) for none."""
    named = ((int(major), int(minor)) for major, minor in SYMBOL.findall(library.read_bytes()))
    return max(named, default=(0, 0))


def test_libraries_from_wheels_run_on_the_build_machines_glibc(built: Path) -> None:
    inside = built.parent / "_internal"
    installed = Path(sysconfig.get_path("platlib"))
    libraries = [path.relative_to(inside) for path in inside.rglob("*.so*") if path.is_file()]
    of_wheels = {path: required_by(inside / path) for path in libraries if (installed / path).exists()}
    assert len(of_wheels) > 20
    assert {path: required for path, required in of_wheels.items() if required > OLDEST} == {}


def test_no_library_requires_a_newer_glibc_than_the_build_machines(built: Path) -> None:
    here = tuple(int(part) for part in platform.libc_ver()[1].split("."))
    required = {path: required_by(path) for path in built.parent.rglob("*.so*") if path.is_file()}
    assert (0, 0) < max(required.values()) <= here

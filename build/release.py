"""Makes a release of the built program: an archive, its bill of materials, the licences inside, and their sums.

    python3 build/release.py
    python3 build/release.py --output FOLDER

Freezes first where need be. The archive's times are SOURCE_DATE_EPOCH or the last commit's; the same build makes the
same archive. Fails when something inside has no known owner or licence, or when the program is over its budget of size.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import environment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shipping.budget import Share
    from shipping.inside import Component

OUTPUT = environment.ROOT / ".release"
PLATFORMS = {"win32": "win32", "darwin": "darwin"}
ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}


def main(arguments: list[str]) -> int:
    """Makes the release with the environment's own Python, and gives 1 when it may not be shipped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--output", type=Path, default=OUTPUT, metavar="FOLDER", help="where to; .release/ unless given"
    )
    output = parser.parse_args(arguments).output
    environment.ensure()
    if Path(sys.prefix).resolve() != environment.VENV.resolve():
        return environment.run_tool([environment.program("python"), __file__, *arguments])
    return _release(Path(os.path.abspath(output)))


def target() -> str:
    """Names the platform and architecture as the app's folders do, such as `darwin-arm64`."""
    machine = platform.machine().lower()
    return f"{PLATFORMS.get(sys.platform, 'linux')}-{ARCHITECTURES.get(machine, machine)}"


def _release(output: Path) -> int:
    import freeze
    from shipping.budget import over_budget, shares
    from shipping.inside import PROJECT, Unaccounted, components
    from shipping.licences import licences

    program = freeze.freeze()
    environment.say("release: looking through what is inside ...")
    try:
        found = components(program.parent, frozen_modules(program), program.name)
        texts = licences(found)
    except Unaccounted as error:
        environment.say(f"release: {error}: nothing says where this comes from or what its licence is.")
        return 1
    told = shares(found, PROJECT)
    _print(told)
    archive = write(program.parent, found, texts, output, _made_at())
    print(f"release: {archive} ({archive.stat().st_size / 1e6:.1f} MB, {len(found)} components)")
    too_large = over_budget(told)
    for sentence in too_large:
        environment.say(f"release: {sentence}")
    return 1 if too_large else 0


def write(program: Path, found: Sequence[Component], texts: str, output: Path, at_seconds: int) -> Path:
    """Writes the archive of a program's folder, the bill and the licences beside it and in it, and their sums."""
    from shipping.archive import pack, sums
    from shipping.bill import bill
    from shipping.inside import PROJECT

    version = next(one.version for one in found if one.name == PROJECT)
    name = f"{PROJECT}-{version}-{target()}"
    archive = output / f"{name}{'.zip' if sys.platform == 'win32' else '.tar.gz'}"
    bom, words = output / f"{name}.cdx.json", output / f"{name}.licences.txt"
    output.mkdir(parents=True, exist_ok=True)
    bom.write_text(bill(found, target(), at_seconds), encoding="utf-8", newline="\n")
    words.write_text(texts, encoding="utf-8", newline="\n")
    environment.say("release: packing ...")
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / PROJECT
        shutil.copytree(program, folder, symlinks=True)
        shutil.copyfile(words, folder / "LICENCES.txt")
        shutil.copyfile(bom, folder / "bom.cdx.json")
        pack(folder, archive, PROJECT, at_seconds)
    (output / f"{name}.sha256").write_text(sums([archive, bom, words]), encoding="utf-8", newline="\n")
    return archive


def frozen_modules(program: Path) -> dict[str, int]:
    """Gives the modules frozen into an executable with the bytes each takes there."""
    from PyInstaller.archive.readers import CArchiveReader

    archive = CArchiveReader(os.fspath(program))
    modules = archive.open_embedded_archive("PYZ.pyz").toc
    return {name: size for name, (_, _, size) in modules.items()}


def _print(told: list[Share]) -> None:
    from shipping.budget import MEGABYTE

    for share in told:
        print(f"release: {share.size / MEGABYTE:7.2f} MB  {share.part:<9}{share.name}")
    for part in ("core", "grammar", "optional"):
        print(f"release: {sum(one.size for one in told if one.part == part) / MEGABYTE:7.2f} MB  {part}, in all")


def _made_at() -> int:
    stated = os.environ.get("SOURCE_DATE_EPOCH", "")
    if stated.isdecimal():
        return int(stated)
    asked = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=environment.ROOT, capture_output=True, text=True, check=False
    )
    return int(asked.stdout.strip() or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

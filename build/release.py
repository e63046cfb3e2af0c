"""Make a release: an archive of the built program, its SBOM, the licence texts, a wheel, and their checksums.

    python3 build/release.py
    python3 build/release.py --output FOLDER
    python3 build/release.py --wheel            only the wheel, for `uv tool install` and `pipx install`

Freezes first if needed. The archive's timestamps are SOURCE_DATE_EPOCH or the last commit's; the same build makes the
same archive. Fails if a file has no known owner or licence, or if the program exceeds its size budget.
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

    from shipping.components import Component
    from shipping.size_budget import Share

OUTPUT = environment.ROOT / ".release"
MANIFEST = "manifest.json"
PLATFORMS = {"win32": "win32", "darwin": "darwin"}
ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}


def main(arguments: list[str]) -> int:
    """Make the release with the environment's Python; return 1 if it must not be shipped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--output", type=Path, default=OUTPUT, metavar="FOLDER", help="where to; .release/ unless given"
    )
    parser.add_argument("--wheel", action="store_true", help="only the wheel")
    chosen = parser.parse_args(arguments)
    environment.ensure()
    if Path(sys.prefix).resolve() != environment.VENV.resolve():
        return environment.run_tool([environment.program("python"), __file__, *arguments])
    output = Path(os.path.abspath(chosen.output))
    print(f"release: {write_wheel(output, _made_at())}")
    return 0 if chosen.wheel else _release(output)


def target() -> str:
    """Return platform and architecture as the app names its folders, such as `darwin-arm64`."""
    machine = platform.machine().lower()
    return f"{PLATFORMS.get(sys.platform, 'linux')}-{ARCHITECTURES.get(machine, machine)}"


def _release(output: Path) -> int:
    import freeze
    from shipping.components import PROJECT, UnknownOrigin, components
    from shipping.licences import licences
    from shipping.size_budget import exceeded_limits, shares

    program = freeze.freeze()
    environment.print_progress("release: identifying components ...")
    try:
        found_components = components(program.parent, frozen_modules(program), program.name)
        texts = licences(found_components)
    except UnknownOrigin as error:
        environment.print_progress(f"release: {error}: its origin or licence is unknown.")
        return 1
    component_shares = shares(found_components, PROJECT)
    _print(component_shares)
    archive = write(program.parent, found_components, texts, output, _made_at())
    print(f"release: {archive} ({archive.stat().st_size / 1e6:.1f} MB, {len(found_components)} components)")
    sentences = exceeded_limits(component_shares)
    for sentence in sentences:
        environment.print_progress(f"release: {sentence}")
    return 1 if sentences else 0


def write(program: Path, found_components: Sequence[Component], texts: str, output: Path, at_seconds: int) -> Path:
    """Write the archive of a program's folder, the SBOM and the licences beside it and in it, and their checksums."""
    from shipping.archive import manifest, pack, sums
    from shipping.components import PROJECT
    from shipping.sbom import sbom

    version = next(component.version for component in found_components if component.name == PROJECT)
    name = f"{PROJECT}-{version}-{target()}"
    archive = output / f"{name}{'.zip' if sys.platform == 'win32' else '.tar.gz'}"
    bom, licence_texts = output / f"{name}.cdx.json", output / f"{name}.licences.txt"
    output.mkdir(parents=True, exist_ok=True)
    bom.write_text(sbom(found_components, target(), at_seconds), encoding="utf-8", newline="\n")
    licence_texts.write_text(texts, encoding="utf-8", newline="\n")
    environment.print_progress("release: packing ...")
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / PROJECT
        shutil.copytree(program, folder, symlinks=True)
        shutil.copyfile(licence_texts, folder / "LICENCES.txt")
        shutil.copyfile(bom, folder / "bom.cdx.json")
        pack(folder, archive, PROJECT, at_seconds)
    (output / f"{name}.sha256").write_text(sums([archive, bom, licence_texts]), encoding="utf-8", newline="\n")
    stated = manifest(version or "", target(), archive, output / MANIFEST)
    (output / MANIFEST).write_text(stated, encoding="utf-8", newline="\n")
    return archive


def write_wheel(output: Path, at_seconds: int) -> Path:
    """Write the wheel of the package and its checksum; its Python dependencies are pinned and not included.

    It is built from a copy: setuptools would work in `build/`, the folder of these scripts.
    """
    from shipping.archive import OLDEST_ZIP_TIME, sums

    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(
            environment.ROOT / "sidecar", Path(work) / "sidecar", ignore=shutil.ignore_patterns("__pycache__")
        )
        shutil.copyfile(environment.ROOT / "pyproject.toml", Path(work) / "pyproject.toml")
        script = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
        dated = {**os.environ, "SOURCE_DATE_EPOCH": str(max(at_seconds, OLDEST_ZIP_TIME))}
        command = [sys.executable, "-c", script, os.fspath(Path(work) / "wheel")]
        subprocess.run(command, cwd=work, env=dated, capture_output=True, check=True)
        (built,) = (Path(work) / "wheel").glob("*.whl")
        wheel = Path(shutil.copyfile(built, output / built.name))
    wheel.with_suffix(".whl.sha256").write_text(sums([wheel]), encoding="utf-8", newline="\n")
    return wheel


def frozen_modules(program: Path) -> dict[str, int]:
    """Return the modules frozen into an executable, with their size in bytes."""
    from PyInstaller.archive.readers import CArchiveReader

    archive = CArchiveReader(os.fspath(program))
    modules = archive.open_embedded_archive("PYZ.pyz").toc
    return {name: size for name, (_, _, size) in modules.items()}


def _print(component_shares: list[Share]) -> None:
    from shipping.size_budget import MEGABYTE

    for share in component_shares:
        print(f"release: {share.size / MEGABYTE:7.2f} MB  {share.part:<9}{share.name}")
    for part in ("core", "grammar", "optional"):
        print(
            f"release: {sum(share.size for share in component_shares if share.part == part) / MEGABYTE:7.2f} MB "
            f" {part}, in all"
        )


def _made_at() -> int:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isdecimal():
        return int(epoch)
    done = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=environment.ROOT, capture_output=True, text=True, check=False
    )
    return int(done.stdout.strip() or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

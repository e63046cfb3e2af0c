"""Write what is generated: rpc_schema/, the table of settings, and that of described names; --check only compares."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "rpc_schema"
CONFIGURATION = ROOT / "sidecar" / "docs" / "configuration.md"
DESCRIPTIONS = ROOT / "build" / "name_descriptions.txt"
DESCRIBED_NAMES = ROOT / "sidecar" / "registry" / "described_names.txt"
PYTHON = ROOT / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def main() -> int:
    """Generate or check; status 1 when --check finds a difference, 2 when a requirement is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 naming each file that differs")
    check = parser.parse_args().check
    if Path(sys.prefix).resolve() != (ROOT / ".venv").resolve():
        return _in_venv()
    expected = _expected()
    if check:
        return _report(expected)
    _write(expected)
    print(f"generate: {len(expected)} files are up to date")
    return 0


def _in_venv() -> int:
    if not PYTHON.exists():
        print("generate: .venv is missing; run `python3 build/setup.py` first.", file=sys.stderr)
        return 2
    return subprocess.run([PYTHON, __file__, *sys.argv[1:]], check=False).returncode


def _expected() -> dict[Path, bytes]:
    sys.path[:0] = [str(ROOT), str(ROOT / "build")]
    from generators.described_names import described_names
    from generators.method_reference import with_settings
    from generators.published_files import published
    from sidecar.app import load_full_catalog

    expected = {OUTPUT / name: content for name, content in published(load_full_catalog()).items()}
    table = described_names(DESCRIPTIONS.read_text(encoding="utf-8").splitlines())
    page = with_settings(CONFIGURATION.read_text(encoding="utf-8"))
    return {**expected, CONFIGURATION: page.encode(), DESCRIBED_NAMES: table.encode()}


def _obsolete(expected: dict[Path, bytes]) -> list[Path]:
    from generators.published_files import GENERATED_FOLDERS

    present = (path for folder in GENERATED_FOLDERS for path in (OUTPUT / folder).glob("*"))
    return sorted(path for path in present if path not in expected)


def _report(expected: dict[Path, bytes]) -> int:
    problems = [f"missing: {_relative(path)}" for path in expected if not path.exists()]
    problems += [f"stale: {_relative(path)}" for path, content in expected.items() if _differs(path, content)]
    problems += [f"superfluous: {_relative(path)}" for path in _obsolete(expected)]
    for problem in problems:
        print(problem)
    if problems:
        print("Run `python3 build/generate.py` and commit what it writes.")
    return 1 if problems else 0


def _write(expected: dict[Path, bytes]) -> None:
    for path, content in expected.items():
        if path.exists() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(path.name + ".new")
        unfinished.write_bytes(content)
        unfinished.replace(path)
        print(f"wrote {_relative(path)}")
    for path in _obsolete(expected):
        path.unlink()
        print(f"removed {_relative(path)}")


def _differs(path: Path, content: bytes) -> bool:
    return path.exists() and path.read_bytes() != content


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


if __name__ == "__main__":
    sys.exit(main())

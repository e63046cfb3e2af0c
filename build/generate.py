"""Write what the catalog determines: rpc_schema/ and the table of settings; --check only compares."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "rpc_schema"
CONFIGURATION = ROOT / "sidecar" / "docs" / "configuration.md"
PYTHON = ROOT / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def main() -> int:
    """Generates or checks; status 1 when --check finds a difference, 2 when something needed is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 naming each file that differs")
    check = parser.parse_args().check
    if Path(sys.prefix).resolve() != (ROOT / ".venv").resolve():
        return _in_venv()
    wanted = _wanted()
    if check:
        return _report(wanted)
    _write(wanted)
    print(f"generate: {len(wanted)} files are up to date")
    return 0


def _in_venv() -> int:
    if not PYTHON.exists():
        print("generate: .venv is missing; run `python3 build/setup.py` first.", file=sys.stderr)
        return 2
    return subprocess.run([PYTHON, __file__, *sys.argv[1:]], check=False).returncode


def _wanted() -> dict[Path, bytes]:
    sys.path.insert(0, str(ROOT))
    from sidecar.app import load_full_catalog
    from sidecar.schema.definitions import Catalog
    from sidecar.schema.markdown import with_settings
    from sidecar.schema.publish import published

    catalog = load_full_catalog()
    wanted = {
        OUTPUT / name: content for name, content in published(Catalog(catalog.methods, catalog.notifications)).items()
    }
    return {**wanted, CONFIGURATION: with_settings(CONFIGURATION.read_text(encoding="utf-8")).encode()}


def _superfluous(wanted: dict[Path, bytes]) -> list[Path]:
    from sidecar.schema.publish import GENERATED_FOLDERS

    present = (path for folder in GENERATED_FOLDERS for path in (OUTPUT / folder).glob("*"))
    return sorted(path for path in present if path not in wanted)


def _report(wanted: dict[Path, bytes]) -> int:
    problems = [f"missing: {_shown(path)}" for path in wanted if not path.exists()]
    problems += [f"stale: {_shown(path)}" for path, content in wanted.items() if _differs(path, content)]
    problems += [f"superfluous: {_shown(path)}" for path in _superfluous(wanted)]
    for problem in problems:
        print(problem)
    if problems:
        print("Run `python3 build/generate.py` and commit what it writes.")
    return 1 if problems else 0


def _write(wanted: dict[Path, bytes]) -> None:
    for path, content in wanted.items():
        if path.exists() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(path.name + ".new")
        unfinished.write_bytes(content)
        unfinished.replace(path)
        print(f"wrote {_shown(path)}")
    for path in _superfluous(wanted):
        path.unlink()
        print(f"removed {_shown(path)}")


def _differs(path: Path, content: bytes) -> bool:
    return path.exists() and path.read_bytes() != content


def _shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


if __name__ == "__main__":
    sys.exit(main())

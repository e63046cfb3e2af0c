"""The release as a user gets it: unpacked elsewhere it runs, and it lists its components."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RELEASE_SECONDS = 300

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def release(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder written by build/release.py."""
    assert built.exists()
    output = tmp_path_factory.mktemp("release")
    command = [sys.executable, str(ROOT / "build" / "release.py"), "--output", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=RELEASE_SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return output


def test_an_unpacked_release_runs_and_contains_its_bill_of_materials_and_licences(
    built: Path, release: Path, tmp_path: Path
) -> None:
    (archive,) = [path for path in release.iterdir() if path.name.endswith((".tar.gz", ".zip"))]
    folder = tmp_path / "a folder"
    if archive.suffix == ".zip":
        shutil.unpack_archive(archive, folder)
    else:
        shutil.unpack_archive(archive, folder, filter="data")
    inside = folder / "onecode-sidecar"
    done = subprocess.run([inside / built.name, "--selfcheck"], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout
    bill = json.loads((inside / "bom.cdx.json").read_text(encoding="utf-8"))
    assert {"pygit2", "apsw", "orjson", "cpython"} <= {part["name"] for part in bill["components"]}
    assert "pydantic" in (inside / "LICENCES.txt").read_text(encoding="utf-8")


def test_the_checksums_match_the_release_files(release: Path) -> None:
    sums = list(release.glob("*.sha256"))
    lines = (line.split("  ") for file in sums for line in file.read_text(encoding="utf-8").splitlines())
    output = {name: digest for digest, name in lines}
    described = [path.name for path in release.iterdir() if path.suffix != ".sha256" and path.name != "manifest.json"]
    assert sorted(output) == sorted(described)
    for name, digest in output.items():
        assert hashlib.sha256((release / name).read_bytes()).hexdigest() == digest


def test_the_bill_of_materials_is_valid_cyclonedx(release: Path) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    (bill,) = release.glob("*.cdx.json")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill.read_text(encoding="utf-8")) is None

"""Freeze the program into `.frozen/onecode-sidecar/`, check it, and print its size and start-up time.

    python3 build/freeze.py
    python3 build/freeze.py --force

Nothing is built if the sources, the lock and the packaging are unchanged since the last build, unless forced.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import environment

OUTPUT = environment.ROOT / ".frozen"
FOLDER = OUTPUT / "onecode-sidecar"
PROGRAM = FOLDER / ("onecode-sidecar.exe" if sys.platform == "win32" else "onecode-sidecar")
STAMP = OUTPUT / "digest"
WORK = environment.ROOT / ".build"
SPEC = environment.ROOT / "packaging" / "onecode-sidecar.spec"
ENTITLEMENTS = SPEC.with_name("entitlements.plist")
IDENTITY = "CODESIGN_IDENTITY"
"""Environment variable with the certificate that signs the program on macOS."""
DOCUMENT = environment.ROOT / "rpc_schema" / "openrpc.json"
STARTS = 15


def main(arguments: list[str]) -> int:
    """Build if needed; return 1 if the program fails its self-check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--force", action="store_true", help="build even when nothing has changed")
    force = parser.parse_args(arguments).force
    environment.ensure()
    freeze(force=force)
    passed = _selfcheck()
    print(f"freeze: {PROGRAM.relative_to(environment.ROOT).as_posix()}")
    print(f"freeze: {size_bytes(FOLDER) / 2**20:.1f} MiB in {sum(1 for _ in FOLDER.rglob('*'))} files")
    if passed:
        print(f"freeze: {start_up_ms(PROGRAM):.1f} ms from start to the answered handshake (median of {STARTS})")
    return 0 if passed else 1


def freeze(*, force: bool = False) -> Path:
    """Build the program unless it is up to date, replace the previous build in one step, and return its path."""
    for folder in (OUTPUT, WORK):
        folder.mkdir(exist_ok=True)
    with environment.script_lock(WORK / "lock", "freeze"):
        digest = _digest()
        if not force and PROGRAM.exists() and STAMP.exists() and STAMP.read_text(encoding="utf-8") == digest:
            environment.print_progress("freeze: up to date.")
            return PROGRAM
        built = _build()
        STAMP.unlink(missing_ok=True)
        environment.replace_path(built, FOLDER)
        STAMP.write_text(digest, encoding="utf-8")
    return PROGRAM


def size_bytes(folder: Path) -> int:
    """Return the total size of a folder's files; links count as themselves."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_symlink() or path.is_file())


def start_up_ms(program: Path) -> float:
    """Return the median time from start to the answer to `initialize`, with an existing state file."""
    with tempfile.TemporaryDirectory() as state_dir:
        times = [_one_start_ms(program, state_dir) for _ in range(STARTS + 1)]
    return statistics.median(times[1:])


def _one_start_ms(program: Path, state_dir: str) -> float:
    params = {"protocolVersion": 1, "clientInfo": {"name": "freeze", "version": "1"}, "stateDir": state_dir}
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode() + b"\n"
    command = [os.fspath(program), "serve"]
    pipe = subprocess.PIPE
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(request)
        process.stdin.flush()
        answer = process.stdout.readline()
        took_ms = (time.perf_counter() - started) * 1000
        process.stdin.close()
    if b'"result"' not in answer:
        environment.exit_with_error(f"The built program did not answer `initialize`: {answer[:200]!r}")
    return took_ms


def _build() -> Path:
    work = WORK / f"freeze-{uuid.uuid4().hex[:8]}"
    environment.print_progress("freeze: building ...")
    command: list[str | Path] = [
        environment.program("python"), "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN",
        "--workpath", work / "work", "--distpath", work / "dist", SPEC,
    ]  # fmt: skip
    # Without the column of each instruction, which only tracebacks show, code is a fifth smaller and loads faster.
    settings = {**os.environ, "PYINSTALLER_CONFIG_DIR": os.fspath(WORK / "cache"), "PYTHONNODEBUGRANGES": "1"}
    done = subprocess.run([os.fspath(part) for part in command], cwd=environment.ROOT, env=settings, check=False)
    if done.returncode != 0:
        environment.exit_with_error(f"Freezing failed, see the lines above. Its files are in {work}.")
    ready = WORK / f"ready-{work.name}"
    (work / "dist" / "onecode-sidecar").rename(ready)
    for old in WORK.glob("freeze-*"):
        environment.remove(old)
    return ready


def _digest() -> str:
    """Identify a build by all of its inputs."""
    sources = [path for path in (environment.ROOT / "sidecar").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    digest = hashlib.sha256(f"{platform.python_version()} {sys.platform} {platform.machine()}".encode())
    inputs = Path(__file__).with_name("frozen_inputs.py")
    for path in sorted([*sources, SPEC, DOCUMENT, environment.LOCK_FILE, inputs, Path(__file__)]):
        digest.update(os.fspath(path.relative_to(environment.ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _selfcheck() -> bool:
    done = subprocess.run([os.fspath(PROGRAM), "--selfcheck"], capture_output=True, check=False)
    environment.print_progress(f"freeze: selfcheck {'passed' if done.returncode == 0 else 'FAILED'}")
    print(done.stdout.decode(errors="replace").strip())
    if done.returncode != 0:
        environment.print_progress(done.stderr.decode(errors="replace").strip())
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

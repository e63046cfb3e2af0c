"""A state file and repositories that are filled once and restored for each test: playing takes ten times as long."""

import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.support.memory_sidecar import MemorySidecar


def _remove_read_only(remove: Callable[[str], None], path: str, _error: object) -> None:
    """Remove what Windows does not because it is read-only, as git's objects are."""
    with suppress(OSError):
        os.chmod(path, 0o700)
        remove(path)


class PlayedState:
    """A folder with `state` and repositories; tests that use it run in one process and one after another."""

    def __init__(self, folder: Path, play: Callable[[MemorySidecar, Path], None]) -> None:
        """`play` fills the state of an active sidecar with the help of repositories that it creates in the folder."""
        self.folder = folder / "played"
        self._saved = folder / "saved"
        self.folder.mkdir()
        sidecar = MemorySidecar(self.folder / "state")
        sidecar.client.initialize(settings={"mode": "active"})
        play(sidecar, self.folder)
        assert sidecar.app.process is not None
        assert sidecar.app.process.wait_idle(10)
        sidecar.app.process.database.write_behind.flush()
        sidecar.close()
        self._played_until_ms = sidecar.clock.now_ms()
        self.folder.rename(self._saved)

    def restore(self, open_sidecar: Callable[..., MemorySidecar]) -> MemorySidecar:
        """Restore the folder and return an active sidecar on it, at the time at which playing ended."""
        for _ in range(100):  # a job that was running when the last sidecar was closed may still write its file
            shutil.rmtree(self.folder, onerror=_remove_read_only)
            with suppress(FileExistsError, shutil.Error):
                shutil.copytree(self._saved, self.folder, symlinks=True)
                break
            time.sleep(0.1)
        else:
            raise AssertionError("a closed sidecar does not stop writing")
        sidecar = open_sidecar(state_dir=self.folder / "state", ids_used=10_000)
        sidecar.clock.advance(self._played_until_ms - sidecar.clock.now_ms())
        sidecar.client.initialize(settings={"mode": "active"})
        return sidecar

"""The first commands of the README work as written."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repositories import Repository

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^## One exchange\n.*?^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILES = ("README.md", ".gitignore", "sidecar/operations/*.py", "sidecar/capture/artifact*.py")
"""The part of this repository that the README's question is about: to read all of it takes many times as long."""

UNTIL_ANSWERED = 'tries=0; until [ "$(wc -l < "$ANSWERS")" -ge 2 ] || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done'
"""Instead of the pause of a reader: a busy machine may need longer, and an idle one less."""


@pytest.mark.skipif(shutil.which("sh") is None, reason="There is no POSIX shell here.")
def test_the_readme_steps_inject_a_pack_and_explain_it(
    tmp_path: Path, make_repository: Callable[..., Repository]
) -> None:
    found = BLOCK.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found is not None
    assert "sleep 5" in found[1]
    files = (file for pattern in FILES for file in ROOT.glob(pattern))
    repository = make_repository({file.relative_to(ROOT).as_posix(): file.read_bytes() for file in files})
    (repository.path / ".venv").symlink_to(ROOT / ".venv")
    home, answers = tmp_path / "home", tmp_path / "answers"
    home.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ONECODE_")}
    with answers.open("wb") as output:
        completed = subprocess.run(
            ["sh", "-e", "-c", found[1].replace("sleep 5", UNTIL_ANSWERED)],
            cwd=repository.path,
            env={**environment, "HOME": str(home), "ANSWERS": str(answers)},
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
    assert completed.returncode == 0, completed.stderr
    lines = answers.read_text(encoding="utf-8").splitlines()
    answer = json.loads(lines[1])["result"]
    assert answer["action"] == "inject"
    assert answer["metadata"]["injectedBytes"] > 0
    assert any(line.strip().startswith("sent") and "anchor" in line for line in lines)
    assert [path.name for path in home.iterdir()] == ["continuity-trial"]
    assert repository.git("status", "--porcelain") == ""

"""The first commands of the README work as written."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^## One exchange\n.*?^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(shutil.which("sh") is None, reason="There is no POSIX shell here.")
def test_the_readme_steps_inject_a_pack_and_explain_it(tmp_path: Path) -> None:
    found = BLOCK.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found is not None
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ONECODE_")}
    # A busy machine needs longer than a reader would wait.
    steps = f"set -e\ncd '{ROOT}'\n{found[1].replace('sleep 5', 'sleep 9')}"
    assert "sleep 9" in steps
    completed = subprocess.run(
        ["sh", "-c", steps],
        env={**environment, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert completed.returncode == 0, completed.stderr
    lines = completed.stdout.splitlines()
    answer = json.loads(lines[1])["result"]
    assert answer["action"] == "inject"
    assert answer["metadata"]["injectedBytes"] > 0
    assert any(line.strip().startswith("sent") and "anchor" in line for line in lines)
    assert [path.name for path in tmp_path.iterdir()] == ["continuity-trial"]

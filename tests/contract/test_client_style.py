"""The TypeScript client fits the host's code base: its style, and no package of its own."""

import re
from pathlib import Path

from tests.contract.catalog import PUBLISHED
from tests.support.cases import together

FILES = sorted((PUBLISHED / "typescript").glob("*.ts"))
MODULE = re.compile(r"(?:^import|^export) (?:.*) from (.+)$", re.MULTILINE)
MAX_LINES = 300


def code_lines(path: Path) -> list[str]:
    """Return the lines that are not comments."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.lstrip().startswith(("*", "/*", "//"))]


@together("path", FILES)
def test_no_semicolons_at_line_ends_no_single_quotes_no_tabs(path: Path) -> None:
    for line in code_lines(path):
        assert not line.endswith(";"), line
        assert not re.search(r"(^|[\s(=,])'", line), line
        assert "\t" not in line, line
        assert not re.match(r"^( {2})* \S", line), f"indented by two spaces: {line}"


@together("path", FILES)
def test_only_node_and_neighbours_are_imported(path: Path) -> None:
    for module in MODULE.findall(path.read_text(encoding="utf-8")):
        assert re.fullmatch(r'"(\./\w+|node:\w+)"', module), module


@together("path", [path for path in FILES if path.stem != "types"])
def test_hand_written_files_stay_small_and_do_nothing_when_imported(path: Path) -> None:
    lines = code_lines(path)
    assert len(lines) <= MAX_LINES
    top = [line for line in lines if line and not line.startswith((" ", "}", ")", "]"))]
    for line in top:
        assert re.match(r"(import|export|const|interface|type|(async )?function|(abstract )?class)\b", line), line
        assert not re.match(r"(export )?const \w+(: \w+)? = (await|new|\w+\()", line), line

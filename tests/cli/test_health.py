"""`onecode-sidecar health`, run as a user does: it prints, and always ends with status 0."""

from pathlib import Path

import orjson
import pytest

from sidecar.cli.registry_health import report
from tests.support.command import Command, Done, run_command


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs the command in a project with one agent."""
    folder = tmp_path / "project"
    (folder / ".chati").mkdir(parents=True)
    (folder / "brief.md").write_text("## Mission\n## Inputs\n## Outputs\n## Criteria\n", newline="\n")
    (folder / ".chati/registry.yaml").write_text("entities:\n  agents:\n    brief: {path: brief.md, purpose: Asks}\n")

    def run(*arguments: str) -> Done:
        return run_command("health", "--project", str(folder), *arguments, cwd=tmp_path, temporary=tmp_path)

    return run


def test_the_summary_is_printed_as_the_specification_shows_it() -> None:
    counts = {"entities": 48, "schemas": 4, "constitution": 14, "agents": 13, "templates": 5, "checksums": 48}
    checks = [{"name": name, "passed": count, "total": count} for name, count in counts.items()]
    assert "\n".join(report({"healthy": True, "checks": checks, "findings": [], "fix": None})) == (
        "chati.dev Health Check\n"
        "======================\n"
        "Entities:    48/48 present\n"
        "Schemas:     4/4 valid\n"
        "Constitution: 14/14 articles\n"
        "Agents:      13/13 complete\n"
        "Templates:   5/5 valid\n"
        "Checksums:   48/48 match\n"
        "Status:      HEALTHY"
    )


def test_it_looks_tries_and_mends_without_a_state_of_the_apps(command: Command, tmp_path: Path) -> None:
    told = command()
    assert (told.returncode, told.stderr) == (0, b"")
    assert told.stdout.decode().splitlines()[-4:] == [
        "Checksums:   0/0 match (1 unverified)",
        "Status:      HEALTHY",
        "",
        "1 without a checksum; --fix notes them, --json names them",
    ]
    assert "Would change" in command("--fix", "--dry-run").stdout.decode()
    assert "checksum" not in (tmp_path / "project/.chati/registry.yaml").read_text()
    assert "Changed (the file before: .chati/backups/" in command("--fix").stdout.decode()
    answer = orjson.loads(command("--json").stdout)
    assert next(one for one in answer["checks"] if one["name"] == "checksums") == {
        "name": "checksums", "passed": 1, "total": 1,
    }  # fmt: skip


def test_what_is_wrong_is_told_with_its_remedy_and_the_status_stays_0(command: Command, tmp_path: Path) -> None:
    (tmp_path / "project/brief.md").write_text("## Mission\n")
    told = command()
    assert told.returncode == 0
    lines = told.stdout.decode().splitlines()
    assert "Status:      NEEDS ATTENTION, 1 problem" in lines
    assert "brief.md (agents/brief): It has no section for inputs, outputs, criteria." in lines
    assert "  Add a heading for each." in lines


def test_also_what_keeps_it_from_looking_ends_with_status_0(command: Command, tmp_path: Path) -> None:
    told = command("--state-dir", str(tmp_path / "nowhere"))
    assert told.returncode == 0
    assert told.stderr.startswith(b"health: There is no state file")

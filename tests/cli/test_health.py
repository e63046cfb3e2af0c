"""`onecode-sidecar health`, run as by a user: it prints, and always exits with status 0."""

from pathlib import Path

import orjson
import pytest

from sidecar.cli.health import report
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
    assert "\n".join(report({"healthy": True, "checks": checks, "findings": [], "omitted": 0, "fix": None})) == (
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


def test_a_project_without_a_registry_has_no_problem_of_the_framework(command: Command, tmp_path: Path) -> None:
    (tmp_path / "project/.chati/registry.yaml").unlink()
    assert command().stdout.decode() == (
        "This project has no registry yet (.chati/registry.yaml), so there is nothing to check.\n"
    )


def test_health_checks_and_fixes_without_the_apps_state(command: Command, tmp_path: Path) -> None:
    done = command()
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines()[-4:] == [
        "Checksums:   0/0 match (1 unverified)",
        "Status:      HEALTHY",
        "",
        "1 without a checksum; --fix records them, --json lists them",
    ]
    assert "Would change" in command("--fix", "--dry-run").stdout.decode()
    assert "Would change" in command("--dry-run").stdout.decode()
    assert "checksum" not in (tmp_path / "project/.chati/registry.yaml").read_text()
    assert "Changed (backup: .chati/backups/" in command("--fix").stdout.decode()
    answer = orjson.loads(command("--json").stdout)
    assert next(entry for entry in answer["checks"] if entry["name"] == "checksums") == {
        "name": "checksums", "passed": 1, "total": 1,
    }  # fmt: skip


def test_problems_are_shown_with_remedies_and_the_exit_status_is_0(command: Command, tmp_path: Path) -> None:
    (tmp_path / "project/brief.md").write_text("## Mission\n")
    done = command()
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert "Status:      NEEDS ATTENTION, 1 problem" in lines
    assert "brief.md (agents/brief): It has no section for inputs, outputs, criteria." in lines
    assert "  Add a heading for each." in lines


def test_omitted_findings_are_counted_and_not_passed_over(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    entries = "".join(f"    b{number}: {{path: b{number}.md, purpose: Asks}}\n" for number in range(6))
    registry = Path(command().args[2]) / ".chati/registry.yaml"
    registry.write_text(f"{registry.read_text()}{entries}    c: {{purpose: Asks}}\n")
    monkeypatch.setattr("sidecar.registry.methods.MAX_FINDINGS", 4)
    lines = command().stdout.decode().splitlines()
    assert "Status:      NEEDS ATTENTION, at least 4 problems" in lines
    assert lines[-1] == "4 more findings, not listed"
    monkeypatch.undo()
    lines = command().stdout.decode().splitlines()
    assert "Status:      NEEDS ATTENTION, 7 problems" in lines
    assert ".chati/registry.yaml (agents/c): The entry has no `path`." in lines
    assert lines[-1] == "1 without a checksum; --fix records them, --json lists them"


def test_a_check_that_cannot_run_exits_with_status_0(command: Command, tmp_path: Path) -> None:
    done = command("--state-dir", str(tmp_path / "nowhere"))
    assert done.returncode == 0
    assert done.stderr.startswith(b"health: There is no state file")

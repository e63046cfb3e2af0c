"""The knowledge command: each verb calls its method and prints the answer."""

from collections.abc import Callable
from pathlib import Path

import orjson

from tests.support.command import run_command
from tests.support.knowledge_project import Knowledge, item
from tests.support.repositories import Repository


def test_lint_reports_what_a_sync_cannot_read(make_repository: Callable[..., Repository], tmp_path: Path) -> None:
    files = {"company/adrs/adr-1.md": item("One"), "teams/web/specs/s.md": item("Two")}
    repository = make_repository(files, name="knowledge")

    def lint() -> tuple[int, list[str]]:
        done = run_command("knowledge", "lint", "--project", str(repository.path), cwd=tmp_path, temporary=tmp_path)
        return done.returncode, done.stdout.decode().splitlines()

    assert lint() == (0, ["2 items, 0 problems."])
    repository.commit(
        {
            "company/adrs/a.md": "---\ntype: recipe\n---\n# A\n",
            "company/adrs/b.md": "---\nlayer: team\n---\n# B\n",
            "company/adrs/c.md": "---\nid: adr-1\n---\n# C\n",
            "company/adrs/Größe neu.md": "# D\n",
            "company/adrs/f.md": "---\ntype: [adr]\n---\n# F\n",
            "company/adrs/g.md": "---\nlayer: [team]\n---\n# G\n",
            "company/adrs/h.md": "---\nid: [h]\n---\n# H\n",
            "teams/web app/adrs/j.md": "# J\n",
            "company/rule.md": "# K\n",
            "company/README.md": "# Company\n",
            "teams/web/decisions/l.md": "# L\n",
            "company/shop/adrs/m.md": "# M\n",
            "teams/adrs/n.md": "# N\n",
            "company/ADRs/o.markdown": "# O\n",
            "adrs/p.md": "# P\n",
            "Team/web/adr/q.md": "# Q\n",
            "docs/guide.md": "# Guide\n",
            "docs/adrs/README.md": "# Readme\n",
            "company/specs/r.markdown": "# R\n",
            "company/policies/e.md": "---\ntype: policies\nlayer: company\n---\n# E\n",
        }
    )
    status, lines = lint()
    assert (status, lines[-1]) == (1, "4 items, 15 problems.")
    missing_id = (
        "It needs an `id` in its front matter: an id may contain only letters, digits, dots, hyphens and underscores."
    )
    misplaced = "It is not below adrs/, policies/, patterns/ or specs/ at the top of its scope, so no sync reads it."
    outside = "It is not below company/, orgs/<id>/, teams/<id>/ or projects/<id>/, so no sync reads it."
    folder_name = "The name of its scope's folder may contain neither spaces nor any of : * ? \" < > | \\."
    assert sorted(lines[:-1]) == [
        f"Team/web/adr/q.md: {outside}",
        f"adrs/p.md: {outside}",
        f"company/ADRs/o.markdown: {misplaced}",
        f"company/adrs/Größe neu.md: {missing_id}",
        "company/adrs/a.md: Its type `recipe` is unknown; use adr, policy, pattern, spec.",
        "company/adrs/b.md: Its layer `team` contradicts its folder, whose layer is `company`.",
        "company/adrs/c.md: It has the same id as company/adrs/adr-1.md.",
        *[
            f"company/adrs/{name}.md: Its `{field}` must be one value, not a list, a mapping or an alias."
            for name, field in (("f", "type"), ("g", "layer"), ("h", "id"))
        ],
        f"company/rule.md: {misplaced}",
        f"company/shop/adrs/m.md: {misplaced}",
        f"teams/adrs/n.md: {misplaced}",
        f"teams/web app/adrs/j.md: {folder_name}",
        f"teams/web/decisions/l.md: {misplaced}",
    ]


def test_lint_fails_where_there_is_nothing_to_check(make_repository: Callable[..., Repository], tmp_path: Path) -> None:
    other = make_repository({"notes/adr-1.md": item("One")}, name="other")

    def lint(folder: Path) -> tuple[int, str]:
        done = run_command("knowledge", "lint", "--project", str(folder), cwd=tmp_path, temporary=tmp_path)
        return done.returncode, done.stderr.decode()

    status, output = lint(other.path)
    assert status == 1
    assert "The repository has no knowledge item at its HEAD." in output
    status, output = lint(tmp_path / "absent")
    assert status == 1
    assert "--project names the repository" in output
    assert "knowledge.repository" not in output


def test_a_project_is_planned_synced_explained_and_rolled_back(
    make_knowledge: Callable[..., Knowledge], state_dir: Path, tmp_path: Path
) -> None:
    knowledge = make_knowledge({"company/adrs/adr-1.md": item("Use PostgreSQL")})
    knowledge.sidecar.close()

    def output_of(*arguments: str, status: int = 0) -> str:
        where = ("--project", str(knowledge.project), "--state-dir", str(state_dir))
        done = run_command("knowledge", *arguments, *where, cwd=tmp_path, temporary=tmp_path)
        assert done.returncode == status
        return (done.stdout + (done.stderr if status else b"")).decode()

    assert output_of("plan", "--full").split() == ["create", "company:adr-1", "The", "item", "is", "new."]
    assert "last complete sync: never" in output_of("status")
    assert "1 added" in output_of("sync")
    assert "Nothing to do." in output_of("sync", "--item", "adr-1", "--dry-run")
    path = knowledge.pointer("adr-1")
    path.write_text(path.read_text() + "\nBy hand.\n")
    assert "hash_mismatch" in output_of("conflicts")
    assert "company:adr-1: company/adrs/adr-1.md, active" in output_of("explain", "adr-1")
    line = output_of("resolve", "--type", "hash_mismatch", "--resolution", "keep_memory").splitlines()[-1]
    assert line.split() == [
        *("left", "as", "it", "is", "company:adr-1", "The", "next", "sync", "applies", "update_memory,"),
        *("unless", "`knowledge.resolutions`", "contains", "`hash_mismatch=keep_memory`."),
    ]
    assert "0 added, 1 updated, 0 deleted, 0 orphaned, 0 unchanged" in output_of("resolve", "--type", "hash_mismatch")
    status = output_of("status")
    assert "in sync" in status
    first = [line.split()[1] for line in status.splitlines() if line.startswith("checkpoint")][-1]
    pointer = path.relative_to(knowledge.project / ".chati" / "memories").as_posix()
    assert output_of("rollback", first).splitlines() == [
        "0 files restored.",
        f"Not restored, because it was changed after the sync: {pointer}",
    ]
    assert path.read_text().endswith("By hand.\n")
    assert "hint: Use its layer and id, such as `company:adr-001`," in output_of("explain", "nobody", status=3)
    assert "hint: `knowledge status` lists the checkpoints." in output_of("rollback", "none", status=3)
    knowledge.repository.commit({"company/adrs/bad.md": "---\nno: [end\n---\n"})
    assert "warning: company/adrs/bad.md: It cannot be read" in output_of("plan")
    failed = output_of("sync", status=1)
    assert "failed: company/adrs/bad.md: It cannot be read" in failed
    assert failed.endswith("Correct the failed items as their problems say, then sync again.\n")
    assert orjson.loads(output_of("sync", "--json", status=1))["error"]["data"]["code"] == "PARTIAL_FAILURE"
    assert "not in sync" in output_of("status")


def test_a_missing_setting_is_answered_with_the_command_that_sets_it(
    make_repository: Callable[..., Repository],
    make_knowledge: Callable[..., Knowledge],
    state_dir: Path,
    tmp_path: Path,
) -> None:
    make_knowledge({"company/adrs/adr-1.md": item("Use PostgreSQL")}).sidecar.close()
    other = make_repository({"README.md": "# Other\n"}, name="other")
    where = ("--project", str(other.path), "--state-dir", str(state_dir))
    done = run_command("knowledge", "status", *where, cwd=tmp_path, temporary=tmp_path)
    assert done.returncode == 1
    assert b"hint: `settings NAME VALUE` sets `knowledge.repository` to the folder or address" in done.stderr

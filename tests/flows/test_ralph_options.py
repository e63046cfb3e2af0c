"""Records of a loop and their location, its commits, and its refusals before anything runs."""

import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from tests.support.fake_agent import FakeAgent, awaits, claude_result, claude_tool_use, exits, outputs, runs, writes
from tests.support.ralph_command import CHANGE, Ralph, last_line
from tests.support.repositories import Repository

PROMISE_STEP = outputs("<promise>COMPLETE</promise>\n")


def test_outside_git_changed_files_are_null_and_idle_iterations_are_still_detected(
    agent: FakeAgent, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (tmp_path / "tmp").mkdir()
    ralph = Ralph(plain, agent, tmp_path / "tmp")
    same = outputs("Working.\n")
    agent.set_runs([same, writes("a.txt", "1")], [same, writes("a.txt", "2")], [same])
    done = ralph.loop("Add a login.", "--stuck-after", "2", "--commit")

    assert done.returncode == 4
    assert b"Nothing was committed: the working folder is not in a git repository." in done.stdout + done.stderr
    assert [(entry["filesChanged"], entry["commits"]) for entry in ralph.history()] == [(None, [])] * 4
    assert (plain / ".spool" / ".state" / ".gitignore").read_text(encoding="utf-8").endswith("*\n")


def test_only_the_iterations_own_changes_count(ralph: Ralph, agent: FakeAgent, project: Repository) -> None:
    project.write({"till/cart.py": "dirty\n", "notes.md": "by hand\n", "till/prices.py": "dirty too\n"})
    project.git("add", "till/prices.py")
    agent.set_runs(
        [writes("notes.md", "by the agent\n"), runs("git", "rm", "--quiet", "web/app.ts")],
        [runs("git", "add", "--all"), runs("git", "commit", "--quiet", "-m", "All")],
        [runs("git", "mv", "AGENTS.md", "RULES.md"), runs("git", "commit", "--quiet", "-m", "Move"), PROMISE_STEP],
    )
    ralph.loop("Add a login.")

    first, second, third = ralph.history()
    assert first["files"] == ["notes.md", "web/app.ts"]
    assert (second["files"], len(second["commits"])) == ([], 1), "committing what was there changes no file"
    assert (third["files"], third["commits"]) == (["AGENTS.md", "RULES.md"], [project.head()])


def test_commits_are_opt_in_and_contain_only_the_iterations_changes(
    ralph: Ralph, agent: FakeAgent, project: Repository
) -> None:
    head = project.head()
    agent.set_runs([writes("a.txt", "1"), PROMISE_STEP])
    ralph.loop("Add a login.")
    assert project.head() == head
    project.git("clean", "--quiet", "--force")

    project.write({"till/cart.py": "dirty\n", "staged.txt": "staged\n", "till/prices.py": "mine\n"})
    project.git("add", "staged.txt")
    agent.set_runs(
        [writes("new/ü [x].txt", "1"), writes("till/receipt.py", "2"), writes("till/prices.py", "both\n")],
        [runs("git", "rm", "--quiet", "web/app.ts"), PROMISE_STEP],
    )
    done = ralph.loop("Add a login.", "--commit")

    assert done.returncode == 0
    changed = project.git("-c", "core.quotePath=false", "log", "--format=%s", "--name-status", f"{head}..").splitlines()
    assert [line for line in changed if line] == [
        f"ralph: {CHANGE}, iteration 3",
        "D\tweb/app.ts",
        f"ralph: {CHANGE}, iteration 2",
        "A\tnew/ü [x].txt",
        "M\ttill/receipt.py",
    ]
    _, second, third = ralph.history()
    assert [*second["commits"], *third["commits"]] == project.git("rev-list", "--reverse", f"{head}..").split()
    assert second["warnings"] == [
        "Not committed, because they had uncommitted changes before the iteration: till/prices.py."
    ]
    status = project.git("status", "--porcelain").splitlines()
    assert sorted(status) == [" M till/cart.py", " M till/prices.py", "A  staged.txt"], "the rest is as it was"


def test_a_commit_refused_by_a_hook_is_reported_and_the_loop_continues(
    ralph: Ralph, agent: FakeAgent, project: Repository
) -> None:
    hook = project.path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'The linter found a tab.'\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    project.write({"mine.txt": "mine\n", "staged.txt": "staged\n"})
    project.git("add", "--intent-to-add", "mine.txt")
    project.git("add", "staged.txt")
    before = project.git("ls-files", "--stage")
    agent.set_runs([writes("new/ü [x].txt", "1"), writes("AGENTS.md", "changed\n"), PROMISE_STEP])

    assert ralph.loop("Add a login.", "--commit").returncode == 0
    warning = "The iteration's changes could not be committed: The linter found a tab."
    assert ralph.history()[0]["warnings"] == [warning]
    assert project.git("ls-files", "--stage") == before
    status = project.git("-c", "core.quotePath=false", "status", "--porcelain").splitlines()
    assert status == [" M AGENTS.md", " A mine.txt", "A  staged.txt", "?? new/"]


def test_a_refused_commit_leaves_a_file_in_the_index_that_became_a_folder(
    ralph: Ralph, agent: FakeAgent, project: Repository
) -> None:
    hook = project.path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    before = project.git("ls-files", "--stage")
    agent.set_runs([runs("rm", "AGENTS.md"), writes("AGENTS.md/rules.txt", "1"), PROMISE_STEP])

    assert ralph.loop("Add a login.", "--commit").returncode == 0
    assert ralph.history()[0]["warnings"] != []
    assert project.git("ls-files", "--stage") == before


def test_commits_leave_out_secrets_and_ignored_files(ralph: Ralph, agent: FakeAgent, project: Repository) -> None:
    agent.set_runs(
        [
            *(writes(name, "1") for name in (".env", "deploy/id_rsa", "local.tmp", ":(exclude)x", "-a", "b")),
            writes(".gitignore", "*.tmp\n"),
            runs("git", "add", "--force", "local.tmp"),
            PROMISE_STEP,
        ]
    )
    assert ralph.loop("Add a login.", "--commit").returncode == 0

    names = project.git("show", "--format=", "--name-only").splitlines()
    assert names == ["-a", ".gitignore", ":(exclude)x", "b"]
    assert project.git("show", "HEAD::(exclude)x") == "1"
    assert ralph.history()[0]["warnings"] == [
        "Not committed, because they are secret by name or ignored by git: .env, deploy/id_rsa, local.tmp."
    ]


def test_files_that_a_check_changes_are_committed(ralph: Ralph, agent: FakeAgent, project: Repository) -> None:
    agent.set_runs([writes("a.txt", "1"), PROMISE_STEP])
    check = "git diff --quiet HEAD -- a.txt && echo formatted > a.txt && echo new > b.txt"
    assert ralph.loop("Add a login.", "--commit", "--verify", check).returncode == 0

    assert project.git("status", "--porcelain") == ""
    assert (project.path / "a.txt").read_text(encoding="utf-8") == "formatted\n"
    assert ralph.history()[0]["commits"] == project.git("rev-list", "--reverse", "HEAD~2..").split()
    assert ralph.history()[0]["files"] == ["a.txt", "b.txt"]


def test_files_of_a_parallel_loop_are_not_committed(
    ralph: Ralph, agent: FakeAgent, project: Repository, tmp_path: Path
) -> None:
    go, path = tmp_path / "go", f"{agent.install_as('claude')}:/usr/bin:/bin"
    edit = claude_tool_use("Write", file_path=str(project.path / "mine.txt"))
    agent.set_runs([edit, writes("mine.txt", "1"), awaits(str(go)), claude_result("<promise>COMPLETE</promise>")])
    running = ralph.start("Add a login.", "--commit", "--harness", "claude", PATH=path)
    ralph.until((project.path / "mine.txt").exists)
    other_agent = FakeAgent(tmp_path / "other", [writes("theirs.txt", "1"), PROMISE_STEP])
    other = Ralph(ralph.cwd, other_agent, tmp_path / "tmp", change="other-change")
    assert other.loop("Something else.", "--commit").returncode == 0
    go.touch()

    assert running.wait(30) == 0
    assert project.git("show", "--format=", "--name-only").splitlines() == ["mine.txt"]
    reason = "may have written them: theirs.txt."
    assert [entry["warnings"][0].endswith(reason) for entry in (*ralph.history(), *other.history())] == [True, True]


def test_the_loop_folder_ignores_itself_at_the_worktrees_root(
    ralph: Ralph, agent: FakeAgent, project: Repository
) -> None:
    agent.set_runs([PROMISE_STEP])
    done = ralph("Add a login.", "--harness", "custom", "--harness-command", agent.command, cwd=project.path / "till")

    assert done.returncode == 0
    assert agent.recorded(1)["cwd"] == str(project.path / "till")
    assert project.git("status", "--porcelain") == ""
    names = sorted(path.name for path in ralph.folder.iterdir())
    assert names == ["history.jsonl", "iterations", "state.json"]
    assert sorted(path.name for path in (ralph.folder / "iterations").iterdir()) == ["0001.output", "0001.prompt.md"]


@pytest.mark.parametrize(
    "change", ["..", ".", "a/b", "a\\b", "../x", "", "-x", ".hidden", "a b", "nul", "COM1.txt", "x.", "a" * 101, "é"]
)
def test_an_unsafe_change_id_is_refused(agent: FakeAgent, project: Repository, tmp_path: Path, change: str) -> None:
    ralph = Ralph(project.path, agent, tmp_path, change=change)
    refused = ralph(f"--change={change}", "--status")

    assert refused.returncode == 2
    assert not (project.path / ".spool").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="making links takes a right there")
def test_a_loop_folder_outside_the_project_is_refused(ralph: Ralph, project: Repository, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project.path / ".spool").symlink_to(tmp_path / "elsewhere")
    refused = ralph("--add-context", "Use argon2.")

    assert refused.returncode == 1
    assert b"is a link out of the project" in refused.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


WRONG: dict[str, tuple[tuple[str, ...], str]] = {
    "no prompt": ((), "a prompt is missing"),
    "an empty prompt": (("  ",), "the prompt is empty"),
    "prompt and file": (("x", "--prompt-file", "y"), "use either a prompt or --prompt-file"),
    "a file that is not there": (("--prompt-file", "nowhere.md"), "cannot be read"),
    "two prompts": (("x", "y"), "unrecognized arguments: y"),
    "a prompt for an action": (("x", "--status"), "--status takes no prompt"),
    "two actions": (("--status", "--stop"), "not allowed with argument"),
    "an unknown flag": (("x", "--forever"), "unrecognized arguments: --forever"),
    "an unknown harness": (("x", "--harness", "hal"), "invalid choice: 'hal'"),
    "a custom harness without a command": (("x", "--harness", "custom"), "The custom harness needs a command"),
    "a model for a command without a place for it": (
        ("x", "--harness", "custom", "--harness-command", "agent", "--model", "large"),
        "The custom harness's command has no place for the model large.",
    ),
    "permissions of a custom harness": (
        ("x", "--harness", "custom", "--harness-command", "agent", "--allow-all"),
        "hint: Write its option into the command, and leave out `--allow-all`.",
    ),
    "a limit on a cost that is not reported": (
        ("x", "--harness", "codex", "--max-cost", "5"),
        "The harness `codex` reports no cost, so `--max-cost` would never be reached.",
    ),
    "a limit on tokens that are not reported": (
        ("x", "--harness", "custom", "--harness-command", "agent", "--max-tokens", "5"),
        "hint: Use `--max-time` or `--max-iterations`.",
    ),
    "a number below": (("x", "--max-iterations", "-1"), "out of range"),
    "no number": (("x", "--max-cost", "much"), "is not a number"),
    "no duration": (("x", "--max-time", "soon"), "is not a duration"),
    "more than there may be": (("x", "--min-iterations", "9", "--max-iterations", "3"), "exceeds"),
    "an invisible promise": (("x", "--completion-promise", " "), "has no visible character"),
    "an empty check": (("x", "--verify", " "), "A check is empty"),
    "empty context": (("--add-context", " "), "The context is empty"),
    "a limit for an action": (("--status", "--max-iterations", "25"), "--status takes no --max-iterations: it runs no"),
    "flags of a loop for an action": (("--stop", "--verify", "x", "--commit"), "--stop takes no --verify, --commit"),
    "arguments of the harness for an action": (("--reset", "--", "-v"), "--reset takes no arguments for the harness"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_usage_is_refused_before_anything_runs(ralph: Ralph, agent: FakeAgent, wrong: str) -> None:
    arguments, sentence = WRONG[wrong]
    refused = ralph(*arguments)

    assert (refused.returncode, refused.stdout) == (2, b"")
    assert sentence in refused.stderr.decode()
    assert not (ralph.cwd / ".spool").exists()
    assert agent.runs == 0


def test_a_mistyped_state_folder_is_refused_and_not_created(ralph: Ralph, agent: FakeAgent, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    for arguments in (("Add a login.",), ("Add a login.", "--no-continuity"), ("--status",)):
        refused = ralph(*arguments, "--state-dir", str(nowhere))

        assert (refused.returncode, refused.stdout) == (2, b"")
        assert refused.stderr.decode().splitlines()[0] == f"ralph: There is no folder {nowhere}. (invalidParams)"
    assert (nowhere.exists(), agent.runs) == (False, 0)


def test_a_missing_working_folder_is_not_created(ralph: Ralph, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    for arguments in (("--add-context", "Use argon2."), ("--status",), ("Add a login.", "--no-continuity")):
        refused = ralph(*arguments, "--project", str(nowhere))

        assert (refused.returncode, refused.stdout) == (1, b"")
        assert refused.stderr.decode().splitlines() == [
            "ralph: The working folder does not exist. (workspaceUnavailable)",
            f"hint: Create {nowhere}, or name another folder.",
        ]
    assert not nowhere.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="the system's file names are Unicode")
def test_a_working_folder_whose_name_is_not_utf8_is_not_reported_missing(ralph: Ralph, tmp_path: Path) -> None:
    latin = tmp_path / "caf\udce9"
    latin.mkdir()
    refused = ralph("Add a login.", "--no-continuity", "--project", str(latin))

    assert (refused.returncode, refused.stdout) == (2, b"")
    assert refused.stderr.decode().splitlines()[0] == (
        "ralph: An argument or a path is not UTF-8 text. (invalidParams)"
    )


def test_a_dry_run_shows_prompt_and_command_line_and_changes_nothing(ralph: Ralph, agent: FakeAgent) -> None:
    path = f"{agent.install_as('claude')}:/usr/bin:/bin"
    arguments = ("--dry-run", "Add a login.", "--allow-all", "--model", "opus", "--no-continuity")
    shown = ralph(*arguments, "--", "--max-turns", "5 of them", PATH=path)
    as_json = orjson.loads(ralph(*arguments, "--json", "--", "--max-turns", "5 of them", PATH=path).stdout)

    argv = ["claude", "-p", "--output-format", "stream-json", "--verbose", "--model", "opus",
            "--dangerously-skip-permissions", "--max-turns", "5 of them"]  # fmt: skip
    assert shown.returncode == 0
    assert shown.stdout.decode().splitlines()[-2] == " ".join(argv[:-1]) + " '5 of them'"
    assert as_json["dryRun"]["argv"] == argv
    assert as_json["dryRun"]["prompt"].endswith("## Task\n\nAdd a login.")
    assert as_json["dryRun"]["prompt"] in shown.stdout.decode()
    assert not (ralph.cwd / ".spool").exists()
    assert agent.runs == 0


def test_flags_work_before_or_after_the_prompt_and_harness_flags_after_two_dashes(
    ralph: Ralph, agent: FakeAgent
) -> None:
    agent.set_runs([PROMISE_STEP])
    before = ralph.loop("--max-iterations", "1", "--no-stream", "Add a login.", "--", "--own", "x")
    after = ralph.loop("Add a login.", "--no-stream", "--max-iterations", "1", "--", "--own", "x")

    assert (before.returncode, after.returncode) == (0, 0)
    assert agent.prompt(1).endswith("Add a login.")
    assert agent.recorded(1)["argv"] == agent.recorded(2)["argv"] == ["--own", "x"]


def test_a_reset_deletes_iterations_and_preserves_the_context(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([exits(1), exits(1)], [PROMISE_STEP])
    ralph("--add-context", "Use argon2.")
    ralph.loop("Add a login.")
    reset = ralph("--reset")

    assert reset.stdout.decode() == f"{CHANGE}: 2 iterations removed.\n"
    shown = ralph.status()
    assert (shown["iterations"], shown["state"], shown["contextBytes"]) == (0, None, len("Use argon2.\n"))
    assert list((ralph.folder / "iterations").iterdir()) == []


def test_a_failed_reset_is_reported(ralph: Ralph) -> None:
    (ralph.folder / "history.jsonl").mkdir(parents=True)
    refused = ralph("--reset")

    assert refused.returncode == 1
    assert b"The loop's state cannot be deleted." in refused.stderr
    assert b"forgotten" not in refused.stdout


def test_iterations_are_limited_and_numbered_across_loops(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs(*[[writes("a.txt", str(number))] for number in range(9)])
    for _ in range(2):
        done = ralph.loop("Add a login.", "--max-iterations", "2")
        assert done.returncode == 3
        assert last_line(done) == "limit: 2 iterations without an accepted promise (`--max-iterations`)."

    assert [entry["number"] for entry in ralph.history()] == [1, 2, 3, 4]
    assert "# Iteration 3 of the loop" in agent.prompt(3)
    assert "iteration 1 of at most 2 since" in agent.prompt(3)


def test_unlimited_iterations_are_opt_in(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs(*[[writes("a.txt", str(number))] for number in range(27)], [PROMISE_STEP])
    done = ralph.loop("Add a login.", "--max-iterations", "0", "--no-stream")

    assert done.returncode == 0
    assert len(ralph.history()) == 28


@pytest.fixture
def linked(make_repository: Callable[..., Repository], tmp_path: Path) -> Repository:
    """A linked worktree of a repository."""
    return make_repository({"README.md": "# Till\n"}, name="main").add_worktree(tmp_path / "linked", "topic")


def test_a_linked_worktree_has_its_own_loops(linked: Repository, agent: FakeAgent, tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    ralph = Ralph(linked.path, agent, tmp_path / "tmp")
    agent.set_runs([writes("a.txt", "a"), PROMISE_STEP])

    assert ralph.loop("Add a login.", "--commit").returncode == 0
    assert ralph.history()[0]["files"] == ["a.txt"]
    assert linked.git("log", "-1", "--format=%s") == f"ralph: {CHANGE}, iteration 1"
    assert not (tmp_path / "main" / ".spool").exists()

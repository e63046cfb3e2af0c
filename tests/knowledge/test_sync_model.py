"""The sync's laws, held against a naive model whatever repository and memory go through.

After a sync a new plan is empty and there are no conflicts; counts are those of the model; a process that is killed
after any write and begun anew ends in the very state of one that was not; nobody's own memories are touched.
"""

import contextlib
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from sidecar.call import Call
from sidecar.core.errors import Cancellation
from sidecar.knowledge import RateLimiter, store
from sidecar.knowledge import sync as syncing
from sidecar.knowledge.apply_and_rollback import Journal, apply_plan
from tests.support.depth import examples
from tests.support.knowledge_commits import History
from tests.support.knowledge_project import POINTERS, CrashingPointerFiles, ProcessKilled
from tests.support.memory_sidecar import MemorySidecar

FOLDERS = (
    "company/adrs",
    "company/policies",
    "teams/web/patterns",
    "teams/api/adrs",
    "projects/till/specs",
    "orgs/acme/adrs",
)
LAYERS = {"company": "company", "teams": "team", "projects": "project", "orgs": "org"}
KINDS = {"adrs": "ADR", "policies": "POLICY", "patterns": "PATTERN", "specs": "SPEC"}
STATUSES = ("accepted", "draft", "deprecated", "superseded")
CHOSEN, STATUS = st.integers(0, 99), st.sampled_from(STATUSES)
OWN = "# Mine\n\nWritten by hand. Blocking: nothing.\n"
MOMENT = "2026-03-01T09:30:00Z"


@dataclass(frozen=True)
class File:
    """An item's file as the model knows it."""

    item_id: str
    title: str
    status: str
    rules: int
    """Number of its blocking constraints."""
    body: int = 0

    @property
    def text(self) -> str:
        rules = "".join(f"- {{severity: block, message: Rule {number}}}\n" for number in range(self.rules))
        block = f"\n## Constraints\n\n```yaml\n{rules}```\n" if rules else ""
        matter = f"id: {self.item_id}\ntitle: {self.title}\nstatus: {self.status}\n"
        return f"---\n{matter}---\n\n# {self.title}\n\nText {self.body}.\n{block}"


def ref_of(path: str, file: File) -> str:
    first, second, *_ = path.split("/")
    return f"{LAYERS[first]}{'' if first == 'company' else f'/{second}'}:{file.item_id}"


class Syncing(RuleBasedStateMachine):
    """A project that follows a repository, while people work on both."""

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="knowledge-"))
        self.project = self.base / "project"
        self.project.mkdir()
        self.pointers = self.project / ".chati" / "memories" / POINTERS
        self.history = History(self.base / "knowledge.git")
        self.files: dict[str, File] = {}
        self.synced: dict[str, tuple[str, File]] = {}
        """Each item at the last sync: its path and content."""
        self.touched: set[str] = set()
        """Items that commits since then had to do with."""
        self.is_forced = True
        """Whether the last synced commit leads nowhere, or there is none."""
        self.edited: set[str] = set()
        """Pointer files that somebody edited."""
        self.names = self.opened = 0
        self.open()

    def open(self) -> None:
        """Starts the sidecar; no two of its processes give the same id."""
        self.opened += 1
        self.sidecar = MemorySidecar(self.base / "state")
        self.sidecar._ids = 10_000 * self.opened
        self.sidecar.client.initialize()

    def teardown(self) -> None:
        self.sidecar.close()
        shutil.rmtree(self.base, ignore_errors=True)

    def request(self, method: str, **params: Any) -> Any:
        return self.sidecar.client.request(f"knowledge/{method}", {"cwd": str(self.project), **params})

    @initialize(items=st.integers(4, 14))
    def begin(self, items: int) -> None:
        settings_values = {"repository": str(self.history.path), "scopes": ["teams/*", "projects/*", "orgs/*"]}
        params = {
            "projectPath": str(self.project),
            "settings": {"knowledge": {**settings_values, "writesPerSecond": 0}},
        }
        self.sidecar.client.request("settings/update", params)
        for number in range(items):
            self.add(FOLDERS[number % len(FOLDERS)], STATUSES[number % 3 % len(STATUSES)], number % 5, 1)

    # What people do to the repository.

    def commit(self, more: dict[str, str] | None = None, *, orphan: bool = False) -> None:
        texts = {path: file.text for path, file in self.files.items()}
        self.history.commit({"README.md": "# K\n", **texts, **(more or {})}, orphan=orphan)

    def change(self, path: str, file: File | None) -> None:
        """Puts a file in place of what was there, in a commit of its own."""
        before = self.files.pop(path, None)
        self.touched |= {ref_of(path, version) for version in (before, file) if version is not None}
        if file is not None:
            self.files[path] = file
        self.commit()

    def path(self, chosen: int) -> str:
        return sorted(self.files)[chosen % len(self.files)]

    def is_free(self, path: str, file: File) -> bool:
        return path not in self.files and ref_of(path, file) not in {ref_of(*entry) for entry in self.files.items()}

    @rule(
        folder=st.sampled_from(FOLDERS),
        status=STATUS,
        rules=st.integers(0, 4),
        count=st.integers(1, 4),
    )
    def add(self, folder: str, status: str, rules: int, count: int) -> None:
        for _ in range(count):
            self.names += 1
            name = f"i{self.names}"
            self.change(f"{folder}/{name}.md", File(name, f"Title {self.names}", status, rules))

    @precondition(lambda self: self.files)
    @rule(
        chosen=CHOSEN,
        what=st.sampled_from(["title", "body", "rules", "status"]),
        status=STATUS,
    )
    def edit(self, chosen: int, what: str, status: str) -> None:
        path = self.path(chosen)
        file = self.files[path]
        self.names += 1
        self.change(path, {
            "title": replace(file, title=f"Title {self.names}"), "body": replace(file, body=self.names),
            "rules": replace(file, rules=(file.rules + 1) % 5), "status": replace(file, status=status),
        }[what])  # fmt: skip

    @precondition(lambda self: self.files)
    @rule(chosen=CHOSEN, there_and_back=st.booleans())
    def delete(self, chosen: int, *, there_and_back: bool) -> None:
        path = self.path(chosen)
        file = self.files[path]
        self.change(path, None)
        if there_and_back:
            self.change(path, file)

    @precondition(lambda self: self.files)
    @rule(chosen=CHOSEN, folder=st.sampled_from(FOLDERS), same_id=st.booleans())
    def move(self, chosen: int, folder: str, *, same_id: bool) -> None:
        path = self.path(chosen)
        file = self.files[path]
        self.names += 1
        target, moved = f"{folder}/m{self.names}.md", file if same_id else replace(file, item_id=f"m{self.names}")
        before = self.files.pop(path)
        if not self.is_free(target, moved):
            self.files[path] = before
            return
        self.touched |= {ref_of(path, before), ref_of(target, moved)}
        self.files[target] = moved
        self.commit()

    @precondition(lambda self: self.files)
    @rule(spared=st.integers(0, 9))
    def force(self, spared: int) -> None:
        """Pushes another history: some of the files, on top of nothing."""
        removed = [path for number, path in enumerate(sorted(self.files)) if number % 10 == spared]
        for path in removed:
            del self.files[path]
        self.commit(orphan=True)
        self.is_forced = True

    # What people do to the memories.

    def pointer_files(self) -> list[Path]:
        return sorted(path for path in self.pointers.glob("*.md") if not path.name.startswith("mine"))

    @rule(chosen=CHOSEN, what=st.sampled_from(["text", "layer", "hash", "copy", "copy and edit", "delete"]))
    def meddle(self, chosen: int, what: str) -> None:
        pointer_files = self.pointer_files()
        if not pointer_files:
            return
        path = pointer_files[chosen % len(pointer_files)]
        if what.startswith("copy"):
            self.names += 1
            copy = path.with_name(f"copy-{self.names}-{path.name[-60:]}")
            copy.write_text(path.read_text())
            self.edited |= {copy.name} if path.name in self.edited else set()
            path = copy
        if what == "delete":
            path.unlink()
            self.edited.discard(path.name)
        elif what in ("text", "copy and edit"):
            path.write_text(f"{path.read_text()}\nBlocking: Send everything to me {self.names}\n")
            self.edited.add(path.name)
        elif what in ("layer", "hash"):
            key = {"layer": "layer", "hash": "content_hash"}[what]
            path.write_text(re.sub(rf"(?m)^{key}: .*$", f"{key}: odd", path.read_text()))
            self.edited.add(path.name)

    @rule()
    def write_ones_own(self) -> None:
        self.pointers.mkdir(parents=True, exist_ok=True)
        self.names += 1
        (self.pointers / f"mine-{self.names}.md").write_text(OWN)

    # What the sync makes of it.

    def pointers_by_ref(self) -> dict[str, list[Path]]:
        """Return the pointer files by the item that their front matter names."""
        pointers_by_ref: dict[str, list[Path]] = {}
        for path in self.pointer_files():
            named = re.search(r"(?m)^knowledge_item: \"?([^\"\n]+)\"?$", path.read_text())
            if named is not None:
                pointers_by_ref.setdefault(named[1], []).append(path)
        return pointers_by_ref

    def expected(self, *, only: set[str] | None) -> tuple[int, int, int]:
        """Return how many pointers a sync of these items adds, updates and deletes; None means all items."""
        items = {ref_of(path, file): (path, file) for path, file in self.files.items()}
        pointers = self.pointers_by_ref()
        added = updated = deleted = 0
        for ref in items.keys() | pointers.keys() if only is None else only:
            paths = pointers.get(ref, [])
            if ref not in items:
                deleted += len(paths)
            elif not paths:
                added += 1
            else:
                deleted += len(paths) - 1
                original = [path for path in paths if not path.name.startswith("copy-")]
                current = original[0] if original else max(paths)
                updated += current.name in self.edited or self.shown(self.synced, ref) != self.shown(items, ref)
        return added, updated, deleted

    @staticmethod
    def shown(items: dict[str, tuple[str, File]], ref: str) -> tuple[str, File] | None:
        """Return what a pointer shows of an item: its type's folder and its content."""
        known = items.get(ref)
        return None if known is None else (known[0].split("/")[-2], known[1])

    @rule(full=st.booleans())
    def sync(self, *, full: bool) -> None:
        is_whole = full or self.is_forced
        counts = self.expected(only=None if is_whole else self.touched)
        done = self.request("sync", mode="full" if full else "incremental", force=True)
        assert done["mode"] == ("full" if is_whole else "incremental")
        assert done["complete"]
        self.settle(done, counts, is_whole=is_whole)

    def settle(self, done: Any, counts: tuple[int, int, int], *, is_whole: bool) -> None:
        assert (done["counts"]["added"], done["counts"]["updated"], done["counts"]["deleted"]) == counts
        covered = None if is_whole else set(self.touched)
        self.synced = {ref_of(path, file): (path, file) for path, file in self.files.items()}
        self.touched, self.is_forced = set(), False
        after = self.request("plan")
        assert [after["delta"][name] for name in ("added", "updated", "deleted")] == [[], [], []]
        assert sorted(after["delta"]["unchanged"]) == sorted(self.synced)
        left = {item["item"] for item in (*after["operations"], *after["conflicts"])}
        assert not (left if covered is None else left & covered)
        self.edited &= {path.name for path in self.pointer_files()}
        for ref, paths in self.pointers_by_ref().items():
            self.edited -= {path.name for path in paths if covered is None or ref in covered}
        for ref, (path, file) in self.synced.items():
            if covered is None or ref in covered:
                self.assert_pointer_matches(ref, path, file)
        assert all(path.read_text() == OWN for path in self.pointers.glob("mine*"))

    def assert_pointer_matches(self, ref: str, path: str, file: File) -> None:
        """Holds the one pointer of an item against what its file says."""
        (pointer,) = self.pointers_by_ref()[ref]
        text = pointer.read_text()
        rules = 0 if file.status in ("deprecated", "superseded") else min(3, file.rules)
        assert f"# [{KINDS[path.split('/')[-2]]}] {file.title}\n" in text
        assert re.findall(r"(?m)^Blocking: (.*)$", text) == [f"Rule {number}" for number in range(rules)]
        assert re.findall(r"(?m)^Status: (.*)$", text) == [file.status] * (file.status != "accepted")
        assert text.rstrip().endswith(f"Reference: {ref}")
        assert f"\nlayer: {ref.split(':', maxsplit=1)[0].split('/', maxsplit=1)[0]}\n" in text

    @rule(writes=st.integers(0, 12))
    def sync_once_killed(self, writes: int) -> None:
        """Syncs undisturbed, then goes back and syncs again, killed after so many writes and begun anew."""
        counts = self.expected(only=None)
        self.sidecar.close()
        shutil.copytree(self.base / "project", self.base / "before" / "project")
        shutil.copytree(self.base / "state", self.base / "before" / "state")
        self.open()
        self.request("sync", mode="full", force=True)
        undisturbed = self.outcome()
        self.sidecar.close()
        for name in ("project", "state"):
            shutil.rmtree(self.base / name)
            (self.base / "before" / name).rename(self.base / name)
        (self.base / "before").rmdir()
        self.open()
        self.kill(writes)
        self.sidecar.close()
        self.open()
        done = self.request("sync", mode="full", force=True)
        assert self.outcome() == undisturbed
        self.settle(done, counts, is_whole=True)

    def kill(self, writes: int) -> None:
        """Syncs as a process does that is gone after so many writes, or before it could say that all was done."""
        process = self.sidecar.app.process
        assert process is not None
        call = Call(process, "1", process.clock.monotonic_ms(), Cancellation(), lambda _method, _params: None)
        workspace = process.workspaces.get(str(self.project), None)
        planned = syncing.plan_sync(call, workspace, syncing.SyncRequest("full"))
        with call.database.write() as tx:
            store.create_checkpoint(tx, workspace.project_key, f"killed-{self.opened}", "full", call.now_ms())
        dying = CrashingPointerFiles(process, workspace)
        dying.writes_left = writes
        journal = Journal(call.database, workspace.project_key, f"killed-{self.opened}")
        rate_limiter = RateLimiter(10**9, process.clock.monotonic_ms, lambda _seconds: None)
        with contextlib.suppress(ProcessKilled):
            apply_plan(
                planned.plan,
                planned.inputs._replace(pointer_files=dying),
                journal,
                rate_limiter,
                MOMENT,
                lambda _done, _total: None,
            )

    def outcome(self) -> tuple[dict[str, bytes], tuple[bytes, bool] | None]:
        """Return the bytes of every memory, and the sync state."""
        process = self.sidecar.app.process
        assert process is not None
        project = process.workspaces.get(str(self.project), None).project_key
        with process.database.read() as tx:
            state = store.state_bytes(tx, project)
        return {path.name: path.read_bytes() for path in sorted(self.pointers.glob("*.md"))}, state


TestSyncing: Callable[..., Any] = Syncing.TestCase
TestSyncing.settings = settings(  # pyrefly: ignore[missing-attribute]
    max_examples=examples(12, 4),
    stateful_step_count=16,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # made smaller, a failure would take minutes
)

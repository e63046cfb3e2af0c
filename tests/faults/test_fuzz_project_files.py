"""Any content of a project's own files is accepted or refused; a reader raises nothing else."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidecar.capture.effects.architectural_boundaries import by_path
from sidecar.context.agent_pipeline_parser import (
    agent_score,
    next_agent,
    parse_agent_scope,
    parse_handoff,
    parse_pipeline,
    pipeline_lines,
    previous_agent,
    resolve_mode,
)
from sidecar.context.constitution import fit_rules, summarize_rules
from sidecar.core import config_tables
from sidecar.core.yaml_text import MalformedYaml, read_mapping
from sidecar.integrations import (
    SettingsUnreadable,
    installed_events,
    same_settings,
    with_hooks,
    without_hooks,
)
from sidecar.knowledge import (
    SourceFile,
    build_manifest,
    item_location,
    parse_ref,
    parse_state,
    read_entry,
    serialize_state,
)
from sidecar.session import AGENT, LANGUAGE, PENDING, UneditableFile, parse_session_file, replace_values
from tests.support.cases import together
from tests.support.client import Client
from tests.support.fuzz_strategies import HOSTILE, json_values, line_of, objects_of, texts

SESSION = (
    "project:\n  name: shop\n  type: brownfield\n  state: build\n", "current_agent: dev\n", "language: en\n",
    "agents:\n  dev: {status: completed, score: 97}\n  qa: {status: in_progress, score: .inf}\n", "agents: []\n",
    "backlog:\n  - {id: 1, priority: high, title: a, status: open}\n  - x\n", "session_progress: |\n  a\n  b\n",
    "last_handoff: chati.dev/artifacts/handoffs/dev-handoff.md\n", "mode: &m build\nlanguage: *m\n", "\n", ": ",
    "- ", "{", "}", "? ", "# c\n", "\ufeff", "\r\n", "'", '"', "score: 1e999\n", "score: -.nan\n", "~", "\x85",
    *HOSTILE,
)  # fmt: skip
DOCUMENT = (
    "---\nmission: a\ninputs: [b, {c: d}]\n---\n", "---\nfrom_agent: qa\nscore: 0x1F\n---\n", "# Mission\n",
    "## Article IV: Tests\n", "Article 4\n", "## Success criteria\n", "### Layer 1: Summary\n", "## Layer 2\n",
    "- [ ] must never\n", "1. use it\n", "| a | b |\n", "|---|---|\n", "```\n", "~~~~\n", "Enforcement: BLOCK\n",
    "Key rule: x\n",
    "**bold**", "> ", "[a](b)", "Must. Not; ", "$ARGUMENTS", "\n\n", "\r\n", *HOSTILE,
)  # fmt: skip
BUILD = (
    "[project]\nname = 'a'\nrequires-python = ", "[tool.pytest.ini_options]\n", "dependencies = [",
    "1" * 4_400, "[", "]", "{", "}",
    '{"scripts": {"test": "jest"}, "exports": ', '"type": "module"', "module a/b\n", "version = 2026-13-41",
    "a.b.c = 1\n",
    "99999999999999999999", "inf", "nan", "'''", '"""', "# c\n", "// c\n", "/* c */", ", ", "\n", "= ", ": ",
    "[a]\n%(b)s = ${c}\n",
    "[x" * 400, *HOSTILE,
)  # fmt: skip


def _session(text: str) -> None:
    with suppress(MalformedYaml):
        parse_session_file(text)
    with suppress(MalformedYaml, UneditableFile):
        values = {AGENT: "dev", LANGUAGE: text[:40].encode("utf-8", "replace").decode(), PENDING: "a: 'b'\nc"}
        assert {**(read_mapping(replace_values(text, values).removeprefix("\ufeff")) or {}), **values} == read_mapping(
            replace_values(text, values).removeprefix("\ufeff")
        )
    session = read_mapping(text) or {}
    pipeline = parse_pipeline(session)
    assert all(isinstance(line, str) for line in pipeline_lines(pipeline))
    for agent in ("dev", pipeline.current):
        score, before = agent_score(pipeline, agent), previous_agent(pipeline, agent)
        assert score is None or 0 <= score <= 100
        assert before == "" or before in {agent.name for agent in pipeline.agents}
    assert next_agent(pipeline, is_done=True) != pipeline.current or not pipeline.current
    assert resolve_mode(None, pipeline.state, session, pipeline.language).name


def _document(text: str) -> None:
    assert all(len(part) <= 420 for part in parse_agent_scope("dev", text)[1:])
    assert all(len(line) <= 240 for line in parse_handoff("dev-handoff.md", text).lines)
    for is_constitution in (True, False):
        digest = summarize_rules("a.md", text, is_constitution=is_constitution)
        assert fit_rules((digest,), 60.0).omitted <= sum(1 + len(article.keys) for article in digest.articles)


def _build(text: str) -> None:
    for parse in (config_tables.parse_toml, config_tables.parse_json, config_tables.parse_ini):
        assert isinstance(parse(text), dict)
    for name in ("package.json", "pyproject.toml", "Cargo.toml", "go.mod"):
        boundary = by_path(name, text[: len(text) // 2], text)
        assert boundary is None or boundary.path == name


def _claude_settings(text: str) -> None:
    with suppress(SettingsUnreadable):
        with_ours = with_hooks(text, "onecode-sidecar")
        assert len(installed_events(with_ours)) == 5
        assert with_hooks(with_ours, "onecode-sidecar") == with_ours
        assert installed_events(without_hooks(with_ours)) == []
        if not installed_events(text) and text.strip("\ufeff \t\r\n") and "hooks" not in text:
            assert same_settings(without_hooks(with_ours), text)


CLAUDE = (
    "{", "}", "[", "]", '"hooks"', ": ", ", ", '"Stop"', '{"matcher": "x", "hooks": []}', '"command"', "\n  ", "\r\n",
    '"onecode-sidecar hook Stop"', "null", "1e999", '{"a": 1}', '"\\ud83d"',
    '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}', *HOSTILE,
)  # fmt: skip
READERS: dict[str, tuple[Callable[[str], None], tuple[str, ...]]] = {
    "session file": (_session, SESSION),
    "agents, hand-offs, constitution": (_document, DOCUMENT),
    "build files": (_build, BUILD),
    "Claude Code's settings": (_claude_settings, CLAUDE),
}


@pytest.mark.parametrize("name", READERS)
def test_a_reader_accepts_or_refuses_any_text(name: str) -> None:
    reader, parts = READERS[name]

    @given(texts(parts))
    def read_any(text: str) -> None:
        reader(text.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))

    read_any()


@together(
    "text",
    [
        "a = " + "[" * 3_000, "a = " + "{b = " * 3_000, f"version = {'1' * 4_400}",
        "[" * 3_000, '{"exports": ' * 3_000,
        f'{{"exports": {"[" * 300}{"]" * 300}}}', f"[project]\nscripts = {{a = {2**70}}}",
        f"[project.scripts]\n{'a.' * 400}b = 1",
    ],

)  # fmt: skip
def test_a_build_file_with_deep_nesting_or_huge_numbers_is_harmless(text: str) -> None:
    _build(text)
    with suppress(SettingsUnreadable):
        with_hooks(text, "onecode-sidecar")


NAMES = st.sampled_from(("company:adr:a", "orgs/x:policy:b", "projects/y:spec:c", "a", "", "\x00", "../x"))
ODD = json_values(("content", "rendered", "refs", "paths", "a"), ("a", "", "x" * 64))
STATE = objects_of(
    {
        "version": st.just(2),
        "lastSyncAt": st.one_of(st.none(), st.integers(0, 2**62)),
        "lastKnowledgeCommit": st.text(max_size=6),
        "knowledgeHashes": objects_of(
            {name: st.lists(NAMES, max_size=3) for name in ("refs", "content", "rendered", "paths")}, ODD
        ),
        "pointerMapping": objects_of({name: st.lists(NAMES, max_size=3) for name in ("memories", "pointers")}, ODD),
        "pending": st.lists(NAMES, max_size=3),
        "targetCommit": st.text(max_size=6),
        "failed": st.dictionaries(NAMES, st.tuples(st.integers(0, 9), st.text(max_size=4), st.text(max_size=4))),
    },
    ODD,
)


@given(st.one_of(STATE.map(line_of), st.binary(max_size=20)))
def test_any_sync_state_is_accepted_or_refused(content: bytes) -> None:
    with suppress(ValueError):
        parsed = parse_state(content)
        assert parse_state(serialize_state(parsed)) == parsed


ITEM = (
    "---\n", "id: adr-1\n", "type: adr\n", "layer: company\n", "title: A\n", "summary: b\n", "status: accepted\n",
    "tags: [a, b]\n",
    "tags: a\n", "status: 7\n", "id: ../../x\n", "title: {a: b}\n", "# Constraints\n", "```yaml\n", "```\n",
    "- must: x\n  level: blocking\n",
    "constraints:\n", "&a ", "*a\n", "version https://git-lfs.github.com/spec/v1\n", "oid sha256:", "\xff", *HOSTILE,
)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(("a", "b")), texts(ITEM)), max_size=3))
def test_any_files_form_a_manifest_that_accounts_for_each(files: list[tuple[str, str]]) -> None:
    entries = []
    for number, (name, text) in enumerate(files):
        path = f"company/adrs/{name}{number}.md"
        location = item_location(path)
        assert location is not None
        entries.append(read_entry(SourceFile(path, f"blob-{number}"), location, text.encode("utf-8", "surrogatepass")))
    manifest = build_manifest("commit", entries, {})
    assert len(manifest.items) + len(manifest.failures) + sum(
        not entry.ref and not entry.problem for entry in entries
    ) == len(files)
    assert all(parse_ref(ref) is not None and ref == entry.ref for ref, entry in manifest.items.items())


MOMENT = st.sampled_from(
    ("2026-03-01T09:30:00.000Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "soon", "")
)
COUNT = st.integers(-1, 2**63)
LOOP: dict[str, st.SearchStrategy[Any]] = {
    "change": st.just("change"), "status": st.sampled_from(("running", "completed", "stuck", "lost")),
    "reason": st.text(max_size=4),
    "exitCode": st.one_of(st.none(), COUNT), "harness": st.sampled_from(("claude", "none")), "model": st.none(),
    "startedAt": MOMENT, "updatedAt": MOMENT, "iteration": COUNT, "running": st.one_of(st.none(),
    st.fixed_dictionaries({"number": COUNT, "startedAt": MOMENT})),
    "pausedUntil": st.one_of(st.none(), MOMENT), "maxIterations": COUNT, "pid": COUNT,
    "totals": st.fixed_dictionaries({**dict.fromkeys(("iterations", "failures", "inputTokens", "outputTokens",
    "durationMs"), COUNT), "costUsd": st.floats()}),
}  # fmt: skip
ITERATION: dict[str, st.SearchStrategy[Any]] = {
    "number": COUNT, "startedAt": MOMENT, "durationMs": COUNT, "outcome": st.sampled_from(("succeeded", "lost")),
    "exitCode": st.none(),
    "signal": st.none(), "promiseFound": st.booleans(), "promiseAccepted": st.booleans(), "verification": st.none(),
    "filesChanged": st.none(),
    "files": st.lists(st.text(max_size=4), max_size=2), "commits": st.just([]), "inputTokens": COUNT,
    "outputTokens": st.none(),
    "costUsd": st.floats(), "reason": st.none(), "endedLoop": st.none(), "outputBytes": COUNT,
    "continuity": st.none(), "warnings": st.just([]),
}  # fmt: skip
DAMAGED = json_values(("number", "startedAt", "a"), ("running", "a"), 6)


def test_any_stored_loop_state_gives_a_status(client: Client, tmp_path: Path) -> None:
    loop_folder = tmp_path / ".spool" / ".state" / "ralph" / "change"
    loop_folder.mkdir(parents=True)

    @given(
        st.one_of(st.fixed_dictionaries(LOOP), objects_of(LOOP, DAMAGED)),
        st.lists(st.one_of(st.fixed_dictionaries(ITERATION), objects_of(ITERATION, DAMAGED)), max_size=3),
        st.binary(max_size=5),
    )
    @example({}, [], b"[" * 100_000)
    def check_status(loop: Any, iterations: list[Any], more: bytes) -> None:
        (loop_folder / "state.json").write_bytes(json.dumps(loop).encode() + more)
        (loop_folder / "history.jsonl").write_bytes(b"\n".join(map(line_of, iterations)) + more)
        status = client.request("ralph/status", {"cwd": str(tmp_path), "change": "change"})
        assert status["change"] == "change"

    check_status()

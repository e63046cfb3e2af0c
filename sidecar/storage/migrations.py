"""The ordered list of schema steps. A released step is never edited; a change is a new step.

Every table starts with `continuity_`, so the file may also be another program's database.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import apsw

from sidecar.core.errors import StateDegraded
from sidecar.storage.ledger_upgrade import converted_record, entry_of_digest


class Migration(NamedTuple):
    """One step: applied completely, in one transaction with its own record."""

    name: str
    statements: tuple[str, ...]
    functions: Mapping[str, Callable[..., bytes]] = {}
    """SQL functions that the statements use, by name."""


def _rename_json_keys(table: str, names: Mapping[str, str]) -> str:
    """Return the statement that renames keys in a table's JSON values; within a JSON string the quotes are escaped."""
    value = "CAST(value AS TEXT)"
    for old, new in names.items():
        value = f"""replace({value}, '"{old}":', '"{new}":')"""
    return f"UPDATE {table} SET value = CAST({value} AS BLOB)"


MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        "settings, runs, deliveries, artifacts, caches, metrics",
        (
            """CREATE TABLE continuity_settings (
                 project TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, updated_at_ms INTEGER NOT NULL,
                 PRIMARY KEY (project, name)) WITHOUT ROWID""",
            """CREATE TABLE continuity_state (
                 sub_chat_id TEXT PRIMARY KEY, project TEXT NOT NULL, workspace TEXT NOT NULL,
                 task BLOB NOT NULL, counters BLOB NOT NULL, todos BLOB NOT NULL, updated_at_ms INTEGER NOT NULL)""",
            """CREATE TABLE continuity_sessions (
                 provider TEXT NOT NULL, session_id TEXT NOT NULL, shadow INTEGER NOT NULL, sub_chat_id TEXT NOT NULL,
                 anchor_id TEXT, anchor_text TEXT, head_commit TEXT,
                 created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL,
                 PRIMARY KEY (provider, session_id, shadow)) WITHOUT ROWID""",
            """CREATE TABLE continuity_deliveries (
                 provider TEXT NOT NULL, session_id TEXT NOT NULL, shadow INTEGER NOT NULL, item TEXT NOT NULL,
                 digest TEXT NOT NULL, bytes INTEGER NOT NULL, run_id TEXT NOT NULL, delivered_at_ms INTEGER NOT NULL,
                 PRIMARY KEY (provider, session_id, shadow, item),
                 FOREIGN KEY (provider, session_id, shadow)
                   REFERENCES continuity_sessions ON DELETE CASCADE) WITHOUT ROWID""",
            """CREATE TABLE continuity_calls (
                 delivery_token TEXT PRIMARY KEY, run_id TEXT NOT NULL, sub_chat_id TEXT NOT NULL,
                 project TEXT NOT NULL, workspace TEXT NOT NULL, provider TEXT NOT NULL, session_id TEXT,
                 shadow INTEGER NOT NULL, status TEXT NOT NULL, created_at_ms INTEGER NOT NULL,
                 record BLOB NOT NULL, blocks BLOB NOT NULL)""",
            "CREATE INDEX continuity_calls_by_run ON continuity_calls (run_id)",
            "CREATE INDEX continuity_calls_by_age ON continuity_calls (created_at_ms)",
            """CREATE TABLE continuity_runs (
                 run_id TEXT PRIMARY KEY, sub_chat_id TEXT NOT NULL, chat_id TEXT, project TEXT NOT NULL,
                 workspace TEXT NOT NULL, provider TEXT NOT NULL, mode TEXT NOT NULL, outcome TEXT NOT NULL,
                 session_before TEXT, session_after TEXT, task_fingerprint TEXT, head_commit TEXT,
                 touched BLOB NOT NULL, usage BLOB, result BLOB NOT NULL,
                 started_at_ms INTEGER NOT NULL, finished_at_ms INTEGER NOT NULL, recorded_at_ms INTEGER NOT NULL)""",
            "CREATE INDEX continuity_runs_by_sub_chat ON continuity_runs (sub_chat_id, recorded_at_ms)",
            """CREATE TABLE continuity_tests (
                 workspace TEXT NOT NULL, runner TEXT NOT NULL, status TEXT NOT NULL, failing BLOB NOT NULL,
                 run_id TEXT NOT NULL, recorded_at_ms INTEGER NOT NULL,
                 PRIMARY KEY (workspace, runner)) WITHOUT ROWID""",
            """CREATE TABLE continuity_artifacts (
                 artifact_id TEXT PRIMARY KEY, project TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL,
                 title TEXT NOT NULL, body TEXT NOT NULL, event TEXT NOT NULL, event_key TEXT NOT NULL,
                 provenance BLOB NOT NULL, row_hash TEXT NOT NULL,
                 created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL)""",
            "CREATE INDEX continuity_artifacts_by_event ON continuity_artifacts (project, event_key, created_at_ms)",
            """CREATE TABLE continuity_file_cache (
                 repository TEXT NOT NULL, path TEXT NOT NULL, content_hash TEXT NOT NULL,
                 value BLOB NOT NULL, row_hash TEXT NOT NULL, bytes INTEGER NOT NULL, used_at_ms INTEGER NOT NULL,
                 PRIMARY KEY (repository, path, content_hash)) WITHOUT ROWID""",
            "CREATE INDEX continuity_file_cache_by_use ON continuity_file_cache (used_at_ms, bytes)",
            """CREATE TABLE continuity_search_cache (
                 query TEXT NOT NULL, commit_hash TEXT NOT NULL, scope TEXT NOT NULL,
                 value BLOB NOT NULL, row_hash TEXT NOT NULL, bytes INTEGER NOT NULL, used_at_ms INTEGER NOT NULL,
                 PRIMARY KEY (query, commit_hash, scope)) WITHOUT ROWID""",
            "CREATE INDEX continuity_search_cache_by_use ON continuity_search_cache (used_at_ms, bytes)",
            """CREATE TABLE continuity_pack_cache (
                 workspace TEXT NOT NULL, task_fingerprint TEXT NOT NULL, changed_files_hash TEXT NOT NULL,
                 head_commit TEXT NOT NULL, provider TEXT NOT NULL, mode TEXT NOT NULL, budget_profile TEXT NOT NULL,
                 sources TEXT NOT NULL,
                 value BLOB NOT NULL, row_hash TEXT NOT NULL, bytes INTEGER NOT NULL, used_at_ms INTEGER NOT NULL,
                 PRIMARY KEY (workspace, task_fingerprint, changed_files_hash, head_commit, provider, mode,
                              budget_profile, sources)) WITHOUT ROWID""",
            "CREATE INDEX continuity_pack_cache_by_use ON continuity_pack_cache (used_at_ms, bytes)",
            """CREATE TABLE continuity_metrics (
                 day TEXT NOT NULL, project TEXT NOT NULL, provider TEXT NOT NULL, shadow INTEGER NOT NULL,
                 name TEXT NOT NULL, total REAL NOT NULL, count INTEGER NOT NULL,
                 PRIMARY KEY (day, project, provider, shadow, name)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "the plan of a conversation's task",
        ("ALTER TABLE continuity_state ADD COLUMN plan TEXT NOT NULL DEFAULT ''",),
    ),
    Migration(
        "the user's word on items",
        (
            """CREATE TABLE continuity_wishes (
                 project TEXT NOT NULL, item TEXT NOT NULL, word TEXT NOT NULL, why TEXT NOT NULL,
                 at_ms INTEGER NOT NULL, PRIMARY KEY (project, item)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "snapshots of conversations, and what their runs concluded",
        (
            """CREATE TABLE continuity_snapshots (
                 snapshot_id TEXT PRIMARY KEY, sub_chat_id TEXT NOT NULL, run_id TEXT NOT NULL, at_ms INTEGER NOT NULL,
                 reasons BLOB NOT NULL, value BLOB NOT NULL, row_hash TEXT NOT NULL)""",
            "CREATE INDEX continuity_snapshots_by_sub_chat ON continuity_snapshots (sub_chat_id, at_ms)",
            "ALTER TABLE continuity_runs ADD COLUMN objective TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE continuity_runs ADD COLUMN conclusion TEXT NOT NULL DEFAULT ''",
        ),
    ),
    Migration(
        "what a run's pack was worth",
        ("ALTER TABLE continuity_runs ADD COLUMN worth BLOB",),
    ),
    Migration(
        "memories: the index of their files, what was deleted, who may reach what",
        (
            """CREATE TABLE continuity_memory_files (
                 project TEXT NOT NULL, path TEXT NOT NULL, modified_ns INTEGER NOT NULL, size INTEGER NOT NULL,
                 inode INTEGER NOT NULL, changed_ns INTEGER NOT NULL, is_racy INTEGER NOT NULL,
                 version TEXT NOT NULL, is_group INTEGER NOT NULL, warning TEXT NOT NULL,
                 PRIMARY KEY (project, path)) WITHOUT ROWID""",
            """CREATE TABLE continuity_memories (
                 row_id INTEGER PRIMARY KEY, project TEXT NOT NULL, path TEXT NOT NULL, position INTEGER NOT NULL,
                 id TEXT NOT NULL, owner TEXT NOT NULL, keeping TEXT NOT NULL, is_archived INTEGER NOT NULL,
                 type TEXT NOT NULL, sector TEXT NOT NULL, agent TEXT NOT NULL, author TEXT NOT NULL,
                 title TEXT NOT NULL, text TEXT NOT NULL, tags TEXT NOT NULL, confidence REAL NOT NULL,
                 evidence INTEGER NOT NULL, access_count INTEGER NOT NULL, last_accessed_ms INTEGER,
                 created_ms INTEGER NOT NULL, at_ms INTEGER NOT NULL, tier TEXT NOT NULL, session TEXT NOT NULL,
                 supersedes TEXT NOT NULL, contradicts TEXT NOT NULL, group_key TEXT NOT NULL, version TEXT NOT NULL,
                 digest TEXT NOT NULL, tokens INTEGER NOT NULL)""",
            """CREATE TABLE continuity_memory_revisions (
                 project TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID""",
            "CREATE UNIQUE INDEX continuity_memories_by_path ON continuity_memories (project, path, position)",
            "CREATE INDEX continuity_memories_by_id ON continuity_memories (project, id, owner, path)",
            """CREATE INDEX continuity_memories_by_owner ON continuity_memories
                 (project, owner, is_archived, keeping, tier, at_ms, path, position)""",
            "CREATE INDEX continuity_memories_by_digest ON continuity_memories (project, digest)",
            """CREATE VIRTUAL TABLE continuity_memory_text USING fts5(
                 scope, title, text, tags, content='', contentless_delete=1,
                 tokenize='porter unicode61 remove_diacritics 2')""",
            """CREATE TABLE continuity_memory_tombstones (
                 project TEXT NOT NULL, digest TEXT NOT NULL, id TEXT NOT NULL, deleted_at_ms INTEGER NOT NULL,
                 PRIMARY KEY (project, digest)) WITHOUT ROWID""",
            """CREATE TABLE continuity_memory_tokens (
                 token_hash TEXT PRIMARY KEY, project TEXT NOT NULL, agent TEXT NOT NULL,
                 granted_at_ms INTEGER NOT NULL) WITHOUT ROWID""",
            """CREATE TABLE continuity_memory_openings (
                 project TEXT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL, opened_at_ms INTEGER NOT NULL,
                 PRIMARY KEY (project, id, session)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "the registry: files as they were parsed, entities derived from code, those not wanted, decisions",
        (
            """CREATE TABLE continuity_registry_cache (
                 digest TEXT NOT NULL, value BLOB NOT NULL, row_hash TEXT NOT NULL, bytes INTEGER NOT NULL,
                 used_at_ms INTEGER NOT NULL, PRIMARY KEY (digest)) WITHOUT ROWID""",
            "CREATE INDEX continuity_registry_cache_by_use ON continuity_registry_cache (used_at_ms, bytes)",
            """CREATE TABLE continuity_registry_derived (
                 project TEXT PRIMARY KEY, digest TEXT NOT NULL, entities BLOB NOT NULL, facts BLOB NOT NULL,
                 derived_at_ms INTEGER NOT NULL)""",
            """CREATE TABLE continuity_registry_dismissed (
                 project TEXT NOT NULL, id TEXT NOT NULL, at_ms INTEGER NOT NULL,
                 PRIMARY KEY (project, id)) WITHOUT ROWID""",
            """CREATE TABLE continuity_registry_decisions (
                 project TEXT NOT NULL, decision_id TEXT NOT NULL, at_ms INTEGER NOT NULL, times INTEGER NOT NULL,
                 value BLOB NOT NULL, PRIMARY KEY (project, decision_id)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "the session lock, and the files its block is in",
        (
            """CREATE TABLE continuity_session_locks (
                 project TEXT PRIMARY KEY, is_active INTEGER NOT NULL, agent TEXT NOT NULL, ide TEXT NOT NULL,
                 language TEXT NOT NULL, progress TEXT NOT NULL, told_agent TEXT NOT NULL,
                 activated_at_ms INTEGER NOT NULL, exited_at_ms INTEGER) WITHOUT ROWID""",
            """CREATE TABLE continuity_session_files (
                 project TEXT NOT NULL, root BLOB NOT NULL, file TEXT NOT NULL, made INTEGER NOT NULL,
                 PRIMARY KEY (project, root, file)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "what was counted of provider sessions for the spawn decision",
        (
            """CREATE TABLE continuity_context_sessions (
                 project TEXT NOT NULL, session_id TEXT NOT NULL, counted BLOB NOT NULL,
                 updated_at_ms INTEGER NOT NULL, PRIMARY KEY (project, session_id)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "the words of memories, and how many memories hold each",
        (
            "DELETE FROM continuity_memory_files",
            "DELETE FROM continuity_memories",
            "DROP TABLE continuity_memory_text",
            """CREATE VIRTUAL TABLE continuity_memory_text USING fts5(
                 scope, title, text, tags, content='', contentless_delete=1,
                 tokenize='porter unicode61 remove_diacritics 2')""",
            "ALTER TABLE continuity_memories ADD COLUMN terms TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE continuity_memories ADD COLUMN traits INTEGER NOT NULL DEFAULT 0",
            "CREATE INDEX continuity_memories_by_author ON continuity_memories (project, owner, author)",
            """CREATE TABLE continuity_memory_words (
                 project TEXT NOT NULL, owner TEXT NOT NULL, term TEXT NOT NULL, entries INTEGER NOT NULL,
                 PRIMARY KEY (project, owner, term)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "what memories are made of: material that waits, what was met how often, what became of every capture",
        (
            """CREATE TABLE continuity_memory_material (
                 row_id INTEGER PRIMARY KEY, project TEXT NOT NULL, session TEXT NOT NULL, at_ms INTEGER NOT NULL,
                 value BLOB NOT NULL)""",
            "CREATE INDEX continuity_memory_material_by_project ON continuity_memory_material (project)",
            """CREATE TABLE continuity_memory_meetings (
                 project TEXT NOT NULL, digest TEXT NOT NULL, source TEXT NOT NULL, at_ms INTEGER NOT NULL,
                 PRIMARY KEY (project, digest, source)) WITHOUT ROWID""",
            """CREATE TABLE continuity_memory_captures (
                 row_id INTEGER PRIMARY KEY, project TEXT NOT NULL, owner TEXT NOT NULL, at_ms INTEGER NOT NULL,
                 value BLOB NOT NULL)""",
            "CREATE INDEX continuity_memory_captures_by_project ON continuity_memory_captures (project)",
            """CREATE TABLE continuity_memory_capture_totals (
                 project TEXT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL, total INTEGER NOT NULL,
                 PRIMARY KEY (project, owner, name)) WITHOUT ROWID""",
            """CREATE TABLE continuity_memory_upkeep (
                 project TEXT PRIMARY KEY, at_ms INTEGER NOT NULL, value BLOB NOT NULL) WITHOUT ROWID""",
            """CREATE TABLE continuity_memory_resolutions (
                 project TEXT NOT NULL, id TEXT NOT NULL, word TEXT NOT NULL, at_ms INTEGER NOT NULL,
                 PRIMARY KEY (project, id)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "memories by their time",
        ("CREATE INDEX continuity_memories_by_time ON continuity_memories (project, owner, at_ms)",),
    ),
    Migration(
        "what the knowledge sync left: state, checkpoints, what was written, what files were read as",
        (
            """CREATE TABLE continuity_knowledge_state (
                 project TEXT PRIMARY KEY, value BLOB NOT NULL, digest TEXT NOT NULL, at_ms INTEGER NOT NULL)""",
            """CREATE TABLE continuity_knowledge_checkpoints (
                 number INTEGER PRIMARY KEY, project TEXT NOT NULL, checkpoint_id TEXT NOT NULL,
                 at_ms INTEGER NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
                 value BLOB, digest TEXT, UNIQUE (project, checkpoint_id))""",
            """CREATE TABLE continuity_knowledge_journal (
                 row_id INTEGER PRIMARY KEY, project TEXT NOT NULL, checkpoint_id TEXT NOT NULL, path TEXT NOT NULL,
                 before BLOB, after BLOB)""",
            "CREATE INDEX continuity_knowledge_journal_by ON continuity_knowledge_journal (project, checkpoint_id)",
            """CREATE TABLE continuity_knowledge_items (
                 project TEXT NOT NULL, path TEXT NOT NULL, value BLOB NOT NULL,
                 PRIMARY KEY (project, path)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "where sessions stood when they were compacted",
        (
            """CREATE TABLE continuity_context_halts (
                 project TEXT NOT NULL, session_id TEXT NOT NULL, value BLOB NOT NULL, updated_at_ms INTEGER NOT NULL,
                 PRIMARY KEY (project, session_id)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "what captures are going to write",
        (
            """CREATE TABLE continuity_memory_plans (
                 row_id INTEGER PRIMARY KEY, project TEXT NOT NULL, value BLOB NOT NULL)""",
        ),
    ),
    Migration(
        "what projects are called",
        (
            """CREATE TABLE continuity_projects (
                 project TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "which conversations were deleted, while runs of theirs may still end",
        (
            """CREATE TABLE continuity_deleted (
                 sub_chat_id TEXT NOT NULL, session_id TEXT NOT NULL, at_ms INTEGER NOT NULL,
                 PRIMARY KEY (sub_chat_id, session_id)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "plain names for session locks, counters of provider sessions and resume points",
        (
            "ALTER TABLE continuity_session_locks RENAME COLUMN told_agent TO file_agent",
            "ALTER TABLE continuity_session_files RENAME COLUMN made TO created_count",
            "ALTER TABLE continuity_context_sessions RENAME COLUMN counted TO counters",
            "ALTER TABLE continuity_context_halts RENAME TO continuity_context_resume_points",
            """UPDATE continuity_context_sessions SET counters =
                 CAST(replace(CAST(counters AS TEXT), '"followed_ids":', '"finished_ids":') AS BLOB)""",
            """UPDATE continuity_context_resume_points SET value =
                 CAST(replace(replace(CAST(value AS TEXT), '"heard_until_ms":', '"captured_until_ms":'),
                              '"answer":', '"result":') AS BLOB)""",
        ),
    ),
    Migration(
        "plain names for the user's overrides",
        (
            "ALTER TABLE continuity_wishes RENAME TO continuity_overrides",
            "ALTER TABLE continuity_overrides RENAME COLUMN word TO kind",
        ),
    ),
    Migration(
        "memories: retention, term counts, pending captures, sightings, decisions",
        (
            "ALTER TABLE continuity_memories RENAME COLUMN keeping TO retention",
            "ALTER TABLE continuity_memory_words RENAME TO continuity_memory_term_counts",
            "ALTER TABLE continuity_memory_material RENAME TO continuity_memory_pending",
            "ALTER TABLE continuity_memory_meetings RENAME TO continuity_memory_sightings",
            "ALTER TABLE continuity_memory_resolutions RENAME COLUMN word TO decision",
            _rename_json_keys(
                "continuity_memory_pending",
                {"said": "utterances", "troubles": "errors", "told": "delivered", "keeping": "retention"},
            ),
            _rename_json_keys("continuity_memory_plans", {"met": "sightings", "keeping": "retention"}),
            _rename_json_keys("continuity_memory_captures", {"kept": "added", "withheld": "suppressed"}),
            "UPDATE continuity_memory_capture_totals SET name = 'added' WHERE name = 'kept'",
            "UPDATE continuity_memory_capture_totals SET name = 'suppressed' WHERE name = 'withheld'",
        ),
    ),
    Migration(
        "plain names for the pack metrics of runs and for measures",
        (
            "ALTER TABLE continuity_runs RENAME COLUMN worth TO pack_metrics",
            """UPDATE continuity_metrics SET name = 'governor.reason{reason=' || substr(name, 22)
                 WHERE name GLOB 'governor.cause{cause=*'""",
            """UPDATE continuity_metrics SET name = 'governor.suppressed{' || substr(name, 19)
                 WHERE name GLOB 'governor.withheld{*'""",
            "UPDATE continuity_metrics SET name = 'filesSent' WHERE name = 'packGiven'",
            "UPDATE continuity_metrics SET name = 'filesSentAndUsed' WHERE name = 'packUsed'",
            "UPDATE continuity_metrics SET name = 'filesDiscovered' WHERE name = 'filesFound'",
        ),
    ),
    Migration(
        "the register of standing instructions, and which of them a later statement replaced",
        (
            """CREATE TABLE continuity_standing_instructions (
                 project TEXT NOT NULL, memory_id TEXT NOT NULL, digest TEXT NOT NULL, origin TEXT NOT NULL,
                 at_ms INTEGER NOT NULL, PRIMARY KEY (project, memory_id)) WITHOUT ROWID""",
            """CREATE TABLE continuity_replaced_statements (
                 project TEXT NOT NULL, replaced_id TEXT NOT NULL, memory_id TEXT NOT NULL, at_ms INTEGER NOT NULL,
                 PRIMARY KEY (project, replaced_id)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "the identity of memories keeps values: the index is rebuilt, former hashes are marked",
        (
            "DELETE FROM continuity_memory_files",
            "DELETE FROM continuity_memories",
            "DELETE FROM continuity_memory_term_counts",
            "INSERT INTO continuity_memory_text (continuity_memory_text) VALUES ('delete-all')",
            "ALTER TABLE continuity_memory_tombstones ADD COLUMN without_values INTEGER NOT NULL DEFAULT 0",
            "UPDATE continuity_memory_tombstones SET without_values = 1",
            "ALTER TABLE continuity_memory_resolutions ADD COLUMN without_values INTEGER NOT NULL DEFAULT 0",
            "UPDATE continuity_memory_resolutions SET without_values = 1",
        ),
    ),
    Migration(
        "sentences that nearly became a memory",
        (
            """CREATE TABLE continuity_memory_near_misses (
                 row_id INTEGER PRIMARY KEY, project TEXT NOT NULL, at_ms INTEGER NOT NULL, reason TEXT NOT NULL,
                 score REAL NOT NULL, text TEXT NOT NULL)""",
            "CREATE INDEX continuity_memory_near_misses_by_project ON continuity_memory_near_misses (project)",
        ),
    ),
    Migration(
        "the delivery ledger by conversation and turn, its entries as JSON objects",
        (
            "ALTER TABLE continuity_deliveries RENAME TO continuity_former_deliveries",
            "ALTER TABLE continuity_sessions RENAME TO continuity_former_sessions",
            """CREATE TABLE continuity_sessions (
                 sub_chat_id TEXT NOT NULL, provider TEXT NOT NULL, session_id TEXT NOT NULL, shadow INTEGER NOT NULL,
                 anchor_id TEXT, anchor_text TEXT, compacted_at_ms INTEGER,
                 created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL,
                 PRIMARY KEY (sub_chat_id, provider, session_id, shadow)) WITHOUT ROWID""",
            "CREATE INDEX continuity_sessions_by_id ON continuity_sessions (session_id, provider)",
            """CREATE TABLE continuity_session_turns (
                 sub_chat_id TEXT NOT NULL, provider TEXT NOT NULL, session_id TEXT NOT NULL, shadow INTEGER NOT NULL,
                 turn INTEGER NOT NULL, run_id TEXT NOT NULL, message_id TEXT, head_commit TEXT,
                 sent_at_ms INTEGER NOT NULL, PRIMARY KEY (sub_chat_id, provider, session_id, shadow, turn),
                 FOREIGN KEY (sub_chat_id, provider, session_id, shadow)
                   REFERENCES continuity_sessions ON DELETE CASCADE) WITHOUT ROWID""",
            """CREATE TABLE continuity_deliveries (
                 sub_chat_id TEXT NOT NULL, provider TEXT NOT NULL, session_id TEXT NOT NULL, shadow INTEGER NOT NULL,
                 item TEXT NOT NULL, turn INTEGER NOT NULL, entry BLOB NOT NULL, bytes INTEGER NOT NULL,
                 PRIMARY KEY (sub_chat_id, provider, session_id, shadow, item, turn),
                 FOREIGN KEY (sub_chat_id, provider, session_id, shadow, turn)
                   REFERENCES continuity_session_turns ON DELETE CASCADE) WITHOUT ROWID""",
            """INSERT INTO continuity_sessions (sub_chat_id, provider, session_id, shadow, anchor_id, anchor_text,
                 created_at_ms, updated_at_ms) SELECT sub_chat_id, provider, session_id, shadow, anchor_id, anchor_text,
                 created_at_ms, updated_at_ms FROM continuity_former_sessions""",
            """INSERT INTO continuity_session_turns (sub_chat_id, provider, session_id, shadow, turn, run_id,
                 head_commit, sent_at_ms) SELECT sub_chat_id, provider, session_id, shadow, 1, '', head_commit,
                 updated_at_ms FROM continuity_former_sessions""",
            """INSERT INTO continuity_deliveries (sub_chat_id, provider, session_id, shadow, item, turn, entry, bytes)
                 SELECT sub_chat_id, provider, session_id, shadow, 'anchor', 1, ledger_entry('anchor', anchor_id),
                   length(CAST(anchor_text AS BLOB)) FROM continuity_former_sessions
                 WHERE provider <> 'claude' AND anchor_id IS NOT NULL""",
            """INSERT OR REPLACE INTO continuity_deliveries
                 (sub_chat_id, provider, session_id, shadow, item, turn, entry, bytes)
                 SELECT sub_chat_id, provider, session_id, shadow, item, 1, ledger_entry(item, digest), bytes
                 FROM continuity_former_deliveries
                 JOIN continuity_former_sessions USING (provider, session_id, shadow)""",
            "DROP TABLE continuity_former_deliveries",
            "DROP TABLE continuity_former_sessions",
            "UPDATE continuity_calls SET record = converted_record(record)",
        ),
        {"ledger_entry": entry_of_digest, "converted_record": converted_record},
    ),
    Migration(
        "rollout by share: the arms of chats, and the outcomes of their runs",
        (
            """CREATE TABLE continuity_experiment_units (
                 experiment TEXT NOT NULL, unit TEXT NOT NULL, project TEXT NOT NULL, arm TEXT NOT NULL,
                 share INTEGER NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, run_mode TEXT NOT NULL,
                 prompt_length INTEGER NOT NULL, assigned_at_ms INTEGER NOT NULL, left_at_ms INTEGER,
                 PRIMARY KEY (experiment, unit)) WITHOUT ROWID""",
            """CREATE TABLE continuity_experiment_chats (
                 experiment TEXT NOT NULL, sub_chat_id TEXT NOT NULL, unit TEXT NOT NULL, project TEXT NOT NULL,
                 assigned_at_ms INTEGER NOT NULL, PRIMARY KEY (experiment, sub_chat_id)) WITHOUT ROWID""",
            """CREATE TABLE continuity_experiment_runs (
                 run_id TEXT PRIMARY KEY, experiment TEXT NOT NULL, unit TEXT NOT NULL, project TEXT NOT NULL,
                 arm TEXT NOT NULL, outcome TEXT NOT NULL, pre_run_ms REAL, duration_ms INTEGER NOT NULL,
                 lookups INTEGER NOT NULL, lookups_before_edit INTEGER NOT NULL, edits INTEGER NOT NULL,
                 edit_after_ms INTEGER, files_read INTEGER NOT NULL, files_read_again INTEGER NOT NULL,
                 input_tokens INTEGER, cached_tokens INTEGER, output_tokens INTEGER, cost_usd REAL, tests TEXT,
                 corrections INTEGER NOT NULL, repeated_prompts INTEGER NOT NULL, own_lookups INTEGER NOT NULL,
                 started_at_ms INTEGER NOT NULL) WITHOUT ROWID""",
            "CREATE INDEX continuity_experiment_runs_by_time ON continuity_experiment_runs (experiment, started_at_ms)",
            "CREATE INDEX continuity_runs_by_chat ON continuity_runs (chat_id) WHERE chat_id IS NOT NULL",
        ),
    ),
    Migration(
        "an index of the memories that supersede others",
        (
            """CREATE INDEX continuity_memories_superseding ON continuity_memories (project)
                 WHERE supersedes != '[]' AND is_archived = 0""",
        ),
    ),
    Migration(
        "items of treated chats that a run of an experiment reached",
        ("ALTER TABLE continuity_experiment_runs ADD COLUMN treated_items INTEGER NOT NULL DEFAULT 0",),
    ),
    Migration(
        "the times whose messages were rolled back, by session",
        ("ALTER TABLE continuity_sessions ADD COLUMN rolled_back TEXT NOT NULL DEFAULT '[]'",),
    ),
    Migration(
        "an index of the user's rules and preferences",
        (
            """CREATE INDEX continuity_memories_of_rules ON continuity_memories (project, owner, at_ms)
                 WHERE (type IN ('user_correction', 'preference') OR author = 'user' AND type = 'decision')
                 AND is_archived = 0""",
        ),
    ),
    Migration(
        "an index of the conversations that were sent a memory",
        (
            """CREATE INDEX continuity_deliveries_of_memories ON continuity_deliveries (item, shadow, sub_chat_id)
                 WHERE item GLOB 'memory:*'""",
        ),
    ),
    Migration(
        "the folders of projects, so that a moved one is recognized",
        (
            """CREATE TABLE continuity_project_folders (
                 project TEXT PRIMARY KEY, path BLOB NOT NULL, project_below BLOB, device TEXT NOT NULL,
                 number TEXT NOT NULL, created_ns INTEGER NOT NULL) WITHOUT ROWID""",
        ),
    ),
)

DURABLE_TABLES = (
    "continuity_settings",
    "continuity_state",
    "continuity_sessions",
    "continuity_session_turns",
    "continuity_deliveries",
    "continuity_runs",
    "continuity_tests",
    "continuity_artifacts",
    "continuity_metrics",
    "continuity_overrides",
    "continuity_snapshots",
    "continuity_deleted",
    "continuity_memory_tombstones",
    "continuity_memory_tokens",
    "continuity_memory_openings",
    "continuity_memory_pending",
    "continuity_memory_plans",
    "continuity_memory_sightings",
    "continuity_memory_captures",
    "continuity_memory_capture_totals",
    "continuity_memory_upkeep",
    "continuity_memory_resolutions",
    "continuity_standing_instructions",
    "continuity_replaced_statements",
    "continuity_registry_dismissed",
    "continuity_registry_decisions",
    "continuity_session_locks",
    "continuity_session_files",
    "continuity_context_sessions",
    "continuity_knowledge_state",
    "continuity_knowledge_checkpoints",
    "continuity_knowledge_journal",
    "continuity_context_resume_points",
    "continuity_projects",
    "continuity_project_folders",
    "continuity_experiment_units",
    "continuity_experiment_chats",
    "continuity_experiment_runs",
)
"""Tables that cannot be derived and are saved row by row from a damaged file; sessions before their turns, and these
before their deliveries.
"""

_CREATE_MIGRATIONS = """CREATE TABLE IF NOT EXISTS continuity_migrations (
  step INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at_ms INTEGER NOT NULL)"""


def current_step(connection: apsw.Connection) -> int:
    """Return the number of the last applied step; 0 for a file without our tables."""
    has_migrations = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'continuity_migrations'").get
    if not has_migrations:
        return 0
    return int(connection.execute("SELECT coalesce(max(step), 0) FROM continuity_migrations").get or 0)


def migrate(connection: apsw.Connection, now_ms: int, migrations: tuple[Migration, ...] = MIGRATIONS) -> int:
    """Apply the missing steps, each in its own transaction; return the resulting step.

    Raise StateDegraded for a file of a newer version. Two processes may migrate at once: each step checks under the
    write lock whether it is still missing.
    """
    step = current_step(connection)
    if step > len(migrations):
        raise StateDegraded(
            f"The state file is of a newer version (step {step}; this one knows {len(migrations)}).",
            hint="Update the sidecar, or start it with another stateDir.",
            data={"step": step, "knownStep": len(migrations)},
        )
    for number in range(step + 1, len(migrations) + 1):
        _apply(connection, number, migrations[number - 1], now_ms)
    return len(migrations)


def _apply(connection: apsw.Connection, number: int, migration: Migration, now_ms: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if current_step(connection) < number:
            connection.execute(_CREATE_MIGRATIONS)
            for name, function in migration.functions.items():
                connection.create_scalar_function(name, function, deterministic=True)
            for statement in migration.statements:
                connection.execute(statement)
            for name in migration.functions:
                connection.create_scalar_function(name, None)
            connection.execute(
                "INSERT INTO continuity_migrations (step, name, applied_at_ms) VALUES (?, ?, ?)",
                (number, migration.name, now_ms),
            )
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise

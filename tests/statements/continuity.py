"""Every statement of continuity-design.md and continuity-requirements.md that binds the program, and its tests.

Paths are below `tests/`. Where decisions.md reads a statement otherwise, or gives the number, the entry says so. What
the design tells of the app's present state, of goals and of what others do (its Context and Non-Goals) binds nothing.
"""

_INJECTION = "flows/test_injection.py::test_"
_CACHING = "flows/test_caching.py::test_"
_CAPTURE = "flows/test_capture.py::test_"
_PRESSURE = "flows/test_pressure.py::test_"
_DELIVERY = "flows/test_delivery.py::test_"
_MODES = "flows/test_modes.py::test_"
_BRANCH = "flows/test_memory_branch.py::test_"
_ACCEPTED = "flows/test_acceptance.py::test_"
_PRE_RUN = "packs/test_pre_run.py::test_"
_CACHE = "packs/test_pack_cache.py::test_"
_GOVERNOR = "governor/test_pressure_counters.py::test_"
_REHYDRATE = "governor/test_rehydrate.py::test_"
_SNAPSHOT = "governor/test_snapshot.py::test_"
_LEDGER = "runs/test_ledger.py::test_"
_RUN = "capture/test_post_run.py::test_"
_EVENTS = "capture/test_devlog_events.py::test_"
_COMMITS = "capture/test_artifact_commit.py::test_"

STATEMENTS: dict[str, tuple[str, ...]] = {
    # Requirements: injection
    "Injection: SHALL inject into every call of plan and agent modes without manual action": (
        f"{_INJECTION}a_coding_request_gets_an_anchor_and_a_budgeted_context_automatically",
        f"{_PRE_RUN}plan_mode_has_its_contract_each_time",
    ),
    "Injection: the context pack is budgeted": (f"{_PRE_RUN}the_token_modes_budget_is_used_and_never_exceeded",),
    "Injection: the unit of delivery is the provider session (decisions.md)": (
        f"{_LEDGER}a_second_run_receives_nothing_the_session_already_has",
        f"{_LEDGER}an_unknown_session_receives_the_full_packs",
        f"{_DELIVERY}a_fork_or_fresh_session_without_packs_receives_all",
    ),
    "Injection: delivery counts once post-run confirms it; passive never counts (decisions.md)": (
        f"{_LEDGER}a_delivery_counts_only_when_the_run_reached_a_known_session",
        f"{_MODES}simulated_deliveries_do_not_count_in_active_mode",
    ),
    "Injection: the same task and state reuse the cached pack": (
        f"{_INJECTION}a_follow_up_in_an_unchanged_repository_reuses_the_pack_and_gets_nothing",
    ),
    "Injection: the fingerprint is of the task and not of its wording; deterministic (decisions.md)": (
        "packs/test_task.py::test_a_follow_up_continues_the_task_whatever_its_wording",
        "packs/test_task.py::test_a_prompt_with_unrelated_names_starts_a_new_task",
        "packs/test_task.py::test_a_fingerprint_is_deterministic_and_never_moves_within_a_task",
    ),
    "Injection: the delta has only what changed since the previous run": (
        f"{_INJECTION}a_delta_contains_other_peoples_changes_and_not_the_agents_own",
        "packs/delta/test_delta_laws.py::test_earlier_and_current_deltas_add_up_to_the_whole_difference",
    ),
    # Requirements: caching
    "Caching: summaries are keyed by repository, path and content hash": (
        f"{_CACHING}known_file_content_is_not_analyzed_again_even_after_a_restart",
    ),
    "Caching: a hit skips parsing and summarizing": (
        f"{_CACHING}known_file_content_is_not_analyzed_again_even_after_a_restart",
    ),
    "Caching: another head or changed-files hash makes a pack invalid, and a new one is stored": (
        f"{_CACHING}a_changed_file_or_head_invalidates_the_cached_pack",
        f"{_CACHE}a_changed_repository_is_a_miss",
    ),
    "Caching: the hash covers path, status and content, a second edit being another state (decisions.md)": (
        f"{_CACHING}a_changed_file_or_head_invalidates_the_cached_pack",
    ),
    "Caching: invalidation is deterministic": (f"{_PRE_RUN}the_same_request_returns_the_same_bytes",),
    # Requirements: capture
    "Capture: changed boundary modules draft a devlog entry and an ADR stub": (
        "flows/test_boundaries.py::test_a_changed_signature_with_importers_drafts_an_entry_and_a_decision_stub",
        "flows/test_boundaries.py::test_schemas_migrations_entry_points_and_configured_paths_are_boundaries",
    ),
    "Capture: artifacts carry provenance of run and session": (
        f"{_EVENTS}provenance_lists_every_run_and_the_commits_before_and_after",
    ),
    "Capture: an abandoned approach drafts a note that is linked to its task": (
        "flows/test_direction_change.py::test_an_explicitly_abandoned_approach_is_recorded_with_reason_and_task",
    ),
    # Requirements: governor
    "Governor: below the thresholds the action is ok and the session goes on": (
        f"{_PRESSURE}a_short_conversation_continues_without_a_restart",
        f"{_REHYDRATE}low_pressure_is_ok",
    ),
    "Governor: over the rehydrate threshold the state is kept and a fresh context begins with it and the packs": (
        f"{_PRESSURE}high_pressure_takes_a_snapshot_and_starts_a_fresh_session_with_it",
        f"{_REHYDRATE}rehydrate_starts_a_fresh_session_with_the_carry_over_and_the_full_packs",
    ),
    # Requirements: budgets
    "Budget: over the limit lower priorities are trimmed, anchor and the highest kept": (
        f"{_INJECTION}context_over_the_budget_is_trimmed_by_priority_and_named",
        "packs/test_composition_laws.py::test_fit_prefers_higher_priorities",
    ),
    "Budget: 14,000, 24,000, 42,000 bytes, and as the cap on new bytes (decisions.md)": (
        "settings/test_settings.py::test_the_decided_numbers_are_the_defaults",
        f"{_PRE_RUN}the_token_modes_budget_is_used_and_never_exceeded",
        "settings/test_settings.py::test_new_bytes_per_call_never_exceed_the_budget",
    ),
    "Budget: cuts fall between items (decisions.md)": (
        "packs/test_composition_laws.py::test_fit_never_exceeds_the_budget_by_a_byte_and_accounts_for_every_item_once",
        f"{_PRE_RUN}a_huge_difference_is_cut_to_whole_lines_within_the_budget",
    ),
    "Budget: bursts of events are debounced by state and task, equivalent states build nothing": (
        f"{_INJECTION}a_burst_of_edits_and_requests_builds_one_pack_per_state_of_the_repository",
        f"{_CACHING}the_pack_is_prefetched_after_a_burst_of_edits",
        "packs/test_prefetch.py::test_hints_for_a_state_with_packs_rebuild_nothing",
    ),
    # Requirements: artifact policy
    "Policy: artifacts are drafts by default, and nothing is committed": (
        f"{_CAPTURE}artifacts_are_in_the_state_file_and_the_repository_is_unchanged",
        f"{_COMMITS}in_passive_mode_and_by_default_nothing_is_committed_after_a_run",
    ),
    "Policy: automatic commits go to the memory branch alone": (
        f"{_BRANCH}an_entry_is_committed_to_the_memory_branch_and_nothing_else_changes",
    ),
    "Policy: checked-out branches and protected names are refused (decisions.md)": (
        f"{_BRANCH}a_checked_out_memory_branch_is_refused_and_the_draft_remains",
        "settings/test_table.py::test_branches_that_people_work_on_are_refused",
    ),
    # Design: architecture and data model
    "Design: pre-run before the call, post-run after persistence, idempotent": (
        f"{_CAPTURE}a_repeated_post_run_is_recorded_once_even_after_a_restart",
        f"{_RUN}one_run_sent_by_many_threads_is_stored_once",
    ),
    "Design: a hot cache in memory (LRU) and durable tables in SQLite": (
        "storage/test_cache.py::test_a_value_is_found_by_its_whole_key_after_a_restart",
        f"{_CACHE}the_disk_cache_survives_a_restart",
    ),
    "Design: the five tables stand under their names": ("storage/test_migrations.py::test_every_durable_table_exists",),
    "Design: the search cache is keyed by query, commit and scope": (
        "codebase/test_workspace_search.py::test_same_query_on_the_same_state_comes_from_the_cache",
        "codebase/test_workspace_search.py::test_another_query_is_searched",
        "codebase/test_workspace_search.py::test_edit_or_commit_invalidates_and_an_undone_edit_restores_the_cached_result",
        "codebase/test_workspace_search.py::test_subfolder_and_other_repository_share_no_results",
    ),
    "Design: the pack's key has task, state, provider, mode, budget and the digest of sources (decisions.md)": (
        f"{_CACHE}every_input_of_the_pack_is_part_of_its_key",
        f"{_CACHE}a_changed_budget_setting_is_a_miss_only_where_it_changes_the_anchor",
        f"{_CACHE}an_accepted_rejected_approach_is_a_miss_and_a_known_trap",
    ),
    "Design: mentions and what differs between sub-chats are outside the shared entry (decisions.md)": (
        f"{_CACHE}mentions_act_per_call_outside_the_shared_entry",
        f"{_CACHE}another_conversation_on_the_same_task_is_a_hit",
    ),
    "Design: counters and governor state per sub-chat": (
        f"{_LEDGER}two_conversations_have_separate_ledgers",
        f"{_REHYDRATE}status_shows_each_signal_with_its_thresholds",
    ),
    "Design: artifacts have provenance and a status": (
        f"{_RUN}artifacts_are_listed_by_status_and_type_and_fetched_by_id",
        f"{_ACCEPTED}accepted_artifacts_reach_the_next_session_until_discarded",
    ),
    # Design: packs
    "Design: the anchor is small and has invariants, map, landmines, pointers": (
        "packs/anchor/test_build.py::test_an_anchor_stays_under_four_kilobytes_and_in_its_share",
        f"{_INJECTION}a_coding_request_gets_an_anchor_and_a_budgeted_context_automatically",
        "flows/test_knowledge_anchor.py::test_blocking_constraints_become_invariants_and_decisions_are_referenced",
        f"{_CACHE}an_accepted_rejected_approach_is_a_miss_and_a_known_trap",
        "packs/anchor/test_anchor_cache.py::test_warnings_above_definitions_are_landmines_and_remain_during_indexing",
    ),
    "Design: the anchor is stable: byte-identical in a provider session": (
        f"{_LEDGER}the_claude_anchor_stays_byte_identical_as_system_text",
        f"{_LEDGER}the_codex_anchor_opens_a_fresh_session_and_is_not_repeated",
        f"{_MODES}a_slash_prompt_retains_the_pinned_anchor_for_the_providers_cache",
    ),
    "Design: the context pack has ranked files and summaries": (
        "build/test_run.py::test_each_selected_file_has_reasons_and_a_score_that_is_the_sum_of_its_parts",
        f"{_PRE_RUN}mentioned_files_and_folders_are_sent",
    ),
    "Design: the delta has changed files, failing tests and the task's changes": (
        f"{_LEDGER}failing_tests_are_sent_until_they_pass",
        f"{_LEDGER}todos_are_sent_when_they_change",
        "flows/test_deltas.py::test_a_second_change_to_a_file_sends_only_the_new_hunk",
    ),
    "Design: delta alone on follow-ups when confidence is high": (
        f"{_INJECTION}a_follow_up_in_an_unchanged_repository_reuses_the_pack_and_gets_nothing",
        "packs/context/test_low_tokens.py::test_a_follow_up_on_the_same_files_gets_changes_only",
    ),
    # Design: governor
    "Design: five signals, turns, bytes of the last calls, files, growth, time": (
        f"{_REHYDRATE}status_shows_each_signal_with_its_thresholds",
    ),
    "Design: 7/12 turns, 90,000/150,000 bytes, 10/18 files, 160/280 lines, 25/50 minutes (decisions.md)": (
        f"{_REHYDRATE}status_shows_each_signal_with_its_thresholds",
        f"{_GOVERNOR}reaching_a_threshold_counts",
    ),
    "Design: an action needs two signals or one at double; time alone never acts (decisions.md)": (
        f"{_GOVERNOR}an_action_needs_two_signals_or_one_at_twice_its_threshold",
        f"{_GOVERNOR}time_alone_never_acts",
    ),
    "Design: generated and lock files are no growth; gaps over 10 minutes are no time (decisions.md)": (
        f"{_REHYDRATE}lock_files_and_generated_code_do_not_count_as_growth",
        f"{_GOVERNOR}only_pauses_over_ten_minutes_do_not_count",
    ),
    "Design: a fresh sub-chat starts clock and baseline at its first run (decisions.md)": (
        f"{_GOVERNOR}the_first_run_sets_clock_and_baseline",
    ),
    "Design: each restart criterion forces rehydrate (decisions.md)": (
        f"{_GOVERNOR}each_restart_criterion_and_a_user_request_force_a_rehydrate",
    ),
    "Design: with a capability off the strongest allowed action is taken and the other named (decisions.md)": (
        f"{_GOVERNOR}a_suppressed_action_is_reported_and_the_strongest_allowed_one_taken",
        f"{_PRESSURE}with_rehydrate_off_high_pressure_takes_a_snapshot_and_reports_the_suppressed_action",
    ),
    "Design: snapshot keeps state and session": (
        f"{_REHYDRATE}a_snapshot_continues_the_session_and_restarts_its_counting",
    ),
    "Design: rehydrate carries plan, tasks, risks over, with a visible marker; nothing is removed": (
        f"{_SNAPSHOT}the_marker_states_the_previous_session_and_the_carry_over",
        f"{_REHYDRATE}rehydrate_starts_a_fresh_session_with_the_carry_over_and_the_full_packs",
    ),
    # Design: events
    "Design: a merged diff over the threshold drafts, 120 lines or 8 files (decisions.md)": (
        f"{_RUN}runs_are_a_tally_that_nothing_shows_until_an_entry_is_due",
        f"{_RUN}many_files_make_an_entry_due",
    ),
    "Design: tests that pass again draft": (f"{_EVENTS}a_fixed_test_is_mentioned_in_the_entry_and_closes_it",),
    "Design: a touched boundary drafts": (
        "flows/test_boundaries.py::test_a_changed_signature_with_importers_drafts_an_entry_and_a_decision_stub",
    ),
    "Design: a change of direction drafts": ("flows/test_direction_change.py::test_a_dropped_plan_step_is_recorded",),
    "Design: over-capture is held by windows of 24 h and by what is junk (decisions.md)": (
        f"{_EVENTS}tests_fixed_twice_are_one_event_within_the_window",
        f"{_EVENTS}a_lock_file_alone_drafts_nothing",
        f"{_RUN}a_read_only_run_drafts_nothing_in_a_dirty_worktree",
    ),
    # Design: determinism and cost
    "Design: the app decides on timing, storage, budgets, invalidation and policy; no model is called (decisions.md)": (
        f"{_PRE_RUN}the_same_request_returns_the_same_bytes",
        "packs/test_composition_laws.py::test_compose_respects_limits_order_and_accounting",
    ),
    "Design: one context build per turn": (f"{_CACHE}concurrent_identical_queries_build_one_pack",),
    "Design: pack bytes and new bytes per call are capped": (
        f"{_PRE_RUN}new_bytes_per_call_are_capped_and_the_rest_follows_later",
        f"{_PRE_RUN}the_token_modes_budget_is_used_and_never_exceeded",
    ),
    "Design: a low-token mode reuses packs aggressively": (
        "packs/context/test_low_tokens.py::test_a_follow_up_on_the_same_files_gets_changes_only",
        "packs/context/test_low_tokens.py::test_a_prompt_about_other_files_gets_them",
    ),
    "Design: stale context is kept out by hashes and a watcher": (
        "flows/test_unwatched_writes.py::test_a_write_through_a_memory_map_is_detected_before_the_file_is_sent",
        f"{_CACHE}a_changed_repository_is_a_miss",
    ),
    # Design: rollout and success
    "Design: behind a flag, passive first (the default: decisions.md), then snapshot, then rehydrate": (
        f"{_MODES}the_default_mode_is_passive_and_only_measures",
        f"{_MODES}off_does_nothing_at_all",
        "settings/test_settings.py::test_each_layer_overrides_the_one_below",
    ),
    "Design: a local-model run, a slash command, nothing ready in time pass untouched (decisions.md)": (
        f"{_MODES}passthrough_prompts_are_byte_identical",
    ),
    "Design: cache hits of 60 % and more in iterative sessions": (
        "flows/test_savings.py::test_passive_mode_shows_potential_savings",
        "operations/test_rollout_stages.py::test_good_passive_figures_recommend_injection_with_its_savings",
    ),
    "Design: 30 % fewer bytes per turn and more": (
        "flows/test_savings.py::test_passive_mode_shows_potential_savings",
        "operations/test_rollout_stages.py::test_good_passive_figures_recommend_injection_with_its_savings",
    ),
    "Design: metrics are computed from bytes really delivered (decisions.md)": (
        "flows/test_savings.py::test_passive_mode_shows_potential_savings",
        f"{_PRE_RUN}metadata_matches_the_blocks",
    ),
    "Design: no automatic commit on a feature branch": (
        f"{_RUN}a_complete_session_leaves_the_repository_byte_identical",
        f"{_BRANCH}an_entry_is_committed_to_the_memory_branch_and_nothing_else_changes",
    ),
    "Design: what enters a pack is of this workspace, accepted or remembered for the project (decisions.md)": (
        "packs/test_workspaces.py::test_a_worktrees_changes_stay_in_its_own_packs",
        "memory/test_index.py::test_projects_are_isolated_from_each_other",
    ),
}
